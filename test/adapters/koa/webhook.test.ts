import { createHmac, timingSafeEqual } from 'node:crypto'
import { assert } from 'chai'
import * as E from 'fp-ts/lib/Either.js'
import * as TE from 'fp-ts/lib/TaskEither.js'
import type { Webhook } from '../../../adapters/koa/index.js'
import type { PhoneNumber } from '../../../core/message.js'
import type { Report } from '../../../core/receive.js'
import { CUSTOMER, gateway, NOON, portDown, type Gateway, type World } from './gateway.js'

const PATH = '/webhooks/platform'
const SECRET = 'app-secret'
const VERIFY_TOKEN = 'verify-me'

const sign = (raw: string | Buffer): string => `sha256=${createHmac('sha256', SECRET).update(raw).digest('hex')}`

/** A webhook whose notifications list customers who wrote: `{ "wrote": [[phone number id, customer]] }`. */
const WEBHOOK: Webhook = {
  verifyToken: VERIFY_TOKEN,
  isSigned: (raw, header = '') => {
    const [given, expected] = [Buffer.from(header), Buffer.from(sign(raw))]
    return given.length === expected.length && timingSafeEqual(given, expected)
  },
  read: (raw) =>
    E.tryCatch(() => {
      const { wrote } = JSON.parse(raw.toString()) as { readonly wrote: ReadonlyArray<readonly [string, PhoneNumber] | null> }
      const reports = wrote.flatMap((item): ReadonlyArray<Report> =>
        item === null ? [] : [{ _tag: 'Inbound', phoneNumberId: item[0], customer: item[1], at: NOON }])
      return { reports, ignored: wrote.length - reports.length }
    }, String),
}

const world = (webhook: Partial<Webhook> = {}, more: ReturnType<NonNullable<World['deps']>> = {}): World => ({
  lastInbound: undefined,
  deps: () => ({ webhook: { ...WEBHOOK, ...webhook }, ...more }),
})

const notify = (gw: Gateway, body: string | Buffer, headers: Record<string, string> = { 'X-Hub-Signature-256': sign(body) }) =>
  gw.request(PATH, { method: 'POST', body, headers: { 'Content-Type': 'application/json', ...headers } })

const wrote = ({ phoneNumberId }: Gateway): string => JSON.stringify({ wrote: [[phoneNumberId, CUSTOMER]] })

const isOpen = async (gw: Gateway): Promise<boolean> => ((await gw.get(`/v1/windows/${CUSTOMER}`)).json as { open: boolean }).open

describe('the verification handshake', () => {
  const handshake = (query: Record<string, string>) => `${PATH}?${new URLSearchParams(query).toString()}`
  const agreed = { 'hub.mode': 'subscribe', 'hub.verify_token': VERIFY_TOKEN, 'hub.challenge': '1158201444<b>' }

  it('answers the bare challenge as plain text where the token is the agreed one', async () => {
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
    const queries = [{}, { ...agreed, 'hub.verify_token': 'other' }, { ...agreed, 'hub.verify_token': '' }, { ...agreed, 'hub.mode': 'unsubscribe' }, without]
    for (const query of queries) {
      const response = await fetch(gw.url + handshake(query))
      assert.equal(response.status, 403)
      assert.notInclude(await response.text(), challenge)
    }
    assert.equal((await fetch(`${gw.url}${handshake(agreed)}&hub.verify_token=${VERIFY_TOKEN}`)).status, 403)
  })

  it('agrees with nobody where no token is configured', async () => {
    await using gw = await gateway(world({ verifyToken: '' }))
    assert.equal((await fetch(gw.url + handshake({ ...agreed, 'hub.verify_token': '' }))).status, 403)
  })
})

describe('a notification', () => {
  it('is taken in where its signature is right, and acknowledged once it is durable', async () => {
    await using gw = await gateway(world())
    assert.isFalse(await isOpen(gw))
    assert.equal((await notify(gw, wrote(gw))).status, 200)
    assert.isTrue(await isOpen(gw))
  })

  it('is signed over its raw bytes, whatever its content type', async () => {
    await using gw = await gateway(world())
    const body = wrote(gw).replace('{', '{ "caf\\u00e9":"é\\/",  ')
    assert.equal((await notify(gw, body)).status, 200)
    assert.equal((await notify(gw, body, { 'X-Hub-Signature-256': sign(body), 'Content-Type': 'text/odd' })).status, 200)
    assert.equal((await notify(gw, body, { 'X-Hub-Signature-256': sign(JSON.stringify(JSON.parse(body))) })).status, 401)
  })

  it('is refused with 401 and changes nothing where its signature is missing, forged, truncated or given twice', async () => {
    await using gw = await gateway(world())
    const body = wrote(gw)
    const good = sign(body)
    const forged = ['', 'sha256=', good.slice(0, -1), `${good}0`, good.replace('sha256=', 'sha1='), good.toUpperCase(), sign('other'), `${good}, ${good}`]
    for (const signature of forged) {
      const { status, json } = await notify(gw, body, { 'X-Hub-Signature-256': signature })
      assert.equal(status, 401, signature)
      assert.deepInclude(json, { status: 'error', code: 'unauthenticated' })
    }
    assert.equal((await notify(gw, body, {})).status, 401)
    assert.equal((await notify(gw, body, { 'X-Hub-Signature': good })).status, 401)
    assert.isFalse(await isOpen(gw))
  })

  it('is refused with 400 where its signature is right and its body is not a notification', async () => {
    await using gw = await gateway(world())
    for (const body of ['', '{', 'null', '[]', '{"wrote":7}', 'x'.repeat(1000)]) {
      const { status, json } = await notify(gw, body)
      assert.equal(status, 400)
      assert.deepInclude(json, { code: 'malformed_body' })
    }
  })

  it('does not cost its neighbours what a bad item says, and counts it in the log', async () => {
    await using gw = await gateway(world())
    const body = JSON.stringify({ wrote: [null, [gw.phoneNumberId, CUSTOMER], null] })
    assert.equal((await notify(gw, body)).status, 200)
    assert.isTrue(await isOpen(gw))
    assert.match(gw.log.join(), /"info","notification_items_ignored",.*"count":2/)
  })

  it('is taken up to 3 MiB, and refused with 413 beyond, announced or not', async () => {
    await using gw = await gateway(world())
    const ofSize = (size: number): string => wrote(gw).padEnd(size, ' ')
    assert.equal((await notify(gw, ofSize(3 * 1024 * 1024))).status, 200)
    assert.equal((await notify(gw, ofSize(3 * 1024 * 1024 + 1))).status, 413)
    const body = new ReadableStream<Uint8Array>({
      start: (stream) => {
        for (let sent = 0; sent < 4; sent += 1) stream.enqueue(Buffer.alloc(1024 * 1024, ' '))
        stream.close()
      },
    })
    assert.equal((await gw.request(PATH, { method: 'POST', body, duplex: 'half' })).status, 413)
  })

  it('is refused with 408 where it does not arrive whole in time', async () => {
    await using gw = await gateway(world({ deadlineMs: 20 }))
    const reply = await gw.raw(`POST ${PATH} HTTP/1.1\r\nContent-Length: 1000`, 'half of it')
    assert.match(reply, /^HTTP\/1.1 408 .*"request_timeout"/s)
  })

  it('is asked for again with 503 where what it says could not be made durable', async () => {
    await using gw = await gateway(world({}, { receive: () => TE.left({ _tag: 'NotYetKnown' }) }))
    await using down = await gateway(world({}, { receive: portDown('MessageLog') }))
    for (const answer of [await notify(gw, wrote(gw)), await notify(down, wrote(down))]) {
      assert.equal(answer.status, 503)
      assert.deepInclude(answer.json, { code: 'storage_unavailable' })
    }
    assert.match(down.log.join(), /"port_failed"/)
  })

  it('has no address where no webhook is configured', async () => {
    await using gw = await gateway()
    for (const method of ['GET', 'POST']) assert.equal((await gw.request(PATH, { method })).status, 404)
  })
})
