import type * as O from 'fp-ts/lib/Option.js'
import type { WorkspaceId } from '../../core/kernel/ids.js'
import type { Instant } from '../../core/kernel/time.js'
import { type Sender, type SenderDirectory, type SenderHealth, type SenderId, senderIdOf, type Senders } from '../../core/senders/sender.js'
import { done } from './expect.js'
import { newDigits } from './ids.js'

/** The senders, and the control over the environment that their laws need. */
export type SendersFixture = {
  readonly senders: Senders
  /** Opens a workspace that has no sender. */
  readonly openWorkspace: () => Promise<{ readonly workspace: WorkspaceId }>
}

/** A sender with its own account. */
export const newSender = (): Sender => ({
  phoneNumberId: senderIdOf(newDigits(15)), accessToken: `EAAG${newDigits(30)}`, businessAccountId: newDigits(15),
})

/** Assigns a sender to a workspace, by default a new one. */
export const assigned = async ({ senders }: SendersFixture, workspace: WorkspaceId, sender: Sender = newSender()): Promise<Sender> => {
  await done('a workspace is given its sender', senders.assign(workspace, sender))
  return sender
}

/** The sender that a workspace has. */
export const senderOf = (
  { senders }: { readonly senders: Pick<SenderDirectory, 'senderOf'> }, workspace: WorkspaceId,
): Promise<O.Option<Sender>> =>
  done('the sender of a workspace is read', senders.senderOf(workspace))

/** The workspace that has a phone number id. */
export const workspaceOf = (
  { senders }: { readonly senders: Pick<SenderDirectory, 'workspaceOf'> }, phoneNumberId: SenderId,
): Promise<O.Option<WorkspaceId>> =>
  done('the workspace of a phone number id is read', senders.workspaceOf(phoneNumberId))

/** The workspace of each given business account, in the given order; none if the account is not listed, and every one if it is listed twice. */
export const workspacesOf = async (
  { senders }: SendersFixture, accounts: ReadonlyArray<string>,
): Promise<ReadonlyArray<ReadonlyArray<WorkspaceId>>> => {
  const listed = await done('the business accounts are listed', senders.accounts())
  return accounts.map((account) => listed.filter(({ accountId }) => accountId === account).map(({ workspace }) => workspace))
}

/** The workspaces that send through a business account and may read it. */
export const sharing = ({ senders }: SendersFixture, account: string): Promise<ReadonlyArray<WorkspaceId>> =>
  done('the workspaces of a business account are read', senders.sharing(account))

/** Records the health of a sender. */
export const noteHealth = (
  { senders }: { readonly senders: SenderHealth }, workspace: WorkspaceId, isFailing: boolean, at: Instant,
): Promise<boolean> =>
  done('the health of a sender is noted', senders.noteHealth(workspace, isFailing, at))

/** Records whether the token of a sender may read its business account. */
export const noteAccount = (
  { senders }: SendersFixture, workspace: WorkspaceId, asked: Sender, isRefused: boolean, at: Instant,
): Promise<boolean> => {
  const { businessAccountId = '', accessToken } = asked
  return done(
    'whether a token may read its account is noted', senders.noteAccount(workspace, { businessAccountId, accessToken }, isRefused, at),
  )
}

/** The other workspaces that send through a business account. */
export const notSharing = ({ senders }: SendersFixture, account: string): Promise<ReadonlyArray<WorkspaceId>> =>
  done('the other workspaces of a business account are read', senders.notSharing(account))

/** A timestamp with milliseconds that a coarser column would lose. */
export const NOON = Date.UTC(2026, 2, 1, 12, 0, 0, 1)
