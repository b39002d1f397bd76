import { CATEGORY, CUSTOMER_ID, isMySql, type Table } from './tables.js'

/** The batches, their lines and the encrypted contents of lines. Lines are updated while they are sent, and their contents never, so the contents are apart. */
export const BATCHES: Readonly<Record<string, Table>> = {
  batches: (table) => {
    table.string('workspace_id', 35).notNullable()
    table.string('id', 36).notNullable()
    table.string('state', 12).notNullable()
    table.bigInteger('upload').notNullable()
    table.integer('is_open').notNullable()
    table.bigInteger('created_at').notNullable()
    table.bigInteger('ended_at')
    table.integer('has_contents').notNullable()
    table.integer('has_names').notNullable()
    table.bigInteger('writes').notNullable()
    table.text('data', 'mediumtext').notNullable()
    table.primary(['workspace_id', 'id'])
    table.index(['is_open', 'id'], 'batches_open')
    table.index(['has_contents', 'ended_at'], 'batches_contents')
  },
  batch_lines: (table, db) => {
    lineKey(table)
    table.string('recipient', 255).notNullable()
    table.string('customer_key', CUSTOMER_ID)
    table.string('problem', 64)
    table.bigInteger('price')
    table.bigInteger('cost')
    table.string('category', CATEGORY)
    table.string('market', 15)
    table.string('message_id', 36)
    table.integer('stage')
    table.index(['batch_id', 'upload', 'stage', 'line'], 'batch_lines_stage', isMySql(db) ? {} : { predicate: db.whereNotNull('stage') })
    table.index(['workspace_id', 'customer_key'], 'batch_lines_customer')
  },
  batch_contents: (table) => {
    lineKey(table)
    table.text('content', 'mediumtext').notNullable()
  },
}

const lineKey = (table: Parameters<Table>[0]): void => {
  table.string('workspace_id', 35).notNullable()
  table.string('batch_id', 36).notNullable()
  table.bigInteger('upload').notNullable()
  table.integer('line').notNullable()
  table.primary(['workspace_id', 'batch_id', 'upload', 'line'])
}
