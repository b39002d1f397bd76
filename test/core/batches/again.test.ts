import { assert } from 'chai'
import * as E from 'fp-ts/lib/Either.js'
import { againCounts, type AgainState } from '../../../core/batches/again.js'
import type { BatchLine } from '../../../core/batches/lines.js'
import type { SubmitBatchCommand } from '../../../core/batches/submit.js'
import type { ReadLines } from '../../../core/batches/use-cases.js'
import { SYSTEM } from '../../../core/kernel/actor.js'
import type { BatchId } from '../../../core/kernel/ids.js'
import { DAY_MS, HOUR_MS, MINUTE_MS } from '../../../core/kernel/time.js'
import { leftOf, rightOf } from '../../support/right-of.js'
import { batchWorld, type BatchWorld, customer, type GivenLine, linesTo } from './world.js'

const refusal = (code: number) => () => Promise.resolve({ _tag: 'PlatformRejected', error: { code, title: 'No' } } as const)

const submit = (world: BatchWorld, more: Partial<SubmitBatchCommand> = {}) => world.batching.submit({
  by: SYSTEM, workspace: world.workspace, templateName: 'order_update', language: 'en', timing: {}, ...more,
})

const again = async (world: BatchWorld, batch: BatchId, ...states: ReadonlyArray<AgainState>): Promise<ReadonlyArray<unknown>> => {
  const { batch: { id } } = rightOf(await submit(world, { from: { batch, states } }))
  const { upload } = await world.found(id)
  return rightOf(await world.storage.batches.lines({ workspace: world.workspace, batch: id }, upload, { after: 0, limit: 10_000 }))
    .map(({ line, to, content }) => [line, to, ...(content === undefined ? [] : [content])])
}

async function* stream(lines: ReadonlyArray<GivenLine>): ReturnType<() => AsyncGenerator<GivenLine>> {
  for (const line of lines) yield await Promise.resolve(line)
}

const stop = (world: BatchWorld, index: number, since = world.now()) => world.storage.consents.record(world.workspace, [
  { ids: [customer(index)], fact: { topic: 'marketing', status: 'withdrawn', since, source: 'word' } },
]).then(rightOf)

describe('A batch to recipients of an earlier one', () => {
  it('has those whose message failed if it can help to send it again, with what their lines said and their numbers', async () => {
    const world = await batchWorld()
    world.willAnswer(...[131_026, 131_049, 131_056].map(refusal))
    const content = { metadata: { order: 'A' }, timezone: 'Europe/Berlin' }
    const id = await world.confirmed(linesTo(4).map((line) => E.map((one: BatchLine) => ({ ...one, ...content }))(line)))
    await world.runAll()
    assert.sameDeepMembers([...await again(world, id, 'failed')], [[3, customer(1), content], [4, customer(2), content]])
  })

  it('leaves out who stopped messages since, and who was erased, and no others', async () => {
    const world = await batchWorld()
    await stop(world, 3, world.now() - HOUR_MS)
    world.willAnswer(...Array.from({ length: 4 }, () => refusal(131_056)))
    const id = await world.confirmed(linesTo(4))
    await world.runAll()
    await stop(world, 0)
    await world.storage.personalData.erase(world.workspace, [{ phoneNumber: customer(1) }]).then(rightOf)
    assert.deepEqual(await again(world, id, 'failed'), [[4, customer(2)], [5, customer(3)]])
  })

  it('has those who have not read it, or have not replied, once they received it', async () => {
    const world = await batchWorld()
    const id = await world.confirmed(linesTo(5))
    await world.runAll()
    world.passes(MINUTE_MS)
    for (const { id: message, to } of await world.messages()) {
      const index = [0, 1, 2, 3].findIndex((one) => customer(one) === to)
      if (index >= 0) await world.receive(world.status(message, 'delivered'))
      if (index === 1 || index === 2) await world.receive(world.status(message, 'read'))
    }
    for (const index of [2, 3]) {
      await world.storage.windowClock.recordInbound(world.workspace, { phoneNumber: customer(index) }, world.now()).then(rightOf)
    }
    assert.deepEqual(await again(world, id, 'unread'), [[2, customer(0)], [5, customer(3)]])
    assert.deepEqual(await again(world, id, 'no_reply'), [[2, customer(0)], [3, customer(1)]])
    assert.deepEqual(await again(world, id, 'unread', 'no_reply'), [[2, customer(0)], [3, customer(1)], [5, customer(3)]])
    assert.deepEqual(await again(world, id, 'unsent', 'failed'), [])
  })

  it('has those to whom nothing was sent because it was canceled', async () => {
    const world = await batchWorld()
    const firstWave = { recipients: 1, waitMs: HOUR_MS }
    const id = await world.confirmed([...linesTo(3), E.right({ line: 9, to: customer(0) })], { firstWave })
    await world.run()
    await world.drain()
    await world.run()
    rightOf(await world.batching.cancel(world.of(id)))
    await world.runAll()
    assert.deepEqual(await again(world, id, 'unsent'), [[3, customer(1)], [4, customer(2)]])
    assert.lengthOf(world.sent, 1)
  })

  it('has as many recipients as the counts of its batch promise, and at most so many without a reply', async () => {
    const world = await batchWorld()
    const counted = async (id: BatchId) => againCounts(rightOf(await world.batching.show(world.of(id))))
    world.willAnswer(...[131_026, 131_049, 131_056].map(refusal))
    const id = await world.confirmed(linesTo(8))
    await world.runAll()
    for (const [at, { id: message }] of (await world.messages()).filter(({ state }) => state === 'accepted').entries()) {
      await world.receive(world.status(message, 'delivered'))
      if (at === 0) await world.receive(world.status(message, 'read'))
    }
    const late = await world.confirmed(linesTo(3), { timing: { until: world.now() + HOUR_MS } })
    rightOf(await world.batching.cancel(world.of(late)))
    await world.runAll()
    world.passes(MINUTE_MS)
    assert.deepEqual(await counted(id), { failed: 2, unread: 4, no_reply: 5, unsent: 0 })
    assert.deepEqual(await counted(late), { failed: 0, unread: 0, no_reply: 0, unsent: 3 })
    for (const batch of [id, late]) for (const [group, count] of Object.entries(await counted(batch))) {
      assert.lengthOf(await again(world, batch, group as AgainState), count, group)
    }
  })

  it('is refused once what the lines said is deleted, and for a batch that does not exist, and leaves no draft', async () => {
    const world = await batchWorld()
    const id = await world.confirmed([E.right({ line: 2, to: customer(0), metadata: { a: 'b' } })])
    await world.runAll()
    world.passes(8 * DAY_MS)
    const before = rightOf(await world.storage.batches.list(world.workspace, { limit: 10 })).items.length
    assert.equal(rightOf(await world.storage.batches.forgetContents(world.now(), 100)), 1)
    assert.deepEqual(leftOf(await submit(world, { from: { batch: id, states: ['no_reply'] } })), { _tag: 'ContentGone', id })
    const none = 'bat_0' as BatchId
    assert.deepEqual(leftOf(await submit(world, { from: { batch: none, states: ['failed'] } })), { _tag: 'NoSuchBatch', id: none })
    assert.lengthOf(rightOf(await world.storage.batches.list(world.workspace, { limit: 10 })).items, before)
  })

  it('reads an earlier batch in blocks, however many lines it has', async () => {
    let most = 0
    const world = await batchWorld({
      ports: ({ batches }) => ({
        batches: {
          ...batches,
          lines: async (of, upload, query) => {
            most = Math.max(most, query.limit)
            return batches.lines(of, upload, query)
          },
        },
      }),
    })
    const id = await world.confirmed(linesTo(1_201), { timing: { until: world.now() + HOUR_MS } })
    rightOf(await world.batching.cancel(world.of(id)))
    await world.run()
    assert.lengthOf(await again(world, id, 'unsent'), 1_201)
    assert.isAtMost(most, 1_000)
  })
})

describe('A batch that is confirmed when it is made', () => {
  const linesOf = (lines: ReadonlyArray<GivenLine>) => (): ReadLines => stream(lines)

  it('is sent, without the lines that have a problem', async () => {
    const world = await batchWorld()
    const { batch, recipients } = rightOf(await submit(world, {
      linesOf: linesOf([...linesTo(2), E.right({ line: 4, to: customer(0) })]), confirms: true,
    }))
    assert.deepEqual([batch.state, batch.confirmed?.total, batch.confirmed?.sendable, recipients], ['confirmed', 2n, 2, 3])
    await world.runAll()
    assert.sameMembers(world.sentTo(), [customer(0), customer(1)])
  })

  it('is canceled if it cannot be confirmed, and nothing of it is sent', async () => {
    const world = await batchWorld({ balance: 1n })
    assert.equal(leftOf(await submit(world, { linesOf: linesOf(linesTo(2)), confirms: true }))._tag, 'InsufficientBalance')
    assert.equal(leftOf(await submit(world, { confirms: true }))._tag, 'NothingToSend')
    const { items } = rightOf(await world.storage.batches.list(world.workspace, { limit: 10 }))
    assert.deepEqual(items.map(({ state }) => state), ['canceled', 'canceled'])
    await world.runAll()
    assert.isEmpty(world.sent)
  })
})
