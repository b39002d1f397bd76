import type { MessageId, MessageQuery, MessageRecord, PageQuery } from '../../core/ports/message-log.js'
import { allPages, done, same } from './expect.js'
import { newDigits, newPhoneNumber, newPlatformId, newWorkspaceId, times } from './ids.js'
import type { Law } from './law.js'
import { newText, NOON, openDesk, recordOf, type Desk, type MessageLogWorld } from './message-world.js'

/** Opens messages a second apart and gives their ids, newest first. */
const openedInTurn = async ({ opened }: Desk, count: number): Promise<ReadonlyArray<MessageId>> => {
  const ids: MessageId[] = []
  for (const step of times(count, (index) => index)) ids.unshift((await opened({ at: NOON + step * 1_000 })).id)
  return ids
}

const listed = async (
  { messageLog }: MessageLogWorld,
  { workspace }: Desk,
  query: Partial<MessageQuery> = {},
): Promise<ReadonlyArray<MessageId>> =>
  idsOf((await done('messages are listed', messageLog.list(workspace, { limit: 100, ...query }))).items)

const idsOf = (records: ReadonlyArray<MessageRecord>): ReadonlyArray<MessageId> => records.map(({ id }) => id)

const pages =
  ({ messageLog }: MessageLogWorld, { workspace }: Desk, filter: Partial<MessageQuery> = {}) =>
  (query: PageQuery) =>
    messageLog.list(workspace, { ...filter, ...query })

/** What a `MessageLog` promises of listing a workspace's messages. */
export const readLaws: ReadonlyArray<Law<MessageLogWorld>> = [
  {
    name: 'a list has a workspace\'s messages newest first',
    check: async (world) => {
      const desk = await openDesk(world)
      same('a workspace without messages', await listed(world, desk), [])
      const ids = await openedInTurn(desk, 5)
      same('the messages, newest first', await listed(world, desk), ids)
      const nowhere = await done('list', world.messageLog.list(newWorkspaceId(), { limit: 5 }))
      same('a workspace that does not exist', nowhere, { items: [], next: undefined })
      same('another workspace', await listed(world, await openDesk(world)), [])
    },
  },
  {
    name: 'a list shows messages as find does',
    check: async (world) => {
      const desk = await openDesk(world)
      const pending = await desk.opened()
      const { id } = await desk.opened({ at: NOON + 1 })
      await desk.settle(id, { state: 'accepted', at: NOON + 2, platformId: newPlatformId() })
      await desk.settle(id, { state: 'failed', at: NOON + 3, error: { code: 131_026 }, pricing: { billable: false } })
      const page = await done('list', world.messageLog.list(desk.workspace, { limit: 10 }))
      same<ReadonlyArray<MessageRecord | undefined>>('the records of a list', page.items, [await desk.found(id), recordOf(pending)])
    },
  },
  {
    name: 'a page has as many messages as asked for, and the last one has no next',
    check: async (world) => {
      const desk = await openDesk(world)
      const ids = await openedInTurn(desk, 6)
      const first = await done('list', world.messageLog.list(desk.workspace, { limit: 4 }))
      same('the first page', idsOf(first.items), ids.slice(0, 4))
      for (const limit of [6, 7]) {
        const whole = await done('list', world.messageLog.list(desk.workspace, { limit }))
        same('a page with every message is the last', whole.next, undefined)
      }
    },
  },
  {
    name: 'pages have each message exactly once, though others are opened meanwhile',
    check: async (world) => {
      const desk = await openDesk(world)
      const ids = await openedInTurn(desk, 7)
      for (const limit of [1, 3, 7]) same(`pages of ${limit}`, idsOf(await allPages('list', pages(world, desk), limit)), ids)
      let late = NOON + 60_000
      const seen = await allPages('list', pages(world, desk), 2, () => desk.opened({ at: (late += 1_000) }))
      same('pages while messages are opened', idsOf(seen), ids)
    },
  },
  {
    name: 'a list can be of one customer',
    check: async (world) => {
      const desk = await openDesk(world)
      const to = newPhoneNumber()
      const message = { ...newText(), to }
      const one = await desk.opened({ message })
      await openedInTurn(desk, 3)
      const other = await desk.opened({ message, at: NOON + 9_000 })
      same('the messages to one customer', await listed(world, desk, { to }), [other.id, one.id])
      same('a customer nobody wrote to', await listed(world, desk, { to: newPhoneNumber() }), [])
    },
  },
  {
    name: 'a list can be of one state',
    check: async (world) => {
      const desk = await openDesk(world)
      const ids = await openedInTurn(desk, 6)
      const [sent, , read, , alsoSent] = ids
      if (sent && read && alsoSent) {
        for (const id of [sent, read, alsoSent]) await desk.settle(id, { state: 'sent', at: NOON + 10 })
        await desk.settle(read, { state: 'read', at: NOON + 11 })
        same('the messages in a state', await listed(world, desk, { state: 'sent' }), [sent, alsoSent])
        same('a message is listed in the state it is in now', await listed(world, desk, { state: 'read' }), [read])
      }
      const pending = ids.filter((id) => ![sent, read, alsoSent].includes(id))
      same('the messages still pending', await listed(world, desk, { state: 'pending' }), pending)
      same('a state no message is in', await listed(world, desk, { state: 'failed' }), [])
    },
  },
  {
    name: 'pages of a filtered list have each message exactly once',
    check: async (world) => {
      const desk = await openDesk(world)
      const message = newText()
      const wanted: MessageId[] = []
      for (const step of times(12, (index) => index)) {
        const { id } = await desk.opened({ at: NOON + step * 1_000, ...(step % 2 === 0 && { message }) })
        if (step % 3 !== 0) await desk.settle(id, { state: 'accepted', at: NOON + 60_000, platformId: newPlatformId() })
        if (step % 2 === 0 && step % 3 !== 0) wanted.unshift(id)
      }
      const seen = await allPages('list', pages(world, desk, { to: message.to, state: 'accepted' }), 1)
      same('the messages to one customer in one state', idsOf(seen), wanted)
    },
  },
  {
    name: 'a cursor that is none of ours is compared as an id would be, and never fails',
    check: async (world) => {
      const desk = await openDesk(world)
      const ids = await openedInTurn(desk, 3)
      same('a cursor after every id begins at the newest', await listed(world, desk, { cursor: 'zzz' }), ids)
      same('a cursor before every id is at the end', await listed(world, desk, { cursor: '!' }), [])
      const garbage = ['', '\u0000', '🙂', '__proto__', '%', '\' or 1=1 --', 'x'.repeat(10_240), newDigits(20), '{"a":1}', '\ud800']
      for (const cursor of garbage) await listed(world, desk, { cursor })
      const theirs = await openedInTurn(await openDesk(world), 1)
      for (const cursor of theirs) {
        const foreign = (await listed(world, desk, { cursor })).filter((id) => !ids.includes(id))
        same('a cursor of another workspace shows nothing of it', foreign, [])
      }
    },
  },
]
