import type { CustomerId } from '../../core/customers/customer.js'
import { type CustomerWindow, type CustomerWindows, type InboundMark, parseWindowCursor, windowCursorOf } from '../../core/customers/window.js'
import type { WorkspaceId } from '../../core/kernel/ids.js'
import { pageOf } from '../../core/kernel/json.js'
import { infallible } from './task.js'

/** The customers by when they last wrote, over the marks of a window clock in memory. */
export const makeMemoryCustomerWindows = (marks: ReadonlyMap<string, InboundMark>): CustomerWindows => ({
  list: (workspace, { since, limit, cursor }) =>
    infallible(() => {
      const place = cursor === undefined ? undefined : parseWindowCursor(cursor)
      const listed = windowsOf(marks, workspace)
        .filter((one) => one.lastInbound > since && (place === undefined || latestFirst(place, one) < 0))
        .toSorted(latestFirst)
      return pageOf(listed.slice(0, limit + 1), limit, windowCursorOf)
    }),
})

/** A mark's name is its workspace, a space and the customer's id. */
const windowsOf = (marks: ReadonlyMap<string, InboundMark>, workspace: WorkspaceId): ReadonlyArray<CustomerWindow> =>
  Array.from(marks, ([name, { lastInbound }]) => ({ name, lastInbound }))
    .filter(({ name }) => name.startsWith(`${workspace} `))
    .map(({ name, lastInbound }) => ({ customer: name.slice(workspace.length + 1) as CustomerId, lastInbound }))

const latestFirst = (a: CustomerWindow, b: CustomerWindow): number => b.lastInbound - a.lastInbound || (a.customer === b.customer ? 0 : a.customer < b.customer ? 1 : -1)
