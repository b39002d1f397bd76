import * as E from 'fp-ts/lib/Either.js'
import type { PlatformId } from '../../core/message.js'
import type { Outbound, Platform, PlatformError } from '../../core/ports/platform.js'

/** What the platform does with a message: accepts it, fails, or decides while something else goes on. */
export type Answer = PlatformError | 'accept' | ((outbound: Outbound) => Promise<PlatformError | 'accept'>)

/** A platform that accepts every message, unless told what to answer next. */
export const makeProgrammable = () => {
  const sent: Outbound[] = []
  const answers: Answer[] = []
  const platform: Platform = {
    send: (outbound) => async () => {
      sent.push(outbound)
      const next = answers.shift() ?? 'accept'
      const answer = typeof next === 'function' ? await next(outbound) : next
      return answer === 'accept' ? E.right(platformIdOf(outbound)) : E.left(answer)
    },
  }
  return {
    platform,
    sent,
    willAnswer: (...next: ReadonlyArray<Answer>) => void answers.push(...next),
    /** What it answers next, in place of all that was told it before. */
    willNextAnswer: (next: Answer) => void answers.splice(0, answers.length, next),
  }
}

/** The id under which the platform accepts a message. */
export const platformIdOf = ({ id }: Pick<Outbound, 'id'>): PlatformId => `wamid.${id}` as PlatformId

/** Every way in which the platform fails to accept, and the tag of the failure. */
export const REJECTED = { _tag: 'PlatformRejected', error: { code: 132_001, message: 'no such template' } } as const
export const THROTTLED = { _tag: 'PlatformThrottled', error: { code: 130_429 }, retryAfterSeconds: 7 } as const
export const CREDENTIALS = { _tag: 'CredentialsRefused', error: { code: 190 } } as const
export const UNREACHABLE = { _tag: 'PlatformUnreachable', cause: 'ECONNREFUSED' } as const
export const UNKNOWN = { _tag: 'OutcomeUnknown', cause: 'ECONNRESET' } as const
