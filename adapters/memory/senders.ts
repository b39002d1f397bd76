import * as E from 'fp-ts/lib/Either.js'
import * as O from 'fp-ts/lib/Option.js'
import type { WorkspaceId } from '../../core/kernel/ids.js'
import type { Sender, SenderNotConfigured, Senders, SenderTaken } from '../../core/kernel/sender.js'
import type { UnknownWorkspace, Workspace } from '../../core/kernel/workspace.js'
import { type EventState, openEventState, storeEvents } from './event-state.js'
import { atomic, infallible } from './task.js'

/** The senders in memory, of the workspaces there are. Nothing is at rest here, so their tokens are kept as they are. */
export const makeMemorySenders = (
  workspaces: ReadonlyMap<WorkspaceId, Pick<Workspace, 'archivedAt'>>, events: EventState = openEventState(),
): Senders => {
  const senders = new Map<WorkspaceId, Sender>()
  const owners = new Map<string, WorkspaceId>()
  const isUsed = (workspace: WorkspaceId): boolean => workspaces.get(workspace)?.archivedAt === undefined
  const isSharing = ([workspace, { accountRefusedSince }]: readonly [WorkspaceId, Sender]): boolean => isUsed(workspace) && accountRefusedSince === undefined
  const sendingThrough = (accountId: string, wanted: (one: readonly [WorkspaceId, Sender]) => boolean): ReadonlyArray<WorkspaceId> =>
    [...senders].filter((one) => one[1].businessAccountId === accountId && wanted(one)).map(([workspace]) => workspace).sort()
  return {
    senderOf: (workspace) => infallible(() => O.fromNullable(senders.get(workspace))),
    workspaceOf: (phoneNumberId) => infallible(() => O.fromNullable(owners.get(phoneNumberId))),
    accounts: () =>
      infallible(() => {
        const named = new Set([...senders.values()].flatMap(({ businessAccountId }) => businessAccountId ?? []))
        return [...named].flatMap((accountId) => {
          const [workspace] = [...sendingThrough(accountId, isSharing), ...sendingThrough(accountId, ([one]) => isUsed(one))]
          return workspace === undefined ? [] : [{ accountId, workspace }]
        })
      }),
    sharing: (accountId) => infallible(() => sendingThrough(accountId, isSharing)),
    notSharing: (accountId) => infallible(() => sendingThrough(accountId, (one) => !isSharing(one))),
    assign: (workspace, { failingSince: _failing, accountRefusedSince: _refused, ...sender }, along) =>
      atomic((): E.Either<SenderTaken | UnknownWorkspace, void> => {
        if (!workspaces.has(workspace)) return E.left({ _tag: 'UnknownWorkspace' })
        if ((owners.get(sender.phoneNumberId) ?? workspace) !== workspace) return E.left({ _tag: 'SenderTaken' })
        const before = senders.get(workspace)
        if (before !== undefined) owners.delete(before.phoneNumberId)
        owners.set(sender.phoneNumberId, workspace)
        const failingSince = before?.phoneNumberId === sender.phoneNumberId ? before.failingSince : undefined
        senders.set(workspace, { ...sender, ...(failingSince !== undefined && { failingSince }) })
        if (along !== undefined) storeEvents(events, along(workspace))
        return E.right(undefined)
      }),
    remove: (workspace, along) =>
      atomic((): E.Either<SenderNotConfigured, string> => {
        const sender = senders.get(workspace)
        if (sender === undefined) return E.left({ _tag: 'SenderNotConfigured' })
        senders.delete(workspace)
        owners.delete(sender.phoneNumberId)
        if (along !== undefined) storeEvents(events, along(sender.phoneNumberId))
        return E.right(sender.phoneNumberId)
      }),
    noteHealth: (workspace, isFailing, at, along) =>
      infallible(() => {
        const sender = senders.get(workspace)
        if (sender === undefined || isFailing === (sender.failingSince !== undefined)) return false
        const { failingSince = at, ...healthy } = sender
        senders.set(workspace, isFailing ? { ...healthy, failingSince } : healthy)
        if (along !== undefined) storeEvents(events, along({ phoneNumberId: sender.phoneNumberId, failingSince }))
        return true
      }),
    noteAccount: (workspace, asked, isRefused, at) =>
      infallible(() => {
        const sender = senders.get(workspace)
        if (sender === undefined || isRefused === (sender.accountRefusedSince !== undefined)) return false
        if (sender.businessAccountId !== asked.businessAccountId || sender.accessToken !== asked.accessToken) return false
        const { accountRefusedSince: _since, ...allowed } = sender
        senders.set(workspace, isRefused ? { ...allowed, accountRefusedSince: at } : allowed)
        return true
      }),
  }
}
