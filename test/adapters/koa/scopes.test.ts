import { assert } from 'chai'
import { SCOPES, type Scope } from '../../../core/principal.js'
import { CUSTOMER, gateway, NOON, right } from './gateway.js'

const TEXT = { to: CUSTOMER, text: 'hello' }
const TEMPLATE = { to: CUSTOMER, template_name: 'order_update' }

/** Requests of each scope. */
const REQUESTS: ReadonlyArray<readonly [Scope, 'GET' | 'POST', string, object?]> = [
  ['send', 'POST', 'messages/send-text', TEXT], ['send', 'POST', 'messages/send-template', TEMPLATE],
  ['send', 'POST', 'quotes/send-text', TEXT], ['send', 'POST', 'quotes/send-template', TEMPLATE],
  ['read', 'GET', 'messages'], ['read', 'GET', 'messages/wamid.none'], ['read', 'GET', 'wallet'], ['read', 'GET', 'wallet/entries'],
  ['read', 'GET', `windows/${CUSTOMER}`], ['read', 'GET', `customers/${CUSTOMER}`], ['templates', 'GET', 'templates'],
  ['events', 'GET', 'events'], ['events', 'GET', 'event-endpoints'], ['answer', 'GET', 'media/1003383421387256'],
]

describe('the scopes of a key over HTTP', () => {
  it('allow exactly the operations of the scope, and the refusal names the scope that is missing', async () => {
    await using gw = await gateway()
    for (const scope of SCOPES) {
      const { key } = right(await gw.storage.keyStore.mint({ workspace: gw.workspace, name: scope, at: NOON, scopes: [scope] })())
      for (const [needed, method, path, body] of REQUESTS) {
        const { status, json } = await gw.request(`/v1/${path}`, {
          method, headers: { Authorization: `Bearer ${key}`, ...(body && { 'Content-Type': 'application/json' }) }, ...(body && { body: JSON.stringify(body) }),
        })
        if (needed === scope) assert.notEqual(status, 403, `${scope}: ${path}`)
        else assert.deepEqual([status, json], [403, { status: 'error', code: 'forbidden', message: `This API key does not have the scope ${needed}` }], `${scope}: ${path}`)
      }
    }
  })

  it('are what GET /v1/key tells, which needs none of them', async () => {
    await using gw = await gateway()
    const expiresAt = NOON + 3_600_000
    const cases = [{ scopes: [] }, { scopes: ['read', 'answer'], expiresAt }, { scopes: SCOPES }] as const
    for (const limits of cases) {
      const { id, key } = right(await gw.storage.keyStore.mint({ workspace: gw.workspace, name: 'shop', at: NOON, ...limits })())
      const { status, json } = await gw.request('/v1/key', { headers: { Authorization: `Bearer ${key}` } })
      const expires_at = 'expiresAt' in limits ? new Date(expiresAt).toISOString() : null
      assert.deepEqual([status, json], [200, { id, name: 'shop', workspace: gw.workspace, scopes: limits.scopes, expires_at }])
    }
  })

  it('do not help a key that has expired, which is refused as a revoked one is', async () => {
    await using gw = await gateway()
    const { key } = right(await gw.storage.keyStore.mint({ workspace: gw.workspace, name: 'shop', at: NOON - 2, scopes: SCOPES, expiresAt: NOON })())
    const { status, json } = await gw.request('/v1/key', { headers: { Authorization: `Bearer ${key}` } })
    assert.deepEqual([status, (json as { readonly code: string }).code], [401, 'unauthenticated'])
  })
})
