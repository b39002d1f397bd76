import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { assert } from 'chai'
import { chooseMutants, mutantsOf } from './mutations.js'
import { allMutants, tryMutant } from './run-mutants.js'
import { compiledName, CONCEPTS, openTree, ROOT, type Tree } from './tree.js'

const FILE = 'core/money/wallet.ts'
const TESTS = ['test/core/money/hold.test.ts']

describe('The program that plants defects', () => {
  let tree: Tree
  before(async () => { tree = await openTree(`core/**/*.ts,test/mutants/try-mutant.ts,test/core/delivery-orders.ts,${TESTS.join(',')}`) })
  after(() => tree.remove())

  const checks = { histories: 0, deadlineMs: 60_000, tests: TESTS.map(compiledName) }

  /** The mutant of the wallet whose change is this one. */
  const mutantWith = async (becomes: string) => {
    const found = mutantsOf(FILE, await readFile(join(ROOT, FILE), 'utf8')).find((mutant) => mutant.becomes === becomes)
    if (found === undefined) throw new Error(`no mutant becomes ${becomes}`)
    return found
  }

  it('kills a mutant that a test finds, and says which', async () => {
    const outcome = await tryMutant(
      tree,
      await mutantWith("return state === 'captured' ? { state: 'refunded', entries: ['refund'], available: 2n, held: 0n } : undefined"),
      checks,
    )
    assert.equal(outcome.end, 'killed')
    assert.match(outcome.end === 'killed' ? outcome.by : '', /^test: /)
  })

  it('lets one survive that no test reaches, and names it as equal once it is listed', async () => {
    const mutant = await mutantWith('export const isAmount = (micros: bigint): boolean => -MAX_MICROS <= micros && micros < MAX_MICROS')
    assert.deepInclude(await tryMutant(tree, mutant, checks), { end: 'survived' })
    const { file, was, becomes } = mutant
    const listed = await tryMutant(tree, mutant, { ...checks, equal: [{ file, was, becomes, because: 'it is' }] })
    assert.deepInclude(listed, { end: 'equal', because: 'it is' })
  })

  it('kills a mutant that never ends', async () => {
    const found = await mutantWith("return state === 'captured' ? { state: 'refunded', entries: ['refund'], available: 2n, held: 0n } : undefined")
    const mutant = { ...found, text: `${found.text}\nfor (;;);` }
    assert.deepInclude(await tryMutant(tree, mutant, { ...checks, deadlineMs: 3_000 }), { end: 'killed', by: 'the deadline' })
  })

  it('turns and shifts comparisons, swaps states, changes constants, drops steps and parts', () => {
    const text = "if (a < 3) return\nstate = 'held'\nconst all = { ...one, isIt: true && !it }"
    assert.deepEqual(mutantsOf('a.ts', text).map(({ line, becomes }) => [line, becomes]), [
      [1, ''], [1, 'if (a <= 3) return'], [1, 'if (a >= 3) return'], [1, 'if (a < 4) return'],
      [2, ';'], [2, "state = 'released'"],
      [3, 'const all = { ...{}, isIt: true && !it }'], [3, 'const all = { ...one, isIt: true || !it }'],
      [3, 'const all = { ...one, isIt: false && !it }'], [3, 'const all = { ...one, isIt: true && it }'],
    ])
  })

  it('chooses the same mutants for a seed, and as many of each concept', async () => {
    const all = await allMutants()
    const chosen = chooseMutants(all, 7, 50)
    assert.deepEqual(chooseMutants([...all].reverse(), 7, 50), chosen)
    for (const concept of CONCEPTS) assert.lengthOf(chosen.filter(({ file }) => file.startsWith(concept)), 10)
  })
})
