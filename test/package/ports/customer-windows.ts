import * as TE from 'fp-ts/lib/TaskEither.js'
import {
  parseWindowCursor, windowCursorOf, type CustomerId, type CustomerWindow, type CustomerWindows, type CustomerWindowsQuery, type Instant, type Page, type PageQuery,
  type PortFailure, type WorkspaceId,
} from '../../../core/ports/customer-windows.js'

const after = (moments: ReadonlyMap<CustomerId, Instant>, since: Instant): ReadonlyArray<CustomerWindow> =>
  Array.from(moments, ([customer, lastInbound]) => ({ customer, lastInbound })).filter(({ lastInbound }) => lastInbound > since)

const placeOf = ({ cursor = '' }: PageQuery): CustomerWindow | undefined => parseWindowCursor(cursor)

export const customerWindows = (moments: Map<CustomerId, Instant>): CustomerWindows => ({
  list: (_workspace: WorkspaceId, query: CustomerWindowsQuery): TE.TaskEither<PortFailure, Page<CustomerWindow>> => {
    const items = after(moments, query.since).filter(({ lastInbound }) => lastInbound <= (placeOf(query)?.lastInbound ?? Infinity))
    const last = items[query.limit - 1]
    return TE.right({ items: items.slice(0, query.limit), next: last && windowCursorOf(last) })
  },
})
