import { assert } from 'chai'
import { makeMemoryStorage } from '../../../adapters/memory/index.js'
import type { PhoneNumber } from '../../../core/customers/customer.js'
import type { WorkspaceId } from '../../../core/kernel/ids.js'
import type { Currency } from '../../../core/kernel/money.js'
import { DAY_MS, HOUR_MS, type Instant, MINUTE_MS, SECOND_MS } from '../../../core/kernel/time.js'
import type { MessageId, MessageState } from '../../../core/messages/message.js'
import {
  type BucketWidth, COUNTED_MS, countMessages, isInSpan, KEPT_MS, makeRollUpMessages, type MessageCount, type RolledUp, sumCounts,
} from '../../../core/messages/statistics.js'
import { makeListMonths, makeReportSpend } from '../../../core/money/use-cases.js'
import { newMessageId } from '../../laws/ids.js'
import { fundedWorkspace } from '../../support/account.js'
import { rightOf } from '../../support/right-of.js'
import { failing } from '../failing-method.js'

const NOON = Date.UTC(2026, 5, 1, 12)

const world = async () => {
  const storage = makeMemoryStorage()
  const workspace = await fundedWorkspace(storage, 0n)
  const clock = { at: NOON }
  const ids: Array<MessageId> = []
  const rollUpWith = (messageStatistics = storage.messageStatistics) => makeRollUpMessages({ messageStatistics, now: () => clock.at })
  const goOn = () => Promise.resolve(true)
  const rollUp = async (): Promise<RolledUp> => rightOf(await rollUpWith()(goOn))
  const counts = async (width: BucketWidth, from: Instant, to: Instant) =>
    inOrder(rightOf(await storage.messageStatistics.counts(workspace, width, { from, to })))
  return {
    storage, workspace, clock, rollUp, rollUpWith, counts, goOn,
    send: async (ago = 0, to: WorkspaceId = workspace): Promise<MessageId> => {
      const at = clock.at - ago
      const id = newMessageId(at)
      const price = { micros: 50_000n, currency: 'USD' as Currency, category: 'marketing' as const }
      rightOf(await storage.messageLog.open({
        id, workspace: to, at, price, message: { _tag: 'Text', to: '4915123456789' as PhoneNumber, text: 'Hello' },
      }))
      ids.push(id)
      return id
    },
    move: async (id: MessageId, state: Exclude<MessageState, 'queued' | 'pending'>) =>
      void rightOf(await storage.messageLog.apply(workspace, id, { state, at: clock.at })),
    /** The counts of whole days as the messages themselves say them. */
    said: async (from: Instant, to: Instant): Promise<ReadonlyArray<MessageCount>> => {
      const { items } = rightOf(await storage.messageLog.list(workspace, { limit: 100_000 }))
      const days = Array.from({ length: Math.round((to - from) / DAY_MS) }, (_, day) => from + day * DAY_MS)
      return inOrder(
        days.flatMap((start) => countMessages(start, items.filter((item) => isInSpan({ from: start, to: start + DAY_MS }, item)))),
      )
    },
  }
}

const inOrder = (counts: ReadonlyArray<MessageCount>): ReadonlyArray<MessageCount> =>
  [...sumCounts(counts)].sort((a, b) => a.start - b.start || (`${a.state} ${a.category}` < `${b.state} ${b.category}` ? -1 : 1))

const sum = (counts: ReadonlyArray<MessageCount>): number => counts.reduce((total, { messages }) => total + messages, 0)

const MIDNIGHT = NOON - 12 * HOUR_MS

describe('The roll-up of messages', () => {
  it('counts what is sent at the next pass, and its new state at the pass after it moved', async () => {
    const { rollUp, counts, send, move } = await world()
    const id = await send()
    await rollUp()
    assert.deepEqual((await counts('5m', NOON, NOON + 1)).map(({ state, messages }) => [state, messages]), [['pending', 1]])
    await move(id, 'accepted')
    await rollUp()
    assert.deepEqual((await counts('1d', MIDNIGHT, NOON)).map(({ state, micros }) => [state, micros]), [['accepted', 50_000n]])
  })

  for (const [afterMs, name] of [
    [20 * MINUTE_MS, 'the quarter'], [70 * MINUTE_MS, 'the hour'], [7 * HOUR_MS, '6 hours'], [25 * HOUR_MS, 'the day'],
    [73 * HOUR_MS, '3 days'], [721 * HOUR_MS, '30 days'],
  ] as const) {
    it(`shows a state that was reported shortly before, after ${name}`, async () => {
      const { rollUp, counts, send, move, clock } = await world()
      const id = await send()
      await rollUp()
      await move(id, 'accepted')
      clock.at = NOON + afterMs - 10 * MINUTE_MS
      await rollUp()
      await move(id, 'read')
      clock.at += 2 * HOUR_MS
      await rollUp()
      assert.deepEqual((await counts('1d', MIDNIGHT, NOON)).map(({ state, messages }) => [state, messages]), [['read', 1]])
    })
  }

  it('counts the messages again that a release counted which knew no counts of senders', async () => {
    const { rollUp, storage: { messageStatistics }, send, workspace } = await world()
    await send(3 * DAY_MS)
    rightOf(await messageStatistics.noteProgress('past', NOON - COUNTED_MS))
    while (!(await rollUp()).finished);
    const [from, to] = [MIDNIGHT - 4 * DAY_MS, NOON]
    const counted = rightOf(await messageStatistics.counts(workspace, '1d', { from, to }, { ids: [], orNone: true }))
    assert.equal(sum(counted), 1)
  })

  it('counts what was there before its first pass, back to the longest range, and nothing twice', async () => {
    const { rollUp, counts, said, send } = await world()
    for (let hours = 0; hours < 24 * 100; hours += 7) await send(hours * HOUR_MS + 1)
    assert.isTrue((await rollUp()).finished)
    const from = MIDNIGHT - 90 * DAY_MS
    assert.deepEqual(await counts('1d', from, MIDNIGHT + DAY_MS), await said(from, MIDNIGHT + DAY_MS))
    const before = await counts('1d', 0, MIDNIGHT + DAY_MS)
    await rollUp()
    assert.deepEqual(await counts('1d', 0, MIDNIGHT + DAY_MS), before)
    assert.equal(sum(await counts('1d', 0, NOON - COUNTED_MS - DAY_MS)), 0)
  })

  it('agrees with the messages after weeks of passes, with pauses of any length', async () => {
    const { rollUp, counts, said, send, move, clock } = await world()
    const pauses = [
      15 * SECOND_MS, 4 * MINUTE_MS, 40 * MINUTE_MS, 3 * HOUR_MS, 30 * HOUR_MS, 5 * MINUTE_MS, 7 * HOUR_MS, 11 * DAY_MS, MINUTE_MS,
    ]
    for (let round = 0; round < 45; round += 1) {
      for (const ago of [0, 2 * MINUTE_MS]) await move(await send(ago), round % 3 === 0 ? 'failed' : 'accepted')
      clock.at += pauses[round % pauses.length] ?? 0
      await rollUp()
    }
    clock.at += 2 * HOUR_MS
    await rollUp()
    const [from, to] = [clock.at - (clock.at % DAY_MS) - 85 * DAY_MS, clock.at - (clock.at % DAY_MS) + DAY_MS]
    assert.isAbove(sum(await counts('1d', from, to)), 40)
    assert.deepEqual(await counts('1d', from, to), await said(from, to))
  })

  it('continues where it was stopped or where it failed', async () => {
    const { rollUpWith, counts, said, send, storage } = await world()
    for (let hours = 0; hours < 24 * 20; hours += 5) await send(hours * HOUR_MS)
    let steps = 0
    while (!rightOf(await rollUpWith()(() => Promise.resolve((steps += 1) % 4 !== 0))).finished) {
      if (steps % 16 !== 0) continue
      const { recount } = storage.messageStatistics
      const broken = rollUpWith({ ...storage.messageStatistics, recount: failing(recount, { times: 1 }) })
      assert.equal((await broken(() => Promise.resolve(true)))._tag, 'Left')
      steps += 1
    }
    assert.deepEqual(await counts('1d', MIDNIGHT - 30 * DAY_MS, NOON), await said(MIDNIGHT - 30 * DAY_MS, MIDNIGHT + DAY_MS))
  })

  it('needs few steps for a database without messages', async () => {
    const { rollUpWith } = await world()
    let steps = 0
    const result = rightOf(await rollUpWith()(() => Promise.resolve((steps += 1) > 0)))
    assert.deepEqual(result, { messages: 0, finished: true })
    assert.isBelow(steps, 20)
  })

  it('removes buckets that no range shows', async () => {
    const { rollUp, counts, send, clock } = await world()
    await send()
    await rollUp()
    for (const width of ['5m', '1h', '1d'] as const) {
      const start = width === '1d' ? MIDNIGHT : NOON
      clock.at = start + KEPT_MS[width] - MINUTE_MS
      await rollUp()
      assert.equal(sum(await counts(width, 0, NOON + 1)), 1, width)
      clock.at = start + KEPT_MS[width] + MINUTE_MS
      await rollUp()
      assert.equal(sum(await counts(width, 0, NOON + 1)), 0, width)
    }
  })
})

describe('The spend of the months', () => {
  it('is that of the present month and the two before it, newest first', async () => {
    const { storage, workspace, rollUp, send, move } = await world()
    for (const ago of [0, 31 * DAY_MS]) await move(await send(ago), 'accepted')
    await rollUp()
    const months = rightOf(await makeListMonths({ messageStatistics: storage.messageStatistics, now: () => NOON })(workspace))
    assert.deepEqual(months.map(({ start }) => new Date(start).toISOString().slice(0, 10)), ['2026-06-01', '2026-05-01', '2026-04-01'])
    assert.deepEqual(months.map(({ categories }) => categories), [
      [{ category: 'marketing', messages: 1, micros: 50_000n }], [{ category: 'marketing', messages: 1, micros: 50_000n }], [],
    ])
  })

  it('has the day that has just begun, and not the next one, which another process may have begun already', async () => {
    const { storage, workspace, clock, rollUp, send, move } = await world()
    clock.at = MIDNIGHT + DAY_MS
    await move(await send(), 'accepted')
    await rollUp()
    for (const [now, micros] of [[clock.at, 50_000n], [clock.at - 1, undefined]] as const) {
      const [month] = rightOf(await makeListMonths({ ...storage, now: () => now })(workspace))
      const spend = rightOf(await makeReportSpend({ ...storage, now: () => now, marketOf: () => '49' })(workspace, MIDNIGHT))
      assert.deepEqual([month?.categories[0]?.micros, spend.categories[0]?.micros], [micros, micros])
    }
  })
})
