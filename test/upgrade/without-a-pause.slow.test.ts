// Slow: runs the previous release and this one side by side while the database is migrated.
import { assert } from 'chai'
import { openDatabase } from '../../adapters/knex/engine/database.js'
import { schemaVersion } from '../../adapters/knex/schema/migrate.js'
import { STEPS } from '../../adapters/knex/schema/steps.js'
import { startSimulator } from '../../apps/simulator/simulator.js'
import type { WorkspaceId } from '../../core/kernel/ids.js'
import { formatMicros } from '../../core/kernel/money.js'
import { assertExact, readBooks, reconcileAtOnce } from '../support/books.js'
import { describeEachDatabase } from '../support/databases.js'
import { eventually } from '../support/eventually.js'
import { APP_SECRET, SECRET, VERIFY_TOKEN } from '../support/gateway.js'
import { type Load, PRICE, startLoad } from '../support/load.js'
import { type Env, posternProcess } from '../support/postern.js'
import { type ServerProcess, startServer } from '../support/server-process.js'
import { PREVIOUS_RELEASE, type PreviousRelease, unpackPreviousRelease } from './previous-release.js'

const FUNDS = 100_000n * PRICE
const SENDERS = 4

/** How many more messages each part of the upgrade takes. */
const SENDS = 100

await describeEachDatabase(`An upgrade from ${PREVIOUS_RELEASE}`, (server) => {
  // Two gateways on one file of SQLite are not for production.
  if (server.name === 'SQLite') return
  let previous: PreviousRelease

  before(async () => { previous = await unpackPreviousRelease() })
  after(() => previous[Symbol.asyncDispose]())

  it('fails no send and keeps the books exact while this release migrates the database and takes over', async () => {
    await using database = await server.create()
    const simulator = await startSimulator({ delays: { sent: 5, delivered: 10, read: 20, failed: 10, late: 200, drip: 10 } })
    const env = {
      DATABASE_URL: database.url, POSTERN_SECRET: SECRET, PLATFORM_URL: simulator.url, PLATFORM_VERIFY_TOKEN: VERIFY_TOKEN,
      PLATFORM_APP_SECRET: APP_SECRET,
    }
    const gateways: ServerProcess[] = []
    const start = async (program?: string): Promise<ServerProcess> => {
      const gateway = await startServer(env, program === undefined ? {} : { program })
      gateways.push(gateway)
      return gateway
    }
    const hearsFrom = ({ url }: ServerProcess): void => {
      simulator.setWebhook({ url: `${url}/webhooks/platform`, appSecret: APP_SECRET, verifyToken: VERIFY_TOKEN })
    }
    const sendMore = async (load: Load): Promise<void> => {
      const enough = load.outcomes().length + SENDS
      await eventually('more sends', () => Promise.resolve(load.outcomes().length >= enough || undefined), 30_000)
    }
    try {
      const account = await openAccount(previous, env)
      const before = await start(previous.program)
      hearsFrom(before)
      const toBefore = startLoad({ urls: [before.url], key: account.key, senders: SENDERS, late: 1 })
      await sendMore(toBefore)

      const after = await start()
      assert.equal(await versionOf(database.url), STEPS.length)
      await sendMore(toBefore)
      const toAfter = startLoad({ urls: [after.url], key: account.key, senders: SENDERS, late: 1, firstCustomer: 500_000 })
      await Promise.all([sendMore(toBefore), sendMore(toAfter)])
      for (const { url } of [before, after]) assert.equal((await fetch(`${url}/health/ready`)).status, 200)

      // A load balancer takes the old gateway out before it is stopped.
      await toBefore.stop()
      hearsFrom(after)
      before.signal('SIGTERM')
      assert.equal((await before.ended).status, 0)
      await sendMore(toAfter)
      await toAfter.stop()
      await simulator.idle()
      after.signal('SIGTERM')
      assert.equal((await after.ended).status, 0)

      const outcomes = [...toBefore.outcomes(), ...toAfter.outcomes()]
      assert.deepEqual(outcomes.filter((outcome) => outcome === 'lost' || outcome.status !== 200), [])
      await reconcileAtOnce(env)
      const accepted = simulator.received().filter(({ outcome }) => outcome === 'accepted').map(({ callback }) => String(callback))
      assert.lengthOf(accepted, outcomes.length)
      assertExact(await readBooks(database.url, account.id), FUNDS, accepted)
    } finally {
      await Promise.all(gateways.map((gateway) => gateway.kill()))
      await simulator.close()
    }
  })
})

/** Has the previous release make a workspace with a sender, funds and a key. */
const openAccount = async ({ program }: PreviousRelease, env: Env): Promise<{ readonly id: WorkspaceId; readonly key: string }> => {
  const run = async (...args: ReadonlyArray<string>): Promise<Readonly<Record<string, unknown>>> => {
    const { status, stdout, stderr } = await posternProcess([...args, '--json'], env, 'token', program)
    assert.equal(status, 0, stderr)
    return JSON.parse(stdout) as Readonly<Record<string, unknown>>
  }
  await run('migrate')
  const id = String((await run('workspace', 'create', 'shop'))['id'])
  await run('sender', 'set', id, '--phone-number-id', '1000')
  await run('wallet', 'top-up', id, formatMicros(FUNDS), '--reference', 'first')
  return { id: id as WorkspaceId, key: String((await run('key', 'mint', id))['key']) }
}

const versionOf = async (url: string): Promise<number> => {
  const database = openDatabase(url)
  return schemaVersion(database.knex).finally(database.close)
}
