import * as E from 'fp-ts/lib/Either.js'
import type { BalanceOutOfRange } from './errors.js'
import { MAX_MICROS, type Balance } from './money.js'

/** Whether micros, of either sign, are no more than one amount may count. */
export const isAmount = (micros: bigint): boolean => -MAX_MICROS <= micros && micros <= MAX_MICROS

/**
 * The balance after an operator adds an amount, or takes one away where it is negative.
 *
 * `BalanceOutOfRange`: all money of the wallet, available and held, would pass `MAX_MICROS`, or more would be taken than is available.
 */
export const addToBalance = (balance: Balance, micros: bigint): E.Either<BalanceOutOfRange, Balance> => {
  const available = balance.available + micros
  const isInRange = micros < 0n ? available >= 0n : available + balance.held <= MAX_MICROS
  return isInRange ? E.right({ ...balance, available }) : E.left({ _tag: 'BalanceOutOfRange' })
}
