import type { EventSink } from '../../core/events/delivery.js'

/** A broker that may still be loading. */
export type OpeningBroker = EventSink & {
  /** Rejects if the package that it needs is not installed. It resolves even if the broker is away, since that may change. */
  readonly opened: Promise<unknown>
  readonly close: () => Promise<void>
}

type OpenBroker = EventSink & { readonly close: () => Promise<void> }

/** Opens the broker at an address. The packages of brokers are optional, so each is loaded only if it is configured. */
export const openBroker = (url: string): OpeningBroker => {
  const opened = url.startsWith('nats:') ? openNats(url) : openAmqp(url)
  return {
    opened,
    deliver: (event) => async () => (await opened).deliver(event)(),
    close: async () => (await opened.catch(() => undefined))?.close(),
  }
}

const openNats = async (url: string): Promise<OpenBroker> => {
  const { openNatsSink } = await import('../../adapters/brokers/nats.js')
  return openNatsSink(url)
}

const openAmqp = async (url: string): Promise<OpenBroker> => {
  const { openAmqpSink } = await import('../../adapters/brokers/amqp.js')
  return openAmqpSink(url)
}
