import type { TaskEither } from 'fp-ts/lib/TaskEither.js'

/** Runs a task of a test's own preparations, which must not fail. */
export const rightOf = async <Failure, Result>(task: TaskEither<Failure, Result>): Promise<Result> => {
  const outcome = await task()
  if (outcome._tag === 'Left') throw new Error('a preparation failed', { cause: outcome.left })
  return outcome.right
}
