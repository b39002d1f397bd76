import { pipe } from 'fp-ts/lib/function.js'
import * as O from 'fp-ts/lib/Option.js'
import * as TE from 'fp-ts/lib/TaskEither.js'
import type { PortFailure } from './errors.js'
import { variantsOf, type PhoneNumber } from './phone-number.js'
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

/** When a customer last wrote to a workspace, under any variant of the number; none where the customer never wrote. */
export const lastInboundOf = (
  windowClock: Pick<WindowClock, 'lastInbound'>, workspace: WorkspaceId, customer: PhoneNumber,
): TE.TaskEither<PortFailure, O.Option<Instant>> =>
  pipe(
    variantsOf(customer).map((variant) => windowClock.lastInbound(workspace, variant)),
    TE.sequenceArray,
    TE.map((found) => found.reduce(later)),
  )

const later = (a: O.Option<Instant>, b: O.Option<Instant>): O.Option<Instant> =>
  O.isSome(a) && O.isSome(b) ? (a.value > b.value ? a : b) : O.isSome(a) ? a : b
