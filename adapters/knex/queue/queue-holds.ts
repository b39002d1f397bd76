import * as O from 'fp-ts/lib/Option.js'
import type { WorkspaceId } from '../../../core/kernel/ids.js'
import { MAX_NOTE_LENGTH } from '../../../core/kernel/text.js'
import {
  type Heartbeat, heldStart, heldStartOf, type HoldReason, INSTALLATION_KEPT_MS, isBeatDue, type QueueHold, type QueueHolds,
  type SeenInstallation,
} from '../../../core/messages/queue-holds.js'
import { portTasks } from '../engine/batches.js'
import type { Database } from '../engine/database.js'
import { sqlErrorKind, storableText, WriteConflict } from '../engine/dialect.js'
import { execute, insert, instant, type Queryable, type Row, select, textOrNone } from '../engine/sql.js'
import { actorColumns, actorIn, type TransactEvents } from '../events/entries.js'

/** The workspace of the hold of every workspace. It sorts before every id. */
const EVERY = ''

/** The holds of the queue over SQL. A heartbeat only reads, except every ten seconds. */
export const makeQueueHolds = ({ db, dialect }: Database, transactEvents: TransactEvents): QueueHolds => {
  return {
    list: () => tasks.value(() => list(db)),
    hold: (hold, outboxEntries) => tasks.value(async () => {
      try {
        return await transactEvents(async (trx, emit) => {
          const rows = await select(
            trx, `SELECT * FROM queue_holds WHERE workspace_id IN (?, ?) ORDER BY workspace_id`, [EVERY, hold.workspace ?? EVERY],
          )
          const [known] = rows.map(holdIn)
          if (known !== undefined) return { hold: known, isNew: false }
          await add(trx, hold)
          emit(outboxEntries?.(hold) ?? [])
          return { hold, isNew: true }
        })
      } catch (error) {
        if (sqlErrorKind(error) !== 'conflict') throw error
        const [known] = (await select(db, 'SELECT * FROM queue_holds WHERE workspace_id = ?', [hold.workspace ?? EVERY])).map(holdIn)
        if (known === undefined) throw error
        return { hold: known, isNew: false }
      }
    }),
    resume: (workspace, outboxEntries) => tasks.value(() => transactEvents(async (trx, emit) => {
      const [row] = await select(trx, `SELECT * FROM queue_holds WHERE workspace_id = ? ${dialect.forUpdate}`, [workspace ?? EVERY])
      if (row === undefined) return O.none
      await execute(trx, 'DELETE FROM queue_holds WHERE workspace_id = ?', [workspace ?? EVERY])
      const hold = holdIn(row)
      emit(outboxEntries?.(hold) ?? [])
      return O.some(hold)
    })),
    heartbeat: (beat, outboxEntries) => tasks.value(async () => {
      const isNew = isBeatDue(await installations(db), beat) && await transactEvents(async (trx, emit) => {
        const added = await noteBeat(trx, beat)
        if (added !== undefined) emit(outboxEntries?.(added) ?? [])
        return added !== undefined
      })
      return { holds: await list(db), isNew }
    }),
  }

  async function add(trx: Queryable, { workspace, since, why, by, note }: QueueHold): Promise<void> {
    await insert(trx, dialect, 'queue_holds', COLUMNS, [
      [workspace ?? EVERY, since, why, ...actorColumns(by), note === undefined ? null : storableText(note, MAX_NOTE_LENGTH)],
    ])
  }

  /** Stores a heartbeat, and the hold that it requires, which is returned. The rows stay locked, so that of concurrent heartbeats one sees those of the others. */
  async function noteBeat(trx: Queryable, beat: Heartbeat): Promise<QueueHold | undefined> {
    const { installation, at } = beat
    // Another installation may add its row while this one waits for the locks, so the rows are read after that.
    if (dialect.forUpdate !== '') {
      await select(trx, `SELECT installation FROM queue_installations ORDER BY installation ${dialect.forUpdate}`, [])
    }
    const seen = await installations(trx)
    if (!isBeatDue(seen, beat)) return undefined
    const why = heldStartOf(seen, beat)
    await execute(trx, 'DELETE FROM queue_installations WHERE installation <> ? AND seen_at < ?', [installation, at - INSTALLATION_KEPT_MS])
    await insert(
      trx, dialect, 'queue_installations', ['installation', 'seen_at'], [[installation, at]], dialect.upsert(['installation'], ['seen_at']),
    )
    if (why === undefined) return undefined
    const [queued] = await select(trx, 'SELECT message_id FROM queued_contents LIMIT 1', [])
    const [held] = await select(trx, 'SELECT since FROM queue_holds WHERE workspace_id = ?', [EVERY])
    if (queued === undefined || held !== undefined) return undefined
    const hold = heldStart(why, at)
    try {
      await add(trx, hold)
    } catch (error) {
      // Another gateway has added it. The transaction is run again and sees that.
      throw sqlErrorKind(error) === 'conflict' ? new WriteConflict('the queue was held by another transaction', { cause: error }) : error
    }
    return hold
  }
}

const COLUMNS = ['workspace_id', 'since', 'why', 'actor_type', 'actor_id', 'actor_name', 'note']

const list = async (db: Queryable): Promise<ReadonlyArray<QueueHold>> =>
  (await select(db, 'SELECT * FROM queue_holds ORDER BY workspace_id', [])).map(holdIn)

const installations = async (db: Queryable): Promise<ReadonlyArray<SeenInstallation>> =>
  (await select(db, 'SELECT installation, seen_at FROM queue_installations', []))
    .map((row) => ({ installation: String(row['installation']), seenAt: instant(row['seen_at']) }))

const holdIn = (row: Row): QueueHold => {
  const [workspace, note] = [String(row['workspace_id']), textOrNone(row['note'])]
  return {
    ...(workspace !== EVERY && { workspace: workspace as WorkspaceId }),
    since: instant(row['since']), why: String(row['why']) as HoldReason,
    by: actorIn(row), ...(note !== undefined && { note }),
  }
}

const tasks = portTasks('QueueHolds')
