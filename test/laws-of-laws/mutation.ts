import { assert } from 'chai'
import type { Law } from '../laws/law.js'

/** An adapter with one defect, and the laws that it must break. */
export type Mutation<Fixture> = {
  /** The defect, as the end of the sentence "an adapter that …". */
  readonly defect: string
  readonly open: () => Promise<Fixture>
  /** The names of laws that must fail; others may fail too. */
  readonly breaks: ReadonlyArray<string>
}

/** Tests that each mutation breaks the laws it names, and that every law of the list is broken by at least one mutation. */
export const describeMutations = <Fixture>(title: string, laws: ReadonlyArray<Law<Fixture>>, mutations: ReadonlyArray<Mutation<Fixture>>): void => {
  const failuresOf = new Map<Mutation<Fixture>, Promise<ReadonlyMap<string, unknown>>>()
  const failures = (mutation: Mutation<Fixture>): Promise<ReadonlyMap<string, unknown>> => {
    const known = failuresOf.get(mutation) ?? check(laws, mutation)
    failuresOf.set(mutation, known)
    return known
  }

  describe(`the laws of ${title}`, () => {
    for (const mutation of mutations) {
      it(`find an adapter that ${mutation.defect}`, async () => {
        const failed = await failures(mutation)
        assert.includeMembers([...failed.keys()], [...mutation.breaks])
        for (const name of mutation.breaks) {
          const failure = failed.get(name)
          assert.instanceOf(failure, Error)
          assert.match(failure.message, /^\S.+/, 'the failure says what is broken')
        }
      })
    }

    it('each find at least one of these adapters', async () => {
      const failed = await Promise.all(mutations.map(async (mutation) => [...(await failures(mutation)).keys()]))
      assert.deepEqual(laws.map(({ name }) => name).filter((name) => !failed.flat().includes(name)), [])
    })
  })
}

const check = async <Fixture>(laws: ReadonlyArray<Law<Fixture>>, { open }: Mutation<Fixture>): Promise<ReadonlyMap<string, unknown>> => {
  const failures = new Map<string, unknown>()
  for (const law of laws) {
    const fixture = await open()
    await law.check(fixture).catch((error: unknown) => failures.set(law.name, error))
    await dispose(fixture)
  }
  return failures
}

/** Closes what a fixture has opened, such as a server. */
const dispose = async (fixture: unknown): Promise<void> => {
  if (typeof fixture === 'object' && fixture !== null && Symbol.asyncDispose in fixture) await (fixture as AsyncDisposable)[Symbol.asyncDispose]()
}
