import * as E from 'fp-ts/lib/Either.js'
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
export const withResult = <Failure, Result, Other>(task: Promise<E.Either<Failure, Result>>, change: (result: Result) => Other): Promise<E.Either<Failure, Other>> =>
  task.then(E.map(change))

/** A task that answers a failure with success if its tag is given. */
export const ignoring = <Failure extends { readonly _tag: string }>(task: Promise<E.Either<Failure, void>>, tag: Failure['_tag']): Promise<E.Either<Failure, void>> => {
  const success: Promise<E.Either<Failure, void>> = Promise.resolve(E.right(undefined))
  return task.then(E.orElse((failure: Failure) => (failure._tag === tag ? success : E.left(failure))))
}
