import { once } from 'node:events'
import { connect, type Socket } from 'node:net'
import { assert } from 'chai'
import * as E from 'fp-ts/lib/Either.js'
import { makeWebhook } from '../../../../adapters/cloud-api/index.js'
import type { Webhook, WebhookRejection } from '../../../../adapters/koa/index.js'
import { signatureHeaders } from '../../../../apps/simulator/webhooks/delivery.js'
import { changeOf, inboundOf, notificationOf } from '../../../apps/server/notifications.js'
import { CUSTOMER, gateway, type Gateway, NOON, portDown, type World } from '../gateway.js'
import { withUses } from '../with-uses.js'
import type { Api } from '../../../../core/api.js'

const PATH = '/webhooks/platform'
const APP_SECRET = 'app-secret'
const VERIFY_TOKEN = 'verify-me'
const MIB = 1024 * 1024

/** The header that the simulator signs a body with. */
const signed = (body: string | Buffer): Record<string, string> => ({ ...signatureHeaders('right', Buffer.from(body), APP_SECRET) })
const sign = (body: string | Buffer): string => signed(body)['x-hub-signature-256'] ?? ''

const world = (webhook: Partial<Webhook> = {}, uses: Api['upkeep'] = {}): World => ({
  lastInbound: undefined,
  deps: (deps) => ({
    webhook: { ...makeWebhook({ appSecret: APP_SECRET, verifyToken: VERIFY_TOKEN }), ...webhook }, ...withUses('upkeep', uses)(deps),
  }),
})

const notify = (gw: Gateway, body: string | Buffer, headers: Record<string, string> = signed(body)) =>
  gw.request(PATH, { method: 'POST', body, headers: { 'Content-Type': 'application/json', ...headers } })

const inbound = inboundOf(CUSTOMER, { timestamp: String(NOON / 1_000) })
const wrote = ({ phoneNumberId }: Gateway): string => notificationOf([changeOf(phoneNumberId, { messages: [inbound] })])

const isOpen = async (gw: Gateway): Promise<boolean> => ((await gw.get(`/v1/windows/${CUSTOMER}`)).json as { open: boolean }).open

describe('the verification handshake', () => {
  const handshake = (query: Record<string, string>) => `${PATH}?${new URLSearchParams(query).toString()}`
  const agreed = { 'hub.mode': 'subscribe', 'hub.verify_token': VERIFY_TOKEN, 'hub.challenge': '1158201444<b>' }

  it('answers the bare challenge as plain text if the token is the agreed one', async () => {
    await using gw = await gateway(world())
    const response = await fetch(gw.url + handshake(agreed))
    assert.equal(response.status, 200)
    assert.equal(await response.text(), '1158201444<b>')
    assert.equal(response.headers.get('content-type'), 'text/plain; charset=utf-8')
    assert.equal(response.headers.get('x-content-type-options'), 'nosniff')
  })

  it('answers 403 to anything else, and reflects nothing', async () => {
    await using gw = await gateway(world())
    const { 'hub.challenge': challenge, ...without } = agreed
    const queries = [
      {}, { ...agreed, 'hub.verify_token': 'other' }, { ...agreed, 'hub.verify_token': '' }, { ...agreed, 'hub.mode': 'unsubscribe' },
      without, { ...agreed, 'hub.challenge': `${challenge} and more` }, { ...agreed, 'hub.challenge': challenge.repeat(100) },
    ]
    for (const query of queries) {
      const response = await fetch(gw.url + handshake(query))
      assert.equal(response.status, 403)
      assert.notInclude(await response.text(), challenge)
    }
    assert.equal((await fetch(`${gw.url}${handshake(agreed)}&hub.verify_token=${VERIFY_TOKEN}`)).status, 403)
  })

  it('agrees with no token if none is configured', async () => {
    await using gw = await gateway(world(makeWebhook({ appSecret: APP_SECRET, verifyToken: '' })))
    assert.equal((await fetch(gw.url + handshake({ ...agreed, 'hub.verify_token': '' }))).status, 403)
  })
})

describe('a notification', () => {
  it('is taken in if its signature is right, and acknowledged once it is durable', async () => {
    await using gw = await gateway(world())
    assert.isFalse(await isOpen(gw))
    assert.equal((await notify(gw, wrote(gw))).status, 200)
    assert.isTrue(await isOpen(gw))
  })

  it('is signed over its raw bytes, with any content type', async () => {
    await using gw = await gateway(world())
    const body = wrote(gw).replace('{', '{ "caf\\u00e9":"é\\/",  ')
    assert.equal((await notify(gw, body)).status, 200)
    assert.equal((await notify(gw, body, { 'X-Hub-Signature-256': sign(body), 'Content-Type': 'text/odd' })).status, 200)
    assert.equal((await notify(gw, body, { 'X-Hub-Signature-256': sign(JSON.stringify(JSON.parse(body))) })).status, 401)
  })

  it('is refused with 401 and changes nothing if its signature is missing, forged, truncated or given twice', async () => {
    await using gw = await gateway(world())
    const body = wrote(gw)
    const good = sign(body)
    const forged = [
      '', 'sha256=', good.slice(0, -1), `${good}0`, good.replace('sha256=', 'sha1='), good.toUpperCase(), sign('other'), `${good}, ${good}`,
    ]
    for (const signature of forged) {
      const { status, json } = await notify(gw, body, { 'X-Hub-Signature-256': signature })
      assert.equal(status, 401, signature)
      assert.deepInclude(json, { status: 'error', code: 'unauthenticated' })
    }
    assert.equal((await notify(gw, body, {})).status, 401)
    assert.equal((await notify(gw, body, { 'X-Hub-Signature': good })).status, 401)
    assert.isFalse(await isOpen(gw))
  })

  it('is refused with 400 if its signature is right and its body is not a notification', async () => {
    await using gw = await gateway(world())
    for (const body of ['', '{', 'null,', 'entry=1', 'x'.repeat(1000)]) {
      const { status, json } = await notify(gw, body)
      assert.equal(status, 400)
      assert.deepInclude(json, { code: 'malformed_body' })
    }
  })

  it('is taken in though some of its items are bad, which are counted by field and reason', async () => {
    const counted: unknown[] = []
    await using gw = await gateway(world({ onIgnored: (items) => void counted.push(items) }))
    const body = notificationOf([changeOf(gw.phoneNumberId, { messages: [null, inbound, { ...inbound, group_id: 'g' }, null] })])
    assert.equal((await notify(gw, body)).status, 200)
    assert.isTrue(await isOpen(gw))
    assert.deepEqual(counted, [{ field: 'messages', reason: 'no_type', count: 2 }, { field: 'messages', reason: 'group', count: 1 }])
  })

  it('is logged by each kind of items that are not used, once', async () => {
    const counted: Array<{ count: number }> = []
    await using gw = await gateway(world({ onIgnored: (items) => void counted.push(items) }))
    const body = notificationOf([changeOf(gw.phoneNumberId, { messages: [null, null] }), { field: 'x'.repeat(1_000) }, { field: 'flows' }])
    for (const _ of [1, 2, 3]) assert.equal((await notify(gw, body)).status, 200)
    const lines = gw.log.filter((line) => line.includes('notification_items_ignored'))
    assert.lengthOf(lines, 3)
    assert.match(lines.join('\n'), /"info","notification_items_ignored",.*"field":"messages","reason":"no_type","count":2/)
    assert.match(lines.join('\n'), /"field":"other","reason":"unused_field","count":1[^]*"field":"flows"/)
    assert.equal(counted.reduce((sum, { count }) => sum + count, 0), 12)
  })

  it('is not counted if it is asked for again, nor harmed if the counting fails', async () => {
    const body = (gw: Gateway) => notificationOf([changeOf(gw.phoneNumberId, { messages: [null] })])
    const counted: unknown[] = []
    await using down = await gateway(world({ onIgnored: (items) => void counted.push(items) }, { receive: portDown('MessageLog') }))
    assert.equal((await notify(down, body(down))).status, 503)
    assert.deepEqual(counted, [])
    await using failing = await gateway(world({ onIgnored: () => { throw new Error('no counter') } }))
    assert.equal((await notify(failing, body(failing))).status, 200)
  })

  it('is taken up to 3 MiB, and refused with 413 beyond, announced or not', async () => {
    await using gw = await gateway(world())
    const ofSize = (size: number): string => wrote(gw).padEnd(size, ' ')
    assert.equal((await notify(gw, ofSize(3 * MIB))).status, 200)
    assert.equal((await notify(gw, ofSize(3 * MIB + 1))).status, 413)
    const body = new ReadableStream<Uint8Array>({
      start: (stream) => {
        for (let sent = 0; sent < 4; sent += 1) stream.enqueue(Buffer.alloc(MIB, ' '))
        stream.close()
      },
    })
    assert.equal((await gw.request(PATH, { method: 'POST', body, duplex: 'half', headers: signed('') })).status, 413)
  })

  it('is refused with 408 if it does not arrive whole in time', async () => {
    await using gw = await gateway(world({ deadlineMs: 20 }))
    const reply = await gw.raw(`POST ${PATH} HTTP/1.1\r\nX-Hub-Signature-256: ${sign('')}\r\nContent-Length: 1000`, 'half of it')
    assert.match(reply, /^HTTP\/1.1 408 .*"request_timeout"/s)
  })

  it('is asked for again with 503 if what it says could not be stored', async () => {
    await using gw = await gateway(world({}, { receive: async () => E.left({ _tag: 'NotYetKnown' }) }))
    await using down = await gateway(world({}, { receive: portDown('MessageLog') }))
    for (const [answer, code] of [
      [await notify(gw, wrote(gw)), 'message_not_known_yet'],
      [await notify(down, wrote(down)), 'storage_unavailable'],
    ] as const) {
      assert.equal(answer.status, 503)
      assert.deepInclude(answer.json, { code })
    }
    assert.match(down.log.join(), /"port_failed"/)
  })

  it('without a signature is refused before any of its body has come, and the connection is closed if more than a MiB follows', async () => {
    await using gw = await gateway(
      world({ beginSignatureCheck: (header) => (header === undefined ? undefined : assert.fail('no body was to be read')) }),
    )
    for (const signature of ['', 'X-Hub-Signature: sha1=00\r\n']) {
      const socket = await open(gw, `${signature}Content-Length: ${3 * MIB}`)
      const [reply] = await once(socket, 'data') as [Buffer]
      assert.match(reply.toString(), /^HTTP\/1.1 401 .*"unauthenticated"/s)
      for (let sent = 0; sent < 3; sent += 1) socket.write(Buffer.alloc(MIB))
      await new Promise((resolve) => void socket.once('close', resolve))
    }
  })

  it('is refused, and the reason is counted', async () => {
    const reasons: Array<WebhookRejection> = []
    await using gw = await gateway(world({ onRejected: (reason) => void reasons.push(reason), deadlineMs: 20 }))
    await notify(gw, '{}', {})
    await notify(gw, '{}', { 'X-Hub-Signature-256': 'sha256=00' })
    await notify(gw, '{}', signed('other'))
    await notify(gw, '{')
    await notify(gw, ' '.repeat(3 * MIB + 1))
    await gw.raw(`POST ${PATH} HTTP/1.1\r\nX-Hub-Signature-256: ${sign('')}\r\nContent-Length: 1000`, 'half of it')
    assert.deepEqual(reasons, ['signature_missing', 'signature_malformed', 'signature_wrong', 'malformed', 'too_large', 'too_slow'])
  })

  it('is read as one body though it comes in thousands of pieces, and refused if it comes byte by byte without end', async () => {
    await using gw = await gateway(world())
    const pieces = async (body: string): Promise<string> => {
      const chunks = Buffer.from(Array.from(Buffer.from(body), (byte) => `1\r\n${String.fromCharCode(byte)}\r\n`).join(''))
      return gw.raw(
        `POST ${PATH} HTTP/1.1\r\nX-Hub-Signature-256: ${sign(body)}\r\nTransfer-Encoding: chunked`,
        Buffer.concat([chunks, Buffer.from('0\r\n\r\n')]),
      )
    }
    assert.match(await pieces(wrote(gw).padEnd(10_000)), /^HTTP\/1.1 200 /)
    assert.isTrue(await isOpen(gw))
    assert.match(await pieces(wrote(gw).padEnd(40_000)), /^HTTP\/1.1 400 .*pieces/s)
  })

  it('has no address if no webhook is configured', async () => {
    await using gw = await gateway()
    for (const method of ['GET', 'POST']) assert.equal((await gw.request(PATH, { method })).status, 404)
  })
})

/** Sends the head of a notification, and leaves the connection open. */
const open = async (gw: Gateway, headers: string): Promise<Socket> => {
  const socket = connect(Number(new URL(gw.url).port), '127.0.0.1')
  socket.on('error', () => undefined)
  await once(socket, 'connect')
  socket.write(`POST ${PATH} HTTP/1.1\r\nHost: x\r\n${headers}\r\n\r\n`)
  return socket
}
