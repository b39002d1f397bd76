// Slow: starts the compiled gateway a dozen times, with several workers too, and ends it with signals. What needs no process is in serve.test.ts.
import { createServer } from 'node:net'
import { assert } from 'chai'
import { type Simulator, startSimulator } from '../../../apps/simulator/simulator.js'
import { senderIdOf } from '../../../core/senders/sender.js'
import { createAccount } from '../../support/account.js'
import { withDatabase } from '../../support/books.js'
import { eventually } from '../../support/eventually.js'
import { type Answer, request, SECRET } from '../../support/gateway.js'
import { listening } from '../../support/listening.js'
import { type Env, posternProcess } from '../../support/postern.js'
import { rightOf } from '../../support/right-of.js'
import { makeScratch, type Scratch } from '../../support/scratch.js'
import { type ServerProcess, startServer } from '../../support/server-process.js'

const TOKEN = 'EAAtoken0of0tests'
const CUSTOMER = '33639980001'
const FUNDS = 100_000_000n

/** The simulator accepts a message to it and answers after `delays.late`. */
const ANSWERED_LATE = '15550100709'

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
  const arrived = (to: string): Promise<true> =>
    eventually('the message reaching the platform', () => simulator.received().some((message) => message.to === to) || undefined)

  before(async () => {
    scratch = await makeScratch()
    simulator = await startSimulator()
    env = { DATABASE_URL: `sqlite:${scratch.path('postern.db')}`, POSTERN_SECRET: SECRET, PLATFORM_URL: simulator.url, LOG_LEVEL: 'debug' }
    key = await withDatabase(env['DATABASE_URL'] ?? '', async (storage) => {
      await storage.migrate()
      const account = await createAccount(storage, { micros: FUNDS })
      rightOf(
        await storage.senders.assign(account.id, { phoneNumberId: senderIdOf('1000'), accessToken: TOKEN, businessAccountId: undefined }),
      )
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

  it('migrates a fresh database, listens, sends, and stops with 0 on SIGTERM', async () => {
    const server = await start()
    assert.equal((await send(server, CUSTOMER)).status, 200)
    server.signal('SIGTERM')
    const { status, stderr } = await server.ended
    assert.equal(status, 0)
    assert.match(stderr, /^There is no operator yet\. .+\nhttp:\/\/127\.0\.0\.1:\d+\/console\/link\/[\w-]{43}\n$/)
    assert.equal(server.log().at(-1)?.['msg'], 'stopped')
  })

  it('lets a request in flight finish when it is stopped, and takes no new one', async () => {
    const server = await start()
    simulator.change({ delays: { late: 1_500 } })
    const inFlight = send(server, ANSWERED_LATE)
    await arrived(ANSWERED_LATE)
    server.signal('SIGINT')
    await eventually('the gateway refusing connections', () => fetch(server.url).then(() => undefined, () => true))
    const answer = await inFlight
    assert.equal(answer.status, 200)
    assert.equal(answer.headers.get('Connection'), 'close')
    assert.equal((await server.ended).status, 0)
  })

  it('stops at once on a second signal', async () => {
    const server = await start()
    void send(server, '15550100600').catch(() => undefined)
    await arrived('15550100600')
    server.signal('SIGTERM')
    await server.logged('stopping')
    server.signal('SIGTERM')
    assert.equal((await server.ended).status, 1)
  })

  it('logs JSON lines that hold no key, no token, no secret and no number of a customer', async () => {
    const server = await start()
    for (const to of [CUSTOMER, '15550100190', '15550100126']) await send(server, to)
    server.signal('SIGTERM')
    const { stdout } = await server.ended
    assert.isAbove(server.log().length, 2)
    for (const secret of [key, TOKEN, SECRET, CUSTOMER, '15550100190']) assert.notInclude(stdout, secret)
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

  it('serves one port with WORKERS processes, replaces a process that crashes, and stops them all', async () => {
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

  it("shows the metrics of all workers at any worker's /metrics, while one starts too, and on METRICS_PORT if it is set", async () => {
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

    for (const [title, more] of [['', {}], [', also with several workers', { WORKERS: '2' }]] as const) {
      it(`says in one line that its port is in use${title}`, async () => {
        await using occupant = await listening(createServer())
        assert.deepEqual(await sentences({ PORT: String(occupant.port), ...more }), [
          `postern: Port ${occupant.port} on 127.0.0.1 is already in use; choose another port.`,
        ])
      })
    }

    it('says in one line that the port of the metrics is in use, before it starts workers', async () => {
      await using occupant = await listening(createServer())
      assert.deepEqual(await sentences({ METRICS_PORT: String(occupant.port), WORKERS: '2' }), [
        `postern: Port ${occupant.port} on 127.0.0.1 is already in use; choose another port.`,
      ])
    })

    it('says in one line that its database is not there', async () => {
      const lines = await sentences({ DATABASE_URL: 'mysql://root:hunter2@127.0.0.1:1/x' })
      assert.lengthOf(lines, 1)
      assert.match(lines[0] ?? '', /^postern: The database cannot be used: no database server listens on .*\./)
      assert.notInclude(lines[0], 'hunter2')
    })

    it('says in one line each which variables and which lines of the rate card are wrong', async () => {
      assert.lengthOf(await sentences({ PLATFORM_URL: 'nowhere', LOG_LEVEL: 'loud' }), 2)
      assert.deepEqual(await sentences({ RATE_CARD: scratch.path('none.json') }), [`postern: The rate card ${scratch.path('none.json')}, which RATE_CARD names, cannot be read.`])
    })
  })
})
