import { assert } from 'chai'
import * as E from 'fp-ts/lib/Either.js'
import * as O from 'fp-ts/lib/Option.js'
import { openSandbox } from '../../../adapters/memory/index.js'
import { DAY_MS, HOUR_MS, UTC_DAYS } from '../../../core/kernel/time.js'
import {
  balanceChange, type DaySum, type Entry, type LedgerDays, type LedgerPeriod, type MovementKind,
} from '../../../core/money/ledger.js'
import { makeShowDay, makeShowLatest, makeShowStatement, type PeriodStatement, statementOf } from '../../../core/money/statement.js'
import type { EntryKind } from '../../../core/money/wallet.js'
import { rightOf } from '../../support/right-of.js'
import { gateway, TEXT_PRICE } from '../gateway.js'

const NOV = Date.UTC(2026, 10, 1)
const day = (date: number, kind: MovementKind, entries: number, micros: bigint, free = 0): DaySum =>
  ({ start: NOV + (date - 1) * DAY_MS, kind, entries, free, micros })
const days = (all: ReadonlyArray<DaySum>, closing: bigint): LedgerDays => ({ closing, held: 0n, days: all, paid: [] })
const dates = ({ rows }: PeriodStatement): ReadonlyArray<ReadonlyArray<number>> =>
  rows.map(({ first, last }) => [first, last].map((at) => new Date(at).getUTCDate()))

describe('A statement of a period', () => {
  it('adds up from the opening to the closing balance, row by row and in one sum', () => {
    const statement = statementOf(days([
      day(2, 'capture', 3, 30n), day(3, 'capture', 2, 20n), day(3, 'refund', 1, 5n), day(5, 'top_up', 1, 500n), day(5, 'capture', 1, 7n),
      day(6, 'adjustment', 1, -4n),
    ], 1_000n), false)
    const { opening, added, adjusted, spent, closing, rows } = statement
    assert.deepEqual([opening, added, adjusted, spent, closing], [556n, 500n, -4n, 52n, 1_000n])
    let balance = opening
    for (const row of rows) {
      balance += row.change
      assert.equal(row.balance, balance)
      for (const part of row.days) assert.isAtMost(part.first, row.last)
      assert.equal(row.days.reduce((sum, { change }) => sum + change, 0n), row.change)
    }
    assert.equal(balance, closing)
  })

  it('folds days with only messages into one row for each week from Monday, and gives a day with money of its own a row', () => {
    const statement = statementOf(days([
      ...[1, 2, 4, 8, 9, 10].map((date) => day(date, 'capture', 1, 1n)), day(11, 'top_up', 1, 10n), day(11, 'capture', 1, 1n),
      day(12, 'refund', 1, 1n),
    ], 0n), false)
    assert.deepEqual(dates(statement), [[1, 1], [2, 8], [9, 10], [11, 11], [12, 12]])
    assert.deepEqual(statement.rows.map(({ counts: { capture } }) => capture), [1, 3, 2, 1, 0])
  })

  it('hides movements of zero and says how many there are', () => {
    const all = days([day(2, 'capture', 5, 30n, 3), day(3, 'capture', 4, 0n, 4)], 0n)
    assert.deepEqual([dates(statementOf(all, false)), statementOf(all, false).free], [[[2, 2]], 7])
    assert.deepEqual(statementOf(all, false).rows[0]?.counts.capture, 2)
    assert.deepEqual(statementOf(all, true).rows[0]?.counts.capture, 9)
  })

  it('opens to its movements with their messages and balances, and a day has the same page by page', async () => {
    const gw = await gateway({ balance: 10n * TEXT_PRICE })
    for (let sent = 0; sent < 3; sent += 1) rightOf(await gw.sendText())
    const today = UTC_DAYS.startOf(Date.now())
    const show = makeShowStatement(gw.deps)
    const query = { from: today - DAY_MS, to: today + 2 * DAY_MS, withFree: false }
    const { rows, opening, closing, held } = O.toUndefined(rightOf(await show(gw.workspace, query))) ?? assert.fail('no statement')
    assert.deepEqual([opening, closing, held], [0n, 7n * TEXT_PRICE, 0n])
    const lines = rows.flatMap((row) => row.lines)
    assert.deepEqual(lines.map(({ entry: { kind }, balance }) => [kind, balance]), [
      ['top_up', 10n * TEXT_PRICE], ...[9n, 8n, 7n].map((left) => ['capture', left * TEXT_PRICE]),
    ])
    assert.deepEqual(lines.map(({ message, entry }) => message?.id === entry.message), lines.map(() => true))
    const showDay = makeShowDay(gw.deps)
    const paged = []
    for (const row of rows) {
      let cursor: string | undefined
      do {
        const page = O.toUndefined(rightOf(await showDay(gw.workspace, {
          day: row.first, limit: 2, withFree: false, ...(cursor !== undefined && { cursor }),
        }))) ?? assert.fail('no day')
        assert.equal(page.opening, paged.at(-1)?.balance ?? 0n)
        paged.push(...page.lines)
        cursor = page.next
      } while (cursor !== undefined)
    }
    assert.deepEqual(paged, lines)
  })

  it('shows no movements that do not add up to their row, because one was written meanwhile', async () => {
    const { workspace, ledger, messageLog } = await openSandbox()
    rightOf(await ledger.topUp({ workspace, micros: 5n, reference: 'a', at: Date.now() }))
    const today = UTC_DAYS.startOf(Date.now())
    const query = { from: today - DAY_MS, to: today + 2 * DAY_MS, withFree: false }
    const changed: typeof ledger = {
      ...ledger,
      movements: async (...of) => E.map((page: { readonly items: ReadonlyArray<{ readonly micros: bigint }> }) =>
        ({ ...page, items: page.items.map((entry) => ({ ...entry, micros: entry.micros + 1n })) }))(await ledger.movements(...of)) as never,
    }
    const lines = async (one: typeof ledger) => {
      const shown = O.toUndefined(rightOf(await makeShowStatement({ ledger: one, messageLog })(workspace, query)))
      return shown?.rows.flatMap((row) => row.lines).length
    }
    assert.deepEqual([await lines(ledger), await lines(changed)], [2, 0])
  })

  it('is absent for a workspace that does not exist', async () => {
    const { ledger, messageLog } = await openSandbox()
    const nowhere = 'ws_0199c3a87c2e70000000000000000000' as Parameters<ReturnType<typeof makeShowDay>>[0]
    const month = await makeShowStatement({ ledger, messageLog })(nowhere, { from: NOV, to: NOV + DAY_MS, withFree: true })
    assert.deepEqual(month, E.right(O.none))
    assert.deepEqual(await makeShowDay({ ledger, messageLog })(nowhere, { day: NOV, limit: 5, withFree: true }), E.right(O.none))
  })
})

describe('The latest movements of a wallet', () => {
  const at = (date: number, nth: number): string => `${(NOV + (date - 1) * DAY_MS + nth).toString(16).padStart(12, '0')}${'0'.repeat(20)}`
  type Moved = readonly [date: number, kind: EntryKind, micros: bigint]

  /** A wallet whose entries are given oldest first, with the number of messages of each day. */
  const shown = async (moved: ReadonlyArray<Moved>, messages: Readonly<Record<number, number>> = {}) => {
    const { workspace, messageLog } = await openSandbox()
    const entries = moved.map(([date, kind, micros], nth): Entry => (
      { id: at(date, nth), kind, micros, message: undefined, reference: `r${nth}`, at: NOV }))
    const within = ({ from, to }: LedgerPeriod) => entries.filter(({ id }) => id >= from && id < to)
    const sumOf = (some: ReadonlyArray<Entry>): bigint => some.reduce((sum, { kind, micros }) => sum + balanceChange(kind, micros), 0n)
    let added = 0
    const latest = O.toUndefined(rightOf(await makeShowLatest({
      messageLog, now: () => NOV + 27 * DAY_MS + HOUR_MS,
      ledger: {
        statement: async (_, { limit }) => E.right({ items: entries.toReversed().slice(0, limit), next: undefined }),
        days: async (_, period) => {
          const some = within(period).filter(({ kind }) => kind !== 'hold' && kind !== 'release')
          added = some.length
          const all = some.map(({ id, kind, micros }): DaySum => ({
            start: UTC_DAYS.startOf(parseInt(id.slice(0, 12), 16)), kind: kind as MovementKind, entries: 1, free: micros === 0n ? 1 : 0,
            micros,
          }))
          return E.right(O.some({
            closing: sumOf(within({ from: '', to: period.to })), held: 0n, days: all,
            paid: some.filter(({ kind }) => kind === 'top_up' || kind === 'adjustment'),
          }))
        },
      },
      messageStatistics: {
        counts: async (_, __, { from, to }) => E.right(Object.entries(messages).map(([date, count]) => (
          { start: NOV + (Number(date) - 1) * DAY_MS, state: 'read', category: 'utility', messages: count, micros: 0n } as const
        )).filter(({ start }) => start >= from && start < to)),
      },
    })(workspace))) ?? assert.fail('no wallet')
    return {
      added,
      lines: latest.lines.map(({ change, balance }) => [change, balance]),
      days: latest.days.map(({ first, counts, change, balance }) =>
        [new Date(first).getUTCDate(), counts.capture + counts.top_up, change, balance]),
    }
  }
  const captures = (date: number, count: number): ReadonlyArray<Moved> =>
    Array.from({ length: count }, () => [date, 'capture', 1n] as const)

  it('are lines, the rest of the day of the last line, and the days before, and each balance follows from the one before', async () => {
    const { lines, days } = await shown([
      [20, 'top_up', 1_000n], ...captures(20, 3), ...captures(27, 5), [28, 'hold', 7n], ...captures(28, 12), [28, 'capture', 0n],
    ])
    assert.lengthOf(lines, 10)
    assert.deepEqual([lines[0], lines[9]], [[-1n, 980n], [-1n, 989n]])
    assert.deepEqual(days, [[28, 2, -2n, 990n], [27, 5, -5n, 992n], [20, 4, 997n, 997n]])
  })

  it('have no further row for the day of the last line if all its movements are lines', async () => {
    const { lines, days } = await shown([[20, 'top_up', 100n], ...captures(27, 4), ...captures(28, 6)])
    assert.lengthOf(lines, 10)
    assert.deepEqual(days, [[20, 1, 100n, 100n]])
  })

  it('add up only days that have few messages together, and only the lines if their own day has too many', async () => {
    const moved: ReadonlyArray<Moved> = [[20, 'top_up', 1_000n], ...captures(26, 20), ...captures(28, 20)]
    const some = await shown(moved, { 26: 15_000, 28: 6_000 })
    assert.deepEqual(some.days, [[28, 10, -10n, 970n]])
    const none = await shown(moved, { 28: 20_001 })
    assert.deepEqual([none.days, none.added], [[], 1])
    assert.deepEqual(none.lines[0], [-1n, 960n])
  })

  it('are none in a wallet without movements, and absent for a workspace that does not exist', async () => {
    assert.deepEqual(await shown([]), { added: 0, lines: [], days: [] })
    const sandbox = await openSandbox()
    const nowhere = 'ws_0199c3a87c2e70000000000000000000' as typeof sandbox.workspace
    assert.deepEqual(await makeShowLatest({ ...sandbox, now: Date.now })(nowhere), E.right(O.none))
    rightOf(await sandbox.ledger.topUp({ workspace: sandbox.workspace, micros: 5n, reference: 'a', at: Date.now() }))
    const latest = O.toUndefined(rightOf(await makeShowLatest({ ...sandbox, now: Date.now })(sandbox.workspace)))
    assert.equal(latest?.lines[0]?.balance, O.toUndefined(rightOf(await sandbox.ledger.balance(sandbox.workspace)))?.available)
  })
})
