import { assert } from 'chai'
import * as E from 'fp-ts/lib/Either.js'
import { Registry } from 'prom-client'
import { countLimits, showQueue } from '../../../apps/server/queue-metrics.js'
import type { WorkspaceId } from '../../../core/kernel/ids.js'
import type { QueueHold } from '../../../core/messages/queue-holds.js'
import type { QueueMeasures } from '../../../core/sending/show-queue.js'
import { senderIdOf } from '../../../core/senders/sender.js'
import { DOWN } from '../../core/failing-method.js'
import { startInProcessFixture } from '../../support/process-fixture.js'

const NOON = Date.UTC(2026, 0, 1, 12)
const workspace = (n: number): WorkspaceId => `ws_${n}` as WorkspaceId
const linesOf = async (register: Registry): Promise<ReadonlyArray<string>> =>
  (await register.metrics()).split('\n').filter((line) => line.startsWith('postern_'))

const EMPTY: QueueMeasures = { holds: [], due: 0, later: 0, oldestDueAt: undefined, senders: [] }
const hold = (more: Partial<QueueHold> = {}): QueueHold => ({ since: NOON, why: 'asleep', by: { type: 'system' }, ...more })
const NONE_HELD = ['operator', 'asleep', 'other_installation'].map((why) => `postern_queue_held_messages{why="${why}"} 0`)

describe('The metrics of the queue', () => {
  const shown = async (measures: Partial<QueueMeasures>): Promise<ReadonlyArray<string>> => {
    const register = new Registry()
    showQueue(register, async () => E.right({ ...EMPTY, ...measures }), () => NOON)
    return linesOf(register)
  }

  it('show what is due and later, and how long the oldest has been due', async () => {
    assert.sameMembers([...await shown({ due: 3, later: 4, oldestDueAt: NOON - 90_000 })], [
      'postern_queue_messages{state="due"} 3', 'postern_queue_messages{state="later"} 4', 'postern_queue_oldest_due_seconds 90',
      ...NONE_HELD,
    ])
    assert.include(await shown({ later: 4 }), 'postern_queue_oldest_due_seconds 0')
  })

  it('show senders with their rates, and no rate of one without a limit', async () => {
    const of = { workspace: workspace(1), due: 1, later: 0, oldestDueAt: NOON - 1_000 }
    const lines = await shown({ senders: [{ ...of, sender: '1', rate: 40 }, { ...of, sender: '2', rate: undefined }] })
    assert.sameMembers(lines.filter((line) => line.includes('sender="')), [
      ...['1', '2'].flatMap((sender) => [
        `postern_queue_sender_messages{workspace="ws_1",sender="${sender}",state="due"} 1`,
        `postern_queue_sender_messages{workspace="ws_1",sender="${sender}",state="later"} 0`,
        `postern_queue_sender_oldest_due_seconds{workspace="ws_1",sender="${sender}"} 1`,
      ]),
      'postern_queue_sender_rate{workspace="ws_1",sender="1"} 40',
    ])
  })

  it('show how many messages a hold of every workspace keeps, and not that of one', async () => {
    assert.include(await shown({ due: 3, later: 4, holds: [hold()] }), 'postern_queue_held_messages{why="asleep"} 7')
    assert.includeMembers([...await shown({ due: 3, later: 4, holds: [hold({ workspace: workspace(1) })] })], NONE_HELD)
  })

  it('are read once for a scrape, show no sender that has left, and are there without the database, too', async () => {
    const register = new Registry()
    let reads = 0
    showQueue(register, async () => {
      reads += 1
      return E.right(EMPTY)
    }, () => NOON)
    await linesOf(register)
    await linesOf(register)
    assert.equal(reads, 1)
    const down = new Registry()
    showQueue(down, async () => E.left(DOWN), () => NOON)
    assert.deepEqual(await linesOf(down), ['postern_queue_oldest_due_seconds 0'])
  })
})

describe('The metrics of limits', () => {
  const of = (n: number) => ({ workspace: workspace(1), sender: senderIdOf(String(n)) })

  it('count slots, refusals and slowed senders by sender', async () => {
    const register = new Registry()
    const count = countLimits(register)
    count({ ...of(1), event: 'slot_taken' })
    count({ ...of(1), event: 'slot_taken' })
    count({ ...of(1), event: 'slot_lost' })
    count({ ...of(1), event: 'refused', limit: 'SenderLimitReached' })
    count({ ...of(2), event: 'refused', limit: 'PairLimitReached' })
    count({ ...of(2), event: 'refused', limit: 'PortfolioLimitReached' })
    count({ ...of(2), event: 'slowed_down', why: 'throttled' })
    assert.sameMembers([...await linesOf(register)], [
      'postern_sender_slots_total{workspace="ws_1",sender="1",outcome="taken"} 2',
      'postern_sender_slots_total{workspace="ws_1",sender="1",outcome="lost"} 1',
      'postern_sender_refused_total{workspace="ws_1",sender="1",limit="sender_limit"} 1',
      'postern_sender_refused_total{workspace="ws_1",sender="2",limit="pair_limit"} 1',
      'postern_sender_refused_total{workspace="ws_1",sender="2",limit="portfolio_limit"} 1',
      'postern_sender_slowed_total{workspace="ws_1",sender="2",why="throttled"} 1',
    ])
  })

  it('count the senders after the first hundred together', async () => {
    const register = new Registry()
    const count = countLimits(register)
    for (let n = 1; n <= 150; n += 1) count({ ...of(n), event: 'slot_taken' })
    count({ ...of(7), event: 'slot_taken' })
    const lines = await linesOf(register)
    assert.lengthOf(lines, 101)
    assert.includeMembers([...lines], [
      'postern_sender_slots_total{workspace="ws_1",sender="7",outcome="taken"} 2', 'postern_sender_slots_total{workspace="other",sender="other",outcome="taken"} 50',
    ])
  })

  it('are those of a gateway that sends', async () => {
    await using gateway = await startInProcessFixture({ PAIR_LIMIT: '1/3600s', SENDER_LIMIT: '80' })
    const { id, phoneNumberId, send } = await gateway.tenant()
    const statuses = [await send('33639980001'), await send('33639980001')].map(({ status }) => status)
    assert.deepEqual(statuses, [200, 429])
    const metrics = await fetch(`${gateway.url}/metrics`).then((answer) => answer.text())
    const sender = `workspace="${id}",sender="${phoneNumberId}"`
    assert.include(metrics, `postern_sender_slots_total{${sender},outcome="taken"} 1\n`)
    assert.include(metrics, `postern_sender_refused_total{${sender},limit="pair_limit"} 1\n`)
  })
})
