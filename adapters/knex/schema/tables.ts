// The tables as created by the steps that added them, in the order of the steps. `current.ts` has their form after later steps.

import type { Knex } from 'knex'

/** Adds the columns and keys of a table. */
export type Table = (table: Knex.CreateTableBuilder, db: Knex) => void

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
const indexPlatformIds = (db: Knex, table: Knex.CreateTableBuilder, name: string): void => {
  if (isMySql(db)) table.index(['platform_id', 'workspace_id'], name)
  else indexWhereSet(db, table, ['workspace_id', 'platform_id'], name)
}

/** An index of the few open rows. On MySQL it also contains all other rows, by their times, so that a new entry is next to the previous one. */
const indexOpen = (db: Knex, table: Knex.CreateTableBuilder, name: string): void => {
  if (isMySql(db)) table.index(['open_since', 'created_at'], name)
  else indexWhereSet(db, table, ['open_since'], name)
}

/**
 * A column of texts that compare and sort by their bytes on every database, not null. Otherwise MySQL treats texts as equal that differ only in spaces at the end, and
 * PostgreSQL sorts by the rules of the database's language. A character may have four bytes.
 */
export const exactText = (db: Knex, table: Knex.CreateTableBuilder, column: string, length: number): void => {
  const { driverName } = db.client as { readonly driverName?: string }
  const type = driverName === 'mysql2' ? `varbinary(${4 * length})` : `varchar(${length})${driverName === 'pg' ? ' COLLATE "C"' : ''}`
  table.specificType(column, type).notNullable()
}

const WORKSPACE_ID = 35
const MESSAGE_ID = 36
/** A user id: a country, a dot, `ENT.`, and 128 letters and digits. */
export const CUSTOMER_ID = 135
/** The longest category has 28 letters. MySQL lengthens a column in place up to 255 bytes, so 63 characters. */
export const CATEGORY = 32
const ENDPOINT_ID = 35
const EVENT_ID = 36
const ATTEMPT_ID = 32

/** The primary key of rows with a workspace and a reference that an operator chose. */
const referenceKey: Table = (table, db) => {
  table.string('workspace_id', WORKSPACE_ID).notNullable()
  // MySQL treats texts as equal if they differ only in spaces at the end; bytes are different.
  table.specificType('reference', isMySql(db) ? 'varbinary(1020)' : 'varchar(255)').notNullable()
  table.primary(['workspace_id', 'reference'])
}

/** On every database times (milliseconds since the epoch) and amounts (micros) are 64-bit integers. */
export const FIRST: Readonly<Record<string, Table>> = {
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
    // Not null while the money is held, so that stale holds are found without reading settled ones.
    table.bigInteger('open_since')
    primaryKey(db, table, 'message_id', 'holds_workspace')
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
    primaryKey(db, table, 'id', 'wallet_entries_workspace')
  },
  top_ups: referenceKey,
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
    // Not null while the outcome is unknown.
    table.bigInteger('open_since')
    for (const state of ['accepted', 'sent', 'delivered', 'read', 'failed', 'refused', 'unconfirmed', 'released']) {
      table.bigInteger(`${state}_at`)
    }
    primaryKey(db, table, 'id', 'messages_workspace')
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

export const ADJUSTMENTS: Readonly<Record<string, Table>> = {
  adjustments: (table, db) => {
    referenceKey(table, db)
    table.bigInteger('amount').notNullable()
  },
}

export const CUSTOMERS: Readonly<Record<string, Table>> = {
  customers: (table) => {
    table.string('workspace_id', WORKSPACE_ID).notNullable()
    table.string('customer_id', CUSTOMER_ID).notNullable()
    table.string('other', CUSTOMER_ID)
    // The id under which the record of the other id is kept.
    table.string('other_key', CUSTOMER_ID)
    table.bigInteger('paired_at')
    table.bigInteger('confirmed_at')
    // 1 if only the customer reported the other id.
    table.integer('shared')
    table.bigInteger('since')
    table.text('name')
    table.text('username')
    table.bigInteger('named_at')
    table.integer('opted_out')
    table.bigInteger('opted_out_at')
    table.primary(['workspace_id', 'customer_id'])
  },
}

export const ACCOUNT_NOTICES: Readonly<Record<string, Table>> = {
  account_notices: (table) => {
    table.string('account_id', 64).notNullable()
    table.string('field', 40).notNullable()
    table.string('subject', 255).notNullable()
    table.text('notice').notNullable()
    table.bigInteger('noticed_at').notNullable()
    table.primary(['account_id', 'field', 'subject'])
    table.index(['account_id', 'noticed_at'], 'account_notices_moment')
  },
}

export const TEMPLATES: Readonly<Record<string, Table>> = {
  // A row for each business account; writes of its templates lock it first.
  template_catalogues: (table, db) => {
    exactText(db, table, 'account_id', 64)
    table.bigInteger('listed_at')
    table.text('fault')
    table.bigInteger('fault_at')
    table.primary(['account_id'])
  },
  templates: (table, db) => {
    // MySQL allows 3,072 bytes in a key; this one has at most 2,560.
    exactText(db, table, 'account_id', 64)
    exactText(db, table, 'name', 512)
    exactText(db, table, 'language', 64)
    table.string('template_id', 255).notNullable()
    table.string('category', 255).notNullable()
    table.string('status', 255).notNullable()
    table.string('quality', 255)
    table.string('parameter_format', 16)
    // JSON; null if the components could not be read.
    table.text('components', 'mediumtext')
    // No part of a template is older than the list of its account, whose row contains the time.
    table.bigInteger('listed_at').notNullable()
    table.bigInteger('status_at').notNullable()
    table.bigInteger('category_at').notNullable()
    table.bigInteger('quality_at').notNullable()
    table.primary(['account_id', 'name', 'language'])
  },
}

export const FREE_MESSAGES: Readonly<Record<string, Table>> = {
  free_messages: (table, db) => {
    table.string('workspace_id', WORKSPACE_ID).notNullable()
    table.string('message_id', MESSAGE_ID).notNullable()
    table.string('phone_number_id', 64).notNullable()
    table.string('in_month', 7).notNullable()
    primaryKey(db, table, 'message_id', 'free_messages_workspace')
  },
  free_message_counts: (table) => {
    table.string('phone_number_id', 64).notNullable()
    table.string('in_month', 7).notNullable()
    table.bigInteger('taken').notNullable()
    table.primary(['phone_number_id', 'in_month'])
  },
}

/** The tables of events, of the endpoints to which they are delivered, and of their deliveries. */
export const EVENTS: Readonly<Record<string, Table>> = {
  // A row for each workspace that has had or requested an event. A transaction that writes events locks it until its commit, so positions are in the order of the
  // commits.
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
    // JSON, without the customer's text.
    table.text('data', 'mediumtext').notNullable()
    // The SHA-256 digest of the event's key, in hexadecimal digits.
    table.string('event_key', 64)
    table.primary(['workspace_id', 'position'])
    table.unique(['id'], { indexName: 'events_id' })
    table.unique(['workspace_id', 'event_key'], { indexName: 'events_key' })
    table.index(['created_at'], 'events_age')
  },
  // The texts of customers. A row is deleted once its event is delivered everywhere.
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
    // 1 if the latest attempt delivered its event.
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
    // When the latest attempt failed, or the event was requested again.
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
  // The progress, in each workspace, of a receiver that gets the events of every workspace, such as the broker.
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

/** The tables of people who sign in. Tokens, passwords and the names of attempts are stored only as digests. */
export const ACCESS: Readonly<Record<string, Table>> = {
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
    // Null for a link that creates the first operator.
    table.string('member_id', MEMBER_ID)
    table.bigInteger('expires_at').notNullable()
    table.index(['member_id'], 'member_links_member')
    table.index(['expires_at'], 'member_links_expires')
  },
  member_identities: (table) => {
    // A digest of the issuer and the subject, which may be too long for an index.
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

/** Counts of messages. */
export const MESSAGE_COUNTS: Readonly<Record<string, Table>> = {
  // Derived from `messages`; it can be recreated completely.
  message_counts: (table) => {
    table.string('workspace_id', WORKSPACE_ID).notNullable()
    table.string('width', 2).notNullable()
    table.bigInteger('bucket_start').notNullable()
    table.string('state', 12).notNullable()
    table.string('category', 32).notNullable()
    table.bigInteger('messages').notNullable()
    table.bigInteger('charged').notNullable()
    table.primary(['workspace_id', 'width', 'bucket_start', 'state', 'category'])
    // Finds old buckets of all workspaces.
    table.index(['width', 'bucket_start'], 'message_counts_start')
  },
  message_count_progress: (table) => {
    table.string('name', 32).primary()
    table.bigInteger('counted_until').notNullable()
  },
}

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

/** The table of the daily spending of each key with a limit. */
export const KEY_SPENDING: Readonly<Record<string, Table>> = {
  key_spending: (table) => {
    table.string('workspace_id', 35).notNullable()
    table.string('key_id', 64).notNullable()
    table.string('on_day', 10).notNullable()
    table.bigInteger('spent').notNullable()
    table.primary(['workspace_id', 'key_id', 'on_day'])
  },
}

/** The table of processes that serve the gateway; it has a row for each that was alive within the last ten minutes. */
export const GATEWAYS: Readonly<Record<string, Table>> = {
  gateways: (table) => {
    table.string('id', 36).primary()
    table.string('version', 64).notNullable()
    table.string('host', 255).notNullable()
    table.integer('pid').notNullable()
    table.bigInteger('started_at').notNullable()
    table.bigInteger('seen_at').notNullable()
    table.bigInteger('reconciled_at')
  },
}

/** The table of lost messages. Our ids in it come from statuses, so two workspaces may get the same id. */
export const LOST_MESSAGES: Readonly<Record<string, Table>> = {
  lost_messages: (table) => {
    table.string('workspace_id', 35).notNullable()
    table.string('message_id', 36).notNullable()
    table.string('platform_id', 255).notNullable()
    table.string('phone_number_id', 64).notNullable()
    table.string('customer', CUSTOMER_ID)
    table.string('state', 12).notNullable()
    table.string('category', 64)
    table.integer('billable')
    table.bigInteger('first_at').notNullable()
    table.bigInteger('last_at').notNullable()
    table.bigInteger('settled_at')
    table.primary(['workspace_id', 'message_id'])
  },
}
