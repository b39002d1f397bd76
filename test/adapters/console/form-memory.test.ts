import { once } from 'node:events'
import { connect, type Socket } from 'node:net'
import { assert } from 'chai'
import { makeByteBudget } from '../../../adapters/shared/byte-budget.js'
import { eventually } from '../../support/eventually.js'
import { openConsole, type OpenConsole } from './browser.js'

const KIB = 1024
const FORM = 'email=ann%40example.com&password='

describe('the memory for forms with a file', () => {
  it('is that of the workspace, which gets a place where another one has them all', async () => {
    // Files may take a half, and each takes 512 KiB.
    const bodyMemory = makeByteBudget(4 * 1024 * KIB)
    const console = await openConsole({ bodyMemory })
    const cookie = `postern_session=${(await console.join('ann@example.com')).token}`
    let yielded = 0
    const others = ['a', 'b'].flatMap((owner) => Array.from({ length: 4 }, () => {
      const request = bodyMemory.begin()
      request.belongTo(owner)
      request.take(512 * KIB, 0.5, { bytesPerSecond: () => undefined, yieldPlace: () => { yielded += 1 } })
      return request
    }))
    assert.isFalse(bodyMemory.begin().canTake(1, 0.5))
    const raw = '--x7\r\nContent-Disposition: form-data; name="what"\r\n\r\ndocument\r\n--x7\r\nContent-Disposition: form-data; name="file"; filename="a.txt"\r\n\r\nabc\r\n--x7--'
    const { status } = await console.send('POST', `/console/workspaces/${console.workspace}/send/file`, {
      raw, headers: { 'Origin': console.origin, 'Cookie': cookie, 'Content-Type': 'multipart/form-data; boundary=x7' },
    })
    // The form was read, and says that the customer is missing.
    assert.deepEqual([status, yielded], [422, 1])
    for (const { end } of others) end()
    await eventually('its memory', () => bodyMemory.begin().canTake(4 * 1024 * KIB) || undefined)
    await console.close()
  })
})

describe('the memory for forms', () => {
  let console: OpenConsole
  beforeEach(async () => {
    // Forms may take a quarter. What Node reads ahead of a form that does not say its length, 64 KiB, has just room.
    console = await openConsole({ bodyMemory: makeByteBudget(4 * 65 * KIB) })
  })
  afterEach(() => console.close())

  /** A form that stops before its end. */
  const halted = async (head: string, body: string): Promise<Socket> => {
    const socket = connect(console.port, '127.0.0.1')
    socket.on('error', () => undefined)
    socket.on('data', () => undefined)
    await once(socket, 'connect')
    socket.write(`POST /console/sign-in HTTP/1.1\r\nHost: 127.0.0.1:${console.port}\r\nOrigin: ${console.origin}\r\nContent-Type: application/x-www-form-urlencoded\r\n${head}\r\n\r\n${body}`)
    return socket
  }
  const signIn = (bytes = 10 * KIB) => console.post('/console/sign-in', { email: 'ann@example.com', password: 'x'.repeat(bytes) })
  const becomes = (status: number): Promise<true> =>
    eventually(`a ${status}`, async () => ((await signIn()).status === status ? true : undefined))

  const heads: Readonly<Record<string, string>> = {
    'says its length': `Content-Length: ${12 * KIB}`, 'comes in chunks': 'Transfer-Encoding: chunked',
  }
  for (const [how, head] of Object.entries(heads)) {
    it(`is bounded over all of them, and given back where a form that ${how} is cut off`, async () => {
      const socket = await halted(head, head.startsWith('Transfer') ? `21\r\n${FORM}\r\n` : FORM)
      const others = await Promise.all(Array.from({ length: 4 }, () => halted(`Content-Length: ${12 * KIB}`, FORM)))
      await becomes(503)
      const refused = await signIn()
      assert.equal(refused.headers['retry-after'], '1')
      assert.include(refused.text, 'too many forms')
      socket.resetAndDestroy()
      assert.isTrue(await eventually('room', async () => ((await signIn()).status === 503 ? undefined : true)))
      for (const other of others) other.destroy()
    })
  }

  it('is taken by what waits for its turn, too', async () => {
    const sockets: Socket[] = []
    // More than may come at once, so that the next ones wait.
    for (let count = 0; count < 75; count += 1) sockets.push(await halted('Content-Length: 1', ''))
    assert.isTrue(await eventually('no memory', async () => {
      sockets.push(await halted(`Content-Length: ${64 * KIB}`, FORM))
      return (await signIn(2 * KIB)).text.includes('too many forms') ? true : undefined
    }))
    for (const socket of sockets) socket.resetAndDestroy()
    assert.isTrue(await eventually('room', async () => ((await signIn()).status === 503 ? undefined : true)))
  })

  it('is given back after every form', async () => {
    for (let count = 0; count < 5; count += 1) assert.include((await signIn()).text, 'The email or the password is wrong')
  })

  it('is not taken by a form that says it is too large', async () => {
    const socket = await halted('Content-Length: 1000000', FORM)
    assert.notEqual((await signIn()).status, 503)
    socket.destroy()
  })
})
