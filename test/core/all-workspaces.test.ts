import { assert } from 'chai'
import * as E from 'fp-ts/lib/Either.js'
import {
  type ListedWorkspace, makeListStates, needOf, type WorkspaceState, type WorkspaceStates, type WorkspaceSum,
} from '../../core/all-workspaces.js'
import type { WorkspaceId } from '../../core/kernel/ids.js'
import type { Currency } from '../../core/kernel/money.js'
import { DAY_MS, HOUR_MS } from '../../core/kernel/time.js'
import { bucketStart } from '../../core/messages/statistics.js'
import { NO_ALERTS } from '../../core/money/wallet.js'
import { rightOf } from '../support/right-of.js'

const NOW = Date.UTC(2026, 10, 26, 15, 30)
const state = (name: string, more: Partial<WorkspaceState> & { readonly available?: bigint } = {}): WorkspaceState => ({
  workspace: { id: `ws_${name}` as WorkspaceId, name, currency: 'USD' as Currency, createdAt: 1 }, alerts: NO_ALERTS,
  failingSince: undefined,
  balance: { available: more.available ?? 10n, held: 0n, currency: 'USD' as Currency }, ...more,
})
const low = { ...NO_ALERTS, threshold: 50n, lowSince: 1 }
const exhausted = { ...NO_ALERTS, exhaustedSince: 1 }

describe('The need of a workspace', () => {
  it('is the most urgent one, and none of an archived or a new workspace', () => {
    const tag = (one: WorkspaceState, sent = 0, failed = 0) => needOf(one, sent, failed)?._tag
    assert.deepEqual([
      tag(state('a', { alerts: { ...low, exhaustedSince: 2 }, failingSince: 1 })), tag(state('a', { alerts: low, failingSince: 1 })),
      tag(state('a', { alerts: low }), 100, 20), tag(state('a', { alerts: low }), 100, 19), tag(state('a'), 19, 19),
      tag(state('a', { available: 0n })), tag(state('a', { available: 0n }), 1),
      tag({ ...state('a', { alerts: exhausted }), workspace: { ...state('a').workspace, archivedAt: 1 } }),
    ], ['Empty', 'SenderFailing', 'MessagesFailing', 'Low', undefined, undefined, 'Empty', undefined])
  })
})

describe('The list of all workspaces', () => {
  const all = [
    state('well'), state('Later', { available: 1_000n }), state('low', { alerts: low }),
    state('empty', { alerts: exhausted, available: 0n }), state('failing', { failingSince: 1 }), state('sooner', { available: 100n }),
  ]
  const sum = (name: string, messages: number, failed: number, micros: bigint): WorkspaceSum =>
    ({ workspace: `ws_${name}` as WorkspaceId, messages, failed, micros })
  const states: WorkspaceStates = {
    states: async () => E.right(all),
    sums: async (width, { from, to }) => {
      if (width === '1h') {
        assert.deepEqual([from, to], [bucketStart('1h', NOW) + HOUR_MS - DAY_MS, bucketStart('1d', NOW)], 'the hours of yesterday alone')
        return E.right([sum('Later', 2, 1, 50n)])
      }
      return E.right(from === bucketStart('1d', NOW) ? [sum('Later', 3, 0, 50n), sum('sooner', 1, 0, 100n)] : [])
    },
    buckets: async (of) => E.right(of.map((workspace) => ({ workspace, start: bucketStart('1h', NOW), messages: 7 }))),
  }
  const list = async (more: Partial<Parameters<ReturnType<typeof makeListStates>>[0]> = {}) =>
    rightOf(await makeListStates({ workspaceStates: states, now: () => NOW })({
      listed: 'all', order: 'worst', sought: '', limit: 10, ...more,
    }))
  const names = (items: ReadonlyArray<ListedWorkspace>) => items.map(({ workspace: { name } }) => name)

  it('has the worst first: by need, and then by how long the money lasts', async () => {
    const { items, counts, sent, failed } = await list()
    assert.deepEqual(names(items), ['empty', 'failing', 'low', 'sooner', 'Later', 'well'])
    assert.deepEqual([counts, sent, failed], [{ all: 6, need: 3, soon: 1, archived: 0 }, 6, 1])
    assert.deepEqual(items.map(({ lastsMs }) => lastsMs), [undefined, undefined, undefined, DAY_MS, 10 * DAY_MS, undefined])
    assert.deepEqual(items[0]?.hours, [...new Array<number>(23).fill(0), 7])
  })

  it('counts a proportional part of the day in which the week begins', async () => {
    const begun = bucketStart('1d', NOW - 7 * DAY_MS)
    const spentThen: WorkspaceStates = { ...states, sums: async (_, { from }) => E.right(from === begun ? [sum('well', 1, 0, 240n)] : []) }
    const { items: [first] } = rightOf(await makeListStates({ workspaceStates: spentThen, now: () => NOW })({
      listed: 'soon', order: 'worst', sought: '', limit: 1,
    }))
    // 8.5 of 24 hours of that day are within the week, so 85 of 240 were spent in it, and 10 are left.
    assert.deepEqual([first?.workspace.name, first?.lastsMs], ['well', Math.floor((10 * 7 * DAY_MS) / 85)])
  })

  it('is cut into pages, and filtered and ordered on request', async () => {
    const first = await list({ limit: 4 })
    assert.deepEqual(names((await list({ limit: 4, cursor: first.next })).items), ['Later', 'well'])
    assert.deepEqual(names((await list({ listed: 'need', order: 'name' })).items), ['empty', 'failing', 'low'])
    assert.deepEqual(names((await list({ listed: 'soon' })).items), ['sooner'])
    assert.deepEqual(names((await list({ order: 'sent', limit: 2 })).items), ['Later', 'sooner'])
    assert.deepEqual(names((await list({ order: 'failing', limit: 1 })).items), ['Later'])
    assert.deepEqual(names((await list({ order: 'balance', limit: 1 })).items), ['empty'])
    assert.deepEqual(names((await list({ sought: 'LAT' })).items), ['Later'])
  })
})
