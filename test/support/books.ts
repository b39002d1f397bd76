import { assert } from 'chai'
import * as O from 'fp-ts/lib/Option.js'
import { uuidv7 } from 'uuidv7'
import { openStorage, type KnexStorage } from '../../adapters/knex/index.js'
import type { Audit } from '../../core/ports/ledger.js'
import type { MessageState } from '../../core/ports/message-log.js'
import type { Balance, Currency } from '../../core/money.js'
import { workspaceIdOf, type WorkspaceId } from '../../core/workspace.js'
import { rightOf, SECRET } from './gateway.js'
import { PRICE } from './load.js'
import { posternJson, type Env } from './postern.js'

/** A workspace that may send. */
export type Account = { readonly id: WorkspaceId; readonly key: string; readonly keyId: string }

/** What a database says of one workspace. */
export type Books = {
  readonly audit: Audit
  readonly balance: Balance
  /** Every message by its id. */
  readonly messages: ReadonlyMap<string, MessageState>
}

/** Does something with a database and closes it whatever comes. */
export const withDatabase = async <A>(url: string, use: (storage: KnexStorage) => Promise<A>): Promise<A> => {
  const storage = openStorage({ url, secret: SECRET })
  try {
    return await use(storage)
  } finally {
    await storage.close()
  }
}

/** Brings a database up to date and gives it a workspace with a sender, so many micros, and a key. */
export const openAccount = (url: string, micros: bigint): Promise<Account> =>
  withDatabase(url, async ({ migrate, workspaces, ledger, senders, keyStore }) => {
    await migrate()
    const id = await fundedWorkspace({ workspaces, ledger }, micros)
    rightOf(await senders.assign(id, { phoneNumberId: '1000', accessToken: 'token', businessAccountId: undefined })())
    const minted = rightOf(await keyStore.mint(id, 'test', Date.now())())
    return { id, key: minted.key, keyId: minted.id }
  })

/** Makes a workspace that has so many micros to spend. */
export const fundedWorkspace = async ({ workspaces, ledger }: Pick<KnexStorage, 'workspaces' | 'ledger'>, micros: bigint): Promise<WorkspaceId> => {
  const id = workspaceIdOf(uuidv7())
  rightOf(await workspaces.create({ id, name: 'test', currency: 'USD' as Currency, createdAt: Date.now() })())
  rightOf(await ledger.topUp({ workspace: id, micros, reference: 'first', at: Date.now() })())
  return id
}

/** Reads what a database says of a workspace. */
export const readBooks = (url: string, workspace: WorkspaceId): Promise<Books> =>
  withDatabase(url, async ({ ledger, messageLog }) => {
    const balance = O.toUndefined(rightOf(await ledger.balance(workspace)()))
    if (balance === undefined) throw new Error('the workspace has no wallet')
    const messages = new Map<string, MessageState>()
    for (let cursor: string | undefined, more = true; more;) {
      const { items, next } = rightOf(await messageLog.list(workspace, { limit: 100, ...(cursor !== undefined && { cursor }) })())
      for (const { id, state } of items) messages.set(id, state)
      cursor = next
      more = next !== undefined
    }
    return { audit: rightOf(await ledger.audit()()), balance, messages }
  })

/** Ends at once whatever is unfinished, by a command with an environment; for gateways that have nothing under way. */
export const reconcileAtOnce = (env: Env): Promise<unknown> =>
  posternJson(['reconcile'], { ...env, PLATFORM_TIMEOUT_MS: '1', UNCONFIRMED_AFTER_MS: '2', RELEASE_AFTER_HOURS: '0' })

/** Asserts that of so many micros the messages that the platform took on have been paid, once each, and nothing else. */
export const assertExact = ({ audit, balance, messages }: Books, funds: bigint, taken: ReadonlyArray<string>): void => {
  assert.lengthOf(new Set(taken), taken.length, 'a message was sent twice')
  assert.deepEqual(audit.broken, [])
  assert.deepInclude(balance, { available: funds - BigInt(taken.length) * PRICE, held: 0n })
  const sent = new Set(taken)
  const unsent = [...messages].filter(([id]) => !sent.has(id)).map(([, state]) => state)
  assert.deepEqual(unsent.filter((state) => state !== 'refused' && state !== 'released'), [])
}
