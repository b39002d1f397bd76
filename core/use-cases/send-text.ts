import * as E from 'fp-ts/lib/Either.js'
import { pipe } from 'fp-ts/lib/function.js'
import * as O from 'fp-ts/lib/Option.js'
import type * as TE from 'fp-ts/lib/TaskEither.js'
import type { WindowClosed } from '../errors.js'
import type { IdempotencyKey } from '../idempotency.js'
import type { Sent } from '../message.js'
import type { CustomerId } from '../customer.js'
import type { Instant } from '../time.js'
import { closesAt, isOpen, lastInboundOf } from '../window.js'
import type { WorkspaceId } from '../workspace.js'
import { deliver, deliverCommand, type DeliverCommand, type DeliverDeps, type DeliverError } from './deliver.js'
import { checkTextRecipient } from './recipient.js'
import { withReplay, type ReplayError, type Sending } from './replay.js'

/** Sends free text, which the platform delivers only while the customer service window is open. */
export type SendText = (command: SendTextCommand) => TE.TaskEither<SendTextError, Sent>

/** `text` is 1 to `MAX_TEXT_LENGTH` UTF-16 units; the caller has checked that. */
export type SendTextCommand = {
  readonly workspace: WorkspaceId
  readonly to: CustomerId
  readonly text: string
  readonly idempotencyKey?: IdempotencyKey
}

/** How sending a text can fail. */
export type SendTextError = WindowClosed | DeliverError | ReplayError
/** What sending a text needs. */
export type SendTextDeps = DeliverDeps

/** Makes the use case of what it needs. */
export const makeSendText =
  (deps: SendTextDeps): SendText =>
  ({ workspace, to, text, idempotencyKey }) => {
    const command = deliverCommand(deps, workspace, { _tag: 'Text', to, text }, idempotencyKey)
    return withReplay(deps, command)(deliverInWindow(deps, command, to))
  }

const deliverInWindow =
  (deps: SendTextDeps, command: DeliverCommand, to: CustomerId): Sending<WindowClosed | DeliverError> =>
  async () => {
    const isOpenNow = (lastInbound: O.Option<Instant>): boolean => isOpen(deps.windowClock.now(), lastInbound)
    const lastInbound = await lastInboundOf(deps, command.workspace, to, isOpenNow)()
    if (E.isLeft(lastInbound)) return lastInbound
    return isOpenNow(lastInbound.right) ? deliver(deps, checkTextRecipient)(command)() : E.left(windowClosed(lastInbound.right))
  }

const windowClosed = (lastInbound: O.Option<Instant>): WindowClosed => ({
  _tag: 'WindowClosed',
  closedAt: pipe(lastInbound, O.map(closesAt), O.toUndefined),
})
