/** A JSON Schema of the 2020-12 draft, as far as the document uses it. */
export type Schema = {
  readonly $ref?: string
  readonly description?: string
  readonly type?: string | ReadonlyArray<string>
  readonly const?: string
  readonly enum?: ReadonlyArray<string>
  readonly format?: string
  readonly pattern?: string
  readonly minLength?: number
  readonly maxLength?: number
  /** A keyword of Postern: the most UTF-16 units. `maxLength` counts code points. */
  readonly 'x-maxUtf16Length'?: number
  readonly examples?: ReadonlyArray<unknown>
  readonly minimum?: number
  readonly maximum?: number
  readonly default?: string | number
  readonly items?: Schema
  readonly minItems?: number
  readonly maxItems?: number
  readonly uniqueItems?: boolean
  readonly properties?: Readonly<Record<string, Schema>>
  readonly required?: ReadonlyArray<string>
  readonly additionalProperties?: boolean
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
export type Parameter = Header & { readonly name: string; readonly in: 'path' | 'query' | 'header'; readonly explode?: false }

/** A reply of one status. */
export type Response = {
  readonly description: string
  readonly headers?: Readonly<Record<string, Header | Ref>>
  readonly content?: Content
}

/** The replies of an operation, by status. */
export type Responses = Readonly<Record<string, Response>>

/** What one method of an address does. */
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

/** The method of an operation, as the document writes it. */
export type Verb = 'get' | 'post' | 'patch' | 'delete'

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
