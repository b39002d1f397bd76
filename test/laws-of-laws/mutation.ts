import { assert } from 'chai'
import type { Law } from '../laws/law.js'

/** An adapter with one defect, and the laws that it must break. */
export type Mutation<Fixture> = {
  /** The defect, as the end of the sentence "an adapter that …". */
  readonly defect: string
  readonly open: () => Promise<Fixture>
  /** The names of laws that must fail; others may fail too, and are not tried. */
  readonly breaks: ReadonlyArray<string>
}

/** The names of all laws of a list, for an adapter that breaks each of them. */
export const namesOf = <Fixture>(laws: ReadonlyArray<Law<Fixture>>): ReadonlyArray<string> => laws.map(({ name }) => name)

/** Tests that each mutation breaks the laws that it names, and keeps another one if there is any; and that each law is named by at least one mutation. */
export const describeMutations = <Fixture>(
  title: string, laws: ReadonlyArray<Law<Fixture>>, mutations: ReadonlyArray<Mutation<Fixture>>,
): void => {
  describe(`the laws of ${title}`, () => {
    for (const { defect, open, breaks } of mutations) {
      it(`find an adapter that ${defect}`, async () => {
        for (const name of breaks) {
          const law = laws.find((one) => one.name === name) ?? assert.fail(`there is no law "${name}"`)
          const failure = await failureOf(law, open)
          assert.instanceOf(failure, Error, `"${name}" is kept`)
          assert.match(failure.message, /^\S.+/, 'the failure says what is broken')
        }
        const others = laws.filter(({ name }) => !breaks.includes(name))
        if (others.length > 0) assert.isTrue(await isOneKept(others, open), 'it breaks every other law too, so it may not work at all')
      })
    }

    it('each find at least one of these adapters', () => {
      const found = new Set(mutations.flatMap(({ breaks }) => breaks))
      assert.deepEqual(namesOf(laws).filter((name) => !found.has(name)), [])
    })
  })
}

const isOneKept = async <Fixture>(laws: ReadonlyArray<Law<Fixture>>, open: () => Promise<Fixture>): Promise<boolean> => {
  for (const law of laws) if (await failureOf(law, open) === undefined) return true
  return false
}

const failureOf = async <Fixture>(law: Law<Fixture>, open: () => Promise<Fixture>): Promise<unknown> => {
  const fixture = await open()
  try {
    await law.check(fixture)
    return undefined
  } catch (error) {
    return error
  } finally {
    await dispose(fixture)
  }
}

/** Closes what a fixture has opened, such as a server. */
const dispose = async (fixture: unknown): Promise<void> => {
  if (typeof fixture === 'object' && fixture !== null && Symbol.asyncDispose in fixture) {
    await (fixture as AsyncDisposable)[Symbol.asyncDispose]()
  }
}
