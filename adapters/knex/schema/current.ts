// Every table in its current form, for readers. Migrations run the steps in `steps.ts`; no code creates a table from this page. A test runs the steps on each database
// and compares the tables with this page, so a developer who adds a step changes the page too.

/**
 * The type of a column. An `exact` text compares and sorts by its bytes on every database, and two `bytes` texts are equal only if their bytes are: MySQL would
 * otherwise treat texts as equal that differ only in spaces at the end. A `mediumtext` may be longer than 64 KiB on MySQL, unlike a `text`. On SQLite no text has a
 * limit.
 */
export type ColumnType = 'bigint' | 'integer' | 'text' | 'mediumtext' | `${'varchar' | 'exact' | 'bytes'}(${number})`

/** The suffix of a column type that may be null. Columns of a primary key are never null, and no column has a default. */
export const NULLABLE = ' null'

/** Either a value for every database, or one value for MySQL and one for SQLite and PostgreSQL; either of the two may be absent. */
export type ForDialect = string | { readonly mysql?: string; readonly others?: string }

export type Table = {
  readonly columns: Readonly<Record<string, ColumnType | `${ColumnType}${typeof NULLABLE}`>>
  /** Its columns in the order of the key. */
  readonly primaryKey: ForDialect
  /** Each index by its name: its columns in their order, preceded by the word `unique` if it is unique, and followed by the condition of its rows if it is partial. */
  readonly indexes: Readonly<Record<string, ForDialect>>
}

const table = (primaryKey: ForDialect, columns: Table['columns'], indexes: Table['indexes'] = {}): Table =>
  ({ primaryKey, columns, indexes })

/**
 * The primary key of rows with a workspace and an id. MySQL stores rows in the order of their primary key, and ids grow with time, so with the id alone all new
 * rows are on the same pages. There an index has the workspace first.
 */
const idKey = (id: string): ForDialect => ({ mysql: id, others: `workspace_id, ${id}` })
const workspaceIndex = (id: string): ForDialect => ({ mysql: `workspace_id, ${id}` })

/** An index of the few open rows. MySQL has no partial indexes; there the times of all other rows follow, so that a new entry is next to the previous one. */
const OPEN: ForDialect = { mysql: 'open_since, created_at', others: 'open_since where open_since is not null' }

/** Times are milliseconds since the epoch, amounts are micros, and booleans are 1 or 0. */
export const TABLES: Readonly<Record<string, Table>> = {
  // Tenants, their keys and their numbers.
  workspaces: table('id', { id: 'varchar(35)', name: 'text', currency: 'varchar(3)', created_at: 'bigint', archived_at: 'bigint null' }),
  // Only by the id, because a request does not know its workspace yet.
  api_keys: table('id', {
    id: 'varchar(32)', workspace_id: 'varchar(35)', name: 'text', digest: 'varchar(64)', created_at: 'bigint', last_used_at: 'bigint null',
    revoked_at: 'bigint null',
    // Names with spaces between them; null for all.
    scopes: 'varchar(255) null',
    expires_at: 'bigint null', spending_limit: 'bigint null', replaced_by: 'varchar(32) null',
    // The id for which the spending of a successor counts; null for a key that is not a successor, which counts for itself.
    spending_id: 'varchar(32) null',
  }, { api_keys_workspace: 'workspace_id' }),
  key_spending: table('workspace_id, key_id, on_day', {
    workspace_id: 'varchar(35)', key_id: 'varchar(64)', on_day: 'varchar(10)', spent: 'bigint',
  }),
  senders: table('workspace_id, phone_number_id', {
    workspace_id: 'varchar(35)', phone_number_id: 'varchar(64)', business_account_id: 'varchar(64) null',
    // 1 for the default sender; in a row of the release before it is null, and the sender is the only one.
    is_default: 'integer null',
    // Takes the place of the workspace's id in `windows` and `customers`; null for the sender whose inbox is the workspace's own.
    inbox: 'varchar(35) null',
    // Null for the app of the environment.
    app_id: 'varchar(64) null',
    // Encrypted.
    access_token: 'text',
    // 1 if marketing templates are sent through the API for marketing messages.
    marketing_api: 'integer null',
    failing_since: 'bigint null', account_refused_since: 'bigint null',
  }, { senders_phone_number: 'unique phone_number_id' }),
  // The inboxes of removed senders, and the former ids of moved numbers with the present id in `sender`.
  former_senders: table('workspace_id, phone_number_id', {
    workspace_id: 'varchar(35)', phone_number_id: 'varchar(64)', inbox: 'varchar(35)', sender: 'varchar(64) null', removed_at: 'bigint',
  }, { former_senders_phone_number: 'phone_number_id' }),
  // The platform's apps, without that of the environment. Their secrets are encrypted.
  apps: table('id', {
    id: 'varchar(36)', name: 'varchar(64)', created_at: 'bigint', app_secret: 'text',
    // The newer of two app secrets, and since when there are two.
    second_secret: 'text null', rotating_since: 'bigint null',
    verify_token: 'text',
  }, { apps_name: 'unique name' }),
  // What the platform reports of the numbers of senders; a row of a sender that was removed stays.
  number_health: table('workspace_id, phone_number_id', {
    workspace_id: 'varchar(35)', phone_number_id: 'varchar(64)',
    // The number as the platform writes it, and its digits.
    display_number: 'varchar(40) null', digits: 'varchar(40) null',
    verified_name: 'varchar(100) null', quality: 'varchar(16) null', quality_since: 'bigint null',
    // -1 if the number has no limit.
    customers_per_day: 'bigint null',
    messages_per_second: 'integer null',
    // When it was last read, when it is read next, and the latest time for which it was wanted.
    read_at: 'bigint null', due_at: 'bigint', wanted_at: 'bigint null',
  }, { number_health_digits: 'digits' }),
  account_notices: table('account_id, field, subject', {
    account_id: 'varchar(64)', field: 'varchar(40)', subject: 'varchar(255)', notice: 'text', noticed_at: 'bigint',
  }, { account_notices_moment: 'account_id, noticed_at' }),

  // Money.
  wallets: table('workspace_id', {
    workspace_id: 'varchar(35)', currency: 'varchar(3)', available: 'bigint', held: 'bigint',
    // The alerts: the balance below which the wallet is low, and since when it is low or could not pay.
    alert_threshold: 'bigint null', low_since: 'bigint null', exhausted_since: 'bigint null',
  }),
  // A markup or rate cards of a workspace's own, as JSON; a workspace without a row has the prices of the rate card.
  workspace_pricing: table('workspace_id', { workspace_id: 'varchar(35)', pricing: 'mediumtext' }),
  // The id is that of a message, or that of a batch whose messages share the hold: then the amount is what no message has taken.
  holds: table(idKey('message_id'), {
    workspace_id: 'varchar(35)', message_id: 'varchar(36)', amount: 'bigint', state: 'varchar(12)', created_at: 'bigint',
    // Not null while the money of a message is held, so that stale holds are found without reading settled ones. Always null for a batch.
    open_since: 'bigint null',
    // The key that spends, if it has a limit.
    key_id: 'varchar(64) null',
    // The first amount, if `amount` is less because a part was captured or taken.
    reserved: 'bigint null',
    // The batch out of whose hold it was taken, and when that was created, which is the day of the limit.
    batch_id: 'varchar(36) null', reserved_at: 'bigint null',
  }, { holds_workspace: workspaceIndex('message_id'), holds_open: OPEN }),
  // The statement without the holds, which would be stored twice.
  wallet_entries: table(idKey('id'), {
    workspace_id: 'varchar(35)', id: 'varchar(32)', kind: 'varchar(12)', amount: 'bigint', message_id: 'varchar(36) null',
    reference: 'varchar(255) null', created_at: 'bigint', note: 'text null',
  }, { wallet_entries_workspace: workspaceIndex('id') }),
  // The sums of movements by day, of all entries before `added_until`, which has the first digits of an id; and the ids of top-ups and adjustments among them.
  ledger_sums: table('workspace_id, day, kind', {
    workspace_id: 'varchar(35)', day: 'bigint', kind: 'varchar(12)', entries: 'bigint', free: 'bigint', amount: 'bigint',
  }),
  ledger_progress: table('workspace_id', { workspace_id: 'varchar(35)', added_until: 'varchar(32)', since: 'bigint' }),
  ledger_paid: table('workspace_id, id', { workspace_id: 'varchar(35)', id: 'varchar(32)' }),
  // The references of operators, so that the same top-up or adjustment is not made twice. Top-ups of the first version have no amount.
  top_ups: table('workspace_id, reference', { workspace_id: 'varchar(35)', reference: 'bytes(255)', amount: 'bigint null' }),
  adjustments: table('workspace_id, reference', { workspace_id: 'varchar(35)', reference: 'bytes(255)', amount: 'bigint' }),
  free_messages: table(idKey('message_id'), {
    workspace_id: 'varchar(35)', message_id: 'varchar(36)', phone_number_id: 'varchar(64)', in_month: 'varchar(7)',
  }, { free_messages_workspace: workspaceIndex('message_id') }),
  free_message_counts: table('phone_number_id, in_month', { phone_number_id: 'varchar(64)', in_month: 'varchar(7)', taken: 'bigint' }),

  // Messages, without their content.
  messages: table(idKey('id'), {
    // A customer is a phone number or a user id: a country, a dot, `ENT.`, and 128 letters and digits.
    workspace_id: 'varchar(35)', id: 'varchar(36)', kind: 'varchar(16)', customer: 'varchar(135)', state: 'varchar(12)',
    // The phone number id; null in a row of an earlier release.
    sender: 'varchar(64) null',
    // The price, what the platform charges by the rate card if that differs, the market of both, and the billing reported by the platform.
    price: 'bigint', currency: 'varchar(3)', category: 'varchar(32)', cost: 'bigint null', market: 'varchar(15) null',
    reported_category: 'varchar(64) null',
    reported_type: 'varchar(64) null', template_name: 'varchar(512) null', language: 'varchar(64) null', summary: 'varchar(64) null',
    platform_id: 'varchar(255) null',
    // JSON of the application.
    metadata: 'text null',
    // The API key of the send; null if a person sent it.
    key_id: 'varchar(64) null',
    // The span of the send, in the form of W3C Trace Context; null if none was recorded.
    traceparent: 'varchar(55) null',
    // JSON of the platform.
    error: 'text null', pricing: 'text null',
    created_at: 'bigint',
    // Not null while the outcome is unknown; later than any time while the message is queued.
    open_since: 'bigint null',
    // A message enters a state once, so its history needs no table. A message that was not queued is pending since `created_at`.
    queued_at: 'bigint null', pending_at: 'bigint null', canceled_at: 'bigint null',
    accepted_at: 'bigint null', sent_at: 'bigint null', delivered_at: 'bigint null', read_at: 'bigint null',
    // The state of a played message is `read`.
    played_at: 'bigint null',
    failed_at: 'bigint null', refused_at: 'bigint null', unconfirmed_at: 'bigint null', released_at: 'bigint null',
    // When a customer first replied to a template message.
    replied_at: 'bigint null',
  }, {
    messages_workspace: workspaceIndex('id'),
    messages_customer: 'workspace_id, customer, id',
    // On MySQL messages without an id of the platform are next to each other.
    messages_platform: { mysql: 'platform_id, workspace_id', others: 'workspace_id, platform_id where platform_id is not null' },
    messages_template: {
      mysql: 'workspace_id, template_name, id', others: 'workspace_id, template_name, id where template_name is not null',
    },
    messages_open: OPEN,
  }),
  idempotency_keys: table('workspace_id, idempotency_key', {
    workspace_id: 'varchar(35)', idempotency_key: 'varchar(255)', message_id: 'varchar(36)',
    // The request contains the text of the message, so only its digest is stored.
    request_digest: 'varchar(64)',
    claimed_at: 'bigint',
  }, { idempotency_keys_message: 'workspace_id, message_id', idempotency_keys_claimed: 'claimed_at' }),
  // Until when messages have to be delivered whose delivery is awaited. A row is deleted soon after that time.
  delivery_deadlines: table('due_at, workspace_id, message_id', {
    due_at: 'bigint', workspace_id: 'varchar(35)', message_id: 'varchar(36)',
  }),
  // Messages that the platform reports and that are not in `messages`.
  lost_messages: table('workspace_id, message_id', {
    workspace_id: 'varchar(35)', message_id: 'varchar(36)', platform_id: 'varchar(255)', phone_number_id: 'varchar(64)',
    customer: 'varchar(135) null', state: 'varchar(12)', category: 'varchar(64) null', billable: 'integer null', first_at: 'bigint',
    last_at: 'bigint', settled_at: 'bigint null',
  }),
  // The contents of messages, encrypted; empty if contents are not kept.
  message_contents: table('workspace_id, message_id', {
    workspace_id: 'varchar(35)', message_id: 'varchar(36)', content: 'mediumtext', created_at: 'bigint',
  }, { message_contents_created: 'created_at' }),
  // The messages that wait for their time, and their contents, encrypted. A row exists as long as its message is queued.
  queued_messages: table('workspace_id, message_id', {
    workspace_id: 'varchar(35)', message_id: 'varchar(36)', sender: 'varchar(64)', due_at: 'bigint', ends_at: 'bigint',
    // 0, or 1 for a message of a batch; never null.
    priority: 'integer null',
    // The price that is reserved when the message is due; null if it was reserved when the message was queued.
    unheld: 'bigint null',
  }, {
    queued_messages_due: 'due_at, message_id', queued_messages_sender: 'workspace_id, sender, priority, due_at, message_id',
    queued_messages_unheld: { mysql: 'workspace_id, due_at, unheld', others: 'workspace_id, due_at, unheld where unheld is not null' },
  }),
  queued_contents: table('workspace_id, message_id', { workspace_id: 'varchar(35)', message_id: 'varchar(36)', content: 'mediumtext' }),
  // The workspace is empty for the hold of every workspace.
  queue_holds: table('workspace_id', {
    workspace_id: 'varchar(35)', since: 'bigint', why: 'varchar(32)', actor_type: 'varchar(16)', actor_id: 'varchar(64) null',
    actor_name: 'varchar(255) null', note: 'text null',
  }),
  // When each installation of Postern last sent the queue of this database.
  queue_installations: table('installation', { installation: 'varchar(64)', seen_at: 'bigint' }),
  // What customers allowed and stopped, by the key of the customer's record; the key of an erased person is a digest.
  consents: table('workspace_id, customer_key, topic', {
    workspace_id: 'varchar(35)', customer_key: 'varchar(135)', topic: 'varchar(16)', since: 'bigint', status: 'varchar(16)',
    source: 'varchar(100)', note: 'text null',
  }, { consents_status: 'workspace_id, status' }),
  // Every fact that changed a consent.
  consent_history: table('workspace_id, customer_key, topic, since, status', {
    workspace_id: 'varchar(35)', customer_key: 'varchar(135)', topic: 'varchar(16)', since: 'bigint', status: 'varchar(16)',
    source: 'varchar(100)', note: 'text null',
  }, { consent_history_status: 'workspace_id, status, since' }),
  // Whether marketing needs consent, and the words of customers; `topic` is null if the workspace has chosen no words.
  consent_settings: table('workspace_id', {
    workspace_id: 'varchar(35)', marketing_needs_consent: 'integer', topic: 'varchar(16) null', words: 'mediumtext null',
    reply: 'text null',
  }),
  // What a batch is, as JSON in `data`; the other columns are what is searched. `writes` grows with each write of lines that requires a draft, so that such a write and a change
  // of the batch conflict, even on two nodes of a cluster. `has_contents` and `has_names` are 0 once no content or no id of a customer is left.
  batches: table('workspace_id, id', {
    workspace_id: 'varchar(35)', id: 'varchar(36)', state: 'varchar(12)', upload: 'bigint',
    // 1 if it is neither a draft nor settled.
    is_open: 'integer',
    created_at: 'bigint', ended_at: 'bigint null', has_contents: 'integer', has_names: 'integer', writes: 'bigint', data: 'mediumtext',
    // The digest of the key of the request that made it; null if the request had none.
    request_key: 'varchar(64) null',
  }, {
    batches_open: 'is_open, id', batches_contents: 'has_contents, ended_at',
    batches_request: {
      mysql: 'unique workspace_id, request_key', others: 'unique workspace_id, request_key where request_key is not null',
    },
  }),
  batch_lines: table('workspace_id, batch_id, upload, line', {
    workspace_id: 'varchar(35)', batch_id: 'varchar(36)', upload: 'bigint', line: 'integer', recipient: 'varchar(255)',
    // The key of the customer's record, if `recipient` is the id of a customer.
    customer_key: 'varchar(135) null',
    problem: 'varchar(64) null', price: 'bigint null', cost: 'bigint null', category: 'varchar(32) null', market: 'varchar(15) null',
    message_id: 'varchar(36) null',
    // 1 with a price and without a message, 2 with a message that may not exist, 3 with a message that exists.
    stage: 'integer null',
  }, {
    batch_lines_stage: { mysql: 'batch_id, upload, stage, line', others: 'batch_id, upload, stage, line where stage is not null' },
    batch_lines_customer: 'workspace_id, customer_key',
  }),
  // The contents of lines, encrypted. A row is deleted some time after its batch has ended.
  batch_contents: table('workspace_id, batch_id, upload, line', {
    workspace_id: 'varchar(35)', batch_id: 'varchar(36)', upload: 'bigint', line: 'integer', content: 'mediumtext',
  }),
  // Files that the platform already has, so that the same bytes are uploaded once.
  uploaded_files: table('workspace_id, phone_number_id, sha256, content_type', {
    workspace_id: 'varchar(35)', phone_number_id: 'varchar(64)', sha256: 'varchar(64)', content_type: 'varchar(100)',
    media_id: 'varchar(64)', size: 'bigint', expires_at: 'bigint', customer: 'varchar(135) null',
  }),
  // Derived from `messages`; it can be recreated completely. The index finds old buckets of every workspace.
  message_counts: table('workspace_id, width, bucket_start, state, category', {
    workspace_id: 'varchar(35)', width: 'varchar(2)', bucket_start: 'bigint', state: 'varchar(12)', category: 'varchar(32)',
    messages: 'bigint', charged: 'bigint',
  }, { message_counts_start: 'width, bucket_start' }),
  // The same for each sender; an empty one stands for messages of an earlier version.
  sender_counts: table('workspace_id, width, bucket_start, sender, state, category', {
    workspace_id: 'varchar(35)', width: 'varchar(2)', bucket_start: 'bigint', sender: 'varchar(64)', state: 'varchar(12)',
    category: 'varchar(32)', messages: 'bigint', charged: 'bigint',
  }, { sender_counts_start: 'width, bucket_start' }),
  message_count_progress: table('name', { name: 'varchar(32)', counted_until: 'bigint' }),

  // Customers.
  windows: table('workspace_id, customer', {
    workspace_id: 'varchar(35)', customer: 'varchar(135)',
    // The latest message of the customer under any id, then under a user id and under a number.
    last_inbound: 'bigint', user_inbound: 'bigint null', number_inbound: 'bigint null',
    // The time that the platform stated for the latest message.
    stated_at: 'bigint null',
  }, {
    windows_last_inbound: 'workspace_id, last_inbound',
    windows_number_inbound: { mysql: 'workspace_id, number_inbound', others: 'workspace_id, number_inbound where number_inbound is not null' },
  }),
  customers: table('workspace_id, customer_id', {
    workspace_id: 'varchar(35)', customer_id: 'varchar(135)', other: 'varchar(135) null',
    // The id under which the record of the other id is kept.
    other_key: 'varchar(135) null',
    paired_at: 'bigint null', confirmed_at: 'bigint null',
    // 1 if only the customer reported the other id.
    shared: 'integer null',
    since: 'bigint null', name: 'text null', username: 'text null', named_at: 'bigint null', opted_out: 'integer null',
    opted_out_at: 'bigint null',
    // The number under which the platform knows the customer whose dialled number this is, and the id under which its record is kept.
    known_as: 'varchar(15) null', known_as_key: 'varchar(15) null', known_as_at: 'bigint null',
    known_as_confirmed_at: 'bigint null',
  }, { customers_opted_out: 'workspace_id, opted_out', customers_known_as: 'workspace_id, known_as_key' }),
  // The limit of each pair of a sender and a customer. A row is deleted some hours after its last message.
  pair_slots: table('workspace_id, pair', {
    workspace_id: 'varchar(35)',
    // A digest of the inbox and the customer's id.
    pair: 'varchar(64)',
    // The time until which messages have used up the limit: the theoretical arrival time.
    next_at: 'bigint',
    // The hour of its last message, counted from the epoch. It changes rarely, so most messages change no index.
    in_hour: 'integer',
  }, { pair_slots_hour: 'in_hour' }),
  // The names of customers from each of their words on, as they are compared, and how far the job that compares all names has come; null until it has compared all.
  named_customers: table('workspace_id, starts_with, customer_id', {
    workspace_id: 'varchar(35)', starts_with: 'exact(64)', customer_id: 'varchar(135)',
  }, { named_customers_customer: 'workspace_id, customer_id' }),
  named_customers_progress: table('id', {
    id: 'integer', workspace_id: 'varchar(35)', customer_id: 'varchar(135)', ended_at: 'bigint null',
  }),
  // The limit of each portfolio: the number of its rows in `portfolio_customers`, some of which may no longer count.
  portfolio_counts: table('portfolio', { portfolio: 'varchar(72)', customers: 'integer' }),
  // The customers of each portfolio outside of windows, and when each was last counted. A row is deleted once it no longer counts.
  portfolio_customers: table('portfolio, customer', {
    // `account` or `number`, and the id of a business account or of a phone number.
    portfolio: 'varchar(72)',
    // A digest of the portfolio and the customer's id; random after the customer was erased.
    customer: 'varchar(64)', counted_at: 'bigint',
  }, { portfolio_customers_counted: 'portfolio, counted_at' }),
  // How many customers of each portfolio counted on a day at most, and how many of them only because of batches. A row is deleted a month later.
  portfolio_days: table('portfolio, day', {
    portfolio: 'varchar(72)',
    // The beginning of the day in UTC.
    day: 'bigint', customers: 'integer', of_batches: 'integer',
  }, { portfolio_days_day: 'day' }),
  // The messages that count a customer, to give the customer back. A row is deleted two days later.
  portfolio_messages: table('workspace_id, message_id', {
    workspace_id: 'varchar(35)', message_id: 'varchar(36)', portfolio: 'varchar(72)', customer: 'varchar(64)', counted_at: 'bigint',
    // The batch of the message; null if it has none.
    batch_id: 'varchar(36) null',
  }, { portfolio_messages_customer: 'portfolio, customer, counted_at', portfolio_messages_counted: 'counted_at' }),
  // The budget of each sender.
  sender_slots: table('workspace_id, phone_number_id', {
    workspace_id: 'varchar(35)', phone_number_id: 'varchar(64)',
    // The first slot that is not taken, in microseconds since the epoch, by the clock of the database.
    next_slot: 'bigint',
    // Messages a second after the platform throttled the sender, and when, in the same microseconds; null while its whole rate holds.
    slowed_to: 'integer null', slowed_at: 'bigint null',
  }),

  // Templates, of business accounts. Writes lock the row of the account first.
  template_catalogues: table('account_id', {
    account_id: 'exact(64)', listed_at: 'bigint null', fault: 'text null', fault_at: 'bigint null',
  }),
  // MySQL allows 3,072 bytes in a key; this one has at most 2,560.
  templates: table('account_id, name, language', {
    account_id: 'exact(64)', name: 'exact(512)', language: 'exact(64)', template_id: 'varchar(255)', category: 'varchar(255)',
    status: 'varchar(255)', quality: 'varchar(255) null', parameter_format: 'varchar(16) null',
    // JSON; null if the components could not be read.
    components: 'mediumtext null',
    // No part of a template is older than the list of its account, whose row contains the time.
    listed_at: 'bigint', status_at: 'bigint', category_at: 'bigint', quality_at: 'bigint',
  }),

  // Events and their deliveries.
  // A transaction that writes events locks the row of its workspace until its commit, so positions are in the order of the commits.
  event_streams: table('workspace_id', { workspace_id: 'varchar(35)', last_position: 'bigint', pulled_at: 'bigint null' }),
  events: table('workspace_id, position', {
    workspace_id: 'varchar(35)', position: 'bigint', id: 'varchar(36)', type: 'varchar(32)', subject: 'exact(160)', created_at: 'bigint',
    // JSON, without the customer's text.
    data: 'mediumtext',
    // The digest of the event's key, which may be of any length.
    event_key: 'varchar(64) null',
    // The span in which it was created, as in `messages`.
    traceparent: 'varchar(55) null',
  }, { events_id: 'unique id', events_key: 'unique workspace_id, event_key', events_age: 'created_at' }),
  // The texts of customers. A row is deleted once its event is delivered everywhere.
  event_contents: table('workspace_id, position', { workspace_id: 'varchar(35)', position: 'bigint', content: 'mediumtext' }),
  event_endpoints: table('id', {
    id: 'varchar(35)', workspace_id: 'varchar(35)', shard: 'integer', url: 'text',
    // A JSON array of texts.
    types: 'text',
    description: 'varchar(255)', status: 'varchar(16)', created_at: 'bigint',
    // Both secrets are encrypted.
    secret: 'text', previous_secret: 'text null', previous_until: 'bigint null',
    position: 'bigint', failures: 'integer', failing_since: 'bigint null', paused_until: 'bigint null',
    // The latest attempt.
    last_at: 'bigint null', last_delivered: 'integer null', last_http_status: 'integer null',
  }, { event_endpoints_workspace: 'workspace_id', event_endpoints_shard: 'status, shard' }),
  event_retries: table('endpoint_id, event_id', {
    endpoint_id: 'varchar(35)', event_id: 'varchar(36)', attempts: 'integer', first_attempt_at: 'bigint',
    // When the latest attempt failed, or the event was requested again.
    noted_at: 'bigint',
    next_at: 'bigint',
  }, { event_retries_due: 'endpoint_id, next_at, event_id' }),
  event_attempts: table('endpoint_id, id', {
    endpoint_id: 'varchar(35)', id: 'varchar(32)', event_id: 'varchar(36)', type: 'varchar(32)', attempted_at: 'bigint',
    delivered: 'integer', http_status: 'integer null', error: 'text null', answer: 'text null', duration_ms: 'integer',
    next_at: 'bigint null',
  }, { event_attempts_age: 'attempted_at', event_attempts_outcome: 'endpoint_id, delivered, event_id' }),
  // The progress, in each workspace, of a receiver that gets the events of every workspace, such as the broker.
  event_cursors: table('consumer, workspace_id', { consumer: 'varchar(64)', workspace_id: 'varchar(35)', position: 'bigint' }),

  // People who sign in. Tokens, passwords and the names of attempts are stored only as digests.
  members: table('id', {
    id: 'varchar(36)', email: 'varchar(254)', is_operator: 'integer', created_at: 'bigint', last_sign_in_at: 'bigint null',
    password_digest: 'varchar(255) null', invited_by: 'varchar(254) null', credentials_version: 'integer null',
    // The tag of the language in which the member gets e-mails.
    language: 'varchar(16) null',
  }, { members_email: 'unique email' }),
  member_roles: table('member_id, workspace_id', {
    member_id: 'varchar(36)', workspace_id: 'varchar(35)', role: 'varchar(16)',
  }, { member_roles_workspace: 'workspace_id' }),
  member_links: table('digest', {
    digest: 'varchar(64)',
    // Null for a link that creates the first operator.
    member_id: 'varchar(36) null',
    expires_at: 'bigint', access: 'varchar(16) null', workspace_id: 'varchar(35) null', only_here: 'integer null',
    invited_by: 'varchar(254) null',
  }, { member_links_member: 'member_id', member_links_expires: 'expires_at', member_links_workspace: 'workspace_id' }),
  // The key is a digest of the issuer and the subject, which may be too long for an index.
  member_identities: table('digest', {
    digest: 'varchar(64)', issuer_digest: 'varchar(64)', member_id: 'varchar(36)',
  }, { member_identities_member: 'unique member_id, issuer_digest' }),
  sessions: table('id', {
    id: 'varchar(36)', digest: 'varchar(64)', member_id: 'varchar(36)', opened_by: 'varchar(16)', created_at: 'bigint',
    last_seen_at: 'bigint', expires_at: 'bigint', address: 'varchar(64) null', user_agent: 'varchar(255) null',
  }, { sessions_digest: 'unique digest', sessions_member: 'member_id', sessions_expires: 'expires_at', sessions_seen: 'last_seen_at' }),
  sign_in_attempts: table(
    'digest', { digest: 'varchar(64)', attempts: 'integer', ends_at: 'bigint', retry_at: 'bigint null' },
    { sign_in_attempts_ends: 'ends_at' },
  ),
  // One row, which every change of members locks.
  member_guard: table('id', { id: 'integer' }),

  // Rows are only ever added.
  audit_entries: table('id', {
    // Ids are in the order of time, and so are the entries.
    id: 'varchar(36)', workspace_id: 'varchar(35) null', created_at: 'bigint', act: 'varchar(64)', outcome: 'varchar(16)',
    actor_type: 'varchar(16)',
    // A member's id or a key's id; a member's email, or the account of the operating system.
    actor_id: 'varchar(64) null', actor_name: 'varchar(255) null',
    address: 'varchar(64) null', subject: 'varchar(255) null',
    // JSON.
    details: 'text null',
  }, { audit_entries_workspace: 'workspace_id, id', audit_entries_actor: 'actor_type, created_at' }),

  // Alerts to people: the kinds that a member gets by e-mail, the encrypted address of a workspace's channel, what was alerted, and what waits.
  alert_choices: table('member_id, kind', { member_id: 'varchar(36)', kind: 'varchar(16)' }),
  alert_channels: table('workspace_id', { workspace_id: 'varchar(35)', url: 'text' }),
  alerts: table('workspace_id, topic', { workspace_id: 'varchar(35)', topic: 'varchar(600)', alerted_at: 'bigint' }),
  waiting_alerts: table('id', {
    id: 'varchar(32)', workspace_id: 'varchar(35)',
    // The id of a member, or `channel`.
    recipient: 'varchar(36)',
    // JSON.
    troubles: 'mediumtext',
    raised_at: 'bigint', attempts: 'integer', next_at: 'bigint',
  }, { waiting_alerts_due: 'next_at', waiting_alerts_workspace: 'workspace_id' }),

  // The latest calls of the API, without their content.
  request_log: table(idKey('id'), {
    workspace_id: 'varchar(35)', id: 'varchar(32)', request_id: 'varchar(128)', key_id: 'varchar(64)', method: 'varchar(16)',
    // The pattern of the address, because a path may contain a phone number.
    route: 'varchar(128)',
    status: 'integer', code: 'varchar(64) null', message_id: 'varchar(36) null', duration_ms: 'integer',
    // How many calls were not kept since the previous entry.
    left_out: 'integer null',
    created_at: 'bigint',
  }, { request_log_workspace: workspaceIndex('id'), request_log_request: 'workspace_id, request_id', request_log_created: 'created_at' }),

  // The processes of the gateway: which process does the exclusive work, and which were alive within the last ten minutes.
  leases: table('name', { name: 'varchar(64)', holder: 'varchar(64)', until: 'bigint' }),
  gateways: table('id', {
    id: 'varchar(36)', version: 'varchar(64)', host: 'varchar(255)', pid: 'integer', started_at: 'bigint', seen_at: 'bigint',
    reconciled_at: 'bigint null',
  }),
}
