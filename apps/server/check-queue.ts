import type { KnexStorage } from '../../adapters/knex/index.js'
import { type CheckResult, warned } from './check-result.js'
import { stored } from './summary.js'

/** Names the holds of the queue; no line if nothing is held. */
export const checkHolds = async (
  { queueHolds, messageQueue }: Pick<KnexStorage, 'queueHolds' | 'messageQueue'>,
): Promise<ReadonlyArray<CheckResult>> => {
  const holds = await stored(queueHolds.list())
  if (holds.length === 0) return []
  const waiting = await stored(messageQueue.waiting({ at: Date.now() }))
  return holds.map((hold) => {
    const count = waiting.filter(({ workspace }) => hold.workspace === undefined || hold.workspace === workspace)
      .reduce((sum, one) => sum + one.waiting + one.scheduled, 0)
    const [of, run] = hold.workspace === undefined ? ['', ''] : [` of ${hold.workspace}`, ` ${hold.workspace}`]
    const since = `${count} messages wait, held since ${new Date(hold.since).toISOString()} (${hold.why})`
    return warned(`queue${of}`, `${since}; \`postern queue show${run}\` shows them, \`postern queue resume${run}\` sends them`)
  })
}
