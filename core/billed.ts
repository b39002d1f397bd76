import type { JsonObject } from './json.js'
import type { MessageRecord } from './message-record.js'
import { moneyMove } from './message-state.js'
import type { Currency } from './money.js'
import { reportedCategory, type Category } from './rate-card.js'
import type { WorkspaceId } from './workspace.js'

/** Messages of a workspace that were charged, by the category they were charged in and by what the platform reported. */
export type Billed = {
  readonly workspace: WorkspaceId
  readonly currency: Currency
  readonly charged: Category
  /** `reportedCategory` of their `pricing`; `undefined` where the platform has reported none, or not yet. */
  readonly reported: string | undefined
  /** `reportedType` of their `pricing`; `undefined` where the platform has reported none, or an earlier version did not keep it. */
  readonly type: string | undefined
  readonly messages: number
  /** How many of them were charged nothing. */
  readonly free: number
  /** The sum of their prices. */
  readonly micros: bigint
}

/** The type that the platform reports in a message's `pricing`, such as `regular` or `free_customer_service`, in lower case; `undefined` if it names none. */
export const reportedType = (pricing: JsonObject | undefined): string | undefined => {
  const word = pricing?.['type']
  return typeof word === 'string' ? word.toLowerCase() : undefined
}

/** The part of a record that says how it was charged and billed. */
export type Billing = Pick<MessageRecord, 'workspace' | 'state' | 'price' | 'pricing'>

/** One message as an entry of its own; `undefined` if it is not charged, because its money is still held or was given back. */
export const billedAs = ({ workspace, state, price: { category: charged, currency, micros }, pricing }: Billing): Billed | undefined =>
  moneyMove(state) !== 'capture' ? undefined : {
    workspace, currency, charged, reported: reportedCategory(pricing), type: reportedType(pricing), messages: 1, free: micros === 0n ? 1 : 0, micros,
  }

/** Entries in which each workspace, currency, category, reported category and reported type occurs once. */
export const sumBilled = (entries: Iterable<Billed>): ReadonlyArray<Billed> => {
  const sums = new Map<string, Billed>()
  for (const entry of entries) {
    const { workspace, currency, charged, reported, type } = entry
    const key = JSON.stringify([workspace, currency, charged, reported, type])
    const { messages, free, micros } = sums.get(key) ?? NOTHING
    sums.set(key, { ...entry, messages: messages + entry.messages, free: free + entry.free, micros: micros + entry.micros })
  }
  return [...sums.values()]
}

const NOTHING = { messages: 0, free: 0, micros: 0n }

/** Whether the platform bills a message otherwise than it was charged (`otherwiseBilled` is the rule). */
export const isBilledOtherwise = (message: Billing): boolean => {
  const billed = billedAs(message)
  return billed !== undefined && otherwiseBilled(billed) > 0
}

/**
 * How many messages of an entry the platform bills otherwise than they were charged: all of them if it reports another category; those that cost something
 * if it reports them as free; those that cost nothing if it reports them as `regular`. What it has not reported is no difference.
 */
export const otherwiseBilled = ({ charged, reported, type, messages, free }: Billed): number => {
  if (reported !== undefined && reported !== charged) return messages
  if (isFreeType(type)) return messages - free
  return type === 'regular' ? free : 0
}

/** Whether a type that the platform reports means that it bills nothing. */
export const isFreeType = (type: string | undefined): boolean => type?.startsWith('free') === true
