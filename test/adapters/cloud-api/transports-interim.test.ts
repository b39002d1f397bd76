import { setTimeout as delay } from 'node:timers/promises'
import { assert } from 'chai'
import { aTurnLater, describeTransports, to } from './each-transport.js'
import { ACCEPTED, openRawServer, type RawServer } from './raw-server.js'

const CONTINUE = 'HTTP/1.1 100 Continue\r\n\r\n'

/** What a server may write before an answer, which a client is to pass over (RFC 9110, section 15.2). */
const interims: ReadonlyArray<readonly [string, ReadonlyArray<string>]> = [
  ['100 Continue', [CONTINUE]],
  ['100 Continue with a header', ['HTTP/1.1 100 Continue\r\nx-served-by: a\r\n\r\n']],
  ['100 Continue twice', [CONTINUE, CONTINUE]],
  ['102 Processing', ['HTTP/1.1 102 Processing\r\n\r\n']],
  ['103 Early Hints', ['HTTP/1.1 103 Early Hints\r\nlink: </a>; rel=preload\r\n\r\n']],
  ['100 Continue and 103 Early Hints', [CONTINUE, 'HTTP/1.1 103 Early Hints\r\nlink: </a>\r\n\r\n']],
  ['103 Early Hints and 100 Continue', ['HTTP/1.1 103 Early Hints\r\nlink: </a>\r\n\r\n', CONTINUE]],
]

describeTransports('with a server that gives interim answers', (world) => {
  let server: RawServer
  afterEach(() => server.close())

  const sendTwice = async (): Promise<ReadonlyArray<number | string>> => {
    const statuses: (number | string)[] = []
    for (let n = 0; n < 2; n += 1) {
      const result = await world().transport.send(to(server.url, { timeoutMs: 2_000 }))
      statuses.push(result._tag === 'Answered' ? result.status : result.cause.message)
      await aTurnLater()
    }
    return statuses
  }

  for (const [name, texts] of interims) {
    it(`passes over ${name} in the same packet as the answer`, async () => {
      server = await openRawServer((socket) => void socket.write(texts.join('') + ACCEPTED))
      assert.deepEqual(await sendTwice(), [200, 200])
    })

    it(`passes over ${name} in packets of its own`, async () => {
      server = await openRawServer(async (socket) => {
        for (const text of [...texts, ACCEPTED]) {
          socket.write(text)
          await delay(2)
        }
      })
      assert.deepEqual(await sendTwice(), [200, 200])
    })
  }

  it('passes over 100 Continue that comes a byte at a time', async () => {
    server = await openRawServer(async (socket) => {
      socket.setNoDelay(true)
      for (const byte of CONTINUE + ACCEPTED) {
        socket.write(byte)
        await aTurnLater()
      }
    })
    assert.deepEqual(await sendTwice(), [200, 200])
  })

  it('reports no answer when only 100 Continue comes before the server closes', async () => {
    server = await openRawServer((socket) => void socket.end(CONTINUE))
    assert.equal((await world().transport.send(to(server.url)))._tag, 'NoAnswer')
  })

  it('reports no answer when half of 100 Continue comes before the server closes', async () => {
    server = await openRawServer((socket) => void socket.end(CONTINUE.slice(0, 14)))
    assert.equal((await world().transport.send(to(server.url)))._tag, 'NoAnswer')
  })

  it('reports no answer when interim answers never end', async () => {
    server = await openRawServer((socket) => {
      const timer = setInterval(() => socket.write(CONTINUE), 5)
      socket.on('close', () => clearInterval(timer))
    })
    assert.equal((await world().transport.send(to(server.url, { timeoutMs: 200 })))._tag, 'NoAnswer')
  })
})
