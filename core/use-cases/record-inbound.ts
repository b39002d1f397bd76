import * as E from 'fp-ts/lib/Either.js'
import type { Option } from 'fp-ts/lib/Option.js'
import type * as TE from 'fp-ts/lib/TaskEither.js'
import type { PortFailure } from '../errors.js'
import { isUserId, type CustomerId } from '../customer.js'
import { lastInboundOf, type WindowDeps } from '../window.js'
import type { WindowClock } from '../ports/window-clock.js'
import type { Instant } from '../time.js'
import type { WorkspaceId } from '../workspace.js'
import type { EventDeps } from './event-deps.js'
import { alongInbound } from './inbound-events.js'

/**
 * Notes that a customer wrote to a workspace, which the operator learnt some other way than from the platform.
 *
 * Right: when the customer last wrote, which may be later than the moment noted.
 */
export type RecordInbound = (command: RecordInboundCommand) => TE.TaskEither<RecordInboundError, Option<Instant>>

/** `at` is when the customer wrote: now, where it is absent. */
export type RecordInboundCommand = { readonly workspace: WorkspaceId; readonly customer: CustomerId; readonly at?: Instant }

/** How noting it can fail. */
export type RecordInboundError = InboundInFuture | PortFailure

/** A customer cannot have written later than now. */
export type InboundInFuture = { readonly _tag: 'InboundInFuture'; readonly at: Instant }

/** What noting it needs. */
export type RecordInboundDeps = EventDeps & WindowDeps & { readonly windowClock: WindowClock }

/** Makes the use case of what it needs. */
export const makeRecordInbound =
  (deps: RecordInboundDeps): RecordInbound =>
  ({ workspace, customer, ...command }) =>
  async () => {
    const { windowClock } = deps
    const now = windowClock.now()
    const at = command.at ?? now
    if (at > now) return E.left({ _tag: 'InboundInFuture', at })
    const ids = isUserId(customer) ? { userId: customer } : { phoneNumber: customer }
    const recorded = await windowClock.recordInbound(workspace, ids, at, undefined, await alongInbound(deps, workspace, ids))()
    return E.isLeft(recorded) ? recorded : lastInboundOf(deps, workspace, customer)()
  }
