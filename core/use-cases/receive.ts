import * as E from 'fp-ts/lib/Either.js'
import * as O from 'fp-ts/lib/Option.js'
import * as RA from 'fp-ts/lib/ReadonlyArray.js'
import type * as TE from 'fp-ts/lib/TaskEither.js'
import { namesAnother } from '../message-record.js'
import type { StateChange } from '../message-state.js'
import type { NotYetKnown, PortFailure } from '../errors.js'
import type { MessageId, PlatformId } from '../message.js'
import type { AccountNotice } from '../account-notice.js'
import type { CustomerIds } from '../customer.js'
import type { AccountNotices } from '../ports/account-notices.js'
import type { Customers } from '../ports/customers.js'
import type { MessageLog } from '../ports/message-log.js'
import type { Senders } from '../ports/senders.js'
import type { WindowClock } from '../ports/window-clock.js'
import { receiveCustomerReport, type CustomerReport } from './customer-report.js'
import { learnCustomer } from './learn-customer.js'
import { recordChange, type RecordChangeDeps } from './settle.js'
import { SECOND_MS, type Instant } from '../time.js'
import type { WorkspaceId } from '../workspace.js'

/**
 * Takes in what the platform reports: a customer who wrote opens a window, a status moves a message and its money, and what is said of customers
 * and accounts is kept.
 */
export type Receive = (reports: ReadonlyArray<Report>) => TE.TaskEither<ReceiveError, ReadonlyArray<ReportOutcome>>

/** What the platform reports: a customer wrote, a message has a new status, or something about a customer or an account has changed. */
export type Report = Inbound | StatusReport | CustomerReport | AccountNoticeReport

/** A customer wrote to the number a workspace sends through. */
export type Inbound = {
  readonly _tag: 'Inbound'
  readonly phoneNumberId: string
  readonly customer: ReportedCustomer
  readonly at: Instant
}

/** A customer as a report names it: by its ids, and by the names that the customer shows. */
export type ReportedCustomer = CustomerIds & { readonly name?: string | undefined; readonly username?: string | undefined }

/** The status of a message; `messageId` is our id, where the platform echoed it. */
export type StatusReport = {
  readonly _tag: 'StatusReport'
  readonly phoneNumberId: string
  readonly messageId: MessageId | undefined
  readonly platformId: PlatformId
  readonly change: StateChange
  /** The customer to whom the message went, where the status names one. */
  readonly customer?: ReportedCustomer
}

/** The platform said something of a business account; `at` is absent where it does not say when. */
export type AccountNoticeReport = Omit<AccountNotice, 'at'> & { readonly _tag: 'AccountNotice'; readonly at?: Instant }

/**
 * What came of a report. `platform_id_mismatch`: our id and the platform's name different messages, and nothing was moved.
 * `notice_dropped`: there are no `accountNotices` to keep a notice.
 */
export type ReportOutcome =
  | 'window_marked' | 'message_moved' | 'customer_learned' | 'notice_kept' | 'notice_dropped' | 'unknown_sender' | 'unknown_message' | 'platform_id_mismatch'

/** At least one report is not durable, so the platform has to deliver them all again. The other reports are durable, and a repetition changes nothing of them. */
export type ReceiveError = NotYetKnown | PortFailure

/** What receiving needs. */
export type ReceiveDeps = {
  readonly windowClock: WindowClock
  /** Where what is learned of customers is kept; where absent, nothing is. */
  readonly customers?: Pick<Customers, 'find' | 'learn'>
  /** Where what the platform says of accounts is kept; where absent, nothing is. */
  readonly accountNotices?: Pick<AccountNotices, 'record'>
  readonly senders: Pick<Senders, 'workspaceOf'>
  readonly messageLog: Pick<MessageLog, 'apply' | 'find'>
  readonly wallet: RecordChangeDeps['wallet']
}

/**
 * How young a status of an unknown message must be for the note of its acceptance to be perhaps still on its way into the log.
 *
 * A status that is dated as far ahead has a wrong date, and would be asked for again until that date has come.
 */
const ACCEPTANCE_UNDER_WAY_MS = 60 * SECOND_MS

/** How far the platform's clock may be ahead of ours; up to here the date of a customer's message counts as it is. */
const CLOCK_SKEW_MS = 60 * SECOND_MS

/** How many reports are written at once: storage refuses a notification of ten thousands that asks for all its writes together. */
const REPORTS_AT_ONCE = 1_000

/** Makes the use case of what it needs. */
export const makeReceive =
  (deps: ReceiveDeps): Receive =>
  (reports) =>
  async () => {
    const outcomes: Array<E.Either<ReceiveError, ReportOutcome>> = []
    // Every report is carried to its end: one that fails must not keep the others from being written.
    for (const chunk of RA.chunksOf(REPORTS_AT_ONCE)(reports)) {
      const results = await Promise.all(chunk.map(async (report) => (report._tag === 'IdsChanged' ? report : receiveOne(deps, report))))
      // The window follows a customer to the new ids, so a change comes after the messages of the same notification, and changes one by one.
      for (const result of results) outcomes.push(result._tag === 'IdsChanged' ? await receiveOne(deps, result) : result)
    }
    return E.sequenceArray(outcomes)
  }

type Outcome = Promise<E.Either<ReceiveError, ReportOutcome>>

const receiveOne = async (deps: ReceiveDeps, report: Report): Outcome => {
  if (report._tag === 'AccountNotice') return keepNotice(deps, report)
  const workspace = await deps.senders.workspaceOf(report.phoneNumberId)()
  if (E.isLeft(workspace)) return workspace
  if (O.isNone(workspace.right)) return E.right('unknown_sender')
  switch (report._tag) {
    case 'Inbound': return markWindow(deps, workspace.right.value, report)
    case 'StatusReport': return withCustomer(deps, workspace.right.value, report)
    case 'NumberShared': case 'IdsChanged': case 'MarketingPreference': return E.map((): ReportOutcome => 'customer_learned')(
      await receiveCustomerReport(deps, workspace.right.value, { ...report, at: notAhead(deps, report.at) })())
  }
}

/** A moment as it is stated, but no later than our own clock allows: what is dated further ahead must not outlast what is reported after it. */
const notAhead = ({ windowClock }: ReceiveDeps, at: Instant): Instant => Math.min(at, windowClock.now() + CLOCK_SKEW_MS)

const keepNotice = async (deps: ReceiveDeps, { accountId, field, subject, value, at }: AccountNoticeReport): Outcome => {
  const { accountNotices, windowClock } = deps
  if (accountNotices === undefined) return E.right('notice_dropped')
  const kept = await accountNotices.record({ accountId, field, subject, value, at: notAhead(deps, at ?? windowClock.now()) })()
  return E.map((): ReportOutcome => 'notice_kept')(kept)
}

/**
 * A message that is dated too far ahead counts at its arrival. Its date is recorded too, so that the message counts once, however often it is
 * delivered. It pairs only ids of which nothing is known, since it may be delivered again after the pair has ended.
 */
const markWindow = async ({ windowClock, customers }: ReceiveDeps, workspace: WorkspaceId, { customer, at }: Inbound): Outcome => {
  const now = windowClock.now()
  const isAhead = at - now > CLOCK_SKEW_MS
  const written = await Promise.all([
    ...idsToMark(customers, customer).map((ids) =>
      (isAhead ? windowClock.recordInbound(workspace, ids, now, at) : windowClock.recordInbound(workspace, ids, at))()),
    learnCustomer(customers, workspace, { ...customer, ...(isAhead ? { at: now, isShared: true } : { at }) })(),
  ])
  return written.find(E.isLeft) ?? E.right('window_marked')
}

/** Without `customers` nothing joins the two ids of a message, so it counts for each of them. */
const idsToMark = (customers: ReceiveDeps['customers'], { phoneNumber, userId }: CustomerIds): ReadonlyArray<CustomerIds> =>
  customers === undefined && phoneNumber !== undefined && userId !== undefined ? [{ phoneNumber }, { userId }] : [{ phoneNumber, userId }]

/** Moves the message that a status is about, and keeps what the status says of the customer. */
const withCustomer = async (deps: ReceiveDeps, workspace: WorkspaceId, report: StatusReport): Outcome => {
  const { customer, change } = report
  const at = notAhead(deps, change.at)
  const [moved, learned] = await Promise.all([
    moveMessage(deps, workspace, report), customer && learnCustomer(deps.customers, workspace, { ...customer, at })(),
  ])
  return learned !== undefined && E.isLeft(learned) && E.isRight(moved) ? learned : moved
}

/**
 * Moves the message that a status is about.
 *
 * Our id in a status counts as long as the platform's id of that message is not known. From then on the platform's id says which message is
 * meant, since another program that sends through the same account can write our id into its own messages.
 */
const moveMessage = async (deps: ReceiveDeps, workspace: WorkspaceId, report: StatusReport): Outcome => {
  const { messageId, platformId } = report
  const change = { ...report.change, platformId }
  const record = recordChange(deps, deps.windowClock.now)
  const marked = messageId === undefined ? E.right(O.none) : await record(workspace, messageId, change)()
  if (E.isLeft(marked)) return marked
  if (O.isSome(marked.right) && !namesAnother(marked.right.value, change)) return E.right('message_moved')

  const found = await deps.messageLog.find(workspace, { platformId })()
  if (E.isLeft(found)) return found
  if (O.isSome(found.right)) {
    const moved = await record(workspace, found.right.value.id, change)()
    return E.isLeft(moved) ? moved : E.right('message_moved')
  }
  if (O.isSome(marked.right)) return E.right('platform_id_mismatch')
  return messageId === undefined ? unmatched(deps.windowClock.now(), report) : E.right('unknown_message')
}

/** A status can overtake our own note of the platform's id; the platform delivers again what is not acknowledged. */
const unmatched = (now: Instant, { change }: StatusReport): E.Either<NotYetKnown, ReportOutcome> =>
  Math.abs(now - change.at) < ACCEPTANCE_UNDER_WAY_MS ? E.left({ _tag: 'NotYetKnown' }) : E.right('unknown_message')
