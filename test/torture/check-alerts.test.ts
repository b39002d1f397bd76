import { assert } from 'chai'
import type { WorkspaceId } from '../../core/kernel/ids.js'
import type { AlertState } from '../../core/money/wallet.js'
import { type AlertsRecord, checkAlerts } from './check-alerts.js'
import type { ReceivedEvent } from './check-events.js'

const [OURS, THEIRS] = ['ws_1', 'ws_2'] as [WorkspaceId, WorkspaceId]
const low = (id: string, workspace = OURS): ReceivedEvent => ({ id, type: 'wallet.low', workspace, data: {} })
const exhausted = (id: string, workspace = OURS): ReceivedEvent => ({ id, type: 'wallet.exhausted', workspace, data: {} })
const state = (lowSince: number | undefined, exhaustedSince?: number): AlertState => ({ threshold: 5n, lowSince, exhaustedSince })

const run = (but: Partial<AlertsRecord> = {}): ReadonlyArray<string> => checkAlerts({
  received: [low('a'), low('a'), exhausted('b')], alerts: new Map([[OURS, state(1, 1)], [THEIRS, state(undefined)]]),
  audited: [
    { act: 'wallet.low', workspace: OURS }, { act: 'wallet.exhausted', workspace: OURS }, { act: 'wallet.top_up', workspace: OURS },
  ],
  ...but,
}).map(({ fault }) => fault)

describe('The check of the alerts of a run', () => {
  it('finds nothing in a correct run, even if an event came twice', () => {
    assert.deepEqual(run(), [])
  })

  for (const [title, but, fault] of [
    ['an alert without an event', { received: [low('a')] }, 'has raised wallet.exhausted 1 times, with 0 events and 1 audit entries'],
    ['two events of one alert', { received: [low('a'), low('c'), exhausted('b')] }, 'has raised wallet.low 1 times, with 2 events and 1 audit entries'],
    ['an event without an alert', { received: [low('a'), exhausted('b'), low('d', THEIRS)] }, 'has raised wallet.low 0 times, with 1 events and 0 audit entries'],
    ['an alert without an audit entry', { audited: [{ act: 'wallet.low', workspace: OURS }] }, 'has raised wallet.exhausted 1 times, with 1 events and 0 audit entries'],
  ] as const) {
    it(`finds ${title}`, () => {
      assert.deepEqual(run(but), [fault])
    })
  }
})
