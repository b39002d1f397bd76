import * as O from 'fp-ts/lib/Option.js'
import type { Knex } from 'knex'
import { guardsKey, isOpenEnded, isRemembered, merge, type Change, type MessageState } from '../../core/delivery.js'
import type { Dialect } from './dialect.js'
import type { Write } from './group-commit.js'
import { among, updateEach } from './many-rows.js'
import { MARKED } from './message-rows.js'
import { execute, select, type Bound, type Row } from './sql.js'
import { Raced } from './sql-error.js'

/** A change to be noted of a message. */
export type SettleItem = { readonly workspace: string; readonly id: string; readonly change: Change }

/** Notes changes of messages, each as `merge` and `isRemembered` rule, and frees the keys of those that end unsent. */
export const settleMessages = (dialect: Dialect): Write<SettleItem, O.Option<MessageState>> => ({
  order: 1,
  run: async (trx, items, careful) => {
    const messages = careful || !items.every(isFirstNews) || hasTwice(items) ? await readMessages(dialect, trx, items) : assumedPending(items)
    const answers = items.map((item) => {
      const message = messages.get(keyOf(item))
      if (message === undefined) return O.none
      note(message, item.change)
      return O.some(message.to)
    })
    await writeMessages(dialect, trx, [...messages.values()].filter(({ columns }) => columns.size > 0))
    return answers
  },
})

/** A message as it was read (`from`), as it will be (`to`), and the columns that say so. */
type MessageRow = {
  readonly workspace: string
  readonly id: string
  readonly from: MessageState
  to: MessageState
  readonly row: Row
  readonly columns: Map<string, Bound>
}

/** What names a message: nobody moves one of another workspace by its id alone. */
const keyOf = ({ workspace, id }: Pick<SettleItem, 'workspace' | 'id'>): string => `${workspace} ${id}`

/** What this process tells of a message it has just sent, which is the usual case: nobody else knows of it yet. */
const isFirstNews = ({ change: { state } }: SettleItem): boolean => state === 'accepted' || state === 'refused' || state === 'unconfirmed'

const hasTwice = (items: ReadonlyArray<SettleItem>): boolean => new Set(items.map(keyOf)).size < items.length

/** Messages as they are where nobody else has touched them; the guarded update finds out whether that is so. */
const assumedPending = (items: ReadonlyArray<SettleItem>): Map<string, MessageRow> =>
  new Map(items.map(({ workspace, id }) => [keyOf({ workspace, id }), { workspace, id, from: 'pending', to: 'pending', row: UNTOUCHED, columns: new Map<string, Bound>() }]))

const READ = ['workspace_id', 'id', 'state', 'platform_id', 'pricing', 'error', ...MARKED.map((state) => `${state}_at`)].join(', ')

const UNTOUCHED: Row = Object.fromEntries(['platform_id', 'pricing', 'error', ...MARKED.map((state) => `${state}_at`)].map((column) => [column, null]))

const readMessages = async (dialect: Dialect, trx: Knex, items: ReadonlyArray<SettleItem>): Promise<Map<string, MessageRow>> => {
  const keys = new Map(items.map((item) => [keyOf(item), [item.workspace, item.id]]))
  const { sql, bindings } = among(dialect, ['workspace_id', 'id'], [...keys.values()])
  const rows = await select(trx, `SELECT ${READ} FROM ${dialect.byPrimaryKey('messages')} WHERE ${sql}`, bindings)
  return new Map(rows.map((row) => {
    const state = row['state'] as MessageState
    const message: MessageRow = {
      workspace: String(row['workspace_id']), id: String(row['id']), from: state, to: state, row, columns: new Map<string, Bound>(),
    }
    return [keyOf(message), message]
  }))
}

const note = (message: MessageRow, { state, at, platformId, error, pricing }: Change): void => {
  const { row, columns } = message
  const isNew = (column: string): boolean => row[column] === null && !columns.has(column)
  if (isRemembered(message.to, state) && isNew(`${state}_at`)) columns.set(`${state}_at`, at)
  if (platformId !== undefined && isNew('platform_id')) columns.set('platform_id', platformId)
  if (pricing !== undefined && isNew('pricing')) {
    columns.set('pricing', JSON.stringify(pricing))
    const { category } = pricing
    if (typeof category === 'string') columns.set('reported_category', category.slice(0, MAX_CATEGORY))
  }
  if (merge(message.to, state) === message.to) return
  message.to = state
  columns.set('state', state)
  // An error belongs to the state it explains.
  if (error !== undefined || row['error'] !== null) columns.set('error', error === undefined ? null : JSON.stringify(error))
  if (!isOpenEnded(state)) columns.set('open_since', null)
}

/** As much of a category as its column takes. */
const MAX_CATEGORY = 64

/** Messages that change in the same columns and came from the same state are written by one statement. */
const writeMessages = async (dialect: Dialect, trx: Knex, messages: ReadonlyArray<MessageRow>): Promise<void> => {
  const alike = new Map<string, Array<MessageRow>>()
  for (const message of messages) {
    const shape = [message.from, ...[...message.columns.keys()].sort()].join(' ')
    const known = alike.get(shape)
    if (known === undefined) alike.set(shape, [message])
    else known.push(message)
  }
  await Promise.all([
    ...Array.from(alike.values(), (group) => writeAlike(dialect, trx, group)),
    freeKeys(dialect, trx, messages.filter(({ from, to }) => guardsKey(from) && !guardsKey(to))),
  ])
}

const writeAlike = async (dialect: Dialect, trx: Knex, group: ReadonlyArray<MessageRow>): Promise<void> => {
  const [first] = group
  if (first === undefined) return
  const columns = [...first.columns.keys()]
  const shared = new Set(columns.filter((column) => group.every((message) => message.columns.get(column) === first.columns.get(column))))
  const own = columns.filter((column) => !shared.has(column))
  const touched = await updateEach(
    trx, dialect,
    {
      table: 'messages',
      key: ['workspace_id', 'id'],
      columns: own.map((column) => ({ name: `new_${column}`, type: column.endsWith('_at') ? 'integer' : 'text' })),
      set: columns.map((column) => [column, shared.has(column) ? '?' : `v.new_${column}`]),
      where: 't.state = ?',
    },
    group.map(({ workspace, id, columns: values }) => [workspace, id, ...own.map((column) => values.get(column) ?? null)]),
    { set: [...shared].map((column) => first.columns.get(column) ?? null), where: [first.from] },
  )
  if (touched !== group.length) throw new Raced('a message was moved by another transaction')
}

const freeKeys = async (dialect: Dialect, trx: Knex, messages: ReadonlyArray<MessageRow>): Promise<void> => {
  if (messages.length === 0) return
  const { sql, bindings } = among(dialect, ['workspace_id', 'message_id'], messages.map(({ workspace, id }) => [workspace, id]))
  await execute(trx, `DELETE FROM idempotency_keys WHERE ${sql}`, bindings)
}
