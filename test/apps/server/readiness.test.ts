import { createServer } from 'node:http'
import { assert } from 'chai'
import { uuidv7 } from 'uuidv7'
import { type KnexStorage, openStorage } from '../../../adapters/knex/index.js'
import { makeHttpApp } from '../../../adapters/koa/index.js'
import { openSandbox } from '../../../adapters/memory/index.js'
import { gatewayReadiness } from '../../../apps/server/http-server.js'
import { shareResult } from '../../../apps/server/share-result.js'
import { type Currency, makeApi, makeSending } from '../../../core/index.js'
import type { PhoneNumber } from '../../../core/customers/customer.js'
import { workspaceIdOf } from '../../../core/kernel/ids.js'
import { DAY_MS } from '../../../core/kernel/time.js'
import { messageIdOf } from '../../../core/messages/message.js'
import { senderIdOf } from '../../../core/senders/sender.js'
import { eventually } from '../../support/eventually.js'
import { SECRET } from '../../support/gateway.js'
import { type InProcessServer, serveInProcess } from '../../support/in-process-server.js'
import { listening } from '../../support/listening.js'
import { rightOf } from '../../support/right-of.js'
import { makeScratch, type Scratch } from '../../support/scratch.js'

const USD = 'USD' as Currency
const REQUESTS = 1_000

describe('Readiness', () => {
  let scratch: Scratch
  let url: string
  const storages: KnexStorage[] = []
  let running: InProcessServer | undefined
  const open = (secret: string | undefined): KnexStorage => {
    const storage = openStorage({ url, secret })
    storages.push(storage)
    return storage
  }
  const ready = async (server: InProcessServer): Promise<readonly [number, string]> => {
    const response = await fetch(`${server.url}/health/ready`)
    return [response.status, await response.text()]
  }
  /** Stops the gateway that runs, and starts another one. */
  const start = async (env: Readonly<Record<string, string>>): Promise<InProcessServer> => {
    await stop()
    return (running = await serveInProcess({ DATABASE_URL: url, ...env }))
  }
  const stop = async (): Promise<void> => {
    for (const storage of storages.splice(0)) await storage.close()
    await running?.stop()
    running = undefined
  }
  const storeSender = async (): Promise<void> => {
    const { workspaces, senders } = open(SECRET)
    const id = workspaceIdOf(uuidv7())
    rightOf(await workspaces.create({ id, name: 'shop', currency: 'USD' as Currency, createdAt: Date.now() }))
    rightOf(await senders.assign(id, { phoneNumberId: senderIdOf('1000001'), accessToken: 'token', businessAccountId: undefined }))
  }

  beforeEach(async () => {
    scratch = await makeScratch()
    url = `sqlite:${scratch.path('postern.db')}`
    await open(undefined).migrate()
  })
  afterEach(async () => {
    await stop()
    await scratch.remove()
  })

  it('is given without POSTERN_SECRET as long as no sender is stored, and the log warns at the start', async () => {
    const server = await start({})
    assert.deepEqual(await ready(server), [200, '{"status":"ok"}'])
    assert.deepInclude(server.log().find(({ msg }) => msg === 'secret_not_configured'), { level: 'warn' })
  })

  it('is refused if a stored sender cannot be read, with the reason', async () => {
    await storeSender()
    const [status, text] = await ready(await start({}))
    assert.equal(status, 503)
    assert.match(text, /POSTERN_SECRET is not set/)
    const other = await start({ POSTERN_SECRET: 'another-secret-that-is-long-enough-too' })
    assert.deepInclude(other.log().find(({ msg }) => msg === 'secret_does_not_fit'), { level: 'error' })
    const [otherStatus, otherText] = await ready(other)
    assert.equal(otherStatus, 503)
    assert.match(otherText, /POSTERN_SECRET is not the one/)
  })

  it('is given if the stored sender can be read', async () => {
    await storeSender()
    const server = await start({ POSTERN_SECRET: SECRET })
    assert.deepEqual(await ready(server), [200, '{"status":"ok"}'])
    assert.isUndefined(server.log().find(({ msg }) => msg === 'secret_does_not_fit'))
  })

  it('is given while a held start keeps the queue, with since when, why, how many messages and what to type', async () => {
    const { messageLog, queueHolds, workspaces } = open(SECRET)
    const workspace = workspaceIdOf(uuidv7())
    const at = Date.now()
    rightOf(await workspaces.create({ id: workspace, name: 'shop', currency: USD, createdAt: at }))
    const price = { micros: 1n, currency: USD, category: 'service' } as const
    for (const dueAt of [at, at, at + DAY_MS]) {
      rightOf(await messageLog.open({
        id: messageIdOf(uuidv7()), workspace, message: { _tag: 'Text', to: '33639980001' as PhoneNumber, text: 'Hello' }, price, at,
        queue: { dueAt, endsAt: at + 2 * DAY_MS },
      }))
    }
    rightOf(await queueHolds.heartbeat({ installation: 'the original', at, heldAfterMs: undefined }))
    const server = await start({ POSTERN_SECRET: SECRET })
    const held = await eventually('the queue is held', async () => {
      const [status, text] = await ready(server)
      const body = JSON.parse(text) as { readonly queue_held?: Readonly<Record<string, unknown>> }
      return body.queue_held && [status, body]
    })
    const storage = open(SECRET)
    const [hold] = rightOf(await storage.queueHolds.list())
    assert.deepEqual<unknown>(held, [200, {
      status: 'ok',
      queue_held: { why: 'other_installation', since: new Date(hold?.since ?? 0).toISOString(), messages: 3, run: 'postern queue resume' },
    }])
    const metrics = await fetch(`${server.url}/metrics`).then((answer) => answer.text())
    assert.match(metrics, /^postern_queue_held_messages\{why="other_installation"\} 3$/m)
    assert.match(metrics, /^postern_queue_messages\{state="due"\} 2$/m)
    rightOf(await storage.queueHolds.resume(undefined))
    await eventually('it is not held', async () => ((await ready(server))[1] === '{"status":"ok"}' ? true : undefined))
  })

  it(`asks the database at most a few times for ${REQUESTS} concurrent requests`, async () => {
    const storage = open(undefined)
    let queries = 0
    const readiness = gatewayReadiness({ ...storage, readiness: () => { queries += 1; return storage.readiness() } })
    const sandbox = await openSandbox()
    const listener = makeHttpApp({ postern: makeApi(sandbox, makeSending(sandbox, sandbox)), readiness }).callback()
    await using server = await listening(createServer((request, response) => void listener(request, response)))
    const begunAt = performance.now()
    const statuses = await Promise.all(Array.from({ length: REQUESTS }, async () => (await fetch(`${server.url}/health/ready`)).status))
    assert.isTrue(statuses.every((status) => status === 200))
    assert.isAtMost(queries, 1 + Math.ceil((performance.now() - begunAt) / 1_000))
  })
})

describe('A shared result', () => {
  it('is asked for once by callers at the same time, and again when it is stale', async () => {
    let now = 0
    let asked = 0
    const share = shareResult(1_000, async () => (asked += 1), () => now)
    assert.deepEqual(await Promise.all([share(), share(), share()]), [1, 1, 1])
    now = 999
    assert.equal(await share(), 1)
    now = 1_000
    assert.deepEqual(await Promise.all([share(), share()]), [2, 2])
  })

  it('is asked for again after it was rejected', async () => {
    let asked = 0
    const share = shareResult(1_000, () => (++asked === 1 ? Promise.reject(new Error('down')) : Promise.resolve(asked)), () => 0)
    assert.equal(await share().catch(() => 'rejected'), 'rejected')
    assert.equal(await share(), 2)
  })
})
