import { exactText, type Table } from './schema-changes.js'

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
