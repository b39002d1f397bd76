import { assert } from 'chai'
import { type Loop, makeLoop } from '../../../adapters/jobs/loop.js'
import { eventually } from '../../support/eventually.js'

const HOUR_MS = 3_600_000

describe('A loop', () => {
  let loop: Loop | undefined
  afterEach(() => loop?.stop())

  /** A loop that counts its passes. */
  const counting = (everyMs: number, pass: (count: number) => Promise<number | undefined> = () => Promise.resolve(undefined)) => {
    const seen = { passes: 0, failures: 0 }
    loop = makeLoop({ pass: () => pass((seen.passes += 1)), everyMs, onFailure: () => { seen.failures += 1 } })
    return { loop, seen, passed: (count: number) => eventually(`pass ${count}`, () => seen.passes >= count || undefined) }
  }
  const turn = (): Promise<void> => new Promise(setImmediate)

  it('begins with its start, and only once', async () => {
    const { loop: { start }, seen } = counting(HOUR_MS)
    await turn()
    assert.equal(seen.passes, 0)
    start()
    start()
    await turn()
    assert.equal(seen.passes, 1)
  })

  it('makes a pass after each pause, also after one that failed', async () => {
    const { loop: { start }, seen, passed } = counting(1, () => Promise.reject(new Error('down')))
    start()
    await passed(3)
    assert.isAtLeast(seen.failures, 2)
  })

  it('makes the pause that a pass asks for, once', async () => {
    const { loop: { start }, seen, passed } = counting(HOUR_MS, async (count) => (count === 1 ? 1 : undefined))
    start()
    await passed(2)
    await new Promise((resolve) => setTimeout(resolve, 20))
    assert.equal(seen.passes, 2)
  })

  it('makes the next pass sooner if that is asked for, and never later', async () => {
    const { loop: { start, wake }, seen, passed } = counting(HOUR_MS)
    start()
    await turn()
    wake(0)
    await passed(2)
    await turn()
    wake(1)
    wake(2 * HOUR_MS)
    wake(Infinity)
    await passed(3)
    assert.equal(seen.passes, 3)
  })

  it('makes one pass at a time, and another one if that is asked for meanwhile', async () => {
    let [underWay, most, finish]: [number, number, () => void] = [0, 0, () => undefined]
    const { loop: { start, wake }, seen, passed } = counting(HOUR_MS, async (count) => {
      most = Math.max(most, ++underWay)
      if (count === 1) await new Promise<void>((resolve) => { finish = resolve })
      underWay -= 1
    })
    start()
    wake(0)
    await turn()
    assert.equal(seen.passes, 1)
    finish()
    await passed(2)
    assert.equal(most, 1)
  })

  it('makes no pass after it was stopped', async () => {
    const { loop: { start, stop, wake }, seen } = counting(1)
    await stop()
    start()
    wake(0)
    await turn()
    assert.equal(seen.passes, 0)
  })

  it('waits at its stop for the pass that is under way, or for a limited time', async () => {
    let finish: () => void = () => undefined
    let hasFinished = false
    const { loop: { start, stop } } = counting(1, async () => {
      await new Promise<void>((resolve) => { finish = resolve })
      hasFinished = true
    })
    start()
    await stop(1)
    assert.isFalse(hasFinished)
    const stopped = stop()
    finish()
    await stopped
    assert.isTrue(hasFinished)
  })
})
