import { assert } from 'chai'
import createKnex from 'knex'
import { causeOf } from '../../../apps/server/package.js'
import { newSqliteFile } from '../../support/databases.js'
import { eventually } from '../../support/eventually.js'
import { serveInProcess } from '../../support/in-process-server.js'
import { postern } from '../../support/postern.js'
import { type InProcessFixture, type Tenant, startInProcessFixture } from '../../support/process-fixture.js'
import { makeScratch } from '../../support/scratch.js'

const CUSTOMER = '33639980001'
/** The simulator never answers a message to it. */
const UNANSWERED = '15550100600'

describe('A gateway', () => {
  let world: InProcessFixture
  let tenant: Tenant
  before(async () => {
    world = await startInProcessFixture()
    tenant = await world.tenant('100')
  })
  after(() => world[Symbol.asyncDispose]())

  it('sends over got if PLATFORM_TRANSPORT says so', async () => {
    await world.restart({ PLATFORM_TRANSPORT: 'got' })
    assert.equal((await tenant.send(CUSTOMER)).status, 200)
  })

  it('cuts off what takes longer than SHUTDOWN_TIMEOUT_MS, and writes down that its outcome is unknown', async () => {
    await world.restart({ SHUTDOWN_TIMEOUT_MS: '100' })
    const inFlight = tenant.send(UNANSWERED).then(() => 'answered', () => 'cut off')
    await eventually('the message reaching the platform', () => world.simulator.received().some(({ to }) => to === UNANSWERED) || undefined)
    await world.restart()
    assert.equal(await inFlight, 'cut off')
    const { json } = await tenant.ask('GET', `/v1/messages?to=${UNANSWERED}`)
    assert.deepEqual((json['messages'] as ReadonlyArray<{ readonly state: string }>).map(({ state }) => state), ['unconfirmed'])
  })

  it('gives the first answer to a repeated idempotency key after it was stopped and started again', async () => {
    world.simulator.reset()
    const first = await tenant.send(CUSTOMER, 'order-1')
    assert.equal(first.status, 200)
    await world.restart()
    const again = await tenant.send(CUSTOMER, 'order-1')
    assert.equal(again.text, first.text)
    assert.equal(again.headers.get('Idempotency-Replayed'), 'true')
    assert.lengthOf(world.simulator.received(), 1)
  })

  it('shows metrics on a port of their own if it is given one, and not on its own', async () => {
    const server = await world.restart({ METRICS_PORT: '0' })
    const { url } = server.log().find(({ msg }) => msg === 'metrics_listening') ?? {}
    assert.include(await (await fetch(String(url))).text(), 'postern_requests_total')
    assert.equal((await fetch(`${server.url}/metrics`)).status, 404)
  })

  it('shows its version, and the balance and the money on hold of each workspace', async () => {
    const { url } = await world.restart()
    // Balances that take a second to read are left out.
    const text = await eventually('balances', async () => {
      const metrics = await (await fetch(`${url}/metrics`)).text()
      return metrics.includes('postern_wallet_available{') ? metrics : undefined
    })
    assert.match(text, /^postern_build_info\{version="\d+\.\d+\.\d+(-dev)?"\} 1$/m)
    assert.match(text, new RegExp(`^postern_wallet_available\\{workspace="${tenant.id}",currency="USD"\\} \\d+(\\.\\d+)?$`, 'm'))
    assert.match(text, new RegExp(`^postern_wallet_held\\{workspace="${tenant.id}",currency="USD"\\} \\d+(\\.\\d+)?$`, 'm'))
  })
})

describe('A gateway with MIGRATE=off', () => {
  it('waits for a command to migrate, and says that it is not ready', async () => {
    await using database = await newSqliteFile()
    await using world = await startInProcessFixture({ MIGRATE: 'off' }, database.url)
    const ready = async (): Promise<number> => (await fetch(`${world.server().url}/health/ready`)).status
    assert.equal(await ready(), 503)
    assert.equal((await postern(['migrate'], world.env)).status, 0)
    await eventually('readiness', async () => (await ready()) === 200 || undefined)
  })
})

describe('A gateway whose database is migrated and takes no writes', () => {
  it('says so at its start', async () => {
    await using database = await newSqliteFile()
    await using world = await startInProcessFixture({}, database.url)
    const other = createKnex({
      client: 'better-sqlite3', useNullAsDefault: true, connection: { filename: database.url.slice('sqlite:'.length) },
    })
    try {
      await other.raw('BEGIN IMMEDIATE')
      const server = await world.restart()
      assert.deepInclude(server.log().find(({ msg }) => msg === 'database_not_ready'), {
        reasons: ['the database is locked by another process'], run: 'postern doctor',
      })
      await other.raw('ROLLBACK')
    } finally {
      await other.destroy()
    }
  })
})

describe('A gateway that cannot start', () => {
  it('says in one sentence that its database is not there', async () => {
    const scratch = await makeScratch()
    try {
      for (const url of [
        `sqlite:${scratch.path('no/such/folder.db')}`, 'mysql://root:hunter2@127.0.0.1:1/x', 'postgres://u:hunter2@127.0.0.1:1/x',
      ]) {
        const sentence = await serveInProcess({ DATABASE_URL: url }).then(
          () => assert.fail('it has started'), (error: unknown) => causeOf(error).message,
        )
        assert.match(sentence, /^The database cannot be used: [^\n]*(the folder .* does not exist|no database server listens on 127\.0\.0\.1)[^\n]+\.$/)
        assert.notInclude(sentence, 'hunter2')
      }
    } finally {
      await scratch.remove()
    }
  })
})
