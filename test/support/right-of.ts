import { inspect } from 'node:util'
import * as E from 'fp-ts/lib/Either.js'

/** The value of a right; throws for a left. */
export const rightOf = <Result>(result: E.Either<unknown, Result>): Result => {
  if (E.isLeft(result)) throw new Error(`a success was expected, and not ${inspect(result.left)}`, { cause: result.left })
  return result.right
}

/** The value of a left; throws for a right. */
export const leftOf = <Failure>(result: E.Either<Failure, unknown>): Failure => {
  if (E.isRight(result)) throw new Error(`a failure was expected, and not ${inspect(result.right)}`, { cause: result.right })
  return result.left
}

/** The result of a call that must succeed; throws if it fails. */
export const done = async <Result>(call: Promise<E.Either<unknown, Result>>): Promise<Result> => rightOf(await call)

/** The failure of a call that must fail; throws if it succeeds. */
export const failed = async <Failure>(call: Promise<E.Either<Failure, unknown>>): Promise<Failure> => leftOf(await call)
