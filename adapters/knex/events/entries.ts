import { createHash } from 'node:crypto'
import { parseExactJson } from '../../../core/kernel/exact-json.js'
import type { AuditActor, AuditedAct, AuditEntry } from '../../../core/kernel/actor.js'
import type { AuditId, EventId, MemberId, WorkspaceId } from '../../../core/kernel/ids.js'
import type { JsonObject } from '../../../core/kernel/json.js'
import { type OutboxEntry, type Event, eventsIn, type EventType, isAuditEntry, type StoredEvent } from '../../../core/kernel/outbox.js'
import { type Database, transact, type TransactOptions } from '../engine/database.js'
import { type Dialect, storableText } from '../engine/dialect.js'
import {
  type EachColumn, insert, insertJoined, instant, type JoinedInsert, type Queryable, type Row, textOrNone, traceIn, type Values,
} from '../engine/sql.js'

/** Stores audit entries; an entry whose id is already stored changes nothing. */
export const writeAuditEntries = (dialect: Dialect, trx: Queryable, entries: ReadonlyArray<AuditEntry>): Promise<void> =>
  insert(trx, dialect, 'audit_entries', COLUMNS, entries.map(auditRowOf), dialect.insertIgnore('audit_entries', ['id']))

/** The columns of an audit entry. */
export const AUDIT_COLUMNS = 'id, workspace_id, created_at, act, outcome, actor_type, actor_id, actor_name, address, subject, details'

/** The entry of a row of `AUDIT_COLUMNS`. */
export const auditEntryIn = (row: Row): AuditEntry => {
  const [workspace, address, subject, details] = ['workspace_id', 'address', 'subject', 'details'].map((column) => textOrNone(row[column]))
  return {
    id: row['id'] as AuditId,
    at: instant(row['created_at']),
    by: actorIn(row),
    ...(address !== undefined && { address }),
    act: row['act'] as AuditedAct,
    outcome: row['outcome'] as AuditEntry['outcome'],
    ...(workspace !== undefined && { workspace: workspace as WorkspaceId }),
    ...(subject !== undefined && { subject }),
    ...(details !== undefined && { details: JSON.parse(details) as JsonObject }),
  }
}

const COLUMNS = AUDIT_COLUMNS.split(', ')

/** The lengths of the columns. */
const AUDIT_SUBJECT_LENGTH = 255
const NAME_LENGTH = 255
const ADDRESS_LENGTH = 64

/** The columns `actor_type`, `actor_id` and `actor_name` of an actor. */
export const actorColumns = (by: AuditActor): ReadonlyArray<string | null> =>
  [by.type, 'id' in by ? by.id : null, optional(nameOf(by), NAME_LENGTH)]

const auditRowOf = ({ id, workspace, at, act, outcome, by, address, subject, details }: AuditEntry) => [
  id, workspace ?? null, at, act, outcome, ...actorColumns(by),
  optional(address, ADDRESS_LENGTH), optional(subject, AUDIT_SUBJECT_LENGTH), details === undefined ? null : JSON.stringify(details),
]

const optional = (text: string | undefined, length: number): string | null => (text === undefined ? null : storableText(text, length))

const nameOf = (by: AuditActor): string | undefined => {
  switch (by.type) {
    case 'member':
    case 'unknown':
      return by.email
    case 'command_line':
      return by.user
    case 'key':
    case 'system':
      return undefined
  }
}

/** The actor of a row with the columns of `actorColumns`. */
export const actorIn = (row: Row): AuditActor => {
  const [id, name] = [textOrNone(row['actor_id']) ?? '', textOrNone(row['actor_name'])]
  switch (String(row['actor_type'])) {
    case 'member':
      return { type: 'member', id: id as MemberId, email: name ?? '' }
    case 'key':
      return { type: 'key', id }
    case 'command_line':
      return { type: 'command_line', ...(name !== undefined && { user: name }) }
    case 'unknown':
      return { type: 'unknown', ...(name !== undefined && { email: name }) }
    default:
      return { type: 'system' }
  }
}

/** Calls listeners of this process after a commit that stored events. */
export type EventSignal = {
  /** Adds a listener; the returned function removes it. */
  readonly onEvents: (listener: () => void) => () => void
  readonly stored: () => void
}

/** Creates a signal without listeners. */
export const makeEventSignal = (): EventSignal => {
  const listeners = new Set<() => void>()
  return {
    onEvents: (listener) => {
      listeners.add(listener)
      return () => { listeners.delete(listener) }
    },
    // The write is durable, so a fault of a listener must not become an error of the write.
    stored: () => { for (const listener of listeners) queueMicrotask(listener) },
  }
}

/**
 * Stores events at the end of a transaction, in their order for each workspace. An event is left out if the workspace already has its key; its position then stays
 * empty.
 *
 * The row of each workspace in `event_streams` is locked from here to the commit, so these must be the last statements of the transaction: then a workspace's positions
 * are in the order of the commits, and the lock is held only during the commit. The rows are locked in the order of their ids.
 */
export const writeEvents = async (dialect: Dialect, trx: Queryable, events: ReadonlyArray<Event>): Promise<void> => {
  if (events.length === 0) return
  const streams = byWorkspace(events)
  const counts = Array.from(streams, ([workspace, all]) => [workspace, all.length])
  // A position is counted back from the last position that the transaction reserves here, so that it need not be read.
  const table = events.some(({ trace }) => trace !== undefined) ? TRACED_EVENTS : EVENTS
  const rows = Array.from(streams.values(), (all) =>
    all.map((event, index) => rowOf(event, all.length - 1 - index, table === TRACED_EVENTS))).flat()
  // It is not awaited separately, so that it shares the round trip of the first events.
  const taking = insert(trx, dialect, 'event_streams', ['workspace_id', 'last_position'], counts, takePositions(dialect))
  for (const chunk of chunksOf(rows)) {
    await Promise.all([
      taking,
      insertJoined(
        trx, dialect, { ...table, upsert: dialect.insertIgnore('events', ['workspace_id', 'event_key']) },
        chunk.map(({ values }) => values),
      ),
      insertJoined(trx, dialect, CONTENTS, chunk.flatMap(({ contents }) => contents)),
    ])
  }
}

/** The columns of an event's row in `events`, with the customer's content from `event_contents`. */
export const EVENT_COLUMNS = 'e.workspace_id, e.position, e.id, e.type, e.subject, e.created_at, e.data, e.traceparent, c.content'

/** The tables of `EVENT_COLUMNS`. */
export const EVENT_TABLES = 'events e LEFT JOIN event_contents c ON c.workspace_id = e.workspace_id AND c.position = e.position'

/** The event of a row of `EVENT_COLUMNS`. */
export const eventIn = (row: Row): StoredEvent => ({
  id: row['id'] as EventId,
  type: row['type'] as EventType,
  workspace: row['workspace_id'] as WorkspaceId,
  at: instant(row['created_at']),
  subject: String(row['subject']),
  data: parseExactJson(String(row['data'])) as JsonObject,
  ...(typeof row['content'] === 'string' && { content: parseExactJson(row['content']) as JsonObject }),
  position: Number(row['position']),
  ...traceIn(row),
})

const byWorkspace = (events: ReadonlyArray<Event>): ReadonlyMap<string, ReadonlyArray<Event>> => {
  const groups = new Map<string, Array<Event>>()
  for (const event of events) {
    const group = groups.get(event.workspace)
    if (group === undefined) groups.set(event.workspace, [event])
    else group.push(event)
  }
  return new Map([...groups].sort(([a], [b]) => (a < b ? -1 : 1)))
}

const GIVEN: ReadonlyArray<EachColumn> = [
  { name: 'given_workspace', type: 'text' }, { name: 'back', type: 'integer' }, { name: 'given_id', type: 'text' },
  { name: 'given_type', type: 'text' }, { name: 'given_subject', type: 'text' }, { name: 'given_at', type: 'integer' },
  { name: 'given_data', type: 'text' }, { name: 'given_key', type: 'text' },
]

/** The values of an event: those of `GIVEN` and, if it has content, those for `event_contents`. */
type EventRow = { readonly values: Values; readonly contents: ReadonlyArray<Values>; readonly characters: number }

const rowOf = ({ workspace, id, type, subject, at, data, content, key, trace }: Event, back: number, isTraced: boolean): EventRow => {
  const [dataText, contentText] = [JSON.stringify(data), content === undefined ? undefined : JSON.stringify(content)]
  return {
    // Only a digest of the key is stored, because a key may be of any length.
    values: [
      workspace, back, id, type, storableText(subject, SUBJECT_LENGTH), at, dataText,
      key === undefined ? null : createHash('sha256').update(key).digest('hex'), ...(isTraced ? [trace ?? null] : []),
    ],
    contents: contentText === undefined ? [] : [[id, contentText]],
    characters: dataText.length + (contentText?.length ?? 0),
  }
}

/** The length of the column `subject`. */
const SUBJECT_LENGTH = 160

const EVENTS = {
  table: 'events',
  given: GIVEN,
  set: [
    ['workspace_id', 'v.given_workspace'], ['position', 's.last_position - v.back'], ['id', 'v.given_id'], ['type', 'v.given_type'],
    ['subject', 'v.given_subject'], ['created_at', 'v.given_at'], ['data', 'v.given_data'], ['event_key', 'v.given_key'],
  ],
  join: 'event_streams AS s ON s.workspace_id = v.given_workspace',
} as const

/** The same with the column of the trace, which is written only if an event has a trace. */
const TRACED_EVENTS: Pick<JoinedInsert, 'table' | 'given' | 'set' | 'join'> = {
  ...EVENTS, given: [...GIVEN, { name: 'given_trace', type: 'text' }], set: [...EVENTS.set, ['traceparent', 'v.given_trace']],
}

/** Contents refer to their events by id, so an event that was left out has no content. */
const CONTENTS = {
  table: 'event_contents',
  given: [{ name: 'given_id', type: 'text' }, { name: 'given_content', type: 'text' }],
  set: [['workspace_id', 'e.workspace_id'], ['position', 'e.position'], ['content', 'v.given_content']],
  join: 'events AS e ON e.id = v.given_id',
} as const

const takePositions = ({ inserted, upsert }: Dialect): string =>
  upsert(['workspace_id'], [['last_position', `event_streams.last_position + ${inserted('last_position')}`]])

/** The maximum number of characters of one statement. MySQL refuses a text longer than `max_allowed_packet`, which is 16 MiB by default. */
const MAX_CHARACTERS = 1_000_000

const chunksOf = (rows: ReadonlyArray<EventRow>): ReadonlyArray<ReadonlyArray<EventRow>> => {
  const chunks: Array<Array<EventRow>> = []
  let room = 0
  for (const row of rows) {
    if (row.characters > room || chunks.length === 0) {
      chunks.push([])
      room = MAX_CHARACTERS
    }
    chunks.at(-1)?.push(row)
    room -= row.characters
  }
  return chunks
}

/**
 * Stores the entries of writes, as the last statements of their transaction: the audit entries, then the events, whose lock must be the last one. Returns the number of
 * events.
 */
export const writeEntries = async (dialect: Dialect, trx: Queryable, entries: ReadonlyArray<OutboxEntry>): Promise<number> => {
  if (entries.length === 0) return 0
  const events = eventsIn(entries)
  await Promise.all([writeAuditEntries(dialect, trx, entries.filter(isAuditEntry)), writeEvents(dialect, trx, events)])
  return events.length
}

/** Collects events and audit entries, which are stored at the end of the transaction if it commits. */
export type Emit = (entries: ReadonlyArray<OutboxEntry>) => void

/** Runs work in one transaction, as `transact` does, and stores the events and audit entries that the work emits in the same transaction. */
export type TransactEvents = <Result>(work: (trx: Queryable, emit: Emit) => Promise<Result>, options?: TransactOptions) => Promise<Result>

/** Creates transactions that store events, and calls the signal after each commit that stored some. */
export const makeTransactEvents = (database: Database, signal: EventSignal): TransactEvents => async (work, options) => {
  const { result, events } = await transact(database, async (trx) => {
    // A transaction that is run again emits its events again.
    const emitted: Array<OutboxEntry> = []
    const done = await work(trx, (more) => { emitted.push(...more) })
    return { result: done, events: await writeEntries(database.dialect, trx, emitted) }
  }, options)
  if (events > 0) signal.stored()
  return result
}
