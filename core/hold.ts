import type { MoneyMove } from './message-state.js'

/** The states of a hold: set aside, given back, spent, or given back for good. */
export const HOLD_STATES = ['held', 'released', 'captured', 'refunded'] as const

/** The state of a hold. */
export type HoldState = (typeof HOLD_STATES)[number]

/** The kinds of movements in a wallet's statement. */
export const ENTRY_KINDS = ['top_up', 'hold', 'capture', 'release', 'refund', 'adjustment'] as const

/** The kind of a movement. */
export type EntryKind = (typeof ENTRY_KINDS)[number]

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
 * held < released < captured < refunded, and no move leads back: so moves give the same books in any order and
 * however often they are repeated. A release assumes that nothing was sent, so a later proof that the message was sent still
 * captures the price (and may take `available` below zero). A refund is final.
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
