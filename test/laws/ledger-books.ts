import * as O from 'fp-ts/lib/Option.js'
import { auditWallet } from '../../core/money/ledger.js'
import { done, same } from './expect.js'
import { newName, newWorkspaceId, nextMoment } from './ids.js'
import type { Law } from './law.js'
import { type LedgerFixture, openLedgerWorkspace } from './ledger-fixture.js'

/** The promises of a `Ledger` about the open holds and the books of one workspace. */
export const booksLaws: ReadonlyArray<Law<LedgerFixture>> = [
  {
    name: 'the open holds of a workspace are those that are still held, oldest first, and at most as many as asked for',
    check: async (fixture) => {
      const { wallet, ledger } = fixture
      const [ours, theirs] = [await openLedgerWorkspace(fixture), await openLedgerWorkspace(fixture)]
      for (const { topUp } of [ours, theirs]) await topUp(1_000n)
      const held = []
      for (const micros of [10n, 20n, 30n, 40n, 50n, 60n]) {
        const hold = ours.price(micros, await nextMoment())
        await done('a hold succeeds', wallet.hold(hold))
        held.push(hold)
      }
      await done('another workspace holds', wallet.hold(theirs.price(5n, await nextMoment())))
      const [captured, released, refunded, ...open] = held
      if (captured !== undefined) await done('a capture', wallet.capture(captured))
      if (released !== undefined) await done('a release', wallet.release(released))
      if (refunded !== undefined) await done('a refund', wallet.refund(refunded))
      const expected = open.map(({ message, amount: { micros }, at }) => ({ message, micros, at }))
      same('those that are held', await done('open holds', ledger.openHolds(ours.workspace, 10)), expected)
      same('the two oldest', await done('open holds', ledger.openHolds(ours.workspace, 2)), expected.slice(0, 2))
      same('no workspace', await done('open holds', ledger.openHolds(newWorkspaceId(), 10)), [])
    },
  },
  {
    name: 'the books of a workspace are its wallet and the sums of its entries and holds, and of no other workspace',
    check: async (fixture) => {
      const { wallet, ledger } = fixture
      const [ours, theirs] = [await openLedgerWorkspace(fixture), await openLedgerWorkspace(fixture)]
      for (const { topUp } of [ours, theirs]) await topUp(1_000n)
      const [captured, released, open] = [ours.price(10n), ours.price(20n), ours.price(40n)]
      for (const hold of [captured, released, open, theirs.price(7n)]) await done('a hold succeeds', wallet.hold(hold))
      await done('a capture', wallet.capture(captured))
      await done('a release', wallet.release(released))
      await done(
        'an adjustment',
        ledger.adjust({ workspace: ours.workspace, micros: -3n, reference: newName(), note: 'typed wrong', at: captured.at }),
      )
      const books = await done('the books are read', ledger.books(ours.workspace))
      const { entries, holds: sums, ...balance } = O.isSome(books) ? books.value : { entries: {}, holds: {}, available: -1n, held: -1n }
      same('the wallet', balance, { available: 947n, held: 40n })
      same('the sums of the entries', [entries.top_up, entries.adjustment, entries.capture, entries.release], [1_000n, -3n, 10n, 20n])
      same('the sums of the holds', [sums.held, sums.captured, sums.released], [40n, 10n, 20n])
      same('nothing is off', auditWallet({ ...balance, entries, holds: sums }), [])
      same('no workspace has no books', await done('the books are read', ledger.books(newWorkspaceId())), O.none)
    },
  },
  {
    name: 'a cursor of a statement is compared like the id of an entry',
    check: async (fixture) => {
      const { workspace, topUp, statement } = await openLedgerWorkspace(fixture)
      for (const micros of [1n, 2n, 3n]) await topUp(micros, newName(), await nextMoment())
      const [newest, middle, oldest] = await statement()
      const read = async (cursor: string) =>
        (await done('a statement is read', fixture.ledger.statement(workspace, { limit: 10, cursor }))).items.map(({ micros }) => micros)
      same('after every id', await read('f'.repeat(32)), [newest, middle, oldest].map((entry) => entry?.micros))
      same('after the id of the middle one, and a little more', await read(`${middle?.id ?? ''}0`), [2n, 1n])
      same('before every id', await read('0'.repeat(32)), [])
    },
  },
]
