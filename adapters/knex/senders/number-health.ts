import type { WorkspaceId } from '../../../core/kernel/ids.js'
import type { MakeOutboxEntries } from '../../../core/kernel/outbox.js'
import type { Instant } from '../../../core/kernel/time.js'
import {
  afterReading, type CustomersPerDay, numberDigits, hasNumberChanged, type KnownNumber, nextReadingAt, type NumberChange, type NumberHealth,
  type NumberQuality, type NumberReading, type WantedNumbers,
} from '../../../core/senders/number-health.js'
import { senderIdOf, type SenderOf } from '../../../core/senders/sender.js'
import { portTasks } from '../engine/batches.js'
import { type Database, transact } from '../engine/database.js'
import type { Dialect } from '../engine/dialect.js'
import { execute, insert, instantOrNone, type Queryable, type Row, select, textOrNone } from '../engine/sql.js'
import type { Emit, TransactEvents } from '../events/entries.js'

const KEY = ['workspace_id', 'phone_number_id'] as const
const IS_KEY = KEY.map((column) => `${column} = ?`).join(' AND ')
const OF_SENDER = 'n.workspace_id = s.workspace_id AND n.phone_number_id = s.phone_number_id'

/** The numbers over SQL. A row of a sender that was removed stays, and is not shown. */
export const makeNumberHealth = (database: Database, transactEvents: TransactEvents): NumberHealth => {
  const { db, dialect } = database
  return {
    note: (of, reading, outboxEntries) =>
      tasks.value(() => transactEvents((trx, emit) => note(trx, dialect, { of, reading, outboxEntries }, emit))),
    of: (workspace) => tasks.value(async () => {
      const rows = await select(
        db, `SELECT n.* FROM senders s JOIN number_health n ON ${OF_SENDER} WHERE s.workspace_id = ? ORDER BY s.phone_number_id`,
        [workspace],
      )
      return rows.flatMap((row) => knownIn(row) ?? [])
    }),
    want: (wanted, at) => tasks.value(() => transact(database, (trx) => want(trx, wanted, at))),
    claim: (at, until, limit) => tasks.value(() => transact(database, (trx) => claim(trx, dialect, { at, until, limit }))),
  }
}

type Note = {
  readonly of: SenderOf
  readonly reading: NumberReading
  readonly outboxEntries: MakeOutboxEntries<NumberChange> | undefined
}

/** The lock of the sender's row makes concurrent readings of one number wait for each other, even before the number has a row. */
const note = async (
  trx: Queryable, dialect: Dialect, { of, reading, outboxEntries }: Note, emit: Emit,
): Promise<boolean> => {
  const key = [of.workspace, of.sender]
  const [sender] = await select(trx, `SELECT phone_number_id FROM senders WHERE ${IS_KEY} ${dialect.forUpdate}`, key)
  if (sender === undefined) return false
  const [row] = await select(trx, `SELECT * FROM number_health WHERE ${IS_KEY} ${dialect.forUpdate}`, key)
  const before = row && knownIn(row)
  const after = afterReading(of.sender, before, reading)
  if (after === undefined) return false
  const dueAt = nextReadingAt(after.readAt, instantOrNone(row?.['wanted_at']))
  await insert(
    trx, dialect, 'number_health', [...KEY, ...FACTS, 'due_at'], [[...key, ...valuesOf(after), dueAt]],
    dialect.upsert(KEY, [...FACTS, 'due_at']),
  )
  if (before !== undefined && outboxEntries !== undefined && hasNumberChanged({ before, after })) emit(outboxEntries({ before, after }))
  return true
}

const FACTS = [
  'display_number', 'digits', 'verified_name', 'quality', 'quality_since', 'customers_per_day', 'messages_per_second', 'read_at',
] as const

/** The stored limit of a number that has none. */
const UNLIMITED = -1

const valuesOf = (
  { displayNumber, verifiedName, quality, qualitySince, customersPerDay, messagesPerSecond, readAt }: KnownNumber,
) => [
  displayNumber ?? null, displayNumber === undefined ? null : numberDigits(displayNumber), verifiedName ?? null, quality ?? null,
  qualitySince ?? null, customersPerDay === 'unlimited' ? UNLIMITED : customersPerDay ?? null, messagesPerSecond ?? null, readAt,
]

/** `undefined` if the number was never read. */
const knownIn = (row: Row): KnownNumber | undefined => {
  const readAt = instantOrNone(row['read_at'])
  if (readAt === undefined) return undefined
  const [displayNumber, verifiedName] = [textOrNone(row['display_number']), textOrNone(row['verified_name'])]
  const quality = textOrNone(row['quality'])
  const [qualitySince, limit, rate] = [instantOrNone(row['quality_since']), row['customers_per_day'], row['messages_per_second']]
  return {
    phoneNumberId: senderIdOf(String(row['phone_number_id'])), readAt,
    ...(displayNumber !== undefined && { displayNumber }), ...(verifiedName !== undefined && { verifiedName }),
    ...(quality !== undefined && { quality: quality as NumberQuality }), ...(qualitySince !== undefined && { qualitySince }),
    ...(limit !== null && limit !== undefined && { customersPerDay: limitIn(Number(limit)) }),
    ...(rate !== null && rate !== undefined && { messagesPerSecond: Number(rate) }),
  }
}

const limitIn = (limit: number): CustomersPerDay => (limit === UNLIMITED ? 'unlimited' : limit)

const want = async (trx: Queryable, { accountId, digits }: WantedNumbers, at: Instant): Promise<void> => {
  const ofAccount = await select(
    trx, `SELECT n.workspace_id, n.phone_number_id FROM senders s JOIN number_health n ON ${OF_SENDER} WHERE s.business_account_id = ?`,
    [accountId],
  )
  const named = digits === undefined
    ? []
    : await select(trx, 'SELECT workspace_id, phone_number_id FROM number_health WHERE digits = ?', [digits])
  const keys = new Map([...ofAccount, ...named].map((row) => [`${String(row['workspace_id'])} ${String(row['phone_number_id'])}`, row]))
  for (const [, row] of [...keys].sort(([a], [b]) => (a < b ? -1 : 1))) {
    await execute(
      trx, `UPDATE number_health SET due_at = CASE WHEN due_at > ? THEN ? ELSE due_at END,
         wanted_at = CASE WHEN wanted_at IS NULL OR wanted_at < ? THEN ? ELSE wanted_at END WHERE ${IS_KEY}`,
      [at, at, at, at, row['workspace_id'] ?? null, row['phone_number_id'] ?? null],
    )
  }
}

type Claim = { readonly at: Instant; readonly until: Instant; readonly limit: number }

/** A number gets its row when it is first taken. The guard on the time that was read lets one of several concurrent calls take a number. */
const claim = async (trx: Queryable, dialect: Dialect, { at, until, limit }: Claim): Promise<ReadonlyArray<SenderOf>> => {
  const due = await select(
    trx, `SELECT s.workspace_id, s.phone_number_id, n.due_at FROM senders s JOIN workspaces w ON w.id = s.workspace_id
       LEFT JOIN number_health n ON ${OF_SENDER} WHERE w.archived_at IS NULL AND (n.due_at IS NULL OR n.due_at <= ?)
       ORDER BY COALESCE(n.due_at, 0), s.workspace_id, s.phone_number_id LIMIT ?`,
    [at, limit],
  )
  const claimed: Array<SenderOf> = []
  for (const row of due) {
    const [workspace, sender] = [row['workspace_id'] as WorkspaceId, senderIdOf(String(row['phone_number_id']))]
    const dueAt = instantOrNone(row['due_at'])
    if (dueAt === undefined) {
      await insert(
        trx, dialect, 'number_health', [...KEY, 'due_at'], [[workspace, sender, NEVER_READ]], dialect.insertIgnore('number_health', KEY),
      )
    }
    const taken = await execute(
      trx, `UPDATE number_health SET due_at = ? WHERE ${IS_KEY} AND due_at = ?`, [until, workspace, sender, dueAt ?? NEVER_READ],
    )
    if (taken > 0) claimed.push({ workspace, sender })
  }
  return claimed
}

/** When a number is due that has no row yet. */
const NEVER_READ: Instant = 0

const tasks = portTasks('NumberHealth')
