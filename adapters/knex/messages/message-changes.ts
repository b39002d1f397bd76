import * as O from 'fp-ts/lib/Option.js'
import { parseExactJson } from '../../../core/kernel/exact-json.js'
import type { PhoneNumber } from '../../../core/customers/customer.js'
import type { WorkspaceId } from '../../../core/kernel/ids.js'
import type { JsonObject } from '../../../core/kernel/json.js'
import { type Category, type Currency, reportedCategory } from '../../../core/kernel/money.js'
import type { MakeOutboxEntries, OutboxEntry } from '../../../core/kernel/outbox.js'
import { type Draft, type MovedMessage, reportedType } from '../../../core/messages/message-log.js'
import {
  appliedChange, type AppliedChange, applyChange, isOutcomeUnknown, keepsIdempotencyKey, MESSAGE_STATES, type MessageId,
  type MessageProgress, type MessageRecord, type MessageState, type Metadata, openProgress, openRecord, type PlatformId, type StateChange,
} from '../../../core/messages/message.js'
import { senderIdOf } from '../../../core/senders/sender.js'
import { type Dialect, storableText } from '../engine/dialect.js'
import {
  type Bound, execute, inList, instant, micros, type Queryable, type Row, select, textOrNone, together, traceIn, updateAll,
} from '../engine/sql.js'
import type { Write } from '../writes.js'

/** The states with a column for their time, each before the states that follow it. */
export const DATED_STATES = MESSAGE_STATES.filter((state) => state !== 'pending')

/** The columns that are written when a message is opened; those of the trace and of the queue only if a message has a trace or is queued. */
export const openedColumns = (drafts: ReadonlyArray<Draft>): ReadonlyArray<string> =>
  drafts.some(({ trace, queue }) => trace !== undefined || queue !== undefined) ? ALL_COLUMNS : OPENED_COLUMNS

const OPENED_COLUMNS = [
  'workspace_id', 'id', 'kind', 'customer', 'sender', 'state', 'price', 'currency', 'category', 'cost', 'market', 'template_name',
  'language',
  'summary', 'metadata',
  'key_id', 'created_at', 'open_since',
] as const

const ALL_COLUMNS = [...OPENED_COLUMNS, 'traceparent', 'queued_at']

/** `open_since` of a queued message: later than any time, so that nothing takes it for a message whose outcome is unknown for long, and not null, because it has none. */
export const QUEUED_SINCE = Number.MAX_SAFE_INTEGER

/** The values of these columns for a draft, without the text's body and the template's variables. */
export const openedRow = (draft: Draft, columns: ReadonlyArray<string>): ReadonlyArray<Bound> => {
  const record = openRecord(draft)
  const {
    workspace, id, kind, to, sender, state, price, cost, market, templateName, language, summary, metadata, keyId, createdAt, trace,
  } = record
  return [
    workspace, id, kind, to, sender ?? null, state, price.micros, price.currency, price.category, cost ?? null, market ?? null,
    templateName ?? null, language ?? null, summary ?? null, metadata === undefined ? null : JSON.stringify(metadata), keyId ?? null,
    createdAt, state === 'queued' ? QUEUED_SINCE : createdAt,
    ...(columns === ALL_COLUMNS ? [trace ?? null, state === 'queued' ? createdAt : null] : []),
  ]
}

/** The record of a row of `messages`. */
export const recordOf = (row: Row): MessageRecord => ({
  id: row['id'] as MessageId,
  workspace: row['workspace_id'] as WorkspaceId,
  kind: row['kind'] as MessageRecord['kind'],
  to: row['customer'] as PhoneNumber,
  price: { micros: micros(row['price']), currency: row['currency'] as Currency, category: row['category'] as Category },
  templateName: textOrNone(row['template_name']),
  language: textOrNone(row['language']),
  summary: textOrNone(row['summary']),
  metadata: jsonOrNone(row['metadata']) as Metadata | undefined,
  createdAt: instant(row['created_at']),
  ...progressOf(row),
  ...(typeof row['sender'] === 'string' && { sender: senderIdOf(row['sender']) }),
  ...(row['cost'] !== null && { cost: micros(row['cost']) }),
  ...(typeof row['market'] === 'string' && { market: row['market'] }),
  ...traceIn(row),
  ...(typeof row['key_id'] === 'string' && { keyId: row['key_id'] }),
})

/** The columns that `progressOf` reads. */
export const PROGRESS_COLUMNS = [
  'state', 'platform_id', 'pricing', 'error', 'created_at', 'pending_at', ...DATED_STATES.map((state) => `${state}_at`),
] as const

/**
 * The value of the state column. For a played message it is `read`, and `played_at` is set. So a release that does not know the state sees a message that was read.
 */
export const storedState = (state: MessageState): string => (state === 'played' ? 'read' : state)

/** The state of a row of `messages`. */
export const stateOf = (row: Row): MessageState =>
  row['state'] === 'read' && row['played_at'] !== null ? 'played' : row['state'] as MessageState

/** The part of a row that changes after the message was opened. */
export const progressOf = (row: Row): MessageProgress => ({
  platformId: textOrNone(row['platform_id']) as PlatformId | undefined,
  state: stateOf(row),
  error: jsonOrNone(row['error']),
  pricing: jsonOrNone(row['pricing']),
  history: historyOf(row),
})

/** The columns that differ between two states of a message's progress, with their new values. */
export const changedColumns = (before: MessageProgress, after: MessageProgress): Map<string, Bound> => {
  const columns = new Map<string, Bound>()
  for (const { state, at } of after.history) {
    if (!before.history.some((entry) => entry.state === state)) columns.set(`${state}_at`, at)
  }
  if (after.platformId !== undefined && before.platformId === undefined) columns.set('platform_id', after.platformId)
  if (after.pricing !== undefined && before.pricing === undefined) {
    columns.set('pricing', JSON.stringify(after.pricing))
    const [category, type] = [reportedCategory(after.pricing), reportedType(after.pricing)]
    if (category !== undefined) columns.set('reported_category', storableText(category, REPORTED_LENGTH))
    if (type !== undefined) columns.set('reported_type', storableText(type, REPORTED_LENGTH))
  }
  if (after.error !== before.error) columns.set('error', after.error === undefined ? null : JSON.stringify(after.error))
  if (storedState(after.state) !== storedState(before.state)) {
    columns.set('state', storedState(after.state))
    if (!isOutcomeUnknown(after.state)) columns.set('open_since', null)
  }
  return columns
}

/** The length of the columns `reported_category` and `reported_type`. */
const REPORTED_LENGTH = 64

const historyOf = (row: Row): MessageRecord['history'] => [
  ...(row['queued_at'] === null ? [{ state: 'pending' as const, at: instant(row['created_at']) }] : statesIn(row, ['queued', 'pending'])),
  ...statesIn(row, LATER_STATES),
]

const LATER_STATES = DATED_STATES.filter((state) => state !== 'queued')

const statesIn = (row: Row, states: ReadonlyArray<MessageState>): MessageRecord['history'] =>
  states.flatMap((state) => (row[`${state}_at`] === null ? [] : [{ state, at: instant(row[`${state}_at`]) }]))

/** The JSON of a column; none if it is null. */
export const jsonOrNone = (value: Row[string] | undefined): JsonObject | undefined =>
  typeof value === 'string' ? (parseExactJson(value) as JsonObject) : undefined

/** A change that moved the state of its message. */
export type MovedItem = {
  readonly workspace: string
  readonly id: string
  readonly change: StateChange
  readonly outboxEntries: MakeOutboxEntries<MovedMessage>
  /** The record of the message at its opening, if it is known; otherwise it is read. */
  readonly opened?: MessageRecord | undefined
  /** The message's progress before the change; `undefined` if the message had just been opened. */
  readonly before: MessageProgress | undefined
}

/**
 * The events of changes, which need the complete records. Records that are not known yet may be read before or after the changes are written. The changing parts of a
 * message are taken from `before` and the change, because a record from the database may contain later changes of the same transaction.
 */
export const eventsOfMoved = async (
  dialect: Dialect, trx: Queryable, moved: ReadonlyArray<MovedItem>,
): Promise<ReadonlyArray<OutboxEntry>> => {
  if (moved.length === 0) return []
  const records = await readRecords(dialect, trx, moved.filter(({ opened }) => opened === undefined))
  return moved.flatMap(({ workspace, id, change, outboxEntries, before, opened }) => {
    const record = opened ?? records.get(`${workspace} ${id}`)
    if (record === undefined) return []
    const message = { ...record, ...before ?? firstProgressOf(record) }
    return outboxEntries({ from: message.state, message: applyChange(message, change) })
  })
}

/** The progress of a message before its first report. */
const firstProgressOf = ({ createdAt, history }: MessageRecord): MessageProgress => {
  const wasQueued = history.some(({ state }) => state === 'queued')
  return wasQueued
    ? { ...openProgress(createdAt), history: history.filter(({ state }) => state === 'queued' || state === 'pending') }
    : openProgress(createdAt)
}

const readRecords = async (
  dialect: Dialect, trx: Queryable, items: ReadonlyArray<MovedItem>,
): Promise<ReadonlyMap<string, MessageRecord>> => {
  if (items.length === 0) return new Map()
  const keys = new Map(items.map(({ workspace, id }) => [`${workspace} ${id}`, [workspace, id]]))
  const { sql, bindings } = inList(dialect, ['workspace_id', 'id'], [...keys.values()])
  const rows = await select(trx, `SELECT * FROM ${dialect.byPrimaryKey('messages')} WHERE ${sql}`, bindings)
  return new Map(rows.map((row) => [`${row['workspace_id']} ${row['id']}`, recordOf(row)]))
}

/** A change of one message, and its events if it moves the state. */
export type ChangeItem = {
  readonly workspace: string
  readonly id: string
  readonly change: StateChange
  readonly outboxEntries?: MakeOutboxEntries<MovedMessage> | undefined
  /** The record of the message at its opening, if this process knows it. */
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
      const { outboxEntries } = item
      if (outboxEntries !== undefined && message.after.state !== before.state) {
        moved.push({ ...item, outboxEntries, before: isAssumed ? undefined : before })
      }
      return O.some(appliedChange({ ...message.after, to: message.to }))
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
  /** The recipient, if the message was read. */
  readonly to?: MessageRecord['to']
  readonly before: MessageProgress
  after: MessageProgress
}

/** A changed message and the columns to write. */
type ChangedRow = MessageRow & { readonly columns: ReadonlyMap<string, Bound> }

/** The key of a message. It includes the workspace, so that a workspace cannot refer to a message of another one. */
const keyOf = ({ workspace, id }: Pick<ChangeItem, 'workspace' | 'id'>): string => `${workspace} ${id}`

/** Whether the change is the first report of a message that this process has just sent. Then the message most likely is still pending. */
const isFirstReport = ({ change: { state, onlyFrom } }: ChangeItem): boolean =>
  onlyFrom === undefined && (state === 'accepted' || state === 'refused' || state === 'unconfirmed')

const hasRepeats = (items: ReadonlyArray<ChangeItem>): boolean => new Set(items.map(keyOf)).size < items.length

const PENDING = openProgress(0)

/** Messages that are assumed to be pending and are not read. The guarded update fails if one is not pending. */
const assumePending = (items: ReadonlyArray<ChangeItem>): Map<string, MessageRow> =>
  new Map(items.map(({ workspace, id }) => [keyOf({ workspace, id }), { workspace, id, before: PENDING, after: PENDING }]))

const COLUMNS = ['workspace_id', 'id', 'customer', ...PROGRESS_COLUMNS].join(', ')

const readMessages = async (dialect: Dialect, trx: Queryable, items: ReadonlyArray<ChangeItem>): Promise<Map<string, MessageRow>> => {
  const keys = new Map(items.map((item) => [keyOf(item), [item.workspace, item.id]]))
  const { sql, bindings } = inList(dialect, ['workspace_id', 'id'], [...keys.values()])
  const rows = await select(trx, `SELECT ${COLUMNS} FROM ${dialect.byPrimaryKey('messages')} WHERE ${sql}`, bindings)
  return new Map(rows.map((row) => {
    const progress = progressOf(row)
    const message = {
      workspace: String(row['workspace_id']), id: String(row['id']), to: row['customer'] as PhoneNumber, before: progress, after: progress,
    }
    return [keyOf(message), message]
  }))
}

/** One statement writes all messages that have the same state before and change the same columns. */
const writeMessages = async (dialect: Dialect, trx: Queryable, messages: ReadonlyArray<MessageRow>): Promise<void> => {
  const groups = new Map<string, Array<ChangedRow>>()
  const [unsent, unqueued]: [Array<MessageRow>, Array<MessageRow>] = [[], []]
  for (const message of messages) {
    const columns = changedColumns(message.before, message.after)
    if (columns.size === 0) continue
    const shape = [message.before.state, ...[...columns.keys()].sort()].join(' ')
    const group = groups.get(shape)
    if (group === undefined) groups.set(shape, [{ ...message, columns }])
    else group.push({ ...message, columns })
    if (keepsIdempotencyKey(message.before.state) && !keepsIdempotencyKey(message.after.state)) unsent.push(message)
    if (message.before.state === 'queued') unqueued.push(message)
  }
  await Promise.all([
    ...Array.from(groups.values(), (group) => updateGroup(dialect, trx, group)),
    deleteKeys(dialect, trx, unsent), deleteQueued(dialect, trx, unqueued),
  ])
}

/** The columns that another transaction may have written since the message was read without changing the state column. */
const UNSEEN: ReadonlySet<string> = new Set(['platform_id', 'played_at'])

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
      where: ['t.state = ?', ...columns.filter((column) => UNSEEN.has(column)).map((column) => `t.${column} IS NULL`)].join(' AND '),
    },
    group.map(({ workspace, id, columns: values }) => [workspace, id, ...own.map((column) => values.get(column) ?? null)]),
    'a message was moved by another transaction',
    { set: [...shared].map((column) => first.columns.get(column) ?? null), where: [storedState(first.before.state)] },
  )
}

/** Deletes the places and the contents of messages that leave the queue. */
export const deleteQueued = async (
  dialect: Dialect, trx: Queryable, messages: ReadonlyArray<{ readonly workspace: string; readonly id: string }>,
): Promise<void> => {
  if (messages.length === 0) return
  const { sql, bindings } = inList(dialect, ['workspace_id', 'message_id'], messages.map(({ workspace, id }) => [workspace, id]))
  await together([
    execute(trx, `DELETE FROM queued_messages WHERE ${sql}`, bindings), execute(trx, `DELETE FROM queued_contents WHERE ${sql}`, bindings),
  ])
}

const deleteKeys = async (dialect: Dialect, trx: Queryable, messages: ReadonlyArray<MessageRow>): Promise<void> => {
  if (messages.length === 0) return
  const { sql, bindings } = inList(dialect, ['workspace_id', 'message_id'], messages.map(({ workspace, id }) => [workspace, id]))
  await execute(trx, `DELETE FROM idempotency_keys WHERE ${sql}`, bindings)
}
