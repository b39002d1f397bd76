import type { EntryKind } from '../../core/hold.js'
import { auditWallet, type Audit, type Finding, type WalletTotals } from '../../core/ports/ledger.js'
import type { HoldState } from '../../core/ports/wallet.js'
import type { WorkspaceId } from '../../core/workspace.js'
import type { Database } from './database.js'
import { micros, select, type Row } from './sql.js'
import { transact } from './transact.js'

/** Compares every workspace's wallet with the sums of its entries and holds, all read at one moment. */
export const auditWallets = async (database: Database): Promise<Audit> => {
  const [wallets, entries, holds] = await readBooks(database, '', [])
  const entriesOf = sums<EntryKind>(entries)
  const holdsOf = sums<HoldState>(holds)
  return {
    workspaces: wallets.length,
    broken: wallets.flatMap((wallet) => {
      const workspace = String(wallet['workspace_id'])
      return auditWallet({ ...walletOf(wallet), entries: entriesOf(workspace), holds: holdsOf(workspace) }).map((fault): Finding => ({ workspace: workspace as WorkspaceId, fault }))
    }),
  }
}

/** The wallet of one workspace with the sums of its entries and holds; `undefined` if there is none. */
export const booksOf = async (database: Database, workspace: WorkspaceId): Promise<WalletTotals | undefined> => {
  const [[wallet], entries, holds] = await readBooks(database, 'WHERE workspace_id = ?', [workspace])
  return wallet && { ...walletOf(wallet), entries: sums<EntryKind>(entries)(workspace), holds: sums<HoldState>(holds)(workspace) }
}

const readBooks = (database: Database, where: string, bindings: ReadonlyArray<string>) =>
  transact(
    database,
    async (trx) => [
      await select(trx, `SELECT workspace_id, available, held FROM wallets ${where}`, [...bindings]),
      await select(trx, `SELECT workspace_id, kind AS name, SUM(amount) AS total FROM wallet_entries ${where} GROUP BY workspace_id, kind`, [...bindings]),
      await select(trx, `SELECT workspace_id, state AS name, SUM(amount) AS total FROM holds ${where} GROUP BY workspace_id, state`, [...bindings]),
    ] as const,
    // A SQLite transaction always reads one snapshot.
    database.dialect.name === 'sqlite' ? {} : { isolationLevel: 'repeatable read' },
  )

const walletOf = (row: Row): Pick<WalletTotals, 'available' | 'held'> => ({ available: micros(row['available']), held: micros(row['held']) })

type Sums<Name extends string> = { [Key in Name]?: bigint }

const sums = <Name extends string>(rows: ReadonlyArray<Row>): ((workspace: string) => Sums<Name>) => {
  const byWorkspace = new Map<string, Sums<Name>>()
  for (const row of rows) {
    const workspace = String(row['workspace_id'])
    byWorkspace.set(workspace, { ...byWorkspace.get(workspace), [String(row['name'])]: micros(row['total']) })
  }
  return (workspace) => byWorkspace.get(workspace) ?? {}
}
