import * as E from 'fp-ts/lib/Either.js'
import { recordKeyOf } from '../../core/customers/customer.js'
import { type PairLimitReached, type PairLimits, type PairTaking, takePair } from '../../core/customers/pair-limit.js'
import type { Instant } from '../../core/kernel/time.js'
import { atomic } from './kernel.js'

/** The time until which the limit of each pair is used up. */
export type PairSlots = Map<string, Instant>

/** Takes a slot of a pair. */
export const takeSlot = (
  pairs: PairSlots, { workspace, inbox, customer, at, limit }: PairTaking,
): E.Either<PairLimitReached, void> => {
  const pair = `${workspace} ${inbox} ${recordKeyOf(customer)}`
  return E.map((next: Instant) => { pairs.set(pair, next) })(takePair(limit, pairs.get(pair), at))
}

/** The limits of pairs in memory. */
export const makeMemoryPairLimits = (pairs: PairSlots): PairLimits => ({ take: (taking) => atomic(() => takeSlot(pairs, taking)) })
