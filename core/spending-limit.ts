import * as E from 'fp-ts/lib/Either.js'
import type { SpendingLimitReached } from './errors.js'
import type { Money } from './money.js'
import { DAY_MS, type Instant } from './time.js'

/** Whose limit a hold counts for: the key that the message is sent with, or the first key of its rotations, and the most, in micros, that it may spend in a day. */
export type Spending = { readonly key: string; readonly limit: bigint }

/**
 * The API key that a message is sent with, and the most, in micros, that it may spend in a day; without a limit it may spend any amount. Keys with one
 * `spendingId` spend one limit together; without it the key spends alone.
 */
export type SendingKey = { readonly id: string; readonly spendingLimit?: bigint; readonly spendingId?: string }

/** The limit of a key; undefined where it has none. */
export const spendingOf = (key: SendingKey | undefined): Spending | undefined =>
  key?.spendingLimit === undefined ? undefined : { key: key.spendingId ?? key.id, limit: key.spendingLimit }

/** The calendar day of a moment in UTC, such as `2026-11-05`. */
export const spendingDay = (at: Instant): string => new Date(at).toISOString().slice(0, 10)

/** When the day of a moment ends, and the next one begins with nothing spent. */
export const spendingResetsAt = (at: Instant): Instant => (Math.floor(at / DAY_MS) + 1) * DAY_MS

/** A price that is to be set aside, and what its key has spent on that day: the prices, in micros, of its holds that are held or captured. */
export type SpendingCheck = Pick<Spending, 'limit'> & { readonly amount: Money; readonly spent: bigint; readonly at: Instant }

/** Checks that a price is within the limit of a day. A price that takes the spending exactly to the limit is. */
export const checkSpending = ({ amount: { micros: required, currency }, limit, spent, at }: SpendingCheck): E.Either<SpendingLimitReached, void> =>
  spent + required <= limit
    ? E.right(undefined)
    : E.left({ _tag: 'SpendingLimitReached', required, limit, spent, currency, resetsAt: spendingResetsAt(at) })
