import { Ajv2020, type ValidateFunction } from 'ajv/dist/2020.js'
import addFormats from 'ajv-formats'
import { makeOpenApiDocument, type OpenApi, type ServedParts } from '../../../adapters/koa/index.js'

/** A request and its reply, as they went over the wire. Names of headers are in lower case. */
export type Exchange = {
  readonly method: string
  /** Path and query. */
  readonly target: string
  readonly requestHeaders: Readonly<Record<string, string>>
  readonly requestBody: Buffer
  readonly status: number
  readonly headers: Readonly<Record<string, string>>
  readonly body: Buffer
}

/** The documented operation and status of an exchange; `code` if it failed. */
export type Known = { readonly operation: string; readonly status: number; readonly code: string | undefined }

/** The faults of an exchange, as sentences, and its documented operations; a 405 belongs to all operations of its address. */
export type Validation = { readonly faults: ReadonlyArray<string>; readonly known: ReadonlyArray<Known> }

/** Validates exchanges against an OpenAPI document. */
export type Contract = { readonly validate: (exchange: Exchange) => Validation }

type PathItem = OpenApi.Document['paths'][string]
type Operation = NonNullable<PathItem['get']>
type Found = { readonly verb: string; readonly operation: Operation; readonly pointer: ReadonlyArray<string> }
type Place = { readonly path: string; readonly item: PathItem; readonly values: Readonly<Record<string, string>> }

/** Headers that the transport adds, and headers that the document describes in words for every reply. */
const UNLISTED = new Set([
  'connection', 'content-length', 'content-type', 'date', 'keep-alive', 'transfer-encoding', 'cache-control', 'x-content-type-options',
])

const JSON_TYPE = 'application/json'

/** Makes a validator from a document, which may have defects. */
export const makeContract = (document: OpenApi.Document): Contract => {
  const ajv = new Ajv2020({ allErrors: true, strict: false, coerceTypes: false })
  addFormats.default(ajv)
  ajv.addSchema(document, 'openapi.json')
  const check = (pointer: ReadonlyArray<string>, value: unknown): ReadonlyArray<string> => {
    const validate: ValidateFunction = ajv.getSchema(`openapi.json#/${pointer.map(escape).join('/')}`) ?? missing(pointer)
    if (validate(value)) return []
    return (validate.errors ?? []).map(({ instancePath, message, params }) => `${instancePath || 'the value'} ${message} ${JSON.stringify(params)}`)
  }
  const find = places(document)

  /** A header or parameter of the document, and its place there. */
  const resolve = <Found extends object>(
    given: Found | { readonly $ref: string }, pointer: ReadonlyArray<string>,
  ): readonly [Found, ReadonlyArray<string>] => {
    if (!('$ref' in given)) return [given, pointer]
    const at = given.$ref.split('/').slice(1)
    return [at.reduce<unknown>((inner, key) => (inner as Record<string, unknown>)[key], document) as Found, at]
  }

  const validateReply = (operation: Operation, pointer: ReadonlyArray<string>, exchange: Exchange): ReadonlyArray<string> => {
    const { status, headers, body, method } = exchange
    const response = operation.responses[String(status)]
    if (response === undefined) return [`status ${status} is not documented`]
    const at = [...pointer, 'responses', String(status)]
    const documented = Object.entries(response.headers ?? {}).map(([name, given]) =>
      [name.toLowerCase(), ...resolve(given, [...at, 'headers', name])] as const)
    return [
      ...Object.keys(headers)
        .filter((name) => !UNLISTED.has(name) && !documented.some(([other]) => other === name))
        .map((name) => `the header ${name} is not documented`),
      ...documented.flatMap(([name, header, where]) => {
        const value = headers[name]
        if (value === undefined) return header.required === true ? [`the header ${name} is missing`] : []
        return check([...where, 'schema'], value).map((fault) => `header ${name}: ${fault}`)
      }),
      ...(method === 'HEAD' ? [] : validateBody(response.content ?? {}, [...at, 'content'], headers['content-type'] ?? '', body)),
    ]
  }

  const validateBody = (
    content: NonNullable<Operation['responses'][string]['content']>, pointer: ReadonlyArray<string>, type: string, body: Buffer,
  ): ReadonlyArray<string> => {
    if (Object.keys(content).length === 0 && type === '' && body.length === 0) return []
    const media = mediaOf(type)
    if (content[media] === undefined) return [`the content type ${media || '(none)'} is not documented`]
    const value = media === JSON_TYPE ? parsed(body) : body.toString()
    return check([...pointer, media, 'schema'], value).map((fault) => `body: ${fault}`)
  }

  const validateRequest = (
    operation: Operation, pointer: ReadonlyArray<string>, place: Place, exchange: Exchange,
  ): ReadonlyArray<string> => {
    const { requestHeaders, requestBody } = exchange
    const query = new URLSearchParams(exchange.target.split('?')[1] ?? '')
    const parameters = (operation.parameters ?? []).flatMap((given, index) => {
      const [parameter, where] = resolve(given, [...pointer, 'parameters', String(index)])
      const value = valueOf(parameter, place, query, requestHeaders)
      if (value === undefined) return parameter.required === true ? [`the parameter ${parameter.name} is missing`] : []
      return check([...where, 'schema'], typedAs(parameter.schema, value)).map((fault) => `parameter ${parameter.name}: ${fault}`)
    })
    const content = operation.requestBody?.content
    if (content === undefined || (operation.requestBody?.required !== true && requestBody.length === 0)) return parameters
    const type = requestHeaders['content-type'] ?? ''
    const media = content[mediaOf(type)] === undefined && '*/*' in content ? '*/*' : mediaOf(type)
    if (content[media] === undefined) return [...parameters, `a request of content type ${media || '(none)'} is not documented`]
    const fields = fieldsOf(media, type, requestBody)
    return [
      ...parameters,
      ...check([...pointer, 'requestBody', 'content', media, 'schema'], fields).map((fault) => `request body: ${fault}`),
    ]
  }

  /** An undocumented address must answer every request with the documented 404. */
  const validateUnknownAddress = (exchange: Exchange): ReadonlyArray<string> =>
    exchange.status === 404 && validateReply(operationOf(document, 'getMessage'), ['paths', '/messages/{id}', 'get'], exchange).length === 0
      ? []
      : ['the address is not documented']

  /** Whether a value in the path has a form that no operation there takes. */
  const isElsewhere = (operations: ReadonlyArray<Found>, place: Place): boolean =>
    operations.length > 0 && operations.every(({ operation, pointer }) => (operation.parameters ?? []).some((given, index) => {
      const [parameter, where] = resolve(given, [...pointer, 'parameters', String(index)])
      return parameter.in === 'path' && check([...where, 'schema'], valueOf(parameter, place, new URLSearchParams(), {})).length > 0
    }))

  /** The value in a path may be an id of any form. If it has letters only, it may be a misspelled word as well. */
  const isWord = ({ values }: Place): boolean => Object.values(values).some((value) => /^[A-Za-z_-]+$/.test(value))

  const validateOtherMethod = (operations: ReadonlyArray<Found>, place: Place, exchange: Exchange): ReadonlyArray<string> => {
    const { method, status, headers, body } = exchange
    if (isElsewhere(operations, place) || (status === 404 && isWord(place))) return validateUnknownAddress(exchange)
    if (method === 'OPTIONS' && status === 204 && headers['allow'] !== undefined && body.length === 0) return []
    if (status !== 405) return ['the method is not documented']
    return operations.flatMap(({ operation, pointer }) => validateReply(operation, pointer, exchange))
  }

  const validateOperation = ({ operation, pointer }: Found, place: Place, exchange: Exchange): ReadonlyArray<string> => {
    const isAccepted = exchange.status < 300
    const isOpen = operation.security?.length === 0 || exchange.requestHeaders['authorization'] !== undefined
    return [
      ...validateReply(operation, pointer, exchange),
      ...(isAccepted ? validateRequest(operation, pointer, place, exchange) : []),
      ...(isAccepted && !isOpen ? ['no key was asked for'] : []),
    ]
  }

  return {
    validate: (exchange) => {
      if (exchange.requestHeaders['host']?.includes(',') === true) {
        return { faults: exchange.status === 400 ? [] : ['two Host headers were taken'], known: [] }
      }
      const { method, target, status } = exchange
      const described = (faults: ReadonlyArray<string>) => faults.map((fault) => `${method} ${target} ${status}: ${fault}`)
      if (/^\/graph(\/|$)/.test(target)) return { faults: described(validateGraph(exchange)), known: [] }
      if (isPageOfNothing(exchange)) return { faults: [], known: [] }
      if (target === '/mcp') return { faults: described(validateAtMcp(exchange)), known: [] }
      const place = find(target)
      if (place === undefined) return { faults: described(validateUnknownAddress(exchange)), known: [] }
      const operations = operationsAt(place)
      const [asked] = operations.filter(({ verb }) => verb === (method === 'HEAD' ? 'get' : method.toLowerCase()))
      return {
        faults: described(
          asked === undefined ? validateOtherMethod(operations, place, exchange) : validateOperation(asked, place, exchange),
        ),
        known: (asked === undefined ? operations : [asked])
          .map(({ operation }) => ({ operation: operation.operationId, status, code: codeOf(exchange) })),
      }
    },
  }
}

/** A browser that opens an address that does not exist gets a page; the root leads it to the reference. */
const isPageOfNothing = ({ method, target, requestHeaders, status, headers }: Exchange): boolean => {
  if (method !== 'GET' || requestHeaders['accept']?.includes('text/html') !== true) return false
  return status === 404
    ? headers['content-type']?.startsWith('text/html') === true && headers['content-security-policy'] !== undefined
    : status === 303 && /^\/(?:\?|$)/.test(target)
}

/** The contract of the Graph-compatible API is the platform's, so the document does not have it: only the form of its errors is checked. */
const validateGraph = ({ status, body, headers }: Exchange): ReadonlyArray<string> => {
  const { error } = Object(parsed(body)) as { readonly error?: Readonly<Record<string, unknown>> }
  const isError = typeof error?.['message'] === 'string' && typeof error['code'] === 'number'
  return [
    ...(status >= 400 && !isError ? ['it is no error of the platform'] : []),
    ...(status < 400 && error !== undefined ? ['it is an error with a status of success'] : []),
    ...(headers['x-request-id'] === undefined ? ['it has no X-Request-Id'] : []),
  ]
}

/** The contract of agents is their protocol's: a request that is refused before it is read has an error of this contract, and one that is read a message of the protocol. */
const validateAtMcp = ({ status, body, headers }: Exchange): ReadonlyArray<string> => {
  const replies = [body.length === 0 ? {} : parsed(body)].flat() as ReadonlyArray<unknown>
  const isMessage = replies.length > 0
    && replies.every((reply) => (Object(reply) as Readonly<Record<string, unknown>>)['jsonrpc'] === '2.0')
  return [
    ...(status >= 400 && !isMessage && codeOf({ body }) === undefined ? ['it is no error'] : []),
    ...(status === 200 && !isMessage ? ['it is no message of the protocol'] : []),
    ...(headers['x-request-id'] === undefined ? ['it has no X-Request-Id'] : []),
  ]
}

/** The contract of an app that serves these parts; it is made only once. */
export const contractOf = (served: ServedParts): Contract => {
  const key = JSON.stringify(served)
  const contract = contracts.get(key) ?? makeContract(makeOpenApiDocument(served))
  contracts.set(key, contract)
  return contract
}

const contracts = new Map<string, Contract>()

const missing = (pointer: ReadonlyArray<string>): never => { throw new Error(`the document has no schema at ${pointer.join('/')}`) }

const escape = (key: string): string => encodeURIComponent(key.replaceAll('~', '~0').replaceAll('/', '~1'))

const operationOf = ({ paths }: OpenApi.Document, id: string): Operation => {
  const found = Object.values(paths).flatMap(documentedAt).map(([, operation]) => operation).find(({ operationId }) => operationId === id)
  if (found === undefined) throw new Error(`the document has no operation ${id}`)
  return found
}

/** The operations of an address, each with its method. */
export const documentedAt = ({ get, post, put, patch, delete: remove }: PathItem): ReadonlyArray<readonly [OpenApi.Verb, Operation]> =>
  Object.entries({ get, post, put, patch, delete: remove })
    .flatMap(([verb, operation]) => (operation === undefined ? [] : [[verb as OpenApi.Verb, operation] as const]))

const operationsAt = ({ path, item }: Place): ReadonlyArray<Found> =>
  documentedAt(item).map(([verb, operation]) => ({ verb, operation, pointer: ['paths', path, verb] }))

/** Finds the documented address of a target. Addresses without parameters come first. */
const places = ({ paths, servers }: OpenApi.Document) => {
  const patterns = Object.entries(paths).flatMap(([path, item]) =>
    (item.servers ?? servers).map(({ url }) => ({
      path, item,
      form: new RegExp(`^${url.replace(/^\./, '')}${path.replaceAll('.', '\\.').replace(/\{(\w+)\}/g, '(?<$1>[^/]+)')}$`),
    })))
  const ordered = [...patterns.filter(({ path }) => !path.includes('{')), ...patterns.filter(({ path }) => path.includes('{'))]
  return (target: string): Place | undefined => {
    const asked = target.split('?')[0] ?? ''
    const found = ordered.find(({ form }) => form.test(asked))
    return found && { path: found.path, item: found.item, values: found.form.exec(asked)?.groups ?? {} }
  }
}

/** A parameter is a text; the schema says what it stands for. */
const typedAs = ({ type }: OpenApi.Schema, value: string): unknown => {
  if (type === 'array') return value.split(',')
  return type === 'integer' ? Number(value) : value
}

type Parameter = { readonly name: string; readonly in: 'path' | 'query' | 'header' }

/** An empty query parameter counts as absent. */
const valueOf = (
  { name, in: where }: Parameter, { values }: Place, query: URLSearchParams, headers: Exchange['requestHeaders'],
): string | undefined => {
  switch (where) {
    case 'path': return values[name] === undefined ? undefined : decodeURIComponent(values[name])
    case 'query': return query.get(name) || undefined
    case 'header': return headers[name.toLowerCase()]
  }
}

const mediaOf = (type: string): string => (type.split(';')[0] ?? '').trim().toLowerCase()

const parsed = (body: Buffer): unknown => {
  try {
    return JSON.parse(body.toString())
  } catch {
    return undefined
  }
}

const codeOf = ({ body }: Pick<Exchange, 'body'>): string | undefined => {
  const value = parsed(body)
  return typeof value === 'object' && value !== null && 'code' in value ? String(value.code) : undefined
}

const fieldsOf = (media: string, type: string, body: Buffer): unknown => {
  if (media === 'application/x-www-form-urlencoded') return Object.fromEntries(new URLSearchParams(body.toString()))
  if (media === 'text/csv' || media === 'application/x-ndjson') return body.toString()
  return media === 'multipart/form-data' ? partsOf(/boundary="?([^";]+)/.exec(type)?.[1] ?? '', body.toString()) : parsed(body)
}

/** The text fields of a multipart body that was accepted, so it is well-formed, and a word for the bytes of its file. */
const partsOf = (boundary: string, body: string): unknown =>
  Object.fromEntries(body.split(`--${boundary}`).flatMap((part): ReadonlyArray<readonly [string, string]> => {
    const [head = '', ...rest] = part.split('\r\n\r\n')
    const [, quoted, bare] = /[ ;]name=(?:"([^"]*)"|([^;\s]+))/i.exec(head) ?? []
    const name = quoted ?? bare
    if (name === 'file') return [[name, 'bytes']]
    return name === undefined || /filename/i.test(head) ? [] : [[name, rest.join('\r\n\r\n').replace(/\r\n$/, '')]]
  }))
