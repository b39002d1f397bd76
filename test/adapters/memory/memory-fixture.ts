import * as O from 'fp-ts/lib/Option.js'
import { uuidv7 } from 'uuidv7'
import { type Accounts, makeMemoryLedger, makeMemoryWallet, openAccount } from '../../../adapters/memory/accounts.js'
import { makeMemoryStorage, type MemoryStorageOptions } from '../../../adapters/memory/index.js'
import { type HeldLeases, makeMemoryLeases } from '../../../adapters/memory/kernel.js'
import { type WorkspaceId, workspaceIdOf } from '../../../core/kernel/ids.js'
import type { Balance, Currency } from '../../../core/kernel/money.js'
import type { AuditFixture } from '../../laws/audit.js'
import type { LeasesFixture } from '../../laws/leases.js'
import { done } from '../../support/right-of.js'

const USD = 'USD' as Currency

/** Every port in memory, with the powers that the laws ask for. */
export const openMemoryFixture = async (options: MemoryStorageOptions = {}) => {
  const lostMessagesKept = 12
  const storage = makeMemoryStorage({ lostMessagesKept, ...options })
  return {
    ...storage, lostMessagesKept,
    openWorkspace: async (micros = 0n) => {
      const workspace = workspaceIdOf(uuidv7())
      await done(storage.workspaces.create({ id: workspace, name: 'Acme', currency: USD, createdAt: Date.now() }))
      if (micros > 0n) await done(storage.ledger.topUp({ workspace, micros, reference: 'opening', at: Date.now() }))
      return { workspace, currency: USD }
    },
    archiveWorkspace: async (workspace: WorkspaceId) => { await done(storage.workspaces.archive(workspace, Date.now())) },
    balance: async (workspace: WorkspaceId): Promise<Balance> => {
      const balance = await done(storage.ledger.balance(workspace))
      if (O.isNone(balance)) throw new Error('the workspace has no wallet')
      return balance.value
    },
  }
}

/** The same with the step that opens a message and sets its price aside. */
export const openMemoryReserving = async () => {
  const fixture = await openMemoryFixture()
  const reserving = fixture.messageMoney.reservingOver?.(fixture)
  if (reserving === undefined) throw new Error('the storage has no such step for its own ports')
  return { ...fixture, reserving }
}

/** Accounts that a test can see, and the power to open a workspace in them. */
export const openAccounts = () => {
  const accounts: Accounts = new Map()
  return {
    accounts,
    openWorkspace: async () => {
      const workspace = workspaceIdOf(uuidv7())
      accounts.set(workspace, openAccount(USD))
      return { workspace, currency: USD }
    },
  }
}

/** The leases of two holders in memory, with a clock that stands still. */
export const openMemoryLeases = (held: HeldLeases = new Map()): LeasesFixture => {
  let now = 0
  return {
    leases: makeMemoryLeases(held, () => now), elsewhere: makeMemoryLeases(held, () => now),
    passes: async (ms) => { now += ms }, clockGoesBack: async (ms) => { now -= ms },
  }
}

/** A ledger in memory whose books a test can put wrong. */
export const openAuditFixture = async (): Promise<AuditFixture> => {
  const { accounts, openWorkspace } = openAccounts()
  return {
    ledger: makeMemoryLedger(accounts),
    wallet: makeMemoryWallet(accounts),
    openWorkspace,
    misplaceMicro: async (workspace) => {
      const account = accounts.get(workspace)
      if (account !== undefined) account.available += 1n
    },
    misplaceCapture: async ({ workspace, message }) => {
      const hold = accounts.get(workspace)?.holds.get(message)
      if (hold !== undefined) accounts.get(workspace)?.holds.set(message, { ...hold, micros: hold.micros + 1n })
    },
  }
}
