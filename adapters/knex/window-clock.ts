import * as O from 'fp-ts/lib/Option.js'
import type { WindowClock } from '../../core/ports/window-clock.js'
import type { Instant } from '../../core/time.js'
import { attemptOf } from './attempt.js'
import type { Database } from './database.js'
import type { Dialect } from './dialect.js'
import type { GroupCommit, Write } from './group-commit.js'
import { makeLane } from './lane.js'
import { among, insert } from './many-rows.js'
import { instant, select } from './sql.js'

/** The window clock over SQL; `now` is the gateway's own clock. */
export const makeWindowClock = ({ knex, dialect }: Database, { write }: GroupCommit, now: () => Instant): WindowClock => {
  const marking = markWindows(dialect)
  const windows = makeLane<Pair, O.Option<Instant>>(async (pairs) => {
    const { sql, bindings } = among(dialect, ['workspace_id', 'customer'], pairs.map(({ workspace, customer }) => [workspace, customer]))
    const rows = await select(knex, `SELECT workspace_id, customer, last_inbound FROM windows WHERE ${sql}`, bindings)
    const latest = new Map(rows.map((row) => [`${row['workspace_id']} ${row['customer']}`, instant(row['last_inbound'])]))
    return pairs.map((pair) => O.fromNullable(latest.get(keyOf(pair))))
  })
  return {
    now,
    lastInbound: (workspace, customer) => attempt.value(() => windows.load({ workspace, customer })),
    recordInbound: (workspace, customer, at) => attempt.value(() => write(marking, { workspace, customer, at })),
  }
}

type Pair = { readonly workspace: string; readonly customer: string }
type Mark = Pair & { readonly at: Instant }

const keyOf = ({ workspace, customer }: Pair): string => `${workspace} ${customer}`

const markWindows = (dialect: Dialect): Write<Mark, void> => ({
  order: 4,
  run: async (trx, marks) => {
    const latest = new Map<string, Mark>()
    for (const mark of marks) {
      if (mark.at >= (latest.get(keyOf(mark))?.at ?? mark.at)) latest.set(keyOf(mark), mark)
    }
    await insert(
      trx, dialect, 'windows', ['workspace_id', 'customer', 'last_inbound'],
      [...latest].sort(([a], [b]) => (a < b ? -1 : 1)).map(([, { workspace, customer, at }]) => [workspace, customer, at]),
      keepLatest(dialect),
    )
    return marks.map(() => undefined)
  },
})

const keepLatest = (dialect: Dialect): string => {
  const latest = `last_inbound = ${dialect.latest('windows', 'last_inbound')}`
  return dialect.name === 'mysql' ? `ON DUPLICATE KEY UPDATE ${latest}` : `ON CONFLICT (workspace_id, customer) DO UPDATE SET ${latest}`
}

const attempt = attemptOf('WindowClock')
