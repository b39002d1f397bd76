import { Duplex } from 'node:stream'
import type * as Amqp from 'amqplib'
import type { ChannelModel, ConfirmChannel } from 'amqplib'
import type { EventSink } from '../../core/events/delivery.js'
import { hasUsableHost, USABLE_HOST } from '../../core/kernel/address.js'
import { type Event, eventView } from '../../core/kernel/outbox.js'
import { SECOND_MS } from '../../core/kernel/time.js'
import type { TraceContext, TracingDeps } from '../../core/kernel/tracing.js'
import { type Connector, keepConnected, publishResult, TookTooLong, within } from './kept-connection.js'

/** Loads the optional package `amqplib`; the error names it where it is missing. */
const loadAmqp = async (): Promise<typeof Amqp> => {
  try {
    return await import('amqplib')
  } catch (cause) {
    if (!(cause instanceof Error) || !cause.message.includes("'amqplib'")) throw cause
    throw new Error('the package amqplib is needed for such a broker and not installed; `npm install amqplib` adds it', { cause })
  }
}

/** The broker has said that it reads nothing at the moment. */
export class Blocked extends Error {}

const ACCESS_REFUSED = 403
const PRECONDITION_FAILED = 406

/** What is wrong, in a sentence. The library's messages are not shown, because they may name addresses. */
export const failureSentence = (error: unknown): string => {
  if (error instanceof Blocked) return 'The broker is short of memory or disk and takes no events'
  if (error instanceof TookTooLong) return 'The broker did not confirm the event in time'
  const code = error instanceof Error && 'code' in error ? error.code : undefined
  if (code === ACCESS_REFUSED || isRefusedHandshake(error)) return 'The broker refuses the credentials, or does not let this user publish events'
  if (code === PRECONDITION_FAILED) return 'The broker has an exchange of that name that is not a durable topic exchange'
  return 'The broker cannot be reached, or did not take the event'
}

/** The library gives no code to what ends the handshake. */
const isRefusedHandshake = (error: unknown): boolean => error instanceof Error && /ACCESS.REFUSED/.test(error.message)

/** A sink that publishes to RabbitMQ. */
export type AmqpSink = EventSink & {
  /** Closes the connection; every later delivery fails. */
  readonly close: () => Promise<void>
}

/** How events are published. The span of a tracer is named in the header `traceparent` of each event; where it is absent, there is no such header. */
export type AmqpOptions = TracingDeps & {
  /** How long the broker may take to confirm an event; 10 seconds by default. */
  readonly timeoutMs?: number
  /** The topic exchange, which is created where it does not exist; `postern` by default. */
  readonly exchange?: string
}

type Connection = {
  /** Closes it, so that another one is opened. */
  readonly drop: () => Promise<void>
  readonly channel: ConfirmChannel
  /** The broker is short of memory or disk, and reads nothing from this connection. */
  readonly isBlocked: () => boolean
}

const TIMEOUT_MS = 10 * SECOND_MS
const CONNECT_MS = 5 * SECOND_MS
const CLOSE_MS = 2 * SECOND_MS
const HEARTBEAT_SECONDS = 10

/**
 * Opens a sink that publishes to a durable topic exchange, with routing keys `<workspace>.<type>`, at a URL such as `amqp://user:password@host:5672/vhost`.
 *
 * The broker confirms what it has stored; an event for which no queue is bound is confirmed too. A broker that is away is connected to later. It rejects where
 * the URL cannot be read or the package `amqplib` is not installed.
 */
export const openAmqpSink = async (
  url: string, { timeoutMs = TIMEOUT_MS, exchange = 'postern', tracer }: AmqpOptions = {},
): Promise<AmqpSink> => {
  const { connect } = await loadAmqp()
  const address = withHeartbeat(url)
  const kept = await keepConnected(connector(() => connect(address, { timeout: CONNECT_MS, noDelay: true }), exchange))

  const publish = async (event: Event): Promise<void> => {
    const current = kept.current()
    if (current.connection === undefined) throw current.error
    if (current.connection.isBlocked()) throw new Blocked()
    try {
      await within(timeoutMs, confirmed(current.connection.channel, exchange, event, tracer?.current()))
    } catch (error) {
      // Nothing that was not confirmed waits in the old connection.
      void current.connection.drop()
      throw error
    }
  }

  return {
    deliver: (event) => publishResult(publish(event), failureSentence),
    close: kept.end,
  }
}

const confirmed = (channel: ConfirmChannel, exchange: string, event: Event, traceparent: TraceContext | undefined): Promise<void> =>
  new Promise((resolve, reject) => {
    const body = Buffer.from(JSON.stringify(eventView(event)))
    channel.publish(
      exchange, `${event.workspace}.${event.type}`, body,
      {
        persistent: true, contentType: 'application/json', messageId: event.id, type: event.type,
        timestamp: Math.floor(event.at / SECOND_MS), ...(traceparent !== undefined && { headers: { traceparent } }),
      },
      (error: unknown) => {
        if (error === null || error === undefined) resolve()
        else reject(error instanceof Error ? error : new Error('refused', { cause: error }))
      },
    )
  })

const connector = (connect: () => Promise<ChannelModel>, exchange: string): Connector<Connection> => ({
  open: async (onLost) => {
    const model = await connect()
    let isBlocked = false
    let dropped: Promise<void> | undefined
    const drop = (): Promise<void> => (dropped ??= shut(model).then(onLost))
    model.on('error', () => undefined)
    model.on('close', onLost)
    model.on('blocked', () => { isBlocked = true })
    model.on('unblocked', () => { isBlocked = false })
    try {
      const channel = await within(CONNECT_MS, openChannel(model, exchange))
      channel.on('close', () => void drop())
      return { drop, channel, isBlocked: () => isBlocked }
    } catch (error) {
      await drop()
      throw error
    }
  },
  shut: ({ drop }) => drop(),
})

const openChannel = async (model: ChannelModel, exchange: string): Promise<ConfirmChannel> => {
  const channel = await model.createConfirmChannel()
  channel.on('error', () => undefined)
  await channel.assertExchange(exchange, 'topic', { durable: true })
  return channel
}

/** Closes a connection; one to a broker that does not answer is destroyed. It may be closed already. */
const shut = async (model: ChannelModel): Promise<void> => {
  try {
    await within(CLOSE_MS, model.close())
  } catch {
    const { connection } = model
    // With an error, so that the library sees the end of the connection; without one its heartbeat would go on for twenty seconds.
    if ('stream' in connection && connection.stream instanceof Duplex) connection.stream.destroy(new Error('the broker does not answer'))
  }
}

const withHeartbeat = (url: string): string => {
  if (!URL.canParse(url)) throw new Error('the URL of the broker cannot be read')
  if (!hasUsableHost(url)) throw new Error(`the URL of the broker needs ${USABLE_HOST}`)
  const address = new URL(url)
  if (!address.searchParams.has('heartbeat')) address.searchParams.set('heartbeat', String(HEARTBEAT_SECONDS))
  return address.href
}
