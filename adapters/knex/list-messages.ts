import type { WorkspaceId } from '../../core/kernel/ids.js'
import { type Page, pageOf } from '../../core/kernel/json.js'
import { isListed, type MessageQuery, type MessagesTo } from '../../core/messages/message-log.js'
import { firstMessageIdAt, MESSAGE_STATES, type MessageRecord, moneyMove } from '../../core/messages/message.js'
import type { Dialect } from './dialect.js'
import { recordOf } from './message-rows.js'
import { type Bound, type Queryable, select } from './sql.js'

/** A condition and the values for its `?`. */
type Where = { readonly sql: string; readonly values: ReadonlyArray<Bound> }

/**
 * A page of a workspace's messages.
 *
 * The workspace, the ids and the customer have indexes. The other filters have none, since each would cost every send: `look` says how many messages are read
 * for them.
 */
export const listMessages = async (db: Queryable, dialect: Dialect, workspace: WorkspaceId, query: MessageQuery): Promise<Page<MessageRecord>> => {
  const near = nearOf(workspace, query)
  // A customer has an index of his own.
  const table = query.to === undefined ? dialect.byWorkspace('messages') : 'messages'
  const end = query.look === undefined ? undefined : await endOfLook(db, table, near, query.look)
  const page = await readPage(db, table, [...near, ...optional('id >= ?', end), ...filtersOf(query)], query)
  return page.next === undefined ? { ...page, next: end } : page
}

/** Reads on until the page is full: of the rows, the last filter may leave some out. */
const readPage = async (
  db: Queryable, table: string, conditions: ReadonlyArray<Where>, query: MessageQuery, after?: string, before: ReadonlyArray<MessageRecord> = [],
): Promise<Page<MessageRecord>> => {
  const { limit } = query
  const all = [...conditions, ...optional('id < ?', after)]
  const rows = await select(db, `SELECT * FROM ${table} WHERE ${sqlOf(all)} ORDER BY id DESC LIMIT ?`, [...valuesOf(all), limit + 1])
  const records = rows.map(recordOf)
  const found = [...before, ...records.filter((record) => isListed(query, record))]
  const last = records.at(-1)
  return last === undefined || rows.length <= limit || found.length > limit ? pageOf(found, limit, ({ id }) => id) : readPage(db, table, conditions, query, last.id, found)
}

/** The id of the last message to look at, which is the cursor for the others; none if all are looked at. */
const endOfLook = async (db: Queryable, table: string, near: ReadonlyArray<Where>, look: number): Promise<string | undefined> => {
  const [last, following] = await select(
    db, `SELECT id FROM ${table} WHERE ${sqlOf(near)} ORDER BY id DESC LIMIT 2 OFFSET ?`, [...valuesOf(near), look - 1],
  )
  return last === undefined || following === undefined ? undefined : String(last['id'])
}

/** The conditions that an index answers. */
const nearOf = (workspace: WorkspaceId, { to, from, before, cursor }: MessageQuery): ReadonlyArray<Where> => [
  where('workspace_id = ?', workspace), ...optional('id < ?', cursor), ...optional('id >= ?', from === undefined ? undefined : firstMessageIdAt(from)),
  ...optional('id < ?', before === undefined ? undefined : firstMessageIdAt(before)), ...(to === undefined ? [] : [sentTo(to)]),
]

/** The conditions that no index answers. That of an error leaves no message out that has it, and may leave others in. */
const filtersOf = ({ state, billedOtherwise, template, errorCode }: MessageQuery): ReadonlyArray<Where> => [
  ...optional('state = ?', state), ...optional('template_name = ?', template), ...(billedOtherwise === undefined ? [] : [where(BILLED_OTHERWISE)]),
  ...(errorCode === undefined ? [] : [where('(error LIKE ? OR error LIKE ?)', `%"code":${errorCode}%`, `%"code":"%${errorCode}"%`)]),
]

const where = (sql: string, ...values: ReadonlyArray<Bound>): Where => ({ sql, values })

const optional = (sql: string, value: Bound | undefined): ReadonlyArray<Where> => (value === undefined ? [] : [where(sql, value)])

const sqlOf = (conditions: ReadonlyArray<Where>): string => conditions.map(({ sql }) => sql).join(' AND ')

const valuesOf = (conditions: ReadonlyArray<Where>): ReadonlyArray<Bound> => conditions.flatMap(({ values }) => values)

/** The condition that a message is charged. */
export const CHARGED = `state IN (${MESSAGE_STATES.filter((state) => moneyMove(state) === 'capture').map((state) => `'${state}'`).join(', ')})`

/** The rule of `isBilledOtherwise` in SQL. A message without a report has null there, which no comparison matches. */
const BILLED_OTHERWISE = `${CHARGED} AND (reported_category <> category OR (reported_type LIKE 'free%' AND price > 0) OR (reported_type = 'regular' AND price = 0))`

/** The condition that a message went to one of some ids. */
const sentTo = (to: ReadonlyArray<MessagesTo>): Where => {
  const each = to.map(({ id, after }) => (after === undefined ? where('customer = ?', id) : where('customer = ? AND created_at > ?', id, after)))
  return { sql: each.length === 0 ? '1 = 0' : `(${each.map(({ sql }) => sql).join(' OR ')})`, values: valuesOf(each) }
}
