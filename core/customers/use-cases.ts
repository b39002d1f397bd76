import * as E from 'fp-ts/lib/Either.js'
import * as O from 'fp-ts/lib/Option.js'
import type { PortFailure } from '../kernel/failure.js'
import type { WorkspaceId } from '../kernel/ids.js'
import type { Page, PageQuery } from '../kernel/page.js'
import type { Instant } from '../kernel/time.js'
import { type Customer, type CustomerId, customerOf, isNothingKnown, isUserId } from './customer.js'
import { findCustomer, findKnownId } from './learn.js'
import {
  type CustomerWindow, type CustomerWindows, type FreeForm, lastInboundOf, WINDOW_MS, type WindowClock, type WindowDeps, type WindowView,
  windowView,
} from './window.js'

/** A customer as JSON; null stands for an id that is not known. */
export type CustomerView = {
  readonly phone_number: string | null
  readonly user_id: string | null
  readonly username: string | null
  readonly name: string | null
  readonly window: WindowView
}

/** Shows a customer at a given time. */
export const customerView = (
  now: Instant, { phoneNumber, userId, username, name, lastInbound }: ShownCustomer, freeForm?: FreeForm,
): CustomerView => ({
  phone_number: phoneNumber ?? null, user_id: userId ?? null, username: username ?? null, name: name ?? null,
  window: windowView(now, lastInbound, freeForm),
})

/** Shows the data that a workspace has about the customer whom an id names; none if it has no record of the id and the customer never wrote. */
export type ShowCustomer = (workspace: WorkspaceId, id: CustomerId) => Promise<E.Either<PortFailure, O.Option<ShownCustomer>>>

/** A customer, and when the customer last wrote under any id. */
export type ShownCustomer = Customer & { readonly lastInbound: O.Option<Instant> }

/** The dependencies of showing a customer. */
export type ShowCustomerDeps = WindowDeps

export const makeShowCustomer =
  (deps: ShowCustomerDeps): ShowCustomer =>
  async (workspace, id) => {
    const [known, lastInbound] = await Promise.all([findKnownId(deps.customers, workspace, id), lastInboundOf(deps, workspace, id)])
    if (E.isLeft(known)) return known
    if (E.isLeft(lastInbound)) return lastInbound
    return isNothingKnown(known.right.own) && known.right.dialled === undefined && O.isNone(lastInbound.right)
      ? E.right(O.none)
      : E.right(O.some({ ...customerOf(id, known.right), lastInbound: lastInbound.right }))
  }

/**
 * Lists the customers whose customer service window is open, those who wrote most recently first.
 *
 * A customer with two ids is listed once, under the id of the latest message, so a page may have fewer customers than the limit and still a `next`.
 */
export type ListOpenWindows = (workspace: WorkspaceId, query: PageQuery) => Promise<E.Either<PortFailure, Page<OpenWindow>>>

/** A customer whose window is open, and when the customer last wrote. */
export type OpenWindow = Customer & { readonly lastInbound: Instant }

/** The dependencies of listing open windows. */
export type ListOpenWindowsDeps = Omit<WindowDeps, 'windowClock'> & {
  readonly windowClock: Pick<WindowClock, 'now' | 'lastInbound'>
  readonly customerWindows: CustomerWindows
}

export const makeListOpenWindows =
  (deps: ListOpenWindowsDeps): ListOpenWindows =>
  async (workspace, query) => {
    const listed = await deps.customerWindows.list(workspace, { ...query, since: deps.windowClock.now() - WINDOW_MS })
    if (E.isLeft(listed)) return listed
    const windows = await Promise.all(listed.right.items.map((item) => windowOf(deps, workspace, item)))
    return E.map((found: ReadonlyArray<ReadonlyArray<OpenWindow>>) => ({ items: found.flat(), next: listed.right.next }))(
      E.sequenceArray(windows),
    )
  }

/** The customer of an id; none if the customer is listed under another id. */
const windowOf = async (
  deps: ListOpenWindowsDeps, workspace: WorkspaceId, { customer: id, lastInbound }: CustomerWindow,
): Promise<E.Either<PortFailure, ReadonlyArray<OpenWindow>>> => {
  const [customer, last] = await Promise.all([findCustomer(deps.customers, workspace, id), lastInboundOf(deps, workspace, id)])
  if (E.isLeft(customer)) return customer
  if (E.isLeft(last)) return last
  const { userId } = customer.right
  const atOnce = isUserId(id) || userId === undefined ? E.right(O.none) : await deps.windowClock.lastInbound(workspace, userId)
  if (E.isLeft(atOnce)) return atOnce
  const isElsewhere = O.isNone(last.right) || last.right.value !== lastInbound
    || (O.isSome(atOnce.right) && atOnce.right.value === lastInbound)
  return E.right(isElsewhere ? [] : [{ ...customer.right, lastInbound }])
}

/** The names of the customers whom ids name, by id; a customer without a name is missing. A username stands for a missing name. */
export type NameCustomers = (
  workspace: WorkspaceId, ids: ReadonlyArray<CustomerId>,
) => Promise<E.Either<PortFailure, ReadonlyMap<CustomerId, string>>>

/** The dependencies of naming customers. */
export type NameCustomersDeps = Pick<WindowDeps, 'customers'>

export const makeNameCustomers =
  ({ customers }: NameCustomersDeps): NameCustomers =>
  async (workspace, ids) => {
    const named = await Promise.all([...new Set(ids)].map(async (id) =>
      E.map(({ name, username }: Customer) => ({ id, name: name ?? username }))(await findCustomer(customers, workspace, id))))
    return E.map((found: ReadonlyArray<{ readonly id: CustomerId; readonly name: string | undefined }>) =>
      new Map(found.flatMap(({ id, name }) => (name === undefined ? [] : [[id, name]]))))(E.sequenceArray(named))
  }
