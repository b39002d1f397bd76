import * as E from 'fp-ts/lib/Either.js'
import * as O from 'fp-ts/lib/Option.js'
import type { Option } from 'fp-ts/lib/Option.js'
import type { PortFailure } from '../kernel/failure.js'
import { type InboxId, inboxIdOf, type WorkspaceId } from '../kernel/ids.js'
import type { Page, PageQuery } from '../kernel/page.js'
import type { MakeOutboxEntries, NewEvent } from '../kernel/outbox.js'
import { DAY_MS, type Instant, iso } from '../kernel/time.js'
import type { SenderId } from '../senders/sender.js'
import { type Customer, type CustomerId, type CustomerIds, idsOf, isUserId, othersUpTo, recordKeyOf, variantsOf } from './customer.js'
import { type Customers, findCustomer } from './learn.js'

/** The customer service window is closed: since `closedAt`, or always, if the customer never wrote. */
export type WindowClosed = { readonly _tag: 'WindowClosed'; readonly closedAt: Instant | undefined }

/** A customer service window as JSON. */
export type WindowView = { readonly open: boolean; readonly last_inbound_at: string | null; readonly closes_at: string | null }

/** Shows the window of a customer at a given time. A window that is always open does not close. */
export const windowView = (now: Instant, lastInbound: O.Option<Instant>, freeForm?: FreeForm): WindowView => ({
  open: isOpen(now, lastInbound, freeForm),
  last_inbound_at: O.isSome(lastInbound) ? iso(lastInbound.value) : null,
  closes_at: O.isSome(lastInbound) && freeForm !== 'always' ? iso(closesAt(lastInbound.value)) : null,
})

/** The workspace, sender and customer of a window, the current time, and when the customer had last written under any id before. */
export type WindowOf = {
  readonly workspace: WorkspaceId
  /** The sender to whom the customer wrote; absent if the workspace has none. */
  readonly sender?: SenderId | undefined
  readonly id: CustomerId
  readonly now: Instant
  readonly before: O.Option<Instant>
  readonly freeForm?: FreeForm | undefined
}

/** A message opened the window: no window was open when it was written. A late or repeated message makes no event, nor does a message whose window has already closed. */
export const windowOpened = (
  { workspace, sender, id, now, before, freeForm }: WindowOf, recorded: RecordedInbound,
): ReadonlyArray<NewEvent> => {
  const { lastInbound } = recorded
  const wasOpen = [before, O.fromNullable(recorded.before)].some((moment) => isOpen(lastInbound, moment, freeForm))
  return wasOpen || !isOpen(now, O.some(lastInbound))
    ? []
    : [{ type: 'window.opened', workspace, subject: id, data: { to: id, sender: sender ?? null, ...windowView(now, O.some(lastInbound)) } }]
}

/** How long a customer's message keeps the customer service window open. */
export const WINDOW_MS = DAY_MS

/** When the window that a customer's message opened closes. */
export const closesAt = (lastInbound: Instant): Instant => lastInbound + WINDOW_MS

/** When a network delivers free-form messages: `always`. WhatsApp delivers them only in the customer service window; for that the value is absent. */
export type FreeForm = 'always'

/** Whether the window is open: it is open at 23:59:59.999 after the customer's latest message and closed at 24:00:00.000. Without a window, it is always open. */
export const isOpen = (now: Instant, lastInbound: O.Option<Instant>, freeForm?: FreeForm): boolean =>
  freeForm === 'always' || (O.isSome(lastInbound) && now < closesAt(lastInbound.value))

/** The data that a `WindowClock` stores about a customer: the time of the latest message, and the latest date of a message that was dated later than its arrival. */
export type InboundMark = { readonly lastInbound: Instant; readonly statedAt?: Instant | undefined }

/** The rule of `WindowClock.recordInbound`: the data that is stored after a message, given the data stored before. */
export const markInbound = (before: InboundMark | undefined, at: Instant, statedAt?: Instant): InboundMark => {
  if (before === undefined) return { lastInbound: at, statedAt }
  const isCounted = before.statedAt !== undefined && (statedAt === undefined ? at === before.statedAt : statedAt <= before.statedAt)
  return isCounted ? before : { lastInbound: Math.max(at, before.lastInbound), statedAt: statedAt ?? before.statedAt }
}

/** Looks up when the customer whom an id names last wrote to a sender, under any id; none if never. */
export type LastInbound = (inbox: InboxId, id: CustomerId) => Promise<E.Either<PortFailure, O.Option<Instant>>>

/** What looking up a customer's window needs. Without `customers`, only the id of the customer is known. */
export type WindowDeps = {
  readonly windowClock: Pick<WindowClock, 'lastInbound'>
  readonly customers?: Pick<Customers, 'find'> | undefined
}

/**
 * When the customer whom an id names last wrote to a sender, under any id and any variant of a number; none if never.
 *
 * If the time found under the given id `isEnough`, it is returned without looking for a later one.
 */
export const lastInboundOf = async (
  { windowClock, customers }: WindowDeps, inbox: InboxId, id: CustomerId,
  isEnough: (lastInbound: O.Option<Instant>) => boolean = () => false,
): Promise<E.Either<PortFailure, O.Option<Instant>>> => {
  const [known, own] = await Promise.all([findCustomer(customers, inbox, id), lastUnder(windowClock, inbox, id)])
  if (E.isLeft(known)) return known
  if (E.isLeft(own)) return own
  const counted = countedFor(known.right, id, own.right)
  const others = idsOf(known.right).filter((other) => recordKeyOf(other) !== recordKeyOf(id))
  if (others.length === 0 || isEnough(counted)) return E.right(counted)
  const found = await Promise.all(others.map(async (other) =>
    E.map((last: O.Option<Instant>) => countedFor(known.right, other, last))(await lastUnder(windowClock, inbox, other))))
  return E.map((all: ReadonlyArray<O.Option<Instant>>) => all.reduce(later, counted))(E.sequenceArray(found))
}

/** Data recorded for a number while it may have belonged to another person does not count. */
const countedFor = (customer: Customer, id: CustomerId, lastInbound: O.Option<Instant>): O.Option<Instant> => {
  const since = othersUpTo(customer, id)
  return since === undefined ? lastInbound : O.filter((at: Instant) => at > since)(lastInbound)
}

/** When a customer last wrote to a sender under one id, in any variant of a number. */
export const lastUnder = async (
  windowClock: WindowDeps['windowClock'], inbox: InboxId, id: CustomerId,
): Promise<E.Either<PortFailure, O.Option<Instant>>> => {
  const found = await Promise.all((isUserId(id) ? [id] : variantsOf(id)).map((each) => windowClock.lastInbound(inbox, each)))
  return E.map((all: ReadonlyArray<O.Option<Instant>>) => all.reduce(later))(E.sequenceArray(found))
}

const later = (a: O.Option<Instant>, b: O.Option<Instant>): O.Option<Instant> =>
  O.isSome(a) && O.isSome(b) ? (a.value > b.value ? a : b) : O.isSome(a) ? a : b

/** The time, and when each customer last wrote to a sender. An app with one sender a workspace uses the workspace's id as the inbox. */
export interface WindowClock {
  /** `always` if the network delivers free-form messages at any time. If it is absent, a free-form message needs an open customer service window. */
  readonly freeForm?: FreeForm
  /** The current time, in whole milliseconds. It must not throw, because it has no failure to return. */
  readonly now: () => Instant
  /** When a customer last wrote to a workspace under an id; none if no message was recorded for that id. */
  readonly lastInbound: (inbox: InboxId, customer: CustomerId) => Promise<E.Either<PortFailure, Option<Instant>>>
  /**
   * Records that a customer wrote at a given time, to the millisecond, under the ids that the message names; at least one.
   *
   * The message counts for the user id if it names one, otherwise for the phone number: a number can pass to another person; a user id cannot.
   *
   * The latest time is kept, even with concurrent calls. An earlier or equal time changes nothing.
   *
   * `statedAt` is given for a message whose own date is later than its arrival; `at` is then the arrival. The message counts once:
   * nothing changes if its date is not later than the latest date given before, or if it is delivered again without `statedAt` after its date.
   *
   * `outboxEntries` is called in any case, and its entries are stored in the same step.
   */
  readonly recordInbound: (
    inbox: InboxId, customer: CustomerIds, at: Instant, statedAt?: Instant, outboxEntries?: MakeOutboxEntries<RecordedInbound>,
  ) => Promise<E.Either<PortFailure, void>>
}

/**
 * A clock for a network without a customer service window: free-form messages may be sent at any time, and no event reports that a window opened.
 *
 * Pass it to everything that uses the storage's own clock. It still records and returns when customers last wrote.
 */
export const alwaysOpen = (windowClock: WindowClock): WindowClock => ({
  freeForm: 'always',
  now: () => windowClock.now(),
  lastInbound: (...asked) => windowClock.lastInbound(...asked),
  recordInbound: (...wrote) => windowClock.recordInbound(...wrote),
})

/** When the customer last wrote under the id for which a message counts: before the message was recorded, and after. */
export type RecordedInbound = { readonly before: Instant | undefined; readonly lastInbound: Instant }

/** The customers of senders, by the time when they last wrote; backed by the same storage as `WindowClock`. */
export interface CustomerWindows {
  /**
   * The ids under which customers wrote to some senders after a given time, each with the result of `WindowClock.lastInbound` for it, the latest first.
   *
   * A cursor continues after its page, even if customers have written since; those customers are then at the beginning. The last page has no next, even if it is full.
   * An unknown cursor never fails.
   */
  readonly list: (inboxes: ReadonlyArray<InboxId>, query: CustomerWindowsQuery) => Promise<E.Either<PortFailure, Page<CustomerWindow>>>
}

/** The ids to list: those under which a customer wrote after a given time. */
export type CustomerWindowsQuery = PageQuery & { readonly since: Instant }

/** When a customer last wrote to a sender under an id. */
export type CustomerWindow = { readonly inbox: InboxId; readonly customer: CustomerId; readonly lastInbound: Instant }

/** The cursor that continues after an id. */
export const windowCursorOf = ({ inbox, customer, lastInbound }: CustomerWindow): string => `${lastInbound}.${inbox}.${customer}`

/** The place that a cursor names; none if the text is not a cursor. */
export const parseWindowCursor = (cursor: string): CustomerWindow | undefined => {
  const [, at, inbox, customer] = /^(\d{1,15})\.([a-z]{2}_[0-9a-f]{32})\.([A-Za-z0-9.]{1,135})$/.exec(cursor) ?? []
  return at === undefined || inbox === undefined || customer === undefined
    ? undefined
    : { lastInbound: Number(at), inbox: inboxIdOf(inbox), customer: customer as CustomerId }
}
