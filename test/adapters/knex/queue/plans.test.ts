import { assert } from 'chai'
import { openDatabase } from '../../../../adapters/knex/engine/database.js'
import type { Binding, Queryable } from '../../../../adapters/knex/engine/sql.js'
import { storageOver } from '../../../../adapters/knex/storage.js'
import { newSqliteFile, migratedSqliteFile } from '../../../support/databases.js'
import { rightOf } from '../../../support/right-of.js'

const SECRET = 'a secret of at least thirty-two characters'

/** The steps of SQLite's plan of each statement that reads the queue, as the storage runs it. */
const plansOf = async (): Promise<ReadonlyArray<string>> => {
  const file = await newSqliteFile()
  await using _ = file
  await migratedSqliteFile(file.url.slice('sqlite:'.length))
  const database = openDatabase(file.url)
  const { db } = database
  const statements: Array<{ readonly sql: string; readonly values: ReadonlyArray<Binding> }> = []
  const recorded = new Proxy(db, {
    get: (target, name) => {
      const value: unknown = Reflect.get(target, name, target)
      if (typeof value !== 'function') return value
      return (...args: Parameters<Queryable['select']>): unknown => {
        if (name === 'select') statements.push({ sql: args[0], values: args[1] })
        return Reflect.apply(value, target, args)
      }
    },
  })
  const storage = storageOver({ ...database, db: recorded }, { url: file.url, secret: SECRET })
  try {
    const at = Date.now()
    // It shows the sender of a message only if there is one.
    await db.execute(
      'INSERT INTO queued_messages (workspace_id, message_id, sender, due_at, ends_at, priority) VALUES (?, ?, ?, 1, 2, 0)',
      ['ws_1', 'msg_1', '1'],
    )
    rightOf(await storage.messageQueue.backlog({ at, senders: 2, mostOfSender: 5, mostOfAll: 5 }))
    rightOf(await storage.messageQueue.sendersDue({ at, limit: 5 }))
    const read = statements.filter(({ sql }) => sql.includes('queued_messages'))
    assert.lengthOf(read, 3)
    const plans = await Promise.all(read.map(({ sql, values }) => db.select(`EXPLAIN QUERY PLAN ${sql}`, values)))
    return plans.flat().map((row) => String(row['detail'])).filter((step) => / queued_messages| q( |$)/.test(step))
  } finally {
    await storage.close()
  }
}

describe('The searches of the queue on SQLite', () => {
  it('read the index alone, and only from where they continue', async () => {
    const steps = await plansOf()
    assert.isAbove(steps.length, 10)
    const isQuick = (step: string): boolean =>
      /^SEARCH queued_messages USING COVERING INDEX/.test(step) || /USING INTEGER PRIMARY KEY/.test(step)
        || step === 'SCAN queued_messages USING COVERING INDEX queued_messages_sender' || /^(SCAN|CO-ROUTINE) q$/.test(step)
    assert.deepEqual(steps.filter((step) => !isQuick(step)), [])
    // The last column that a search compares is the one in which the next sender differs.
    assert.includeMembers(steps.map((step) => step.replace(/^.* \(/, '(')), [
      '(workspace_id=? AND sender=? AND priority>?)', '(workspace_id=? AND sender>?)', '(workspace_id>?)',
    ])
  })
})
