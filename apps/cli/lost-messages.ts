import type { LostCount, LostMessage, LostMessages } from '../../core/reports/status.js'
import { printable } from '../operator/summary.js'
import { unwrap } from './error-messages.js'
import { iso, table } from './output.js'
import { allItems } from './pages.js'

/** The lost messages that are to be settled: how many each workspace has, and the first of them. */
export type Lost = { readonly counts: ReadonlyArray<LostCount>; readonly messages: ReadonlyArray<LostMessage> }

/** Reads the lost messages of all workspaces; lists at most so many. */
export const readLost = async (lostMessages: Pick<LostMessages, 'counts' | 'list'>, limit: number): Promise<Lost> => {
  const counts = await unwrap(lostMessages.counts())
  return { counts, messages: counts.length === 0 ? [] : await allItems((page) => lostMessages.list(page), limit) }
}

/** The lost messages as `--json` prints them. */
export const lostView = ({ counts, messages }: Lost) => ({
  lost: counts,
  lost_messages: messages.map(({ workspace, message, platformId, phoneNumberId, to = null, state, category = null, billable = null, firstAt, lastAt }) => ({
    workspace, id: message, platform_id: platformId, phone_number_id: phoneNumberId, to, state, category, billable, first_at: iso(firstAt), last_at: iso(lastAt),
  })),
  more_lost_messages: moreOf({ counts, messages }),
})

/** The lost messages for people; nothing where there are none. */
export const lostLines = ({ counts, messages }: Lost): ReadonlyArray<string> => (counts.length === 0 ? [] : [
  '',
  'The platform has these messages and the database does not, as after a failover that lost commits, so nothing was charged for them:',
  ...counts.map(({ workspace, messages: count }) => `${workspace}: ${count === 1 ? 'one message' : `${count} messages`}`),
  ...table(
    ['WORKSPACE', 'ID', 'PLATFORM ID', 'TO', 'STATE', 'CATEGORY', 'BILLED', 'FIRST', 'LAST'],
    messages.map(({ workspace, message, platformId, to = '-', state, category = '-', billable, firstAt, lastAt }) =>
      [workspace, message, platformId, to, state, printable(category), billable === undefined ? '-' : billable ? 'yes' : 'no', iso(firstAt), iso(lastAt)]),
  ),
  ...(moreOf({ counts, messages }) === 0 ? [] : [`and ${moreOf({ counts, messages })} more; --limit lists more of them`]),
  'Settle each with `postern message settle-lost`.',
])

/** A status may be noted after the messages were counted. */
const moreOf = ({ counts, messages }: Lost): number => Math.max(0, counts.reduce((sum, { messages: count }) => sum + count, 0) - messages.length)
