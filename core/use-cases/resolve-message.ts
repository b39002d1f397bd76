import * as E from 'fp-ts/lib/Either.js'
import type * as TE from 'fp-ts/lib/TaskEither.js'
import type { Forbidden, InvalidNote, NoSuchMessage, NotUnconfirmed, PortFailure } from '../errors.js'
import { messageMoved } from '../event-data.js'
import type { MessageId } from '../message.js'
import type { MessageRecord } from '../message-record.js'
import { parseNote } from '../name.js'
import type { Along, MovedMessage } from '../ports/message-log.js'
import type { MessageMoney } from '../ports/message-money.js'
import type { WindowClock } from '../ports/window-clock.js'
import type { Actor } from '../principal.js'
import type { WorkspaceId } from '../workspace.js'
import { perform, type ActDeps } from './acting.js'

/**
 * Settles a message of unknown outcome by hand, for an operator who has looked it up on the platform's side.
 *
 * Right: the message afterwards. A report of the platform that comes later still counts, and repeating it changes nothing.
 */
export type ResolveMessage = (command: ResolveMessageCommand) => TE.TaskEither<ResolveMessageError, MessageRecord>

/** `sent` charges the price, `not_sent` gives it back and frees the idempotency key. The note is kept in the wallet's statement. */
export type ResolveMessageCommand = {
  readonly by: Actor
  readonly workspace: WorkspaceId
  readonly message: MessageId
  readonly outcome: 'sent' | 'not_sent'
  readonly note: string
}

/** How settling it can fail. */
export type ResolveMessageError = InvalidNote | NoSuchMessage | NotUnconfirmed | Forbidden | PortFailure

/** What settling it needs. */
export type ResolveMessageDeps = ActDeps & {
  readonly messageMoney: Pick<MessageMoney, 'resolve'>
  readonly windowClock: Pick<WindowClock, 'now'>
  /** How old a pending message must be, in milliseconds, to count as unconfirmed. */
  readonly unconfirmedAfterMs: number
}

/** Makes the use case of what it needs. The message and its money move in one step, so a later answer finds the whole of an earlier one, or nothing of it. */
export const makeResolveMessage =
  (deps: ResolveMessageDeps): ResolveMessage =>
  ({ by, workspace, message, outcome, note: given }) =>
  () => {
    const note = parseNote(given)
    const details = { outcome, ...(E.isRight(note) && { note: note.right }) }
    return perform(
      deps, { by, act: 'message.resolve', workspace, subject: message, details }, { events: messageMoved },
      async (along: Along<MovedMessage>): Promise<E.Either<Exclude<ResolveMessageError, Forbidden>, MessageRecord>> => {
        if (E.isLeft(note)) return note
        const at = deps.windowClock.now()
        return deps.messageMoney.resolve({ workspace, message, outcome, note: note.right, at, pendingBefore: at - deps.unconfirmedAfterMs }, along)()
      },
    )
  }
