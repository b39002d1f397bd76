import * as O from 'fp-ts/lib/Option.js'
import {
  countedIdOf, type CustomerFact, type CustomerId, type CustomerIds, type DialledNumber, type IdRecord, isUserId, type KnownId, recordFact,
  NOTHING_KNOWN, type PhoneNumber, recordKeyOf,
} from '../../../core/customers/customer.js'
import type { Customers, RecordedFact } from '../../../core/customers/learn.js'
import {
  type CustomerWindow, type CustomerWindows, type CustomerWindowsQuery, type InboundMark, markInbound, parseWindowCursor,
  type RecordedInbound, type WindowClock, windowCursorOf,
} from '../../../core/customers/window.js'
import type { InboxId } from '../../../core/kernel/ids.js'
import { pageOf } from '../../../core/kernel/page.js'
import type { MakeOutboxEntries, OutboxEntry } from '../../../core/kernel/outbox.js'
import type { Instant } from '../../../core/kernel/time.js'
import { findNamed, replaceNames } from './customer-names.js'
import { keptFor, portTasks, type Read, type ReadBatcher } from '../engine/batches.js'
import type { Database } from '../engine/database.js'
import { type Dialect, storableText } from '../engine/dialect.js'
import {
  type Bound, inList, insert, instant, instantOrNone, type Queryable, type Row, select, textOrNone, together,
} from '../engine/sql.js'
import type { GroupCommit, Write } from '../writes.js'

/** The known facts about customers, over SQL. */
export const makeCustomers = ({ db, dialect }: Database, readBatcher: ReadBatcher, { write }: GroupCommit): Customers => {
  const learning = recordFacts(dialect)
  const known = readBatcher<RecordKey, KnownId>((reading, keys) => readKnown(reading, dialect, keys))
  const special = keptFor(SPECIAL_KEPT_MS, readBatcher(readSpecial))
  return {
    find: (workspace, id) => tasks.value(() => known({ workspace, key: recordKeyOf(id) })),
    learn: (workspace, id, fact, outboxEntries) => tasks.value(async () => {
      const item = { workspace, key: recordKeyOf(id), fact: storable(fact), outboxEntries }
      // Nearly every number is the platform's own. So if no customer was ever known by another number, that costs no read either.
      if (fact._tag === 'KnownAs' && fact.number === undefined && !(await special.get(workspace)).wereRenumbered) return
      // Most reports repeat known facts, so they need no transaction.
      const { own } = await known(item)
      const after = recordFact(own, item.fact)
      if (after === own) return
      try {
        await write(learning, item)
      } finally {
        // A write that fails may have taken effect. Other facts do not change the answer, and arrive with every new customer.
        if (after.optedOut !== own.optedOut || after.knownAs !== own.knownAs) special.forget(workspace)
      }
    }),
    needsLookup: (workspace) => tasks.value(async () => (await special.get(workspace)).needsLookup),
    named: (inboxes, text, limit) => tasks.value(() => findNamed(db, inboxes, text, limit)),
  }
}

/** How long a workspace's special customers are cached, in milliseconds, so that a send costs no query for them. */
const SPECIAL_KEPT_MS = 2_000

/** Whether a workspace has the customers of `needsLookup`, and whether any customer is, or was, known by a number other than the dialled one. */
type SpecialCustomers = { readonly needsLookup: boolean; readonly wereRenumbered: boolean }

/** One query for each workspace, because one query for all workspaces would read every customer who has opted out. The key of a number is not less than a digit. */
const readSpecial: Read<string, SpecialCustomers> = (db, workspaces) => Promise.all(workspaces.map(async (workspace) => {
  const [found] = await select(
    db, `SELECT EXISTS (SELECT 1 FROM customers WHERE workspace_id = ? AND opted_out = 1) AS opted_out,
      EXISTS (SELECT 1 FROM customers WHERE workspace_id = ? AND known_as_key >= '0') AS known_as,
      EXISTS (SELECT 1 FROM customers WHERE workspace_id = ? AND known_as_key >= '${OWN_AGAIN}') AS renumbered`, [workspace, workspace, workspace],
  )
  return { needsLookup: isTrue(found?.['opted_out']) || isTrue(found?.['known_as']), wereRenumbered: isTrue(found?.['renumbered']) }
}))

/** The value of `known_as_key` for a number that was known by another one and is the platform's own again, so that later reports of it are kept. */
export const OWN_AGAIN = ''

/** The result of `EXISTS`: a boolean on PostgreSQL, a number on the others. */
const isTrue = (value: unknown): boolean => value === true || Number(value) === 1

/** The workspace and the key of a record. */
type RecordKey = { readonly workspace: string; readonly key: CustomerId }
type FactItem = RecordKey & { readonly fact: CustomerFact; readonly outboxEntries?: MakeOutboxEntries<RecordedFact> | undefined }

const nameOf = ({ workspace, key }: RecordKey): string => `${workspace} ${key}`

const NOTHING: KnownId = { own: NOTHING_KNOWN, other: NOTHING_KNOWN }

/** The columns of a record, in the order of `valuesOf`. */
const COLUMNS = [
  'other', 'other_key', 'paired_at', 'confirmed_at', 'shared', 'since', 'name', 'username', 'named_at', 'opted_out', 'opted_out_at',
  'known_as', 'known_as_key', 'known_as_at', 'known_as_confirmed_at',
]
const KEY = ['workspace_id', 'customer_id'] as const

/** The known facts for each key. Only keys whose records contain the platform's number cost a second query. */
const readKnown = async (db: Queryable, dialect: Dialect, keys: ReadonlyArray<RecordKey>): Promise<ReadonlyArray<KnownId>> => {
  const found = await readRecords(db, dialect, keys)
  const named = keys.flatMap(({ workspace, key }) => {
    const knownAs = found(workspace, key).own.knownAs
    return knownAs === undefined ? [] : [{ workspace, key: recordKeyOf(knownAs) }]
  })
  const platform = named.length === 0 ? undefined : await readRecords(db, dialect, named)
  return keys.map(({ workspace, key }) => {
    const { own, other, dialled } = found(workspace, key)
    if (own.knownAs !== undefined) return { own, other, platform: platform?.(workspace, recordKeyOf(own.knownAs)) ?? NOTHING }
    return { own, other, ...(dialled !== undefined && { dialled }) }
  })
}

/**
 * Reads the records of keys, those of the other ids in these records, and those that contain the number of one of them as the platform's number.
 *
 * It is one query: a customer who is known by another number is found without another round trip, and the query takes no longer for other customers.
 */
const readRecords = async (
  db: Queryable, dialect: Dialect, keys: ReadonlyArray<RecordKey>,
): Promise<(workspace: string, key: CustomerId) => KnownId> => {
  const wanted = distinct(keys).map(({ workspace, key }) => [workspace, key])
  const userIds = wanted.filter(([, key]) => isUserId(key as CustomerId))
  const columns = [
    ...KEY.map((column) => `c.${column}`), ...COLUMNS.flatMap((column) => [`c.${column}`, `o.${column} AS other_${column}`]),
  ].join(', ')
  const others = 'LEFT JOIN customers AS o ON o.workspace_id = c.workspace_id AND o.customer_id = c.other_key'
  const parts = [
    { from: `${dialect.byPrimaryKey('customers AS c')} ${others}`, where: inList(dialect, ['c.workspace_id', 'c.customer_id'], wanted) },
    { from: `customers AS c ${others}`, where: inList(dialect, ['c.workspace_id', 'c.known_as_key'], wanted) },
    ...(userIds.length === 0 ? [] : [{
      from: `customers AS u JOIN customers AS c ON c.workspace_id = u.workspace_id AND c.known_as_key = u.other_key ${others}`,
      where: inList(dialect, ['u.workspace_id', 'u.customer_id'], userIds),
    }]),
  ]
  const rows = await select(
    db, parts.map(({ from, where }) => `SELECT ${columns} FROM ${from} WHERE ${where.sql}`).join(' UNION ALL '),
    parts.flatMap(({ where }) => where.bindings),
  )
  const records = new Map(rows.map((row) => [keyIn(row), { row, own: recordIn(row), other: recordIn(row, 'other_') }]))
  const dialled = new Map<string, Array<DialledNumber>>()
  for (const { row, own } of records.values()) {
    if (own.knownAs === undefined) continue
    const name = `${row['workspace_id']} ${recordKeyOf(own.knownAs)}`
    dialled.set(name, [...dialled.get(name) ?? [], { number: row['customer_id'] as PhoneNumber, record: own }])
  }
  return (workspace, key) => {
    const { own, other } = records.get(nameOf({ workspace, key })) ?? NOTHING
    const number = isUserId(key) ? own.other : key
    const numbers = number && dialled.get(nameOf({ workspace, key: recordKeyOf(number) }))
    return { own, other, ...(numbers !== undefined && { dialled: numbers }) }
  }
}

/**
 * Adds facts to records.
 *
 * The rows are locked before they are read, in the order of their keys. A new row is inserted. If another transaction has inserted it in between, the insert fails
 * because the key exists. The whole transaction is then run again and finds the row.
 */
const recordFacts = (dialect: Dialect): Write<FactItem, void> => ({
  kind: 'learn-customers',
  run: async (trx, items, _verifyReads, emit) => {
    const keys = distinct(items)
    const stored = await lockRecords(trx, dialect, keys)
    const after = new Map(stored)
    const events: Array<OutboxEntry> = []
    for (const item of items) {
      const known = after.get(nameOf(item)) ?? NOTHING_KNOWN
      const learned = recordFact(known, item.fact)
      after.set(nameOf(item), learned)
      if (learned !== known && item.outboxEntries !== undefined) events.push(...item.outboxEntries({ before: known, after: learned }))
    }
    const row = (key: RecordKey): ReadonlyArray<Bound> => [key.workspace, key.key, ...valuesOf(after.get(nameOf(key)) ?? NOTHING_KNOWN)]
    const changed = keys.filter((key) => stored.has(nameOf(key)) && stored.get(nameOf(key)) !== after.get(nameOf(key)))
    const added = keys.filter((key) => !stored.has(nameOf(key)))
    await together([
      insert(trx, dialect, 'customers', [...KEY, ...COLUMNS], changed.map(row), replace(dialect)),
      insert(trx, dialect, 'customers', [...KEY, ...COLUMNS], added.map(row), '', 'another transaction has inserted the customer'),
    ])
    await replaceNames(trx, dialect, keys.flatMap(({ workspace, key }) => {
      const name = nameOf({ workspace, key })
      const [before, { name: shown, username }] = [stored.get(name), after.get(name) ?? NOTHING_KNOWN]
      return before?.name === shown && before?.username === username ? [] : [{ workspace, key, names: { name: shown, username } }]
    }))
    emit(events)
    return items.map(() => undefined)
  },
})

const lockRecords = async (trx: Queryable, dialect: Dialect, keys: ReadonlyArray<RecordKey>): Promise<ReadonlyMap<string, IdRecord>> => {
  const { sql, bindings } = inList(dialect, KEY, keys.map(({ workspace, key }) => [workspace, key]))
  const rows = await select(
    trx, `SELECT * FROM ${dialect.byPrimaryKey('customers')} WHERE ${sql} ORDER BY workspace_id, customer_id ${dialect.forUpdate}`,
    bindings,
  )
  return new Map(rows.map((row) => [keyIn(row), recordIn(row)]))
}

/** The rows are locked, so each new value may replace the stored one. */
const replace = (dialect: Dialect): string => dialect.upsert(KEY, COLUMNS)

/** Each key once, sorted, so that two gateways insert the same rows in the same order. */
const distinct = (keys: ReadonlyArray<RecordKey>): ReadonlyArray<RecordKey> =>
  [...new Map(keys.map((key) => [nameOf(key), key]))].sort(([a], [b]) => (a < b ? -1 : 1)).map(([, key]) => key)

const keyIn = (row: Row): string => `${row['workspace_id']} ${row['customer_id']}`

/** The record of a row of `customers`; `prefix` precedes the names of its columns. */
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
    knownAs: text('known_as') as PhoneNumber | undefined,
    knownAsAt: moment('known_as_at'),
    knownAsConfirmedAt: moment('known_as_confirmed_at'),
  }
}

const flagOf = (stored: number | undefined): boolean | undefined => (stored === undefined ? undefined : stored === 1)

const valuesOf = ({
  other, pairedAt, confirmedAt, isShared, since, name, username, namedAt, optedOut, optedOutAt, knownAs, knownAsAt, knownAsConfirmedAt,
}: IdRecord): ReadonlyArray<Bound> => [
  other ?? null, other === undefined ? null : recordKeyOf(other), pairedAt ?? null, confirmedAt ?? null, isShared ? 1 : null, since ?? null,
  name ?? null, username ?? null, namedAt ?? null, optedOut === undefined ? null : Number(optedOut), optedOutAt ?? null,
  knownAs ?? null, knownAsAt === undefined ? null : knownAs === undefined ? OWN_AGAIN : recordKeyOf(knownAs), knownAsAt ?? null,
  knownAsConfirmedAt ?? null,
]

/** The maximum number of characters of a stored name. */
const NAME_LENGTH = 255

/** A fact with names that can be stored. */
const storable = (fact: CustomerFact): CustomerFact =>
  fact._tag === 'Named' ? { ...fact, name: storableName(fact.name), username: storableName(fact.username) } : fact

const storableName = (name: string | undefined): string | undefined => (name === undefined ? undefined : storableText(name, NAME_LENGTH))

const tasks = portTasks('Customers')

/** A message of a customer, and its events. */
export type InboundMessage = {
  readonly workspace: string
  readonly ids: CustomerIds
  readonly at: Instant
  readonly statedAt: Instant | undefined
  readonly outboxEntries?: MakeOutboxEntries<RecordedInbound> | undefined
}

/** The rows before a transaction, for each id whose window is affected by a message with events; `undefined` for an id without a row. */
export type CountedWindows = ReadonlyMap<string, InboundMark | undefined>

/**
 * The effective time for the id of a row.
 *
 * `user_inbound` is the latest time that was written into the row for a user id, and `number_inbound` is the number's own time before that. If `last_inbound` is later,
 * a message of only the number was recorded since, perhaps by a version that does not know these columns.
 */
export const OWN_INBOUND = `CASE WHEN windows.user_inbound IS NULL OR windows.last_inbound > windows.user_inbound
  THEN windows.last_inbound ELSE windows.number_inbound END`

/** Reads and locks the windows that events need; messages without events cost no query. */
export const lockCounted = async (dialect: Dialect, trx: Queryable, messages: ReadonlyArray<InboundMessage>): Promise<CountedWindows> => {
  const keys = new Map(messages.flatMap((message) =>
    message.outboxEntries === undefined ? [] : [[countedKey(message), [message.workspace, countedIdOf(message.ids) ?? '']]]))
  if (keys.size === 0) return new Map()
  const { sql, bindings } = inList(dialect, ['workspace_id', 'customer'], [...keys.values()])
  const rows = await select(
    trx,
    `SELECT workspace_id, customer, stated_at, ${OWN_INBOUND} AS own FROM windows WHERE ${sql} ORDER BY workspace_id, customer ${dialect.forUpdate}`,
    bindings,
  )
  const marks = new Map<string, InboundMark | undefined>(Array.from(keys.keys(), (key) => [key, undefined]))
  for (const row of rows) {
    // The row of a number may exist only because of messages of a user id; then it has no time of its own.
    const lastInbound = row['own'] === null ? NEVER : instant(row['own'])
    marks.set(`${row['workspace_id']} ${row['customer']}`, { lastInbound, statedAt: instantOrNone(row['stated_at']) })
  }
  return marks
}

/** The events of messages, as if they had been recorded one after the other. */
export const inboundEvents = (messages: ReadonlyArray<InboundMessage>, before: CountedWindows): ReadonlyArray<OutboxEntry> => {
  const marks = new Map(before)
  return messages.flatMap((message) => {
    const key = countedKey(message)
    if (!marks.has(key)) return []
    const mark = marks.get(key)
    const after = markInbound(mark, message.at, message.statedAt)
    marks.set(key, after)
    return message.outboxEntries?.({ before: momentIn(mark), lastInbound: momentIn(after) ?? message.at }) ?? []
  })
}

const NEVER = -Infinity

const momentIn = (mark: InboundMark | undefined): Instant | undefined =>
  mark === undefined || mark.lastInbound === NEVER ? undefined : mark.lastInbound

const countedKey = (message: InboundMessage): string => `${message.workspace} ${countedIdOf(message.ids)}`

/** The window clock over SQL; `now` is the gateway's own clock. */
export const makeWindowClock = (
  { dialect }: Database, readBatcher: ReadBatcher, { write }: GroupCommit, now: () => Instant,
): WindowClock => {
  const recording = recordWindows(dialect)
  const lastInbound = readBatcher<WindowKey, O.Option<Instant>>(async (db, keys) => {
    const { sql, bindings } = inList(dialect, ['workspace_id', 'customer'], keys.map(({ workspace, customer }) => [workspace, customer]))
    const rows = await select(db, `SELECT workspace_id, customer, ${OWN_INBOUND} AS own FROM windows WHERE ${sql}`, bindings)
    const latest = new Map(rows.map((row) => [`${row['workspace_id']} ${row['customer']}`, instantOrNone(row['own'])]))
    return keys.map((key) => O.fromNullable(latest.get(keyOf(key))))
  })
  return {
    now,
    lastInbound: (workspace, customer) => windowTasks.value(() => lastInbound({ workspace, customer })),
    recordInbound: (workspace, ids, at, statedAt, outboxEntries) =>
      windowTasks.value(() => write(recording, { workspace, ids, at, statedAt, outboxEntries })),
  }
}

type WindowKey = { readonly workspace: string; readonly customer: string }
/** One row to write. `forUser`: the message counts for a user id, and this row belongs to the phone number that the message also contains. */
type InboundItem = WindowKey & { readonly at: Instant; readonly statedAt: Instant | undefined; readonly forUser: boolean }

const keyOf = ({ workspace, customer }: WindowKey): string => `${workspace} ${customer}`

const recordWindows = (dialect: Dialect): Write<InboundMessage, void> => ({
  kind: 'record-windows',
  run: async (trx, messages, _verifyReads, emit) => {
    const counted = await lockCounted(dialect, trx, messages)
    const [first = [], ...others] = upsertBatches(messages.flatMap(rowsFor))
    // An id without a row cannot be locked. If another transaction inserts it too, one of the two fails, is run again and finds the row of the other.
    const isMissing = (item: InboundItem): boolean => counted.has(keyOf(item)) && counted.get(keyOf(item)) === undefined
    await Promise.all([
      insertRows(trx, dialect, first.filter((item) => !isMissing(item)), upsert(dialect)),
      insertRows(trx, dialect, first.filter(isMissing), '', 'another transaction has inserted the window'),
    ])
    for (const batch of others) await insertRows(trx, dialect, batch, upsert(dialect))
    emit(inboundEvents(messages, counted))
    return messages.map(() => undefined)
  },
})

const insertRows = (
  trx: Queryable, dialect: Dialect, items: ReadonlyArray<InboundItem>, clause = '', conflict?: string,
): Promise<void> => insert(
  trx, dialect, 'windows', ['workspace_id', 'customer', 'last_inbound', 'stated_at', 'user_inbound'],
  items.map(({ workspace, customer, at, statedAt, forUser }) => [workspace, customer, at, statedAt ?? null, forUser ? at : null]), clause,
  conflict,
)

/**
 * The rows of a message: the row of the id for which it counts and, if that is a user id, also the row of the phone number. The second row is only for gateways of a
 * version that does not know user ids and shares the database; this version ignores it.
 */
const rowsFor = ({ workspace, ids: { phoneNumber, userId }, at, statedAt }: InboundMessage): ReadonlyArray<InboundItem> => [
  ...(userId === undefined ? [] : [{ workspace, customer: userId, at, statedAt, forUser: false }]),
  ...(phoneNumber === undefined ? [] : [{ workspace, customer: phoneNumber, at, statedAt, forUser: userId !== undefined }]),
]

/**
 * The items to write, in batches that contain each customer at most once, as an upsert requires.
 *
 * The first batch has every customer, sorted by key, so that two gateways lock the same customers in the same order.
 */
const upsertBatches = (items: ReadonlyArray<InboundItem>): ReadonlyArray<ReadonlyArray<InboundItem>> => {
  const byCustomer = new Map<string, InboundItem[]>()
  for (const item of items) {
    const key = keyOf(item)
    const others = byCustomer.get(key)
    if (others === undefined) byCustomer.set(key, [item])
    else others.push(item)
  }
  const needed = [...byCustomer].sort(([a], [b]) => (a < b ? -1 : 1)).map(([, all]) => neededItems(all))
  const batches = Math.max(0, ...needed.map(({ length }) => length))
  return Array.from({ length: batches }, (_, batch) => needed.flatMap((all) => all[batch] ?? []))
}

/**
 * The items of one row that decide what is stored: the item with the latest stated time, then the two latest of the others, separately for a user id and for the number
 * itself. Two, because the database ignores one time: the stated time that it has already counted.
 */
const neededItems = (items: readonly InboundItem[]): ReadonlyArray<InboundItem> => {
  if (items.length === 1) return items
  const stated = items.filter(({ statedAt }) => statedAt !== undefined)
    .reduce<InboundItem | undefined>((latest, item) => ((latest?.statedAt ?? -Infinity) < (item.statedAt ?? 0) ? item : latest), undefined)
  const others = items.filter(({ statedAt }) => statedAt === undefined)
  const latest = [others.filter(({ forUser }) => forUser), others.filter(({ forUser }) => !forUser)].flatMap(twoLatest)
  return stated === undefined ? latest : [stated, ...latest]
}

const twoLatest = (items: ReadonlyArray<InboundItem>): ReadonlyArray<InboundItem> =>
  [...new Map(items.map((item) => [item.at, item])).values()].sort((a, b) => a.at - b.at).slice(-2)

/** The rule of `markInbound` in SQL. MySQL assigns in this order, and each assignment sees the previous ones. */
const upsert = (dialect: Dialect): string => {
  const { inserted, latest } = dialect
  const [stored, at, forUser] = ['windows.stated_at', inserted('last_inbound'), `${inserted('user_inbound')} IS NOT NULL`]
  const counts = `(${stored} IS NULL OR coalesce(${inserted('stated_at')} > ${stored}, ${at} <> ${stored}))`
  return dialect.upsert(['workspace_id', 'customer'], [
    ['number_inbound', `CASE WHEN NOT ${counts} THEN windows.number_inbound
      WHEN ${forUser} THEN CASE WHEN ${at} >= windows.last_inbound THEN ${OWN_INBOUND} ELSE windows.number_inbound END
      WHEN ${at} <= windows.last_inbound AND windows.last_inbound <= windows.user_inbound AND coalesce(${at} > windows.number_inbound, TRUE) THEN ${at}
      ELSE windows.number_inbound END`],
    ['user_inbound', `CASE WHEN ${counts} AND ${forUser} AND ${at} >= windows.last_inbound THEN ${at} ELSE windows.user_inbound END`],
    ['last_inbound', `CASE WHEN ${counts} THEN ${latest('windows', 'last_inbound')} ELSE windows.last_inbound END`],
    ['stated_at', `coalesce(${latest('windows', 'stated_at')}, ${stored}, ${inserted('stated_at')})`],
  ])
}

const windowTasks = portTasks('WindowClock')

/** The customers by the time of their last message, over SQL. */
export const makeCustomerWindows = (database: Database): CustomerWindows => ({
  list: (inboxes, query) =>
    openWindowTasks.value(async () => {
      const found = await Promise.all(inboxes.flatMap((inbox) => MOMENTS.map((moment) => read(database, moment, inbox, query))))
      return pageOf(found.flat().toSorted(latestFirst).slice(0, query.limit + 1), query.limit, windowCursorOf)
    }),
})

/**
 * The two columns in which `OWN_INBOUND` finds the time of an id, and the rows that have it in each. They are read one by one, because no index contains the time of
 * both.
 */
const MOMENTS = [
  { column: 'last_inbound', counts: '(user_inbound IS NULL OR last_inbound > user_inbound)' },
  { column: 'number_inbound', counts: 'last_inbound <= user_inbound' },
] as const

const read = async (
  { db, dialect }: Database, { column, counts }: (typeof MOMENTS)[number], inbox: InboxId,
  { since, limit, cursor }: CustomerWindowsQuery,
): Promise<ReadonlyArray<CustomerWindow>> => {
  // PostgreSQL otherwise sorts by the rules of the database's language.
  const customer = dialect.name === 'postgres' ? 'customer COLLATE "C"' : 'customer'
  const place = cursor === undefined ? undefined : parseWindowCursor(cursor)
  const rows = await select(
    db,
    `SELECT customer, ${column} AS own FROM windows WHERE workspace_id = ? AND ${column} > ? AND ${counts}
       ${place === undefined ? '' : `AND ${column} <= ? AND (${column} < ? OR ${customer} ${inbox < place.inbox ? '<=' : '<'} ?)`} ORDER BY ${column} DESC, ${customer} DESC LIMIT ?`,
    [inbox, since, ...(place === undefined ? [] : [place.lastInbound, place.lastInbound, place.customer]), limit + 1],
  )
  return rows.map((row) => ({ inbox, customer: String(row['customer']) as CustomerId, lastInbound: instant(row['own']) }))
}

const latestFirst = (a: CustomerWindow, b: CustomerWindow): number => b.lastInbound - a.lastInbound
  || (a.customer === b.customer ? (a.inbox < b.inbox ? 1 : -1) : a.customer < b.customer ? 1 : -1)

const openWindowTasks = portTasks('CustomerWindows')
