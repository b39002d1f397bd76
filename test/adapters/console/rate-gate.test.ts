import { assert } from 'chai'
import { makeRateGate, type RateGateOptions } from '../../../adapters/console/limits.js'
import { makeCallers } from '../../../adapters/shared/callers.js'

describe('a gate at which the quiet ones go first', () => {
  let at = 0
  const open = (options: Partial<RateGateOptions> = {}) => {
    const gate = makeRateGate({
      perSecond: 100, burst: 1, waiting: 3, waitMs: 60_000, callers: makeCallers(() => at), now: () => at, ...options,
    })
    const entered: string[] = []
    const enter = async (caller: string): Promise<boolean> => {
      const mayEnter = await gate.enter(caller)
      if (mayEnter) entered.push(caller)
      return mayEnter
    }
    return { enter, entered }
  }

  it('lets so many through at once, and the others as time passes', async () => {
    const { enter, entered } = open({ burst: 3 })
    const last = Promise.all(['a', 'b', 'c', 'd', 'e'].map(enter))
    await new Promise((resolve) => { setImmediate(resolve) })
    assert.deepEqual(entered, ['a', 'b', 'c'])
    at += 20
    await last
    assert.deepEqual(entered, ['a', 'b', 'c', 'd', 'e'])
  })

  it('lets those through first who asked least of late, and refuses those who asked most', async () => {
    const { enter, entered } = open()
    const loud = Array.from({ length: 6 }, () => enter('loud'))
    const quiet = enter('quiet')
    const refused = Promise.all([loud[3], loud[4], loud[5]])
    assert.deepEqual(await refused, [false, false, false])
    at += 1_000
    assert.isTrue(await quiet)
    for (const one of loud.slice(1, 3)) {
      at += 1_000
      assert.isTrue(await one)
    }
    assert.deepEqual(entered, ['loud', 'quiet', 'loud', 'loud'])
  })

  it('refuses one who has waited too long', async () => {
    const { enter } = open({ waitMs: 5 })
    assert.deepEqual([await enter('a'), await enter('b')], [true, false])
    at += 1_000
    assert.isTrue(await enter('b'))
  })
})
