import * as O from 'fp-ts/lib/Option.js'
import { MAX_MICROS } from '../../core/kernel/money.js'
import { done, refused, same } from './expect.js'
import { newName, newWorkspaceId, times } from './ids.js'
import type { Law } from './law.js'
import { type LedgerFixture, linesOf, NOON, openLedgerWorkspace } from './ledger-fixture.js'

/** The promises of a `Ledger` about adding money and reading the balance. */
export const topUpLaws: ReadonlyArray<Law<LedgerFixture>> = [
  {
    name: 'a new wallet is empty, and a workspace that does not exist has no balance',
    check: async (fixture) => {
      const { has } = await openLedgerWorkspace(fixture)
      await has('a new wallet', 0n)
      same('no wallet', await done('balance', fixture.ledger.balance(newWorkspaceId())), O.none)
    },
  },
  {
    name: 'a top-up is answered with the balance afterwards',
    check: async (fixture) => {
      const { balanceOf, price, topUp, has } = await openLedgerWorkspace(fixture)
      same('the balance after a first top-up', await topUp(100n), balanceOf(100n))
      await done('a hold succeeds', fixture.wallet.hold(price(30n)))
      same('the balance after a second, with a price on hold', await topUp(5n), balanceOf(75n, 30n))
      await has('the balance that is answered', 75n, 30n)
    },
  },
  {
    name: 'the same reference with the same amount credits a workspace once',
    check: async (fixture) => {
      const { balanceOf, topUp, has, statement } = await openLedgerWorkspace(fixture)
      const reference = newName()
      await topUp(100n, reference)
      for (const at of [NOON, NOON + 5]) {
        same('a repetition is answered with the balance', await topUp(100n, reference, at), balanceOf(100n))
      }
      await has('the reference credits once', 100n)
      same('the reference has one entry', linesOf(await statement()), [
        { kind: 'top_up', micros: 100n, message: undefined, reference, at: NOON },
      ])
    },
  },
  {
    name: 'a reference that was credited with another amount is ReferenceReused with that amount, and nothing is added',
    check: async (fixture) => {
      const { workspace, topUp, has, statement } = await openLedgerWorkspace(fixture)
      const reference = newName()
      await topUp(100n, reference)
      for (const micros of [1n, 99n, 101n, 2n ** 54n]) {
        const { credited } = await refused(
          'another amount', 'ReferenceReused', fixture.ledger.topUp({ workspace, micros, reference, at: NOON }),
        )
        same('the amount that was credited', credited, 100n)
      }
      await has('a refused repetition adds nothing', 100n)
      same('a refused repetition leaves no entry', (await statement()).length, 1)
    },
  },
  {
    name: 'a reference is free again where its top-up was refused',
    check: async (fixture) => {
      const { workspace, topUp, has } = await openLedgerWorkspace(fixture)
      const reference = newName()
      await topUp(1n)
      await refused('too much', 'BalanceOutOfRange', fixture.ledger.topUp({ workspace, micros: MAX_MICROS, reference, at: NOON }))
      await topUp(5n, reference)
      await has('the reference credits an amount that fits', 6n)
    },
  },
  {
    name: 'concurrent top-ups with one reference and different amounts credit one of them',
    check: async (fixture) => {
      const { workspace, has } = await openLedgerWorkspace(fixture)
      const reference = newName()
      const topUps = await Promise.all(
        times(10, (index) => fixture.ledger.topUp({ workspace, micros: BigInt(index + 1), reference, at: NOON })),
      )
      const credited = topUps.flatMap((outcome) => (outcome._tag === 'Right' ? [outcome.right.available] : []))
      same('one top-up succeeds', credited.length, 1)
      const reused = topUps.flatMap((outcome) =>
        outcome._tag === 'Left' && outcome.left._tag === 'ReferenceReused' ? [outcome.left.credited] : [])
      same('the others are refused with its amount', reused, times(9, () => credited[0] ?? 0n))
      await has('one amount is credited', credited[0] ?? 0n)
    },
  },
  {
    name: 'concurrent top-ups with the same reference credit once',
    check: async (fixture) => {
      const { balanceOf, topUp, has, statement } = await openLedgerWorkspace(fixture)
      const reference = newName()
      const answers = await Promise.all(times(10, () => topUp(100n, reference)))
      same('each is answered with the balance', answers, times(10, () => balanceOf(100n)))
      await has('ten top-ups with one reference credit once', 100n)
      same('they leave one entry', (await statement()).length, 1)
    },
  },
  {
    name: 'concurrent top-ups with different references credit each',
    check: async (fixture) => {
      const { topUp, has, statement } = await openLedgerWorkspace(fixture)
      await Promise.all(times(10, (index) => topUp(BigInt(index + 1))))
      await has('ten top-ups credit ten amounts', 55n)
      same('they leave ten entries', (await statement()).length, 10)
    },
  },
  {
    name: 'a reference of another workspace is a reference of its own',
    check: async (fixture) => {
      const [ours, theirs] = [await openLedgerWorkspace(fixture), await openLedgerWorkspace(fixture)]
      const reference = newName()
      await ours.topUp(100n, reference)
      await theirs.topUp(30n, reference)
      await ours.has('the one workspace', 100n)
      await theirs.has('the other workspace', 30n)
    },
  },
  {
    name: 'references that differ in any character are different references',
    check: async (fixture) => {
      const { topUp, has } = await openLedgerWorkspace(fixture)
      const references = ['invoice-a', 'invoice-A', 'INVOICE-A', 'invoice-a ', 'invoice-ä', 'invoice_a', 'invoice%a', 'счёт', '発票 🌍']
      for (const reference of references) await topUp(1n, reference)
      for (const reference of references) await topUp(1n, reference)
      await has('each reference credits once', BigInt(references.length))
    },
  },
  {
    name: 'money cannot be added to a workspace that does not exist',
    check: async ({ ledger }) => {
      const workspace = newWorkspaceId()
      await refused('no workspace', 'UnknownWorkspace', ledger.topUp({ workspace, micros: 1n, reference: newName(), at: NOON }))
      same('nothing was added', await done('balance', ledger.balance(workspace)), O.none)
      const statement = await done('statement', ledger.statement(workspace, { limit: 5 }))
      same('nothing was written', statement, { items: [], next: undefined })
    },
  },
  {
    name: 'a balance that would pass the most a wallet can hold is BalanceOutOfRange, and nothing is added',
    check: async (fixture) => {
      const { workspace, topUp, price, has, statement } = await openLedgerWorkspace(fixture)
      await topUp(MAX_MICROS - 10n)
      const reference = newName()
      const topUpTooMuch = () => fixture.ledger.topUp({ workspace, micros: 11n, reference, at: NOON })
      await refused('one micro too many', 'BalanceOutOfRange', topUpTooMuch())
      const farTooMuch = fixture.ledger.topUp({ workspace, micros: MAX_MICROS, reference: newName(), at: NOON })
      await refused('far too much', 'BalanceOutOfRange', farTooMuch)
      await has('a refused top-up adds nothing', MAX_MICROS - 10n)
      same('a refused top-up leaves no entry', (await statement()).length, 1)
      const spent = price(1n)
      await done('a hold succeeds', fixture.wallet.hold(spent))
      await done('a capture succeeds', fixture.wallet.capture(spent))
      await done('a reference that was refused credits once there is room', topUpTooMuch())
      await has('a wallet can be filled to the last micro', MAX_MICROS)
    },
  },
  {
    name: 'money on hold counts towards the most a wallet can hold',
    check: async (fixture) => {
      const { workspace, topUp, price, has } = await openLedgerWorkspace(fixture)
      await topUp(MAX_MICROS - 10n)
      await done('a hold succeeds', fixture.wallet.hold(price(7n)))
      await refused(
        'one micro too many', 'BalanceOutOfRange', fixture.ledger.topUp({ workspace, micros: 11n, reference: newName(), at: NOON }),
      )
      await topUp(10n)
      await has('the wallet is full', MAX_MICROS - 7n, 7n)
    },
  },
  {
    name: 'an amount that no wallet can hold is BalanceOutOfRange',
    check: async ({ ledger, ...fixture }) => {
      const { workspace } = await openLedgerWorkspace({ ledger, ...fixture })
      for (const micros of [MAX_MICROS + 1n, 2n ** 63n, 2n ** 70n]) {
        await refused(
          'an amount beyond any wallet', 'BalanceOutOfRange', ledger.topUp({ workspace, micros, reference: newName(), at: NOON }),
        )
      }
    },
  },
  {
    name: 'amounts beyond 2^53 micros are added exactly',
    check: async (fixture) => {
      const { topUp, has, statement } = await openLedgerWorkspace(fixture)
      await topUp(2n ** 53n + 1n)
      await topUp(2n ** 54n + 3n)
      await has('the sum', 3n * 2n ** 53n + 4n)
      same('the amounts', new Set((await statement()).map(({ micros }) => micros)), new Set([2n ** 54n + 3n, 2n ** 53n + 1n]))
    },
  },
  {
    name: 'one top-up among concurrent ones that is refused costs its neighbours nothing',
    check: async (fixture) => {
      const { workspace, topUp, has } = await openLedgerWorkspace(fixture)
      const nowhere = { workspace: newWorkspaceId(), micros: 1n, reference: newName(), at: NOON }
      const tooMuch = { workspace, micros: MAX_MICROS, reference: newName(), at: NOON }
      await topUp(1n)
      await Promise.all([
        ...times(5, () => topUp(10n)),
        refused('no workspace', 'UnknownWorkspace', fixture.ledger.topUp(nowhere)),
        refused('too much', 'BalanceOutOfRange', fixture.ledger.topUp(tooMuch)),
      ])
      await has('good top-ups are added beside bad ones', 51n)
    },
  },
]
