import { assert } from 'chai'
import * as O from 'fp-ts/lib/Option.js'
import { type KnexStorage, openStorage } from '../../adapters/knex/index.js'
import type { WorkspaceId } from '../../core/kernel/ids.js'
import type { Balance } from '../../core/kernel/money.js'
import type { MessageState } from '../../core/messages/message.js'
import type { Audit } from '../../core/money/ledger.js'
import { makeAuditBooks } from '../../core/money/use-cases.js'
import { type Account, createAccount } from './account.js'
import { SECRET } from './gateway.js'
import { PRICE } from './load.js'
import { type Env, posternJson } from './postern.js'
import { rightOf } from './right-of.js'

export { fundedWorkspace, type Account } from './account.js'

/** The audit, balance and messages of one workspace in a database. */
export type Books = {
  readonly audit: Audit
  readonly balance: Balance
  /** Every message by its id. */
  readonly messages: ReadonlyMap<string, MessageState>
}

/** Opens a database, uses it and closes it, even after a failure. */
export const withDatabase = async <A>(url: string, use: (storage: KnexStorage) => Promise<A>): Promise<A> => {
  const storage = openStorage({ url, secret: SECRET })
  try {
    return await use(storage)
  } finally {
    await storage.close()
  }
}

/** Migrates a database and creates a workspace with a sender, an amount of micros and a key. */
export const openAccount = (url: string, micros: bigint): Promise<Account> =>
  withDatabase(url, async (storage) => {
    await storage.migrate()
    return createAccount(storage, { micros, phoneNumberId: '1000' })
  })

/** Reads the audit, balance and messages of a workspace from a database. */
export const readBooks = (url: string, workspace: WorkspaceId): Promise<Books> =>
  withDatabase(url, async (storage) => {
    const { ledger, messageLog } = storage
    const balance = O.toUndefined(rightOf(await ledger.balance(workspace)))
    if (balance === undefined) throw new Error('the workspace has no wallet')
    const messages = new Map<string, MessageState>()
    for (let cursor: string | undefined, more = true; more;) {
      const { items, next } = rightOf(await messageLog.list(workspace, { limit: 100, ...(cursor !== undefined && { cursor }) }))
      for (const { id, state } of items) messages.set(id, state)
      cursor = next
      more = next !== undefined
    }
    return { audit: rightOf(await makeAuditBooks({ ...storage, unconfirmedAfterMs: 0 })()), balance, messages }
  })

/** Settles every unfinished message immediately with `postern reconcile`; only for gateways with nothing in flight. */
export const reconcileAtOnce = (env: Env): Promise<unknown> =>
  posternJson(['reconcile'], { ...env, PLATFORM_TIMEOUT_MS: '1', UNCONFIRMED_AFTER_MS: '2', RELEASE_AFTER_HOURS: '0' })

/** Asserts that exactly the messages that the platform accepted were paid from the funds, once each. */
export const assertExact = ({ audit, balance, messages }: Books, funds: bigint, accepted: ReadonlyArray<string>): void => {
  assert.lengthOf(new Set(accepted), accepted.length, 'a message was sent twice')
  assert.deepEqual(audit.broken, [])
  assert.deepInclude(balance, { available: funds - BigInt(accepted.length) * PRICE, held: 0n })
  const sent = new Set(accepted)
  const unsent = [...messages].filter(([id]) => !sent.has(id)).map(([, state]) => state)
  assert.deepEqual(unsent.filter((state) => state !== 'refused' && state !== 'released'), [])
}
