import { countedIdOf, type CustomerIds } from '../../core/customers/customer.js'
import { type InboundMark, markInbound, type RecordedInbound } from '../../core/customers/window.js'
import type { Along, AlongEntry } from '../../core/kernel/outbox.js'
import type { Instant } from '../../core/kernel/time.js'
import { inList } from './bulk-sql.js'
import type { Dialect } from './dialect.js'
import { instant, instantOrNone, type Queryable, select } from './sql.js'

/** A message of a customer, and the events of it. */
export type InboundMessage = {
  readonly workspace: string
  readonly ids: CustomerIds
  readonly at: Instant
  readonly statedAt: Instant | undefined
  readonly along?: Along<RecordedInbound> | undefined
}

/** What was kept before a transaction of each id for which one of its messages counts that has events; `undefined` for an id without a row. */
export type CountedWindows = ReadonlyMap<string, InboundMark | undefined>

/**
 * The moment that counts for the id of a row.
 *
 * `user_inbound` is the latest moment that was written into the row for a user id, and `number_inbound` is the number's own moment before that. Where
 * `last_inbound` is later, a message of the number alone was recorded since, maybe by a version that does not know these columns.
 */
export const OWN_INBOUND = `CASE WHEN windows.user_inbound IS NULL OR windows.last_inbound > windows.user_inbound
  THEN windows.last_inbound ELSE windows.number_inbound END`

/** Reads and locks the windows that events need; messages without events cost no query. */
export const lockCounted = async (dialect: Dialect, trx: Queryable, messages: ReadonlyArray<InboundMessage>): Promise<CountedWindows> => {
  const keys = new Map(messages.flatMap((message) => (message.along === undefined ? [] : [[countedKey(message), [message.workspace, countedIdOf(message.ids) ?? '']]])))
  if (keys.size === 0) return new Map()
  const { sql, bindings } = inList(dialect, ['workspace_id', 'customer'], [...keys.values()])
  const rows = await select(
    trx, `SELECT workspace_id, customer, stated_at, ${OWN_INBOUND} AS own FROM windows WHERE ${sql} ORDER BY workspace_id, customer ${dialect.forUpdate}`, bindings,
  )
  const marks = new Map<string, InboundMark | undefined>(Array.from(keys.keys(), (key) => [key, undefined]))
  for (const row of rows) {
    // The row of a number may be there only because of messages of a user id; then it has no moment of its own.
    const lastInbound = row['own'] === null ? NEVER : instant(row['own'])
    marks.set(`${row['workspace_id']} ${row['customer']}`, { lastInbound, statedAt: instantOrNone(row['stated_at']) })
  }
  return marks
}

/** The events of messages, as if they had been recorded one after the other. */
export const inboundEvents = (messages: ReadonlyArray<InboundMessage>, before: CountedWindows): ReadonlyArray<AlongEntry> => {
  const marks = new Map(before)
  return messages.flatMap((message) => {
    const key = countedKey(message)
    if (!marks.has(key)) return []
    const mark = marks.get(key)
    const after = markInbound(mark, message.at, message.statedAt)
    marks.set(key, after)
    return message.along?.({ before: momentIn(mark), lastInbound: momentIn(after) ?? message.at }) ?? []
  })
}

const NEVER = -Infinity

const momentIn = (mark: InboundMark | undefined): Instant | undefined => (mark === undefined || mark.lastInbound === NEVER ? undefined : mark.lastInbound)

const countedKey = (message: InboundMessage): string => `${message.workspace} ${countedIdOf(message.ids)}`
