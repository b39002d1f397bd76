import * as O from 'fp-ts/lib/Option.js'
import type { WorkspaceId } from '../../../core/kernel/ids.js'
import { type Event, type EventBacklog, type EventOutbox, PLATFORM_NOTIFICATION, PULL_LISTENS_MS } from '../../../core/kernel/outbox.js'
import { HOUR_MS, type Instant } from '../../../core/kernel/time.js'
import { keptFor, portTasks } from '../engine/batches.js'
import { type Database, transact } from '../engine/database.js'
import type { Dialect } from '../engine/dialect.js'
import { type ColumnType, execute, inList, insert, instant, type Queryable, type Row, select } from '../engine/sql.js'
import { EVENT_COLUMNS, EVENT_TABLES, eventIn } from './entries.js'
import type { GroupCommit, Write } from '../writes.js'

/** The workspaces with a listener: an endpoint, or an application that polls events. */
export type EventListeners = {
  readonly listens: (workspace: string, at: Instant) => Promise<boolean>
  /** Whether an enabled endpoint gets the platform's notifications. */
  readonly relays: (workspace: string) => Promise<boolean>
  /** When a workspace's application last polled events, as far as it was recorded; `undefined` if it never did. */
  readonly pulledAt: (workspace: string) => Promise<Instant | undefined>
  /** Called after any change of a listener through this adapter, so that the change takes effect immediately. */
  readonly forget: () => void
}

/** How long the result is cached, in milliseconds, so that a send costs no query for it. */
const KEPT_MS = 2_000

/** The only key of the cached answers, because one query reads all workspaces. */
const ALL = ''

/** The column `types` of an endpoint that gets the platform's notifications. */
const RELAYED = JSON.stringify([PLATFORM_NOTIFICATION])

/** Reads the listeners of all workspaces, and caches them for a short time. */
export const makeEventListeners = ({ db }: Database): EventListeners => {
  const kept = keptFor(KEPT_MS, async () => {
    const [endpoints, pulls] = await Promise.all([
      select(
        db, "SELECT workspace_id, MAX(CASE WHEN types = ? THEN 1 ELSE 0 END) AS relays, MIN(CASE WHEN types = ? THEN 1 ELSE 0 END) AS only_relays FROM event_endpoints WHERE status = 'enabled' GROUP BY workspace_id",
        [RELAYED, RELAYED],
      ),
      select(db, 'SELECT workspace_id, pulled_at FROM event_streams WHERE pulled_at IS NOT NULL'),
    ])
    return {
      endpoints: new Set(endpoints.flatMap((row) => (Number(row['only_relays']) === 1 ? [] : [String(row['workspace_id'])]))),
      relays: new Set(endpoints.flatMap((row) => (Number(row['relays']) === 1 ? [String(row['workspace_id'])] : []))),
      pulls: new Map(pulls.map((row) => [String(row['workspace_id']), instant(row['pulled_at'])])),
    }
  })
  const pulledAt = async (workspace: string): Promise<Instant | undefined> => (await kept.get(ALL)).pulls.get(workspace)
  return {
    listens: async (workspace, at) => {
      const { endpoints, pulls } = await kept.get(ALL)
      const pulled = pulls.get(workspace)
      return endpoints.has(workspace) || (pulled !== undefined && at - pulled < PULL_LISTENS_MS)
    },
    relays: async (workspace) => (await kept.get(ALL)).relays.has(workspace),
    pulledAt,
    forget: () => { kept.forget(ALL) },
  }
}

/** Counts the stored events, and finds the workspaces whose events have waited longest for an enabled endpoint or the broker. */
export const readBacklog = async ({ db }: Database, limit: number, hasBroker: boolean): Promise<EventBacklog> => {
  const [counted, oldest] = await Promise.all([
    select(db, 'SELECT COUNT(*) AS stored FROM events'),
    select(
      db,
      `SELECT workspace_id, MIN(created_at) AS oldest_at FROM (${[...WAITING, ...(hasBroker ? [WAITING_FOR_BROKER] : [])].join(' UNION ALL ')}) AS waiting
       WHERE created_at IS NOT NULL GROUP BY workspace_id ORDER BY oldest_at, workspace_id LIMIT ?`,
      [limit],
    ),
  ])
  return {
    stored: Number(counted[0]?.['stored'] ?? 0),
    oldest: oldest.map((row) => ({ workspace: row['workspace_id'] as WorkspaceId, at: instant(row['oldest_at']) })),
  }
}

const firstAfter = (workspace: string, position: string): string =>
  `(SELECT e.created_at FROM events e WHERE e.workspace_id = ${workspace} AND e.position > ${position} ORDER BY e.position LIMIT 1)`

const WAITING: ReadonlyArray<string> = [
  `SELECT p.workspace_id, ${firstAfter('p.workspace_id', 'p.position')} AS created_at FROM event_endpoints p WHERE p.status = 'enabled'`,
  `SELECT p.workspace_id, e.created_at FROM event_endpoints p JOIN event_retries r ON r.endpoint_id = p.id JOIN events e ON e.id = r.event_id
   WHERE p.status = 'enabled'`,
]

const WAITING_FOR_BROKER = `SELECT s.workspace_id, ${firstAfter('s.workspace_id', 'coalesce(b.position, 0)')} AS created_at
  FROM event_streams s LEFT JOIN event_cursors b ON b.workspace_id = s.workspace_id AND b.consumer = 'broker'`

/** The maximum number of rows that one transaction removes. */
const BATCH = 500

/** The maximum number of batches of each kind in one call. */
const BATCHES = 10

/** What is removed: all events and attempts before one time, and contents that were delivered by another time. */
export type Removal = { readonly before: Instant; readonly at: Instant; readonly hasBroker: boolean }

/** Removes old events and attempts and delivered contents, up to a limit, and returns how many. */
export const removeOldEvents = async (database: Database, removal: Removal): Promise<number> => {
  let removed = 0
  for (const removeBatch of [removeEvents, removeAttempts, removeContents]) removed += await inBatches(() => removeBatch(database, removal))
  return removed
}

const inBatches = async (removeBatch: () => Promise<number>): Promise<number> => {
  let removed = 0
  for (let batch = 0; batch < BATCHES; batch += 1) {
    const found = await removeBatch()
    removed += found
    if (found < BATCH) break
  }
  return removed
}

const removeEvents = async (database: Database, { before }: Removal): Promise<number> => {
  const { db, dialect } = database
  const events = await select(
    db, 'SELECT workspace_id, position, id FROM events WHERE created_at < ? ORDER BY created_at LIMIT ?', [before, BATCH],
  )
  if (events.length === 0) return 0
  const { sql, bindings } = inList(dialect, ['e.id'], events.map(({ id }) => [String(id)]))
  const retries = await select(
    db,
    `SELECT r.endpoint_id, r.event_id FROM events e JOIN event_endpoints p ON p.workspace_id = e.workspace_id
     JOIN event_retries r ON r.endpoint_id = p.id AND r.event_id = e.id WHERE ${sql}`,
    bindings,
  )
  await transact(database, async (trx) => {
    await removeRows(trx, database, RETRIES, retries)
    await removeRows(trx, database, EVENT_CONTENTS, events)
    await removeRows(trx, database, { ...EVENT_CONTENTS, table: 'events' }, events)
  })
  return events.length
}

const removeAttempts = async (database: Database, { before }: Removal): Promise<number> => {
  const attempts = await select(
    database.db, 'SELECT endpoint_id, id FROM event_attempts WHERE attempted_at < ? ORDER BY attempted_at LIMIT ?', [before, BATCH],
  )
  await transact(database, (trx) => removeRows(trx, database, ATTEMPTS, attempts))
  return attempts.length
}

/** Removes contents that were delivered to every enabled endpoint and the broker, for workspaces whose applications do not poll events. */
const removeContents = async (database: Database, removal: Removal): Promise<number> => {
  const contents: Array<Row> = []
  for (const delivered of await deliveredContents(database, removal)) {
    if (contents.length < BATCH) contents.push(...await select(database.db, DELIVERED_CONTENTS, [...delivered, BATCH - contents.length]))
  }
  await transact(database, (trx) => removeRows(trx, database, EVENT_CONTENTS, contents))
  return contents.length
}

/** The workspaces whose oldest content has been delivered, and the position up to which everything has been delivered. */
const deliveredContents = async (
  { db }: Database, { at, hasBroker }: Removal,
): Promise<ReadonlyArray<readonly [workspace: string, upTo: number]>> => {
  const rows = await select(
    db,
    `SELECT s.workspace_id, ${hasBroker ? 'b.position' : 's.last_position'} AS last_sent,
       (SELECT MIN(p.position) FROM event_endpoints p WHERE p.workspace_id = s.workspace_id AND p.status = 'enabled') AS slowest,
       (SELECT c.position FROM event_contents c WHERE c.workspace_id = s.workspace_id ORDER BY c.position LIMIT 1) AS oldest
     FROM event_streams s ${hasBroker ? "JOIN event_cursors b ON b.workspace_id = s.workspace_id AND b.consumer = 'broker'" : ''}
     WHERE s.pulled_at IS NULL OR s.pulled_at <= ?`,
    [at - PULL_LISTENS_MS],
  )
  return rows.flatMap((row) => {
    const upTo = Math.min(Number(row['last_sent']), Number(row['slowest'] ?? Infinity))
    return row['oldest'] !== null && Number(row['oldest']) <= upTo ? [[String(row['workspace_id']), upTo] as const] : []
  })
}

/** An endpoint that waits for a retry of an event needs its content. */
const DELIVERED_CONTENTS = `SELECT c.workspace_id, c.position FROM event_contents c
  WHERE c.workspace_id = ? AND c.position <= ? AND NOT EXISTS (
    SELECT 1 FROM events e JOIN event_endpoints p ON p.workspace_id = e.workspace_id
    JOIN event_retries r ON r.endpoint_id = p.id AND r.event_id = e.id WHERE e.workspace_id = c.workspace_id AND e.position = c.position)
  ORDER BY c.position LIMIT ?`

/** A table, and the two columns of its primary key. */
type KeyedTable = { readonly table: string; readonly group: string; readonly key: string; readonly type: ColumnType }

const RETRIES: KeyedTable = { table: 'event_retries', group: 'endpoint_id', key: 'event_id', type: 'text' }
const ATTEMPTS: KeyedTable = { table: 'event_attempts', group: 'endpoint_id', key: 'id', type: 'text' }
const EVENT_CONTENTS: KeyedTable = { table: 'event_contents', group: 'workspace_id', key: 'position', type: 'integer' }

/** One statement for each endpoint or workspace, because MariaDB finds no index for a list of pairs. */
const removeRows = async (
  trx: Queryable, { dialect }: Database, { table, group, key, type }: KeyedTable, rows: ReadonlyArray<Row>,
): Promise<void> => {
  const groups = new Map<string, Array<string | number>>()
  for (const row of rows) {
    const name = String(row[group])
    groups.set(name, [...groups.get(name) ?? [], type === 'text' ? String(row[key]) : Number(row[key])])
  }
  await Promise.all(Array.from(groups).sort(([a], [b]) => (a < b ? -1 : 1)).map(([name, keys]) => {
    const { sql, bindings } = inList(dialect, [key], keys.map((one) => [one]), type)
    return execute(trx, `DELETE FROM ${table} WHERE ${group} = ? AND ${sql}`, [name, ...bindings])
  }))
}

/** The parts that the outbox shares with the rest of the storage. */
export type EventOutboxParts = {
  readonly database: Database
  readonly groupCommit: GroupCommit
  readonly listeners: EventListeners
  /** Whether a broker gets the events of every workspace. */
  readonly hasBroker: boolean
}

/** The outbox of events over SQL. */
export const makeEventOutbox = ({ database, groupCommit: { write }, listeners, hasBroker }: EventOutboxParts): EventOutbox => {
  const { db, dialect } = database
  return {
    hasBroker,
    listens: (workspace, at) => tasks.value(async () => hasBroker || listeners.listens(workspace, at)),
    relays: (workspace) => tasks.value(() => listeners.relays(workspace)),
    append: (_workspace, events) => tasks.value(() => write(APPENDING, events)),
    after: (workspace, position, limit) =>
      tasks.value(async () => {
        const rows = await select(
          db, `SELECT ${EVENT_COLUMNS} FROM ${EVENT_TABLES} WHERE e.workspace_id = ? AND e.position > ? ORDER BY e.position LIMIT ?`,
          [workspace, position, limit],
        )
        return rows.map(eventIn)
      }),
    find: (workspace, id) =>
      tasks.value(async () => {
        const [row] = await select(
          db, `SELECT ${EVENT_COLUMNS} FROM ${EVENT_TABLES} WHERE e.workspace_id = ? AND e.id = ?`, [workspace, id],
        )
        return row === undefined ? O.none : O.some(eventIn(row))
      }),
    notePull: (workspace, at) =>
      tasks.value(async () => {
        const noted = await listeners.pulledAt(workspace)
        if (noted !== undefined && at - noted < HOUR_MS) return
        await transact(database, (trx) =>
          insert(trx, dialect, 'event_streams', ['workspace_id', 'last_position', 'pulled_at'], [[workspace, 0, at]], noteLatest(dialect)))
        listeners.forget()
      }),
    removeOld: (before, at) => tasks.value(() => removeOldEvents(database, { before, at, hasBroker })),
    backlog: (limit) => tasks.value(() => readBacklog(database, limit, hasBroker)),
  }
}

/** Appended events share transactions with other writes, and are stored in the same way as the events of those writes. */
const APPENDING: Write<ReadonlyArray<Event>, void> = {
  kind: 'append-events',
  run: async (_trx, items, _verifyReads, emit) => {
    emit(items.flat())
    return items.map(() => undefined)
  },
}

/** The row may exist without a time, and another gateway may have recorded a later time. */
const noteLatest = ({ inserted, upsert }: Dialect): string => {
  const [stored, at] = ['event_streams.pulled_at', inserted('pulled_at')]
  return upsert(['workspace_id'], [['pulled_at', `CASE WHEN ${stored} > ${at} THEN ${stored} ELSE ${at} END`]])
}

const tasks = portTasks('EventOutbox')
