import { WINDOW_MS } from '../../../core/customers/window.js'
import type { InboxId } from '../../../core/kernel/ids.js'
import type { Instant } from '../../../core/kernel/time.js'
import type { Dialect } from '../engine/dialect.js'
import { execute, insert, inList, type Queryable, select } from '../engine/sql.js'

/** A user id has a dot, a phone number has only digits. */
const IS_USER_ID = "LIKE '%.%'"

/** How many rows one statement writes. */
const ROWS_AT_ONCE = 500

/**
 * Removes from an inbox what belongs to the previous business account of its number: everything recorded for user ids, and the pairs of numbers. The windows and the
 * choices of a user id that has a number are recorded for the number first, so that the same person keeps them.
 */
export const forgetUserIds = async (trx: Queryable, dialect: Dialect, inbox: InboxId, at: Instant): Promise<void> => {
  await keepWindows(trx, dialect, inbox, at)
  await keepChoices(trx, dialect, inbox)
  await execute(
    trx, 'UPDATE windows SET user_inbound = NULL, number_inbound = NULL WHERE workspace_id = ? AND user_inbound IS NOT NULL', [inbox],
  )
  await execute(trx, `DELETE FROM windows WHERE workspace_id = ? AND customer ${IS_USER_ID}`, [inbox])
  await execute(trx, `DELETE FROM customers WHERE workspace_id = ? AND customer_id ${IS_USER_ID}`, [inbox])
  await execute(
    trx,
    `UPDATE customers SET other = NULL, other_key = NULL, paired_at = NULL, confirmed_at = NULL, shared = NULL
     WHERE workspace_id = ? AND other IS NOT NULL`,
    [inbox],
  )
}

/** The record of the number that a user id has: each of the two records names the other. */
const ITS_NUMBER = `JOIN customers n
  ON n.workspace_id = c.workspace_id AND n.customer_id = c.other_key AND n.other = c.customer_id AND n.known_as IS NULL`

/** Only windows that may still be open matter. */
const keepWindows = async (trx: Queryable, dialect: Dialect, inbox: InboxId, at: Instant): Promise<void> => {
  const rows = await select(
    trx,
    `SELECT c.other AS customer, n.customer_id AS number, n.since, w.last_inbound FROM windows w
     JOIN customers c ON c.workspace_id = w.workspace_id AND c.customer_id = w.customer ${ITS_NUMBER}
     WHERE w.workspace_id = ? AND w.last_inbound > ? AND w.customer ${IS_USER_ID}`,
    [inbox, at - WINDOW_MS],
  )
  // The message that named the pair counts for this person.
  for (const row of rows.filter(({ since, last_inbound: last }) => since !== null && Number(since) === Number(last))) {
    await execute(trx, 'UPDATE customers SET since = since - 1 WHERE workspace_id = ? AND customer_id = ?', [inbox, String(row['number'])])
  }
  for (let from = 0; from < rows.length; from += ROWS_AT_ONCE) {
    await insert(
      trx, dialect, 'windows', ['workspace_id', 'customer', 'last_inbound'],
      rows.slice(from, from + ROWS_AT_ONCE).map((row) => [inbox, String(row['customer']), Number(row['last_inbound'])]),
      dialect.upsert(['workspace_id', 'customer'], [['last_inbound', dialect.latest('windows', 'last_inbound')]]),
    )
  }
}

/** Customers who stopped marketing messages under a user id. */
const keepChoices = async (trx: Queryable, dialect: Dialect, inbox: InboxId): Promise<void> => {
  const rows = await select(
    trx,
    `SELECT n.customer_id AS other_key, c.opted_out_at FROM customers c ${ITS_NUMBER}
     WHERE c.workspace_id = ? AND c.opted_out = 1 AND c.customer_id ${IS_USER_ID}`,
    [inbox],
  )
  for (let from = 0; from < rows.length; from += ROWS_AT_ONCE) {
    const some = rows.slice(from, from + ROWS_AT_ONCE)
    const { sql, bindings } = inList(dialect, ['customer_id'], some.map((row) => [String(row['other_key'])]))
    const resumed = await select(
      trx, `SELECT customer_id, opted_out_at FROM customers WHERE workspace_id = ? AND opted_out = 0 AND ${sql}`, [inbox, ...bindings],
    )
    const resumedAt = new Map(resumed.map((row) => [String(row['customer_id']), Number(row['opted_out_at'])]))
    await insert(
      trx, dialect, 'customers', ['workspace_id', 'customer_id', 'opted_out', 'opted_out_at'],
      some.filter((row) => Number(row['opted_out_at']) >= (resumedAt.get(String(row['other_key'])) ?? -Infinity))
        .map((row) => [inbox, String(row['other_key']), 1, Number(row['opted_out_at'])]),
      dialect.upsert(['workspace_id', 'customer_id'], ['opted_out', 'opted_out_at']),
    )
  }
}
