import { assert } from 'chai'
import * as E from 'fp-ts/lib/Either.js'
import { HOUR_MS, MINUTE_MS } from '../../../core/kernel/time.js'
import { rightOf } from '../../support/right-of.js'
import { batchWorld, customer, type GivenLine, linesTo } from './world.js'

const FIRST_WAVE = { firstWave: { recipients: 4, waitMs: HOUR_MS } }

describe('A line of a batch', () => {
  it('is shown with those before and after it that can be sent, and a number without such a line shows the next or the last one', async () => {
    const world = await batchWorld()
    const lines: ReadonlyArray<GivenLine> = [
      ...linesTo(2), E.right({ line: 4, to: customer(0) }), E.right({ line: 7, to: customer(5) }),
    ]
    const id = await world.draft(lines)
    const shown = async (line?: number) => {
      const found = rightOf(await world.batching.showLine({ ...world.of(id), line }))
      return found && [found.line, found.previous, found.next]
    }
    assert.isUndefined(await shown(), 'no line is sendable before the first check')
    rightOf(await world.batching.preflight(world.of(id)))
    assert.deepEqual(await shown(), [2, undefined, 3])
    assert.deepEqual(await shown(4), [7, 3, undefined])
    assert.deepEqual(await shown(99), [7, 3, undefined])
  })
})

describe('The first wave of a batch', () => {
  it('is counted alone, with what was delivered, read, replied, failed and stopped, beside that of the last batch of the template', async () => {
    const world = await batchWorld()
    const shown = async (id: Awaited<ReturnType<typeof world.confirmed>>) => rightOf(await world.batching.showWave(world.of(id)))
    const before = await world.confirmed(linesTo(6, 20), FIRST_WAVE)
    assert.isUndefined(await shown(before), 'no message has left')
    await world.runAll()
    const sent = { sent: 4, delivered: 0, read: 0, replied: 0, failed: 0, optedOut: 0 }
    assert.deepEqual(await shown(before), { wave: sent })
    world.passes(2 * HOUR_MS)
    await world.runAll()

    const id = await world.confirmed(linesTo(9), FIRST_WAVE)
    await world.runAll()
    const messages = await world.messages()
    const to = (index: number) => messages.find((one) => one.to === customer(index))?.id ?? assert.fail('there is no such message')
    world.passes(MINUTE_MS)
    const states = [[0, 'delivered'], [1, 'read'], [2, 'failed']] as const
    for (const [index, state] of states) await world.receive(world.status(to(index), state))
    await world.storage.windowClock.recordInbound(world.workspace, { phoneNumber: customer(1) }, world.now()).then(rightOf)
    const found = await shown(id) ?? assert.fail('there is no wave')
    assert.deepEqual(found.wave, { sent: 4, delivered: 2, read: 1, replied: 1, failed: 1, optedOut: 0 })
    assert.equal(found.before?.batch.id, before)
    assert.deepEqual(found.before?.wave, sent)
  })

  it('does not exist for a batch without one', async () => {
    const world = await batchWorld()
    assert.isUndefined(rightOf(await world.batching.showWave(world.of(await world.confirmed(linesTo(2))))))
  })
})
