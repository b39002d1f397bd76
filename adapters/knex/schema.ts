import type { Knex } from 'knex'

/** One step of the database's schema, forward only. Steps are numbered by their place and never changed once released. */
export type Step = { readonly name: string; readonly up: (db: Knex) => Promise<void> }

/** Every step, oldest first. Where a schema change cannot be rolled back, a step that was broken off is run again. */
export const STEPS: ReadonlyArray<Step> = [{ name: '0001-first', up: (db) => createAll(db, FIRST) }]

type Table = (table: Knex.CreateTableBuilder, db: Knex) => void

const createAll = async (db: Knex, tables: Readonly<Record<string, Table>>): Promise<void> => {
  for (const [name, columns] of Object.entries(tables)) {
    if (await db.schema.hasTable(name)) continue
    await db.schema.createTable(name, (table) => {
      if (isMySql(db)) {
        // Compares bytes, as other databases do: keys that differ in letter case are different keys.
        table.charset('utf8mb4')
        table.collate('utf8mb4_bin')
      }
      columns(table, db)
    })
  }
}

const isMySql = (db: Knex): boolean => (db.client as { readonly driverName?: string }).driverName === 'mysql2'

/** An index of the rows whose last indexed column is set; MySQL knows no such index. */
const indexWhereSet = (db: Knex, table: Knex.CreateTableBuilder, columns: readonly [...string[], string], name: string): void => {
  table.index([...columns], name, { predicate: db.whereNotNull(columns.at(-1) ?? '') })
}

/**
 * Names rows by their workspace and an id. MySQL keeps them in the order of their primary key: in that of their ids, which grow with
 * time, new rows lie side by side whichever workspace they are of, and in that of workspaces each is written to a page of its own.
 */
const nameRows = (db: Knex, table: Knex.CreateTableBuilder, id: string, index: string): void => {
  if (isMySql(db)) {
    table.primary([id])
    table.index(['workspace_id', id], index)
  } else table.primary(['workspace_id', id])
}

/** An index of the platform's ids. In MySQL's, messages that have none yet are side by side. */
const indexPlatformIds = (db: Knex, table: Knex.CreateTableBuilder, name: string): void => {
  if (isMySql(db)) table.index(['platform_id', 'workspace_id'], name)
  else indexWhereSet(db, table, ['workspace_id', 'platform_id'], name)
}

/** An index of the few rows that are open. MySQL's has all others too: by their moments, a new one is next to the last. */
const indexOpen = (db: Knex, table: Knex.CreateTableBuilder, name: string): void => {
  if (isMySql(db)) table.index(['open_since', 'created_at'], name)
  else indexWhereSet(db, table, ['open_since'], name)
}

const WORKSPACE_ID = 35
const MESSAGE_ID = 36

/** Moments are milliseconds since the epoch and amounts are micros, both 64-bit integers, the same on every database. */
const FIRST: Readonly<Record<string, Table>> = {
  workspaces: (table) => {
    table.string('id', WORKSPACE_ID).primary()
    table.text('name').notNullable()
    table.string('currency', 3).notNullable()
    table.bigInteger('created_at').notNullable()
  },
  wallets: (table) => {
    table.string('workspace_id', WORKSPACE_ID).primary()
    table.string('currency', 3).notNullable()
    table.bigInteger('available').notNullable()
    table.bigInteger('held').notNullable()
  },
  holds: (table, db) => {
    table.string('workspace_id', WORKSPACE_ID).notNullable()
    table.string('message_id', MESSAGE_ID).notNullable()
    table.bigInteger('amount').notNullable()
    table.string('state', 12).notNullable()
    table.bigInteger('created_at').notNullable()
    // Set while the money is held: what is stale is found without a look at what is settled.
    table.bigInteger('open_since')
    nameRows(db, table, 'message_id', 'holds_workspace')
    indexOpen(db, table, 'holds_open')
  },
  wallet_entries: (table, db) => {
    table.string('workspace_id', WORKSPACE_ID).notNullable()
    table.string('id', 32).notNullable()
    table.string('kind', 12).notNullable()
    table.bigInteger('amount').notNullable()
    table.string('message_id', MESSAGE_ID)
    table.string('reference', 255)
    table.bigInteger('created_at').notNullable()
    nameRows(db, table, 'id', 'wallet_entries_workspace')
  },
  top_ups: (table, db) => {
    table.string('workspace_id', WORKSPACE_ID).notNullable()
    // MySQL's texts are equal where they differ only in spaces at the end; its bytes are not.
    table.specificType('reference', isMySql(db) ? 'varbinary(1020)' : 'varchar(255)').notNullable()
    table.primary(['workspace_id', 'reference'])
  },
  messages: (table, db) => {
    table.string('workspace_id', WORKSPACE_ID).notNullable()
    table.string('id', MESSAGE_ID).notNullable()
    table.string('kind', 8).notNullable()
    table.string('customer', 15).notNullable()
    table.string('state', 12).notNullable()
    table.bigInteger('price').notNullable()
    table.string('currency', 3).notNullable()
    table.string('category', 16).notNullable()
    table.string('template_name', 512)
    table.string('language', 64)
    table.string('platform_id', 255)
    table.text('error')
    table.text('pricing')
    table.string('reported_category', 64)
    table.bigInteger('created_at').notNullable()
    // Set while the outcome is not known.
    table.bigInteger('open_since')
    for (const state of ['accepted', 'sent', 'delivered', 'read', 'failed', 'refused', 'unconfirmed', 'released']) {
      table.bigInteger(`${state}_at`)
    }
    nameRows(db, table, 'id', 'messages_workspace')
    table.index(['workspace_id', 'customer', 'id'], 'messages_customer')
    indexPlatformIds(db, table, 'messages_platform')
    indexOpen(db, table, 'messages_open')
  },
  idempotency_keys: (table) => {
    table.string('workspace_id', WORKSPACE_ID).notNullable()
    table.string('idempotency_key', 255).notNullable()
    table.string('message_id', MESSAGE_ID).notNullable()
    table.string('request_digest', 64).notNullable()
    table.bigInteger('claimed_at').notNullable()
    table.primary(['workspace_id', 'idempotency_key'])
    table.index(['workspace_id', 'message_id'], 'idempotency_keys_message')
  },
  windows: (table) => {
    table.string('workspace_id', WORKSPACE_ID).notNullable()
    table.string('customer', 15).notNullable()
    table.bigInteger('last_inbound').notNullable()
    table.primary(['workspace_id', 'customer'])
  },
  api_keys: (table) => {
    table.string('id', 32).primary()
    table.string('workspace_id', WORKSPACE_ID).notNullable()
    table.text('name').notNullable()
    table.string('digest', 64).notNullable()
    table.bigInteger('created_at').notNullable()
    table.bigInteger('last_used_at')
    table.bigInteger('revoked_at')
    table.index(['workspace_id'], 'api_keys_workspace')
  },
  senders: (table) => {
    table.string('workspace_id', WORKSPACE_ID).primary()
    table.string('phone_number_id', 64).notNullable().unique({ indexName: 'senders_phone_number' })
    table.string('business_account_id', 64)
    table.text('access_token').notNullable()
  },
  leases: (table) => {
    table.string('name', 64).primary()
    table.string('holder', 64).notNullable()
    table.bigInteger('until').notNullable()
  },
}
