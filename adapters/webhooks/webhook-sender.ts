import { createHmac, createSecretKey, type KeyObject } from 'node:crypto'
import { isIP } from 'node:net'
import type { AttemptResult, EventSink } from '../../core/events/delivery.js'
import type { SinkAddress } from '../../core/events/endpoint-use-cases.js'
import type { EndpointSecret, FaultOfUrl } from '../../core/events/endpoint.js'
import { retryAfterMs } from '../../core/kernel/failure.js'
import type { AddressRange } from '../shared/address.js'
import { type FairShares, makeFairShares } from '../shared/fair-shares.js'
import { makeFairQueue } from '../shared/fair-queue.js'
import type { WorkspaceId } from '../../core/kernel/ids.js'
import { type Event, eventView, PLATFORM_NOTIFICATION } from '../../core/kernel/outbox.js'
import { type Clock, type Instant, SECOND_MS } from '../../core/kernel/time.js'
import type { Tracer } from '../../core/kernel/tracing.js'
import { type AddressGuard, assertMayDial, makeAddressGuard, makeResolve, readEndpointAddress, type Resolve } from './address.js'
import { type EndpointAnswer, makeEndpointClient, MAX_ANSWER_BYTES } from './endpoint-client.js'
import { FailedCall, failureSentence } from './failures.js'

/**
 * The beginning of an answer, as text that every database can store: without NUL, at most 8 KiB in UTF-8.
 *
 * Bytes that are not UTF-8 become replacement characters of three bytes each, so the text is cut again.
 */
export const answerText = (beginning: Buffer): string => {
  const text = new TextDecoder().decode(beginning).replaceAll('\0', '')
  if (Buffer.byteLength(text) <= MAX_ANSWER_BYTES) return text
  // A character that the cut divides is left out.
  return new TextDecoder().decode(Buffer.from(text).subarray(0, MAX_ANSWER_BYTES), { stream: true })
}

/** Statuses with which an endpoint may set the time of the next try. */
const MAY_WAIT: ReadonlySet<number> = new Set([429, 503])

const GONE = 410

/** How sentences name a receiver. */
export type ReceiverName = 'endpoint' | 'channel'

const notCalled = (name: ReceiverName): string => `No connection was free in time, so the ${name} was not called; try again`

/** Determines the result of an attempt. The event is delivered only if the status is 2xx. */
export const readResult = (answer: EndpointAnswer, now: Instant, name: ReceiverName = 'endpoint'): Omit<AttemptResult, 'durationMs'> => {
  if (answer._tag === 'Unanswered') {
    const { error, isUntried } = answer
    const unanswered = { delivered: false, httpStatus: undefined, answer: undefined }
    return isUntried === true ? { ...unanswered, error: notCalled(name), isUntried } : { ...unanswered, error: failureSentence(error) }
  }
  const { status, retryAfter, beginning } = answer
  const read = { httpStatus: status, answer: answerText(beginning) }
  if (status >= 200 && status < 300) return { ...read, delivered: true, error: undefined }
  const wait = MAY_WAIT.has(status) ? retryAfterMs(retryAfter, now) : undefined
  return {
    ...read, delivered: false, error: sentenceOf(status, name),
    ...(wait !== undefined && { retryAfterMs: wait }),
    ...(status === GONE && { isGone: true }),
  }
}

const sentenceOf = (status: number, name: ReceiverName): string => {
  if (status === GONE) return `The ${name} answered with status 410: it no longer exists`
  if (status >= 300 && status < 400) return `The ${name} answered with status ${status}; redirects are not followed`
  return `The ${name} answered with status ${status}`
}

/** The headers of a delivery by Standard Webhooks 1.0, with one signature for each secret. */
export type SignedHeaders = { readonly 'webhook-id': string; readonly 'webhook-timestamp': string; readonly 'webhook-signature': string }

/** Signs a body with each secret. It throws a `FailedCall` if a secret does not have the form `whsec_…`. */
export const signedHeaders = (secrets: ReadonlyArray<EndpointSecret>, id: string, body: string, at: Instant): SignedHeaders => {
  const seconds = Math.floor(at / SECOND_MS)
  return {
    'webhook-id': id,
    'webhook-timestamp': String(seconds),
    'webhook-signature': secrets.map((secret) => `v1,${createHmac('sha256', keyOf(secret)).update(`${id}.${seconds}.${body}`).digest('base64')}`).join(' '),
  }
}

const SECRET_FORM = /^whsec_(?<key>(?:[A-Za-z0-9+/]{4})+(?:[A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=)?)$/

/** A `KeyObject`, because Node.js 24 takes three times as long with a buffer. */
const keyOf = (secret: EndpointSecret): KeyObject => {
  const key = SECRET_FORM.exec(secret)?.groups?.['key']
  if (key === undefined) throw new FailedCall('The secret of the endpoint cannot be used; rotate it')
  return createSecretKey(key, 'base64')
}

/** A notification in the platform's form without items, which a test delivers. */
const EMPTY_NOTIFICATION = { object: 'whatsapp_business_account', entry: [] }

/** The request to post: the body and the headers that sign it. */
type Written = { readonly text: string; readonly signature: Readonly<Record<string, string>> }

/** Formats an event for an endpoint. The platform's header has one signature, so only the current secret signs. */
const written = ({ format = 'postern', secrets }: SinkAddress, event: Event, at: Instant): Written => {
  if (format === 'postern') {
    const text = JSON.stringify(eventView(event))
    return { text, signature: signedHeaders(secrets, event.id, text, at) }
  }
  const text = JSON.stringify((event.type === PLATFORM_NOTIFICATION ? event.content : undefined) ?? EMPTY_NOTIFICATION)
  return { text, signature: { 'x-hub-signature-256': `sha256=${createHmac('sha256', secrets[0] ?? '').update(text).digest('hex')}` } }
}

/** The purpose of a connection: an endpoint of a workspace, at a host with its port. */
export type ConnectionUse = { readonly workspace: WorkspaceId; readonly url: string; readonly host: string }

/** How many connections may be in use simultaneously, and how long a call waits for a connection, in milliseconds. */
export type ConnectionPlacesOptions = { readonly places: number; readonly placesPerHost: number; readonly waitMs: number }

/** Slots for connections in use. */
export type ConnectionPlaces = {
  /**
   * Waits for a slot and returns the function that releases it; `undefined` if no slot became free before the deadline. It rejects with the reason of `signal`
   * if `signal` is aborted before.
   */
  readonly take: (use: ConnectionUse, signal: AbortSignal) => Promise<(() => void) | undefined>
}

/** How many calls may wait for each slot; a workspace with many endpoints never has more attempts in progress. */
const WAITING_FOR_EACH = 8

type Waiting = { readonly use: ConnectionUse; readonly end: (hasPlace: boolean) => void }

/**
 * Creates the slots. Workspaces share them, and take turns if they have to wait; the endpoints of a workspace take turns, too.
 *
 * An endpoint may keep a connection for as long as an attempt may take, and the connection cannot be revoked before. So all connections of one workspace leave some
 * free, both in total and to a host that others use as well. Another workspace then gets a connection immediately or when the next ones end.
 */
export const makeConnectionPlaces = ({ places, placesPerHost, waitMs }: ConnectionPlacesOptions): ConnectionPlaces => {
  const queue = makeFairQueue<Waiting>(WAITING_FOR_EACH * places)
  const inAll = makeFairShares<WorkspaceId>(places)
  const ofHosts = new Map<string, FairShares<WorkspaceId>>()

  const mayBegin = ({ workspace, host }: ConnectionUse): boolean =>
    inAll.mayTake(workspace) && (ofHosts.get(host)?.mayTake(workspace) ?? true)

  const begin = ({ workspace, host }: ConnectionUse): void => {
    const ofHost = ofHosts.get(host) ?? makeFairShares<WorkspaceId>(placesPerHost)
    ofHosts.set(host, ofHost)
    for (const shares of [inAll, ofHost]) shares.take(workspace)
  }

  const end = ({ workspace, host }: ConnectionUse): void => {
    const ofHost = ofHosts.get(host)
    for (const shares of [inAll, ofHost]) shares?.giveBack(workspace)
    if (ofHost?.free() === placesPerHost) ofHosts.delete(host)
    for (let next = takeNext(); next !== undefined; next = takeNext()) {
      begin(next.use)
      next.end(true)
    }
  }

  const takeNext = (): Waiting | undefined => queue.shift(({ use }) => mayBegin(use))

  const turn = (use: ConnectionUse, signal: AbortSignal): Promise<boolean> =>
    new Promise((resolve, reject) => {
      const key = [use.workspace, use.url] as const
      const leave = (): void => {
        queue.remove(key, waiting)
        clearTimeout(deadline)
        signal.removeEventListener('abort', abort)
      }
      const abort = (): void => {
        leave()
        reject(signal.reason as Error)
      }
      const waiting: Waiting = {
        use,
        end: (hasPlace) => {
          leave()
          resolve(hasPlace)
        },
      }
      const deadline = setTimeout(() => waiting.end(false), waitMs)
      signal.addEventListener('abort', abort)
      queue.push(key, waiting)?.end(false)
    })

  return {
    take: async (use, signal) => {
      signal.throwIfAborted()
      // Calls that still wait cannot start now; otherwise they would have started when a connection was released. So this call overtakes none of them.
      if (mayBegin(use)) begin(use)
      else if (!(await turn(use, signal))) return undefined
      let isGivenBack = false
      return () => {
        if (!isGivenBack) end(use)
        isGivenBack = true
      }
    },
  }
}

/** How endpoints are called. */
export type WebhookOptions = {
  /** Its span is named in the header `traceparent` of each delivery; without a tracer, the header is absent. */
  readonly tracer?: Pick<Tracer, 'current'> | undefined
  /** This program's version, for `user-agent`. */
  readonly version: string
  /** Ranges that endpoints may be in, in addition to public addresses; none by default. */
  readonly allow?: ReadonlyArray<AddressRange>
  /** How long one attempt may take, from the look-up of the host to the end of the answer; 15 seconds by default. */
  readonly timeoutMs?: number
  /**
   * How many connections may be in use simultaneously; 512 by default. Workspaces share them, so a workspace that is alone does not get all. If none is free, an
   * attempt waits, and the wait is part of its time. Half as many are kept open for the next event.
   */
  readonly maxConnections?: number
  /**
   * How long an attempt waits for a connection, in milliseconds; half of its time by default. An attempt without a connection was not tried, so it does not
   * count as a failure of the endpoint.
   */
  readonly waitMs?: number
  /** How many of these connections may go to one host; 64 by default. Workspaces share these, too. */
  readonly maxConnectionsPerHost?: number
  /** Finds the addresses of hosts; by default it asks the name servers of the system. */
  readonly resolve?: Resolve
  /** Certificates, in PEM, of the authorities to trust; by default those that come with Node.js. */
  readonly ca?: string
  readonly now?: Clock
}

/** Delivers events to endpoints over HTTP. */
export type WebhookSender = {
  /** The sink of an endpoint; deliveries are signed with each of its secrets. */
  readonly sinkFor: (address: SinkAddress) => EventSink
  /** Why every delivery to an address would be refused here, as far as the address alone shows: the target of a host name is known only when it is dialled. */
  readonly faultOfUrl: FaultOfUrl
  /** Posts JSON to the channel of a workspace, unsigned, with the same checks and limits as a delivery. */
  readonly post: (
    to: { readonly workspace: WorkspaceId; readonly url: string }, json: unknown,
  ) => Promise<Omit<AttemptResult, 'durationMs'>>
  /** Closes every connection. An attempt in progress fails, and so does every later attempt. */
  readonly close: () => void
}

const UNREADABLE = 'url must contain a valid host'
const HTTPS_ONLY = 'url must begin with https, except for addresses that the operator of this gateway allows'
const NOT_PUBLIC = 'url has an address that is not public, and the operator of this gateway does not allow it'

const UNTRIED: EndpointAnswer = { _tag: 'Unanswered', error: new Error('no connection was free'), isUntried: true }

const TIMEOUT_MS = 15 * SECOND_MS
const LOOKUP_TIMEOUT_MS = 5 * SECOND_MS
const MAX_CONNECTIONS = 512
const MAX_CONNECTIONS_PER_HOST = 64

/**
 * Creates a sender of Standard Webhooks 1.0, and of notifications in the platform's own form. It calls only public addresses and those of `allow`, follows no
 * redirect and sends no credentials.
 */
export const makeWebhookSender = ({
  version, allow = [], timeoutMs = TIMEOUT_MS, maxConnections = MAX_CONNECTIONS, maxConnectionsPerHost = MAX_CONNECTIONS_PER_HOST,
  waitMs = timeoutMs / 2, resolve = makeResolve(), ca, now = Date.now, tracer,
}: WebhookOptions): WebhookSender => {
  const guard = makeAddressGuard(allow)
  const client = makeEndpointClient({
    guard, resolve, timeoutMs: Math.min(timeoutMs, LOOKUP_TIMEOUT_MS), maxInUse: maxConnections, maxIdle: Math.ceil(maxConnections / 2), ca,
  })
  const places = makeConnectionPlaces({ places: maxConnections, placesPerHost: maxConnectionsPerHost, waitMs })
  const attempts = makeAttempts(timeoutMs)

  const post = async (workspace: WorkspaceId, url: string, write: () => Written, name?: ReceiverName): Promise<EndpointAnswer> => {
    const address = readEndpointAddress(url, name)
    // Sockets look up only names, so an address in the URL is checked here.
    if (isIP(address.host) !== 0) assertMayDial(guard, address.host, address.scheme)
    const { text, signature } = write()
    const traceparent = tracer?.current()
    const headers = {
      'content-type': 'application/json', 'user-agent': `Postern/${version}`, ...signature,
      ...(traceparent !== undefined && { traceparent }),
    }
    return attempts.run(async (signal) => {
      const giveBack = await places.take(
        { workspace, url, host: `${address.scheme}//${address.host}:${address.port}` }, signal,
      )
      if (giveBack === undefined) return UNTRIED
      try {
        return await client.call({ address, headers, body: text }, signal)
      } finally {
        giveBack()
      }
    })
  }

  return {
    sinkFor: (address) => ({
      deliver: async (event) => {
        const startedAt = performance.now()
        const answer = await post(event.workspace, address.url, () => written(address, event, now())).catch(unanswered)
        return { ...readResult(answer, now()), durationMs: Math.round(performance.now() - startedAt) }
      },
    }),
    faultOfUrl: (url) => faultOfUrl(guard, url, allow.length > 0),
    post: async ({ workspace, url }, json) =>
      readResult(
        await post(workspace, url, () => ({ text: JSON.stringify(json), signature: {} }), 'channel').catch(unanswered), now(), 'channel',
      ),
    close: () => {
      attempts.end()
      client.close()
    },
  }
}

const unanswered = (error: unknown): EndpointAnswer => ({ _tag: 'Unanswered', error })

const faultOfUrl = (guard: AddressGuard, url: string, isAnyAllowed: boolean): string | undefined => {
  // Not `URL.canParse`: see `readEndpointAddress`.
  if (URL.parse(url) === null) return UNREADABLE
  const { host, scheme } = readEndpointAddress(url)
  // Only this name resolves to the same address everywhere (RFC 6761, section 6.3).
  const address = /^(?:.+\.)?localhost\.?$/.test(host) ? '127.0.0.1' : isIP(host) === 0 ? undefined : host
  if (address === undefined) return scheme === 'http:' && !isAnyAllowed ? HTTPS_ONLY : undefined
  if (guard.mayDial(address, scheme)) return undefined
  return guard.mayDial(address, 'https:') ? HTTPS_ONLY : NOT_PUBLIC
}

/** Runs attempts, each with a deadline, until all of them have ended. */
const makeAttempts = (timeoutMs: number) => {
  const underWay = new Set<AbortController>()
  let ended = false
  return {
    run: async <Result>(attempt: (signal: AbortSignal) => Promise<Result>): Promise<Result> => {
      if (ended) throw stopping()
      const controller = new AbortController()
      underWay.add(controller)
      const timer = setTimeout(() => controller.abort(new FailedCall(`No answer came within ${timeoutMs / SECOND_MS} seconds`)), timeoutMs)
      try {
        return await attempt(controller.signal)
      } finally {
        clearTimeout(timer)
        underWay.delete(controller)
      }
    },
    end: () => {
      ended = true
      for (const controller of underWay) controller.abort(stopping())
    },
  }
}

const stopping = (): FailedCall => new FailedCall('This gateway is stopping')
