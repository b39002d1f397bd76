import type { Knex } from 'knex'
import { BATCHES } from './batch-tables.js'
import { addColumn, addIndex, createAll, widen } from './changes.js'
import { CONSENTS } from './consent-tables.js'
import { createCustomerNames } from './customer-name-tables.js'
import { LEDGER_SUMS } from './ledger-tables.js'
import { PORTFOLIO_DAYS, PORTFOLIO_LIMITS, SENDER_LIMITS } from './limit-tables.js'
import {
  ACCESS, ACCOUNT_NOTICES, ADJUSTMENTS, AUDIT, CATEGORY, CUSTOMER_ID, CUSTOMERS, EVENTS, FIRST, FREE_MESSAGES, GATEWAYS,
  KEY_SPENDING, LOST_MESSAGES, MESSAGE_COUNTS, primaryKey, type Table, TEMPLATES,
} from './tables.js'

/** One step of the schema's migration, forward only. A released step is never changed. */
export type Step = { readonly name: string; readonly up: (db: Knex) => Promise<void> }

/** Every step, oldest first. If a database cannot roll back a schema change, an interrupted step is run again. */
export const STEPS: ReadonlyArray<Step> = [
  { name: '0001-first', up: (db) => createAll(db, FIRST) },
  {
    name: '0002-adjustments',
    up: async (db) => {
      await createAll(db, ADJUSTMENTS)
      await addColumn(db, 'top_ups', 'amount', (table) => table.bigInteger('amount'))
      await addColumn(db, 'wallet_entries', 'note', (table) => table.text('note'))
    },
  },
  { name: '0003-archived-workspaces', up: (db) => addColumn(db, 'workspaces', 'archived_at', (table) => table.bigInteger('archived_at')) },
  { name: '0004-claims-by-age', up: (db) => addIndex(db, 'idempotency_keys', 'claimed_at', 'idempotency_keys_claimed') },
  { name: '0005-stated-moments', up: (db) => addColumn(db, 'windows', 'stated_at', (table) => table.bigInteger('stated_at')) },
  {
    name: '0006-customers',
    up: async (db) => {
      await createAll(db, CUSTOMERS)
      await addColumn(db, 'windows', 'user_inbound', (table) => table.bigInteger('user_inbound'))
      await addColumn(db, 'windows', 'number_inbound', (table) => table.bigInteger('number_inbound'))
      await widen(db, 'windows', 'customer', CUSTOMER_ID)
      await widen(db, 'messages', 'customer', CUSTOMER_ID)
    },
  },
  { name: '0007-account-notices', up: (db) => createAll(db, ACCOUNT_NOTICES) },
  { name: '0008-templates', up: (db) => createAll(db, TEMPLATES) },
  { name: '0009-reported-type', up: (db) => addColumn(db, 'messages', 'reported_type', (table) => table.string('reported_type', 64)) },
  { name: '0010-longer-categories', up: (db) => widen(db, 'messages', 'category', CATEGORY) },
  { name: '0011-free-messages', up: (db) => createAll(db, FREE_MESSAGES) },
  { name: '0012-opted-out-customers', up: (db) => addIndex(db, 'customers', 'workspace_id, opted_out', 'customers_opted_out') },
  { name: '0013-events', up: (db) => createAll(db, EVENTS) },
  { name: '0014-failing-senders', up: (db) => addColumn(db, 'senders', 'failing_since', (table) => table.bigInteger('failing_since')) },
  { name: '0015-audit-log', up: (db) => createAll(db, AUDIT) },
  // Adds what limits a key: its scopes, its end and its spending limit, and the key that replaced it.
  {
    name: '0016-limited-keys',
    up: async (db) => {
      // Names with spaces between them; null for all, which the release before stores.
      await addColumn(db, 'api_keys', 'scopes', (table) => table.string('scopes', 255))
      await addColumn(db, 'api_keys', 'expires_at', (table) => table.bigInteger('expires_at'))
      await addColumn(db, 'api_keys', 'spending_limit', (table) => table.bigInteger('spending_limit'))
      await addColumn(db, 'api_keys', 'replaced_by', (table) => table.string('replaced_by', 32))
    },
  },
  {
    name: '0017-spending-limits',
    up: async (db) => {
      await createAll(db, KEY_SPENDING)
      await addColumn(db, 'holds', 'key_id', (table) => table.string('key_id', 64))
    },
  },
  // Creates the tables, and the row that changes lock.
  {
    name: '0018-members',
    up: async (db) => {
      await createAll(db, ACCESS)
      const guards: ReadonlyArray<unknown> = await db('member_guard').select('id')
      if (guards.length === 0) await db('member_guard').insert({ id: 1 })
    },
  },
  // Adds the id for which the spending of a successor counts; null for a key that succeeds none, which counts for itself.
  { name: '0019-shared-limits', up: (db) => addColumn(db, 'api_keys', 'spending_id', (table) => table.string('spending_id', 32)) },
  // Adds what a wallet alerts of. The release before writes none of it, so its holds raise nothing and its top-ups clear nothing.
  {
    name: '0020-wallet-alerts',
    up: async (db) => {
      for (const column of ['alert_threshold', 'low_since', 'exhausted_since']) {
        await addColumn(db, 'wallets', column, (table) => table.bigInteger(column))
      }
    },
  },
  // Adds the indexes of `makeCustomerWindows`. They cost a message of a customer, and no send.
  {
    name: '0021-latest-windows',
    up: async (db) => {
      await addIndex(db, 'windows', 'workspace_id, last_inbound', 'windows_last_inbound')
      await addIndex(db, 'windows', 'workspace_id, number_inbound', 'windows_number_inbound', 'number_inbound IS NOT NULL')
    },
  },
  { name: '0022-message-counts', up: (db) => createAll(db, MESSAGE_COUNTS) },
  { name: '0023-gateways', up: (db) => createAll(db, GATEWAYS) },
  { name: '0024-lost-messages', up: (db) => createAll(db, LOST_MESSAGES) },
  // Adds what an invitation gives, who made it and for whom its link works. The release before knows none of these: its links have no access of their own, and
  // it gives nothing to a person who comes by a link of this one.
  {
    name: '0025-waiting-invitations',
    up: async (db) => {
      await addColumn(db, 'member_links', 'access', (table) => table.string('access', 16))
      await addColumn(db, 'member_links', 'workspace_id', (table) => table.string('workspace_id', 35))
      await addColumn(db, 'member_links', 'only_here', (table) => table.integer('only_here'))
      await addColumn(db, 'member_links', 'invited_by', (table) => table.string('invited_by', 254))
      await addColumn(db, 'members', 'invited_by', (table) => table.string('invited_by', 254))
      await addColumn(db, 'members', 'credentials_version', (table) => table.integer('credentials_version'))
      await addIndex(db, 'member_links', 'workspace_id', 'member_links_workspace')
    },
  },
  // Adds when the next attempt to sign in may be made. The release before does not know it, and counts under other names.
  { name: '0026-sign-in-delays', up: (db) => addColumn(db, 'sign_in_attempts', 'retry_at', (table) => table.bigInteger('retry_at')) },
  {
    name: '0027-refused-accounts',
    up: (db) => addColumn(db, 'senders', 'account_refused_since', (table) => table.bigInteger('account_refused_since')),
  },
  { name: '0028-strangers', up: (db) => addIndex(db, 'audit_entries', 'actor_type, created_at', 'audit_entries_actor') },
  // Names of types are longer than those of the first kinds.
  {
    name: '0029-types',
    up: async (db) => {
      await widen(db, 'messages', 'kind', 16)
      await addColumn(db, 'messages', 'summary', (table) => table.string('summary', 64))
      await addColumn(db, 'messages', 'metadata', (table) => table.text('metadata'))
    },
  },
  { name: '0030-uploaded-files', up: (db) => createAll(db, UPLOADED_FILES) },
  { name: '0031-message-contents', up: (db) => createAll(db, CONTENTS) },
  { name: '0032-played', up: (db) => addColumn(db, 'messages', 'played_at', (table) => table.bigInteger('played_at')) },
  { name: '0033-marketing-api', up: (db) => addColumn(db, 'senders', 'marketing_api', (table) => table.integer('marketing_api')) },
  { name: '0034-request-log', up: (db) => createAll(db, REQUEST_LOG) },
  // Adds the span in which a message was sent and an event came about. The release before writes neither, so its sends have no links.
  {
    name: '0035-traces',
    up: async (db) => {
      for (const name of ['messages', 'events']) await addColumn(db, name, 'traceparent', (table) => table.string('traceparent', 55))
    },
  },
  // Adds the API key that a message was sent with. The release before does not note it, so its sends stand as those without a key.
  { name: '0036-message-keys', up: (db) => addColumn(db, 'messages', 'key_id', (table) => table.string('key_id', 64)) },
  // Adds the number by which the platform knows who is dialled under another one. The release before neither learns it nor goes by it.
  {
    name: '0037-dialled-numbers',
    up: async (db) => {
      await addColumn(db, 'customers', 'known_as', (table) => table.string('known_as', 15))
      await addColumn(db, 'customers', 'known_as_key', (table) => table.string('known_as_key', 15))
      await addColumn(db, 'customers', 'known_as_at', (table) => table.bigInteger('known_as_at'))
      await addIndex(db, 'customers', 'workspace_id, known_as_key', 'customers_known_as')
    },
  },
  // Adds when the platform named that number again. The release before does not note it, so that a late report may end its numbers.
  {
    name: '0038-confirmed-numbers',
    up: (db) => addColumn(db, 'customers', 'known_as_confirmed_at', (table) => table.bigInteger('known_as_confirmed_at')),
  },
  // Finds the failed attempts of an endpoint, and whether an event was delivered.
  {
    name: '0039-failed-attempts',
    up: (db) => addIndex(db, 'event_attempts', 'endpoint_id, delivered, event_id', 'event_attempts_outcome'),
  },
  { name: '0040-alerts', up: (db) => createAll(db, ALERTS) },
  // Adds how workspaces are priced, and what the platform charges for a message. The release before charges every workspace the rate card's prices.
  {
    name: '0041-price-and-cost',
    up: async (db) => {
      await createAll(db, PRICING)
      await addColumn(db, 'messages', 'cost', (table) => table.bigInteger('cost'))
      await addColumn(db, 'messages', 'market', (table) => table.string('market', 15))
    },
  },
  // Lets a workspace have several senders. The release before stores one, and finds it as before; it must not set a sender of a workspace that has several.
  {
    name: '0042-several-senders',
    up: async (db) => {
      await addColumn(db, 'senders', 'is_default', (table) => table.integer('is_default'))
      await addColumn(db, 'senders', 'inbox', (table) => table.string('inbox', 35))
      await addColumn(db, 'senders', 'app_id', (table) => table.string('app_id', 64))
      await keySendersByNumber(db)
      await createAll(db, FORMER_SENDERS)
      await addColumn(db, 'messages', 'sender', (table) => table.string('sender', 64))
    },
  },
  { name: '0043-apps', up: (db) => createAll(db, APPS) },
  { name: '0044-number-health', up: (db) => createAll(db, NUMBER_HEALTH) },
  // Adds what is known of a hold whose amount became smaller, or that was taken out of the shared hold of a batch: its first amount, the batch, and when the batch
  // reserved the money. `amount` stays what a refund gives back, so the release before refunds it rightly. It neither releases nor lists the shared hold of a batch.
  {
    name: '0045-parts-of-holds',
    up: async (db) => {
      await addColumn(db, 'holds', 'reserved', (table) => table.bigInteger('reserved'))
      await addColumn(db, 'holds', 'batch_id', (table) => table.string('batch_id', 36))
      await addColumn(db, 'holds', 'reserved_at', (table) => table.bigInteger('reserved_at'))
    },
  },
  // Adds the counts of each sender. The release before does not write them, and they are counted again afterwards (`PAST` in `core/messages/statistics.ts`).
  { name: '0046-counts-of-senders', up: (db) => createAll(db, SENDER_COUNTS) },
  // Adds the language of a member. The release before writes every alert in English.
  {
    name: '0047-languages-of-members',
    up: (db) => addColumn(db, 'members', 'language', (table) => table.string('language', 16)),
  },
  { name: '0049-delivery-deadlines', up: (db) => createAll(db, DELIVERY_DEADLINES) },
  // The release before does not know these limits, so its sends take no slots.
  { name: '0050-limits-of-senders', up: (db) => createAll(db, SENDER_LIMITS) },
  // Adds the queue. The release before neither queues a message nor sends a queued one, and lists it in its state. `open_since` of a queued message is later than any
  // time, so the release before does not decide its outcome, and does not erase its recipient.
  {
    name: '0051-queue',
    up: async (db) => {
      await createAll(db, QUEUE)
      for (const column of ['queued_at', 'pending_at', 'canceled_at']) {
        await addColumn(db, 'messages', column, (table) => table.bigInteger(column))
      }
    },
  },
  // The release before neither queues a message nor sends a queued one, so it needs no holds.
  { name: '0052-holds-of-the-queue', up: (db) => createAll(db, QUEUE_HOLDS) },
  // Adds the price of a queued message that is not reserved yet. It is null if the price is reserved.
  {
    name: '0053-scheduled-money',
    up: async (db) => {
      await addColumn(db, 'queued_messages', 'unheld', (table) => table.bigInteger('unheld'))
      await addIndex(db, 'queued_messages', 'workspace_id, due_at, unheld', 'queued_messages_unheld', 'unheld IS NOT NULL')
    },
  },
  // The release before does not know this limit, so its sends count no customers.
  { name: '0054-limits-of-portfolios', up: (db) => createAll(db, PORTFOLIO_LIMITS) },
  // Adds the sums of ledgers by day. The release before neither reads nor writes them: only entries that no longer change are added up, whichever release wrote them.
  { name: '0055-sums-of-ledgers', up: (db) => createAll(db, LEDGER_SUMS) },
  // What is due is read sender by sender. The release before queues no messages.
  {
    name: '0056-queues-of-senders',
    up: async (db) => {
      await addColumn(db, 'queued_messages', 'priority', (table) => table.integer('priority'))
      await db.raw('UPDATE queued_messages SET priority = 0 WHERE priority IS NULL')
      await addIndex(db, 'queued_messages', 'workspace_id, sender, priority, due_at, message_id', 'queued_messages_sender')
    },
  },
  // Finds customers by their names. The release before does not write this, so the names are compared with it every day.
  { name: '0057-names-of-customers', up: createCustomerNames },
  // The release before does not ask for these consents. What customers stopped on the platform stays in `customers` for both.
  { name: '0058-consents', up: (db) => createAll(db, CONSENTS) },
  // Adds when a customer first replied to a template message, and the indexes of `makeTemplateResults`. The release before notes no replies.
  {
    name: '0059-template-results',
    up: async (db) => {
      await addColumn(db, 'messages', 'replied_at', (table) => table.bigInteger('replied_at'))
      await addIndex(db, 'messages', 'workspace_id, template_name, id', 'messages_template', 'template_name IS NOT NULL')
      await addIndex(db, 'consent_history', 'workspace_id, status, since', 'consent_history_status')
    },
  },
  { name: '0060-batches', up: (db) => createAll(db, BATCHES) },
  // Adds the keys of the requests that made batches. The release before stores none, and keeps those that it finds.
  {
    name: '0061-requests-of-batches',
    up: async (db) => {
      await addColumn(db, 'batches', 'request_key', (table) => table.string('request_key', 64))
      await addIndex(db, 'batches', 'workspace_id, request_key', 'batches_request', 'request_key IS NOT NULL', 'UNIQUE')
    },
  },
  // Adds the batch because of which a customer counts. The release before does not note it, so its customers count as those of no batch.
  {
    name: '0062-batches-in-portfolios',
    up: (db) => addColumn(db, 'portfolio_messages', 'batch_id', (table) => table.string('batch_id', 36)),
  },
  { name: '0063-days-of-portfolios', up: (db) => createAll(db, PORTFOLIO_DAYS) },
]

/** The holds of the queue, by workspace; that of every workspace has an empty id. And when each installation last sent the queue. */
const QUEUE_HOLDS: Readonly<Record<string, Table>> = {
  queue_holds: (table) => {
    table.string('workspace_id', 35).notNullable()
    table.bigInteger('since').notNullable()
    table.string('why', 32).notNullable()
    table.string('actor_type', 16).notNullable()
    table.string('actor_id', 64)
    table.string('actor_name', 255)
    table.text('note')
    table.primary(['workspace_id'])
  },
  queue_installations: (table) => {
    table.string('installation', 64).notNullable()
    table.bigInteger('seen_at').notNullable()
    table.primary(['installation'])
  },
}

const DELIVERY_DEADLINES: Readonly<Record<string, Table>> = {
  delivery_deadlines: (table) => {
    table.bigInteger('due_at').notNullable()
    table.string('workspace_id', 35).notNullable()
    table.string('message_id', 36).notNullable()
    table.primary(['due_at', 'workspace_id', 'message_id'])
  },
}

/** The counts of the messages of each sender, in addition to those of the workspace. An empty sender stands for messages of an earlier version. */
const SENDER_COUNTS: Readonly<Record<string, Table>> = {
  sender_counts: (table) => {
    table.string('workspace_id', 35).notNullable()
    table.string('width', 2).notNullable()
    table.bigInteger('bucket_start').notNullable()
    table.string('sender', 64).notNullable()
    table.string('state', 12).notNullable()
    table.string('category', 32).notNullable()
    table.bigInteger('messages').notNullable()
    table.bigInteger('charged').notNullable()
    table.primary(['workspace_id', 'width', 'bucket_start', 'sender', 'state', 'category'])
    table.index(['width', 'bucket_start'], 'sender_counts_start')
  },
}

/** The places of queued messages, and their contents, encrypted. The search for what is due reads the places alone. */
const QUEUE: Readonly<Record<string, Table>> = {
  queued_messages: (table) => {
    table.string('workspace_id', 35).notNullable()
    table.string('message_id', 36).notNullable()
    table.string('sender', 64).notNullable()
    table.bigInteger('due_at').notNullable()
    table.bigInteger('ends_at').notNullable()
    table.primary(['workspace_id', 'message_id'])
    table.index(['due_at', 'message_id'], 'queued_messages_due')
  },
  queued_contents: (table) => {
    table.string('workspace_id', 35).notNullable()
    table.string('message_id', 36).notNullable()
    table.text('content', 'mediumtext').notNullable()
    table.primary(['workspace_id', 'message_id'])
  },
}

const FORMER_SENDERS: Readonly<Record<string, Table>> = {
  former_senders: (table) => {
    table.string('workspace_id', 35).notNullable()
    table.string('phone_number_id', 64).notNullable()
    table.string('inbox', 35).notNullable()
    table.string('sender', 64)
    table.bigInteger('removed_at').notNullable()
    table.primary(['workspace_id', 'phone_number_id'])
    table.index(['phone_number_id'], 'former_senders_phone_number')
  },
}

/** Changes the primary key of `senders` from the workspace to the workspace and the number. Again, it changes nothing. */
const keySendersByNumber = async (db: Knex): Promise<void> => {
  const { driverName } = db.client as { readonly driverName?: string }
  if (driverName === 'mysql2') await db.raw('ALTER TABLE senders DROP PRIMARY KEY, ADD PRIMARY KEY (workspace_id, phone_number_id)')
  else if (driverName === 'pg') {
    await db.raw('ALTER TABLE senders DROP CONSTRAINT IF EXISTS senders_pkey, ADD CONSTRAINT senders_pkey PRIMARY KEY (workspace_id, phone_number_id)')
  } else await rebuildSenders(db)
}

/** SQLite cannot change a primary key, so the rows move to another table, in one transaction. */
const rebuildSenders = (db: Knex): Promise<void> => db.transaction(async (trx) => {
  await trx.schema.dropTableIfExists('senders_by_number')
  await trx.schema.createTable('senders_by_number', (table) => {
    // As in the table before: SQLite allows null in a primary key.
    table.string('workspace_id', 35)
    table.string('phone_number_id', 64).notNullable()
    table.string('business_account_id', 64)
    table.text('access_token').notNullable()
    for (const column of ['failing_since', 'account_refused_since']) table.bigInteger(column)
    for (const column of ['marketing_api', 'is_default']) table.integer(column)
    table.string('inbox', 35)
    table.string('app_id', 64)
    table.primary(['workspace_id', 'phone_number_id'])
  })
  const columns = 'workspace_id, phone_number_id, business_account_id, access_token, failing_since, account_refused_since, marketing_api, '
    + 'is_default, inbox, app_id'
  await trx.raw(`INSERT INTO senders_by_number (${columns}) SELECT ${columns} FROM senders`)
  await trx.schema.dropTable('senders')
  await trx.schema.renameTable('senders_by_number', 'senders')
  await trx.raw('CREATE UNIQUE INDEX senders_phone_number ON senders (phone_number_id)')
})

/** The table of the platform's apps, without that of the environment. Their secrets are encrypted. */
const APPS: Readonly<Record<string, Table>> = {
  apps: (table) => {
    table.string('id', 36).primary()
    table.string('name', 64).notNullable()
    table.bigInteger('created_at').notNullable()
    table.text('app_secret').notNullable()
    table.text('second_secret')
    table.text('verify_token').notNullable()
    table.bigInteger('rotating_since')
    table.unique(['name'], { indexName: 'apps_name' })
  },
}

/** The table of the markups and rate cards of workspaces, as JSON. */
const PRICING: Readonly<Record<string, Table>> = {
  workspace_pricing: (table) => {
    table.string('workspace_id', 35).primary()
    table.text('pricing', 'mediumtext').notNullable()
  },
}

/** The table of uploaded files that the platform still has. `customer` is whom a file was sent to, `*` for several. */
const UPLOADED_FILES: Readonly<Record<string, Table>> = {
  uploaded_files: (table) => {
    table.string('workspace_id', 35).notNullable()
    table.string('phone_number_id', 64).notNullable()
    table.string('sha256', 64).notNullable()
    table.string('content_type', 100).notNullable()
    table.string('media_id', 64).notNullable()
    table.bigInteger('size').notNullable()
    table.bigInteger('expires_at').notNullable()
    table.string('customer', CUSTOMER_ID)
    table.primary(['workspace_id', 'phone_number_id', 'sha256', 'content_type'])
  },
}

/** The table of what messages said, encrypted; a storage that keeps no contents leaves it empty. */
const CONTENTS: Readonly<Record<string, Table>> = {
  message_contents: (table) => {
    table.string('workspace_id', 35).notNullable()
    table.string('message_id', 36).notNullable()
    table.text('content', 'mediumtext').notNullable()
    table.bigInteger('created_at').notNullable()
    table.primary(['workspace_id', 'message_id'])
    table.index(['created_at'], 'message_contents_created')
  },
}

/** The table of the latest calls of the API. It has patterns of addresses, and nothing that a call said. */
const REQUEST_LOG: Readonly<Record<string, Table>> = {
  request_log: (table, db) => {
    table.string('workspace_id', 35).notNullable()
    table.string('id', 32).notNullable()
    table.string('request_id', 128).notNullable()
    table.string('key_id', 64).notNullable()
    table.string('method', 16).notNullable()
    table.string('route', 128).notNullable()
    table.integer('status').notNullable()
    table.string('code', 64)
    table.string('message_id', 36)
    table.integer('duration_ms').notNullable()
    table.integer('left_out')
    table.bigInteger('created_at').notNullable()
    primaryKey(db, table, 'id', 'request_log_workspace')
    table.index(['workspace_id', 'request_id'], 'request_log_request')
    table.index(['created_at'], 'request_log_created')
  },
}

/** The tables of alerts to people. The address of a channel is encrypted. */
const ALERTS: Readonly<Record<string, Table>> = {
  alert_choices: (table) => {
    table.string('member_id', 36).notNullable()
    table.string('kind', 16).notNullable()
    table.primary(['member_id', 'kind'])
  },
  alert_channels: (table) => {
    table.string('workspace_id', 35).primary()
    table.text('url').notNullable()
  },
  alerts: (table) => {
    table.string('workspace_id', 35).notNullable()
    table.string('topic', 600).notNullable()
    table.bigInteger('alerted_at').notNullable()
    table.primary(['workspace_id', 'topic'])
  },
  waiting_alerts: (table) => {
    table.string('id', 32).primary()
    table.string('workspace_id', 35).notNullable()
    table.string('recipient', 36).notNullable()
    table.text('troubles', 'mediumtext').notNullable()
    table.bigInteger('raised_at').notNullable()
    table.integer('attempts').notNullable()
    table.bigInteger('next_at').notNullable()
    table.index(['next_at'], 'waiting_alerts_due')
    table.index(['workspace_id'], 'waiting_alerts_workspace')
  },
}

/** The table of what the platform reports of the numbers of senders. `customers_per_day` is -1 for a number without a limit. */
const NUMBER_HEALTH: Readonly<Record<string, Table>> = {
  number_health: (table) => {
    table.string('workspace_id', 35).notNullable()
    table.string('phone_number_id', 64).notNullable()
    table.string('display_number', 40)
    table.string('digits', 40)
    table.string('verified_name', 100)
    table.string('quality', 16)
    table.bigInteger('quality_since')
    table.bigInteger('customers_per_day')
    table.integer('messages_per_second')
    table.bigInteger('read_at')
    table.bigInteger('due_at').notNullable()
    table.bigInteger('wanted_at')
    table.primary(['workspace_id', 'phone_number_id'])
    table.index(['digits'], 'number_health_digits')
  },
}
