import type { ClosableTransport, TransportOptions } from './transport.js'

/**
 * Opens a transport over undici, which costs a fifth of got's processor time: nothing is retried, redirects are not followed. undici uses some 30 MB, so it is only
 * loaded here.
 */
export const openUndiciTransport = async (options: TransportOptions = {}): Promise<ClosableTransport> => {
  const { makeUndiciTransport } = await import('./undici-transport.js')
  return makeUndiciTransport(options)
}
