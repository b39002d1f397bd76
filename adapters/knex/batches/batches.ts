import * as O from 'fp-ts/lib/Option.js'
import {
  type Batch, type BatchChange, type Batches, type BatchRef, movedBatch, readBatch, writeBatch,
} from '../../../core/batches/batch.js'
import type { WorkspaceId } from '../../../core/kernel/ids.js'
import { pageOf } from '../../../core/kernel/page.js'
import type { SenderId, SenderOf } from '../../../core/senders/sender.js'
import { portTasks } from '../engine/batches.js'
import { type Database, transact } from '../engine/database.js'
import { type Dialect, WriteConflict } from '../engine/dialect.js'
import { type Bound, type EachUpdate, execute, insert, type Queryable, type Row, select, updateEach } from '../engine/sql.js'
import type { TransactEvents } from '../events/entries.js'
import type { SecretBox } from '../secret-box.js'
import { appendLines, blocksOf, readLines, removeOthers } from './batch-lines.js'
import { forgetContents, isDeleted } from './forget-lines.js'
import { assignLines, countLines, endUnsent, lastSent, noteChecked, noteOpened } from './line-progress.js'

/** The batches over SQL. */
export const makeBatches = (database: Database, transactEvents: TransactEvents, box: SecretBox): Batches => {
  const { db, dialect } = database
  return {
    create: (batch, outboxEntries) => tasks.value(() => transactEvents(async (trx, emit) => {
      const { workspace, request } = batch
      const earlier = await read(trx, { workspace, batch: batch.id }) ?? (request && await readRequested(trx, workspace, request.key))
      if (earlier !== undefined) return earlier
      await insert(
        trx, dialect, 'batches', ['workspace_id', 'id', ...MOVING, 'created_at', 'has_contents', 'has_names', 'writes'],
        [[workspace, batch.id, ...movingOf(batch), batch.createdAt, 1, 1, 0]], '', 'another transaction has created the batch',
      )
      if (outboxEntries !== undefined) emit(outboxEntries(batch))
      return batch
    })),
    findByRequest: (workspace, key) => tasks.value(async () => O.fromNullable(await readRequested(db, workspace, key))),
    find: (of) => tasks.value(async () => O.fromNullable(await read(db, of))),
    ownerOf: (batch) => tasks.value(async () => {
      const [row] = await select(db, 'SELECT workspace_id FROM batches WHERE id = ?', [batch])
      return O.fromNullable(row && row['workspace_id'] as WorkspaceId)
    }),
    list: (workspace, { limit, cursor }) => tasks.value(async () => {
      const rows = await select(
        db, `SELECT data, has_contents FROM batches WHERE workspace_id = ? ${cursor === undefined ? '' : 'AND id < ?'} ORDER BY id DESC LIMIT ?`,
        [workspace, ...(cursor === undefined ? [] : [cursor]), limit + 1],
      )
      return pageOf(rows.map(batchIn), limit, ({ id }) => id)
    }),
    open: ({ after = '', limit }) => tasks.value(async () => {
      const rows = await select(
        db, `SELECT data, has_contents FROM ${dialect.byIndex('batches', 'batches_open')} WHERE is_open = 1 AND id > ? ORDER BY id LIMIT ?`,
        [after, limit],
      )
      return rows.map(batchIn)
    }),
    change: (change, outboxEntries) => tasks.value(() => transactEvents(async (trx, emit) => {
      const before = await read(trx, change, dialect.forUpdate)
      if (before === undefined || !applies(before, change)) return O.none
      const after = changed(before, change)
      const written = await execute(
        trx, `UPDATE batches SET ${MOVING.map((column) => `${column} = ?`).join(', ')}, writes = writes + 1 WHERE workspace_id = ? AND id = ?`,
        [...movingOf(after), change.workspace, change.batch],
      )
      if (written !== 1) throw new WriteConflict('another transaction has changed the batch')
      if (outboxEntries !== undefined) emit(outboxEntries(after))
      return O.some(after)
    })),
    append: (of, upload, lines) => tasks.value(() => appendLines(database, box, { ...of, upload }, lines)),
    removeOthers: (of, upload, limit) => tasks.value(() => transact(database, (trx) => removeOthers(trx, { ...of, upload }, limit))),
    lines: (of, upload, query) => tasks.value(() => readLines(database, box, { ...of, upload }, query)),
    noteChecked: (of, upload, lines) => tasks.value(() => noteChecked(database, { ...of, upload }, lines)),
    assign: (of, upload, lines) => tasks.value(() => assignLines(database, { ...of, upload }, lines)),
    noteOpened: (of, upload, lines) => tasks.value(() => noteOpened(database, { ...of, upload }, lines)),
    endUnsent: (of, upload, problem) => tasks.value(() => endUnsent(database, { ...of, upload }, problem)),
    lastSent: (of, upload, limit) => tasks.value(() => lastSent(database, { ...of, upload }, limit)),
    counts: (of, upload) => tasks.value(() => countLines(database, { ...of, upload })),
    forgetContents: (endedBefore, limit) => tasks.value(() => forgetContents(database, endedBefore, limit)),
  }
}

/** The ids of senders are digits, so each is a text that needs no escapes. Metadata may contain the same text, so the batches are read, too. */
const naming = (sender: SenderId): string => `%"sender":"${sender}"%`

/** How many batches of a sender are neither done nor canceled. */
export const countBatchesOf = async (trx: Queryable, { workspace, sender }: SenderOf): Promise<number> => {
  const rows = await select(
    trx, "SELECT data FROM batches WHERE workspace_id = ? AND state NOT IN ('done', 'canceled') AND data LIKE ?",
    [workspace, naming(sender)],
  )
  return rows.filter(({ data }) => readBatch(String(data)).sender === sender).length
}

const MOVE: EachUpdate = {
  table: 'batches', key: ['workspace_id', 'id'], columns: [{ name: 'new_data', type: 'text' }],
  set: [['data', 'v.new_data'], ['writes', 'writes + 1']], where: '1 = 1',
}

/** Gives the batches of a sender its new id in the caller's transaction. They are locked, because a change writes a batch as a whole. */
export const moveBatches = async (trx: Queryable, dialect: Dialect, { workspace, sender }: SenderOf, to: SenderId): Promise<void> => {
  const rows = await select(
    trx, `SELECT data FROM batches WHERE workspace_id = ? AND data LIKE ? ORDER BY id ${dialect.forUpdate}`, [workspace, naming(sender)],
  )
  const moved = rows.flatMap(({ data }) => movedBatch(readBatch(String(data)), sender, to) ?? [])
  for (const block of blocksOf(moved)) {
    await updateEach(trx, dialect, MOVE, block.map((batch) => [workspace, batch.id, writeBatch(batch)]))
  }
}

const read = async (db: Queryable, { workspace, batch }: BatchRef, lock = ''): Promise<Batch | undefined> => {
  const [row] = await select(db, `SELECT data, has_contents FROM batches WHERE workspace_id = ? AND id = ? ${lock}`, [workspace, batch])
  return row === undefined ? undefined : batchIn(row)
}

/** The batch of a workspace with the key of a request. A batch without a request has no key, and is not in that index. */
const readRequested = async (db: Queryable, workspace: WorkspaceId, key: string): Promise<Batch | undefined> => {
  const [row] = await select(db, 'SELECT data, has_contents FROM batches WHERE workspace_id = ? AND request_key = ?', [workspace, key])
  return row === undefined ? undefined : batchIn(row)
}

const batchIn = ({ data, has_contents }: Row): Batch =>
  ({ ...readBatch(String(data)), ...(isDeleted(has_contents) && { contentsDeleted: true }) })

/** The columns that a change writes. */
const MOVING = ['state', 'upload', 'is_open', 'ended_at', 'request_key', 'data'] as const

const movingOf = (batch: Batch): ReadonlyArray<Bound> => [
  batch.state, batch.upload, batch.state !== 'draft' && batch.settledAt === undefined ? 1 : 0, batch.endedAt ?? null,
  batch.request?.key ?? null, writeBatch(batch),
]

const applies = (batch: Batch, { from, upload, isHeld, total }: BatchChange): boolean =>
  from.includes(batch.state) && (upload === undefined || upload === batch.upload)
  && (isHeld === undefined || isHeld === (batch.confirmed?.heldAt !== undefined))
  && (total === undefined || total === batch.confirmed?.total)

const changed = (batch: Batch, { set }: BatchChange): Batch =>
  Object.fromEntries(Object.entries({ ...batch, ...set }).filter(([, value]) => value !== undefined)) as Batch

const tasks = portTasks('Batches')
