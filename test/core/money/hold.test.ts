import { assert } from 'chai'
import fc from 'fast-check'
import * as E from 'fp-ts/lib/Either.js'
import { changeByPart, changeHold, type HeldMoney, type HoldState, stepHold } from '../../../core/money/wallet.js'
import { withRedeliveries } from '../delivery-orders.js'

const STATES = ['held', 'released', 'captured', 'refunded'] as const satisfies ReadonlyArray<HoldState>
const MOVES = ['capture', 'release', 'refund'] as const
type Move = (typeof MOVES)[number]

type Book = {
  readonly state: HoldState
  readonly available: bigint
  readonly held: bigint
  readonly captured: bigint
  readonly refunded: bigint
}

const AT_FIRST: Book = { state: 'held', available: 0n, held: 1n, captured: 0n, refunded: 0n }

/** The books of one hold of one micro after a move. */
const stepped = (book: Book, move: Move): Book => {
  const step = stepHold(book.state, move)
  const entered = (kind: Move): bigint => BigInt(step?.entries.filter((entry) => entry === kind).length ?? 0)
  return {
    state: step?.state ?? book.state,
    available: book.available + (step?.available ?? 0n),
    held: book.held + (step?.held ?? 0n),
    captured: book.captured + entered('capture'),
    refunded: book.refunded + entered('refund'),
  }
}

const settled = (moves: ReadonlyArray<Move>): Book => moves.reduce(stepped, AT_FIRST)
const money = ({ state, available, held, captured, refunded }: Book) => ({ state, available, held, spent: captured - refunded })

const moves = fc.array(fc.constantFrom(...MOVES), { maxLength: 8 })

describe('A hold', () => {
  it('ends in the same state with the same money in whatever order its moves come and however often', () => {
    fc.assert(
      fc.property(withRedeliveries(moves), ([once, more]) => { assert.deepEqual(money(settled(more)), money(settled(once))) }),
      { numRuns: 2_000 },
    )
  })

  it('conserves money in every step: available + held + captured − refunded stays what it was', () => {
    const sum = ({ available, held, captured, refunded }: Book): bigint => available + held + captured - refunded
    for (const state of STATES) for (const move of MOVES) {
      assert.equal(sum(stepped({ ...AT_FIRST, state }, move)), sum(AT_FIRST), `${move} of ${state}`)
    }
  })

  it('is held, released, captured, refunded, and never goes back', () => {
    for (const state of STATES) {
      for (const move of MOVES) {
        const { state: after } = stepped({ ...AT_FIRST, state }, move)
        assert.isAtLeast(STATES.indexOf(after), STATES.indexOf(state), `${move} of ${state}`)
      }
    }
  })

  it('that is not held any more has nothing set aside', () => {
    fc.assert(fc.property(moves, (some) => { assert.equal(settled(some).held, settled(some).state === 'held' ? 1n : 0n) }))
  })

  it('has spent its price if and only if it ends captured', () => {
    fc.assert(
      fc.property(moves, (some) => {
        const { state, spent, available } = money(settled(some))
        assert.equal(spent, state === 'captured' ? 1n : 0n)
        assert.equal(available, state === 'released' || state === 'refunded' ? 1n : 0n)
      }),
    )
  })

  it('changes nothing and writes nothing if a move repeats or comes too late', () => {
    const idle: ReadonlyArray<readonly [HoldState, Move]> = [
      ['released', 'release'], ['captured', 'capture'], ['captured', 'release'],
      ['refunded', 'release'], ['refunded', 'capture'], ['refunded', 'refund'],
    ]
    for (const [state, move] of idle) assert.isUndefined(stepHold(state, move), `${move} of ${state}`)
  })

  it('is written down as captured once and as refunded once at most, however often it is repeated', () => {
    fc.assert(
      fc.property(moves, (some) => {
        const { captured, refunded } = settled(some)
        assert.isAtMost(Number(captured), 1)
        assert.isAtMost(Number(refunded), Number(captured))
      }),
    )
  })
})

describe('A capture of a part of a hold', () => {
  const hold = fc.record({ state: fc.constantFrom(...STATES), micros: fc.bigInt(0n, 100n) })

  it('leaves what a hold of the part would leave, and what a released hold of the rest would', () => {
    fc.assert(
      fc.property(hold, fc.bigInt(0n, 100n), ({ state, micros }: HeldMoney, part) => {
        const change = changeByPart({ state, micros }, part)
        const captured = changeHold({ state, micros: part }, 'capture')
        const released = changeHold({ state, micros: micros - part }, 'release')
        if (captured === undefined) assert.deepEqual(change, E.right(undefined))
        else if (part > micros) assert.deepEqual(change, E.left({ _tag: 'ExceedsHold', requested: part, held: micros }))
        else {
          const rest = part === micros || released === undefined ? { available: 0n, held: 0n, entries: [] } : released
          assert.deepEqual(change, E.right({
            state: 'captured' as const, micros: part, available: captured.available + rest.available, held: captured.held + rest.held,
            entries: [...captured.entries, ...rest.entries],
          }))
        }
      }),
    )
  })

  it('refuses less than nothing, and changes nothing once it was captured, whatever is asked', () => {
    for (const state of ['held', 'released'] as const) {
      assert.deepEqual(changeByPart({ state, micros: 5n }, -1n), E.left({ _tag: 'ExceedsHold', requested: -1n, held: 5n }))
    }
    for (const state of ['captured', 'refunded'] as const) {
      for (const part of [-1n, 3n, 6n]) assert.deepEqual(changeByPart({ state, micros: 5n }, part), E.right(undefined))
    }
  })
})
