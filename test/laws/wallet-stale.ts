import type { StaleHold } from '../../core/ports/wallet.js'
import type { Instant } from '../../core/time.js'
import { allPages, done, same } from './expect.js'
import { longAgo, times } from './ids.js'
import type { Law } from './law.js'
import { openPurse, type WalletWorld } from './wallet-world.js'

// Holds of long ago: the list speaks of every workspace, and few others are that old.

/** What a `Wallet` promises of the holds nobody settled. */
export const staleHoldLaws: ReadonlyArray<Law<WalletWorld>> = [
  {
    name: 'stale lists only holds still held that were made before the moment',
    check: async (world) => {
      const moment = longAgo()
      const { price } = await openPurse(world, 100n)
      const made = [moment - 5_000, moment - 4_000, moment - 3_000, moment - 1, moment, moment + 1]
      const all = made.map((at) => price(1n, undefined, at))
      for (const hold of all) await done('a hold succeeds', world.wallet.hold(hold))
      const [captured, released, refunded, old] = all
      if (captured) await done('capture', world.wallet.capture(captured))
      if (released) await done('release', world.wallet.release(released))
      if (refunded) await done('refund', world.wallet.refund(refunded))
      const listed = (await everyPart(world, moment, 100)).filter(among(all))
      same('only what is still held and older than the moment is stale', listed, old ? [nameOf(old)] : [])
    },
  },
  {
    name: 'stale lists the holds of all workspaces, each in exactly one part',
    check: async (world) => {
      const moment = longAgo()
      const purses = [await openPurse(world, 100n), await openPurse(world, 100n), await openPurse(world, 100n)]
      const all = purses.flatMap(({ price }, index) => times(4, (step) => price(1n, undefined, moment - 1 - step * 1_000 - index)))
      for (const hold of all) await done('a hold succeeds', world.wallet.hold(hold))
      const listed = (await everyPart(world, moment, 5)).filter(among(all))
      same('each stale hold is in exactly one part', sorted(listed), sorted(all.map(nameOf)))
    },
  },
  {
    name: 'stale parts lose no hold while those already listed are settled',
    check: async (world) => {
      const moment = longAgo()
      const { price } = await openPurse(world, 100n)
      const all = times(7, (step) => price(1n, undefined, moment - 1 - step))
      for (const hold of all) await done('a hold succeeds', world.wallet.hold(hold))
      const ours = among(all)
      const listed = await everyPart(world, moment, 2, (part) =>
        Promise.all(part.filter(ours).map((hold) => done('release', world.wallet.release({ ...hold, at: moment })))),
      )
      same('every stale hold was listed though others were settled meanwhile', sorted(listed.filter(ours)), sorted(all.map(nameOf)))
    },
  },
]

const everyPart = (
  { wallet }: WalletWorld,
  before: Instant,
  limit: number,
  between?: (part: ReadonlyArray<StaleHold>) => Promise<unknown>,
): Promise<ReadonlyArray<StaleHold>> =>
  allPages('stale', (query) => wallet.stale({ ...query, before }), limit, between)

const nameOf = ({ workspace, message }: StaleHold): StaleHold => ({ workspace, message })

const among = (all: ReadonlyArray<StaleHold>) => ({ message }: StaleHold): boolean => all.some((hold) => hold.message === message)

const sorted = (all: ReadonlyArray<StaleHold>): ReadonlyArray<StaleHold> =>
  all.toSorted((a, b) => (a.message < b.message ? -1 : 1))
