import { assert } from 'chai'
import { Webhook } from 'standardwebhooks'
import { uuidv7 } from 'uuidv7'
import { openStorage } from '../../../adapters/knex/index.js'
import { eventIdOf, type WorkspaceId } from '../../../core/kernel/ids.js'
import type { Event } from '../../../core/kernel/outbox.js'
import { postern, posternJson } from '../../support/postern.js'
import { openReceiver, type Receiver } from '../../support/receiver.js'
import { rightOf } from '../../support/right-of.js'
import { type CommandLine, openCommandLine } from './support.js'

type Secret = { readonly id: string; readonly secret: string }
type Shown = {
  readonly id: string
  readonly url: string
  readonly types: ReadonlyArray<string>
  readonly status: string
  readonly description: string
  readonly failing_since: string | null
}
type Delivery = { readonly type: string; readonly status: string; readonly http_status: number | null; readonly error: string | null }

const URL = 'https://shop.example/postern'
const UNKNOWN = `ep_${'0'.repeat(32)}`

describe('The commands about endpoints', () => {
  let cli: CommandLine
  let workspace: WorkspaceId
  let receiver: Receiver
  let answer = { status: 200, body: 'thank you' }
  before(async () => {
    cli = await openCommandLine()
    receiver = await openReceiver((response) => void response.writeHead(answer.status, { 'Content-Type': 'text/plain' }).end(answer.body))
    workspace = (await cli.json<{ id: WorkspaceId }>('workspace', 'create', 'shop')).id
  })
  after(async () => {
    await receiver[Symbol.asyncDispose]()
    await cli[Symbol.asyncDispose]()
  })

  const add = (url = URL, ...more: ReadonlyArray<string>): Promise<Secret> => cli.json('endpoint', 'add', 'shop', url, ...more)
  const addReceiver = () =>
    posternJson(['endpoint', 'add', 'shop', receiver.url], { ...cli.env, EVENTS_ALLOW: '127.0.0.0/8' }) as Promise<Secret>
  const shown = async (id: string): Promise<Shown> =>
    (await cli.json<ReadonlyArray<Shown>>('endpoint', 'list', 'shop')).find((one) => one.id === id) ?? assert.fail(`${id} is not listed`)

  it('add an endpoint, and print its secret only once', async () => {
    await cli.json('workspace', 'create', 'other')
    assert.deepEqual(await cli.lines('endpoint', 'list', 'other'), ['The workspace has no endpoint yet; `postern endpoint add WORKSPACE URL` adds one.'])
    const added = await add(URL, '--types', 'message.*, wallet.low,message.*', '--description', 'the shop')
    assert.hasAllKeys(added, ['id', 'secret'])
    assert.match(added.id, /^ep_[0-9a-f]{32}$/)
    assert.match(added.secret, /^whsec_[A-Za-z0-9+/]{32}$/)
    const listed = await shown(added.id)
    assert.deepInclude(listed, {
      url: URL, types: ['message.*', 'wallet.low'], description: 'the shop', status: 'enabled', failing_since: null,
    })
    assert.notInclude(JSON.stringify(listed), added.secret)
    const lines = await cli.lines('endpoint', 'add', workspace, URL)
    assert.match(lines[0] ?? '', /^endpoint {2}ep_[0-9a-f]{32}$/)
    assert.match(lines[1] ?? '', /^secret {4}whsec_/)
    assert.equal(lines[2], 'The secret cannot be shown again; store it now.')
    assert.match(lines[3] ?? '', /new Webhook\(secret\)\.verify\(body, headers\)/)
    const table = await cli.lines('endpoint', 'list', 'shop')
    assert.match(table[0] ?? '', /^ID +STATUS +FAILING SINCE +TYPES +URL +DESCRIPTION$/)
    assert.match(table[1] ?? '', new RegExp(`^${added.id} +enabled +- +message\\.\\*,wallet\\.low +https://shop\\.example/postern +the shop$`))
    assert.lengthOf(await cli.json<ReadonlyArray<Shown>>('endpoint', 'list', 'other'), 0)
  })

  it('refuse a wrong address, type, description, workspace or id', async () => {
    for (const url of [
      'ftp://shop.example', 'shop.example', 'https://user:hunter2@shop.example/', 'https://shop.example/#x', 'https://[::1',
    ]) {
      await cli.fails(['endpoint', 'add', 'shop', url], 2, /it must begin with https:\/\/ or http:\/\//)
    }
    await cli.fails(['endpoint', 'add', 'shop', URL, '--types', 'message.*,message.lost'], 2, /"message\.lost" is not a type of event such as message\.delivered/)
    await cli.fails(['endpoint', 'add', 'shop', URL, '--description', 'x'.repeat(256)], 2, /one line of at most 255 characters/)
    await cli.fails(['endpoint', 'add', 'shop', 'https://10.0.0.1/'], 2, /url has an address that is not public/)
    await cli.fails(['endpoint', 'add', 'nowhere', URL], 1, /There is no workspace "nowhere"/)
    for (const id of [UNKNOWN, 'x', '']) {
      for (const verb of ['remove', 'rotate', 'enable', 'disable', 'test', 'deliveries']) {
        await cli.fails(['endpoint', verb, id], 1, /There is no endpoint ".*"; `postern endpoint list WORKSPACE` shows them/)
      }
    }
  })

  it('say that a secret cannot be kept without POSTERN_SECRET', async () => {
    const { POSTERN_SECRET: _secret, ...env } = cli.env
    const { status, stderr } = await postern(['endpoint', 'add', 'shop', URL], env)
    assert.deepEqual([status, stderr], [1, 'postern: POSTERN_SECRET is not set; it encrypts the secrets of endpoints. Set it to the same secret as for the gateway.\n'])
  })

  it('disable, enable and remove an endpoint', async () => {
    const { id } = await add()
    assert.deepEqual(await cli.lines('endpoint', 'disable', id), [`Endpoint ${id} is disabled; it receives no events.`])
    assert.equal((await shown(id)).status, 'disabled')
    await cli.fails(['endpoint', 'redeliver', id, '--since', '2026-03-01'], 1, /is disabled, so nothing is delivered to it; `postern endpoint enable ep_/)
    assert.equal((await cli.json<Shown>('endpoint', 'enable', id)).status, 'enabled')
    assert.equal((await shown(id)).status, 'enabled')
    assert.deepEqual(await cli.json('endpoint', 'remove', id), { id, removed: true })
    assert.notInclude(JSON.stringify(await cli.json('endpoint', 'list', 'shop')), id)
    await cli.fails(['endpoint', 'remove', id], 1, /There is no endpoint/)
  })

  it('test an endpoint with its secret, and with both after a rotation', async () => {
    const { id, secret } = await addReceiver()
    const env = { ...cli.env, EVENTS_ALLOW: '127.0.0.0/8' }
    const delivery = (await posternJson(['endpoint', 'test', id], env)) as Delivery
    assert.deepInclude(delivery, { type: 'endpoint.test', status: 'delivered', http_status: 200, error: null })
    const rotated = await cli.json<Secret>('endpoint', 'rotate', id)
    assert.equal(rotated.id, id)
    assert.notEqual(rotated.secret, secret)
    const { status, stdout } = await postern(['endpoint', 'test', id], env)
    assert.equal(status, 0)
    assert.match(stdout, /^http:\/\/127\.0\.0\.1:\d+\/hook accepted the test: HTTP 200, \d+ ms\.\nResponse: thank you\n$/)
    const [first, second] = receiver.received
    assert.deepInclude(new Webhook(secret).verify(first?.body ?? '', first?.headers ?? {}), { type: 'endpoint.test', workspace })
    for (const one of [secret, rotated.secret]) {
      assert.deepInclude(new Webhook(one).verify(second?.body ?? '', second?.headers ?? {}), { type: 'endpoint.test' })
    }
    assert.lengthOf(await cli.json<ReadonlyArray<Delivery>>('endpoint', 'deliveries', id), 2)
    assert.lengthOf(await cli.json<ReadonlyArray<Delivery>>('endpoint', 'deliveries', id, '--limit', '1'), 1)
    const [heading = '', row = ''] = await cli.lines('endpoint', 'deliveries', id)
    assert.match(heading, /^AT +EVENT +TYPE +RESULT +HTTP +MS +NEXT ATTEMPT +ERROR$/)
    assert.match(row, /^\d{4}-\S+Z +evt_[0-9a-f]{32} +endpoint\.test +delivered +200 +\d+ +-$/)
  })

  it('end with 1 if an endpoint does not take its test, and say why', async () => {
    const { id } = await addReceiver()
    const blocked = await postern(['endpoint', 'test', id], cli.env)
    assert.equal(blocked.status, 1)
    assert.match(blocked.stdout, /^http:\/\/127\.0\.0\.1:\d+\/hook did not accept the test: .+, \d+ ms\.\n$/)
    const { status, stdout } = await postern(['endpoint', 'test', id, '--json'], { ...cli.env, EVENTS_ALLOW: '127.0.0.0/8', NO_PROXY: '*' })
    assert.deepEqual([status, (JSON.parse(stdout) as Delivery).status], [0, 'delivered'])
    answer = { status: 503, body: '\u001b[31mdown' }
    const refused = await postern(['endpoint', 'test', id], { ...cli.env, EVENTS_ALLOW: '127.0.0.0/8' })
    answer = { status: 200, body: 'thank you' }
    assert.equal(refused.status, 1)
    assert.match(refused.stdout, /did not accept the test: HTTP 503, .+ ms\.\nResponse: \[31mdown\n$/)
    assert.deepEqual(await cli.lines('endpoint', 'deliveries', (await add()).id), ['Nothing was delivered to this endpoint yet.'])
  })

  it('deliver one event again, or all since a moment', async () => {
    const { id } = await add(URL, '--types', 'message.*')
    const [sent = '', low = ''] = await happen('message.sent', 'wallet.low')
    assert.deepEqual(await cli.json('endpoint', 'redeliver', id, '--event', low), { endpoint: id, events: 1 })
    assert.deepEqual(await cli.lines('endpoint', 'redeliver', id, '--event', sent), [`One event will be redelivered to ${id}.`])
    assert.deepEqual(await cli.json('endpoint', 'redeliver', id, '--since', '2099-01-01'), { endpoint: id, events: 0 })
    await cli.fails(['endpoint', 'redeliver', id, '--event', `evt_${'0'.repeat(32)}`], 1, /has no event "evt_0+", or no longer/)
    await cli.fails(['endpoint', 'redeliver', id], 2, /Give --event EVENT, --failed or --since MOMENT/)
    await cli.fails(['endpoint', 'redeliver', id, '--event', sent, '--since', '2026-03-01'], 2, /cannot be used with/)
    assert.deepEqual(await cli.json('endpoint', 'redeliver', id, '--failed'), { endpoint: id, events: 0 })
    const all = ['--types', 'message.*', '--since', '2026-03-01', '--until', '2026-03-02', '--http-status', '503']
    assert.deepEqual(await cli.lines('endpoint', 'redeliver', id, ...all), [`0 events will be redelivered to ${id}.`])
    await cli.fails(['endpoint', 'redeliver', id, '--event', sent, '--types', 'message.*'], 2, /cannot be used with/)
    await cli.fails(['endpoint', 'redeliver', id, '--http-status', '7'], 2, /it must be an HTTP status from 100 to 599/)
    await cli.fails(['endpoint', 'redeliver', id, '--since', 'yesterday'], 2, /it must be a date and time in ISO 8601/)
  })

  it('doctor names the endpoints that fail or are disabled', async () => {
    const [failing, disabled] = [await add('https://fails.example/'), await add('https://disabled.example/')]
    await cli.json('endpoint', 'disable', disabled.id)
    await fail(failing.id)
    const { status, stdout } = await postern(['doctor'], cli.env)
    const line = stdout.split('\n').find((one) => one.includes(`endpoints of ${workspace}`)) ?? ''
    assert.equal(status, 1)
    assert.match(line, new RegExp(`^FAULT {2}endpoints of ${workspace}: failing: ${failing.id} since \\d{4}-\\S+Z; disabled: ${disabled.id}\\. List the errors with .postern endpoint deliveries ID.;`))
    await cli.json('endpoint', 'remove', failing.id)
    const healthy = (await postern(['doctor'], cli.env)).stdout.split('\n').find((one) => one.includes(`endpoints of ${workspace}`)) ?? ''
    assert.match(healthy, new RegExp(`^ok {5}endpoints of ${workspace}: \\d+ enabled; disabled: ${disabled.id}\\.$`))
  })

  describe('after POSTERN_SECRET has changed', () => {
    const changed = (): Readonly<Record<string, string>> => ({
      ...cli.env, POSTERN_SECRET: 'another-secret-of-tests-long-enough', EVENTS_ALLOW: '127.0.0.0/8',
    })

    it('doctor names the endpoints whose secret does not open', async () => {
      const { id } = await add()
      const { stdout } = await postern(['doctor'], changed())
      const line = stdout.split('\n').find((one) => one.includes(`endpoints of ${workspace}`)) ?? ''
      assert.match(line, /^FAULT .*whose secret cannot be decrypted: .*Set POSTERN_SECRET to the secret with which they were stored, or create a new secret for each endpoint with `postern endpoint rotate ID`\.$/)
      for (const one of await cli.json<ReadonlyArray<Shown>>('endpoint', 'list', 'shop')) {
        if (one.id !== id) await cli.json('endpoint', 'remove', one.id)
      }
      assert.include((await postern(['doctor'], changed())).stdout, `whose secret cannot be decrypted: ${id}.`)
    })

    it('a rotation gives an endpoint a secret that works at once', async () => {
      const { id } = await addReceiver()
      const { status, stderr } = await postern(['endpoint', 'test', id], changed())
      assert.deepEqual([status, stderr], [1, 'postern: A stored secret does not open: POSTERN_SECRET is not the one it was stored with. '
        + 'Set that secret again, or store new ones with `postern sender set` and `postern endpoint rotate`.\n'])
      const rotated = (await postern(['endpoint', 'rotate', id], changed())).stdout
      assert.include(rotated, 'so deliveries are signed only with the new one.')
      const secret = /whsec_\S+/.exec(rotated)?.[0] ?? assert.fail(rotated)
      assert.equal((await postern(['endpoint', 'test', id], changed())).status, 0)
      const { body, headers } = receiver.received.at(-1) ?? assert.fail('nothing was delivered')
      assert.deepInclude(new Webhook(secret).verify(body, headers), { type: 'endpoint.test', workspace })
    })
  })

  /** Stores events of these types and gives their ids. */
  const happen = (...types: ReadonlyArray<Event['type']>): Promise<ReadonlyArray<string>> =>
    withStorage(async ({ eventOutbox }) => {
      const events = types.map((type): Event => ({ id: eventIdOf(uuidv7()), type, workspace, at: Date.now(), subject: 'x', data: {} }))
      rightOf(await eventOutbox.append(workspace, events))
      return events.map(({ id }) => id)
    })

  /** Notes that attempts to deliver to a new endpoint fail, which begins after the last event. */
  const fail = (id: string): Promise<void> =>
    withStorage(async ({ eventDeliveries, eventOutbox }) => {
      const position = rightOf(await eventOutbox.after(workspace, 0, 100)).at(-1)?.position ?? 0
      assert.isTrue(rightOf(await eventDeliveries.record({
        endpoint: id as never, from: position, to: position, attempts: [], retry: [], done: [], failures: 3, failingSince: Date.now(),
        pausedUntil: undefined,
      })))
    })

  const withStorage = async <A>(use: (storage: ReturnType<typeof openStorage>) => Promise<A>): Promise<A> => {
    const storage = openStorage({ url: cli.env['DATABASE_URL'] ?? '', secret: cli.env['POSTERN_SECRET'] })
    try {
      return await use(storage)
    } finally {
      await storage.close()
    }
  }
})
