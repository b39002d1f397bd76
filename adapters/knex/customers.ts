import { type CustomerFact, type CustomerId, type IdRecord, type KnownId, learnFact, NOTHING_KNOWN, recordKeyOf } from '../../core/customers/customer.js'
import type { Customers, LearnedFact } from '../../core/customers/learn.js'
import type { Along, AlongEntry } from '../../core/kernel/outbox.js'
import { inList, insert } from './bulk-sql.js'
import type { Database } from './database.js'
import type { Dialect } from './dialect.js'
import type { GroupCommit, Write } from './group-commit.js'
import { keptFor } from './kept-for.js'
import { portTasks } from './port-tasks.js'
import type { Read, ReadBatcher } from './read-batcher.js'
import { type Bound, instantOrNone, type Queryable, type Row, select, textOrNone } from './sql.js'
import { storableText } from './storable-text.js'

/** What is known of customers, over SQL. */
export const makeCustomers = ({ dialect }: Database, readBatcher: ReadBatcher, { write }: GroupCommit): Customers => {
  const learning = learnFacts(dialect)
  const known = readBatcher<RecordKey, KnownId>(async (reading, keys) => {
    const found = await readKnown(reading, dialect, keys)
    return keys.map((key) => found.get(nameOf(key)) ?? NOTHING)
  })
  const optedOut = keptFor(OPT_OUT_KEPT_MS, readBatcher(readOptOuts))
  return {
    find: (workspace, id) => tasks.value(() => known({ workspace, key: recordKeyOf(id) })),
    learn: (workspace, id, fact, along) => tasks.value(async () => {
      const item = { workspace, key: recordKeyOf(id), fact: storable(fact), along }
      // Most reports say what is known, and cost no transaction.
      const { own } = await known(item)
      const after = learnFact(own, item.fact)
      if (after === own) return
      await write(learning, item)
      // Other facts leave the answer as it is, and come with every new customer.
      if (after.optedOut !== own.optedOut) optedOut.forget(workspace)
    }),
    hasOptedOut: (workspace) => tasks.value(() => optedOut.get(workspace)),
  }
}

/** How long the answer of `hasOptedOut` is kept, in milliseconds, so that a send costs no query for it. */
const OPT_OUT_KEPT_MS = 2_000

/** A query for each workspace, because one for all of them would read every customer who has opted out. */
const readOptOuts: Read<string, boolean> = (db, workspaces) => Promise.all(workspaces.map(async (workspace) =>
  (await select(db, 'SELECT 1 AS found FROM customers WHERE workspace_id = ? AND opted_out = 1 LIMIT 1', [workspace])).length > 0))

/** The workspace and the key of a record. */
type RecordKey = { readonly workspace: string; readonly key: CustomerId }
type FactItem = RecordKey & { readonly fact: CustomerFact; readonly along?: Along<LearnedFact> | undefined }

const nameOf = ({ workspace, key }: RecordKey): string => `${workspace} ${key}`

const NOTHING: KnownId = { own: NOTHING_KNOWN, other: NOTHING_KNOWN }

/** The columns of a record, in the order of `valuesOf`. */
const COLUMNS = ['other', 'other_key', 'paired_at', 'confirmed_at', 'shared', 'since', 'name', 'username', 'named_at', 'opted_out', 'opted_out_at']
const KEY = ['workspace_id', 'customer_id'] as const

const readKnown = async (db: Queryable, dialect: Dialect, keys: ReadonlyArray<RecordKey>): Promise<ReadonlyMap<string, KnownId>> => {
  const { sql, bindings } = inList(dialect, ['c.workspace_id', 'c.customer_id'], distinct(keys).map(({ workspace, key }) => [workspace, key]))
  const others = COLUMNS.map((column) => `o.${column} AS other_${column}`).join(', ')
  const rows = await select(
    db,
    `SELECT c.*, ${others} FROM ${dialect.byPrimaryKey('customers AS c')}
     LEFT JOIN customers AS o ON o.workspace_id = c.workspace_id AND o.customer_id = c.other_key WHERE ${sql}`,
    bindings,
  )
  return new Map(rows.map((row) => [keyIn(row), { own: recordIn(row), other: recordIn(row, 'other_') }]))
}

/**
 * Adds facts to records.
 *
 * The rows are locked before they are read, in the order of their keys. A new row is inserted; if another transaction has inserted it in between,
 * the insert fails because the key exists, and the whole transaction is run again and finds the row.
 */
const learnFacts = (dialect: Dialect): Write<FactItem, void> => ({
  kind: 'learn-customers',
  run: async (trx, items, _verifyReads, emit) => {
    const keys = distinct(items)
    const stored = await lockRecords(trx, dialect, keys)
    const after = new Map(stored)
    const events: Array<AlongEntry> = []
    for (const item of items) {
      const known = after.get(nameOf(item)) ?? NOTHING_KNOWN
      const learned = learnFact(known, item.fact)
      after.set(nameOf(item), learned)
      if (learned !== known && item.along !== undefined) events.push(...item.along({ before: known, after: learned }))
    }
    const row = (key: RecordKey): ReadonlyArray<Bound> => [key.workspace, key.key, ...valuesOf(after.get(nameOf(key)) ?? NOTHING_KNOWN)]
    const changed = keys.filter((key) => stored.has(nameOf(key)) && stored.get(nameOf(key)) !== after.get(nameOf(key)))
    const added = keys.filter((key) => !stored.has(nameOf(key)))
    await Promise.all([
      insert(trx, dialect, 'customers', [...KEY, ...COLUMNS], changed.map(row), replace(dialect)),
      insert(trx, dialect, 'customers', [...KEY, ...COLUMNS], added.map(row), '', 'another transaction has inserted the customer'),
    ])
    emit(events)
    return items.map(() => undefined)
  },
})

const lockRecords = async (trx: Queryable, dialect: Dialect, keys: ReadonlyArray<RecordKey>): Promise<ReadonlyMap<string, IdRecord>> => {
  const { sql, bindings } = inList(dialect, KEY, keys.map(({ workspace, key }) => [workspace, key]))
  const rows = await select(
    trx, `SELECT * FROM ${dialect.byPrimaryKey('customers')} WHERE ${sql} ORDER BY workspace_id, customer_id ${dialect.forUpdate}`, bindings,
  )
  return new Map(rows.map((row) => [keyIn(row), recordIn(row)]))
}

/** The rows are locked, so each new value may replace the stored one. */
const replace = (dialect: Dialect): string => {
  const set = COLUMNS.map((column) => `${column} = ${dialect.inserted(column)}`).join(', ')
  return dialect.name === 'mysql' ? `ON DUPLICATE KEY UPDATE ${set}` : `ON CONFLICT (${KEY.join(', ')}) DO UPDATE SET ${set}`
}

/** Each key once, sorted, so that two gateways insert the same rows in the same order. */
const distinct = (keys: ReadonlyArray<RecordKey>): ReadonlyArray<RecordKey> =>
  [...new Map(keys.map((key) => [nameOf(key), key]))].sort(([a], [b]) => (a < b ? -1 : 1)).map(([, key]) => key)

const keyIn = (row: Row): string => `${row['workspace_id']} ${row['customer_id']}`

/** The record of a row of `customers`; `prefix` stands before the names of its columns. */
export const recordIn = (row: Row, prefix = ''): IdRecord => {
  const text = (column: string): string | undefined => textOrNone(row[prefix + column])
  const moment = (column: string): number | undefined => instantOrNone(row[prefix + column])
  return {
    other: text('other') as CustomerId | undefined,
    pairedAt: moment('paired_at'),
    confirmedAt: moment('confirmed_at'),
    isShared: moment('shared') === 1 ? true : undefined,
    since: moment('since'),
    name: text('name'),
    username: text('username'),
    namedAt: moment('named_at'),
    optedOut: flagOf(moment('opted_out')),
    optedOutAt: moment('opted_out_at'),
  }
}

const flagOf = (stored: number | undefined): boolean | undefined => (stored === undefined ? undefined : stored === 1)

const valuesOf = ({ other, pairedAt, confirmedAt, isShared, since, name, username, namedAt, optedOut, optedOutAt }: IdRecord): ReadonlyArray<Bound> => [
  other ?? null, other === undefined ? null : recordKeyOf(other), pairedAt ?? null, confirmedAt ?? null, isShared ? 1 : null, since ?? null,
  name ?? null, username ?? null, namedAt ?? null, optedOut === undefined ? null : Number(optedOut), optedOutAt ?? null,
]

/** The most characters of a name that are kept. */
const NAME_LENGTH = 255

/** A fact with names that can be stored. */
const storable = (fact: CustomerFact): CustomerFact =>
  fact._tag === 'Named' ? { ...fact, name: storableName(fact.name), username: storableName(fact.username) } : fact

const storableName = (name: string | undefined): string | undefined => (name === undefined ? undefined : storableText(name, NAME_LENGTH))

const tasks = portTasks('Customers')
