import { once } from 'node:events'
import { connect, type Socket } from 'node:net'
import { assert } from 'chai'
import { listen } from '../../../apps/server/http-server.js'
import { eventually } from '../../support/eventually.js'
import { startInProcessFixture } from '../../support/process-fixture.js'

describe('Connections beyond MAX_CONNECTIONS', () => {
  it('are closed at once, counted, and logged in one line', async () => {
    await using world = await startInProcessFixture({ MAX_CONNECTIONS: '2', METRICS_PORT: '0' })
    const { hostname, port } = new URL(world.server().url)
    const opened = async (): Promise<Socket> => {
      const socket = connect(Number(port), hostname)
      // A connection that is closed may end with a reset.
      socket.on('error', () => undefined)
      await once(socket, 'connect')
      return socket
    }
    const kept = [await opened(), await opened()]
    for (const socket of kept) {
      socket.write('GET /health/live HTTP/1.1\r\nHost: postern\r\n\r\n')
      assert.match(String((await once(socket, 'data'))[0]), /^HTTP\/1\.1 200 /)
    }
    for (let connection = 0; connection < 3; connection += 1) {
      const socket = await opened()
      socket.resume()
      if (!socket.closed) await once(socket, 'close')
    }
    const { url } = await eventually('the metrics listen', () =>
      world.server().log().find(({ msg }) => msg === 'metrics_listening')) as { url: string }
    assert.match(await (await fetch(url)).text(), /^postern_connections_refused_total 3$/m)
    const lines = world.server().log().filter(({ msg }) => msg === 'connections_refused')
    assert.lengthOf(lines, 1)
    assert.deepInclude(lines[0], { level: 'warn', count: 1 })
    for (const socket of kept) {
      assert.isFalse(socket.closed)
      socket.destroy()
    }
  })
})

describe('A request that Node.js cannot read', () => {
  const LIVE = 'GET /health/live HTTP/1.1\r\nHost: a\r\n\r\n'

  /** What a connection is answered to a text, and to another one after the first reply. */
  const repliesTo = async (url: string, request: string, next?: string): Promise<string> => {
    const { hostname, port } = new URL(url)
    const socket = connect(Number(port), hostname).on('error', () => undefined)
    let text = ''
    socket.on('data', (chunk: Buffer) => { text += chunk.toString() })
    socket.write(request)
    if (next !== undefined) {
      await once(socket, 'data')
      socket.write(next)
    }
    await once(socket, 'close')
    return text
  }

  it('is answered on a connection that had replies before', async () => {
    await using world = await startInProcessFixture()
    const replies = await repliesTo(world.server().url, LIVE, 'NONSENSE\r\n\r\n')
    assert.match(replies, /^HTTP\/1\.1 200 [^]*HTTP\/1\.1 400 [^]*"malformed_body"/)
  })

  it('gets no reply that could be taken for that of an earlier request, which still waits for its own', async () => {
    await using world = await startInProcessFixture()
    assert.notInclude(await repliesTo(world.server().url, `${LIVE}NONSENSE\r\n\r\n`), 'HTTP/1.1 400')
  })

  it('is answered with a JSON error body, and the connection ends', async () => {
    await using world = await startInProcessFixture()
    const answerTo = (request: string): Promise<string> => repliesTo(world.server().url, request)
    const cases = [['NONSENSE\r\n\r\n', 400], [`GET / HTTP/1.1\r\nHost: a\r\nX-Long: ${'x'.repeat(20_000)}\r\n\r\n`, 431]] as const
    for (const [request, status] of cases) {
      const [head = '', body = ''] = (await answerTo(request)).split('\r\n\r\n')
      assert.match(head, new RegExp(`^HTTP/1\\.1 ${status} [^]*\r\nConnection: close`))
      assert.deepInclude(JSON.parse(body), { status: 'error', code: 'malformed_body' })
    }
  })
})

describe('A request whose headers arrive byte by byte', () => {
  it('is answered 408 with a JSON error body, and never handled', async () => {
    let isHandled = false
    const handle = async (): Promise<void> => { isHandled = true }
    const server = await listen(
      handle, { host: '127.0.0.1', port: 0 }, { headersTimeout: 50, requestTimeout: 1_000, connectionsCheckingInterval: 10 },
    )
    const socket = connect(server.port, '127.0.0.1').on('error', () => undefined)
    socket.write('GET /health/live HTTP/1.1\r\nX-Long: ')
    const trickle = setInterval(() => { socket.write('x') }, 5)
    let text = ''
    socket.on('data', (chunk: Buffer) => {
      // A second byte after the gateway has closed the connection would be a failed write, which ends the reading.
      clearInterval(trickle)
      text += chunk.toString()
    })
    await new Promise((resolve) => { socket.once('close', resolve) })
    clearInterval(trickle)
    const reply = text.split('\r\n\r\n')
    await server.stop(0)
    assert.match(reply[0] ?? '', /^HTTP\/1\.1 408 [^]*\r\nConnection: close/)
    assert.deepInclude(JSON.parse(reply[1] ?? ''), { status: 'error', code: 'request_timeout', message: 'The request did not arrive completely before the timeout' })
    assert.isFalse(isHandled)
  })
})

describe('The address of the gateway', () => {
  it('leads a browser to the console, and answers a program in JSON', async () => {
    await using world = await startInProcessFixture()
    const opened = (accept: string): Promise<Response> =>
      fetch(`${world.server().url}/`, { headers: { Accept: accept }, redirect: 'manual' })
    const page = await opened('text/html,*/*;q=0.8')
    assert.deepEqual([page.status, page.headers.get('Location')], [303, '/console'])
    assert.equal((await opened('*/*')).status, 404)
  })
})

describe('A connection that asks and does not wait for its answers', () => {
  const ask = async (url: string, requests: number): Promise<{ readonly answers: number; readonly closed: boolean }> => {
    const { hostname, port } = new URL(url)
    const socket = connect(Number(port), hostname).on('error', () => undefined)
    let text = ''
    socket.on('data', (chunk: Buffer) => { text += chunk.toString('latin1') })
    const answers = (): number => text.split('HTTP/1.1 200 ').length - 1
    socket.write('GET /health/live HTTP/1.1\r\nHost: postern\r\n\r\n'.repeat(requests))
    await eventually('answers, or the end', () => answers() === requests || socket.closed || undefined)
    const outcome = { answers: answers(), closed: socket.closed }
    socket.destroy()
    return outcome
  }

  it('has four requests answered at a time, and is closed with more', async () => {
    await using fixture = await startInProcessFixture()
    const { url } = fixture.server()
    assert.deepEqual(await ask(url, 4), { answers: 4, closed: false })
    const refused = await ask(url, 5)
    assert.isTrue(refused.closed)
    assert.isBelow(refused.answers, 5)
  })
})
