import { CUSTOMER_ERASED } from '../../../core/batches/batch.js'
import { CUSTOMER_DIGEST_FORM } from '../../../core/customers/customer.js'
import type { Instant } from '../../../core/kernel/time.js'
import { type Database, transact } from '../engine/database.js'
import type { Dialect } from '../engine/dialect.js'
import { type EachUpdate, execute, inList, type Queryable, type Row, select, updateEach } from '../engine/sql.js'
import { ASSIGNED, blocksOf, deleteRange, linesIn, rangesOf } from './batch-lines.js'

/** How many batches a statement reads whose contents are deleted. */
const BATCHES_READ = 100

/** The values of `has_contents`: nothing was deleted, and nothing is left to delete; something may be; something was deleted, and more may be; all of it was deleted. */
const [NONE, KEPT, DELETING, DELETED] = [0, 1, 2, 3]

/** Whether `has_contents` says that contents were deleted. */
export const isDeleted = (hasContents: Row[string] | undefined): boolean => [DELETING, DELETED].includes(Number(hasContents))

/** Deletes contents of lines whose batches ended before a given time, at most `limit`, those of the oldest batch first. */
export const forgetContents = async (database: Database, endedBefore: Instant, limit: number): Promise<number> => {
  let removed = 0
  for (;;) {
    const batches = await select(
      database.db,
      `SELECT workspace_id, id FROM batches WHERE has_contents IN (${KEPT}, ${DELETING}) AND ended_at < ? ORDER BY ended_at, id LIMIT ?`,
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
    const [isLast, hasRows] = [rows.length < limit, rows.length > 0]
    await execute(
      trx,
      `UPDATE batches SET has_contents = CASE WHEN has_contents = ${DELETING} OR ${hasRows ? '1 = 1' : '1 = 0'}
         THEN ${isLast ? DELETED : DELETING} ELSE ${isLast ? NONE : KEPT} END
       WHERE workspace_id = ? AND id = ?`,
      [workspace, batch],
    )
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

const unlessSent = (column: string): readonly [string, string] =>
  [column, `CASE WHEN t.message_id IS NULL THEN NULL ELSE t.${column} END`]

const ERASE: EachUpdate = {
  table: 'batch_lines', key: ['workspace_id', 'batch_id'],
  columns: [{ name: 'upload_no', type: 'integer' }, { name: 'line_no', type: 'integer' }, { name: 'digest', type: 'text' }],
  set: [
    ['recipient', 'v.digest'], ['customer_key', 'NULL'],
    ['problem', `CASE WHEN t.message_id IS NULL AND t.problem IS NULL THEN '${CUSTOMER_ERASED}' ELSE t.problem END`],
    ...['price', 'cost', 'category', 'market', 'stage'].map(unlessSent),
  ],
  where: 't.upload = v.upload_no AND t.line = v.line_no',
}

/** The lines of each upload, after the first of them. */
const byUpload = (lines: ReadonlyArray<PersonsLine>): ReadonlyArray<readonly [first: PersonsLine, lines: ReadonlyArray<PersonsLine>]> => {
  const groups = new Map<string, readonly [PersonsLine, Array<PersonsLine>]>()
  for (const line of lines) {
    const [workspace, batch, upload] = line.place
    const name = `${workspace} ${batch} ${upload}`
    const group = groups.get(name)
    if (group === undefined) groups.set(name, [line, [line]])
    else group[1].push(line)
  }
  return [...groups.values()]
}

/** Erases lines: the id is replaced by a digest, the content is deleted, and a line without a message is not sent. */
export const eraseLines = async (
  trx: Queryable, dialect: Dialect, lines: ReadonlyArray<PersonsLine>, digestOf: DigestOf,
): Promise<void> => {
  for (const [{ place: [workspace, batch, upload] }, some] of byUpload(lines)) {
    for (const block of blocksOf(some)) {
      const { sql, bindings } = linesIn(dialect, { workspace, batch, upload }, block.map(({ place: [, , , line] }) => line))
      await execute(trx, `DELETE FROM batch_contents WHERE ${sql}`, bindings)
      await updateEach(trx, dialect, ERASE, block.map(({ place, customer }) => [...place, digestOf(workspace, customer)]))
    }
  }
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
    const rows = batch === '' ? [] : await linesAfter(trx, database.dialect, [workspace, batch, Number(upload), Number(line)], limit)
    const old = rows.filter(({ recipient, open_since }) => open_since === null && !CUSTOMER_DIGEST_FORM.test(String(recipient)))
    await eraseLines(trx, database.dialect, old.map((row) => ({
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

/** The lines are limited before they are joined, so that each step reads no more than its own. */
const linesAfter = (
  trx: Queryable, dialect: Dialect, [workspace, batch, upload, line]: PersonsLine['place'], limit: number,
): Promise<ReadonlyArray<Row>> =>
  select(
    trx,
    `SELECT l.upload, l.line, l.recipient, l.customer_key, l.message_id, m.open_since FROM
       (SELECT * FROM ${dialect.byPrimaryKey('batch_lines')} WHERE workspace_id = ? AND batch_id = ?
          AND ${dialect.name === 'mysql' ? '(upload > ? OR (upload = ? AND line > ?))' : '(upload, line) > (?, ?)'}
        ORDER BY upload, line LIMIT ?) l
     LEFT JOIN messages m ON m.workspace_id = l.workspace_id AND m.id = l.message_id ORDER BY l.upload, l.line`,
    [workspace, batch, ...(dialect.name === 'mysql' ? [upload] : []), upload, line, limit],
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
