import { assert } from 'chai'
import { blockOf, makePace } from '../../../core/sending/pace.js'

describe('The pace at which queued messages take slots', () => {
  it('leaves a request of a sender with 80 a second a slot within 20 ms if slots are taken quickly', () => {
    const { aheadMs, note } = makePace()
    for (const ms of [0, 1, 3, 2, 3]) note(ms)
    assert.isAtMost(aheadMs() + 1_000 / 80, 20)
    assert.equal(blockOf(80, aheadMs()), 1)
    assert.equal(blockOf(1_000, aheadMs()), 6)
  })

  it('takes slots earlier as soon as taking one is slow, up to 50 ms ahead, and later again after some quick ones', () => {
    const { aheadMs, note } = makePace()
    note(12)
    assert.equal(aheadMs(), 24)
    for (const ms of [900, -900, Number.POSITIVE_INFINITY]) note(ms)
    assert.equal(aheadMs(), 50)
    assert.equal(blockOf(80, aheadMs()), 4)
    const tries = Array.from({ length: 60 }, () => {
      note(2)
      return aheadMs()
    })
    assert.deepEqual(tries, tries.toSorted((a, b) => b - a))
    assert.equal(tries.at(-1), 6)
  })

  it('lets as many messages ask at the same time as the latest one says, in their order', async () => {
    const { gates } = makePace()
    const begun: Array<number> = []
    const ask = (name: number, width: number) => gates('a sender', width).then((done) => {
      begun.push(name)
      return done
    })
    const [first, second, third, fourth] = [ask(1, 1), ask(2, 1), ask(3, 1), ask(4, 2)]
    const done = await first
    await second
    assert.deepEqual(begun, [1, 2])
    done()
    done()
    await third
    assert.deepEqual(begun, [1, 2, 3])
    for (const one of [second, third]) (await one)()
    await fourth
    assert.deepEqual(begun, [1, 2, 3, 4])
  })
})
