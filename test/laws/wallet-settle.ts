import type { HoldState, NewHold, Wallet } from '../../core/ports/wallet.js'
import { done, refused, same } from './expect.js'
import { newWorkspaceId, numbersFrom, ordersOf, times } from './ids.js'
import type { Law } from './law.js'
import { openPurse, type WalletWorld } from './wallet-world.js'

type Move = 'release' | 'capture' | 'refund'

// The moves by rank, and the state each one strives for: the highest that was called is where a hold ends.
const MOVES: ReadonlyArray<Move> = ['release', 'capture', 'refund']
const AIM: Readonly<Record<Move, HoldState>> = { release: 'released', capture: 'captured', refund: 'refunded' }
const RANKED: ReadonlyArray<HoldState> = ['held', 'released', 'captured', 'refunded']

const highest = (states: ReadonlyArray<HoldState | undefined>): HoldState | undefined =>
  RANKED.findLast((state) => states.includes(state))

const moved = (wallet: Wallet, move: Move, hold: NewHold): Promise<HoldState | undefined> =>
  done(`${move} of a hold`, wallet[move](hold))

const settled = (name: string, moves: ReadonlyArray<Move>, state: HoldState, available: bigint): Law<WalletWorld> => ({
  name,
  check: async (world) => {
    const { held, has } = await openPurse(world, 100n)
    const hold = await held(30n)
    let answer: HoldState | undefined = 'held'
    for (const move of moves) answer = await moved(world.wallet, move, hold)
    same(`${name}: the state answered`, answer, state)
    await has(`${name}: the balance`, available, 0n)
  },
})

/** What a `Wallet` promises of spending a hold and giving it back. */
export const settlementLaws: ReadonlyArray<Law<WalletWorld>> = [
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
  ...MOVES.map((move): Law<WalletWorld> => ({
    name: `concurrent calls of ${move} happen once`,
    check: async (world) => {
      const { held, has } = await openPurse(world, 100n)
      const hold = await held(30n)
      if (move === 'refund') await moved(world.wallet, 'capture', hold)
      const answers = await Promise.all(times(10, () => moved(world.wallet, move, hold)))
      same(`each call of ${move} is told the state afterwards`, answers, times<HoldState | undefined>(10, () => AIM[move]))
      await has(`${move} called ten times at once happens once`, move === 'capture' ? 70n : 100n, 0n)
    },
  })),
  {
    name: 'capture, release and refund give the same books in whatever order they come and however often',
    check: async (world) => {
      const subsets: ReadonlyArray<ReadonlyArray<Move>> = times(8, (bits) => MOVES.filter((_, index) => bits & (1 << index)))
      const orders = subsets.flatMap((moves) => ordersOf(moves)).filter((moves) => moves.length > 0)
      await Promise.all(orders.map((moves) => inOrder(world, [...moves, ...moves])))
    },
  },
  {
    name: 'concurrent captures, releases and refunds give the same books as any order of them',
    check: async (world) => {
      const { held, has } = await openPurse(world, 1_000n)
      await Promise.all(
        times(10, async () => {
          const hold = await held(100n)
          const answers = await Promise.all([...MOVES, ...MOVES.toReversed()].map((move) => moved(world.wallet, move, hold)))
          same('a refund among concurrent moves prevails', highest(answers), 'refunded')
        }),
      )
      await has('a hold that was refunded among other moves costs nothing', 1_000n, 0n)
      await Promise.all(
        times(10, async () => {
          const hold = await held(100n)
          await Promise.all((['release', 'capture', 'release', 'capture'] as const).map((move) => moved(world.wallet, move, hold)))
        }),
      )
      await has('a hold that was captured among releases is spent', 0n, 0n)
    },
  },
  {
    name: 'a late capture may take available below zero, and then a hold is refused',
    check: async (world) => {
      const { currency, held, price, has } = await openPurse(world, 100n)
      const early = await held(60n)
      await moved(world.wallet, 'release', early)
      const next = await held(80n)
      same('a hold given back is captured', await moved(world.wallet, 'capture', early), 'captured')
      await has('a late capture takes available below zero', -40n, 80n)
      const failure = await refused('a hold below zero', 'InsufficientBalance', world.wallet.hold(price(1n)))
      same('a hold below zero tells the numbers', failure, {
        _tag: 'InsufficientBalance', required: 1n, available: -40n, held: 80n, currency,
      })
      await moved(world.wallet, 'release', next)
      await held(40n)
      await has('a wallet above zero again serves holds', 0n, 40n)
    },
  },
  {
    name: 'a message without a hold is left so',
    check: async (world) => {
      const { price, has } = await openPurse(world, 100n)
      const hold = price(10n)
      for (const move of MOVES) same(`${move} without a hold answers none`, await moved(world.wallet, move, hold), undefined)
      const nowhere = { ...hold, workspace: newWorkspaceId() }
      for (const move of MOVES) same(`${move} in no workspace answers none`, await moved(world.wallet, move, nowhere), undefined)
      await has('moving what is not held changes nothing', 100n, 0n)
      await done('a message can be held after moves that found nothing', world.wallet.hold(hold))
      await has('a hold after moves that found nothing is set aside', 90n, 10n)
    },
  },
  {
    name: 'a hold in one workspace never touches another\'s',
    check: async (world) => {
      const [ours, theirs] = [await openPurse(world, 100n), await openPurse(world, 100n)]
      const hold = await ours.held(30n)
      await theirs.has('another workspace does not pay', 100n, 0n)
      const elsewhere = { ...hold, workspace: theirs.workspace }
      for (const move of MOVES) {
        same(`${move} from another workspace finds no hold`, await moved(world.wallet, move, elsewhere), undefined)
      }
      await ours.has('another workspace cannot move a hold', 70n, 30n)
      const atOnce = [elsewhere, hold, elsewhere].map((asked) => moved(world.wallet, 'capture', asked))
      same('another workspace that asks at once does not keep a hold from its own', await Promise.all(atOnce), [undefined, 'captured', undefined])
      await ours.has('the price is spent once', 70n, 0n)
      await theirs.has('another workspace gains nothing', 100n, 0n)
    },
  },
  {
    name: 'money is conserved whatever happens at once',
    check: async (world) => {
      for (const seed of [1, 2, 3]) await conserved(world, seed)
    },
  },
]

/** Moves one hold step by step; every answer is the highest state called for so far, and the balance follows the last. */
const inOrder = async (world: WalletWorld, moves: ReadonlyArray<Move>): Promise<void> => {
  const { held, has } = await openPurse(world, 100n)
  const hold = await held(30n)
  for (const [index, move] of moves.entries()) {
    const promised = highest(moves.slice(0, index + 1).map((called) => AIM[called]))
    same(`after ${moves.slice(0, index + 1).join(', ')} the state`, await moved(world.wallet, move, hold), promised)
  }
  const spent = moves.includes('capture') && !moves.includes('refund')
  await has(`after ${moves.join(', ')} the balance`, spent ? 70n : 100n, 0n)
}

/** Random calls in concurrent handfuls. A hold ends in the highest state anyone was told, which says where its price is. */
const conserved = async (world: WalletWorld, seed: number): Promise<void> => {
  const random = numbersFrom(seed)
  const below = (limit: number): number => Math.floor(random() * limit)
  const funds = 500n
  const { workspace, price, has } = await openPurse(world, funds)
  const messages = times(12, () => ({ hold: price(BigInt(below(80))), states: new Array<HoldState | undefined>() }))
  for (let handful = 0; handful < 12; handful += 1) {
    const calls = times(8, () => ({ message: messages[below(12)], move: MOVES[below(5)] }))
    await Promise.all(
      calls.map(async ({ message, move }) => {
        if (message === undefined) return
        if (move !== undefined) return void message.states.push(await moved(world.wallet, move, message.hold))
        const outcome = await world.wallet.hold(message.hold)()
        if (outcome._tag === 'Right') message.states.push('held')
        else same('a hold fails for want of money only', outcome.left._tag, 'InsufficientBalance')
      }),
    )
    const at = (state: HoldState): bigint =>
      messages.reduce((sum, { hold, states }) => (highest(states) === state ? sum + hold.amount.micros : sum), 0n)
    const seen = await world.balance(workspace)
    same(`available + held + spent is what there was (seed ${seed})`, seen.available + seen.held + at('captured'), funds)
    await has(`the balance is what the holds say (seed ${seed})`, funds - at('held') - at('captured'), at('held'))
  }
}
