import type { HoldState, NewHold, Wallet } from '../../core/money/wallet.js'
import { done, refused, same } from './expect.js'
import { newWorkspaceId, numbersFrom, ordersOf, times } from './ids.js'
import type { Law } from './law.js'
import { openWalletWorkspace, type WalletFixture } from './wallet-fixture.js'

type Move = 'release' | 'capture' | 'refund'

// The moves by rank, and the state that each one aims for: a hold ends in the highest state that was requested.
const MOVES: ReadonlyArray<Move> = ['release', 'capture', 'refund']
const AIM: Readonly<Record<Move, HoldState>> = { release: 'released', capture: 'captured', refund: 'refunded' }
const RANKED: ReadonlyArray<HoldState> = ['held', 'released', 'captured', 'refunded']

const highest = (states: ReadonlyArray<HoldState | undefined>): HoldState | undefined =>
  RANKED.findLast((state) => states.includes(state))

const moved = (wallet: Wallet, move: Move, hold: NewHold): Promise<HoldState | undefined> =>
  done(`${move} of a hold`, wallet[move](hold))

const settled = (name: string, moves: ReadonlyArray<Move>, state: HoldState, available: bigint): Law<WalletFixture> => ({
  name,
  check: async (fixture) => {
    const { held, has } = await openWalletWorkspace(fixture, 100n)
    const hold = await held(30n)
    let answer: HoldState | undefined = 'held'
    for (const move of moves) answer = await moved(fixture.wallet, move, hold)
    same(`${name}: the state answered`, answer, state)
    await has(`${name}: the balance`, available, 0n)
  },
})

/** The promises of a `Wallet` about capturing a hold and returning its money. */
export const settlementLaws: ReadonlyArray<Law<WalletFixture>> = [
  settled('capture spends a hold', ['capture'], 'captured', 70n),
  settled('capturing again changes nothing', ['capture', 'capture', 'capture'], 'captured', 70n),
  settled('capture spends a hold even after it was given back', ['release', 'capture'], 'captured', 70n),
  settled('release gives a hold back', ['release'], 'released', 100n),
  settled('releasing again changes nothing', ['release', 'release', 'release'], 'released', 100n),
  settled('releasing a spent hold changes nothing', ['capture', 'release'], 'captured', 70n),
  settled('refund gives the price of a spent hold back', ['capture', 'refund'], 'refunded', 100n),
  settled('refund gives the price of a hold back that was not spent', ['refund'], 'refunded', 100n),
  settled('refunding again changes nothing', ['capture', 'refund', 'refund', 'refund'], 'refunded', 100n),
  settled('a refund is for good', ['refund', 'capture', 'release', 'capture'], 'refunded', 100n),
  settled('refunding a hold that was given back gives nothing back twice', ['release', 'refund'], 'refunded', 100n),
  ...MOVES.map((move): Law<WalletFixture> => ({
    name: `concurrent calls of ${move} happen once`,
    check: async (fixture) => {
      const { held, has } = await openWalletWorkspace(fixture, 100n)
      const hold = await held(30n)
      if (move === 'refund') await moved(fixture.wallet, 'capture', hold)
      const answers = await Promise.all(times(10, () => moved(fixture.wallet, move, hold)))
      same(`each call of ${move} is answered with the state afterwards`, answers, times<HoldState | undefined>(10, () => AIM[move]))
      await has(`${move} called ten times at once happens once`, move === 'capture' ? 70n : 100n, 0n)
    },
  })),
  {
    name: 'holdOf answers the state of a hold at once, and undefined where a message has none',
    check: async (fixture) => {
      const { wallet } = fixture
      const { held, price } = await openWalletWorkspace(fixture, 100n)
      const states = new Map<HoldState, ReadonlyArray<Move>>([
        ['held', []], ['released', ['release']], ['captured', ['capture']], ['refunded', ['capture', 'refund']],
      ])
      for (const [state, moves] of states) {
        const hold = await held(10n)
        for (const move of moves) await moved(wallet, move, hold)
        same(`a hold is ${state}`, await done('holdOf', wallet.holdOf(hold)), state)
        same(
          'another workspace has no hold of that message', await done('holdOf', wallet.holdOf({ ...hold, workspace: newWorkspaceId() })),
          undefined,
        )
      }
      const short = price(1_000n)
      await refused('a price that the balance does not cover', 'InsufficientBalance', wallet.hold(short))
      same('a hold that was refused is none', await done('holdOf', wallet.holdOf(short)), undefined)
      same('a message that was never held has no hold', await done('holdOf', wallet.holdOf(price(1n))), undefined)
    },
  },
  {
    name: 'capture, release and refund give the same books in any order and however often they are repeated',
    check: async (fixture) => {
      const subsets: ReadonlyArray<ReadonlyArray<Move>> = times(8, (bits) => MOVES.filter((_, index) => bits & (1 << index)))
      const orders = subsets.flatMap((moves) => ordersOf(moves)).filter((moves) => moves.length > 0)
      await Promise.all(orders.map((moves) => inOrder(fixture, [...moves, ...moves])))
    },
  },
  {
    name: 'concurrent captures, releases and refunds give the same books as any order of them',
    check: async (fixture) => {
      const { held, has } = await openWalletWorkspace(fixture, 1_000n)
      await Promise.all(
        times(10, async () => {
          const hold = await held(100n)
          const answers = await Promise.all([...MOVES, ...MOVES.toReversed()].map((move) => moved(fixture.wallet, move, hold)))
          same('a refund among concurrent moves prevails', highest(answers), 'refunded')
        }),
      )
      await has('a hold that was refunded among other moves costs nothing', 1_000n, 0n)
      await Promise.all(
        times(10, async () => {
          const hold = await held(100n)
          await Promise.all((['release', 'capture', 'release', 'capture'] as const).map((move) => moved(fixture.wallet, move, hold)))
        }),
      )
      await has('a hold that was captured among releases is spent', 0n, 0n)
    },
  },
  {
    name: 'a late capture may take available below zero, and then a hold is refused',
    check: async (fixture) => {
      const { currency, held, price, has } = await openWalletWorkspace(fixture, 100n)
      const early = await held(60n)
      await moved(fixture.wallet, 'release', early)
      const next = await held(80n)
      same('a hold given back is captured', await moved(fixture.wallet, 'capture', early), 'captured')
      await has('a late capture takes available below zero', -40n, 80n)
      const failure = await refused('a hold below zero', 'InsufficientBalance', fixture.wallet.hold(price(1n)))
      same('a hold below zero gives the amounts', failure, {
        _tag: 'InsufficientBalance', required: 1n, available: -40n, held: 80n, currency,
      })
      await moved(fixture.wallet, 'release', next)
      await held(40n)
      await has('a wallet above zero again serves holds', 0n, 40n)
    },
  },
  {
    name: 'a zero price is refused while available is below zero',
    check: async (fixture) => {
      const { currency, held, price, has } = await openWalletWorkspace(fixture, 50n)
      const early = await held(30n)
      await moved(fixture.wallet, 'release', early)
      const next = await held(50n)
      await moved(fixture.wallet, 'capture', early)
      const free = price(0n)
      same('a zero price below zero', await refused('a zero price below zero', 'InsufficientBalance', fixture.wallet.hold(free)), {
        _tag: 'InsufficientBalance', required: 0n, available: -30n, held: 50n, currency,
      })
      same('a refused zero price leaves no hold', await moved(fixture.wallet, 'capture', free), undefined)
      await moved(fixture.wallet, 'release', next)
      await done('a zero price succeeds once available is zero or more', fixture.wallet.hold(free))
      await has('a zero price sets nothing aside', 20n, 0n)
    },
  },
  {
    name: 'a message without a hold is left so',
    check: async (fixture) => {
      const { price, has } = await openWalletWorkspace(fixture, 100n)
      const hold = price(10n)
      for (const move of MOVES) same(`${move} without a hold answers none`, await moved(fixture.wallet, move, hold), undefined)
      const nowhere = { ...hold, workspace: newWorkspaceId() }
      for (const move of MOVES) same(`${move} in no workspace answers none`, await moved(fixture.wallet, move, nowhere), undefined)
      await has('moving what is not held changes nothing', 100n, 0n)
      await done('a message can be held after moves that found nothing', fixture.wallet.hold(hold))
      await has('a hold after moves that found nothing is set aside', 90n, 10n)
    },
  },
  {
    name: 'a hold in one workspace never touches another\'s',
    check: async (fixture) => {
      const [ours, theirs] = [await openWalletWorkspace(fixture, 100n), await openWalletWorkspace(fixture, 100n)]
      const hold = await ours.held(30n)
      await theirs.has('another workspace does not pay', 100n, 0n)
      const elsewhere = { ...hold, workspace: theirs.workspace }
      for (const move of MOVES) {
        same(`${move} from another workspace finds no hold`, await moved(fixture.wallet, move, elsewhere), undefined)
      }
      await ours.has('another workspace cannot move a hold', 70n, 30n)
      const atOnce = [elsewhere, hold, elsewhere].map((asked) => moved(fixture.wallet, 'capture', asked))
      same(
        'another workspace that asks at once does not keep a hold from its own', await Promise.all(atOnce),
        [undefined, 'captured', undefined],
      )
      await ours.has('the price is spent once', 70n, 0n)
      await theirs.has('another workspace gains nothing', 100n, 0n)
    },
  },
  {
    name: 'money is conserved under concurrent calls of every kind',
    check: async (fixture) => {
      for (const seed of [1, 2, 3]) await conserved(fixture, seed)
    },
  },
]

/** Moves one hold step by step; every result is the highest state requested so far, and the balance follows the last. */
const inOrder = async (fixture: WalletFixture, moves: ReadonlyArray<Move>): Promise<void> => {
  const { held, has } = await openWalletWorkspace(fixture, 100n)
  const hold = await held(30n)
  for (const [index, move] of moves.entries()) {
    const promised = highest(moves.slice(0, index + 1).map((called) => AIM[called]))
    same(`after ${moves.slice(0, index + 1).join(', ')} the state`, await moved(fixture.wallet, move, hold), promised)
  }
  const spent = moves.includes('capture') && !moves.includes('refund')
  await has(`after ${moves.join(', ')} the balance`, spent ? 70n : 100n, 0n)
}

/** Random calls in small concurrent groups. A hold ends in the highest state that any call returned, and this state shows where its price is. */
const conserved = async (fixture: WalletFixture, seed: number): Promise<void> => {
  const random = numbersFrom(seed)
  const below = (limit: number): number => Math.floor(random() * limit)
  const funds = 500n
  const { workspace, price, has } = await openWalletWorkspace(fixture, funds)
  const messages = times(12, () => ({ hold: price(BigInt(below(80))), states: new Array<HoldState | undefined>() }))
  for (let handful = 0; handful < 12; handful += 1) {
    const calls = times(8, () => ({ message: messages[below(12)], move: MOVES[below(5)] }))
    await Promise.all(
      calls.map(async ({ message, move }) => {
        if (message === undefined) return
        if (move !== undefined) return void message.states.push(await moved(fixture.wallet, move, message.hold))
        const outcome = await fixture.wallet.hold(message.hold)
        if (outcome._tag === 'Right') message.states.push('held')
        else same('a hold fails for want of money only', outcome.left._tag, 'InsufficientBalance')
      }),
    )
    const at = (state: HoldState): bigint =>
      messages.reduce((sum, { hold, states }) => (highest(states) === state ? sum + hold.amount.micros : sum), 0n)
    const seen = await fixture.balance(workspace)
    same(`available + held + spent is what there was (seed ${seed})`, seen.available + seen.held + at('captured'), funds)
    await has(`the balance is what the holds say (seed ${seed})`, funds - at('held') - at('captured'), at('held'))
  }
}
