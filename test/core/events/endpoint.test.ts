import { assert } from 'chai'
import * as E from 'fp-ts/lib/Either.js'
import { type DeliveryAttempt, deliveryView } from '../../../core/events/delivery.js'
import { endpointIdOf, endpointView, type EventEndpoint, parseEndpointUrl } from '../../../core/events/endpoint.js'
import { eventIdOf, workspaceIdOf } from '../../../core/kernel/ids.js'

describe('the address of an endpoint', () => {
  it('is kept as it was written', () => {
    const addresses = [
      'https://shop.example', 'https://shop.example/postern?from=a&b=@#'.slice(0, -1), 'HTTPS://Shop.example:8443/', 'http://10.0.0.7/',
      'https://[2001:db8::1]/x', 'https://bücher.example/', `https://shop.example/${'x'.repeat(2_027)}`,
    ]
    for (const address of addresses) assert.deepEqual(parseEndpointUrl(address), E.right(address))
  })

  it('has no other scheme, no user, no password, no fragment, and nothing that cannot be seen', () => {
    const addresses = [
      '', 'shop.example', '//shop.example', 'ftp://shop.example', 'https:/shop.example', 'https://', 'https:///x',
      'https://user@shop.example/', 'https://user:word@shop.example/', 'https://shop.example/#x', 'https://shop.example#x',
      'https://shop.example\\@other.example/', ' https://shop.example', 'https://shop.example/ x', 'https://shop.example\n/',
      'https://shop\u0000.example/', 'https://shop\ud800.example/', 'https://shop\u200b.example/', 'https://shop.example/\u0000',
      'https://shop.example/é',
      `https://shop.example/${'x'.repeat(2_028)}`,
      'https://example..com/', 'https://.example.com/', 'https://example.com:0/', 'https://example.com:00?a',
    ]
    for (const address of addresses) assert.isTrue(E.isLeft(parseEndpointUrl(address)), JSON.stringify(address))
  })

  it('is not repeated in the refusal, since it may have a password', () => {
    assert.notInclude(JSON.stringify(parseEndpointUrl('https://user:hunter2@shop.example/')), 'hunter2')
  })
})

const UUID = '0199c3a8-7c2e-7b1f-9d5a-4e6b8c0d2f41'
const NOON = Date.UTC(2026, 2, 1, 12)

const endpoint: EventEndpoint = {
  id: endpointIdOf(UUID), workspace: workspaceIdOf(UUID), url: 'https://app.example/', types: ['message.*'], description: 'the shop',
  status: 'enabled', createdAt: NOON, failingSince: undefined, lastDelivery: undefined,
}

const attempt: DeliveryAttempt = {
  id: UUID.replaceAll('-', ''), endpoint: endpoint.id, event: eventIdOf(UUID), type: 'message.sent', at: NOON, delivered: true,
  httpStatus: 204, error: undefined, answer: '', durationMs: 12, nextAttemptAt: undefined,
}

describe('The view of an endpoint', () => {
  it('shows what is known of it, and null for what is not', () => {
    assert.deepEqual(endpointView(endpoint), {
      id: 'ep_0199c3a87c2e7b1f9d5a4e6b8c0d2f41', url: 'https://app.example/', format: 'postern', types: ['message.*'],
      description: 'the shop', status: 'enabled', failing_since: null, last_delivery: null, created_at: '2026-03-01T12:00:00.000Z',
    })
  })

  it('shows since when it fails, and the latest attempt', () => {
    const failing = endpointView({
      ...endpoint, failingSince: NOON + 1, lastDelivery: { at: NOON + 2, delivered: false, httpStatus: undefined },
    })
    assert.equal(failing.failing_since, '2026-03-01T12:00:00.001Z')
    assert.deepEqual(failing.last_delivery, { at: '2026-03-01T12:00:00.002Z', status: 'failed', http_status: null })
    assert.deepEqual(
      endpointView({ ...endpoint, lastDelivery: { at: NOON, delivered: true, httpStatus: 200 } }).last_delivery,
      { at: '2026-03-01T12:00:00.000Z', status: 'delivered', http_status: 200 },
    )
  })
})

describe('The view of an attempt', () => {
  it('shows the result, and null for what is absent', () => {
    assert.deepEqual(deliveryView(attempt), {
      id: '0199c3a87c2e7b1f9d5a4e6b8c0d2f41', event: 'evt_0199c3a87c2e7b1f9d5a4e6b8c0d2f41', type: 'message.sent', status: 'delivered',
      http_status: 204, duration_ms: 12, error: null, answer: '', at: '2026-03-01T12:00:00.000Z', next_attempt_at: null,
    })
  })

  it('shows why it failed and when the next is', () => {
    const failed = deliveryView({
      ...attempt, delivered: false, httpStatus: undefined, error: 'No answer.', answer: undefined, nextAttemptAt: NOON + 5_000,
    })
    assert.deepEqual(
      [failed.status, failed.http_status, failed.error, failed.answer, failed.next_attempt_at],
      ['failed', null, 'No answer.', null, '2026-03-01T12:00:05.000Z'],
    )
  })
})
