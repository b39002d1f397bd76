import * as E from 'fp-ts/lib/Either.js'
import { type CustomerId, type CustomerIds, everyIdOf, recordKeyOf } from '../../core/customers/customer.js'
import type { Along } from '../../core/kernel/outbox.js'
import type { Erased, MessagesUnderWay } from '../../core/privacy.js'
import { inList } from './bulk-sql.js'
import type { Database } from './database.js'
import type { Dialect } from './dialect.js'
import { eraseLost } from './forget-lost.js'
import { canForget, type DigestOf, FORGET_COLUMNS, forgetMessages, groupsOf } from './forget-messages.js'
import { removeEventsAbout } from './remove-events-about.js'
import { execute, type Queryable, select } from './sql.js'
import type { TransactEvents } from './transact-events.js'
import { transact } from './transact.js'

/** What an erasure needs. */
export type ErasureDeps = { readonly database: Database; readonly transactEvents: TransactEvents; readonly digestOf: DigestOf }

/** Whom to erase, and what is stored with the last step. */
export type Erasure = { readonly workspace: string; readonly ids: CustomerIds; readonly along?: Along<Erased> | undefined }

/** How many messages one transaction forgets. */
const BATCH = 500

/**
 * Erases a person in several transactions. What is known of the ids is deleted by the last one, because a repetition finds the other ids of the person by
 * it, should this process end half way.
 */
export const erasePerson = async (
  { database, transactEvents, digestOf }: ErasureDeps, { workspace, ids: { phoneNumber, userId }, along }: Erasure,
): Promise<E.Either<MessagesUnderWay, Erased>> => {
  const { db, dialect } = database
  const ids = everyIdOf({ phoneNumber, userId })
  const count = await underWay(db, dialect, workspace, ids)
  if (count > 0) return E.left({ _tag: 'MessagesUnderWay', count })
  const events = await removeEventsAbout(database, workspace, ids)
  const messages = await forgetAllTo(database, digestOf, workspace, ids)
  return transactEvents(async (trx, emit) => {
    const left = await underWay(trx, dialect, workspace, ids)
    if (left > 0) return E.left({ _tag: 'MessagesUnderWay', count: left })
    const [customers, windows] = [await removeRecords(trx, dialect, workspace, ids), await removeWindows(trx, dialect, workspace, ids)]
    const lost = await eraseLost(trx, workspace, ids, digestOf)
    const erased = { messages: messages + lost, customers, windows, events }
    if (along !== undefined) emit(along(erased))
    return E.right(erased)
  })
}

const underWay = async (db: Queryable, dialect: Dialect, workspace: string, ids: ReadonlyArray<string>): Promise<number> => {
  const { sql, bindings } = inList(dialect, ['customer'], keysOf(ids))
  const [row] = await select(db, `SELECT COUNT(*) AS count FROM messages WHERE workspace_id = ? AND ${sql} AND open_since IS NOT NULL`, [workspace, ...bindings])
  return Number(row?.['count'])
}

const forgetAllTo = async (database: Database, digestOf: DigestOf, workspace: string, ids: ReadonlyArray<string>): Promise<number> => {
  const { db, dialect } = database
  const { sql, bindings } = inList(dialect, ['customer'], keysOf(ids))
  let messages = 0
  for (;;) {
    const rows = await select(
      db, `SELECT ${FORGET_COLUMNS} FROM messages WHERE workspace_id = ? AND ${sql} AND open_since IS NULL LIMIT ?`, [workspace, ...bindings, BATCH],
    )
    if (rows.length === 0) return messages
    messages += await transact(database, (trx) => forgetMessages(trx, dialect, rows.filter(canForget), digestOf))
  }
}

/** Deletes the records of the ids, and ends the pairs of other records with them. */
const removeRecords = async (trx: Queryable, dialect: Dialect, workspace: string, ids: ReadonlyArray<CustomerId>): Promise<number> => {
  const keys = [...new Set(ids.map(recordKeyOf))]
  const named = inList(dialect, ['other_key'], keysOf(keys))
  const others = await select(trx, `SELECT workspace_id, customer_id FROM customers WHERE workspace_id = ? AND ${named.sql}`, [workspace, ...named.bindings])
  for (const [, found] of groupsOf(others, 'workspace_id', 'customer_id')) {
    const { sql, bindings } = inList(dialect, ['customer_id'], keysOf(found))
    await execute(
      trx, `UPDATE customers SET other = NULL, other_key = NULL, shared = NULL WHERE workspace_id = ? AND ${sql} AND ${named.sql}`,
      [workspace, ...bindings, ...named.bindings],
    )
  }
  const { sql, bindings } = inList(dialect, ['customer_id'], keysOf(keys))
  return execute(trx, `DELETE FROM customers WHERE workspace_id = ? AND ${sql}`, [workspace, ...bindings])
}

const removeWindows = (trx: Queryable, dialect: Dialect, workspace: string, ids: ReadonlyArray<string>): Promise<number> => {
  const { sql, bindings } = inList(dialect, ['customer'], keysOf(ids))
  return execute(trx, `DELETE FROM windows WHERE workspace_id = ? AND ${sql}`, [workspace, ...bindings])
}

const keysOf = (ids: ReadonlyArray<string>): ReadonlyArray<ReadonlyArray<string>> => ids.map((id) => [id])
