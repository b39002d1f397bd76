import type { Document, Operation, Parameter, Schema, Verb } from '../openapi-types.js'
import { fieldsOf, formOf, headersOf, parametersOf, resolved } from './fields.js'
import { inline, prose, text } from './html.js'
import { LANGUAGES, type SampleRequest } from './samples.js'

/** An operation, with its address. */
export type Located = { readonly path: string; readonly method: Verb; readonly operation: Operation }

const VERBS: ReadonlyArray<Verb> = ['get', 'post', 'put', 'patch', 'delete']

/** All operations of a document, in its order. */
export const operationsOf = ({ paths }: Document): ReadonlyArray<Located> =>
  Object.entries(paths).flatMap(([path, item]) =>
    VERBS.flatMap((method) => {
      const operation = item[method]
      return operation === undefined ? [] : [{ path: item.servers === undefined ? `/v1${path}` : path, method, operation }]
    }))

/** The data of the whole page that a part of it needs. */
export type Shown = { readonly document: Document; readonly base: string }

/** The section of an operation. */
export const sectionOf = (shown: Shown, located: Located): string => {
  const { document } = shown
  const { path, method, operation } = located
  const parameters = parametersFor(document, operation)
  const [[type, body] = []] = Object.entries(operation.requestBody?.content ?? {})
  return `
<section id="${operation.operationId}">
<h3>${text(operation.summary)}</h3>
<div class="pair">
<div>
<p class="address"><span class="verb ${method}">${method}</span> <span>${text(path)}</span></p>
<p class="hint">${keyOf(document, operation)}</p>
${prose(operation.description)}
${parameters.length === 0 ? '' : `<h4>Parameters</h4>${parametersOf(parameters)}`}
${type === undefined || body === undefined ? '' : `<h4>Body, ${typesOf(operation)}</h4>${operation.requestBody?.required === true ? '' : '<p>It may be left out.</p>'}${bodyOf(document, body.schema)}${otherBodies(document, operation)}`}
<h4>Answers</h4>
${answersOf(document, operation)}
${codesOf(operation)}
</div>
<div class="beside">
${isForClients(operation) ? samplesOf(shown, located) : ''}${replyOf(operation)}${isForClients(operation) ? tryOf(document, located) : ''}
</div>
</div>
</section>`
}

/** Only the platform calls its own operations; no other program does. */
const isForClients = ({ tags }: Operation): boolean => !tags.includes('Platform')

const isKeyed = (document: Document, { security = document.security }: Operation): boolean => security.length > 0

const keyOf = (document: Document, operation: Operation): string => {
  if (!isKeyed(document, operation)) return 'takes no key'
  const scopes = (operation.security ?? []).flatMap((one) => Object.values(one)).flat()
  return `<a href="#authentication">with the API key</a>${scopes.length === 0 ? ', whatever its scopes' : `, which needs the scope ${scopes.map((scope) => `<code>${text(scope)}</code>`).join(', ')}`}`
}

/** Its own parameters: `X-Request-Id` belongs to all operations. */
const parametersFor = (document: Document, { parameters = [] }: Operation): ReadonlyArray<Parameter> =>
  parameters.map((given) => resolved<Parameter>(document.components.parameters, given)).filter(({ name }) => name !== 'X-Request-Id')

const typesOf = ({ requestBody }: Operation): string =>
  Object.keys(requestBody?.content ?? {}).map((type) => `<code>${text(type)}</code>`).join(' or ')

const bodyOf = ({ components: { schemas } }: Document, given: Schema): string => {
  const schema = resolved(schemas, given)
  return `${prose(schema.description ?? '')}${schema.properties === undefined ? `<p>${formOf(given)}</p>` : fieldsOf(schemas, schema)}`
}

/** Bodies of another type with different fields. */
const otherBodies = (document: Document, { requestBody }: Operation): string => {
  const [[, first] = [], ...others] = Object.entries(requestBody?.content ?? {})
  return others.filter(([, { schema }]) => JSON.stringify(schema) !== JSON.stringify(first?.schema) && Object.keys(schema).length > 0)
    .map(([type, { schema }]) => `<details><summary>As ${text(type)}</summary>${bodyOf(document, schema)}</details>`).join('')
}

const answersOf = (document: Document, { responses }: Operation): string => `<ul class="fields">
${Object.entries(responses).filter(([status]) => Number(status) < 400).map(([status, { description, headers = {}, content = {} }]) =>
    `<li><code>${status}</code> ${Object.values(content).map(({ schema }) => `<span class="soft">${formOf(schema)}</span>`).join(' ')}<p>${inline(description)}</p><p class="hint">${headersOf(document, headers)}</p></li>`).join('\n')}
</ul>`

/** The codes of a reply that refuses, and when each is returned. */
export const codesIn = (description: string): ReadonlyArray<{ readonly code: string; readonly when: string }> =>
  Array.from(description.matchAll(/^- `(\w+)`: (.*)$/gm), ([, code = '', when = '']) => ({ code, when }))

const codesOf = ({ responses }: Operation): string => {
  const refusals = Object.entries(responses).flatMap(([status, { description }]) => {
    const codes = Array.from(new Set(codesIn(description).map(({ code }) => code)))
    return Number(status) < 400 || codes.length === 0 ? [] : [`<dt>${status}</dt><dd>${codes.map((code) => `<a href="errors/${code}">${code}</a>`).join(' ')}</dd>`]
  })
  return refusals.length === 0 ? '' : `<h4>Errors</h4><dl class="codes">${refusals.join('')}</dl>`
}

/** The request of an operation, from its examples. */
export const sampleOf = ({ document, base }: Shown, { path, method, operation }: Located): SampleRequest => {
  const parameters = parametersFor(document, operation)
  const [type, body] = sentBody(operation)
  const example = Object.values(body?.examples ?? {})[0]?.value
  const success = Object.entries(operation.responses).find(([status]) => status.startsWith('2'))?.[1].content ?? {}
  return {
    method: method.toUpperCase(),
    url: base + path.replace(/\{(\w+)\}/g, (_, name: string) => {
      const parameter = parameters.find((one) => one.name === name)
      return encodeURIComponent(parameter === undefined ? name : exampleOf(document, parameter))
    }),
    isKeyed: isKeyed(document, operation),
    headers: Object.fromEntries(
      parameters.filter(({ name }) => name === 'Idempotency-Key').map((parameter) => [parameter.name, exampleOf(document, parameter)]),
    ),
    ...(type === 'application/json' && example !== undefined && { body: { _tag: 'Json', value: example } }),
    ...(type === 'multipart/form-data' && { body: formOfFile(document, body?.schema ?? {}, example) }),
    reply: 'application/json' in success ? 'json' : Object.keys(success).length === 0 ? 'nothing' : 'bytes',
  }
}

/** The body that the samples send: JSON if it is accepted. */
const sentBody = ({ requestBody }: Operation) => {
  const bodies = Object.entries(requestBody?.content ?? {})
  return bodies.find(([type]) => type === 'application/json') ?? bodies[0] ?? []
}

const formOfFile = ({ components: { schemas } }: Document, given: Schema, example: unknown): NonNullable<SampleRequest['body']> => {
  const { properties = {} } = resolved(schemas, given)
  const field = Object.keys(properties).find((name) => properties[name]?.format === 'binary') ?? 'file'
  const fields = Object.entries(typeof example === 'object' && example !== null ? example : {})
    .filter(([name, value]) => name !== field && typeof value === 'string')
  return { _tag: 'Form', fields: Object.fromEntries(fields), file: { field, name: 'invoice.pdf', type: 'application/pdf' } }
}

const exampleOf = ({ components: { schemas } }: Document, { example, schema }: Parameter): string => {
  const [first] = schema.examples ?? resolved(schemas, schema).examples ?? []
  return example ?? (typeof first === 'string' ? first : '')
}

const samplesOf = (shown: Shown, located: Located): string => {
  const request = sampleOf(shown, located)
  return samplesCard(located.operation.operationId, shown.base, request)
}

/** A request in every language, one of which is visible. */
export const samplesCard = (id: string, base: string, request: SampleRequest): string => `<div class="card"><fieldset class="top"><legend class="skip">The request in</legend><span class="languages">${
  Object.entries(LANGUAGES).map(([language, { name }], at) => `<label><input type="radio" name="language-${id}" value="${language}"${at === 0 ? ' checked' : ''}>${name}</label>`).join('')}</span></fieldset>
${Object.entries(LANGUAGES).map(([language, { write }]) => `<div class="sample ${language}"><pre tabindex="0"><code>${withBase(write(request), base)}</code></pre></div>`).join('\n')}</div>`

/** The base address is marked, so that the script can replace it with the address of the reader's own gateway. */
export const withBase = (program: string, base: string): string => text(program).replaceAll(text(base), `<span class="base">${text(base)}</span>`)

const json = (value: unknown): string => text(JSON.stringify(value, undefined, 2))

/** The replies to a successful request, and the other accepted bodies. */
const replyOf = (operation: Operation): string => {
  const [status, success] = Object.entries(operation.responses).find(([one]) => one.startsWith('2')) ?? []
  const examples = Object.values(success?.content ?? {}).flatMap((content) => Object.values(content.examples ?? {}))
  const [, ...others] = Object.values(sentBody(operation)[1]?.examples ?? {})
  const taken = others.length === 0 ? '' : `<div class="card"><p class="top"><span class="name">Other bodies</span></p>${others.map(({ summary = 'Another', value }) => `<details><summary>${text(summary)}</summary><pre class="wrap"><code>${json(value)}</code></pre></details>`).join('')}</div>`
  const [first] = examples
  return `${taken}${first === undefined ? '' : `<div class="card"><p class="top"><span class="name">Answer, ${status ?? ''}</span></p><pre class="wrap"><code>${json(first.value)}</code></pre></div>`}`
}

/** A form that sends the request; the script sends it, and without the script it is not shown. */
const tryOf = (document: Document, located: Located): string => {
  const { path, method, operation } = located
  const parameters = parametersFor(document, operation).filter(({ name }) => !['If-None-Match'].includes(name))
  const [type, body] = sentBody(operation)
  const isSend = parameters.some(({ name }) => name === 'Idempotency-Key')
  const button = isSend ? ['Send now: this costs money', '']
    : method === 'delete' ? ['Send now: this removes it', ' class="danger"']
    : ['Send the request', '']
  return `<details class="try scripted"><summary>Try it</summary><form data-method="${method.toUpperCase()}" data-path="${text(path.slice(1))}">
${isKeyed(document, operation) ? KEY_FIELD : ''}${parameters.map((parameter) => parameterField(document, parameter)).join('')}${bodyFields(document, type, body)}
<button${button[1] ?? ''}>${button[0] ?? ''}</button><div class="answer" role="status"></div></form></details>`
}

/** It is not a password field, so that browsers do not offer to save the text; the style sheet masks it. */
export const KEY_FIELD = '<label>API key<input class="key" name="key" required autocomplete="off" autocapitalize="off" spellcheck="false" data-1p-ignore placeholder="pst_…"></label>'

const parameterField = (document: Document, parameter: Parameter): string => {
  const { name, in: where, required = false, style } = parameter
  const { enum: words } = resolved(document.components.schemas, parameter.schema)
  const label = `${text(name)}${required ? '' : ' <span class="hint">optional</span>'}`
  const named = `name="${where}.${text(name)}"`
  if (words !== undefined) return `<label>${label}<select ${named}><option></option>${words.map((word) => `<option>${text(word)}</option>`).join('')}</select></label>`
  if (name === 'Idempotency-Key') return `<label>${text(name)}<span class="named"><input ${named} class="once" autocomplete="off"><button type="button" class="plain">New</button></span></label>`
  const value = where === 'path' ? ` value="${text(exampleOf(document, parameter))}"` : ''
  return `<label>${label}<input ${named}${value}${required ? ' required' : ''} autocomplete="off"${style === 'deepObject' ? ' data-pairs placeholder="name=value"' : ''}></label>`
}

const bodyFields = (document: Document, type: string | undefined, body: ReturnType<typeof sentBody>[1]): string => {
  if (type === undefined || body === undefined) return ''
  const example = Object.values(body.examples ?? {})[0]?.value
  if (type === 'application/json') {
    const written = JSON.stringify(example ?? {}, undefined, 2)
    return `<label>Body<textarea name="body" spellcheck="false" rows="${Math.min(14, written.split('\n').length + 1)}">${text(written)}</textarea></label>`
  }
  const { properties = {}, required = [] } = resolved(document.components.schemas, body.schema)
  const ofFile = (name: string): boolean => properties[name]?.format === 'binary'
  // A file is the last part of its form.
  return Object.keys(properties).sort((a, b) => Number(ofFile(a)) - Number(ofFile(b)))
    .map((name) => `<label>${text(name)}<input name="form.${text(name)}"${ofFile(name) ? ' type="file"' : ''}${required.includes(name) ? ' required' : ''} autocomplete="off"></label>`).join('')
}
