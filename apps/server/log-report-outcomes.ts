import { pipe } from 'fp-ts/lib/function.js'
import * as TE from 'fp-ts/lib/TaskEither.js'
import type { Log } from '../../adapters/koa/index.js'
import type { Receive, ReportOutcome } from '../../core/reports/receive.js'

/** The outcomes that an operator has to look at, and their log events. */
const EVENTS: ReadonlyMap<ReportOutcome, string> = new Map([
  ['unknown_sender', 'reports_for_unknown_sender'],
  ['platform_id_mismatch', 'statuses_of_another_message'],
])

/**
 * The same use case; it also logs one line for each phone number id whose reports show a fault.
 *
 * `unknown_sender`: no workspace sends through this number. `platform_id_mismatch`: a status has our id of one message and the platform's
 * id of another one.
 */
export const logReportOutcomes = (receive: Receive, log: Log): Receive => (reports) =>
  pipe(
    receive(reports),
    TE.tapIO((outcomes) => () => {
      const counts = new Map<string, { readonly event: string; readonly phoneNumberId: string; count: number }>()
      outcomes.forEach((outcome, place) => {
        const [event, report] = [EVENTS.get(outcome), reports[place]]
        if (event === undefined || report === undefined || !('phoneNumberId' in report)) return
        const { phoneNumberId } = report
        const known = counts.get(`${event} ${phoneNumberId}`)
        if (known === undefined) counts.set(`${event} ${phoneNumberId}`, { event, phoneNumberId, count: 1 })
        else known.count += 1
      })
      // The phone number id is the platform's id of a business number, not a phone number, so it may be logged.
      for (const { event, phoneNumberId, count } of counts.values()) log('warn', event, { phone_number_id: phoneNumberId, count })
    }),
  )
