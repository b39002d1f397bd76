import type { ReportFault } from '../faults/faults.js'
import { graphError, type GraphError } from '../graph/error.js'
import type { Delays } from '../settings.js'
import type { Signature } from './signature.js'

/** One reported status, without what differs from message to message. */
export type ReportedStatus = {
  readonly status: string
  readonly error?: GraphError
  readonly withoutCallback?: true
  readonly unknownKeys?: true
  readonly bsuidOnly?: true
  readonly otherCategory?: true
  /** Whether it has a price: `sent` has one, and the first of `delivered` and `read`. */
  readonly priced?: true
}

/** What one notification reports: statuses, and perhaps a customer's text or a paused template. */
export type ScheduledReport = {
  /** Milliseconds after the message was accepted. */
  readonly afterMs: number
  readonly statuses: ReadonlyArray<ReportedStatus>
  readonly signature?: Signature
  readonly withInbound?: true
  readonly pausesTemplate?: true
}

const FAILED_LATER = graphError(131026, 'Message undeliverable')
const PAUSED = graphError(132015, 'The template was paused because of its quality')
const SPURIOUS = graphError(131047, 'More than 24 hours have passed since the customer last replied')

/** The notifications that report on an accepted message, by its fault. */
export const statusSchedule = (fault: ReportFault | undefined, delays: Delays): ReadonlyArray<ScheduledReport> => {
  if (fault === undefined) return withPrices(usualSchedule(delays))
  if (fault._tag === 'Failed') return [failed(delays, fault.error)]
  return withPrices(anomalousSchedule(fault.how, delays))
}

const anomalousSchedule = (how: Extract<ReportFault, { _tag: 'Anomaly' }>['how'], delays: Delays): ReadonlyArray<ScheduledReport> => {
  const schedule = usualSchedule(delays)
  const [sent, delivered, ...read] = schedule
  const readMs = delays.read ?? delays.delivered
  switch (how) {
    case 'deliveredBeforeSent': return [statusAt(delays.sent, 'delivered'), statusAt(delays.delivered, 'sent'), ...read]
    case 'readWithoutDelivered': return [sent, statusAt(readMs, 'read')]
    case 'duplicateStatuses': return schedule.flatMap((report) => [report, report])
    case 'statusBeforeReply': return [{ ...sent, afterMs: 0 }, delivered, ...read]
    case 'noCallbackData': return withMark(schedule, { withoutCallback: true })
    case 'silent': return []
    case 'failedWithoutCallback': return withMark([failed(delays, FAILED_LATER)], { withoutCallback: true })
    case 'sentThenFailed': return [sent, failed(delays, FAILED_LATER)]
    case 'failedAfterDelivered': return [
      sent, delivered, { ...failed(delays, FAILED_LATER), afterMs: delays.delivered + delays.failed },
    ]
    case 'unknownStatus': return [sent, statusAt(delays.sent, 'teleported'), delivered, ...read]
    case 'unknownKeys': return withMark(schedule, { unknownKeys: true })
    case 'bsuidOnly': return withMark(schedule, { bsuidOnly: true })
    case 'wrongSignature': return withSignature(schedule, 'wrong')
    case 'missingSignature': return withSignature(schedule, 'missing')
    case 'otherSecret': return withSignature(schedule, 'otherSecret')
    case 'truncatedSignature': return withSignature(schedule, 'truncated')
    case 'batched': return [{ afterMs: delays.delivered, statuses: schedule.flatMap(({ statuses }) => statuses) }]
    case 'mixed': return [sent, { ...delivered, withInbound: true }, ...read]
    case 'delayed': return schedule.map((report) => ({ ...report, afterMs: report.afterMs * 10 }))
    case 'sentOnly': return [sent]
    case 'otherCategory': return withMark(schedule, { otherCategory: true })
    case 'paced': return schedule
    case 'pacedDropped': return [{ ...failed(delays, PAUSED), pausesTemplate: true }]
    case 'spurious131047': return [failed(delays, SPURIOUS)]
  }
}

const statusAt = (afterMs: number, status: string): ScheduledReport => ({ afterMs, statuses: [{ status }] })

const usualSchedule = ({ sent, delivered, read }: Delays): readonly [ScheduledReport, ScheduledReport, ...ScheduledReport[]] =>
  [statusAt(sent, 'sent'), statusAt(delivered, 'delivered'), ...(read === null ? [] : [statusAt(read, 'read')])]

const failed = (delays: Delays, error: GraphError): ScheduledReport => ({ afterMs: delays.failed, statuses: [{ status: 'failed', error }] })

const withMark = (schedule: ReadonlyArray<ScheduledReport>, mark: Partial<ReportedStatus>): ReadonlyArray<ScheduledReport> =>
  schedule.map((report) => ({ ...report, statuses: report.statuses.map((status) => ({ ...status, ...mark })) }))

const withSignature = (schedule: ReadonlyArray<ScheduledReport>, signature: Signature): ReadonlyArray<ScheduledReport> =>
  schedule.map((report) => ({ ...report, signature }))

const withPrices = (schedule: ReadonlyArray<ScheduledReport>): ReadonlyArray<ScheduledReport> => {
  const names = schedule.flatMap(({ statuses }) => statuses.map(({ status }) => status))
  const arrival = names.find((status) => status === 'delivered' || status === 'read')
  const hasPrice = ({ status }: ReportedStatus): boolean => status === 'sent' || status === arrival
  return schedule.map((report) => ({ ...report, statuses: report.statuses.map((status) => (hasPrice(status) ? { ...status, priced: true } : status)) }))
}
