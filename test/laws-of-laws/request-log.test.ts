import * as E from 'fp-ts/lib/Either.js'
import * as O from 'fp-ts/lib/Option.js'
import { portFailure } from '../../core/kernel/failure.js'
import type { LoggedRequest, RequestLog, RequestQuery } from '../../core/requests/request-log.js'
import { requestLogLaws } from '../laws/request-log.js'
import { brokenMemory, withResult } from './broken-memory.js'
import { describeMutations } from './mutation.js'

const broken = (defect: (log: RequestLog) => Partial<RequestLog>) => brokenMemory('requestLog', defect)

const storing = (change: (entry: LoggedRequest) => LoggedRequest) =>
  broken(({ append }) => ({ append: (entries) => append(entries.map(change)) }))

const asking = (change: (query: RequestQuery) => RequestQuery) =>
  broken(({ list }) => ({ list: (workspace, query) => list(workspace, change(query)) }))

const fails = Promise.resolve(E.left(portFailure('RequestLog')('a defect')))

const [asGiven, own, again, newest, filtered, looked, goesOn, garbage, old, together, concurrent] = requestLogLaws.map(({ name }) =>
  name) as [string, ...string[]]
const named = (...names: ReadonlyArray<string | undefined>): ReadonlyArray<string> =>
  names.flatMap((name) => (name === undefined ? [] : [name]))

describeMutations('the request log', requestLogLaws, [
  { defect: 'drops the code', open: storing(({ code: _, ...entry }) => entry), breaks: named(asGiven) },
  { defect: 'finds nothing by an id', open: broken(() => ({ find: async () => E.right(O.none) })), breaks: named(asGiven) },
  {
    defect: 'finds an entry of any workspace by its id',
    open: broken(({ append }) => {
      const all = new Map<string, LoggedRequest>()
      return {
        append: (entries) => {
          for (const entry of entries) all.set(entry.id, entry)
          return append(entries)
        },
        find: async (_workspace, id) => E.right(O.fromNullable(all.get(id))),
      }
    }),
    breaks: named(own),
  },
  {
    defect: 'replaces an entry that is stored',
    open: broken(({ append, list }) => {
      const latest = new Map<string, LoggedRequest>()
      return {
        append: (entries) => {
          for (const entry of entries) latest.set(entry.id, entry)
          return append(entries)
        },
        list: (workspace, query) =>
          withResult(list(workspace, query), (page) => ({ ...page, items: page.items.map((entry) => latest.get(entry.id) ?? entry) })),
      }
    }),
    breaks: named(again),
  },
  {
    defect: 'lists a page oldest first',
    open: broken(({ list }) => ({
      list: (...query) => withResult(list(...query), (page) => ({ ...page, items: page.items.toReversed() })),
    })),
    breaks: named(newest),
  },
  { defect: 'does not know the filter of a key', open: asking(({ key: _, ...query }) => query), breaks: named(filtered) },
  { defect: 'does not know the filter of a code', open: asking(({ code: _, ...query }) => query), breaks: named(filtered) },
  { defect: 'lists what was answered, too', open: asking(({ isRefused: _, ...query }) => query), breaks: named(filtered, looked) },
  { defect: 'looks at every entry for a page', open: asking(({ look: _, ...query }) => query), breaks: named(looked) },
  { defect: 'starts each page at the newest', open: asking(({ cursor: _, ...query }) => query), breaks: named(newest, goesOn) },
  {
    defect: 'fails for a cursor that it did not give',
    open: broken(({ list }) => ({
      list: (workspace, query) => (query.cursor !== undefined && !/^[0-9a-f]{32}$/.test(query.cursor) ? fails : list(workspace, query)),
    })),
    breaks: named(garbage),
  },
  {
    defect: 'deletes entries of the moment itself',
    open: broken(({ removeOld }) => ({ removeOld: (before, limit) => removeOld(before + 1, limit) })),
    breaks: named(old),
  },
  {
    defect: 'deletes more entries than it was asked for',
    open: broken(({ removeOld }) => ({ removeOld: (before) => removeOld(before, 1_000) })),
    breaks: named(old),
  },
  { defect: 'deletes nothing', open: broken(() => ({ removeOld: async () => E.right(0) })), breaks: named(old) },
  {
    defect: 'stores one entry after another, until one cannot be stored',
    open: broken(({ append }) => ({
      append: async (entries) => {
        for (const entry of entries) {
          if ((entry.route as string | null) === null) return fails
          await append([entry])
        }
        return E.right(undefined)
      },
    })),
    breaks: named(together),
  },
  {
    defect: 'stores nothing while it stores something else',
    open: broken(({ append }) => {
      let isBusy = false
      return {
        append: async (entries) => {
          if (isBusy) return E.right(undefined)
          isBusy = true
          await Promise.resolve()
          const appended = await append(entries)
          isBusy = false
          return appended
        },
      }
    }),
    breaks: named(concurrent),
  },
])
