import type { Cause } from '../../core/kernel/failure.js'

/** The severity of an event. */
export type LogLevel = 'debug' | 'info' | 'warn' | 'error'

/** Logs an event, named in snake case, with its fields; they never contain a secret, a message's text or a phone number. */
export type Log = (level: LogLevel, event: string, fields: Readonly<Record<string, string | number | Cause>>) => void

/** The same function, but it never throws: a failed log must not turn a sent message into an error. */
export const ignoreErrors =
  <Args extends ReadonlyArray<unknown>>(work: ((...args: Args) => void) | undefined) =>
  (...args: Args): void => {
    try {
      work?.(...args)
    } catch {
      // The log itself failed, so there is no place to report it.
    }
  }
