import * as O from 'fp-ts/lib/Option.js'
import type { WindowClock } from '../../core/customers/window.js'
import type { Instant } from '../../core/kernel/time.js'
import { inList, insert } from './bulk-sql.js'
import { inboundEvents, type InboundMessage, lockCounted, OWN_INBOUND } from './counted-windows.js'
import type { Database } from './database.js'
import type { Dialect } from './dialect.js'
import type { GroupCommit, Write } from './group-commit.js'
import { portTasks } from './port-tasks.js'
import type { ReadBatcher } from './read-batcher.js'
import { instantOrNone, type Queryable, select } from './sql.js'

/** The window clock over SQL; `now` is the gateway's own clock. */
export const makeWindowClock = ({ dialect }: Database, readBatcher: ReadBatcher, { write }: GroupCommit, now: () => Instant): WindowClock => {
  const recording = recordWindows(dialect)
  const lastInbound = readBatcher<WindowKey, O.Option<Instant>>(async (db, keys) => {
    const { sql, bindings } = inList(dialect, ['workspace_id', 'customer'], keys.map(({ workspace, customer }) => [workspace, customer]))
    const rows = await select(db, `SELECT workspace_id, customer, ${OWN_INBOUND} AS own FROM windows WHERE ${sql}`, bindings)
    const latest = new Map(rows.map((row) => [`${row['workspace_id']} ${row['customer']}`, instantOrNone(row['own'])]))
    return keys.map((key) => O.fromNullable(latest.get(keyOf(key))))
  })
  return {
    now,
    lastInbound: (workspace, customer) => tasks.value(() => lastInbound({ workspace, customer })),
    recordInbound: (workspace, ids, at, statedAt, along) => tasks.value(() => write(recording, { workspace, ids, at, statedAt, along })),
  }
}

type WindowKey = { readonly workspace: string; readonly customer: string }
/** One row to write. `forUser`: the message counts for a user id, and this row is of the phone number that it names too. */
type InboundItem = WindowKey & { readonly at: Instant; readonly statedAt: Instant | undefined; readonly forUser: boolean }

const keyOf = ({ workspace, customer }: WindowKey): string => `${workspace} ${customer}`

const recordWindows = (dialect: Dialect): Write<InboundMessage, void> => ({
  kind: 'record-windows',
  run: async (trx, messages, _verifyReads, emit) => {
    const counted = await lockCounted(dialect, trx, messages)
    const [first = [], ...others] = upsertBatches(messages.flatMap(rowsFor))
    // An id without a row cannot be locked. If another transaction inserts it too, one of the two fails, is run again and finds the other's row.
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

const insertRows = (trx: Queryable, dialect: Dialect, items: ReadonlyArray<InboundItem>, clause = '', conflict?: string): Promise<void> => insert(
  trx, dialect, 'windows', ['workspace_id', 'customer', 'last_inbound', 'stated_at', 'user_inbound'],
  items.map(({ workspace, customer, at, statedAt, forUser }) => [workspace, customer, at, statedAt ?? null, forUser ? at : null]), clause, conflict,
)

/**
 * The rows of a message: that of the id for which it counts, and if that is a user id, that of the phone number too. The second is only for gateways
 * of a version that does not know user ids and shares the database; here it counts for nothing.
 */
const rowsFor = ({ workspace, ids: { phoneNumber, userId }, at, statedAt }: InboundMessage): ReadonlyArray<InboundItem> => [
  ...(userId === undefined ? [] : [{ workspace, customer: userId, at, statedAt, forUser: false }]),
  ...(phoneNumber === undefined ? [] : [{ workspace, customer: phoneNumber, at, statedAt, forUser: userId !== undefined }]),
]

/**
 * The items to write, in batches that have each customer at most once, as an upsert needs it.
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
 * The items of one row that decide what is stored: the one with the latest stated moment, then the two latest of the others, of those for a user id and
 * of those for the number itself. Two, because the database ignores one moment: the stated moment that it has already counted.
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

/** The rule of `markInbound` in SQL. MySQL assigns in this order, and each assignment sees the ones before. */
const upsert = (dialect: Dialect): string => {
  const { inserted, latest } = dialect
  const [stored, at, forUser] = ['windows.stated_at', inserted('last_inbound'), `${inserted('user_inbound')} IS NOT NULL`]
  const counts = `(${stored} IS NULL OR coalesce(${inserted('stated_at')} > ${stored}, ${at} <> ${stored}))`
  const set = [
    `number_inbound = CASE WHEN NOT ${counts} THEN windows.number_inbound
      WHEN ${forUser} THEN CASE WHEN ${at} >= windows.last_inbound THEN ${OWN_INBOUND} ELSE windows.number_inbound END
      WHEN ${at} <= windows.last_inbound AND windows.last_inbound <= windows.user_inbound AND coalesce(${at} > windows.number_inbound, TRUE) THEN ${at}
      ELSE windows.number_inbound END`,
    `user_inbound = CASE WHEN ${counts} AND ${forUser} AND ${at} >= windows.last_inbound THEN ${at} ELSE windows.user_inbound END`,
    `last_inbound = CASE WHEN ${counts} THEN ${latest('windows', 'last_inbound')} ELSE windows.last_inbound END`,
    `stated_at = coalesce(${latest('windows', 'stated_at')}, ${stored}, ${inserted('stated_at')})`,
  ].join(', ')
  return dialect.name === 'mysql' ? `ON DUPLICATE KEY UPDATE ${set}` : `ON CONFLICT (workspace_id, customer) DO UPDATE SET ${set}`
}

const tasks = portTasks('WindowClock')
