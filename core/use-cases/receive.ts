import * as E from 'fp-ts/lib/Either.js'
import * as O from 'fp-ts/lib/Option.js'
import * as RA from 'fp-ts/lib/ReadonlyArray.js'
import type * as TE from 'fp-ts/lib/TaskEither.js'
import { countedIdOf, type CustomerIds } from '../customer.js'
import type { NotYetKnown, PortFailure } from '../errors.js'
import { messageReceived } from '../event-data.js'
import type { InboundMessage } from '../inbound-message.js'
import type { Customers } from '../ports/customers.js'
import type { Senders } from '../ports/senders.js'
import type { WindowClock } from '../ports/window-clock.js'
import { CLOCK_SKEW_MS, notAhead, type Instant } from '../time.js'
import type { WorkspaceId } from '../workspace.js'
import { receiveAccountReport, type AccountOutcome, type AccountReport, type AccountReportDeps } from './account-report.js'
import { receiveCustomerReport, type CustomerReport } from './customer-report.js'
import { alongAnyway, isHeard, type EventDeps } from './event-deps.js'
import { alongInbound } from './inbound-events.js'
import { learnCustomer, type ReportedCustomer } from './learn-customer.js'
import { receiveStatusReport, type StatusOutcome, type StatusReport, type StatusReportDeps } from './status-report.js'

/**
 * Takes in what the platform reports: a customer who wrote opens a window, a status moves a message and its money, and what is said of customers
 * and accounts is kept.
 */
export type Receive = (reports: ReadonlyArray<Report>) => TE.TaskEither<ReceiveError, ReadonlyArray<ReportOutcome>>

/** What the platform reports: a customer wrote, a message has a new status, or something about a customer or an account has changed. */
export type Report = Inbound | UncountedInbound | StatusReport | CustomerReport | AccountReport

/** A customer wrote to the number a workspace sends through. */
export type Inbound = {
  readonly _tag: 'Inbound'
  readonly phoneNumberId: string
  readonly customer: ReportedCustomer
  readonly at: Instant
  /** What the customer wrote; absent where the platform gives no message, as for a call. */
  readonly message?: InboundMessage
}

/** A customer did something in the chat that does not count for the window, such as a reaction or an edit. The application gets it as a message. */
export type UncountedInbound = Omit<Inbound, '_tag' | 'message'> & { readonly _tag: 'UncountedInbound'; readonly message: InboundMessage }

/** What came of a report. `message_noted`, `message_dropped`: what does not count for the window was kept for the application, or nothing listens. */
export type ReportOutcome = 'window_marked' | 'message_noted' | 'message_dropped' | 'customer_learned' | 'unknown_sender' | StatusOutcome | AccountOutcome

/** At least one report is not durable, so the platform has to deliver them all again. The other reports are durable, and a repetition changes nothing of them. */
export type ReceiveError = NotYetKnown | PortFailure

/** What receiving needs. */
export type ReceiveDeps = StatusReportDeps & AccountReportDeps & EventDeps & {
  readonly windowClock: WindowClock
  /** Where what is learned of customers is kept; where absent, nothing is. */
  readonly customers?: Pick<Customers, 'find' | 'learn'>
  readonly senders: Pick<Senders, 'workspaceOf'> & Partial<Pick<Senders, 'sharing'>>
}

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
  if (report._tag === 'AccountNotice' || report._tag === 'TemplateChanged') return receiveAccountReport(deps, report)()
  const workspace = await deps.senders.workspaceOf(report.phoneNumberId)()
  if (E.isLeft(workspace)) return workspace
  if (O.isNone(workspace.right)) return E.right('unknown_sender')
  switch (report._tag) {
    case 'Inbound': return markWindow(deps, workspace.right.value, report)
    case 'UncountedInbound': return note(deps, workspace.right.value, report)
    case 'StatusReport': return receiveStatusReport(deps, workspace.right.value, report)()
    case 'NumberShared': case 'IdsChanged': case 'MarketingPreference': return E.map((): ReportOutcome => 'customer_learned')(
      await receiveCustomerReport(deps, workspace.right.value, { ...report, at: notAhead(deps.windowClock.now(), report.at) })())
  }
}

/**
 * A message that is dated too far ahead counts at its arrival. Its date is recorded too, so that the message counts once, however often it is
 * delivered. It pairs only ids of which nothing is known, since it may be delivered again after the pair has ended.
 */
const markWindow = async (deps: ReceiveDeps, workspace: WorkspaceId, { customer, at, message }: Inbound): Outcome => {
  const { windowClock, customers } = deps
  const now = windowClock.now()
  const isAhead = at - now > CLOCK_SKEW_MS
  const [countsAt, statedAt] = isAhead ? [now, at] : [at, undefined]
  const along = await alongInbound(deps, workspace, customer, message && { customer, message, at: countsAt })
  const written = await Promise.all([
    ...idsToMark(customers, customer).map((ids) => {
      // A message that counts for two ids is one event.
      const once = countedIdOf(ids) === countedIdOf(customer) ? along : undefined
      return windowClock.recordInbound(workspace, ids, countsAt, statedAt, once)()
    }),
    learnCustomer(deps, workspace, { ...customer, at: countsAt, ...(isAhead && { isShared: true }) })(),
  ])
  return written.find(E.isLeft) ?? E.right('window_marked')
}

/** Without `customers` nothing joins the two ids of a message, so it counts for each of them. */
const idsToMark = (customers: ReceiveDeps['customers'], { phoneNumber, userId }: CustomerIds): ReadonlyArray<CustomerIds> =>
  customers === undefined && phoneNumber !== undefined && userId !== undefined ? [{ phoneNumber }, { userId }] : [{ phoneNumber, userId }]

const note = async ({ events, windowClock }: ReceiveDeps, workspace: WorkspaceId, report: UncountedInbound): Outcome => {
  if (events === undefined || !(await isHeard(events, workspace))) return E.right('message_dropped')
  const received = { ...report, at: notAhead(windowClock.now(), report.at) }
  const appended = await events.outbox.append(workspace, alongAnyway(events, () => [messageReceived(workspace, received)])(undefined))()
  return E.isLeft(appended) ? appended : E.right('message_noted')
}
