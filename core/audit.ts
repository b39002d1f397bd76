import type { EntryKind, HoldState } from './hold.js'
import { formatMicros } from './money.js'

/** A wallet with the sums of its entries by kind and of its holds by state; a sum that is left out is zero. */
export type WalletTotals = {
  readonly available: bigint
  readonly held: bigint
  readonly entries: { readonly [Kind in EntryKind]?: bigint }
  readonly holds: { readonly [State in HoldState]?: bigint }
}

/**
 * One sentence for each way in which a wallet differs from its entries and holds; none where its books are exact.
 *
 * Money is conserved: `available + held + captured − refunded = topped up ± adjusted`. What is held is the sum of the open holds, and
 * what was captured and not refunded is the sum of the captured ones.
 */
export const auditWallet = ({ available, held, entries, holds }: WalletTotals): ReadonlyArray<string> => {
  const paidIn = (entries.top_up ?? 0n) + (entries.adjustment ?? 0n)
  const spent = (entries.capture ?? 0n) - (entries.refund ?? 0n)
  return [
    ...difference('available, held and spent money', available + held + spent, 'the money paid in', paidIn),
    ...difference('held money', held, 'the sum of the open holds', holds.held ?? 0n),
    ...difference('captured and not refunded money', spent, 'the sum of the captured holds', holds.captured ?? 0n),
  ]
}

const difference = (left: string, a: bigint, right: string, b: bigint): ReadonlyArray<string> =>
  a === b ? [] : [`${left} is ${formatMicros(a)}, but ${right} is ${formatMicros(b)}`]
