import { hash } from 'node:crypto'
import * as O from 'fp-ts/lib/Option.js'
import type { WorkspaceId } from '../../core/kernel/ids.js'
import type { Category, Currency } from '../../core/kernel/money.js'
import type { Billed, Claim, MessageLog, MessageRef, Recategorised } from '../../core/messages/message-log.js'
import { type MessageId, type MessageRecord, openRecord } from '../../core/messages/message.js'
import { applyChanges } from './apply-changes.js'
import type { Database } from './database.js'
import type { GroupCommit } from './group-commit.js'
import { CHARGED, listMessages } from './list-messages.js'
import { recordOf } from './message-rows.js'
import { findClaimed, openMessages } from './open-messages.js'
import { portTasks } from './port-tasks.js'
import { micros, type Row, select, textOrNone } from './sql.js'

/** The message log over SQL. */
export const makeMessageLog = ({ db, dialect }: Database, { write }: GroupCommit): MessageLog => {
  const opening = openMessages(dialect)
  const applying = applyChanges(dialect)
  /** The messages that this process opened and has not changed. What their records say at their opening never changes, so their first event needs no read. */
  const opened = new Map<string, MessageRecord>()
  return {
    open: (draft) =>
      tasks.value(async () => {
        const answer = await write(opening, { draft, digest: draft.claim && digestOf(draft.claim) })
        if (answer._tag === 'Opened') remember(openRecord(draft))
        return answer
      }),
    claimed: (workspace, claim, at) => tasks.value(async () => O.fromNullable(await findClaimed(dialect, db, workspace, claim, digestOf(claim), at))),
    apply: (workspace, id, change, along) =>
      tasks.value(() => write(applying, { workspace, id, change, along, opened: takeOpened(workspace, id) })),
    find: (workspace, by) => tasks.value(() => find(workspace, by)),
    list: (workspace, query) => tasks.value(() => listMessages(db, dialect, workspace, query)),
    stale: ({ state, before, limit }) =>
      tasks.value(async () => {
        const rows = await select(
          db,
          'SELECT workspace_id, id FROM messages WHERE open_since < ? AND state = ? ORDER BY open_since, id LIMIT ?',
          [before, state, limit],
        )
        return rows.map((row) => ({ workspace: row['workspace_id'] as WorkspaceId, id: row['id'] as MessageId }))
      }),
    recategorised: () =>
      tasks.value(async () => {
        const rows = await select(
          db,
          `SELECT workspace_id, category, reported_category, COUNT(*) AS messages FROM messages
           WHERE reported_category <> category GROUP BY workspace_id, category, reported_category`,
        )
        return rows.map(recategorisedIn)
      }),
    billed: () =>
      tasks.value(async () => {
        const rows = await select(
          db,
          `SELECT workspace_id, currency, category, reported_category, reported_type,
             COUNT(*) AS messages, SUM(CASE WHEN price = 0 THEN 1 ELSE 0 END) AS free, SUM(price) AS amount
           FROM messages WHERE ${CHARGED} GROUP BY workspace_id, currency, category, reported_category, reported_type`,
        )
        return rows.map(billedIn)
      }),
  }

  function remember(record: MessageRecord): void {
    if (opened.size >= MAX_REMEMBERED) opened.clear()
    opened.set(`${record.workspace} ${record.id}`, record)
  }

  function takeOpened(workspace: WorkspaceId, id: MessageId): MessageRecord | undefined {
    const key = `${workspace} ${id}`
    const record = opened.get(key)
    opened.delete(key)
    return record
  }

  async function find(workspace: WorkspaceId, by: MessageRef): Promise<O.Option<MessageRecord>> {
    const [column, value] = 'id' in by ? ['id', by.id] : ['platform_id', by.platformId]
    const [row] = await select(db, `SELECT * FROM messages WHERE workspace_id = ? AND ${column} = ?`, [workspace, value])
    return row === undefined ? O.none : O.some(recordOf(row))
  }
}

/** The most messages that are remembered. Any other is read from the database. */
const MAX_REMEMBERED = 10_000

/** Only a digest of the request is stored, because the request contains the message's text. */
const digestOf = ({ request }: Claim): string => hash('sha256', request, 'hex')

const recategorisedIn = (row: Row): Recategorised => ({
  workspace: row['workspace_id'] as WorkspaceId,
  charged: row['category'] as Category,
  reported: String(row['reported_category']),
  messages: Number(row['messages']),
})

const billedIn = (row: Row): Billed => ({
  workspace: row['workspace_id'] as WorkspaceId,
  currency: row['currency'] as Currency,
  charged: row['category'] as Category,
  reported: textOrNone(row['reported_category']),
  type: textOrNone(row['reported_type']),
  messages: Number(row['messages']),
  free: Number(row['free']),
  micros: micros(row['amount']),
})

const tasks = portTasks('MessageLog')
