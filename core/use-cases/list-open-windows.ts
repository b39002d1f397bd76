import * as E from 'fp-ts/lib/Either.js'
import * as O from 'fp-ts/lib/Option.js'
import type * as TE from 'fp-ts/lib/TaskEither.js'
import { isUserId, type Customer } from '../customer.js'
import type { PortFailure } from '../errors.js'
import { findCustomer } from '../find-customer.js'
import type { Page, PageQuery } from '../page.js'
import type { CustomerWindow, CustomerWindows } from '../ports/customer-windows.js'
import type { WindowClock } from '../ports/window-clock.js'
import type { Instant } from '../time.js'
import { lastInboundOf, WINDOW_MS, type WindowDeps } from '../window.js'
import type { WorkspaceId } from '../workspace.js'

/**
 * Lists the customers whose customer service window is open, those who wrote last first.
 *
 * A customer with two ids is listed once, under the id of the latest message, so a page may have fewer customers than the limit and still a `next`.
 */
export type ListOpenWindows = (workspace: WorkspaceId, query: PageQuery) => TE.TaskEither<PortFailure, Page<OpenWindow>>

/** A customer whose window is open, and when the customer last wrote. */
export type OpenWindow = Customer & { readonly lastInbound: Instant }

/** What listing open windows needs. */
export type ListOpenWindowsDeps = Omit<WindowDeps, 'windowClock'> & {
  readonly windowClock: Pick<WindowClock, 'now' | 'lastInbound'>
  readonly customerWindows: CustomerWindows
}

/** Makes the use case of what it needs. */
export const makeListOpenWindows =
  (deps: ListOpenWindowsDeps): ListOpenWindows =>
  (workspace, query) =>
  async () => {
    const listed = await deps.customerWindows.list(workspace, { ...query, since: deps.windowClock.now() - WINDOW_MS })()
    if (E.isLeft(listed)) return listed
    const windows = await Promise.all(listed.right.items.map((item) => windowOf(deps, workspace, item)))
    return E.map((found: ReadonlyArray<ReadonlyArray<OpenWindow>>) => ({ items: found.flat(), next: listed.right.next }))(E.sequenceArray(windows))
  }

/** The customer of an id; none where the customer is listed under another id. */
const windowOf = async (
  deps: ListOpenWindowsDeps, workspace: WorkspaceId, { customer: id, lastInbound }: CustomerWindow,
): Promise<E.Either<PortFailure, ReadonlyArray<OpenWindow>>> => {
  const [customer, last] = await Promise.all([findCustomer(deps.customers, workspace, id)(), lastInboundOf(deps, workspace, id)()])
  if (E.isLeft(customer)) return customer
  if (E.isLeft(last)) return last
  const { userId } = customer.right
  const atOnce = isUserId(id) || userId === undefined ? E.right(O.none) : await deps.windowClock.lastInbound(workspace, userId)()
  if (E.isLeft(atOnce)) return atOnce
  const isElsewhere = O.isNone(last.right) || last.right.value !== lastInbound || (O.isSome(atOnce.right) && atOnce.right.value === lastInbound)
  return E.right(isElsewhere ? [] : [{ ...customer.right, lastInbound }])
}
