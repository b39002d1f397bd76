import * as E from 'fp-ts/lib/Either.js'
import * as O from 'fp-ts/lib/Option.js'
import type { TaskEither } from 'fp-ts/lib/TaskEither.js'
import type { PortFailure } from '../errors.js'
import type { MessageCount } from '../message-statistics.js'
import type { Balance } from '../money.js'
import { cutRange, endOfHour, figuresOf, partsOf, RATE_MS, rateOf, sharesOf, type Figures, type OverviewRange, type RangePart, type Shares, type SpendRate } from '../overview.js'
import type { Ledger } from '../ports/ledger.js'
import type { MessageStatistics } from '../ports/message-statistics.js'
import { isPastMissing } from '../roll-up-schedule.js'
import type { Clock, Instant } from '../time.js'
import { WINDOW_MS } from '../window.js'
import type { WorkspaceId } from '../workspace.js'
import { attentionTo, type Attention, type AttentionDeps } from './attention.js'

/** Shows how a workspace is doing. It reads the rolled-up counts and never the messages, so it takes as long however many there are. */
export type ShowOverview = (query: OverviewQuery) => TaskEither<PortFailure, Overview>
/** Which workspace, and over which time. */
export type OverviewQuery = { readonly workspace: WorkspaceId; readonly range: OverviewRange }
/** How a workspace is doing. */
export type Overview = {
  readonly range: OverviewRange
  readonly from: Instant
  readonly partMs: number
  readonly parts: ReadonlyArray<RangePart>
  readonly total: Figures
  readonly shares: Shares | undefined
  readonly balance: Balance | undefined
  /** The spend of the last 24 hours and of the last 7 days, and how long the balance lasts at each. */
  readonly rates: { readonly day: SpendRate; readonly week: SpendRate }
  /** How many customers may get a text now, up to one more than `MOST_WINDOWS`. */
  readonly openWindows: number
  readonly attention: ReadonlyArray<Attention>
  /** Whether messages of before the first roll-up are not counted yet. */
  readonly isPastMissing: boolean
}
/** What showing the overview needs. */
export type ShowOverviewDeps = AttentionDeps & {
  readonly messageStatistics: Pick<MessageStatistics, 'counts' | 'openWindows' | 'progress'>
  readonly ledger: Pick<Ledger, 'balance'>
  readonly now: Clock
}

/** The most open windows that are counted. */
export const MOST_WINDOWS = 10_000

/** Makes the use case of what it needs. */
export const makeShowOverview = (deps: ShowOverviewDeps): ShowOverview => ({ workspace, range }) => async () => {
  const { messageStatistics, ledger } = deps
  const now = deps.now()
  const { width, span, partMs } = cutRange(range, now)
  const hours = { from: endOfHour(now) - RATE_MS.week, to: endOfHour(now) }
  const [counts, lately, balance, openWindows, progress, attention] = await Promise.all([
    messageStatistics.counts(workspace, width, span)(),
    messageStatistics.counts(workspace, '1h', hours)(),
    ledger.balance(workspace)(),
    messageStatistics.openWindows(workspace, now - WINDOW_MS, MOST_WINDOWS + 1)(),
    messageStatistics.progress()(),
    attentionTo(deps, workspace),
  ])
  if (E.isLeft(counts)) return counts
  if (E.isLeft(lately)) return lately
  if (E.isLeft(balance)) return balance
  if (E.isLeft(openWindows)) return openWindows
  if (E.isLeft(progress)) return progress
  if (E.isLeft(attention)) return attention
  const money = O.toUndefined(balance.right)
  const rate = (overMs: number): SpendRate => rateOf(spentSince(lately.right, hours.to - overMs), overMs, money?.available ?? 0n)
  return E.right({
    range, from: span.from, partMs, parts: partsOf(span, partMs, counts.right), total: figuresOf(counts.right), shares: sharesOf(counts.right),
    balance: money, rates: { day: rate(RATE_MS.day), week: rate(RATE_MS.week) }, openWindows: openWindows.right, attention: attention.right,
    isPastMissing: isPastMissing(progress.right, now),
  })
}

const spentSince = (counts: ReadonlyArray<MessageCount>, from: Instant): bigint =>
  counts.reduce((sum, { start, micros }) => (start >= from ? sum + micros : sum), 0n)
