import { createServer } from 'node:http'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { assert } from 'chai'
import * as E from 'fp-ts/lib/Either.js'
import * as O from 'fp-ts/lib/Option.js'
import { type GatewayDeps, makeGateway, type StopLimits, type StopStep, type StopSteps, stopInOrder } from '../../adapters/gateway.js'
import { openStorage } from '../../adapters/knex/index.js'
import { makeHttpApp } from '../../adapters/koa/index.js'
import { openSandbox } from '../../adapters/memory/index.js'
import type { PhoneNumber } from '../../core/customers/customer.js'
import { alwaysOpen } from '../../core/customers/window.js'
import { SCOPES } from '../../core/kernel/actor.js'
import { workspaceIdOf } from '../../core/kernel/ids.js'
import type { Currency } from '../../core/kernel/money.js'
import type { Event } from '../../core/kernel/outbox.js'
import type { PlatformId } from '../../core/messages/message.js'
import { uuidv7 } from 'uuidv7'
import { senderIdOf } from '../../core/senders/sender.js'
import { makeSyncTemplates } from '../../core/templates/sync.js'
import { eventually } from '../support/eventually.js'
import { listening } from '../support/listening.js'
import { rightOf } from '../support/right-of.js'
import { makeApi } from '../../core/api.js'

const TO = '33639980001' as PhoneNumber
const SECRET = 'a-secret-of-tests-that-is-long-enough'

const openGate = () => {
  let open = (): void => undefined
  const passed = new Promise<void>((resolve) => { open = resolve })
  return { passed, open: () => { open() } }
}

/** A platform whose answer the test gives. */
const openPlatform = () => {
  const [begun, answer] = [openGate(), openGate()]
  const platform: GatewayDeps['platform'] = {
    send: async () => {
      begun.open()
      await answer.passed
      return E.right({ platformId: 'wamid.late' as PlatformId })
    },
  }
  return { platform, begun: begun.passed, answer: answer.open }
}

describe('A gateway inside a program', () => {
  let folder = ''
  beforeEach(async () => { folder = await mkdtemp(join(tmpdir(), 'gateway-')) })
  afterEach(() => rm(folder, { recursive: true }))

  it('leaves exact books if it is stopped during a send', async () => {
    const url = `sqlite:${join(folder, 'a.db')}`
    const [storage, network] = [openStorage({ url, secret: SECRET }), openPlatform()]
    const { priceOf } = await openSandbox()
    const gateway = makeGateway({ storage, platform: network.platform }, { priceOf })
    await gateway.start()
    const workspace = workspaceIdOf(uuidv7())
    await storage.workspaces.create({ id: workspace, name: 'shop', currency: 'USD' as Currency, createdAt: 1 })
    await storage.ledger.topUp({ workspace, micros: 100_000n, reference: 'a', at: 1 })
    await storage.senders.assign(workspace, { phoneNumberId: senderIdOf('1'), accessToken: 'a', businessAccountId: undefined })
    const sent = gateway.sendTemplate({ workspace, to: TO, name: 'order_update' })
    await network.begun
    const stopped = gateway.stop()
    const refused = await gateway.sendTemplate({ workspace, to: TO, name: 'order_update' })
    assert.equal(E.isLeft(refused) && refused.left._tag, 'PlatformUnreachable')
    network.answer()
    assert.isTrue(E.isRight(await sent))
    await stopped
    const again = openStorage({ url, secret: SECRET })
    assert.deepEqual(await again.ledger.balance(workspace), E.right(O.some({ currency: 'USD' as Currency, available: 70_000n, held: 0n })))
    await again.close()
  })

  it('reads the lists of templates at its start', async () => {
    const sandbox = await openSandbox()
    await sandbox.senders.assign(sandbox.workspace, { phoneNumberId: senderIdOf('1'), accessToken: 'a', businessAccountId: '7' })
    let read = 0
    const templateSource = { list: async () => {
      read += 1
      return E.right([])
    } }
    const templates = { ...sandbox, syncTemplates: makeSyncTemplates({ ...sandbox, templateSource }) }
    const gateway = makeGateway({ storage: sandbox, platform: sandbox.platform, upkeep: { templates } }, sandbox)
    await gateway.start()
    assert.equal(await eventually('the list is read', () => (read > 0 ? read : undefined)), 1)
    await gateway.stop()
  })

  describe('with a queue that another installation has sent', () => {
    /** A gateway over such a database, with a message that is due. */
    const open = async (settings: { readonly heldStartMs?: number } = {}) => {
      const storage = openStorage({ url: `sqlite:${join(folder, 'a.db')}`, secret: SECRET })
      const { priceOf } = await openSandbox()
      const [sent, logged]: [Array<string>, Array<object>] = [[], []]
      const gateway = makeGateway({
        storage, log: (level, event, fields) => logged.push({ level, event, ...fields }),
        platform: { send: async ({ id }) => {
          sent.push(id)
          return E.right({ platformId: `wamid.${sent.length}` as PlatformId })
        } },
      }, { priceOf, ...settings })
      await storage.migrate()
      const workspace = workspaceIdOf(uuidv7())
      await storage.workspaces.create({ id: workspace, name: 'shop', currency: 'USD' as Currency, createdAt: 1 })
      await storage.ledger.topUp({ workspace, micros: 100_000n, reference: 'a', at: 1 })
      await storage.senders.assign(workspace, { phoneNumberId: senderIdOf('1'), accessToken: 'a', businessAccountId: undefined })
      rightOf(await storage.queueHolds.heartbeat({ installation: 'the original', at: Date.now(), heldAfterMs: undefined }))
      const message = { _tag: 'Template', to: TO, name: 'order_update', language: 'en' } as const
      const queued = rightOf(await gateway.sendOrQueue({ workspace, message, sendAt: Date.now() + 1 }))
      return { gateway, storage, sent, logged, queued }
    }

    it('sends nothing of it until it is resumed, and its log says so', async () => {
      const { gateway, storage, sent, logged, queued } = await open()
      await gateway.start()
      const held = await eventually('the queue is held', () => logged.find((line) => 'event' in line && line.event === 'queue_held'))
      assert.deepInclude(held, { level: 'warn', why: 'other_installation', run: 'postern queue resume' })
      assert.deepEqual(rightOf(await storage.queueHolds.list()).map(({ why }) => why), ['other_installation'])
      assert.isEmpty(sent)
      rightOf(await storage.queueHolds.resume(undefined))
      await eventually('it is sent', () => (sent.length > 0 ? sent : undefined))
      await gateway.stop()
      assert.deepEqual(sent, ['id' in queued ? queued.id : ''])
    })

    it('sends it if held starts are switched off', async () => {
      const { gateway, storage, sent, logged } = await open({ heldStartMs: Infinity })
      await gateway.start()
      await eventually('it is sent', () => (sent.length > 0 ? sent : undefined))
      assert.isEmpty(rightOf(await storage.queueHolds.list()))
      assert.notInclude(JSON.stringify(logged), 'queue_held')
      await gateway.stop()
    })
  })

  it('delivers events to a sink of the program, and is idle when no send is under way', async () => {
    const sandbox = await openSandbox({ broker: true, customers: [TO] })
    const got = new Array<Event>()
    const broker = { deliver: async (event: Event) => {
      got.push(event)
      return { delivered: true, httpStatus: undefined, error: undefined, answer: '', durationMs: 0 }
    } }
    const gateway = makeGateway({ storage: sandbox, platform: sandbox.platform, delivery: { broker } }, sandbox)
    await gateway.start()
    const sent = gateway.sendText({ workspace: sandbox.workspace, to: TO, text: 'Hello' })
    await gateway.idle()
    assert.isTrue(E.isRight(await sent))
    await eventually('the acceptance to arrive', () => (got.some(({ type }) => type === 'message.accepted') ? true : undefined))
    await Promise.all([gateway.stop(), gateway.stop()])
  })

  it('refuses a sink of the program for which the storage stores no events', async () => {
    const sandbox = await openSandbox()
    const broker = { deliver: () => Promise.reject(new Error('not called')) }
    assert.throws(() => makeGateway({ storage: sandbox, platform: sandbox.platform, delivery: { broker } }, sandbox), '`broker: true`')
  })

  it('refuses to deliver events from a storage without eventDeliveries or eventOutbox, and names both', async () => {
    const { eventDeliveries, ...withoutDeliveries } = await openSandbox()
    const { eventOutbox, ...withoutOutbox } = await openSandbox()
    assert.isObject(eventDeliveries)
    assert.isObject(eventOutbox)
    for (const storage of [withoutDeliveries, withoutOutbox]) {
      assert.throws(() => makeGateway({ storage, platform: storage.platform, delivery: {} }, storage), 'Events can be delivered only from a storage that has eventDeliveries and eventOutbox.')
      await makeGateway({ storage, platform: storage.platform }, storage).stop()
    }
  })

  it('answers a send over HTTP in a server of Node.js, and refuses sends once it has stopped', async () => {
    const { workspace, platform, priceOf, ...storage } = await openSandbox({ customers: [TO] })
    const gateway = makeGateway({ storage, platform }, { priceOf })
    const postern = makeHttpApp({ postern: makeApi(storage, gateway) }).callback()
    await using server = await listening(createServer((request, response) => { void postern(request, response) }))
    await gateway.start()
    const { key } = rightOf(await storage.keyStore.mint({ workspace, name: 'shop', at: Date.now(), scopes: SCOPES }))
    const send = () => fetch(`${server.url}/v1/messages/send-text`, {
      method: 'POST', body: JSON.stringify({ to: TO, text: 'Hello' }),
      headers: { 'Authorization': `Bearer ${key}`, 'Content-Type': 'application/json' },
    })
    const reply = await send()
    assert.deepEqual([reply.status, await reply.json()], [200, { status: 'success', message_id: 'wamid.sandbox.1' }])
    await gateway.stop()
    const refused = await send()
    assert.equal(refused.status, 503)
    assert.deepInclude(await refused.json() as object, { code: 'platform_unreachable' })
  })

  it('sends over another network, without a window and with ids of that network', async () => {
    const { workspace, priceOf, platform: _, ...sandbox } = await openSandbox()
    const storage = { ...sandbox, windowClock: alwaysOpen(sandbox.windowClock) }
    const gateway = makeGateway({ storage, platform: { send: async () => E.right({ platformId: 'SM4711' as PlatformId }) } }, { priceOf })
    const postern = makeHttpApp({ postern: makeApi(storage, gateway) }).callback()
    await using server = await listening(createServer((request, response) => { void postern(request, response) }))
    const { key } = rightOf(await storage.keyStore.mint({ workspace, name: 'shop', at: Date.now(), scopes: SCOPES }))
    const ask = async (path: string, body?: object) => {
      const headers = { 'Authorization': `Bearer ${key}`, 'Content-Type': 'application/json' }
      return (await fetch(
        server.url + path, body === undefined ? { headers } : { method: 'POST', headers, body: JSON.stringify(body) },
      )).json() as Promise<object>
    }
    const open = { open: true, last_inbound_at: null, closes_at: null }
    assert.deepEqual(await ask(`/v1/windows/${TO}`), { ...open, senders: [{ phone_number_id: '1000001', ...open }] })
    assert.deepEqual(await ask('/v1/messages/send-text', { to: TO, text: 'Your code is 1234' }), {
      status: 'success', message_id: 'SM4711',
    })
    assert.deepInclude(await ask('/v1/messages/SM4711'), { platform_id: 'SM4711', state: 'accepted' })
    await gateway.stop()
  })

  it('closes the storage last, even if a step before fails', async () => {
    const done = new Array<string>()
    const step = (name: string) => async () => void done.push(name)
    const steps: StopSteps = {
      refuseCalls: () => void done.push('refuse'), stopJobs: step('jobs'), waitForCalls: step('calls'),
      closePlatform: () => Promise.reject(new Error('no platform')), waitForRest: step('rest'), writeSettlements: step('settlements'),
      closeStorage: step('storage'),
    }
    assert.equal(String(await stopInOrder(steps).catch((error: unknown) => error)), 'Error: no platform')
    assert.deepEqual(done, ['refuse', 'jobs', 'calls', 'rest', 'settlements', 'storage'])
  })
  describe('a stop whose steps do not end', () => {
    const never = (): Promise<never> => new Promise(() => undefined)
    const atOnce = (): Promise<void> => Promise.resolve()
    const quick: StopSteps = {
      refuseCalls: () => undefined, stopJobs: atOnce, waitForCalls: atOnce, closePlatform: atOnce, waitForRest: atOnce,
      writeSettlements: atOnce, closeStorage: atOnce,
    }
    const stopped = async (steps: Partial<StopSteps>, limits: StopLimits) => {
      const [slow, left] = [new Array<StopStep>(), new Array<StopStep>()]
      await stopInOrder({ ...quick, ...steps }, { ...limits, onSlow: (step) => { slow.push(step) }, onLeft: (step) => { left.push(step) } })
      return { slow, left }
    }

    it('leaves jobs after their time, and says so', async () => {
      assert.deepEqual(await stopped({ stopJobs: never }, { jobsMs: 20, slowMs: 1 }), { slow: ['stopJobs'], left: ['stopJobs'] })
    })

    it('begins each step, and ends when the time of the whole is over', async () => {
      let isClosing = false
      const closeStorage = (): Promise<never> => {
        isClosing = true
        return never()
      }
      assert.deepEqual(
        (await stopped({ writeSettlements: never, closeStorage }, { wholeMs: 20 })).left, ['writeSettlements', 'closeStorage'],
      )
      assert.isTrue(isClosing)
    })

    it('reports nothing if no step takes long', async () => {
      assert.deepEqual(await stopped({}, { jobsMs: 1_000, wholeMs: 1_000 }), { slow: [], left: [] })
    })
  })
})
