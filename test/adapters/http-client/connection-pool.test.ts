import { assert } from 'chai'
import { KEPT_SHORTLY } from '../../../adapters/cloud-api/transport.js'
import { makeConnectionPool } from '../../../adapters/http-client/connection-pool.js'
import { untilRested } from '../cloud-api/each-transport.js'

const HOST = 'http://platform.test'

describe('the connection pool', () => {
  let opened = 0
  let closed: number[] = []
  const makePool = (max = 10, kept: { readonly restMs: number; readonly idleMs: number; readonly maxIdle?: number } = KEPT_SHORTLY) =>
    makeConnectionPool({ open: () => (opened += 1), shut: (connection) => closed.push(connection), max, ...kept })

  beforeEach(() => {
    opened = 0
    closed = []
  })

  it('gives calls that are under way at once a connection each', () => {
    const pool = makePool()
    assert.deepEqual([pool.acquire(HOST)?.connection, pool.acquire(HOST)?.connection], [1, 2])
  })

  it('lets a connection rest after an answer before it gives it out again', async () => {
    const pool = makePool()
    pool.acquire(HOST)?.release(true)
    assert.equal(pool.acquire(HOST)?.connection, 2)
    await untilRested()
    assert.equal(pool.acquire(HOST)?.connection, 1)
  })

  it('gives out first what was used last, so that what is not needed idles and is closed', async () => {
    const pool = makePool()
    const leases = [pool.acquire(HOST), pool.acquire(HOST)]
    for (const lease of leases) lease?.release(true)
    await untilRested()
    assert.equal(pool.acquire(HOST)?.connection, 2)
  })

  it('closes a connection whose call failed, and does not give it out again', async () => {
    const pool = makePool()
    pool.acquire(HOST)?.release(false)
    assert.deepEqual(closed, [1])
    await untilRested()
    assert.equal(pool.acquire(HOST)?.connection, 2)
  })

  it('takes a connection back once', async () => {
    const pool = makePool()
    const lease = pool.acquire(HOST)
    lease?.release(true)
    lease?.release(true)
    await untilRested()
    assert.deepEqual([pool.acquire(HOST)?.connection, pool.acquire(HOST)?.connection], [1, 2])
  })

  it('keeps the connections of two servers apart', async () => {
    const pool = makePool()
    pool.acquire(HOST)?.release(true)
    await untilRested()
    assert.equal(pool.acquire('http://elsewhere.test')?.connection, 2)
  })

  it('gives a connection out again at once if none has to rest, and says that it was used before', () => {
    const pool = makePool(10, { restMs: 0, idleMs: 60_000 })
    const first = pool.acquire(HOST)
    assert.isTrue(first?.isNew)
    first.release(true)
    const again = pool.acquire(HOST)
    assert.deepEqual([again?.connection, again?.isNew], [1, false])
  })

  it('keeps no more unused ones than it may, and closes one of the server that was used longest ago', () => {
    const pool = makePool(10, { restMs: 0, idleMs: 60_000, maxIdle: 2 })
    const leases = ['http://a.test', 'http://b.test', 'http://a.test', 'http://c.test'].map((origin) => pool.acquire(origin))
    for (const lease of leases) lease?.release(true)
    assert.deepEqual(closed, [2, 1], 'b was used before a')
    assert.deepEqual(['http://a.test', 'http://b.test', 'http://c.test'].map((origin) => pool.acquire(origin)?.connection), [3, 5, 4])
  })

  it('gives out no more at once than it may', () => {
    const pool = makePool(1)
    const lease = pool.acquire(HOST)
    assert.isUndefined(pool.acquire(HOST))
    lease?.release(true)
    assert.isDefined(pool.acquire(HOST), 'a connection that rests is not in use')
  })

  it('closes every connection when it is closed, and gives out none', async () => {
    const pool = makePool()
    const leases = [pool.acquire(HOST), pool.acquire(HOST), pool.acquire(HOST)]
    leases[0]?.release(true)
    await untilRested()
    leases[1]?.release(true)
    await pool.close()
    assert.sameMembers(closed, [1, 2, 3])
    assert.isUndefined(pool.acquire(HOST))
  })
})
