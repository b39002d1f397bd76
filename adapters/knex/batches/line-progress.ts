import {
  type BatchCounts, type CheckedLine, type Count, type FailureCode, failureCodeOf, type LineProblemCode,
} from '../../../core/batches/batch.js'
import type { MessageId, MessageState } from '../../../core/messages/message.js'
import { type Database, transact } from '../engine/database.js'
import { type EachUpdate, execute, micros, type Row, select, textOrNone, updateEach } from '../engine/sql.js'
import { ASSIGNED, blocksOf, linesIn, lockDraft, OPENED, SENDABLE, type UploadRef } from './batch-lines.js'

/** How a batch leaves: what is checked, assigned, sent and counted of its lines. */

const NOTE_CHECKED: EachUpdate = {
  table: 'batch_lines', key: ['workspace_id', 'batch_id'],
  columns: [
    { name: 'upload_no', type: 'integer' }, { name: 'line_no', type: 'integer' }, { name: 'new_problem', type: 'text' },
    { name: 'new_price', type: 'integer' }, { name: 'new_cost', type: 'integer' }, { name: 'new_category', type: 'text' },
    { name: 'new_market', type: 'text' }, { name: 'new_stage', type: 'integer' },
  ],
  set: [
    ['problem', 'v.new_problem'], ['price', 'v.new_price'], ['cost', 'v.new_cost'], ['category', 'v.new_category'],
    ['market', 'v.new_market'], ['stage', 'v.new_stage'],
  ],
  where: 't.upload = v.upload_no AND t.line = v.line_no AND t.message_id IS NULL',
}

/** Stores what a check found, as long as the batch is a draft; returns whether it was one. */
export const noteChecked = async (database: Database, of: UploadRef, lines: ReadonlyArray<CheckedLine>): Promise<boolean> => {
  const latest = inOrder(new Map(lines.map((line) => [line.line, line])))
  const { workspace, batch, upload } = of
  for (const block of latest.length === 0 ? [[]] : blocksOf(latest)) {
    const isDraft = await transact(database, async (trx) => {
      if (!await lockDraft(trx, of)) return false
      const rows = block.map(({ line, problem, rate }) => [
        workspace, batch, upload, line, problem ?? null, rate?.micros ?? null, rate?.cost ?? null, rate?.category ?? null,
        rate?.market ?? null, rate === undefined ? null : SENDABLE,
      ])
      if (rows.length > 0) await updateEach(trx, database.dialect, NOTE_CHECKED, rows)
      return true
    })
    if (!isDraft) return false
  }
  return true
}

const inOrder = <Line extends { readonly line: number }>(lines: ReadonlyMap<number, Line>): ReadonlyArray<Line> =>
  [...lines.values()].sort((a, b) => a.line - b.line)

const ASSIGN: EachUpdate = {
  table: 'batch_lines', key: ['workspace_id', 'batch_id'],
  columns: [{ name: 'upload_no', type: 'integer' }, { name: 'line_no', type: 'integer' }, { name: 'new_message', type: 'text' }],
  set: [['message_id', 'v.new_message'], ['stage', String(ASSIGNED)]],
  where: 't.upload = v.upload_no AND t.line = v.line_no AND t.message_id IS NULL',
}

/** A line and the message that it gets. */
export type Assignment = { readonly line: number; readonly message: MessageId }

/** Assigns messages to the lines that can be sent and have none; returns these lines. They are locked in the order of the key, so that two gateways do not wait for each other. */
export const assignLines = async (database: Database, of: UploadRef, lines: ReadonlyArray<Assignment>): Promise<ReadonlyArray<number>> => {
  const { dialect } = database
  const firsts = inOrder(new Map(lines.toReversed().map((line) => [line.line, line])))
  const assigned: Array<number> = []
  for (const block of blocksOf(firsts)) {
    assigned.push(...await transact(database, async (trx) => {
      const { sql, bindings } = linesIn(dialect, of, block.map(({ line }) => line))
      const rows = await select(
        trx,
        `SELECT line, stage FROM ${dialect.byPrimaryKey('batch_lines')} WHERE ${sql} ORDER BY line ${dialect.forUpdate}`,
        bindings,
      )
      const free = new Set(rows.filter(({ stage }) => Number(stage) === SENDABLE).map(({ line }) => Number(line)))
      const given = block.filter(({ line }) => free.has(line))
      if (given.length > 0) {
        await updateEach(trx, dialect, ASSIGN, given.map(({ line, message }) => [of.workspace, of.batch, of.upload, line, message]))
      }
      return given.map(({ line }) => line)
    }))
  }
  return assigned
}

/** Notes that the messages of lines exist. */
export const noteOpened = async (database: Database, of: UploadRef, lines: ReadonlyArray<number>): Promise<void> => {
  const { dialect } = database
  for (const block of blocksOf(lines.toSorted((a, b) => a - b))) {
    const { sql, bindings } = linesIn(dialect, of, block)
    // Not by the index of the stages, which would read every line that was assigned.
    const statement = `UPDATE ${dialect.byPrimaryKey('batch_lines')} SET stage = ${OPENED} WHERE ${sql} AND coalesce(stage, 0) = ${ASSIGNED}`
    await transact(database, (trx) => execute(trx, statement, bindings))
  }
}

/** How many lines a statement reads that ends the lines without a message. */
const ENDED = 5_000

/** Gives a problem to each line that has neither a message nor a problem. */
export const endUnsent = async (database: Database, { workspace, batch, upload }: UploadRef, problem: LineProblemCode): Promise<void> => {
  const { db, dialect } = database
  const [table, ofUpload] = [dialect.byPrimaryKey('batch_lines'), 'workspace_id = ? AND batch_id = ? AND upload = ? AND line > ?']
  for (let after: number | undefined = -1; after !== undefined;) {
    const from: number = after
    const rows = await select(
      db, `SELECT line FROM ${table} WHERE ${ofUpload} ORDER BY line LIMIT 1 OFFSET ${ENDED - 1}`, [workspace, batch, upload, from],
    )
    after = rows[0] === undefined ? undefined : Number(rows[0]['line'])
    await transact(database, (trx) => execute(
      trx,
      `UPDATE ${table} SET problem = ?, price = NULL, cost = NULL, category = NULL, market = NULL, stage = NULL
       WHERE ${ofUpload} ${after === undefined ? '' : 'AND line <= ?'} AND message_id IS NULL AND problem IS NULL`,
      [problem, workspace, batch, upload, from, ...(after === undefined ? [] : [after])],
    ))
  }
}

/** The messages of the last lines that have left. Each stage is read backwards by the index, because most lines may not have a message yet. */
export const lastSent = async (
  { db, dialect }: Database, { workspace, batch, upload }: UploadRef, limit: number,
): Promise<ReadonlyArray<MessageId>> => {
  const join = dialect.name === 'mysql' ? 'l FORCE INDEX (batch_lines_stage) STRAIGHT_JOIN' : 'l JOIN'
  const found = await Promise.all([ASSIGNED, OPENED].map((stage) => select(
    db,
    `SELECT l.line, l.message_id FROM batch_lines ${join} messages m ON m.workspace_id = l.workspace_id AND m.id = l.message_id
     WHERE l.workspace_id = ? AND l.batch_id = ? AND l.upload = ? AND l.stage = ${stage} AND m.state NOT IN ('queued', 'pending')
     ORDER BY l.line DESC LIMIT ?`,
    [workspace, batch, upload, limit],
  )))
  return found.flat().sort((a, b) => Number(b['line']) - Number(a['line'])).slice(0, limit)
    .map((row) => row['message_id'] as MessageId)
}

/** Counts the lines of an upload, by their problems, by the states of their messages and by the codes of their errors. */
export const countLines = async ({ db, dialect }: Database, { workspace, batch, upload }: UploadRef): Promise<BatchCounts> => {
  const rows = await select(
    db,
    `SELECT l.problem, m.state, CASE WHEN m.state IN ('failed', 'refused') THEN ${dialect.errorCode('m.error')} END AS error_code,
       COUNT(*) AS line_count, COUNT(l.price) AS rated, SUM(l.price) AS price_sum
     FROM batch_lines l ${dialect.name === 'mysql' ? 'FORCE INDEX (PRIMARY)' : ''}
     LEFT JOIN messages m ON m.workspace_id = l.workspace_id AND m.id = l.message_id
     WHERE l.workspace_id = ? AND l.batch_id = ? AND l.upload = ? GROUP BY 1, 2, 3`,
    [workspace, batch, upload],
  )
  return countsIn(rows)
}

const countsIn = (rows: ReadonlyArray<Row>): BatchCounts => {
  const problems = new Map<LineProblemCode, number>()
  const states = new Map<MessageState, Count>()
  const failures = new Map<FailureCode, number>()
  let [lines, unsent]: [number, Count] = [0, { lines: 0, micros: 0n }]
  for (const row of rows) {
    const [problem, state] = [textOrNone(row['problem']), textOrNone(row['state'])]
    const count: Count = { lines: Number(row['rated']), micros: micros(row['price_sum']) }
    lines += Number(row['line_count'])
    if (problem !== undefined) problems.set(problem, (problems.get(problem) ?? 0) + Number(row['line_count']))
    else if (state === undefined) unsent = count
    else states.set(state as MessageState, sumOf(states.get(state as MessageState), count))
    if (problem !== undefined || (state !== 'failed' && state !== 'refused')) continue
    const code = failureCodeOf({ code: textOrNone(row['error_code']) ?? null })
    failures.set(code, (failures.get(code) ?? 0) + count.lines)
  }
  return { lines, problems, unsent, states, failures }
}

const sumOf = (before: Count | undefined, more: Count): Count =>
  ({ lines: (before?.lines ?? 0) + more.lines, micros: (before?.micros ?? 0n) + more.micros })
