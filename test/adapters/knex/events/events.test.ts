import { randomUUID } from 'node:crypto'
import { setImmediate as nextTurn } from 'node:timers/promises'
import { assert } from 'chai'
import * as E from 'fp-ts/lib/Either.js'
import { uuidv7 } from 'uuidv7'
import type { KnexStorage } from '../../../../adapters/knex/index.js'
import { eventIdOf, type WorkspaceId, workspaceIdOf } from '../../../../core/kernel/ids.js'
import type { Event, StoredEvent } from '../../../../core/kernel/outbox.js'
import { describeEachStorage } from '../../../support/each-storage.js'
import { rightOf } from '../../../support/right-of.js'

const AT = Date.UTC(2026, 10, 1)

await describeEachStorage('Events over SQL', ({ storage, elsewhere }) => {
  let workspace: WorkspaceId

  beforeEach(() => { workspace = workspaceIdOf(randomUUID()) })

  const eventOf = (about: Partial<Event> = {}): Event => ({
    id: eventIdOf(uuidv7()), type: 'message.sent', workspace, at: AT, subject: 'msg_1', data: { id: 'msg_1' }, ...about,
  })

  const append = async (events: ReadonlyArray<Event>, { eventOutbox }: KnexStorage = storage()): Promise<void> => {
    rightOf(await eventOutbox.append(workspace, events))
  }

  const listed = async (of: WorkspaceId = workspace): Promise<ReadonlyArray<StoredEvent>> =>
    rightOf(await storage().eventOutbox.after(of, 0, 1_000))

  const idsOf = (events: ReadonlyArray<Event>): ReadonlyArray<string> => events.map(({ id }) => id)

  it('never passes over an event, and lists none before a listed one, while two gateways write', async () => {
    const written: Array<Event> = []
    const write = async (gateway: KnexStorage): Promise<void> => {
      for (let round = 0; round < 25; round += 1) {
        const events = Array.from({ length: 1 + (round % 3) }, () => eventOf())
        await append(events, gateway)
        written.push(...events)
      }
    }
    let isWriting = true
    const read: Array<StoredEvent> = []
    const follow = async (): Promise<void> => {
      for (let isLast = false; !isLast;) {
        isLast = !isWriting
        const events = rightOf(await elsewhere().eventOutbox.after(workspace, read.at(-1)?.position ?? 0, 7))
        read.push(...events)
        isLast = isLast && events.length === 0
        // SQLite answers without a turn of the event loop, which the writers need.
        await nextTurn()
      }
    }
    const following = follow()
    await Promise.all([storage(), elsewhere(), storage(), elsewhere()].map(write))
    isWriting = false
    await following
    assert.sameMembers([...idsOf(read)], [...idsOf(written)])
    assert.deepEqual(idsOf(read), idsOf(await listed()))
  })

  it('stores events of many workspaces that several gateways write at once, each in its order', async () => {
    const workspaces = Array.from({ length: 8 }, () => workspaceIdOf(randomUUID()))
    const batches = Array.from({ length: 40 }, (_, index) =>
      workspaces.map((each) => eventOf({ workspace: each, data: { batch: index } }))
        .sort(() => (index % 2) - 0.5)
        .slice(0, 4 + (index % 4)))
    await Promise.all(batches.map((batch, index) => append(batch, index % 2 === 0 ? storage() : elsewhere())))
    for (const each of workspaces) {
      assert.sameMembers([...idsOf(await listed(each))], batches.flat().filter((event) => event.workspace === each).map(({ id }) => id))
    }
  })

  it('keeps the first event of a key, also of one transaction and of two gateways at once', async () => {
    const first = eventOf({ key: 'a report' })
    await append([first])
    await append([
      eventOf({ key: 'a report', content: { text: 'again' } }), eventOf({ key: 'another' }), eventOf({ key: 'another' }), eventOf(),
    ])
    assert.lengthOf(await listed(), 3)
    await Promise.all(Array.from(
      { length: 20 }, (_, index) => append([eventOf({ key: 'third', content: { index } })], index % 2 === 0 ? storage() : elsewhere()),
    ))
    const events = await listed()
    assert.lengthOf(events, 4)
    assert.deepEqual(events[0]?.id, first.id)
    assert.isUndefined(events[0]?.content)
  })

  it('keeps data, content and hostile texts as they are, also in transactions of several megabytes', async () => {
    const hostile = `'; DROP TABLE events; -- ? :x $1 \\ \u0000 \ud800 \u{1f4a5}`
    const events = Array.from({ length: 6 }, (_, index) => eventOf({
      data: { text: hostile, filler: 'x'.repeat(400_000), index },
      content: { content: { body: hostile, filler: 'y'.repeat(400_000) }, context: null },
    }))
    await append(events)
    assert.deepEqual((await listed()).map(({ position: _, ...event }) => event), events)
  })

  it('fails an event that cannot be stored alone, and stores those that share its transaction', async () => {
    const notJson: unknown = 1n
    const impossible = eventOf({ data: { amount: notJson as string } })
    const good = [eventOf(), eventOf()]
    const outcomes = await Promise.all(
      [[good[0]], [impossible], [good[1]]].map((events) => storage().eventOutbox.append(workspace, events as ReadonlyArray<Event>)),
    )
    assert.deepEqual(outcomes.map(E.isRight), [true, false, true])
    assert.sameMembers([...idsOf(await listed())], [...idsOf(good)])
  })
})
