import { makeGotTransport, type ClosableTransport } from '../../adapters/cloud-api/index.js'
import type { Config } from './config.js'

/** A transport that may still be loading. */
export type OpeningTransport = ClosableTransport & {
  /** Rejects where the package it needs is not installed. */
  readonly opened: Promise<unknown>
}

/** Opens the transport that a configuration names. undici is an optional package, so it is loaded only where it is asked for. */
export const openTransport = (name: Config['platform']['transport']): OpeningTransport => {
  const opened = name === 'undici' ? openUndici() : Promise.resolve(makeGotTransport())
  return {
    opened,
    send: async (request) => (await opened).send(request),
    close: async () => (await opened.catch(() => undefined))?.close(),
  }
}

const openUndici = async (): Promise<ClosableTransport> => {
  const { makeUndiciTransport } = await import('../../adapters/cloud-api/undici-transport.js')
  return makeUndiciTransport()
}
