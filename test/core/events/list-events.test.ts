import { assert } from 'chai'
import type { EventId } from '../../../core/kernel/ids.js'
import { PULL_LISTENS_MS } from '../../../core/kernel/outbox.js'
import { done, leftOf, rightOf } from '../../support/right-of.js'
import { NOON } from '../gateway.js'
import { openEndpointWorld } from '../use-cases/endpoint-world.js'

/** A world, and what a reader gets who asks after `next` each time until there is nothing more. */
const openReader = async () => {
  const world = await openEndpointWorld()
  const readAll = async (limit: number, types?: ReadonlyArray<string>): Promise<ReadonlyArray<EventId | undefined>> => {
    const read: Array<EventId> = []
    let after: EventId | undefined
    for (;;) {
      const { events, next } = rightOf(await world.listEvents(world.workspace, { after, types, limit }))
      read.push(...events.map(({ id }) => id))
      if (next === after) return read
      after = next
    }
  }
  return { ...world, readAll }
}

describe('Listing events', () => {
  it('gives a reader that asks after next each event once, in order', async () => {
    const { happens, readAll } = await openReader()
    const ids = await happens(...Array.from({ length: 25 }, () => ({})))
    for (const limit of [1, 7, 25, 26]) assert.deepEqual(await readAll(limit), ids)
  })

  it('leaves out what a filter leaves out, and next passes it', async () => {
    const { workspace, happens, readAll, listEvents } = await openReader()
    const ids = await happens({}, { type: 'wallet.low' }, {}, { type: 'wallet.low' }, { type: 'wallet.exhausted' })
    assert.deepEqual(await readAll(1, ['message.*']), [ids[0], ids[2]])
    assert.deepEqual(await readAll(9, ['message.*', 'wallet.exhausted']), [ids[0], ids[2], ids[4]])
    const { events, next } = rightOf(await listEvents(workspace, { after: ids[2], types: ['message.*'], limit: 9 }))
    assert.deepEqual([events, next], [[], ids[4]])
  })

  it('looks at a bounded number of events at a time for a filter that few pass', async () => {
    const { workspace, happens, readAll, listEvents } = await openReader()
    await happens(...Array.from({ length: 5_000 }, () => ({})))
    const [rare] = await happens({ type: 'wallet.low' })
    const { events, next } = rightOf(await listEvents(workspace, { types: ['wallet.low'], limit: 1 }))
    assert.isEmpty(events)
    assert.isDefined(next)
    assert.deepEqual(await readAll(1, ['wallet.low']), [rare])
  })

  it('gives next as it was asked for if there is nothing more', async () => {
    const { workspace, happens, listEvents } = await openReader()
    assert.deepEqual(rightOf(await listEvents(workspace, { limit: 9 })), { events: [], next: undefined })
    const [id] = await happens({})
    assert.deepEqual(rightOf(await listEvents(workspace, { after: id, limit: 9 })), { events: [], next: id })
  })

  it('continues with the oldest event that is kept after one that was deleted or is another workspace\'s', async () => {
    const { workspace, stranger, happens, listEvents, eventOutbox } = await openReader()
    const [old] = await happens({ at: NOON - 9 })
    const [kept] = await happens({ at: NOON })
    await done(eventOutbox.removeOld(NOON - 5, NOON))
    assert.deepEqual(rightOf(await listEvents(workspace, { after: old, limit: 9 })).events.map(({ id }) => id), [kept])
    assert.deepEqual(rightOf(await listEvents(stranger, { after: kept, limit: 9 })), { events: [], next: kept })
  })

  it('shows no event of another workspace', async () => {
    const { stranger, happens, listEvents } = await openReader()
    await happens({})
    assert.deepEqual(rightOf(await listEvents(stranger, { limit: 9 })).events, [])
  })

  it('keeps events for the application for a week from then on', async () => {
    const { workspace, listEvents, eventOutbox, now, passes } = await openReader()
    assert.isFalse(await done(eventOutbox.listens(workspace, now())))
    rightOf(await listEvents(workspace, { limit: 1 }))
    passes(PULL_LISTENS_MS - 3_600_000)
    assert.isTrue(await done(eventOutbox.listens(workspace, now())))
    passes(3_600_000)
    assert.isFalse(await done(eventOutbox.listens(workspace, now())))
  })

  it('refuses an id of a wrong form and types that do not exist, and notes no reader', async () => {
    const { workspace, listEvents, eventOutbox } = await openReader()
    for (const after of ['', 'evt_', 'msg_0199c3a87c2e7b1f9d5a4e6b8c0d2f41', `evt_${'0'.repeat(33)}`]) {
      assert.deepEqual(leftOf(await listEvents(workspace, { after, limit: 1 })), { _tag: 'InvalidEventId', id: after })
    }
    assert.deepEqual(leftOf(await listEvents(workspace, { types: ['message'], limit: 1 })), { _tag: 'UnknownEventType', type: 'message' })
    assert.isFalse(await done(eventOutbox.listens(workspace, NOON)))
  })
})
