import * as TE from 'fp-ts/lib/TaskEither.js'
import type { TaskEither } from 'fp-ts/lib/TaskEither.js'
import type { MemoryStorage } from '../../adapters/memory/index.js'
import { openMemoryFixture } from '../adapters/memory/memory-fixture.js'

type MemoryFixture = Awaited<ReturnType<typeof openMemoryFixture>>

/** Opens memory in which some methods of one port are replaced by defective ones. */
export const brokenMemory =
  <Name extends keyof MemoryStorage>(name: Name, defect: (port: MemoryStorage[Name], fixture: MemoryFixture) => Partial<MemoryStorage[Name]>) =>
  async (): Promise<MemoryFixture> => {
    const fixture = await openMemoryFixture()
    return { ...fixture, [name]: { ...fixture[name], ...defect(fixture[name], fixture) } }
  }

/** A task with another result. */
export const withResult = <Failure, Result, Other>(task: TaskEither<Failure, Result>, change: (result: Result) => Other): TaskEither<Failure, Other> =>
  TE.map(change)(task)

/** A task that answers a failure with success if its tag is given. */
export const ignoring = <Failure extends { readonly _tag: string }>(task: TaskEither<Failure, void>, tag: Failure['_tag']): TaskEither<Failure, void> => {
  const success: TaskEither<Failure, void> = TE.right(undefined)
  return TE.orElse((failure: Failure) => (failure._tag === tag ? success : TE.left(failure)))(task)
}
