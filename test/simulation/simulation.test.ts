import { assert } from 'chai'
import { DEFECTS } from './defects.js'
import { shrink, tableOf } from './history.js'
import { simulate } from './simulate.js'

describe('Histories of several gateways, played from seeds', () => {
  it('break no promise', async () => {
    for (let seed = 0; seed < 20; seed += 1) {
      const { violations } = await simulate({ seed })
      assert.isEmpty(violations, `npm run simulate -- --seed ${seed} shows it`)
    }
  })

  it('are the same step by step whenever their seed is played', async () => {
    for (const seed of [1, 2, 3]) {
      const [once, again] = [await simulate({ seed, keepsSteps: true }), await simulate({ seed, keepsSteps: true })]
      assert.isAbove(once.steps.length, 100)
      assert.deepEqual(once.steps, again.steps)
      assert.notDeepEqual(once.steps, (await simulate({ seed: seed + 10, keepsSteps: true })).steps)
    }
  })

  it('are shortened to the acts that matter, and printed as a table that ends with what was broken', async () => {
    const defect = DEFECTS.find(({ name }) => name.startsWith('a price is set aside beside the send'))
    const broken = await simulate({ seed: 0, defect })
    const { plan, steps, violations } = await shrink({ seed: 0, defect }, broken)
    assert.isAtMost(plan.length, 5)
    assert.equal(violations[0]?.promise, broken.violations[0]?.promise)
    assert.include(tableOf(steps).split('\n').at(-1), 'nothing is sent before it is paid for')
  })
})
