import type { Knex } from 'knex'

/** Adds the columns and keys of a table. */
export type Table = (table: Knex.CreateTableBuilder, db: Knex) => void

/** Creates the tables that are missing. */
export const createAll = async (db: Knex, tables: Readonly<Record<string, Table>>): Promise<void> => {
  for (const [name, columns] of Object.entries(tables)) {
    if (await db.schema.hasTable(name)) continue
    await db.schema.createTable(name, (table) => {
      if (isMySql(db)) {
        // This collation compares bytes, as the other databases do: keys that differ in letter case are different keys.
        table.charset('utf8mb4')
        table.collate('utf8mb4_bin')
      }
      columns(table, db)
    })
  }
}

/** Adds a column if it is missing. */
export const addColumn = async (db: Knex, table: string, column: string, add: (table: Knex.AlterTableBuilder) => unknown): Promise<void> => {
  if (!(await db.schema.hasColumn(table, column))) await db.schema.alterTable(table, (altered) => { add(altered) })
}

/** Makes a column of texts that are not null longer; again, it changes nothing. SQLite ignores lengths. */
export const widen = async (db: Knex, table: string, column: string, length: number): Promise<void> => {
  const { driverName } = db.client as { readonly driverName?: string }
  if (driverName === 'mysql2') await db.raw(`ALTER TABLE ${table} MODIFY ${column} varchar(${length}) NOT NULL`)
  if (driverName === 'pg') await db.raw(`ALTER TABLE ${table} ALTER COLUMN ${column} TYPE varchar(${length})`)
}

/**
 * Adds an index if it is missing, of the rows that meet a condition; of all rows on MySQL, which has no partial indexes.
 *
 * PostgreSQL and SQLite skip an index that exists. MySQL has no IF NOT EXISTS for indexes and reports an error.
 */
export const addIndex = async (db: Knex, table: string, column: string, name: string, condition?: string): Promise<void> => {
  const ifMissing = isMySql(db) ? '' : 'IF NOT EXISTS '
  const partial = condition === undefined || isMySql(db) ? '' : ` WHERE ${condition}`
  try {
    await db.raw(`CREATE INDEX ${ifMissing}${name} ON ${table} (${column})${partial}`)
  } catch (error) {
    if (!(error instanceof Error && 'code' in error && error.code === 'ER_DUP_KEYNAME')) throw error
  }
}

/** Whether the database is MySQL or MariaDB. */
export const isMySql = (db: Knex): boolean => (db.client as { readonly driverName?: string }).driverName === 'mysql2'

/** A partial index of the rows whose last indexed column is not null. MySQL has no partial indexes. */
const indexWhereSet = (db: Knex, table: Knex.CreateTableBuilder, columns: readonly [...string[], string], name: string): void => {
  table.index([...columns], name, { predicate: db.whereNotNull(columns.at(-1) ?? '') })
}

/**
 * The primary key of rows with a workspace and an id. MySQL stores rows in the order of their primary key. Ids grow with time, so with the id
 * as primary key all new rows are on the same pages. With the workspace first, each new row would be on another page.
 */
export const primaryKey = (db: Knex, table: Knex.CreateTableBuilder, id: string, index: string): void => {
  if (isMySql(db)) {
    table.primary([id])
    table.index(['workspace_id', id], index)
  } else table.primary(['workspace_id', id])
}

/** An index of the platform's ids. On MySQL the id comes first, so that messages without one are next to each other in the index. */
export const indexPlatformIds = (db: Knex, table: Knex.CreateTableBuilder, name: string): void => {
  if (isMySql(db)) table.index(['platform_id', 'workspace_id'], name)
  else indexWhereSet(db, table, ['workspace_id', 'platform_id'], name)
}

/** An index of the few open rows. On MySQL it also has all others, by their moments, so that a new entry is next to the previous one. */
export const indexOpen = (db: Knex, table: Knex.CreateTableBuilder, name: string): void => {
  if (isMySql(db)) table.index(['open_since', 'created_at'], name)
  else indexWhereSet(db, table, ['open_since'], name)
}

/**
 * A column of texts that compare and sort by their bytes on every database, not null. Without it MySQL takes texts for equal that differ only in spaces at
 * the end, and PostgreSQL sorts by the rules of the database's language. A character may have four bytes.
 */
export const exactText = (db: Knex, table: Knex.CreateTableBuilder, column: string, length: number): void => {
  const { driverName } = db.client as { readonly driverName?: string }
  const type = driverName === 'mysql2' ? `varbinary(${4 * length})` : `varchar(${length})${driverName === 'pg' ? ' COLLATE "C"' : ''}`
  table.specificType(column, type).notNullable()
}

const WORKSPACE_ID = 35
const ENDPOINT_ID = 35
const EVENT_ID = 36
const ATTEMPT_ID = 32

/** The tables of events, of the endpoints that they are delivered to, and of their deliveries. */
export const EVENTS: Readonly<Record<string, Table>> = {
  // A row for each workspace that has had an event or asked for one. A transaction that writes events locks it until its commit, so positions are in the
  // order of the commits.
  event_streams: (table) => {
    table.string('workspace_id', WORKSPACE_ID).primary()
    table.bigInteger('last_position').notNullable()
    table.bigInteger('pulled_at')
  },
  events: (table, db) => {
    table.string('workspace_id', WORKSPACE_ID).notNullable()
    table.bigInteger('position').notNullable()
    table.string('id', EVENT_ID).notNullable()
    table.string('type', 32).notNullable()
    // A message's id, a customer's id (135 characters) or another short text.
    exactText(db, table, 'subject', 160)
    table.bigInteger('created_at').notNullable()
    // JSON, without what a customer wrote.
    table.text('data', 'mediumtext').notNullable()
    // The SHA-256 digest of the event's key, in hexadecimal digits.
    table.string('event_key', 64)
    table.primary(['workspace_id', 'position'])
    table.unique(['id'], { indexName: 'events_id' })
    table.unique(['workspace_id', 'event_key'], { indexName: 'events_key' })
    table.index(['created_at'], 'events_age')
  },
  // What customers wrote. A row is deleted once its event is delivered everywhere.
  event_contents: (table) => {
    table.string('workspace_id', WORKSPACE_ID).notNullable()
    table.bigInteger('position').notNullable()
    table.text('content', 'mediumtext').notNullable()
    table.primary(['workspace_id', 'position'])
  },
  event_endpoints: (table) => {
    table.string('id', ENDPOINT_ID).primary()
    table.string('workspace_id', WORKSPACE_ID).notNullable()
    table.integer('shard').notNullable()
    table.text('url').notNullable()
    // A JSON array of texts.
    table.text('types').notNullable()
    table.string('description', 255).notNullable()
    table.string('status', 16).notNullable()
    table.bigInteger('created_at').notNullable()
    // Both secrets are encrypted, as access tokens are.
    table.text('secret').notNullable()
    table.text('previous_secret')
    table.bigInteger('previous_until')
    table.bigInteger('position').notNullable()
    table.integer('failures').notNullable()
    table.bigInteger('failing_since')
    table.bigInteger('paused_until')
    table.bigInteger('last_at')
    // 1 where the latest attempt delivered its event.
    table.integer('last_delivered')
    table.integer('last_http_status')
    table.index(['workspace_id'], 'event_endpoints_workspace')
    table.index(['status', 'shard'], 'event_endpoints_shard')
  },
  event_retries: (table) => {
    table.string('endpoint_id', ENDPOINT_ID).notNullable()
    table.string('event_id', EVENT_ID).notNullable()
    table.integer('attempts').notNullable()
    table.bigInteger('first_attempt_at').notNullable()
    // When the latest attempt failed, or the event was asked for again.
    table.bigInteger('noted_at').notNullable()
    table.bigInteger('next_at').notNullable()
    table.primary(['endpoint_id', 'event_id'])
    table.index(['endpoint_id', 'next_at', 'event_id'], 'event_retries_due')
  },
  event_attempts: (table) => {
    table.string('endpoint_id', ENDPOINT_ID).notNullable()
    table.string('id', ATTEMPT_ID).notNullable()
    table.string('event_id', EVENT_ID).notNullable()
    table.string('type', 32).notNullable()
    table.bigInteger('attempted_at').notNullable()
    table.integer('delivered').notNullable()
    table.integer('http_status')
    table.text('error')
    table.text('answer')
    table.integer('duration_ms').notNullable()
    table.bigInteger('next_at')
    table.primary(['endpoint_id', 'id'])
    table.index(['attempted_at'], 'event_attempts_age')
  },
  // How far a receiver that gets the events of every workspace has come in each, such as the broker.
  event_cursors: (table) => {
    table.string('consumer', 64).notNullable()
    table.string('workspace_id', WORKSPACE_ID).notNullable()
    table.bigInteger('position').notNullable()
    table.primary(['consumer', 'workspace_id'])
  },
}

const MEMBER_ID = 36
/** A SHA-256 digest in hexadecimal digits. */
const DIGEST = 64

/** The tables of people who sign in. Tokens, passwords and the names of attempts are there as digests only. */
const ACCESS: Readonly<Record<string, Table>> = {
  members: (table) => {
    table.string('id', MEMBER_ID).primary()
    table.string('email', 254).notNullable().unique({ indexName: 'members_email' })
    table.integer('is_operator').notNullable()
    table.bigInteger('created_at').notNullable()
    table.bigInteger('last_sign_in_at')
    table.string('password_digest', 255)
  },
  member_roles: (table) => {
    table.string('member_id', MEMBER_ID).notNullable()
    table.string('workspace_id', 35).notNullable()
    table.string('role', 16).notNullable()
    table.primary(['member_id', 'workspace_id'])
    table.index(['workspace_id'], 'member_roles_workspace')
  },
  member_links: (table) => {
    table.string('digest', DIGEST).primary()
    // Null for a link that makes the first operator.
    table.string('member_id', MEMBER_ID)
    table.bigInteger('expires_at').notNullable()
    table.index(['member_id'], 'member_links_member')
    table.index(['expires_at'], 'member_links_expires')
  },
  member_identities: (table) => {
    // Of the issuer and the subject, which may be longer than an index takes.
    table.string('digest', DIGEST).primary()
    table.string('issuer_digest', DIGEST).notNullable()
    table.string('member_id', MEMBER_ID).notNullable()
    table.unique(['member_id', 'issuer_digest'], { indexName: 'member_identities_member' })
  },
  sessions: (table) => {
    table.string('id', 36).primary()
    table.string('digest', DIGEST).notNullable().unique({ indexName: 'sessions_digest' })
    table.string('member_id', MEMBER_ID).notNullable()
    table.string('opened_by', 16).notNullable()
    table.bigInteger('created_at').notNullable()
    table.bigInteger('last_seen_at').notNullable()
    table.bigInteger('expires_at').notNullable()
    table.string('address', 64)
    table.string('user_agent', 255)
    table.index(['member_id'], 'sessions_member')
    table.index(['expires_at'], 'sessions_expires')
    table.index(['last_seen_at'], 'sessions_seen')
  },
  sign_in_attempts: (table) => {
    table.string('digest', DIGEST).primary()
    table.integer('attempts').notNullable()
    table.bigInteger('ends_at').notNullable()
    table.index(['ends_at'], 'sign_in_attempts_ends')
  },
  // One row, which every change of members locks.
  member_guard: (table) => {
    table.integer('id').primary()
  },
}

/** Creates the tables, and the row that changes lock. */
export const createAccess = async (db: Knex): Promise<void> => {
  await createAll(db, ACCESS)
  const guards: ReadonlyArray<unknown> = await db('member_guard').select('id')
  if (guards.length === 0) await db('member_guard').insert({ id: 1 })
}

/**
 * Adds what an invitation gives, who made it and for whom its link works. The release before knows none of these: its links have no access of their own, and it
 * gives nothing to a person who comes by a link of this one.
 */
export const addInvitations = async (db: Knex): Promise<void> => {
  await addColumn(db, 'member_links', 'access', (table) => table.string('access', 16))
  await addColumn(db, 'member_links', 'workspace_id', (table) => table.string('workspace_id', 35))
  await addColumn(db, 'member_links', 'only_here', (table) => table.integer('only_here'))
  await addColumn(db, 'member_links', 'invited_by', (table) => table.string('invited_by', 254))
  await addColumn(db, 'members', 'invited_by', (table) => table.string('invited_by', 254))
  await addColumn(db, 'members', 'credentials_version', (table) => table.integer('credentials_version'))
  await addIndex(db, 'member_links', 'workspace_id', 'member_links_workspace')
}

/** Adds when the next attempt to sign in may be made. The release before does not know it, and counts under other names. */
export const addDelays = (db: Knex): Promise<void> => addColumn(db, 'sign_in_attempts', 'retry_at', (table) => table.bigInteger('retry_at'))

/** The table of the audit log; rows are only ever added. */
export const AUDIT: Readonly<Record<string, Table>> = {
  audit_entries: (table) => {
    // Ids are in the order of time, and so are the entries.
    table.string('id', 36).primary()
    table.string('workspace_id', 35)
    table.bigInteger('created_at').notNullable()
    table.string('act', 64).notNullable()
    table.string('outcome', 16).notNullable()
    table.string('actor_type', 16).notNullable()
    // A member's id or a key's id.
    table.string('actor_id', 64)
    // A member's email, or the account of the operating system.
    table.string('actor_name', 255)
    table.string('address', 64)
    table.string('subject', 255)
    // JSON.
    table.text('details')
    table.index(['workspace_id', 'id'], 'audit_entries_workspace')
  },
}

/** Adds what limits a key: its scopes, its end and its spending limit, and the key that replaced it. */
export const limitKeys = async (db: Knex): Promise<void> => {
  // Names with spaces between them; null for all, which the release before stores.
  await addColumn(db, 'api_keys', 'scopes', (table) => table.string('scopes', 255))
  await addColumn(db, 'api_keys', 'expires_at', (table) => table.bigInteger('expires_at'))
  await addColumn(db, 'api_keys', 'spending_limit', (table) => table.bigInteger('spending_limit'))
  await addColumn(db, 'api_keys', 'replaced_by', (table) => table.string('replaced_by', 32))
}

/** Adds the id for which the spending of a successor counts; null for a key that succeeds none, which counts for itself. */
export const shareLimits = (db: Knex): Promise<void> => addColumn(db, 'api_keys', 'spending_id', (table) => table.string('spending_id', 32))

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
