import { CUSTOMER_ERASED } from '../../../core/batches/batch.js'
import { CUSTOMER_DIGEST_FORM } from '../../../core/customers/customer.js'
import type { Instant } from '../../../core/kernel/time.js'
import { type Database, transact } from '../engine/database.js'
import type { Dialect } from '../engine/dialect.js'
import { execute, inList, type Queryable, type Row, select } from '../engine/sql.js'
import { ASSIGNED, deleteRange, rangesOf } from './batch-lines.js'

/** How many batches a statement reads whose contents are deleted. */
const BATCHES_READ = 100

/** Deletes contents of lines whose batches ended before a given time, at most `limit`, those of the oldest batch first. */
export const forgetContents = async (database: Database, endedBefore: Instant, limit: number): Promise<number> => {
  let removed = 0
  for (;;) {
    const batches = await select(
      database.db, 'SELECT workspace_id, id FROM batches WHERE has_contents = 1 AND ended_at < ? ORDER BY ended_at, id LIMIT ?',
      [endedBefore, BATCHES_READ],
    )
    for (const { workspace_id, id } of batches) {
      if (removed >= limit) return removed
      removed += await forgetContentsOf(database, { workspace: String(workspace_id), batch: String(id) }, limit - removed)
    }
    if (removed >= limit || batches.length < BATCHES_READ) return removed
  }
}

type ContentsOf = { readonly workspace: string; readonly batch: string }

const forgetContentsOf = (database: Database, { workspace, batch }: ContentsOf, limit: number): Promise<number> =>
  transact(database, async (trx) => {
    const rows = await select(
      trx, 'SELECT upload, line FROM batch_contents WHERE workspace_id = ? AND batch_id = ? ORDER BY upload, line LIMIT ?',
      [workspace, batch, limit],
    )
    for (const { upload, from, to } of rangesOf(rows)) await deleteRange(trx, 'batch_contents', { workspace, batch, upload }, from, to)
    // No content is added to a batch that has ended.
    if (rows.length < limit) await execute(trx, 'UPDATE batches SET has_contents = 0 WHERE workspace_id = ? AND id = ?', [workspace, batch])
    return rows.length
  })

/** How many lines to some customers have a message that may be opened at any time, and does not exist yet. */
export const countLinesUnderWay = async (
  db: Queryable, dialect: Dialect, workspace: string, keys: ReadonlyArray<string>,
): Promise<number> => {
  const { sql, bindings } = inList(dialect, ['l.customer_key'], keys.map((key) => [key]))
  const [row] = await select(
    db,
    `SELECT COUNT(*) AS line_count FROM batch_lines l JOIN batches b ON b.workspace_id = l.workspace_id AND b.id = l.batch_id
     LEFT JOIN messages m ON m.workspace_id = l.workspace_id AND m.id = l.message_id
     WHERE l.workspace_id = ? AND ${sql} AND l.stage = ${ASSIGNED} AND b.is_open = 1 AND m.id IS NULL`,
    [workspace, ...bindings],
  )
  return Number(row?.['line_count'])
}

/** The lines to some customers, locked in the order of the key. A line that has no message yet gets none as long as the transaction runs. */
export const lockLinesTo = async (
  trx: Queryable, dialect: Dialect, workspace: string, keys: ReadonlyArray<string>,
): Promise<ReadonlyArray<PersonsLine>> => {
  const { sql, bindings } = inList(dialect, ['customer_key'], keys.map((key) => [key]))
  const rows = await select(
    trx,
    `SELECT batch_id, upload, line, customer_key FROM ${dialect.byIndex('batch_lines', 'batch_lines_customer')}
     WHERE workspace_id = ? AND ${sql} ORDER BY batch_id, upload, line ${dialect.forUpdate}`,
    [workspace, ...bindings],
  )
  return rows.map((row) => ({
    place: [workspace, String(row['batch_id']), Number(row['upload']), Number(row['line'])], customer: String(row['customer_key']),
  }))
}

/** The key of a line, and the customer to whom it leads. */
type PersonsLine = { readonly place: readonly [string, string, number, number]; readonly customer: string }

/** The digest that replaces an id. */
type DigestOf = (workspace: string, key: string) => string

/** Erases lines: the id is replaced by a digest, the content is deleted, and a line without a message is not sent. */
export const eraseLines = async (
  trx: Queryable, lines: ReadonlyArray<PersonsLine>, digestOf: DigestOf,
): Promise<void> => {
  const place = 'workspace_id = ? AND batch_id = ? AND upload = ? AND line = ?'
  const unlessSent = (column: string): string => `${column} = CASE WHEN message_id IS NULL THEN NULL ELSE ${column} END`
  await trx.writeEach(`DELETE FROM batch_contents WHERE ${place}`, lines.map((line) => line.place))
  await trx.writeEach(
    `UPDATE batch_lines SET recipient = ?, customer_key = NULL,
       problem = CASE WHEN message_id IS NULL AND problem IS NULL THEN '${CUSTOMER_ERASED}' ELSE problem END,
       ${['price', 'cost', 'category', 'market', 'stage'].map(unlessSent).join(', ')} WHERE ${place}`,
    lines.map((line) => [digestOf(line.place[0], line.customer), ...line.place]),
  )
}

/** The lines to forget: those after a line, at most `limit`, of batches that ended before a time and of drafts that were created before it. */
type OldLines = { readonly before: Instant; readonly limit: number; readonly after: LinePlace }

/** The last line that was looked at, as a workspace and the other columns of the key in one text. */
type LinePlace = { readonly workspace: string; readonly key: string }

/** The form of the place of a line within its workspace. */
const LINE_PLACE = /^(\S+) (-?\d+) (-?\d+)$/

/** Forgets the customers of old lines. Right: how many lines without a message it forgot, because a message counts by itself, and where to go on. */
export const forgetOldLines = async (
  database: Database, { before, limit, after: { workspace, key } }: OldLines, digestOf: DigestOf,
): Promise<{ readonly count: number; readonly next: LinePlace | undefined }> =>
  transact(database, async (trx) => {
    const [, batch = '', upload = '', line = ''] = LINE_PLACE.exec(key) ?? []
    const rows = batch === '' ? [] : await linesAfter(trx, [workspace, batch, Number(upload), Number(line)], limit)
    const old = rows.filter(({ recipient, open_since }) => open_since === null && !CUSTOMER_DIGEST_FORM.test(String(recipient)))
    await eraseLines(trx, old.map((row) => ({
      place: [workspace, batch, Number(row['upload']), Number(row['line'])], customer: String(row['customer_key'] ?? row['recipient']),
    })), digestOf)
    const count = old.filter((row) => row['message_id'] === null).length
    const last = rows.length === limit ? rows.at(-1) : undefined
    if (last !== undefined) return { count, next: { workspace, key: `${batch} ${Number(last['upload'])} ${Number(last['line'])}` } }
    if (batch !== '' && rows.every(({ open_since }) => open_since === null)) {
      await execute(trx, 'UPDATE batches SET has_names = 0 WHERE workspace_id = ? AND id = ?', [workspace, batch])
    }
    return { count, next: await nextBatch(trx, database.dialect, before, [workspace, batch]) }
  })

const linesAfter = (
  trx: Queryable, [workspace, batch, upload, line]: PersonsLine['place'], limit: number,
): Promise<ReadonlyArray<Row>> =>
  select(
    trx,
    `SELECT l.upload, l.line, l.recipient, l.customer_key, l.message_id, m.open_since FROM batch_lines l
     LEFT JOIN messages m ON m.workspace_id = l.workspace_id AND m.id = l.message_id
     WHERE l.workspace_id = ? AND l.batch_id = ? AND (l.upload > ? OR (l.upload = ? AND l.line > ?)) ORDER BY l.upload, l.line LIMIT ?`,
    [workspace, batch, upload, upload, line, limit],
  )

const nextBatch = async (
  trx: Queryable, dialect: Dialect, before: Instant, [workspace, batch]: readonly [string, string],
): Promise<LinePlace | undefined> => {
  const isAfter = dialect.name === 'mysql' ? '(workspace_id > ? OR (workspace_id = ? AND id > ?))' : '(workspace_id, id) > (?, ?)'
  const [row] = await select(
    trx,
    `SELECT workspace_id, id FROM batches WHERE ${isAfter} AND has_names = 1 AND (ended_at < ? OR (state = 'draft' AND created_at < ?))
     ORDER BY workspace_id, id LIMIT 1`,
    [...(dialect.name === 'mysql' ? [workspace] : []), workspace, batch, before, before],
  )
  return row === undefined ? undefined : { workspace: String(row['workspace_id']), key: `${String(row['id'])} -1 -1` }
}
