import * as E from 'fp-ts/lib/Either.js'
import type { TaskEither } from 'fp-ts/lib/TaskEither.js'

/** The task of a step that does all it does at once when the task is run, so that no other step ever sees half of it. */
export const atOnce =
  <Failure, Result>(step: () => E.Either<Failure, Result>): TaskEither<Failure, Result> =>
  async () =>
    step()

/** The task of a step that cannot fail. */
export const surely = <Result>(step: () => Result): TaskEither<never, Result> => atOnce(() => E.right(step()))
