import { setTimeout as delay } from 'node:timers/promises'
import type { AuditLog, AuditQuery } from '../../core/access/acting.js'
import type { AuditEntry } from '../../core/kernel/actor.js'
import type { WorkspaceId } from '../../core/kernel/ids.js'
import { type Page, pageOf } from '../../core/kernel/page.js'
import type { Instant } from '../../core/kernel/time.js'
import { type Audit, auditWallet, type Finding, type WalletTotals } from '../../core/money/ledger.js'
import type { EntryKind, HoldState } from '../../core/money/wallet.js'
import { portTasks } from './engine/batches.js'
import { type Database, transact, type TransactOptions } from './engine/database.js'
import { execute, inList, micros, type Queryable, type Row, select } from './engine/sql.js'
import { AUDIT_COLUMNS, auditEntryIn, writeAuditEntries } from './events/entries.js'

/** The audit log over SQL. */
export const makeAuditLog = (database: Database): AuditLog => ({
  append: (entries) => tasks.value(() => transact(database, (trx) => writeAuditEntries(database.dialect, trx, entries))),
  list: (query) => tasks.value(() => list(database, query)),
  removeAnonymous: (before, limit) => tasks.value(() => removeAnonymous(database, before, limit)),
})

const removeAnonymous = async ({ db, dialect }: Database, before: Instant, limit: number): Promise<number> => {
  const rows = await select(db, `SELECT id FROM audit_entries WHERE actor_type = 'unknown' AND created_at < ? LIMIT ?`, [before, limit])
  if (rows.length === 0) return 0
  const { sql, bindings } = inList(dialect, ['id'], rows.map(({ id }) => [String(id)]))
  return execute(db, `DELETE FROM audit_entries WHERE ${sql}`, bindings)
}

const list = async ({ db, dialect }: Database, { limit, cursor, workspace, since, until }: AuditQuery): Promise<Page<AuditEntry>> => {
  const conditions = ([['workspace_id = ?', workspace], ['created_at >= ?', since], ['created_at < ?', until], ['id < ?', cursor]] as const)
    .flatMap(([condition, value]) => (value === undefined ? [] : [[condition, value] as const]))
  const where = conditions.length === 0 ? '' : `WHERE ${conditions.map(([condition]) => condition).join(' AND ')}`
  const rows = await select(
    db,
    `SELECT ${AUDIT_COLUMNS} FROM ${workspace === undefined ? 'audit_entries' : dialect.byWorkspace('audit_entries')} ${where} ORDER BY id DESC LIMIT ?`,
    [...conditions.map(([, value]) => value), limit + 1],
  )
  return pageOf(rows.map(auditEntryIn), limit, ({ id }) => id)
}

const tasks = portTasks('AuditLog')

/** Compares every workspace's wallet with the sums of its entries and holds, all read in one snapshot. */
export const auditWallets = async (database: Database): Promise<Audit> => {
  const [wallets, entries, holds] = await transact(
    database,
    async (trx) => [
      await select(trx, 'SELECT workspace_id, available, held FROM wallets'),
      await select(trx, 'SELECT workspace_id, kind AS name, SUM(amount) AS total FROM wallet_entries GROUP BY workspace_id, kind'),
      await select(trx, 'SELECT workspace_id, state AS name, SUM(amount) AS total FROM holds GROUP BY workspace_id, state'),
    ] as const,
    snapshot(database),
  )
  const entriesOf = sums<EntryKind>(entries)
  const holdsOf = sums<HoldState>(holds)
  return {
    workspaces: wallets.length,
    broken: wallets.flatMap((wallet) => {
      const workspace = String(wallet['workspace_id'])
      return auditWallet({ ...walletOf(wallet), entries: entriesOf(workspace), holds: holdsOf(workspace) })
        .map((fault): Finding => ({ workspace: workspace as WorkspaceId, fault }))
    }),
  }
}

/**
 * The wallet of one workspace with the sums of its entries and holds, all read in one snapshot; `undefined` if there is none.
 *
 * They are added up in slices of some milliseconds each, with pauses as long as the slices. So other reads on the same connections wait for one slice at most, and half
 * of the database's time is left to others, however many entries there are.
 */
export const booksOf = (database: Database, workspace: WorkspaceId): Promise<WalletTotals | undefined> =>
  transact(
    database,
    async (trx) => {
      const [wallet] = await select(trx, 'SELECT available, held FROM wallets WHERE workspace_id = ?', [workspace])
      if (wallet === undefined) return undefined
      const entries = await addUp<EntryKind>(trx, workspace, {
        table: database.dialect.byWorkspace('wallet_entries'), id: 'id', name: 'kind',
      })
      return {
        ...walletOf(wallet),
        entries,
        holds: await addUp<HoldState>(trx, workspace, { table: database.dialect.byWorkspace('holds'), id: 'message_id', name: 'state' }),
      }
    },
    snapshot(database),
  )

/** A SQLite transaction always reads one snapshot. */
export const snapshot = ({ dialect }: Database): TransactOptions => (dialect.name === 'sqlite' ? {} : { isolationLevel: 'repeatable read' })

/** The number of rows that one statement adds up. */
export const SLICE = 5_000
/** The longest pause, in milliseconds, so that a snapshot does not stay open for long because one slice was slow. */
export const LONGEST_PAUSE_MS = 100

type Addends = { readonly table: string; readonly id: string; readonly name: string }

/** Adds up the amounts of a table by a column, in the order of the ids. */
const addUp = async <Name extends string>(trx: Queryable, workspace: WorkspaceId, { table, id, name }: Addends): Promise<Sums<Name>> => {
  const sum = new Map<string, bigint>()
  let last = ''
  for (;;) {
    const begun = performance.now()
    const rows = await select(
      trx,
      `SELECT name, SUM(amount) AS total, COUNT(*) AS added, MAX(id) AS last_id FROM (
         SELECT ${name} AS name, amount, ${id} AS id FROM ${table} WHERE workspace_id = ? AND ${id} > ? ORDER BY ${id} LIMIT ?
       ) slice GROUP BY name`,
      [workspace, last, SLICE],
    )
    for (const row of rows) sum.set(String(row['name']), (sum.get(String(row['name'])) ?? 0n) + micros(row['total']))
    const added = rows.reduce((count, row) => count + Number(row['added']), 0)
    if (added < SLICE) return Object.fromEntries(sum) as Sums<Name>
    last = rows.reduce((latest, row) => (String(row['last_id']) > latest ? String(row['last_id']) : latest), last)
    await delay(Math.min(performance.now() - begun, LONGEST_PAUSE_MS))
  }
}

const walletOf = (row: Row): Pick<WalletTotals, 'available' | 'held'> =>
  ({ available: micros(row['available']), held: micros(row['held']) })

type Sums<Name extends string> = { [Key in Name]?: bigint }

const sums = <Name extends string>(rows: ReadonlyArray<Row>): ((workspace: string) => Sums<Name>) => {
  const byWorkspace = new Map<string, Sums<Name>>()
  for (const row of rows) {
    const workspace = String(row['workspace_id'])
    byWorkspace.set(workspace, { ...byWorkspace.get(workspace), [String(row['name'])]: micros(row['total']) })
  }
  return (workspace) => byWorkspace.get(workspace) ?? {}
}
