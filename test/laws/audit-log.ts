import type { AuditLog, AuditQuery } from '../../core/access/acting.js'
import type { AuditEntry } from '../../core/kernel/actor.js'
import { auditIdOf, type MemberId, type WorkspaceId } from '../../core/kernel/ids.js'
import type { Instant } from '../../core/kernel/time.js'
import { allPages, done, holds, lookDuring, same } from './expect.js'
import { GARBAGE_CURSORS, longAgo, newName, newWorkspaceId, times } from './ids.js'
import type { Law } from './law.js'

/** The audit log, and, as `elsewhere`, the same one as another process opens it, if given. */
export type AuditLogFixture = { readonly auditLog: AuditLog; readonly elsewhere?: { readonly auditLog: AuditLog } }

const idAt = (at: Instant): AuditEntry['id'] => auditIdOf(`${at.toString(16).padStart(12, '0')}7${newName().slice(13)}`)

const entryOf = (workspace: WorkspaceId | undefined, at: Instant, more: Partial<AuditEntry> = {}): AuditEntry => ({
  id: idAt(at), at, by: { type: 'system' }, act: 'workspace.rename', outcome: 'done', ...(workspace !== undefined && { workspace }),
  ...more,
})

const append = ({ auditLog }: AuditLogFixture, entries: ReadonlyArray<AuditEntry>): Promise<void> =>
  done('entries are appended', auditLog.append(entries))

const listed = ({ auditLog }: AuditLogFixture, query: Omit<AuditQuery, 'limit'>, limit = 50): Promise<ReadonlyArray<AuditEntry>> =>
  allPages('the audit log is listed', (page) => auditLog.list({ ...query, ...page }), limit)

const idsOf = (entries: ReadonlyArray<AuditEntry>): ReadonlyArray<string> => entries.map(({ id }) => id)

/** The promises of every `AuditLog`. */
export const auditLogLaws: ReadonlyArray<Law<AuditLogFixture>> = [
  {
    name: 'an entry of the audit log comes back as it was given',
    check: async (fixture) => {
      const [workspace, at] = [newWorkspaceId(), longAgo()]
      const odd = 'é🔑\u2028"\'\\%_ = --'
      const entries = [
        entryOf(workspace, at + 5, {
          by: { type: 'member', id: `mbr_${newName()}` as MemberId, email: `${'x'.repeat(200)}@shop.example` },
          address: '2001:db8::ffff:192.0.2.1', subject: odd,
          details: { text: odd, nothing: null, list: [1, true, { a: '' }], large: 'x'.repeat(8_000) },
        }),
        entryOf(workspace, at + 4, {
          by: { type: 'key', id: newName() }, outcome: 'refused', act: 'endpoint.add', details: { reason: 'Forbidden' },
        }),
        entryOf(workspace, at + 3, { by: { type: 'command_line', user: odd } }),
        entryOf(workspace, at + 2, { by: { type: 'command_line' } }),
        entryOf(workspace, at + 1, { by: { type: 'unknown', email: 'ada@shop.example' }, act: 'member.sign_in' }),
        entryOf(workspace, at, { by: { type: 'unknown' }, subject: 'x'.repeat(255) }),
      ]
      await append(fixture, entries)
      same('what was appended', await listed(fixture, { workspace }), entries)
    },
  },
  {
    name: 'texts that a database cannot store fail no audit entry',
    check: async (fixture) => {
      const [workspace, at] = [newWorkspaceId(), longAgo()]
      const subjects = ['\u0000', '\ud800', '', 'x'.repeat(10_000), '🙂'.repeat(300)]
      const entries = subjects.map((subject, index) =>
        entryOf(workspace, at + index, { subject, by: { type: 'command_line', user: subject }, address: subject }))
      await append(fixture, entries)
      same('the entries', idsOf(await listed(fixture, { workspace })), idsOf(entries.toReversed()))
    },
  },
  {
    name: 'an audit entry whose id is stored already changes nothing',
    check: async (fixture) => {
      const [workspace, at] = [newWorkspaceId(), longAgo()]
      const [first, second] = [entryOf(workspace, at, { subject: 'first' }), entryOf(workspace, at + 1)]
      await append(fixture, [first])
      await append(fixture, [{ ...first, subject: 'changed', outcome: 'refused', details: { changed: true } }, second])
      same('the first as it was, and the second', await listed(fixture, { workspace }), [second, first])
      await append(fixture, [])
      same('after nothing was appended', await listed(fixture, { workspace }), [second, first])
    },
  },
  {
    name: 'the audit log is listed newest first by its ids, however its entries came',
    check: async (fixture) => {
      const [workspace, at] = [newWorkspaceId(), longAgo()]
      const entries = times(9, (index) => entryOf(workspace, at + ((index * 5) % 9)))
      await append(fixture, entries.slice(0, 4))
      for (const entry of entries.slice(4)) await append(fixture, [entry])
      const wanted = entries.toSorted((a, b) => (a.id < b.id ? 1 : -1))
      for (const limit of [1, 2, 3, 9, 50]) same(`by pages of ${limit}`, idsOf(await listed(fixture, { workspace }, limit)), idsOf(wanted))
      const full = await done('a full page', fixture.auditLog.list({ workspace, limit: 9 }))
      same('the last page has no next, even if it is full', full.next, undefined)
    },
  },
  {
    name: 'the audit log of a workspace has its entries alone, and that of all has every one',
    check: async (fixture) => {
      const [ours, theirs, at] = [newWorkspaceId(), newWorkspaceId(), longAgo()]
      const entries = [entryOf(ours, at), entryOf(theirs, at + 1), entryOf(undefined, at + 2), entryOf(ours, at + 3)] as const
      await append(fixture, entries)
      same('ours', idsOf(await listed(fixture, { workspace: ours })), [entries[3].id, entries[0].id])
      same('of a workspace without entries', await listed(fixture, { workspace: newWorkspaceId() }), [])
      const all = await listed(fixture, { since: at, until: at + 4 })
      const known = new Set(idsOf(entries))
      same('of all', idsOf(all).filter((id) => known.has(id)), idsOf(entries.toReversed()))
    },
  },
  {
    name: 'the audit log is listed from one moment on, and up to before another',
    check: async (fixture) => {
      const [workspace, at] = [newWorkspaceId(), longAgo()]
      const entries = times(5, (index) => entryOf(workspace, at + index))
      await append(fixture, entries)
      const seen = async (query: Pick<AuditQuery, 'since' | 'until'>) =>
        (await listed(fixture, { workspace, ...query }, 2)).map((entry) => entry.at - at)
      same('since the third', await seen({ since: at + 2 }), [4, 3, 2])
      same('until the third', await seen({ until: at + 2 }), [1, 0])
      same('from the second until the fourth', await seen({ since: at + 1, until: at + 3 }), [2, 1])
      same('an empty span', await seen({ since: at + 2, until: at + 2 }), [])
    },
  },
  {
    name: 'a page of the audit log continues where it ended, even if entries were added since',
    check: async (fixture) => {
      const [workspace, at] = [newWorkspaceId(), longAgo()]
      const entries = times(6, (index) => entryOf(workspace, at + index))
      await append(fixture, entries)
      let added = 0
      const pages = await allPages('the audit log is listed', (page) => fixture.auditLog.list({ workspace, ...page }), 2, () => {
        added += 1
        return append(fixture, [entryOf(workspace, at + 10 + added)])
      })
      same('the entries that were there', idsOf(pages), idsOf(entries.toReversed()))
    },
  },
  {
    name: 'an unknown cursor of the audit log never fails',
    check: async (fixture) => {
      const workspace = newWorkspaceId()
      await append(fixture, [entryOf(workspace, longAgo())])
      for (const cursor of GARBAGE_CURSORS) {
        await done(`the cursor ${JSON.stringify(cursor.slice(0, 20))}`, fixture.auditLog.list({ workspace, limit: 5, cursor }))
      }
    },
  },
  {
    name: 'anonymous entries from before a moment are deleted, no more than asked for, and no other entry is',
    check: async (fixture) => {
      const [workspace, at] = [newWorkspaceId(), longAgo()]
      const stranger = { by: { type: 'unknown', email: 'eve@shop.example' }, act: 'member.sign_in', outcome: 'refused' } as const
      const entries = [
        entryOf(workspace, at, stranger), entryOf(workspace, at + 1), entryOf(workspace, at + 2, stranger),
        entryOf(workspace, at + 3, stranger),
        entryOf(workspace, at + 3, {
          by: { type: 'member', id: `mbr_${newName()}` as MemberId, email: 'eve@shop.example' }, act: 'member.sign_in',
        }),
      ]
      await append(fixture, entries)
      let removed = 0
      // Entries of another law may be as old, so it is repeated until there are none.
      for (let found = -1; found !== 0; removed += found) {
        found = await done('anonymous entries are removed', fixture.auditLog.removeAnonymous(at + 3, 1))
        holds('no more than one at a time', found === 0 || found === 1, found)
      }
      holds('both are counted', removed >= 2, removed)
      const left = await listed(fixture, { workspace })
      same(
        'those who are known, and the stranger of that moment', idsOf(left).toSorted(),
        idsOf([1, 3, 4].map((index) => entries[index] as AuditEntry)).toSorted(),
      )
    },
  },
  {
    name: 'of entries that are appended together to the audit log none is stored if one cannot be',
    check: async (fixture) => {
      const [workspace, at] = [newWorkspaceId(), longAgo()]
      const [before, ...together] = times(6, (index) => entryOf(workspace, at + index)) as [AuditEntry, ...AuditEntry[]]
      await append(fixture, [before])
      // No database stores an entry without an act; a log that stores it anyway has to store all of them.
      const entries = together.map((entry, index) => (index === 3 ? { ...entry, act: null as never } : entry))
      const appended = await fixture.auditLog.append(entries)
      const wanted = appended._tag === 'Right' ? [...entries.toReversed(), before] : [before]
      same(`after the answer ${appended._tag}`, idsOf(await listed(fixture, { workspace })), idsOf(wanted))
    },
  },
  {
    name: 'a reader of the audit log sees all of the entries that were appended together, or none',
    check: async (fixture) => {
      const [workspace, at] = [newWorkspaceId(), longAgo()]
      const entries = times(40, (index) => entryOf(workspace, at + index))
      const reader = fixture.elsewhere?.auditLog ?? fixture.auditLog
      await lookDuring([append(fixture, entries)], async () => {
        const { items } = await done('the audit log is listed', reader.list({ workspace, limit: 50 }))
        holds('it has all of them or none', items.length === 0 || items.length === entries.length, items.length)
      })
      same('every entry', idsOf(await listed(fixture, { workspace })), idsOf(entries.toReversed()))
    },
  },
  {
    name: 'concurrent entries of the audit log are all stored, each once',
    check: async (fixture) => {
      const [workspace, at] = [newWorkspaceId(), longAgo()]
      const entries = times(20, (index) => entryOf(workspace, at + index))
      const elsewhere = { auditLog: fixture.elsewhere?.auditLog ?? fixture.auditLog }
      await Promise.all(entries.flatMap((entry, index) => [append(fixture, [entry]), append(elsewhere, entries.slice(index, index + 2))]))
      same('every entry once', idsOf(await listed(fixture, { workspace })), idsOf(entries.toReversed()))
    },
  },
]
