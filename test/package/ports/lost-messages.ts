import * as E from 'fp-ts/lib/Either.js'
import * as TE from 'fp-ts/lib/TaskEither.js'
import {
  isDue, LOST_MESSAGES_KEPT, lostReference, noteLost, type Along, type AlongEntry, type Balance, type BalanceOutOfRange, type Instant, type LostCount,
  type LostMessage, type LostMessages, type LostMessageSettled, type LostSettlement, type LostState, type LostStatus, type MessageId, type NoSuchLostMessage,
  type Page, type PageQuery, type PlatformId, type PortFailure, type SettledLost, type UnknownWorkspace, type WorkspaceId,
} from '../../../core/ports/lost-messages.js'

type Settled = { readonly at: Instant; readonly reference: string; readonly state: LostState; readonly id: PlatformId | MessageId }
type SettleError = NoSuchLostMessage | LostMessageSettled | BalanceOutOfRange | UnknownWorkspace | PortFailure

export const lostMessages = (
  noted: Map<WorkspaceId, LostMessage>, settled: Settled[], balance: Balance, log: AlongEntry[],
): LostMessages => ({
  note: (status: LostStatus): TE.TaskEither<PortFailure, void> =>
    TE.fromIO(() => { if (noted.size < LOST_MESSAGES_KEPT) noted.set(status.workspace, noteLost(noted.get(status.workspace), status)) }),
  list: ({ limit }: PageQuery): TE.TaskEither<PortFailure, Page<LostMessage>> =>
    TE.fromIO(() => ({ items: [...noted.values()].filter(isDue).slice(0, limit), next: undefined })),
  counts: (): TE.TaskEither<PortFailure, ReadonlyArray<LostCount>> => TE.fromIO(() => Array.from(noted.keys(), (workspace) => ({ workspace, messages: 1 }))),
  settle: ({ workspace, id, at }: LostSettlement, along?: Along<SettledLost>): TE.TaskEither<SettleError, SettledLost> => async () => {
    const message = noted.get(workspace)
    if (message === undefined) return E.left({ _tag: 'NoSuchLostMessage', id })
    settled.push({ at, reference: lostReference(message.message), state: message.state, id })
    log.push(...along?.({ message, balance }) ?? [])
    return E.right({ message, balance })
  },
})
