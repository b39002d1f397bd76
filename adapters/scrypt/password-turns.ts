import * as E from 'fp-ts/lib/Either.js'
import type { PasswordTurn, PasswordTurns } from '../../core/access/sign-in.js'
import { type Callers, makeCallers, makeLeastActiveQueue } from '../shared/callers.js'
import type { TooManyRequests } from '../../core/kernel/limits.js'
import { type Clock, SECOND_MS } from '../../core/kernel/time.js'

/** The bounds of the turns; all are optional. */
export type PasswordTurnsOptions = {
  /** How many passwords of anonymous callers are computed with at once; 1 by default. Those who are known have one turn besides. */
  readonly anonymousAtOnce?: number
  /** How many anonymous callers wait, and as many who are known; 16 by default. As many again wait for a turn by lot if they asked too much, one of each network. */
  readonly waiting?: number
  /** How long one waits, in milliseconds; 2.5 seconds by default, so that an answer comes within three. */
  readonly waitMs?: number
  /**
   * How often anonymous callers asked recently, by their networks, if that is counted before they come here. The console counts it, because it lets only a few
   * requests of a flood through. Without it, the turns count the callers themselves.
   */
  readonly anonymous?: Pick<Callers, 'asked' | 'forgive'>
  /** How long after a turn of one who asked often the next such one begins at the earliest, in milliseconds; 2 seconds by default. */
  readonly loudEveryMs?: number
  /** A clock that never goes back; `performance.now` by default. */
  readonly now?: Clock
}

const WAITING = 16
const WAIT_MS = 2.5 * SECOND_MS

/**
 * A caller who asked more often than this recently gets a turn only now and then, even if no other caller waits. So a flood takes a fifth of a processor and not
 * a whole one, and messages are sent meanwhile. It takes eighty sign-ins in half a minute, or one each second for a minute.
 */
const LOUD = 5
const LOUD_EVERY_MS = 2 * SECOND_MS

/** Makes the turns. */
export const makePasswordTurns = ({
  anonymousAtOnce = 1, waiting = WAITING, waitMs = WAIT_MS, loudEveryMs = LOUD_EVERY_MS, now = () => performance.now(), anonymous: noted,
}: PasswordTurnsOptions = {}): PasswordTurns => {
  const common = { waiting, waitMs, loudEveryMs, now }
  const known = makeLine({ ...common, atOnce: 1, callers: makeCallers(now) })
  const anonymous = makeLine({ ...common, atOnce: anonymousAtOnce, callers: noted === undefined ? makeCallers(now) : { ...noted, heard: () => undefined } })
  return { take: (of) => (of._tag === 'Known' ? known(of.name) : anonymous(of.network)) }
}

type Line = (caller: string) => Promise<E.Either<TooManyRequests, PasswordTurn>>
type LineOptions = Required<Pick<PasswordTurnsOptions, 'waiting' | 'waitMs' | 'loudEveryMs' | 'now'>> & { readonly atOnce: number; readonly callers: Callers }
type Waiting = { readonly begin: () => void; readonly refuse: () => void }

/** Those who wait for the same turns. */
const makeLine = ({ atOnce, waiting, waitMs, loudEveryMs, callers, now }: LineOptions): Line => {
  const queue = makeLeastActiveQueue<Waiting>(waiting, callers, { room: waiting, draw: Math.random })
  const refusal: TooManyRequests = { _tag: 'TooManyRequests', limit: 'all', retryAfterSeconds: Math.max(1, Math.ceil(waitMs / SECOND_MS)) }
  let [underWay, loudAt] = [0, -Infinity]
  let timer: NodeJS.Timeout | undefined

  const isLoud = (caller: string): boolean => (callers.asked([caller])[0] ?? 0) > LOUD
  const mayBegin = (caller: string): boolean => underWay < atOnce && (now() >= loudAt || !isLoud(caller))

  const turnOf = (caller: string): PasswordTurn => {
    underWay += 1
    if (isLoud(caller)) loudAt = now() + loudEveryMs
    let hasEnded = false
    return {
      end: (wasRight) => {
        if (hasEnded) return
        hasEnded = true
        underWay -= 1
        if (wasRight) callers.forgive(caller)
        beginNext()
      },
    }
  }

  const beginNext = (): void => {
    clearTimeout(timer)
    while (underWay < atOnce) {
      const next = queue.shift(now() >= loudAt ? Infinity : LOUD)
      if (next === undefined) break
      next.begin()
    }
    if (underWay < atOnce && queue.size() > 0) timer = setTimeout(beginNext, Math.max(1, loudAt - now()))
  }

  const wait = (caller: string): Promise<E.Either<TooManyRequests, PasswordTurn>> =>
    new Promise((resolve) => {
      const deadline = setTimeout(() => {
        queue.remove(one)
        if (queue.size() === 0) clearTimeout(timer)
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
      beginNext()
    })

  return async (caller) => {
    callers.heard(caller)
    return mayBegin(caller) ? E.right(turnOf(caller)) : wait(caller)
  }
}
