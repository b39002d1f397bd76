import * as O from 'fp-ts/lib/Option.js'
import * as TE from 'fp-ts/lib/TaskEither.js'
import type { PortFailure, Sender, SenderAccount, Senders, SenderTaken, UnknownWorkspace, WorkspaceId } from '../../../core/ports/senders.js'

export const senders = (all: Map<WorkspaceId, Sender>): Senders => ({
  senderOf: (workspace: WorkspaceId): TE.TaskEither<PortFailure, O.Option<Sender>> => TE.right(O.fromNullable(all.get(workspace))),
  workspaceOf: (phoneNumberId: string): TE.TaskEither<PortFailure, O.Option<WorkspaceId>> =>
    TE.right(O.fromNullable([...all].find(([, sender]) => sender.phoneNumberId === phoneNumberId)?.[0])),
  accounts: (): TE.TaskEither<PortFailure, ReadonlyArray<SenderAccount>> =>
    TE.right([...all].flatMap(([workspace, { businessAccountId }]) => (businessAccountId === undefined ? [] : [{ accountId: businessAccountId, workspace }]))),
  assign: (workspace: WorkspaceId, sender: Sender): TE.TaskEither<SenderTaken | UnknownWorkspace | PortFailure, void> => {
    if (!all.has(workspace)) return TE.left<UnknownWorkspace>({ _tag: 'UnknownWorkspace' })
    return sender.accessToken === '' ? TE.left<SenderTaken>({ _tag: 'SenderTaken' }) : TE.right(undefined)
  },
})
