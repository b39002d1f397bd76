import * as E from 'fp-ts/lib/Either.js'
import { pipe } from 'fp-ts/lib/function.js'
import * as O from 'fp-ts/lib/Option.js'
import * as TE from 'fp-ts/lib/TaskEither.js'
import type { PortFailure } from './errors.js'
import { isUserId, type Customer, type CustomerId } from './customer.js'
import { findCustomer } from './find-customer.js'
import { variantsOf } from './phone-number.js'
import type { Customers } from './ports/customers.js'
import type { WindowClock } from './ports/window-clock.js'
import { DAY_MS, type Instant } from './time.js'
import type { WorkspaceId } from './workspace.js'

/** How long a customer's message keeps the customer service window open. */
export const WINDOW_MS = DAY_MS

/** The moment at which the window that a customer's message opened is closed. */
export const closesAt = (lastInbound: Instant): Instant => lastInbound + WINDOW_MS

/** Whether the window is open: it is at 23:59:59.999 after the customer's latest message and no longer at 24:00:00.000. */
export const isOpen = (now: Instant, lastInbound: O.Option<Instant>): boolean =>
  O.isSome(lastInbound) && now < closesAt(lastInbound.value)

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
export const lastInboundOf = (
  { windowClock, customers }: WindowDeps, workspace: WorkspaceId, id: CustomerId, isEnough: (lastInbound: O.Option<Instant>) => boolean = () => false,
): TE.TaskEither<PortFailure, O.Option<Instant>> =>
  async () => {
    const [known, own] = await Promise.all([findCustomer(customers, workspace, id)(), lastUnder(windowClock, workspace, id)()])
    if (E.isLeft(known)) return known
    if (E.isLeft(own)) return own
    const counted = countedFor(known.right, id, own.right)
    const other = isUserId(id) ? known.right.phoneNumber : known.right.userId
    if (other === undefined || isEnough(counted)) return E.right(counted)
    return pipe(lastUnder(windowClock, workspace, other), TE.map((found) => later(counted, countedFor(known.right, other, found))))()
  }

/** What was recorded for a number while it may have belonged to another person does not count. */
const countedFor = ({ numberSince }: Customer, id: CustomerId, lastInbound: O.Option<Instant>): O.Option<Instant> =>
  isUserId(id) || numberSince === undefined ? lastInbound : O.filter((at: Instant) => at > numberSince)(lastInbound)

/** When a customer last wrote to a workspace under one id, in any variant of a number. */
export const lastUnder = (windowClock: WindowDeps['windowClock'], workspace: WorkspaceId, id: CustomerId): TE.TaskEither<PortFailure, O.Option<Instant>> =>
  pipe(
    (isUserId(id) ? [id] : variantsOf(id)).map((each) => windowClock.lastInbound(workspace, each)),
    TE.sequenceArray,
    TE.map((found) => found.reduce(later)),
  )

const later = (a: O.Option<Instant>, b: O.Option<Instant>): O.Option<Instant> =>
  O.isSome(a) && O.isSome(b) ? (a.value > b.value ? a : b) : O.isSome(a) ? a : b
