import type { Readable } from 'node:stream'
import { parseExactJson } from '../../core/kernel/exact-json.js'
import { type PlatformError, retryAfterMs } from '../../core/kernel/failure.js'
import type { Json, JsonObject } from '../../core/kernel/json.js'
import { DAY_MS, type Instant, SECOND_MS } from '../../core/kernel/time.js'
import type { ByteRange, ConversationError, ReadMark, WantedMedia } from '../../core/messages/conversation.js'
import type { Sender, TemplateAccount } from '../../core/senders/sender.js'

/** What the platform needs: its address, and a transport that reaches it. */
export type CloudApiDeps = Endpoint & {
  readonly transport: Transport
  /** The current time; the system clock by default. */
  readonly now?: () => Instant
}

/** How many parts a deadline has. */
const PARTS = 5

/** A deadline that can be cancelled. */
export type Deadline = { readonly clear: () => void }

/**
 * Calls back after this many milliseconds in which the process was able to work.
 *
 * The time is counted in parts. A part that ends late counts as its own length, so time in which the process was too busy to read its sockets is not charged to a call.
 * Between the last timer and the immediate Node.js reads its sockets, so an answer that arrived before the deadline is read first.
 */
export const startDeadline = (timeoutMs: number, onOver: () => void): Deadline => {
  let left = PARTS
  let cleared = false
  const over = (): void => {
    if (!cleared) onOver()
  }
  const wait = (): NodeJS.Timeout => setTimeout(() => {
    left -= 1
    if (left > 0) timer = wait()
    else setImmediate(over)
  }, timeoutMs / PARTS)
  let timer = wait()
  return {
    clear: () => {
      cleared = true
      clearTimeout(timer)
    },
  }
}

/** In the long run the platform's pair limit permits one message to one customer every 6 seconds. */
const PAIR_LIMIT_CODE = 131056
const PAIR_LIMIT_SECONDS = 6

/** A longer wait is shortened to a day. */
const LONGEST_SECONDS = DAY_MS / SECOND_MS

/**
 * How many seconds to wait after a throttled answer; `undefined` if nothing is known.
 *
 * The standard `Retry-After` (seconds or a date) comes first, though the platform does not document it; then
 * `X-Business-Use-Case-Usage`, whose `estimated_time_to_regain_access` counts minutes; then the length of the pair limit.
 */
export const retryAfterOf = (headers: Answered['headers'], code: number, now: Instant): number | undefined =>
  secondsOfRetryAfter(textOf(headers['retry-after']), now)
  ?? secondsOfUsage(textOf(headers['x-business-use-case-usage']))
  ?? (code === PAIR_LIMIT_CODE ? PAIR_LIMIT_SECONDS : undefined)

const textOf = (header: string | ReadonlyArray<string> | undefined): string | undefined =>
  typeof header === 'string' ? header : header?.[0]

const secondsOfRetryAfter = (text: string | undefined, now: Instant): number | undefined => {
  const wait = retryAfterMs(text, now)
  return wait === undefined ? undefined : Math.ceil(wait / SECOND_MS)
}

const secondsOfUsage = (text: string | undefined): number | undefined => {
  const usage = parsed(text)
  const minutes = (isObject(usage) ? Object.values(usage) : [])
    .flatMap(itemsOf)
    .map((item) => propertyOf(item, 'estimated_time_to_regain_access'))
    .filter((wait): wait is number => typeof wait === 'number' && wait > 0)
  return minutes.length === 0 ? undefined : Math.min(Math.ceil(Math.max(...minutes) * 60), LONGEST_SECONDS)
}

const parsed = (text: string | undefined): unknown => {
  try {
    return text === undefined ? undefined : parseExactJson(text)
  } catch {
    return undefined
  }
}

/**
 * The dates until which the platform supports the versions of its API, as far as it has published them.
 *
 * Source: <https://developers.facebook.com/docs/graph-api/changelog/versions/>, as of v26.0, whose end is not published yet.
 */
const ENDS: ReadonlyMap<string, Instant> = new Map([
  ['v18.0', Date.UTC(2026, 0, 26)],
  ['v19.0', Date.UTC(2026, 4, 21)],
  ['v20.0', Date.UTC(2026, 8, 24)],
  ['v21.0', Date.UTC(2027, 0, 21)],
  ['v22.0', Date.UTC(2027, 4, 20)],
  ['v23.0', Date.UTC(2027, 9, 8)],
  ['v24.0', Date.UTC(2028, 1, 18)],
  ['v25.0', Date.UTC(2028, 6, 29)],
])

/** The day on which a version such as `v25.0` ends, at its start in UTC; `undefined` if the platform has published none. */
export const versionEnd = (version: string): Instant | undefined => ENDS.get(version)

/** Whether a parsed JSON value is an object, neither an array nor null. */
export const isObject = (value: unknown): value is JsonObject =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

/** An own property of a parsed JSON object; `undefined` if it does not exist. Inherited properties, such as `constructor`, do not count. */
export const propertyOf = (value: unknown, name: string): Json | undefined =>
  isObject(value) && Object.hasOwn(value, name) ? value[name] : undefined

/** Whether an object has a property that is not null. */
export const hasProperty = (value: unknown, name: string): boolean => (propertyOf(value, name) ?? null) !== null

/** The items of a parsed JSON array; empty if the value is not an array. */
export const itemsOf = (value: unknown): ReadonlyArray<unknown> => (Array.isArray(value) ? value : [])

/** The failure of a request that may be repeated. It does not matter whether such a request arrived. */
export const repeatable = (error: PlatformError): ConversationError => {
  switch (error._tag) {
    case 'PlatformRejected': case 'PlatformThrottled': case 'CredentialsRefused': return error
    case 'PlatformUnreachable': case 'OutcomeUnknown': return unanswered(error.cause)
  }
}

/** The failure of a request whose answer from the platform is not valid. */
export const unanswered = (cause: unknown): ConversationError => ({ _tag: 'PlatformUnanswered', cause })

/** The address of a download. */
export type DownloadAddress = Pick<HttpRequest, 'origin' | 'path'>

/**
 * Hosts of the platform that may receive an access token. Attachments are at `lookaside.fbsbx.com`:
 * <https://developers.facebook.com/documentation/business-messaging/whatsapp/business-phone-numbers/media#get-media-url>.
 */
const PLATFORM_HOST = /^(?:graph\.facebook\.com|(?:[a-z0-9-]+\.)*(?:fbsbx\.com|whatsapp\.net))$/

const LONGEST_ADDRESS = 8_192

/**
 * Reads the address of an attachment from the platform; `undefined` if the token must not be sent to it.
 *
 * Only two kinds of address may get the token: `https` addresses of the platform's hosts on the usual port, and addresses of the origin that the gateway calls as the
 * platform.
 */
export const readDownloadAddress = (address: unknown, platformOrigin: string): DownloadAddress | undefined => {
  // Not `URL.canParse`: in Node.js 22 it misreads letters outside ASCII once the process has called it some hundred times.
  const url = typeof address === 'string' && address.length <= LONGEST_ADDRESS ? URL.parse(address) : null
  if (url === null) return undefined
  const { origin, protocol, hostname, port, username, password, pathname, search } = url
  if (username !== '' || password !== '') return undefined
  const isPlatform = protocol === 'https:' && port === '' && PLATFORM_HOST.test(hostname)
  return isPlatform || origin === platformOrigin ? { origin, path: `${pathname}${search}` } : undefined
}

/** Makes one HTTP call, once. Never throws or rejects: the outcome is in the result. */
export type Transport = (request: HttpRequest) => Promise<TransportResult>

/** A transport with connections of its own. */
export type ClosableTransport = {
  readonly send: Transport
  /** Downloads use connections apart from those of `send`, `MAX_DOWNLOADS` simultaneously, so that they never occupy the connection of a send. */
  readonly download: Download
  /** Uploads, whose bodies are streams, also use connections apart from those of `send`, `MAX_UPLOADS` simultaneously. */
  readonly upload: Transport
  /** After this it sends nothing more; calls in progress end as `NoAnswer`. */
  readonly close: () => Promise<void>
}

/** One call. `origin` has no path and no trailing slash, `path` begins with a slash and includes the query, if any. */
export type HttpRequest = {
  readonly method: 'GET' | 'POST'
  readonly origin: string
  readonly path: string
  /** Names in lower case. They contain the access token, so they must never be logged. */
  readonly headers: Readonly<Record<string, string>>
  readonly body?: string
  /** A stream instead of `body`. It is read as fast as the server accepts it, and destroyed if the call ends before the stream. */
  readonly stream?: Readable
  /**
   * How long connecting may take, in milliseconds, and how long the complete answer may take, counted from the request.
   * Time in which this process is too busy to read its sockets does not count.
   */
  readonly timeoutMs: number
  /** How long connecting may take if a part of `timeoutMs` has passed already. */
  readonly connectMs?: number
  /** How long the answer may take after a body that is a stream has ended. */
  readonly answerMs?: number
  /** The longest answer that is read, in bytes; `MAX_ANSWER_BYTES` by default. */
  readonly maxAnswerBytes?: number
  /** Asked immediately before the request is written; after `false` it is not sent. */
  readonly mayBegin?: () => boolean
}

/** The error of a call that was not begun because of `mayBegin`. */
export const TOO_LATE = 'It was too late to begin the call'

/** The result of one call. */
export type TransportResult = Answered | NotSent | NoAnswer

/** The complete answer of the server. Header names are in lower case. */
export type Answered = {
  readonly _tag: 'Answered'
  readonly status: number
  readonly headers: Readonly<Record<string, string | ReadonlyArray<string> | undefined>>
  readonly body: string
}

/** Not a byte of the request was written: no connection, no name, no TLS. `cause` is for the log and contains no secret. */
export type NotSent = { readonly _tag: 'NotSent'; readonly cause: Error }

/** The request may have been written, and no complete answer arrived. `cause` is for the log and contains no secret. */
export type NoAnswer = { readonly _tag: 'NoAnswer'; readonly cause: Error }

/** Makes one request whose answer is read while it arrives. Never throws or rejects: the outcome is in the result. */
export type Download = (request: DownloadRequest) => Promise<DownloadResult>

/** One download. `timeoutMs` is the time until the head of the answer has arrived, including the time to connect. */
export type DownloadRequest = Pick<HttpRequest, 'origin' | 'path' | 'headers' | 'timeoutMs'> & BodyLimits

/** The limits of a body that is read while it arrives. */
export type BodyLimits = {
  /** The maximum number of bytes. */
  readonly maxBytes: number
  /** The longest time without a byte, in milliseconds, whether the server or the reader is slow. */
  readonly idleMs: number
  /** How long all bytes may take, in milliseconds. */
  readonly totalMs: number
}

/** The result of a download up to the head of its answer. */
export type DownloadResult = Opened | NoAnswer

/** An answer whose body has yet to be read, or closed. */
export type Opened = Pick<Answered, 'status' | 'headers'> & {
  readonly _tag: 'Opened'
  /** Throws a value that may be logged if the body breaks off or breaks a limit. */
  readonly bytes: AsyncIterable<Uint8Array>
  /** Ends the download, whether it was read or not. */
  readonly close: () => void
  /** Resolves once the connection is no longer used for this body. */
  readonly closed: Promise<void>
}

/** The longest answer that is read unless its request allows more, in bytes; the answers to sends have a few hundred. */
export const MAX_ANSWER_BYTES = 1_048_576

/** How a transport connects, and the limits of its connections. */
export type TransportOptions = {
  /** How many calls may be in progress simultaneously, each over a connection of its own; `MAX_CONNECTIONS` by default. */
  readonly connections?: number
  /** Certificates of the trusted authorities, in PEM, instead of those that Node.js trusts. */
  readonly ca?: string
}

/** How many calls may be in progress simultaneously; a further call is `NotSent` immediately, because waiting would use up its deadline. */
export const MAX_CONNECTIONS = 10_000

/** How many downloads may be in progress simultaneously; each takes some hundred kilobytes of memory if its reader is slow. */
export const MAX_DOWNLOADS = 256

/** How many uploads may be in progress simultaneously; each takes some hundred kilobytes of memory. */
export const MAX_UPLOADS = 64

/**
 * How long a connection may idle before it is closed, in milliseconds.
 *
 * A request on a connection that the server is just closing gets no answer, and its outcome stays unknown. So this stays below the 5 seconds after which common servers
 * close their connections. Another handshake costs less.
 */
export const IDLE_CONNECTION_MS = 4_000

/** How long a connection is not used after an answer, in milliseconds, so that a server that closes it at that time is noticed. */
export const CONNECTION_REST_MS = 50

/** Both, in the form that pools of connections expect. */
export const KEPT_SHORTLY = { idleMs: IDLE_CONNECTION_MS, restMs: CONNECTION_REST_MS }

/**
 * The loggable part of a value that a client library threw: its code and message.
 *
 * The thrown value itself is not kept, because libraries attach the request to it, with the access token in its headers.
 */
export const loggable = (thrown: unknown): Error => {
  if (!(thrown instanceof Error)) return new Error('The HTTP client failed without an error')
  const code = 'code' in thrown && typeof thrown.code === 'string' ? thrown.code : thrown.name
  return new Error(thrown.message === '' ? code : `${code}: ${thrown.message}`)
}

/** The location of the platform's API: its address without the version, and the version, e.g. `v25.0`. */
export type Endpoint = {
  readonly baseUrl: string
  readonly version: string
  /** How long one call may wait for its answer, in milliseconds. */
  readonly timeoutMs: number
}

/** Splits the base of every call into origin and path. Throws if the address is not a URL, because that is a mistake in the configuration. */
export const baseOf = ({ baseUrl, version }: Endpoint): { readonly origin: string; readonly prefix: string } => {
  const { origin, pathname } = new URL(baseUrl)
  return { origin, prefix: `${pathname.replace(/\/+$/, '')}/${encodeURIComponent(version)}` }
}

/**
 * Creates the calls that mark a customer's message as read, at the address to which messages are sent. The platform has one kind of typing indicator:
 * <https://developers.facebook.com/documentation/business-messaging/whatsapp/typing-indicators>.
 */
export const makeReadMarkRequest = (endpoint: Endpoint): ((mark: ReadMark) => HttpRequest) => {
  const { origin, prefix } = baseOf(endpoint)
  return ({ sender, message, typing }) => ({
    method: 'POST',
    origin,
    path: `${prefix}/${encodeURIComponent(sender.phoneNumberId)}/messages`,
    headers: { 'content-type': 'application/json', ...headersOf(sender) },
    body: JSON.stringify({
      messaging_product: 'whatsapp', status: 'read', message_id: message, ...(typing && { typing_indicator: { type: 'text' } }),
    }),
    timeoutMs: endpoint.timeoutMs,
  })
}

/**
 * Creates the calls that request the address of an attachment. With `phone_number_id` the platform answers only for an attachment that this number received:
 * <https://developers.facebook.com/documentation/business-messaging/whatsapp/business-phone-numbers/media#get-media-url>.
 */
export const makeMediaRequest = (endpoint: Endpoint): ((wanted: Pick<WantedMedia, 'sender' | 'id'>) => HttpRequest) => {
  const { origin, prefix } = baseOf(endpoint)
  return ({ sender, id }) => ({
    method: 'GET',
    origin,
    path: `${prefix}/${encodeURIComponent(id)}?phone_number_id=${encodeURIComponent(sender.phoneNumberId)}`,
    headers: headersOf(sender),
    timeoutMs: endpoint.timeoutMs,
  })
}

/** Creates the calls that download an attachment from an address that may get the token. */
export const makeDownloadRequest =
  ({ timeoutMs }: Pick<Endpoint, 'timeoutMs'>, limits: BodyLimits) =>
  ({ sender, range }: Pick<WantedMedia, 'sender' | 'range'>, { origin, path }: DownloadAddress): DownloadRequest => ({
    origin,
    path,
    headers: { ...headersOf(sender), accept: '*/*', ...(range !== undefined && { range: rangeOf(range) }) },
    timeoutMs,
    ...limits,
  })

const rangeOf = (range: ByteRange): string => ('lastBytes' in range ? `bytes=-${range.lastBytes}` : `bytes=${range.first}-${range.last ?? ''}`)

/** Creates the call that reads a sender's own name, which succeeds only with a valid token for an existing number. */
export const makeSenderRequest = (
  endpoint: Endpoint, fields: ReadonlyArray<string> = ['verified_name'],
): ((sender: Pick<Sender, 'accessToken' | 'phoneNumberId'>) => HttpRequest) => {
  const { origin, prefix } = baseOf(endpoint)
  return (sender) => ({
    method: 'GET',
    origin,
    path: `${prefix}/${encodeURIComponent(sender.phoneNumberId)}?fields=${fields.join(',')}`,
    headers: headersOf(sender),
    timeoutMs: endpoint.timeoutMs,
  })
}

/** One page of the templates of an account, of all names or of one; `after` is the cursor of the previous page. */
export type TemplatesQuery = { readonly account: TemplateAccount; readonly name: string | undefined; readonly after: string | undefined }

/** How many templates a page has. */
const TEMPLATES_A_PAGE = 100

/** The longest page that is read, in bytes; a hundred of the platform's largest templates, carousels of ten cards, have six million. */
const MAX_PAGE_BYTES = 8 * 1_048_576

const TEMPLATE_FIELDS = 'id,name,language,status,category,components,parameter_format,quality_score'

/** Creates the call that reads a page of an account's templates. Each page is requested at our own address, so that the token is sent nowhere else. */
export const makeTemplatesRequest = (endpoint: Endpoint): ((query: TemplatesQuery, timeoutMs: number) => HttpRequest) => {
  const { origin, prefix } = baseOf(endpoint)
  return ({ account, name, after }, timeoutMs) => {
    const query = new URLSearchParams({
      fields: TEMPLATE_FIELDS, limit: String(TEMPLATES_A_PAGE), ...(name !== undefined && { name }), ...(after !== undefined && { after }),
    })
    return {
      method: 'GET',
      origin,
      path: `${prefix}/${encodeURIComponent(account.businessAccountId)}/message_templates?${query.toString()}`,
      headers: headersOf(account),
      timeoutMs,
      maxAnswerBytes: MAX_PAGE_BYTES,
    }
  }
}

/** The headers of every call. */
export const headersOf = ({ accessToken }: Pick<Sender, 'accessToken'>): Readonly<Record<string, string>> => ({
  authorization: `Bearer ${accessToken}`,
  accept: 'application/json',
  'user-agent': 'postern',
})

/** Receives the events of one call from a client library; events after the result are ignored. */
export type ResponseReader = {
  readonly hasResult: () => boolean
  /** The connection is open and the request is written: from now on the answer has the whole timeout. */
  readonly written: () => void
  /** A body that is a stream has ended. */
  readonly sent: () => void
  readonly begin: (status: number, headers: Answered['headers']) => void
  readonly data: (chunk: Buffer) => void
  readonly end: () => void
  readonly fail: (cause: Error, code?: string) => void
}

/** The parts that depend on the client library: whether the request may already have been written, and how to end the call. */
export type Call = { readonly mayBeSent: (code?: string) => boolean; readonly abort: (cause: Error) => void }

/** Assembles the answer to one call and reports its result once: a complete answer, or why there is none. */
export const readResponse = (
  { timeoutMs, connectMs = timeoutMs, answerMs, maxAnswerBytes = MAX_ANSWER_BYTES }: Pick<
    HttpRequest, 'timeoutMs' | 'connectMs' | 'answerMs' | 'maxAnswerBytes'
  >,
  call: Call, onResult: (result: TransportResult) => void,
): ResponseReader => {
  let head: Pick<Answered, 'status' | 'headers'> | undefined
  let hasResult = false
  const chunks: Buffer[] = []
  let size = 0

  const finish = (result: TransportResult): void => {
    if (hasResult) return
    hasResult = true
    deadline.clear()
    onResult(result)
  }
  const fail = (cause: Error, code?: string): void => finish({ _tag: call.mayBeSent(code) ? 'NoAnswer' : 'NotSent', cause })
  const abort = (why: string): void => {
    if (hasResult) return
    const cause = new Error(why)
    fail(cause)
    call.abort(cause)
  }
  const limitTo = (length: number): void => {
    if (length > maxAnswerBytes) abort(`The answer is longer than ${maxAnswerBytes} bytes`)
  }
  // A library's own timeouts cover only parts of a call, and do not cover an answer that switches protocols.
  let deadline = startDeadline(connectMs, () => abort(`No connection within ${connectMs} ms`))
  const answerWithin = (ms: number): void => {
    if (hasResult) return
    deadline.clear()
    deadline = startDeadline(ms, () => abort(`No whole answer within ${ms} ms`))
  }

  return {
    hasResult: () => hasResult,
    written: () => answerWithin(timeoutMs),
    sent: () => {
      if (answerMs !== undefined) answerWithin(answerMs)
    },
    begin: (status, headers) => {
      head = { status, headers }
      limitTo(Number(headers['content-length']))
    },
    data: (chunk) => {
      size += chunk.length
      chunks.push(chunk)
      limitTo(size)
    },
    end: () => {
      if (head === undefined) fail(new Error('The answer ended before it began'))
      else finish({ _tag: 'Answered', ...head, body: Buffer.concat(chunks, size).toString('utf8') })
    },
    fail,
  }
}
