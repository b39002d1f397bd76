import * as O from 'fp-ts/lib/Option.js'
import type { WorkspaceId } from '../../core/kernel/ids.js'
import { type Instant, uuidPrefixOf } from '../../core/kernel/time.js'
import type { LoggedRequest, RequestLog, RequestQuery } from '../../core/requests/request-log.js'
import { allPages, done, holds, lookDuring, same } from './expect.js'
import { GARBAGE_CURSORS, longAgo, newMessageId, newName, newWorkspaceId, times } from './ids.js'
import type { Law } from './law.js'

/** The request log, and, as `elsewhere`, the same one as another process opens it, if given. */
export type RequestLogFixture = { readonly requestLog: RequestLog; readonly elsewhere?: { readonly requestLog: RequestLog } }

const entryOf = (workspace: WorkspaceId, at: Instant, more: Partial<LoggedRequest> = {}): LoggedRequest => ({
  id: `${uuidPrefixOf(at)}7${newName().slice(13)}`, workspace, requestId: newName(), key: newName(), method: 'POST',
  route: '/v1/messages/send-text', status: 202, durationMs: 12, at, ...more,
})

const append = ({ requestLog }: RequestLogFixture, entries: ReadonlyArray<LoggedRequest>): Promise<void> =>
  done('entries are appended', requestLog.append(entries))

const listed = (
  { requestLog }: RequestLogFixture, workspace: WorkspaceId, query: Omit<RequestQuery, 'limit'> = {}, limit = 50,
): Promise<ReadonlyArray<LoggedRequest>> =>
  allPages('the request log is listed', (page) => requestLog.list(workspace, { ...query, ...page }), limit)

const idsOf = (entries: ReadonlyArray<LoggedRequest>): ReadonlyArray<string> => entries.map(({ id }) => id)

/** The promises of every `RequestLog`. */
export const requestLogLaws: ReadonlyArray<Law<RequestLogFixture>> = [
  {
    name: 'an entry of the request log comes back as it was given, in a list and by its id',
    check: async (fixture) => {
      const [workspace, at] = [newWorkspaceId(), longAgo()]
      const entries = [
        entryOf(workspace, at + 2, { status: 400, code: 'window_closed', leftOut: 4_292, durationMs: 0 }),
        entryOf(workspace, at + 1, {
          message: newMessageId(at), requestId: 'x'.repeat(128), key: 'k'.repeat(64), route: `/${'r'.repeat(127)}`, durationMs: 86_400_000,
        }),
        entryOf(workspace, at, { method: 'HEAD', status: 599, code: 'c'.repeat(64), requestId: 'A.b_c-9' }),
      ]
      await append(fixture, entries)
      same('what was appended', await listed(fixture, workspace), entries)
      for (const entry of entries) {
        same('by its id', await done('an entry is found', fixture.requestLog.find(workspace, entry.id)), O.some(entry))
      }
    },
  },
  {
    name: 'an entry of the request log is seen in its own workspace alone',
    check: async (fixture) => {
      const [ours, theirs, at] = [newWorkspaceId(), newWorkspaceId(), longAgo()]
      const [entry, other] = [entryOf(ours, at), entryOf(theirs, at + 1)]
      await append(fixture, [entry, other])
      same('ours', await listed(fixture, ours), [entry])
      same('by its id from another workspace', await done('an entry is looked for', fixture.requestLog.find(theirs, entry.id)), O.none)
      same('by the id of its request from another workspace', await listed(fixture, theirs, { requestId: entry.requestId }), [])
      same('an id that nothing has', await done('an entry is looked for', fixture.requestLog.find(ours, newName())), O.none)
    },
  },
  {
    name: 'an entry of the request log whose id is stored already changes nothing',
    check: async (fixture) => {
      const [workspace, at] = [newWorkspaceId(), longAgo()]
      const [first, second] = [entryOf(workspace, at), entryOf(workspace, at + 1)]
      await append(fixture, [first])
      await append(fixture, [{ ...first, status: 500, code: 'internal' }, second])
      await append(fixture, [])
      same('the first as it was, and the second', await listed(fixture, workspace), [second, first])
    },
  },
  {
    name: 'the request log is listed newest first by its ids, however its entries came',
    check: async (fixture) => {
      const [workspace, at] = [newWorkspaceId(), longAgo()]
      const entries = times(9, (index) => entryOf(workspace, at + ((index * 5) % 9)))
      await append(fixture, entries.slice(0, 4))
      for (const entry of entries.slice(4)) await append(fixture, [entry])
      const wanted = entries.toSorted((a, b) => (a.id < b.id ? 1 : -1))
      for (const limit of [1, 2, 9, 50]) same(`by pages of ${limit}`, idsOf(await listed(fixture, workspace, {}, limit)), idsOf(wanted))
      same(
        'the last page has no next, even if it is full', (await done('a full page', fixture.requestLog.list(workspace, { limit: 9 }))).next,
        undefined,
      )
    },
  },
  {
    name: 'the request log is listed by the id of a request, a key, a code, or only what was refused, and by several of these',
    check: async (fixture) => {
      const [workspace, at, key] = [newWorkspaceId(), longAgo(), newName()]
      const entries = [
        entryOf(workspace, at + 4, { key }), entryOf(workspace, at + 3, { key, status: 400, code: 'window_closed' }),
        entryOf(workspace, at + 2, { status: 400, code: 'window_closed' }), entryOf(workspace, at + 1, { status: 399 }),
        entryOf(workspace, at, { status: 503, code: 'storage_unavailable', requestId: 'again' }),
        entryOf(workspace, at - 1, { key, requestId: 'again' }),
      ]
      await append(fixture, entries)
      const places = async (query: Omit<RequestQuery, 'limit'>) =>
        (await listed(fixture, workspace, query, 1)).map(({ id }) => entries.findIndex((entry) => entry.id === id))
      same('by the id of a request that came twice', await places({ requestId: 'again' }), [4, 5])
      same('by an id in another case', await places({ requestId: 'AGAIN' }), [])
      same('by a key', await places({ key }), [0, 1, 5])
      same('by a code', await places({ code: 'window_closed' }), [1, 2])
      same('what was refused', await places({ isRefused: true }), [1, 2, 4])
      same('by all of them', await places({ requestId: entries[1]?.requestId ?? '', key, code: 'window_closed', isRefused: true }), [1])
      same('with a look besides', await places({ requestId: 'again', look: 50 }), [4, 5])
    },
  },
  {
    name: 'a page of the request log looks at no more entries than asked for, and its next leads behind them',
    check: async (fixture) => {
      const [workspace, at] = [newWorkspaceId(), longAgo()]
      const entries = times(7, (index) => entryOf(workspace, at + index, index === 0 ? { status: 500, code: 'internal' } : {}))
      await append(fixture, entries)
      const pages: Array<ReadonlyArray<string>> = []
      let cursor: string | undefined = ''
      while (cursor !== undefined && pages.length < entries.length) {
        const page: { readonly items: ReadonlyArray<LoggedRequest>; readonly next: string | undefined } =
          await done('a look', fixture.requestLog.list(workspace, { limit: 5, look: 3, isRefused: true, ...(cursor !== '' && { cursor }) }))
        pages.push(idsOf(page.items))
        cursor = page.next
      }
      same('two pages without any, and the last', pages, [[], [], [entries[0]?.id ?? '']])
      const full = await done('a page that is full before its look ends', fixture.requestLog.list(workspace, { limit: 2, look: 6 }))
      same('a full page', [idsOf(full.items), full.next], [idsOf(entries.toReversed().slice(0, 2)), entries[5]?.id])
    },
  },
  {
    name: 'a page of the request log continues where it ended, even if entries were added since',
    check: async (fixture) => {
      const [workspace, at] = [newWorkspaceId(), longAgo()]
      const entries = times(6, (index) => entryOf(workspace, at + index))
      await append(fixture, entries)
      let added = 0
      const pages = await allPages('the request log is listed', (page) => fixture.requestLog.list(workspace, page), 2, () => {
        added += 1
        holds('the pages come to an end', added < entries.length, added)
        return append(fixture, [entryOf(workspace, at + 10 + added)])
      })
      same('the entries that were there', idsOf(pages), idsOf(entries.toReversed()))
    },
  },
  {
    name: 'an unknown cursor, and an id that is none, never fail the request log',
    check: async (fixture) => {
      const workspace = newWorkspaceId()
      await append(fixture, [entryOf(workspace, longAgo())])
      for (const text of GARBAGE_CURSORS) {
        await done(`the cursor ${JSON.stringify(text.slice(0, 20))}`, fixture.requestLog.list(workspace, { limit: 5, cursor: text }))
        same('by the id of a request', (await done('a list', fixture.requestLog.list(workspace, { limit: 5, requestId: text }))).items, [])
      }
    },
  },
  {
    name: 'entries of the request log from before a moment are deleted, no more than asked for, and no other is',
    check: async (fixture) => {
      const [workspace, other, at] = [newWorkspaceId(), newWorkspaceId(), longAgo()]
      const entries = [entryOf(workspace, at), entryOf(other, at + 1), entryOf(workspace, at + 2), entryOf(workspace, at + 3)]
      await append(fixture, entries)
      let removed = 0
      // Entries of another law may be as old, so it is repeated until there are none.
      for (let found = -1; found !== 0;) {
        found = await done('old entries are removed', fixture.requestLog.removeOld(at + 3, 2))
        holds('no more than two at a time', found >= 0 && found <= 2, found)
        removed += found
      }
      holds('all three are counted', removed >= 3, removed)
      same('the one of that moment', idsOf(await listed(fixture, workspace)), idsOf(entries.slice(3)))
      same('of the other workspace', await listed(fixture, other), [])
    },
  },
  {
    name: 'of entries that are appended together to the request log none is stored if one cannot be, and a reader sees all or none',
    check: async (fixture) => {
      const [workspace, at] = [newWorkspaceId(), longAgo()]
      const entries = times(40, (index) => entryOf(workspace, at + index))
      // No database stores an entry without a route; a log that stores it anyway has to store all of them.
      const appended = await fixture.requestLog.append(
        entries.map((entry, index) => (index === 30 ? { ...entry, route: null as never } : entry)),
      )
      same(`after the answer ${appended._tag}`, (await listed(fixture, workspace)).length, appended._tag === 'Right' ? entries.length : 0)
      const another = newWorkspaceId()
      const reader = fixture.elsewhere?.requestLog ?? fixture.requestLog
      const together = entries.map((entry) => ({ ...entry, workspace: another, id: `${entry.id.slice(0, 13)}${newName().slice(13)}` }))
      await lookDuring([append(fixture, together)], async () => {
        const { items } = await done('the request log is listed', reader.list(another, { limit: 50 }))
        holds('it has all of them or none', items.length === 0 || items.length === entries.length, items.length)
      })
    },
  },
  {
    name: 'concurrent entries of the request log are all stored, each once',
    check: async (fixture) => {
      const [workspace, at] = [newWorkspaceId(), longAgo()]
      const entries = times(20, (index) => entryOf(workspace, at + index))
      const elsewhere = { requestLog: fixture.elsewhere?.requestLog ?? fixture.requestLog }
      await Promise.all(entries.flatMap((entry, index) => [append(fixture, [entry]), append(elsewhere, entries.slice(index, index + 2))]))
      same('every entry once', idsOf(await listed(fixture, workspace)), idsOf(entries.toReversed()))
    },
  },
]
