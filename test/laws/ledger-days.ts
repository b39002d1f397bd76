import * as O from 'fp-ts/lib/Option.js'
import { balanceChange, type Entry, type LedgerPeriod } from '../../core/money/ledger.js'
import { allPages, done, same } from './expect.js'
import { GARBAGE_CURSORS, newName, newWorkspaceId, nextMoment } from './ids.js'
import type { Law } from './law.js'
import { type LedgerFixture, type LedgerWorkspace, openLedgerWorkspace } from './ledger-fixture.js'

/** A period that contains every entry. */
const ALWAYS: LedgerPeriod = { from: '0', to: 'g' }

/** The promises of a `Ledger` about the movements of a period and their sums by day. */
export const daysLaws: ReadonlyArray<Law<LedgerFixture>> = [
  {
    name: 'the movements of a period are those that change the balance, oldest first, page by page, and those of zero only on request',
    check: async (fixture) => {
      const { account, movements } = await moved(fixture)
      const read = (period: LedgerPeriod, withFree: boolean, limit: number) =>
        allPages('movements', (query) => fixture.ledger.movements(account.workspace, { ...query, ...period, withFree }), limit)
      const paid = movements.filter(({ micros }) => micros !== 0n)
      for (const limit of [1, 3, 50]) {
        same(`all of them, pages of ${limit}`, await read(ALWAYS, true, limit), movements)
        same(`those with an amount, pages of ${limit}`, await read(ALWAYS, false, limit), paid)
      }
      const [, second, , fourth] = movements
      const part = { from: second?.id ?? '', to: fourth?.id ?? '' }
      same('a period begins with its first id and ends before its last', await read(part, true, 5), movements.slice(1, 3))
      for (const cursor of GARBAGE_CURSORS) {
        await done('an unknown cursor', fixture.ledger.movements(account.workspace, { ...ALWAYS, limit: 5, cursor, withFree: true }))
      }
      const none = await done('no workspace', fixture.ledger.movements(newWorkspaceId(), { ...ALWAYS, limit: 5, withFree: true }))
      same('no workspace', none, { items: [], next: undefined })
    },
  },
  {
    name: 'the days of a period have the sums of its movements by kind, and the balance at its end',
    check: async (fixture) => {
      const { account: { workspace, balanceOf }, movements } = await moved(fixture)
      const days = async (period: LedgerPeriod) => O.toUndefined(await done('the days', fixture.ledger.days(workspace, period)))
      const { available, held } = balanceOf(995n - 30n - 7n, 7n)
      for (let from = 0; from < movements.length; from += 1) {
        for (let to = from; to <= movements.length; to += 1) {
          const within = movements.slice(from, to)
          const found = await days({ from: movements[from]?.id ?? '', to: movements[to]?.id ?? 'g' })
          const later = movements.slice(to).reduce((sum, { kind, micros }) => sum + balanceChange(kind, micros), 0n)
          same('the balance at the end', found?.closing, available + held - later)
          same('the money on hold', found?.held, held)
          same('the top-ups and adjustments', found?.paid, within.filter(({ kind }) => kind === 'top_up' || kind === 'adjustment'))
          for (const kind of ['top_up', 'adjustment', 'capture', 'refund'] as const) {
            const of = (found?.days ?? []).filter((day) => day.kind === kind)
            const entries = within.filter((entry) => entry.kind === kind)
            const sumOf = (all: ReadonlyArray<{ readonly micros: bigint }>): bigint => all.reduce((sum, { micros }) => sum + micros, 0n)
            same(`the sum of ${kind}`, sumOf(of), sumOf(entries))
            same(`the number of ${kind}`, of.reduce((sum, day) => sum + day.entries, 0), entries.length)
            const zeros = entries.filter(({ micros }) => micros === 0n).length
            same(`those of zero of ${kind}`, of.reduce((sum, { free }) => sum + free, 0), zeros)
          }
        }
      }
      same('no workspace has no days', await done('no workspace', fixture.ledger.days(newWorkspaceId(), ALWAYS)), O.none)
    },
  },
  {
    name: 'a movement belongs to the UTC day in its id',
    check: async (fixture) => {
      const { account, movements } = await moved(fixture)
      const found = O.toUndefined(await done('the days', fixture.ledger.days(account.workspace, ALWAYS)))
      const dayIn = ({ id }: Entry): string => new Date(parseInt(id.slice(0, 12), 16)).toISOString().slice(0, 10)
      same(
        'the days', new Set(found?.days.map(({ start, kind }) => `${new Date(start).toISOString()} ${kind}`)),
        new Set(movements.map((entry) => `${dayIn(entry)}T00:00:00.000Z ${entry.kind}`)),
      )
    },
  },
]

/** A wallet with a movement of each kind, some of zero, an open hold and a released one; its movements, oldest first. */
const moved = async (fixture: LedgerFixture): Promise<{ readonly account: LedgerWorkspace; readonly movements: ReadonlyArray<Entry> }> => {
  const { wallet, ledger } = fixture
  const account = await openLedgerWorkspace(fixture)
  const other = await openLedgerWorkspace(fixture)
  await other.topUp(500n)
  await account.topUp(1_000n)
  const prices = []
  for (const micros of [30n, 0n, 20n, 7n, 40n]) {
    await nextMoment()
    const price = account.price(micros)
    await done('a hold', wallet.hold(price))
    prices.push(price)
  }
  const [spent, free, refunded, , released] = prices
  for (const hold of [spent, free, refunded]) {
    await nextMoment()
    if (hold !== undefined) await done('a capture', wallet.capture(hold))
  }
  await nextMoment()
  if (refunded !== undefined) await done('a refund', wallet.refund(refunded))
  if (released !== undefined) await done('a release', wallet.release(released))
  await nextMoment()
  await done('an adjustment', ledger.adjust({
    workspace: account.workspace, micros: -5n, reference: newName(), note: 'typed wrong', at: await nextMoment(),
  }))
  const movements = (await account.statement()).filter(({ kind }) => kind !== 'hold' && kind !== 'release').toReversed()
  return { account, movements }
}
