import type { Knex } from 'knex'
import { createAll, type Table } from './schema-changes.js'

const WORKSPACE_ID = 35

const MESSAGE_COUNTS: Readonly<Record<string, Table>> = {
  // Derived from `messages`; all of it can be made again.
  message_counts: (table) => {
    table.string('workspace_id', WORKSPACE_ID).notNullable()
    table.string('width', 2).notNullable()
    table.bigInteger('bucket_start').notNullable()
    table.string('state', 12).notNullable()
    table.string('category', 32).notNullable()
    table.bigInteger('messages').notNullable()
    table.bigInteger('charged').notNullable()
    table.primary(['workspace_id', 'width', 'bucket_start', 'state', 'category'])
    // Old buckets are found by it, whatever their workspaces.
    table.index(['width', 'bucket_start'], 'message_counts_start')
  },
  message_count_progress: (table) => {
    table.string('name', 32).primary()
    table.bigInteger('counted_until').notNullable()
  },
}

/** Adds the counts of messages. The release before writes and reads none of them. */
export const addMessageCounts = (db: Knex): Promise<void> => createAll(db, MESSAGE_COUNTS)
