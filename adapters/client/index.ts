/**
 * A client of the HTTP API for applications: one file that imports nothing, for Node.js, browsers and any other runtime with `fetch`.
 *
 * @packageDocumentation
 */
import type {
  Answer, BatchAnswer, CallOptions, ClientOptions, EventPage, FileMessage, FileOfLines, FileToUpload, List, ListName, ListOf, OperationName,
  QueryOf, SendAnswer, SenderOptions, SendOptions, Sends, UnexpectedReply,
} from './calls.js'
import type { Event } from './events.js'
import type { BatchCalls, ConsentCalls } from './files.js'
import type { Failures, Operations } from './operations.js'
import type {
  AddEndpointRequest, ChangeEndpointRequest, EventId, MarkReadRequest, RedeliverRequest, SendRequest,
  SendTemplateRequest, SendTextRequest, SetConsentRequest, SetOptOutWordsRequest, WrittenCustomerId,
} from './schemas.js'

export type * from './calls.js'
export type * from './events.js'
export type * from './files.js'
export type * from './operations.js'
export type * from './schemas.js'

/** The client, with every operation of `/v1`. A call never rejects because of the gateway or the network. */
export type Client = {
  readonly sendText: Sends<'POST /messages/send-text', SendTextRequest>
  readonly sendTemplate: Sends<'POST /messages/send-template', SendTemplateRequest>
  /** Sends a message of any type. */
  readonly send: Sends<'POST /messages/send', SendRequest>
  /** Sends a message with its file in one request. */
  readonly sendFile: (message: FileMessage, options?: SendOptions) => Promise<SendAnswer<'POST /messages/send'>>
  /** Cancels a queued message, by Postern's id, `msg_…`, or the platform's. After `already_sent` it cannot be taken back. */
  readonly cancelMessage: (id: string, options?: CallOptions) => Promise<Answer<'DELETE /messages/{id}'>>
  /** What waits to be sent. */
  readonly queue: (options?: CallOptions) => Promise<Answer<'GET /queue'>>
  /** Messages of one template to many customers: create a draft, add recipients, check it, and confirm its total. */
  readonly batches: BatchCalls
  readonly uploadMedia: (upload: FileToUpload, options?: CallOptions) => Promise<Answer<'POST /media'>>
  /** The price that a send would have now, or the reason why it would be refused. */
  readonly quotes: {
    readonly sendText: (body: SendTextRequest, options?: CallOptions) => Promise<Answer<'POST /quotes/send-text'>>
    readonly sendTemplate: (body: SendTemplateRequest, options?: CallOptions) => Promise<Answer<'POST /quotes/send-template'>>
    readonly send: (body: SendRequest, options?: CallOptions) => Promise<Answer<'POST /quotes/send'>>
  }
  /** Marks a customer's message as read. */
  readonly markRead: (wamid: string, body?: MarkReadRequest, options?: CallOptions) => Promise<Answer<'POST /messages/{wamid}/read'>>
  /** The bytes of an attachment, by its id in `message.received`. Only the sender that received it can open it. */
  readonly media: (id: string, options?: SenderOptions) => Promise<Answer<'GET /media/{id}'>>
  readonly messages: {
    /** By Postern's id, `msg_…`, or the platform's, on WhatsApp `wamid.…`. */
    readonly get: (id: string, options?: CallOptions) => Promise<Answer<'GET /messages/{id}'>>
    /** Newest first. */
    readonly list: (query?: QueryOf<'GET /messages'>, options?: CallOptions) => ListOf<'GET /messages'>
  }
  readonly consents: ConsentCalls
  readonly wallet: (options?: CallOptions) => Promise<Answer<'GET /wallet'>>
  /** Newest first. */
  readonly walletEntries: (query?: QueryOf<'GET /wallet/entries'>, options?: CallOptions) => ListOf<'GET /wallet/entries'>
  /** The customer service window of one sender, and a list: of that sender if one is given, otherwise of all senders. */
  readonly window: (to: WrittenCustomerId, options?: SenderOptions) => Promise<Answer<'GET /windows/{to}'>>
  readonly customer: (to: WrittenCustomerId, options?: CallOptions) => Promise<Answer<'GET /customers/{to}'>>
  /** Records what a customer allowed or stopped. What the customer said last counts. */
  readonly setConsent: (
    to: WrittenCustomerId, consent: SetConsentRequest, options?: CallOptions,
  ) => Promise<Answer<'PUT /customers/{to}/consent'>>
  /** The words by which customers stop messages. */
  readonly optOutWords: (options?: CallOptions) => Promise<Answer<'GET /opt-out-words'>>
  readonly setOptOutWords: (words: SetOptOutWordsRequest, options?: CallOptions) => Promise<Answer<'PUT /opt-out-words'>>
  readonly templates: (query?: QueryOf<'GET /templates'>, options?: CallOptions) => ListOf<'GET /templates'>
  /** What a template achieves in a period of at most 92 days. */
  readonly templateResults: (
    name: string, query?: Omit<Operations['GET /templates/{name}/results']['query'], 'format'>, options?: CallOptions,
  ) => Promise<Answer<'GET /templates/{name}/results'>>
  /** The numbers through which the workspace sends: the default sender, then the others by their ids. */
  readonly senders: (options?: CallOptions) => Promise<Answer<'GET /senders'>>
  readonly sender: (phoneNumberId: string, options?: CallOptions) => Promise<Answer<'GET /senders/{phone_number_id}'>>
  /** The permissions of the client's API key. */
  readonly key: (options?: CallOptions) => Promise<Answer<'GET /key'>>
  /** The events after the given one, oldest first, up to the newest. Keep the id of the last event to continue after it. */
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
    readonly deliveries: (
      id: string, query?: QueryOf<'GET /event-endpoints/{id}/deliveries'>, options?: CallOptions,
    ) => ListOf<'GET /event-endpoints/{id}/deliveries'>
    /** Delivers the failed events of a filter again, such as `{ status: 'failed', types: ['message.*'] }`, or every event since a time (ISO 8601). */
    readonly redeliver: (
      id: string, which: string | RedeliverRequest, options?: CallOptions,
    ) => Promise<Answer<'POST /event-endpoints/{id}/redeliver'>>
  }
}

/** The field of a page that contains the items. */
const ITEMS: Readonly<Record<ListName, string>> = {
  'GET /messages': 'messages', 'GET /wallet/entries': 'entries', 'GET /templates': 'templates', 'GET /events': 'events',
  'GET /event-endpoints/{id}/deliveries': 'deliveries', 'GET /batches': 'batches',
}

type Fields = Readonly<Record<string, unknown>>

type Asked = {
  readonly path?: Readonly<Record<string, string>>
  readonly query?: Fields
  readonly body?: unknown
  readonly form?: Fields
  readonly lines?: FileOfLines
  /** Whether it may take as long as a request with a file. */
  readonly isLong?: boolean
  readonly headers?: Readonly<Record<string, string>>
  /** Whether the request is idempotent, so it can be retried even if the outcome of the first attempt is unknown. */
  readonly isRepeatable: boolean
}

/** The result of one request; the type of the operation is more specific. */
type Outcome = Fields & { readonly ok: boolean; readonly code?: unknown; readonly status?: unknown }

/** Creates a client. It throws if `baseUrl` is not an http or https address, or if `apiKey` has characters that a header cannot contain. */
export const createClient = ({ baseUrl, apiKey, fetch = (url, init) => globalThis.fetch(url, init), ...bounds }: ClientOptions): Client => {
  if (!/^https?:$/.test(new URL(baseUrl).protocol)) throw new TypeError(`baseUrl must be an http or https address: ${baseUrl}`)
  const base = `${baseUrl.replace(/\/+$/, '')}/v1`
  const authorization = new Headers({ Authorization: `Bearer ${apiKey}` })

  const call = async <Name extends OperationName>(name: Name, asked: Asked, options: CallOptions = {}): Promise<Answer<Name>> => {
    const { path = {}, query = {}, body, form, lines, isLong = false, isRepeatable } = asked
    const [method = '', address = ''] = name.split(' ')
    // A URL cannot contain these two values as an id: it would be another address.
    const dots = Object.values(path).find((value) => value === '.' || value === '..')
    if (dots !== undefined) {
      const refused: Outcome = { ok: false, code: 'not_found', message: `Nothing has the id ${dots}`, ...untried }
      return refused as Answer<Name>
    }
    const url = base + address.replace(/\{(\w+)\}/, (_, parameter: string) => encodeURIComponent(path[parameter] ?? '')) + searchOf(query)
    const headers = new Headers([...authorization, ...Object.entries(asked.headers ?? {})])
    if (body !== undefined) headers.set('Content-Type', 'application/json')
    if (lines !== undefined) headers.set('Content-Type', lines.type)
    // A redirect could turn a send into another request, so it is an unexpected reply.
    const init: RequestInit = {
      method, headers, redirect: 'manual', ...(body !== undefined && { body: JSON.stringify(body) }), ...(form && { body: formOf(form) }),
      ...(lines && { body: lines.lines }),
    }
    const hasBytes = name === 'GET /media/{id}' || name === 'GET /consents' || name === 'GET /batches/{id}/results'
    const limits = limitsOf(bounds, options, hasBytes || isLong || form !== undefined || lines !== undefined ? FILE_TIMES : 1)
    const request = (ms: number): Promise<Outcome> => attempt((signal) => fetch(url, { ...init, signal }), ms, options.signal, hasBytes)
    return await repeated(request, limits, isRepeatable, options.signal) as Answer<Name>
  }

  const get = <Name extends OperationName>(name: Name, { sender, ...options }: SenderOptions = {}, path?: Asked['path']) =>
    call(name, { ...(path && { path }), ...(sender !== undefined && { query: { sender } }), isRepeatable: true }, options)

  const change = <Name extends OperationName>(name: Name, asked: Omit<Asked, 'isRepeatable'>, options?: CallOptions) =>
    call(name, { ...asked, isRepeatable: false }, options)

  const ask = <Name extends OperationName>(name: Name, asked: Omit<Asked, 'isRepeatable'>, options?: CallOptions) =>
    call(name, { ...asked, isRepeatable: true }, options)

  const sending = async <Name extends OperationName>(
    name: Name, content: Pick<Asked, 'body' | 'form' | 'isLong'>, { idempotencyKey = newKey(), ...options }: SendOptions = {},
  ): Promise<SendAnswer<Name>> =>
    Object.assign(
      await ask(name, { ...content, headers: { 'Idempotency-Key': idempotencyKey } }, options), { idempotencyKey },
    ) as SendAnswer<Name>

  const sends = <Name extends OperationName, Body>(name: Name) =>
    ((body: Body, options?: SendOptions) => sending(name, { body }, options)) as Sends<Name, Body>

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
        // The last page has no cursor. After the last event, `next` is the position that was requested.
        if (typeof place !== 'string' || place === at[parameter]) return
        at = { ...at, [parameter]: place }
      }
    }
    const made = { page: () => page(query), [Symbol.asyncIterator]: iterate }
    return made as ListOf<Name>
  }

  return {
    sendText: sends('POST /messages/send-text'), sendTemplate: sends('POST /messages/send-template'), send: sends('POST /messages/send'),
    sendFile: (form, options) => sending('POST /messages/send', { form }, options),
    cancelMessage: (id, options) => ask('DELETE /messages/{id}', { path: { id } }, options),
    queue: (options) => get('GET /queue', options),
    batches: {
      create: (body, options) => sending('POST /batches', { body, isLong: true }, options) as Promise<unknown> as Promise<BatchAnswer>,
      addRecipients: (id, lines, options) => ask('PUT /batches/{id}/recipients', { path: { id }, lines }, options),
      preflight: (id, options) => ask('POST /batches/{id}/preflight', { path: { id }, isLong: true }, options),
      confirm: (id, total, options) => ask('POST /batches/{id}/confirm', { path: { id }, body: { total }, isLong: true }, options),
      pause: (id, options) => ask('POST /batches/{id}/pause', { path: { id } }, options),
      resume: (id, options) => ask('POST /batches/{id}/resume', { path: { id } }, options),
      cancel: (id, options) => ask('POST /batches/{id}/cancel', { path: { id } }, options),
      results: (id, query = {}, options) => ask('GET /batches/{id}/results', { path: { id }, query }, options),
      get: (id, options) => get('GET /batches/{id}', options, { id }),
      list: (query, options) => list('GET /batches', query, options),
    },
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
    consents: {
      import: (lines, options) => ask('POST /consents', { lines }, options),
      export: (query = {}, options) => ask('GET /consents', { query }, options),
    },
    wallet: (options) => get('GET /wallet', options),
    walletEntries: (query, options) => list('GET /wallet/entries', query, options),
    window: (to, options) => get('GET /windows/{to}', options, { to }),
    customer: (to, options) => get('GET /customers/{to}', options, { to }),
    setConsent: (to, body, options) => ask('PUT /customers/{to}/consent', { path: { to }, body }, options),
    optOutWords: (options) => get('GET /opt-out-words', options),
    setOptOutWords: (body, options) => ask('PUT /opt-out-words', { body }, options),
    templates: (query, options) => list('GET /templates', query, options),
    templateResults: (name, query, options) => ask('GET /templates/{name}/results', { path: { name }, ...(query && { query }) }, options),
    senders: (options) => get('GET /senders', options),
    sender: (id, options) => get('GET /senders/{phone_number_id}', options, { phone_number_id: id }),
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
      redeliver: (id, which, options) =>
        change(
          'POST /event-endpoints/{id}/redeliver', { path: { id }, body: typeof which === 'string' ? { since: which } : which }, options,
        ),
    },
  }
}

/** A request with a file may take this many times as long as any other request. */
const FILE_TIMES = 10

type Limits = { readonly attempts: number; readonly attemptMs: number; readonly deadlineMs: number }

const limitsOf = (own: CallOptions, given: CallOptions, times: number): Limits => ({
  attempts: given.attempts ?? own.attempts ?? 4,
  attemptMs: given.attemptMs ?? (own.attemptMs ?? 30_000) * times,
  deadlineMs: given.deadlineMs ?? (own.deadlineMs ?? 60_000) * times,
})

/** Repeats a request while its result may change, within the limits. */
const repeated = async (
  request: (ms: number) => Promise<Outcome>, { attempts, attemptMs, deadlineMs }: Limits, isRepeatable: boolean,
  signal: AbortSignal | undefined,
): Promise<Outcome> => {
  const endsAt = performance.now() + deadlineMs
  const trace = { attempts: 0, unanswered: 0 }
  if (signal?.aborted) return { ...aborted(signal), ...untried }
  for (let counted = 1; ; counted += 1) {
    const outcome = await request(Math.min(attemptMs, endsAt - performance.now()))
    trace.attempts += 1
    if (NOT_OF_THE_GATEWAY.has(outcome.code)) trace.unanswered += 1
    // The other request with this key ends without this client, so only the deadline limits how often this request is repeated.
    if (outcome.code === 'idempotency_in_progress') counted -= 1
    const pauseMs = pauseAfter(outcome, trace.attempts, isRepeatable)
    if (pauseMs === undefined || counted >= attempts || performance.now() + pauseMs >= endsAt) {
      return { requestId: undefined, ...shown(outcome), ...trace }
    }
    await pause(pauseMs, signal)
    if (signal?.aborted) return { requestId: undefined, ...aborted(signal), ...trace }
  }
}

/** The details of a call that made no request. */
const untried = { attempts: 0, unanswered: 0, requestId: undefined }

const NOT_OF_THE_GATEWAY: ReadonlySet<unknown> = new Set(['unexpected_reply', 'no_answer', 'aborted'])

/** How long to wait before the request is repeated, in milliseconds; `undefined` if it is not repeated. A 504 is never repeated: the message may have been sent. */
const pauseAfter = ({ code, status, retryAfter }: Outcome, attempts: number, isRepeatable: boolean): number | undefined => {
  const isWorthIt = isRepeatable
    ? code === 'no_answer' || code === 'idempotency_in_progress' || status === 429 || (status === 503 && code !== 'sender_not_configured')
    : code === 'rate_limited'
  if (!isWorthIt) return undefined
  // Clients that were refused together return at different times.
  const spread = 1 + Math.random() / 4
  return spread * (retryAfterMs(retryAfter) ?? Math.min(8_000, 125 * 2 ** attempts))
}

/** The value of `Retry-After`: seconds, or a date. */
const retryAfterMs = (value: unknown): number | undefined => {
  if (typeof value !== 'string') return undefined
  const ms = /^\d+$/.test(value) ? Number(value) * 1_000 : Date.parse(value) - Date.now()
  return Number.isNaN(ms) ? undefined : Math.max(0, ms)
}

/** `setTimeout` fires immediately if the delay is longer than this. */
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

/** Makes one request and reads its whole response, within a time limit. */
const attempt = async (
  send: (signal: AbortSignal) => Promise<Response>, ms: number, signal: AbortSignal | undefined, hasBytes: boolean,
): Promise<Outcome> => {
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

const aborted = ({ reason }: AbortSignal): Outcome => ({
  ok: false, code: 'aborted', message: `The call was ended: ${sentenceOf(reason)}`, cause: reason,
})

/** The message of an error, with the message of its cause: `fetch` gives no other detail of a broken connection. */
const sentenceOf = (error: unknown): string => {
  if (!(error instanceof Error)) return String(error)
  // An error that combines the errors of several addresses has a code and no message.
  const sentence = error.message === '' && 'code' in error ? String(error.code) : error.message
  return error.cause === undefined ? sentence : `${sentence} (${sentenceOf(error.cause)})`
}

const read = async (response: Response, hasBytes: boolean): Promise<Outcome> => {
  const { ok, status, headers } = response
  const about = {
    requestId: headers.get('X-Request-Id') ?? undefined, messageId: headers.get('Postern-Message') ?? undefined,
    isReplayed: headers.has('Idempotency-Replayed'), retryAfter: headers.get('Retry-After'),
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

/** A whole number that JavaScript cannot represent becomes a string of its digits. Browsers provide the source text of a number since Chrome 114, Firefox 135 and Safari 18.4. */
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

/** Every code of the contract. It does not compile if a code is missing or surplus. */
const CODES: Readonly<Record<keyof Failures, 1>> = {
  missing_parameters: 1, invalid_parameter: 1, invalid_phone_number: 1, malformed_body: 1, window_closed: 1, content_invalid: 1,
  media_invalid: 1, template_not_found: 1, template_not_approved: 1, template_parameters: 1, customer_opted_out: 1, consent_required: 1,
  platform_rejected: 1,
  unauthenticated: 1, insufficient_balance: 1, spending_limit_reached: 1, forbidden: 1, not_found: 1, method_not_allowed: 1,
  request_timeout: 1, idempotency_in_progress: 1, already_sent: 1, timezone_unknown: 1, endpoint_disabled: 1, too_many_endpoints: 1,
  unreadable_file: 1, nothing_to_send: 1, content_gone: 1, batch_state: 1, preflight_changed: 1,
  payload_too_large: 1,
  unsupported_media_type: 1, range_not_satisfiable: 1, idempotency_key_reused: 1, platform_throttled: 1, pair_limit: 1,
  sender_limit: 1, rate_limited: 1,
  internal: 1,
  platform_credentials: 1, platform_unreachable: 1, storage_unavailable: 1, sender_not_configured: 1, overloaded: 1, outcome_unknown: 1,
}

/** The headers of a delivery, in the form that servers provide. */
export type DeliveryHeaders = Headers | Readonly<Record<string, string | ReadonlyArray<string> | undefined>>

/** How old a delivery may be, or how far in the future. */
const MAX_SECONDS = 300

/** How many signatures of a delivery are tried. The gateway sends two while a new secret replaces the old one. */
const MAX_SIGNATURES = 16

/**
 * Verifies a delivery (Standard Webhooks) with the secret of its endpoint, and returns its event. `body` is the raw body, neither parsed nor serialised again. It
 * rejects if a header is missing, the secret is invalid, no signature matches, or the delivery is older than five minutes.
 */
export const verify = async (body: string | Uint8Array, headers: DeliveryHeaders, secret: string): Promise<Event> => {
  const [id, timestamp, signatures] = ['id', 'timestamp', 'signature'].map((name) => headerOf(headers, `webhook-${name}`))
  if (id === undefined || timestamp === undefined || signatures === undefined) throw new Error('The delivery has not all of the headers webhook-id, webhook-timestamp and webhook-signature')
  if (!(Math.abs(Date.now() / 1_000 - Number(timestamp)) <= MAX_SECONDS)) throw new Error('The delivery is older than five minutes, or from the future')
  // A server may have parsed the body, or discarded it; and an environment variable may be unset. JavaScript allows all of these values here.
  if (typeof body !== 'string' && !ArrayBuffer.isView(body) && !((body as unknown) instanceof ArrayBuffer)) throw new TypeError('The body must be the raw text or bytes, not a parsed value')
  const bytes = bytesOf((secret as string | undefined)?.replace(/^whsec_/, '') ?? '')
  if (bytes === undefined || bytes.length === 0) throw new Error('The secret is not one of an endpoint: whsec_…')
  const key = await crypto.subtle.importKey('raw', bytes, { name: 'HMAC', hash: 'SHA-256' }, false, ['verify'])
  const text = typeof body === 'string' ? body : new TextDecoder().decode(body)
  const signed = new TextEncoder().encode(`${id}.${timestamp}.${text}`)
  for (const one of signatures.split(' ', MAX_SIGNATURES)) {
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
