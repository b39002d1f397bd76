// Slow: unpacks the previous release and migrates its databases.
import { assert } from 'chai'
import { openDatabase } from '../../adapters/knex/engine/database.js'
import { migrate } from '../../adapters/knex/schema/migrate.js'
import { type Step, STEPS } from '../../adapters/knex/schema/steps.js'
import { describeEachDatabase } from '../support/databases.js'
import { SECRET } from '../support/gateway.js'
import { posternProcess } from '../support/postern.js'
import { whatBreaksBefore } from './expand-only.js'
import { PREVIOUS_RELEASE, type PreviousRelease, unpackPreviousRelease } from './previous-release.js'
import { readSchema } from './schema.js'

/** A step that breaks the previous release, and the fault that it has. */
type Broken = readonly [fault: string, up: Step['up']]

const BROKEN: ReadonlyArray<Broken> = [
  ['table free_message_counts is gone', (db) => db.schema.dropTable('free_message_counts')],
  ['table account_notices is gone', (db) => db.schema.renameTable('account_notices', 'notices')],
  ['column messages.error is gone', (db) => db.schema.alterTable('messages', (table) => { table.dropColumn('error') })],
  ['column workspaces.archived_at is gone',
    (db) => db.schema.alterTable('workspaces', (table) => { table.renameColumn('archived_at', 'ended_at') })],
  ['column templates.quality may no longer be null',
    (db) => db.schema.alterTable('templates', (table) => { table.string('quality', 255).notNullable().alter() })],
  ['column wallets.bonus is new, and an insert that does not know it fails', addStrictColumn],
  ['unique key wallet_entries (amount) is new, and refuses rows that were allowed',
    (db) => db.schema.alterTable('wallet_entries', (table) => { table.unique(['amount']) })],
]

const SHORTER: Broken = [
  'column templates.status is shorter',
  (db) => db.schema.alterTable('templates', (table) => { table.string('status', 200).notNullable().alter() }),
]

/** SQLite cannot add such a column, so the migration creates the table again. */
async function addStrictColumn(db: Parameters<Step['up']>[0]): Promise<void> {
  await db.schema.alterTable('wallets', (table) => { table.integer('bonus').notNullable().defaultTo(0) })
  await db.schema.alterTable('wallets', (table) => { table.integer('bonus').notNullable().alter() })
}

await describeEachDatabase(`The schema after ${PREVIOUS_RELEASE}`, (server) => {
  let previous: PreviousRelease

  before(async () => { previous = await unpackPreviousRelease() })
  after(() => previous[Symbol.asyncDispose]())

  /** What the steps after the previous release, and then those given, break for it. */
  const whatBreaks = async (steps: ReadonlyArray<Step>): Promise<ReadonlyArray<string>> => {
    await using made = await server.create()
    const { status, stderr } = await posternProcess(['migrate'], { DATABASE_URL: made.url, POSTERN_SECRET: SECRET }, '', previous.program)
    assert.equal(status, 0, stderr)
    const database = openDatabase(made.url)
    try {
      const before = await readSchema(database)
      await migrate(database, { steps: [...STEPS, ...steps] })
      return whatBreaksBefore(before, await readSchema(database))
    } finally {
      await database.close()
    }
  }

  it('has everything that it uses', async () => {
    assert.deepEqual(await whatBreaks([]), [])
  })

  it('is refused if a step drops, renames, narrows or tightens what it uses', async () => {
    // SQLite ignores lengths.
    const broken = server.name === 'SQLite' ? BROKEN : [...BROKEN, SHORTER]
    const steps = broken.map(([, up], index) => ({ name: `9999-broken-${index}`, up }))
    assert.sameMembers([...(await whatBreaks(steps))], broken.map(([fault]) => fault))
  })
})
