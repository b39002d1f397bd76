import * as O from 'fp-ts/lib/Option.js'
import type { WindowClock } from '../../core/ports/window-clock.js'
import type { Instant } from '../../core/time.js'
import { portTasks } from './port-tasks.js'
import type { Database } from './database.js'
import type { Dialect } from './dialect.js'
import type { GroupCommit, Write } from './group-commit.js'
import { makeBatcher } from './batcher.js'
import { inList, insert } from './bulk-sql.js'
import { instant, select } from './sql.js'

/** The window clock over SQL; `now` is the gateway's own clock. */
export const makeWindowClock = ({ knex, dialect }: Database, { write }: GroupCommit, now: () => Instant): WindowClock => {
  const marking = markWindows(dialect)
  const windows = makeBatcher<Pair, O.Option<Instant>>(async (pairs) => {
    const { sql, bindings } = inList(dialect, ['workspace_id', 'customer'], pairs.map(({ workspace, customer }) => [workspace, customer]))
    const rows = await select(knex, `SELECT workspace_id, customer, last_inbound FROM windows WHERE ${sql}`, bindings)
    const latest = new Map(rows.map((row) => [`${row['workspace_id']} ${row['customer']}`, instant(row['last_inbound'])]))
    return pairs.map((pair) => O.fromNullable(latest.get(keyOf(pair))))
  })
  return {
    now,
    lastInbound: (workspace, customer) => tasks.value(() => windows.load({ workspace, customer })),
    recordInbound: (workspace, customer, at, statedAt) => tasks.value(() => write(marking, { workspace, customer, at, statedAt })),
  }
}

type Pair = { readonly workspace: string; readonly customer: string }
type Mark = Pair & { readonly at: Instant; readonly statedAt: Instant | undefined }

const keyOf = ({ workspace, customer }: Pair): string => `${workspace} ${customer}`

const markWindows = (dialect: Dialect): Write<Mark, void> => ({
  kind: 'record-windows',
  run: async (trx, marks) => {
    for (const round of roundsOf(marks)) {
      await insert(
        trx, dialect, 'windows', ['workspace_id', 'customer', 'last_inbound', 'stated_at'],
        round.map(({ workspace, customer, at, statedAt }) => [workspace, customer, at, statedAt ?? null]),
        upsert(dialect),
      )
    }
    return marks.map(() => undefined)
  },
})

/**
 * The marks that have to be written, in rounds that have each customer once, as an upsert needs it.
 *
 * The first round has every customer, in the order of their keys: two gateways that write the same customers lock them in the same order.
 */
const roundsOf = (marks: ReadonlyArray<Mark>): ReadonlyArray<ReadonlyArray<Mark>> => {
  const ofCustomer = new Map<string, Mark[]>()
  for (const mark of marks) {
    const key = keyOf(mark)
    const others = ofCustomer.get(key)
    if (others === undefined) ofCustomer.set(key, [mark])
    else others.push(mark)
  }
  const needed = [...ofCustomer].sort(([a], [b]) => (a < b ? -1 : 1)).map(([, all]) => neededOf(all))
  const rounds = Math.max(0, ...needed.map(({ length }) => length))
  return Array.from({ length: rounds }, (_, round) => needed.flatMap((all) => all[round] ?? []))
}

/**
 * The marks of one customer that decide what is kept: the one with the latest stated moment, then the two latest of the others.
 * Two, because the database refuses one moment, that of a stated moment it has counted.
 */
const neededOf = (marks: readonly Mark[]): ReadonlyArray<Mark> => {
  if (marks.length === 1) return marks
  const stated = marks.filter(({ statedAt }) => statedAt !== undefined)
    .reduce<Mark | undefined>((latest, mark) => ((latest?.statedAt ?? -Infinity) < (mark.statedAt ?? 0) ? mark : latest), undefined)
  const byMoment = new Map(marks.filter(({ statedAt }) => statedAt === undefined).map((mark) => [mark.at, mark]))
  const latest = [...byMoment.values()].sort((a, b) => a.at - b.at).slice(-2)
  return stated === undefined ? latest : [stated, ...latest]
}

/** The rule of `markInbound` in SQL. MySQL assigns in this order, and each assignment sees the ones before. */
const upsert = (dialect: Dialect): string => {
  const { inserted, latest } = dialect
  const stored = 'windows.stated_at'
  const counts = `${stored} IS NULL OR coalesce(${inserted('stated_at')} > ${stored}, ${inserted('last_inbound')} <> ${stored})`
  const set = `last_inbound = CASE WHEN ${counts} THEN ${latest('windows', 'last_inbound')} ELSE windows.last_inbound END, ` +
    `stated_at = coalesce(${latest('windows', 'stated_at')}, ${stored}, ${inserted('stated_at')})`
  return dialect.name === 'mysql' ? `ON DUPLICATE KEY UPDATE ${set}` : `ON CONFLICT (workspace_id, customer) DO UPDATE SET ${set}`
}

const tasks = portTasks('WindowClock')
