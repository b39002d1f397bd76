import { createHmac, hkdfSync } from 'node:crypto'
import * as E from 'fp-ts/lib/Either.js'
import type { ErasedIds } from '../../../core/consent/asking.js'
import { parseExactJson } from '../../../core/kernel/exact-json.js'
import {
  type CustomerDigest, customerDigestOf, type CustomerId, everyIdOf, forgetRecord, lastReportOf,
  type PhoneNumber, recordKeyOf, variantsOf,
} from '../../../core/customers/customer.js'
import type { JsonObject } from '../../../core/kernel/json.js'
import type { MakeOutboxEntries } from '../../../core/kernel/outbox.js'
import type { Instant } from '../../../core/kernel/time.js'
import { FORGOTTEN_PLATFORM_ID, forgottenError } from '../../../core/messages/message.js'
import {
  type Erased, type ForgetQuery, type ForgetStep, type Forgotten, isEventAbout, type MessagesUnderWay, type PersonalData,
} from '../../../core/privacy.js'
import { countLinesUnderWay, eraseLines, forgetOldLines, lockLinesTo } from '../batches/forget-lines.js'
import { eraseConsents } from './consents.js'
import { OWN_AGAIN, recordIn } from './customers.js'
import { portTasks } from '../engine/batches.js'
import { type Database, transact } from '../engine/database.js'
import type { Dialect } from '../engine/dialect.js'
import { execute, groupsOf, inList, type Queryable, type Row, select, textOrNone, updateEach } from '../engine/sql.js'
import type { TransactEvents } from '../events/entries.js'
import { eraseCounted } from '../limits/portfolio-budget.js'
import { removeContents } from '../messages/message-contents.js'
import { eraseUploads } from '../messages/uploaded-files.js'

/** How many positions one statement reads. No index leads from a person to events: it would cost every stored event. */
const RANGE = 5_000

/** How many rows one transaction deletes, and how many messages it forgets. */
const BATCH = 500

/**
 * Deletes the events of a workspace about one of the given ids, with their contents, their waiting deliveries and the log of their deliveries; returns the number of
 * events. The log is deleted first, because it is found through the events.
 */
export const removeEventsAbout = async (database: Database, workspace: string, ids: ReadonlyArray<string>): Promise<number> => {
  const events = await eventsAbout(database, workspace, ids)
  if (events.length === 0) return 0
  const endpoints = (await select(database.db, 'SELECT id FROM event_endpoints WHERE workspace_id = ?', [workspace]))
    .map(({ id }) => String(id))
  const about = new Set(events.map(({ id }) => id))
  for (const endpoint of endpoints) await removeAttempts(database, endpoint, about)
  for (const batch of batchesOf(events)) await removeEvents(database, workspace, endpoints, batch)
  return events.length
}

type Found = { readonly id: string; readonly position: number }

const eventsAbout = async ({ db }: Database, workspace: string, ids: ReadonlyArray<string>): Promise<ReadonlyArray<Found>> => {
  const [range] = await select(db, 'SELECT MIN(position) AS first, MAX(position) AS last FROM events WHERE workspace_id = ?', [workspace])
  if (range === undefined || range['first'] === null) return []
  const known = new Set(ids)
  const found: Array<Found> = []
  for (let from = Number(range['first']) - 1; from < Number(range['last']); from += RANGE) {
    const rows = await select(
      db,
      `SELECT e.id, e.position, e.subject, e.data, c.content FROM events e
         LEFT JOIN event_contents c ON c.workspace_id = e.workspace_id AND c.position = e.position
         WHERE e.workspace_id = ? AND e.position > ? AND e.position <= ?
         AND (${ids.map(() => 'e.subject = ? OR e.data LIKE ? OR c.content LIKE ?').join(' OR ')}) ORDER BY e.position`,
      [workspace, from, from + RANGE, ...ids.flatMap((id) => [id, `%"${id}"%`, `%"${id}"%`])],
    )
    found.push(...rows.filter((row) => isRowAbout(known, row)).map((row) => ({ id: String(row['id']), position: Number(row['position']) })))
  }
  return found
}

/** LIKE of SQLite ignores letter case, which is significant in user ids. */
const isRowAbout = (ids: ReadonlySet<string>, row: Row): boolean =>
  isEventAbout(ids, {
    subject: String(row['subject']), data: JSON.parse(String(row['data'])) as JsonObject,
    content: typeof row['content'] === 'string' ? JSON.parse(row['content']) as JsonObject : undefined,
  })

const removeAttempts = async (database: Database, endpoint: string, events: ReadonlySet<string>): Promise<void> => {
  let after = ''
  for (;;) {
    const rows = await select(
      database.db, 'SELECT id, event_id FROM event_attempts WHERE endpoint_id = ? AND id > ? ORDER BY id LIMIT ?', [endpoint, after, RANGE],
    )
    for (const batch of batchesOf(rows.filter((row) => events.has(String(row['event_id']))))) {
      const { sql, bindings } = inList(database.dialect, ['id'], batch.map(({ id }) => [String(id)]))
      await transact(database, (trx) =>
        execute(trx, `DELETE FROM event_attempts WHERE endpoint_id = ? AND ${sql}`, [endpoint, ...bindings]))
    }
    if (rows.length < RANGE) return
    after = String(rows.at(-1)?.['id'])
  }
}

const removeEvents = (
  database: Database, workspace: string, endpoints: ReadonlyArray<string>, events: ReadonlyArray<Found>,
): Promise<void> =>
  transact(database, async (trx) => {
    const ids = inList(database.dialect, ['event_id'], events.map(({ id }) => [id]))
    for (const endpoint of endpoints) {
      await execute(trx, `DELETE FROM event_retries WHERE endpoint_id = ? AND ${ids.sql}`, [endpoint, ...ids.bindings])
    }
    const { sql, bindings } = inList(database.dialect, ['position'], events.map(({ position }) => [position]), 'integer')
    for (const table of ['event_contents', 'events']) {
      await execute(trx, `DELETE FROM ${table} WHERE workspace_id = ? AND ${sql}`, [workspace, ...bindings])
    }
  })

const batchesOf = <Item>(items: ReadonlyArray<Item>): ReadonlyArray<ReadonlyArray<Item>> =>
  Array.from({ length: Math.ceil(items.length / BATCH) }, (_, index) => items.slice(index * BATCH, (index + 1) * BATCH))

/** The digest of a record's key in a workspace. */
export type DigestOf = (workspace: string, key: string) => CustomerDigest

/** The columns of a message that `forgetMessages` needs. */
export const FORGET_COLUMNS = 'workspace_id, id, customer, state, error, platform_id, open_since, created_at'

/** Whether a row contains a message that has an outcome and is not forgotten yet. */
export const canForget = (row: Row): boolean => row['open_since'] === null && row['platform_id'] !== FORGOTTEN_PLATFORM_ID

/** Forgets the recipients of messages, and returns their number. A message that another transaction has moved in between stays unchanged. */
export const forgetMessages = async (trx: Queryable, dialect: Dialect, rows: ReadonlyArray<Row>, digestOf: DigestOf): Promise<number> => {
  if (rows.length === 0) return 0
  const [, , forgotten] = await Promise.all([
    blankClaims(trx, dialect, rows),
    removeContents(trx, dialect, groupsOf(rows, 'workspace_id', 'id')),
    updateEach(
      trx, dialect,
      {
        table: 'messages',
        key: ['workspace_id', 'id'],
        columns: [{ name: 'old_state', type: 'text' }, { name: 'new_customer', type: 'text' }, { name: 'new_error', type: 'text' }],
        set: [
          ['customer', 'v.new_customer'], ['error', 'v.new_error'], ['metadata', 'NULL'], ['traceparent', 'NULL'],
          ['platform_id', `'${FORGOTTEN_PLATFORM_ID}'`],
        ],
        where: 't.state = v.old_state AND t.open_since IS NULL',
      },
      rows.map((row) => [
        String(row['workspace_id']), String(row['id']), String(row['state']),
        digestOf(String(row['workspace_id']), recordKeyOf(row['customer'] as CustomerId)), errorLeft(textOrNone(row['error'])),
      ]),
    ),
  ])
  return forgotten
}

const errorLeft = (error: string | undefined): string | null => {
  const left = error === undefined ? undefined : forgottenError(parseExactJson(error) as JsonObject)
  return left === undefined ? null : JSON.stringify(left)
}

/** The digest of a request could be reproduced by trying numbers and texts. Without the digest the key stays reserved, but no later request can match it. */
const blankClaims = async (trx: Queryable, dialect: Dialect, rows: ReadonlyArray<Row>): Promise<void> => {
  for (const [workspace, messages] of groupsOf(rows, 'workspace_id', 'id')) {
    const { sql, bindings } = inList(dialect, ['message_id'], messages.map((id) => [id]))
    await execute(trx, `UPDATE idempotency_keys SET request_digest = '' WHERE workspace_id = ? AND ${sql}`, [workspace, ...bindings])
  }
}

/** Removes the given lost messages whose first status is older than a given time, settled or not, and returns their number. */
export const removeOldLost = async (trx: Queryable, dialect: Dialect, before: number, rows: ReadonlyArray<Row>): Promise<number> => {
  let count = 0
  for (const [workspace, ids] of groupsOf(rows, 'workspace_id', 'message_id')) {
    const { sql, bindings } = inList(dialect, ['message_id'], ids.map((id) => [id]))
    count += await execute(
      trx, `DELETE FROM lost_messages WHERE workspace_id = ? AND first_at < ? AND ${sql}`, [workspace, before, ...bindings],
    )
  }
  return count
}

/** Removes a person from the lost messages of a workspace, which are kept to be settled, and returns their number. */
export const eraseLost = async (trx: Queryable, workspace: string, ids: ReadonlyArray<CustomerId>, digestOf: DigestOf): Promise<number> => {
  let count = 0
  for (const id of ids) {
    count += await execute(
      trx, 'UPDATE lost_messages SET customer = ?, platform_id = ? WHERE workspace_id = ? AND customer = ?',
      [digestOf(workspace, recordKeyOf(id)), FORGOTTEN_PLATFORM_ID, workspace, id],
    )
  }
  return count
}

/**
 * Forgets old data among the next records: messages first, then customers, windows and lost messages, each by workspace and key.
 *
 * The records of a step are read by their primary key, whether they are old or not, because no table has an index by age: an index would cost every send.
 */
export const forgetStep = async (database: Database, { before, limit, cursor }: ForgetQuery, digestOf: DigestOf): Promise<ForgetStep> => {
  const place = placeIn(cursor)
  const { kind } = place
  if (kind === 'lines') return forgetLines(database, { before, limit, after: place }, digestOf)
  const { columns, table, key } = TABLES[kind]
  const { dialect } = database
  const { rows, count } = await transact(database, async (trx) => {
    const from = kind === 'messages' && dialect.name === 'mysql' ? `${table} FORCE INDEX (messages_workspace)` : table
    const found = await select(
      trx, `SELECT ${columns} FROM ${from} WHERE ${isAfter(dialect, key)} ORDER BY workspace_id, ${key} LIMIT ?`,
      [...(dialect.name === 'mysql' ? [place.workspace] : []), place.workspace, place.key, limit],
    )
    return { rows: found, count: await FORGET[kind]({ trx, dialect, before, digestOf }, found) }
  })
  const last = rows.length === limit ? rows.at(-1) : undefined
  const next = last === undefined
    ? FIRST_OF[kind]
    : { kind, workspace: String(last['workspace_id']), key: String(last[key]) }
  return {
    forgotten: { messages: 0, customers: 0, windows: 0, [kind === 'lost' ? 'messages' : kind]: count },
    next: next && JSON.stringify([next.kind, next.workspace, next.key]),
  }
}

const forgetLines = async (database: Database, query: Parameters<typeof forgetOldLines>[1], digestOf: DigestOf): Promise<ForgetStep> => {
  const { count, next } = await forgetOldLines(database, query, digestOf)
  return { forgotten: { messages: count, customers: 0, windows: 0 }, next: next && JSON.stringify(['lines', next.workspace, next.key]) }
}

/** Lost messages, and lines of batches that have no message, are counted among the messages. */
type Kind = TableKind | 'lines'
type TableKind = keyof Forgotten | 'lost'

/** The last record that was checked. */
type Place = { readonly kind: Kind; readonly workspace: string; readonly key: string }

const START: Place = { kind: 'messages', workspace: '', key: '' }

/** The position before the first record of the next kind. */
const FIRST_OF: Readonly<Record<Kind, Place | undefined>> = {
  messages: { ...START, kind: 'customers' }, customers: { ...START, kind: 'windows' }, windows: { ...START, kind: 'lost' },
  lost: { ...START, kind: 'lines' }, lines: undefined,
}

const TABLES: Readonly<Record<TableKind, { readonly table: string; readonly key: string; readonly columns: string }>> = {
  messages: { table: 'messages', key: 'id', columns: FORGET_COLUMNS },
  customers: { table: 'customers', key: 'customer_id', columns: '*' },
  windows: { table: 'windows', key: 'customer', columns: 'workspace_id, customer' },
  lost: { table: 'lost_messages', key: 'message_id', columns: 'workspace_id, message_id' },
}

/** MySQL uses no index for a comparison of pairs, PostgreSQL none for two conditions with OR. */
const isAfter = (dialect: Dialect, key: string): string =>
  dialect.name === 'mysql' ? `(workspace_id > ? OR (workspace_id = ? AND ${key} > ?))` : `(workspace_id, ${key}) > (?, ?)`

const placeIn = (cursor: string | undefined): Place => {
  try {
    const [kind, workspace, key] = JSON.parse(cursor ?? '[]') as ReadonlyArray<unknown>
    return typeof kind === 'string' && kind in FIRST_OF && typeof workspace === 'string' && typeof key === 'string'
      ? { kind: kind as Place['kind'], workspace, key }
      : START
  } catch {
    return START
  }
}

/** A step's transaction, and its parameters. */
type Step = { readonly trx: Queryable; readonly dialect: Dialect; readonly before: Instant; readonly digestOf: DigestOf }

const forgetOldCustomers = async ({ trx, dialect, before }: Step, rows: ReadonlyArray<Row>): Promise<number> => {
  const old = rows.map((row) => ({ row, record: recordIn(row) })).filter(({ record }) => (lastReportOf(record) ?? -Infinity) < before)
  const open = await idsThatWrote({ trx, dialect, before }, old.map(({ row }) => row))
  const unseen = old.filter(({ row }) => !idsIn(row).some((id) => open.has(`${row['workspace_id']} ${id}`)))
  const stopped = await recordsOfStopped({ trx, dialect }, unseen.map(({ row }) => row))
  const isKept = ({ row, record }: typeof unseen[number]): boolean =>
    forgetRecord(record, stopped.has(`${row['workspace_id']} ${row['customer_id']}`)) !== undefined
  const [removed, reduced] = [unseen.filter((one) => !isKept(one)), unseen.filter(isKept)]
  let count = 0
  // A report may since have changed one of these times.
  const isOld = '(paired_at IS NULL OR paired_at < ?) AND (confirmed_at IS NULL OR confirmed_at < ?) AND (named_at IS NULL OR named_at < ?)'
    + ' AND (known_as_at IS NULL OR known_as_at < ?) AND (known_as_confirmed_at IS NULL OR known_as_confirmed_at < ?)'
  for (const [statement, some] of [
    [`DELETE FROM customers WHERE (opted_out IS NULL OR opted_out = 0) AND ${isOld}`, removed],
    [`UPDATE customers SET name = NULL, username = NULL, named_at = NULL WHERE named_at IS NOT NULL AND ${isOld}`, reduced],
  ] as const) {
    for (const [workspace, ids] of groupsOf(some.map(({ row }) => row), 'workspace_id', 'customer_id')) {
      const { sql, bindings } = inList(dialect, ['customer_id'], ids.map((id) => [id]))
      count += await execute(trx, `${statement} AND workspace_id = ? AND ${sql}`, [
        before, before, before, before, before, workspace, ...bindings,
      ])
      await execute(
        trx,
        `DELETE FROM named_customers WHERE workspace_id = ? AND ${sql} AND customer_id IN (
           SELECT customer_id FROM customers WHERE workspace_id = ? AND ${sql} AND name IS NULL AND username IS NULL)`,
        [workspace, ...bindings, workspace, ...bindings],
      )
    }
  }
  return count
}

/** Every id under which a customer's window may be stored. */
const idsIn = (row: Row): ReadonlyArray<string> =>
  [row['customer_id'], row['other'], row['known_as']].flatMap((id) => (typeof id === 'string' ? variantsOf(id as PhoneNumber) : []))

/** The keys of records, after their workspaces, that lead to a customer who stopped marketing messages under another id: the paired id, or the dialled number. */
const recordsOfStopped = async (
  { trx, dialect }: Pick<Step, 'trx' | 'dialect'>, rows: ReadonlyArray<Row>,
): Promise<ReadonlySet<string>> => {
  if (rows.length === 0) return new Set()
  const { sql, bindings } = inList(
    dialect, ['c.workspace_id', 'c.customer_id'], rows.map((row) => [String(row['workspace_id']), String(row['customer_id'])]),
  )
  const pairOf = (one: string, other: string): string =>
    `LEFT JOIN customers ${other} ON ${other}.workspace_id = ${one}.workspace_id AND ${other}.customer_id = ${one}.other_key AND ${other}.other_key = ${one}.customer_id`
  const found = await select(
    trx,
    `SELECT c.workspace_id, c.customer_id FROM customers c ${pairOf('c', 'o')}
     LEFT JOIN customers n ON n.workspace_id = c.workspace_id AND n.customer_id = c.known_as_key ${pairOf('n', 'p')}
     WHERE (o.opted_out = 1 OR n.opted_out = 1 OR p.opted_out = 1) AND ${sql}`,
    bindings,
  )
  return new Set(found.map((row) => `${row['workspace_id']} ${row['customer_id']}`))
}

/** The ids, after their workspaces, under which a message was received since the given time. */
const idsThatWrote = async ({ trx, dialect, before }: Omit<Step, 'digestOf'>, rows: ReadonlyArray<Row>): Promise<ReadonlySet<string>> => {
  const keys = rows.flatMap((row) => idsIn(row).map((id) => [String(row['workspace_id']), id]))
  if (keys.length === 0) return new Set()
  const { sql, bindings } = inList(dialect, ['workspace_id', 'customer'], keys)
  const found = await select(
    trx, `SELECT workspace_id, customer FROM windows WHERE (last_inbound >= ? OR stated_at >= ?) AND ${sql}`, [before, before, ...bindings],
  )
  return new Set(found.map((row) => `${row['workspace_id']} ${row['customer']}`))
}

const forgetOldWindows = async ({ trx, dialect, before }: Step, rows: ReadonlyArray<Row>): Promise<number> => {
  let count = 0
  for (const [workspace, ids] of groupsOf(rows, 'workspace_id', 'customer')) {
    const { sql, bindings } = inList(dialect, ['customer'], ids.map((id) => [id]))
    count += await execute(
      trx, `DELETE FROM windows WHERE workspace_id = ? AND last_inbound < ? AND (stated_at IS NULL OR stated_at < ?) AND ${sql}`,
      [workspace, before, before, ...bindings],
    )
  }
  return count
}

const FORGET: Readonly<Record<TableKind, (step: Step, rows: ReadonlyArray<Row>) => Promise<number>>> = {
  messages: ({ trx, dialect, before, digestOf }, rows) =>
    forgetMessages(trx, dialect, rows.filter((row) => canForget(row) && Number(row['created_at']) < before), digestOf),
  customers: forgetOldCustomers,
  windows: forgetOldWindows,
  lost: ({ trx, dialect, before }, rows) => removeOldLost(trx, dialect, before, rows),
}

/** The dependencies of an erasure. */
export type ErasureDeps = { readonly database: Database; readonly transactEvents: TransactEvents; readonly digestOf: DigestOf }

/** The person to erase, and the entries that are stored with the last step. */
export type Erasure = {
  readonly workspace: string
  readonly person: ReadonlyArray<ErasedIds>
  readonly outboxEntries?: MakeOutboxEntries<Erased> | undefined
}

/**
 * Erases a person in several transactions. The facts about the ids are deleted by the last one. If this process ends half way, a repetition uses them to find the other
 * ids of the person.
 */
export const erasePerson = async (
  { database, transactEvents, digestOf }: ErasureDeps, { workspace, person, outboxEntries }: Erasure,
): Promise<E.Either<MessagesUnderWay, Erased>> => {
  const { db, dialect } = database
  const ids = [...new Set(person.flatMap(everyIdOf))]
  const count = await underWay(db, dialect, workspace, ids)
  if (count > 0) return E.left({ _tag: 'MessagesUnderWay', count })
  const events = await removeEventsAbout(database, workspace, ids)
  const messages = await forgetAllTo(database, digestOf, workspace, ids)
  return transactEvents(async (trx, emit) => {
    const inboxes = await inboxesIn(trx, workspace)
    const keys = [...new Set(ids.map(recordKeyOf))]
    const lines = await lockLinesTo(trx, dialect, workspace, keys)
    const left = await underWay(trx, dialect, workspace, ids)
    if (left > 0) return E.left({ _tag: 'MessagesUnderWay', count: left })
    const [customers, windows] = [await removeRecords(trx, dialect, inboxes, ids), await removeWindows(trx, dialect, inboxes, ids)]
    const lost = await eraseLost(trx, workspace, ids, digestOf)
    await eraseConsents(trx, dialect, workspace, person, digestOf)
    await eraseUploads(trx, dialect, workspace, ids)
    await eraseLines(trx, dialect, lines, digestOf)
    await eraseCounted(trx, workspace, keys)
    const erased = { messages: messages + lost, customers, windows, events }
    if (outboxEntries !== undefined) emit(outboxEntries(erased))
    return E.right(erased)
  })
}

const underWay = async (db: Queryable, dialect: Dialect, workspace: string, ids: ReadonlyArray<CustomerId>): Promise<number> => {
  const { sql, bindings } = inList(dialect, ['customer'], keysOf(ids))
  const [row] = await select(
    db, `SELECT COUNT(*) AS count FROM messages WHERE workspace_id = ? AND ${sql} AND open_since IS NOT NULL`, [workspace, ...bindings],
  )
  return Number(row?.['count']) + await countLinesUnderWay(db, dialect, workspace, [...new Set(ids.map(recordKeyOf))])
}

const forgetAllTo = async (database: Database, digestOf: DigestOf, workspace: string, ids: ReadonlyArray<string>): Promise<number> => {
  const { db, dialect } = database
  const { sql, bindings } = inList(dialect, ['customer'], keysOf(ids))
  let messages = 0
  for (;;) {
    const rows = await select(
      db, `SELECT ${FORGET_COLUMNS} FROM messages WHERE workspace_id = ? AND ${sql} AND open_since IS NULL LIMIT ?`,
      [workspace, ...bindings, BATCH],
    )
    if (rows.length === 0) return messages
    messages += await transact(database, (trx) => forgetMessages(trx, dialect, rows.filter(canForget), digestOf))
  }
}

/** Every inbox of a workspace. */
const inboxesIn = async (trx: Queryable, workspace: string): Promise<ReadonlyArray<string>> => {
  const rows = await select(
    trx, 'SELECT inbox FROM senders WHERE workspace_id = ? UNION SELECT inbox FROM former_senders WHERE workspace_id = ?',
    [workspace, workspace],
  )
  return [...new Set([workspace, ...rows.flatMap(({ inbox }) => (typeof inbox === 'string' ? [inbox] : []))])]
}

const removeRecords = async (
  trx: Queryable, dialect: Dialect, inboxes: ReadonlyArray<string>, ids: ReadonlyArray<CustomerId>,
): Promise<number> => {
  let count = 0
  for (const inbox of inboxes) count += await removeRecordsIn(trx, dialect, inbox, ids)
  return count
}

/** Deletes the records of the ids, and removes their pairing with other records. */
const removeRecordsIn = async (trx: Queryable, dialect: Dialect, workspace: string, ids: ReadonlyArray<CustomerId>): Promise<number> => {
  const keys = [...new Set(ids.map(recordKeyOf))]
  const named = inList(dialect, ['other_key'], keysOf(keys))
  const others = await select(
    trx, `SELECT workspace_id, customer_id FROM customers WHERE workspace_id = ? AND ${named.sql}`, [workspace, ...named.bindings],
  )
  for (const [, found] of groupsOf(others, 'workspace_id', 'customer_id')) {
    const { sql, bindings } = inList(dialect, ['customer_id'], keysOf(found))
    await execute(
      trx, `UPDATE customers SET other = NULL, other_key = NULL, shared = NULL WHERE workspace_id = ? AND ${sql} AND ${named.sql}`,
      [workspace, ...bindings, ...named.bindings],
    )
  }
  const known = inList(dialect, ['known_as_key'], keysOf(keys))
  await execute(
    trx, `UPDATE customers SET known_as = NULL, known_as_key = '${OWN_AGAIN}' WHERE workspace_id = ? AND ${known.sql}`,
    [workspace, ...known.bindings],
  )
  const { sql, bindings } = inList(dialect, ['customer_id'], keysOf(keys))
  return execute(trx, `DELETE FROM customers WHERE workspace_id = ? AND ${sql}`, [workspace, ...bindings])
}

const removeWindows = (
  trx: Queryable, dialect: Dialect, inboxes: ReadonlyArray<string>, ids: ReadonlyArray<string>,
): Promise<number> => {
  const { sql, bindings } = inList(dialect, ['workspace_id', 'customer'], inboxes.flatMap((inbox) => ids.map((id) => [inbox, id])))
  return execute(trx, `DELETE FROM windows WHERE ${sql}`, bindings)
}

const keysOf = (ids: ReadonlyArray<string>): ReadonlyArray<ReadonlyArray<string>> => ids.map((id) => [id])

/** The part of a storage that forgets people; without a secret every method fails. */
export const makePersonalData = (database: Database, transactEvents: TransactEvents, secret: string | undefined): PersonalData => {
  const digest = digestWith(secret)
  return {
    digestOf: (workspace, id) => tasks.value(async () => digest()(workspace, recordKeyOf(id))),
    forgetBefore: (query) => tasks.value(async () => forgetStep(database, query, digest())),
    erase: (workspace, person, outboxEntries) =>
      tasks.either(async () => erasePerson({ database, transactEvents, digestOf: digest() }, { workspace, person, outboxEntries })),
  }
}

const KEY_BYTES = 32

/** A separate key, so that digests reveal nothing about other data that the secret protects. */
export const digestWith = (secret: string | undefined): (() => DigestOf) => {
  const key = secret === undefined ? undefined : Buffer.from(hkdfSync('sha256', secret, '', 'postern forgotten customers', KEY_BYTES))
  return () => {
    if (key === undefined) throw new Error('POSTERN_SECRET is not set, and what takes the place of a forgotten number is made with it')
    return (workspace, id) => customerDigestOf(createHmac('sha256', key).update(`${workspace} ${id}`).digest('hex'))
  }
}

const tasks = portTasks('PersonalData')
