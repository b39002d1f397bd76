import type { Instant } from '../../core/kernel/time.js'
import type { StaleHold } from '../../core/money/wallet.js'
import { allPages, done, same } from './expect.js'
import { GARBAGE_CURSORS, longAgo, newMessageId, times } from './ids.js'
import type { Law } from './law.js'
import { openWalletWorkspace, type WalletFixture } from './wallet-fixture.js'

// Holds of long ago: the list covers every workspace, and few other holds are that old.

/** The promises of a `Wallet` about the holds that are still held. */
export const staleHoldLaws: ReadonlyArray<Law<WalletFixture>> = [
  {
    name: 'stale lists only holds still held that were made before the moment',
    check: async (fixture) => {
      const moment = longAgo()
      const { price } = await openWalletWorkspace(fixture, 100n)
      const made = [moment - 5_000, moment - 4_000, moment - 3_000, moment - 1, moment, moment + 1]
      const all = made.map((at) => price(1n, undefined, at))
      for (const hold of all) await done('a hold succeeds', fixture.wallet.hold(hold))
      const [captured, released, refunded, old] = all
      if (captured) await done('capture', fixture.wallet.capture(captured))
      if (released) await done('release', fixture.wallet.release(released))
      if (refunded) await done('refund', fixture.wallet.refund(refunded))
      const listed = (await everyPart(fixture, moment, 100)).filter(among(all))
      same('only what is still held and older than the moment is stale', listed, old ? [nameOf(old)] : [])
    },
  },
  {
    name: 'stale lists the holds of all workspaces, each in exactly one part',
    check: async (fixture) => {
      const moment = longAgo()
      const purses = [
        await openWalletWorkspace(fixture, 100n), await openWalletWorkspace(fixture, 100n), await openWalletWorkspace(fixture, 100n),
      ]
      const all = purses.flatMap(({ price }, index) => times(4, (step) => price(1n, undefined, moment - 1 - step * 1_000 - index)))
      for (const hold of all) await done('a hold succeeds', fixture.wallet.hold(hold))
      const listed = (await everyPart(fixture, moment, 5)).filter(among(all))
      same('each stale hold is in exactly one part', sorted(listed), sorted(all.map(nameOf)))
    },
  },
  {
    name: 'stale lists each hold in exactly one part even if the ids of the messages do not sort by the moments of their holds',
    check: async (fixture) => {
      const moment = longAgo()
      const { price } = await openWalletWorkspace(fixture, 100n)
      const ids = times(6, (step) => newMessageId(moment - 10 + step))
      const all = [4, 6, 3, 5, 1, 2].map((age, index) => price(1n, ids[index], moment - age))
      for (const hold of all) await done('a hold succeeds', fixture.wallet.hold(hold))
      for (const limit of [1, 2, 3]) {
        same(`in parts of ${limit}`, sorted((await everyPart(fixture, moment, limit)).filter(among(all))), sorted(all.map(nameOf)))
      }
    },
  },
  {
    name: 'stale parts lose no hold while those already listed are settled',
    check: async (fixture) => {
      const moment = longAgo()
      const { price } = await openWalletWorkspace(fixture, 100n)
      const all = times(7, (step) => price(1n, undefined, moment - 1 - step))
      for (const hold of all) await done('a hold succeeds', fixture.wallet.hold(hold))
      const ours = among(all)
      const listed = await everyPart(fixture, moment, 2, (part) =>
        Promise.all(part.filter(ours).map((hold) => done('release', fixture.wallet.release({ ...hold, at: moment })))),
      )
      same('every stale hold was listed though others were settled meanwhile', sorted(listed.filter(ours)), sorted(all.map(nameOf)))
    },
  },
  {
    name: 'the last part of stale has no next, also where it is full',
    check: async (fixture) => {
      const moment = longAgo()
      const { price } = await openWalletWorkspace(fixture, 100n)
      for (const step of times(4, (index) => index)) {
        await done('a hold succeeds', fixture.wallet.hold(price(1n, undefined, moment - 1 - step)))
      }
      const every = (await everyPart(fixture, moment, 100)).length
      const whole = await done('stale', fixture.wallet.stale({ before: moment, limit: every }))
      same('a part with every hold has no next', whole.next, undefined)
      const { next } = await done('stale', fixture.wallet.stale({ before: moment, limit: 1 }))
      const rest = await done(
        'stale', fixture.wallet.stale({ before: moment, limit: every - 1, ...(next !== undefined && { cursor: next }) }),
      )
      same('a full part with every hold that is left', [rest.items.length, rest.next], [every - 1, undefined])
    },
  },
  {
    name: 'a cursor that no part of stale gave never fails',
    check: async (fixture) => {
      const moment = longAgo()
      const { workspace, price } = await openWalletWorkspace(fixture, 100n)
      const { message } = price(1n)
      await done('a hold succeeds', fixture.wallet.hold(price(1n, message, moment - 1)))
      for (const cursor of [
        ...GARBAGE_CURSORS, message, message.slice('msg_'.length), workspace, `${moment}.\u0000`, `-1.${message}`, '1e400.x',
      ]) {
        await done('a cursor of another list, or of none', fixture.wallet.stale({ before: moment, limit: 5, cursor }))
      }
    },
  },
]

const everyPart = (
  { wallet }: WalletFixture,
  before: Instant,
  limit: number,
  between?: (part: ReadonlyArray<StaleHold>) => Promise<unknown>,
): Promise<ReadonlyArray<StaleHold>> =>
  allPages('stale', (query) => wallet.stale({ ...query, before }), limit, between)

const nameOf = ({ workspace, message }: StaleHold): StaleHold => ({ workspace, message })

const among = (all: ReadonlyArray<StaleHold>) => ({ message }: StaleHold): boolean => all.some((hold) => hold.message === message)

const sorted = (all: ReadonlyArray<StaleHold>): ReadonlyArray<StaleHold> =>
  all.toSorted((a, b) => (a.message < b.message ? -1 : 1))
