// Long: plays a thousand histories, and more until each planted defect is found.
import { assert } from 'chai'
import { DEFECTS } from './defects.js'
import { simulate } from './simulate.js'
import { SITUATIONS } from './situations.js'

const SEEDS = 1_000

/** A situation that two in a thousand histories reach may be in none of the first thousand. */
const MAX_SEEDS = 2_000

describe('A thousand histories of several gateways', function () {
  this.timeout(1_800_000)

  it('break no promise, and reach every situation that is worth one', async () => {
    const missing = new Set(SITUATIONS)
    for (let seed = 0; seed < SEEDS || (seed < MAX_SEEDS && missing.size > 0); seed += 1) {
      const history = await simulate({ seed })
      assert.isEmpty(history.violations, `npm run simulate -- --seed ${seed} shows it`)
      for (const situation of history.reached.keys()) missing.delete(situation)
    }
    assert.isEmpty(missing)
  })

  // The fast part plays a stored history of each defect.
  for (const defect of DEFECTS) {
    it(`find it if ${defect.name}`, async () => {
      let isFound = false
      for (let seed = 0; seed < SEEDS && !isFound; seed += 1) isFound = (await simulate({ seed, defect })).violations.length > 0
      assert.isTrue(isFound)
    })
  }
})
