import * as E from 'fp-ts/lib/Either.js'
import * as O from 'fp-ts/lib/Option.js'
import type { Sender, SenderTaken, Senders, UnknownWorkspace, WorkspaceId } from '../../core/ports/senders.js'
import type { Workspace } from '../../core/workspace.js'
import { atomic, infallible } from './task.js'

/** The senders in memory, of the workspaces there are. Nothing is at rest here, so their tokens are kept as they are. */
export const makeMemorySenders = (workspaces: ReadonlyMap<WorkspaceId, Pick<Workspace, 'archivedAt'>>): Senders => {
  const senders = new Map<WorkspaceId, Sender>()
  const owners = new Map<string, WorkspaceId>()
  return {
    senderOf: (workspace) => infallible(() => O.fromNullable(senders.get(workspace))),
    workspaceOf: (phoneNumberId) => infallible(() => O.fromNullable(owners.get(phoneNumberId))),
    accounts: () =>
      infallible(() => {
        const using = [...senders].filter(([workspace]) => workspaces.get(workspace)?.archivedAt === undefined).sort(([a], [b]) => (a < b ? 1 : -1))
        const oldest = new Map(using.flatMap(([workspace, { businessAccountId }]) => (businessAccountId === undefined ? [] : [[businessAccountId, workspace]])))
        return [...oldest].map(([accountId, workspace]) => ({ accountId, workspace }))
      }),
    assign: (workspace, sender) =>
      atomic((): E.Either<SenderTaken | UnknownWorkspace, void> => {
        if (!workspaces.has(workspace)) return E.left({ _tag: 'UnknownWorkspace' })
        if ((owners.get(sender.phoneNumberId) ?? workspace) !== workspace) return E.left({ _tag: 'SenderTaken' })
        const before = senders.get(workspace)
        if (before !== undefined) owners.delete(before.phoneNumberId)
        owners.set(sender.phoneNumberId, workspace)
        senders.set(workspace, sender)
        return E.right(undefined)
      }),
  }
}
