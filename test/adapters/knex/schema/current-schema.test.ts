import { assert } from 'chai'
import type { Knex } from 'knex'
import { type Database, openDatabase } from '../../../../adapters/knex/engine/database.js'
import { TABLES } from '../../../../adapters/knex/schema/current.js'
import { migrate } from '../../../../adapters/knex/schema/migrate.js'
import { describeEachDatabase, type TestDatabase } from '../../../support/databases.js'
import { differences, tablesIn, tablesOnPage } from '../../../support/sql-tables.js'

/** A change of the schema that the page does not know, and what the comparison must say of it. */
type Drift = readonly [change: (schema: Knex.SchemaBuilder) => PromiseLike<unknown>, said: RegExp]

const DRIFTS: ReadonlyArray<Drift> = [
  [(schema) => schema.dropTable('member_guard'), /^table member_guard: the page says there, the database missing$/],
  [(schema) => schema.createTable('vouchers', (table) => { table.integer('id').primary() }), /^table vouchers: the page says missing, the database there$/],
  [(schema) => schema.alterTable('messages', (table) => { table.dropColumn('error') }), /^column messages error: the page says text null, the database missing$/],
  [(schema) => schema.alterTable('messages', (table) => { table.bigInteger('seen_at') }), /^column messages seen_at: the page says missing, the database bigint null$/],
  [(schema) => schema.alterTable('senders', (table) => { table.bigInteger('access_token').notNullable().alter() }), /^column senders access_token: the page says text, the database bigint$/],
  [(schema) => schema.alterTable('sessions', (table) => { table.string('address', 64).notNullable().alter() }), /^column sessions address: the page says \S+( \S+)? null, the database \S+( varying\(64\))?$/],
  [(schema) => schema.alterTable('wallets', (table) => { table.bigInteger('held').notNullable().defaultTo(0).alter() }), /^column wallets held: the page says bigint, the database bigint default '?0'?/],
  [
    (schema) =>
      schema.alterTable('key_spending', (table) => {
        table.dropPrimary('key_spending_pkey')
        table.primary(['key_id', 'workspace_id', 'on_day'])
      }),
    /^key key_spending primary: the page says workspace_id, key_id, on_day, the database key_id, workspace_id, on_day$/,
  ],
  [(schema) => schema.alterTable('events', (table) => { table.dropIndex([], 'events_age') }), /^index events events_age: the page says created_at, the database missing$/],
  [(schema) => schema.alterTable('wallet_entries', (table) => { table.index(['kind'], 'wallet_entries_kind') }), /^index wallet_entries wallet_entries_kind: the page says missing, the database kind$/],
  [
    (schema) =>
      schema.alterTable('api_keys', (table) => {
        table.dropIndex([], 'api_keys_workspace')
        table.index(['workspace_id', 'id'], 'api_keys_workspace')
      }),
    /^index api_keys api_keys_workspace: the page says workspace_id, the database workspace_id, id$/,
  ],
  [(schema) => schema.alterTable('members', (table) => { table.dropUnique([], 'members_email'); table.index(['email'], 'members_email') }),
    /^index members members_email: the page says unique email, the database email$/],
]

/** Only servers keep the length of a text and its order, and only SQLite and PostgreSQL keep the condition of an index. */
const ON_SERVERS: Drift =
  [(schema) => schema.alterTable('templates', (table) => { table.string('status', 200).notNullable().alter() }), /^column templates status: the page says .*\(255\), the database .*\(200\)$/]
const INEXACT: Drift =
  [(schema) => schema.alterTable('events', (table) => { table.string('subject', 160).notNullable().alter() }), /^column events subject: the page says (varbinary|.* collate C).*, the database \D+\(160\)$/]
const WHOLE: Drift =
  [(schema) => schema.alterTable('holds', (table) => { table.dropIndex([], 'holds_open'); table.index(['open_since'], 'holds_open') }),
    /^index holds holds_open: the page says open_since where open_since is not null, the database open_since$/]

await describeEachDatabase('The page of tables', (server) => {
  let testDatabase: TestDatabase
  let database: Database

  beforeEach(async () => {
    testDatabase = await server.create()
    database = openDatabase(testDatabase.url)
    await migrate(database)
  })
  afterEach(async () => {
    await database.close()
    await testDatabase[Symbol.asyncDispose]()
  })

  const difference = async (): Promise<ReadonlyArray<string>> =>
    differences(tablesOnPage(TABLES, database.dialect.name), await tablesIn(database))

  it('says what the steps make', async () => {
    assert.deepEqual(await difference(), [])
  })

  it('is refused if it contains something else', async () => {
    const { name } = database.dialect
    const drifts = [...DRIFTS, ...(name === 'sqlite' ? [] : [ON_SERVERS, INEXACT]), ...(name === 'mysql' ? [] : [WHOLE])]
    for (const [change] of drifts) await change(database.knex.schema)
    const said = await difference()
    assert.lengthOf(said, drifts.length, said.join('\n'))
    for (const [, expected] of drifts) assert.isTrue(said.some((one) => expected.test(one)), `${expected.source} in\n${said.join('\n')}`)
  })
})
