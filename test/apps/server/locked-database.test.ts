import { stat } from 'node:fs/promises'
import { assert } from 'chai'
import createKnex, { type Knex } from 'knex'
import { startProcessFixture, type Tenant, type ProcessFixture } from '../../support/process-fixture.js'

/** What a request may take while another process holds the lock: the deadline of a write, and the rest of the request. */
const BOUND_MS = 8_000
const READ_MS = 2_000

describe('A gateway whose SQLite file', () => {
  let fixture: ProcessFixture
  let tenant: Tenant
  let path: string
  let other: Knex

  before(async () => {
    fixture = await startProcessFixture()
    path = (fixture.env['DATABASE_URL'] ?? '').slice('sqlite:'.length)
    tenant = await fixture.tenant()
    other = createKnex({ client: 'better-sqlite3', useNullAsDefault: true, connection: { filename: path } })
  })
  after(async () => {
    await other.destroy()
    await fixture[Symbol.asyncDispose]()
  })

  const timed = async <A>(work: () => Promise<A>): Promise<readonly [A, number]> => {
    const start = performance.now()
    return [await work(), performance.now() - start]
  }

  it('is new lets no other user read or write it, nor its log', async () => {
    assert.equal((await tenant.send('15557770001')).status, 200)
    for (const suffix of ['', '-wal', '-shm']) {
      const { mode } = await stat(`${path}${suffix}`)
      assert.equal((mode & 0o777).toString(8), '600', `postern.db${suffix}`)
    }
  })

  it('is locked by another process reads as fast as before, fails sends in time, and says that it is not ready', async () => {
    const fresh = await fixture.tenant()
    await other.raw('BEGIN IMMEDIATE')
    try {
      const [read, readMs] = await timed(() => fresh.ask('GET', '/v1/wallet'))
      assert.equal(read.status, 200)
      assert.isBelow(readMs, READ_MS)
      const [sends, sendMs] = await timed(() => Promise.all(Array.from({ length: 10 }, (_, index) => fresh.send(`1555777010${index}`))))
      assert.deepEqual(sends.map(({ status }) => status), sends.map(() => 503))
      assert.isBelow(sendMs, BOUND_MS)
      const ready = await fresh.ask('GET', '/health/ready')
      assert.equal(ready.status, 503)
      assert.deepEqual(ready.json['reasons'], ['the database is locked by another process'])
    } finally {
      await other.raw('ROLLBACK')
    }
    assert.equal((await fresh.send('15557770200')).status, 200)
    assert.deepEqual(await fresh.balance(), { available: '9.937500', held: '0.000000' })
  })
})
