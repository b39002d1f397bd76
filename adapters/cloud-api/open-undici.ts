import type { ClosableTransport, TransportOptions } from './transport.js'
import type * as Undici from './undici-transport.js'

/**
 * Opens a transport over undici, an optional package, which costs a fifth of got's processor time: nothing is retried, redirects are not followed.
 * undici is loaded here and not before; the error names it where it is missing.
 */
export const openUndiciTransport = async (options: TransportOptions = {}): Promise<ClosableTransport> => {
  const { makeUndiciTransport } = await loadTransport()
  return makeUndiciTransport(options)
}

const loadTransport = async (): Promise<typeof Undici> => {
  try {
    return await import('./undici-transport.js')
  } catch (cause) {
    if (!(cause instanceof Error) || !cause.message.includes("'undici'")) throw cause
    throw new Error('the package undici is needed for this transport and not installed; `npm install undici` adds it', { cause })
  }
}
