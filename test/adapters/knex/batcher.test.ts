import { stat } from 'node:fs/promises'
import { fileURLToPath } from 'node:url'
import { assert } from 'chai'
import { type BatcherOptions, BatchTimeout, makeBatcher, QueueFull } from '../../../adapters/knex/engine/batches.js'

/** A batcher whose batches wait until the test finishes them. */
const heldBatcher = (bounds: BatcherOptions = {}) => {
  const batches: Array<{ readonly items: ReadonlyArray<string>; readonly finish: () => void }> = []
  const arrived: Array<() => void> = []
  const batcher = makeBatcher<string, string>(
    (items) => new Promise((resolve) => {
      batches.push({ items, finish: () => { resolve(items.map((item) => (item === 'bad' ? new Error('bad item') : `done ${item}`))) } })
      for (const resolveArrived of arrived.splice(0)) resolveArrived()
    }),
    bounds,
  )
  const batch = async (index: number) => {
    while (batches[index] === undefined) await new Promise<void>((resolve) => arrived.push(resolve))
    return batches[index]
  }
  return { batcher, batches, batch }
}

describe('A batcher', () => {
  it('runs one batch at a time, and then all items that arrived meanwhile in the next one', async () => {
    const { batcher, batches, batch } = heldBatcher()
    const first = batcher.load('a')
    assert.deepEqual((await batch(0)).items, ['a'])
    const rest = Promise.all([batcher.load('b'), batcher.load('c')])
    await new Promise((resolve) => setImmediate(resolve))
    assert.lengthOf(batches, 1)
    batches[0]?.finish()
    assert.deepEqual((await batch(1)).items, ['b', 'c'])
    batches[1]?.finish()
    assert.equal(await first, 'done a')
    assert.deepEqual(await rest, ['done b', 'done c'])
  })

  it('gives each caller the result of its own item', async () => {
    const { batcher, batch } = heldBatcher()
    const outcomes = Promise.allSettled([batcher.load('a'), batcher.load('bad'), batcher.load('b')])
    ;(await batch(0)).finish()
    assert.deepEqual((await outcomes).map(({ status }) => status), ['fulfilled', 'rejected', 'fulfilled'])
  })

  it('puts no more items into a batch than its width', async () => {
    const { batcher, batches, batch } = heldBatcher({ width: 2 })
    const all = Promise.all(['a', 'b', 'c'].map((item) => batcher.load(item)))
    assert.deepEqual((await batch(0)).items, ['a', 'b'])
    batches[0]?.finish()
    assert.deepEqual((await batch(1)).items, ['c'])
    batches[1]?.finish()
    await all
  })

  it('refuses items beyond its depth, and takes more once others are done', async () => {
    const { batcher, batch } = heldBatcher({ depth: 2 })
    const taken = Promise.all([batcher.load('a'), batcher.load('b')])
    const refusal = await batcher.load('c').then(() => undefined, (error: unknown) => error)
    assert.instanceOf(refusal, QueueFull)
    ;(await batch(0)).finish()
    await taken
    const later = batcher.load('d')
    ;(await batch(1)).finish()
    assert.equal(await later, 'done d')
  })

  it('fails a batch that takes too long, and then runs the next one', async () => {
    let batches = 0
    const batcher = makeBatcher<string, string>(
      (items) => ((batches += 1) === 1 ? new Promise(() => undefined) : Promise.resolve([...items])),
      { deadlineMs: 5 },
    )
    const hanging = await batcher.load('a').then(() => undefined, (error: unknown) => error)
    assert.instanceOf(hanging, BatchTimeout)
    assert.equal(await batcher.load('b'), 'b')
  })

  it('aborts the signal of a batch that takes too long, and of no other', async () => {
    const signals: AbortSignal[] = []
    const batcher = makeBatcher<string, string>(
      (items, signal) => (signals.push(signal) === 1 ? new Promise(() => undefined) : Promise.resolve([...items])),
      { deadlineMs: 5 },
    )
    await batcher.load('a').catch(() => undefined)
    await batcher.load('b')
    assert.deepEqual(signals.map(({ aborted }) => aborted), [true, false])
  })

  it('counts no time in which the event loop was too busy to read answers, neither for a batch nor for items that wait', async () => {
    const block = (ms: number): void => {
      const start = performance.now()
      while (performance.now() - start < ms);
    }
    const batcher = makeBatcher<string, string>(async (items) => {
      for (let statement = 0; statement < 3; statement += 1) {
        const answer = stat(fileURLToPath(import.meta.url))
        block(250)
        await answer
      }
      return [...items]
    }, { width: 1, deadlineMs: 500 })
    assert.deepEqual(await Promise.all(['a', 'b'].map(batcher.load)), ['a', 'b'])
  })

  it('fails an item that has waited past its deadline, and does not run it', async () => {
    const ran: Array<string> = []
    const batcher = makeBatcher<string, string>((items) => {
      ran.push(...items)
      return new Promise(() => undefined)
    }, { width: 1, deadlineMs: 100 })
    const outcomes = await Promise.all(['a', 'b', 'c'].map((item) => batcher.load(item).catch((error: unknown) => error)))
    for (const outcome of outcomes) assert.instanceOf(outcome, BatchTimeout)
    // The first takes the whole time. The second may run for the fifth of it that each batch gets, if the clock's tick falls on the deadline; the third never may.
    assert.equal(ran[0], 'a')
    assert.notInclude(ran, 'c')
  })

  it('runs the same item again each time, because nothing is cached', async () => {
    let asked = 0
    const batcher = makeBatcher<string, number>((items) => Promise.resolve(items.map(() => (asked += 1))))
    assert.equal(await batcher.load('a'), 1)
    assert.equal(await batcher.load('a'), 2)
  })

  it('is idle only once every loaded item is done', async () => {
    const { batcher, batch } = heldBatcher()
    let idle = false
    const asked = batcher.load('a')
    const waiting = batcher.idle().then(() => { idle = true })
    const under = await batch(0)
    assert.isFalse(idle)
    under.finish()
    await asked
    await waiting
    assert.isTrue(idle)
  })

  it('runs further batches after one that failed as a whole', async () => {
    let fail = true
    const batcher = makeBatcher<string, string>((items) => (fail ? Promise.reject(new Error('down')) : Promise.resolve([...items])))
    assert.equal(await batcher.load('a').catch((error: unknown) => (error as Error).message), 'down')
    fail = false
    assert.equal(await batcher.load('a'), 'a')
  })
})
