import { assert } from 'chai'
import { rightOf } from '../../../support/right-of.js'
import { gateway, NOON, type Answered, type Gateway } from '../gateway.js'

const URL = 'https://shop.example/postern'
const PATH = '/v1/event-endpoints'
const AT = new Date(NOON).toISOString()

type Added = { readonly id: string; readonly secret: string }

const add = async (gw: Gateway, body: object = {}): Promise<Added> => (await gw.post(PATH, { url: URL, ...body })).json as Added
const test = (gw: Gateway, id: string): Promise<Answered> => gw.post(`${PATH}/${id}/test`, {})

describe('tests of endpoints over HTTP', () => {
  it('return the answer of the endpoint, which the log of deliveries contains', async () => {
    await using gw = await gateway()
    const { id, secret } = await add(gw, { types: ['wallet.*'] })
    gw.attemptsWillEnd({
      delivered: false, httpStatus: 500, error: 'The endpoint answered 500', answer: 'down for "repairs"', durationMs: 81,
    })
    const { status, json } = await test(gw, id)
    assert.equal(status, 200)
    const [attempt] = gw.tried
    assert.deepEqual<unknown>([attempt?.url, attempt?.secrets, attempt?.event.type], [URL, [secret], 'endpoint.test'])
    assert.deepInclude(json, {
      event: attempt?.event.id, type: 'endpoint.test', status: 'failed', http_status: 500, duration_ms: 81,
      error: 'The endpoint answered 500', answer: 'down for "repairs"', at: AT, next_attempt_at: null,
    })
    assert.deepEqual((await gw.get(`${PATH}/${id}/deliveries`)).json, { deliveries: [json], next_cursor: null })
    gw.attemptsWillEnd({ delivered: true, httpStatus: 204, error: undefined, answer: undefined, durationMs: 7 })
    assert.deepInclude((await test(gw, id)).json, { status: 'delivered', http_status: 204, duration_ms: 7, error: null, answer: null })
    assert.deepInclude((await gw.get(`${PATH}/${id}`)).json, { status: 'enabled', failing_since: null })
  })

  it('are made also while the endpoint is disabled', async () => {
    await using gw = await gateway()
    const { id } = await add(gw)
    await gw.request(`${PATH}/${id}`, { method: 'PATCH', body: '{"status":"disabled"}', headers: { 'Content-Type': 'application/json' } })
    assert.equal((await test(gw, id)).status, 200)
  })
})

describe('the log of deliveries over HTTP', () => {
  it('gives pages, newest first, with next_cursor null at the end', async () => {
    await using gw = await gateway()
    const { id } = await add(gw)
    for (let made = 0; made < 5; made += 1) await test(gw, id)
    const seen: Array<string> = []
    let cursor: string | null = ''
    while (cursor !== null) {
      const page = (await gw.get(`${PATH}/${id}/deliveries?limit=2&cursor=${cursor}`)).json as {
        deliveries: ReadonlyArray<{ event: string }>
        next_cursor: string | null
      }
      seen.push(...page.deliveries.map(({ event }) => event))
      cursor = page.next_cursor
    }
    assert.deepEqual(seen, gw.tried.map(({ event }) => event.id).reverse())
  })

  it('shows a failed attempt and the next one, and the endpoint since when it fails', async () => {
    await using gw = await gateway()
    const { id } = await add(gw)
    const found = rightOf(await gw.storage.eventEndpoints.list(gw.workspace))[0] ?? assert.fail('no endpoint')
    const event = `evt_${'1'.repeat(32)}`
    const next = NOON + 5_000
    await gw.storage.eventDeliveries.record({
      endpoint: found.id, from: 0, to: 0, retry: [], done: [], failures: 1, failingSince: NOON, pausedUntil: undefined,
      attempts: [{
        id: '2'.repeat(32), endpoint: found.id, event: event as never, type: 'message.sent', at: NOON, delivered: false,
        httpStatus: undefined, error: 'The connection was refused', answer: undefined, durationMs: 3, nextAttemptAt: next,
      }],
    })
    assert.deepEqual((await gw.get(`${PATH}/${id}/deliveries`)).json, {
      deliveries: [{
        id: '2'.repeat(32), event, type: 'message.sent', status: 'failed', http_status: null, duration_ms: 3,
        error: 'The connection was refused', answer: null, at: AT, next_attempt_at: new Date(next).toISOString(),
      }],
      next_cursor: null,
    })
    assert.deepInclude((await gw.get(`${PATH}/${id}`)).json, {
      failing_since: AT, last_delivery: { at: AT, status: 'failed', http_status: null },
    })
  })

  it('refuses a limit or a cursor of another form', async () => {
    await using gw = await gateway()
    const { id } = await add(gw)
    for (const query of ['limit=0', 'limit=101', 'limit=x', 'cursor=messages.x', 'cursor=deliveries.', 'cursor=deliveries.nothing']) {
      assert.deepInclude((await gw.get(`${PATH}/${id}/deliveries?${query}`)).json, { code: 'invalid_parameter' }, query)
    }
    assert.equal((await gw.get(`${PATH}/${id}/deliveries?cursor=deliveries.${'0'.repeat(32)}`)).status, 200)
  })
})
