import * as E from 'fp-ts/lib/Either.js'
import { recordKeyOf } from '../../core/customers/customer.js'
import { type PairLimitReached, type PairLimits, type PairTaking, takePair } from '../../core/customers/pair-limit.js'
import type { Instant } from '../../core/kernel/time.js'
import type { SendLimits } from '../../core/money/ledger.js'
import {
  countInbound, NO_SLOTS_TAKEN, type SenderBudget, type SenderLimitReached, type SenderSlot, type SenderSlots, slowedDown, type SlotTaking,
  takeSenderSlot,
} from '../../core/senders/sender-budget.js'
import type { SenderOf } from '../../core/senders/sender.js'
import { atomic, infallible } from './kernel.js'

/** The time until which the limit of each pair is used up. */
export type PairSlots = Map<string, Instant>

/** The budgets of senders, and the clock of their slots. */
export type SenderSlotState = { readonly slots: Map<string, SenderSlots>; readonly now: () => Instant }

const pairOf = ({ workspace, inbox, customer }: PairTaking): string => `${workspace} ${inbox} ${recordKeyOf(customer)}`

/** Takes a slot of a pair. */
const takePairSlot = (pairs: PairSlots, taking: PairTaking): E.Either<PairLimitReached, void> =>
  E.map((next: Instant) => { pairs.set(pairOf(taking), next) })(takePair(taking.limit, pairs.get(pairOf(taking)), taking.at))

/** The limits of pairs in memory. */
export const makeMemoryPairLimits = (pairs: PairSlots): PairLimits => ({ take: (taking) => atomic(() => takePairSlot(pairs, taking)) })

const senderNameOf = ({ workspace, sender }: SenderOf): string => `${workspace} ${sender}`
const MS_US = 1_000

const takeSlot = ({ slots, now }: SenderSlotState, taking: SlotTaking): E.Either<SenderLimitReached, SenderSlot> => {
  const at = now() * MS_US
  const taken = takeSenderSlot(taking, slots.get(senderNameOf(taking)) ?? NO_SLOTS_TAKEN, at)
  if (E.isLeft(taken)) return taken
  slots.set(senderNameOf(taking), taken.right.after)
  return E.right({ slot: taken.right.slot, now: at })
}

/** The budgets of senders in memory. */
export const makeMemorySenderBudget = (state: SenderSlotState): SenderBudget => ({
  take: (taking) => atomic(() => takeSlot(state, taking)),
  slowDown: (of, why) => infallible(() => {
    const name = senderNameOf(of)
    state.slots.set(name, slowedDown(state.slots.get(name) ?? NO_SLOTS_TAKEN, why, of.perSecond, state.now() * MS_US))
  }),
  countInbound: (of) => infallible(() => {
    const name = senderNameOf(of)
    state.slots.set(name, countInbound(state.slots.get(name) ?? NO_SLOTS_TAKEN, of.perSecond, state.now() * MS_US))
  }),
})

/** Takes the slots of a message, all or none. */
export const takeLimits = (
  pairs: PairSlots, budget: SenderSlotState, { pair, slot }: SendLimits,
): E.Either<PairLimitReached | SenderLimitReached, SenderSlot | undefined> => {
  const next = pair && takePair(pair.limit, pairs.get(pairOf(pair)), pair.at)
  if (next !== undefined && E.isLeft(next)) return next
  const taken = slot && takeSlot(budget, slot)
  if (taken !== undefined && E.isLeft(taken)) return taken
  if (pair !== undefined) takePairSlot(pairs, pair)
  return E.right(taken?.right)
}
