import { hash, randomBytes } from 'node:crypto'
import * as E from 'fp-ts/lib/Either.js'
import type { BatchId } from '../../../core/kernel/ids.js'
import { type Instant, UTC_DAYS } from '../../../core/kernel/time.js'
import {
  CUSTOMER_COUNTS_MS, countedKeyOf, type CountedMessage, leavesAt, PORTFOLIO_DAYS_KEPT_MS, type PortfolioBudget,
  type PortfolioLimitReached, type PortfolioTaking, stillCounts,
} from '../../../core/messages/portfolio-budget.js'
import { makeBatcher, portTasks } from '../engine/batches.js'
import { type Database, transact } from '../engine/database.js'
import type { Dialect } from '../engine/dialect.js'
import {
  type EachUpdate, execute, inList, insert, instant, type Queryable, type Row, select, together, updateAll, updateEach,
} from '../engine/sql.js'
import { makeAtLimit, MAX_REMEMBERED } from './at-limit.js'

/** The customers of portfolios in a transaction: whether one has a place, the places that are taken, and the writes, which may run together with other statements. */
export type PortfolioBook = {
  readonly refusalOf: (taking: PortfolioTaking) => PortfolioLimitReached | undefined
  readonly take: (taking: PortfolioTaking) => void
  readonly write: () => Promise<void>
}

/**
 * Opens the counts of portfolios in the caller's transaction.
 *
 * Usually a portfolio has room, so the first try only reads which of the customers are counted already. The write of the others is guarded by the limit. If the guard fails, the write is a
 * `WriteConflict`: the transaction runs again, locks the count, removes customers who no longer count, and decides exactly. After that, such portfolios are locked first for some time.
 */
export type OpenPortfolios = {
  readonly open: (trx: Queryable, takings: ReadonlyArray<PortfolioTaking>, verifyReads: boolean) => Promise<PortfolioBook>
  /** Whether the counts of these portfolios are locked first even in the first try. */
  readonly locksFirst: (takings: ReadonlyArray<PortfolioTaking>) => boolean
}

/** How long a portfolio at its limit is locked first, in milliseconds. */
const LOCK_FIRST_MS = 1_000

/** The maximum number of customers that one transaction removes because they no longer count. */
const REMOVED = 1_000

export const makeOpenPortfolios = (dialect: Dialect): OpenPortfolios => {
  const atLimit = makeAtLimit()
  /** The portfolios whose count this process has inserted or seen. If one is missing, the guarded update conflicts, and it is inserted. */
  const stored = new Set<string>()
  const isLimited = ({ portfolio }: PortfolioTaking): boolean => atLimit.has(portfolio)
  const open: OpenPortfolios['open'] = async (trx, takings, verifyReads) => {
    if (takings.length === 0) return NOTHING_TAKEN
    const taken: Array<PortfolioTaking> = []
    if (!verifyReads && !takings.some(isLimited)) {
      const known = await readCustomers(dialect, trx, takings)
      const write = async (): Promise<void> => {
        const changes = changesOf(known, taken)
        const missing = changes.counts.map(({ portfolio }) => portfolio).filter((portfolio) => !stored.has(portfolio))
        if (stored.size >= MAX_REMEMBERED) stored.clear()
        for (const portfolio of missing) stored.add(portfolio)
        await together([insertCounts(dialect, trx, missing), ...writeChanges(dialect, trx, changes, taken)])
      }
      return { refusalOf: () => undefined, take: (taking) => { taken.push(taking) }, write }
    }
    const portfolios = [...new Set(takings.map(({ portfolio }) => portfolio))].sort()
    await insertCounts(dialect, trx, portfolios)
    const counts = await lockCounts(dialect, trx, portfolios)
    const rooms = new Map<string, Room>()
    for (const portfolio of portfolios) {
      const of = takings.filter((taking) => taking.portfolio === portfolio)
      rooms.set(portfolio, await makeRoom(dialect, trx, of, counts.get(portfolio) ?? 0))
    }
    const known = await readCustomers(dialect, trx, takings)
    const counted = new Map(known)
    const refusalOf = (taking: PortfolioTaking): PortfolioLimitReached | undefined => {
      const room = rooms.get(taking.portfolio)
      const own = counted.get(keyOf(taking))
      if (room === undefined || (own !== undefined && stillCounts(own, taking.at))) return undefined
      if (own === undefined ? room.count < taking.limit : room.count <= taking.limit) return undefined
      atLimit.remember(taking.portfolio, LOCK_FIRST_MS)
      return { _tag: 'PortfolioLimitReached', retryAt: leavesAt(room.times.get(placeOf(taking)) ?? taking.at) }
    }
    return {
      refusalOf,
      take: (taking) => {
        const [room, own] = [rooms.get(taking.portfolio), counted.get(keyOf(taking))]
        if (room !== undefined && own === undefined) room.count += 1
        counted.set(keyOf(taking), Math.max(own ?? taking.at, taking.at))
        taken.push(taking)
      },
      write: async () => {
        const removed = [...rooms].filter(([, room]) => room.removed > 0)
        await together([
          ...removed.map(([portfolio, room]) =>
            execute(trx, 'UPDATE portfolio_counts SET customers = customers - ? WHERE portfolio = ?', [room.removed, portfolio])),
          ...writeChanges(dialect, trx, unguarded(changesOf(known, taken)), taken),
        ])
      },
    }
  }
  return { open, locksFirst: (takings) => takings.some(isLimited) }
}

const NOTHING_TAKEN: PortfolioBook = { refusalOf: () => undefined, take: () => undefined, write: async () => undefined }

/** A customer is named only by a digest. */
const customerOf = (portfolio: string, key: string): string => hash('sha256', `${portfolio} ${key}`, 'hex')

const keyOf = (taking: PortfolioTaking): string => `${taking.portfolio} ${customerOf(taking.portfolio, countedKeyOf(taking))}`

/** The customers of a portfolio while its count is locked: the stored rows, of which `removed` no longer counted, and since when those count for whose places messages wait. */
type Room = { count: number; readonly removed: number; readonly times: ReadonlyMap<string, Instant> }

const placeOf = ({ limit, behind = 0 }: PortfolioTaking): string => `${limit} ${behind}`

/** Removes customers who no longer count, if there may be too little room. */
const makeRoom = async (dialect: Dialect, trx: Queryable, takings: ReadonlyArray<PortfolioTaking>, count: number): Promise<Room> => {
  const portfolio = takings[0]?.portfolio ?? ''
  const [limit, at] = [Math.min(...takings.map((one) => one.limit)), Math.min(...takings.map((one) => one.at))]
  if (count + takings.length <= limit) return { count, removed: 0, times: new Map() }
  const removed = await removeUncounted(dialect, trx, portfolio, at)
  const left = count - removed
  const times = new Map<string, Instant>()
  for (const taking of left + takings.length <= limit ? [] : takings) {
    if (times.has(placeOf(taking))) continue
    const [row] = await select(
      trx, 'SELECT counted_at FROM portfolio_customers WHERE portfolio = ? ORDER BY counted_at LIMIT 1 OFFSET ?',
      [portfolio, offsetOf(taking, left)],
    )
    if (row !== undefined) times.set(placeOf(taking), instant(row['counted_at']))
  }
  return { count: left, removed, times }
}

/** The customer whose place a message gets: the first one, unless more count than the limit allows, or other messages wait. */
const offsetOf = ({ limit, behind = 0 }: PortfolioTaking, count: number): number => Math.max(0, count - limit) + behind

/** Deletes customers of a portfolio who no longer count at a time, up to a limit, and returns their number. */
const removeUncounted = async (dialect: Dialect, trx: Queryable, portfolio: string, at: Instant): Promise<number> => {
  const before = at - CUSTOMER_COUNTS_MS
  const rows = await select(
    trx, 'SELECT customer FROM portfolio_customers WHERE portfolio = ? AND counted_at <= ? ORDER BY counted_at LIMIT ?',
    [portfolio, before, REMOVED],
  )
  if (rows.length === 0) return 0
  const { sql, bindings } = inList(dialect, ['customer'], rows.map(({ customer }) => [String(customer)]))
  return execute(
    trx, `DELETE FROM portfolio_customers WHERE portfolio = ? AND counted_at <= ? AND ${sql}`, [portfolio, before, ...bindings],
  )
}

/** When the customers of some messages were last counted; those that have no row are left out. */
const readCustomers = async (
  dialect: Dialect, trx: Queryable, takings: ReadonlyArray<PortfolioTaking>,
): Promise<ReadonlyMap<string, Instant>> => {
  const keys = new Map(takings.map((taking) => [keyOf(taking), [taking.portfolio, customerOf(taking.portfolio, countedKeyOf(taking))]]))
  const { sql, bindings } = inList(dialect, ['portfolio', 'customer'], [...keys.values()])
  const rows = await select(
    trx, `SELECT portfolio, customer, counted_at FROM ${dialect.byPrimaryKey('portfolio_customers')} WHERE ${sql}`, bindings,
  )
  return new Map(rows.map((row) => [`${row['portfolio']} ${row['customer']}`, instant(row['counted_at'])]))
}

/** The writes of customers: those that are new, and those that have a row, which was counted at `seenAt` before. */
type Changes = {
  /** How many rows a portfolio gets, if a customer takes a place in it, and the limit of its rows. */
  readonly counts: ReadonlyArray<{ readonly portfolio: string; readonly added: number; readonly limit: number }>
  readonly added: ReadonlyArray<readonly [portfolio: string, customer: string, at: Instant]>
  readonly counted: ReadonlyArray<readonly [portfolio: string, customer: string, at: Instant, seenAt: Instant]>
}

/** In the order of their keys: two transactions that count the same customers lock them in the same order. */
const changesOf = (known: ReadonlyMap<string, Instant>, takings: ReadonlyArray<PortfolioTaking>): Changes => {
  const customers = new Map<string, { readonly taking: PortfolioTaking; first: Instant; last: Instant }>()
  for (const taking of takings) {
    const { first = taking.at, last = taking.at } = customers.get(keyOf(taking)) ?? {}
    customers.set(keyOf(taking), { taking, first: Math.min(first, taking.at), last: Math.max(last, taking.at) })
  }
  const sorted = [...customers].sort(([a], [b]) => (a < b ? -1 : 1))
  const counts = new Map<string, { readonly portfolio: string; added: number; limit: number }>()
  const [added, counted]: [Array<Changes['added'][number]>, Array<Changes['counted'][number]>] = [[], []]
  for (const [key, { taking, first, last }] of sorted) {
    const { portfolio, limit } = taking
    const [customer, seenAt] = [customerOf(portfolio, countedKeyOf(taking)), known.get(key)]
    if (seenAt === undefined) added.push([portfolio, customer, last])
    else counted.push([portfolio, customer, last, seenAt])
    if (seenAt !== undefined && stillCounts(seenAt, first)) continue
    const count = counts.get(portfolio) ?? { portfolio, added: 0, limit }
    counts.set(portfolio, { portfolio, added: count.added + (seenAt === undefined ? 1 : 0), limit: Math.min(count.limit, limit) })
  }
  return { counts: [...counts.values()], added, counted }
}

/** A count that is locked needs no guard: the limit was checked for each message. */
const unguarded = ({ counts, ...changes }: Changes): Changes =>
  ({ ...changes, counts: counts.map((count) => ({ ...count, limit: Number.MAX_SAFE_INTEGER })) })

const CUSTOMER = ['portfolio', 'customer'] as const
const MESSAGE = ['workspace_id', 'message_id'] as const

const CHANGED = 'another transaction has counted customers of a portfolio'

const writeChanges = (
  dialect: Dialect, trx: Queryable, { counts, added, counted }: Changes, takings: ReadonlyArray<PortfolioTaking>,
): ReadonlyArray<Promise<void>> => [
  counts.length === 0 ? Promise.resolve() : updateAll(
    trx, dialect, ADD_CUSTOMERS, counts.map(({ portfolio, added: by, limit }) => [portfolio, by, limit - by]), CHANGED,
  ),
  insert(trx, dialect, 'portfolio_customers', [...CUSTOMER, 'counted_at'], added, '', CHANGED),
  counted.length === 0 ? Promise.resolve() : updateAll(trx, dialect, COUNT_AGAIN, counted, CHANGED),
  insert(
    trx, dialect, 'portfolio_messages', [...MESSAGE, ...CUSTOMER, 'counted_at', 'batch_id'],
    takings.map(({ workspace, message, at, batch = null, ...taking }) =>
      [workspace, message, taking.portfolio, customerOf(taking.portfolio, countedKeyOf(taking)), at, batch]),
    dialect.upsert(MESSAGE, [...CUSTOMER, 'counted_at', 'batch_id']),
  ),
]

const ADD_CUSTOMERS: EachUpdate = {
  table: 'portfolio_counts',
  key: ['portfolio'],
  columns: [{ name: 'added', type: 'integer' }, { name: 'at_most', type: 'integer' }],
  set: [['customers', 't.customers + v.added']],
  where: 't.customers <= v.at_most',
}

/** A row that was counted later in the meantime is one that counts. */
const COUNT_AGAIN: EachUpdate = {
  table: 'portfolio_customers',
  key: CUSTOMER,
  columns: [{ name: 'new_at', type: 'integer' }, { name: 'seen_at', type: 'integer' }],
  set: [['counted_at', 'CASE WHEN t.counted_at > v.new_at THEN t.counted_at ELSE v.new_at END']],
  where: 't.counted_at >= v.seen_at',
}

const insertCounts = (dialect: Dialect, trx: Queryable, portfolios: ReadonlyArray<string>): Promise<void> =>
  insert(
    trx, dialect, 'portfolio_counts', ['portfolio', 'customers'], portfolios.map((portfolio) => [portfolio, 0]),
    dialect.insertIgnore('portfolio_counts', ['portfolio'], 'customers'),
  )

/** The numbers of stored customers, whose rows stay locked. Every transaction that adds or deletes a customer changes the number first. */
const lockCounts = async (dialect: Dialect, trx: Queryable, portfolios: ReadonlyArray<string>): Promise<ReadonlyMap<string, number>> => {
  const { sql, bindings } = inList(dialect, ['portfolio'], portfolios.map((portfolio) => [portfolio]))
  const rows = await select(
    trx, `SELECT portfolio, customers FROM portfolio_counts WHERE ${sql} ORDER BY portfolio ${dialect.forUpdate}`, bindings,
  )
  return new Map(rows.map((row) => [String(row['portfolio']), Number(row['customers'])]))
}

/** The customers whom some messages count, each once, in the order of their keys. */
const customersOf = async (db: Queryable, dialect: Dialect, of: ReadonlyArray<CountedMessage>): Promise<ReadonlyArray<CustomerKey>> => {
  const { sql, bindings } = inList(dialect, MESSAGE, of.map(({ workspace, message }) => [workspace, message]))
  const rows = await select(db, `SELECT portfolio, customer FROM ${dialect.byPrimaryKey('portfolio_messages')} WHERE ${sql}`, bindings)
  return keysIn(rows)
}

type CustomerKey = readonly [portfolio: string, customer: string]

const keysIn = (rows: ReadonlyArray<Row>): ReadonlyArray<CustomerKey> => {
  const keys = new Map(rows.map((row): [string, CustomerKey] =>
    [`${row['portfolio']} ${row['customer']}`, [String(row['portfolio']), String(row['customer'])]]))
  return [...keys].sort(([a], [b]) => (a < b ? -1 : 1)).map(([, key]) => key)
}

/**
 * Gives back the customers of messages: what then counts of a customer is the latest of the other messages. So a message that is given back by another transaction at the same time does no
 * harm. The locks of the customers' rows make a transaction that counts the same customers wait, or conflict.
 */
const giveBackAll = async (trx: Queryable, dialect: Dialect, messages: ReadonlyArray<CountedMessage>): Promise<void> => {
  const keys = await customersOf(trx, dialect, messages)
  if (keys.length === 0) return
  await lockCounts(dialect, trx, [...new Set(keys.map(([portfolio]) => portfolio))])
  const of = inList(dialect, CUSTOMER, keys)
  const stored = keysIn(await select(
    trx,
    `SELECT portfolio, customer FROM ${dialect.byPrimaryKey('portfolio_customers')} WHERE ${of.sql}
     ORDER BY portfolio, customer ${dialect.forUpdate}`,
    of.bindings,
  ))
  const given = inList(dialect, MESSAGE, messages.map(({ workspace, message }) => [workspace, message]))
  await execute(trx, `DELETE FROM portfolio_messages WHERE ${given.sql}`, given.bindings)
  const others = await select(
    trx,
    `SELECT portfolio, customer, MAX(counted_at) AS counted_at FROM ${dialect.byIndex('portfolio_messages', 'portfolio_messages_customer')}
     WHERE ${of.sql} GROUP BY portfolio, customer`,
    of.bindings,
  )
  const last = new Map(others.map((row) => [`${row['portfolio']} ${row['customer']}`, instant(row['counted_at'])]))
  const kept = stored.flatMap(([portfolio, customer]) => {
    const at = last.get(`${portfolio} ${customer}`)
    return at === undefined ? [] : [[portfolio, customer, at] as const]
  })
  if (kept.length > 0) await updateEach(trx, dialect, COUNT_EARLIER, kept)
  for (const [portfolio, customers] of groupsOf(stored.filter((key) => !last.has(key.join(' '))))) {
    const { sql, bindings } = inList(dialect, ['customer'], customers.map((customer) => [customer]))
    const deleted = await execute(trx, `DELETE FROM portfolio_customers WHERE portfolio = ? AND ${sql}`, [portfolio, ...bindings])
    await execute(trx, 'UPDATE portfolio_counts SET customers = customers - ? WHERE portfolio = ?', [deleted, portfolio])
  }
}

const COUNT_EARLIER: EachUpdate = {
  table: 'portfolio_customers',
  key: CUSTOMER,
  columns: [{ name: 'new_at', type: 'integer' }],
  set: [['counted_at', 'v.new_at']],
  where: 't.counted_at > v.new_at',
}

/** The customers of each portfolio. */
const groupsOf = (keys: ReadonlyArray<CustomerKey>): ReadonlyMap<string, ReadonlyArray<string>> => {
  const groups = new Map<string, ReadonlyArray<string>>()
  for (const [portfolio, customer] of keys) groups.set(portfolio, [...groups.get(portfolio) ?? [], customer])
  return groups
}

/**
 * The customers of portfolios over SQL. A send counts its customer in the transaction that opens its message; `take` is for queued messages, and for storage that an app has combined
 * from several. Most messages that are given back have counted no customer; that costs one read. Noting a day reads on `reads`.
 */
export const makePortfolioBudget = (database: Database, reads: Queryable = database.db): PortfolioBudget => {
  const { db, dialect } = database
  const { open: openPortfolios } = makeOpenPortfolios(dialect)
  const takes = makeBatcher<PortfolioTaking, E.Either<PortfolioLimitReached, void>>((takings, signal) =>
    transact(database, async (trx, attempt) => {
      const book = await openPortfolios(trx, takings, attempt > 1)
      const answers = takings.map((taking) => {
        const refusal = book.refusalOf(taking)
        if (refusal !== undefined) return E.left(refusal)
        book.take(taking)
        return E.right(undefined)
      })
      await book.write()
      return answers
    }, { signal }))
  const givenBack = makeBatcher<CountedMessage, true>(async (messages, signal) => {
    if ((await customersOf(db, dialect, messages)).length > 0) {
      await transact(database, (trx) => giveBackAll(trx, dialect, messages), { signal })
    }
    return messages.map(() => true)
  })
  return {
    take: (taking) => tasks.either(() => takes.load({ ...taking })),
    giveBack: (message) => tasks.value(async () => { await givenBack.load(message) }),
    counted: (portfolio, at) => tasks.value(async () => {
      const [row] = await select(
        db, 'SELECT COUNT(*) AS customers FROM portfolio_customers WHERE portfolio = ? AND counted_at > ?',
        [portfolio, at - CUSTOMER_COUNTS_MS],
      )
      return Number(row?.['customers'])
    }),
    countedByBatch: (portfolio, at) => tasks.value(async () => {
      const rows = await select(db, BY_BATCH, [portfolio, at - CUSTOMER_COUNTS_MS])
      return rows.map((row) => ({ batch: String(row['batch']) as BatchId, customers: Number(row['customers']) }))
    }),
    noteDay: (at) => tasks.value(() => noteDay(database, reads, at)),
    days: (portfolio, since) => tasks.value(async () => {
      const rows = await select(
        db, 'SELECT day, customers, of_batches FROM portfolio_days WHERE portfolio = ? AND day >= ? ORDER BY day', [portfolio, since],
      )
      return rows.map((row) => ({ day: instant(row['day']), customers: Number(row['customers']), ofBatches: Number(row['of_batches']) }))
    }),
  }
}

/**
 * Only portfolios in which more customers count than were noted are parted by batches, because that reads all their messages: 0.3 seconds for 100,000 in SQLite. So all reads of the counts
 * use other connections than the sends.
 */
const noteDay = async (database: Database, reads: Queryable, at: Instant): Promise<void> => {
  const { db, dialect } = database
  const [day, since] = [UTC_DAYS.startOf(at), at - CUSTOMER_COUNTS_MS]
  const counts = await select(
    reads, 'SELECT portfolio, COUNT(*) AS customers FROM portfolio_customers WHERE counted_at > ? GROUP BY portfolio ORDER BY portfolio',
    [since],
  )
  const noted = new Map((await select(db, 'SELECT portfolio, customers FROM portfolio_days WHERE day = ?', [day]))
    .map((row) => [String(row['portfolio']), Number(row['customers'])]))
  for (const row of counts) {
    const [portfolio, customers] = [String(row['portfolio']), Number(row['customers'])]
    if (customers <= (noted.get(portfolio) ?? 0)) continue
    const ofBatches = (await select(reads, BY_BATCH, [portfolio, since])).reduce((sum, batch) => sum + Number(batch['customers']), 0)
    await transact(database, async (trx) => {
      await insert(
        trx, dialect, 'portfolio_days', [...PORTFOLIO_DAY, 'customers', 'of_batches'], [[portfolio, day, 0, 0]],
        dialect.insertIgnore('portfolio_days', PORTFOLIO_DAY, 'customers'),
      )
      await execute(
        trx, 'UPDATE portfolio_days SET customers = ?, of_batches = ? WHERE portfolio = ? AND day = ? AND customers < ?',
        [customers, Math.min(customers, ofBatches), portfolio, day, customers],
      )
    })
  }
  await execute(db, 'DELETE FROM portfolio_days WHERE day < ?', [at - PORTFOLIO_DAYS_KEPT_MS])
}

const PORTFOLIO_DAY = ['portfolio', 'day'] as const

/** A message without a batch counts in one of both numbers only. */
const BY_BATCH = `
  SELECT batch, COUNT(*) AS customers
  FROM (SELECT CASE WHEN COUNT(batch_id) = COUNT(*) THEN MAX(batch_id) END AS batch
        FROM portfolio_messages WHERE portfolio = ? AND counted_at > ? GROUP BY customer) counted
  WHERE batch IS NOT NULL GROUP BY batch ORDER BY batch`

const tasks = portTasks('PortfolioBudget')

/**
 * Renames a person in the portfolios of a workspace at random, so that the places stay taken and nothing names the person. A message to the person that is counted at the same time
 * conflicts, and counts the person as a new customer.
 */
export const eraseCounted = async (trx: Queryable, workspace: string, keys: ReadonlyArray<string>): Promise<void> => {
  const rows = await select(trx, 'SELECT DISTINCT portfolio FROM portfolio_messages WHERE workspace_id = ?', [workspace])
  for (const portfolio of rows.map((row) => String(row['portfolio'])).sort()) {
    for (const key of keys) {
      const [customer, other] = [customerOf(portfolio, key), randomBytes(32).toString('hex')]
      for (const table of ['portfolio_customers', 'portfolio_messages']) {
        await execute(trx, `UPDATE ${table} SET customer = ? WHERE portfolio = ? AND customer = ?`, [other, portfolio, customer])
      }
    }
  }
}

/** How long the messages that count customers are kept: longer than any of them counts, because a customer whom one gives back may count since another. */
const MESSAGES_KEPT_MS = 2 * CUSTOMER_COUNTS_MS

/** The maximum number of transactions of one call that remove messages, and customers of one portfolio. */
const BATCHES = 50

/** Removes what no longer counts, up to limits. */
export const removeIdleCustomers = async (database: Database, now: Instant): Promise<void> => {
  const { db, dialect } = database
  const portfolios = await select(
    db,
    `SELECT p.portfolio FROM portfolio_counts p WHERE EXISTS
       (SELECT 1 FROM portfolio_customers c WHERE c.portfolio = p.portfolio AND c.counted_at <= ?) ORDER BY p.portfolio`,
    [now - CUSTOMER_COUNTS_MS],
  )
  for (const portfolio of portfolios.map((row) => String(row['portfolio']))) {
    for (let batch = 0; batch < BATCHES; batch += 1) {
      const removed = await transact(database, async (trx) => {
        await lockCounts(dialect, trx, [portfolio])
        const count = await removeUncounted(dialect, trx, portfolio, now)
        if (count > 0) await execute(trx, 'UPDATE portfolio_counts SET customers = customers - ? WHERE portfolio = ?', [count, portfolio])
        return count
      })
      if (removed < REMOVED) break
    }
  }
  for (let batch = 0; batch < BATCHES; batch += 1) {
    const before = now - MESSAGES_KEPT_MS
    const rows = await select(
      db, 'SELECT workspace_id, message_id FROM portfolio_messages WHERE counted_at < ? ORDER BY counted_at LIMIT ?', [before, REMOVED],
    )
    if (rows.length > 0) {
      const { sql, bindings } = inList(dialect, MESSAGE, rows.map((row) => [String(row['workspace_id']), String(row['message_id'])]))
      await execute(db, `DELETE FROM portfolio_messages WHERE counted_at < ? AND ${sql}`, [before, ...bindings])
    }
    if (rows.length < REMOVED) return
  }
}
