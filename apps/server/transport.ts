import { openUndiciTransport } from '../../adapters/cloud-api/open-undici.js'
import { type ClosableTransport, MAX_DOWNLOADS, type TransportOptions } from '../../adapters/cloud-api/transport.js'
import type { EventSink } from '../../core/events/delivery.js'
import type { Tracer, TracingDeps } from '../../core/kernel/tracing.js'
import type { Config } from './config.js'
import { version } from './package.js'

/** A transport that may still be loading. */
export type OpeningTransport = ClosableTransport & {
  /** Rejects if its client cannot be loaded. */
  readonly opened: Promise<unknown>
}

/** The transport's name, and how many sends may be admitted simultaneously. */
type TransportConfig = Pick<Config['platform'], 'transport' | 'maxInFlight'>

/** Opens the configured transport. */
export const openTransport = ({ transport, maxInFlight }: TransportConfig): OpeningTransport => {
  // One for each admitted send and one for each download, which first asks for the file's address.
  const connections = maxInFlight + MAX_DOWNLOADS
  const options: TransportOptions = { connections }
  const opened = transport === 'undici' ? openUndiciTransport(options) : openGotTransport(options)
  return {
    opened,
    send: async (request) => (await opened).send(request),
    download: async (request) => (await opened).download(request),
    upload: async (request) => (await opened).upload(request),
    close: async () => (await opened.catch(() => undefined))?.close(),
  }
}

/** Only one of the two clients is loaded. */
const openGotTransport = async (options: TransportOptions): Promise<ClosableTransport> => {
  const { makeGotTransport } = await import('../../adapters/cloud-api/got-transport.js')
  return makeGotTransport(options)
}

/** A broker that may still be loading. */
export type OpeningBroker = EventSink & {
  /** Rejects if the package that it needs is not installed. It resolves even if the broker is unreachable, because that may change. */
  readonly opened: Promise<unknown>
  readonly close: () => Promise<void>
}

type OpenBroker = EventSink & { readonly close: () => Promise<void> }

/** Opens the broker at an address. The packages of brokers are optional, so each is loaded only if it is configured. */
export const openBroker = (url: string, tracing: TracingDeps): OpeningBroker => {
  const opened = url.startsWith('nats:') ? openNats(url, tracing) : openAmqp(url, tracing)
  return {
    opened,
    deliver: async (event) => (await opened).deliver(event),
    close: async () => (await opened.catch(() => undefined))?.close(),
  }
}

const openNats = async (url: string, tracing: TracingDeps): Promise<OpenBroker> => {
  const { openNatsSink } = await import('../../adapters/brokers/nats.js')
  return openNatsSink(url, tracing)
}

const openAmqp = async (url: string, tracing: TracingDeps): Promise<OpenBroker> => {
  const { openAmqpSink } = await import('../../adapters/brokers/amqp.js')
  return openAmqpSink(url, tracing)
}

/** Opens the tracer of a gateway. Its package is optional, so it is loaded only if traces are enabled. */
export const openTraces = async (): Promise<Tracer> => {
  const { openTracer } = await import('../../adapters/opentelemetry/index.js')
  return openTracer(version())
}
