import type * as Nats from 'nats'

/** Loads the optional package `nats`; the error names it where it is missing. */
export const loadNats = async (): Promise<typeof Nats> => {
  try {
    return await import('nats')
  } catch (cause) {
    if (!(cause instanceof Error) || !cause.message.includes("'nats'")) throw cause
    throw new Error('the package nats is needed for such a broker and not installed; `npm install nats` adds it', { cause })
  }
}
