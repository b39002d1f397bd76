import * as E from 'fp-ts/lib/Either.js'
import type { MemoryStorage } from '../../adapters/memory/index.js'
import { openMemoryFixture } from '../adapters/memory/memory-fixture.js'

type MemoryFixture = Awaited<ReturnType<typeof openMemoryFixture>>

/** Opens memory in which some methods of one port are replaced by defective ones. */
export const brokenMemory =
  <Name extends keyof MemoryStorage>(
    name: Name, defect: (port: MemoryStorage[Name], fixture: MemoryFixture) => Partial<MemoryStorage[Name]>,
  ) =>
  async (): Promise<MemoryFixture> => {
    const fixture = await openMemoryFixture()
    return { ...fixture, [name]: { ...fixture[name], ...defect(fixture[name], fixture) } }
  }

/** An answer with another result. */
export const withResult = <Failure, Result, Other>(
  answer: Promise<E.Either<Failure, Result>>, change: (result: Result) => Other,
): Promise<E.Either<Failure, Other>> =>
  answer.then(E.map(change))

/** The answer of a call that follows a success. */
export const andThen = async <Failure, Result, OtherFailure, Other>(
  answer: Promise<E.Either<Failure, Result>>, next: (result: Result) => Promise<E.Either<OtherFailure, Other>>,
): Promise<E.Either<Failure | OtherFailure, Other>> => {
  const outcome = await answer
  return E.isLeft(outcome) ? outcome : next(outcome.right)
}

/** A success after which another call is made; the answer is a failure if that call fails. */
export const followedBy = <Failure, Result, OtherFailure>(
  answer: Promise<E.Either<Failure, Result>>, next: (result: Result) => Promise<E.Either<OtherFailure, unknown>>,
): Promise<E.Either<Failure | OtherFailure, Result>> => andThen(answer, (result) => withResult(next(result), () => result))

/** A success after which something is done. */
export const noting = async <Failure, Result>(
  answer: Promise<E.Either<Failure, Result>>, note: (result: Result) => unknown,
): Promise<E.Either<Failure, Result>> => {
  const outcome = await answer
  if (E.isRight(outcome)) await note(outcome.right)
  return outcome
}

/** An answer in which a failure is a success if its tag is given. */
export const ignoring = <Failure extends { readonly _tag: string }>(
  answer: Promise<E.Either<Failure, void>>, tag: Failure['_tag'],
): Promise<E.Either<Failure, void>> =>
  answer.then(E.orElse((failure) => (failure._tag === tag ? E.right(undefined) : E.left(failure))))

/** An object as it is after a parser that makes a double of every number. */
export const rounded = <Value extends object>(value: Value): Value => JSON.parse(JSON.stringify(value)) as Value
