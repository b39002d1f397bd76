import { Readable } from 'node:stream'
import { assert } from 'chai'
import { scopeOf } from '../../../adapters/koa/authenticate.js'
import { OPERATIONS } from '../../../adapters/koa/contract.js'
import type { Operation } from '../../../adapters/koa/operation.js'
import { ACCESS } from '../../../core/access/access.js'
import type { PhoneNumber } from '../../../core/customers/customer.js'
import { type EndpointId, endpointSecretOf } from '../../../core/events/endpoint.js'
import { ACTS, type Scope, SCOPES } from '../../../core/kernel/actor.js'
import type { EventId } from '../../../core/kernel/ids.js'
import type { Currency } from '../../../core/kernel/money.js'
import { ALL_EVENTS } from '../../../core/kernel/outbox.js'
import { DAY_MS, HOUR_MS } from '../../../core/kernel/time.js'
import type { MessageId } from '../../../core/messages/message.js'
import { senderIdOf } from '../../../core/senders/sender.js'
import { body, templateOf } from '../../core/template-samples.js'
import { rightOf } from '../../support/right-of.js'
import { storeExampleBatch } from './batch-scenarios.js'
import { CUSTOMER, gateway, NOON } from './gateway.js'
import { refusal } from './refusal.js'

const [ENDPOINT, EVENT, MESSAGE] = (['ep', 'evt', 'msg'] as const).map((prefix) =>
  `${prefix}_0199c3a87c2e7b1f9d5a4e6b8c0d2f41`) as [EndpointId, EventId, MessageId]

const KEYED: ReadonlyArray<Operation<never>> = OPERATIONS.filter(({ isVersioned }: Operation<never>) => isVersioned)

/** No scope, each alone, all but each, and all. */
const SCOPE_SETS: ReadonlyArray<ReadonlyArray<Scope>> =
  [[], ...SCOPES.map((scope) => [scope]), ...SCOPES.map((scope) => SCOPES.filter((other) => other !== scope)), SCOPES]

/** The customer of the examples. */
const EXAMPLE = '33639980001' as PhoneNumber

/** The request that the document has as an example. */
const exampleOf = ({ method, path, document: { parameters = [], requestBody } }: Operation<never>) => {
  const values = new Map(
    parameters.flatMap((parameter) => ('name' in parameter ? [[parameter.name, (parameter.schema.examples ?? [CUSTOMER])[0]]] : [])),
  )
  const [example] = Object.values(requestBody?.content['application/json']?.examples ?? {})
  const [[linesType, lines] = []] = Object.entries(requestBody?.content ?? {}).filter(([type]) => type === 'text/csv')
  const [file] = Object.values(lines?.examples ?? {})
  const isForm = requestBody !== undefined && requestBody.content['application/json'] === undefined && lines === undefined
  return {
    path: `/v1${path.replace(/\{(\w+)\}/g, (_, name: string) => String(values.get(name)))}`,
    init: {
      method: method.toUpperCase(), ...(example && { body: JSON.stringify(example.value) }), ...(file && { body: String(file.value) }),
      ...(isForm && { body: '--b\r\nContent-Disposition: form-data; name=file; filename=a\r\n\r\nhello\r\n--b--\r\n' }),
    },
    headers: {
      ...(example && { 'Content-Type': 'application/json' }), ...(linesType !== undefined && { 'Content-Type': linesType }),
      ...(isForm && { 'Content-Type': 'multipart/form-data; boundary=b' }),
    },
  }
}

/** A gateway that has what the examples name. */
const open = async () => {
  const gw = await gateway({ templates: [templateOf([body('Hello')], { name: 'hello_world', language: 'en_US' })] })
  const { storage, workspace } = gw
  const price = { micros: 1n, currency: 'USD' as Currency, category: 'service' } as const
  rightOf(await storage.messageLog.open({
    id: MESSAGE, workspace, message: { _tag: 'Text', to: CUSTOMER as PhoneNumber, text: 'hello' }, price, at: NOON,
    queue: { dueAt: NOON + HOUR_MS, endsAt: NOON + DAY_MS },
  }))
  const sender = { phoneNumberId: senderIdOf('106540352242922'), accessToken: 't', businessAccountId: undefined }
  rightOf(await storage.senders.assign(workspace, sender))
  rightOf(await storage.windowClock.recordInbound(workspace, { phoneNumber: EXAMPLE }, NOON))
  rightOf(await storage.eventOutbox.append(workspace, [{ id: EVENT, type: 'message.sent', workspace, at: NOON, subject: 'x', data: {} }]))
  const endpoints = async () => rightOf(await storage.eventEndpoints.list(workspace))
  const reset = async () => {
    for (const { id } of await endpoints()) rightOf(await storage.eventEndpoints.remove(id))
    rightOf(await storage.eventEndpoints.add({
      id: ENDPOINT, workspace, url: 'https://shop.example/', types: ALL_EVENTS, description: '', createdAt: NOON,
      secret: endpointSecretOf(''),
    }))
    gw.willGiveMedia({ type: 'image/png', length: 4, part: undefined, bytes: Readable.from([Buffer.from('some')]), close: () => undefined })
  }
  /** What requests can change or cause. */
  const effects = async () => ({
    endpoints: await endpoints(), sent: gw.sent.length, marked: gw.marked.length, uploads: gw.uploads.length, tried: gw.tried.length,
    wanted: gw.wanted.length,
  })
  /** What the audit log says of a key's acts, oldest first. */
  const notedOf = async (key: string) =>
    rightOf(await storage.auditLog.list({ limit: 100 })).items.toReversed()
      .flatMap(({ by, act, outcome, address, workspace: of }) =>
        by.type === 'key' && by.id === key ? [{ act, outcome, address, workspace: of }] : [])
  return { gw, reset, effects, notedOf }
}

describe('the scopes of a key over HTTP', () => {
  it('are those of the table of acts', () => {
    const acts = KEYED.flatMap(({ act }) => (act === undefined ? [] : [act]))
    assert.sameMembers([...new Set(acts)], ACTS.filter((act) => ACCESS[act].scope !== undefined), 'every act that a key may do is an operation')
    assert.deepEqual(KEYED.filter(({ act }) => act === undefined).map(({ document }) => document.operationId), ['getKey'])
    assert.throws(() => scopeOf('workspace.create'), TypeError, 'no API key may do workspace.create')
  })

  for (const operation of KEYED) {
    const { act, method, document: { operationId } } = operation
    const scope = scopeOf(act)
    it(`let ${operationId} succeed exactly for keys ${scope === undefined ? 'of any scope' : `with the scope ${scope}`}, and the refusal names it`, async () => {
      const { gw, reset, effects, notedOf } = await open()
      await using _ = gw
      await storeExampleBatch(gw, act === 'batch.change' ? 'draft' : 'paused')
      const { path, init, headers } = exampleOf(operation)
      // The log of messages has what was sent, and the check of a batch changes nothing.
      const isNoted = act !== undefined && method !== 'get' && !['message.send', 'message.mark_read'].includes(act)
        && operationId !== 'preflightBatch'
      for (const scopes of SCOPE_SETS) {
        const { id, key } = rightOf(await gw.storage.keyStore.mint({ workspace: gw.workspace, name: 'shop', at: NOON, scopes }))
        await reset()
        const before = await effects()
        const { status, text, json } = await gw.request(path, { ...init, headers: { ...headers, Authorization: `Bearer ${key}` } })
        if (scope === undefined || scopes.includes(scope)) {
          assert.include([200, 201, 202, 204], status, `${scopes.join()}: ${text}`)
          assert.deepEqual(
            await notedOf(id), isNoted ? [{ act, outcome: 'done', address: '127.0.0.1', workspace: gw.workspace }] : [], scopes.join(),
          )
        } else {
          assert.deepEqual([status, json], [403, refusal('forbidden', `This API key does not have the scope ${scope}`)], scopes.join())
          assert.deepEqual(await effects(), before, 'nothing is done')
          assert.deepEqual(await notedOf(id), [])
        }
      }
    })
  }

  it('are the answer of GET /v1/key, which needs none of them', async () => {
    await using gw = await gateway()
    const expiresAt = NOON + 3_600_000
    const cases = [{ scopes: [] }, { scopes: ['read', 'answer'], expiresAt }, { scopes: SCOPES }] as const
    for (const limits of cases) {
      const { id, key } = rightOf(await gw.storage.keyStore.mint({ workspace: gw.workspace, name: 'shop', at: NOON, ...limits }))
      const { status, json } = await gw.request('/v1/key', { headers: { Authorization: `Bearer ${key}` } })
      const expires_at = 'expiresAt' in limits ? new Date(expiresAt).toISOString() : null
      assert.deepEqual([status, json], [200, { id, name: 'shop', workspace: gw.workspace, scopes: limits.scopes, expires_at }])
    }
  })

  it('do not help a key that has expired, which is refused as a revoked one is', async () => {
    await using gw = await gateway()
    const { key } = rightOf(
      await gw.storage.keyStore.mint({ workspace: gw.workspace, name: 'shop', at: NOON - 2, scopes: SCOPES, expiresAt: NOON }),
    )
    const { status, json } = await gw.request('/v1/key', { headers: { Authorization: `Bearer ${key}` } })
    assert.deepEqual([status, (json as { readonly code: string }).code], [401, 'unauthenticated'])
  })
})
