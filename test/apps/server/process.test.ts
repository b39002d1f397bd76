import { createServer, type AddressInfo } from 'node:net'
import { once } from 'node:events'
import { assert } from 'chai'
import { startSimulator, type Simulator } from '../../../apps/simulator/simulator.js'
import { eventually } from '../../support/eventually.js'
import { request, type Answer } from '../../support/gateway.js'
import { postern, posternJson, type Env } from '../../support/postern.js'
import { makeScratch, type Scratch } from '../../support/scratch.js'
import { startServer, type ServerProcess } from '../../support/server-process.js'

const SECRET = 'a-secret-of-tests-that-is-long-enough'
const TOKEN = 'EAAtoken0of0tests'
const CUSTOMER = '33639980001'

/** Asks on a connection of its own. */
const metricsAt = async (url: string): Promise<string> => (await fetch(`${url}/metrics`, { headers: { Connection: 'close' } })).text()


/** The simulator accepts a message to it and answers after `delays.late`. */
const ANSWERED_LATE = '15550100709'

describe('The compiled gateway as a process', () => {
  let scratch: Scratch
  let simulator: Simulator
  let env: Env
  let key: string
  let workspace: string
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
    assert.equal((await postern(['migrate'], env)).status, 0)
    workspace = (await posternJson(['workspace', 'create', 'test'], env) as { id: string }).id
    await posternJson(['wallet', 'top-up', workspace, '100'], env)
    await posternJson(['sender', 'set', workspace, '--phone-number-id', '1000'], { ...env, POSTERN_ACCESS_TOKEN: TOKEN })
    key = (await posternJson(['key', 'mint', workspace], env) as { key: string }).key
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

  it("sends over undici where PLATFORM_TRANSPORT says so", async () => {
    const server = await start({ PLATFORM_TRANSPORT: 'undici' })
    assert.equal((await send(server, CUSTOMER)).status, 200)
  })

  it('lets a request in flight finish when it is stopped, and takes no new one', async () => {
    const server = await start()
    simulator.change({ delays: { late: 600 } })
    const inFlight = send(server, ANSWERED_LATE)
    await arrived(ANSWERED_LATE)
    server.signal('SIGINT')
    await eventually('the gateway refusing connections', () => fetch(server.url).then(() => undefined, () => true))
    const answer = await inFlight
    assert.equal(answer.status, 200)
    assert.equal(answer.headers.get('Connection'), 'close')
    assert.equal((await server.ended).status, 0)
  })

  it('cuts off what takes longer than SHUTDOWN_TIMEOUT_MS, and writes down that its outcome is unknown', async () => {
    const server = await start({ SHUTDOWN_TIMEOUT_MS: '100' })
    const to = '15550100600'
    const inFlight = send(server, to).then(() => 'answered', () => 'cut off')
    await arrived(to)
    server.signal('SIGTERM')
    assert.equal(await inFlight, 'cut off')
    assert.equal((await server.ended).status, 0)
    const [message] = await posternJson(['message', 'list', workspace, '--to', to], env) as Array<{ state: string }>
    assert.equal(message?.state, 'unconfirmed')
  })

  it('stops at once on a second signal', async () => {
    const server = await start()
    void send(server, '15550100600').catch(() => undefined)
    await arrived('15550100600')
    server.signal('SIGTERM')
    await eventually('the gateway stopping', () => server.log().find(({ msg }) => msg === 'stopping'))
    server.signal('SIGTERM')
    assert.equal((await server.ended).status, 1)
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

  it('shows metrics on a port of their own where it is given one, and not on its own', async () => {
    const server = await start({ METRICS_PORT: '0' })
    const { url } = server.log().find(({ msg }) => msg === 'metrics_listening') ?? {}
    assert.include(await (await fetch(String(url))).text(), 'postern_requests_total')
    assert.equal((await fetch(`${server.url}/metrics`)).status, 404)
  })

  it('serves one port with WORKERS processes, replaces one that dies, and stops them all', async () => {
    const server = await start({ WORKERS: '2' })
    const pids = (): ReadonlyArray<unknown> => server.log().filter(({ msg }) => msg === 'listening').map(({ pid }) => pid)
    const [killed] = await eventually('both workers listening', () => (pids().length === 2 ? pids() : undefined))
    process.kill(Number(killed), 'SIGKILL')
    await eventually('a third worker listening', () => (pids().length === 3 ? true : undefined))
    const sent = await Promise.all(Array.from({ length: 8 }, () => send(server, CUSTOMER)))
    assert.isTrue(sent.every(({ status }) => status === 200))
    server.signal('SIGTERM')
    assert.equal((await server.ended).status, 0)
    assert.lengthOf(server.log().filter(({ msg }) => msg === 'stopped'), 2)
  })

  it("shows the metrics of all workers at any worker's /metrics, while one starts too, and on METRICS_PORT where it is set", async () => {
    const own = await start({ WORKERS: '3' })
    await eventually('three workers listening', () => own.log().filter(({ msg }) => msg === 'listening').length === 3 || undefined)
    const sent = await Promise.all(Array.from({ length: 12 }, () => send(own, CUSTOMER)))
    assert.isTrue(sent.every(({ status }) => status === 200))
    // Each request has a connection of its own, and the workers take connections in turn.
    const texts = await Promise.all(Array.from({ length: 6 }, () => metricsAt(own.url)))
    for (const text of texts) assert.match(text, /postern_platform_sends_total\{outcome="accepted"\} 12\n/)

    process.kill(Number(own.log().find(({ msg }) => msg === 'listening')?.['pid']), 'SIGKILL')
    await eventually('the replacement', () => own.log().find(({ msg }) => msg === 'worker_died'))
    assert.match(await metricsAt(own.url), /postern_platform_sends_total\{outcome="accepted"\} \d+\n/)

    const apart = await start({ WORKERS: '2', METRICS_PORT: '0' })
    await send(apart, CUSTOMER)
    const { url } = await eventually('the port of the metrics', () => apart.log().find(({ msg }) => msg === 'metrics_listening'))
    assert.match(await (await fetch(String(url))).text(), /postern_platform_sends_total\{outcome="accepted"\} 1\n/)
    assert.equal((await fetch(`${apart.url}/metrics`)).status, 404)
  })

  it('shows its version, and the balance and the money on hold of each workspace', async () => {
    const text = await metricsAt((await start()).url)
    assert.match(text, /^postern_build_info\{version="\d+\.\d+\.\d+"\} 1$/m)
    assert.match(text, new RegExp(`^postern_wallet_available\\{workspace="${workspace}",currency="USD"\\} \\d+(\\.\\d+)?$`, 'm'))
    assert.match(text, new RegExp(`^postern_wallet_held\\{workspace="${workspace}",currency="USD"\\} \\d+(\\.\\d+)?$`, 'm'))
  })

  it('waits with MIGRATE=off for someone else to migrate, and says that it is not ready', async () => {
    const other = { ...env, DATABASE_URL: `sqlite:${scratch.path('other.db')}` }
    const server = await start({ ...other, MIGRATE: 'off' })
    assert.equal((await fetch(`${server.url}/health/ready`)).status, 503)
    assert.equal((await postern(['migrate'], other)).status, 0)
    await eventually('readiness', async () => (await fetch(`${server.url}/health/ready`)).status === 200 || undefined)
  })

  it('logs JSON lines that hold no key, no token, no secret and no number of a customer', async () => {
    const server = await start()
    for (const to of [CUSTOMER, '15550100190', '15550100126']) await send(server, to)
    server.signal('SIGTERM')
    const { stdout } = await server.ended
    assert.isAbove(server.log().length, 2)
    for (const secret of [key, TOKEN, SECRET, CUSTOMER, '15550100190']) assert.notInclude(stdout, secret)
  })

  describe('that cannot start', () => {
    const sentences = async (more: Env): Promise<ReadonlyArray<string>> => {
      const { status, stdout, stderr } = await postern(['serve'], { ...env, PORT: '0', ...more })
      assert.equal(status, 1)
      assert.equal(stdout, '', 'no line of the log')
      return stderr.trimEnd().split('\n')
    }

    it('says in one line that its port is in use', async () => {
      const occupant = createServer().listen(0, '127.0.0.1')
      await once(occupant, 'listening')
      const { port } = occupant.address() as AddressInfo
      try {
        const sentence = `postern: Port ${port} on 127.0.0.1 is in use already; choose another one.`
        assert.deepEqual(await sentences({ PORT: String(port) }), [sentence])
        assert.deepEqual(await sentences({ PORT: String(port), WORKERS: '2' }), [sentence])
      } finally {
        occupant.close()
      }
    })

    it('says in one line that its database is not there', async () => {
      for (const url of [`sqlite:${scratch.path('no/such/folder.db')}`, 'mysql://root:hunter2@127.0.0.1:1/x', 'postgres://u:hunter2@127.0.0.1:1/x']) {
        const lines = await sentences({ DATABASE_URL: url })
        assert.lengthOf(lines, 1)
        assert.match(lines[0] ?? '', /^postern: .*(the folder .* does not exist|ECONNREFUSED)/)
        assert.notInclude(lines[0], 'hunter2')
      }
    })

    it('says in one line each which variables and which lines of the rate card are wrong', async () => {
      assert.lengthOf(await sentences({ PLATFORM_URL: 'nowhere', LOG_LEVEL: 'loud' }), 2)
      assert.deepEqual(await sentences({ RATE_CARD: scratch.path('none.json') }), ['postern: The rate card at RATE_CARD cannot be read.'])
    })
  })
})
