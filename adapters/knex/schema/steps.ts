import type { Knex } from 'knex'
import { addAlerts } from '../balances.js'
import { indexWindows } from '../customers.js'
import { GATEWAYS } from '../gateways.js'
import { KEY_ID, KEY_SPENDING } from '../keys.js'
import { LOST_MESSAGES } from '../lost-messages.js'
import {
  addColumn, addDelays, addIndex, addInvitations, addMessageCounts, AUDIT, createAccess, createAll, EVENTS, exactText, indexOpen, indexPlatformIds, isMySql,
  limitKeys, primaryKey, shareLimits, type Table, widen,
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
  { name: '0016-limited-keys', up: limitKeys },
  {
    name: '0017-spending-limits',
    up: async (db) => {
      await createAll(db, KEY_SPENDING)
      await addColumn(db, 'holds', 'key_id', (table) => table.string('key_id', KEY_ID))
    },
  },
  { name: '0018-members', up: createAccess },
  { name: '0019-shared-limits', up: shareLimits },
  { name: '0020-wallet-alerts', up: addAlerts },
  { name: '0021-latest-windows', up: indexWindows },
  { name: '0022-message-counts', up: addMessageCounts },
  { name: '0023-gateways', up: (db) => createAll(db, GATEWAYS) },
  { name: '0024-lost-messages', up: (db) => createAll(db, LOST_MESSAGES) },
  { name: '0025-waiting-invitations', up: addInvitations },
  { name: '0026-sign-in-delays', up: addDelays },
  { name: '0027-refused-accounts', up: (db) => addColumn(db, 'senders', 'account_refused_since', (table) => table.bigInteger('account_refused_since')) },
  { name: '0028-strangers', up: (db) => addIndex(db, 'audit_entries', 'actor_type, created_at', 'audit_entries_actor') },
]

const WORKSPACE_ID = 35
const MESSAGE_ID = 36
/** A user id: a country, a dot, `ENT.`, and 128 letters and digits. */
const CUSTOMER_ID = 135
/** The longest category has 28 letters. MySQL lengthens a column in place up to 255 bytes, so 63 characters. */
const CATEGORY = 32

/** The primary key of rows with a workspace and a reference that an operator chose. */
const referenceKey: Table = (table, db) => {
  table.string('workspace_id', WORKSPACE_ID).notNullable()
  // For MySQL texts are equal if they differ only in spaces at the end; bytes are not.
  table.specificType('reference', isMySql(db) ? 'varbinary(1020)' : 'varchar(255)').notNullable()
  table.primary(['workspace_id', 'reference'])
}

/** On every database moments (milliseconds since the epoch) and amounts (micros) are 64-bit integers. */
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

const ADJUSTMENTS: Readonly<Record<string, Table>> = {
  adjustments: (table, db) => {
    referenceKey(table, db)
    table.bigInteger('amount').notNullable()
  },
}

const CUSTOMERS: Readonly<Record<string, Table>> = {
  customers: (table) => {
    table.string('workspace_id', WORKSPACE_ID).notNullable()
    table.string('customer_id', CUSTOMER_ID).notNullable()
    table.string('other', CUSTOMER_ID)
    // The id under which the record of the other id is kept.
    table.string('other_key', CUSTOMER_ID)
    table.bigInteger('paired_at')
    table.bigInteger('confirmed_at')
    // 1 where only the customer named the other id.
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

const ACCOUNT_NOTICES: Readonly<Record<string, Table>> = {
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

const TEMPLATES: Readonly<Record<string, Table>> = {
  // A row for each business account; writes of its templates lock it first.
  template_catalogues: (table, db) => {
    exactText(db, table, 'account_id', 64)
    table.bigInteger('listed_at')
    table.text('fault')
    table.bigInteger('fault_at')
    table.primary(['account_id'])
  },
  templates: (table, db) => {
    // As much as MySQL allows in a key is 3,072 bytes; this one has at most 2,560.
    exactText(db, table, 'account_id', 64)
    exactText(db, table, 'name', 512)
    exactText(db, table, 'language', 64)
    table.string('template_id', 255).notNullable()
    table.string('category', 255).notNullable()
    table.string('status', 255).notNullable()
    table.string('quality', 255)
    table.string('parameter_format', 16)
    // JSON; null where the components could not be read.
    table.text('components', 'mediumtext')
    // No part of a template is older than the list of its account, whose row has the moment.
    table.bigInteger('listed_at').notNullable()
    table.bigInteger('status_at').notNullable()
    table.bigInteger('category_at').notNullable()
    table.bigInteger('quality_at').notNullable()
    table.primary(['account_id', 'name', 'language'])
  },
}

const FREE_MESSAGES: Readonly<Record<string, Table>> = {
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
