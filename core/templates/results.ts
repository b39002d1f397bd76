import * as E from 'fp-ts/lib/Either.js'
import * as O from 'fp-ts/lib/Option.js'
import { csvLine } from '../kernel/csv.js'
import type { PortFailure } from '../kernel/failure.js'
import type { WorkspaceId } from '../kernel/ids.js'
import { type Currency, formatMicros } from '../kernel/money.js'
import { DAY_MS, type Instant, iso, SECOND_MS, UTC_DAYS } from '../kernel/time.js'
import { isThrough, type MessagesTo, type SenderFilter } from '../messages/message-log.js'
import { type MessageRecord, type MessageState, pendingSince } from '../messages/message.js'
import type { TimeSpan } from '../messages/statistics.js'
import type { Ledger } from '../money/ledger.js'

/** How long after a message was sent a reply or an opt-out of its customer counts for it. */
export const ANSWERED_WITHIN_MS = DAY_MS

/** The longest period of which results are read: 92 days, which is any three months. */
export const MAX_RESULTS_MS = 92 * DAY_MS

/** The number of the newest messages to each id of a customer among which an adapter at least looks for the message that was answered. */
export const ANSWERED_AMONG = 100

/** Messages of a template that were opened on one day of UTC and are in one state. The state is never `played`: such messages count as read. */
export type ResultCount = {
  /** When the day begins. */
  readonly day: Instant
  readonly state: MessageState
  readonly messages: number
  /** The sum of their prices if money is captured in this state (`chargedIn`), otherwise 0; in micros. */
  readonly micros: bigint
  /** The messages among them that a customer replied to (`noteReply`). */
  readonly replied: number
  /** The messages among them after which a customer opted out (`answeredBy`). */
  readonly optedOut: number
}

/** The messages whose results are counted: those of a template by its exact name, in one language or in all, by the time in their ids. */
export type ResultsQuery = TimeSpan & { readonly template: string; readonly language?: string | undefined }

/** A message that a customer wrote: the sender that received it, every id of the customer, and the time. */
export type CustomerReply = {
  readonly workspace: WorkspaceId
  readonly to: SenderFilter
  /** Messages to these ids may be answered by it. */
  readonly from: ReadonlyArray<MessagesTo>
  readonly at: Instant
}

/** What template messages achieve. A storage derives it from the messages, from the noted replies, and from the history of `Consents`. */
export interface TemplateResults {
  /**
   * Notes that a customer wrote: the template message that this answers (`repliedTo` is the rule) counts as replied from now on, even after the customer is erased.
   *
   * A message counts once, however often the customer writes. A repeated note changes nothing. An adapter looks at the newest `ANSWERED_AMONG` messages to each id,
   * and may ignore older ones.
   */
  readonly noteReply: (reply: CustomerReply) => Promise<E.Either<PortFailure, void>>
  /**
   * The counts of a workspace's messages, ordered by day, in the present states of the messages.
   *
   * A customer who was erased, or whose number was forgotten, is no longer linked to a message, so opt-outs that were not counted before are not found any more.
   */
  readonly counts: (workspace: WorkspaceId, query: ResultsQuery) => Promise<E.Either<PortFailure, ReadonlyArray<ResultCount>>>
}

/** Whether the platform accepted a message: messages that failed later count as accepted. */
export const isSent = (state: MessageState): boolean => SENT.includes(state)

/** The states of messages that the platform accepted. */
const SENT: ReadonlyArray<MessageState> = ['accepted', 'sent', 'failed', 'delivered', 'read', 'played']

/** The states of messages that reached no customer, so that no customer answers them. */
export const UNANSWERABLE: ReadonlyArray<MessageState> = ['queued', 'refused', 'released', 'canceled', 'failed']

/** A message that a customer may answer, and when it was sent. */
export type Answerable = Pick<MessageRecord, 'id'> & { readonly sentAt: Instant }

/** A record as a message that a customer may answer; `undefined` if it is not a template message, or if it reached no customer. */
export const answerableOf = (message: MessageRecord): Answerable | undefined => {
  const sentAt = pendingSince(message)
  return message.templateName === undefined || sentAt === undefined || UNANSWERABLE.includes(message.state)
    ? undefined
    : { id: message.id, sentAt }
}

/**
 * The message that a customer's act of a given time answers: the latest that was sent in the `ANSWERED_WITHIN_MS` before it. So one act counts for one message.
 *
 * The platform dates what customers write by whole seconds, so an act in the same second as the message comes after it.
 */
export const answeredBy = <Message extends Answerable>(messages: ReadonlyArray<Message>, at: Instant): Message | undefined =>
  messages.filter(({ sentAt }) => sentAt < at + SECOND_MS && at < sentAt + ANSWERED_WITHIN_MS)
    .reduce<Message | undefined>((latest, one) => (latest === undefined || isLater(one, latest) ? one : latest), undefined)

const isLater = (one: Answerable, other: Answerable): boolean =>
  one.sentAt === other.sentAt ? one.id > other.id : one.sentAt > other.sentAt

/** The template message that a reply answers: `answeredBy` among the template messages of the sender to the ids of the customer. */
export const repliedTo = (messages: ReadonlyArray<MessageRecord>, { to, from, at }: CustomerReply): Answerable | undefined =>
  answeredBy(messages.flatMap((message) => (isThrough(to, message) && isTo(from, message) ? answerableOf(message) ?? [] : [])), at)

const isTo = (ids: ReadonlyArray<MessagesTo>, { to, createdAt }: MessageRecord): boolean =>
  ids.some(({ id, after }) => to === id && (after === undefined || createdAt > after))

/** What messages of a template achieved. */
export type TemplateFigures = {
  /** The messages that the platform accepted, including those that failed later. */
  readonly sent: number
  readonly delivered: number
  readonly read: number
  /** The messages that failed after the platform had accepted them. */
  readonly failed: number
  /** The messages whose customer wrote to the same sender within 24 hours, and got no later template message before that. */
  readonly replied: number
  /** The messages whose customer stopped marketing or every message within 24 hours, and got no later template message before that. */
  readonly optedOut: number
  /** What is charged for them, in micros. */
  readonly micros: bigint
}

/** The widths of the parts of results: days of UTC, or weeks, which begin on Monday at midnight UTC. */
export const RESULT_WIDTHS = ['day', 'week'] as const

/** The width of a part. */
export type ResultWidth = (typeof RESULT_WIDTHS)[number]

/** The figures of a part of the period; the first and the last part may be shorter than a day or a week. */
export type ResultPart = TimeSpan & TemplateFigures

/** The results of a template in a period, in total and by part, oldest first. */
export type ShownResults = { readonly currency: Currency; readonly total: TemplateFigures; readonly parts: ReadonlyArray<ResultPart> }

/** The figures of counts. */
export const resultFigures = (counts: ReadonlyArray<ResultCount>): TemplateFigures => {
  const sum = (of: (count: ResultCount) => number): number => counts.reduce((total, count) => total + of(count), 0)
  const inStates = (states: ReadonlyArray<MessageState>): number => sum(({ state, messages }) => (states.includes(state) ? messages : 0))
  return {
    sent: inStates(SENT), delivered: inStates(['delivered', 'read', 'played']), read: inStates(['read', 'played']),
    failed: inStates(['failed']), replied: sum(({ replied }) => replied), optedOut: sum(({ optedOut }) => optedOut),
    micros: counts.reduce((total, { micros }) => total + micros, 0n),
  }
}

/** What one reply cost, in micros, rounded to the nearest; `undefined` without replies. */
export const pricePerReply = ({ micros, replied }: TemplateFigures): bigint | undefined =>
  (replied === 0 ? undefined : (2n * micros + BigInt(replied)) / (2n * BigInt(replied)))

/** The parts of a period, oldest first, including those without messages. */
export const cutPeriod = ({ from, to }: TimeSpan, by: ResultWidth): ReadonlyArray<TimeSpan> => {
  const parts: Array<TimeSpan> = []
  for (let start = from; start < to;) {
    const end = Math.min(to, endOf(start, by))
    parts.push({ from: start, to: end })
    start = end
  }
  return parts
}

/** The first of January 1970 was a Thursday, three days after a Monday. */
const SINCE_MONDAY = 3

const endOf = (at: Instant, by: ResultWidth): Instant => {
  const day = UTC_DAYS.startOf(at)
  return by === 'day' ? day + DAY_MS : day + (7 - ((day / DAY_MS + SINCE_MONDAY) % 7)) * DAY_MS
}

/** Why the results of a period are not read: it is empty, or longer than `MAX_RESULTS_MS`. `undefined` if they are. */
export const periodFault = ({ from, to }: TimeSpan): 'empty' | 'too_long' | undefined =>
  (from >= to ? 'empty' : to - from > MAX_RESULTS_MS ? 'too_long' : undefined)

/** Shows what the messages of a template achieved that were opened in a period; `periodFault` tells whether the period is accepted. None: the workspace does not exist. */
export type ShowTemplateResults = (
  workspace: WorkspaceId, query: ResultsQuery & { readonly by: ResultWidth },
) => Promise<E.Either<PortFailure, O.Option<ShownResults>>>

/** The dependencies of showing results. */
export type ShowTemplateResultsDeps = {
  readonly templateResults: Pick<TemplateResults, 'counts'>
  readonly ledger: Pick<Ledger, 'balance'>
}

export const makeShowTemplateResults =
  ({ templateResults, ledger }: ShowTemplateResultsDeps): ShowTemplateResults =>
  async (workspace, { by, ...query }) => {
    const [counted, balance] = await Promise.all([templateResults.counts(workspace, query), ledger.balance(workspace)])
    if (E.isLeft(counted)) return counted
    if (E.isLeft(balance)) return balance
    const parts = cutPeriod(query, by).map((part) => ({ ...part, ...resultFigures(counted.right.filter(({ day }) => isIn(part, day))) }))
    return E.right(O.map(({ currency }: { readonly currency: Currency }) =>
      ({ currency, total: resultFigures(counted.right), parts }))(balance.right))
  }

/** A part may begin in the middle of its first day. */
const isIn = ({ from, to }: TimeSpan, day: Instant): boolean => day >= UTC_DAYS.startOf(from) && day < to

/** The figures as JSON; amounts are decimal strings. */
export type TemplateFiguresView = {
  readonly sent: number
  readonly delivered: number
  readonly read: number
  readonly failed: number
  readonly replied: number
  readonly opted_out: number
  readonly price: string
  readonly price_per_reply: string | null
}

/** Shows figures. */
export const figuresView = (figures: TemplateFigures): TemplateFiguresView => {
  const { sent, delivered, read, failed, replied, optedOut, micros } = figures
  const perReply = pricePerReply(figures)
  return {
    sent, delivered, read, failed, replied, opted_out: optedOut, price: formatMicros(micros),
    price_per_reply: perReply === undefined ? null : formatMicros(perReply),
  }
}

/** The results as JSON. */
export type TemplateResultsView = {
  readonly template: string
  readonly language: string | null
  readonly from: string
  readonly to: string
  readonly by: ResultWidth
  readonly currency: string
  readonly total: TemplateFiguresView
  readonly parts: ReadonlyArray<{ readonly from: string; readonly to: string } & TemplateFiguresView>
}

/** Shows results. */
export const templateResultsView = (
  { template, language, from, to, by }: ResultsQuery & { readonly by: ResultWidth }, { currency, total, parts }: ShownResults,
): TemplateResultsView => ({
  template, language: language ?? null, from: iso(from), to: iso(to), by, currency, total: figuresView(total),
  parts: parts.map((part) => ({ from: iso(part.from), to: iso(part.to), ...figuresView(part) })),
})

/** The first line of a CSV file of results, with its line end. */
export const RESULTS_CSV_HEADER = csvLine([
  'from', 'to', 'template', 'language', 'sent', 'delivered', 'read', 'failed', 'replied', 'opted_out', 'price', 'price_per_reply',
  'currency',
])

/** The lines of a CSV file of results, one for each part, with their line ends. Times are in UTC (ISO 8601). */
export const resultsCsvLines = ({ template, language, currency, parts }: TemplateResultsView): ReadonlyArray<string> =>
  parts.map(({ from, to, price, price_per_reply: perReply, ...part }) => csvLine([
    from, to, template, language ?? '', ...[part.sent, part.delivered, part.read, part.failed, part.replied, part.opted_out].map(String),
    price, perReply ?? '', currency,
  ]))
