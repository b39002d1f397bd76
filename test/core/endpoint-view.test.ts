import { assert } from 'chai'
import { type DeliveryAttempt, deliveryView } from '../../core/events/delivery.js'
import { endpointIdOf, endpointView, type EventEndpoint } from '../../core/events/endpoint.js'
import { eventIdOf, workspaceIdOf } from '../../core/kernel/ids.js'

const UUID = '0199c3a8-7c2e-7b1f-9d5a-4e6b8c0d2f41'
const NOON = Date.UTC(2026, 2, 1, 12)

const endpoint: EventEndpoint = {
  id: endpointIdOf(UUID), workspace: workspaceIdOf(UUID), url: 'https://app.example/', types: ['message.*'], description: 'the shop', status: 'enabled',
  createdAt: NOON, failingSince: undefined, lastDelivery: undefined,
}

const attempt: DeliveryAttempt = {
  id: UUID.replaceAll('-', ''), endpoint: endpoint.id, event: eventIdOf(UUID), type: 'message.sent', at: NOON, delivered: true, httpStatus: 204,
  error: undefined, answer: '', durationMs: 12, nextAttemptAt: undefined,
}

describe('The view of an endpoint', () => {
  it('shows what is known of it, and null for what is not', () => {
    assert.deepEqual(endpointView(endpoint), {
      id: 'ep_0199c3a87c2e7b1f9d5a4e6b8c0d2f41', url: 'https://app.example/', types: ['message.*'], description: 'the shop', status: 'enabled',
      failing_since: null, last_delivery: null, created_at: '2026-03-01T12:00:00.000Z',
    })
  })

  it('shows since when it fails, and the latest attempt', () => {
    const failing = endpointView({ ...endpoint, failingSince: NOON + 1, lastDelivery: { at: NOON + 2, delivered: false, httpStatus: undefined } })
    assert.equal(failing.failing_since, '2026-03-01T12:00:00.001Z')
    assert.deepEqual(failing.last_delivery, { at: '2026-03-01T12:00:00.002Z', status: 'failed', http_status: null })
    assert.deepEqual(
      endpointView({ ...endpoint, lastDelivery: { at: NOON, delivered: true, httpStatus: 200 } }).last_delivery,
      { at: '2026-03-01T12:00:00.000Z', status: 'delivered', http_status: 200 },
    )
  })
})

describe('The view of an attempt', () => {
  it('shows what came of it, and null for what there was not', () => {
    assert.deepEqual(deliveryView(attempt), {
      id: '0199c3a87c2e7b1f9d5a4e6b8c0d2f41', event: 'evt_0199c3a87c2e7b1f9d5a4e6b8c0d2f41', type: 'message.sent', status: 'delivered', http_status: 204,
      duration_ms: 12, error: null, answer: '', at: '2026-03-01T12:00:00.000Z', next_attempt_at: null,
    })
  })

  it('shows why it failed and when the next is', () => {
    const failed = deliveryView({ ...attempt, delivered: false, httpStatus: undefined, error: 'No answer.', answer: undefined, nextAttemptAt: NOON + 5_000 })
    assert.deepEqual(
      [failed.status, failed.http_status, failed.error, failed.answer, failed.next_attempt_at],
      ['failed', null, 'No answer.', null, '2026-03-01T12:00:05.000Z'],
    )
  })
})
