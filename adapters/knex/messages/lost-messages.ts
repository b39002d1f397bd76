import * as E from 'fp-ts/lib/Either.js'
import type { CustomerDigest, CustomerId } from '../../../core/customers/customer.js'
import type { WorkspaceId } from '../../../core/kernel/ids.js'
import { type Page, pageOf, type PageQuery } from '../../../core/kernel/page.js'
import type { MakeOutboxEntries } from '../../../core/kernel/outbox.js'
import type { UnknownWorkspace } from '../../../core/kernel/workspace.js'
import { FORGOTTEN_PLATFORM_ID, type MessageId, type PlatformId } from '../../../core/messages/message.js'
import type { BalanceOutOfRange } from '../../../core/money/wallet.js'
import {
  isDue, LOST_MESSAGES_KEPT, type LostMessage, type LostMessages, type LostMessageSettled, lostReference, type LostSettlement,
  type LostState, type LostStatus, type NoSuchLostMessage, noteLost, type SettledLost,
} from '../../../core/reports/status.js'
import { senderIdOf } from '../../../core/senders/sender.js'
import { addMoney, balanceOf, Refused, UNKNOWN_WORKSPACE } from '../ledger/balances.js'
import { portTasks } from '../engine/batches.js'
import { type Database, transact } from '../engine/database.js'
import { sqlErrorKind, storableText } from '../engine/dialect.js'
import { type Bound, execute, insert, instant, type Queryable, type Row, select, textOrNone } from '../engine/sql.js'
import type { TransactEvents } from '../events/entries.js'

const CATEGORY = 64

/** The columns of a new row. */
export const LOST_COLUMNS = [
  'workspace_id', 'message_id', 'platform_id', 'phone_number_id', 'customer', 'state', 'category', 'billable', 'first_at', 'last_at',
] as const

/** The values of `LOST_COLUMNS`. */
export const lostRow = ({
  workspace, message, platformId, phoneNumberId, to, state, category, billable, firstAt, lastAt,
}: LostMessage): ReadonlyArray<Bound> => [
  workspace, message, platformId, phoneNumberId, to ?? null, state, category === undefined ? null : storableText(category, CATEGORY),
  billable === undefined ? null : Number(billable), firstAt, lastAt,
]

/** The condition of a row to be settled: `isDue`, and not settled. */
export const WAITS = "settled_at IS NULL AND state <> 'failed'"

/** The lost message of a row. */
export const lostMessageOf = (row: Row): LostMessage => ({
  workspace: row['workspace_id'] as WorkspaceId,
  message: row['message_id'] as MessageId,
  platformId: row['platform_id'] as PlatformId,
  phoneNumberId: senderIdOf(String(row['phone_number_id'])),
  to: textOrNone(row['customer']) as CustomerId | CustomerDigest | undefined,
  state: row['state'] as LostState,
  category: textOrNone(row['category']),
  billable: row['billable'] === null ? undefined : Number(row['billable']) === 1,
  firstAt: instant(row['first_at']),
  lastAt: instant(row['last_at']),
})

/**
 * If a workspace has reached the maximum number of lost messages, its lost messages are not counted again for this long, in milliseconds. If another Postern sends
 * through the same number, each of its statuses would otherwise cause a count.
 */
const FULL_MS = 60_000

type Settled = E.Either<NoSuchLostMessage | LostMessageSettled | BalanceOutOfRange | UnknownWorkspace, SettledLost>

/** The lost messages over SQL. */
export const makeLostMessages = (database: Database, transactEvents: TransactEvents, kept: number = LOST_MESSAGES_KEPT): LostMessages => {
  const { db, dialect } = database
  const fullUntil = new Map<WorkspaceId, number>()
  return {
    note: (status) => tasks.value(() => note(status)),
    list: (query) => tasks.value(() => list(db, query)),
    counts: () =>
      tasks.value(async () => {
        const rows = await select(db, `SELECT workspace_id, COUNT(*) AS messages FROM lost_messages WHERE ${WAITS} GROUP BY workspace_id ORDER BY workspace_id`)
        return rows.map((row) => ({ workspace: row['workspace_id'] as WorkspaceId, messages: Number(row['messages']) }))
      }),
    settle: (settlement, outboxEntries) => tasks.either(() => settle(settlement, outboxEntries)),
  }

  /** A status that changes nothing needs no transaction. */
  async function note(status: LostStatus): Promise<void> {
    const known = await rowOf(db, status)
    if (known === undefined ? (fullUntil.get(status.workspace) ?? 0) > performance.now() : !changes(known, status)) return
    await transact(database, async (trx) => {
      const row = await rowOf(trx, status, dialect.forUpdate)
      if (row !== undefined) {
        if (changes(row, status)) await update(trx, noteLost(lostMessageOf(row), status))
      } else if (await isInLog(trx, status.message)) return
      else if (await isFull(trx, status.workspace)) fullUntil.set(status.workspace, performance.now() + FULL_MS)
      else await insert(trx, dialect, 'lost_messages', LOST_COLUMNS, [lostRow(noteLost(undefined, status))], '', 'another status of the lost message was noted')
    })
  }

  async function isFull(trx: Queryable, workspace: WorkspaceId): Promise<boolean> {
    const [row] = await select(
      trx, 'SELECT COUNT(*) AS messages FROM lost_messages WHERE workspace_id = ? AND settled_at IS NULL', [workspace],
    )
    return Number(row?.['messages']) >= kept
  }

  async function settle(settlement: LostSettlement, outboxEntries?: MakeOutboxEntries<SettledLost>): Promise<Settled> {
    const { workspace, id } = settlement
    const message = await idOf(db, settlement)
    if (message === undefined) return E.left({ _tag: 'NoSuchLostMessage', id })
    try {
      return await transactEvents(async (trx, emit) => {
        const row = await rowOf(trx, { workspace, message }, dialect.forUpdate)
        if (row === undefined || !isDue(lostMessageOf(row))) return E.left({ _tag: 'NoSuchLostMessage', id })
        if (row['settled_at'] !== null) return E.left({ _tag: 'LostMessageSettled', id })
        const settled = { message: lostMessageOf(row), balance: await charge(trx, settlement, message) }
        await execute(
          trx, 'UPDATE lost_messages SET settled_at = ? WHERE workspace_id = ? AND message_id = ?', [settlement.at, workspace, message],
        )
        if (outboxEntries !== undefined) emit(outboxEntries(settled))
        return E.right(settled)
      })
    } catch (error) {
      if (error instanceof Refused) return E.left(error.reason)
      // The reference of the charge exists: the message was charged, forgotten, and reported again.
      if (sqlErrorKind(error) === 'conflict') return E.left({ _tag: 'LostMessageSettled', id })
      throw error
    }
  }

  async function charge(
    trx: Queryable, { workspace, micros, note: reason, at }: LostSettlement, message: LostMessage['message'],
  ): Promise<SettledLost['balance']> {
    if (micros > 0n) {
      return addMoney(trx, dialect, 'adjustment', { workspace, micros: -micros, reference: lostReference(message), note: reason, at })
    }
    const balance = await balanceOf(trx, workspace)
    if (balance === undefined) throw new Refused(UNKNOWN_WORKSPACE)
    return balance
  }
}

/**
 * Whether any workspace has the message. The index of the messages begins with the workspace, so the id is looked up in each workspace. SQLite keeps the order of the
 * tables in a CROSS JOIN; otherwise it would read all messages.
 */
const isInLog = async (trx: Queryable, message: LostMessage['message']): Promise<boolean> => {
  const rows = await select(
    trx, 'SELECT m.id FROM workspaces w CROSS JOIN messages m WHERE m.workspace_id = w.id AND m.id = ? LIMIT 1', [message],
  )
  return rows.length > 0
}

const rowOf = async (
  db: Queryable, { workspace, message }: Pick<LostMessage, 'workspace' | 'message'>, lock = '',
): Promise<Row | undefined> => {
  const [row] = await select(db, `SELECT * FROM lost_messages WHERE workspace_id = ? AND message_id = ? ${lock}`, [workspace, message])
  return row
}

/** Our id of the message with the given id, ours or the platform's. A message whose person was forgotten has only our id. */
const idOf = async (db: Queryable, { workspace, id }: LostSettlement): Promise<LostMessage['message'] | undefined> => {
  if (id === FORGOTTEN_PLATFORM_ID) return undefined
  const [row] = await select(
    db, 'SELECT message_id FROM lost_messages WHERE workspace_id = ? AND (message_id = ? OR platform_id = ?)', [workspace, id, id],
  )
  return row && (row['message_id'] as LostMessage['message'])
}

const changes = (row: Row, status: LostStatus): boolean => {
  if (row['settled_at'] !== null) return false
  const [before, after] = [lostRow(lostMessageOf(row)), lostRow(noteLost(lostMessageOf(row), status))]
  return after.some((value, index) => value !== before[index])
}

const update = (trx: Queryable, { workspace, message, ...after }: LostMessage): Promise<number> => {
  const row = lostRow({ workspace, message, ...after }).slice(LOST_COLUMNS.indexOf('state'))
  return execute(
    trx,
    'UPDATE lost_messages SET state = ?, category = ?, billable = ?, first_at = ?, last_at = ? WHERE workspace_id = ? AND message_id = ?',
    [...row, workspace, message],
  )
}

/** Our ids sort by time, so they provide the order. */
const list = async (db: Queryable, { limit, cursor = '' }: PageQuery): Promise<Page<LostMessage>> => {
  const [message = '', workspace = ''] = cursor.split(' ')
  const rows = await select(
    db, `SELECT * FROM lost_messages WHERE ${WAITS} AND (message_id > ? OR (message_id = ? AND workspace_id > ?)) ORDER BY message_id, workspace_id LIMIT ?`,
    [message, message, workspace, limit + 1],
  )
  return pageOf(rows.map(lostMessageOf), limit, (one) => `${one.message} ${one.workspace}`)
}

const tasks = portTasks('LostMessages')
