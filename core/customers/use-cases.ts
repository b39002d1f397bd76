import * as E from 'fp-ts/lib/Either.js'
import * as O from 'fp-ts/lib/Option.js'
import type { PortFailure } from '../kernel/failure.js'
import type { InboxId, WorkspaceId } from '../kernel/ids.js'
import type { Page, PageQuery } from '../kernel/page.js'
import type { Instant } from '../kernel/time.js'
import { inboxOf, type ListedSender, type SenderChoice, type SenderId, type SenderLists, type UnknownSender } from '../senders/sender.js'
import { type Customer, type CustomerId, customerOf, isNothingKnown, isUserId, type KnownId, NOTHING_KNOWN } from './customer.js'
import { findCustomer, type FindEverywhereDeps, findKnownId, type InboxDeps, inboxesOf, nameOf } from './learn.js'
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
  /** The window of the default sender. */
  readonly window: WindowView
  /** The window of each sender, the default sender first. */
  readonly windows: ReadonlyArray<SenderWindowView>
}

/** Shows a customer at a given time. */
export const customerView = (
  now: Instant, { phoneNumber, userId, username, name, lastInbound, senders }: ShownCustomer, freeForm?: FreeForm,
): CustomerView => ({
  phone_number: phoneNumber ?? null, user_id: userId ?? null, username: username ?? null, name: name ?? null,
  window: windowView(now, lastInbound, freeForm), windows: senders.map((window) => senderWindowView(now, window, freeForm)),
})

/** The customer service window of one sender as JSON. */
export type SenderWindowView = { readonly phone_number_id: string } & WindowView

const senderWindowView = (now: Instant, { sender, lastInbound }: SenderWindow, freeForm?: FreeForm): SenderWindowView =>
  ({ phone_number_id: sender, ...windowView(now, lastInbound, freeForm) })

/** The customer service windows of a customer as JSON: the window of the chosen sender, and of each shown sender. */
export type CustomerWindowsView = WindowView & { readonly senders: ReadonlyArray<SenderWindowView> }

/** Shows the windows of a customer at a given time. */
export const customerWindowsView = (
  now: Instant, { lastInbound, senders }: CustomerWindowsShown, freeForm?: FreeForm,
): CustomerWindowsView =>
  ({ ...windowView(now, lastInbound, freeForm), senders: senders.map((window) => senderWindowView(now, window, freeForm)) })

/**
 * Shows the windows of a customer: that of a sender, or without one, that of the default sender and those of all senders. `UnknownSender`: the workspace does not
 * have the sender.
 */
export type ShowWindows = (choice: SenderChoice, id: CustomerId) => Promise<E.Either<UnknownSender | PortFailure, CustomerWindowsShown>>

/** When a customer last wrote to the chosen sender, and to each shown sender. */
export type CustomerWindowsShown = { readonly lastInbound: O.Option<Instant>; readonly senders: ReadonlyArray<SenderWindow> }

/** When a customer last wrote to a sender. */
export type SenderWindow = { readonly sender: SenderId; readonly lastInbound: O.Option<Instant> }

/** The dependencies of showing windows. Without `sendersOf` a workspace has only the inbox of its own. */
export type ShowWindowsDeps = WindowDeps & { readonly senders?: Partial<Pick<SenderLists, 'sendersOf'>> | undefined }

export const makeShowWindows =
  (deps: ShowWindowsDeps): ShowWindows =>
  async ({ workspace, sender }, id) => {
    const listed = await listSenders(deps, workspace)
    if (E.isLeft(listed)) return listed
    const wanted = sender === undefined ? listed.right : listed.right.filter(({ phoneNumberId }) => phoneNumberId === sender)
    if (sender !== undefined && wanted.length === 0) return E.left({ _tag: 'UnknownSender', sender })
    return windowsAt(deps, workspace, wanted, id)
  }

const listSenders = async (
  { senders }: ShowWindowsDeps, workspace: WorkspaceId,
): Promise<E.Either<PortFailure, ReadonlyArray<ListedSender>>> => senders?.sendersOf?.(workspace) ?? E.right([])

const windowsAt = async (
  deps: ShowWindowsDeps, workspace: WorkspaceId, wanted: ReadonlyArray<ListedSender>, id: CustomerId,
): Promise<E.Either<PortFailure, CustomerWindowsShown>> => {
  const read = await Promise.all(wanted.map(async (one) =>
    E.map((lastInbound: O.Option<Instant>): SenderWindow => ({ sender: one.phoneNumberId, lastInbound }))(
      await lastInboundOf(deps, inboxOf(workspace, one), id))))
  const senders = E.sequenceArray(read)
  if (E.isLeft(senders)) return senders
  const [first] = senders.right
  const lastInbound = first === undefined ? await lastInboundOf(deps, workspace, id) : E.right(first.lastInbound)
  return E.isLeft(lastInbound) ? lastInbound : E.right({ lastInbound: lastInbound.right, senders: senders.right })
}

const showAllWindows = async (
  deps: ShowWindowsDeps, workspace: WorkspaceId, id: CustomerId,
): Promise<E.Either<PortFailure, CustomerWindowsShown>> => {
  const listed = await listSenders(deps, workspace)
  return E.isLeft(listed) ? listed : windowsAt(deps, workspace, listed.right, id)
}

/** Shows the data that a workspace has about the customer whom an id names; none if it has no record of the id and the customer never wrote. */
export type ShowCustomer = (workspace: WorkspaceId, id: CustomerId) => Promise<E.Either<PortFailure, O.Option<ShownCustomer>>>

/** A customer, when the customer last wrote to the default sender under any id, and to each sender. */
export type ShownCustomer = Customer & CustomerWindowsShown

/** The dependencies of showing a customer. */
export type ShowCustomerDeps = InboxDeps & ShowWindowsDeps & {
  readonly senders?: Partial<Pick<SenderLists, 'inboxesOf' | 'sendersOf'>> | undefined
}

export const makeShowCustomer =
  (deps: ShowCustomerDeps): ShowCustomer =>
  async (workspace, id) =>
    E.map(({ isKnown, customer }: FoundCustomer) => (isKnown ? O.some(customer) : O.none))(await findShownCustomer(deps, workspace, id))

/** The customer whom an id names, and whether there is any record of the id, or the customer ever wrote. */
export type FoundCustomer = { readonly isKnown: boolean; readonly customer: ShownCustomer }

/** Inboxes that know the customer under other ids may each know a part of the data. The first that knows anything is shown, with a name from another if it has none. */
export const findShownCustomer = async (
  deps: ShowCustomerDeps, workspace: WorkspaceId, id: CustomerId,
): Promise<E.Either<PortFailure, FoundCustomer>> => {
  const [inboxes, windows] = await Promise.all([inboxesOf(deps, workspace), showAllWindows(deps, workspace, id)])
  if (E.isLeft(inboxes)) return inboxes
  if (E.isLeft(windows)) return windows
  const read = E.sequenceArray(await Promise.all(inboxes.right.map((inbox) => findKnownId(deps.customers, inbox, id))))
  if (E.isLeft(read)) return read
  const known = read.right.filter(({ own, dialled }) => !isNothingKnown(own) || dialled !== undefined).map((one) => customerOf(id, one))
  const wrote = [windows.right.lastInbound, ...windows.right.senders.map(({ lastInbound }) => lastInbound)].some(O.isSome)
  const [first = customerOf(id, NOTHING_KNOWN_ID)] = known
  const [name, username] = [
    first.name ?? known.find((one) => one.name)?.name, first.username ?? known.find((one) => one.username)?.username,
  ]
  const customer = { ...first, ...windows.right, ...(name !== undefined && { name }), ...(username !== undefined && { username }) }
  return E.right({ isKnown: known.length > 0 || wrote, customer })
}

const NOTHING_KNOWN_ID: KnownId = { own: NOTHING_KNOWN, other: NOTHING_KNOWN }

/**
 * Lists the customers whose customer service window is open, those who wrote most recently first.
 *
 * A customer with two ids is listed once, under the id of the latest message, so a page may have fewer customers than the limit and still a `next`. A customer who
 * wrote to two senders is listed for each of them.
 */
export type ListOpenWindows = (workspace: WorkspaceId, query: PageQuery) => Promise<E.Either<PortFailure, Page<OpenWindow>>>

/** A customer whose window is open, where the customer wrote, and when last. */
export type OpenWindow = Customer & { readonly inbox: InboxId; readonly lastInbound: Instant }

/** The dependencies of listing open windows. */
export type ListOpenWindowsDeps = InboxDeps & Omit<WindowDeps, 'windowClock'> & {
  readonly windowClock: Pick<WindowClock, 'now' | 'lastInbound'>
  readonly customerWindows: CustomerWindows
}

export const makeListOpenWindows =
  (deps: ListOpenWindowsDeps): ListOpenWindows =>
  async (workspace, query) => {
    const inboxes = await inboxesOf(deps, workspace)
    if (E.isLeft(inboxes)) return inboxes
    const listed = await deps.customerWindows.list(inboxes.right, { ...query, since: deps.windowClock.now() - WINDOW_MS })
    if (E.isLeft(listed)) return listed
    const windows = await Promise.all(listed.right.items.map((item) => windowOf(deps, item)))
    return E.map((found: ReadonlyArray<ReadonlyArray<OpenWindow>>) => ({ items: found.flat(), next: listed.right.next }))(
      E.sequenceArray(windows),
    )
  }

/** The customer of an id; none if the customer is listed under another id. */
const windowOf = async (
  deps: ListOpenWindowsDeps, { inbox, customer: id, lastInbound }: CustomerWindow,
): Promise<E.Either<PortFailure, ReadonlyArray<OpenWindow>>> => {
  const [customer, last] = await Promise.all([findCustomer(deps.customers, inbox, id), lastInboundOf(deps, inbox, id)])
  if (E.isLeft(customer)) return customer
  if (E.isLeft(last)) return last
  const { userId } = customer.right
  const atOnce = isUserId(id) || userId === undefined ? E.right(O.none) : await deps.windowClock.lastInbound(inbox, userId)
  if (E.isLeft(atOnce)) return atOnce
  const isElsewhere = O.isNone(last.right) || last.right.value !== lastInbound
    || (O.isSome(atOnce.right) && atOnce.right.value === lastInbound)
  return E.right(isElsewhere ? [] : [{ ...customer.right, inbox, lastInbound }])
}

/** The names of the customers whom ids name, by id; a customer without a name is missing. A username stands for a missing name. */
export type NameCustomers = (
  workspace: WorkspaceId, ids: ReadonlyArray<CustomerId>,
) => Promise<E.Either<PortFailure, ReadonlyMap<CustomerId, string>>>

/** The dependencies of naming customers. */
export type NameCustomersDeps = FindEverywhereDeps

export const makeNameCustomers =
  (deps: NameCustomersDeps): NameCustomers =>
  async (workspace, ids) => {
    const named = await Promise.all([...new Set(ids)].map(async (id) =>
      E.map((name: string | undefined) => ({ id, name }))(await nameOf(deps, workspace, id))))
    return E.map((found: ReadonlyArray<{ readonly id: CustomerId; readonly name: string | undefined }>) =>
      new Map(found.flatMap(({ id, name }) => (name === undefined ? [] : [[id, name]]))))(E.sequenceArray(named))
  }
