import * as O from 'fp-ts/lib/Option.js'
import { MAX_MICROS } from '../../core/money.js'
import { done, refused, same } from './expect.js'
import { newName, newWorkspaceId, times } from './ids.js'
import type { Law } from './law.js'
import { linesOf, NOON, openAccount, type LedgerWorld } from './ledger-world.js'

/** What a `Ledger` promises of adding money and telling the balance. */
export const topUpLaws: ReadonlyArray<Law<LedgerWorld>> = [
  {
    name: 'a new wallet is empty, and a workspace that does not exist has no balance',
    check: async (world) => {
      const { has } = await openAccount(world)
      await has('a new wallet', 0n)
      same('no wallet', await done('balance', world.ledger.balance(newWorkspaceId())), O.none)
    },
  },
  {
    name: 'a top-up is answered with the balance afterwards',
    check: async (world) => {
      const { balanceOf, price, topUp, has } = await openAccount(world)
      same('the balance after a first top-up', await topUp(100n), balanceOf(100n))
      await done('a hold succeeds', world.wallet.hold(price(30n)))
      same('the balance after a second, with a price on hold', await topUp(5n), balanceOf(75n, 30n))
      await has('the balance told afterwards', 75n, 30n)
    },
  },
  {
    name: 'the same reference credits a workspace once, whatever the amount of the repetition',
    check: async (world) => {
      const { balanceOf, topUp, has, statement } = await openAccount(world)
      const reference = newName()
      await topUp(100n, reference)
      for (const micros of [100n, 1n, 999n]) {
        same('a repetition is told the balance', await topUp(micros, reference, NOON + 5), balanceOf(100n))
      }
      await has('the reference credits once', 100n)
      same('the reference has one entry', linesOf(await statement()), [
        { kind: 'top_up', micros: 100n, message: undefined, reference, at: NOON },
      ])
    },
  },
  {
    name: 'concurrent top-ups with the same reference credit once',
    check: async (world) => {
      const { balanceOf, topUp, has, statement } = await openAccount(world)
      const reference = newName()
      const told = await Promise.all(times(10, () => topUp(100n, reference)))
      same('each is told the balance', told, times(10, () => balanceOf(100n)))
      await has('ten top-ups with one reference credit once', 100n)
      same('they leave one entry', (await statement()).length, 1)
    },
  },
  {
    name: 'concurrent top-ups with different references credit each',
    check: async (world) => {
      const { topUp, has, statement } = await openAccount(world)
      await Promise.all(times(10, (index) => topUp(BigInt(index + 1))))
      await has('ten top-ups credit ten amounts', 55n)
      same('they leave ten entries', (await statement()).length, 10)
    },
  },
  {
    name: 'a reference of another workspace is a reference of its own',
    check: async (world) => {
      const [ours, theirs] = [await openAccount(world), await openAccount(world)]
      const reference = newName()
      await ours.topUp(100n, reference)
      await theirs.topUp(30n, reference)
      await ours.has('the one workspace', 100n)
      await theirs.has('the other workspace', 30n)
    },
  },
  {
    name: 'references that differ in any character are different references',
    check: async (world) => {
      const { topUp, has } = await openAccount(world)
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
    check: async (world) => {
      const { workspace, topUp, price, has, statement } = await openAccount(world)
      await topUp(MAX_MICROS - 10n)
      const reference = newName()
      const tooMuch = world.ledger.topUp({ workspace, micros: 11n, reference, at: NOON })
      await refused('one micro too many', 'BalanceOutOfRange', tooMuch)
      const farTooMuch = world.ledger.topUp({ workspace, micros: MAX_MICROS, reference: newName(), at: NOON })
      await refused('far too much', 'BalanceOutOfRange', farTooMuch)
      await has('a refused top-up adds nothing', MAX_MICROS - 10n)
      same('a refused top-up leaves no entry', (await statement()).length, 1)
      const spent = price(1n)
      await done('a hold succeeds', world.wallet.hold(spent))
      await done('a capture succeeds', world.wallet.capture(spent))
      await done('a reference that was refused credits once there is room', tooMuch)
      await has('a wallet can be filled to the last micro', MAX_MICROS)
    },
  },
  {
    name: 'amounts beyond 2^53 micros are added exactly',
    check: async (world) => {
      const { topUp, has, statement } = await openAccount(world)
      await topUp(2n ** 53n + 1n)
      await topUp(2n ** 54n + 3n)
      await has('the sum', 3n * 2n ** 53n + 4n)
      same('the amounts', new Set((await statement()).map(({ micros }) => micros)), new Set([2n ** 54n + 3n, 2n ** 53n + 1n]))
    },
  },
  {
    name: 'one top-up among concurrent ones that is refused costs its neighbours nothing',
    check: async (world) => {
      const { workspace, topUp, has } = await openAccount(world)
      const nowhere = { workspace: newWorkspaceId(), micros: 1n, reference: newName(), at: NOON }
      const tooMuch = { workspace, micros: MAX_MICROS, reference: newName(), at: NOON }
      await topUp(1n)
      await Promise.all([
        ...times(5, () => topUp(10n)),
        refused('no workspace', 'UnknownWorkspace', world.ledger.topUp(nowhere)),
        refused('too much', 'BalanceOutOfRange', world.ledger.topUp(tooMuch)),
      ])
      await has('good top-ups are added beside bad ones', 51n)
    },
  },
]
