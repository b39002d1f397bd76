import { assert } from 'chai'
import * as E from 'fp-ts/lib/Either.js'
import { reasonIn } from '../../../core/batches/brake.js'
import type { BatchLine } from '../../../core/batches/lines.js'
import { MINUTE_MS } from '../../../core/kernel/time.js'
import { ownError } from '../../../core/messages/own-errors.js'
import type { Outbound } from '../../../core/sending/dispatch.js'
import { rightOf } from '../../support/right-of.js'
import { type Answer, UNREACHABLE } from '../../support/scripted-platform.js'
import { batchWorld, type BatchWorld, linesTo } from './world.js'

describe('The brake of a batch', () => {
  it('does not count messages that a gateway claimed and did not send because it stood still', async () => {
    let passes: (ms: number) => void = () => undefined
    const world = await batchWorld({
      ports: ({ messageQueue }) => ({
        messageQueue: {
          ...messageQueue,
          claim: async (ref, at) => {
            const claimed = await messageQueue.claim(ref, at)
            passes(MINUTE_MS)
            return claimed
          },
        },
      }),
    })
    const id = await world.confirmed(linesTo(40), { brake: { share: 0.1, of: 10 } })
    passes = world.passes
    await world.runAll()
    const { batch, counts, failures } = rightOf(await world.batching.show(world.of(id)))
    assert.deepEqual([batch.state, batch.pausedBecause], ['done', undefined])
    assert.deepEqual([counts.states.get('refused')?.lines, failures.map(({ code }) => code)], [40, ['not_sendable']])
    const records = await world.messages()
    assert.isUndefined(reasonIn(records, { brake: { share: 0.1, of: 10 } }))
    const others = records.map((record) => ({ ...record, error: ownError('It could not be sent when it was due') }))
    assert.equal(reasonIn(others, { brake: { share: 0.1, of: 10 } }), 'failures')
  })

  it('does not count them either if the gateway stood still until the platform was called, but counts a platform that is not reached', async () => {
    const pausedBecause = async (answer: (world: BatchWorld, outbound: Outbound) => Answer): Promise<string | undefined> => {
      const world = await batchWorld()
      world.willAnswer(...Array.from({ length: 40 }, () => (outbound: Outbound) => Promise.resolve(answer(world, outbound) as 'accept')))
      const id = await world.confirmed(linesTo(40), { brake: { share: 0.1, of: 10 } })
      await world.runAll()
      return (await world.found(id)).pausedBecause
    }
    assert.equal(await pausedBecause(() => UNREACHABLE), 'unavailable')
    assert.isUndefined(await pausedBecause((world, { mayBegin }) => {
      world.passes(MINUTE_MS)
      return mayBegin?.() === false ? UNREACHABLE : 'accept'
    }))
  })
})

describe('The metadata of a batch and of a line', () => {
  const entries = (first: number, count: number) => Object.fromEntries(Array.from({ length: count }, (_, at) => [`k${first + at}`, 'x']))

  it('are together at most as much as a message may have, or the line is left out', async () => {
    const world = await batchWorld()
    const lines = linesTo(3).map((line, index) =>
      E.map((one: BatchLine) => ({ ...one, metadata: [entries(0, 16), entries(10, 6), entries(10, 7)][index] ?? {} }))(line))
    const id = await world.draft(lines, { metadata: entries(0, 10) })
    const { problems, sendable } = rightOf(await world.batching.preflight(world.of(id)))
    assert.deepEqual([sendable, problems], [2, [{ code: 'too_much_metadata', count: 1, lines: [4] }]])
    await world.confirm(id)
    await world.runAll()
    assert.lengthOf(world.sent, 2)
  })
})
