import * as O from 'fp-ts/lib/Option.js'
import { type AppId, appIdOf, type WorkspaceId } from '../../core/kernel/ids.js'
import type { Instant } from '../../core/kernel/time.js'
import {
  type Sender, type SenderDirectory, type SenderHealth, type SenderId, senderIdOf, type SenderOf, type SenderOwner, type Senders,
} from '../../core/senders/sender.js'
import type { Apps } from '../../core/workspaces/apps.js'
import { done } from './expect.js'
import { newDigits, newName } from './ids.js'

/** The senders, and the control over the environment that their laws need. */
export type SendersFixture = {
  readonly senders: Senders
  /** The apps of the same storage, if it keeps apps. */
  readonly apps?: Pick<Apps, 'add'>
  /** Opens a workspace that has no sender. */
  readonly openWorkspace: () => Promise<{ readonly workspace: WorkspaceId }>
}

/** The id of an app that a sender may be set with: of a new one, if the storage keeps apps. */
export const appFor = async ({ apps }: Pick<SendersFixture, 'apps'>): Promise<AppId> => {
  const app = { id: appIdOf(newName()), name: newName(), createdAt: NOON, appSecret: newName(), verifyToken: newName() }
  if (apps !== undefined) await done('an app is added', apps.add(app))
  return app.id
}

/** A sender with its own account. */
export const newSender = (): Sender => ({
  phoneNumberId: senderIdOf(newDigits(15)), accessToken: `EAAG${newDigits(30)}`, businessAccountId: newDigits(15),
})

/** Gives a workspace its only sender, by default a new one. */
export const assigned = async ({ senders }: SendersFixture, workspace: WorkspaceId, sender: Sender = newSender()): Promise<Sender> => {
  await done('a workspace is given its sender', senders.assign(workspace, sender))
  for (const { phoneNumberId } of await done('the senders are listed', senders.sendersOf(workspace))) {
    if (phoneNumberId !== sender.phoneNumberId) await done(
      'another sender is removed', senders.remove({ workspace, sender: phoneNumberId }),
    )
  }
  return sender
}

/** A sender of a workspace, or its default sender, as it was given: without its inbox, and whether it is the default sender. */
export const senderOf = async (
  { senders }: { readonly senders: Pick<SenderDirectory, 'senderOf'> }, workspace: WorkspaceId, named?: SenderId,
): Promise<O.Option<Sender>> => O.map(asGiven)(await done('the sender of a workspace is read', senders.senderOf(workspace, named)))

const asGiven = ({ inbox: _inbox, isDefault: _isDefault, ...given }: Sender): Sender => given

/** The workspace that has a phone number id. */
export const workspaceOf = async (
  { senders }: { readonly senders: Pick<SenderDirectory, 'ownerOf'> }, phoneNumberId: SenderId,
): Promise<O.Option<WorkspaceId>> =>
  O.map(({ workspace }: SenderOwner) => workspace)(
    await done('the workspace of a phone number id is read', senders.ownerOf(phoneNumberId, NOON)),
  )

/** The only sender of a workspace; one that no workspace has, if it has none. */
const senderOfOnly = async (
  { senders }: { readonly senders: Pick<SenderDirectory, 'senderOf'> }, workspace: WorkspaceId,
): Promise<SenderOf> => {
  const sender = await done('the sender of a workspace is read', senders.senderOf(workspace))
  return { workspace, sender: O.isSome(sender) ? sender.value.phoneNumberId : senderIdOf('1') }
}

/** The workspace of each given business account, in the given order; none if the account is not listed, and every one if it is listed twice. */
export const workspacesOf = async (
  { senders }: SendersFixture, accounts: ReadonlyArray<string>,
): Promise<ReadonlyArray<ReadonlyArray<WorkspaceId>>> => {
  const listed = await done('the business accounts are listed', senders.accounts())
  return accounts.map((account) => listed.filter(({ accountId }) => accountId === account).map(({ workspace }) => workspace))
}

/** The workspaces that send through a business account and may read it. */
export const sharing = async ({ senders }: SendersFixture, account: string): Promise<ReadonlyArray<WorkspaceId>> =>
  (await done('the senders of a business account are read', senders.sharing(account))).map(({ workspace }) => workspace)

/** Records the health of a sender. */
export const noteHealth = async (
  { senders }: { readonly senders: SenderHealth & Pick<SenderDirectory, 'senderOf'> }, workspace: WorkspaceId, isFailing: boolean,
  at: Instant,
): Promise<boolean> =>
  done('the health of a sender is noted', senders.noteHealth(await senderOfOnly({ senders }, workspace), isFailing, at))

/** Records whether the token of a sender may read its business account. */
export const noteAccount = async (
  { senders }: SendersFixture, workspace: WorkspaceId, asked: Sender, isRefused: boolean, at: Instant,
): Promise<boolean> => {
  const { businessAccountId = '', accessToken } = asked
  return done(
    'whether a token may read its account is noted',
    senders.noteAccount({ workspace, sender: asked.phoneNumberId }, { businessAccountId, accessToken }, isRefused, at),
  )
}

/** The other workspaces that send through a business account. */
export const notSharing = async ({ senders }: SendersFixture, account: string): Promise<ReadonlyArray<WorkspaceId>> =>
  (await done('the other senders of a business account are read', senders.notSharing(account))).map(({ workspace }) => workspace)

/** A timestamp with milliseconds that a coarser column would lose. */
export const NOON = Date.UTC(2026, 2, 1, 12, 0, 0, 1)
