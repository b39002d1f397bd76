import { once } from 'node:events'
import { connect, type Socket } from 'node:net'
import { assert } from 'chai'
import { eventually } from '../../support/eventually.js'
import { type InProcessFixture, startInProcessFixture } from '../../support/process-fixture.js'

const KIB = 1024

describe('BODY_MEMORY_MIB', () => {
  let gateway: InProcessFixture
  before(async () => { gateway = await startInProcessFixture({ BODY_MEMORY_MIB: '8' }) })
  after(() => gateway[Symbol.asyncDispose]())

  it('bounds the bodies of the API and the forms of the console together', async () => {
    const { key } = await gateway.tenant()
    const signIn = async (): Promise<number> => {
      const answer = await fetch(`${gateway.url}/console/sign-in`, {
        method: 'POST', body: new URLSearchParams({ email: 'ann@example.com', password: 'x'.repeat(10 * KIB) }),
        headers: { Origin: gateway.url },
      })
      return answer.status
    }
    assert.equal(await signIn(), 403)
    const sockets: Socket[] = []
    for (let count = 0; count < 30; count += 1) {
      const socket = connect(Number(new URL(gateway.url).port), '127.0.0.1')
      socket.on('error', () => undefined)
      socket.on('data', () => undefined)
      await once(socket, 'connect')
      socket.write(`POST /v1/messages/send-text HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${key}\r\nContent-Type: application/json\r\nContent-Length: ${256 * KIB}\r\n\r\n`)
      socket.write(' '.repeat(255 * KIB))
      sockets.push(socket)
    }
    await eventually('a refused form', async () => ((await signIn()) === 503 ? true : undefined))
    for (const socket of sockets) socket.destroy()
    await eventually('room for forms', async () => ((await signIn()) === 403 ? true : undefined))
  })
})
