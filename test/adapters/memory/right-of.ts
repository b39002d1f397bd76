import type * as E from 'fp-ts/lib/Either.js'


/** The result of a test's own preparations, which must not fail. */
export const rightOf = async <Failure, Result>(answer: Promise<E.Either<Failure, Result>>): Promise<Result> => {
  const outcome = await answer
  if (outcome._tag === 'Left') throw new Error('a preparation failed', { cause: outcome.left })
  return outcome.right
}
