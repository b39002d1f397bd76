import { constants } from 'node:http2'
import { assert } from 'chai'
import type { TransportResult } from '../../../adapters/cloud-api/transport.js'
import { openTcpProxy } from '../../support/tcp-proxy.js'
import { eventually, SECRET, tagAndCause, to } from './each-transport.js'
import { accept, describeHttp2, hold } from './http2-server.js'

const {
  NGHTTP2_CANCEL, NGHTTP2_ENHANCE_YOUR_CALM, NGHTTP2_INTERNAL_ERROR, NGHTTP2_NO_ERROR, NGHTTP2_PROTOCOL_ERROR, NGHTTP2_REFUSED_STREAM,
} = constants

const tags = (results: ReadonlyArray<TransportResult>): ReadonlyArray<string> => results.map(({ _tag }) => _tag)

describeHttp2('over HTTP/2, with a server that fails it', ({ serve, open }) => {
  it('knows that nothing was processed when the server refuses the stream', async () => {
    const server = await serve()
    server.respond = (stream) => stream.close(NGHTTP2_REFUSED_STREAM)
    const result = await open().send(to(server.url))
    assert.equal(result._tag, 'NotSent')
    assert.notInclude(tagAndCause(result), SECRET)
  })

  for (const [name, code] of Object.entries({ NGHTTP2_NO_ERROR, NGHTTP2_PROTOCOL_ERROR, NGHTTP2_INTERNAL_ERROR, NGHTTP2_CANCEL, NGHTTP2_ENHANCE_YOUR_CALM })) {
    it(`reports no answer when the server resets the stream with ${name}`, async () => {
      const server = await serve()
      server.respond = (stream) => stream.close(code)
      assert.equal((await open().send(to(server.url)))._tag, 'NoAnswer')
      assert.lengthOf(server.arrived, 1)
    })

    it(`reports no answer when the server resets the stream with ${name} in the middle of the answer`, async () => {
      const server = await serve()
      server.respond = (stream) => {
        // Without trailers the stream would end before it is reset.
        stream.respond({ ':status': 200, 'content-length': '100' }, { waitForTrailers: true })
        stream.write('{"messages":', () => stream.close(code))
      }
      assert.equal((await open().send(to(server.url)))._tag, 'NoAnswer')
    })
  }

  it('reports no answer when the server refuses a stream that it has begun to answer', async () => {
    const server = await serve()
    const transport = open()
    server.respond = (stream) => {
      stream.respond({ ':status': 200 }, { waitForTrailers: true })
      stream.write('{"messages":', () => stream.close(NGHTTP2_REFUSED_STREAM))
    }
    assert.equal((await transport.send(to(server.url)))._tag, 'NoAnswer')
  })

  it('keeps the other calls of the connection when one stream is reset', async () => {
    const server = await serve()
    server.respond = (stream, nth) => (nth === 1 ? stream.close(NGHTTP2_INTERNAL_ERROR) : accept(stream, nth))
    const transport = open()
    assert.sameMembers([...tags(await Promise.all([transport.send(to(server.url)), transport.send(to(server.url))]))], ['NoAnswer', 'Answered'])
    assert.lengthOf(server.sessions, 1)
  })

  for (const [name, code] of Object.entries({ NGHTTP2_NO_ERROR, NGHTTP2_ENHANCE_YOUR_CALM, NGHTTP2_REFUSED_STREAM })) {
    it(`knows which calls a GOAWAY with ${name} leaves unprocessed`, async () => {
      const server = await serve()
      server.respond = (stream, nth) => {
        // Streams of a client have the numbers 1, 3, 5 …; the third and later ones are not processed.
        if (nth === 4) stream.session?.goaway(code, 3)
      }
      const transport = open({ pingEveryMs: 60_000 })
      const sending = Array.from({ length: 4 }, () => transport.send(to(server.url, { timeoutMs: 300 })))
      assert.deepEqual(tags(await Promise.all(sending)), ['NoAnswer', 'NoAnswer', 'NotSent', 'NotSent'])
      assert.lengthOf(server.arrived, 4)
    })
  }

  it('hands over the answers that still come after a GOAWAY, and sends further calls over another connection', async () => {
    const server = await serve()
    const transport = open()
    let isFirst = true
    server.respond = (stream, nth) => {
      if (isFirst) stream.session?.goaway(NGHTTP2_NO_ERROR, 1)
      isFirst = false
      setImmediate(() => setImmediate(() => accept(stream, nth)))
    }
    assert.equal((await transport.send(to(server.url)))._tag, 'Answered')
    assert.equal((await transport.send(to(server.url)))._tag, 'Answered')
    assert.lengthOf(server.sessions, 2)
  })

  it('sends nothing that waits over a connection that is going away', async () => {
    const server = await serve({ settings: { maxConcurrentStreams: 1 } })
    const transport = open({ http2Connections: 1 })
    server.respond = (stream, nth) => {
      if (nth === 1) stream.session?.goaway(NGHTTP2_NO_ERROR, 1)
      accept(stream, nth)
    }
    const results = await Promise.all([transport.send(to(server.url)), transport.send(to(server.url))])
    assert.deepEqual(results.map(tagAndCause), ['Answered', 'Answered'])
    assert.lengthOf(server.sessions, 2)
  })

  it('reports no answer for every call under way when the connection is reset, and connects again', async () => {
    const server = await serve()
    server.respond = (_, nth) => {
      if (nth === 3) server.sockets.at(-1)?.resetAndDestroy()
    }
    const transport = open()
    const sending = Array.from({ length: 3 }, () => transport.send(to(server.url)))
    assert.deepEqual(tags(await Promise.all(sending)), ['NoAnswer', 'NoAnswer', 'NoAnswer'])
    server.respond = accept
    assert.equal((await transport.send(to(server.url)))._tag, 'Answered')
    assert.lengthOf(server.arrived, 4)
  })

  it('reports no answer when the server closes the connection', async () => {
    const server = await serve()
    server.respond = (stream) => stream.session?.destroy()
    assert.equal((await open().send(to(server.url)))._tag, 'NoAnswer')
    assert.lengthOf(server.arrived, 1)
  })

  it('reports no answer when none comes within the deadline, and takes the call back', async () => {
    const server = await serve()
    let code: number | undefined
    server.respond = (stream) => void stream.once('close', () => { code = stream.rstCode })
    assert.equal((await open().send(to(server.url, { timeoutMs: 100 })))._tag, 'NoAnswer')
    await eventually(() => code !== undefined)
    assert.equal(code, NGHTTP2_CANCEL)
  })

  it('reports no answer when the answer is longer than what is read', async () => {
    const server = await serve()
    server.respond = (stream) => {
      stream.respond({ ':status': 200 })
      stream.end('x'.repeat(2_000))
    }
    const result = await open().send(to(server.url, { maxAnswerBytes: 1_000 }))
    assert.equal(tagAndCause(result), 'NoAnswer: The answer is longer than 1000 bytes')
  })

  it('closes a connection on which pings have no reply, and sends further calls over another one', async () => {
    const server = await serve()
    const proxy = await openTcpProxy(server.url)
    try {
      server.respond = hold
      const transport = open({ pingEveryMs: 20, pingTimeoutMs: 100 })
      const origin = new URL(proxy.url).origin
      const sending = transport.send(to(origin))
      await eventually(() => server.arrived.length === 1)
      proxy.cutOff()
      assert.equal(tagAndCause(await sending), 'NoAnswer: Error: No reply to a ping within 100 ms')
      server.respond = accept
      assert.equal((await transport.send(to(origin)))._tag, 'Answered')
      assert.lengthOf(server.sessions, 2)
    } finally {
      await proxy.close()
    }
  })

  it('knows that nothing was sent to a server that never finishes the handshake', async () => {
    const server = await serve()
    server.server.removeAllListeners('secureConnection')
    const result = await open().send(to(server.url, { timeoutMs: 150 }))
    assert.equal(result._tag, 'NotSent')
  })
})
