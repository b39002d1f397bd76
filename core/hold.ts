import type { MoneyMove } from './delivery.js'

/** Where the money of one message is: set aside, given back, spent, or spent and given back for good. */
export type HoldState = 'held' | 'released' | 'captured' | 'refunded'

/** What the wallet's statement says of a movement. */
export type EntryKind = 'top_up' | 'hold' | 'capture' | 'release' | 'refund' | 'adjustment'

/**
 * One step of a hold: its state afterwards, the entries it writes, and what it adds to the balance, in multiples of the amount.
 *
 * The entries are for a wallet that also keeps a `Ledger`; a `Wallet` alone needs none.
 */
export type HoldStep = {
  readonly state: HoldState
  readonly entries: ReadonlyArray<'capture' | 'release' | 'refund'>
  readonly available: -1n | 0n | 1n
  readonly held: -1n | 0n
}

/**
 * What a move does to a hold in a state; `undefined` where it changes nothing.
 *
 * held < released < captured < refunded, and no move leads back: so moves give the same books in whatever order they
 * come and however often. A release is a judgement that nothing was sent, so a later proof that it was still captures the
 * price (and may take `available` below zero); a refund is for good.
 */
export const stepHold = (state: HoldState, move: Exclude<MoneyMove, 'keep'>): HoldStep | undefined => {
  switch (move) {
    case 'release':
      return state === 'held' ? { state: 'released', entries: ['release'], available: 1n, held: -1n } : undefined
    case 'capture':
      if (state === 'held') return { state: 'captured', entries: ['capture'], available: 0n, held: -1n }
      return state === 'released' ? { state: 'captured', entries: ['capture'], available: -1n, held: 0n } : undefined
    case 'refund':
      if (state === 'held') return { state: 'refunded', entries: ['release'], available: 1n, held: -1n }
      if (state === 'released') return { state: 'refunded', entries: [], available: 0n, held: 0n }
      return state === 'captured' ? { state: 'refunded', entries: ['refund'], available: 1n, held: 0n } : undefined
  }
}
