import * as O from 'fp-ts/lib/Option.js'
import { pageOf } from '../../core/kernel/page.js'
import { isListedRequest, type LoggedRequest, type RequestLog } from '../../core/requests/request-log.js'
import { infallible } from './kernel.js'

/** The entries of the request log, by their ids. */
export type LoggedRequests = Map<string, LoggedRequest>

/** The request log in memory. */
export const makeMemoryRequestLog = (entries: LoggedRequests = new Map()): RequestLog => ({
  append: (added) => infallible(() => {
    for (const entry of added) if (!entries.has(entry.id)) entries.set(entry.id, entry)
  }),
  list: (workspace, { cursor, look = Infinity, limit, ...filters }) => infallible(() => {
    const newestFirst = [...entries.values()]
      .filter((entry) => entry.workspace === workspace && (cursor === undefined || entry.id < cursor))
      .toSorted((a, b) => (a.id < b.id ? 1 : -1))
    const looked = newestFirst.slice(0, look)
    const page = pageOf(looked.filter((entry) => isListedRequest(filters, entry)).slice(0, limit + 1), limit, ({ id }) => id)
    return page.next === undefined && looked.length < newestFirst.length ? { ...page, next: looked.at(-1)?.id } : page
  }),
  find: (workspace, id) => infallible(() => {
    const entry = entries.get(id)
    return entry?.workspace === workspace ? O.some(entry) : O.none
  }),
  removeOld: (before, limit) => infallible(() => {
    const old = [...entries.values()].filter(({ at }) => at < before).slice(0, limit)
    for (const { id } of old) entries.delete(id)
    return old.length
  }),
})
