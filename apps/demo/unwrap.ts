import * as E from 'fp-ts/lib/Either.js'
import type { TaskEither } from 'fp-ts/lib/TaskEither.js'

/** The result of a step that must not fail here. */
export const unwrap = async <A>(step: TaskEither<{ readonly _tag: string }, A>): Promise<A> => rightOf(await step())

/** The value of a result that must not be a failure here. */
export const rightOf = <A>(result: E.Either<{ readonly _tag: string }, A>): A => {
  if (E.isLeft(result)) throw new Error(`a step of the demonstration failed: ${result.left._tag}`)
  return result.right
}
