import { DAY_MS } from '../../core/kernel/time.js'
import { done, same } from './expect.js'
import { newName } from './ids.js'
import type { Law } from './law.js'
import { type LedgerFixture, NOON, openLedgerWorkspace } from './ledger-fixture.js'

/** The promises of a `Ledger` about the spending of keys. */
export const keySpendingLaws: ReadonlyArray<Law<LedgerFixture>> = [
  {
    name: 'the spending of keys is the prices of their holds of that day that are held or captured, and 0 for a key without any',
    check: async (fixture) => {
      const { ledger, wallet } = fixture
      const { workspace, price, topUp } = await openLedgerWorkspace(fixture)
      const other = await openLedgerWorkspace(fixture)
      await topUp(1_000n)
      await other.topUp(1_000n)
      const [first, second, idle] = [newName(), newName(), newName()]
      const hold = async (key: string, micros: bigint, at = NOON, of = price) => {
        const held = { ...of(micros, at), spending: { key, limit: 500n } }
        await done('a price within the limit is set aside', wallet.hold(held))
        return held
      }
      await done('a hold can be captured', wallet.capture(await hold(first, 30n)))
      await hold(first, 5n)
      await done('a hold can be released', wallet.release(await hold(first, 200n)))
      await hold(second, 7n)
      await hold(second, 400n, NOON + DAY_MS)
      await hold(first, 90n, NOON, other.price)
      const spent = async (at: number) =>
        new Map(await done('what keys have spent', ledger.keySpending(workspace, [first, second, idle], at)))
      same('a day', await spent(NOON), new Map([[first, 35n], [second, 7n], [idle, 0n]]))
      same('the day after', await spent(NOON + DAY_MS), new Map([[first, 0n], [second, 400n], [idle, 0n]]))
      same('no keys', new Map(await done('what no keys have spent', ledger.keySpending(workspace, [], NOON))), new Map())
    },
  },
]
