import { createServer } from 'node:https'
import { once } from 'node:events'
import type { AddressInfo } from 'node:net'
import { assert } from 'chai'
import { eventually, SECRET, tagAndCause, to } from './each-transport.js'
import { accept, BODY, describeHttp2, hold } from './http2-server.js'
import { untrustedCertificate } from './untrusted-certificate.js'

describeHttp2('over HTTP/2', ({ serve, open }) => {
  it('sends the request as it was asked to, and hands over the answer', async () => {
    const server = await serve()
    let received: unknown
    server.server.once('stream', (_, { ':method': method, ':path': path, ':authority': host, authorization, 'content-type': type }) => {
      received = { method, path, host, authorization, type }
    })
    const { body } = to(server.url)
    const result = await open().send(to(server.url))
    if (result._tag !== 'Answered') return assert.fail(tagAndCause(result))
    assert.deepEqual([result.status, result.headers['content-type'], result.body], [200, 'application/json', BODY])
    assert.notProperty(result.headers, ':status')
    assert.deepEqual(received, {
      method: 'POST', path: '/v25.0/42/messages', host: new URL(server.url).host, authorization: `Bearer ${SECRET}`, type: 'application/json',
    })
    assert.deepEqual(server.arrived, [String(body)])
  })

  it('sends a question without a body', async () => {
    const server = await serve()
    const { body: _, ...question } = to(server.url, { method: 'GET' })
    assert.equal((await open().send(question))._tag, 'Answered')
    assert.deepEqual(server.arrived, [''])
  })

  it('carries a hundred calls at once over one connection, and 150 over two', async () => {
    const server = await serve()
    server.respond = hold
    const transport = open()
    const streams: Parameters<typeof accept>[0][] = []
    server.respond = (stream) => void streams.push(stream)
    const sending = Array.from({ length: 100 }, () => transport.send(to(server.url)))
    await eventually(() => streams.length === 100)
    assert.lengthOf(server.sessions, 1)
    const more = Array.from({ length: 50 }, () => transport.send(to(server.url)))
    await eventually(() => streams.length === 150)
    assert.lengthOf(server.sessions, 2)
    for (const [index, stream] of streams.entries()) accept(stream, index)
    for (const result of await Promise.all([...sending, ...more])) assert.equal(result._tag, 'Answered')
  })

  it('carries a thousand calls at once over ten connections', async () => {
    const server = await serve()
    const transport = open()
    const streams: Parameters<typeof accept>[0][] = []
    server.respond = (stream) => void streams.push(stream)
    const sending = Array.from({ length: 1_000 }, () => transport.send(to(server.url, { timeoutMs: 60_000 })))
    while (streams.length < 1_000) await new Promise(setImmediate)
    assert.lengthOf(server.sessions, 10)
    // Answered together, so that many answers arrive in one piece.
    for (const stream of streams) {
      stream.respond({ ':status': 200, 'content-length': BODY.length })
      stream.end(BODY)
    }
    for (const result of await Promise.all(sending)) assert.equal(result._tag === 'Answered' && result.body, BODY)
  })

  it('opens as many connections as calls need where the server takes one call a connection', async () => {
    const server = await serve({ settings: { maxConcurrentStreams: 1 } })
    server.respond = hold
    const transport = open()
    const sending = Array.from({ length: 5 }, () => transport.send(to(server.url)))
    await eventually(() => server.arrived.length === 5)
    assert.lengthOf(server.sessions, 5)
    await transport.close()
    for (const result of await Promise.all(sending)) assert.equal(result._tag, 'NoAnswer')
  })

  it('sends calls one after the other over the only connection, which takes one call', async () => {
    const server = await serve({ settings: { maxConcurrentStreams: 1 } })
    const transport = open({ http2Connections: 1 })
    const results = await Promise.all(Array.from({ length: 20 }, () => transport.send(to(server.url))))
    for (const result of results) assert.equal(result._tag, 'Answered')
    assert.deepEqual([server.arrived.length, server.sessions.length], [20, 1])
  })

  it('knows that nothing was sent of a call that finds no room before its deadline', async () => {
    const server = await serve({ settings: { maxConcurrentStreams: 1 } })
    server.respond = hold
    const transport = open({ http2Connections: 1 })
    const first = transport.send(to(server.url))
    await eventually(() => server.arrived.length === 1)
    const second = await transport.send(to(server.url, { timeoutMs: 100 }))
    assert.equal(tagAndCause(second), 'NotSent: No connection had room for the call within 100 ms')
    await transport.close()
    assert.equal((await first)._tag, 'NoAnswer')
    assert.lengthOf(server.arrived, 1)
  })

  it('knows that nothing was sent to a server that takes no calls', async () => {
    const server = await serve({ settings: { maxConcurrentStreams: 0 } })
    const transport = open()
    const results = await Promise.all(Array.from({ length: 3 }, () => transport.send(to(server.url, { timeoutMs: 100 }))))
    for (const result of results) assert.equal(result._tag, 'NotSent')
    assert.isAtMost(server.sessions.length, 1)
  })

  it('takes more calls on a connection once the server allows more', async () => {
    const server = await serve({ settings: { maxConcurrentStreams: 1 } })
    server.respond = hold
    const transport = open({ http2Connections: 1 })
    void transport.send(to(server.url))
    void transport.send(to(server.url))
    await eventually(() => server.arrived.length === 1)
    server.sessions[0]?.settings({ maxConcurrentStreams: 2 })
    await eventually(() => server.arrived.length === 2)
  })

  it('refuses at once what is above the number of calls', async () => {
    const server = await serve()
    server.respond = hold
    const transport = open({ connections: 1 })
    void transport.send(to(server.url))
    assert.equal((await transport.send(to(server.url)))._tag, 'NotSent')
  })

  it('does not send what cannot be written, and keeps the connection', async () => {
    const server = await serve()
    const transport = open()
    for (const headers of [{ authorization: 'Bearer a\nb' }, { 'a b': 'c' }]) {
      assert.equal((await transport.send(to(server.url, { headers })))._tag, 'NotSent')
    }
    assert.equal((await transport.send(to(server.url)))._tag, 'Answered')
    assert.deepEqual([server.arrived.length, server.sessions.length], [1, 1])
  })

  it('knows that nothing was sent when the certificate is not trusted, and when the connection is refused', async () => {
    const server = await serve()
    const transport = open({ ca: '' })
    assert.equal((await transport.send(to(server.url)))._tag, 'NotSent')
    server.server.close()
    assert.equal((await transport.send(to(server.url)))._tag, 'NotSent')
    assert.equal((await transport.send(to('https://no such host')))._tag, 'NotSent')
    assert.lengthOf(server.arrived, 0)
  })

  it('sends nothing once it is closed', async () => {
    const server = await serve()
    const transport = open()
    await transport.close()
    assert.equal((await transport.send(to(server.url)))._tag, 'NotSent')
    assert.lengthOf(server.sockets, 0)
  })
})

describeHttp2('with HTTP/2, to a server that speaks HTTP/1.1', ({ open }) => {
  it('sends over HTTP/1.1, and asks for HTTP/2 only once', async () => {
    const arrived: string[] = []
    let connections = 0
    const server = createServer(untrustedCertificate, (request, response) => {
      arrived.push(request.httpVersion)
      request.resume().on('end', () => response.end('{}'))
    }).on('connection', () => { connections += 1 }).listen(0, '127.0.0.1')
    await once(server, 'listening')
    try {
      const origin = `https://127.0.0.1:${(server.address() as AddressInfo).port}`
      const transport = open()
      const first = await Promise.all([transport.send(to(origin)), transport.send(to(origin))])
      const third = await transport.send(to(origin))
      assert.deepEqual([...first, third].map(({ _tag }) => _tag), ['Answered', 'Answered', 'Answered'])
      assert.deepEqual(arrived, ['1.1', '1.1', '1.1'])
      assert.equal(connections, 4)
    } finally {
      server.closeAllConnections()
      server.close()
    }
  })
})
