import * as E from 'fp-ts/lib/Either.js'
import type * as TE from 'fp-ts/lib/TaskEither.js'
import type {
  BalanceOutOfRange, Forbidden, InvalidAmount, InvalidNote, LostMessageSettled, NoSuchLostMessage, PortFailure, UnknownWorkspace,
} from '../errors.js'
import { isMessageId, type MessageId, type PlatformId } from '../message.js'
import { checkCredit, formatMicros } from '../money.js'
import { parseNote } from '../name.js'
import type { Along, LostMessages, SettledLost } from '../ports/lost-messages.js'
import type { Actor } from '../principal.js'
import type { Clock } from '../time.js'
import type { WorkspaceId } from '../workspace.js'
import { perform, type ActDeps } from './acting.js'

/** Settles a message that the platform has and the database has lost: charges its workspace what an operator says, or nothing. */
export type SettleLostMessage = (command: SettleLostMessageCommand) => TE.TaskEither<SettleLostMessageError, SettledLost>

/** `id` is the platform's id or ours; without `micros` nothing is charged. The note says why. */
export type SettleLostMessageCommand = {
  readonly by: Actor
  readonly workspace: WorkspaceId
  readonly id: PlatformId | MessageId
  readonly micros?: bigint
  readonly note: string
}

/** How settling it can fail. */
export type SettleLostMessageError =
  | InvalidAmount | InvalidNote | NoSuchLostMessage | LostMessageSettled | BalanceOutOfRange | UnknownWorkspace | Forbidden | PortFailure

/** What settling it needs. */
export type SettleLostMessageDeps = ActDeps & { readonly lostMessages: Pick<LostMessages, 'settle'>; readonly now: Clock }

/** Makes the use case of what it needs. The audit entry names our id alone, because the platform's contains the recipient's number. */
export const makeSettleLostMessage =
  ({ lostMessages, now, ...deps }: SettleLostMessageDeps): SettleLostMessage =>
  ({ by, workspace, id, micros, note: given }) =>
  () => {
    const [amount, note] = [micros === undefined ? E.right(0n) : checkCredit(micros), parseNote(given)]
    const details = { charged: formatMicros(micros ?? 0n), ...(E.isRight(note) && { note: note.right }) }
    const acting = { by, act: 'message.settle_lost', workspace, ...(isMessageId(id) && { subject: id }), details } as const
    return perform(
      deps, acting, { describe: ({ message }: SettledLost) => ({ subject: message.message }) },
      async (along: Along<SettledLost>): Promise<E.Either<Exclude<SettleLostMessageError, Forbidden>, SettledLost>> => {
        if (E.isLeft(amount)) return amount
        if (E.isLeft(note)) return note
        return lostMessages.settle({ workspace, id, micros: amount.right, note: note.right, at: now() }, along)()
      },
    )
  }
