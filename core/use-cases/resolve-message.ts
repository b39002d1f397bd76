import * as E from 'fp-ts/lib/Either.js'
import * as O from 'fp-ts/lib/Option.js'
import type * as TE from 'fp-ts/lib/TaskEither.js'
import type { Forbidden, InvalidNote, PortFailure } from '../errors.js'
import { messageMoved } from '../event-data.js'
import type { MessageId } from '../message.js'
import type { MessageRecord } from '../message-record.js'
import { moneyMove, type MessageState } from '../message-state.js'
import { parseNote } from '../name.js'
import type { FreeMessages } from '../ports/free-messages.js'
import type { Along, MessageLog, MovedMessage } from '../ports/message-log.js'
import type { Wallet } from '../ports/wallet.js'
import type { WindowClock } from '../ports/window-clock.js'
import type { Actor } from '../principal.js'
import type { WorkspaceId } from '../workspace.js'
import { perform, type ActDeps } from './acting.js'
import type { NoSuchMessage } from './find-message.js'
import { moveMoney } from './settle.js'

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

/** The outcome of the message is known, or it may still be on its way; `state` is the state it is in. */
export type NotUnconfirmed = { readonly _tag: 'NotUnconfirmed'; readonly id: MessageId; readonly state: MessageState }

/** What settling it needs. */
export type ResolveMessageDeps = ActDeps & {
  readonly messageLog: Pick<MessageLog, 'find' | 'apply'>
  readonly wallet: Pick<Wallet, 'capture' | 'release' | 'refund'>
  /** Where free messages are counted, where the sends take them. */
  readonly freeMessages?: Pick<FreeMessages, 'giveBack'>
  readonly windowClock: Pick<WindowClock, 'now'>
  /** How old a pending message must be, in milliseconds, to count as unconfirmed. */
  readonly unconfirmedAfterMs: number
}

/** Makes the use case of what it needs. */
export const makeResolveMessage =
  (deps: ResolveMessageDeps): ResolveMessage =>
  ({ by, ...command }) =>
  () => {
    const { workspace, message, outcome } = command
    const note = parseNote(command.note)
    const details = { outcome, ...(E.isRight(note) && { note: note.right }) }
    return perform(deps, { by, act: 'message.resolve', workspace, subject: message, details }, { events: messageMoved }, resolve(deps, { ...command, note }))
  }

type Resolving = Omit<ResolveMessageCommand, 'by' | 'note'> & { readonly note: E.Either<InvalidNote, string> }

const resolve =
  (deps: ResolveMessageDeps, { workspace, message: id, outcome, note }: Resolving) =>
  async (along: Along<MovedMessage>): Promise<E.Either<Exclude<ResolveMessageError, Forbidden>, MessageRecord>> => {
    if (E.isLeft(note)) return note
    const message = await find(deps, workspace, id)
    if (E.isLeft(message)) return message
    const state = outcome === 'sent' ? 'accepted' : 'released'
    if (moneyMove(message.right.state) === moneyMove(state)) return message
    const at = deps.windowClock.now()
    if (!isUnconfirmed(message.right, at - deps.unconfirmedAfterMs)) return E.left({ _tag: 'NotUnconfirmed', id, state: message.right.state })
    // The money first: after a crash in between, the message can be resolved again and the note is kept.
    const moved = await moveMoney(deps, state, { workspace, message: id, at, note: note.right })()
    if (E.isLeft(moved)) return moved
    const applied = await deps.messageLog.apply(workspace, id, { state, at }, along)()
    return E.isLeft(applied) ? applied : find(deps, workspace, id)
  }

const isUnconfirmed = ({ state, createdAt }: MessageRecord, pendingBefore: number): boolean =>
  state === 'unconfirmed' || (state === 'pending' && createdAt < pendingBefore)

const find = async (
  { messageLog }: ResolveMessageDeps, workspace: WorkspaceId, id: MessageId,
): Promise<E.Either<NoSuchMessage | PortFailure, MessageRecord>> => {
  const found = await messageLog.find(workspace, { id })()
  if (E.isLeft(found)) return found
  return O.isSome(found.right) ? E.right(found.right.value) : E.left({ _tag: 'NoSuchMessage', id })
}
