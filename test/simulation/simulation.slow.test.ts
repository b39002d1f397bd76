// Slow: plays hundreds of histories. `simulation.long.test.ts` plays a thousand, and searches for each planted defect.
import { assert } from 'chai'
import { simulate } from './simulate.js'

/** The fast part plays the seeds below. */
const FIRST = 20
const SEEDS = 210

describe('Hundreds of histories of several gateways', function () {
  this.timeout(1_800_000)

  it('break no promise', async () => {
    for (let seed = FIRST; seed < FIRST + SEEDS; seed += 1) {
      assert.isEmpty((await simulate({ seed })).violations, `npm run simulate -- --seed ${seed} shows it`)
    }
  })
})
