import * as O from 'fp-ts/lib/Option.js'
import type { Along } from '../../core/kernel/outbox.js'
import type { MovedMessage } from '../../core/messages/message-log.js'
import {
  appliedChange, type AppliedChange, applyChange, keepsIdempotencyKey, type MessageProgress, type MessageRecord, openProgress, type StateChange,
} from '../../core/messages/message.js'
import { inList, updateAll } from './bulk-sql.js'
import type { Dialect } from './dialect.js'
import type { Write } from './group-commit.js'
import { changedColumns, PROGRESS_COLUMNS, progressOf } from './message-rows.js'
import { eventsOfMoved, type MovedItem } from './moved-messages.js'
import { type Bound, execute, type Queryable, select } from './sql.js'

/** A change of one message, and the events of it if it moves the state. */
export type ChangeItem = {
  readonly workspace: string
  readonly id: string
  readonly change: StateChange
  readonly along?: Along<MovedMessage> | undefined
  /** The record of the message at its opening, where this process knows it. */
  readonly opened?: MessageRecord | undefined
}

/** Writes changes of messages by the rules of `applyChange`, and deletes the idempotency keys of messages that end unsent. */
export const applyChanges = (dialect: Dialect): Write<ChangeItem, O.Option<AppliedChange>> => ({
  kind: 'apply-changes',
  run: async (trx, items, verifyReads, emit) => {
    const isAssumed = !verifyReads && items.every(isFirstReport) && !hasRepeats(items)
    const messages = isAssumed ? assumePending(items) : await readMessages(dialect, trx, items)
    const moved: Array<MovedItem> = []
    const answers = items.map((item) => {
      const message = messages.get(keyOf(item))
      if (message === undefined) return O.none
      const before = message.after
      message.after = applyChange(before, item.change)
      const { along } = item
      if (along !== undefined && message.after.state !== before.state) moved.push({ ...item, along, before: isAssumed ? undefined : before })
      return O.some(appliedChange(message.after))
    })
    // Both start together, so the events' records cost no round trip.
    const [, events] = await Promise.all([writeMessages(dialect, trx, [...messages.values()]), eventsOfMoved(dialect, trx, moved)])
    emit(events)
    return answers
  },
})

/** A message before and after the transaction. */
type MessageRow = {
  readonly workspace: string
  readonly id: string
  readonly before: MessageProgress
  after: MessageProgress
}

/** A changed message and the columns to write. */
type ChangedRow = MessageRow & { readonly columns: ReadonlyMap<string, Bound> }

/** The key of a message. It includes the workspace, so that a workspace cannot name a message of another one. */
const keyOf = ({ workspace, id }: Pick<ChangeItem, 'workspace' | 'id'>): string => `${workspace} ${id}`

/** Whether the change is the first report of a message that this process has just sent. Then the message most likely is still pending. */
const isFirstReport = ({ change: { state } }: ChangeItem): boolean => state === 'accepted' || state === 'refused' || state === 'unconfirmed'

const hasRepeats = (items: ReadonlyArray<ChangeItem>): boolean => new Set(items.map(keyOf)).size < items.length

const PENDING = openProgress(0)

/** Messages that are assumed to be pending and are not read. The guarded update fails if one is not pending. */
const assumePending = (items: ReadonlyArray<ChangeItem>): Map<string, MessageRow> =>
  new Map(items.map(({ workspace, id }) => [keyOf({ workspace, id }), { workspace, id, before: PENDING, after: PENDING }]))

const COLUMNS = ['workspace_id', 'id', ...PROGRESS_COLUMNS].join(', ')

const readMessages = async (dialect: Dialect, trx: Queryable, items: ReadonlyArray<ChangeItem>): Promise<Map<string, MessageRow>> => {
  const keys = new Map(items.map((item) => [keyOf(item), [item.workspace, item.id]]))
  const { sql, bindings } = inList(dialect, ['workspace_id', 'id'], [...keys.values()])
  const rows = await select(trx, `SELECT ${COLUMNS} FROM ${dialect.byPrimaryKey('messages')} WHERE ${sql}`, bindings)
  return new Map(rows.map((row) => {
    const progress = progressOf(row)
    const message = { workspace: String(row['workspace_id']), id: String(row['id']), before: progress, after: progress }
    return [keyOf(message), message]
  }))
}

/** One statement writes all messages that have the same state before and change the same columns. */
const writeMessages = async (dialect: Dialect, trx: Queryable, messages: ReadonlyArray<MessageRow>): Promise<void> => {
  const groups = new Map<string, Array<ChangedRow>>()
  const unsent: Array<MessageRow> = []
  for (const message of messages) {
    const columns = changedColumns(message.before, message.after)
    if (columns.size === 0) continue
    const shape = [message.before.state, ...[...columns.keys()].sort()].join(' ')
    const group = groups.get(shape)
    if (group === undefined) groups.set(shape, [{ ...message, columns }])
    else group.push({ ...message, columns })
    if (keepsIdempotencyKey(message.before.state) && !keepsIdempotencyKey(message.after.state)) unsent.push(message)
  }
  await Promise.all([...Array.from(groups.values(), (group) => updateGroup(dialect, trx, group)), deleteKeys(dialect, trx, unsent)])
}

const updateGroup = async (dialect: Dialect, trx: Queryable, group: ReadonlyArray<ChangedRow>): Promise<void> => {
  const [first] = group
  if (first === undefined) return
  const columns = [...first.columns.keys()]
  const shared = new Set(columns.filter((column) => group.every((message) => message.columns.get(column) === first.columns.get(column))))
  const own = columns.filter((column) => !shared.has(column))
  await updateAll(
    trx, dialect,
    {
      table: 'messages',
      key: ['workspace_id', 'id'],
      columns: own.map((column) => ({ name: `new_${column}`, type: column.endsWith('_at') ? 'integer' : 'text' })),
      set: columns.map((column) => [column, shared.has(column) ? '?' : `v.new_${column}`]),
      // Another transaction may have written the platform id since the message was read, without a change of the state.
      where: columns.includes('platform_id') ? 't.state = ? AND t.platform_id IS NULL' : 't.state = ?',
    },
    group.map(({ workspace, id, columns: values }) => [workspace, id, ...own.map((column) => values.get(column) ?? null)]),
    'a message was moved by another transaction',
    { set: [...shared].map((column) => first.columns.get(column) ?? null), where: [first.before.state] },
  )
}

const deleteKeys = async (dialect: Dialect, trx: Queryable, messages: ReadonlyArray<MessageRow>): Promise<void> => {
  if (messages.length === 0) return
  const { sql, bindings } = inList(dialect, ['workspace_id', 'message_id'], messages.map(({ workspace, id }) => [workspace, id]))
  await execute(trx, `DELETE FROM idempotency_keys WHERE ${sql}`, bindings)
}
