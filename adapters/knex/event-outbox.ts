import * as O from 'fp-ts/lib/Option.js'
import type { Event, EventOutbox } from '../../core/kernel/outbox.js'
import { HOUR_MS } from '../../core/kernel/time.js'
import { insert } from './bulk-sql.js'
import type { Database } from './database.js'
import type { Dialect } from './dialect.js'
import { readBacklog } from './event-backlog.js'
import type { EventListeners } from './event-listeners.js'
import { EVENT_COLUMNS, EVENT_TABLES, eventIn } from './events.js'
import type { GroupCommit, Write } from './group-commit.js'
import { portTasks } from './port-tasks.js'
import { removeOldEvents } from './remove-old-events.js'
import { select } from './sql.js'
import { transact } from './transact.js'

/** What the outbox shares with the rest of the storage. */
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
    listens: (workspace, at) => tasks.value(async () => hasBroker || listeners.listens(workspace, at)),
    append: (_workspace, events) => tasks.value(() => write(APPENDING, events)),
    after: (workspace, position, limit) =>
      tasks.value(async () => {
        const rows = await select(
          db, `SELECT ${EVENT_COLUMNS} FROM ${EVENT_TABLES} WHERE e.workspace_id = ? AND e.position > ? ORDER BY e.position LIMIT ?`, [workspace, position, limit],
        )
        return rows.map(eventIn)
      }),
    find: (workspace, id) =>
      tasks.value(async () => {
        const [row] = await select(db, `SELECT ${EVENT_COLUMNS} FROM ${EVENT_TABLES} WHERE e.workspace_id = ? AND e.id = ?`, [workspace, id])
        return row === undefined ? O.none : O.some(eventIn(row))
      }),
    notePull: (workspace, at) =>
      tasks.value(async () => {
        const noted = await listeners.pulledAt(workspace)
        if (noted !== undefined && at - noted < HOUR_MS) return
        await transact(database, (trx) => insert(trx, dialect, 'event_streams', ['workspace_id', 'last_position', 'pulled_at'], [[workspace, 0, at]], noteLatest(dialect)))
        listeners.forget()
      }),
    removeOld: (before, at) => tasks.value(() => removeOldEvents(database, { before, at, hasBroker })),
    backlog: (limit) => tasks.value(() => readBacklog(database, limit, hasBroker)),
  }
}

/** Appended events share transactions with other writes, and are stored as the events of those are. */
const APPENDING: Write<ReadonlyArray<Event>, void> = {
  kind: 'append-events',
  run: async (_trx, items, _verifyReads, emit) => {
    emit(items.flat())
    return items.map(() => undefined)
  },
}

/** The row may exist without a moment, and another gateway may have noted a later one. */
const noteLatest = ({ name, inserted }: Dialect): string => {
  const [stored, at] = ['event_streams.pulled_at', inserted('pulled_at')]
  const set = `pulled_at = CASE WHEN ${stored} > ${at} THEN ${stored} ELSE ${at} END`
  return name === 'mysql' ? `ON DUPLICATE KEY UPDATE ${set}` : `ON CONFLICT (workspace_id) DO UPDATE SET ${set}`
}

const tasks = portTasks('EventOutbox')
