import { assert } from 'chai'
import { LaneFull, LaneLate, makeLane } from '../../../adapters/knex/lane.js'

/** A lane whose batches wait until the test lets them go. */
const heldLane = (bounds: { width?: number; depth?: number } = {}) => {
  const batches: Array<{ readonly items: ReadonlyArray<string>; readonly finish: () => void }> = []
  const arrived: Array<() => void> = []
  const lane = makeLane<string, string>(
    (items) => new Promise((resolve) => {
      batches.push({ items, finish: () => { resolve(items.map((item) => (item === 'bad' ? new Error('bad item') : `done ${item}`))) } })
      for (const tell of arrived.splice(0)) tell()
    }),
    bounds,
  )
  const batch = async (index: number) => {
    while (batches[index] === undefined) await new Promise<void>((resolve) => arrived.push(resolve))
    return batches[index]
  }
  return { lane, batches, batch }
}

describe('A lane', () => {
  it('does one batch at a time, and everything that arrives meanwhile in the next', async () => {
    const { lane, batches, batch } = heldLane()
    const first = lane.load('a')
    assert.deepEqual((await batch(0)).items, ['a'])
    const rest = Promise.all([lane.load('b'), lane.load('c')])
    await new Promise((resolve) => setImmediate(resolve))
    assert.lengthOf(batches, 1)
    batches[0]?.finish()
    assert.deepEqual((await batch(1)).items, ['b', 'c'])
    batches[1]?.finish()
    assert.equal(await first, 'done a')
    assert.deepEqual(await rest, ['done b', 'done c'])
  })

  it('tells each caller its own outcome', async () => {
    const { lane, batch } = heldLane()
    const outcomes = Promise.allSettled([lane.load('a'), lane.load('bad'), lane.load('b')])
    ;(await batch(0)).finish()
    assert.deepEqual((await outcomes).map(({ status }) => status), ['fulfilled', 'rejected', 'fulfilled'])
  })

  it('takes no more into a batch than its width', async () => {
    const { lane, batches, batch } = heldLane({ width: 2 })
    const all = Promise.all(['a', 'b', 'c'].map((item) => lane.load(item)))
    assert.deepEqual((await batch(0)).items, ['a', 'b'])
    batches[0]?.finish()
    assert.deepEqual((await batch(1)).items, ['c'])
    batches[1]?.finish()
    await all
  })

  it('refuses what would wait beyond its depth, and takes more once there is room', async () => {
    const { lane, batch } = heldLane({ depth: 2 })
    const taken = Promise.all([lane.load('a'), lane.load('b')])
    const refusal = await lane.load('c').then(() => undefined, (error: unknown) => error)
    assert.instanceOf(refusal, LaneFull)
    ;(await batch(0)).finish()
    await taken
    const later = lane.load('d')
    ;(await batch(1)).finish()
    assert.equal(await later, 'done d')
  })

  it('gives up on a batch that hangs, and goes on with the next', async () => {
    let batches = 0
    const lane = makeLane<string, string>(
      (items) => ((batches += 1) === 1 ? new Promise(() => undefined) : Promise.resolve([...items])),
      { deadlineMs: 5 },
    )
    const hanging = await lane.load('a').then(() => undefined, (error: unknown) => error)
    assert.instanceOf(hanging, LaneLate)
    assert.equal(await lane.load('b'), 'b')
  })

  it('tells a batch that it was given up, and only that one', async () => {
    const signals: AbortSignal[] = []
    const lane = makeLane<string, string>(
      (items, givenUp) => (signals.push(givenUp) === 1 ? new Promise(() => undefined) : Promise.resolve([...items])),
      { deadlineMs: 5 },
    )
    await lane.load('a').catch(() => undefined)
    await lane.load('b')
    assert.deepEqual(signals.map(({ aborted }) => aborted), [true, false])
  })

  it('asks again for the same item every time, since nothing is remembered', async () => {
    let asked = 0
    const lane = makeLane<string, number>((items) => Promise.resolve(items.map(() => (asked += 1))))
    assert.equal(await lane.load('a'), 1)
    assert.equal(await lane.load('a'), 2)
  })

  it('is idle only once everything asked for is done', async () => {
    const { lane, batch } = heldLane()
    let idle = false
    const asked = lane.load('a')
    const waiting = lane.idle().then(() => { idle = true })
    const under = await batch(0)
    assert.isFalse(idle)
    under.finish()
    await asked
    await waiting
    assert.isTrue(idle)
  })

  it('goes on after a batch that failed whole', async () => {
    let fail = true
    const lane = makeLane<string, string>((items) => (fail ? Promise.reject(new Error('down')) : Promise.resolve([...items])))
    assert.equal(await lane.load('a').catch((error: unknown) => (error as Error).message), 'down')
    fail = false
    assert.equal(await lane.load('a'), 'a')
  })
})
