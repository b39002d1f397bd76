import { assert } from 'chai'
import { Webhook } from 'standardwebhooks'
import { makeWebhookSender, type WebhookOptions, type WebhookSender } from '../../../adapters/webhooks/webhook-sender.js'
import { eventView } from '../../../core/kernel/outbox.js'
import { untrustedCertificate } from '../cloud-api/untrusted-certificate.js'
import { type Answer, LOOPBACK, openReceiver, type Receiver } from '../../support/receiver.js'
import { EVENT, secretOf } from './sample-event.js'

const SECRET = secretOf(7)

describe('the delivery of an event to an endpoint', () => {
  let sender: WebhookSender | undefined
  let receiver: Receiver | undefined

  afterEach(async () => {
    sender?.close()
    await receiver?.[Symbol.asyncDispose]()
  })

  const open = (options: Partial<WebhookOptions> = {}): WebhookSender => {
    sender?.close()
    sender = makeWebhookSender({ version: '1.2.3', allow: [LOOPBACK], ...options })
    return sender
  }

  const deliver = async (answer?: Answer, options: Partial<WebhookOptions> = {}) => {
    receiver = await openReceiver(answer)
    return open(options).sinkFor({ url: receiver.url, secrets: [SECRET] }).deliver(EVENT)
  }

  it('posts the event as JSON with the headers of Standard Webhooks and no other', async () => {
    const result = await deliver()
    assert.include(result, { delivered: true, httpStatus: 200, error: undefined, answer: '{"ok":true}' })
    const [got] = receiver!.received
    assert.deepEqual(JSON.parse(got!.body), eventView(EVENT))
    assert.include(got, { method: 'POST', path: '/hook' })
    const { 'webhook-timestamp': timestamp, 'webhook-signature': signature, ...headers } = got!.headers
    assert.deepEqual(headers, {
      host: `127.0.0.1:${receiver!.port}`, connection: 'keep-alive', 'content-type': 'application/json', 'content-length': String(Buffer.byteLength(got!.body)),
      'user-agent': 'Postern/1.2.3', 'webhook-id': EVENT.id,
    })
    assert.match(String(timestamp), /^[0-9]{10}$/)
    assert.match(String(signature), /^v1,[A-Za-z0-9+/]{43}=$/)
  })

  it('is signed so that the library of the specification verifies it', async () => {
    await deliver()
    const [got] = receiver!.received
    const headers = got!.headers as Record<string, string>
    assert.deepEqual(new Webhook(SECRET).verify(got!.body, headers), eventView(EVENT))
    assert.throws(() => new Webhook(secretOf(8)).verify(got!.body, headers), 'No matching signature found')
    assert.throws(() => new Webhook(SECRET).verify(`${got!.body} `, headers), 'No matching signature found')
  })

  it('carries a signature of each secret after a rotation', async () => {
    receiver = await openReceiver()
    await open().sinkFor({ url: receiver.url, secrets: [secretOf(1), secretOf(2)] }).deliver(EVENT)
    const [got] = receiver.received
    const headers = got!.headers as Record<string, string>
    assert.lengthOf(headers['webhook-signature']!.split(' '), 2)
    for (const fill of [1, 2]) assert.deepEqual(new Webhook(secretOf(fill)).verify(got!.body, headers), eventView(EVENT))
  })

  it('uses a connection again', async () => {
    receiver = await openReceiver()
    const sink = open().sinkFor({ url: receiver.url, secrets: [SECRET] })
    for (let nth = 0; nth < 5; nth += 1) assert.isTrue((await sink.deliver(EVENT)).delivered)
    assert.equal(receiver.connections(), 1)
  })

  it('goes over https, to a host whose certificate is trusted', async () => {
    receiver = await openReceiver(undefined, untrustedCertificate)
    const result = await open({ ca: untrustedCertificate.cert }).sinkFor({ url: receiver.url, secrets: [SECRET] }).deliver(EVENT)
    assert.include(result, { delivered: true, httpStatus: 200 })
  })

  it('fails where the certificate is not trusted, and sends nothing', async () => {
    receiver = await openReceiver(undefined, untrustedCertificate)
    const result = await open().sinkFor({ url: receiver.url, secrets: [SECRET] }).deliver(EVENT)
    assert.include(result, { delivered: false, httpStatus: undefined, error: 'The certificate of the host is self-signed' })
    assert.isEmpty(receiver.received)
  })
})
