import { createServer } from 'node:net'
import { assert } from 'chai'
import type { Resolve } from '../../../adapters/webhooks/address.js'
import { makeWebhookSender, type WebhookSender } from '../../../adapters/webhooks/webhook-sender.js'
import { FORBIDDEN, TRICKY_HOSTS } from './addresses.js'
import { listening } from '../../support/listening.js'
import { openReceiver } from '../../support/receiver.js'
import { EVENT, secretOf } from './sample-event.js'

const FORBIDDEN_SENTENCE = 'The host is, or resolves to, an address that is not public, and the operator of this gateway does not allow it'
const REFUSALS: ReadonlyArray<string | undefined> = [
  FORBIDDEN_SENTENCE, 'The URL of the endpoint cannot be read', 'The URL of the endpoint has a user or a password',
  'The host was not found',
]

/** A server on this machine that must not be reached. */
const openTrap = async () => {
  let connections = 0
  const { port, close } = await listening(createServer((socket) => {
    connections += 1
    socket.end('HTTP/1.1 200 OK\r\ncontent-length: 0\r\n\r\n')
  }))
  return { port, connections: () => connections, close }
}

describe('an endpoint that leads to a forbidden address', () => {
  let trap: Awaited<ReturnType<typeof openTrap>>
  let sender: WebhookSender | undefined

  beforeEach(async () => { trap = await openTrap() })
  afterEach(async () => {
    sender?.close()
    assert.equal(trap.connections(), 0, 'connections to the trap')
    await trap.close()
  })

  const deliver = async (url: string, resolve: Resolve, allow: ReadonlyArray<string> = []) => {
    sender ??= undefined
    sender?.close()
    sender = makeWebhookSender({ version: '1', timeoutMs: 2_000, resolve, allow: allow.map((first) => ({ first, prefixLength: 32 })) })
    return sender.sinkFor({ url, secrets: [secretOf(1)] }).deliver(EVENT)
  }

  /** A name server that leads every name to this machine. */
  const hostile: Resolve = () => Promise.resolve(['127.0.0.1'])

  it('is not called, however its host is written', async () => {
    assert.isAtLeast(new Set(TRICKY_HOSTS).size, 200)
    for (const scheme of ['http', 'https']) {
      for (const host of TRICKY_HOSTS) {
        const { delivered, error } = await deliver(`${scheme}://${host}:${trap.port}/`, hostile)
        assert.isFalse(delivered, host)
        assert.include(REFUSALS, error, `${scheme}://${host}`)
      }
    }
  })

  it('is not called, whichever forbidden address its name has', async () => {
    for (const scheme of ['http', 'https']) {
      for (const address of Object.values(FORBIDDEN).flat()) {
        const { delivered, error } = await deliver(`${scheme}://hooks.example.com:${trap.port}/`, () => Promise.resolve([address]))
        assert.isFalse(delivered, address)
        assert.equal(error, FORBIDDEN_SENTENCE, address)
      }
    }
  })

  it('is not called if one of its addresses is forbidden, in whichever place', async () => {
    for (const answers of [
      ['127.0.0.1', '8.8.8.8'], ['8.8.8.8', '127.0.0.1'], ['8.8.8.8', '1.1.1.1', '::1'], ['2606:4700:4700::1111', '10.0.0.1'],
      ['8.8.8.8', ''], ['8.8.8.8', 'localhost'],
    ]) {
      const { error } = await deliver(`https://hooks.example.com:${trap.port}/`, () => Promise.resolve(answers))
      assert.equal(error, FORBIDDEN_SENTENCE, answers.join())
    }
  })

  it('is looked up once for each connection, so that no other answer comes between the check and the call', async () => {
    await using receiver = await openReceiver((response) => void response.writeHead(200, { connection: 'close' }).end())
    const answers = [['127.0.0.1'], ['127.0.0.2'], ['127.0.0.1'], ['8.8.8.8', '127.0.0.2']]
    let lookups = 0
    const results = []
    const changing: Resolve = () => Promise.resolve(answers[lookups++] ?? [])
    sender = makeWebhookSender({ version: '1', resolve: changing, allow: [{ first: '127.0.0.1', prefixLength: 32 }] })
    const sink = sender.sinkFor({ url: `http://hooks.example.com:${receiver.port}/`, secrets: [secretOf(1)] })
    for (const _ of answers) results.push((await sink.deliver(EVENT)).delivered)
    assert.deepEqual(results, [true, false, true, false])
    assert.equal(lookups, answers.length)
    assert.lengthOf(receiver.received, 2)
  })

  it('gets no byte if the connection ends up at another address than the one that was checked', async () => {
    const bytes: Buffer[] = []
    await using other = await listening(
      createServer((socket) => { socket.on('data', (chunk) => bytes.push(chunk)).on('error', () => undefined) }),
    )
    // The system connects 0.0.0.0 to 127.0.0.1, which is not in the range.
    for (const scheme of ['http', 'https']) {
      for (const host of ['0.0.0.0', 'hooks.example.com']) {
        const { delivered, error } = await deliver(`${scheme}://${host}:${other.port}/`, () => Promise.resolve(['0.0.0.0']), ['0.0.0.0'])
        assert.isFalse(delivered)
        assert.equal(error, FORBIDDEN_SENTENCE)
      }
    }
    assert.isEmpty(Buffer.concat(bytes))
  })

  it('is not called by a redirect of an endpoint that may be called', async () => {
    for (const status of [300, 301, 302, 303, 304, 305, 307, 308]) {
      for (const location of [
        `http://127.0.0.1:${trap.port}/`, 'http://169.254.169.254/latest/meta-data/', `//localhost:${trap.port}/`, 'file:///etc/passwd',
        '/again',
      ]) {
        await using receiver = await openReceiver((response) => void response.writeHead(status, { location }).end())
        sender?.close()
        sender = makeWebhookSender({ version: '1', resolve: hostile, allow: [{ first: '127.0.0.1', prefixLength: 32 }] })
        const result = await sender.sinkFor({ url: receiver.url, secrets: [secretOf(1)] }).deliver(EVENT)
        assert.include(result, { delivered: false, httpStatus: status, error: `The endpoint answered with status ${status}; redirects are not followed` })
        assert.lengthOf(receiver.received, 1)
      }
    }
  })

  it('is not called over http at a public address, and the error says what to do', async () => {
    const { error } = await deliver('http://8.8.8.8/', hostile)
    assert.equal(error, 'Events are delivered over https, except to addresses that the operator of this gateway allows')
  })

  it('is refused without the address that its name has', async () => {
    const { error } = await deliver('https://intranet/', () => Promise.resolve(['10.11.12.13']))
    assert.notInclude(String(error), '10.11')
  })
})
