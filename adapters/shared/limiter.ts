import * as E from 'fp-ts/lib/Either.js'
import type { TooManyRequests } from '../../core/kernel/limits.js'
import { type Clock, SECOND_MS } from '../../core/kernel/time.js'

/** The limits of one caller. */
export type Allowance = {
  /** How many requests may be in progress simultaneously, including those that wait for their turn. */
  readonly atOnce: number
  /** How many requests may start in a second on average; without this limit no request waits. */
  readonly perSecond?: number
  /** How many requests may start together after a pause; 1 by default. */
  readonly burst?: number
}

/** An admitted request. */
export type Entered = {
  /** How long it must wait for its turn, in milliseconds. */
  readonly waitMs: number
  /** Ends the request, and charges the turns that it used beyond its first, depending on its size; ending it again changes nothing. */
  readonly leave: (more?: number) => void
}

/** Admits the requests of callers, each caller within the same limits. */
export type Limiter = {
  /** Counts a request of a caller. A request above the rate waits for its turn; a request above the concurrency limit is refused and changes nothing. */
  readonly enter: (caller: string) => E.Either<TooManyRequests, Entered>
}

/** The settings of a limiter; `limit` is its name in refusals. */
export type LimiterOptions = Allowance & {
  readonly limit: string
  readonly now: Clock
  /** How many callers are remembered; 10,000 by default. */
  readonly callers?: number
}

const CALLERS = 10_000

/** The requests of a caller that are in progress, and the end of the turns of all its admitted requests. */
type Known = { underWay: number; endsAt: number }

/**
 * Creates a limiter.
 *
 * The turns of a caller follow each other at equal intervals; `burst` of them may be taken ahead. If there are more callers than it remembers, it forgets those whose
 * last request is oldest and which have nothing in progress. So its memory is bounded, and a forgotten caller starts again with full limits.
 */
export const makeLimiter = ({ limit, atOnce, perSecond, burst = 1, now, callers: most = CALLERS }: LimiterOptions): Limiter => {
  const callers = new Map<string, Known>()
  const apartMs = perSecond === undefined ? 0 : SECOND_MS / perSecond

  const waitOf = ({ endsAt }: Known, at: number): number => Math.max(0, endsAt - burst * apartMs + apartMs - at)

  const remember = (caller: string, known: Known): void => {
    // The callers are in the order of their last requests.
    callers.delete(caller)
    if (callers.size >= most) forgetOne()
    callers.set(caller, known)
  }
  const forgetOne = (): void => {
    for (const [caller, { underWay }] of callers) {
      if (underWay > 0) continue
      callers.delete(caller)
      return
    }
  }

  return {
    enter: (caller) => {
      const at = now()
      const known = callers.get(caller) ?? { underWay: 0, endsAt: 0 }
      const waitMs = waitOf(known, at)
      if (known.underWay >= atOnce) {
        return E.left({ _tag: 'TooManyRequests', limit, retryAfterSeconds: Math.max(1, Math.ceil(waitMs / SECOND_MS)) })
      }
      known.underWay += 1
      known.endsAt = Math.max(known.endsAt, at) + apartMs
      remember(caller, known)
      let hasLeft = false
      return E.right({
        waitMs,
        leave: (more = 0) => {
          if (hasLeft) return
          hasLeft = true
          known.underWay -= 1
          known.endsAt += more * apartMs
          if (known.underWay === 0 && known.endsAt <= now() && callers.get(caller) === known) callers.delete(caller)
        },
      })
    },
  }
}

/** Enters several limiters, each as a caller. If one refuses, the limiters already entered are left again. The wait is the longest of all. */
export const enterAll = (limiters: ReadonlyArray<readonly [limiter: Limiter, caller: string]>): E.Either<TooManyRequests, Entered> => {
  const entered: Array<Entered> = []
  const leave = (more?: number): void => { for (const one of entered) one.leave(more) }
  for (const [limiter, caller] of limiters) {
    const one = limiter.enter(caller)
    if (E.isLeft(one)) {
      leave()
      return one
    }
    entered.push(one.right)
  }
  return E.right({ waitMs: Math.max(0, ...entered.map(({ waitMs }) => waitMs)), leave })
}
