// Slow: kills processes, and runs several of them at a time.
import { once } from 'node:events'
import { createServer, type AddressInfo } from 'node:net'
import { assert } from 'chai'
import { startSimulator, type Simulator } from '../../../apps/simulator/simulator.js'
import { createAccount } from '../../support/account.js'
import { withDatabase } from '../../support/books.js'
import { request, rightOf, SECRET, type Answer } from '../../support/gateway.js'
import { posternProcess, type Env } from '../../support/postern.js'
import { makeScratch, type Scratch } from '../../support/scratch.js'
import { startServer, type ServerProcess } from '../../support/server-process.js'

const TOKEN = 'EAAtoken0of0tests'
const CUSTOMER = '33639980001'
const FUNDS = 100_000_000n

/** Asks on a connection of its own. */
const metricsAt = async (url: string): Promise<string> => (await fetch(`${url}/metrics`, { headers: { Connection: 'close' } })).text()

describe('The compiled gateway as a process', () => {
  let scratch: Scratch
  let simulator: Simulator
  let env: Env
  let key: string
  const running: ServerProcess[] = []

  const start = async (more: Env = {}): Promise<ServerProcess> => {
    const server = await startServer({ ...env, ...more })
    running.push(server)
    return server
  }
  const send = ({ url }: ServerProcess, to: string, idempotencyKey?: string): Promise<Answer> =>
    request(`${url}/v1/messages/send-template`, 'POST', key, {
      json: { to, template_name: 'hello_world' }, headers: idempotencyKey === undefined ? {} : { 'Idempotency-Key': idempotencyKey },
    })

  before(async () => {
    scratch = await makeScratch()
    simulator = await startSimulator()
    env = { DATABASE_URL: `sqlite:${scratch.path('postern.db')}`, POSTERN_SECRET: SECRET, PLATFORM_URL: simulator.url, LOG_LEVEL: 'debug' }
    key = await withDatabase(env['DATABASE_URL'] ?? '', async (storage) => {
      await storage.migrate()
      const account = await createAccount(storage, { micros: FUNDS })
      rightOf(await storage.senders.assign(account.id, { phoneNumberId: '1000', accessToken: TOKEN, businessAccountId: undefined })())
      return account.key
    })
  })
  afterEach(async () => {
    for (const server of running.splice(0)) await server.kill()
    simulator.reset()
  })
  after(async () => {
    await simulator.close()
    await scratch.remove()
  })

  it('gives the first answer to a repeated idempotency key after it was killed and started again', async () => {
    const before = await start()
    const first = await send(before, CUSTOMER, 'order-1')
    assert.equal(first.status, 200)
    await before.kill()
    const after = await start()
    const again = await send(after, CUSTOMER, 'order-1')
    assert.equal(again.text, first.text)
    assert.equal(again.headers.get('Idempotency-Replayed'), 'true')
    assert.lengthOf(simulator.received(), 1)
  })

  it('serves one port with WORKERS processes, replaces one that dies, and stops them all', async () => {
    const server = await start({ WORKERS: '2' })
    const [killed] = await server.logged('listening', 2)
    process.kill(Number(killed?.['pid']), 'SIGKILL')
    await server.logged('listening', 3)
    const sent = await Promise.all(Array.from({ length: 8 }, () => send(server, CUSTOMER)))
    assert.isTrue(sent.every(({ status }) => status === 200))
    server.signal('SIGTERM')
    assert.equal((await server.ended).status, 0)
    assert.lengthOf(server.log().filter(({ msg }) => msg === 'stopped'), 2)
  })

  it("shows the metrics of all workers at any worker's /metrics, while one starts too, and on METRICS_PORT where it is set", async () => {
    const own = await start({ WORKERS: '3' })
    const [first] = await own.logged('listening', 3)
    const sent = await Promise.all(Array.from({ length: 12 }, () => send(own, CUSTOMER)))
    assert.isTrue(sent.every(({ status }) => status === 200))
    // Each request has a connection of its own, and the workers take connections in turn.
    const texts = await Promise.all(Array.from({ length: 6 }, () => metricsAt(own.url)))
    for (const text of texts) assert.match(text, /postern_platform_sends_total\{outcome="accepted"\} 12\n/)

    process.kill(Number(first?.['pid']), 'SIGKILL')
    await own.logged('worker_died')
    assert.match(await metricsAt(own.url), /postern_platform_sends_total\{outcome="accepted"\} \d+\n/)

    const apart = await start({ WORKERS: '2', METRICS_PORT: '0' })
    await send(apart, CUSTOMER)
    const [{ url } = {}] = await apart.logged('metrics_listening')
    assert.match(await (await fetch(String(url))).text(), /postern_platform_sends_total\{outcome="accepted"\} 1\n/)
    assert.equal((await fetch(`${apart.url}/metrics`)).status, 404)
  })

  describe('that cannot start', () => {
    const sentences = async (more: Env): Promise<ReadonlyArray<string>> => {
      const { status, stdout, stderr } = await posternProcess(['serve'], { ...env, PORT: '0', ...more })
      assert.equal(status, 1)
      assert.equal(stdout, '', 'no line of the log')
      return stderr.trimEnd().split('\n')
    }

    it('says in one line that its port is in use, also with several workers', async () => {
      const occupant = createServer().listen(0, '127.0.0.1')
      await once(occupant, 'listening')
      const { port } = occupant.address() as AddressInfo
      try {
        assert.deepEqual(await sentences({ PORT: String(port), WORKERS: '2' }), [`postern: Port ${port} on 127.0.0.1 is in use already; choose another one.`])
      } finally {
        occupant.close()
      }
    })
  })
})
