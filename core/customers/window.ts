import * as E from 'fp-ts/lib/Either.js'
import * as O from 'fp-ts/lib/Option.js'
import type { Option } from 'fp-ts/lib/Option.js'
import type { PortFailure } from '../kernel/failure.js'
import type { WorkspaceId } from '../kernel/ids.js'
import type { Page, PageQuery } from '../kernel/json.js'
import type { EntriesOf, NewEvent } from '../kernel/outbox.js'
import { DAY_MS, type Instant, iso } from '../kernel/time.js'
import { type Customer, type CustomerId, type CustomerIds, idsOf, isUserId, othersUpTo, recordKeyOf, variantsOf } from './customer.js'
import { type Customers, findCustomer } from './learn.js'

/** The customer service window is closed: since `closedAt`, or always, where the customer never wrote. */
export type WindowClosed = { readonly _tag: 'WindowClosed'; readonly closedAt: Instant | undefined }

/** A customer service window as JSON. */
export type WindowView = { readonly open: boolean; readonly last_inbound_at: string | null; readonly closes_at: string | null }

/** Shows the window of a customer at a moment. One that is always open does not close. */
export const windowView = (now: Instant, lastInbound: O.Option<Instant>, freeForm?: FreeForm): WindowView => ({
  open: isOpen(now, lastInbound, freeForm),
  last_inbound_at: O.isSome(lastInbound) ? iso(lastInbound.value) : null,
  closes_at: O.isSome(lastInbound) && freeForm !== 'always' ? iso(closesAt(lastInbound.value)) : null,
})

/** Whose window it is, the present moment, and when the customer had last written under any id before. */
export type WindowOf = {
  readonly workspace: WorkspaceId; readonly id: CustomerId; readonly now: Instant; readonly before: O.Option<Instant>; readonly freeForm?: FreeForm | undefined
}

/** A message opened the window: none was open when it was written. A late or repeated message is no event, nor is one whose window is over already. */
export const windowOpened = ({ workspace, id, now, before, freeForm }: WindowOf, recorded: RecordedInbound): ReadonlyArray<NewEvent> => {
  const { lastInbound } = recorded
  const wasOpen = [before, O.fromNullable(recorded.before)].some((moment) => isOpen(lastInbound, moment, freeForm))
  return wasOpen || !isOpen(now, O.some(lastInbound))
    ? []
    : [{ type: 'window.opened', workspace, subject: id, data: { to: id, ...windowView(now, O.some(lastInbound)) } }]
}

/** How long a customer's message keeps the customer service window open. */
export const WINDOW_MS = DAY_MS

/** The moment at which the window that a customer's message opened is closed. */
export const closesAt = (lastInbound: Instant): Instant => lastInbound + WINDOW_MS

/** When a network delivers free-form messages: `always`. WhatsApp does so only in the customer service window, which needs no word. */
export type FreeForm = 'always'

/** Whether the window is open: it is at 23:59:59.999 after the customer's latest message and no longer at 24:00:00.000; or always, if the network has no window. */
export const isOpen = (now: Instant, lastInbound: O.Option<Instant>, freeForm?: FreeForm): boolean =>
  freeForm === 'always' || (O.isSome(lastInbound) && now < closesAt(lastInbound.value))

/** What a `WindowClock` keeps of a customer: the latest message, and the latest date of a message that was dated later than its arrival. */
export type InboundMark = { readonly lastInbound: Instant; readonly statedAt?: Instant | undefined }

/** The rule of `WindowClock.recordInbound`: what is kept after a message, given what was kept before. */
export const markInbound = (before: InboundMark | undefined, at: Instant, statedAt?: Instant): InboundMark => {
  if (before === undefined) return { lastInbound: at, statedAt }
  const isCounted = before.statedAt !== undefined && (statedAt === undefined ? at === before.statedAt : statedAt <= before.statedAt)
  return isCounted ? before : { lastInbound: Math.max(at, before.lastInbound), statedAt: statedAt ?? before.statedAt }
}

/** What looking up a customer's window needs. Without `customers` an id is all that is known of its customer. */
export type WindowDeps = {
  readonly windowClock: Pick<WindowClock, 'lastInbound'>
  readonly customers?: Pick<Customers, 'find'> | undefined
}

/**
 * When the customer whom an id names last wrote to a workspace, under any id and any variant of a number; none where never.
 *
 * A moment under the given id that `isEnough` is taken as it is, without looking for a later one.
 */
export const lastInboundOf = async (
  { windowClock, customers }: WindowDeps, workspace: WorkspaceId, id: CustomerId, isEnough: (lastInbound: O.Option<Instant>) => boolean = () => false,
): Promise<E.Either<PortFailure, O.Option<Instant>>> => {
  const [known, own] = await Promise.all([findCustomer(customers, workspace, id), lastUnder(windowClock, workspace, id)])
  if (E.isLeft(known)) return known
  if (E.isLeft(own)) return own
  const counted = countedFor(known.right, id, own.right)
  const others = idsOf(known.right).filter((other) => recordKeyOf(other) !== recordKeyOf(id))
  if (others.length === 0 || isEnough(counted)) return E.right(counted)
  const found = await Promise.all(others.map(async (other) => E.map((last: O.Option<Instant>) => countedFor(known.right, other, last))(await lastUnder(windowClock, workspace, other))))
  return E.map((all: ReadonlyArray<O.Option<Instant>>) => all.reduce(later, counted))(E.sequenceArray(found))
}

/** What was recorded for a number while it may have belonged to another person does not count. */
const countedFor = (customer: Customer, id: CustomerId, lastInbound: O.Option<Instant>): O.Option<Instant> => {
  const since = othersUpTo(customer, id)
  return since === undefined ? lastInbound : O.filter((at: Instant) => at > since)(lastInbound)
}

/** When a customer last wrote to a workspace under one id, in any variant of a number. */
export const lastUnder = async (windowClock: WindowDeps['windowClock'], workspace: WorkspaceId, id: CustomerId): Promise<E.Either<PortFailure, O.Option<Instant>>> => {
  const found = await Promise.all((isUserId(id) ? [id] : variantsOf(id)).map((each) => windowClock.lastInbound(workspace, each)))
  return E.map((all: ReadonlyArray<O.Option<Instant>>) => all.reduce(later))(E.sequenceArray(found))
}

const later = (a: O.Option<Instant>, b: O.Option<Instant>): O.Option<Instant> =>
  O.isSome(a) && O.isSome(b) ? (a.value > b.value ? a : b) : O.isSome(a) ? a : b

/** The time, and when each customer last wrote to a workspace. */
export interface WindowClock {
  /** `always` if the network delivers free-form messages at any time. If it is absent, a free-form message needs an open customer service window. */
  readonly freeForm?: FreeForm
  /** The present moment, in whole milliseconds. It must not throw, because it has no failure to return. */
  readonly now: () => Instant
  /** When a customer last wrote to a workspace under an id; none if no message was recorded for that id. */
  readonly lastInbound: (workspace: WorkspaceId, customer: CustomerId) => Promise<E.Either<PortFailure, Option<Instant>>>
  /**
   * Records that a customer wrote at a moment, to the millisecond, under the ids that the message names; at least one.
   *
   * The message counts for the user id if it names one, and else for the phone number: a number can pass to another person, a user id does not.
   *
   * The latest moment is kept, even of concurrent calls: an earlier one, or the same again, changes nothing.
   *
   * `statedAt` is given for a message whose own date is later than its arrival; `at` is then the arrival. The message counts once:
   * nothing changes if its date is not later than the latest date given before, or if it comes again without `statedAt` after its date.
   *
   * `entriesOf` is called in any case, and its events are stored in the same step.
   */
  readonly recordInbound: (
    workspace: WorkspaceId, customer: CustomerIds, at: Instant, statedAt?: Instant, entriesOf?: EntriesOf<RecordedInbound>,
  ) => Promise<E.Either<PortFailure, void>>
}

/**
 * A clock for a network without a customer service window: free-form messages may be sent at any time, and no event says that a window opened.
 *
 * Pass it to everything that takes the storage's own clock. It still records and answers when customers last wrote.
 */
export const alwaysOpen = (windowClock: WindowClock): WindowClock => ({
  freeForm: 'always',
  now: () => windowClock.now(),
  lastInbound: (...asked) => windowClock.lastInbound(...asked),
  recordInbound: (...wrote) => windowClock.recordInbound(...wrote),
})

/** When the customer had last written under the id for which a message counts: before it was recorded, and now. */
export type RecordedInbound = { readonly before: Instant | undefined; readonly lastInbound: Instant }

/** The customers of a workspace, by when they last wrote; over the same storage as `WindowClock`. */
export interface CustomerWindows {
  /**
   * The ids under which customers of a workspace wrote after a moment, each with what `WindowClock.lastInbound` answers for it, the latest first.
   *
   * A cursor continues after its page, even if customers wrote since; who wrote since is at the beginning then. The last page has no next, even if it is full.
   * An unknown cursor never fails.
   */
  readonly list: (workspace: WorkspaceId, query: CustomerWindowsQuery) => Promise<E.Either<PortFailure, Page<CustomerWindow>>>
}

/** Which ids to list: those that wrote after a moment. */
export type CustomerWindowsQuery = PageQuery & { readonly since: Instant }

/** When a customer last wrote under an id. */
export type CustomerWindow = { readonly customer: CustomerId; readonly lastInbound: Instant }

/** The cursor that continues after an id. */
export const windowCursorOf = ({ customer, lastInbound }: CustomerWindow): string => `${lastInbound}.${customer}`

/** The place that a cursor names; none where the text is no cursor. */
export const parseWindowCursor = (cursor: string): CustomerWindow | undefined => {
  const [, at, customer] = /^(\d{1,15})\.([A-Za-z0-9.]{1,135})$/.exec(cursor) ?? []
  return at === undefined || customer === undefined ? undefined : { lastInbound: Number(at), customer: customer as CustomerId }
}
