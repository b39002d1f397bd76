import type { ServerResponse } from 'node:http'
import { createServer, type Socket } from 'node:net'
import { assert } from 'chai'
import { makeWebhookSender, type WebhookOptions, type WebhookSender } from '../../../adapters/webhooks/webhook-sender.js'
import type { AttemptResult } from '../../../core/events/delivery.js'
import type { WorkspaceId } from '../../../core/kernel/ids.js'
import type { Event } from '../../../core/kernel/outbox.js'
import { eventually } from '../../support/eventually.js'
import { listening } from '../../support/listening.js'
import { type Answer, LOOPBACK, openReceiver } from '../../support/receiver.js'
import { EVENT, secretOf } from './sample-event.js'

const NOW = Date.UTC(2026, 10, 22, 12)
const eventOf = (digit: string): Event => ({ ...EVENT, workspace: `ws_${digit.repeat(32)}` as WorkspaceId })

const LOST = 'The connection was lost before an answer came'

describe('an endpoint', () => {
  let sender: WebhookSender | undefined
  afterEach(() => sender?.close())

  const deliverTo = (url: string, options: Partial<WebhookOptions> = {}, event = EVENT): Promise<AttemptResult> => {
    sender?.close()
    sender = makeWebhookSender({ version: '1', allow: [LOOPBACK], timeoutMs: 5_000, now: () => NOW, ...options })
    return sender.sinkFor({ url, secrets: [secretOf(1)] }).deliver(event)
  }

  const deliver = async (answer: Answer, options?: Partial<WebhookOptions>): Promise<AttemptResult> => {
    await using receiver = await openReceiver(answer)
    return await deliverTo(receiver.url, options)
  }

  /** Delivers to a server that is in charge of every byte. */
  const deliverRaw = async (serve: (socket: Socket) => void, options?: Partial<WebhookOptions>, event = EVENT): Promise<AttemptResult> => {
    await using server = await listening(createServer((socket) => serve(socket.on('error', () => undefined))))
    try {
      return await deliverTo(`${server.url}/`, options, event)
    } finally {
      sender?.close()
    }
  }

  const answering = (status: number, headers: Readonly<Record<string, string>> = {}, body = ''): Answer => (response) =>
    void response.writeHead(status, headers).end(body)

  it('has the event if it answers with any 2xx', async () => {
    for (const status of [200, 201, 202, 204, 206, 226, 299]) {
      assert.deepInclude(await deliver(answering(status)), { delivered: true, httpStatus: status, error: undefined })
    }
  })

  it('does not have the event if it answers with anything else', async () => {
    for (const status of [300, 400, 401, 404, 409, 429, 500, 502, 503, 504, 599, 600, 999]) {
      const { delivered, httpStatus, error } = await deliver(answering(status, {}, 'no'))
      assert.deepEqual([delivered, httpStatus], [false, status])
      assert.include(error, `status ${status}`)
    }
  })

  it('was not tried if other endpoints had every connection', async () => {
    await using slow = await openReceiver(() => undefined)
    await using healthy = await openReceiver()
    sender = makeWebhookSender({ version: '1', allow: [LOOPBACK], timeoutMs: 60_000, waitMs: 50, maxConnections: 1 })
    const sinkOf = ({ url }: { readonly url: string }) => sender!.sinkFor({ url, secrets: [secretOf(1)] })
    const first = sinkOf(slow).deliver(EVENT)
    await eventually('the slow endpoint to be called', () => (slow.received.length > 0 ? true : undefined))
    assert.deepInclude(await sinkOf(healthy).deliver(EVENT), { delivered: false, isUntried: true, error: 'No connection was free in time, so the endpoint was not called; try again' })
    assert.isEmpty(healthy.received)
    sender.close()
    assert.notProperty(await first, 'isUntried')
  })

  it('is called while those of another workspace hang, however many these are', async () => {
    await using hanging = await openReceiver(() => undefined)
    await using healthy = await openReceiver()
    sender = makeWebhookSender({ version: '1', allow: [LOOPBACK], timeoutMs: 60_000, maxConnections: 10 })
    const stuck = Array.from({ length: 50 }, () => sender!.sinkFor({ url: hanging.url, secrets: [secretOf(1)] }).deliver(eventOf('a')))
    await eventually('the share of the workspace', () => (hanging.received.length === 8 ? true : undefined))
    const sink = sender.sinkFor({ url: healthy.url, secrets: [secretOf(1)] })
    for (let nth = 0; nth < 20; nth += 1) assert.isTrue((await sink.deliver(eventOf('b'))).delivered)
    assert.lengthOf(hanging.received, 8)
    sender.close()
    await Promise.all(stuck)
  })

  it('is called although connections to others are kept for their next events', async () => {
    await using first = await openReceiver()
    await using second = await openReceiver()
    await using third = await openReceiver()
    sender = makeWebhookSender({ version: '1', allow: [LOOPBACK], timeoutMs: 60_000, waitMs: 1_000, maxConnections: 2 })
    const deliverAt = ({ url }: { readonly url: string }) => sender!.sinkFor({ url, secrets: [secretOf(1)] }).deliver(EVENT)
    for (const receiver of [first, second, third, third]) assert.isTrue((await deliverAt(receiver)).delivered)
    assert.equal(third.connections(), 1, 'the latest one is kept')
  })

  it('is gone if it answers with 410, and not with 404', async () => {
    assert.isTrue((await deliver(answering(410))).isGone)
    assert.notProperty(await deliver(answering(404)), 'isGone')
  })

  it('may ask to wait with 429 and 503, in seconds or until a date, for at most a day', async () => {
    const waits: ReadonlyArray<readonly [header: string, ms: number | undefined]> = [
      ['7', 7_000], ['0', 0], ['999999999', 86_400_000], ['9'.repeat(400), 86_400_000], ['Sun, 22 Nov 2026 12:01:00 GMT', 60_000],
      ['Sun, 22 Nov 2026 11:00:00 GMT', 0], ['Sun, 22 Nov 2099 12:00:00 GMT', 86_400_000], ['soon', undefined], ['-5', undefined],
      ['1.5', undefined], ['', undefined], ['Monday, never', undefined],
    ]
    for (const status of [429, 503]) {
      for (const [header, ms] of waits) {
        assert.equal((await deliver(answering(status, { 'retry-after': header }))).retryAfterMs, ms, `${status} ${header}`)
      }
      assert.notProperty(await deliver(answering(status)), 'retryAfterMs')
    }
    for (const status of [200, 301, 500, 410]) assert.notProperty(await deliver(answering(status, { 'retry-after': '7' })), 'retryAfterMs')
  })

  it('is not followed if it redirects', async () => {
    await using elsewhere = await openReceiver()
    for (const status of [301, 302, 303, 307, 308]) {
      assert.include(await deliver(answering(status, { location: elsewhere.url })), { delivered: false, httpStatus: status, error: `The endpoint answered with status ${status}; redirects are not followed` })
    }
    assert.isEmpty(elsewhere.received)
  })

  it('is read up to 8 KiB, even if it answers 50 MB', async () => {
    let written = 0
    const flood = (status: number): Answer => (response: ServerResponse) => {
      response.writeHead(status)
      const chunk = Buffer.alloc(64 * 1024, 'a')
      const more = (): void => {
        while (written < 50e6 && !response.destroyed) {
          written += chunk.length
          if (!response.write(chunk)) return void response.once('drain', more)
        }
        response.end()
      }
      more()
    }
    for (const status of [200, 500]) {
      written = 0
      const result = await deliver(flood(status))
      assert.equal(result.delivered, status === 200)
      assert.equal(result.answer, 'a'.repeat(8 * 1024))
      assert.isBelow(written, 50e6)
    }
  })

  it('is kept as text that every database takes, whatever bytes it answers', async () => {
    const answerOf = async (body: Buffer): Promise<string | undefined> => (await deliver((response) => void response.end(body))).answer
    assert.equal(await answerOf(Buffer.from('Grüße 👋')), 'Grüße 👋')
    assert.equal(await answerOf(Buffer.from('a\0b\0')), 'ab')
    assert.equal(await answerOf(Buffer.from([0x61, 0xff, 0x62])), 'a\ufffdb')
    assert.equal(await answerOf(Buffer.alloc(0)), '')
    for (const body of [
      Buffer.alloc(9_000, 0xff), Buffer.from(`a${'👋'.repeat(3_000)}`), Buffer.alloc(8_192, 0xc3), Buffer.from('é'.repeat(8_000)),
    ]) {
      const text = (await answerOf(body)) ?? ''
      assert.isAtMost(Buffer.byteLength(text), 8 * 1024)
      assert.isAbove(Buffer.byteLength(text), 8 * 1024 - 4)
      assert.equal(Buffer.from(text).toString(), text)
    }
  })

  it('that hangs is given up', async () => {
    assert.include(await deliverRaw((socket) => socket.resume(), { timeoutMs: 200 }), {
      delivered: false, httpStatus: undefined, error: 'No answer came within 0.2 seconds',
    })
  })

  it('that never reads the event is given up', async () => {
    const big = { ...EVENT, data: { text: 'x'.repeat(20e6) } }
    const result = await deliverRaw((socket) => void socket.pause(), { timeoutMs: 300 }, big)
    assert.include(result, { delivered: false, error: 'No answer came within 0.3 seconds' })
  })

  it('gains no time by dripping its header', async () => {
    const result = await deliverRaw((socket) => {
      const timer = setInterval(() => socket.write('x'), 20)
      socket.write('HTTP/1.1 200 OK\r\nx-slow: ')
      socket.on('close', () => clearInterval(timer))
    }, { timeoutMs: 300 })
    assert.include(result, { delivered: false, error: 'No answer came within 0.3 seconds' })
  })

  it('has the event if the header of a 2xx arrived and the body drips; the arrived part of the body is kept', async () => {
    const drip = (status: number) => deliverRaw((socket) => {
      socket.once('data', () => {
        socket.write(`HTTP/1.1 ${status} Something\r\ncontent-length: 100000\r\n\r\nslow`)
        const timer = setInterval(() => socket.write('.'), 20)
        socket.on('close', () => clearInterval(timer))
      })
      // Long enough for the header to arrive in time even on a busy machine.
    }, { timeoutMs: 800 })
    const taken = await drip(200)
    assert.include(taken, { delivered: true, httpStatus: 200, error: undefined })
    assert.match(taken.answer ?? '', /^slow\.+$/)
    assert.include(await drip(500), { delivered: false, httpStatus: 500, error: 'The endpoint answered with status 500' })
  })

  it('has the event if the connection is lost in the middle of the body of a 2xx', async () => {
    const result = await deliverRaw((socket) => void socket.once('data', () => {
      socket.write('HTTP/1.1 200 OK\r\ncontent-length: 100\r\n\r\npart')
      setImmediate(() => socket.destroy())
    }))
    assert.include(result, { delivered: true, httpStatus: 200, answer: 'part' })
  })

  it('fails if it closes at once or resets the connection', async () => {
    assert.include(await deliverRaw((socket) => void socket.destroy()), { delivered: false, error: LOST })
    assert.include(await deliverRaw((socket) => void socket.end()), { delivered: false, error: LOST })
    assert.include(
      await deliverRaw((socket) => void socket.once('data', () => socket.resetAndDestroy())), { delivered: false, error: LOST },
    )
  })

  it('fails if it does not speak HTTP, or switches to another protocol', async () => {
    const saying = (text: string) => deliverRaw((socket) => void socket.once('data', () => socket.end(text)))
    assert.include(await saying('SSH-2.0-OpenSSH_9.2\r\n'), { delivered: false, error: 'The answer is not HTTP' })
    assert.include(await saying(`HTTP/1.1 200 OK\r\nx: ${'a'.repeat(100_000)}\r\n\r\n`), {
      delivered: false, error: 'The header of the answer is too long',
    })
    assert.include(await saying('HTTP/1.1 200 OK\r\ncontent-length: 1\r\ncontent-length: 2\r\n\r\nab'), { delivered: false })
    assert.include(
      await saying('HTTP/1.1 101 Switching Protocols\r\nconnection: upgrade\r\nupgrade: websocket\r\n\r\n'), { delivered: false },
    )
  })

  it('may send interim answers first', async () => {
    const result = await deliverRaw((socket) => void socket.once('data', () => socket.end('HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 103 Early Hints\r\n\r\nHTTP/1.1 200 OK\r\n\r\nyes')))
    assert.include(result, { delivered: true, httpStatus: 200, answer: 'yes' })
  })

  it('fails if nothing listens, and the error names no address', async () => {
    const receiver = await openReceiver()
    await receiver[Symbol.asyncDispose]()
    assert.include(await deliverTo(`http://hooks.example:${receiver.port}/`, { resolve: () => Promise.resolve(['127.0.0.1']) }), {
      delivered: false, error: 'The host refused the connection',
    })
  })

  it('fails if its name server does not answer, or does not know it', async () => {
    const hanging = await deliverTo('https://hooks.example/', { timeoutMs: 200, resolve: () => new Promise(() => undefined) })
    assert.isFalse(hanging.delivered)
    const unknown = await deliverTo('https://hooks.example/', {
      resolve: () => Promise.reject(Object.assign(new Error('queryA ENOTFOUND'), { code: 'ENOTFOUND' })),
    })
    assert.include(unknown, { delivered: false, error: 'The host was not found' })
  })

  it('is called again at once if it had closed an idle connection', async () => {
    await using receiver = await openReceiver()
    sender = makeWebhookSender({ version: '1', allow: [LOOPBACK] })
    const sink = sender.sinkFor({ url: receiver.url, secrets: [secretOf(1)] })
    const closing = await openReceiver((response, nth, socket) => {
      if (nth === 2) socket.destroy()
      else response.end()
    })
    const other = sender.sinkFor({ url: closing.url, secrets: [secretOf(1)] })
    assert.isTrue((await sink.deliver(EVENT)).delivered)
    assert.isTrue((await other.deliver(EVENT)).delivered)
    assert.isTrue((await other.deliver(EVENT)).delivered, 'a connection that was used before is no reason to fail')
    assert.equal(closing.connections(), 2)
    await closing[Symbol.asyncDispose]()
  })

  it('that hangs does not delay another one', async () => {
    await using hanging = await openReceiver(() => undefined)
    await using healthy = await openReceiver()
    sender = makeWebhookSender({ version: '1', allow: [LOOPBACK] })
    const hangingSink = sender.sinkFor({ url: hanging.url, secrets: [secretOf(1)] })
    const stuck = ['a', 'b', 'c', 'd', 'e'].flatMap((digit) => Array.from({ length: 100 }, () => hangingSink.deliver(eventOf(digit))))
    await eventually('the calls of the endpoint that hangs', () => (hanging.received.length === 64 ? true : undefined))
    const sink = sender.sinkFor({ url: healthy.url, secrets: [secretOf(1)] })
    for (let nth = 0; nth < 20; nth += 1) assert.isTrue((await sink.deliver(EVENT)).delivered)
    assert.equal(hanging.connections(), 64, 'connections to one host are bounded')
    sender.close()
    for (const result of await Promise.all(stuck)) assert.include(result, { delivered: false, error: 'This gateway is stopping' })
    assert.include(await sink.deliver(EVENT), { delivered: false, error: 'This gateway is stopping' })
  })
})
