import * as E from 'fp-ts/lib/Either.js'
import type { PlatformError } from '../../core/kernel/failure.js'
import type { Accepted, PlatformId } from '../../core/messages/message.js'
import type { Outbound, Platform } from '../../core/sending/dispatch.js'

/** The platform's answer to a message: it accepts, perhaps with what it knows of the customer, fails, or decides while something else happens. */
export type Answer = Outcome | ((outbound: Outbound) => Promise<Outcome>)
type Outcome = PlatformError | 'accept' | Omit<Accepted, 'platformId'>

/** A platform that accepts every message, unless its next answers are set. */
export const makeScriptedPlatform = () => {
  const sent: Outbound[] = []
  const answers: Answer[] = []
  let gate = Promise.resolve()
  const platform: Platform = {
    send: async (outbound) => {
      sent.push(outbound)
      const next = answers.shift() ?? 'accept'
      const answer = typeof next === 'function' ? await next(outbound) : next
      await gate
      if (answer === 'accept') return E.right({ platformId: platformIdOf(outbound) })
      return '_tag' in answer ? E.left(answer) : E.right({ ...answer, platformId: platformIdOf(outbound) })
    },
  }
  return {
    platform,
    sent,
    willAnswer: (...next: ReadonlyArray<Answer>) => void answers.push(...next),
    /** Sets the next answer and removes those that were set before. */
    willNextAnswer: (next: Answer) => void answers.splice(0, answers.length, next),
    /** Delays every answer until the returned function is called. */
    hold: (): (() => void) => {
      let release = (): void => {}
      gate = new Promise((resolve) => { release = resolve })
      return release
    },
  }
}

/** The id under which the platform accepts a message, with the characters of real ones that a URL has to escape. */
export const platformIdOf = ({ id }: Pick<Outbound, 'id'>): PlatformId => `wamid.HBgM/${id}+==` as PlatformId

/** One failure of each kind with which the platform does not accept a message. */
export const REJECTED = { _tag: 'PlatformRejected', error: { code: 132_001, message: 'no such template' } } as const
export const THROTTLED = { _tag: 'PlatformThrottled', error: { code: 130_429 }, retryAfterSeconds: 7 } as const
export const CREDENTIALS = { _tag: 'CredentialsRefused', error: { code: 190 } } as const
export const UNREACHABLE = { _tag: 'PlatformUnreachable', cause: 'ECONNREFUSED' } as const
export const UNKNOWN = { _tag: 'OutcomeUnknown', cause: 'ECONNRESET' } as const
