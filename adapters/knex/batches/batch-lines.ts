import {
  customerOfLine, type LineContent, type LineRate, type LinesQuery, type NewLine, type StoredLine,
} from '../../../core/batches/batch.js'
import { parseExactJson } from '../../../core/kernel/exact-json.js'
import type { Category } from '../../../core/kernel/money.js'
import type { MessageId } from '../../../core/messages/message.js'
import { type Database, transact } from '../engine/database.js'
import { type Dialect, storableText } from '../engine/dialect.js'
import { type Condition, execute, inList, insert, micros, type Queryable, type Row, select, textOrNone, together } from '../engine/sql.js'
import type { SecretBox } from '../secret-box.js'

/** An upload of a batch. */
export type UploadRef = { readonly workspace: string; readonly batch: string; readonly upload: number }

/** The stages of a line. A line with a problem and no message, or without a rate, has none. */
export const [SENDABLE, ASSIGNED, OPENED] = [1, 2, 3]

/**
 * Locks a batch until the transaction ends, if it is a draft. It is written, not only read: of two nodes of a cluster that write the same row one has to repeat its
 * transaction, so that no write of lines takes effect after the batch was changed.
 */
export const lockDraft = async (trx: Queryable, { workspace, batch }: Omit<UploadRef, 'upload'>): Promise<boolean> =>
  await execute(
    trx, "UPDATE batches SET writes = writes + 1, has_names = 1 WHERE workspace_id = ? AND id = ? AND state = 'draft'", [workspace, batch],
  ) > 0

/** How many lines a transaction writes. */
const BLOCK = 1_000

/** The lines of each transaction. */
export const blocksOf = <Line>(lines: ReadonlyArray<Line>): ReadonlyArray<ReadonlyArray<Line>> =>
  Array.from({ length: Math.ceil(lines.length / BLOCK) }, (_, index) => lines.slice(index * BLOCK, (index + 1) * BLOCK))

/** The condition that a row is one of some lines. */
export const linesIn = (dialect: Dialect, { workspace, batch, upload }: UploadRef, lines: ReadonlyArray<number>): Condition => {
  const { sql, bindings } = inList(dialect, ['line'], lines.map((line) => [line]), 'integer')
  return { sql: `workspace_id = ? AND batch_id = ? AND upload = ? AND ${sql}`, bindings: [workspace, batch, upload, ...bindings] }
}

/** Adds lines to an upload, as long as the batch is a draft. */
export const appendLines = async (database: Database, box: SecretBox, of: UploadRef, lines: ReadonlyArray<NewLine>): Promise<void> => {
  for (const block of blocksOf(lines)) {
    await transact(database, async (trx) => {
      // The lock excludes other writers of the batch, so a line that is not found now is new.
      if (!await lockDraft(trx, of)) return
      const { sql, bindings } = linesIn(database.dialect, of, block.map(({ line }) => line))
      const known = new Set((await select(trx, `SELECT line FROM batch_lines WHERE ${sql}`, bindings)).map(({ line }) => Number(line)))
      const added = [...new Map(block.toReversed().map((line) => [line.line, line])).values()].filter(({ line }) => !known.has(line))
        .sort((a, b) => a.line - b.line)
      await insertLines(trx, database.dialect, box, of, added)
    })
  }
}

const LINE_KEY = ['workspace_id', 'batch_id', 'upload', 'line'] as const

const insertLines = async (
  trx: Queryable, dialect: Dialect, box: SecretBox, of: UploadRef, lines: ReadonlyArray<NewLine>,
): Promise<void> => {
  const keyOf = (line: number) => [of.workspace, of.batch, of.upload, line]
  await together([
    insert(
      trx, dialect, 'batch_lines', [...LINE_KEY, 'recipient', 'customer_key', 'problem'],
      lines.map(({ line, to, problem }) => [...keyOf(line), storableText(to, MAX_TO), customerOfLine(to) ?? null, problem ?? null]),
    ),
    insert(
      trx, dialect, 'batch_contents', [...LINE_KEY, 'content'],
      lines.flatMap(({ line, content }) =>
        (content === undefined ? [] : [[...keyOf(line), box.seal(JSON.stringify(content), contextOf(of, line))]])),
    ),
  ])
}

/** The length of the column, in characters. */
const MAX_TO = 255

/** The place to which a content is bound, so that the content of one line cannot be stored as that of another. */
const contextOf = ({ workspace, batch, upload }: UploadRef, line: number): string =>
  `batch_contents content ${workspace} ${batch} ${upload} ${line}`

/** Removes lines of other uploads than the given one with their contents, at most `limit`, and returns their number. */
export const removeOthers = async (trx: Queryable, of: UploadRef, limit: number): Promise<number> => {
  const earlier = await removeLines(trx, of, 'upload < ?', limit)
  return earlier < limit ? earlier + await removeLines(trx, of, 'upload > ?', limit - earlier) : earlier
}

const removeLines = async (
  trx: Queryable, { workspace, batch, upload: kept }: UploadRef, where: string, limit: number,
): Promise<number> => {
  const rows = await select(
    trx, `SELECT upload, line FROM batch_lines WHERE workspace_id = ? AND batch_id = ? AND ${where} ORDER BY upload, line LIMIT ?`,
    [workspace, batch, kept, limit],
  )
  for (const { upload, from, to } of rangesOf(rows)) {
    for (const table of ['batch_contents', 'batch_lines']) await deleteRange(trx, table, { workspace, batch, upload }, from, to)
  }
  return rows.length
}

/** Deletes the rows of a range of lines. */
export const deleteRange = (
  trx: Queryable, table: string, { workspace, batch, upload }: UploadRef, from: number, to: number,
): Promise<number> =>
  execute(
    trx, `DELETE FROM ${table} WHERE workspace_id = ? AND batch_id = ? AND upload = ? AND line >= ? AND line <= ?`,
    [workspace, batch, upload, from, to],
  )

type LineRange = { readonly upload: number; readonly from: number; readonly to: number }

/** The first and the last line of each upload, of rows that follow one another. */
export const rangesOf = (rows: ReadonlyArray<Row>): ReadonlyArray<LineRange> => {
  const ranges = new Map<number, { readonly from: number; readonly to: number }>()
  for (const row of rows) {
    const [upload, line] = [Number(row['upload']), Number(row['line'])]
    ranges.set(upload, { from: ranges.get(upload)?.from ?? line, to: line })
  }
  return Array.from(ranges, ([upload, range]) => ({ upload, ...range }))
}

/** Reads lines of an upload with their contents. */
export const readLines = async (
  { db, dialect }: Database, box: SecretBox, of: UploadRef, { after, limit, only }: LinesQuery,
): Promise<ReadonlyArray<StoredLine>> => {
  const stage = only === undefined ? '' : `AND stage = ${only === 'sendable' ? SENDABLE : ASSIGNED}`
  const from = only === undefined ? dialect.byPrimaryKey('batch_lines') : dialect.byIndex('batch_lines', 'batch_lines_stage')
  const rows = await select(
    db,
    `SELECT l.*, c.content FROM
       (SELECT * FROM ${from} WHERE workspace_id = ? AND batch_id = ? AND upload = ? ${stage} AND line > ? ORDER BY line LIMIT ?) l
     LEFT JOIN batch_contents c ON c.workspace_id = l.workspace_id AND c.batch_id = l.batch_id AND c.upload = l.upload AND c.line = l.line
     ORDER BY l.line`,
    [of.workspace, of.batch, of.upload, after, limit],
  )
  return rows.map((row) => lineIn(box, of, row))
}

const lineIn = (box: SecretBox, of: UploadRef, row: Row): StoredLine => {
  const line = Number(row['line'])
  const [content, problem, message] = [textOrNone(row['content']), textOrNone(row['problem']), textOrNone(row['message_id'])]
  const rate = rateIn(row)
  return {
    line, to: String(row['recipient']),
    ...(content !== undefined && { content: parseExactJson(box.openOnce(content, contextOf(of, line))) as LineContent }),
    ...(problem !== undefined && { problem }),
    ...(rate && { rate }),
    ...(message !== undefined && { message: message as MessageId }),
    ...(Number(row['stage']) === OPENED && { isOpened: true }),
  }
}

const rateIn = ({ price, category, cost, market }: Row): LineRate | undefined => (price === null || price === undefined ? undefined : {
  micros: micros(price), category: category as Category,
  ...(cost !== null && { cost: micros(cost) }), ...(typeof market === 'string' && { market }),
})
