import * as E from 'fp-ts/lib/Either.js'
import * as O from 'fp-ts/lib/Option.js'
import type { PortFailure } from '../kernel/failure.js'
import type { Instant } from '../kernel/time.js'
import { type PortfolioBudget, portfolioOf } from '../messages/portfolio-budget.js'
import { type NoSender, requiredSender, type SenderDirectory, type SenderOf } from '../senders/sender.js'
import type { Batch, Batches } from './batch.js'

/** Because of what customers count in a portfolio: `batches` of a workspace, most customers first; `others` of all other batches, also those of workspaces that share the portfolio. */
export type LimitUse = { readonly batches: ReadonlyArray<{ readonly batch: Batch; readonly customers: number }>; readonly others: number }

/** Shows how many customers of the portfolio of a sender count only because of batches. */
export type ShowLimitUse = (of: SenderOf) => Promise<E.Either<NoSender | PortFailure, LimitUse>>

/** What it needs; without `portfolioBudget`, no customers are counted. */
export type LimitUseDeps = {
  readonly batches: Pick<Batches, 'find'>
  readonly portfolioBudget?: Pick<PortfolioBudget, 'countedByBatch'>
  readonly senders: Pick<SenderDirectory, 'senderOf'>
  readonly windowClock: { readonly now: () => Instant }
}

/** The maximum number of batches that are shown, and among how many of the largest they are looked for. */
const [SHOWN, LOOKED_AT] = [2, 20]

export const makeShowLimitUse = ({ batches, portfolioBudget, senders, windowClock }: LimitUseDeps): ShowLimitUse => async (of) => {
  const sender = await requiredSender(senders, of)
  if (E.isLeft(sender)) return sender
  const counted = await portfolioBudget?.countedByBatch(portfolioOf(sender.right), windowClock.now()) ?? E.right([])
  if (E.isLeft(counted)) return counted
  const largest = [...counted.right].sort((a, b) => b.customers - a.customers).slice(0, LOOKED_AT)
  const found = E.sequenceArray(await Promise.all(largest.map(({ batch }) => batches.find({ workspace: of.workspace, batch }))))
  if (E.isLeft(found)) return found
  const own = largest.flatMap(({ customers }, index) => {
    const batch = O.toUndefined(found.right[index] ?? O.none)
    return batch === undefined ? [] : [{ batch, customers }]
  }).slice(0, SHOWN)
  return E.right({ batches: own, others: sumOf(counted.right) - sumOf(own) })
}

const sumOf = (counts: ReadonlyArray<{ readonly customers: number }>): number =>
  counts.reduce((sum, { customers }) => sum + customers, 0)
