import * as E from 'fp-ts/lib/Either.js'
import type { PortFailure } from '../../../core/kernel/failure.js'
import type { JsonObject } from '../../../core/kernel/json.js'
import { type OpenMediaError, parseMediaId } from '../../../core/messages/conversation.js'
import { readableAccount } from '../../../core/senders/sender.js'
import { templateCursor } from '../../../core/templates/catalogue.js'
import { TEMPLATE_STATUSES, type TemplateRecord } from '../../../core/templates/template.js'
import { parseJson } from '../body.js'
import { decodedTemplateCursor, encodedTemplateCursor, TemplateName } from '../codecs.js'
import { served, type WorkspaceRequest } from '../operation.js'
import { jsonReply, type NotFound, type Reply } from '../reply.js'
import { type Codec, string } from '../schema.js'
import { graphOperation, baseUrl, type GraphDeps, namedSender, noSuchObject, notTaken, ObjectId, readFrom, Version } from './operation.js'

/**
 * The maximum number of templates on a page, which is also the default. The platform's default is 25, and it puts the token into the address of the next page, on which
 * some programs rely. An address here never contains the key, so these programs get the whole list in one page; more would take the process too long.
 */
const MAX_LIMIT = 1_000

const NO_FILTER = notTaken('the gateway does not filter by it')

/** The values of a filter, one of which a template must have: one value, or a JSON array of them. The platform accepts both. */
const oneOf = (must: string, isValue: (text: string) => boolean): Codec<ReadonlyArray<string>> => readFrom(
  `${must}, or a JSON array of them`, (text) => {
    const values: unknown = text.startsWith('[') ? E.toUnion(parseJson(text)) : [text]
    return Array.isArray(values) && values.length > 0
      && values.every((value): value is string => typeof value === 'string' && isValue(value))
      ? values
      : undefined
  },
)

/** The platform writes the words of its filters in capitals, and accepts any letter case. */
const oneOfWords = (words: ReadonlyArray<string>): Codec<ReadonlyArray<string>> =>
  oneOf(`one of ${words.join(', ')}`, (text) => words.includes(text.toUpperCase()))

/** The platform's filters that the gateway supports, and those that it does not support, which must not be ignored. */
const templateQuery = {
  fields: string(),
  limit: readFrom('a whole number from 1 on', (text) => (/^[1-9][0-9]{0,8}$/.test(text) ? Math.min(Number(text), MAX_LIMIT) : undefined)),
  after: readFrom('a cursor of this list, as cursors.after of a page has it', decodedTemplateCursor),
  before: notTaken('the pages of the gateway go forward only'),
  name: TemplateName,
  status: oneOfWords(TEMPLATE_STATUSES.map((status) => status.toUpperCase())),
  category: oneOfWords(['AUTHENTICATION', 'MARKETING', 'UTILITY']),
  language: oneOf('a language, such as pt_BR', (text) => text !== ''),
  content: NO_FILTER, name_or_content: NO_FILTER, quality_score: NO_FILTER, source: NO_FILTER, correct_category: NO_FILTER,
}

const FILTERS = ['status', 'language', 'category'] as const

type TemplateQuery =
  & { readonly fields?: string; readonly limit?: number; readonly after?: string; readonly name?: string }
  & { readonly [Filter in typeof FILTERS[number]]?: ReadonlyArray<string> }

/** `GET /graph/{version}/{business_account_id}/message_templates` */
export const getTemplates = graphOperation({
  method: 'get',
  path: '/{version}/{object}/message_templates',
  act: 'template.view',
  isList: true,
  pathParameters: { version: Version, object: ObjectId },
  query: templateQuery,
  run: async (
    deps: GraphDeps, request: WorkspaceRequest<TemplateQuery & { readonly version: string; readonly object: string }>,
  ): Promise<E.Either<NotFound | PortFailure, Reply>> => {
    const { workspace, headers, parameters } = request
    const { version, object, limit = MAX_LIMIT, after, name } = parameters
    const sender = await namedSender(deps, request, readableAccount)
    if (E.isLeft(sender)) return sender
    const isFiltered = FILTERS.some((filter) => parameters[filter] !== undefined)
    const read = await served(deps.postern.templates).listTemplates({ workspace, sender: sender.right.phoneNumberId }, {
      limit: isFiltered ? MAX_LIMIT : limit, ...(after !== undefined && { cursor: after }), ...(name !== undefined && { name }),
    })
    if (E.isLeft(read)) return read.left._tag === 'UnknownSender' ? E.left(noSuchObject(object)) : E.left(read.left)
    const found = read.right.items.filter((template) => isWanted(template, parameters))
    const items = found.slice(0, limit)
    const next = found.length > limit ? items.map(templateCursor).at(-1) : read.right.next
    const address = [`${baseUrl(deps, headers)}/graph`, ...(version === '' ? [] : [version]), object, 'message_templates'].join('/')
    return E.right(jsonReply(200, {
      data: items.map((template) => viewOf(template, parameters.fields)),
      ...pagingOf(items, next, { address, parameters: { ...parameters, limit } }),
    }))
  },
})

const isWanted = (template: TemplateRecord, query: TemplateQuery): boolean =>
  FILTERS.every((filter) => query[filter]?.some((value) => template[filter].toLowerCase() === value.toLowerCase()) ?? true)

/** The fields that the platform shows if a request contains no `fields`. */
const DEFAULT_FIELDS = 'name,parameter_format,components,language,status,category,id'

/** A template with the requested fields, in the platform's words; the id is always among them, and an unknown field is left out. */
const viewOf = (
  { id, name, language, status, category, quality, parameterFormat, components }: TemplateRecord, asked: string = DEFAULT_FIELDS,
): JsonObject => {
  const whole: Readonly<Record<string, JsonObject[string] | undefined>> = {
    name, language, status: status.toUpperCase(), category: category.toUpperCase(), components,
    parameter_format: parameterFormat?.toUpperCase(), quality_score: quality === undefined ? undefined : { score: quality.toUpperCase() },
  }
  const fields = asked.replace(/\{[^{}]*\}/g, '').split(',').map((field) => field.trim())
  return { ...Object.fromEntries(fields.flatMap((field) => (whole[field] === undefined ? [] : [[field, whole[field]]]))), id }
}

type Asked = { readonly address: string; readonly parameters: TemplateQuery }

/** The cursors of a page, and the address of the next page, which needs an API key as this one did: unlike the platform's address it contains none. */
const pagingOf = (
  items: ReadonlyArray<TemplateRecord>, next: string | undefined,
  { address, parameters: { fields, limit, name, status, language, category } }: Asked,
): JsonObject => {
  const [first, last] = [items[0], items.at(-1)].map((template) => template && templateCursor(template))
  const after = next ?? last
  if (after === undefined) return {}
  const query = Object.entries({ fields, limit, name, status, language, category, after: encodedTemplateCursor(after) })
    .flatMap(([key, value]) => (value === undefined ? [] : [[key, typeof value === 'object' ? JSON.stringify(value) : String(value)]]))
  return { paging: {
    cursors: { before: encodedTemplateCursor(first ?? after), after: encodedTemplateCursor(after) }, ...(next !== undefined && { next: `${address}?${new URLSearchParams(query).toString()}` }),
  } }
}

/**
 * `GET /graph/{version}/{media_id}`
 *
 * The address of the bytes is the gateway's own, so that the platform's token stays here. One byte is requested and not read: the response contains the type and the
 * size. Without `phone_number_id` the attachment is one that the default sender received.
 */
export const getMediaDescription = graphOperation({
  method: 'get',
  path: '/{version}/{object}',
  act: 'attachment.view',
  pathParameters: { version: Version, object: ObjectId },
  query: { phone_number_id: string() },
  run: async (
    deps: GraphDeps,
    { workspace, headers, parameters: { object, phone_number_id: number } }: WorkspaceRequest<{
      readonly object: string
      readonly phone_number_id?: string
    }>,
  ): Promise<E.Either<OpenMediaError | NotFound, Reply>> => {
    const senders = await served(deps.postern.workspaces).listSenders(workspace)
    if (E.isLeft(senders)) return senders
    const sender = number === undefined ? undefined : senders.right.find(({ phoneNumberId }) => phoneNumberId === number)
    const isSender = senders.right.some(({ phoneNumberId, businessAccountId }) => object === phoneNumberId || object === businessAccountId)
    const id = isSender ? undefined : parseMediaId(object)
    if (id === undefined || (number !== undefined && sender === undefined)) return E.left(noSuchObject(object))
    const opened = await served(deps.postern.conversation).openMedia({
      workspace, sender: sender?.phoneNumberId, id, range: { first: 0, last: 0 },
    })
    if (E.isLeft(opened)) return opened
    const { type, sha256, length, part, close } = opened.right
    close()
    const size = part === undefined ? length : part.size
    return E.right(jsonReply(200, {
      messaging_product: 'whatsapp', url: `${baseUrl(deps, headers)}/v1/media/${id}${sender === undefined || sender.isDefault ? '' : `?sender=${sender.phoneNumberId}`}`,
      mime_type: type,
      ...(sha256 !== undefined && { sha256 }), ...(size !== undefined && { file_size: size }), id,
    }))
  },
})
