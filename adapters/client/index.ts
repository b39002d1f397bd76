/**
 * A client of the HTTP API for applications: one file that imports nothing, for Node.js, browsers and whatever else has `fetch`.
 *
 * @packageDocumentation
 */
import type { Event } from './events.js'
import type { Failures, Operations } from './operations.js'
import type {
  AddEndpointRequest, ChangeEndpointRequest, EventId, MarkReadRequest, Retry, SendRequest, SendTemplateRequest, SendTextRequest, WrittenCustomerId,
} from './schemas.js'

export type * from './events.js'
export type * from './operations.js'
export type * from './schemas.js'

/** Bounds of a call, in milliseconds. What takes a file along may take ten times as long. */
export type CallOptions = {
  /** Ends the call with the code `aborted`. */
  readonly signal?: AbortSignal | undefined
  /** How many requests are made at most; 4 by default. A request that another one holds up (`idempotency_in_progress`) does not count. */
  readonly attempts?: number | undefined
  /** How long one request may take; 30 seconds by default. */
  readonly attemptMs?: number | undefined
  /** How long the call may take, with all its requests and the pauses between them; 60 seconds by default. */
  readonly deadlineMs?: number | undefined
}

/** Bounds of a send, and the key that makes it one message however often it is asked for. A send makes a key unless it is given one. */
export type SendOptions = CallOptions & { readonly idempotencyKey?: string | undefined }

/** What a client needs. */
export type ClientOptions = Omit<CallOptions, 'signal'> & {
  /** Where the gateway is, without `/v1`: `https://postern.example`. */
  readonly baseUrl: string
  readonly apiKey: string
  /** Instead of the global `fetch`. */
  readonly fetch?: ((url: string, init: RequestInit) => Promise<Response>) | undefined
}

/** How a call went. */
export type Trace = {
  /** How many requests were made. */
  readonly attempts: number
  /** How many of them got no answer of the gateway. What the gateway did with those is not known. */
  readonly unanswered: number
  /** By which the log of the gateway names the last request. */
  readonly requestId: string | undefined
}

/** What was asked for. */
export type Success<Value> = Trace & { readonly ok: true; readonly status: number; readonly value: Value }

/** What every refusal says: a sentence for people, the page of its code, and whether the same request is worth repeating. A gateway of an older release says only the sentence. */
export type FailureBody = { readonly message: string; readonly doc_url?: string; readonly retry?: Retry }

/** A refusal of the gateway. */
export type Refusal<Code extends keyof Failures> = { readonly [C in Code]: Failures[C] & { readonly ok: false; readonly code: C } & FailureBody }[Code]

/** An answer that is not of this contract: of a proxy, or with a code that only a later gateway has. `reply` is its JSON, or its text. */
export type UnexpectedReply = { readonly ok: false; readonly code: 'unexpected_reply'; readonly status: number; readonly message: string; readonly reply: unknown }

/** The connection broke, or no answer came in time. */
export type NoAnswer = { readonly ok: false; readonly code: 'no_answer'; readonly message: string; readonly cause: unknown }

/** The `signal` of the caller ended the call. */
export type Aborted = { readonly ok: false; readonly code: 'aborted'; readonly message: string; readonly cause: unknown }

/** How a call can fail. `not_found` is also the answer of a gateway that does not serve the operation. */
export type Failure<Code extends keyof Failures> = Trace & (Refusal<Code | 'not_found'> | UnexpectedReply | NoAnswer | Aborted)

/** The name of an operation: `POST /messages/send-text`. */
export type OperationName = keyof Operations

/** What comes of an operation. */
export type Answer<Name extends OperationName> = Success<Operations[Name]['value']> | Failure<Operations[Name]['code']>

/**
 * What comes of a send. To ask again, give the same body and this `idempotencyKey`. Where `unanswered` is not 0 the message may have gone, and under another key
 * it would go twice.
 */
export type SendAnswer<Name extends OperationName> = Answer<Name> & {
  readonly idempotencyKey: string
  /** `msg_…`, of a message that was opened. */
  readonly messageId: string | undefined
  /** Whether it is the answer to an earlier request with this key. */
  readonly isReplayed: boolean
}

/** The name of an operation that gives a list in pages: those have a query. */
export type ListName = { [Name in OperationName]: Operations[Name] extends { readonly query: object } ? Name : never }[OperationName]

/** The query of an operation. */
export type QueryOf<Name extends ListName> = Operations[Name]['query']

/** A list: `for await` gives each item of all pages, or the failure that ends it; `page` gives one page. Neither is asked for before. */
export type List<Item, Page, Code extends keyof Failures> = AsyncIterable<{ readonly ok: true; readonly value: Item } | Failure<Code>> & {
  readonly page: () => Promise<Success<Page> | Failure<Code>>
}

/** The list of an operation. */
export type ListOf<Name extends ListName> = List<ItemOf<Operations[Name]['value']>, Operations[Name]['value'], Operations[Name]['code']>

/** The items of a page: what its only array has. */
export type ItemOf<Page> = { [Field in keyof Page]: Page[Field] extends ReadonlyArray<infer Item> ? Item : never }[keyof Page]

/** A page of events; `next` is the event to ask `after` the next time. */
export type EventPage = { readonly events: ReadonlyArray<Event>; readonly next: EventId | null }

/** A message with its file, which is sent in the same request. */
export type FileMessage = Operations['POST /messages/send']['form']

/** A file to be uploaded. */
export type FileToUpload = Operations['POST /media']['form']

/** The client: every operation of `/v1`. A call never rejects because of what the gateway or the network does. */
export type Client = {
  readonly sendText: (body: SendTextRequest, options?: SendOptions) => Promise<SendAnswer<'POST /messages/send-text'>>
  readonly sendTemplate: (body: SendTemplateRequest, options?: SendOptions) => Promise<SendAnswer<'POST /messages/send-template'>>
  /** Sends a message of any type. */
  readonly send: (body: SendRequest, options?: SendOptions) => Promise<SendAnswer<'POST /messages/send'>>
  /** Sends a message with its file in one request. */
  readonly sendFile: (message: FileMessage, options?: SendOptions) => Promise<SendAnswer<'POST /messages/send'>>
  readonly uploadMedia: (upload: FileToUpload, options?: CallOptions) => Promise<Answer<'POST /media'>>
  /** What a send would cost now, or how it would be refused. */
  readonly quotes: {
    readonly sendText: (body: SendTextRequest, options?: CallOptions) => Promise<Answer<'POST /quotes/send-text'>>
    readonly sendTemplate: (body: SendTemplateRequest, options?: CallOptions) => Promise<Answer<'POST /quotes/send-template'>>
    readonly send: (body: SendRequest, options?: CallOptions) => Promise<Answer<'POST /quotes/send'>>
  }
  /** Marks a customer's message as read. */
  readonly markRead: (wamid: string, body?: MarkReadRequest, options?: CallOptions) => Promise<Answer<'POST /messages/{wamid}/read'>>
  /** The bytes of an attachment, by its id in `message.received`. */
  readonly media: (id: string, options?: CallOptions) => Promise<Answer<'GET /media/{id}'>>
  readonly messages: {
    /** By Postern's id, `msg_…`, or the platform's, on WhatsApp `wamid.…`. */
    readonly get: (id: string, options?: CallOptions) => Promise<Answer<'GET /messages/{id}'>>
    /** Newest first. */
    readonly list: (query?: QueryOf<'GET /messages'>, options?: CallOptions) => ListOf<'GET /messages'>
  }
  readonly wallet: (options?: CallOptions) => Promise<Answer<'GET /wallet'>>
  /** Newest first. */
  readonly walletEntries: (query?: QueryOf<'GET /wallet/entries'>, options?: CallOptions) => ListOf<'GET /wallet/entries'>
  readonly window: (to: WrittenCustomerId, options?: CallOptions) => Promise<Answer<'GET /windows/{to}'>>
  readonly customer: (to: WrittenCustomerId, options?: CallOptions) => Promise<Answer<'GET /customers/{to}'>>
  readonly templates: (query?: QueryOf<'GET /templates'>, options?: CallOptions) => ListOf<'GET /templates'>
  /** What the API key of the client may do. */
  readonly key: (options?: CallOptions) => Promise<Answer<'GET /key'>>
  /** The events after one, oldest first, up to the newest there is. Keep the id of the last one, to go on after it. */
  readonly events: (query?: QueryOf<'GET /events'>, options?: CallOptions) => List<Event, EventPage, Operations['GET /events']['code']>
  readonly redeliverEvent: (id: EventId, endpoint: string, options?: CallOptions) => Promise<Answer<'POST /events/{id}/redeliver'>>
  readonly endpoints: {
    readonly add: (body: AddEndpointRequest, options?: CallOptions) => Promise<Answer<'POST /event-endpoints'>>
    readonly list: (options?: CallOptions) => Promise<Answer<'GET /event-endpoints'>>
    readonly get: (id: string, options?: CallOptions) => Promise<Answer<'GET /event-endpoints/{id}'>>
    readonly change: (id: string, body: ChangeEndpointRequest, options?: CallOptions) => Promise<Answer<'PATCH /event-endpoints/{id}'>>
    readonly remove: (id: string, options?: CallOptions) => Promise<Answer<'DELETE /event-endpoints/{id}'>>
    readonly rotateSecret: (id: string, options?: CallOptions) => Promise<Answer<'POST /event-endpoints/{id}/rotate-secret'>>
    readonly test: (id: string, options?: CallOptions) => Promise<Answer<'POST /event-endpoints/{id}/test'>>
    readonly deliveries: (id: string, query?: QueryOf<'GET /event-endpoints/{id}/deliveries'>, options?: CallOptions) => ListOf<'GET /event-endpoints/{id}/deliveries'>
    /** Delivers every event since a moment (ISO 8601) again. */
    readonly redeliver: (id: string, since: string, options?: CallOptions) => Promise<Answer<'POST /event-endpoints/{id}/redeliver'>>
  }
}

/** The field of a page that has the items. */
const ITEMS: Readonly<Record<ListName, string>> = {
  'GET /messages': 'messages', 'GET /wallet/entries': 'entries', 'GET /templates': 'templates', 'GET /events': 'events',
  'GET /event-endpoints/{id}/deliveries': 'deliveries',
}

type Fields = Readonly<Record<string, unknown>>

/** A request. */
type Asked = {
  readonly path?: Readonly<Record<string, string>>
  readonly query?: Fields
  readonly body?: unknown
  readonly form?: Fields
  readonly headers?: Readonly<Record<string, string>>
  /** Whether it does nothing twice, so that it may be made again without knowing what the first one did. */
  readonly isRepeatable: boolean
}

/** What came of one request; the type of the operation says more. */
type Outcome = Fields & { readonly ok: boolean; readonly code?: unknown; readonly status?: unknown }

/** Makes a client. It throws if `baseUrl` is no http address or `apiKey` has characters that no header can have. */
export const createClient = ({ baseUrl, apiKey, fetch = (url, init) => globalThis.fetch(url, init), ...bounds }: ClientOptions): Client => {
  if (!/^https?:$/.test(new URL(baseUrl).protocol)) throw new TypeError(`baseUrl must be an http or https address: ${baseUrl}`)
  const base = `${baseUrl.replace(/\/+$/, '')}/v1`
  const authorization = new Headers({ Authorization: `Bearer ${apiKey}` })

  const call = async <Name extends OperationName>(name: Name, asked: Asked, options: CallOptions = {}): Promise<Answer<Name>> => {
    const { path = {}, query = {}, body, form, isRepeatable } = asked
    const [method = '', address = ''] = name.split(' ')
    // A URL has no way to write these two as the name of something: it would be another address.
    const dots = Object.values(path).find((value) => value === '.' || value === '..')
    if (dots !== undefined) {
      const refused: Outcome = { ok: false, code: 'not_found', message: `Nothing has the id ${dots}`, ...untried }
      return refused as Answer<Name>
    }
    const url = base + address.replace(/\{(\w+)\}/, (_, parameter: string) => encodeURIComponent(path[parameter] ?? '')) + searchOf(query)
    const headers = new Headers([...authorization, ...Object.entries(asked.headers ?? {})])
    if (body !== undefined) headers.set('Content-Type', 'application/json')
    // A redirect would turn a send into something else, so it is an unexpected reply.
    const init: RequestInit = { method, headers, redirect: 'manual', ...(body !== undefined && { body: JSON.stringify(body) }), ...(form && { body: formOf(form) }) }
    const hasBytes = name === 'GET /media/{id}'
    const limits = limitsOf(bounds, options, hasBytes || form !== undefined ? FILE_TIMES : 1)
    const request = (ms: number): Promise<Outcome> => attempt((signal) => fetch(url, { ...init, signal }), ms, options.signal, hasBytes)
    return await repeated(request, limits, isRepeatable, options.signal) as Answer<Name>
  }

  const get = <Name extends OperationName>(name: Name, options?: CallOptions, path?: Asked['path']) => call(name, { ...(path && { path }), isRepeatable: true }, options)

  const change = <Name extends OperationName>(name: Name, asked: Omit<Asked, 'isRepeatable'>, options?: CallOptions) => call(name, { ...asked, isRepeatable: false }, options)

  const ask = <Name extends OperationName>(name: Name, asked: Omit<Asked, 'isRepeatable'>, options?: CallOptions) => call(name, { ...asked, isRepeatable: true }, options)

  const sending = async <Name extends OperationName>(
    name: Name, content: Pick<Asked, 'body' | 'form'>, { idempotencyKey = newKey(), ...options }: SendOptions = {},
  ): Promise<SendAnswer<Name>> =>
    Object.assign(await ask(name, { ...content, headers: { 'Idempotency-Key': idempotencyKey } }, options), { idempotencyKey }) as SendAnswer<Name>

  const list = <Name extends ListName>(name: Name, query: Fields = {}, options?: CallOptions, path?: Asked['path']): ListOf<Name> => {
    const page = async (of: Fields): Promise<Answer<Name>> => {
      const answer = await ask(name, { ...(path && { path }), query: of }, options)
      if (!answer.ok || Array.isArray((answer.value as Fields)[ITEMS[name]])) return answer
      const { value, ...rest } = answer
      return { ...rest, ...unexpected(200, value), unanswered: answer.unanswered + 1 }
    }
    const iterate = async function* (): AsyncGenerator {
      for (let at: Fields = { limit: 100, ...query }; ;) {
        const answer = await page(at)
        if (!answer.ok) {
          yield answer
          return
        }
        const value: Fields = answer.value
        for (const item of value[ITEMS[name]] as ReadonlyArray<unknown>) yield { ok: true, value: item }
        const [parameter, place] = 'next' in value ? ['after', value['next']] : ['cursor', value['next_cursor']] as const
        // The last page has no cursor. After the last event there is nothing but the place that was asked for.
        if (typeof place !== 'string' || place === at[parameter]) return
        at = { ...at, [parameter]: place }
      }
    }
    const made = { page: () => page(query), [Symbol.asyncIterator]: iterate }
    return made as ListOf<Name>
  }

  return {
    sendText: (body, options) => sending('POST /messages/send-text', { body }, options),
    sendTemplate: (body, options) => sending('POST /messages/send-template', { body }, options),
    send: (body, options) => sending('POST /messages/send', { body }, options),
    sendFile: (form, options) => sending('POST /messages/send', { form }, options),
    uploadMedia: (form, options) => ask('POST /media', { form }, options),
    quotes: {
      sendText: (body, options) => ask('POST /quotes/send-text', { body }, options),
      sendTemplate: (body, options) => ask('POST /quotes/send-template', { body }, options),
      send: (body, options) => ask('POST /quotes/send', { body }, options),
    },
    markRead: (wamid, body = {}, options) => ask('POST /messages/{wamid}/read', { path: { wamid }, body }, options),
    media: (id, options) => get('GET /media/{id}', options, { id }),
    messages: {
      get: (id, options) => get('GET /messages/{id}', options, { id }),
      list: (query, options) => list('GET /messages', query, options),
    },
    wallet: (options) => get('GET /wallet', options),
    walletEntries: (query, options) => list('GET /wallet/entries', query, options),
    window: (to, options) => get('GET /windows/{to}', options, { to }),
    customer: (to, options) => get('GET /customers/{to}', options, { to }),
    templates: (query, options) => list('GET /templates', query, options),
    key: (options) => get('GET /key', options),
    events: (query, options) => list('GET /events', query, options) as ReturnType<Client['events']>,
    redeliverEvent: (id, endpoint, options) => change('POST /events/{id}/redeliver', { path: { id }, body: { endpoint } }, options),
    endpoints: {
      add: (body, options) => change('POST /event-endpoints', { body }, options),
      list: (options) => get('GET /event-endpoints', options),
      get: (id, options) => get('GET /event-endpoints/{id}', options, { id }),
      change: (id, body, options) => ask('PATCH /event-endpoints/{id}', { path: { id }, body }, options),
      remove: (id, options) => change('DELETE /event-endpoints/{id}', { path: { id } }, options),
      rotateSecret: (id, options) => change('POST /event-endpoints/{id}/rotate-secret', { path: { id } }, options),
      test: (id, options) => change('POST /event-endpoints/{id}/test', { path: { id } }, options),
      deliveries: (id, query, options) => list('GET /event-endpoints/{id}/deliveries', query, options, { id }),
      redeliver: (id, since, options) => change('POST /event-endpoints/{id}/redeliver', { path: { id }, body: { since } }, options),
    },
  }
}

/** What takes a file along may take so many times as long as anything else. */
const FILE_TIMES = 10

type Limits = { readonly attempts: number; readonly attemptMs: number; readonly deadlineMs: number }

const limitsOf = (own: CallOptions, given: CallOptions, times: number): Limits => ({
  attempts: given.attempts ?? own.attempts ?? 4,
  attemptMs: given.attemptMs ?? (own.attemptMs ?? 30_000) * times,
  deadlineMs: given.deadlineMs ?? (own.deadlineMs ?? 60_000) * times,
})

/** Makes a request again while its answer may change, within the limits. */
const repeated = async (
  request: (ms: number) => Promise<Outcome>, { attempts, attemptMs, deadlineMs }: Limits, isRepeatable: boolean, signal: AbortSignal | undefined,
): Promise<Outcome> => {
  const endsAt = performance.now() + deadlineMs
  const trace = { attempts: 0, unanswered: 0 }
  if (signal?.aborted) return { ...aborted(signal), ...untried }
  for (let counted = 1; ; counted += 1) {
    const outcome = await request(Math.min(attemptMs, endsAt - performance.now()))
    trace.attempts += 1
    if (NOT_OF_THE_GATEWAY.has(outcome.code)) trace.unanswered += 1
    // The other request with this key will end by itself, so the deadline alone limits how often it is asked for.
    if (outcome.code === 'idempotency_in_progress') counted -= 1
    const pauseMs = pauseAfter(outcome, trace.attempts, isRepeatable)
    if (pauseMs === undefined || counted >= attempts || performance.now() + pauseMs >= endsAt) return { requestId: undefined, ...shown(outcome), ...trace }
    await pause(pauseMs, signal)
    if (signal?.aborted) return { requestId: undefined, ...aborted(signal), ...trace }
  }
}

/** What a call has noted that made no request. */
const untried = { attempts: 0, unanswered: 0, requestId: undefined }

const NOT_OF_THE_GATEWAY: ReadonlySet<unknown> = new Set(['unexpected_reply', 'no_answer', 'aborted'])

/** How long to wait before the request is made again, in milliseconds; `undefined` where it is not. A 504 never is: the message may have gone. */
const pauseAfter = ({ code, status, retryAfter }: Outcome, attempts: number, isRepeatable: boolean): number | undefined => {
  const isWorthIt = isRepeatable
    ? code === 'no_answer' || code === 'idempotency_in_progress' || status === 429 || (status === 503 && code !== 'sender_not_configured')
    : code === 'rate_limited'
  if (!isWorthIt) return undefined
  // Clients that were refused together come back at different times.
  const spread = 1 + Math.random() / 4
  return spread * (retryAfterMs(retryAfter) ?? Math.min(8_000, 125 * 2 ** attempts))
}

/** The value of `Retry-After`: seconds, or a date. */
const retryAfterMs = (value: unknown): number | undefined => {
  if (typeof value !== 'string') return undefined
  const ms = /^\d+$/.test(value) ? Number(value) * 1_000 : Date.parse(value) - Date.now()
  return Number.isNaN(ms) ? undefined : Math.max(0, ms)
}

/** A longer timer would end at once. */
const LONGEST_MS = 2 ** 31 - 1

const pause = (ms: number, signal: AbortSignal | undefined): Promise<void> => new Promise((resolve) => {
  const end = (): void => {
    clearTimeout(timer)
    signal?.removeEventListener('abort', end)
    resolve()
  }
  const timer = setTimeout(end, Math.min(ms, LONGEST_MS))
  signal?.addEventListener('abort', end)
})

const shown = ({ retryAfter: _, ...outcome }: Outcome): Outcome => outcome

/** Makes one request and reads its whole answer, within a time. */
const attempt = async (send: (signal: AbortSignal) => Promise<Response>, ms: number, signal: AbortSignal | undefined, hasBytes: boolean): Promise<Outcome> => {
  const controller = new AbortController()
  const abort = (): void => controller.abort(signal?.reason)
  signal?.addEventListener('abort', abort)
  const timer = setTimeout(() => controller.abort(new Error(`there was no answer within ${Math.ceil(ms)} ms`)), Math.min(ms, LONGEST_MS))
  try {
    return await read(await send(controller.signal), hasBytes)
  } catch (caught) {
    if (signal?.aborted) return aborted(signal)
    const cause: unknown = controller.signal.aborted ? controller.signal.reason : caught
    return { ok: false, code: 'no_answer', message: `The gateway did not answer: ${sentenceOf(cause)}`, cause }
  } finally {
    clearTimeout(timer)
    signal?.removeEventListener('abort', abort)
  }
}

const aborted = ({ reason }: AbortSignal): Outcome => ({ ok: false, code: 'aborted', message: `The call was ended: ${sentenceOf(reason)}`, cause: reason })

/** The sentence of an error, with that of its cause: `fetch` says nothing else of a broken connection. */
const sentenceOf = (error: unknown): string => {
  if (!(error instanceof Error)) return String(error)
  // An error that stands for one of each address has a code and no sentence.
  const sentence = error.message === '' && 'code' in error ? String(error.code) : error.message
  return error.cause === undefined ? sentence : `${sentence} (${sentenceOf(error.cause)})`
}

const read = async (response: Response, hasBytes: boolean): Promise<Outcome> => {
  const { ok, status, headers } = response
  const about = {
    requestId: headers.get('X-Request-Id') ?? undefined, messageId: headers.get('Postern-Message') ?? undefined, isReplayed: headers.has('Idempotency-Replayed'),
    retryAfter: headers.get('Retry-After'),
  }
  if (ok && hasBytes) return { ...about, ok, status, value: await response.blob() }
  if (status === 204) return { ...about, ok, status, value: undefined }
  const text = await response.text()
  const reply = parsed(text)
  if (isObject(reply)) {
    if (ok) return { ...about, ok, status, value: reply }
    if (typeof reply['code'] === 'string' && Object.hasOwn(CODES, reply['code'])) return { ...reply, ...about, ok, status }
  }
  return { ...about, ...unexpected(status, reply ?? text) }
}

const unexpected = (status: number, reply: unknown): UnexpectedReply =>
  ({ ok: false, code: 'unexpected_reply', status, message: `The answer (${status}) is not of this contract`, reply })

const parsed = (text: string): unknown => {
  try {
    return parseJson(text)
  } catch {
    return undefined
  }
}

/** A whole number that JavaScript cannot represent becomes a string of its digits. Browsers know the source of a number since Chrome 114, Firefox 135 and Safari 18.4. */
const exactNumber = (_key: string, value: unknown, context?: { readonly source?: string }): unknown =>
  (typeof value === 'number' && !Number.isSafeInteger(value) && /^-?[0-9]+$/.test(context?.source ?? '') ? context?.source : value)

const parseJson = (text: string): unknown => JSON.parse(text, /[0-9]{16}/.test(text) ? exactNumber : undefined)

const isObject = (value: unknown): value is Fields => typeof value === 'object' && value !== null

const searchOf = (query: Fields): string => {
  const parameters = new URLSearchParams()
  for (const [name, value] of Object.entries(query)) {
    if (Array.isArray(value)) parameters.append(name, value.join())
    else if (isObject(value)) Object.entries(value).forEach(([key, one]) => parameters.append(`${name}.${key}`, String(one)))
    else if (typeof value === 'string' || typeof value === 'number' || typeof value === 'boolean') parameters.append(name, String(value))
  }
  return parameters.size === 0 ? '' : `?${parameters.toString()}`
}

/** The form of a request with a file, which has to be its last part. */
const formOf = ({ file, ...fields }: Fields): FormData => {
  const form = new FormData()
  for (const [name, value] of Object.entries(fields)) {
    if (value !== undefined) form.append(name, typeof value === 'string' ? value : JSON.stringify(value))
  }
  form.append('file', file as Blob)
  return form
}

const newKey = (): string => Array.from(crypto.getRandomValues(new Uint8Array(16)), (byte) => byte.toString(16).padStart(2, '0')).join('')

/** Every code of the contract. It does not compile with one too few or too many. */
const CODES: Readonly<Record<keyof Failures, 1>> = {
  missing_parameters: 1, invalid_parameter: 1, invalid_phone_number: 1, malformed_body: 1, window_closed: 1, content_invalid: 1, media_invalid: 1, template_not_found: 1,
  template_not_approved: 1, template_parameters: 1, customer_opted_out: 1, platform_rejected: 1, unauthenticated: 1, insufficient_balance: 1, spending_limit_reached: 1,
  forbidden: 1, not_found: 1, method_not_allowed: 1, request_timeout: 1, idempotency_in_progress: 1, endpoint_disabled: 1, too_many_endpoints: 1, payload_too_large: 1,
  unsupported_media_type: 1, range_not_satisfiable: 1, idempotency_key_reused: 1, platform_throttled: 1, rate_limited: 1, internal: 1, platform_credentials: 1,
  platform_unreachable: 1, storage_unavailable: 1, sender_not_configured: 1, overloaded: 1, outcome_unknown: 1,
}

/** The headers of a delivery, as a server has them. */
export type DeliveryHeaders = Headers | Readonly<Record<string, string | ReadonlyArray<string> | undefined>>

/** How old or how far ahead a delivery may be. */
const MOST_SECONDS = 300

/** How many signatures of a delivery are tried. The gateway makes two while a new secret replaces the old one. */
const MOST_SIGNATURES = 16

/**
 * Checks a delivery (Standard Webhooks) with the secret of its endpoint, and gives its event. `body` is the body as it came, neither parsed nor written anew.
 * It rejects where a header is missing, the secret is none, no signature fits, or the delivery is older than five minutes.
 */
export const verify = async (body: string | Uint8Array, headers: DeliveryHeaders, secret: string): Promise<Event> => {
  const [id, timestamp, signatures] = ['id', 'timestamp', 'signature'].map((name) => headerOf(headers, `webhook-${name}`))
  if (id === undefined || timestamp === undefined || signatures === undefined) throw new Error('The delivery has not all of the headers webhook-id, webhook-timestamp and webhook-signature')
  if (!(Math.abs(Date.now() / 1_000 - Number(timestamp)) <= MOST_SECONDS)) throw new Error('The delivery is not of the last five minutes')
  // A server may have parsed the body, or kept none; and a variable of the environment may not be set. JavaScript lets both come here.
  if (typeof body !== 'string' && !ArrayBuffer.isView(body) && !((body as unknown) instanceof ArrayBuffer)) throw new TypeError('The body must be the text or the bytes as they came, not parsed')
  const bytes = bytesOf((secret as string | undefined)?.replace(/^whsec_/, '') ?? '')
  if (bytes === undefined || bytes.length === 0) throw new Error('The secret is not one of an endpoint: whsec_…')
  const key = await crypto.subtle.importKey('raw', bytes, { name: 'HMAC', hash: 'SHA-256' }, false, ['verify'])
  const text = typeof body === 'string' ? body : new TextDecoder().decode(body)
  const signed = new TextEncoder().encode(`${id}.${timestamp}.${text}`)
  for (const one of signatures.split(' ', MOST_SIGNATURES)) {
    const signature = one.startsWith('v1,') ? bytesOf(one.slice(3)) : undefined
    if (signature !== undefined && await crypto.subtle.verify('HMAC', key, signature, signed)) return parseJson(text) as Event
  }
  throw new Error('No signature of the delivery fits')
}

const headerOf = (headers: DeliveryHeaders, name: string): string | undefined => {
  if (headers instanceof Headers) return headers.get(name) ?? undefined
  const [, value] = Object.entries(headers).find(([one]) => one.toLowerCase() === name) ?? []
  return value === undefined ? undefined : String(value)
}

/** The bytes of a text in base64. */
const bytesOf = (text: string): Uint8Array<ArrayBuffer> | undefined => {
  try {
    return Uint8Array.from(atob(text), (character) => character.charCodeAt(0))
  } catch {
    return undefined
  }
}
