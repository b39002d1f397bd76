import { formatMicros } from '../../core/money.js'
import type { Audit, Finding } from '../../core/ports/ledger.js'
import type { WorkspaceId } from '../../core/workspace.js'
import type { Database } from './database.js'
import { micros, select, type Row } from './sql.js'
import { transact } from './transact.js'

/**
 * Adds up every workspace's entries and holds and compares them with its wallet, all as of one moment.
 *
 * Besides the law of conservation it checks that what is held is the sum of the open holds, and that what was captured
 * and not refunded is the sum of the captured ones.
 */
export const auditBooks = async (database: Database): Promise<Audit> => {
  const [wallets, entries, holds] = await transact(
    database,
    async (trx) => [
      await select(trx, 'SELECT workspace_id, available, held FROM wallets'),
      await select(trx, 'SELECT workspace_id, kind AS name, SUM(amount) AS total FROM wallet_entries GROUP BY workspace_id, kind'),
      await select(trx, 'SELECT workspace_id, state AS name, SUM(amount) AS total FROM holds GROUP BY workspace_id, state'),
    ] as const,
    // SQLite's transactions are snapshots as they are.
    database.dialect.name === 'sqlite' ? {} : { isolationLevel: 'repeatable read' },
  )
  const entered = totals(entries)
  const inState = totals(holds)
  return {
    workspaces: wallets.length,
    broken: wallets.flatMap((wallet) => {
      const workspace = String(wallet['workspace_id'])
      return faultsOf(wallet, entered(workspace), inState(workspace)).map((fault): Finding => ({ workspace: workspace as WorkspaceId, fault }))
    }),
  }
}

type Total = (name: string) => bigint

const totals = (rows: ReadonlyArray<Row>): ((workspace: string) => Total) => {
  const sums = new Map(rows.map((row) => [`${row['workspace_id']} ${row['name']}`, micros(row['total'])]))
  return (workspace) => (name) => sums.get(`${workspace} ${name}`) ?? 0n
}

const faultsOf = (wallet: Row, entered: Total, inState: Total): ReadonlyArray<string> => {
  const paidIn = entered('top_up') + entered('adjustment')
  const spent = entered('capture') - entered('refund')
  const balance = micros(wallet['available']) + micros(wallet['held'])
  return [
    ...differing('available and held and what was spent', balance + spent, 'what was paid in', paidIn),
    ...differing('the wallet holds', micros(wallet['held']), 'its open holds come to', inState('held')),
    ...differing('what was captured and not refunded', spent, 'its captured holds come to', inState('captured')),
  ]
}

const differing = (left: string, a: bigint, right: string, b: bigint): ReadonlyArray<string> =>
  a === b ? [] : [`${left} ${formatMicros(a)}, but ${right} ${formatMicros(b)}`]
