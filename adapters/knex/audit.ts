import type { EntryKind } from '../../core/hold.js'
import { auditWallet, type Audit, type Finding, type WalletTotals } from '../../core/ports/ledger.js'
import type { HoldState } from '../../core/ports/wallet.js'
import type { WorkspaceId } from '../../core/workspace.js'
import type { Database } from './database.js'
import { micros, select, type Row } from './sql.js'
import { transact } from './transact.js'

/** Compares every workspace's wallet with the sums of its entries and holds, all read at one moment. */
export const auditWallets = async (database: Database): Promise<Audit> => {
  const [wallets, entries, holds] = await transact(
    database,
    async (trx) => [
      await select(trx, 'SELECT workspace_id, available, held FROM wallets'),
      await select(trx, 'SELECT workspace_id, kind AS name, SUM(amount) AS total FROM wallet_entries GROUP BY workspace_id, kind'),
      await select(trx, 'SELECT workspace_id, state AS name, SUM(amount) AS total FROM holds GROUP BY workspace_id, state'),
    ] as const,
    // A SQLite transaction always reads one snapshot.
    database.dialect.name === 'sqlite' ? {} : { isolationLevel: 'repeatable read' },
  )
  const entriesOf = sums<EntryKind>(entries)
  const holdsOf = sums<HoldState>(holds)
  const totals = (wallet: Row, workspace: string): WalletTotals => ({
    available: micros(wallet['available']), held: micros(wallet['held']), entries: entriesOf(workspace), holds: holdsOf(workspace),
  })
  return {
    workspaces: wallets.length,
    broken: wallets.flatMap((wallet) => {
      const workspace = String(wallet['workspace_id'])
      return auditWallet(totals(wallet, workspace)).map((fault): Finding => ({ workspace: workspace as WorkspaceId, fault }))
    }),
  }
}

type Sums<Name extends string> = { [Key in Name]?: bigint }

const sums = <Name extends string>(rows: ReadonlyArray<Row>): ((workspace: string) => Sums<Name>) => {
  const byWorkspace = new Map<string, Sums<Name>>()
  for (const row of rows) {
    const workspace = String(row['workspace_id'])
    byWorkspace.set(workspace, { ...byWorkspace.get(workspace), [String(row['name'])]: micros(row['total']) })
  }
  return (workspace) => byWorkspace.get(workspace) ?? {}
}
