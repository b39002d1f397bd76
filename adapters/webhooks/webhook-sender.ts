import { isIP } from 'node:net'
import type { EventSink } from '../../core/events/delivery.js'
import type { SinkAddress } from '../../core/events/endpoint-use-cases.js'
import type { FaultOfUrl } from '../../core/events/endpoint.js'
import { type Event, eventView } from '../../core/kernel/outbox.js'
import { type Clock, SECOND_MS } from '../../core/kernel/time.js'
import { type AddressGuard, makeAddressGuard } from './address-guard.js'
import type { AddressRange } from './address-range.js'
import { callEndpoint, type EndpointAnswer } from './call-endpoint.js'
import { makeCheckedAgents } from './checked-agents.js'
import { assertMayDial } from './checked-lookup.js'
import { makeConnectionPlaces } from './connection-places.js'
import { readEndpointAddress } from './endpoint-address.js'
import { FailedCall } from './failed-call.js'
import { readResult } from './read-result.js'
import { makeResolve, type Resolve } from './resolve.js'
import { signedHeaders } from './sign.js'

/** How endpoints are called. */
export type WebhookOptions = {
  /** This program's version, for `user-agent`. */
  readonly version: string
  /** Ranges that endpoints may be in besides public addresses; none by default. */
  readonly allow?: ReadonlyArray<AddressRange>
  /** How long one attempt may take, from the look-up of the host to the end of the answer; 15 seconds by default. */
  readonly timeoutMs?: number
  /**
   * How many connections may be in use at once; 512 by default. Workspaces share them, so one that is alone does not get all. An attempt for which none is free waits,
   * and the wait is part of its time. Half as many of each scheme are kept open for the next event.
   */
  readonly maxConnections?: number
  /** How long an attempt waits for a connection, in milliseconds; half of its time by default. One that gets none was not tried, which is no failure of the endpoint. */
  readonly waitMs?: number
  /** How many of them may be to one host; 64 by default, which workspaces share, too. */
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
  /** Why every delivery to an address would be refused here, as far as the address alone tells: what a name leads to is known when it is dialled. */
  readonly faultOfUrl: FaultOfUrl
  /** Closes every connection. An attempt under way fails, and so does every later one. */
  readonly close: () => void
}

const UNREADABLE = 'url is not the address of a host'
const HTTPS_ONLY = 'url begins with https, except for addresses that the operator of this gateway allows'
const NOT_PUBLIC = 'url is at an address that is not public, which the operator of this gateway does not allow'

const UNTRIED: EndpointAnswer = { _tag: 'Unanswered', error: new Error('no connection was free'), isUntried: true }

const TIMEOUT_MS = 15 * SECOND_MS
const LOOKUP_TIMEOUT_MS = 5 * SECOND_MS
const MAX_CONNECTIONS = 512
const MAX_CONNECTIONS_PER_HOST = 64

/** Makes a sender of Standard Webhooks 1.0. It calls only public addresses and those of `allow`, follows no redirect and sends no credentials. */
export const makeWebhookSender = ({
  version, allow = [], timeoutMs = TIMEOUT_MS, maxConnections = MAX_CONNECTIONS, maxConnectionsPerHost = MAX_CONNECTIONS_PER_HOST,
  waitMs = timeoutMs / 2, resolve = makeResolve(), ca, now = Date.now,
}: WebhookOptions): WebhookSender => {
  const guard = makeAddressGuard(allow)
  const agents = makeCheckedAgents({ guard, resolve, timeoutMs: Math.min(timeoutMs, LOOKUP_TIMEOUT_MS), maxIdle: Math.ceil(maxConnections / 2), ca })
  const places = makeConnectionPlaces({ places: maxConnections, placesPerHost: maxConnectionsPerHost, waitMs })
  const attempts = makeAttempts(timeoutMs)

  const post = async ({ url, secrets }: SinkAddress, event: Event): Promise<EndpointAnswer> => {
    const address = readEndpointAddress(url)
    // Sockets look up names only, so an address in the URL is checked here.
    if (isIP(address.host) !== 0) assertMayDial(guard, address.host, address.scheme)
    const text = JSON.stringify(eventView(event))
    const body = Buffer.from(text)
    const headers = {
      'content-type': 'application/json', 'content-length': body.length, 'user-agent': `Postern/${version}`,
      ...signedHeaders(secrets, event.id, text, now()),
    }
    return attempts.run(async (signal) => {
      const giveBack = await places.take({ workspace: event.workspace, url, host: `${address.scheme}//${address.host}:${address.port}` }, signal)
      if (giveBack === undefined) return UNTRIED
      try {
        return await callEndpoint({ address, agent: agents.of(address.scheme), headers, body }, signal)
      } finally {
        giveBack()
      }
    })
  }

  return {
    sinkFor: (address) => ({
      deliver: (event) => async () => {
        const startedAt = performance.now()
        const answer = await post(address, event).catch((error: unknown): EndpointAnswer => ({ _tag: 'Unanswered', error }))
        return { ...readResult(answer, now()), durationMs: Math.round(performance.now() - startedAt) }
      },
    }),
    faultOfUrl: (url) => faultOfUrl(guard, url, allow.length > 0),
    close: () => {
      attempts.end()
      agents.close()
    },
  }
}

const faultOfUrl = (guard: AddressGuard, url: string, isAnyAllowed: boolean): string | undefined => {
  // Not `URL.canParse`: see `readEndpointAddress`.
  if (URL.parse(url) === null) return UNREADABLE
  const { host, scheme } = readEndpointAddress(url)
  // This name alone leads to one address everywhere (RFC 6761, section 6.3).
  const address = /^(?:.+\.)?localhost\.?$/.test(host) ? '127.0.0.1' : isIP(host) === 0 ? undefined : host
  if (address === undefined) return scheme === 'http:' && !isAnyAllowed ? HTTPS_ONLY : undefined
  if (guard.mayDial(address, scheme)) return undefined
  return guard.mayDial(address, 'https:') ? HTTPS_ONLY : NOT_PUBLIC
}

/** Runs attempts, each with a deadline, until they are all ended. */
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
