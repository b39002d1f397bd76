import { setImmediate as nextTurn } from 'node:timers/promises'
import { type CustomerId, isUserId, variantsOf } from '../../../core/customers/customer.js'
import type { WorkspaceId } from '../../../core/kernel/ids.js'
import { type Instant, SECOND_MS, UTC_DAYS } from '../../../core/kernel/time.js'
import { isThrough } from '../../../core/messages/message-log.js'
import { firstMessageIdAt, type MessageId, type MessageState, messageTime } from '../../../core/messages/message.js'
import { chargedIn, type TimeSpan } from '../../../core/messages/statistics.js'
import { senderIdOf } from '../../../core/senders/sender.js'
import {
  type Answerable, ANSWERED_AMONG, ANSWERED_WITHIN_MS, answeredBy, type CustomerReply, cutPeriod, type ResultCount, type ResultsQuery,
  type TemplateResults, UNANSWERABLE,
} from '../../../core/templates/results.js'
import { portTasks, type ReadBatcher } from '../engine/batches.js'
import type { Database } from '../engine/database.js'
import type { Dialect } from '../engine/dialect.js'
import { type Bound, instant, micros, type Queryable, type Row, select, textOrNone, updateEach } from '../engine/sql.js'
import type { GroupCommit, Write } from '../writes.js'

/** What template messages achieve, over SQL: derived from the messages and the history of consents. A send writes nothing for it but an entry of an index. */
export const makeTemplateResults = (
  { db, dialect }: Database, readBatcher: ReadBatcher, { write }: GroupCommit,
): TemplateResults => {
  const noting = noteReplies(dialect)
  const answered = readBatcher<CustomerReply, Candidate | undefined>((reading, replies) =>
    Promise.all(replies.map((reply) => readAnswered(reading, reply))))
  return {
    noteReply: (reply) => tasks.value(async () => {
      const { workspace, at } = reply
      const found = await answered(reply)
      if (found !== undefined && !found.isReplied) await write(noting, { workspace, message: found.id, at })
    }),
    counts: (workspace, query) => tasks.value(async () => {
      const counted: Array<Counted> = []
      const days = cutPeriod(query, 'day')
      for (let from = 0; from < days.length; from += DAYS_AT_ONCE) {
        const part = days.slice(from, from + DAYS_AT_ONCE)
        counted.push(...(await Promise.all(part.map((day) => countDay(db, workspace, query, day)))).flat())
      }
      return withOptOuts(counted, await readOptOuts(db, workspace, query, counted))
    }),
  }
}

/** A template message to a customer, and what is known of it. */
type Candidate = Answerable & {
  readonly state: MessageState
  readonly template: string
  readonly language: string | undefined
  readonly isReplied: boolean
}

/** Messages that were not queued are pending since they were opened. */
const SENT_AT = 'COALESCE(pending_at, created_at)'

const WAS_SENT = `template_name IS NOT NULL AND state NOT IN (${UNANSWERABLE.map((state) => `'${state}'`).join(', ')})`

/** Messages to an id: those opened after a time, and those before an id of a message, if they are given. */
type Wanted = { readonly to: CustomerId; readonly after?: Instant | undefined; readonly before?: string | undefined }

/** The template messages among the newest messages to each id; `place` in a row is the place of the id. It is one statement, because each statement costs a round trip. */
const readNewest = async (db: Queryable, workspace: string, wanted: ReadonlyArray<Wanted>): Promise<ReadonlyArray<Row>> =>
  (wanted.length === 0 ? [] : select(
    db,
    wanted.map(({ after, before }, place) => `SELECT ${place} AS place, id, state, sender, template_name, language, replied_at, ${SENT_AT} AS was_sent_at FROM (
       SELECT id, state, sender, template_name, language, replied_at, pending_at, created_at FROM messages
       WHERE workspace_id = ? AND customer = ?${before === undefined ? '' : ' AND id < ?'} ORDER BY id DESC LIMIT ${ANSWERED_AMONG}
     ) newest_${place} WHERE ${WAS_SENT}${after === undefined ? '' : ' AND created_at > ?'}`).join(' UNION ALL '),
    wanted.flatMap(({ to, after, before }): ReadonlyArray<Bound> =>
      [workspace, to, ...(before === undefined ? [] : [before]), ...(after === undefined ? [] : [after])]),
  ))

const candidateIn = (row: Row): Candidate => ({
  id: String(row['id']) as MessageId, state: row['state'] as MessageState, template: String(row['template_name']),
  language: textOrNone(row['language']), sentAt: instant(row['was_sent_at']), isReplied: row['replied_at'] !== null,
})

const readAnswered = async (db: Queryable, { workspace, to, from, at }: CustomerReply): Promise<Candidate | undefined> => {
  const newest = await readNewest(db, workspace, from.map(({ id, after }) => ({ to: id, after })))
  const through = newest.filter(({ sender }) => isThrough(to, typeof sender === 'string' ? { sender: senderIdOf(sender) } : {}))
  return answeredBy(through.map(candidateIn), at)
}

type Note = { readonly workspace: string; readonly message: MessageId; readonly at: Instant }

/** Sorted by key, so that two gateways lock rows in the same order. The first reply is kept. */
const noteReplies = (dialect: Dialect): Write<Note, void> => ({
  kind: 'note-replies',
  run: async (trx, notes) => {
    const first = [...new Map(notes.toReversed().map((note) => [`${note.workspace} ${note.message}`, note]))]
      .sort(([a], [b]) => (a < b ? -1 : 1)).map(([, { workspace, message, at }]) => [workspace, message, at])
    await updateEach(trx, dialect, {
      table: 'messages', key: ['workspace_id', 'id'], columns: [{ name: 'replied', type: 'integer' }], set: [['replied_at', 'v.replied']],
      where: 't.replied_at IS NULL',
    }, first)
    return notes.map(() => undefined)
  },
})

/** The maximum number of messages that one statement counts. SQLite blocks other reads during a statement. */
const COUNTED_AT_ONCE = 5_000

/** The number of days that are read at the same time. Over a network their statements share round trips. */
const DAYS_AT_ONCE = 8

/** A count, and when the latest of its messages was sent. */
type Counted = ResultCount & { readonly lastSentAt: Instant }

const isOf = ({ template, language }: ResultsQuery) => ({
  sql: `workspace_id = ? AND template_name = ?${language === undefined ? '' : ' AND language = ?'} AND id >= ? AND id < ?`,
  bindings: (workspace: string, from: string, to: string): ReadonlyArray<Bound> =>
    [workspace, template, ...(language === undefined ? [] : [language]), from, to],
})

/** Counts the messages of a day in slices of ids, so that no statement is long. The index of the template has them next to each other. */
const countDay = async (db: Queryable, workspace: string, query: ResultsQuery, { from, to }: TimeSpan): Promise<ReadonlyArray<Counted>> => {
  const [{ sql, bindings }, { sql: inTemplate, bindings: ofTemplate }] = [isOf(query), isOf({ ...query, language: undefined })]
  const [end, counted] = [firstMessageIdAt(to), new Array<Counted>()]
  let next: string | undefined = firstMessageIdAt(from)
  while (next !== undefined) {
    const begin: string = next
    const [row] = await select(
      db, `SELECT id FROM messages WHERE ${inTemplate} ORDER BY id LIMIT 1 OFFSET ${COUNTED_AT_ONCE}`, ofTemplate(workspace, begin, end),
    )
    next = row === undefined ? undefined : String(row['id'])
    const rows = await select(
      db,
      `SELECT state, COUNT(*) AS messages, SUM(price) AS prices, COUNT(replied_at) AS replied, MAX(${SENT_AT}) AS last_sent_at FROM messages
       WHERE ${sql} GROUP BY state`,
      bindings(workspace, begin, next ?? end),
    )
    counted.push(...rows.map((found) => countIn(found, UTC_DAYS.startOf(from))))
    if (next !== undefined) await nextTurn()
  }
  return counted
}

const countIn = (row: Row, day: Instant): Counted => {
  const state = row['state'] as MessageState
  return {
    day, state, messages: Number(row['messages']), micros: chargedIn(state, micros(row['prices'])), replied: Number(row['replied']),
    optedOut: 0, lastSentAt: instant(row['last_sent_at']),
  }
}

/** The messages after which their customer opted out: one of each withdrawal that came soon enough after a message of the template. */
const readOptOuts = async (
  db: Queryable, workspace: WorkspaceId, { template, language, from, to }: ResultsQuery, counted: ReadonlyArray<Counted>,
): Promise<ReadonlyArray<Candidate>> => {
  const found = new Map<MessageId, Candidate>()
  if (counted.length === 0) return []
  const until = counted.reduce((latest, { lastSentAt }) => Math.max(latest, lastSentAt), 0) + ANSWERED_WITHIN_MS
  for (let last: Withdrawal = { key: '', since: from - SECOND_MS }; ;) {
    const withdrawals = await readWithdrawals(db, workspace, last, until)
    for (const answered of await readWithdrawnAfter(db, workspace, withdrawals)) {
      const isCounted = answered.template === template && (language === undefined || answered.language === language)
        && answered.id >= firstMessageIdAt(from) && answered.id < firstMessageIdAt(to)
      if (isCounted) found.set(answered.id, answered)
    }
    const next = withdrawals.at(-1)
    if (next === undefined || withdrawals.length < WITHDRAWALS_AT_ONCE) return [...found.values()]
    last = next
    await nextTurn()
  }
}

type Withdrawal = { readonly key: string; readonly since: Instant }

const WITHDRAWALS_AT_ONCE = 100

/** The next withdrawals. One customer may have stopped several topics at one time. */
const readWithdrawals = async (
  db: Queryable, workspace: string, { key, since }: Withdrawal, until: Instant,
): Promise<ReadonlyArray<Withdrawal>> => {
  const rows = await select(
    db,
    `SELECT DISTINCT customer_key, since FROM consent_history WHERE workspace_id = ? AND status = 'withdrawn' AND since >= ? AND since < ?
     AND (since > ? OR customer_key > ?) ORDER BY since, customer_key LIMIT ${WITHDRAWALS_AT_ONCE}`,
    [workspace, since, until, since, key],
  )
  return rows.map((row) => ({ key: String(row['customer_key']), since: instant(row['since']) }))
}

/** The messages that withdrawals answer. */
const readWithdrawnAfter = async (
  db: Queryable, workspace: string, withdrawals: ReadonlyArray<Withdrawal>,
): Promise<ReadonlyArray<Candidate>> => {
  const wanted = withdrawals.flatMap(({ key, since }, index) => {
    const id = key as CustomerId
    return (isUserId(id) ? [id] : variantsOf(id)).map((to) => ({ index, to, before: firstMessageIdAt(since + SECOND_MS) }))
  })
  const rows = await readNewest(db, workspace, wanted)
  const candidates = new Map<number, Array<Candidate>>()
  for (const row of rows) {
    const index = wanted[Number(row['place'])]?.index ?? 0
    candidates.set(index, [...candidates.get(index) ?? [], candidateIn(row)])
  }
  return withdrawals.flatMap(({ since }, index) => answeredBy(candidates.get(index) ?? [], since) ?? [])
}

const withOptOuts = (counted: ReadonlyArray<Counted>, optedOut: ReadonlyArray<Candidate>): ReadonlyArray<ResultCount> => {
  const sums = new Map<string, ResultCount>()
  const add = ({ day, state, ...more }: ResultCount): void => {
    const before = sums.get(`${day} ${state}`)
    sums.set(`${day} ${state}`, before === undefined ? { day, state, ...more } : {
      day, state, messages: before.messages + more.messages, micros: before.micros + more.micros, replied: before.replied + more.replied,
      optedOut: before.optedOut + more.optedOut,
    })
  }
  for (const { lastSentAt: _, ...count } of counted) add(count)
  // A message may have moved on since it was counted; then it counts as opted out in its new state.
  for (const { id, state } of optedOut) {
    add({ day: UTC_DAYS.startOf(messageTime(id)), state, messages: 0, micros: 0n, replied: 0, optedOut: 1 })
  }
  return [...sums.values()].sort((a, b) => a.day - b.day)
}

const tasks = portTasks('TemplateResults')
