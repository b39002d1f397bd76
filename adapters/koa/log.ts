import type { Cause } from '../../core/cause.js'

/** How grave an event is. */
export type LogLevel = 'debug' | 'info' | 'warn' | 'error'

/** Takes an event, named in snake case, and what is worth knowing of it; never a secret, a text or a phone number. */
export type Log = (level: LogLevel, event: string, fields: Readonly<Record<string, string | number | Cause>>) => void

/** The same function, which never throws: a log that fails must not turn a message that was sent into an error. */
export const ignoreErrors =
  <Args extends ReadonlyArray<unknown>>(work: ((...args: Args) => void) | undefined) =>
  (...args: Args): void => {
    try {
      work?.(...args)
    } catch {
      // The log itself failed, so there is no place to report it.
    }
  }
