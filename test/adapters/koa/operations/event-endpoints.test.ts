import { assert } from 'chai'
import * as E from 'fp-ts/lib/Either.js'
import type { EventEndpoints } from '../../../../core/events/endpoint.js'
import { type Answered, gateway, type Gateway, NOON, portDown } from '../gateway.js'
import { withoutScope } from '../with-uses.js'

const URL = 'https://shop.example/postern?from=postern'
const PATH = '/v1/event-endpoints'
const AT = new Date(NOON).toISOString()
const UNKNOWN = `ep_${'0'.repeat(32)}`

type Shown = {
  readonly id: string
  readonly url: string
  readonly status: string
  readonly types: ReadonlyArray<string>
  readonly secret?: string
}

const shown = ({ json }: Answered): Shown => json as Shown
const add = async (gw: Gateway, body: object = {}, headers = {}): Promise<Shown> => {
  const added = await gw.post(PATH, { url: URL, ...body }, headers)
  assert.equal(added.status, 201, added.text)
  return shown(added)
}
const send = (gw: Gateway, method: string, path: string, body?: unknown): Promise<Answered> =>
  gw.request(`${PATH}${path}`, {
    method, ...(body !== undefined && { body: JSON.stringify(body), headers: { 'Content-Type': 'application/json' } }),
  })
const refused = ({ status, json }: Answered): string => {
  const { code, message } = json as { readonly code: string; readonly message: string }
  return `${status} ${code}: ${message}`
}

describe('endpoints over HTTP', () => {
  for (const base of ['/v1', '/api/v1']) {
    it(`POST ${base}/event-endpoints adds an endpoint and shows its secret`, async () => {
      await using gw = await gateway()
      const added = await gw.post(`${base}/event-endpoints`, { url: URL, types: ['message.*', 'wallet.low'], description: ' the shop ' })
      assert.equal(added.status, 201)
      const { id, secret, ...rest } = shown(added)
      assert.match(id, /^ep_[0-9a-f]{32}$/)
      assert.match(secret ?? '', /^whsec_[A-Za-z0-9+/]{32}$/)
      assert.deepEqual<object>(rest, {
        url: URL, format: 'postern', types: ['message.*', 'wallet.low'], description: 'the shop', status: 'enabled', failing_since: null,
        last_delivery: null, created_at: AT,
      })
    })

    it(`${base}/event-endpoints/{id} is read, changed and removed`, async () => {
      await using gw = await gateway()
      const { id } = await add(gw)
      const path = `${base}/event-endpoints/${id}`
      const changed = await gw.request(path, {
        method: 'PATCH', body: '{"status":"disabled"}', headers: { 'Content-Type': 'application/json' },
      })
      assert.deepEqual([changed.status, shown(changed).status], [200, 'disabled'])
      assert.deepEqual((await gw.get(path)).json, changed.json)
      const removed = await gw.request(path, { method: 'DELETE' })
      assert.deepEqual([removed.status, removed.text, removed.headers.get('content-type')], [204, '', null])
      assert.equal((await gw.get(path)).status, 404)
    })
  }

  it('get all events if no types are named', async () => {
    await using gw = await gateway()
    assert.deepEqual((await add(gw)).types, ['*'])
  })

  it('are listed oldest first, all of them', async () => {
    await using gw = await gateway()
    assert.deepEqual((await gw.get(PATH)).json, { endpoints: [] })
    const ids = [(await add(gw)).id, (await add(gw)).id, (await add(gw)).id]
    assert.deepEqual(((await gw.get(PATH)).json as { endpoints: ReadonlyArray<Shown> }).endpoints.map(({ id }) => id), ids)
  })

  it('keep their secret to themselves but for the replies that make one', async () => {
    await using gw = await gateway()
    const { id, secret = '' } = await add(gw)
    const rotated = await send(gw, 'POST', `/${id}/rotate-secret`)
    const second = shown(rotated).secret ?? ''
    assert.equal(rotated.status, 200)
    assert.match(second, /^whsec_[A-Za-z0-9+/]{32}$/)
    assert.notEqual(second, secret)
    const others = [
      await gw.get(PATH), await gw.get(`${PATH}/${id}`), await send(gw, 'PATCH', `/${id}`, { description: 'x' }),
      await send(gw, 'POST', `/${id}/test`), await gw.get(`${PATH}/${id}/deliveries`),
      await send(gw, 'POST', `/${id}/redeliver`, { since: AT }), await gw.get('/v1/events'), await send(gw, 'DELETE', `/${id}`),
    ]
    for (const { text } of others) for (const one of [secret, second]) assert.notInclude(text, one)
    for (const one of [secret, second]) assert.notInclude(gw.log.join() + JSON.stringify(gw.requests), one)
  })

  it('are signed with both secrets for a day after a rotation', async () => {
    await using gw = await gateway()
    const { id, secret } = await add(gw)
    const second = shown(await send(gw, 'POST', `/${id}/rotate-secret`)).secret
    await send(gw, 'POST', `/${id}/test`)
    gw.passes(24 * 3_600_000)
    await send(gw, 'POST', `/${id}/test`)
    assert.deepEqual<unknown>(gw.tried.map(({ secrets }) => secrets), [[second, secret], [second]])
  })

  it('change what is given, and nothing else', async () => {
    await using gw = await gateway()
    const { secret: _secret, ...added } = await add(gw, { types: ['message.*'], description: 'the shop' })
    const changes = [
      {}, { url: 'http://10.0.0.7:8080/' }, { types: ['*'] }, { description: '' }, { status: 'disabled' }, { status: 'enabled', more: 1 },
    ]
    let expected: object = added
    for (const change of changes) {
      const { more: _more, ...known } = { more: 0, ...change }
      expected = { ...expected, ...known }
      assert.deepEqual<unknown>((await send(gw, 'PATCH', `/${added.id}`, change)).json, expected)
    }
    assert.deepEqual<unknown>((await gw.get(`${PATH}/${added.id}`)).json, expected)
  })

  it('answer 400 if the address, a type, the description or the status breaks its rule, and change nothing', async () => {
    await using gw = await gateway()
    const { secret: _secret, ...added } = await add(gw)
    const cases: ReadonlyArray<readonly [object, RegExp]> = [
      ...[
        'ftp://shop.example', 'shop.example', 'https://', 'https://user:hunter2@shop.example/', 'https://shop.example/#x',
        'https://shop.example/ x', 'javascript:alert(1)', `https://shop.example/${'x'.repeat(2048)}`, ' https://shop.example/',
      ].map((url) => [{ url }, /^400 invalid_parameter: url must be an absolute https URL/] as const),
      [{ url: 7 }, /^400 invalid_parameter: url must be a string/],
      [{ types: [] }, /^400 invalid_parameter: types must be an array of at least one item$/],
      [{ types: 'message.*' }, /^400 invalid_parameter: types must be an array$/],
      [{ types: ['message.*', 'message.lost'] }, /^400 invalid_parameter: types\[1\] must be a type of event such as message\.delivered/],
      [{ types: ['MESSAGE.SENT'] }, /^400 invalid_parameter: types\[0\] must be/],
      [{ types: ['message.sent', 'message.sent'] }, /^400 invalid_parameter: types must be an array that names nothing twice$/],
      [{ types: Array.from({ length: 51 }, () => '*') }, /^400 invalid_parameter: types must be an array of at most 50 items, not 51$/],
      [{ types: [null] }, /^400 invalid_parameter: types\[0\] must be a string$/],
      [{ description: 'x'.repeat(256) }, /^400 invalid_parameter: description must be a string of at most 255 characters$/],
      [{ description: 'a\nb' }, /^400 invalid_parameter: description must be without control characters$/],
      [{ description: '\ud800' }, /^400 invalid_parameter: description must be well-formed Unicode$/],
      [{ description: null }, /^400 invalid_parameter: description must be a string$/],
    ]
    for (const [body, sentence] of cases) {
      assert.match(refused(await gw.post(PATH, { url: URL, ...body })), sentence)
      assert.match(refused(await send(gw, 'PATCH', `/${added.id}`, body)), sentence)
    }
    for (const status of ['paused', '', null]) assert.match(refused(await send(gw, 'PATCH', `/${added.id}`, { status })), /^400 invalid_parameter: status must be one of enabled, disabled/)
    assert.deepEqual((await gw.get(PATH)).json, { endpoints: [added] })
    assert.notInclude(gw.log.join(), 'hunter2')
  })

  it('never repeat an address with a password in a refusal', async () => {
    await using gw = await gateway()
    assert.notInclude((await gw.post(PATH, { url: 'https://user:hunter2@shop.example/' })).text, 'hunter2')
  })

  it('answer 400 missing_parameters without an address', async () => {
    await using gw = await gateway()
    for (const body of [{}, { url: '' }, { types: ['*'] }]) assert.equal(refused(await gw.post(PATH, body)), '400 missing_parameters: Missing required parameters: url')
  })

  it('take 1,000 of a workspace and answer 409 from then on, until one is removed', async () => {
    await using gw = await gateway()
    const { id } = await add(gw)
    for (let made = 1; made < 1_000; made += 1) await add(gw)
    const { endpoints } = (await gw.get(PATH)).json as { endpoints: ReadonlyArray<Shown> }
    assert.equal(new Set(endpoints.map((one) => one.id)).size, 1_000)
    assert.match(refused(await gw.post(PATH, { url: URL })), /^409 too_many_endpoints: This workspace has 1000 endpoints, which is the maximum/)
    const { key } = await gw.addWorkspace()
    await add(gw, {}, { Authorization: `Bearer ${key}` })
    await send(gw, 'DELETE', `/${id}`)
    await add(gw)
  })

  /** Every operation on one endpoint. */
  const OF_ONE: ReadonlyArray<readonly [method: string, path: string, body?: object]> = [
    ['GET', ''], ['PATCH', '', { status: 'disabled' }], ['DELETE', ''], ['POST', '/rotate-secret'], ['POST', '/test'],
    ['GET', '/deliveries'], ['POST', '/redeliver', { since: AT }],
  ]

  it('of another workspace are not found, and stay as they are', async () => {
    await using gw = await gateway()
    const { secret: _secret, ...mine } = await add(gw)
    const { key } = await gw.addWorkspace()
    const headers = { Authorization: `Bearer ${key}`, 'Content-Type': 'application/json' }
    for (const [method, path, body] of OF_ONE) {
      const answer = await gw.request(`${PATH}/${mine.id}${path}`, { method, headers, ...(body && { body: JSON.stringify(body) }) })
      assert.equal(refused(answer), `404 not_found: This workspace has no endpoint ${mine.id}`, `${method} ${path}`)
    }
    assert.deepEqual((await gw.get(PATH, { Authorization: `Bearer ${key}` })).json, { endpoints: [] })
    assert.deepEqual((await gw.get(PATH)).json, { endpoints: [mine] })
    assert.isEmpty(gw.tried)
  })

  it('that are unknown, or whose id has another form, are not found', async () => {
    await using gw = await gateway()
    for (const id of [UNKNOWN, 'ep_', UNKNOWN.toUpperCase(), `${UNKNOWN}0`, 'x', '%00', '%ff', '..%2f']) {
      for (const [method, path, body] of OF_ONE) {
        assert.equal((await send(gw, method, `/${id}${path}`, body)).status, 404, `${method} ${id}${path}`)
      }
    }
  })

  it('are closed to a key without the scope `events`, after 401 and before 400', async () => {
    await using gw = await gateway({ deps: withoutScope('events') })
    const operations = [['GET', '/v1/event-endpoints'], ['POST', '/v1/event-endpoints'], ['GET', '/v1/events'], ['POST', `/v1/events/evt_${'0'.repeat(32)}/redeliver`],
      ...OF_ONE.map(([method, path]) => [method, `${PATH}/${UNKNOWN}${path}`] as const)] as const
    for (const [method, path] of operations) {
      assert.equal(
        refused(await gw.request(path, { method })), '403 forbidden: This API key does not have the scope events', `${method} ${path}`,
      )
      assert.equal((await gw.request(path, { method, headers: { Authorization: 'Bearer x' } })).status, 401)
    }
    assert.equal((await gw.get('/v1/wallet')).status, 200)
  })

  it('answer 405 with what an address takes, and 204 to OPTIONS', async () => {
    await using gw = await gateway()
    const one = `${PATH}/${UNKNOWN}`
    const cases = [
      [PATH, 'PUT', 'GET, HEAD, POST'], [one, 'PUT', 'DELETE, GET, HEAD, PATCH'], [one, 'POST', 'DELETE, GET, HEAD, PATCH'],
      [`${one}/test`, 'GET', 'POST'], [`${one}/deliveries`, 'POST', 'GET, HEAD'], ['/v1/events', 'POST', 'GET, HEAD'],
    ] as const
    for (const [path, method, allow] of cases) {
      const answer = await gw.request(path, { method })
      assert.deepEqual([answer.status, answer.headers.get('allow')], [405, allow], `${method} ${path}`)
      const options = await gw.request(path, { method: 'OPTIONS' })
      assert.deepEqual([options.status, options.headers.get('allow')], [204, allow], path)
    }
    assert.equal((await gw.request(`${PATH}/x`, { method: 'PUT' })).status, 404)
  })

  it('take JSON alone', async () => {
    await using gw = await gateway()
    const { id } = await add(gw)
    for (const [method, path] of [['POST', PATH], ['PATCH', `${PATH}/${id}`], ['POST', `${PATH}/${id}/redeliver`]] as const) {
      assert.equal((await gw.request(path, { method, body: new URLSearchParams({ url: URL, since: AT }) })).status, 415)
      assert.equal((await gw.request(path, { method, body: '{', headers: { 'Content-Type': 'application/json' } })).status, 400)
    }
  })

  it('answer 503 if storage fails, and name nothing of the cause', async () => {
    const down = portDown('EventEndpoints')
    await using gw = await gateway({
      eventPorts: ({ eventEndpoints }) => ({ eventEndpoints: { ...eventEndpoints, find: down, list: down } satisfies EventEndpoints }),
    })
    for (const [method, path, body] of OF_ONE) {
      assert.match(refused(await send(gw, method, `/${UNKNOWN}${path}`, body)), /^503 storage_unavailable: /)
    }
    for (const method of ['GET', 'POST']) {
      assert.equal((await send(gw, method, '', method === 'POST' ? { url: URL } : undefined)).status, 503)
    }
    assert.match(gw.log.join(), /"port_failed".*"port":"EventEndpoints"/)
    assert.notInclude(gw.log.join(), 'secret')
  })

  it('are refused to a key whose workspace is gone', async () => {
    await using gw = await gateway({
      eventPorts: ({ eventEndpoints }) => ({
        eventEndpoints: { ...eventEndpoints, add: async () => E.left({ _tag: 'UnknownWorkspace' }) },
      }),
    })
    assert.match(refused(await gw.post(PATH, { url: URL })), /^401 unauthenticated/)
  })

  it('are not served by an app without them', async () => {
    await using gw = await gateway({ events: false })
    for (const path of [PATH, `${PATH}/${UNKNOWN}`, '/v1/events']) assert.equal((await gw.get(path)).status, 404, path)
  })
})
