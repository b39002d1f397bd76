import { assert } from 'chai'
import * as O from 'fp-ts/lib/Option.js'
import { Webhook } from 'standardwebhooks'
import { signatureOf } from '../../../adapters/cloud-api/webhook.js'
import { type AddressRange, parseAddressRange } from '../../../adapters/shared/address.js'
import {
  type ConnectionPlacesOptions, makeConnectionPlaces, makeWebhookSender, type WebhookOptions, type WebhookSender,
} from '../../../adapters/webhooks/webhook-sender.js'
import type { WorkspaceId } from '../../../core/kernel/ids.js'
import { type Event, eventView } from '../../../core/kernel/outbox.js'
import { eventually } from '../../support/eventually.js'
import { type Answer, LOOPBACK, openReceiver, type Receiver } from '../../support/receiver.js'
import { untrustedCertificate } from '../cloud-api/untrusted-certificate.js'
import { EVENT, secretOf } from './sample-event.js'

const HTTPS = /must begin with https/
const PRIVATE = /not public/

const ranges = (...texts: ReadonlyArray<string>): ReadonlyArray<AddressRange> =>
  texts.map((text) => O.toUndefined(parseAddressRange(text)) ?? assert.fail(text))

describe('An address to which nothing can be delivered', () => {
  const faultOf = (url: string, allow: ReadonlyArray<AddressRange> = []): string | undefined => {
    const sender = makeWebhookSender({ version: '0', allow })
    sender.close()
    return sender.faultOfUrl(url)
  }

  for (const [url, fault] of [
    ['https://10.0.0.1/hook', PRIVATE], ['https://127.0.0.1', PRIVATE], ['https://2130706433/', PRIVATE], ['https://0x7f.1/', PRIVATE],
    ['https://[::1]:8443/', PRIVATE], ['https://[::ffff:10.0.0.1]/', PRIVATE], ['https://169.254.169.254/latest', PRIVATE],
    ['https://localhost:9000/', PRIVATE], ['https://app.LOCALHOST./', PRIVATE], ['http://app.example/hook', HTTPS],
    ['http://8.8.8.8/', HTTPS], ['http://10.0.0.1/', PRIVATE], ['http://localhost/', PRIVATE],
    ['https://[::1', /must contain a valid host/],
  ] as const) {
    it(`is known by itself: ${url}`, () => assert.match(faultOf(url) ?? 'none', fault))
  }

  for (const url of [
    'https://app.example/hook', 'https://8.8.8.8/', 'https://[2606:4700::1111]/', 'https://localhost.example/', 'https://intern/',
  ]) {
    it(`is not ${url}`, () => assert.isUndefined(faultOf(url)))
  }

  it('is not allowed by the operator, even if a name leads there', () => {
    const allow = ranges('10.0.0.0/8', '127.0.0.0/8')
    for (const url of ['http://10.1.2.3/', 'https://10.1.2.3/', 'http://localhost:3000/', 'http://app.internal/']) {
      assert.isUndefined(faultOf(url, allow), url)
    }
    assert.match(faultOf('http://192.168.0.1/', allow) ?? 'none', PRIVATE)
    assert.match(faultOf('http://8.8.8.8/', allow) ?? 'none', HTTPS)
  })
})

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
      host: `127.0.0.1:${receiver!.port}`, connection: 'keep-alive', 'content-type': 'application/json',
      'content-length': String(Buffer.byteLength(got!.body)), 'user-agent': 'Postern/1.2.3', 'webhook-id': EVENT.id,
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

  it('is a notification as the platform sends it if the endpoint gets those, signed by the whole current secret', async () => {
    receiver = await openReceiver()
    const notification = {
      object: 'whatsapp_business_account',
      entry: [{ id: '9001', changes: [{ field: 'messages', value: { messages: [{ text: { body: 'Grüße 🙂' } }] } }] }],
    }
    const event: Event = { ...EVENT, type: 'platform.notification', data: { customers: ['4915112345678'] }, content: notification }
    await open().sinkFor({ url: receiver.url, format: 'platform', secrets: [secretOf(1), secretOf(2)] }).deliver(event)
    const [got] = receiver.received
    assert.deepEqual(JSON.parse(got!.body), notification)
    const { 'x-hub-signature-256': signature, ...headers } = got!.headers
    assert.equal(signature, signatureOf(secretOf(1), Buffer.from(got!.body)))
    assert.sameMembers(Object.keys(headers), ['host', 'connection', 'content-type', 'content-length', 'user-agent'])
  })

  it('is a notification without items if such an endpoint is tested', async () => {
    receiver = await openReceiver()
    await open().sinkFor({ url: receiver.url, format: 'platform', secrets: [SECRET] }).deliver({ ...EVENT, type: 'endpoint.test' })
    assert.equal(receiver.received[0]!.body, '{"object":"whatsapp_business_account","entry":[]}')
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

  it('fails if the certificate is not trusted, and sends nothing', async () => {
    receiver = await openReceiver(undefined, untrustedCertificate)
    const result = await open().sinkFor({ url: receiver.url, secrets: [SECRET] }).deliver(EVENT)
    assert.include(result, { delivered: false, httpStatus: undefined, error: 'The certificate of the host is self-signed' })
    assert.isEmpty(receiver.received)
  })
})

const settled = (): Promise<void> => new Promise((resolve) => { setImmediate(resolve) })
const times = (count: number, name: string): ReadonlyArray<string> => Array.from({ length: count }, () => name)

describe('Places for connections', () => {
  let closing = new AbortController()
  beforeEach(() => { closing = new AbortController() })
  afterEach(() => closing.abort())

  /** Takes places for uses such as `a1`, endpoint 1 of workspace a, at the host of that name unless another is given. */
  const openPlaces = (options: Partial<ConnectionPlacesOptions> = {}) => {
    const places = makeConnectionPlaces({ places: 10, placesPerHost: 10, waitMs: 60_000, ...options })
    const begun: string[] = []
    const ends: Array<() => void> = []
    const take = async (name: string, host = name, signal = closing.signal): Promise<boolean> => {
      const giveBack = await places.take({ workspace: name.slice(0, 1) as WorkspaceId, url: `https://${name}`, host }, signal)
      if (giveBack === undefined) return false
      begun.push(name)
      ends.push(giveBack)
      return true
    }
    return {
      begun,
      ends,
      take,
      all: (names: ReadonlyArray<string>, host?: string) => { for (const name of names) take(name, host).catch(() => undefined) },
    }
  }

  it('are not all taken by one workspace, and the next ones of another are free at once', async () => {
    const { begun, all } = openPlaces()
    all(times(20, 'a1'))
    await settled()
    assert.deepEqual(begun, times(8, 'a1'))
    all(times(3, 'b1'))
    await settled()
    assert.deepEqual(begun, [...times(8, 'a1'), 'b1'])
    all(times(3, 'c1'))
    await settled()
    assert.deepEqual(begun, [...times(8, 'a1'), 'b1', 'c1'])
  })

  it('go to the endpoints that have fewer, as they are released', async () => {
    const { begun, ends, all } = openPlaces()
    all(times(20, 'a1'))
    all(times(3, 'b1'))
    await settled()
    for (const end of ends.slice(0, 3)) end()
    await settled()
    assert.deepEqual(begun.slice(9), ['b1', 'b1'])
  })

  it('come to the endpoints of a workspace in turns', async () => {
    const { begun, ends, all } = openPlaces()
    all(times(8, 'a1'))
    all(['a1', 'a1', 'a1', 'a2', 'a3', 'a2'])
    await settled()
    assert.lengthOf(begun, 8)
    for (let at = 0; at < 6; at += 1) {
      ends[at]?.()
      await settled()
    }
    assert.deepEqual(begun.slice(8), ['a1', 'a2', 'a3', 'a1', 'a2', 'a1'])
  })

  it('at a host are shared, too, and those who wait for it delay no other host', async () => {
    const { begun, all } = openPlaces({ places: 100, placesPerHost: 5 })
    all(times(10, 'a1'), 'hooks.example:443')
    all(['a2', 'b1'], 'hooks.example:443')
    all(['a3'])
    await settled()
    assert.deepEqual(begun, ['a1', 'a1', 'a1', 'a1', 'b1', 'a3'])
  })

  it('come to an end of waiting', async () => {
    const { take, begun } = openPlaces({ places: 1, waitMs: 1 })
    assert.deepEqual([await take('a1'), await take('b1')], [true, false])
    assert.deepEqual(begun, ['a1'])
  })

  it('are not waited for by more than may', async () => {
    const { take, ends, begun } = openPlaces({ places: 1 })
    await take('a1')
    const waiting = Array.from({ length: 9 }, () => take('a1'))
    assert.isFalse(await waiting[8])
    const other = take('b1')
    assert.isFalse(await waiting[7], 'one of the workspace with the most makes room')
    for (let at = 0; at < 9; at += 1) {
      await eventually('the next', () => (ends.length > at ? true : undefined))
      ends[at]?.()
      ends[at]?.()
    }
    assert.isTrue(await other)
    assert.deepEqual(begun.toSorted(), [...times(8, 'a1'), 'b1'])
  })

  it('are not waited for once the call is given up', async () => {
    const { take, ends, begun } = openPlaces({ places: 1 })
    await take('a1')
    const [controller, reason] = [new AbortController(), new Error('stopping')]
    const given = take('b1', 'b1', controller.signal).catch((error: unknown) => error)
    controller.abort(reason)
    assert.equal(await given, reason)
    assert.equal(await take('c1', 'c1', controller.signal).catch((error: unknown) => error), reason)
    ends[0]?.()
    assert.isTrue(await take('d1'))
    assert.deepEqual(begun, ['a1', 'd1'])
  })
})
