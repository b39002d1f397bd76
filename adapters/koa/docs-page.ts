import { createHash } from 'node:crypto'
import type { Document, Header, Operation, Parameter, Ref, Schema, Verb } from './openapi-types.js'
import type { TextReply } from './reply.js'

const STYLE = `
body { font: 16px/1.5 system-ui, sans-serif; max-width: 60rem; margin: 2rem auto; padding: 0 1rem; color: #1b1f24; background: #fff }
h1, h2, h3 { line-height: 1.2 } h2 { margin-top: 3rem; border-bottom: 1px solid #d0d7de } h3 { margin-top: 2.5rem }
code, pre { font: 14px/1.5 ui-monospace, monospace; background: #f3f5f7; border-radius: 4px } code { padding: .1em .3em }
pre { padding: .8rem; white-space: pre-wrap } pre code { padding: 0; background: none }
table { border-collapse: collapse; width: 100% } th, td { text-align: left; vertical-align: top; padding: .3rem .8rem .3rem 0; border-bottom: 1px solid #e4e8ec }
nav ul { columns: 2; padding-left: 1rem } body { overflow-wrap: anywhere } .errors { list-style: none; padding: 0 } .errors li { padding: .6rem 0; border-bottom: 1px solid #e4e8ec } .method { font-weight: 700; text-transform: uppercase }
@media (prefers-color-scheme: dark) { body { color: #e6edf3; background: #0d1117 } code, pre { background: #1c2330 } a { color: #79b8ff } th, td, h2, .errors li { border-color: #30363d } }
`

const EXAMPLE = "curl https://postern.example.com/v1/wallet -H 'Authorization: Bearer pst_…'"

const POLICY = [
  "default-src 'none'", `style-src 'sha256-${createHash('sha256').update(STYLE).digest('base64')}'`, 'img-src data:',
  "base-uri 'none'", "form-action 'none'", "frame-ancestors 'none'",
].join('; ')

/** A page that loads nothing and needs no JavaScript. The title is plain text, the body HTML. */
export const htmlPage = (title: string, body: string): TextReply => ({
  status: 200,
  headers: { 'Content-Type': 'text/html; charset=utf-8', 'Content-Security-Policy': POLICY },
  body: `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>${text(title)}</title>
<link rel="icon" href="data:,">
<style>${STYLE}</style>
</head>
<body>
${body}
</body>
</html>
`,
})

/** The document as an HTML page. */
export const docsPage = (document: Document): TextReply => htmlPage(`${document.info.title}: the HTTP API`, `\
<h1>${text(document.info.title)}: the HTTP API</h1>
<p>${text(document.info.summary)} The same for machines: <a href="openapi.json">openapi.json</a>. What each error means: <a href="errors">errors</a>.</p>
${prose(document.info.description)}
<h2 id="authentication">How to send the key</h2>
${Object.values(document.components.securitySchemes).map(({ description = '' }) => prose(description)).join('')}
<pre><code>${text(EXAMPLE)}</code></pre>
<nav><ul>${operationsOf(document).map(({ operation }) => `<li><a href="#${operation.operationId}">${text(operation.summary)}</a></li>`).join('')}</ul></nav>
${document.tags.map(({ name, description }) => `<h2>${text(name)}</h2>${prose(description)}${sectionsOf(document, name)}`).join('\n')}
<h2>Schemas</h2>
${Object.entries(document.components.schemas).map(([name, schema]) => `<h3 id="schema-${name}">${text(name)}</h3>${schemaOf(schema)}`).join('\n')}`)

type Located = { readonly path: string; readonly method: string; readonly operation: Operation }

const VERBS: ReadonlyArray<Verb> = ['get', 'post', 'patch', 'delete']

const operationsOf = ({ paths }: Document): ReadonlyArray<Located> =>
  Object.entries(paths).flatMap(([path, item]) =>
    VERBS.flatMap((method) => {
      const operation = item[method]
      return operation === undefined ? [] : [{ path: item.servers === undefined ? `/v1${path}` : path, method, operation }]
    }))

const sectionsOf = (document: Document, tag: string): string =>
  operationsOf(document).filter(({ operation }) => operation.tags.includes(tag)).map((one) => sectionOf(document, one)).join('\n')

const sectionOf = (document: Document, { path, method, operation }: Located): string => `
<section id="${operation.operationId}">
<h3>${text(operation.summary)}</h3>
<p><code><span class="method">${method}</span> ${text(path)}</code> ${(operation.security ?? document.security).length === 0 ? 'takes no key' : '<a href="#authentication">with the API key</a>'}</p>
${prose(operation.description)}
${tableOf(['Parameter', 'Where', 'Form', 'Meaning'], (operation.parameters ?? []).map((given) => {
    const parameter = resolved<Parameter>(document.components.parameters, given)
    return [`<code>${text(parameter.name)}</code>`, text(parameter.in), formOf(parameter.schema), inline(parameter.description)]
  }))}
${Object.entries(operation.requestBody?.content ?? {}).map(([type, { schema, examples }]) =>
    `<p>Body, <code>${text(type)}</code>: ${formOf(schema)}</p>${type === 'application/json' ? examplesOf(examples) : ''}`).join('')}
${tableOf(['Status', 'Reply', 'Headers'], Object.entries(operation.responses).map(([status, { description, headers = {}, content = {} }]) => [
    `<code>${status}</code>`,
    `${prose(description)}${status.startsWith('2') ? Object.values(content).map(({ schema, examples }) => formOf(schema) + examplesOf(examples)).join('') : ''}`,
    Object.entries(headers).map(([name, given]) => `<code title="${text(resolved<Header>(document.components.headers, given).description)}">${text(name)}</code>`).join(' '),
  ]))}
</section>`

const resolved = <Found extends object>(named: Readonly<Record<string, Found>>, given: Found | Ref): Found => {
  if (!('$ref' in given)) return given
  const found = named[given.$ref.split('/').at(-1) ?? '']
  if (found === undefined) throw new TypeError(`the document does not have ${given.$ref}`)
  return found
}

const tableOf = (heading: ReadonlyArray<string>, rows: ReadonlyArray<ReadonlyArray<string>>): string => `
<table><tr>${heading.map((cell) => `<th>${cell}</th>`).join('')}</tr>
${rows.map((row) => `<tr>${row.map((cell) => `<td>${cell}</td>`).join('')}</tr>`).join('\n')}
</table>`

const examplesOf = (examples: Readonly<Record<string, { readonly value: unknown }>> = {}): string =>
  Object.values(examples).map(({ value }) => `<pre><code>${text(JSON.stringify(value, undefined, 2))}</code></pre>`).join('')

const schemaOf = (schema: Schema): string => {
  const { properties, required = [], description = '' } = schema
  return properties === undefined
    ? `${prose(description)}<p>${formOf(schema)}</p>`
    : prose(description) + tableOf(['Field', 'Form', 'Meaning'], Object.entries(properties).map(([name, field]) => [
      `<code>${text(name)}</code>${required.includes(name) ? '' : ' (optional)'}`, formOf(field), inline(field.description ?? ''),
    ]))
}

/** The form of a value, in a few words. */
const formOf = (schema: Schema): string => {
  const { $ref, items, maxItems, type, pattern, minimum, maximum, maxLength, format } = schema
  if ($ref !== undefined) return `<a href="#schema-${$ref.split('/').at(-1) ?? ''}">${$ref.split('/').at(-1) ?? ''}</a>`
  const choices = schema.anyOf ?? schema.oneOf
  if (choices !== undefined) return choices.map(formOf).join(' or ')
  if (schema.const !== undefined) return `<code>${text(JSON.stringify(schema.const))}</code>`
  if (schema.enum !== undefined) return schema.enum.map((word) => `<code>${text(word)}</code>`).join(', ')
  if (items !== undefined) return `array of ${maxItems === undefined ? '' : `at most ${maxItems} `}${formOf(items)}`
  return [
    [type].flat().join(' or '), format ?? '',
    minimum === undefined ? '' : `from ${minimum} to ${maximum ?? '…'}`,
    maxLength === undefined ? '' : `of at most ${maxLength} characters`,
    pattern === undefined ? '' : `<code>${text(pattern)}</code>`,
  ].filter((word) => word !== '').join(' ')
}

const prose = (markdown: string): string => markdown.split('\n\n').map(blockOf).join('')

const blockOf = (block: string): string =>
  block.startsWith('- ')
    ? `<ul>${block.split('\n').map((line) => `<li>${inline(line.replace(/^- /, ''))}</li>`).join('')}</ul>`
    : `<p>${inline(block)}</p>`

/** Text of which backticks mark what is code, as HTML. */
export const inline = (markdown: string): string => text(markdown).replace(/`([^`]+)`/g, '<code>$1</code>')

const ENTITIES: Readonly<Record<string, string>> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;' }

/** Plain text as HTML. */
export const text = (plain: string): string => plain.replace(/[&<>"]/g, (character) => ENTITIES[character] ?? character)
