import * as O from 'fp-ts/lib/Option.js'
import { openAccount, type Books } from '../../../adapters/memory/books.js'
import { makeMemoryStorage } from '../../../adapters/memory/index.js'
import type { Balance, Currency } from '../../../core/money.js'
import { workspaceIdOf, type WorkspaceId } from '../../../core/workspace.js'
import { uuidv7 } from 'uuidv7'
import { rightOf } from './right-of.js'

const USD = 'USD' as Currency

/** Every port in memory, with the powers that the laws ask for. */
export const openMemoryWorld = async () => {
  const storage = makeMemoryStorage()
  return {
    ...storage,
    openWorkspace: async (micros = 0n) => {
      const workspace = workspaceIdOf(uuidv7())
      await rightOf(storage.workspaces.create({ id: workspace, name: 'Acme', currency: USD, createdAt: Date.now() }))
      if (micros > 0n) await rightOf(storage.ledger.topUp({ workspace, micros, reference: 'opening', at: Date.now() }))
      return { workspace, currency: USD }
    },
    balance: async (workspace: WorkspaceId): Promise<Balance> => {
      const balance = await rightOf(storage.ledger.balance(workspace))
      if (O.isNone(balance)) throw new Error('the workspace has no wallet')
      return balance.value
    },
  }
}

/** Books that a test can see, and the power to open a workspace in them. */
export const openAccounts = () => {
  const books: Books = new Map()
  return {
    books,
    openWorkspace: async () => {
      const workspace = workspaceIdOf(uuidv7())
      books.set(workspace, openAccount(USD))
      return { workspace, currency: USD }
    },
  }
}
