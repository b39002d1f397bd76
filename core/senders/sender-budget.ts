import * as E from 'fp-ts/lib/Either.js'
import type { PortFailure } from '../kernel/failure.js'
import { MINUTE_MS, SECOND_MS } from '../kernel/time.js'
import { type KnownNumbers, makeKnownNumbers } from './number-health.js'
import type { SenderOf } from './sender.js'

/** The number of microseconds in a millisecond and in a second. Slots are whole microseconds of the storage's clock. */
const MS_US = 1_000
const SECOND_US = SECOND_MS * MS_US

/** How many messages a second the platform accepts from a sender whose level is not known. */
export const PLATFORM_MESSAGES_PER_SECOND = 80

/**
 * The budget of a sender: the first slot that is not taken, and the rate after the platform refused a message for sending too fast; without `slowed`, the whole rate
 * of the sender holds. Times are microseconds of the storage's clock.
 */
export type SenderSlots = {
  readonly nextSlot: number
  readonly slowed?: { readonly perSecond: number; readonly at: number } | undefined
}

/** The budget of a sender that has sent nothing. */
export const NO_SLOTS_TAKEN: SenderSlots = { nextSlot: 0 }

/** A sender may send no more for now: its next slot begins in `retryAfterMs`. */
export type SenderLimitReached = { readonly _tag: 'SenderLimitReached'; readonly retryAfterMs: number }

/** The rate of a sender, in messages a second, and how long a message may wait for its slot. */
export type SenderRate = { readonly perSecond: number; readonly maxWaitMs: number }

/** The present rate: the whole one, or the slowed one, which grows by one message a second each second. */
export const rateOf = ({ slowed }: SenderSlots, perSecond: number, now: number): number =>
  slowed === undefined ? perSecond : Math.min(perSecond, slowed.perSecond + Math.max(0, Math.floor((now - slowed.at) / SECOND_US)))

/** The distance of two slots, in microseconds, rounded up so that no rounding sends more. */
export const slotLength = (perSecond: number): number => Math.ceil(SECOND_US / perSecond)

/**
 * Takes the next slot of a sender at a time of the storage's clock. Right: the slot, and the budget after it.
 *
 * Slots are disjoint, whichever gateways take them, and a slot is not earlier than `now`. So if every message leaves within a time J after the beginning of its slot, at
 * most `rate × (T + J)`, rounded up, leave in any period of length T.
 */
export const takeSenderSlot = (
  { perSecond, maxWaitMs }: SenderRate, slots: SenderSlots, now: number,
): E.Either<SenderLimitReached, { readonly slot: number; readonly after: SenderSlots }> => {
  const slot = Math.max(slots.nextSlot, now)
  const late = slot - now - maxWaitMs * MS_US
  if (late > 0) return E.left({ _tag: 'SenderLimitReached', retryAfterMs: Math.ceil(late / MS_US) })
  const rate = rateOf(slots, perSecond, now)
  const nextSlot = slot + slotLength(rate)
  return E.right({ slot, after: rate < perSecond ? { ...slots, nextSlot } : { nextSlot } })
}

/** Why the platform wants a sender to be slower: it refused a message for sending too fast (130429), or the number is being moved to a faster level (131057). */
export type SlowDown = 'throttled' | 'maintenance'

/** How long a sender pauses while its number is being moved to a faster level. */
const MAINTENANCE_MS = MINUTE_MS

/**
 * Slows a sender down. Each `throttled` halves its rate, at most once a second, because messages that were already under way are refused together. The rate then grows by one
 * message a second each second. `maintenance` gives no slot for a minute.
 */
export const slowedDown = (slots: SenderSlots, why: SlowDown, perSecond: number, now: number): SenderSlots => {
  if (why === 'maintenance') return { ...slots, nextSlot: Math.max(slots.nextSlot, now + MAINTENANCE_MS * MS_US) }
  if (slots.slowed !== undefined && now < slots.slowed.at + SECOND_US) return slots
  return { ...slots, slowed: { perSecond: Math.max(1, Math.floor(rateOf(slots, perSecond, now) / 2)), at: now } }
}

/**
 * Counts a message of a customer, which uses up the throughput of the sender as a message to a customer does. The next slot moves on by one slot of the whole rate, but never to more than a second
 * after the last one for which a message may wait: more messages than the platform counts in a second take nothing from the following ones.
 */
export const countInbound = (slots: SenderSlots, rate: SenderRate, now: number): SenderSlots => {
  const next = Math.min(Math.max(slots.nextSlot, now) + slotLength(rate.perSecond), now + inboundAhead(rate))
  return next > slots.nextSlot ? { ...slots, nextSlot: next } : slots
}

/** How far ahead of the clock messages of customers may move the next slot, in microseconds. */
export const inboundAhead = ({ perSecond, maxWaitMs }: SenderRate): number => maxWaitMs * MS_US + Math.max(slotLength(perSecond), SECOND_US)

/** How late a message of a customer may arrive and still count, in milliseconds. The platform counted an older one long ago, for example one that it delivers again after an outage. */
export const INBOUND_COUNTS_MS = 10 * SECOND_MS

/** The limit of senders: the rate of one whose level is not known, how long a message may wait for its slot, and the function that waits. */
export type SenderLimit = SenderRate & { readonly wait: (ms: number) => Promise<unknown> }

/** The rate of a sender in messages a second; `undefined` if the platform has not reported it. */
export type SenderRates = (of: SenderOf) => Promise<number | undefined>

/** The rates that the platform has reported for the numbers of senders. */
export const senderRatesIn = (knownNumber: KnownNumbers): SenderRates => async (of) => (await knownNumber(of))?.messagesPerSecond

/** Reads the rates that the platform has reported (`makeKnownNumbers`). */
export const makeSenderRates = (deps: Parameters<typeof makeKnownNumbers>[0]): SenderRates => senderRatesIn(makeKnownNumbers(deps))

/** A slot to be taken. */
export type SlotTaking = SenderOf & SenderRate

/** A slot that was taken, and the time of the storage's clock when it was taken, in microseconds. */
export type SenderSlot = { readonly slot: number; readonly now: number }

/** How long a message has to wait for its slot, in whole milliseconds. */
export const waitFor = ({ slot, now }: SenderSlot): number => Math.max(0, Math.ceil((slot - now) / MS_US))

/** The budgets of senders. */
export interface SenderBudget {
  /**
   * Takes the next slot of a sender (`takeSenderSlot` is the rule, by the storage's clock). Left `SenderLimitReached`: the slot would begin later than `maxWaitMs` from now, and nothing was
   * taken. After a `PortFailure` the slot may have been taken.
   *
   * Slots of concurrent calls are disjoint. Each sender has its own slots. Slots are never returned.
   */
  readonly take: (taking: SlotTaking) => Promise<E.Either<SenderLimitReached | PortFailure, SenderSlot>>
  /** Slows a sender down (`slowedDown` is the rule). `perSecond` is its whole rate. */
  readonly slowDown: (of: SenderOf & Pick<SenderRate, 'perSecond'>, why: SlowDown) => Promise<E.Either<PortFailure, void>>
  /**
   * Counts a message that a customer sent to a sender (the rule is `countInbound`). `perSecond` is the whole rate of the sender, and `maxWaitMs` how long its messages may wait. Concurrent messages are all counted.
   *
   * A storage that commits writes together counts it in the transaction of the writes that are requested with it.
   */
  readonly countInbound: (of: SlotTaking) => Promise<E.Either<PortFailure, void>>
  /** The present rates of senders, in their order (the rule is `rateOf`). `perSecond` is the whole rate of each. Nothing is changed. */
  readonly presentRates: (of: ReadonlyArray<WholeRate>) => Promise<E.Either<PortFailure, ReadonlyArray<number>>>
}

/** A sender, and how many messages a second it may send if the platform has not slowed it down. */
export type WholeRate = SenderOf & Pick<SenderRate, 'perSecond'>
