import * as E from 'fp-ts/lib/Either.js'
import * as O from 'fp-ts/lib/Option.js'
import { isForgotten } from '../customers/customer.js'
import { type FindEverywhereDeps, nameOf } from '../customers/learn.js'
import type { PortFailure } from '../kernel/failure.js'
import type { WorkspaceId } from '../kernel/ids.js'
import type { Page, PageQuery } from '../kernel/page.js'
import { type Clock, DAY_MS, type Instant, UTC_DAYS, uuidPrefixOf } from '../kernel/time.js'
import { isThrough, type MessageLog, type SenderFilter } from '../messages/message-log.js'
import type { MessageId, MessageRecord } from '../messages/message.js'
import type { MessageStatistics } from '../messages/statistics.js'
import { balanceChange, type DaySum, type Entry, type Ledger, type LedgerDays, type LedgerPeriod, type MovementKind } from './ledger.js'
import type { EntryKind } from './wallet.js'

/**
 * Reads the statement of a wallet, newest first: the movements of one kind, for the messages of one sender, in a period.
 *
 * No index supports the kind or the sender, so a page looks at `LOOKED_AT` movements at most. It may have fewer movements than requested, or none, and still a `next`. The period
 * is found by the ids, which sort by time, and costs nothing.
 */
export type ReadStatement = (workspace: WorkspaceId, query: StatementQuery) => Promise<E.Either<PortFailure, Page<Entry>>>

/**
 * The movements to list: of a kind, of the messages of a sender, written at or after `since`, and before `until`. `FilterBySender` makes the filter for a sender;
 * top-ups and adjustments belong to no sender.
 */
export type StatementQuery = PageQuery & {
  readonly kind?: EntryKind
  readonly sender?: SenderFilter | undefined
  readonly since?: Instant
  readonly until?: Instant
}

/** The maximum number of movements that one page looks at. */
const LOOKED_AT = 2_000
const READ_AT_ONCE = 200

export const makeReadStatement =
  ({ ledger }: { readonly ledger: Pick<Ledger, 'statement'> }): ReadStatement =>
  async (workspace, { limit, cursor, kind, sender, since, until }) => {
    if (kind === undefined && sender === undefined && since === undefined && until === undefined) {
      return ledger.statement(workspace, { limit, ...(cursor !== undefined && { cursor }) })
    }
    const found: Array<Entry> = []
    let next = cursor ?? (until === undefined ? undefined : uuidPrefixOf(until))
    for (let looked = 0; looked < LOOKED_AT; looked += READ_AT_ONCE) {
      const read = await ledger.statement(workspace, { limit: READ_AT_ONCE, ...(next !== undefined && { cursor: next }) })
      if (E.isLeft(read)) return read
      const { items, next: further } = read.right
      const inTime = since === undefined ? items : items.filter(({ id }) => id >= uuidPrefixOf(since))
      found.push(...inTime.filter((entry) =>
        (kind === undefined || entry.kind === kind) && (sender === undefined || (entry.message !== undefined && isThrough(sender, entry)))))
      if (found.length > limit) return E.right({ items: found.slice(0, limit), next: found[limit - 1]?.id })
      if (further === undefined || inTime.length < items.length) return E.right({ items: found, next: undefined })
      next = further
    }
    return E.right({ items: found, next })
  }

/** A movement in a statement: what it adds to the balance, the balance after it, and the message that it is for, with the name of its customer. */
export type StatementLine = {
  readonly entry: Entry
  readonly change: bigint
  readonly balance: bigint
  readonly message: MessageRecord | undefined
  readonly customer: string | undefined
}

/** Movements that are shown as one: their number by kind, what they add to the balance, and the balance after them. */
export type StatementSum = {
  /** When their first and their last day begin. */
  readonly first: Instant
  readonly last: Instant
  readonly counts: Readonly<Record<MovementKind, number>>
  /** The top-ups and adjustments among them, if all of them are known. */
  readonly paid: ReadonlyArray<StatementLine>
  readonly change: bigint
  readonly balance: bigint
}

/** A row of a statement: a day, or days of one week that have only messages. It opens to its movements; if there are too many of them, to its days. */
export type StatementRow = StatementSum & { readonly lines: ReadonlyArray<StatementLine>; readonly days: ReadonlyArray<StatementSum> }

/** A statement of a period, oldest first; `opening + added + adjusted - spent = closing`. Amounts in micros. */
export type PeriodStatement = {
  readonly opening: bigint
  readonly added: bigint
  readonly adjusted: bigint
  /** The captures less the refunds. */
  readonly spent: bigint
  readonly closing: bigint
  /** The part of the balance that is on hold now. */
  readonly held: bigint
  /** How many movements have an amount of zero. */
  readonly free: number
  readonly rows: ReadonlyArray<StatementRow>
}

/** Shows the statement of whole UTC days; none if the workspace does not exist. Movements of zero are counted, and shown only `withFree`. */
export type ShowStatement = (
  workspace: WorkspaceId, query: { readonly from: Instant; readonly to: Instant; readonly withFree: boolean },
) => Promise<E.Either<PortFailure, O.Option<PeriodStatement>>>

/** Shows all movements of a UTC day, oldest first, page by page; none if the workspace does not exist. `opening` is the balance before the page. */
export type ShowDay = (
  workspace: WorkspaceId, query: PageQuery & { readonly day: Instant; readonly withFree: boolean },
) => Promise<E.Either<PortFailure, O.Option<DayStatement>>>

/** A page of the movements of a day, and how many movements of the day have an amount of zero. */
export type DayStatement = {
  readonly opening: bigint
  readonly lines: ReadonlyArray<StatementLine>
  readonly closing: bigint
  readonly free: number
  readonly next: string | undefined
}

/**
 * Shows the latest movements of a wallet, newest first: some one by one, then the days before them as sums. None if the workspace does not exist. Movements of an
 * amount of zero are not shown.
 *
 * The days reach back for `LATEST.days` days, as long as they have at most `LATEST.messages` messages together. If the day of the last movement already has more
 * messages, no sums are shown. So the number of movements that are added up is limited.
 */
export type ShowLatest = (workspace: WorkspaceId) => Promise<E.Either<PortFailure, O.Option<LatestMovements>>>

/** The latest movements, newest first. The first of the days contains the movements of the day of the last line that are not lines. */
export type LatestMovements = { readonly lines: ReadonlyArray<StatementLine>; readonly days: ReadonlyArray<StatementSum> }

/** The limits of the latest movements: how many are shown one by one, the entries that are looked at for them, and the days and messages that are added up. */
const LATEST = { lines: 10, entries: 60, days: 14, messages: 20_000 } as const

/** The dependencies of showing a statement. */
export type ShowStatementDeps = FindEverywhereDeps & {
  readonly ledger: Pick<Ledger, 'days' | 'movements'>
  readonly messageLog: Pick<MessageLog, 'find'>
}

/** The maximum number of movements that a row opens to, and that all rows of a statement open to. */
const LINES = { ofRow: 60, ofStatement: 200 } as const

export const makeShowStatement =
  (deps: ShowStatementDeps): ShowStatement =>
  async (workspace, { from, to, withFree }) => {
    const read = await deps.ledger.days(workspace, { from: uuidPrefixOf(from), to: uuidPrefixOf(to) })
    if (E.isLeft(read)) return read
    if (O.isNone(read.right)) return E.right(O.none)
    const statement = statementOf(read.right.value, withFree)
    const opened = await openRows(deps, workspace, statement.rows, withFree)
    return E.map((rows: ReadonlyArray<StatementRow>) => O.some({ ...statement, rows }))(opened)
  }

/** Opens the newest rows to their movements, as far as these are few. Movements that do not add up to their row, because one was written meanwhile, are not shown. */
const openRows = async (
  deps: ShowStatementDeps, workspace: WorkspaceId, rows: ReadonlyArray<StatementRow>, withFree: boolean,
): Promise<E.Either<PortFailure, ReadonlyArray<StatementRow>>> => {
  let left: number = LINES.ofStatement
  const opening = rows.toReversed().map(async (row): Promise<E.Either<PortFailure, StatementRow>> => {
    const count = countOf(row)
    if (count > LINES.ofRow || count > left) return E.right(row)
    left -= count
    const period = { from: uuidPrefixOf(row.first), to: uuidPrefixOf(row.last + DAY_MS) }
    const read = await deps.ledger.movements(workspace, { ...period, limit: count, withFree })
    if (E.isLeft(read)) return read
    const lines = linesFrom(row.balance - row.change, read.right.items)
    if (lines.length !== count || lines.at(-1)?.balance !== row.balance) return E.right(row)
    const explained = await explain(deps, workspace, lines)
    return E.isLeft(explained) ? explained : E.right({ ...row, lines: explained.right })
  })
  return E.map((opened: ReadonlyArray<StatementRow>) => opened.toReversed())(E.sequenceArray(await Promise.all(opening)))
}

export const makeShowDay =
  (deps: ShowStatementDeps): ShowDay =>
  async (workspace, { day, limit, cursor, withFree }) => {
    const whole: LedgerPeriod = { from: uuidPrefixOf(day), to: uuidPrefixOf(day + DAY_MS) }
    // No id is between a cursor and this, so the period begins after the cursor.
    const rest: LedgerPeriod = { ...whole, from: cursor === undefined || cursor < whole.from ? whole.from : `${cursor}0` }
    const [read, page] = await Promise.all([
      deps.ledger.days(workspace, rest), deps.ledger.movements(workspace, { ...rest, limit, withFree }),
    ])
    if (E.isLeft(read)) return read
    if (E.isLeft(page)) return page
    if (O.isNone(read.right)) return E.right(O.none)
    const { opening, closing, free } = statementOf(read.right.value, withFree)
    const lines = await explain(deps, workspace, linesFrom(opening, page.right.items))
    return E.isLeft(lines) ? lines : E.right(O.some({ opening, closing, free, lines: lines.right, next: page.right.next }))
  }

/** The dependencies of showing the latest movements. */
export type ShowLatestDeps = Omit<ShowStatementDeps, 'ledger'> & {
  readonly ledger: Pick<Ledger, 'days' | 'statement'>
  readonly messageStatistics: Pick<MessageStatistics, 'counts'>
  readonly now: Clock
}

export const makeShowLatest =
  (deps: ShowLatestDeps): ShowLatest =>
  async (workspace) => {
    const read = await deps.ledger.statement(workspace, { limit: LATEST.entries })
    if (E.isLeft(read)) return read
    const entries = read.right.items.filter(({ kind, micros }) => balanceChange(kind, micros) !== 0n).slice(0, LATEST.lines)
    const today = UTC_DAYS.startOf(deps.now())
    const [newest, last] = [entries[0], entries.at(-1)]
    const lastDay = last === undefined ? today : dayOf(last.id)
    const from = await firstAddedDay(deps, workspace, lastDay, today)
    if (E.isLeft(from)) return from
    // Entries that are written after the lines were read do not count.
    const to = newest === undefined ? uuidPrefixOf(today + DAY_MS) : `${newest.id}0`
    const summed = await deps.ledger.days(workspace, { from: from.right === undefined ? newest?.id ?? to : uuidPrefixOf(from.right), to })
    if (E.isLeft(summed)) return summed
    if (O.isNone(summed.right)) return E.right(O.none)
    const { closing, rows } = statementOf(summed.right.value, false)
    const lines = await explain(deps, workspace, linesBack(closing, entries))
    if (E.isLeft(lines)) return lines
    const days = from.right === undefined ? [] : rows.flatMap((row) => row.days).filter(({ first }) => first <= lastDay).toReversed()
    return E.right(O.some({ lines: lines.right, days: days.flatMap((day) => withoutLines(day, lines.right)) }))
  }

/** The first day of the sums; `undefined` if the day of the last line has too many messages. */
const firstAddedDay = async (
  { messageStatistics }: ShowLatestDeps, workspace: WorkspaceId, lastDay: Instant, today: Instant,
): Promise<E.Either<PortFailure, Instant | undefined>> => {
  const earliest = Math.min(lastDay, today - LATEST.days * DAY_MS)
  const counts = await messageStatistics.counts(workspace, '1d', { from: earliest, to: today + DAY_MS })
  if (E.isLeft(counts)) return counts
  let [messages, first]: [number, Instant | undefined] = [0, undefined]
  for (let day = today; day >= earliest; day -= DAY_MS) {
    messages += counts.right.reduce((sum, count) => (count.start === day ? sum + count.messages : sum), 0)
    if (messages > LATEST.messages) break
    first = day
  }
  return E.right(first === undefined || first > lastDay ? undefined : first)
}

/** The lines of movements that are given newest first, from the balance after the newest one. */
const linesBack = (closing: bigint, entries: ReadonlyArray<Entry>): ReadonlyArray<StatementLine> => {
  let balance = closing
  return entries.map((entry) => {
    const change = balanceChange(entry.kind, entry.micros)
    const line = { entry, change, balance, message: undefined, customer: undefined }
    balance -= change
    return line
  })
}

/** A day without the movements that are shown one by one; nothing if it has no others. */
const withoutLines = (day: StatementSum, lines: ReadonlyArray<StatementLine>): ReadonlyArray<StatementSum> => {
  const shown = lines.filter(({ entry: { id } }) => dayOf(id) === day.first)
  const [last] = shown.slice(-1)
  if (last === undefined) return [day]
  const left = (kind: MovementKind): number => day.counts[kind] - shown.filter(({ entry }) => entry.kind === kind).length
  const counts = { top_up: left('top_up'), adjustment: left('adjustment'), capture: left('capture'), refund: left('refund') }
  const rest: StatementSum = {
    ...day, counts, change: day.change - shown.reduce((sum, { change }) => sum + change, 0n), balance: last.balance - last.change,
    paid: day.paid.filter(({ entry: { id } }) => shown.every(({ entry }) => entry.id !== id)),
  }
  return countOf(rest) === 0 ? [] : [rest]
}

const linesFrom = (opening: bigint, entries: ReadonlyArray<Entry>): ReadonlyArray<StatementLine> => {
  let balance = opening
  return entries.map((entry) => {
    const change = balanceChange(entry.kind, entry.micros)
    balance += change
    return { entry, change, balance, message: undefined, customer: undefined }
  })
}

/** The lines with their messages, and with the names of the customers. */
const explain = async (
  deps: Omit<ShowStatementDeps, 'ledger'>, workspace: WorkspaceId, lines: ReadonlyArray<StatementLine>,
): Promise<E.Either<PortFailure, ReadonlyArray<StatementLine>>> => {
  const ids = [...new Set(lines.flatMap(({ entry: { message } }) => (message === undefined ? [] : [message])))]
  const found = E.sequenceArray(await Promise.all(ids.map((id) => deps.messageLog.find(workspace, { id }))))
  if (E.isLeft(found)) return found
  const messages = new Map<MessageId, MessageRecord>(found.right.flatMap((one) => (O.isSome(one) ? [[one.value.id, one.value]] : [])))
  const people = new Set(Array.from(messages.values()).flatMap(({ to }) => (isForgotten(to) ? [] : [to])))
  const named = E.sequenceArray(await Promise.all(Array.from(people, async (to) =>
    E.map((name: string | undefined) => [to, name] as const)(await nameOf(deps, workspace, to)))))
  if (E.isLeft(named)) return named
  const names = new Map<string, string | undefined>(named.right)
  return E.right(lines.map((line) => {
    const message = line.entry.message === undefined ? undefined : messages.get(line.entry.message)
    return { ...line, message, customer: message && names.get(message.to) }
  }))
}

/** The statement of the sums of a period, whose rows are closed. */
export const statementOf = ({ closing, held, days, paid }: LedgerDays, withFree: boolean): PeriodStatement => {
  const sum = (kind: MovementKind): bigint => days.reduce((total, day) => (day.kind === kind ? total + day.micros : total), 0n)
  const [added, adjusted, spent] = [sum('top_up'), sum('adjustment'), sum('capture') - sum('refund')]
  const opening = closing - added - adjusted + spent
  let balance = opening
  const rows: Array<StatementRow> = []
  for (const start of [...new Set(days.map((day) => day.start))].sort((a, b) => a - b)) {
    const ofDay = days.filter((day) => day.start === start)
    const counts = countsOf(ofDay, withFree)
    if (Object.values(counts).every((count) => count === 0)) continue
    const before = balance
    balance = ofDay.reduce((total, { kind, micros }) => total + balanceChange(kind, micros), balance)
    const lines = paidLines(paid.filter(({ id }) => dayOf(id) === start), counts)
    const day: StatementSum = { first: start, last: start, counts, paid: lines, change: balance - before, balance }
    const last = rows.at(-1)
    if (last !== undefined && foldsInto(last, day)) rows[rows.length - 1] = fold(last, day)
    else rows.push({ ...day, lines: [], days: [day] })
  }
  return { opening, added, adjusted, spent, closing, held, free: days.reduce((total, { free }) => total + free, 0), rows }
}

const dayOf = (id: string): Instant => UTC_DAYS.startOf(parseInt(id.slice(0, 12), 16))

const countsOf = (days: ReadonlyArray<DaySum>, withFree: boolean): StatementSum['counts'] => {
  const count = (kind: MovementKind): number =>
    days.reduce((total, day) => (day.kind === kind ? total + day.entries - (withFree ? 0 : day.free) : total), 0)
  return { top_up: count('top_up'), adjustment: count('adjustment'), capture: count('capture'), refund: count('refund') }
}

const countOf = ({ counts: { top_up, adjustment, capture, refund } }: StatementSum): number => top_up + adjustment + capture + refund

/** The top-ups and adjustments of a day without a balance, which depends on the messages between them; none if some of them are not known. */
const paidLines = (entries: ReadonlyArray<Entry>, { top_up, adjustment }: StatementSum['counts']): ReadonlyArray<StatementLine> =>
  (entries.length === top_up + adjustment ? linesFrom(0n, entries) : [])

const hasPaid = ({ counts }: StatementSum): boolean => counts.top_up + counts.adjustment > 0

/** Days that have only messages fold into one row for each week, which begins on Monday. */
const foldsInto = (row: StatementRow, day: StatementSum): boolean =>
  !hasPaid(row) && !hasPaid(day) && weekOf(row.first) === weekOf(day.first)

/** The number of the week of a day since the first Monday of 1970. */
const weekOf = (day: Instant): number => Math.floor((day / DAY_MS + 3) / 7)

const fold = (row: StatementRow, day: StatementSum): StatementRow => ({
  ...row, last: day.last, change: row.change + day.change, balance: day.balance, days: [...row.days, day],
  counts: { ...row.counts, capture: row.counts.capture + day.counts.capture, refund: row.counts.refund + day.counts.refund },
})
