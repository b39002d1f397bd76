import { assert } from 'chai'
import * as E from 'fp-ts/lib/Either.js'
import { Registry } from 'prom-client'
import { countAttempts, showEventBacklog } from '../../../apps/server/metrics.js'
import type { WorkspaceId } from '../../../core/kernel/ids.js'
import type { EventOutbox } from '../../../core/kernel/outbox.js'
import { DOWN } from '../../core/failing-method.js'

const NOON = Date.UTC(2026, 0, 1, 12)
const workspace = (n: number): WorkspaceId => `ws_${n}` as WorkspaceId
const linesOf = async (register: Registry): Promise<ReadonlyArray<string>> =>
  (await register.metrics()).split('\n').filter((line) => line.startsWith('postern_'))

describe('The metrics of events', () => {
  it('count attempts by receiver and result', async () => {
    const register = new Registry()
    const count = countAttempts(register)
    const result = { delivered: false, httpStatus: undefined, error: undefined, answer: undefined, durationMs: 1 }
    count('endpoint', { ...result, delivered: true, httpStatus: 200 })
    count('endpoint', { ...result, httpStatus: 500 })
    count('endpoint', { ...result, httpStatus: 410 })
    count('endpoint', result)
    count('broker', { ...result, delivered: true })
    assert.sameMembers([...await linesOf(register)], [
      'postern_event_delivery_attempts_total{receiver="endpoint",result="delivered"} 1',
      'postern_event_delivery_attempts_total{receiver="endpoint",result="refused"} 2',
      'postern_event_delivery_attempts_total{receiver="endpoint",result="unanswered"} 1',
      'postern_event_delivery_attempts_total{receiver="broker",result="delivered"} 1',
    ])
  })

  it('show how many are stored and the age of the oldest that wait, of ten workspaces at most', async () => {
    const register = new Registry()
    let asked = 0
    const read: EventOutbox['backlog'] = async (limit) => {
      asked = limit
      return E.right({ stored: 7, oldest: [{ workspace: workspace(1), at: NOON - 90_000 }, { workspace: workspace(2), at: NOON + 5 }] })
    }
    showEventBacklog(register, read, () => NOON)
    assert.sameMembers([...await linesOf(register)], [
      'postern_events_stored 7',
      'postern_event_oldest_undelivered_seconds{workspace="ws_1"} 90',
      'postern_event_oldest_undelivered_seconds{workspace="ws_2"} 0',
    ])
    assert.equal(asked, 10)
  })

  it('are there without the database, too', async () => {
    const register = new Registry()
    showEventBacklog(register, async () => E.left(DOWN), () => NOON)
    assert.deepEqual(await linesOf(register), ['postern_events_stored 0'])
  })
})
