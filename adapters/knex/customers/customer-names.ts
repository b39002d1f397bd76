import type { CustomerId } from '../../../core/customers/customer.js'
import {
  comparedName, type NamedCustomer, type NamedCustomers, type ShownNames, soughtName, startsOf,
} from '../../../core/customers/names.js'
import type { InboxId } from '../../../core/kernel/ids.js'
import { DAY_MS, type Instant } from '../../../core/kernel/time.js'
import { type Database, transact } from '../engine/database.js'
import type { Dialect } from '../engine/dialect.js'
import { execute, inList, insert, instantOrNone, type Queryable, type Row, select, textOrNone } from '../engine/sql.js'

/** The names that a record shows, by the key of the record. */
export type NamesOf = { readonly workspace: string; readonly key: string; readonly names: ShownNames }

/** Replaces the texts by which customers are found. The records are locked, or were inserted by the same transaction. */
export const replaceNames = async (trx: Queryable, dialect: Dialect, replaced: ReadonlyArray<NamesOf>): Promise<void> => {
  if (replaced.length === 0) return
  await removeNames(trx, dialect, replaced)
  await insert(
    trx, dialect, 'named_customers', ['workspace_id', 'starts_with', 'customer_id'],
    replaced.flatMap(({ workspace, key, names }) => startsOf(names).map((start) => [workspace, start, key])),
  )
}

/** Removes the texts by which customers are found. */
export const removeNames = async (
  trx: Queryable, dialect: Dialect, keys: ReadonlyArray<Pick<NamesOf, 'workspace' | 'key'>>,
): Promise<void> => {
  if (keys.length === 0) return
  const { sql, bindings } = inList(dialect, ['workspace_id', 'customer_id'], keys.map(({ workspace, key }) => [workspace, key]))
  await execute(trx, `DELETE FROM named_customers WHERE ${sql}`, bindings)
}

/** More than every character. */
const AFTER_CHARACTERS = '\u{10ffff}'

/** Finds customers by the beginning of a word of their names. */
export const findNamed = async (
  db: Queryable, inboxes: ReadonlyArray<InboxId>, text: string, limit: number,
): Promise<NamedCustomers> => {
  const sought = soughtName(comparedName(text))
  if (sought === '') return { customers: [], isComplete: true }
  const [[progress], ...lists] = await Promise.all([
    select(db, 'SELECT ended_at FROM named_customers_progress WHERE id = 1'),
    ...inboxes.map((inbox) => select(
      db,
      `SELECT workspace_id, customer_id FROM named_customers WHERE workspace_id = ? AND starts_with >= ? AND starts_with < ?
       ORDER BY starts_with LIMIT ?`,
      [inbox, sought, `${sought}${AFTER_CHARACTERS}`, limit + 1],
    )),
  ])
  const found = new Map<string, NamedCustomer>(lists.flat().map((row) => [
    `${row['workspace_id']} ${row['customer_id']}`, { inbox: row['workspace_id'] as InboxId, id: row['customer_id'] as CustomerId },
  ]))
  const isCut = found.size > limit || lists.some((rows) => rows.length > limit)
  return { customers: [...found.values()].slice(0, limit), isComplete: !isCut && progress !== undefined && progress['ended_at'] !== null }
}

/** The condition that a customer comes after another one, in the form that finds it in the primary key. */
const AFTER = {
  mysql: '(workspace_id > ? OR (workspace_id = ? AND customer_id > ?))', others: '(workspace_id, customer_id) > (?, ?)',
}

/** The number of customers whose names are compared at a time. */
const COMPARED_AT_ONCE = 500

/**
 * Compares the names of all customers with the texts by which they are found, as long as `goesOn` resolves to `true`. A release before writes names without these texts. So
 * this begins again a day after it has ended. Resolves to whether all names are compared.
 */
export const compareNames = async (database: Database, now: Instant, goesOn: () => Promise<boolean>): Promise<boolean> => {
  const { db, dialect } = database
  const [progress] = await select(db, 'SELECT workspace_id, customer_id, ended_at FROM named_customers_progress WHERE id = 1')
  if (progress === undefined) return true
  let [workspace, customer] = [String(progress['workspace_id']), String(progress['customer_id'])]
  const endedAt = instantOrNone(progress['ended_at'])
  if (workspace === '' && endedAt !== undefined && now < endedAt + DAY_MS) return true
  for (;;) {
    if (!(await goesOn())) return false
    const rows = await select(
      db,
      `SELECT workspace_id, customer_id, name, username FROM customers
       WHERE ${AFTER[dialect.name === 'mysql' ? 'mysql' : 'others']} ORDER BY workspace_id, customer_id LIMIT ?`,
      [...(dialect.name === 'mysql' ? [workspace] : []), workspace, customer, COMPARED_AT_ONCE],
    )
    await correct(database, rows)
    const last = rows.at(-1)
    if (last === undefined || rows.length < COMPARED_AT_ONCE) {
      await execute(db, "UPDATE named_customers_progress SET workspace_id = '', customer_id = '', ended_at = ? WHERE id = 1", [now])
      return true
    }
    workspace = String(last['workspace_id'])
    customer = String(last['customer_id'])
    await execute(db, 'UPDATE named_customers_progress SET workspace_id = ?, customer_id = ? WHERE id = 1', [workspace, customer])
  }
}

/** Replaces the texts that differ from the names, which are read again under a lock. */
const correct = async (database: Database, rows: ReadonlyArray<Row>): Promise<void> => {
  const { db, dialect } = database
  if (rows.length === 0) return
  const keysOf = (some: ReadonlyArray<Row>) => inList(
    dialect, ['workspace_id', 'customer_id'], some.map((row) => [String(row['workspace_id']), String(row['customer_id'])]),
  )
  const keys = keysOf(rows)
  const stored = new Map<string, Array<string>>()
  const found = await select(db, `SELECT workspace_id, customer_id, starts_with FROM named_customers WHERE ${keys.sql}`, keys.bindings)
  for (const row of found) {
    const name = `${row['workspace_id']} ${row['customer_id']}`
    stored.set(name, [...stored.get(name) ?? [], String(row['starts_with'])])
  }
  const wrong = rows.filter((row) =>
    (stored.get(`${row['workspace_id']} ${row['customer_id']}`) ?? []).sort().join('\n') !== [...startsOf(namesIn(row))].sort().join('\n'))
  if (wrong.length === 0) return
  await transact(database, async (trx) => {
    const { sql, bindings } = keysOf(wrong)
    const locked = await select(
      trx,
      `SELECT workspace_id, customer_id, name, username FROM ${dialect.byPrimaryKey('customers')} WHERE ${sql}
       ORDER BY workspace_id, customer_id ${dialect.forUpdate}`,
      bindings,
    )
    await replaceNames(trx, dialect, locked.map((row) => ({
      workspace: String(row['workspace_id']), key: String(row['customer_id']), names: namesIn(row),
    })))
  })
}

const namesIn = (row: Row): ShownNames => ({ name: textOrNone(row['name']), username: textOrNone(row['username']) })
