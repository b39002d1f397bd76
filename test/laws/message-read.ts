import type { CustomerId, UserId } from '../../core/customers/customer.js'
import type { PageQuery } from '../../core/kernel/page.js'
import type { MessageQuery } from '../../core/messages/message-log.js'
import { type MessageId, type MessageRecord, openRecord } from '../../core/messages/message.js'
import { allPages, done, same } from './expect.js'
import { GARBAGE_CURSORS, newDigits, newMessageId, newName, newPhoneNumber, newPlatformId, newWorkspaceId, times } from './ids.js'
import type { Law } from './law.js'
import { type MessageLogFixture, type MessageWorkspace, newText, NOON, openMessageWorkspace } from './message-fixture.js'

/** Opens messages a second apart and returns their ids, newest first. */
const openedInTurn = async ({ opened }: MessageWorkspace, count: number): Promise<ReadonlyArray<MessageId>> => {
  const ids: MessageId[] = []
  for (const step of times(count, (index) => index)) ids.unshift((await opened({ at: NOON + step * 1_000 })).id)
  return ids
}

const listed = async (
  { messageLog }: MessageLogFixture,
  { workspace }: MessageWorkspace,
  query: Partial<MessageQuery> = {},
): Promise<ReadonlyArray<MessageId>> =>
  idsOf((await done('messages are listed', messageLog.list(workspace, { limit: 100, ...query }))).items)

const idsOf = (records: ReadonlyArray<MessageRecord>): ReadonlyArray<MessageId> => records.map(({ id }) => id)

const pages =
  ({ messageLog }: MessageLogFixture, { workspace }: MessageWorkspace, filter: Partial<MessageQuery> = {}) =>
  (query: PageQuery) =>
    messageLog.list(workspace, { ...filter, ...query })

/** The promises of a `MessageLog` about listing a workspace's messages. */
export const readLaws: ReadonlyArray<Law<MessageLogFixture>> = [
  {
    name: 'a list has a workspace\'s messages newest first',
    check: async (fixture) => {
      const log = await openMessageWorkspace(fixture)
      same('a workspace without messages', await listed(fixture, log), [])
      const ids = await openedInTurn(log, 5)
      same('the messages, newest first', await listed(fixture, log), ids)
      const nowhere = await done('list', fixture.messageLog.list(newWorkspaceId(), { limit: 5 }))
      same('a workspace that does not exist', nowhere, { items: [], next: undefined })
      same('another workspace', await listed(fixture, await openMessageWorkspace(fixture)), [])
    },
  },
  {
    name: 'a list can begin with the oldest messages, and its pages go on with newer ones',
    check: async (fixture) => {
      const log = await openMessageWorkspace(fixture)
      const ids = (await openedInTurn(log, 7)).toReversed()
      const oldestFirst = true
      same('the messages, oldest first', await listed(fixture, log, { oldestFirst }), ids)
      for (const limit of [1, 3, 7]) {
        same(`pages of ${limit}`, idsOf(await allPages('list', pages(fixture, log, { oldestFirst }), limit)), ids)
      }
      const [third = newMessageId(NOON), last = newMessageId(NOON)] = [ids[2], ids[6]]
      same('those after a cursor', await listed(fixture, log, { oldestFirst, cursor: third }), ids.slice(3))
      same('a cursor before every id', await listed(fixture, log, { oldestFirst, cursor: '!' }), ids)
      same('a cursor after every id', await listed(fixture, log, { oldestFirst, cursor: 'zzz' }), [])
      for (const id of [third, last]) await log.apply(id, { state: 'sent', at: NOON + 60_000 })
      const look = async (cursor?: string) => {
        const page = await done('a look', fixture.messageLog.list(log.workspace, {
          oldestFirst, state: 'sent', limit: 5, look: 3, ...(cursor !== undefined && { cursor }),
        }))
        return [idsOf(page.items), page.next] as const
      }
      same('a look at the oldest three', await look(), [[third], third])
      same('a look at the next three', await look(third), [[], ids[5]])
      same('a look at the rest', await look(ids[5]), [[last], undefined])
    },
  },
  {
    name: 'a list shows messages as find does',
    check: async (fixture) => {
      const log = await openMessageWorkspace(fixture)
      const pending = await log.opened()
      const { id } = await log.opened({ at: NOON + 1 })
      await log.apply(id, { state: 'accepted', at: NOON + 2, platformId: newPlatformId() })
      await log.apply(id, { state: 'failed', at: NOON + 3, error: { code: 131_026 }, pricing: { billable: false } })
      const page = await done('list', fixture.messageLog.list(log.workspace, { limit: 10 }))
      same<ReadonlyArray<MessageRecord | undefined>>('the records of a list', page.items, [await log.found(id), openRecord(pending)])
    },
  },
  {
    name: 'a page has as many messages as asked for, and the last one has no next',
    check: async (fixture) => {
      const log = await openMessageWorkspace(fixture)
      const ids = await openedInTurn(log, 6)
      const first = await done('list', fixture.messageLog.list(log.workspace, { limit: 4 }))
      same('the first page', idsOf(first.items), ids.slice(0, 4))
      for (const limit of [6, 7]) {
        const whole = await done('list', fixture.messageLog.list(log.workspace, { limit }))
        same('a page with every message is the last', whole.next, undefined)
      }
      const rest = await done(
        'list', fixture.messageLog.list(log.workspace, { limit: 2, ...(first.next !== undefined && { cursor: first.next }) }),
      )
      same('a full page with every message that is left', [idsOf(rest.items), rest.next], [ids.slice(4), undefined])
    },
  },
  {
    name: 'pages have each message exactly once, though others are opened meanwhile',
    check: async (fixture) => {
      const log = await openMessageWorkspace(fixture)
      const ids = await openedInTurn(log, 7)
      for (const limit of [1, 3, 7]) same(`pages of ${limit}`, idsOf(await allPages('list', pages(fixture, log), limit)), ids)
      let late = NOON + 60_000
      const seen = await allPages('list', pages(fixture, log), 2, () => log.opened({ at: (late += 1_000) }))
      same('pages while messages are opened', idsOf(seen), ids)
    },
  },
  {
    name: 'a list can be of one customer',
    check: async (fixture) => {
      const log = await openMessageWorkspace(fixture)
      const to = newPhoneNumber()
      const message = { ...newText(), to }
      const one = await log.opened({ message })
      await openedInTurn(log, 3)
      const other = await log.opened({ message, at: NOON + 9_000 })
      same('the messages to one customer', await listed(fixture, log, { to: [{ id: to }] }), [other.id, one.id])
      same('a new customer', await listed(fixture, log, { to: [{ id: newPhoneNumber() }] }), [])
    },
  },
  {
    name: 'a list can be of several ids, of each from a moment on',
    check: async (fixture) => {
      const log = await openMessageWorkspace(fixture)
      const [number, userId] = [newPhoneNumber(), `DE.ENT.${'aB3'.repeat(42)}${newDigits(2)}` as UserId]
      const opened = async (to: CustomerId, at: number): Promise<MessageId> => (await log.opened({ message: { ...newText(), to }, at })).id
      const [before, during, later] = [await opened(number, NOON), await opened(number, NOON + 1), await opened(number, NOON + 2)]
      const toUserId = [await opened(userId, NOON + 3), await opened(userId, NOON + 4)]
      await openedInTurn(log, 3)
      const newestFirst = [...toUserId, later, during, before].sort((a, b) => (a < b ? 1 : -1))
      same('of both ids', await listed(fixture, log, { to: [{ id: userId }, { id: number }] }), newestFirst)
      same(
        'of one of them after a moment', await listed(fixture, log, { to: [{ id: userId }, { id: number, after: NOON + 1 }] }),
        newestFirst.filter((id) => id !== during && id !== before),
      )
      same('of a user id', await listed(fixture, log, { to: [{ id: userId }] }), newestFirst.filter((id) => toUserId.includes(id)))
      same('letter case counts', await listed(fixture, log, { to: [{ id: userId.toUpperCase() as UserId }] }), [])
      same('of no id', await listed(fixture, log, { to: [] }), [])
      const seen = await allPages('list', pages(fixture, log, { to: [{ id: number, after: NOON }, { id: userId, after: NOON + 3 }] }), 1)
      same('page by page', idsOf(seen), newestFirst.filter((id) => id !== before && id !== toUserId[0]))
    },
  },
  {
    name: 'a list can be of one state',
    check: async (fixture) => {
      const log = await openMessageWorkspace(fixture)
      const ids = await openedInTurn(log, 6)
      const [sent, , read, , alsoSent] = ids
      if (sent && read && alsoSent) {
        for (const id of [sent, read, alsoSent]) await log.apply(id, { state: 'sent', at: NOON + 10 })
        same('both that were sent, and the third', await listed(fixture, log, { state: 'sent' }), [sent, read, alsoSent])
        await log.apply(read, { state: 'read', at: NOON + 11 })
        same('the messages in a state', await listed(fixture, log, { state: 'sent' }), [sent, alsoSent])
        same('a message is listed in the state it is in now', await listed(fixture, log, { state: 'read' }), [read])
        await log.apply(alsoSent, { state: 'played', at: NOON + 12 })
        same('one that was played is listed as that', await listed(fixture, log, { state: 'played' }), [alsoSent])
        same('and not as read', await listed(fixture, log, { state: 'read' }), [read])
        same('a message that moved on is not listed where it was', await listed(fixture, log, { state: 'sent' }), [sent])
      }
      const pending = ids.filter((id) => ![sent, read, alsoSent].includes(id))
      same('the messages still pending', await listed(fixture, log, { state: 'pending' }), pending)
      same('a state no message is in', await listed(fixture, log, { state: 'failed' }), [])
    },
  },
  {
    name: 'a list can be of the messages that were opened in a time',
    check: async (fixture) => {
      const log = await openMessageWorkspace(fixture)
      const ids = await openedInTurn(log, 5)
      same('from a moment on', await listed(fixture, log, { from: NOON + 2_000 }), ids.slice(0, 3))
      same('a millisecond later', await listed(fixture, log, { from: NOON + 2_001 }), ids.slice(0, 2))
      same('before a moment', await listed(fixture, log, { before: NOON + 2_000 }), ids.slice(3))
      same('from one moment to another', await listed(fixture, log, { from: NOON + 1_000, before: NOON + 4_000 }), ids.slice(1, 4))
      same('in no time', await listed(fixture, log, { from: NOON + 3_000, before: NOON + 3_000 }), [])
      same('since the epoch, page by page', idsOf(await allPages('list', pages(fixture, log, { from: 0, before: NOON + 60_000 }), 2)), ids)
    },
  },
  {
    name: 'a list can be of one template, by its exact name',
    check: async (fixture) => {
      const log = await openMessageWorkspace(fixture)
      const sent = async (name: string, at: number): Promise<MessageId> =>
        (await log.opened({ at, message: { _tag: 'Template', to: newPhoneNumber(), name, language: 'en' } })).id
      const first = await sent('order_update', NOON)
      await openedInTurn(log, 2)
      await sent('order_update_2', NOON + 10)
      await sent('Order_Update', NOON + 11)
      const second = await sent('order_update', NOON + 60_000)
      same('the messages of a template', await listed(fixture, log, { template: 'order_update' }), [second, first])
      for (const template of ['order_updat_', 'order%', 'order_update ', '']) {
        same(`no template has the name "${template}"`, await listed(fixture, log, { template }), [])
      }
    },
  },
  {
    name: 'a list can be of one error code, though errors name other codes elsewhere',
    check: async (fixture) => {
      const log = await openMessageWorkspace(fixture)
      const ids = await openedInTurn(log, 6)
      const errors = [
        { code: 131_026 }, { code: '131026', title: 'as a text' }, { code: 1_310_260 }, { code: 1, error_data: { code: 131_026 } },
        { title: 'none' },
      ]
      for (const [index, error] of errors.entries()) {
        await log.apply(ids[index] ?? newMessageId(NOON), { state: 'failed', at: NOON + 10, error })
      }
      same('the messages with an error of a code', await listed(fixture, log, { errorCode: 131_026 }), ids.slice(0, 2))
      same('a code at the beginning of others', await listed(fixture, log, { errorCode: 131 }), [])
      same('page by page', idsOf(await allPages('list', pages(fixture, log, { errorCode: 131_026 }), 1)), ids.slice(0, 2))
    },
  },
  {
    name: 'a list can be of a code of the gateway, also of errors that an earlier release stored as a sentence alone',
    check: async (fixture) => {
      const log = await openMessageWorkspace(fixture)
      const ids = await openedInTurn(log, 5)
      const sentence = 'The wallet could not cover the price'
      const errors = [
        { code: 'insufficient_balance', message: sentence }, { message: sentence }, { code: 131_026, message: sentence },
        { code: 'storage_unavailable' },
      ]
      for (const [index, error] of errors.entries()) {
        await log.apply(ids[index] ?? newMessageId(NOON), { state: 'refused', at: NOON + 10, error })
      }
      same('the messages with the code', await listed(fixture, log, { errorCode: 'insufficient_balance' }), ids.slice(0, 2))
      same('those of another code', await listed(fixture, log, { errorCode: 'storage_unavailable' }), ids.slice(3, 4))
    },
  },
  {
    name: 'a list can be of what was noted on messages, by exact names and values',
    check: async (fixture) => {
      const log = await openMessageWorkspace(fixture)
      const noted = [
        { order: 'A-17', shop: 'Köln' }, { order: 'A-17' }, { order: 'a-17' }, { order: 'A-170' }, { note: '"order":"A-17"' },
        { order: '50%_\\"', 'a.b': '👍' }, undefined,
      ]
      const ids: MessageId[] = []
      for (const [index, metadata] of noted.entries()) {
        ids.push((await log.opened({ message: { ...newText(), ...(metadata && { metadata }) }, at: NOON + index * 1_000 })).id)
      }
      const of = (...places: ReadonlyArray<number>) => places.flatMap((place) => ids[place] ?? [])
      same('what has a value', await listed(fixture, log, { metadata: { order: 'A-17' } }), of(1, 0))
      same('what has two', await listed(fixture, log, { metadata: { order: 'A-17', shop: 'Köln' } }), of(0))
      same(
        'signs that a database may read in its own way', await listed(fixture, log, { metadata: { order: '50%_\\"', 'a.b': '👍' } }), of(5),
      )
      for (const metadata of [{ order: '50%%%"' }, { order: 'A' }, { shop: 'A-17' }, { toString: 'A-17' }]) {
        same('what nothing has', await listed(fixture, log, { metadata }), [])
      }
      same('page by page', idsOf(await allPages('list', pages(fixture, log, { metadata: { order: 'A-17' } }), 1)), of(1, 0))
    },
  },
  {
    name: 'a list can be of what was noted on messages under any name, by the exact value',
    check: async (fixture) => {
      const log = await openMessageWorkspace(fixture)
      const noted = [
        { order: 'A-17', shop: 'Köln' }, { visit: 'A-17' }, { order: 'a-17' }, { 'A-17': 'x' }, { note: '"x":"A-17"' },
        { order: '50%_\\"' }, undefined,
      ]
      const ids: MessageId[] = []
      for (const [index, metadata] of noted.entries()) {
        ids.push((await log.opened({ message: { ...newText(), ...(metadata && { metadata }) }, at: NOON + index * 1_000 })).id)
      }
      const of = (...places: ReadonlyArray<number>) => places.flatMap((place) => ids[place] ?? [])
      same('under two names', await listed(fixture, log, { reference: 'A-17' }), of(1, 0))
      same('with a name, too', await listed(fixture, log, { reference: 'Köln', metadata: { order: 'A-17' } }), of(0))
      same('signs that a database may read in its own way', await listed(fixture, log, { reference: '50%_\\"' }), of(5))
      for (const reference of ['A-1', 'order', '%', '']) same('what nothing has', await listed(fixture, log, { reference }), [])
    },
  },
  {
    name: 'a look at some messages gives those among them, and goes on after them',
    check: async (fixture) => {
      const log = await openMessageWorkspace(fixture)
      const ids = await openedInTurn(log, 7)
      const [wanted = newMessageId(NOON), alsoWanted = newMessageId(NOON)] = [ids[1], ids[6]]
      for (const id of [wanted, alsoWanted]) await log.apply(id, { state: 'sent', at: NOON + 10 })
      const look = (more: Partial<MessageQuery>) =>
        done('a look', fixture.messageLog.list(log.workspace, { state: 'sent', limit: 5, look: 3, ...more }))
      const first = await look({})
      same('what is among the newest three', idsOf(first.items), [wanted])
      const second = await look({ ...(first.next !== undefined && { cursor: first.next }) })
      same('nothing is among the next three, and there are more', [idsOf(second.items), second.next !== undefined], [[], true])
      const third = await look({ ...(second.next !== undefined && { cursor: second.next }) })
      same('the last of all, and no more', [idsOf(third.items), third.next], [[alsoWanted], undefined])
      same('a look at exactly all has no more', (await look({ look: 7 })).next, undefined)
      const full = await look({ look: 7, limit: 1 })
      same('a page that is full before the look ends goes on after its last message', [idsOf(full.items), full.next], [[wanted], wanted])
      const one = { to: [{ id: (await log.found(alsoWanted))?.to as CustomerId }], look: 1 }
      same('of one customer, only those to the customer are looked at', idsOf((await look(one)).items), [alsoWanted])
      same('of a time, only those in the time are', idsOf((await look({ before: NOON + 1_000, look: 1 })).items), [alsoWanted])
    },
  },
  {
    name: 'pages of a filtered list have each message exactly once',
    check: async (fixture) => {
      const log = await openMessageWorkspace(fixture)
      const message = newText()
      const wanted: MessageId[] = []
      for (const step of times(12, (index) => index)) {
        const { id } = await log.opened({ at: NOON + step * 1_000, ...(step % 2 === 0 && { message }) })
        if (step % 3 !== 0) await log.apply(id, { state: 'accepted', at: NOON + 60_000, platformId: newPlatformId() })
        if (step % 2 === 0 && step % 3 !== 0) wanted.unshift(id)
      }
      const seen = await allPages('list', pages(fixture, log, { to: [{ id: message.to }], state: 'accepted' }), 1)
      same('the messages to one customer in one state', idsOf(seen), wanted)
    },
  },
  {
    name: 'a cursor that is none of ours is compared as an id would be, and never fails',
    check: async (fixture) => {
      const log = await openMessageWorkspace(fixture)
      const ids = await openedInTurn(log, 3)
      same('a cursor after every id begins at the newest', await listed(fixture, log, { cursor: 'zzz' }), ids)
      same('a cursor before every id is at the end', await listed(fixture, log, { cursor: '!' }), [])
      const others = [newDigits(20), newName(), `${NOON}.${newName()}`, log.workspace]
      for (const cursor of [...GARBAGE_CURSORS, ...others]) await listed(fixture, log, { cursor })
      const message = newText()
      const { id } = await log.opened({ message, at: NOON - 1_000 })
      for (const cursor of ids) {
        same('a cursor of a list of other messages', await listed(fixture, log, { to: [{ id: message.to }], cursor }), [id])
      }
      const theirs = await openedInTurn(await openMessageWorkspace(fixture), 1)
      for (const cursor of theirs) {
        const foreign = (await listed(fixture, log, { cursor })).filter((shown) => ![id, ...ids].includes(shown))
        same('a cursor of another workspace shows nothing of it', foreign, [])
      }
    },
  },
]
