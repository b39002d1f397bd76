import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { makeOpenApiDocument } from '../../../adapters/koa/index.js'
import type { Content, Document, Parameter, Operation, Schema } from '../../../adapters/koa/openapi-types.js'
import { ROOT } from '../../architecture/tree.js'

/** The document of a gateway that serves everything. */
export const wholeDocument = (): Document =>
  makeOpenApiDocument({
    answering: true, batches: true, events: true, webhook: true, appWebhooks: true, metrics: true, quoting: true, templates: true,
    templateResults: true,
    senders: true,
    files: true,
    pages: true, queue: true, consent: true,
  })

/** An operation for applications, as the client names it: `GET /messages/{id}`. */
export type NamedOperation = { readonly name: string; readonly document: Operation }

/** The operations below `/v1`: those of the document that are not at the root. */
export const versionedOperations = ({ paths }: Document): ReadonlyArray<NamedOperation> =>
  Object.entries(paths).flatMap(([path, { servers, ...methods }]) =>
    servers === undefined
      ? Object.entries(methods).map(([method, document]) => ({ name: `${method.toUpperCase()} ${path}`, document }))
      : [])

const HEAD = `/*
 * Made of the OpenAPI document by \`npm run client-types\`; a test compares it with the document. It has types only, so that the
 * client imports nothing.
 */
`

/** The folder with the types of the client, and its files: the schemas of the contract, and its operations with their failures. */
const FOLDER = 'adapters/client'

/** The files with the types of the client, by their paths. */
export const contractTypes = (document: Document): Readonly<Record<string, string>> => {
  const operations = versionedOperations(document)
  const used = schemasOf(operations.map(({ document: one }) => one), document)
  const schemas = [
    commented('An object of which the contract says no more.', 'export type JsonObject = { readonly [field: string]: unknown }'),
    ...used.map((name) => commented(aboutSchema(name, document, operations), `export type ${nameOf(name)} = ${typeOf(document.components.schemas[name] ?? {})}`)),
  ]
  const contract = [
    commented('What each failure says besides its sentence, by its code.', `export type Failures = ${block(failuresOf(operations))}`),
    commented('Each operation: what is asked, what a success has, and the codes with which it can fail.', `export type Operations = ${block(operations.map(operationOf))}`),
  ]
  const imported = used.filter((name) => new RegExp(`(?<!['\\w])${name}\\b`).test(contract.join('\n').replaceAll(/\/\*\*.*?\*\//g, '')))
  const file = (...parts: ReadonlyArray<string>): string => [HEAD, ...parts].join('\n').replaceAll(/ +$/gm, '')
  return {
    [`${FOLDER}/schemas.ts`]: file(...schemas),
    [`${FOLDER}/operations.ts`]: file(`import type {\n${wrapped(imported)}\n} from './schemas.js'\n`, ...contract),
  }
}

/** Names in lines. */
const wrapped = (names: ReadonlyArray<string>): string =>
  names.join(', ').replaceAll(new RegExp(`(.{1,${LINE - 2}}(?:,|$)) ?`, 'g'), '  $1\n').trimEnd()

/** The document says that the data of an event is an object. `events.ts` says for each type of event which, so that has the name. */
const nameOf = (schema: string): string => (schema === 'Event' ? 'UntypedEvent' : schema)

/** The names of the schemas that operations use, in the order of the document. */
const schemasOf = (operations: ReadonlyArray<Operation>, { components: { schemas } }: Document): ReadonlyArray<string> => {
  const named = (part: unknown): ReadonlyArray<string> =>
    Array.from(JSON.stringify(part).matchAll(/"#\/components\/schemas\/(\w+)"/g), ([, name]) => name ?? '')
  const used = new Set(named(operations))
  // A set also gives what is added to it on the way.
  for (const name of used) for (const inner of named(schemas[name])) used.add(inner)
  return Object.keys(schemas).filter((name) => used.has(name))
}

const aboutSchema = (name: string, whole: Document, operations: ReadonlyArray<NamedOperation>): string => {
  const { description } = whole.components.schemas[name] ?? {}
  const first = operations.find(({ document }) => schemasOf([document], whole).includes(name))
  return description ?? `Of \`${first?.name ?? ''}\`.`
}

type DocumentedFailure = { readonly code: string; readonly status: string; readonly fields: ReadonlyArray<string> }

const failuresOf = (operations: ReadonlyArray<NamedOperation>): ReadonlyArray<string> => {
  const all = new Map<string, DocumentedFailure>()
  for (const failure of operations.flatMap(({ document }) => failuresIn(document))) {
    const { status, fields } = all.get(failure.code) ?? failure
    if (status !== failure.status || fields.join() !== failure.fields.join()) throw new TypeError(`${failure.code} is not the same everywhere`)
    all.set(failure.code, failure)
  }
  return Array.from(all.values(), ({ code, status, fields }) => `readonly ${code}: ${block([`readonly status: ${status}`, ...fields], '  ')}`)
}

/** The fields that each failure has, which the client types once. */
const OF_EVERY_FAILURE = ['status', 'message', 'doc_url', 'retry']

const failuresIn = ({ responses }: Operation): ReadonlyArray<DocumentedFailure> =>
  Object.entries(responses).filter(([status]) => Number(status) >= 400).flatMap(([status, { content = {} }]) => {
    const { oneOf, ...only } = content['application/json']?.schema ?? {}
    return (oneOf ?? [only]).flatMap(({ properties = {}, required = [] }) => {
      const { code, ...others } = properties
      const fields = Object.fromEntries(Object.entries(others).filter(([name]) => !OF_EVERY_FAILURE.includes(name)))
      return (code?.enum ?? []).map((one) => ({ code: one, status, fields: fieldsOf(fields, required) }))
    })
  })

const operationOf = ({ name, document }: NamedOperation): string => {
  const { parameters = [], requestBody, responses, summary } = document
  const own = parameters.filter((parameter) => 'in' in parameter)
  const where = (place: Parameter['in']): Readonly<Record<string, Schema>> =>
    Object.fromEntries(own.filter((one) => one.in === place).map((one) => [one.name, { ...one.schema, description: one.description }]))
  const paths = where('path')
  const query = where('query')
  const bodies: Content = requestBody?.content ?? {}
  const json = bodies['application/json']
  const form = json === undefined || name === 'POST /messages/send' ? bodies['multipart/form-data'] : undefined
  const values = new Set(Object.entries(responses).filter(([status]) => Number(status) < 300).map(([, { content }]) => valueOf(content)))
  return `${comment(`${summary}.`)}\n  readonly '${name}': ${block([
    ...(Object.keys(paths).length > 0 ? [`readonly path: { ${fieldsOf(paths, Object.keys(paths), false).join('; ')} }`] : []),
    ...(Object.keys(query).length > 0 ? [`readonly query: ${block(fieldsOf(query, []), '    ')}`] : []),
    ...(json ? [`readonly body: ${typeOf(json.schema, '    ')}`] : []),
    ...(form ? [`readonly form: ${typeOf(form.schema, '    ')}`] : []),
    `readonly value: ${[...values].join(' | ')}`,
    `readonly code: ${union(failuresIn(document).map(({ code }) => `'${code}'`), '    ')}`,
  ], '  ')}`
}

const valueOf = (content: Content | undefined): string => {
  if (content === undefined) return 'undefined'
  const json = content['application/json']
  return json === undefined ? 'Blob' : typeOf(json.schema, '    ')
}

/** The type of the values of a schema. Patterns and limits are what the gateway checks. */
const typeOf = (schema: Schema, indent = ''): string => {
  const { $ref, type, enum: words, const: only, oneOf, anyOf, items, format, contentSchema } = schema
  if ($ref !== undefined) return nameOf($ref.replace('#/components/schemas/', ''))
  if (contentSchema !== undefined) return typeOf(contentSchema, indent)
  if (only !== undefined) return literal(only)
  if (words !== undefined) return union(words.map(literal), indent)
  if (Array.isArray(type)) return type.map((one: string) => typeOf({ ...schema, type: one }, indent)).join(' | ')
  if (schema.properties !== undefined && oneOf !== undefined) return variantsOf(schema, oneOf, indent)
  if (oneOf ?? anyOf) return (oneOf ?? anyOf ?? []).map((one) => typeOf(one, indent)).join(' | ')
  switch (type) {
    case 'array': return `ReadonlyArray<${typeOf(items ?? {}, indent)}>`
    case 'object': return objectOf(schema, indent)
    case 'integer': return 'number'
    case 'string': return format === 'binary' ? 'Blob' : 'string'
    case 'number': case 'boolean': case 'null': return type
    case undefined: return 'unknown'
    default: throw new TypeError(`a schema has the type ${String(type)}`)
  }
}

const literal = (value: unknown): string => `'${String(value)}'`

/** An object of which some fields depend on one another: the common fields, and one of the variants. */
const variantsOf = ({ oneOf: _, ...schema }: Schema, variants: ReadonlyArray<Schema>, indent: string): string => {
  const { properties = {}, required = [] } = schema
  const own = new Set(variants.flatMap((variant) => [...Object.keys(variant.properties ?? {}), ...(variant.required ?? [])]))
  const common = Object.fromEntries(Object.entries(properties).filter(([name]) => !own.has(name)))
  const either = variants.map((variant) => {
    const names = [...Object.keys(variant.properties ?? {}), ...(variant.required ?? [])]
    const fields = Object.fromEntries(names.map((name) => [name, variant.properties?.[name] ?? properties[name] ?? {}]))
    return `\n${indent}  | { ${fieldsOf(fields, names, false).join('; ')} }`
  })
  return `${objectOf({ ...schema, properties: common, required: required.filter((name) => name in common) }, indent)} & (${either.join('')}\n${indent})`
}

/** An object. Where fields that are not named are passed on, it may have more; where they are ignored, a field more is a mistake. */
const objectOf = ({ properties, required = [], additionalProperties, description = '' }: Schema, indent: string): string => {
  const values = typeof additionalProperties === 'object' ? typeOf(additionalProperties) : 'unknown'
  if (properties === undefined) return values === 'unknown' ? 'JsonObject' : `{ readonly [name: string]: ${values} }`
  const isOpen = additionalProperties === true && /passed on untouched|^The platform's object/.test(description)
  return block([...fieldsOf(properties, required, true, `${indent}  `), ...(isOpen ? ['readonly [field: string]: unknown'] : [])], indent)
}

const fieldsOf = (
  properties: Readonly<Record<string, Schema>>, required: ReadonlyArray<string>, isExplained = true, indent = '  ',
): ReadonlyArray<string> =>
  Object.entries(properties).map(([name, schema]) => {
    const isNamed = schema.$ref !== undefined || schema.enum !== undefined
    const explained = isExplained && schema.description !== undefined && !isNamed ? `${comment(schema.description)} ` : ''
    return `${explained}readonly ${name}${required.includes(name) ? '' : '?'}: ${typeOf(schema, indent)}`
  })

/** How long a line may be, and how much of it a type may fill behind the name of its field. */
const LINE = 140
const FILLED = 110

const block = (lines: ReadonlyArray<string>, indent = ''): string => {
  const line = `{ ${lines.join('; ')} }`
  return indent !== '' && line.length < FILLED && !line.includes('\n') ? line : `{\n${lines.map((one) => `${indent}  ${one}\n`).join('')}${indent}}`
}

const union = (members: ReadonlyArray<string>, indent: string): string => {
  const line = members.join(' | ')
  return line.length < FILLED
    ? line
    : line.replaceAll(new RegExp(`(.{1,${LINE - indent.length - 4}})(?: \\| |$)`, 'g'), `\n${indent}  | $1`)
}

const comment = (text: string): string => `/** ${text.replaceAll('*/', '* /')} */`

const commented = (text: string, declaration: string): string => `${comment(text)}\n${declaration}\n`

if (import.meta.main) {
  for (const [path, text] of Object.entries(contractTypes(wholeDocument()))) await writeFile(join(ROOT, path), text)
}
