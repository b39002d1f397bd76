import { signatureOf } from '../../adapters/cloud-api/index.js'
import { type KnexStorage, openStorage } from '../../adapters/knex/index.js'
import { type Simulator, startSimulator } from '../../apps/simulator/simulator.js'
import type { PhoneNumber } from '../../core/customers/customer.js'
import { parseMicros } from '../../core/kernel/money.js'
import { type Account, createAccount } from './account.js'
import { migratedSqliteFile } from './databases.js'
import { type Answer, APP_SECRET, type Ask, request, SECRET, VERIFY_TOKEN } from './gateway.js'
import { type InProcessServer, serveInProcess } from './in-process-server.js'
import type { Env } from './postern.js'
import { rightOf } from './right-of.js'
import { makeScratch, type Scratch } from './scratch.js'
import { type ServerProcess, startServer } from './server-process.js'

/** A gateway, its database, and a simulator that reports to the gateway. */
type Fixture<Server> = {
  readonly simulator: Simulator
  /** The database: over connections of the test, or over those of the gateway if it runs in this process. */
  readonly storage: KnexStorage
  /** The variables with which a command uses the same database. */
  readonly env: Env
  /** The most recently started gateway. */
  readonly server: () => Server
  /** Creates a workspace with funds, a key and, unless disabled, a sender. */
  readonly tenant: (funds?: string, options?: { readonly sender?: boolean; readonly businessAccountId?: string }) => Promise<Tenant>
  /** Posts a notification, signed correctly unless a header replaces the signature. */
  readonly notify: (body: string | Buffer, headers?: Readonly<Record<string, string>>) => Promise<Answer>
  /** Points the simulator at an address where no server listens until `allowReports`; its reports wait. */
  readonly blockReports: () => void
  readonly allowReports: () => void
} & AsyncDisposable

/** The compiled gateway in a child process. */
export type ProcessFixture = Fixture<ServerProcess> & {
  /** Starts another gateway with other variables; the simulator then reports to the new one. */
  readonly start: (more?: Env) => Promise<ServerProcess>
}

/** The gateway in the process of the test: for tests of the behaviour of a gateway, but not of its process. */
export type InProcessFixture = Fixture<InProcessServer> & {
  /** The address of the most recently started gateway. */
  readonly url: string
  /** Stops the gateway and starts another one with other variables; the simulator then reports to the new one. */
  readonly restart: (more?: Env) => Promise<InProcessServer>
}

export type Tenant = Account & {
  readonly phoneNumberId: string
  /** Records a message of a customer, now or at a given time. */
  readonly customerWrites: (customer: string, at?: number) => Promise<void>
  /** Sends a request with the workspace's key. */
  readonly ask: (method: string, path: string, options?: Ask) => Promise<Answer>
  /** Sends a template, perhaps with an idempotency key. */
  readonly send: (to: string, key?: string) => Promise<Answer>
  /** Reads the message that the response to a send refers to. */
  readonly messageOf: (answer: Answer) => Promise<Answer['json']>
  readonly balance: () => Promise<{ readonly available: string; readonly held: string }>
  /** The kinds of the wallet's entries, oldest first. */
  readonly kinds: () => Promise<ReadonlyArray<string>>
}

const DELAYS = { sent: 5, delivered: 15, read: 25, failed: 10, late: 2_000, drip: 20 }
const RETRY_TIMES = { retryMs: 5, retryAtMostMs: 50 }

/** An address where no server listens. */
const UNREACHABLE_URL = 'http://127.0.0.1:1/'

/** Starts the fixture; `env` is added to the variables that the gateway needs; without the `url` of a database it uses a new SQLite file. */
export const startProcessFixture = async (env: Env = {}, url?: string): Promise<ProcessFixture> => {
  const world = await openWorld(url)
  const storage = openStorage({ url: world.env['DATABASE_URL'] ?? '', secret: SECRET })
  const running: ServerProcess[] = []

  const close = async (): Promise<void> => {
    await Promise.all(running.map((server) => server.kill()))
    await storage.close()
    await world.close()
  }

  const start: ProcessFixture['start'] = async (more = {}) => {
    const started = await startServer({ ...world.gatewayEnv, ...env, ...more })
    running.push(started)
    world.reportTo(started.url)
    return started
  }

  try {
    await storage.migrate()
    await start()
  } catch (error) {
    await close()
    throw error
  }

  const server = (): ServerProcess => lastOf(running)
  return { ...toolsOf(world, () => server().url, () => storage), storage, server, start, [Symbol.asyncDispose]: close }
}

/** Starts the fixture in this process; `env` and `url` as for `startProcessFixture`. */
export const startInProcessFixture = async (env: Env = {}, url?: string): Promise<InProcessFixture> => {
  const world = await openWorld(url)
  const running: InProcessServer[] = []

  const close = async (): Promise<void> => {
    await running.at(-1)?.stop()
    await world.close()
  }

  const start = async (more: Env = {}): Promise<InProcessServer> => {
    const started = await serveInProcess({ ...world.gatewayEnv, ...env, ...more })
    running.push(started)
    world.reportTo(started.url)
    return started
  }

  try {
    await start()
  } catch (error) {
    await close()
    throw error
  }

  const server = (): InProcessServer => lastOf(running)
  return {
    ...toolsOf(world, () => server().url, () => server().storage),
    get url() { return server().url },
    get storage() { return server().storage },
    server,
    restart: async (more) => {
      await server().stop()
      return start(more)
    },
    [Symbol.asyncDispose]: close,
  }
}

/** The environment of a gateway. */
type World = {
  readonly simulator: Simulator
  readonly env: Env
  /** The variables that a gateway needs. */
  readonly gatewayEnv: Env
  /** From now on the simulator reports to the gateway at a URL. */
  readonly reportTo: (url: string) => void
  readonly block: (areReportsBlocked: boolean) => void
  readonly close: () => Promise<void>
}

const openWorld = async (url: string | undefined): Promise<World> => {
  const scratch: Scratch = await makeScratch()
  if (url === undefined) await migratedSqliteFile(scratch.path('postern.db'))
  const simulator = await startSimulator({ delays: DELAYS })
  const env: Env = { DATABASE_URL: url ?? `sqlite:${scratch.path('postern.db')}`, POSTERN_SECRET: SECRET }
  let gatewayUrl: string | undefined
  let areReportsBlocked = false
  const setWebhook = (): void => {
    const webhookUrl = areReportsBlocked || gatewayUrl === undefined ? UNREACHABLE_URL : `${gatewayUrl}/webhooks/platform`
    simulator.setWebhook({ url: webhookUrl, appSecret: APP_SECRET, verifyToken: VERIFY_TOKEN, ...RETRY_TIMES })
  }
  return {
    simulator, env,
    gatewayEnv: { ...env, PLATFORM_URL: simulator.url, PLATFORM_VERIFY_TOKEN: VERIFY_TOKEN, PLATFORM_APP_SECRET: APP_SECRET },
    reportTo: (started) => {
      gatewayUrl = started
      setWebhook()
    },
    block: (blocked) => {
      areReportsBlocked = blocked
      setWebhook()
    },
    close: async () => {
      await simulator.close()
      await scratch.remove()
    },
  }
}

/** The part of a fixture that needs only the gateway's URL and storage: the same for a gateway in this process and in its own process. */
const toolsOf = (
  { simulator, env, block }: World, gatewayUrl: () => string, storage: () => KnexStorage,
): Pick<Fixture<unknown>, 'simulator' | 'env' | 'tenant' | 'notify' | 'blockReports' | 'allowReports'> => {
  let numbers = 1_000
  return {
    simulator, env,
    tenant: async (funds = '10', { sender = true, businessAccountId } = {}) => {
      const phoneNumberId = String(numbers += 1)
      const account = await createAccount(storage(), {
        micros: rightOf(parseMicros(funds)), phoneNumberId: sender ? phoneNumberId : undefined, businessAccountId,
      })
      const ask: Tenant['ask'] = (method, path, options = {}) => request(`${gatewayUrl()}${path}`, method, account.key, options)
      return {
        ...account, phoneNumberId, ask,
        customerWrites: async (customer, at = Date.now()) => {
          rightOf(await storage().windowClock.recordInbound(account.id, { phoneNumber: customer as PhoneNumber }, at))
        },
        send: (to, idempotencyKey) => ask('POST', '/v1/messages/send-template', {
          json: { to, template_name: 'hello_world' }, headers: idempotencyKey === undefined ? {} : { 'Idempotency-Key': idempotencyKey },
        }),
        messageOf: async ({ headers }) => (await ask('GET', `/v1/messages/${headers.get('Postern-Message') ?? 'none'}`)).json,
        balance: async () => {
          const { json } = await ask('GET', '/v1/wallet')
          return { available: String(json['available']), held: String(json['held']) }
        },
        kinds: async () => {
          const { json } = await ask('GET', '/v1/wallet/entries?limit=100')
          return (json['entries'] as ReadonlyArray<{ readonly kind: string }>).map(({ kind }) => kind).reverse()
        },
      }
    },
    notify: (body, headers) => notifyAt(gatewayUrl(), body, headers),
    blockReports: () => { block(true) },
    allowReports: () => { block(false) },
  }
}

/** Posts a notification to the gateway at a URL, signed correctly unless a header replaces the signature. */
export const notifyAt = (url: string, body: string | Buffer, headers: Readonly<Record<string, string>> = {}): Promise<Answer> =>
  request(`${url}/webhooks/platform`, 'POST', undefined, {
    body: body.toString(),
    headers: { 'Content-Type': 'application/json', 'X-Hub-Signature-256': signatureOf(APP_SECRET, Buffer.from(body)), ...headers },
  })

const lastOf = <Server>(running: ReadonlyArray<Server>): Server => {
  const last = running.at(-1)
  if (last === undefined) throw new Error('no gateway was started')
  return last
}
