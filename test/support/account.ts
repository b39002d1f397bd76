import { uuidv7 } from 'uuidv7'
import { SCOPES } from '../../core/kernel/actor.js'
import { type WorkspaceId, workspaceIdOf } from '../../core/kernel/ids.js'
import type { Currency } from '../../core/kernel/money.js'
import type { StoragePorts } from '../../core/ports.js'
import { senderIdOf } from '../../core/senders/sender.js'
import { rightOf } from './right-of.js'

/** A workspace with a key. */
export type Account = { readonly id: WorkspaceId; readonly key: string; readonly keyId: string }

export type AccountOptions = {
  readonly name?: string
  /** The top-up; no top-up if it is 0. */
  readonly micros: bigint
  /** The phone number id of the sender; without it the workspace has no sender. */
  readonly phoneNumberId?: string | undefined
  /** The business account of the sender; unknown by default. */
  readonly businessAccountId?: string | undefined
}

/** Creates a workspace with funds, a sender and a key. */
export const createAccount = async (
  { senders, keyStore, ...books }: Pick<StoragePorts, 'workspaces' | 'ledger' | 'senders' | 'keyStore'>,
  { name = 'test', micros, phoneNumberId, businessAccountId }: AccountOptions,
): Promise<Account> => {
  const id = await fundedWorkspace(books, micros, name)
  if (phoneNumberId !== undefined) {
    rightOf(await senders.assign(id, { phoneNumberId: senderIdOf(phoneNumberId), accessToken: 'token', businessAccountId }))
  }
  const minted = rightOf(await keyStore.mint({ workspace: id, name, at: Date.now(), scopes: SCOPES }))
  return { id, key: minted.key, keyId: minted.id }
}

/** Creates a workspace with an amount of micros. */
export const fundedWorkspace = async (
  { workspaces, ledger }: Pick<StoragePorts, 'workspaces' | 'ledger'>, micros: bigint, name = 'test',
): Promise<WorkspaceId> => {
  const id = workspaceIdOf(uuidv7())
  rightOf(await workspaces.create({ id, name, currency: 'USD' as Currency, createdAt: Date.now() }))
  if (micros > 0n) rightOf(await ledger.topUp({ workspace: id, micros, reference: 'first', at: Date.now() }))
  return id
}
