import * as E from 'fp-ts/lib/Either.js'
import type { PasswordTurn, PasswordTurns, TooManyRequests } from '../../core/ports/password-turns.js'
import { makeQuietFirst } from '../../core/quiet-first.js'
import { SECOND_MS, type Clock } from '../../core/time.js'

/** The bounds of the turns; all are optional. */
export type PasswordTurnsOptions = {
  /** How many passwords of strangers are computed with at once; 1 by default. Those who are known have one turn besides. */
  readonly strangersAtOnce?: number
  /** How many strangers wait, and as many who are known; 16 by default. */
  readonly waiting?: number
  /** How long one waits, in milliseconds; 2.5 seconds by default, so that an answer comes within three. */
  readonly waitMs?: number
  /** A clock that never goes back; `performance.now` by default. */
  readonly now?: Clock
}

const WAITING = 16
const WAIT_MS = 2.5 * SECOND_MS

/** Makes the turns. */
export const makePasswordTurns = (
  { strangersAtOnce = 1, waiting = WAITING, waitMs = WAIT_MS, now = () => performance.now() }: PasswordTurnsOptions = {},
): PasswordTurns => {
  const [known, strangers] = [makeLine({ atOnce: 1, waiting, waitMs, now }), makeLine({ atOnce: strangersAtOnce, waiting, waitMs, now })]
  return { take: (of) => () => (of._tag === 'Known' ? known(of.name) : strangers(of.network)) }
}

type Line = (caller: string) => Promise<E.Either<TooManyRequests, PasswordTurn>>
type LineOptions = { readonly atOnce: number } & Required<Pick<PasswordTurnsOptions, 'waiting' | 'waitMs' | 'now'>>
type Waiting = { readonly begin: () => void; readonly refuse: () => void }

/** Those who wait for the same turns. */
const makeLine = ({ atOnce, waiting, waitMs, now }: LineOptions): Line => {
  const queue = makeQuietFirst<Waiting>({ capacity: waiting, now })
  const refusal: TooManyRequests = { _tag: 'TooManyRequests', limit: 'all', retryAfterSeconds: Math.max(1, Math.ceil(waitMs / SECOND_MS)) }
  let underWay = 0

  const turnOf = (caller: string): PasswordTurn => {
    let hasEnded = false
    return {
      end: (wasRight) => {
        if (hasEnded) return
        hasEnded = true
        if (wasRight) queue.forgive(caller)
        const next = queue.shift()
        // A turn that ends passes its place on.
        if (next === undefined) underWay -= 1
        else next.begin()
      },
    }
  }

  const wait = (caller: string): Promise<E.Either<TooManyRequests, PasswordTurn>> =>
    new Promise((resolve) => {
      const deadline = setTimeout(() => {
        queue.remove(one)
        one.refuse()
      }, waitMs)
      const one: Waiting = {
        begin: () => {
          clearTimeout(deadline)
          resolve(E.right(turnOf(caller)))
        },
        refuse: () => {
          clearTimeout(deadline)
          resolve(E.left(refusal))
        },
      }
      queue.push(caller, one)?.refuse()
    })

  return async (caller) => {
    queue.heard(caller)
    if (underWay >= atOnce) return wait(caller)
    underWay += 1
    return E.right(turnOf(caller))
  }
}
