import type * as Nats from 'nats'
import type { ConnectionOptions, JetStreamClient, JetStreamManager, MsgHdrs, NatsConnection } from 'nats'
import type { EventSink } from '../../core/events/delivery.js'
import { hasUsableHost, USABLE_HOST } from '../../core/kernel/address.js'
import { type Event, eventView } from '../../core/kernel/outbox.js'
import { HOUR_MS, SECOND_MS } from '../../core/kernel/time.js'
import type { TracingDeps } from '../../core/kernel/tracing.js'
import { type Connector, keepConnected, publishResult, within } from './kept-connection.js'

/** Loads the optional package `nats`; the error names it where it is missing. */
const loadNats = async (): Promise<typeof Nats> => {
  try {
    return await import('nats')
  } catch (cause) {
    if (!(cause instanceof Error) || !cause.message.includes("'nats'")) throw cause
    throw new Error('the package nats is needed for such a broker and not installed; `npm install nats` adds it', { cause })
  }
}

const SENTENCES: Readonly<Record<string, string>> = {
  AUTHORIZATION_VIOLATION: 'The broker refuses the credentials',
  AUTHENTICATION_EXPIRED: 'The broker refuses the credentials',
  PERMISSIONS_VIOLATION: 'The broker does not let this user publish events',
  MAX_PAYLOAD_EXCEEDED: 'The event is larger than the broker takes',
  TIMEOUT: 'The broker did not confirm the event in time',
  503: 'The broker has no stream that takes events; JetStream must be switched on',
}

const ABOUT_EVENT = 'MAX_PAYLOAD_EXCEEDED'

/** What is wrong, in a sentence. The library's messages are not shown, because they may name addresses. */
export const failureSentence = (error: unknown): string => SENTENCES[codeOf(error)] ?? 'The broker cannot be reached, or did not take the event'

/** Whether an error concerns one event, and not the connection. */
export const isAboutEvent = (error: unknown): boolean => codeOf(error) === ABOUT_EVENT

const codeOf = (error: unknown): string => (error instanceof Error && 'code' in error && typeof error.code === 'string' ? error.code : '')

/** A sink that publishes to NATS JetStream. */
export type NatsSink = EventSink & {
  /** Closes the connection; every later delivery fails. */
  readonly close: () => Promise<void>
}

/** How events are published. The span of a tracer is named in the header `traceparent` of each event; where it is absent, there is no such header. */
export type NatsOptions = TracingDeps & {
  /** How long the broker may take to confirm an event; 10 seconds by default. */
  readonly timeoutMs?: number
}

type Stream = { readonly connection: NatsConnection; readonly client: JetStreamClient }

const TIMEOUT_MS = 10 * SECOND_MS
const CONNECT_MS = 5 * SECOND_MS
const CLOSE_MS = 2 * SECOND_MS
const PING_MS = 5 * SECOND_MS

/** The stream that takes the events. An operator may create it before, with other limits. */
const STREAM = 'POSTERN'
const SUBJECTS = 'postern.>'
/** How long JetStream remembers the ids of events, to drop what it already has, in nanoseconds. */
const DEDUPLICATION_NS = HOUR_MS * 1e6
/** How long JetStream keeps the events of a stream that this sink created, in nanoseconds: 30 days. */
const MAX_AGE_NS = 30 * 24 * HOUR_MS * 1e6

/**
 * Opens a sink that publishes to the subjects `postern.<workspace>.<type>` of the server at a URL, such as `nats://user:password@host:4222`.
 *
 * A broker that is away is connected to later. It rejects where the URL cannot be read or the package `nats` is not installed.
 */
export const openNatsSink = async (url: string, { timeoutMs = TIMEOUT_MS, tracer }: NatsOptions = {}): Promise<NatsSink> => {
  const { connect, headers } = await loadNats()
  const options = optionsOf(url)
  const kept = await keepConnected<Stream>(connector(() => connect(options)))

  /** The header of NATS that names the span, where there is one. */
  const traceHeaders = (): { readonly headers?: MsgHdrs } => {
    const context = tracer?.current()
    if (context === undefined) return {}
    const all = headers()
    all.set('traceparent', context)
    return { headers: all }
  }

  const publish = async (event: Event): Promise<void> => {
    const current = kept.current()
    if (current.connection === undefined) throw current.error
    try {
      const data = new TextEncoder().encode(JSON.stringify(eventView(event)))
      await current.connection.client.publish(subjectOf(event), data, {
        msgID: event.id, timeout: timeoutMs, expect: { streamName: STREAM }, ...traceHeaders(),
      })
    } catch (error) {
      // The next connection finds out what is wrong, and creates the stream if it is gone. Nothing that was not confirmed waits in the old one.
      if (!isAboutEvent(error)) void shut(current.connection)
      throw error
    }
  }

  return {
    deliver: (event) => publishResult(publish(event), failureSentence),
    close: kept.end,
  }
}

const connector = (connect: () => Promise<NatsConnection>): Connector<Stream> => ({
  open: async (onLost) => {
    const connection = await connect()
    void connection.closed().then(onLost)
    try {
      await ensureStream(await connection.jetstreamManager({ timeout: CONNECT_MS }))
      return { connection, client: connection.jetstream({ timeout: CONNECT_MS }) }
    } catch (error) {
      await shut({ connection })
      throw error
    }
  },
  shut,
})

const shut = async ({ connection }: Pick<Stream, 'connection'>): Promise<void> => {
  await within(CLOSE_MS, connection.close()).catch(() => undefined)
}

/** Creates the stream where there is none. Several gateways may do so at once: creating it with the same limits changes nothing. */
const ensureStream = async ({ streams }: JetStreamManager): Promise<void> => {
  const names = await streams.names(SUBJECTS).next()
  if (!names.includes(STREAM)) {
    await streams.add({ name: STREAM, subjects: [SUBJECTS], duplicate_window: DEDUPLICATION_NS, max_age: MAX_AGE_NS })
  }
}

/** What the library needs. It reads no user and no password from an address. `keepConnected` opens lost connections again, so the library does not. */
const optionsOf = (url: string): ConnectionOptions => {
  if (!URL.canParse(url)) throw new Error('the URL of the broker cannot be read')
  const { host, username, password } = new URL(url)
  if (!hasUsableHost(url)) throw new Error(`the URL of the broker needs ${USABLE_HOST}`)
  const user = decodeURIComponent(username)
  return {
    servers: host, name: 'postern', timeout: CONNECT_MS, reconnect: false, pingInterval: PING_MS, maxPingOut: 2,
    ...(password !== '' ? { user, pass: decodeURIComponent(password) } : user !== '' && { token: user }),
  }
}

/** The subject of an event. Characters of a workspace's id that mean something in a subject are replaced; the ids that this package makes have none. */
export const subjectOf = ({ workspace, type }: Pick<Event, 'workspace' | 'type'>): string => `postern.${workspace.replaceAll(/[^A-Za-z0-9_-]/g, '_')}.${type}`
