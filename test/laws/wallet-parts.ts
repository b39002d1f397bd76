import type { HoldState, NewHold, Wallet } from '../../core/money/wallet.js'
import { done, holds, refused, same } from './expect.js'
import { newWorkspaceId, ordersOf, times } from './ids.js'
import type { Law } from './law.js'
import { openWalletWorkspace, type WalletFixture } from './wallet-fixture.js'

type Move = 'capture' | 'part' | 'release' | 'refund'

const FUNDS = 100n
const PRICE = 30n
const PART = 12n

/** A move of a hold; `part` captures `PART` of it, or another amount. */
const moved = (wallet: Wallet, move: Move, hold: NewHold, micros = PART): Promise<HoldState | undefined> =>
  (move === 'part'
    ? done(`a capture of ${micros}`, wallet.capturePart({ ...hold, micros }))
    : done(`${move} of a hold`, wallet[move](hold)))

const refusedPart = async ({ wallet }: WalletFixture, hold: NewHold, micros: bigint): Promise<void> =>
  same(
    `a part of ${micros}`, await refused(`a part of ${micros}`, 'ExceedsHold', wallet.capturePart({ ...hold, micros })),
    { _tag: 'ExceedsHold', requested: micros, held: hold.amount.micros },
  )

const settled = (
  name: string, moves: ReadonlyArray<Move | bigint>, state: HoldState, available: bigint,
): Law<WalletFixture> => ({
  name,
  check: async (fixture) => {
    const { held, has } = await openWalletWorkspace(fixture, FUNDS)
    const hold = await held(PRICE)
    let answer: HoldState | undefined = 'held'
    for (const move of moves) {
      answer = typeof move === 'bigint' ? await moved(fixture.wallet, 'part', hold, move) : await moved(fixture.wallet, move, hold)
    }
    same(`${name}: the state answered`, answer, state)
    same(`${name}: the state read`, await done('holdOf', fixture.wallet.holdOf(hold)), state)
    await has(`${name}: the balance`, available, 0n)
  },
})

/** The promises of a `Wallet` about capturing a part of a hold. */
export const partLaws: ReadonlyArray<Law<WalletFixture>> = [
  settled('a capture of a part spends it and releases the rest', ['part'], 'captured', FUNDS - PART),
  settled('a capture of nothing releases the whole', [0n], 'captured', FUNDS),
  settled('a capture of a part that is the whole spends the whole', [PRICE], 'captured', FUNDS - PRICE),
  settled(
    'a hold is captured once, and later captures of any amount change nothing', ['part', 'part', 'capture', PRICE, 1n, 500n, -1n],
    'captured', FUNDS - PART,
  ),
  settled('a part of a hold that was spent is not captured again', ['capture', 'part', 500n], 'captured', FUNDS - PRICE),
  settled('a release after the capture of a part changes nothing', ['part', 'release', 'release'], 'captured', FUNDS - PART),
  settled('a refund after the capture of a part gives the part back, once', ['part', 'refund', 'refund'], 'refunded', FUNDS),
  settled('a part of a refunded hold is not captured', ['refund', 'part', 500n], 'refunded', FUNDS),
  {
    name: 'a part of a released hold is spent from what is available, even below zero',
    check: async (fixture) => {
      const { held, has } = await openWalletWorkspace(fixture, FUNDS)
      const early = await held(60n)
      await moved(fixture.wallet, 'release', early)
      const next = await held(90n)
      same('the state', await moved(fixture.wallet, 'part', early, 25n), 'captured')
      await has('the part is spent', -15n, 90n)
      await moved(fixture.wallet, 'refund', early)
      await has('the part is given back', 10n, 90n)
      await moved(fixture.wallet, 'capture', next)
      await has('the next hold is spent', 10n, 0n)
    },
  },
  {
    name: 'more than the hold and less than nothing are refused, and change nothing',
    check: async (fixture) => {
      const { held, has } = await openWalletWorkspace(fixture, FUNDS)
      const hold = await held(PRICE)
      for (const micros of [PRICE + 1n, 2n ** 60n, -1n]) await refusedPart(fixture, hold, micros)
      same('the state', await done('holdOf', fixture.wallet.holdOf(hold)), 'held')
      await has('the hold is as it was', FUNDS - PRICE, PRICE)
      await moved(fixture.wallet, 'release', hold)
      for (const micros of [PRICE + 1n, -1n]) await refusedPart(fixture, hold, micros)
      await has('the released hold is as it was', FUNDS, 0n)
      same('a part after a refusal', await moved(fixture.wallet, 'part', hold), 'captured')
      await has('the part is spent', FUNDS - PART, 0n)
    },
  },
  {
    name: 'parts, captures, releases and refunds give the same books in any order, with the amount of the first capture',
    check: async (fixture) => {
      const MOVES: ReadonlyArray<Move> = ['part', 'release', 'refund', 'capture']
      const subsets = times(16, (bits) => MOVES.filter((_, index) => bits & (1 << index))).filter((moves) => moves.includes('part'))
      await Promise.all(subsets.flatMap((moves) => ordersOf(moves)).map(async (moves) => {
        const { held, has } = await openWalletWorkspace(fixture, FUNDS)
        const hold = await held(PRICE)
        for (const move of [...moves, ...moves]) await moved(fixture.wallet, move, hold)
        const first = moves.find((move) => move === 'part' || move === 'capture') === 'part' ? PART : PRICE
        await has(`after ${moves.join(', ')} the balance`, moves.includes('refund') ? FUNDS : FUNDS - first, 0n)
      }))
    },
  },
  {
    name: 'of concurrent captures of different amounts one happens',
    check: async (fixture) => {
      const { workspace, held } = await openWalletWorkspace(fixture, FUNDS)
      for (const round of times(5, (index) => index)) {
        const before = (await fixture.balance(workspace)).available
        const hold = await held(PRICE)
        const answers = await Promise.all(times(8, (index) =>
          (index === 7 ? moved(fixture.wallet, 'capture', hold) : moved(fixture.wallet, 'part', hold, BigInt(index + 1)))))
        same('each is answered with the state', answers, times<HoldState | undefined>(8, () => 'captured'))
        const { available, held: left } = await fixture.balance(workspace)
        same(`nothing is held in round ${round}`, left, 0n)
        holds('one amount is spent', [...times(7, (index) => BigInt(index + 1)), PRICE].includes(before - available), before - available)
        await moved(fixture.wallet, 'refund', hold)
        same('the refund gives that amount back', (await fixture.balance(workspace)).available, before)
      }
    },
  },
  {
    name: 'a message without a hold has no part to capture',
    check: async (fixture) => {
      const { price, held, has } = await openWalletWorkspace(fixture, FUNDS)
      same('no hold', await moved(fixture.wallet, 'part', price(PRICE)), undefined)
      const hold = await held(PRICE)
      same('no workspace', await moved(fixture.wallet, 'part', { ...hold, workspace: newWorkspaceId() }), undefined)
      const other = await openWalletWorkspace(fixture, 1n)
      same('another workspace', await moved(fixture.wallet, 'part', { ...hold, workspace: other.workspace }), undefined)
      await has('the hold is as it was', FUNDS - PRICE, PRICE)
    },
  },
]
