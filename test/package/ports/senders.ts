import * as O from 'fp-ts/lib/Option.js'
import * as TE from 'fp-ts/lib/TaskEither.js'
import type {
  Along, AlongEntry, FailingSender, Instant, PortFailure, Sender, SenderAccount, SenderNotConfigured, Senders, SenderTaken, TemplateAccount,
  UnknownWorkspace, WorkspaceId,
} from '../../../core/ports/senders.js'

export const senders = (all: Map<WorkspaceId, Sender>, entries: AlongEntry[]): Senders => ({
  senderOf: (workspace: WorkspaceId): TE.TaskEither<PortFailure, O.Option<Sender>> => TE.right(O.fromNullable(all.get(workspace))),
  workspaceOf: (phoneNumberId: string): TE.TaskEither<PortFailure, O.Option<WorkspaceId>> =>
    TE.right(O.fromNullable([...all].find(([, sender]) => sender.phoneNumberId === phoneNumberId)?.[0])),
  accounts: (): TE.TaskEither<PortFailure, ReadonlyArray<SenderAccount>> =>
    TE.right([...all].flatMap(([workspace, { businessAccountId }]) => (businessAccountId === undefined ? [] : [{ accountId: businessAccountId, workspace }]))),
  assign: (workspace: WorkspaceId, sender: Sender): TE.TaskEither<SenderTaken | UnknownWorkspace | PortFailure, void> => {
    if (!all.has(workspace)) return TE.left<UnknownWorkspace>({ _tag: 'UnknownWorkspace' })
    return sender.accessToken === '' ? TE.left<SenderTaken>({ _tag: 'SenderTaken' }) : TE.right(undefined)
  },
  sharing: (accountId: string): TE.TaskEither<PortFailure, ReadonlyArray<WorkspaceId>> => TE.right(sendingThrough(all, accountId, false)),
  notSharing: (accountId: string): TE.TaskEither<PortFailure, ReadonlyArray<WorkspaceId>> => TE.right(sendingThrough(all, accountId, true)),
  remove: (workspace: WorkspaceId, along?: Along<string>): TE.TaskEither<SenderNotConfigured | PortFailure, string> => {
    const sender = all.get(workspace)
    if (sender === undefined) return TE.left<SenderNotConfigured>({ _tag: 'SenderNotConfigured' })
    all.delete(workspace)
    entries.push(...(along?.(sender.phoneNumberId) ?? []))
    return TE.right(sender.phoneNumberId)
  },
  noteHealth: (workspace: WorkspaceId, isFailing: boolean, at: Instant, along?: Along<FailingSender>): TE.TaskEither<PortFailure, boolean> =>
    TE.fromIO(() => {
      const sender = all.get(workspace)
      if (sender === undefined || isFailing === (sender.failingSince !== undefined)) return false
      const { failingSince = at, ...healthy } = sender
      all.set(workspace, isFailing ? { ...healthy, failingSince } : healthy)
      entries.push(...(along?.({ phoneNumberId: sender.phoneNumberId, failingSince }) ?? []))
      return true
    }),
  noteAccount: (workspace: WorkspaceId, { businessAccountId, accessToken }: TemplateAccount, isRefused: boolean, at: Instant): TE.TaskEither<PortFailure, boolean> =>
    TE.fromIO(() => {
      const sender = all.get(workspace)
      if (sender === undefined || isRefused === (sender.accountRefusedSince !== undefined)) return false
      if (sender.businessAccountId !== businessAccountId || sender.accessToken !== accessToken) return false
      const { accountRefusedSince: _since, ...allowed } = sender
      all.set(workspace, isRefused ? { ...allowed, accountRefusedSince: at } : allowed)
      return true
    }),
})

const sendingThrough = (all: Map<WorkspaceId, Sender>, accountId: string, isRefused: boolean): ReadonlyArray<WorkspaceId> =>
  [...all].flatMap(([workspace, { businessAccountId, accountRefusedSince }]) =>
    (businessAccountId === accountId && isRefused === (accountRefusedSince !== undefined) ? [workspace] : []))
