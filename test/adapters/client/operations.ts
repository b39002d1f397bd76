import type { Client, OperationName } from '../../../adapters/client/index.js'

const TEXT = { to: '5511987654321', text: 'Hello' }
const TEMPLATE = { to: '5511987654321', template_name: 'order_update' }
const LOCATION = { to: '5511987654321', type: 'location', location: { latitude: 1, longitude: 2 } } as const
const ENDPOINT = `ep_${'1'.repeat(32)}`
const BATCH = `bat_${'1'.repeat(32)}`
const EVENT = `evt_${'1'.repeat(32)}`

type Answered = { readonly ok: boolean; readonly code?: string; readonly status?: number; readonly value?: unknown }

/** A call of each operation of the contract. It does not compile without one. */
export const CALLS: Readonly<Record<OperationName, (client: Client) => Promise<Answered>>> = {
  'POST /messages/send-text': (client) => client.sendText(TEXT),
  'POST /messages/send-template': (client) => client.sendTemplate(TEMPLATE),
  'POST /messages/send': (client) => client.send(LOCATION),
  'DELETE /messages/{id}': (client) => client.cancelMessage('msg_0199c3a87c2e7b1f9d5a4e6b8c0d2f41'),
  'PUT /customers/{to}/consent': (client) => client.setConsent('33639980001', { of: 'all', status: 'withdrawn', source: 'phone call' }),
  'GET /opt-out-words': (client) => client.optOutWords(),
  'PUT /opt-out-words': (client) => client.setOptOutWords({ words: { en: ['STOP'] }, of: 'all' }),
  'GET /queue': (client) => client.queue(),
  'POST /quotes/send-text': (client) => client.quotes.sendText(TEXT),
  'POST /quotes/send-template': (client) => client.quotes.sendTemplate(TEMPLATE),
  'POST /quotes/send': (client) => client.quotes.send(LOCATION),
  'POST /media': (client) => client.uploadMedia({ file: new Blob(['%PDF-1.7\n'], { type: 'application/pdf' }) }),
  'POST /batches': (client) => client.batches.create({ template_name: 'order_update', recipients: [{ to: '5511987654321' }] }),
  'PUT /batches/{id}/recipients': (client) => client.batches.addRecipients(BATCH, { type: 'text/csv', lines: 'to\n5511987654321\n' }),
  'POST /batches/{id}/preflight': (client) => client.batches.preflight(BATCH),
  'POST /batches/{id}/confirm': (client) => client.batches.confirm(BATCH, '0.062500'),
  'POST /batches/{id}/pause': (client) => client.batches.pause(BATCH),
  'POST /batches/{id}/resume': (client) => client.batches.resume(BATCH),
  'POST /batches/{id}/cancel': (client) => client.batches.cancel(BATCH),
  'GET /batches': (client) => client.batches.list().page(),
  'GET /batches/{id}': (client) => client.batches.get(BATCH),
  'POST /messages/{wamid}/read': (client) => client.markRead('wamid.HBgM/3+A==', { typing: true }),
  'GET /media/{id}': (client) => client.media('1003383421387256'),
  'GET /messages': (client) => client.messages.list({ state: 'sent' }).page(),
  'GET /messages/{id}': (client) => client.messages.get(`msg_${'1'.repeat(32)}`),
  'POST /consents': (client) => client.consents.import({ type: 'text/csv', lines: `to,of,status\n${TEXT.to},marketing,granted\n` }),
  'GET /batches/{id}/results': (client) => client.batches.results(BATCH, { format: 'ndjson' }),
  'GET /consents': (client) => client.consents.export(),
  'GET /wallet': (client) => client.wallet(),
  'GET /wallet/entries': (client) => client.walletEntries().page(),
  'GET /windows/{to}': (client) => client.window(TEXT.to),
  'GET /customers/{to}': (client) => client.customer(TEXT.to),
  'GET /templates': (client) => client.templates().page(),
  'GET /templates/{name}/results': (client) => client.templateResults('order_update', { by: 'week' }),
  'GET /senders': (client) => client.senders(),
  'GET /senders/{phone_number_id}': (client) => client.sender('106540352242922'),
  'GET /key': (client) => client.key(),
  'POST /event-endpoints': (client) => client.endpoints.add({ url: 'https://shop.example/postern' }),
  'GET /event-endpoints': (client) => client.endpoints.list(),
  'GET /event-endpoints/{id}': (client) => client.endpoints.get(ENDPOINT),
  'PATCH /event-endpoints/{id}': (client) => client.endpoints.change(ENDPOINT, { status: 'disabled' }),
  'DELETE /event-endpoints/{id}': (client) => client.endpoints.remove(ENDPOINT),
  'POST /event-endpoints/{id}/rotate-secret': (client) => client.endpoints.rotateSecret(ENDPOINT),
  'POST /event-endpoints/{id}/test': (client) => client.endpoints.test(ENDPOINT),
  'GET /event-endpoints/{id}/deliveries': (client) => client.endpoints.deliveries(ENDPOINT).page(),
  'POST /event-endpoints/{id}/redeliver': (client) => client.endpoints.redeliver(ENDPOINT, '2026-03-01T12:00:00Z'),
  'GET /events': (client) => client.events({ types: ['message.received', 'wallet.*'] }).page(),
  'POST /events/{id}/redeliver': (client) => client.redeliverEvent(EVENT, ENDPOINT),
}
