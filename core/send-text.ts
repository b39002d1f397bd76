import * as O from 'fp-ts/lib/Option.js'
import { pipe } from 'fp-ts/lib/function.js'
import * as TE from 'fp-ts/lib/TaskEither.js'
import { claimOf, deliver, type DeliverDeps, type DeliverError, type Delivery } from './deliver.js'
import type { WindowClosed } from './errors.js'
import type { IdempotencyKey } from './idempotency.js'
import type { PhoneNumber } from './message.js'
import { orReplay } from './replay.js'
import type { Sent } from './sent.js'
import { lastInboundOf } from './spelling.js'
import type { Instant } from './time.js'
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

/** How sending a text can fail. */
export type SendTextError = WindowClosed | DeliverError
/** What sending a text needs. */
export type SendTextDeps = DeliverDeps

/** Makes the use case of what it needs. */
export const makeSendText =
  (deps: SendTextDeps): SendText =>
  ({ to, text, ...of }) => {
    const delivery: Delivery = { ...of, message: { _tag: 'Text', to, text } }
    return pipe(
      lastInboundOf(deps.windowClock, of.workspace, to),
      TE.flatMap((lastInbound): TE.TaskEither<SendTextError, Sent> =>
        isOpen(deps.windowClock.now(), lastInbound)
          ? deliver(deps)(delivery)
          : orReplay(deps, of.workspace, claimOf(delivery))(windowClosed(lastInbound)),
      ),
    )
  }

const windowClosed = (lastInbound: O.Option<Instant>): WindowClosed => ({
  _tag: 'WindowClosed',
  closedAt: pipe(lastInbound, O.map(closesAt), O.toUndefined),
})
