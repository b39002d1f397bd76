import { assert } from 'chai'
import * as O from 'fp-ts/lib/Option.js'
import { type Database, openDatabase, transact } from '../../../../adapters/knex/engine/database.js'
import { execute, insert, micros, select } from '../../../../adapters/knex/engine/sql.js'
import { type KnexStorage, openStorage } from '../../../../adapters/knex/index.js'
import { addUpLedgers } from '../../../../adapters/knex/ledger/ledger-sums.js'
import type { WorkspaceId } from '../../../../core/kernel/ids.js'
import { DAY_MS, HOUR_MS, UTC_DAYS, uuidPrefixOf } from '../../../../core/kernel/time.js'
import { balanceChange, type EntryView, type LedgerPeriod, type MovementKind } from '../../../../core/money/ledger.js'
import { fundedWorkspace } from '../../../support/account.js'
import { describeEachDatabase, type TestDatabase } from '../../../support/databases.js'
import { rightOf } from '../../../support/right-of.js'

const BEGIN = Date.UTC(2025, 9, 8, 7)
const NOW = BEGIN + 40 * DAY_MS
const KINDS: ReadonlyArray<EntryView['kind']> = ['capture', 'capture', 'release', 'capture', 'refund', 'capture', 'top_up', 'adjustment']
const COLUMNS = ['workspace_id', 'id', 'kind', 'amount', 'message_id', 'reference', 'created_at']

type Written = { readonly id: string; readonly kind: EntryView['kind']; readonly amount: number }

await describeEachDatabase('The stored sums of a ledger', ({ createMigrated }) => {
  let made: TestDatabase
  let database: Database
  let storage: KnexStorage
  let workspace: WorkspaceId
  let written: ReadonlyArray<Written>

  /** An entry of each seven hours, as any release writes them. */
  const entries = (count: number): ReadonlyArray<Written> => Array.from({ length: count }, (_, index) => ({
    id: `${uuidPrefixOf(BEGIN + index * 7 * HOUR_MS)}7${String(index).padStart(19, '0')}`,
    kind: KINDS[index % KINDS.length] ?? 'capture',
    amount: index % 5 === 0 ? 0 : index,
  }))
  const write = async (more: ReadonlyArray<Written>): Promise<void> => {
    const change = more.reduce((sum, { kind, amount }) => sum + balanceChange(kind, BigInt(amount)), 0n)
    await transact(database, async (trx) => {
      await insert(trx, database.dialect, 'wallet_entries', COLUMNS,
        more.map(({ id, kind, amount }) => {
          const isPaid = kind === 'top_up' || kind === 'adjustment'
          return [workspace, id, kind, amount, isPaid ? null : `msg_${id}`, isPaid ? id : null, 1]
        }))
      await execute(trx, 'UPDATE wallets SET available = available + ? WHERE workspace_id = ?', [change, workspace])
    })
    written = [...written, ...more].sort((a, b) => (a.id < b.id ? -1 : 1))
  }
  const addUp = (now: number, goesOn = () => Promise.resolve(true)) => addUpLedgers(database, now, goesOn, 1)
  const days = async (period: LedgerPeriod) =>
    O.toUndefined(rightOf(await storage.reading.ledger.days(workspace, period))) ?? assert.fail('there are no days')
  const count = async (table: string): Promise<number> =>
    Number((await select(database.db, `SELECT COUNT(*) AS found FROM ${table} WHERE workspace_id = ?`, [workspace]))[0]?.['found'])

  /** What the days of a period must be, from the entries that were written. */
  const expected = ({ from, to }: LedgerPeriod) => {
    const within = written.filter(({ id, kind }) => id >= from && id < to && kind !== 'release')
    const sums = new Map<string, { start: number; kind: MovementKind; entries: number; free: number; micros: bigint }>()
    for (const { id, kind, amount } of within) {
      const start = UTC_DAYS.startOf(parseInt(id.slice(0, 12), 16))
      const sum = sums.get(`${start} ${kind}`) ?? { start, kind: kind as MovementKind, entries: 0, free: 0, micros: 0n }
      sums.set(`${start} ${kind}`, {
        ...sum, entries: sum.entries + 1, free: sum.free + (amount === 0 ? 1 : 0), micros: sum.micros + BigInt(amount),
      })
    }
    return {
      closing: written.filter(({ id }) => id < to).reduce((sum, { kind, amount }) => sum + balanceChange(kind, BigInt(amount)), 0n),
      days: inOrder(Array.from(sums.values())),
      paid: within.filter(({ kind }) => kind === 'top_up' || kind === 'adjustment').map(({ id }) => id),
    }
  }
  const inOrder = <Day extends { readonly start: number; readonly kind: string }>(all: ReadonlyArray<Day>): ReadonlyArray<Day> =>
    all.toSorted((a, b) => a.start - b.start || (a.kind < b.kind ? -1 : 1))
  const assertExact = async (): Promise<void> => {
    const bounds = ['0', ...written.filter((_, index) => index % 29 === 7).map(({ id }) => id), 'g',
      ...[2, 9].map((day) => uuidPrefixOf(UTC_DAYS.startOf(BEGIN + day * DAY_MS)))].sort()
    for (const from of bounds) {
      for (const to of bounds.filter((bound) => bound >= from)) {
        const found = await days({ from, to })
        assert.deepEqual(
          { closing: found.closing, days: inOrder(found.days), paid: found.paid.map(({ id }) => id) }, expected({ from, to }),
          `${from} to ${to}`,
        )
      }
    }
  }

  beforeEach(async () => {
    made = await createMigrated()
    database = openDatabase(made.url)
    storage = openStorage({ url: made.url, secret: undefined })
    workspace = await fundedWorkspace(storage, 0n)
    written = []
    await execute(database.db, 'DELETE FROM wallet_entries WHERE workspace_id = ?', [workspace])
    await write(entries(60))
  })
  afterEach(async () => {
    await Promise.all([storage.close(), database.close()])
    await made[Symbol.asyncDispose]()
  })

  it('are the sums of the entries, whatever part of them is stored, for each period', async () => {
    await assertExact()
    assert.isTrue(await addUp(BEGIN + 5 * DAY_MS))
    assert.isAbove(await count('ledger_sums'), 0)
    await assertExact()
    assert.isTrue(await addUp(NOW))
    await assertExact()
    assert.equal(await count('ledger_paid'), written.filter(({ kind }) => kind === 'top_up' || kind === 'adjustment').length)
    const before = await count('ledger_sums')
    assert.isTrue(await addUp(NOW + DAY_MS))
    assert.equal(await count('ledger_sums'), before)
  })

  it('have each entry once if two processes add them up simultaneously', async () => {
    await Promise.all([addUp(BEGIN + 5 * DAY_MS), addUp(BEGIN + 6 * DAY_MS), addUp(BEGIN + 7 * DAY_MS)])
    await Promise.all([addUp(NOW), addUp(NOW)])
    await assertExact()
    const [row] = await select(database.db, 'SELECT SUM(entries) AS added FROM ledger_sums WHERE workspace_id = ?', [workspace])
    assert.equal(Number(row?.['added']), written.filter(({ kind }) => kind !== 'release').length)
  })

  it('have no entry that is younger than ten minutes, and stop when they are asked to', async () => {
    const last = parseInt(written.at(-1)?.id.slice(0, 12) ?? '', 16)
    assert.isTrue(await addUp(last + 9 * 60_000))
    const [row] = await select(database.db, 'SELECT SUM(entries) AS added FROM ledger_sums WHERE workspace_id = ?', [workspace])
    assert.equal(Number(row?.['added']), written.filter(({ kind }) => kind !== 'release').length - 1)
    assert.isFalse(await addUp(NOW, () => Promise.resolve(false)))
  })

  it('are not used if an entry came later with an earlier id, and are added up again a day later', async () => {
    await addUp(NOW)
    const late = { id: `${uuidPrefixOf(BEGIN + DAY_MS)}7${'9'.repeat(19)}`, kind: 'capture', amount: 77 } as const
    await write([late])
    await assertExact()
    // Sums are checked after entries were added to them.
    const recent = (at: number): Written => ({ id: `${uuidPrefixOf(at)}7${'8'.repeat(19)}`, kind: 'capture', amount: 5 })
    await write([recent(NOW + HOUR_MS)])
    await addUp(NOW + 2 * HOUR_MS)
    assert.isAbove(await count('ledger_progress'), 0)
    await write([recent(NOW + 2 * DAY_MS)])
    await addUp(NOW + 3 * DAY_MS)
    assert.equal(await count('ledger_sums') + await count('ledger_paid') + await count('ledger_progress'), 0)
    await addUp(NOW + 3 * DAY_MS)
    await assertExact()
    const [row] = await select(
      database.db, "SELECT SUM(amount) AS total FROM ledger_sums WHERE workspace_id = ? AND kind = 'capture'", [workspace],
    )
    const captured = written.filter(({ kind }) => kind === 'capture').reduce((sum, { amount }) => sum + amount, 0)
    assert.equal(micros(row?.['total']), BigInt(captured))
  })
})
