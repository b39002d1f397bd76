import * as E from 'fp-ts/lib/Either.js'
import type { InvalidAmount } from './invalid.js'
import { formatMicros, MAX_MICROS, parseMicros, type Balance } from './money.js'
import type { Instant } from './time.js'
import type { WorkspaceId } from './workspace.js'

/** Below which amount a wallet is low, and since when it is low and exhausted; `undefined` for what it has not. */
export type AlertState = {
  readonly threshold: bigint | undefined
  readonly lowSince: Instant | undefined
  readonly exhaustedSince: Instant | undefined
}

/** A wallet without a threshold, from which nothing was refused. */
export const NO_ALERTS: AlertState = { threshold: undefined, lowSince: undefined, exhaustedSince: undefined }

/** What a hold found of its wallet; `balance` is what the hold left. */
export type WalletAlert = { readonly workspace: WorkspaceId; readonly balance: Balance; readonly at: Instant } & (
  /** Less than the threshold can be spent. */
  | { readonly _tag: 'WalletLow'; readonly threshold: bigint }
  /** The wallet could not cover a price. */
  | { readonly _tag: 'WalletExhausted'; readonly required: bigint }
)

/** Whether a hold that leaves so much raises `WalletLow`: less than the threshold is left, and the wallet was not low before. */
export const becomesLow = ({ threshold, lowSince }: Pick<AlertState, 'threshold' | 'lowSince'>, available: bigint): boolean =>
  threshold !== undefined && lowSince === undefined && available < threshold

/** The alerts after money was added: a wallet is no longer low if its threshold is reached, nor exhausted if it has anything to spend. */
export const afterMoneyAdded = (state: AlertState, available: bigint): AlertState =>
  ({ ...withThreshold(state, state.threshold, available), exhaustedSince: available > 0n ? undefined : state.exhaustedSince })

/** The alerts with another threshold, or without one: a wallet that was low stays so only if it has less than the new one. */
export const withThreshold = (state: AlertState, threshold: bigint | undefined, available: bigint): AlertState =>
  ({ ...state, threshold, lowSince: threshold !== undefined && available < threshold ? state.lowSince : undefined })

/** Reads a threshold: a decimal string above zero. */
export const parseThreshold = (text: string): E.Either<InvalidAmount, bigint> => E.flatMap(parseMicros(text), checkThreshold)

/** Checks that a threshold is above zero and no more than a wallet can hold. */
export const checkThreshold = (micros: bigint): E.Either<InvalidAmount, bigint> =>
  (micros > 0n && micros <= MAX_MICROS
    ? E.right(micros)
    : E.left({ _tag: 'InvalidAmount', reason: `a threshold is more than zero and at most ${formatMicros(MAX_MICROS)}` }))
