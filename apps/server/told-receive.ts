import { pipe } from 'fp-ts/lib/function.js'
import * as TE from 'fp-ts/lib/TaskEither.js'
import type { Log } from '../../adapters/koa/index.js'
import type { Receive } from '../../core/receive.js'

/** The same use case, with a line in the log for each number that reports came through though no workspace sends through it. */
export const toldReceive = (receive: Receive, log: Log): Receive => (reports) =>
  pipe(
    receive(reports),
    TE.tapIO((receipts) => () => {
      const strangers = new Map<string, number>()
      receipts.forEach((receipt, place) => {
        const id = reports[place]?.phoneNumberId
        if (receipt === 'unknown_sender' && id !== undefined) strangers.set(id, (strangers.get(id) ?? 0) + 1)
      })
      // The platform's id of a business number, not anybody's phone number: what an operator looks for after a typing mistake.
      for (const [phoneNumberId, count] of strangers) log('warn', 'reports_for_unknown_sender', { phone_number_id: phoneNumberId, count })
    }),
  )
