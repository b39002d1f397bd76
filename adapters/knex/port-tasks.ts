import * as E from 'fp-ts/lib/Either.js'
import type * as TE from 'fp-ts/lib/TaskEither.js'
import { portFailure, type PortFailure } from '../../core/kernel/failure.js'

/** Makes a port's tasks from functions that may reject. fp-ts's `tryCatch` does the same at four times the cost. */
export type PortTasks = {
  /** The task's right is the value that the work resolves to. */
  readonly value: <A>(work: () => Promise<A>) => TE.TaskEither<PortFailure, A>
  /** The work itself resolves to a right or a left. */
  readonly either: <L, A>(work: () => Promise<E.Either<L, A>>) => TE.TaskEither<L | PortFailure, A>
}

/** The tasks of one port: a rejection becomes the port's failure. */
export const portTasks = (port: string): PortTasks => {
  const failure = portFailure(port)
  return {
    value: (work) => async () => {
      try {
        return E.right(await work())
      } catch (cause) {
        return E.left(failure(cause))
      }
    },
    either: (work) => async () => {
      try {
        return await work()
      } catch (cause) {
        return E.left(failure(cause))
      }
    },
  }
}
