import * as O from 'fp-ts/lib/Option.js'
import { type Balance, MAX_MICROS } from '../../core/kernel/money.js'
import type { Adjustment } from '../../core/money/ledger.js'
import { done, holds, refused, same } from './expect.js'
import { newName, newWorkspaceId, times } from './ids.js'
import type { Law } from './law.js'
import { type LedgerFixture, linesOf, NOON, openLedgerWorkspace } from './ledger-fixture.js'

const adjustmentOf = (workspace: Adjustment['workspace'], micros: bigint, more: Partial<Adjustment> = {}): Adjustment => ({
  workspace, micros, reference: newName(), note: 'a correction', at: NOON, ...more,
})

const adjusted = ({ ledger }: LedgerFixture, adjustment: Adjustment): Promise<Balance> =>
  done('a wallet is adjusted', ledger.adjust(adjustment))

/** The promises of a `Ledger` about corrections by an operator. */
export const adjustmentLaws: ReadonlyArray<Law<LedgerFixture>> = [
  {
    name: 'an adjustment of either sign is answered with the balance afterwards',
    check: async (fixture) => {
      const { workspace, balanceOf, topUp, price, has } = await openLedgerWorkspace(fixture)
      await topUp(100n)
      await done('a hold succeeds', fixture.wallet.hold(price(30n)))
      same('money is taken away', await adjusted(fixture, adjustmentOf(workspace, -20n)), balanceOf(50n, 30n))
      same('money is added', await adjusted(fixture, adjustmentOf(workspace, 5n)), balanceOf(55n, 30n))
      await has('the balance read afterwards', 55n, 30n)
    },
  },
  {
    name: 'an adjustment is an entry with its amount, its reference and its note as given',
    check: async (fixture) => {
      const { workspace, topUp, statement } = await openLedgerWorkspace(fixture)
      await topUp(100n)
      for (const [micros, note] of [[-7n, 'typed wrong: 10 instead of 3'], [3n, '"l\'été" 名前 🌍; drop table']] as const) {
        const adjustment = adjustmentOf(workspace, micros, { note, at: NOON + 1 })
        await adjusted(fixture, adjustment)
        const [entry] = await statement()
        holds('an adjustment is the newest entry', entry !== undefined, entry)
        same('the entry', linesOf(entry === undefined ? [] : [entry]), [
          { kind: 'adjustment', micros, message: undefined, reference: adjustment.reference, at: NOON + 1 },
        ])
        same('the note', entry?.note, note)
      }
    },
  },
  {
    name: 'the same reference with the same amount adjusts a wallet once, and the first note is kept',
    check: async (fixture) => {
      const { workspace, topUp, has, statement } = await openLedgerWorkspace(fixture)
      await topUp(100n)
      const adjustment = adjustmentOf(workspace, -10n, { note: 'the first' })
      await Promise.all(times(5, () => adjusted(fixture, adjustment)))
      await adjusted(fixture, { ...adjustment, note: 'the second', at: NOON + 5 })
      await has('one reference adjusts once', 90n)
      same('one reference leaves one entry', (await statement()).flatMap(({ note }) => note ?? []), ['the first'])
    },
  },
  {
    name: 'a reference of an adjustment with another amount is ReferenceReused with the first one, and nothing changes',
    check: async (fixture) => {
      const { workspace, topUp, has } = await openLedgerWorkspace(fixture)
      await topUp(100n)
      const adjustment = adjustmentOf(workspace, -10n)
      await adjusted(fixture, adjustment)
      for (const micros of [10n, -9n, -11n, -1_000n]) {
        const { credited } = await refused('another amount', 'ReferenceReused', fixture.ledger.adjust({ ...adjustment, micros }))
        same('the amount of the first adjustment', credited, -10n)
      }
      await has('nothing changes', 90n)
    },
  },
  {
    name: 'references of adjustments are apart from those of top-ups',
    check: async (fixture) => {
      const { workspace, topUp, has } = await openLedgerWorkspace(fixture)
      const reference = newName()
      await topUp(100n, reference)
      await adjusted(fixture, adjustmentOf(workspace, -30n, { reference }))
      await topUp(100n, reference)
      await has('both count', 70n)
    },
  },
  {
    name: 'an adjustment never takes available below zero, not even among concurrent holds',
    check: async (fixture) => {
      const { workspace, topUp, price, has, statement } = await openLedgerWorkspace(fixture)
      await topUp(10n)
      await done('a hold succeeds', fixture.wallet.hold(price(4n)))
      const tooMuch = adjustmentOf(workspace, -7n)
      await refused('one micro too many', 'BalanceOutOfRange', fixture.ledger.adjust(tooMuch))
      await refused('far too much', 'BalanceOutOfRange', fixture.ledger.adjust(adjustmentOf(workspace, -MAX_MICROS)))
      await has('a refused adjustment changes nothing', 6n, 4n)
      holds('a refused adjustment leaves no entry', (await statement()).every(({ kind }) => kind !== 'adjustment'), await statement())
      await Promise.all(
        times(10, (index) => (index % 2 === 0 ? fixture.wallet.hold(price(1n)) : fixture.ledger.adjust(adjustmentOf(workspace, -1n)))),
      )
      const balance = await done('a balance is read', fixture.ledger.balance(workspace))
      holds('available is never below zero', O.isSome(balance) && balance.value.available === 0n, balance)
    },
  },
  {
    name: 'an adjustment never takes a wallet beyond the most it can hold',
    check: async (fixture) => {
      const { workspace, topUp, has } = await openLedgerWorkspace(fixture)
      await topUp(MAX_MICROS - 10n)
      await refused('one micro too many', 'BalanceOutOfRange', fixture.ledger.adjust(adjustmentOf(workspace, 11n)))
      await adjusted(fixture, adjustmentOf(workspace, 10n))
      await has('the wallet is full', MAX_MICROS)
    },
  },
  {
    name: 'a wallet whose available is below zero may be adjusted upwards',
    check: async (fixture) => {
      const { workspace, topUp, price, has } = await openLedgerWorkspace(fixture)
      await topUp(10n)
      const [first, second] = [price(10n), price(10n)]
      await done('a hold succeeds', fixture.wallet.hold(first))
      await done('a release succeeds', fixture.wallet.release(first))
      await done('a second hold succeeds', fixture.wallet.hold(second))
      await done('a late capture succeeds', fixture.wallet.capture(first))
      await adjusted(fixture, adjustmentOf(workspace, 4n))
      await has('some of what is missing is added', -6n, 10n)
    },
  },
  {
    name: 'a workspace that does not exist cannot be adjusted',
    check: async ({ ledger }) => {
      await refused('no workspace', 'UnknownWorkspace', ledger.adjust(adjustmentOf(newWorkspaceId(), 1n)))
    },
  },
  {
    name: 'adjustments are part of what an audit compares',
    check: async (fixture) => {
      const { workspace, topUp } = await openLedgerWorkspace(fixture)
      await topUp(100n)
      await adjusted(fixture, adjustmentOf(workspace, -10n))
      await adjusted(fixture, adjustmentOf(workspace, 3n))
      const { broken } = await done('an audit', fixture.ledger.audit())
      same('the books are exact', broken.filter((finding) => finding.workspace === workspace), [])
    },
  },
]
