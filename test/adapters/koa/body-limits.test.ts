import { once } from 'node:events'
import { connect, type Socket } from 'node:net'
import { assert } from 'chai'
import * as E from 'fp-ts/lib/Either.js'
import { makeWebhook } from '../../../adapters/cloud-api/index.js'
import { makeByteBudget } from '../../../adapters/shared/byte-budget.js'
import { eventually } from '../../support/eventually.js'
import { type Answered, CUSTOMER, gateway, type Gateway } from './gateway.js'

const KIB = 1024
const SEND = '/v1/messages/send-text'
const GOOD = JSON.stringify({ to: CUSTOMER, text: 'hello' })
const MEMORY = 600 * KIB

const world = (deadlineMs = 60_000) => ({
  balance: '1000',
  deps: () => ({ bodyLimits: { memoryBytes: MEMORY, deadlineMs }, webhook: makeWebhook({ appSecret: 'secret', verifyToken: 'token' }) }),
})

/** A send with a body that needs much of the memory. */
const sendLarge = (gw: Gateway): Promise<Answered> =>
  gw.request(SEND, { method: 'POST', body: GOOD.padEnd(150 * KIB), headers: { 'Content-Type': 'application/json' } })

const becomes = (gw: Gateway, status: number): Promise<true> =>
  eventually(`a ${status}`, async () => ((await sendLarge(gw)).status === status ? true : undefined))

/** A request that stops one byte before the end of its body. */
const halted = async (gw: Gateway, head: string, size: number): Promise<Socket> => {
  const socket = connect(Number(new URL(gw.url).port), '127.0.0.1')
  socket.on('error', () => undefined)
  socket.on('data', () => undefined)
  await once(socket, 'connect')
  socket.write(`POST ${head}\r\nHost: x\r\nContent-Length: ${size}\r\n\r\n`)
  socket.write(GOOD.padEnd(size - 1))
  return socket
}

const sendHead = (gw: Gateway, type = 'application/json'): string => `${SEND} HTTP/1.1\r\n${gw.authorization}\r\nContent-Type: ${type}`
const WEBHOOK_HEAD = `/webhooks/platform HTTP/1.1\r\nX-Hub-Signature-256: sha256=${'0'.repeat(64)}`

describe('the memory for bodies', () => {
  const ends: Readonly<Record<string, (socket: Socket) => void>> = {
    'arrives whole': (socket) => void socket.write(' '),
    'is cut off': (socket) => void socket.resetAndDestroy(),
    'ends too early': (socket) => void socket.end(),
  }
  for (const [how, end] of Object.entries(ends)) {
    it(`is bounded over all requests, and released if a body ${how}`, async () => {
      await using gw = await gateway(world())
      const sockets = await Promise.all(Array.from({ length: 2 }, () => halted(gw, sendHead(gw), 128 * KIB)))
      await becomes(gw, 503)
      const refused = await sendLarge(gw)
      assert.deepInclude(refused.json, { status: 'error', code: 'overloaded' })
      assert.equal(refused.headers.get('Retry-After'), '1')
      for (const socket of sockets) end(socket)
      await becomes(gw, 200)
      for (const socket of sockets) socket.destroy()
    })
  }

  it('is shared with other readers of bodies, and a body for which too little is free is refused before any of it has come', async () => {
    const memory = makeByteBudget(MEMORY)
    await using gw = await gateway({ ...world(), deps: () => ({ bodyLimits: { memory, deadlineMs: 60_000 } }) })
    const form = memory.begin()
    assert.isTrue(form.take(500 * KIB))
    assert.match(await gw.raw(`POST ${sendHead(gw)}\r\nContent-Length: ${150 * KIB}`, ''), /^HTTP\/1.1 503 .*"overloaded"/s)
    form.end()
    assert.equal((await sendLarge(gw)).status, 200)
  })

  it('is released if a body is too slow or too large', async () => {
    await using gw = await gateway(world(200))
    const socket = await halted(gw, sendHead(gw), 200 * KIB)
    await new Promise((resolve) => void socket.once('close', resolve))
    assert.equal((await sendLarge(gw)).status, 200)
    const body = new ReadableStream<Uint8Array>({
      start: (stream) => {
        for (let sent = 0; sent < 400; sent += 1) stream.enqueue(Buffer.alloc(KIB, ' '))
        stream.close()
      },
    })
    const tooLarge = await gw.request(SEND, { method: 'POST', body, headers: { 'Content-Type': 'application/json' }, duplex: 'half' })
    assert.equal(tooLarge.status, 413)
    assert.equal((await sendLarge(gw)).status, 200)
  })

  it('is not taken by a body that comes after its answer', async () => {
    let isLimited = false
    const rateLimit = async () => (isLimited ? E.left({ _tag: 'RateLimited' as const, retryAfterSeconds: 1 }) : E.right(undefined))
    await using gw = await gateway({ ...world(), deps: () => ({ ...world().deps(), rateLimit }) })
    // From here on the body of a send is read while its key is looked up.
    assert.equal((await sendLarge(gw)).status, 200)
    isLimited = true
    await Promise.all(Array.from({ length: 5 }, async () => {
      const socket = connect(Number(new URL(gw.url).port), '127.0.0.1')
      let answers = ''
      socket.on('data', (data: Buffer) => { answers += data.toString() })
      const refusals = (count: number) => eventually(`answer ${count}`, () => answers.split(' 429 ').length > count || undefined)
      const head = `POST ${sendHead(gw)}\r\nHost: x\r\nContent-Length: ${150 * KIB}\r\n\r\n`
      socket.write(head)
      await refusals(1)
      socket.write(GOOD.padEnd(150 * KIB))
      // It is read whole, since the next request is answered.
      socket.write(head)
      await refusals(2)
      socket.destroy()
    }))
    isLimited = false
    assert.equal((await sendLarge(gw)).status, 200)
  })

  it('is left in part to requests with a key, however many notifications come', async () => {
    await using gw = await gateway(world())
    const sockets = await Promise.all(Array.from({ length: 20 }, () => halted(gw, WEBHOOK_HEAD, 200 * KIB)))
    const notify = () => gw.request('/webhooks/platform', {
      method: 'POST', body: ' '.repeat(150 * KIB), headers: { 'X-Hub-Signature-256': `sha256=${'0'.repeat(64)}` },
    })
    await eventually('a refusal', async () => ((await notify()).status === 503 ? true : undefined))
    const { status } = await gw.request(SEND, {
      method: 'POST', body: GOOD.padEnd(60 * KIB), headers: { 'Content-Type': 'application/json' },
    })
    assert.equal(status, 200)
    for (const socket of sockets) socket.destroy()
    await eventually('room', async () => ((await notify()).status === 401 ? true : undefined))
  })
})

describe('a body that does not arrive in time', () => {
  for (const type of ['application/json', 'application/x-www-form-urlencoded', 'multipart/form-data; boundary=X']) {
    it(`is refused with 408 if it is ${type}`, async () => {
      await using gw = await gateway(world(20))
      assert.match(await gw.raw(`POST ${sendHead(gw, type)}\r\nContent-Length: 1000`, 'half of it'), /^HTTP\/1.1 408 .*"request_timeout"/s)
    })
  }
})

describe('the connection of a refused body', () => {
  /** Everything that comes back until the gateway ends the connection. */
  const exchange = (gw: Gateway, head: string, body: string): Promise<string> => new Promise((resolve) => {
    let answer = ''
    const socket = connect(Number(new URL(gw.url).port), '127.0.0.1', () => { socket.write(`POST ${sendHead(gw)}\r\nHost: x\r\n${head}\r\n\r\n${body}`) })
    socket.on('data', (chunk) => { answer += chunk.toString() }).on('error', () => undefined).on('close', () => { resolve(answer) })
  })

  it('ends if the body is larger than what is read of it, or of unknown length, and the reply says so', async () => {
    await using gw = await gateway(world())
    // The client sends a part of the body and waits, so only the gateway can end the connection.
    for (const [head, part] of [
      ['Content-Length: 2000000', 'x'.repeat(1_000)],
      ['Transfer-Encoding: chunked', `50000\r\n${'x'.repeat(0x50000)}\r\n`],
    ] as const) {
      const answer = await exchange(gw, head, part)
      assert.match(answer, /^HTTP\/1.1 413 .*"payload_too_large"/s)
      assert.match(answer, /\r\nConnection: close\r\n/i)
    }
  })

  it('takes the next request if the rest of the body is read', async () => {
    await using gw = await gateway(world())
    const body = 'x'.repeat(300_000)
    const answer = await exchange(gw, `Content-Length: ${body.length}`, `${body}GET /health/live HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n`)
    assert.match(answer, /^HTTP\/1.1 413 .*HTTP\/1.1 200 OK/s)
    assert.notMatch(answer.split('HTTP/1.1 200')[0] ?? '', /\r\nConnection: close\r\n/i)
  })
})
