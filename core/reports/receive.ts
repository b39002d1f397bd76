import * as E from 'fp-ts/lib/Either.js'
import * as O from 'fp-ts/lib/Option.js'
import type { Option } from 'fp-ts/lib/Option.js'
import * as RA from 'fp-ts/lib/ReadonlyArray.js'
import type { Forbidden } from '../access/access.js'
import { type ActDeps, perform } from '../access/acting.js'
import { hearOptOut, hearPreference, type HearDeps, moveConsents, type OptOutAnswer, recordPerson } from '../consent/hearing.js'
import {
  countedIdOf, type Customer, type CustomerId, type CustomerIds, customerOf, everyIdOf, isUserId, type KnownId, othersUpTo,
  type PhoneNumber, recordKeyOf, type UserId,
} from '../customers/customer.js'
import { customerChanged, type Customers, findCustomer, type ReportedCustomer } from '../customers/learn.js'
import {
  isOpen, lastInboundOf, lastUnder, type RecordedInbound, type WindowClock, type WindowDeps, windowOpened,
} from '../customers/window.js'
import type { Actor } from '../kernel/actor.js'
import type { PortFailure } from '../kernel/failure.js'
import type { AppId, InboxId, InboxOf, WorkspaceId } from '../kernel/ids.js'
import { type MakeOutboxEntries, entriesAlways, entriesFor, type EventDeps, hasListener } from '../kernel/outbox.js'
import { CLOCK_SKEW_MS, type Instant, notAhead } from '../kernel/time.js'
import { inSpan, type NewSpan, PLATFORM_ATTRIBUTES, type Span, type TracingDeps } from '../kernel/tracing.js'
import { type InboundMessage, messageReceived, type ReceivedMessage, wordsOf } from '../messages/conversation.js'
import type { MessagesTo } from '../messages/message-log.js'
import {
  chosenSender, inboxOf, type SenderDirectory, type SenderId, type SenderOwner, type UnknownSender,
} from '../senders/sender.js'
import { INBOUND_COUNTS_MS, type SenderBudget, type SenderLimit, type SenderRates } from '../senders/sender-budget.js'
import type { ReplyToOptOut } from '../sending/opt-out-reply.js'
import type { TemplateResults } from '../templates/results.js'
import {
  type AccountAppDeps, type AccountOutcome, type AccountReport, type AccountReportDeps, isAccountOfApp, receiveAccountReport,
} from './account.js'
import {
  makeReadOpenWorkspaces, type NotYetKnown, type ReadOpenWorkspacesDeps, receiveStatusReport, type StatusOutcome, type StatusReport,
  type StatusReportDeps,
} from './status.js'

/** Where a message of a customer was reported: the inbox, its workspace, and its sender; without a sender the workspace has none. */
export type ReportedIn = InboxOf & { readonly sender?: SenderId | undefined }

/** The dependencies of making the events of an inbound message. */
export type InboundEventsDeps = EventDeps & WindowDeps & { readonly windowClock: Pick<WindowClock, 'freeForm' | 'now'> }

/**
 * Makes the events of an inbound message: that it was received, if it is given, and that it opened the window.
 *
 * The write knows only when the customer wrote under the id for which the message counts, so the other ids are looked up first. If that
 * fails, a surplus event of the window may be made.
 */
export const entriesOfInbound = async (
  deps: InboundEventsDeps, { workspace, inbox, sender }: ReportedIn, customer: CustomerIds, received?: Omit<ReceivedMessage, 'sender'>,
): Promise<MakeOutboxEntries<RecordedInbound> | undefined> => {
  const { events, windowClock } = deps
  const id = countedIdOf(customer)
  if (events === undefined || id === undefined || !(await hasListener(events, workspace))) return undefined
  const { freeForm } = windowClock
  const now = windowClock.now()
  const found = await lastInboundOf(deps, inbox, id, (lastInbound) => isOpen(now, lastInbound, freeForm))
  const window = { workspace, sender, id, now, freeForm, before: E.isRight(found) ? found.right : O.none }
  const message = received === undefined ? [] : [messageReceived(workspace, { ...received, sender })]
  return entriesAlways(events, (recorded) => [...message, ...windowOpened(window, recorded)])
}

/**
 * Records that a customer wrote to a workspace, if the operator knows it from another source than the platform.
 *
 * Right: when the customer last wrote, which may be later than the recorded time.
 */
export type RecordInbound = (command: RecordInboundCommand) => Promise<E.Either<RecordInboundError, Option<Instant>>>

/** `sender` is the sender to whom the customer wrote; if absent, the default sender. `at` is when the customer wrote; if absent, now. */
export type RecordInboundCommand = {
  readonly by: Actor
  readonly workspace: WorkspaceId
  readonly sender?: SenderId
  readonly customer: CustomerId
  readonly at?: Instant
}

/** How noting it can fail. */
export type RecordInboundError = InboundInFuture | UnknownSender | Forbidden | PortFailure

/** A customer cannot have written later than now. */
export type InboundInFuture = { readonly _tag: 'InboundInFuture'; readonly at: Instant }

/** The dependencies of noting it. */
export type RecordInboundDeps = ActDeps & WindowDeps & {
  readonly windowClock: WindowClock; readonly senders: Pick<SenderDirectory, 'senderOf'>
}

/** The audit entry does not contain the customer's id, so that a customer can be erased. */
export const makeRecordInbound =
  (deps: RecordInboundDeps): RecordInbound =>
  ({ by, workspace, ...command }) =>
    perform(deps, { by, act: 'window.record', workspace }, {}, record(deps, { workspace, ...command }))

const record =
  (deps: RecordInboundDeps, { workspace, sender, customer, ...command }: Omit<RecordInboundCommand, 'by'>) =>
  async (
    outboxEntries: MakeOutboxEntries<RecordedInbound>,
  ): Promise<E.Either<InboundInFuture | UnknownSender | PortFailure, Option<Instant>>> => {
    const { windowClock } = deps
    const now = windowClock.now()
    const at = command.at ?? now
    if (at > now) return E.left({ _tag: 'InboundInFuture', at })
    const chosen = await chosenSender(deps.senders, { workspace, sender })
    if (E.isLeft(chosen)) return chosen
    const inbox = inboxOf(workspace, chosen.right)
    const ids = isUserId(customer) ? { userId: customer } : { phoneNumber: customer }
    const events = await entriesOfInbound(deps, { workspace, inbox, sender: chosen.right?.phoneNumberId }, ids)
    const recorded = await windowClock.recordInbound(inbox, ids, at, undefined, (moments) =>
      [...outboxEntries(moments), ...(events?.(moments) ?? [])])
    return E.isLeft(recorded) ? recorded : lastInboundOf(deps, inbox, customer)
  }

/** A report about a customer that does not count for the window. */
export type CustomerReport = NumberShared | IdsChanged | MarketingPreference

/** A customer answered a request for the phone number. */
export type NumberShared = {
  readonly _tag: 'NumberShared'
  readonly phoneNumberId: SenderId
  readonly userId: UserId
  readonly phoneNumber: PhoneNumber
  readonly at: Instant
}

/** A customer has a different phone number, a different user id, or both; the ids before and after belong to one person. */
export type IdsChanged = {
  readonly _tag: 'IdsChanged'
  readonly phoneNumberId: SenderId
  readonly before: CustomerIds
  readonly after: CustomerIds
  readonly at: Instant
}

/** A customer stopped marketing messages, or accepts them again. */
export type MarketingPreference = {
  readonly _tag: 'MarketingPreference'
  readonly phoneNumberId: SenderId
  readonly customer: CustomerIds
  readonly stopped: boolean
  readonly at: Instant
}

/** The dependencies of processing such a report. */
export type CustomerReportDeps = EventDeps & {
  readonly windowClock: Pick<WindowClock, 'lastInbound' | 'recordInbound'>
  readonly customers?: Pick<Customers, 'find' | 'learn'>
  /** What customers allow and stop; if absent, it is not recorded. */
  readonly consents?: HearDeps['consents']
  /** Where the inboxes of the workspace are found; if absent, it has one. */
  readonly senders?: HearDeps['senders']
}

/** Stores the contents of a report about a customer. Without `customers` nothing is stored, except what the customer stopped or allowed. */
export const receiveCustomerReport = (
  deps: CustomerReportDeps, of: InboxOf, report: CustomerReport,
): Promise<E.Either<PortFailure, void>> => {
  switch (report._tag) {
    case 'NumberShared': return recordPerson(deps, of, { ...report, isShared: true })
    case 'IdsChanged': return changeIds(deps, of, report)
    case 'MarketingPreference': return choose(deps, of, report)
  }
}

/**
 * The window moves to the person's new ids, then the old ids end.
 *
 * A pair is in two records. The event of its change comes from the record of the user id, or from the record of the number if no user id is named.
 *
 * Only messages that this person wrote up to the change count: a number may also have messages of its previous and later owners.
 */
const changeIds = async (
  deps: CustomerReportDeps, { workspace, inbox }: InboxOf, { before, after, at }: IdsChanged,
): Promise<E.Either<PortFailure, void>> => {
  const { customers, windowClock } = deps
  const id = countedIdOf(before)
  if (customers === undefined || id === undefined) return E.right(undefined)
  const known = await customers.find(inbox, id)
  if (E.isLeft(known)) return known
  for (const old of idsOfPerson(before, known.right, at)) {
    const lastInbound = await lastUnder(windowClock, inbox, old.id)
    if (E.isLeft(lastInbound)) return lastInbound
    if (O.isNone(lastInbound.right) || lastInbound.right.value < old.from || lastInbound.right.value > at) continue
    const recorded = await windowClock.recordInbound(inbox, after, lastInbound.right.value)
    if (E.isLeft(recorded)) return recorded
  }
  // The new ids replace the record of the pair by which the old ids are found, so they are recorded last.
  const person = idsOfPerson(before, known.right, at).map((one) => one.id)
  const moved = await moveConsents(deps, workspace, person, { ids: idsOf(after), at })
  if (E.isLeft(moved)) return moved
  const learned = await recordPerson(deps, { workspace, inbox }, { ...after, at })
  if (E.isLeft(learned)) return learned
  const kept = idsOf(after).map(recordKeyOf)
  const old = idsOf(before).filter((id) => !kept.includes(recordKeyOf(id)))
  const namesUserId = before.userId !== undefined || after.userId !== undefined
  const ended = await Promise.all(old.map(async (id) => {
    const outboxEntries = namesUserId && !isUserId(id)
      ? undefined
      : await entriesFor(deps.events, workspace, customerChanged(workspace, id))
    return customers.learn(inbox, id, { _tag: 'Ended', at }, outboxEntries)
  }))
  return ended.find(E.isLeft) ?? E.right(undefined)
}

/** The ids of the person before a change, each with the time from which a message under it is certainly from this person. */
const idsOfPerson = (
  before: CustomerIds, known: KnownId, at: Instant,
): ReadonlyArray<{ readonly id: CustomerId; readonly from: Instant }> => {
  const { own, other } = known
  const id = countedIdOf(before)
  if (id === undefined) return []
  const { phoneNumber, userId, numberSince = -1 } = customerOf(id, known)
  const pairedAt = Math.max(own.pairedAt ?? 0, other.pairedAt ?? 0)
  const isPair = phoneNumber !== undefined && userId !== undefined && pairedAt <= at
  const isSame = before.phoneNumber === undefined
    || (phoneNumber !== undefined && recordKeyOf(before.phoneNumber) === recordKeyOf(phoneNumber))
  if (isPair && isSame) return [{ id: userId, from: 0 }, { id: phoneNumber, from: Math.max(pairedAt, numberSince + 1) }]
  return isUserId(id) || own.other === undefined ? [{ id, from: isUserId(id) ? 0 : numberSince + 1 }] : []
}

/** Whoever stops marketing messages of one sender stops those of the whole workspace. A number means the same person for every sender; a user id does not. */
const choose = async (
  deps: CustomerReportDeps, of: InboxOf, { customer, stopped, at }: MarketingPreference,
): Promise<E.Either<PortFailure, void>> => {
  const { workspace, inbox } = of
  const { customers } = deps
  const heard = await hearPreference(deps, of, { ids: idsOf(customer), stopped, at })
  if (E.isLeft(heard)) return heard
  const fact = { _tag: stopped ? 'MarketingStopped' : 'MarketingResumed', at } as const
  if (customers === undefined) return E.right(undefined)
  const number = await numberOf(customers, inbox, customer)
  if (E.isLeft(number)) return number
  const learned = await Promise.all([
    ...idsOf(customer).map((id) => customers.learn(inbox, id, fact)),
    ...(inbox === workspace || number.right === undefined ? [] : [customers.learn(workspace, number.right, fact)]),
  ])
  return learned.find(E.isLeft) ?? E.right(undefined)
}

/** The number of a customer as the report or the record of the user id names it. */
const numberOf = async (
  customers: Pick<Customers, 'find'>, inbox: InboxId, { phoneNumber, userId }: CustomerIds,
): Promise<E.Either<PortFailure, PhoneNumber | undefined>> =>
  phoneNumber !== undefined || userId === undefined
    ? E.right(phoneNumber)
    : E.map((customer: Customer) => customer.phoneNumber)(await findCustomer(customers, inbox, userId))

const idsOf = ({ phoneNumber, userId }: CustomerIds): ReadonlyArray<CustomerId> => [phoneNumber, userId].filter((id) => id !== undefined)

/**
 * Processes the platform's reports: a customer's message opens a window, a status changes a message and moves its money, and data about customers
 * and accounts is stored.
 */
export type Receive = (reports: ReadonlyArray<Report>) => Promise<E.Either<ReceiveError, ReadonlyArray<ReportOutcome>>>

/**
 * A report of the platform: a customer wrote, a message has a new status, or something about a customer or an account has changed. `app` is the platform app at whose
 * webhook it arrived; absent if it is the app of the environment.
 */
export type Report = (Inbound | UncountedInbound | StatusReport | CustomerReport | AccountReport) & { readonly app?: AppId }

/** A customer wrote to the number a workspace sends through. */
export type Inbound = {
  readonly _tag: 'Inbound'
  readonly phoneNumberId: SenderId
  readonly customer: ReportedCustomer
  readonly at: Instant
  /** The customer's message; absent if the platform sends no message, for example for a call. */
  readonly message?: InboundMessage
}

/** A customer did something in the chat that does not count for the window, such as a reaction or an edit. The application receives it as a message. */
export type UncountedInbound = Omit<Inbound, '_tag' | 'message'> & { readonly _tag: 'UncountedInbound'; readonly message: InboundMessage }

/**
 * The result of a report. `message_noted`, `message_dropped`: a message that does not count for the window was stored for the application, or nothing listens.
 * `opt_out_answered`, `opt_out_unanswered`: the message also stopped messages, and the answer of the workspace was sent, or could not be sent.
 * `other_app`: the report arrived at the webhook of an app to which its sender or its account does not belong, so it had no effect. Without this rule, an attacker who
 * knows the secret of one app could report on the senders of all apps.
 */
export type ReportOutcome =
  | 'window_marked' | 'opt_out_answered' | 'opt_out_unanswered' | 'message_noted' | 'message_dropped' | 'customer_learned'
  | 'unknown_sender' | 'other_app' | StatusOutcome
  | AccountOutcome

/** At least one report was not stored, so the platform has to deliver all of them again. The other reports are stored, and their repetition changes nothing. */
export type ReceiveError = NotYetKnown | PortFailure

/** The dependencies of receiving. */
export type ReceiveDeps = TracingDeps & StatusReportDeps & AccountReportDeps & EventDeps & {
  readonly windowClock: WindowClock
  /** Where data about customers is stored; if absent, none is stored. */
  readonly customers?: Pick<Customers, 'find' | 'learn'>
  readonly consents?: HearDeps['consents']
  /** Answers customers who stop messages; if absent, none is answered. */
  readonly replyToOptOut?: ReplyToOptOut
  readonly senders: AccountAppDeps['senders']
  /** Where messages of customers are counted for the throughput of their sender; only if senders have a limit. */
  readonly senderBudget?: Pick<SenderBudget, 'countInbound'>
  readonly senderLimit?: Pick<SenderLimit, 'perSecond' | 'maxWaitMs'>
  readonly senderRates?: SenderRates
  /** Where replies to template messages are noted; if absent, none are. */
  readonly templateResults?: Pick<TemplateResults, 'noteReply'>
}

/** The dependencies from which `receive` is made. */
export type MakeReceiveDeps = Omit<ReceiveDeps, 'openWorkspaces'> & ReadOpenWorkspacesDeps

/** How many reports are written simultaneously: storage refuses a notification with tens of thousands of reports if all its writes are requested together. */
const REPORTS_AT_ONCE = 1_000

export const makeReceive = (given: MakeReceiveDeps): Receive => {
  const deps: ReceiveDeps = { ...given, openWorkspaces: makeReadOpenWorkspaces(given) }
  return async (reports) => {
    const outcomes: Array<E.Either<ReceiveError, ReportOutcome>> = []
    // Every report is processed completely: a failing report must not keep the others from being written.
    for (const chunk of RA.chunksOf(REPORTS_AT_ONCE)(reports)) {
      const results = await Promise.all(chunk.map(async (report) => (report._tag === 'IdsChanged' ? report : receiveOne(deps, report))))
      // The window moves to a customer's new ids, so a change comes after the messages of the same notification, and changes are processed one by one.
      for (const result of results) outcomes.push(result._tag === 'IdsChanged' ? await receiveOne(deps, result) : result)
    }
    return E.sequenceArray(outcomes)
  }
}

type Outcome = Promise<E.Either<ReceiveError, ReportOutcome>>

const receiveOne = (deps: ReceiveDeps, report: Report): Outcome =>
  inSpan(deps.tracer, () => spanOf(report), (span) => receiveInSpan(deps, report, span))

/** The names of the spans of reports. */
const SPAN_NAMES: Readonly<Record<Report['_tag'], string>> = {
  Inbound: 'message', UncountedInbound: 'message', StatusReport: 'status', NumberShared: 'customer', IdsChanged: 'customer',
  MarketingPreference: 'customer', AccountNotice: 'account', TemplateChanged: 'template',
}

const spanOf = (report: Report): NewSpan => ({
  name: `process ${SPAN_NAMES[report._tag]}`, kind: 'consumer',
  attributes: {
    ...PLATFORM_ATTRIBUTES, 'messaging.operation.name': 'process', 'messaging.operation.type': 'process',
    ...(report._tag === 'StatusReport' && {
      'postern.status': report.change.state, ...(report.messageId !== undefined && { 'messaging.message.id': report.messageId }),
    }),
  },
})

const receiveInSpan = async (deps: ReceiveDeps, report: Report, span: Span | undefined): Outcome => {
  if (report._tag === 'AccountNotice' || report._tag === 'TemplateChanged') {
    const isOfApp = await isAccountOfApp(deps, report.accountId, report.app)
    if (E.isLeft(isOfApp)) return isOfApp
    return isOfApp.right ? receiveAccountReport(deps, report) : E.right('other_app')
  }
  const owner = await deps.senders.ownerOf(report.phoneNumberId, deps.windowClock.now())
  if (E.isLeft(owner)) return owner
  if (O.isNone(owner.right)) return E.right('unknown_sender')
  if (owner.right.value.app !== report.app) return E.right('other_app')
  return receiveFor(deps, owner.right.value, owner.right.value.isFormer === true ? withoutUserIds(report) : report, span)
}

/** A report for a sender. */
type SenderReport = Exclude<Report, AccountReport>

/** User ids belong to the business portfolio, so those in a report for the former id of a moved number mean nothing for its present id. */
const withoutUserIds = (report: SenderReport): SenderReport | undefined => {
  switch (report._tag) {
    case 'NumberShared': return undefined
    case 'IdsChanged': return undefined
    case 'StatusReport': {
      const { customer, to, ...status } = report
      const known = customer?.phoneNumber === undefined ? undefined : { ...customer, userId: undefined }
      return { ...status, ...(known && { customer: known }), ...(to !== undefined && !isUserId(to) && { to }) }
    }
    case 'Inbound': case 'UncountedInbound': case 'MarketingPreference':
      return report.customer.phoneNumber === undefined ? undefined : { ...report, customer: { ...report.customer, userId: undefined } }
  }
}

const receiveFor = async (deps: ReceiveDeps, owner: SenderOwner, report: SenderReport | undefined, span: Span | undefined): Outcome => {
  if (report === undefined) return E.right('unknown_sender')
  switch (report._tag) {
    case 'Inbound': return markWindow(deps, owner, report)
    case 'UncountedInbound': return note(deps, owner, report)
    case 'StatusReport': return receiveStatusReport(deps, owner, report, span)
    case 'NumberShared': case 'IdsChanged': case 'MarketingPreference': return E.map((): ReportOutcome => 'customer_learned')(
      await receiveCustomerReport(deps, owner, { ...report, at: notAhead(deps.windowClock.now(), report.at) }))
  }
}

/**
 * A message that is dated too far ahead counts at its arrival. Its date is recorded too, so that the message counts once, no matter how often it is
 * delivered. It pairs ids only if nothing is known of them, because it may be delivered again after the pair has ended.
 */
const markWindow = async (deps: ReceiveDeps, owner: SenderOwner, report: Inbound): Outcome => {
  const { customer, at, message } = report
  const { windowClock, customers } = deps
  const now = windowClock.now()
  const isAhead = at - now > CLOCK_SKEW_MS
  const [countsAt, statedAt] = isAhead ? [now, at] : [at, undefined]
  const outboxEntries = await entriesOfInbound(deps, owner, customer, message && { customer, message, at: countsAt })
  const count = await counting(deps, owner, message === undefined ? undefined : countsAt)
  // The writes are requested together, so that a storage that commits writes together needs no further transaction for the count.
  const counted = count()
  const hearing = hearOptOut(deps, owner, {
    ids: idsOf(customer), said: message && wordsOf(message), at: countsAt, isContentKept: message?.content !== undefined,
  })
  const written = await Promise.all([
    ...idsToMark(customers, customer).map((ids) => {
      // A message that counts for two ids makes one event.
      const once = countedIdOf(ids) === countedIdOf(customer) ? outboxEntries : undefined
      return windowClock.recordInbound(owner.inbox, ids, countsAt, statedAt, once)
    }),
    recordPerson(deps, owner, { ...customer, at: countsAt, ...(isAhead ? { isShared: true } : { dialled: customer.phoneNumber }) }),
    message === undefined ? E.right(undefined) : noteReply(deps, owner, { ...report, at: countsAt }),
    hearing,
  ])
  await counted
  const failed = written.find(E.isLeft)
  return failed ?? answerOptOut(deps, owner, report, await hearing)
}

/** Answers a customer who has stopped messages, once the stop and the customer's window are stored. */
const answerOptOut = async (
  { replyToOptOut }: ReceiveDeps, { workspace, sender }: SenderOwner, { customer: { phoneNumber, userId }, message }: Inbound,
  heard: E.Either<PortFailure, OptOutAnswer | undefined>,
): Outcome => {
  if (E.isLeft(heard)) return heard
  const to = phoneNumber ?? userId
  if (replyToOptOut === undefined || heard.right === undefined || message === undefined || to === undefined) return E.right('window_marked')
  const { text, stop } = heard.right
  return E.map((isAnswered: boolean): ReportOutcome => (isAnswered ? 'opt_out_answered' : 'opt_out_unanswered'))(
    await replyToOptOut({ workspace, sender, to, message: message.id, stop, text }))
}

/** Notes the template message that a customer's message answers. A call has no message, so it answers none. */
const noteReply = async (
  { templateResults, customers }: ReceiveDeps, { workspace, inbox, sender }: SenderOwner, { customer, phoneNumberId, at }: Inbound,
): Promise<E.Either<PortFailure, void>> => {
  const id = countedIdOf(customer)
  if (templateResults === undefined || id === undefined) return E.right(undefined)
  const known = await findCustomer(customers, inbox, id)
  if (E.isLeft(known)) return known
  const ids = new Map<CustomerId, MessagesTo>(everyIdOf(known.right).map((one) => [one, messagesTo(one, othersUpTo(known.right, one))]))
  for (const one of everyIdOf(customer)) ids.set(one, { id: one })
  return templateResults.noteReply({
    workspace, to: { ids: [sender, phoneNumberId], orNone: inbox === workspace }, from: [...ids.values()], at,
  })
}

const messagesTo = (id: CustomerId, after: Instant | undefined): MessagesTo => (after === undefined ? { id } : { id, after })

/**
 * Makes the call that counts a customer's message of a given time for the throughput of its sender. It never fails: a report must not be refused, and delivered again, only because it could not be
 * counted.
 */
const counting = async (
  { senderBudget, senderLimit, senderRates, windowClock }: ReceiveDeps, { workspace, sender }: SenderOwner, at: Instant | undefined,
): Promise<() => Promise<unknown>> => {
  if (senderBudget === undefined || senderLimit === undefined || at === undefined || windowClock.now() - at > INBOUND_COUNTS_MS) {
    return async () => undefined
  }
  const perSecond = await senderRates?.({ workspace, sender }) ?? senderLimit.perSecond
  return () => senderBudget.countInbound({ workspace, sender, perSecond, maxWaitMs: senderLimit.maxWaitMs })
}

/** Without `customers` nothing links the two ids of a message, so it counts for each of them. */
const idsToMark = (customers: ReceiveDeps['customers'], { phoneNumber, userId }: CustomerIds): ReadonlyArray<CustomerIds> =>
  customers === undefined && phoneNumber !== undefined && userId !== undefined ? [{ phoneNumber }, { userId }] : [{ phoneNumber, userId }]

const note = async (deps: ReceiveDeps, owner: SenderOwner, report: UncountedInbound): Outcome => {
  const { events, windowClock } = deps
  const { workspace, sender } = owner
  if (events === undefined || !(await hasListener(events, workspace))) return E.right('message_dropped')
  const received = { ...report, sender, at: notAhead(windowClock.now(), report.at) }
  const count = await counting(deps, owner, received.at)
  const counted = count()
  const appended = await events.outbox.append(workspace, entriesAlways(events, () => [messageReceived(workspace, received)])(undefined))
  await counted
  return E.isLeft(appended) ? appended : E.right('message_noted')
}
