import type { WorkspaceId } from '../../../core/kernel/ids.js'
import type { MakeOutboxEntries } from '../../../core/kernel/outbox.js'
import type { Instant } from '../../../core/kernel/time.js'
import { type DeliveryDeadlines, isOverdue, type SettledDeadlines } from '../../../core/messages/deadlines.js'
import type { Draft } from '../../../core/messages/message-log.js'
import type { MessageRecord } from '../../../core/messages/message.js'
import { portTasks } from '../engine/batches.js'
import type { Database } from '../engine/database.js'
import type { Dialect } from '../engine/dialect.js'
import { execute, inList, insert, instant, instantOrNone, type Queryable, select } from '../engine/sql.js'
import type { Emit, TransactEvents } from '../events/entries.js'
import { recordOf } from './message-changes.js'

/** Stores the deadlines of messages that are opened; at least one of them must have a deadline. */
export const insertDeadlines = (dialect: Dialect, trx: Queryable, drafts: ReadonlyArray<Draft>): Promise<void> => {
  const rows = drafts.flatMap(({ workspace, id, confirmBy }) => (confirmBy === undefined ? [] : [[confirmBy, workspace, id]]))
  return insert(trx, dialect, 'delivery_deadlines', ['due_at', 'workspace_id', 'message_id'], rows)
}

/** The deadlines over SQL. */
export const makeDeliveryDeadlines = ({ dialect }: Database, transactEvents: TransactEvents): DeliveryDeadlines => ({
  settle: (until, limit, outboxEntries) =>
    tasks.value(() => transactEvents((trx, emit) => settle(trx, dialect, { until, limit, outboxEntries }, emit))),
})

type Settle = { readonly until: Instant; readonly limit: number; readonly outboxEntries: MakeOutboxEntries<MessageRecord> }

/** The locks of the rows let only one of several concurrent calls remove a deadline. */
const settle = async (
  trx: Queryable, dialect: Dialect, { until, limit, outboxEntries }: Settle, emit: Emit,
): Promise<SettledDeadlines> => {
  const rows = await select(
    trx, `SELECT due_at, workspace_id, message_id FROM delivery_deadlines WHERE due_at <= ?
       ORDER BY due_at, workspace_id, message_id LIMIT ? ${dialect.forUpdate}`,
    [until, limit],
  )
  const keys = rows.map((row): MessageKey => [row['workspace_id'] as WorkspaceId, String(row['message_id'])])
  const [first, last] = [rows[0], rows.at(-1)]
  if (first !== undefined && last !== undefined) {
    const { sql, bindings } = inList(dialect, ['workspace_id', 'message_id'], keys)
    await execute(
      trx, `DELETE FROM delivery_deadlines WHERE due_at >= ? AND due_at <= ? AND ${sql}`,
      [instant(first['due_at']), instant(last['due_at']), ...bindings],
    )
  }
  const overdue = await overdueOf(trx, dialect, keys)
  for (const message of overdue) emit(outboxEntries(message))
  const [left] = await select(trx, 'SELECT MIN(due_at) AS due_at FROM delivery_deadlines', [])
  const next = instantOrNone(left?.['due_at'])
  return { removed: rows.length, overdue: overdue.length, ...(next !== undefined && { next }) }
}

type MessageKey = readonly [workspace: WorkspaceId, id: string]

/** The overdue messages, in the order of the keys. Most messages are delivered, so only the others are locked and read again: a report may have changed them. */
const overdueOf = async (trx: Queryable, dialect: Dialect, keys: ReadonlyArray<MessageKey>): Promise<ReadonlyArray<MessageRecord>> => {
  const messages = (await readMessages(trx, dialect, keys)).filter(({ state }) => isOverdue(state))
  const locked = await readMessages(trx, dialect, messages.map(({ workspace, id }): MessageKey => [workspace, id]), dialect.forUpdate)
  const overdue = new Map(locked.filter(({ state }) => isOverdue(state)).map((message) => [`${message.workspace} ${message.id}`, message]))
  return keys.flatMap(([workspace, id]) => overdue.get(`${workspace} ${id}`) ?? [])
}

const readMessages = async (
  trx: Queryable, dialect: Dialect, keys: ReadonlyArray<MessageKey>, lock = '',
): Promise<ReadonlyArray<MessageRecord>> => {
  if (keys.length === 0) return []
  const { sql, bindings } = inList(dialect, ['workspace_id', 'id'], keys)
  return (await select(trx, `SELECT * FROM ${dialect.byPrimaryKey('messages')} WHERE ${sql} ORDER BY id ${lock}`, bindings)).map(recordOf)
}

const tasks = portTasks('DeliveryDeadlines')
