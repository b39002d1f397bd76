import type { Document, Header, Parameter, Ref, Schema } from '../openapi-types.js'
import { inline, prose, text } from './html.js'

/** The named schemas of a document. */
export type Schemas = Document['components']['schemas']

/** The target of a reference. */
export const resolved = <Found extends object>(named: Readonly<Record<string, Found>>, given: Found | Ref): Found => {
  if (!isRef(given)) return given
  const found = named[nameOf(given.$ref)]
  if (found === undefined) throw new TypeError(`the document does not have ${given.$ref}`)
  return found
}

const isRef = (given: object): given is Ref => '$ref' in given

const nameOf = (ref: string): string => ref.split('/').at(-1) ?? ''

/** How deep the fields of an object are written out; deeper objects are shown as a link with their name. */
const DEEPEST = 3

/** The fields of an object, with the fields of the objects in them; objects with a name are included only if they are to be written out. */
export const fieldsOf = (
  schemas: Schemas, { properties = {}, required = [] }: Schema, writesNamed = true, depth = 0,
): string => `<ul class="fields">
${Object.entries(properties).map(([name, given]) => {
    const schema = resolved(schemas, given)
    return `<li><code>${text(name)}</code> ${describesWords(schema) ? '' : kindOf(given)} ${required.includes(name) ? '<span class="must">required</span>' : ''}${about(given.description ?? schema.description, schema)}${isRef(given) && !writesNamed ? '' : inner(schemas, schema, writesNamed, depth)}</li>`
  }).join('\n')}
</ul>`

const about = (description: string | undefined, schema: Schema): string =>
  (description === undefined || (description === listed(schema) && !describesWords(schema)) ? '' : `<p>${inline(description)}</p>`)

const listed = ({ enum: words = [] }: Schema): string => words.map((word) => `\`${word}\``).join('; ')

/** Whether the description of a word explains each of its values, so that the values need not be listed next to it. */
const describesWords = (schema: Schema): boolean => {
  const { enum: words, description = '' } = schema
  return words !== undefined && description !== listed(schema) && words.every((word) => description.includes(`\`${word}\``))
}

/** The fields of an object in another object, or of the objects in a list. */
const inner = (schemas: Schemas, schema: Schema, writesNamed: boolean, depth: number): string => {
  const of = schema.contentSchema ?? (schema.items === undefined ? schema : resolved(schemas, schema.items))
  const objects = (of.properties === undefined ? of.anyOf ?? of.oneOf ?? [of] : [of]).filter((one) => writesNamed || !isRef(one))
    .map((one) => resolved(schemas, one)).filter(({ properties }) => properties !== undefined)
  if (depth === DEEPEST || (schema.items !== undefined && isRef(schema.items) && !writesNamed)) return ''
  return objects.map((object) => {
    const names = Object.keys(object.properties ?? {})
    return `<details><summary>${names.length === 1 ? 'One field' : `${names.length} fields`}: ${names.slice(0, 4).map(text).join(', ')}${names.length > 4 ? ' …' : ''}</summary>${fieldsOf(schemas, object, writesNamed, depth + 1)}</details>`
  }).join('')
}

/** Parameters of a request, which are fields of its address and of its headers. */
export const parametersOf = (parameters: ReadonlyArray<Parameter>): string => `<ul class="fields">
${parameters.map(({ name, in: where, required = false, description, schema }) =>
    `<li><code>${text(name)}</code> ${kindOf(schema)} ${required ? '<span class="must">required</span>' : `<span class="hint">${where === 'path' ? '' : where}</span>`}<p>${inline(description)}</p></li>`).join('\n')}
</ul>`

/** A named schema: its fields, or its form if it has none. In the list of all schemas a name links to the schema, so that none is written twice. */
export const schemaOf = (schemas: Schemas, schema: Schema): string => {
  const { properties, description = '' } = schema
  return prose(description) + (properties === undefined ? `<p>${kindOf(schema)}</p>` : fieldsOf(schemas, schema, false))
}

const kindOf = (schema: Schema): string => `<span class="soft">${formOf(schema)}</span>`

/** The form of a value and its limits, in a few words. */
export const formOf = (schema: Schema): string => {
  const { $ref, items, maxItems, type, format, contentSchema } = schema
  if ($ref !== undefined) return `<a href="#schema-${nameOf($ref)}">${nameOf($ref)}</a>`
  const choices = schema.anyOf ?? schema.oneOf
  if (choices !== undefined && schema.properties === undefined) return choices.map(formOf).join(' or ')
  if (schema.const !== undefined) return `<code>${text(JSON.stringify(schema.const))}</code>`
  if (schema.enum !== undefined) return schema.enum.map((word) => `<code>${text(word)}</code>`).join(', ')
  if (contentSchema !== undefined) return `${formOf(contentSchema)} as JSON`
  if (items !== undefined) return `array of ${maxItems === undefined ? '' : `at most ${maxItems} `}${formOf(items)}`
  return [[type].flat().join(' or '), format ?? '', ...limitsOf(schema)].filter((word) => word !== '').join(', ')
}

const limitsOf = ({
  pattern, minimum, maximum, minLength, maxLength, maxProperties, default: otherwise,
}: Schema): ReadonlyArray<string> => [
  minimum === undefined ? '' : `from ${minimum} to ${maximum ?? '…'}`,
  maxLength === undefined ? '' : `${minLength === undefined ? 'at most' : `${minLength} to`} ${maxLength} characters`,
  maxProperties === undefined ? '' : `at most ${maxProperties} fields`,
  // Patterns that only refuse halves of surrogate pairs and control characters are of no use to readers.
  pattern === undefined || pattern.startsWith('^\\P') || pattern === '\\S' ? '' : `<code>${text(pattern)}</code>`,
  otherwise === undefined ? '' : `${text(JSON.stringify(otherwise))} by default`,
]

/** The headers of a reply. */
export const headersOf = (document: Document, headers: Readonly<Record<string, Header | Ref>>): string =>
  Object.entries(headers).map(([name, given]) => `<code title="${text(resolved<Header>(document.components.headers, given).description)}">${text(name)}</code>`).join(' ')
