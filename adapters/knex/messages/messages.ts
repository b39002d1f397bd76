import * as O from 'fp-ts/lib/Option.js'
import type { WorkspaceId } from '../../../core/kernel/ids.js'
import { type Page, pageOf } from '../../../core/kernel/page.js'
import type { Category, Currency } from '../../../core/kernel/money.js'
import type { Instant } from '../../../core/kernel/time.js'
import {
  type Billed, isListed, type MessageLog, type MessageQuery, type MessageRef, type MessagesTo,
} from '../../../core/messages/message-log.js'
import {
  firstMessageIdAt, KEY_KEPT_MS, MESSAGE_STATES, type MessageId, type MessageRecord, type MessageState, moneyMove,
} from '../../../core/messages/message.js'
import { type OwnErrorCode, sentencesOf } from '../../../core/messages/own-errors.js'
import { senderIdOf } from '../../../core/senders/sender.js'
import { portTasks } from '../engine/batches.js'
import { type Database, transact } from '../engine/database.js'
import type { Dialect } from '../engine/dialect.js'
import { type Bound, execute, inList, micros, type Queryable, type Row, select, textOrNone } from '../engine/sql.js'
import { applyChanges, recordOf, storedState } from './message-changes.js'
import { findClaimed, type Reservations } from './reserve.js'
import type { GroupCommit } from '../writes.js'

/** A condition and the values for its `?`. */
type Where = { readonly sql: string; readonly values: ReadonlyArray<Bound> }

/**
 * A page of a workspace's messages.
 *
 * The workspace, the ids and the customer have indexes. The other filters have none, because each index would cost every send: `look` limits how many messages are read
 * for them.
 */
export const listMessages = async (
  db: Queryable, dialect: Dialect, workspace: WorkspaceId, query: MessageQuery,
): Promise<Page<MessageRecord>> => {
  const near = nearOf(workspace, query)
  // A customer has a separate index.
  const table = query.to === undefined ? dialect.byWorkspace('messages') : 'messages'
  const end = query.look === undefined ? undefined : await endOfLook(db, table, near, query)
  const page = await readPage(db, table, [...near, ...optional(`id ${orderOf(query).until} ?`, end), ...filtersOf(query)], query)
  return page.next === undefined ? { ...page, next: end } : page
}

/** The order of a list, and how the ids compare that follow another id, or that end with it. */
const orderOf = ({ oldestFirst }: Pick<MessageQuery, 'oldestFirst'>) =>
  (oldestFirst === true ? { by: 'ASC', after: '>', until: '<=' } : { by: 'DESC', after: '<', until: '>=' })

/** Reads on until the page is full, because the last filter may drop rows. */
const readPage = async (
  db: Queryable, table: string, conditions: ReadonlyArray<Where>, query: MessageQuery, after?: string,
  before: ReadonlyArray<MessageRecord> = [],
): Promise<Page<MessageRecord>> => {
  const { limit } = query
  const order = orderOf(query)
  const all = [...conditions, ...optional(`id ${order.after} ?`, after)]
  const rows = await select(db, `SELECT * FROM ${table} WHERE ${sqlOf(all)} ORDER BY id ${order.by} LIMIT ?`, [...valuesOf(all), limit + 1])
  const records = rows.map(recordOf)
  const found = [...before, ...records.filter((record) => isListed(query, record))]
  const last = records.at(-1)
  return last === undefined || rows.length <= limit || found.length > limit
    ? pageOf(found, limit, ({ id }) => id)
    : readPage(db, table, conditions, query, last.id, found)
}

/** The id of the last message to read, which is the cursor for the rest; none if all are read. */
const endOfLook = async (
  db: Queryable, table: string, near: ReadonlyArray<Where>, query: MessageQuery,
): Promise<string | undefined> => {
  const [last, following] = await select(
    db, `SELECT id FROM ${table} WHERE ${sqlOf(near)} ORDER BY id ${orderOf(query).by} LIMIT 2 OFFSET ?`,
    [...valuesOf(near), (query.look ?? 1) - 1],
  )
  return last === undefined || following === undefined ? undefined : String(last['id'])
}

/** The conditions that an index can answer. */
const nearOf = (workspace: WorkspaceId, { to, from, before, cursor, ...query }: MessageQuery): ReadonlyArray<Where> => [
  where('workspace_id = ?', workspace), ...optional(`id ${orderOf(query).after} ?`, cursor),
  ...optional('id >= ?', from === undefined ? undefined : firstMessageIdAt(from)),
  ...optional('id < ?', before === undefined ? undefined : firstMessageIdAt(before)), ...(to === undefined ? [] : [sentTo(to)]),
]

/** A code of the gateway is in the error or, in rows of earlier releases, is represented by a sentence. */
const withError = (code: number | OwnErrorCode): Where => {
  const texts = typeof code === 'number'
    ? [`%"code":${code}%`, `%"code":"%${code}"%`]
    : [`%"code":"${code}"%`, ...sentencesOf(code).map((sentence) => `%"message":"${sentence}"%`)]
  return where(`(${texts.map(() => 'error LIKE ?').join(' OR ')})`, ...texts)
}

/** The conditions without an index. The conditions for an error and for metadata never drop a matching message, but may keep others. */
const filtersOf = (
  { state, sender, billedOtherwise, template, errorCode, metadata = {}, reference }: MessageQuery,
): ReadonlyArray<Where> => [
  ...(state === undefined ? [] : [inState(state)]), ...optional('template_name = ?', template),
  ...(sender === undefined ? [] : [throughSender(sender)]),
  ...(billedOtherwise === undefined ? [] : [where(BILLED_OTHERWISE)]),
  ...(errorCode === undefined ? [] : [withError(errorCode)]),
  ...Object.entries(metadata).map(([name, value]) => where('metadata LIKE ?', `%${likeable(JSON.stringify(name))}:${likeable(JSON.stringify(value))}%`)),
  ...(reference === undefined ? [] : [where('metadata LIKE ?', `%:${likeable(JSON.stringify(reference))}%`)]),
]

const throughSender = ({ ids, orNone }: NonNullable<MessageQuery['sender']>): Where =>
  where(`(sender IN (${ids.map(() => '?').join(', ')})${orNone ? ' OR sender IS NULL' : ''})`, ...ids)

const inState = (state: MessageState): Where =>
  where(
    state === 'played' ? 'state = ? AND played_at IS NOT NULL' : state === 'read' ? 'state = ? AND played_at IS NULL' : 'state = ?',
    storedState(state),
  )

/** A text in which every character with a special meaning for LIKE or a database is replaced by a wildcard. */
const likeable = (json: string): string => json.replace(/[^ -~]|[%_\\]/gu, '_')

const where = (sql: string, ...values: ReadonlyArray<Bound>): Where => ({ sql, values })

const optional = (sql: string, value: Bound | undefined): ReadonlyArray<Where> => (value === undefined ? [] : [where(sql, value)])

const sqlOf = (conditions: ReadonlyArray<Where>): string => conditions.map(({ sql }) => sql).join(' AND ')

const valuesOf = (conditions: ReadonlyArray<Where>): ReadonlyArray<Bound> => conditions.flatMap(({ values }) => values)

/** The condition that a message is charged. */
export const CHARGED = `state IN (${MESSAGE_STATES.filter((state) => moneyMove(state) === 'capture').map((state) => `'${state}'`).join(', ')})`

/** What the platform charges for a message by the rate card; its price, if that is not stored. */
const COST = 'COALESCE(cost, price)'

/** The rule of `isBilledOtherwise` in SQL. A message without a report has null there, which no comparison matches. */
const BILLED_OTHERWISE = `${CHARGED} AND (reported_category <> category OR (reported_type LIKE 'free%' AND ${COST} > 0) OR (reported_type = 'regular' AND ${COST} = 0))`

/** The condition that a message was sent to one of the given ids. */
const sentTo = (to: ReadonlyArray<MessagesTo>): Where => {
  const each = to.map(({ id, after }) =>
    after === undefined ? where('customer = ?', id) : where('customer = ? AND created_at > ?', id, after))
  return { sql: each.length === 0 ? '1 = 0' : `(${each.map(({ sql }) => sql).join(' OR ')})`, values: valuesOf(each) }
}

/** The maximum number of keys that one transaction removes. */
const BATCH = 500

/** The maximum number of batches of one call. */
const BATCHES = 20

/** Removes expired idempotency keys (see `claimStands`), oldest first, up to a limit, and returns how many. */
export const removeExpiredClaims = async (database: Database, now: Instant): Promise<number> => {
  let removed = 0
  for (let batch = 0; batch < BATCHES; batch += 1) {
    const found = await removeBatch(database, now - KEY_KEPT_MS)
    removed += found
    if (found < BATCH) break
  }
  return removed
}

/** Removes one batch. The condition of the DELETE keeps a key that was claimed again after the SELECT. */
const removeBatch = async ({ db, dialect }: Database, expired: Instant): Promise<number> => {
  const rows = await select(
    db,
    `SELECT k.workspace_id, k.idempotency_key FROM idempotency_keys k
     JOIN messages m ON m.workspace_id = k.workspace_id AND m.id = k.message_id
     WHERE k.claimed_at <= ? AND m.open_since IS NULL ORDER BY k.claimed_at LIMIT ?`,
    [expired, BATCH],
  )
  if (rows.length === 0) return 0
  const { sql, bindings } = inList(
    dialect, ['workspace_id', 'idempotency_key'], rows.map((row) => [String(row['workspace_id']), String(row['idempotency_key'])]),
  )
  await transact({ db }, (trx) => execute(trx, `DELETE FROM idempotency_keys WHERE ${sql} AND claimed_at <= ?`, [...bindings, expired]))
  return rows.length
}

/** The message log over SQL. */
export const makeMessageLog = ({ db, dialect }: Database, { write }: GroupCommit, { open, takeOpened }: Reservations): MessageLog => {
  const applying = applyChanges(dialect)
  return {
    open: (draft) => tasks.value(() => open(draft)),
    claimed: (workspace, claim, at) => tasks.value(async () => O.fromNullable(await findClaimed(dialect, db, workspace, claim, at))),
    apply: (workspace, id, change, outboxEntries) =>
      tasks.value(() => write(applying, { workspace, id, change, outboxEntries, opened: takeOpened(workspace, id) })),
    find: (workspace, by) => tasks.value(() => find(workspace, by)),
    list: (workspace, query) => tasks.value(() => listMessages(db, dialect, workspace, query)),
    stale: ({ state, before, limit }) =>
      tasks.value(async () => {
        const rows = await select(
          db,
          'SELECT workspace_id, id FROM messages WHERE open_since < ? AND state = ? ORDER BY open_since, id LIMIT ?',
          [before, state, limit],
        )
        return rows.map((row) => ({ workspace: row['workspace_id'] as WorkspaceId, id: row['id'] as MessageId }))
      }),
    billed: (period) =>
      tasks.value(async () => {
        const opened = period === undefined ? '' : 'AND created_at >= ? AND created_at < ?'
        const rows = await select(
          db,
          `SELECT workspace_id, currency, category, reported_category, reported_type, market, sender,
             COUNT(*) AS messages, SUM(CASE WHEN ${COST} = 0 THEN 1 ELSE 0 END) AS free, SUM(price) AS amount, SUM(${COST}) AS cost
           FROM messages WHERE ${CHARGED} ${opened}
           GROUP BY workspace_id, currency, category, reported_category, reported_type, market, sender`,
          period === undefined ? [] : [period.from, period.until],
        )
        return rows.map(billedIn)
      }),
  }

  async function find(workspace: WorkspaceId, by: MessageRef): Promise<O.Option<MessageRecord>> {
    const [column, value] = 'id' in by ? ['id', by.id] : ['platform_id', by.platformId]
    const [row] = await select(db, `SELECT * FROM messages WHERE workspace_id = ? AND ${column} = ?`, [workspace, value])
    return row === undefined ? O.none : O.some(recordOf(row))
  }
}

const billedIn = (row: Row): Billed => ({
  workspace: row['workspace_id'] as WorkspaceId,
  currency: row['currency'] as Currency,
  charged: row['category'] as Category,
  reported: textOrNone(row['reported_category']),
  type: textOrNone(row['reported_type']),
  ...(typeof row['market'] === 'string' && { market: row['market'] }),
  ...(typeof row['sender'] === 'string' && { sender: senderIdOf(row['sender']) }),
  messages: Number(row['messages']),
  free: Number(row['free']),
  micros: micros(row['amount']),
  cost: micros(row['cost']),
})

const tasks = portTasks('MessageLog')
