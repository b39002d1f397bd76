import * as E from 'fp-ts/lib/Either.js'

/** The value of a right; throws for a left. */
export const rightOf = <A>(result: E.Either<unknown, A>): A => {
  if (E.isLeft(result)) throw new Error(JSON.stringify(result.left))
  return result.right
}
