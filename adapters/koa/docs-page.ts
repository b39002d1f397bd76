import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import type { Reply } from './reply.js'

/** The files of Swagger UI that show the OpenAPI document at `/docs`. */
export type DocsFiles = { readonly script: Buffer; readonly style: Buffer }

/** Reads the files of the page at `/docs` from the package `swagger-ui-dist`; `undefined` where that is not installed. */
export const readDocsFiles = (): DocsFiles | undefined => {
  const require = createRequire(import.meta.url)
  const read = (name: string): Buffer => readFileSync(require.resolve(`swagger-ui-dist/${name}`))
  try {
    return { script: read('swagger-ui-bundle.js'), style: read('swagger-ui.css') }
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'MODULE_NOT_FOUND') return undefined
    throw error
  }
}

const SCRIPT = 'swagger-ui-bundle.js'
const STYLE = 'swagger-ui.css'
const START = 'start.js'

const POLICY = [
  "default-src 'none'", "script-src 'self'", "style-src 'self' 'unsafe-inline'", "img-src 'self' data:", "connect-src 'self'",
  "base-uri 'self'", "form-action 'none'", "frame-ancestors 'none'",
].join('; ')

/** The page for people; `base` leads from its address to the one the app is mounted at. */
export const docsPage = (base: '.' | '..'): Reply => ({
  status: 200,
  headers: { 'Content-Type': 'text/html; charset=utf-8', 'Content-Security-Policy': POLICY },
  body: `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>Postern: the HTTP API</title>
<base href="${base}/">
<link rel="icon" href="data:,">
<link rel="stylesheet" href="docs/${STYLE}">
</head>
<body>
<div id="docs"></div>
<noscript>This page needs JavaScript. What it shows is at <a href="openapi.json">openapi.json</a>.</noscript>
<script src="docs/${SCRIPT}"></script>
<script src="docs/${START}"></script>
</body>
</html>
`,
})

/** Without a validator's address the page asks nobody else about the document. */
const STARTING = `SwaggerUIBundle({
  url: new URL('openapi.json', document.baseURI).href,
  dom_id: '#docs',
  deepLinking: true,
  validatorUrl: null,
  defaultModelsExpandDepth: 0,
  tryItOutEnabled: false,
})
`

type File = { readonly type: string; readonly body: Buffer | string }

/** The files the page loads, by name. */
export const docsFiles = ({ script, style }: DocsFiles): ReadonlyMap<string, File> =>
  new Map<string, File>([
    [SCRIPT, { type: 'text/javascript; charset=utf-8', body: script }],
    [START, { type: 'text/javascript; charset=utf-8', body: STARTING }],
    [STYLE, { type: 'text/css; charset=utf-8', body: style }],
  ])
