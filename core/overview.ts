import * as E from 'fp-ts/lib/Either.js'
import * as O from 'fp-ts/lib/Option.js'
import { type ApiKey, hasEnded, type KeyStore } from './access/keys.js'
import { WINDOW_MS } from './customers/window.js'
import type { EndpointId, EventEndpoint, EventEndpoints } from './events/endpoint.js'
import type { PortFailure } from './kernel/failure.js'
import type { WorkspaceId } from './kernel/ids.js'
import type { Balance } from './kernel/money.js'
import { DAY_MS, type Days, HOUR_MS, type Instant } from './kernel/time.js'
import type { MessageLog, SenderFilter } from './messages/message-log.js'
import { type MessageRecord, type MessageState } from './messages/message.js'
import { errorCodeOf, type OwnErrorCode } from './messages/own-errors.js'
import {
  BUCKET_MS, bucketStart, type BucketWidth, isPastMissing, type MessageCount, type MessageStatistics, type TimeSpan,
} from './messages/statistics.js'
import type { Ledger } from './money/ledger.js'
import { makeShowScheduled, type ShowScheduledDeps } from './money/scheduled.js'
import type { AlertState, WalletAlerts } from './money/wallet.js'
import { inboxOf, type ListedSender, readableAccount, type SenderId, type SenderLists } from './senders/sender.js'
import { CUTS, cutRange, type CutRange, type OverviewRange, spanOf, timeBefore } from './overview-ranges.js'
import type { TemplateCatalogue } from './templates/catalogue.js'
import type { TemplateRecord } from './templates/template.js'

export { cutRange, type CutRange, OVERVIEW_RANGES, type OverviewRange, timeBefore } from './overview-ranges.js'

/** The groups of states in an overview: still open, on its way, delivered, read, and not delivered. */
export const STATE_GROUPS = ['read', 'delivered', 'sent', 'open', 'failed'] as const

/** A group of states. */
export type StateGroup = (typeof STATE_GROUPS)[number]

/** The group of a state. */
export const groupOf = (state: MessageState): StateGroup => {
  switch (state) {
    case 'queued': case 'pending': case 'unconfirmed': return 'open'
    case 'accepted': case 'sent': return 'sent'
    case 'delivered': return 'delivered'
    case 'read': case 'played': return 'read'
    case 'failed': case 'refused': case 'released': case 'canceled': return 'failed'
  }
}

/** Messages by group, and their cost. */
export type Figures = { readonly messages: Readonly<Record<StateGroup, number>>; readonly micros: bigint }

/** The figures of one part of a range, which ends before `end`. */
export type RangePart = Figures & {
  readonly start: Instant
  readonly end: Instant
  readonly shares: Shares | undefined
  /** The figures one range earlier; absent if they are not counted, or no longer. Those before 30 days are of days of UTC. */
  readonly before?: Figures
}

/** The share of the accepted messages that was delivered, and the share that was read, from 0 to 1; absent if the platform accepted none. */
export type Shares = { readonly delivered: number; readonly read: number }

/** Every part of a range with its figures, including the parts without messages; `earlier` are the counts of the period before the range. */
export const partsOf = (
  parts: ReadonlyArray<TimeSpan>, counts: ReadonlyArray<MessageCount>, earlier?: ReadonlyArray<MessageCount>,
): ReadonlyArray<RangePart> => {
  const span = spanOf(parts)
  const within = (among: ReadonlyArray<MessageCount>, { from, to }: TimeSpan, agoMs = 0): ReadonlyArray<MessageCount> =>
    among.filter(({ start }) => start >= from - agoMs && start < to - agoMs)
  return parts.map((part) => {
    const counted = within(counts, part)
    return {
      start: part.from, end: part.to, ...figuresOf(counted), shares: sharesOf(counted),
      ...(earlier !== undefined && { before: figuresOf(within(earlier, part, span.to - span.from)) }),
    }
  })
}

/** The messages in the period before a range, and their cost. The period begins within a bucket, of which a proportional part is counted. */
export type Before = { readonly messages: number; readonly micros: bigint; readonly shares: Shares | undefined }

/** The figures of the period before a range. */
export const beforeOf = (width: BucketWidth, { from, to }: TimeSpan, counts: ReadonlyArray<MessageCount>): Before => {
  const part = (bucketStart(width, from) + BUCKET_MS[width] - from) / BUCKET_MS[width]
  const within = counts.filter(({ start }) => start >= bucketStart(width, from) && start < to)
    .map((count) =>
      count.start >= from
        ? count
        : { ...count, messages: count.messages * part, micros: (count.micros * BigInt(Math.round(part * PARTS))) / BigInt(PARTS) })
  const figures = figuresOf(within)
  return { messages: totalOf(figures), micros: figures.micros, shares: sharesOf(within) }
}

const PARTS = 1_000

/** The sum of counts by group. */
export const figuresOf = (counts: ReadonlyArray<MessageCount>): Figures => {
  const messages: Record<StateGroup, number> = { read: 0, delivered: 0, sent: 0, open: 0, failed: 0 }
  let micros = 0n
  for (const count of counts) {
    messages[groupOf(count.state)] += count.messages
    micros += count.micros
  }
  return { messages, micros }
}

/** The number of messages in all groups. */
export const totalOf = ({ messages }: Pick<Figures, 'messages'>): number => STATE_GROUPS.reduce((sum, group) => sum + messages[group], 0)

/** The shares of counts. Refused messages and those given up were never accepted; messages that failed later were accepted. */
export const sharesOf = (counts: ReadonlyArray<MessageCount>): Shares | undefined => {
  const inStates = (...states: ReadonlyArray<MessageState>): number =>
    counts.reduce((sum, { state, messages }) => (states.includes(state) ? sum + messages : sum), 0)
  const accepted = inStates('accepted', 'sent', 'delivered', 'read', 'failed')
  return accepted === 0 ? undefined : { delivered: inStates('delivered', 'read') / accepted, read: inStates('read') / accepted }
}

/** The spend of a period, and how many milliseconds the balance lasts at this rate; `undefined` if nothing was spent. */
export type SpendRate = { readonly micros: bigint; readonly lastsMs: number | undefined }

/** How long an amount lasts at the spend of a period. */
export const rateOf = (micros: bigint, overMs: number, available: bigint): SpendRate =>
  ({ micros, lastsMs: micros <= 0n ? undefined : available <= 0n ? 0 : Number((available * BigInt(overMs)) / micros) })

/** The periods whose spend determines how long the balance lasts. Both end with the bucket of the current hour. */
const RATE_MS = { day: DAY_MS, week: 7 * DAY_MS } as const

/** The spend of the last 24 hours and of the last 7 days, and how long the balance lasts at each. */
export type SpendRates = { readonly day: SpendRate; readonly week: SpendRate }

/** The period whose counts determine the rates. */
const rateSpan = (now: Instant): TimeSpan => {
  const to = bucketStart('1h', now) + HOUR_MS
  return { from: to - RATE_MS.week, to }
}

/** The rates from the counts of `rateSpan`, which contain the last day by the hour. */
const ratesOf = (counts: ReadonlyArray<MessageCount>, { to }: TimeSpan, available: bigint): SpendRates => {
  const rate = (overMs: number): SpendRate => rateOf(spentSince(counts, to - overMs), overMs, available)
  return { day: rate(RATE_MS.day), week: rate(RATE_MS.week) }
}

/** How long a balance lasts: the shorter of the two times, because this warns of running out; `undefined` if nothing was spent. */
export const lastsMsOf = ({ day, week }: SpendRates): number | undefined => {
  const lasting = [day, week].flatMap(({ lastsMs }) => (lastsMs === undefined ? [] : [lastsMs]))
  return lasting.length === 0 ? undefined : Math.min(...lasting)
}

/** A problem in a workspace, present or imminent. */
export type Attention =
  | { readonly _tag: 'NoSender' }
  | { readonly _tag: 'SenderFailing'; readonly sender: SenderId; readonly since: Instant }
  /** The stored token of the sender cannot be decrypted, so nothing can be sent through it. */
  | { readonly _tag: 'SenderUnreadable'; readonly sender: SenderId }
  /** The token of the sender may not read its business account, so templates are neither shown nor checked. */
  | { readonly _tag: 'AccountRefused'; readonly sender: SenderId; readonly since: Instant }
  | { readonly _tag: 'EndpointFailing'; readonly id: EndpointId; readonly url: string; readonly since: Instant }
  | { readonly _tag: 'EndpointDisabled'; readonly id: EndpointId; readonly url: string }
  | { readonly _tag: 'WalletExhausted'; readonly since: Instant }
  | { readonly _tag: 'WalletLow'; readonly since: Instant; readonly threshold: bigint | undefined }
  /** The platform has stopped sending some templates; `more` further ones are not listed here. */
  | {
      readonly _tag: 'TemplatesStopped'
      readonly templates: ReadonlyArray<Pick<TemplateRecord, 'name' | 'language' | 'status'>>
      readonly more: number
    }
  /** Messages of the last seven days whose outcome is unknown, and the time of the oldest; `isMore` if there may be others. */
  | { readonly _tag: 'OutcomeUnknown'; readonly messages: number; readonly since: Instant; readonly isMore: boolean }

/** The dependencies of finding the problems. */
export type AttentionDeps = {
  readonly senders: Pick<SenderLists, 'sendersOf'>
  readonly eventEndpoints: Pick<EventEndpoints, 'list'>
  readonly walletAlerts: Pick<WalletAlerts, 'alertsOf'>
  readonly templateCatalogue: Pick<TemplateCatalogue, 'list'>
}

/** The problems that need attention in a workspace. */
export const attentionTo = async (
  { senders, eventEndpoints, walletAlerts, templateCatalogue }: AttentionDeps, workspace: WorkspaceId,
): Promise<E.Either<PortFailure, ReadonlyArray<Attention>>> => {
  const [found, endpoints, alerts] = await Promise.all([
    senders.sendersOf(workspace), eventEndpoints.list(workspace), walletAlerts.alertsOf(workspace),
  ])
  if (E.isLeft(found)) return found
  if (E.isLeft(endpoints)) return endpoints
  if (E.isLeft(alerts)) return alerts
  const templates = await stoppedTemplates(templateCatalogue, found.right)
  if (E.isLeft(templates)) return templates
  return E.right([
    ...toSenders(found.right), ...toWallet(O.toUndefined(alerts.right)), ...endpoints.right.flatMap(toEndpoint), ...templates.right,
  ])
}

const toSenders = (senders: ReadonlyArray<ListedSender>): ReadonlyArray<Attention> =>
  senders.length === 0 ? [{ _tag: 'NoSender' }] : senders.flatMap((
    { phoneNumberId: sender, isUnreadable, failingSince, accountRefusedSince },
  ) => [
    ...(isUnreadable ? [{ _tag: 'SenderUnreadable', sender } as const] : []),
    ...(failingSince === undefined ? [] : [{ _tag: 'SenderFailing', sender, since: failingSince } as const]),
    ...(accountRefusedSince === undefined ? [] : [{ _tag: 'AccountRefused', sender, since: accountRefusedSince } as const]),
  ])

/** An exhausted wallet is low as well, and one sentence covers both. */
const toWallet = (alerts: AlertState | undefined): ReadonlyArray<Attention> => {
  if (alerts?.exhaustedSince !== undefined) return [{ _tag: 'WalletExhausted', since: alerts.exhaustedSince }]
  return alerts?.lowSince === undefined ? [] : [{ _tag: 'WalletLow', since: alerts.lowSince, threshold: alerts.threshold }]
}

const toEndpoint = ({ id, url, status, failingSince }: EventEndpoint): ReadonlyArray<Attention> => {
  if (status === 'disabled') return [{ _tag: 'EndpointDisabled', id, url }]
  return failingSince === undefined ? [] : [{ _tag: 'EndpointFailing', id, url, since: failingSince }]
}

const TEMPLATES_AT_ONCE = 500
const NAMED = 10

/** The states into which the platform puts a template that it has sent before. */
const STOPPED = ['paused', 'disabled', 'limit_exceeded']

const stoppedTemplates = async (
  catalogue: AttentionDeps['templateCatalogue'], senders: ReadonlyArray<ListedSender>,
): Promise<E.Either<PortFailure, ReadonlyArray<Attention>>> => {
  const accounts = new Set(senders.flatMap((sender) => readableAccount(sender) ?? []))
  const found: Array<TemplateRecord> = []
  for (const account of accounts) {
    let cursor: string | undefined
    do {
      const page = await catalogue.list(account, { limit: TEMPLATES_AT_ONCE, ...(cursor !== undefined && { cursor }) })
      if (E.isLeft(page)) return page
      found.push(...page.right.items.filter(({ status }) => STOPPED.includes(status)))
      cursor = page.right.next
    } while (cursor !== undefined)
  }
  const templates = found.slice(0, NAMED).map(({ name, language, status }) => ({ name, language, status }))
  return E.right(found.length === 0 ? [] : [{ _tag: 'TemplatesStopped', templates, more: found.length - templates.length }])
}

/** Why messages were not delivered: the number for each code of the platform, the most frequent first; `undefined` stands for messages without a code. */
export type Failures = {
  readonly reasons: ReadonlyArray<{ readonly code: number | OwnErrorCode | undefined; readonly messages: number }>
  /** Whether there are more messages than were looked at. */
  readonly isPartial: boolean
}

/** How many messages are looked at to find those in a state, and how many of these are read. */
const LOOK = { look: 5_000, limit: 500 } as const

/** The messages in a state from the buckets that have any, newest first. The counts tell where they are, so no other messages are looked at. */
const listIn = async (
  { messageLog }: Pick<ShowOverviewDeps, 'messageLog'>, workspace: WorkspaceId, state: MessageState, width: BucketWidth,
  counts: ReadonlyArray<MessageCount>, sender?: SenderFilter,
): Promise<E.Either<PortFailure, { readonly items: ReadonlyArray<MessageRecord>; readonly isMore: boolean }>> => {
  const starts = counts.filter((count) => count.state === state && count.messages > 0).map(({ start }) => start)
  if (starts.length === 0) return E.right({ items: [], isMore: false })
  const listed = await messageLog.list(workspace, {
    ...LOOK, state, sender, from: Math.min(...starts), before: Math.max(...starts) + BUCKET_MS[width],
  })
  return E.isLeft(listed) ? listed : E.right({ items: listed.right.items, isMore: listed.right.next !== undefined })
}

const failuresIn = async (
  deps: Pick<ShowOverviewDeps, 'messageLog'>, workspace: WorkspaceId, width: BucketWidth, counts: ReadonlyArray<MessageCount>,
  sender: SenderFilter | undefined,
): Promise<E.Either<PortFailure, Failures>> => {
  const [failed, refused] = await Promise.all(
    (['failed', 'refused'] as const).map((state) => listIn(deps, workspace, state, width, counts, sender)),
  )
  if (failed === undefined || refused === undefined) return E.right({ reasons: [], isPartial: false })
  if (E.isLeft(failed)) return failed
  if (E.isLeft(refused)) return refused
  const sums = new Map<number | OwnErrorCode | undefined, number>()
  for (const { error } of [...failed.right.items, ...refused.right.items]) {
    const code = errorCodeOf(error)
    sums.set(code, (sums.get(code) ?? 0) + 1)
  }
  const reasons = Array.from(sums, ([code, messages]) => ({ code, messages })).sort((a, b) =>
    b.messages - a.messages || rankOf(a.code) - rankOf(b.code))
  return E.right({ reasons, isPartial: failed.right.isMore || refused.right.isMore })
}

/** Among reasons with the same number of messages, codes of the platform come first, by number, and errors without a code come last. */
const rankOf = (code: number | OwnErrorCode | undefined): number =>
  (code === undefined ? Infinity : typeof code === 'number' ? code : Number.MAX_SAFE_INTEGER)

/** The counts are delayed, so the messages themselves are read to see whether their outcome is still unknown. */
const toUnknown = async (
  deps: Pick<ShowOverviewDeps, 'messageLog'>, workspace: WorkspaceId, counts: ReadonlyArray<MessageCount>,
): Promise<E.Either<PortFailure, ReadonlyArray<Attention>>> => {
  const listed = await listIn(deps, workspace, 'unconfirmed', '1h', counts)
  if (E.isLeft(listed)) return listed
  const { items, isMore } = listed.right
  const oldest = items.at(-1)
  return E.right(oldest === undefined ? [] : [{ _tag: 'OutcomeUnknown', messages: items.length, since: oldest.createdAt, isMore }])
}

/** The steps that a workspace needs before its first message has reached a customer, in this order. */
export const SETUP_STEPS = ['sender', 'money', 'key', 'webhook', 'message'] as const

/** A setup step of a workspace. */
export type SetupStep = (typeof SETUP_STEPS)[number]

/** Which steps are done. `webhook`: the platform recently reported a message state or a customer's message to this gateway. */
export type Setup = Readonly<Record<SetupStep, boolean>>

const REPORTED: ReadonlyArray<MessageState> = ['sent', 'delivered', 'read', 'played', 'failed']

const setupOf = (
  { sender, keys, balance, latest, counts, openWindows, now }: {
    readonly sender: ListedSender | undefined
    readonly keys: ReadonlyArray<ApiKey>
    readonly balance: Balance | undefined
    readonly latest: ReadonlyArray<MessageRecord>
    readonly counts: ReadonlyArray<MessageCount>; readonly openWindows: number; readonly now: Instant
  },
): Setup => ({
  sender: sender !== undefined,
  money: latest.length > 0 || (balance !== undefined && balance.available + balance.held > 0n),
  key: keys.some((key) => !hasEnded(key, now)),
  webhook: openWindows > 0 || [...latest, ...counts].some(({ state }) => REPORTED.includes(state)),
  message: latest.length > 0,
})

/** Shows the state of a workspace. It reads the rolled-up counts, the newest messages and some messages in a state, so the time does not depend on the number of messages. */
export type ShowOverview = (query: OverviewQuery) => Promise<E.Either<PortFailure, Overview>>
/** The workspace, the range, and the days to use; by default those of UTC. */
export type OverviewQuery = {
  readonly workspace: WorkspaceId
  readonly range: OverviewRange
  readonly days?: Days
  /** Only messages of a sender; `FilterBySender` makes the filter. What concerns the whole workspace stays: its problems, its setup and its balance. */
  readonly sender?: SenderFilter | undefined
}
/** The state of a workspace. */
export type Overview = {
  readonly range: OverviewRange
  readonly from: Instant
  readonly parts: ReadonlyArray<RangePart>
  readonly total: Figures
  readonly shares: Shares | undefined
  /** The period of the same length before; absent if it is not counted, or no longer. */
  readonly before: Before | undefined
  readonly failures: Failures
  readonly setup: Setup
  /** The newest messages. */
  readonly latest: ReadonlyArray<MessageRecord>
  readonly balance: Balance | undefined
  /** The price of the queued messages that hold nothing yet, in micros. */
  readonly scheduled: bigint
  readonly rates: SpendRates
  /** The number of open windows of the senders that were asked for, up to one more than `MAX_WINDOWS` for each. */
  readonly openWindows: number
  readonly attention: ReadonlyArray<Attention>
  /** Whether messages from before the first roll-up are not counted yet. */
  readonly isPastMissing: boolean
}
/** The dependencies of showing the overview. */
export type ShowOverviewDeps = AttentionDeps & ShowScheduledDeps & {
  readonly messageStatistics: Pick<MessageStatistics, 'counts' | 'openWindows' | 'progress'>
  readonly messageLog: Pick<MessageLog, 'list'>
  readonly ledger: Pick<Ledger, 'balance'>
  readonly keyStore: Pick<KeyStore, 'list'>
}

/** The number of newest messages that are shown. */
const LATEST = 6

/** How many messages are looked at to find the newest ones of a sender. */
const LATEST_LOOK = 2_000

/** The maximum number of open windows that are counted. */
export const MAX_WINDOWS = 10_000

/** The counts of a range, and the figures of the period before it. */
type RangeCounts = {
  readonly counts: ReadonlyArray<MessageCount>
  readonly before: Before | undefined
  readonly earlier: ReadonlyArray<MessageCount> | undefined
}

/**
 * Reads the counts of a range and of the period before it. Hourly counts are not kept for two months, so the period before 30 days is read by the day, up to the
 * day in which the range begins.
 */
const readRange = async (
  { messageStatistics }: Pick<ShowOverviewDeps, 'messageStatistics'>, { workspace, range, sender }: OverviewQuery,
  { width, parts }: CutRange,
  now: Instant,
): Promise<E.Either<PortFailure, RangeCounts>> => {
  const span = spanOf(parts)
  const wide = CUTS[range].width
  const past = timeBefore(wide, span, now)
  const from = width === wide ? past?.from ?? span.from : span.from
  const narrow = { from: bucketStart(wide, from), to: span.to }
  const [counted, earlier] = await Promise.all([
    messageStatistics.counts(workspace, width, narrow, sender),
    past === undefined || width === wide
      ? E.right([])
      : messageStatistics.counts(workspace, wide, { from: bucketStart(wide, past.from), to: narrow.from }, sender),
  ])
  if (E.isLeft(counted)) return counted
  if (E.isLeft(earlier)) return earlier
  const counts = counted.right.filter(({ start }) => start >= span.from)
  const others = counted.right.filter(({ start }) => start < span.from)
  return E.right({
    counts, before: past && beforeOf(wide, past, [...earlier.right, ...counted.right]), earlier: past && [...earlier.right, ...others],
  })
}

/** Counts the open windows of the senders of a workspace, or of the chosen one; without senders those of the workspace's own inbox. */
const countWindows = async (
  { openWindows }: Pick<MessageStatistics, 'openWindows'>, { workspace, sender: filter }: OverviewQuery,
  listed: Promise<E.Either<PortFailure, ReadonlyArray<ListedSender>>>, now: Instant,
): Promise<E.Either<PortFailure, number>> => {
  const senders = await listed
  if (E.isLeft(senders)) return senders
  const chosen = senders.right.filter(({ phoneNumberId }) => filter === undefined || filter.ids.includes(phoneNumberId))
  const inboxes = chosen.length === 0 ? [workspace] : chosen.map((sender) => inboxOf(workspace, sender))
  const counted = await Promise.all(inboxes.map((inbox) => openWindows(inbox, now - WINDOW_MS, MAX_WINDOWS + 1)))
  return E.map((counts: ReadonlyArray<number>) => counts.reduce((sum, count) => sum + count, 0))(E.sequenceArray(counted))
}

export const makeShowOverview = (deps: ShowOverviewDeps): ShowOverview => async (query) => {
  const { messageStatistics, messageLog, ledger, senders, keyStore } = deps
  const { workspace, range, days, sender: filter } = query
  const now = deps.now()
  const cut = cutRange(range, now, days)
  const hours = rateSpan(now)
  const listed = senders.sendersOf(workspace)
  const [read, lately, balance, openWindows, progress, attention, latest, sender, keys, scheduled] = await Promise.all([
    readRange(deps, query, cut, now),
    messageStatistics.counts(workspace, '1h', hours),
    ledger.balance(workspace),
    countWindows(messageStatistics, query, listed, now),
    messageStatistics.progress(),
    attentionTo(deps, workspace),
    messageLog.list(workspace, { limit: LATEST, ...(filter !== undefined && { sender: filter, look: LATEST_LOOK }) }),
    listed,
    keyStore.list(workspace),
    makeShowScheduled(deps)(workspace),
  ])
  if (E.isLeft(read)) return read
  if (E.isLeft(lately)) return lately
  if (E.isLeft(balance)) return balance
  if (E.isLeft(openWindows)) return openWindows
  if (E.isLeft(progress)) return progress
  if (E.isLeft(attention)) return attention
  if (E.isLeft(latest)) return latest
  if (E.isLeft(sender)) return sender
  if (E.isLeft(keys)) return keys
  if (E.isLeft(scheduled)) return scheduled
  const { counts, before, earlier } = read.right
  const [failures, unknown] = await Promise.all([
    failuresIn(deps, workspace, cut.width, counts, filter), toUnknown(deps, workspace, lately.right),
  ])
  if (E.isLeft(failures)) return failures
  if (E.isLeft(unknown)) return unknown
  const isMissing = isPastMissing(progress.right, now)
  const money = O.toUndefined(balance.right)
  return E.right({
    range, from: spanOf(cut.parts).from, parts: partsOf(cut.parts, counts, isMissing ? undefined : earlier),
    total: figuresOf(counts), shares: sharesOf(counts),
    before: isMissing ? undefined : before, failures: failures.right, latest: latest.right.items,
    setup: setupOf({
      sender: sender.right[0], keys: keys.right, balance: money, latest: latest.right.items, counts: lately.right,
      openWindows: openWindows.right, now,
    }),
    balance: money, scheduled: scheduled.right.all, openWindows: openWindows.right,
    rates: ratesOf(lately.right, hours, money?.available ?? 0n),
    attention: [...attention.right, ...unknown.right], isPastMissing: isMissing,
  })
}

/**
 * Shows the balance of a workspace, and how long it lasts, as in the overview.
 *
 * It reads whole days if possible, so that it can be called for each workspace of a list.
 */
export type ShowRunway = (workspace: WorkspaceId) => Promise<E.Either<PortFailure, Runway>>
/** The balance of a workspace, and how long it lasts; without a balance if the workspace does not exist. */
export type Runway = { readonly balance: Balance | undefined; readonly rates: SpendRates }

export const makeShowRunway =
  ({ messageStatistics, ledger, now }: Pick<ShowOverviewDeps, 'messageStatistics' | 'ledger' | 'now'>): ShowRunway =>
  async (workspace) => {
    const { from, to } = rateSpan(now())
    const firstDay = Math.ceil(from / DAY_MS) * DAY_MS
    const lastDay = bucketStart('1d', to - RATE_MS.day)
    const [begun, days, lately, balance] = await Promise.all([
      messageStatistics.counts(workspace, '1h', { from, to: firstDay }),
      messageStatistics.counts(workspace, '1d', { from: firstDay, to: lastDay }),
      messageStatistics.counts(workspace, '1h', { from: lastDay, to }),
      ledger.balance(workspace),
    ])
    if (E.isLeft(begun)) return begun
    if (E.isLeft(days)) return days
    if (E.isLeft(lately)) return lately
    if (E.isLeft(balance)) return balance
    const has = O.toUndefined(balance.right)
    return E.right({ balance: has, rates: ratesOf([...begun.right, ...days.right, ...lately.right], { from, to }, has?.available ?? 0n) })
  }

const spentSince = (counts: ReadonlyArray<MessageCount>, from: Instant): bigint =>
  counts.reduce((sum, { start, micros }) => (start >= from ? sum + micros : sum), 0n)
