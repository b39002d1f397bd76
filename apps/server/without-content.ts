import type { Receive, Report } from '../../core/reports/receive.js'

/** The same use case; what customers wrote is left out before anything of it could be stored. */
export const withoutContent =
  (receive: Receive): Receive =>
  (reports) => receive(reports.map(stripped))

const stripped = (report: Report): Report => {
  if ((report._tag !== 'Inbound' && report._tag !== 'UncountedInbound') || report.message === undefined) return report
  const { content: _content, context: _context, ...message } = report.message
  return { ...report, message }
}
