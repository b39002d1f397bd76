import * as E from 'fp-ts/lib/Either.js'
import type { PortFailure } from '../kernel/failure.js'
import type { InboxOf } from '../kernel/ids.js'
import { type Instant, SECOND_MS } from '../kernel/time.js'
import type { CustomerId } from './customer.js'

/** How many messages one sender may send to one customer: one in each interval, and bursts that borrow from later intervals. */
export type PairLimit = {
  /** The interval, in whole milliseconds. */
  readonly intervalMs: number
  /** The maximum number of messages in a burst, at least 1. After one, it takes that many intervals until the whole burst is available again. */
  readonly burst: number
}

/** The platform's own limit for a pair; a message above it is refused with the platform's error 131056. */
export const PLATFORM_PAIR_LIMIT: PairLimit = { intervalMs: 6 * SECOND_MS, burst: 45 }

/** The sender has sent this customer as many messages as the limit allows; the next one is allowed at `retryAt`. */
export type PairLimitReached = { readonly _tag: 'PairLimitReached'; readonly retryAt: Instant }

/**
 * Takes the next slot of a pair at a given time. `next` is the time until which the earlier messages have used up the limit: the theoretical arrival time
 * of the generic cell rate algorithm; `undefined` if there was none. Right: its new value.
 *
 * Each message moves it on by one interval, and it is at most `burst` intervals ahead of the clock. So any period of length T has at most
 * `burst + T / intervalMs` messages.
 */
export const takePair = (
  { intervalMs, burst }: PairLimit, next: Instant | undefined, now: Instant,
): E.Either<PairLimitReached, Instant> => {
  const after = Math.max(next ?? now, now) + intervalMs
  const retryAt = after - burst * intervalMs
  return retryAt > now ? E.left({ _tag: 'PairLimitReached', retryAt }) : E.right(after)
}

/** The sender and the customer of a message: the inbox of the sender, and the id that is sent to the platform. Variants of one number are one customer. */
export type Pair = InboxOf & { readonly customer: CustomerId }

/** A slot to be taken, at a time and by a limit. */
export type PairTaking = Pair & { readonly at: Instant; readonly limit: PairLimit }

/** The slots of pairs of a sender and a customer. */
export interface PairLimits {
  /**
   * Takes the next slot of a pair (`takePair` is the rule). Left `PairLimitReached`: nothing was taken. After a `PortFailure` the slot may have been taken.
   *
   * Concurrent calls never take more than the limit allows. Each pair has its own slots. Slots are never returned.
   */
  readonly take: (taking: PairTaking) => Promise<E.Either<PairLimitReached | PortFailure, void>>
}
