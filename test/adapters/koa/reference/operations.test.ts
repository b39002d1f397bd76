import { assert } from 'chai'
import type { Observation } from '../../../../adapters/koa/index.js'
import { CUSTOMER, gateway } from '../gateway.js'

describe('operations over HTTP', () => {
  const ask = (url: string) => fetch(url)

  it('/health/live answers 200 without a key', async () => {
    await using gw = await gateway()
    const response = await ask(`${gw.url}/health/live`)
    assert.equal(response.status, 200)
    assert.deepEqual(await response.json(), { status: 'ok' })
  })

  it('/health/ready answers 200 if everything is ready, and otherwise 503 with the reasons', async () => {
    await using gw = await gateway()
    await using unready = await gateway({ deps: () => ({ readiness: async () => ({ ready: false, reasons: ['Migrations are due'] }) }) })
    assert.equal((await ask(`${gw.url}/health/ready`)).status, 200)
    const response = await ask(`${unready.url}/health/ready`)
    assert.equal(response.status, 503)
    assert.deepEqual(await response.json(), { status: 'unavailable', reasons: ['Migrations are due'] })
  })

  it('/health/ready answers 200 if the queue is held, and says since when, how many messages it holds and what to type', async () => {
    const queueHeld = { since: Date.UTC(2026, 2, 1, 12), why: 'asleep', messages: 17 } as const
    await using gw = await gateway({ deps: () => ({ readiness: async () => ({ ready: true, reasons: [], queueHeld }) }) })
    const response = await ask(`${gw.url}/health/ready`)
    assert.equal(response.status, 200)
    assert.deepEqual<unknown>(await response.json(), {
      status: 'ok', queue_held: { since: '2026-03-01T12:00:00.000Z', why: 'asleep', messages: 17, run: 'postern queue resume' },
    })
  })

  it('/health/ready answers 503 if readiness itself fails, and only the log contains the cause', async () => {
    await using gw = await gateway({ deps: () => ({ readiness: () => Promise.reject(new Error('mysql://root:hunter2@db is down')) }) })
    const response = await ask(`${gw.url}/health/ready`)
    assert.equal(response.status, 503)
    assert.notInclude(await response.text(), 'mysql')
    assert.match(gw.log.join(), /"readiness_failed".*mysql/)
    assert.notInclude(gw.log.join(), 'hunter2')
  })

  it('/metrics gives what it is given, and is not there otherwise', async () => {
    await using bare = await gateway()
    await using gw = await gateway({
      deps: () => ({ metrics: async () => ({ contentType: 'text/plain; version=0.0.4', body: 'up 1\n' }) }),
    })
    assert.equal((await ask(`${bare.url}/metrics`)).status, 404)
    const response = await ask(`${gw.url}/metrics`)
    assert.equal(response.headers.get('content-type'), 'text/plain; version=0.0.4')
    assert.equal(await response.text(), 'up 1\n')
  })

  it("names every reply with X-Request-Id, the caller's own if that is sane", async () => {
    await using gw = await gateway({ deps: () => ({ newRequestId: () => 'ours' }) })
    const named = async (sent: string, path = '/v1/wallet'): Promise<string | null> =>
      (await gw.get(path, { 'X-Request-Id': sent })).headers.get('x-request-id')
    assert.equal(await named('Order-17_a.b'), 'Order-17_a.b')
    assert.equal(await named('x'.repeat(128)), 'x'.repeat(128))
    for (const sent of ['', 'x'.repeat(129), 'a b', 'a/b', 'é', '<script>', 'a, b']) assert.equal(await named(sent), 'ours')
    for (const secret of [gw.key, `id-${gw.key}`, gw.key.toUpperCase(), 'EAAGm0PX4ZCpsBAKZC', 'x.EAAGm0PX4ZCpsBAKZC', 'whsec_c2VjcmV0']) {
      assert.equal(await named(secret), 'ours', secret)
    }
    assert.equal(await named('GAEAAGm0PX4ZCpsBAKZC'), 'GAEAAGm0PX4ZCpsBAKZC')
    assert.notInclude(JSON.stringify([gw.requests, gw.log]), 'pst_')
    for (const path of ['/health/live', '/nowhere', '/v1/messages/send-text']) assert.equal(await named('mine', path), 'mine')
  })

  it('names a request by a UUID if nothing else is given', async () => {
    await using gw = await gateway()
    assert.match((await gw.get('/v1/wallet')).headers.get('x-request-id') ?? '', /^[0-9a-f-]{36}$/)
  })

  it('forbids storing and sniffing of every reply', async () => {
    await using gw = await gateway()
    for (const path of ['/v1/wallet', '/nowhere', '/health/live']) {
      const { headers } = await gw.get(path)
      assert.equal(headers.get('cache-control'), 'no-store')
      assert.equal(headers.get('x-content-type-options'), 'nosniff')
    }
  })

  it('logs every request by its route, never by its address', async () => {
    const seen: Array<Observation> = []
    await using gw = await gateway({ deps: () => ({ observe: (observation) => void seen.push(observation) }) })
    await gw.get(`/v1/windows/${CUSTOMER}`)
    await gw.get('/v1/messages/msg_unknown')
    await gw.get(`/nowhere/${CUSTOMER}`)
    await gw.sendText({})
    assert.deepEqual(seen.map(({ method, route, status }) => [method, route, status]), [
      ['GET', '/v1/windows/:to', 200], ['GET', '/v1/messages/:id', 404], ['GET', 'unrouted', 404], ['POST', '/v1/messages/send-text', 400],
    ])
    for (const { durationMs } of seen) assert.isAtLeast(durationMs, 0)
  })

  it('sends on though log and observer are broken', async () => {
    const broken = (): never => { throw new Error('broken') }
    await using gw = await gateway({ deps: () => ({ log: broken, observe: broken }) })
    gw.willAnswer('accept', { _tag: 'PlatformUnreachable', cause: 'down' })
    assert.equal((await gw.sendText({ to: CUSTOMER, text: 'hello' })).status, 200)
    assert.equal((await gw.sendText({ to: CUSTOMER, text: 'hello' })).status, 503)
  })
})
