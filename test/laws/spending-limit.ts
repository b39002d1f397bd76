import * as E from 'fp-ts/lib/Either.js'
import { DAY_MS } from '../../core/kernel/time.js'
import type { NewHold, SpendingLimitReached, Wallet } from '../../core/money/wallet.js'
import { done, refused, same } from './expect.js'
import { newMessageId, newName, numbersFrom, times } from './ids.js'
import type { Law } from './law.js'
import { openWalletWorkspace, type WalletFixture, type WalletWorkspace } from './wallet-fixture.js'

/** A wallet that enforces the limits of keys. */
export type SpendingLimitFixture = WalletFixture & {
  /** The same wallets as another node opens them, if there are several nodes. */
  readonly elsewhere?: Wallet
}

type LimitedWorkspace = WalletWorkspace & {
  /** The price of a new message that counts towards the limit of the key, or of another key. */
  readonly limited: (micros: bigint, at?: number, key?: string) => NewHold
  /** Reserves such a price. */
  readonly spends: (micros: bigint, at?: number) => Promise<NewHold>
  /** The failure of a price that exceeds any limit; it contains the amount spent. */
  readonly tooMuch: (at?: number) => Promise<SpendingLimitReached>
  /** Checks the spending of the key. */
  readonly hasSpent: (promise: string, micros: bigint, at?: number) => Promise<void>
}

const MOVES = ['capture', 'release', 'refund'] as const
const MIDNIGHT = Date.UTC(2026, 2, 2)
const NOON = MIDNIGHT - DAY_MS / 2

/** Opens a workspace with plenty of money, and a new key with a limit. */
const openLimited = async (fixture: SpendingLimitFixture, limit: bigint, money = 1_000_000n): Promise<LimitedWorkspace> => {
  const opened = await openWalletWorkspace(fixture, money)
  const ownKey = newName()
  const limited: LimitedWorkspace['limited'] = (micros, at = NOON, key = ownKey) =>
    ({ ...opened.price(micros, newMessageId(at), at), spending: { key, limit } })
  const tooMuch: LimitedWorkspace['tooMuch'] = (at) =>
    refused('a price above the limit', 'SpendingLimitReached', fixture.wallet.hold(limited(limit + 1n, at)))
  return {
    ...opened, limited, tooMuch,
    spends: async (micros, at) => {
      const hold = limited(micros, at)
      await done('a price within the limit is set aside', fixture.wallet.hold(hold))
      return hold
    },
    hasSpent: async (promise, micros, at) => same(promise, (await tooMuch(at)).spent, micros),
  }
}

/** The nodes alternately, so that half of the calls come from another one. */
const nodeOf = ({ wallet, elsewhere = wallet }: SpendingLimitFixture, index: number): Wallet => (index % 2 === 0 ? wallet : elsewhere)

/** The promises of a `Wallet` about the limits of keys. */
export const spendingLimitLaws: ReadonlyArray<Law<SpendingLimitFixture>> = [
  {
    name: 'a key spends exactly up to its limit in a day, and the refusal says what it has spent and when it may spend again',
    check: async (fixture) => {
      const { currency, limited, spends, has } = await openLimited(fixture, 100n)
      await spends(60n)
      await spends(40n)
      same('a limit that is reached', await refused('one micro more', 'SpendingLimitReached', fixture.wallet.hold(limited(1n))), {
        _tag: 'SpendingLimitReached', required: 1n, limit: 100n, spent: 100n, currency, resetsAt: MIDNIGHT,
      })
      await has('what was refused is not set aside', 999_900n, 100n)
    },
  },
  {
    name: 'concurrent holds of a key never pass its limit, and reach it where enough is asked for',
    check: async (fixture) => {
      const { limited, has, hasSpent } = await openLimited(fixture, 7n * 19n + 3n)
      const outcomes = await Promise.all(times(64, (index) => nodeOf(fixture, index).hold(limited(7n))))
      same('how many of 64 holds succeed', outcomes.filter(E.isRight).length, 19)
      same(
        'how the others fail', new Set(outcomes.flatMap((outcome) => (E.isLeft(outcome) ? [outcome.left._tag] : []))),
        new Set(['SpendingLimitReached']),
      )
      await has('only what succeeded is set aside', 1_000_000n - 133n, 133n)
      await hasSpent('the key has spent what succeeded', 133n)
    },
  },
  {
    name: 'what is released or refunded is given back once, to the day of its hold',
    check: async (fixture) => {
      const { spends, hasSpent } = await openLimited(fixture, 100n)
      const [released, refunded, givenBack] = [await spends(10n), await spends(20n), await spends(40n)]
      await spends(5n, MIDNIGHT)
      await done('a hold can be captured', fixture.wallet.capture(refunded))
      await hasSpent('a captured price stays spent', 70n)
      for (const again of [0, 1]) {
        await done('a hold can be released', nodeOf(fixture, again).release({ ...released, at: MIDNIGHT }))
        await done('a captured hold can be refunded', nodeOf(fixture, again).refund({ ...refunded, at: MIDNIGHT }))
        await done('a hold can be refunded', nodeOf(fixture, again + 1).refund({ ...givenBack, at: MIDNIGHT }))
      }
      await hasSpent('all is given back', 0n)
      await hasSpent('the other day keeps what was spent', 5n, MIDNIGHT)
    },
  },
  {
    name: 'the rest of a captured part is given back to the day of its hold, and the part stays spent until it is refunded',
    check: async (fixture) => {
      const { spends, hasSpent } = await openLimited(fixture, 100n)
      const [fresh, late] = [await spends(60n), await spends(30n)]
      await spends(5n, MIDNIGHT)
      await done('a hold can be released', fixture.wallet.release({ ...late, at: MIDNIGHT }))
      for (const again of [0, 1]) {
        await done('a part can be captured', nodeOf(fixture, again).capturePart({ ...fresh, micros: 25n, at: MIDNIGHT }))
        await done('a part of a released hold', nodeOf(fixture, again).capturePart({ ...late, micros: 10n, at: MIDNIGHT }))
      }
      await hasSpent('the parts are spent', 35n)
      await done('a part can be refunded', fixture.wallet.refund({ ...fresh, at: MIDNIGHT }))
      await hasSpent('the other part', 10n)
      await hasSpent('the other day', 5n, MIDNIGHT)
    },
  },
  {
    name: 'a hold that is captured after it was released counts again, even beyond the limit',
    check: async (fixture) => {
      const { limited, spends, hasSpent } = await openLimited(fixture, 100n)
      const late = await spends(60n)
      await done('a hold can be released', fixture.wallet.release(late))
      await spends(70n)
      await done('a released hold can be captured', fixture.wallet.capture(late))
      await hasSpent('both count', 130n)
      await refused('a price of nothing beyond the limit', 'SpendingLimitReached', fixture.wallet.hold(limited(0n)))
    },
  },
  {
    name: 'holding again for the same message counts once and succeeds where the limit is reached',
    check: async (fixture) => {
      const { limited, has, hasSpent } = await openLimited(fixture, 100n)
      const hold = limited(100n)
      const outcomes = await Promise.all(times(10, (index) => nodeOf(fixture, index).hold(hold)))
      same('every repetition at the same time succeeds', outcomes.filter(E.isLeft), [])
      await done('a repetition succeeds', fixture.wallet.hold(hold))
      await done('a repetition at a higher price succeeds', fixture.wallet.hold({ ...hold, amount: { ...hold.amount, micros: 500n } }))
      await has('the price is set aside once', 999_900n, 100n)
      await hasSpent('the price counts once', 100n)
    },
  },
  {
    name: 'a day begins at midnight UTC with nothing spent',
    check: async (fixture) => {
      const { spends, tooMuch, hasSpent } = await openLimited(fixture, 100n)
      await spends(100n, MIDNIGHT - 1)
      await spends(80n, MIDNIGHT)
      await hasSpent('the last moment of a day is on that day', 100n, MIDNIGHT - DAY_MS)
      await hasSpent('the first moment of a day is on that day', 80n, MIDNIGHT + DAY_MS - 1)
      same('when the next day begins', (await tooMuch(MIDNIGHT)).resetsAt, MIDNIGHT + DAY_MS)
    },
  },
  {
    name: 'each key of each workspace has a limit of its own, and a hold without a key none',
    check: async (fixture) => {
      const { limited, price, hasSpent } = await openLimited(fixture, 100n)
      const other = await openLimited(fixture, 100n)
      const key = newName()
      await done('a hold of one key', fixture.wallet.hold(limited(100n, NOON, key)))
      await done('a hold of the same key in another workspace', fixture.wallet.hold(other.limited(100n, NOON, key)))
      await done('a hold without a key', fixture.wallet.hold(price(500n, undefined, NOON)))
      await hasSpent('another key has spent nothing', 0n)
    },
  },
  {
    name: 'too little money is said before the limit, and counts for no limit',
    check: async (fixture) => {
      const { limited, hasSpent } = await openLimited(fixture, 100n, 250n)
      await refused('a price above the balance and the limit', 'InsufficientBalance', fixture.wallet.hold(limited(251n)))
      await hasSpent('nothing was spent', 0n)
    },
  },
  {
    name: 'a message that the limit refused can be held once something was given back',
    check: async (fixture) => {
      const { limited, spends, hasSpent } = await openLimited(fixture, 100n)
      const first = await spends(80n)
      const second = limited(50n)
      await refused('a price above what is left', 'SpendingLimitReached', fixture.wallet.hold(second))
      await done('a hold can be released', fixture.wallet.release(first))
      await done('a hold refused before succeeds', fixture.wallet.hold(second))
      await hasSpent('only the second counts', 50n)
    },
  },
  {
    name: 'under concurrent calls of every kind a key has spent the prices that are held or captured',
    check: async (fixture) => {
      const { limited, hasSpent } = await openLimited(fixture, 500n)
      const random = numbersFrom(7)
      const prices = times(60, (index) => limited(BigInt(index + 1), index % 2 === 0 ? NOON : MIDNIGHT))
      await Promise.all(prices.map(async (hold, index) => {
        const outcome = await nodeOf(fixture, index).hold(hold)
        const [first, second] = times(2, () => MOVES[Math.floor(random() * MOVES.length)] ?? 'capture')
        if (E.isLeft(outcome) || first === undefined || second === undefined || index % 4 === 0) return
        await Promise.all([nodeOf(fixture, index)[first](hold), nodeOf(fixture, index + 1)[second](hold)])
      }))
      const states = await Promise.all(prices.map((hold) => done('a state is read', fixture.wallet.holdOf(hold))))
      const sumOn = (at: number): bigint => prices.reduce((sum, hold, index) =>
        (hold.at === at && (states[index] === 'held' || states[index] === 'captured') ? sum + hold.amount.micros : sum), 0n)
      await hasSpent('the first day', sumOn(NOON), NOON)
      await hasSpent('the second day', sumOn(MIDNIGHT), MIDNIGHT)
    },
  },
]
