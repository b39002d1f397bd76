import { assert } from 'chai'
import * as E from 'fp-ts/lib/Either.js'
import type { AnsweredCall } from '../../../core/requests/request-log.js'
import { CUSTOMER, gateway, type World } from './gateway.js'

/** A gateway whose calls are kept in a list. */
const recorded = async (world: World = {}) => {
  const calls: Array<AnsweredCall> = []
  return { calls, gw: await gateway({ ...world, deps: (deps) => ({ ...world.deps?.(deps), record: (call) => { calls.push(call) } }) }) }
}

describe('what is recorded of the calls of the API', () => {
  it('is the route, the status, the code and the key of each, under the id of its reply', async () => {
    const { calls, gw } = await recorded({ lastInbound: undefined })
    await using _ = gw
    const refused = await gw.sendText({ to: CUSTOMER, text: 'Hello' }, { 'X-Request-Id': 'mine' })
    const listed = await gw.get('/v1/messages?limit=1')
    assert.equal(refused.status, 400)
    const [first, second] = calls
    assert.deepInclude(first, {
      requestId: 'mine', workspace: gw.workspace, method: 'POST', route: '/v1/messages/send-text', status: 400, code: 'window_closed',
    })
    assert.isTrue(gw.key.includes(first?.key ?? 'none'), 'the id of the key')
    assert.notInclude(JSON.stringify(calls), gw.key, 'and not the key')
    assert.deepInclude(second, {
      requestId: listed.headers.get('x-request-id') ?? 'none', method: 'GET', route: '/v1/messages', status: 200,
    })
    assert.isAtLeast(second?.durationMs ?? -1, 0)
    assert.notProperty(second, 'code')
  })

  it('has the message that was sent', async () => {
    const { calls, gw } = await recorded()
    await using _ = gw
    const sent = await gw.sendText({ to: CUSTOMER, text: 'Hello' })
    assert.match(calls[0]?.message ?? '', /^msg_/)
    assert.equal(calls[0]?.message, sent.headers.get('postern-message'))
  })

  it('has those that were refused for the rate of the workspace, and none without a key that works', async () => {
    const { calls, gw } = await recorded({ deps: () => ({ rateLimit: async () => E.left({ _tag: 'RateLimited', retryAfterSeconds: 3 }) }) })
    await using _ = gw
    await gw.get('/v1/messages')
    await gw.get('/v1/messages', { Authorization: 'Bearer pst_unknown' })
    await gw.get('/v1/nothing')
    await gw.get('/health/live')
    await gw.request('/v1/messages/send-text', { method: 'DELETE' })
    assert.deepEqual(calls.map(({ status, code }) => [status, code]), [[429, 'rate_limited']])
  })

  it('never contains a number or a text, in whichever part of the request it was', async () => {
    const { calls, gw } = await recorded()
    await using _ = gw
    const said = 'a secret sentence'
    for (const path of [
      `/v1/windows/${CUSTOMER}`, `/api/v1/windows/${CUSTOMER}`, `/v1/customers/${CUSTOMER}`, `/v1/messages?to=${CUSTOMER}`, `/v1/messages?metadata.note=${CUSTOMER}`,
      `/v1/messages/${CUSTOMER}`, `/v1/windows/${encodeURIComponent(said)}`,
    ]) await gw.get(path)
    await gw.sendText({ to: CUSTOMER, text: said })
    await gw.sendText({ to: CUSTOMER, text: said, metadata: { note: said } }, { 'Idempotency-Key': `${CUSTOMER}-1` })
    await gw.post('/v1/messages/send', { to: CUSTOMER, type: 'text', text: { body: said }, [CUSTOMER]: said })
    await gw.post('/v1/quotes/send-text', { to: CUSTOMER, text: said })
    await gw.post(`/graph/v23.0/${gw.phoneNumberId}/messages`, {
      messaging_product: 'whatsapp', to: CUSTOMER, type: 'text', text: { body: said },
    })
    await gw.post(`/graph/v23.0/${CUSTOMER}/messages?access_token=${CUSTOMER}`, {
      messaging_product: 'whatsapp', to: CUSTOMER, type: 'text', text: { body: said },
    })
    assert.isAtLeast(calls.length, 11)
    const text = JSON.stringify(calls)
    for (const secret of [CUSTOMER, said, encodeURIComponent(said)]) assert.notInclude(text, secret)
    assert.includeMembers(calls.map(({ route }) => route), ['/v1/windows/{to}', '/api/v1/windows/{to}', '/v1/messages/send-text'])
    assert.isTrue(calls.some(({ route }) => route.startsWith('/graph/')), 'the calls of the platform’s own clients, too')
  })

  it('fails no call if the recorder throws', async () => {
    await using gw = await gateway({ deps: () => ({ record: () => { throw new Error('a defect') } }) })
    assert.equal((await gw.sendText({ to: CUSTOMER, text: 'Hello' })).status, 200)
  })
})
