import { pipe } from 'fp-ts/lib/function.js'
import * as TE from 'fp-ts/lib/TaskEither.js'
import type { Receive } from '../../core/reports/receive.js'

/** The same use case; it also has the list of an account read soon, if a template of it has changed. */
export const syncOnReport = (receive: Receive, syncSoon: (accountId: string) => void): Receive => (reports) =>
  pipe(
    receive(reports),
    TE.tapIO(() => () => {
      for (const report of reports) if (report._tag === 'TemplateChanged') syncSoon(report.accountId)
    }),
  )
