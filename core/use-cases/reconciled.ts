import * as E from 'fp-ts/lib/Either.js'
import type { PortFailure } from '../errors.js'

/**
 * What a pass of reconciliation did.
 *
 * Counts messages that became unconfirmed, were refused because they had never been sent, or were given up, and holds that moved
 * to where their message says.
 */
export type Reconciled = {
  readonly unconfirmed: number
  readonly refused: number
  readonly released: number
  readonly captured: number
  readonly refunded: number
}

/** What became of one item: which count it adds to, none where there was nothing to do, or its failure. */
export type Item = E.Either<PortFailure, keyof Reconciled | undefined>

/** What became of several items; one that fails costs the others nothing. */
export type BatchResult = { readonly counts: Reconciled; readonly failures: ReadonlyArray<PortFailure> }

/** Nothing was done. */
export const NOTHING: Reconciled = { unconfirmed: 0, refused: 0, released: 0, captured: 0, refunded: 0 }

/** Adds up items. */
export const batchResult = (items: ReadonlyArray<Item>): BatchResult => {
  const counts: { -readonly [Count in keyof Reconciled]: number } = { ...NOTHING }
  const failures: PortFailure[] = []
  for (const item of items) {
    if (E.isLeft(item)) failures.push(item.left)
    else if (item.right !== undefined) counts[item.right] += 1
  }
  return { counts, failures }
}

/** A batch that could not be listed. */
export const failedBatch = (failure: PortFailure): BatchResult => ({ counts: NOTHING, failures: [failure] })

/** Adds up batches, in their order. */
export const joinBatches = (batches: ReadonlyArray<BatchResult>): BatchResult => ({
  counts: batches.map(({ counts }) => counts).reduce(add, NOTHING),
  failures: batches.flatMap(({ failures }) => failures),
})

const add = (a: Reconciled, b: Reconciled): Reconciled => ({
  unconfirmed: a.unconfirmed + b.unconfirmed,
  refused: a.refused + b.refused,
  released: a.released + b.released,
  captured: a.captured + b.captured,
  refunded: a.refunded + b.refunded,
})
