import * as E from 'fp-ts/lib/Either.js'
import { portFailure, type PortFailure } from '../../core/kernel/failure.js'

/** How a method of a port fails: how often, and whether its work is done and only the answer is lost. */
export type FailureOptions = { readonly times?: number; readonly answerLost?: boolean }

/** A method of a port that fails at first, or always. */
export const failing = <Arguments extends ReadonlyArray<unknown>, Failure, Result>(
  method: (...args: Arguments) => Promise<E.Either<Failure, Result>>,
  { times = Infinity, answerLost = false }: FailureOptions = {},
): ((...args: Arguments) => Promise<E.Either<Failure | PortFailure, Result>>) => {
  let left = times
  return async (...args) => {
    left -= 1
    if (left < 0) return method(...args)
    if (answerLost) await method(...args)
    return E.left(DOWN)
  }
}

/** The failure of a failing method. */
export const DOWN: PortFailure = portFailure('Test')('the storage is down')
