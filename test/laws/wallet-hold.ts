import * as E from 'fp-ts/lib/Either.js'
import { done, holds, refused, same } from './expect.js'
import { newWorkspaceId, otherCurrency, times } from './ids.js'
import type { Law } from './law.js'
import { openWalletWorkspace, type WalletFixture } from './wallet-fixture.js'

/** The promises of a `Wallet` about reserving money. */
export const holdLaws: ReadonlyArray<Law<WalletFixture>> = [
  {
    name: 'a hold sets the price of a message aside',
    check: async (fixture) => {
      const { held, has } = await openWalletWorkspace(fixture, 100n)
      await held(30n)
      await has('a hold moves its price from available to held', 70n, 30n)
      await held(20n)
      await has('each message has its own hold', 50n, 50n)
    },
  },
  {
    name: 'concurrent holds never overdraw',
    check: async (fixture) => {
      const { price, has } = await openWalletWorkspace(fixture, 7n * 19n)
      const outcomes = await Promise.all(times(20, () => fixture.wallet.hold(price(7n))))
      same('of twenty holds on a balance for nineteen, nineteen succeed', outcomes.filter(E.isRight).length, 19)
      const failures = outcomes.flatMap((outcome) => (E.isLeft(outcome) ? [outcome.left._tag] : []))
      same('the one too many is answered InsufficientBalance', failures, ['InsufficientBalance'])
      await has('the balance is spent to the last micro and no further', 0n, 7n * 19n)
    },
  },
  {
    name: 'concurrent holds of different prices never overdraw',
    check: async (fixture) => {
      const { price, has } = await openWalletWorkspace(fixture, 100n)
      const prices = times(30, (index) => price(BigInt(index + 1)))
      const outcomes = await Promise.all(prices.map((hold) => fixture.wallet.hold(hold)))
      const total = prices.reduce((sum, { amount }, index) => (outcomes[index]?._tag === 'Right' ? sum + amount.micros : sum), 0n)
      holds('what was set aside was there', total <= 100n, total)
      await has('what was set aside, and nothing else, is held', 100n - total, total)
    },
  },
  {
    name: 'a balance equal to the price succeeds and leaves zero available',
    check: async (fixture) => {
      const { held, has } = await openWalletWorkspace(fixture, 62_500n)
      await held(62_500n)
      await has('a balance equal to the price leaves zero available', 0n, 62_500n)
    },
  },
  {
    name: 'a zero price is legal',
    check: async (fixture) => {
      const { held, has } = await openWalletWorkspace(fixture, 0n)
      const hold = await held(0n)
      await has('a zero price sets nothing aside', 0n, 0n)
      same('a hold of zero is captured', await done('a zero price can be captured', fixture.wallet.capture(hold)), 'captured')
      await has('a zero price costs nothing', 0n, 0n)
    },
  },
  {
    name: 'amounts beyond 2^53 micros are exact',
    check: async (fixture) => {
      const balance = 2n ** 53n * 3n + 1n
      const price = 2n ** 53n + 1n
      const { held, has } = await openWalletWorkspace(fixture, balance)
      const hold = await held(price)
      await has('a large price is set aside to the micro', balance - price, price)
      await done('a large price can be captured', fixture.wallet.capture(hold))
      await has('a large price is spent to the micro', balance - price, 0n)
    },
  },
  {
    name: 'holding again for the same message changes nothing',
    check: async (fixture) => {
      const { held, price, has } = await openWalletWorkspace(fixture, 100n)
      const hold = await held(60n)
      await done('a repetition that the balance would not cover succeeds all the same', fixture.wallet.hold(hold))
      await has('the price is set aside once', 40n, 60n)
      await done('a repetition at another price succeeds', fixture.wallet.hold(price(10n, hold.message)))
      await has('the first price stands', 40n, 60n)
    },
  },
  {
    name: 'holding again in another currency succeeds and changes nothing',
    check: async (fixture) => {
      const { currency, held, price, has } = await openWalletWorkspace(fixture, 100n)
      const { message } = await held(60n)
      for (const micros of [60n, 10n, 500n]) {
        const again = { ...price(micros, message), amount: { micros, currency: otherCurrency(currency) } }
        await done('a repetition in another currency succeeds', fixture.wallet.hold(again))
      }
      await has('the first price stands', 40n, 60n)
    },
  },
  {
    name: 'concurrent holds for the same message set the price aside once',
    check: async (fixture) => {
      const { price, has } = await openWalletWorkspace(fixture, 100n)
      const hold = price(60n)
      const outcomes = await Promise.all(times(10, () => fixture.wallet.hold(hold)))
      same('every repetition succeeds', outcomes.filter(E.isLeft), [])
      await has('the price is set aside once', 40n, 60n)
    },
  },
  {
    name: 'holding again for a message that was settled changes nothing',
    check: async (fixture) => {
      const { held, has } = await openWalletWorkspace(fixture, 100n)
      const captured = await held(10n)
      const released = await held(20n)
      const refunded = await held(30n)
      await done('a hold can be captured', fixture.wallet.capture(captured))
      await done('a hold can be released', fixture.wallet.release(released))
      await done('a hold can be refunded', fixture.wallet.refund(refunded))
      for (const hold of [captured, released, refunded]) await done('holding again succeeds', fixture.wallet.hold(hold))
      await has('a settled message is not charged again', 90n, 0n)
    },
  },
  {
    name: 'an insufficient balance says what was required, available and held, and sets nothing aside',
    check: async (fixture) => {
      const { currency, held, price, has } = await openWalletWorkspace(fixture, 100n)
      await held(70n)
      const tooMuch = price(31n)
      const failure = await refused('a price the balance cannot cover', 'InsufficientBalance', fixture.wallet.hold(tooMuch))
      same('an insufficient balance gives the amounts', failure, {
        _tag: 'InsufficientBalance', required: 31n, available: 30n, held: 70n, currency,
      })
      await has('a refused hold sets nothing aside', 30n, 70n)
      same('a refused hold leaves no hold', await done('capture', fixture.wallet.capture(tooMuch)), undefined)
      await has('a refused hold cannot be captured', 30n, 70n)
    },
  },
  {
    name: 'a message whose hold was refused can be held once there is money',
    check: async (fixture) => {
      const { held, price, has } = await openWalletWorkspace(fixture, 100n)
      const first = await held(70n)
      const second = price(50n)
      await refused('a price the balance cannot cover', 'InsufficientBalance', fixture.wallet.hold(second))
      await done('a hold can be released', fixture.wallet.release(first))
      await done('a hold refused before succeeds once the money is back', fixture.wallet.hold(second))
      await has('the second price is set aside', 50n, 50n)
    },
  },
  {
    name: 'a price in another currency than the wallet\'s is a PortFailure',
    check: async (fixture) => {
      const { currency, price, has } = await openWalletWorkspace(fixture, 100n)
      const foreign = { ...price(1n), amount: { micros: 1n, currency: otherCurrency(currency) } }
      await refused('a price in another currency', 'PortFailure', fixture.wallet.hold(foreign))
      await has('a price in another currency sets nothing aside', 100n, 0n)
    },
  },
  {
    name: 'a hold in a workspace without a wallet is a PortFailure',
    check: async (fixture) => {
      const { price } = await openWalletWorkspace(fixture, 100n)
      const nowhere = { ...price(1n), workspace: newWorkspaceId() }
      await refused('a workspace without a wallet', 'PortFailure', fixture.wallet.hold(nowhere))
    },
  },
  {
    name: 'one bad hold among concurrent ones costs its neighbours nothing',
    check: async (fixture) => {
      const { currency, price, has } = await openWalletWorkspace(fixture, 50n)
      const good = times(5, () => price(10n))
      const bad = [
        { ...price(1n), workspace: newWorkspaceId() },
        { ...price(1n), amount: { micros: 1n, currency: otherCurrency(currency) } },
        price(51n),
      ]
      const [outcomes] = await Promise.all([
        Promise.all(good.map((hold) => fixture.wallet.hold(hold))),
        Promise.all(bad.map((hold) => fixture.wallet.hold(hold))),
      ])
      same('good holds succeed beside bad ones', outcomes.filter(E.isLeft), [])
      await has('good holds are set aside beside bad ones', 0n, 50n)
    },
  },
]
