import type * as TE from 'fp-ts/lib/TaskEither.js'
import type { WindowClosed } from '../errors.js'
import type { Along } from '../event.js'
import type { IdempotencyKey } from '../idempotency.js'
import type { Sent, TextMessage } from '../message.js'
import type { CustomerId } from '../customer.js'
import type { MovedMessage } from '../ports/message-log.js'
import type { SendingKey } from '../spending-limit.js'
import type { WorkspaceId } from '../workspace.js'
import { deliver, deliverCommand, type DeliverDeps, type DeliverError } from './deliver.js'
import type { Ahead } from './prepare.js'
import { prepareText, type TextReads } from './prepare-text.js'
import { withReplay, type ReplayError } from './replay.js'

/** Sends free text, which the platform delivers only while the customer service window is open. */
export type SendText = (command: SendTextCommand) => TE.TaskEither<SendTextError, Sent>

/** `text` is 1 to `MAX_TEXT_LENGTH` UTF-16 units; the caller has checked that. */
export type SendTextCommand = {
  readonly workspace: WorkspaceId
  readonly to: CustomerId
  readonly text: string
  readonly idempotencyKey?: IdempotencyKey
  /** The API key that it is sent with, where there is one; its limit of a day is kept. */
  readonly key?: SendingKey
  /** What becomes durable together with the acceptance by the platform. */
  readonly along?: Along<MovedMessage>
  /** Its reads, where they were begun before; they are not older than the request. */
  readonly ahead?: Ahead<TextReads>
}

/** How sending a text can fail. */
export type SendTextError = WindowClosed | DeliverError | ReplayError
/** What sending a text needs. */
export type SendTextDeps = DeliverDeps

/** Makes the use case of what it needs. */
export const makeSendText =
  (deps: SendTextDeps): SendText =>
  ({ workspace, to, text, idempotencyKey, key, along, ahead }) => {
    const message: TextMessage = { _tag: 'Text', to, text }
    const command = deliverCommand(deps, { workspace, idempotencyKey, key, along }, message)
    return withReplay(deps, command)(deliver(deps, prepareText(deps, workspace, message, ahead))(command))
  }
