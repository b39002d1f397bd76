/** A JSON Schema of the 2020-12 draft, limited to the parts that the document uses. */
export type Schema = {
  readonly $ref?: string
  readonly description?: string
  readonly deprecated?: boolean
  readonly type?: string | ReadonlyArray<string>
  readonly const?: string
  readonly enum?: ReadonlyArray<string>
  readonly format?: string
  readonly pattern?: string
  readonly minLength?: number
  readonly maxLength?: number
  /** A keyword of Postern: the maximum number of UTF-16 units. `maxLength` counts code points. */
  readonly 'x-maxUtf16Length'?: number
  readonly examples?: ReadonlyArray<unknown>
  readonly minimum?: number
  readonly maximum?: number
  readonly default?: string | number
  readonly items?: Schema
  readonly minItems?: number
  readonly maxItems?: number
  readonly uniqueItems?: boolean
  readonly contentMediaType?: string
  readonly contentSchema?: Schema
  readonly properties?: Readonly<Record<string, Schema>>
  readonly required?: ReadonlyArray<string>
  readonly additionalProperties?: boolean | Schema
  readonly propertyNames?: Schema
  readonly maxProperties?: number
  readonly oneOf?: ReadonlyArray<Schema>
  readonly anyOf?: ReadonlyArray<Schema>
  readonly allOf?: ReadonlyArray<Schema>
  readonly not?: Schema
}

/** Refers to a part of the document, by a JSON pointer after `#`. */
export type Ref = { readonly $ref: string }

/** Examples of a body, by name. */
export type Examples = Readonly<Record<string, { readonly summary?: string; readonly value: unknown }>>

/** Bodies by content type. */
export type Content = Readonly<Record<string, { readonly schema: Schema; readonly examples?: Examples }>>

/** A header of a reply. */
export type Header = { readonly description: string; readonly required?: boolean; readonly schema: Schema; readonly example?: string }

/** A parameter of a request, outside its body. */
export type Parameter = Header & {
  readonly name: string
  readonly in: 'path' | 'query' | 'header'
  readonly explode?: boolean
  readonly style?: 'deepObject'
}

/** A reply of one status. */
export type Response = {
  readonly description: string
  readonly headers?: Readonly<Record<string, Header | Ref>>
  readonly content?: Content
}

/** The replies of an operation, by status. */
export type Responses = Readonly<Record<string, Response>>

/** The operation of one method of an address. */
export type Operation = {
  readonly operationId: string
  readonly tags: ReadonlyArray<string>
  readonly summary: string
  readonly description: string
  readonly security?: ReadonlyArray<Readonly<Record<string, ReadonlyArray<string>>>>
  readonly parameters?: ReadonlyArray<Parameter | Ref>
  readonly requestBody?: { readonly required: boolean; readonly description?: string; readonly content: Content }
  readonly responses: Responses
}

/** A base address of the paths, relative to the document's address. */
export type Server = { readonly url: string; readonly description: string }

/** The operations of one address; `servers` if it is not below the document's servers. */
export type PathItem = { readonly servers?: ReadonlyArray<Server> } & { readonly [verb in Verb]?: Operation }

/** The method of an operation, in the notation of the document. */
export type Verb = 'get' | 'post' | 'put' | 'patch' | 'delete'

/** All addresses. */
export type Paths = Readonly<Record<string, PathItem>>

/** An OpenAPI 3.1 document: <https://spec.openapis.org/oas/v3.1.0>. */
export type Document = {
  readonly openapi: '3.1.0'
  readonly info: {
    readonly title: string
    readonly version: string
    readonly summary: string
    readonly description: string
    readonly contact: { readonly name: string }
    readonly license: { readonly name: string; readonly identifier: string }
  }
  readonly servers: ReadonlyArray<Server>
  readonly security: ReadonlyArray<Readonly<Record<string, ReadonlyArray<string>>>>
  readonly tags: ReadonlyArray<{ readonly name: string; readonly description: string }>
  readonly paths: Paths
  readonly components: {
    readonly schemas: Readonly<Record<string, Schema>>
    readonly headers: Readonly<Record<string, Header>>
    readonly parameters: Readonly<Record<string, Parameter>>
    readonly securitySchemes: Readonly<Record<string, Readonly<Record<string, string>>>>
  }
}

const REQUEST_ID = { type: 'string', pattern: '^[A-Za-z0-9._-]{1,128}$' }

/** Postern's own headers of replies, by their names on the wire. */
export const headers = {
  'X-Request-Id': {
    description: "The id of the request in the gateway's log: the caller's own `X-Request-Id` if it is valid, otherwise a new id.",
    required: true,
    schema: REQUEST_ID,
    example: '3f0c9a54-8d1e-4d57-9f0e-2f6f0e6a7c11',
  },
  'Postern-Message': {
    description: 'The id of the message in this reply; present on every reply to a send that opened a message, refused or not.',
    schema: { type: 'string', pattern: '^msg_[0-9a-f]{32}$' },
    example: 'msg_0199c3a87c2e7b1f9d5a4e6b8c0d2f41',
  },
  'Idempotency-Replayed': {
    description: '`true` if this is the reply of an earlier request with the same `Idempotency-Key`; otherwise absent.',
    schema: { type: 'string', const: 'true' },
  },
  'Retry-After': {
    description: 'The number of whole seconds to wait before repeating the request; absent if it is not known.',
    schema: { type: 'string', pattern: '^[1-9][0-9]*$' },
    example: '5',
  },
  'WWW-Authenticate': {
    description: 'How to authenticate.',
    required: true,
    schema: { type: 'string', const: 'Bearer' },
  },
  'Content-Disposition': {
    description: 'Tells browsers to save the bytes instead of showing them.',
    schema: { type: 'string', const: 'attachment' },
  },
  'Content-Range': {
    description: 'Which bytes these are, and the total size; for a range outside the attachment, only the size.',
    schema: { type: 'string', pattern: '^bytes ([0-9]+-[0-9]+|\\*)/([0-9]+|\\*)$' },
    example: 'bytes 0-1023/20480',
  },
  ETag: {
    description: 'The version of the reply, for `If-None-Match`.',
    required: true,
    schema: { type: 'string', pattern: '^"[A-Za-z0-9_-]+"$' },
    example: '"Bw3zXn8kq1Tt0c5yHk2o3g"',
  },
  Allow: {
    description: 'The methods that this address accepts, separated by commas.',
    required: true,
    schema: { type: 'string', pattern: '^[A-Z]+(, [A-Z]+)*$' },
    example: 'GET, HEAD',
  },
} as const satisfies Readonly<Record<string, Header>>

/** The name of a header that the document describes. */
export type HeaderName = keyof typeof headers

/** The references of a response to headers, always with `X-Request-Id`. */
export const headerRefs = (...names: ReadonlyArray<string>): Readonly<Record<string, Ref>> =>
  Object.fromEntries(Array.from(new Set(['X-Request-Id', ...names]), (name) => [name, { $ref: `#/components/headers/${name}` }]))

/** Parameters that several operations take. */
export const parameters = {
  requestId: {
    name: 'X-Request-Id', in: 'header',
    description: 'The id of the request in logs and in the reply; an invalid id is replaced by a new one.',
    schema: { type: 'string' },
    example: 'order-1742',
  },
  ifNoneMatch: {
    name: 'If-None-Match', in: 'header',
    description: 'The `ETag` of the copy that the client has; if it is still current, the reply is 304 without a body.',
    schema: { type: 'string' },
  },
  range: {
    name: 'Range', in: 'header',
    description: 'The requested bytes, as one range. Several ranges, another format, or `If-Range` return all bytes.',
    schema: { type: 'string' },
    example: 'bytes=0-1023',
  },
  idempotencyKey: {
    name: 'Idempotency-Key', in: 'header',
    description:
      "The caller's own key for this request, per workspace. It protects a message that was sent or may have been sent (200, 504): the same key "
        + 'and request give the first answer again with `Idempotency-Replayed: true`, and nothing is sent or paid twice. Any refusal frees '
        + 'it. Kept 24 hours, and for as long as the outcome is unknown; the key of a batch, for as long as the batch exists. Keys of sends and of batches are apart.',
    schema: { type: 'string', pattern: '^[!-~]([ -~]{0,253}[!-~])?$' },
    example: 'order-1742-shipped',
  },
} as const satisfies Readonly<Record<string, Parameter>>

/** The references of an operation to shared parameters, always with `X-Request-Id`. */
export const parameterRefs = (...names: ReadonlyArray<keyof typeof parameters>): ReadonlyArray<Ref> =>
  [...names, 'requestId' as const].map((name) => ({ $ref: `#/components/parameters/${name}` }))
