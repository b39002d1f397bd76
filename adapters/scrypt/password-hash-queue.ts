import * as E from 'fp-ts/lib/Either.js'
import type { PasswordHashSlot, PasswordHashQueue } from '../../core/access/passwords.js'
import { type Callers, makeCallers, makeLeastActiveQueue } from '../shared/callers.js'
import type { TooManyRequests } from '../../core/kernel/limits.js'
import { type Clock, SECOND_MS } from '../../core/kernel/time.js'

/** The limits of the queue; all are optional. */
export type PasswordHashQueueOptions = {
  /** How many passwords of anonymous callers are computed simultaneously; 1 by default. Known callers have one separate slot. */
  readonly anonymousAtOnce?: number
  /**
   * How many anonymous callers may wait, and how many known callers; 16 by default. As many displaced callers wait too, one of each network,
   * and are drawn at random.
   */
  readonly waiting?: number
  /** The longest wait, in milliseconds; 2.5 seconds by default, so that the answer arrives within three. */
  readonly waitMs?: number
  /**
   * The recent attempts of anonymous callers by network, if they are counted elsewhere. The console counts them, because it lets only a few requests of a flood
   * through. Without it, the queue counts them itself.
   */
  readonly anonymous?: Pick<Callers, 'asked' | 'forgive'>
  /** The minimum time between two slots for callers with many attempts, in milliseconds; 2 seconds by default. */
  readonly loudEveryMs?: number
  /** A monotonic clock; `performance.now` by default. */
  readonly now?: Clock
}

const WAITING = 16
const WAIT_MS = 2.5 * SECOND_MS

/**
 * A caller with more recent attempts than this rarely gets a slot, even if no other caller waits. So a flood uses a fifth of a processor instead of a whole one, and
 * messages are still sent. Eighty sign-ins in half a minute reach it, or one each second for a minute.
 */
const LOUD = 5
const LOUD_EVERY_MS = 2 * SECOND_MS

/** Creates the queue. */
export const makePasswordHashQueue = ({
  anonymousAtOnce = 1, waiting = WAITING, waitMs = WAIT_MS, loudEveryMs = LOUD_EVERY_MS, now = () => performance.now(), anonymous: noted,
}: PasswordHashQueueOptions = {}): PasswordHashQueue => {
  const common = { waiting, waitMs, loudEveryMs, now }
  const known = makeLine({ ...common, atOnce: 1, callers: makeCallers(now) })
  const anonymous = makeLine({
    ...common, atOnce: anonymousAtOnce, callers: noted === undefined ? makeCallers(now) : { ...noted, heard: () => undefined },
  })
  return { take: (of) => (of._tag === 'Known' ? known(of.name) : anonymous(of.network)) }
}

type Line = (caller: string) => Promise<E.Either<TooManyRequests, PasswordHashSlot>>
type LineOptions = Required<Pick<PasswordHashQueueOptions, 'waiting' | 'waitMs' | 'loudEveryMs' | 'now'>> & {
  readonly atOnce: number
  readonly callers: Callers
}
type Waiting = { readonly begin: () => void; readonly refuse: () => void }

/** The callers that wait for the same slots. */
const makeLine = ({ atOnce, waiting, waitMs, loudEveryMs, callers, now }: LineOptions): Line => {
  const queue = makeLeastActiveQueue<Waiting>(waiting, callers, { room: waiting, draw: Math.random })
  const refusal: TooManyRequests = { _tag: 'TooManyRequests', limit: 'all', retryAfterSeconds: Math.max(1, Math.ceil(waitMs / SECOND_MS)) }
  let [underWay, loudAt] = [0, -Infinity]
  let timer: NodeJS.Timeout | undefined

  const isLoud = (caller: string): boolean => (callers.asked([caller])[0] ?? 0) > LOUD
  const mayBegin = (caller: string): boolean => underWay < atOnce && (now() >= loudAt || !isLoud(caller))

  const slotOf = (caller: string): PasswordHashSlot => {
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

  const wait = (caller: string): Promise<E.Either<TooManyRequests, PasswordHashSlot>> =>
    new Promise((resolve) => {
      const deadline = setTimeout(() => {
        queue.remove(one)
        if (queue.size() === 0) clearTimeout(timer)
        one.refuse()
      }, waitMs)
      const one: Waiting = {
        begin: () => {
          clearTimeout(deadline)
          resolve(E.right(slotOf(caller)))
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
    return mayBegin(caller) ? E.right(slotOf(caller)) : wait(caller)
  }
}
