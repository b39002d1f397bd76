import * as E from 'fp-ts/lib/Either.js'
import type * as TE from 'fp-ts/lib/TaskEither.js'
import { portFailure, type PortFailure } from '../../core/errors.js'

/** Turns work that may reject into a port's tasks. fp-ts's `tryCatch` does the same at four times the cost. */
export type Attempt = {
  /** Right with what the work gives. */
  readonly value: <A>(work: () => Promise<A>) => TE.TaskEither<PortFailure, A>
  /** What the work gives is right or left by itself. */
  readonly either: <L, A>(work: () => Promise<E.Either<L, A>>) => TE.TaskEither<L | PortFailure, A>
}

/** The attempts of one port: what rejects becomes its failure. */
export const attemptOf = (port: string): Attempt => {
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
