import { assert } from 'chai'
import * as E from 'fp-ts/lib/Either.js'
import { makeRetryQueue } from '../../../adapters/retry-queue/retry-queue.js'
import { nextDelayMs } from '../../../adapters/retry-queue/retry-queue.js'
import { portFailure, type PortFailure } from '../../../core/kernel/failure.js'
import { until } from '../../support/eventually.js'

const AN_HOUR = 3_600_000

describe('A retry queue', () => {
  it('runs work again until it succeeds', async () => {
    const { retryLater, pending, close } = makeRetryQueue({ firstDelayMs: 1, lastDelayMs: 2 })
    const work = failing(3)
    retryLater(work.run)
    assert.equal(work.runs(), 0, 'it returns before it runs the work')
    await until(() => pending() === 0)
    assert.equal(work.runs(), 4)
    await close()
    assert.equal(work.runs(), 4, 'work that succeeded is not run again')
  })

  it('runs the other work when one piece throws or rejects', async () => {
    const { retryLater, pending, close } = makeRetryQueue({ firstDelayMs: 1, lastDelayMs: 2 })
    const good = failing(1)
    retryLater(() => { throw new Error('a defect') })
    retryLater(() => Promise.reject(new Error('another')))
    retryLater(good.run)
    await until(() => good.runs() === 2 && pending() === 2)
    await close()
  })

  it('waits twice as long after each pass in which work failed, up to the longest wait', () => {
    const waits = [100]
    for (let pass = 0; pass < 7; pass += 1) waits.push(nextDelayMs(waits.at(-1) ?? 0, 1, 100, 5_000))
    assert.deepEqual(waits, [100, 200, 400, 800, 1_600, 3_200, 5_000, 5_000])
    assert.equal(nextDelayMs(5_000, 0, 100, 5_000), 100, 'after a pass in which nothing failed the first wait is used again')
  })

  it('gives up the oldest work beyond its limit', async () => {
    let dropped = 0
    const { retryLater, pending, close } = makeRetryQueue({ limit: 2, firstDelayMs: AN_HOUR, onDropped: () => { dropped += 1 } })
    const works = [failing(0), failing(0), failing(0), failing(0)]
    for (const { run } of works) retryLater(run)
    assert.equal(pending(), 2)
    assert.equal(dropped, 2)
    await close()
    assert.deepEqual(works.map(({ runs }) => runs()), [0, 0, 1, 1])
    assert.equal(dropped, 2)
  })

  it('runs all work once more when it is closed, and gives up what fails', async () => {
    let dropped = 0
    const { retryLater, pending, close } = makeRetryQueue({ firstDelayMs: AN_HOUR, onDropped: () => { dropped += 1 } })
    const [good, bad] = [failing(0), failing(Infinity)]
    retryLater(good.run)
    retryLater(bad.run)
    await Promise.all([close(), close()])
    assert.deepEqual([good.runs(), bad.runs()], [1, 1])
    assert.equal(dropped, 1)
    assert.equal(pending(), 0)
  })

  it('accepts no work after it is closed', async () => {
    let dropped = 0
    const { retryLater, pending, close } = makeRetryQueue({ firstDelayMs: 1, onDropped: () => { dropped += 1 } })
    await close()
    const late = failing(0)
    retryLater(late.run)
    assert.equal(dropped, 1)
    assert.equal(pending(), 0)
    assert.equal(late.runs(), 0)
  })

  it('lets a pass under way finish before it is closed', async () => {
    const { retryLater, close } = makeRetryQueue({ firstDelayMs: 1 })
    let finish: (outcome: E.Either<PortFailure, unknown>) => void = () => undefined
    let runs = 0
    retryLater(() => {
      runs += 1
      return new Promise((resolve) => { finish = resolve })
    })
    await until(() => runs === 1)
    let closed = false
    const closing = close().then(() => { closed = true })
    assert.isFalse(closed)
    finish(E.right(undefined))
    await closing
    assert.equal(runs, 1)
  })
})

/** Work that fails so many times before it succeeds, and counts its runs. */
const failing = (failures: number): { readonly run: () => Promise<E.Either<PortFailure, unknown>>; readonly runs: () => number } => {
  let runs = 0
  return {
    runs: () => runs,
    run: async () => {
      runs += 1
      return runs <= failures ? E.left(portFailure('Wallet')('down')) : E.right(undefined)
    },
  }
}
