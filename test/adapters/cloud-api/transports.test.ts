import { createServer as createSecureServer } from 'node:tls'
import { gzipSync } from 'node:zlib'
import { assert } from 'chai'
import { makeGotTransport } from '../../../adapters/cloud-api/got-transport.js'
import { MAX_ANSWER_BYTES, type TransportResult } from '../../../adapters/cloud-api/transport.js'
import { makeUndiciTransport } from '../../../adapters/cloud-api/undici-transport.js'
import { until } from '../../support/eventually.js'
import { listening } from '../../support/listening.js'
import { describeTransports, SECRET, tagAndCause, to } from './each-transport.js'
import { answer, openNetwork, reset } from './network.js'
import { untrustedCertificate } from './untrusted-certificate.js'

describeTransports('with a server that answers', (world) => {
  it('sends the request exactly as it was asked to', async () => {
    const { transport, network } = world()
    network.behave(answer(200, {}))
    await transport.send(to(network.url))
    const [arrived] = network.arrived
    assert.equal(arrived?.method, 'POST')
    assert.equal(arrived?.url, '/v25.0/42/messages')
    assert.equal(arrived?.body, '{"to":"+4915112345678","text":"Grüße"}')
    assert.equal(arrived?.headers.authorization, `Bearer ${SECRET}`)
    assert.equal(arrived?.headers['content-type'], 'application/json')
    assert.equal(arrived?.headers['content-length'], '40')
    assert.notProperty(arrived?.headers, 'accept-encoding')
    assert.notProperty(arrived?.headers, 'cookie')
    assert.notProperty(arrived?.headers, 'transfer-encoding')
  })

  it('sends a question without a body', async () => {
    const { transport, network } = world()
    network.behave(answer(200, {}))
    const { body: _, ...question } = to(network.url, { method: 'GET', path: '/v25.0/42?fields=verified_name' })
    assert.equal((await transport.send(question))._tag, 'Answered')
    assert.equal(network.arrived[0]?.method, 'GET')
    assert.equal(network.arrived[0]?.url, '/v25.0/42?fields=verified_name')
    assert.equal(network.arrived[0]?.body, '')
  })

  it('sends nothing if it may not begin any more when it has a connection', async () => {
    const { transport, network } = world()
    network.behave(answer(200, {}))
    const late = await transport.send(to(network.url, { mayBegin: () => false }))
    assert.equal(tagAndCause(late), 'NotSent: It was too late to begin the call')
    assert.equal(tagAndCause(await transport.send(to(network.url, { mayBegin: () => true }))), 'Answered')
    assert.lengthOf(network.arrived, 1)
  })

  it('sends a long body whole', async () => {
    const { transport, network } = world()
    network.behave(answer(200, {}))
    // Longer than what a client writes at once, and with characters that two pieces may share.
    const body = 'ü€'.repeat(100_000)
    assert.equal((await transport.send(to(network.url, { body })))._tag, 'Answered')
    assert.equal(network.arrived[0]?.headers['content-length'], '500000')
    assert.equal(network.arrived[0]?.body, body)
  })

  for (const status of [200, 204, 302, 400, 401, 404, 429, 500, 503]) {
    it(`hands over an answer of status ${status} as it is`, async () => {
      const { transport, network } = world()
      network.behave(answer(status, status === 204 ? '' : '{"ä":1}', { 'retry-after': '7', location: '/elsewhere' }))
      const result = await transport.send(to(network.url))
      assert.deepInclude(result, { _tag: 'Answered', status, body: status === 204 ? '' : '{"ä":1}' })
      assert.equal(result._tag === 'Answered' && result.headers['retry-after'], '7')
      assert.equal(network.arrived.length, 1)
    })
  }

  it('hands over an answer of just the longest length', async () => {
    const { transport, network } = world()
    network.behave(answer(200, 'x'.repeat(MAX_ANSWER_BYTES)))
    const result = await transport.send(to(network.url))
    assert.equal(result._tag === 'Answered' && result.body.length, MAX_ANSWER_BYTES)
  })

  it('joins a character that two packets share', async () => {
    const { transport, network } = world()
    network.behave((response) => {
      response.writeHead(200)
      response.write(Buffer.from([0x22, 0xc3]), () => response.end(Buffer.from([0xbc, 0x22])))
    })
    assert.deepInclude(await transport.send(to(network.url)), { _tag: 'Answered', body: '"ü"' })
  })

  it('hands over a compressed answer that was not asked for without decompressing it', async () => {
    const { transport, network } = world()
    network.behave((response) => response.writeHead(200, { 'content-encoding': 'gzip' }).end(gzipSync('{}')))
    const result = await transport.send(to(network.url))
    assert.equal(result._tag === 'Answered' && result.body, gzipSync('{}').toString())
  })

  it('passes over an informational answer before the real one', async () => {
    const { transport, network } = world()
    network.behave((response) => {
      response.writeEarlyHints({ link: '</a>; rel=preload' })
      answer(200, '{}')(response, network.arrived[0]!)
    })
    assert.deepInclude(await transport.send(to(network.url)), { _tag: 'Answered', status: 200, body: '{}' })
  })

  it('gives no cause that carries the request', async () => {
    const { transport, network } = world()
    network.behave(reset)
    const result = await transport.send(to(network.url))
    assert.equal(result._tag, 'NoAnswer')
    const { cause } = result as Exclude<TransportResult, { _tag: 'Answered' }>
    assert.sameMembers(Object.getOwnPropertyNames(cause), ['stack', 'message'])
    assert.notInclude(`${cause.stack}`, SECRET)
  })
})

describeTransports('with a server it cannot reach', (world) => {
  it('knows that nothing was sent when the connection is refused', async () => {
    const { transport, network } = world()
    await network.close()
    assert.match(tagAndCause(await transport.send(to(network.url))), /^NotSent: ECONNREFUSED/)
  })

  it('knows that nothing was sent when the name does not resolve', async () => {
    const { transport } = world()
    assert.match(tagAndCause(await transport.send(to('http://postern.invalid'))), /^NotSent: (ENOTFOUND|EAI_AGAIN)/)
  })

  it('knows that nothing was sent when the server does not speak TLS', async () => {
    const { transport, network } = world()
    const secure = network.url.replace('http:', 'https:')
    assert.equal((await transport.send(to(secure)))._tag, 'NotSent')
    assert.deepEqual(network.arrived, [])
  })

  it('knows that nothing was sent when the connection is reset during the TLS handshake', async () => {
    const { transport, speaking } = world()
    const host = await speaking((socket) => void socket.resetAndDestroy())
    assert.equal((await transport.send(to(`https://${host}`)))._tag, 'NotSent')
  })

  it('knows that nothing was sent when the TLS handshake outlasts the deadline', async () => {
    const { transport, speaking } = world()
    const host = await speaking(() => undefined)
    assert.equal((await transport.send(to(`https://${host}`, { timeoutMs: 100 })))._tag, 'NotSent')
  })

  it('knows that nothing was sent when the certificate is not trusted', async () => {
    const { transport } = world()
    const secure = createSecureServer(untrustedCertificate, (socket) => socket.once('data', () => socket.end('HTTP/1.1 200 OK\r\n\r\n{}')))
    await using server = await listening(secure.on('tlsClientError', () => undefined))
    assert.match(tagAndCause(await transport.send(to(server.url))), /^NotSent: DEPTH_ZERO_SELF_SIGNED_CERT/)
  })

  it('knows that nothing was sent if the address is invalid', async () => {
    const { transport } = world()
    assert.equal((await transport.send(to('nowhere')))._tag, 'NotSent')
  })

  it('knows that nothing was sent when a header cannot be written', async () => {
    const { transport, network } = world()
    const result = await transport.send(to(network.url, { headers: { authorization: `Bearer ${SECRET}\r\nx: y` } }))
    assert.equal(result._tag, 'NotSent')
    assert.notInclude(tagAndCause(result), SECRET)
    assert.deepEqual(network.arrived, [])
  })
})

for (const [name, makeTransport] of [['got', makeGotTransport], ['undici', makeUndiciTransport]] as const) {
  describe(`the ${name} transport with one connection`, () => {
    it('does not send a second call while the first is under way', async () => {
      const network = await openNetwork()
      const transport = makeTransport({ connections: 1 })
      const first = transport.send(to(network.url, { timeoutMs: 600 }))
      await until(() => network.arrived.length === 1)
      assert.equal((await transport.send(to(network.url)))._tag, 'NotSent')
      assert.equal((await first)._tag, 'NoAnswer')
      network.behave(answer(200, {}))
      assert.equal((await transport.send(to(network.url)))._tag, 'Answered')
      assert.equal(network.arrived.length, 2, 'the one that was not sent is never written')
      await transport.close()
      await network.close()
    })
  })
}
