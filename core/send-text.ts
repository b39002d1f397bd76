import * as O from 'fp-ts/lib/Option.js'
import { pipe } from 'fp-ts/lib/function.js'
import * as TE from 'fp-ts/lib/TaskEither.js'
import { deliver, type DeliverDeps, type DeliverError } from './deliver.js'
import type { PortFailure, WindowClosed } from './errors.js'
import type { IdempotencyKey } from './idempotency.js'
import type { PhoneNumber } from './message.js'
import type { Sent } from './sent.js'
import { closesAt, isOpen } from './window.js'
import type { WorkspaceId } from './workspace.js'

/** Sends free text, which the platform delivers only while the customer service window is open. */
export type SendText = (command: SendTextCommand) => TE.TaskEither<SendTextError, Sent>

/** `text` is 1 to `MAX_TEXT_LENGTH` UTF-16 units; the way in has seen to that. */
export type SendTextCommand = {
  readonly workspace: WorkspaceId
  readonly to: PhoneNumber
  readonly text: string
  readonly idempotencyKey?: IdempotencyKey
}

export type SendTextError = WindowClosed | DeliverError
export type SendTextDeps = DeliverDeps

export const makeSendText =
  (deps: SendTextDeps): SendText =>
  ({ to, text, ...of }) =>
    pipe(
      openWindow(deps, of.workspace, to),
      TE.flatMap(() => deliver(deps)({ ...of, message: { _tag: 'Text', to, text } })),
    )

const openWindow = (deps: SendTextDeps, workspace: WorkspaceId, to: PhoneNumber): TE.TaskEither<WindowClosed | PortFailure, void> =>
  pipe(
    deps.windowClock.lastInbound(workspace, to),
    TE.flatMap((lastInbound) =>
      isOpen(deps.windowClock.now(), lastInbound)
        ? TE.right(undefined)
        : TE.left<WindowClosed>({ _tag: 'WindowClosed', closedAt: pipe(lastInbound, O.map(closesAt), O.toUndefined) }),
    ),
  )
