import { assert } from 'chai'
import type { WorkspaceId } from '../../../core/kernel/ids.js'
import { HOUR_MS, MINUTE_MS } from '../../../core/kernel/time.js'
import type { QueueHold } from '../../../core/messages/queue-holds.js'
import type { MessageId } from '../../../core/messages/message.js'
import { makeWatchQueue } from '../../../core/sending/queue-control.js'
import { makeCountHeld, makeDeparturesOf } from '../../../core/sending/show-queue.js'
import { done } from '../../support/right-of.js'
import { gateway, NOON } from '../gateway.js'

/** A workspace with two scheduled messages, and a message that was sent. */
const open = async () => {
  const gw = await gateway()
  const { storage, workspace } = gw
  const schedule = async (sendAt: number): Promise<MessageId> => (await done(gw.scheduleText({ sendAt }))).id
  const later = await schedule(NOON + 2 * HOUR_MS)
  const soon = await schedule(NOON + HOUR_MS)
  const sent = (await done(gw.sendText())).id
  const deps = { messageQueue: storage.messageQueue, queueHolds: storage.queueHolds, now: gw.now }
  const hold = (of: Partial<QueueHold> = {}) => storage.queueHolds.hold({ since: NOON, why: 'operator', by: { type: 'system' }, ...of })
  const messages = await gw.messages()
  return {
    gw, workspace, later, soon, sent, hold,
    next: async (limit?: number) =>
      (await done(makeWatchQueue(deps)(workspace, limit))).next.map(({ record, waitsFor }) => [record.id, waitsFor]),
    held: async (of?: WorkspaceId) => done(makeCountHeld(deps)(of)),
    departures: async () => Array.from(
      await done(makeDeparturesOf(deps)(workspace, messages)), ([id, { dueAt, waitsFor }]) => [id, dueAt - NOON, waitsFor],
    ),
  }
}

describe('A queue that is watched', () => {
  it('has its next messages in the order in which they leave, as many as are asked for', async () => {
    const { next, soon, later } = await open()
    assert.deepEqual(await next(), [])
    assert.deepEqual(await next(1), [[soon, 'time']])
    assert.deepEqual(await next(9), [[soon, 'time'], [later, 'time']])
  })

  it('tells of the messages of a list when those leave that are queued, and what those wait for whose time has come', async () => {
    const { gw, departures, hold, soon, later } = await open()
    assert.sameDeepMembers(await departures(), [[soon, HOUR_MS, 'time'], [later, 2 * HOUR_MS, 'time']])
    gw.passes(HOUR_MS)
    assert.sameDeepMembers(await departures(), [[soon, HOUR_MS, 'limit'], [later, 2 * HOUR_MS, 'time']])
    await done(hold())
    assert.sameDeepMembers(await departures(), [[soon, HOUR_MS, 'hold'], [later, 2 * HOUR_MS, 'time']])
  })

  it('is held by a hold of its own workspace, and not by one of another', async () => {
    const { gw, next, hold, soon, workspace } = await open()
    const other = (await gateway()).workspace
    gw.passes(HOUR_MS + MINUTE_MS)
    await done(hold({ workspace: other }))
    assert.deepEqual(await next(1), [[soon, 'limit']])
    await done(hold({ workspace }))
    assert.deepEqual(await next(1), [[soon, 'hold']])
  })

  it('counts what is held, and since when, of a workspace and of all of them', async () => {
    const { held, hold, workspace } = await open()
    assert.isUndefined(await held(workspace))
    const other = (await gateway()).workspace
    await done(hold({ workspace: other }))
    assert.deepEqual([await held(workspace), await held(other), await held()], [undefined, undefined, undefined])
    await done(hold({ workspace, since: NOON + 5 }))
    assert.deepEqual(await held(workspace), { messages: 2, since: NOON + 5 })
    assert.deepEqual(await held(), { messages: 2, since: NOON + 5 })
  })
})
