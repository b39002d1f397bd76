import * as E from 'fp-ts/lib/Either.js'
import type { AuditLog, AuditQuery } from '../../core/access/acting.js'
import type { AuditEntry } from '../../core/kernel/actor.js'
import { portFailure } from '../../core/kernel/failure.js'
import { isAuditId } from '../../core/kernel/ids.js'
import { auditLogLaws } from '../laws/audit-log.js'
import { brokenMemory, withResult } from './broken-memory.js'
import { describeMutations } from './mutation.js'

const storing = (change: (entry: AuditEntry) => AuditEntry) =>
  brokenMemory('auditLog', ({ append }) => ({ append: (entries) => append(entries.map(change)) }))

const asking = (change: (query: AuditQuery) => AuditQuery) =>
  brokenMemory('auditLog', ({ list }) => ({ list: (query) => list(change(query)) }))

const fails = Promise.resolve(E.left(portFailure('AuditLog')('a defect')))

const hasNoAct = ({ act }: { readonly act: string | null }): boolean => act === null

describeMutations('the audit log', auditLogLaws, [
  {
    defect: 'drops the details', open: storing(({ details: _, ...entry }) => entry),
    breaks: ['an entry of the audit log comes back as it was given'],
  },
  {
    defect: 'fails where a text has a character of code 0',
    open: brokenMemory('auditLog', ({ append }) => ({
      append: (entries) => (entries.some(({ subject }) => subject?.includes('\u0000')) ? fails : append(entries)),
    })),
    breaks: ['texts that a database cannot store fail no audit entry'],
  },
  {
    defect: 'replaces an entry that is stored',
    open: brokenMemory('auditLog', ({ append, list }) => {
      const latest = new Map<string, AuditEntry>()
      return {
        append: (entries) => {
          for (const entry of entries) latest.set(entry.id, entry)
          return append(entries)
        },
        list: (query) => withResult(list(query), (page) => ({ ...page, items: page.items.map((entry) => latest.get(entry.id) ?? entry) })),
      }
    }),
    breaks: ['an audit entry whose id is stored already changes nothing'],
  },
  {
    defect: 'stores nothing where one of the entries is stored already',
    open: brokenMemory('auditLog', ({ append }) => {
      const known = new Set<string>()
      return {
        append: async (entries) => {
          if (entries.some(({ id }) => known.has(id))) return E.right(undefined)
          for (const { id } of entries) known.add(id)
          return append(entries)
        },
      }
    }),
    breaks: ['an audit entry whose id is stored already changes nothing'],
  },
  ...([
    ['deletes anonymous entries of the time itself', (remove) => (before, limit) => remove(before + 1, limit)],
    ['deletes more anonymous entries than the limit', (remove) => (before) => remove(before, 1_000)],
    ['deletes no stranger, and says that it did', (remove) => (before) => remove(before, 0)],
    ['deletes anonymous entries, and does not return their number',
      (remove) => (before, limit) => remove(before, limit).then(E.map(() => 0))],
  ] satisfies ReadonlyArray<readonly [string, (remove: AuditLog['removeAnonymous']) => AuditLog['removeAnonymous']]>).map(([
    defect, change,
  ]) => ({
    defect, open: brokenMemory('auditLog', ({ removeAnonymous }) => ({ removeAnonymous: change(removeAnonymous) })),
    breaks: ['anonymous entries from before a moment are deleted, no more than asked for, and no other entry is'],
  })),
  {
    defect: 'stores one entry after another, until one cannot be stored',
    open: brokenMemory('auditLog', ({ append }) => ({
      append: async (entries) => {
        for (const entry of entries) {
          if (hasNoAct(entry)) return fails
          await append([entry])
        }
        return E.right(undefined)
      },
    })),
    breaks: ['of entries that are appended together to the audit log none is stored if one cannot be'],
  },
  {
    defect: 'leaves out an entry that cannot be stored, and says nothing of it',
    open: brokenMemory('auditLog', ({ append }) => ({ append: (entries) => append(entries.filter((entry) => !hasNoAct(entry))) })),
    breaks: ['of entries that are appended together to the audit log none is stored if one cannot be'],
  },
  {
    defect: 'stores one entry after another, and lets readers in between',
    open: brokenMemory('auditLog', ({ append }) => ({
      append: async (entries) => {
        for (const entry of entries) {
          await append([entry])
          await new Promise((resolve) => { setImmediate(resolve) })
        }
        return E.right(undefined)
      },
    })),
    breaks: ['a reader of the audit log sees all of the entries that were appended together, or none'],
  },
  {
    defect: 'reads the log, and writes it back later with the new entries',
    open: brokenMemory('auditLog', () => {
      let log: ReadonlyArray<AuditEntry> = []
      return {
        append: async (entries) => {
          const before = log
          await Promise.resolve()
          log = [...before, ...entries.filter(({ id }) => !before.some((entry) => entry.id === id))]
          return E.right(undefined)
        },
        list: async ({ workspace, limit }) => {
          const items = log.filter((entry) => entry.workspace === workspace).toSorted((a, b) => (a.id < b.id ? 1 : -1))
          return E.right({ items: items.slice(0, limit), next: undefined })
        },
      }
    }),
    breaks: ['concurrent entries of the audit log are all stored, each once'],
  },
  {
    defect: 'lists the oldest first within a page',
    open: brokenMemory('auditLog', ({ list }) => ({
      list: (query) => withResult(list(query), (page) => ({ ...page, items: page.items.toReversed() })),
    })),
    breaks: ['the audit log is listed newest first by its ids, however its entries came'],
  },
  {
    defect: 'shows the entries of every workspace', open: asking(({ workspace: _, ...query }) => query),
    breaks: ['the audit log of a workspace has its entries alone, and that of all has every one'],
  },
  {
    defect: 'does not know a first moment', open: asking(({ since: _, ...query }) => query),
    breaks: ['the audit log is listed from one moment on, and up to before another'],
  },
  {
    defect: 'lists up to a moment and what was then',
    open: asking(({ until, ...query }) => ({ ...query, ...(until !== undefined && { until: until + 1 }) })),
    breaks: ['the audit log is listed from one moment on, and up to before another'],
  },
  {
    defect: 'counts where a page begins from the newest entry',
    open: brokenMemory('auditLog', ({ list }) => ({
      list: ({ cursor, limit, ...query }) => withResult(list({ ...query, limit: 1_000 }), ({ items }) => {
        const from = Number(cursor ?? 0)
        return { items: items.slice(from, from + limit), next: items.length > from + limit ? String(from + limit) : undefined }
      }),
    })),
    breaks: ['a page of the audit log continues where it ended, even if entries were added since'],
  },
  {
    defect: 'fails at a cursor that is none',
    open: brokenMemory('auditLog', ({ list }) => ({
      list: (query) => (query.cursor === undefined || isAuditId(query.cursor) ? list(query) : fails),
    })),
    breaks: ['an unknown cursor of the audit log never fails'],
  },
])
