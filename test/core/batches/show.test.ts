import { assert } from 'chai'
import * as E from 'fp-ts/lib/Either.js'
import type { ShownBatch } from '../../../core/batches/show.js'
import { type ShownBatchView, shownBatchView } from '../../../core/batches/view.js'
import { portFailure } from '../../../core/kernel/failure.js'
import type { BatchId } from '../../../core/kernel/ids.js'
import { MINUTE_MS, SECOND_MS } from '../../../core/kernel/time.js'
import { leftOf, rightOf } from '../../support/right-of.js'
import { batchWorld, type BatchWorld, linesTo } from './world.js'

const refusal = (code: number) => () => Promise.resolve({ _tag: 'PlatformRejected', error: { code, title: 'No' } } as const)

const shown = async (world: BatchWorld, id: BatchId): Promise<ShownBatch> => rightOf(await world.batching.show(world.of(id)))

const view = async (world: BatchWorld, id: BatchId): Promise<ShownBatchView> => shownBatchView(await shown(world, id))

describe('A batch as it is shown', () => {
  it('counts failed and refused messages by their codes, the most frequent first, and says where sending again can help', async () => {
    const world = await batchWorld()
    world.willAnswer(...[131_026, 131_049, 131_049].map(refusal))
    const id = await world.confirmed(linesTo(5))
    await world.runAll()
    assert.deepEqual((await view(world, id)).failures, [
      { code: 131_049, count: 2, may_help_again: true }, { code: 131_026, count: 1, may_help_again: false },
    ])
  })

  it('tells how near its brake is, and counts from zero again after it is resumed', async () => {
    const world = await batchWorld()
    const id = await world.confirmed(linesTo(30), { brake: { share: 0.5, of: 20 }, firstWave: { recipients: 10, waitMs: MINUTE_MS } })
    assert.deepEqual((await view(world, id)).brake_level, { code: null, failures: 0, pauses_at: 11, messages: 0 })
    world.willAnswer(...[131_026, 131_049, 131_026].map(refusal))
    await world.run()
    await world.drain()
    assert.deepEqual((await view(world, id)).brake_level, { code: 131_026, failures: 2, pauses_at: 11, messages: 10 })
    world.passes(SECOND_MS)
    rightOf(await world.batching.pause(world.of(id)))
    rightOf(await world.batching.resume(world.of(id)))
    assert.deepEqual((await view(world, id)).brake_level, { code: null, failures: 0, pauses_at: 11, messages: 10 })
  })

  it('has no number of failures that pauses it if failures never do, and no level before it is confirmed and once it is over', async () => {
    const world = await batchWorld()
    const id = await world.draft(linesTo(3), { brake: { share: 1, of: 20 } })
    assert.isNull((await view(world, id)).brake_level)
    await world.confirm(id)
    assert.equal((await view(world, id)).brake_level?.pauses_at, null)
    await world.runAll()
    assert.isNull((await view(world, id)).brake_level)
  })

  it('lists the days that the rest of it takes because of the limit of customers', async () => {
    const world = await batchWorld({ customersPerDay: 10 })
    const id = await world.draft(linesTo(25), { templateName: 'sale' })
    assert.isNull((await view(world, id)).days)
    await world.confirm(id)
    assert.deepEqual((await view(world, id)).days?.map(({ recipients }) => recipients), [10, 10, 5])
  })

  it('is counted once for simultaneous callers and for a short time, and again once the batch has changed, time has passed or it failed', async () => {
    let [reads, takesMs, fails, passes]: [number, number, boolean, (ms: number) => void] = [0, 0, false, () => undefined]
    const world = await batchWorld({
      ports: ({ batches }) => ({
        batches: {
          ...batches,
          counts: (of, upload) => {
            reads += 1
            passes(takesMs)
            return fails ? Promise.resolve(E.left(portFailure('Batches')('down'))) : batches.counts(of, upload)
          },
        },
      }),
    })
    passes = world.passes
    const id = await world.confirmed(linesTo(3))
    const readsOf = async (work: () => Promise<unknown>): Promise<number> => {
      const before = reads
      await work()
      return reads - before
    }
    const show = () => world.batching.show(world.of(id))
    takesMs = 100
    assert.equal(await readsOf(() => Promise.all([show(), show(), show()])), 1)
    world.passes(999)
    assert.equal(await readsOf(show), 0)
    world.passes(1)
    fails = true
    assert.equal(await readsOf(async () => assert.equal(leftOf(await show())._tag, 'PortFailure')), 1)
    fails = false
    assert.equal(await readsOf(show), 1)
    rightOf(await world.batching.pause(world.of(id)))
    assert.equal(await readsOf(async () => assert.equal((await shown(world, id)).batch.state, 'paused')), 1)
    takesMs = 0
    world.passes(1_000)
    assert.equal(await readsOf(async () => [await show(), await show()]), 2)
  })
})
