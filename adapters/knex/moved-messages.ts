import type { Along, AlongEntry } from '../../core/kernel/outbox.js'
import type { MovedMessage } from '../../core/messages/message-log.js'
import { applyChange, type MessageProgress, type MessageRecord, openProgress, type StateChange } from '../../core/messages/message.js'
import { inList } from './bulk-sql.js'
import type { Dialect } from './dialect.js'
import { recordOf } from './message-rows.js'
import { type Queryable, select } from './sql.js'

/** A change that moved the state of its message. */
export type MovedItem = {
  readonly workspace: string
  readonly id: string
  readonly change: StateChange
  readonly along: Along<MovedMessage>
  /** The record of the message at its opening, where it is known; else it is read. */
  readonly opened?: MessageRecord | undefined
  /** The message's progress before the change; `undefined` where the message had just been opened. */
  readonly before: MessageProgress | undefined
}

/**
 * The events of changes, which need the whole records. Those that are not known yet may be read before or after the changes are written: what can change of a message is
 * taken from `before` and the change, because a record that is read may have later changes of the same transaction.
 */
export const eventsOfMoved = async (dialect: Dialect, trx: Queryable, moved: ReadonlyArray<MovedItem>): Promise<ReadonlyArray<AlongEntry>> => {
  if (moved.length === 0) return []
  const records = await readRecords(dialect, trx, moved.filter(({ opened }) => opened === undefined))
  return moved.flatMap(({ workspace, id, change, along, before, opened }) => {
    const record = opened ?? records.get(`${workspace} ${id}`)
    if (record === undefined) return []
    const message = { ...record, ...before ?? openProgress(record.createdAt) }
    return along({ from: message.state, message: applyChange(message, change) })
  })
}

const readRecords = async (dialect: Dialect, trx: Queryable, items: ReadonlyArray<MovedItem>): Promise<ReadonlyMap<string, MessageRecord>> => {
  if (items.length === 0) return new Map()
  const keys = new Map(items.map(({ workspace, id }) => [`${workspace} ${id}`, [workspace, id]]))
  const { sql, bindings } = inList(dialect, ['workspace_id', 'id'], [...keys.values()])
  const rows = await select(trx, `SELECT * FROM ${dialect.byPrimaryKey('messages')} WHERE ${sql}`, bindings)
  return new Map(rows.map((row) => [`${row['workspace_id']} ${row['id']}`, recordOf(row)]))
}
