import * as E from 'fp-ts/lib/Either.js'
import * as TE from 'fp-ts/lib/TaskEither.js'
import {
  applyChange, checkResolution, moneyAgrees, moneyMove, stepHold, type Along, type AlongEntry, type HoldState, type Instant, type MessageId, type MessageMoney,
  type MessageRecord, type MessageState, type MoneyMismatch, type MovedMessage, type NoSuchMessage, type NotUnconfirmed, type Page, type PageQuery,
  type PortFailure, type Resolution, type StateChange, type WorkspaceId,
} from '../../../core/ports/message-money.js'

type Stored = { message: MessageRecord; hold: HoldState; movedAt: Instant }

const mismatchOf = (workspace: WorkspaceId, message: MessageId, hold: HoldState, state: MessageState): MoneyMismatch => ({ workspace, message, hold, state })

export const messageMoney = (stored: Map<MessageId, Stored>, log: AlongEntry[]): MessageMoney => ({
  resolve: (resolution: Resolution, along?: Along<MovedMessage>): TE.TaskEither<NoSuchMessage | NotUnconfirmed | PortFailure, MessageRecord> => async () => {
    const found = stored.get(resolution.message)
    const checked: E.Either<NoSuchMessage | NotUnconfirmed, StateChange | undefined> = checkResolution(found?.message, found?.hold, resolution)
    if (E.isLeft(checked)) return checked
    if (found === undefined) return E.left({ _tag: 'NoSuchMessage', id: resolution.message })
    if (checked.right === undefined) return E.right(found.message)
    const message = applyChange(found.message, checked.right)
    const move = moneyMove(message.state)
    const step = move === 'keep' ? undefined : stepHold(found.hold, move)
    log.push(...along?.({ from: found.message.state, message }) ?? [])
    stored.set(resolution.message, { message, hold: step?.state ?? found.hold, movedAt: resolution.at })
    return E.right(message)
  },
  mismatches: ({ limit }: PageQuery): TE.TaskEither<PortFailure, Page<MoneyMismatch>> =>
    TE.fromIO(() => ({
      items: [...stored.values()].slice(0, limit).flatMap(({ message: { workspace, id, state }, hold }) =>
        (moneyAgrees(hold, state) ? [] : [mismatchOf(workspace, id, hold, state)])),
      next: undefined,
    })),
})
