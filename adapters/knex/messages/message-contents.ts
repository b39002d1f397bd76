import { parseExactJson } from '../../../core/kernel/exact-json.js'
import type { WorkspaceId } from '../../../core/kernel/ids.js'
import type { JsonObject } from '../../../core/kernel/json.js'
import { keptContentOf, type MessageContents } from '../../../core/messages/kept-content.js'
import type { Draft } from '../../../core/messages/message-log.js'
import type { MessageId } from '../../../core/messages/message.js'
import { portTasks } from '../engine/batches.js'
import { type Database, transact } from '../engine/database.js'
import type { Dialect } from '../engine/dialect.js'
import { type Bound, execute, groupsOf, inList, insert, type Queryable, select } from '../engine/sql.js'
import type { SecretBox } from '../secret-box.js'

/** Stores the content of a message, if contents are kept. */
export type KeepContents = (dialect: Dialect, trx: Queryable, drafts: ReadonlyArray<Draft>) => Promise<void>

const contextOf = (workspace: string, message: string): string => `message ${workspace} ${message}`

/** Creates the function that stores the contents of opened messages, encrypted, so that a reader of the database cannot read them. */
export const keepContents = (box: SecretBox): KeepContents => (dialect, trx, drafts) =>
  insert(
    trx, dialect, 'message_contents', ['workspace_id', 'message_id', 'content', 'created_at'],
    drafts.map(({ workspace, id, message, at }): ReadonlyArray<Bound> =>
      [workspace, id, box.seal(JSON.stringify(keptContentOf(message)), contextOf(workspace, id)), at]),
  )

/** How many contents one statement removes, and how many statements one call runs. */
const BATCH = 500
const BATCHES = 20

/** The contents of messages over SQL. */
export const makeMessageContents = (database: Database, box: SecretBox): MessageContents => ({
  find: (workspace, ids) => tasks.value(() => find(database, box, workspace, ids)),
  removeOld: (before) => tasks.value(async () => {
    let removed = 0
    for (let batch = 0; batch < BATCHES; batch += 1) {
      const rows = await select(
        database.db, 'SELECT workspace_id, message_id FROM message_contents WHERE created_at < ? ORDER BY created_at LIMIT ?',
        [before, BATCH],
      )
      await transact(database, (trx) => removeContents(trx, database.dialect, groupsOf(rows, 'workspace_id', 'message_id')))
      removed += rows.length
      if (rows.length < BATCH) break
    }
    return removed
  }),
})

const find = async (
  { db, dialect }: Database, box: SecretBox, workspace: WorkspaceId, ids: ReadonlyArray<MessageId>,
): Promise<ReadonlyMap<MessageId, JsonObject>> => {
  if (ids.length === 0) return new Map()
  const { sql, bindings } = inList(dialect, ['message_id'], ids.map((id) => [id]))
  const rows = await select(
    db, `SELECT message_id, content FROM message_contents WHERE workspace_id = ? AND ${sql}`, [workspace, ...bindings],
  )
  return new Map(rows.map((row) => {
    const id = String(row['message_id'])
    return [id as MessageId, parseExactJson(box.openOnce(String(row['content']), contextOf(workspace, id))) as JsonObject]
  }))
}

/** Removes the contents of messages, by their workspaces. */
export const removeContents = async (
  trx: Queryable, dialect: Dialect, messages: ReadonlyArray<readonly [workspace: string, ids: ReadonlyArray<string>]>,
): Promise<void> => {
  for (const [workspace, ids] of messages) {
    const { sql, bindings } = inList(dialect, ['message_id'], ids.map((id) => [id]))
    await execute(trx, `DELETE FROM message_contents WHERE workspace_id = ? AND ${sql}`, [workspace, ...bindings])
  }
}

const tasks = portTasks('MessageContents')
