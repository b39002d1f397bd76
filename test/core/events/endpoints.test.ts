import { assert } from 'chai'
import { uuidv7 } from 'uuidv7'
import { MAX_ENDPOINTS, SECRETS_OVERLAP_MS } from '../../../core/events/endpoint-use-cases.js'
import { signingSecrets } from '../../../core/events/endpoint.js'
import { workspaceIdOf } from '../../../core/kernel/ids.js'
import { done, leftOf, rightOf } from '../../support/right-of.js'
import { NOON } from '../gateway.js'
import { ADDRESS, openEndpointWorld } from '../use-cases/endpoint-world.js'

describe('Adding an endpoint', () => {
  it('answers the endpoint with its secret, which is all that its workspace lists of it without the secret', async () => {
    const { workspace, addEndpoint, listEndpoints, secretsOf } = await openEndpointWorld()
    const { endpoint, secret } = rightOf(await addEndpoint({ workspace, url: ADDRESS, types: ['message.*'], description: ' the shop ' }))
    assert.deepInclude(endpoint, {
      workspace, url: ADDRESS, types: ['message.*'], description: 'the shop', status: 'enabled', createdAt: NOON,
    })
    assert.match(secret, /^whsec_[A-Za-z0-9+/]{32}$/)
    assert.deepEqual(rightOf(await listEndpoints(workspace)), [endpoint])
    assert.deepEqual(await secretsOf(endpoint.id), { current: secret, previous: undefined })
  })

  it('asks for all events if no types are given', async () => {
    const { added } = await openEndpointWorld()
    const { endpoint } = await added()
    assert.deepEqual([endpoint.types, endpoint.description], [['*'], ''])
  })

  it('refuses an address, types and a description that no endpoint can have, and adds nothing', async () => {
    const { workspace, addEndpoint, listEndpoints } = await openEndpointWorld()
    const refusal = async (given: object) => leftOf(await addEndpoint({ workspace, url: ADDRESS, ...given }))
    assert.equal((await refusal({ url: 'ftp://app.example' }))._tag, 'InvalidEndpointUrl')
    assert.deepEqual(await refusal({ types: ['message.*', 'message.red'] }), { _tag: 'UnknownEventType', type: 'message.red' })
    const tooMany = Array.from({ length: 51 }, (_, index) => `type.${index}`)
    for (const types of [[], ['*', '*'], tooMany]) assert.equal((await refusal({ types }))._tag, 'InvalidEventTypes')
    for (const description of ['x'.repeat(256), 'a\u0000b', 'a\nb']) {
      assert.equal((await refusal({ description }))._tag, 'InvalidDescription')
    }
    assert.deepEqual(rightOf(await listEndpoints(workspace)), [])
  })

  it('refuses an address to which nothing can be delivered, and a change to one', async () => {
    const { workspace, addEndpoint, added, changeEndpoint, listEndpoints } = await openEndpointWorld()
    const { endpoint } = await added()
    const refusal = { _tag: 'InvalidEndpointUrl', reason: 'url is private' } as const
    assert.deepEqual(leftOf(await addEndpoint({ workspace, url: 'https://10.0.0.1/' })), refusal)
    assert.deepEqual(leftOf(await changeEndpoint({ workspace, id: endpoint.id, change: { url: 'https://10.0.0.1/' } })), refusal)
    assert.deepEqual(rightOf(await listEndpoints(workspace)), [endpoint])
  })

  it('takes 255 characters of description', async () => {
    const { workspace, addEndpoint } = await openEndpointWorld()
    rightOf(await addEndpoint({ workspace, url: ADDRESS, description: 'x'.repeat(255) }))
  })

  it('refuses an address with a password without quoting it', async () => {
    const { workspace, addEndpoint } = await openEndpointWorld()
    const refusal = leftOf(await addEndpoint({ workspace, url: 'https://me:geheim@app.example' }))
    assert.notInclude(JSON.stringify(refusal), 'geheim')
  })

  it('refuses one more endpoint than a workspace may have, and not for another workspace', async () => {
    const { workspace, stranger, added, addEndpoint } = await openEndpointWorld()
    for (let count = 0; count < MAX_ENDPOINTS; count += 1) await added()
    assert.deepEqual(leftOf(await addEndpoint({ workspace, url: ADDRESS })), { _tag: 'TooManyEndpoints', most: 1_000 })
    rightOf(await addEndpoint({ workspace: stranger, url: ADDRESS }))
  })

  it('refuses a workspace that does not exist', async () => {
    const { addEndpoint } = await openEndpointWorld()
    assert.equal(leftOf(await addEndpoint({ workspace: workspaceIdOf('0'.repeat(32)), url: ADDRESS }))._tag, 'UnknownWorkspace')
  })
})

describe('An endpoint', () => {
  it('of another workspace, one that does not exist, and an invalid id are not found by any use case', async () => {
    const world = await openEndpointWorld()
    const { stranger, added, happens, findEndpoint } = world
    const { endpoint, secret } = await added()
    const [event = ''] = await happens({})
    for (const id of [endpoint.id, `ep_${'0'.repeat(32)}`, '', '\u0000', '__proto__']) {
      const command = { workspace: stranger, id }
      const notFound = { _tag: 'EndpointNotFound', id } as const
      assert.deepEqual(leftOf(await findEndpoint(command)), notFound)
      assert.deepEqual(leftOf(await world.changeEndpoint({ ...command, change: { status: 'disabled' } })), notFound)
      assert.deepEqual(leftOf(await world.rotateSecret(command)), notFound)
      assert.deepEqual(leftOf(await world.removeEndpoint(command)), notFound)
      assert.deepEqual(leftOf(await world.listDeliveries(command, { limit: 1 })), notFound)
      assert.deepEqual(leftOf(await world.redeliverEvent({ ...command, event })), notFound)
      assert.deepEqual(leftOf(await world.redeliverSince({ ...command, since: 0 })), notFound)
      assert.deepEqual(leftOf(await world.testEndpoint(command)), notFound)
    }
    assert.deepEqual(rightOf(await findEndpoint({ workspace: world.workspace, id: endpoint.id })), endpoint)
    assert.deepEqual(await world.secretsOf(endpoint.id), { current: secret, previous: undefined })
    assert.deepEqual(world.tried, [])
  })

  it('changes in what is given', async () => {
    const { workspace, added, changeEndpoint } = await openEndpointWorld()
    const { endpoint } = await added()
    const changed = rightOf(await changeEndpoint({ workspace, id: endpoint.id, change: { types: ['wallet.*'], status: 'disabled' } }))
    assert.deepEqual(changed, { ...endpoint, types: ['wallet.*'], status: 'disabled' })
    assert.equal(
      leftOf(await changeEndpoint({ workspace, id: endpoint.id, change: { types: [], url: 'https://other.example' } }))._tag,
      'InvalidEventTypes',
    )
    assert.deepEqual(rightOf(await changeEndpoint({ workspace, id: endpoint.id, change: {} })), changed)
  })

  it('is gone once it is removed', async () => {
    const { workspace, added, removeEndpoint, listEndpoints } = await openEndpointWorld()
    const { endpoint: { id } } = await added()
    rightOf(await removeEndpoint({ workspace, id }))
    assert.deepEqual(rightOf(await listEndpoints(workspace)), [])
    assert.deepEqual(leftOf(await removeEndpoint({ workspace, id })), { _tag: 'EndpointNotFound', id })
  })

  it('is signed with both secrets for a day after a rotation, and with the newest two after a second one', async () => {
    const { workspace, added, now, passes, rotateSecret, secretsOf } = await openEndpointWorld()
    const { endpoint: { id }, secret: first } = await added()
    const signed = async () => {
      const secrets = await secretsOf(id)
      return secrets === undefined ? [] : signingSecrets(secrets, now())
    }
    const { secret: second, previousUntil } = rightOf(await rotateSecret({ workspace, id }))
    assert.equal(previousUntil, NOON + SECRETS_OVERLAP_MS)
    assert.deepEqual(await signed(), [second, first])
    const { secret: third } = rightOf(await rotateSecret({ workspace, id }))
    assert.deepEqual(await signed(), [third, second])
    passes(SECRETS_OVERLAP_MS - 1)
    assert.deepEqual(await signed(), [third, second])
    passes(1)
    assert.deepEqual(await signed(), [third])
  })
})

describe('Testing an endpoint', () => {
  it('delivers an event now that is signed and logged, but neither stored nor tried again', async () => {
    const {
      workspace, added, tried, attemptsWillEnd, testEndpoint, rotateSecret, listDeliveries, eventOutbox, findEndpoint,
    } = await openEndpointWorld()
    const { endpoint: { id }, secret } = await added()
    const { secret: rotated } = rightOf(await rotateSecret({ workspace, id }))
    attemptsWillEnd({ delivered: false, httpStatus: 500, error: 'It answered 500.', answer: 'no', durationMs: 7, retryAfterMs: 9 })
    const attempt = rightOf(await testEndpoint({ workspace, id }))
    assert.deepEqual(
      tried.map(({ event: _event, ...address }) => address), [{ url: ADDRESS, format: 'postern', secrets: [rotated, secret] }],
    )
    assert.deepEqual(tried.map(({ event: { type, at, data } }) => [type, at, data]), [['endpoint.test', NOON, { endpoint: id }]])
    assert.deepEqual(
      [attempt.endpoint, attempt.event, attempt.type, attempt.at, attempt.httpStatus, attempt.nextAttemptAt],
      [id, tried[0]?.event.id, 'endpoint.test', NOON, 500, undefined],
    )
    assert.notProperty(attempt, 'retryAfterMs')
    assert.deepEqual(rightOf(await listDeliveries({ workspace, id }, { limit: 5 })).items, [attempt])
    assert.deepEqual(await done(eventOutbox.after(workspace, 0, 10)), [])
    const { lastDelivery, failingSince } = rightOf(await findEndpoint({ workspace, id }))
    assert.deepEqual([lastDelivery, failingSince], [{ at: NOON, delivered: false, httpStatus: 500 }, undefined])
  })

  it('works while the endpoint is disabled', async () => {
    const { workspace, added, tried, testEndpoint, changeEndpoint } = await openEndpointWorld()
    const { endpoint: { id } } = await added()
    rightOf(await changeEndpoint({ workspace, id, change: { status: 'disabled' } }))
    assert.isTrue(rightOf(await testEndpoint({ workspace, id })).delivered)
    assert.lengthOf(tried, 1)
  })
})

describe('Delivering events again', () => {
  it('has one event tried again, also of a type that the endpoint does not ask for', async () => {
    const { workspace, addEndpoint, happens, redeliverEvent, eventDeliveries } = await openEndpointWorld()
    const [event = ''] = await happens({ type: 'wallet.low' })
    const { endpoint: { id } } = rightOf(await addEndpoint({ workspace, url: ADDRESS, types: ['message.*'] }))
    rightOf(await redeliverEvent({ workspace, id, event }))
    assert.deepEqual((await done(eventDeliveries.retries(id, NOON, 9))).map((retry) => [retry.event.id, retry.attempts]), [[event, 0]])
  })

  it('has those since a moment tried again that the endpoint asks for', async () => {
    const { workspace, addEndpoint, happens, redeliverSince, eventDeliveries } = await openEndpointWorld()
    const [, , wanted] = await happens({ at: NOON - 9 }, { at: NOON, type: 'wallet.low' }, { at: NOON })
    const { endpoint: { id } } = rightOf(await addEndpoint({ workspace, url: ADDRESS, types: ['message.*'] }))
    assert.equal(rightOf(await redeliverSince({ workspace, id, since: NOON - 1 })), 1)
    assert.deepEqual((await done(eventDeliveries.retries(id, NOON, 9))).map((retry) => retry.event.id), [wanted])
  })

  it('has all failed events of a filter tried again, in passes, and counts them; repeating it finds none', async () => {
    const { workspace, added, happens, redeliverFailed, countFailed, eventDeliveries } = await openEndpointWorld()
    const { endpoint: { id } } = await added()
    const events = await happens(...Array.from({ length: 1_005 }, () => ({})), { type: 'wallet.low' })
    const attempts = events.map((event, index) => ({
      id: uuidv7().replaceAll('-', ''), endpoint: id, event, type: index < 1_005 ? 'message.sent' as const : 'wallet.low' as const,
      at: NOON, delivered: index === 7, httpStatus: index === 7 ? 200 : 500, error: undefined, answer: undefined, durationMs: 1,
      nextAttemptAt: undefined,
    }))
    const progress = {
      endpoint: id, from: 0, to: 1_006, attempts, retry: [], done: [], failures: 0, failingSince: undefined, pausedUntil: undefined,
    }
    assert.isTrue(await done(eventDeliveries.record(progress)))
    const command = { workspace, id, filter: { types: ['message.*'], httpStatus: 500 } }
    assert.deepEqual(rightOf(await countFailed(command)), { count: 1_004, isMore: false })
    assert.equal(rightOf(await redeliverFailed(command)), 1_004)
    const waiting = (await done(eventDeliveries.retries(id, NOON, 2_000))).map((retry) => retry.event.id)
    assert.deepEqual(waiting, events.filter((_, index) => index !== 7 && index < 1_005))
    assert.equal(rightOf(await redeliverFailed(command)), 0)
    assert.deepEqual(rightOf(await countFailed({ workspace, id, filter: {} })), { count: 1, isMore: false })
  })

  it('refuses a filter of failed events with an unknown type, and types for platform notifications', async () => {
    const { workspace, added, addEndpoint, redeliverFailed, countFailed } = await openEndpointWorld()
    const [{ endpoint: { id } }, platform] = [await added(), rightOf(await addEndpoint({ workspace, url: ADDRESS, format: 'platform' }))]
    for (const use of [redeliverFailed, countFailed]) {
      const unknown = leftOf(await use({ workspace, id, filter: { types: ['message.eaten'] } }))
      assert.deepEqual(unknown, { _tag: 'UnknownEventType', type: 'message.eaten' })
      assert.equal(leftOf(await use({ workspace, id: platform.endpoint.id, filter: { types: ['*'] } }))._tag, 'InvalidEventTypes')
    }
  })

  it('refuses an event that is not there, and an endpoint that is disabled', async () => {
    const { workspace, added, happens, redeliverEvent, redeliverSince, redeliverFailed, changeEndpoint } = await openEndpointWorld()
    const { endpoint: { id } } = await added()
    const [event = ''] = await happens({})
    for (const other of [`evt_${'0'.repeat(32)}`, 'evt_', '', '\u0000']) {
      assert.deepEqual(leftOf(await redeliverEvent({ workspace, id, event: other })), { _tag: 'EventNotFound', id: other })
    }
    rightOf(await changeEndpoint({ workspace, id, change: { status: 'disabled' } }))
    assert.deepEqual(leftOf(await redeliverEvent({ workspace, id, event })), { _tag: 'EndpointDisabled', id })
    assert.deepEqual(leftOf(await redeliverSince({ workspace, id, since: 0 })), { _tag: 'EndpointDisabled', id })
    assert.deepEqual(leftOf(await redeliverFailed({ workspace, id, filter: {} })), { _tag: 'EndpointDisabled', id })
  })
})
