// Slow: stops and kills a process of a gateway.
import { once } from 'node:events'
import { connect, type Socket } from 'node:net'
import { assert } from 'chai'
import { eventually } from '../../support/eventually.js'
import { startProcessFixture } from '../../support/process-fixture.js'

/** How long processes may take to start on a busy machine, in milliseconds. */
const PATIENCE_MS = 30_000

const WORKERS = 2
const CLIENTS = 6

describe('A worker that is killed', function () {
  this.timeout(3 * PATIENCE_MS)

  it('leaves no client waiting whose connection it was given and did not take', async () => {
    await using fixture = await startProcessFixture({ WORKERS: String(WORKERS) })
    const workers = (): ReadonlyArray<number> =>
      fixture.server().log().filter(({ msg }) => msg === 'listening').map(({ pid }) => Number(pid))
    await eventually('every worker listening', () => workers().length === WORKERS || undefined, PATIENCE_MS)
    const { hostname, port } = new URL(fixture.server().url)
    const [stopped = 0] = workers()
    process.kill(stopped, 'SIGSTOP')

    const clients: Array<{ readonly socket: Socket; ended?: 'answered' | 'closed' }> = []
    for (let n = 0; n < CLIENTS; n += 1) {
      const client: typeof clients[number] = { socket: connect(Number(port), hostname) }
      clients.push(client)
      client.socket.on('data', () => { client.ended = 'answered' })
      client.socket.on('close', () => { client.ended ??= 'closed' })
      client.socket.on('error', () => undefined)
      await once(client.socket, 'connect')
      client.socket.write('GET /health/live HTTP/1.1\r\nHost: postern\r\n\r\n')
    }
    const count = (ended: 'answered' | 'closed' | undefined): number => clients.filter((client) => client.ended === ended).length
    await eventually('every other client answered', () => count('answered') === CLIENTS - 1 || undefined, PATIENCE_MS)
    assert.equal(count(undefined), 1)

    process.kill(stopped, 'SIGKILL')
    await eventually('the last client let go', () => count('closed') === 1 || undefined, PATIENCE_MS)
    for (const { socket } of clients) socket.destroy()
  })
})
