import * as E from 'fp-ts/lib/Either.js'
import type { Option } from 'fp-ts/lib/Option.js'
import type * as TE from 'fp-ts/lib/TaskEither.js'
import type { Forbidden, PortFailure } from '../errors.js'
import { isUserId, type CustomerId } from '../customer.js'
import { lastInboundOf, type WindowDeps } from '../window.js'
import type { Along, RecordedInbound, WindowClock } from '../ports/window-clock.js'
import type { Actor } from '../principal.js'
import type { Instant } from '../time.js'
import type { WorkspaceId } from '../workspace.js'
import { perform, type ActDeps } from './acting.js'
import { alongInbound } from './inbound-events.js'

/**
 * Notes that a customer wrote to a workspace, which the operator learnt some other way than from the platform.
 *
 * Right: when the customer last wrote, which may be later than the moment noted.
 */
export type RecordInbound = (command: RecordInboundCommand) => TE.TaskEither<RecordInboundError, Option<Instant>>

/** `at` is when the customer wrote: now, where it is absent. */
export type RecordInboundCommand = { readonly by: Actor; readonly workspace: WorkspaceId; readonly customer: CustomerId; readonly at?: Instant }

/** How noting it can fail. */
export type RecordInboundError = InboundInFuture | Forbidden | PortFailure

/** A customer cannot have written later than now. */
export type InboundInFuture = { readonly _tag: 'InboundInFuture'; readonly at: Instant }

/** What noting it needs. */
export type RecordInboundDeps = ActDeps & WindowDeps & { readonly windowClock: WindowClock }

/** Makes the use case of what it needs. The audit entry does not name the customer, so that a customer can be erased. */
export const makeRecordInbound =
  (deps: RecordInboundDeps): RecordInbound =>
  ({ by, workspace, ...command }) =>
  () =>
    perform(deps, { by, act: 'window.record', workspace }, {}, record(deps, { workspace, ...command }))

const record =
  (deps: RecordInboundDeps, { workspace, customer, ...command }: Omit<RecordInboundCommand, 'by'>) =>
  async (along: Along<RecordedInbound>): Promise<E.Either<InboundInFuture | PortFailure, Option<Instant>>> => {
    const { windowClock } = deps
    const now = windowClock.now()
    const at = command.at ?? now
    if (at > now) return E.left({ _tag: 'InboundInFuture', at })
    const ids = isUserId(customer) ? { userId: customer } : { phoneNumber: customer }
    const events = await alongInbound(deps, workspace, ids)
    const recorded = await windowClock.recordInbound(workspace, ids, at, undefined, (moments) => [...along(moments), ...(events?.(moments) ?? [])])()
    return E.isLeft(recorded) ? recorded : lastInboundOf(deps, workspace, customer)()
  }
