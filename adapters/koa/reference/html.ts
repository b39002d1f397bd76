import { createHash } from 'node:crypto'
import { fontFace } from '../../shared/font.js'
import type { TextReply } from '../reply.js'
import { STYLE } from './style.js'

/** Where a page stands, and what runs in it. */
export type PageOptions = {
  /** The address of the folder of `/docs`, relative to the page's own or absolute, so that links work under a prefix: empty, or with a slash at its end. */
  readonly root: string
  /** The address of a script of the gateway, which may also call the gateway. */
  readonly script?: string
  /** A script in the page itself. */
  readonly ownScript?: string
  /** Whether the page has a form that is sent to the gateway. */
  readonly hasForm?: boolean
}

const hashOf = (source: string): string => `'sha256-${createHash('sha256').update(source).digest('base64')}'`

const policyOf = (style: string, { script, ownScript, hasForm = false }: PageOptions): string => [
  "default-src 'none'", `style-src ${hashOf(style)}`, "font-src 'self'",
  ...(script === undefined ? [] : ["script-src 'self'", "connect-src 'self'"]),
  ...(ownScript === undefined ? [] : [`script-src ${hashOf(ownScript)}`]),
  'img-src data:', "base-uri 'none'", `form-action ${hasForm ? "'self'" : "'none'"}`, "frame-ancestors 'none'",
].join('; ')

/** The name of the font in the folder of `/docs`. */
export const FONT_NAME = 'docs.woff2'

/** Creates a page that loads nothing but the font and its script, if it has one. The title is plain text, the body HTML. */
export const htmlPage = (title: string, body: string, options: PageOptions): TextReply => {
  const { root, script, ownScript } = options
  const style = `${fontFace(root + FONT_NAME)}\n${STYLE}`
  return {
    status: 200,
    headers: { 'Content-Type': 'text/html; charset=utf-8', 'Content-Security-Policy': policyOf(style, options) },
    body: `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>${text(title)}</title>
<link rel="icon" href="data:,">
<style>${style}</style>${script === undefined ? '' : `\n<script src="${text(root + script)}" defer></script>`}
</head>
<body>
<a class="skip" href="#main">Skip to the content</a>
${body}${ownScript === undefined ? '' : `\n<script>${ownScript}</script>`}
</body>
</html>
`,
  }
}

/** The pages that every page leads to. */
export type PlaceName = 'reference' | 'errors'

/** The links to the pages of the documentation, and to the console if there is one. */
export const pageLinks = (root: string, hasConsole: boolean, current?: PlaceName): string => {
  const link = (name: PlaceName, end: string, label: string): string =>
    `<li><a href="${root}${end}"${name === current ? ' aria-current="page"' : ''}>${label}</a></li>`
  return `<nav class="pages" aria-label="Pages"><ul>${hasConsole ? `<li><a href="${root}console">${BACK}Console</a></li>` : ''}${
    link('reference', 'docs', 'API reference')}${link('errors', 'errors', 'Errors')}</ul></nav>`
}

/** An arrow that points back. */
const BACK = '<svg class="icon" viewBox="0 0 24 24" width="16" height="16" aria-hidden="true"><path d="M19 12H5M11 6l-6 6 6 6"/></svg>'

/** The mark of the product. */
export const MARK = '<svg class="mark" viewBox="0 0 24 24" width="22" height="22" aria-hidden="true"><rect width="24" height="24" rx="5"/><path d="M7 18v-7a5 5 0 0 1 10 0v7"/></svg>'

/** Converts Markdown to HTML. Only paragraphs, lists and code are supported. */
export const prose = (markdown: string): string => markdown.split('\n\n').map(blockOf).join('')

const blockOf = (block: string): string =>
  block.startsWith('- ')
    ? `<ul>${block.split('\n').map((line) => `<li>${inline(line.replace(/^- /, ''))}</li>`).join('')}</ul>`
    : block === '' ? '' : `<p>${inline(block)}</p>`

/** Converts text to HTML; backticks mark code. */
export const inline = (markdown: string): string => text(markdown).replace(/`([^`]+)`/g, '<code>$1</code>')

const ENTITIES: Readonly<Record<string, string>> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;' }

/** Plain text as HTML. */
export const text = (plain: string): string => plain.replace(/[&<>"]/g, (character) => ENTITIES[character] ?? character)
