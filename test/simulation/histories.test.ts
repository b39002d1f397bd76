import { readFileSync } from 'node:fs'
import { assert } from 'chai'
import { DEFECTS } from './defects.js'
import { simulate } from './simulate.js'

/** A shortened history that once broke a promise, with a defect that was fixed or planted. */
type Stored = { readonly defect: string; readonly promise: string; readonly seed: number; readonly acts: ReadonlyArray<string> }

const STORED = JSON.parse(readFileSync(new URL('histories.json', import.meta.url), 'utf8')) as ReadonlyArray<Stored>

describe('Stored histories of several gateways', () => {
  it('are whole if they broke a promise once', async () => {
    for (const { defect, seed, acts } of STORED) assert.isEmpty((await simulate({ seed, acts })).violations, defect)
  })

  // A change of the core or of the simulation changes what an act meets.
  // A stored history that no longer meets its defect tests nothing.
  it('break that promise again if their defect is planted, and none of the defects lacks one', async () => {
    assert.sameMembers(STORED.map(({ defect }) => defect), DEFECTS.map(({ name }) => name))
    for (const { defect: name, promise, seed, acts } of STORED) {
      const { violations } = await simulate({ seed, acts, defect: DEFECTS.find((defect) => defect.name === name) })
      assert.equal(violations[0]?.promise, promise, `npm run simulate -- --defect '${name}' finds another seed`)
    }
  })
})
