import * as O from 'fp-ts/lib/Option.js'
import type { WindowClock } from '../../core/ports/window-clock.js'
import { countedIdOf } from '../../core/customer.js'
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
  const recording = recordWindows(dialect)
  const windows = makeBatcher<WindowKey, O.Option<Instant>>(async (keys) => {
    const { sql, bindings } = inList(dialect, ['workspace_id', 'customer'], keys.map(({ workspace, customer }) => [workspace, customer]))
    const rows = await select(knex, `SELECT workspace_id, customer, last_inbound FROM windows WHERE ${sql}`, bindings)
    const latest = new Map(rows.map((row) => [`${row['workspace_id']} ${row['customer']}`, instant(row['last_inbound'])]))
    return keys.map((key) => O.fromNullable(latest.get(keyOf(key))))
  })
  return {
    now,
    lastInbound: (workspace, customer) => tasks.value(() => windows.load({ workspace, customer })),
    recordInbound: (workspace, customer, at, statedAt) => tasks.value(() => write(recording, { workspace, customer: countedIdOf(customer) ?? '', at, statedAt })),
  }
}

type WindowKey = { readonly workspace: string; readonly customer: string }
type InboundItem = WindowKey & { readonly at: Instant; readonly statedAt: Instant | undefined }

const keyOf = ({ workspace, customer }: WindowKey): string => `${workspace} ${customer}`

const recordWindows = (dialect: Dialect): Write<InboundItem, void> => ({
  kind: 'record-windows',
  run: async (trx, items) => {
    for (const batch of upsertBatches(items)) {
      await insert(
        trx, dialect, 'windows', ['workspace_id', 'customer', 'last_inbound', 'stated_at'],
        batch.map(({ workspace, customer, at, statedAt }) => [workspace, customer, at, statedAt ?? null]),
        upsert(dialect),
      )
    }
    return items.map(() => undefined)
  },
})

/**
 * The items to write, in batches that have each customer at most once, as an upsert needs it.
 *
 * The first batch has every customer, sorted by key, so that two gateways lock the same customers in the same order.
 */
const upsertBatches = (items: ReadonlyArray<InboundItem>): ReadonlyArray<ReadonlyArray<InboundItem>> => {
  const byCustomer = new Map<string, InboundItem[]>()
  for (const item of items) {
    const key = keyOf(item)
    const others = byCustomer.get(key)
    if (others === undefined) byCustomer.set(key, [item])
    else others.push(item)
  }
  const needed = [...byCustomer].sort(([a], [b]) => (a < b ? -1 : 1)).map(([, all]) => neededItems(all))
  const batches = Math.max(0, ...needed.map(({ length }) => length))
  return Array.from({ length: batches }, (_, batch) => needed.flatMap((all) => all[batch] ?? []))
}

/**
 * The items of one customer that decide the stored row: the one with the latest stated moment, then the two latest of the others.
 * Two, because the database ignores one moment: the stated moment that it has already counted.
 */
const neededItems = (items: readonly InboundItem[]): ReadonlyArray<InboundItem> => {
  if (items.length === 1) return items
  const stated = items.filter(({ statedAt }) => statedAt !== undefined)
    .reduce<InboundItem | undefined>((latest, item) => ((latest?.statedAt ?? -Infinity) < (item.statedAt ?? 0) ? item : latest), undefined)
  const byMoment = new Map(items.filter(({ statedAt }) => statedAt === undefined).map((item) => [item.at, item]))
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
