import type * as TE from 'fp-ts/lib/TaskEither.js'
import type { CustomerId } from '../customer.js'
import type { WindowClosed } from '../errors.js'
import type { Sent, TextMessage } from '../message.js'
import { deliver, deliverCommand, type DeliverDeps, type DeliverError, type SendOptions } from './deliver.js'
import { prepareText, type TextReads } from './prepare-text.js'
import { withReplay, type ReplayError } from './replay.js'

/** Sends free text, which the platform delivers only while the customer service window is open. */
export type SendText = (command: SendTextCommand) => TE.TaskEither<SendTextError, Sent>

/** `text` is 1 to `MAX_TEXT_LENGTH` UTF-16 units; the caller has checked that. */
export type SendTextCommand = SendOptions<TextReads> & {
  readonly to: CustomerId
  readonly text: string
}

/** How sending a text can fail. */
export type SendTextError = WindowClosed | DeliverError | ReplayError
/** What sending a text needs. */
export type SendTextDeps = DeliverDeps

/** Makes the use case of what it needs. */
export const makeSendText =
  (deps: SendTextDeps): SendText =>
  ({ to, text, ...options }) => {
    const message: TextMessage = { _tag: 'Text', to, text }
    const command = deliverCommand(deps, options, message)
    return withReplay(deps, command)(deliver(deps, prepareText(deps, options.workspace, message, options.ahead))(command))
  }
