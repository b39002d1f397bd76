import * as E from 'fp-ts/lib/Either.js'
import type { TaskEither } from 'fp-ts/lib/TaskEither.js'

/** The task of a step that does all it does at once when the task is run, so that no other step ever sees half of it. */
export const atomic =
  <Failure, Result>(step: () => E.Either<Failure, Result>): TaskEither<Failure, Result> =>
  async () =>
    step()

/** The task of a step that cannot fail. */
export const infallible = <Result>(step: () => Result): TaskEither<never, Result> => atomic(() => E.right(step()))
