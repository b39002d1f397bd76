import { uuidv7 } from 'uuidv7'
import { openStorage, type KnexStorage } from '../../adapters/knex/index.js'
import { startSimulator, type Simulator } from '../../apps/simulator/simulator.js'
import { signatureOf } from '../../adapters/cloud-api/index.js'
import { parseMicros, type Currency } from '../../core/money.js'
import { workspaceIdOf, type WorkspaceId } from '../../core/workspace.js'
import { APP_SECRET, request, rightOf, SECRET, VERIFY_TOKEN, type Answer, type Ask } from './gateway.js'
import type { Env } from './postern.js'
import { makeScratch } from './scratch.js'
import { startServer, type ServerProcess } from './server-process.js'

/** The compiled gateway in a process of its own, a database, and a simulator that reports to it. */
export type ProcessWorld = {
  readonly simulator: Simulator
  /** The database, beside the gateway's own connections to it. */
  readonly storage: KnexStorage
  /** What a command needs to work on the same database. */
  readonly env: Env
  /** The gateway that was started last. */
  readonly server: () => ServerProcess
  /** Starts another gateway with other variables, and has the simulator report to that one. */
  readonly start: (more?: Env) => Promise<ServerProcess>
  /** A workspace with a sender, so much money, and a key. */
  readonly tenant: (funds?: string) => Promise<ProcessTenant>
  /** Posts a notification, signed rightly unless a header says otherwise. */
  readonly notify: (body: string | Buffer, headers?: Readonly<Record<string, string>>) => Promise<Answer>
  /** Keeps the simulator from reaching any gateway until `hear`; its reports wait. */
  readonly silence: () => void
  readonly hear: () => void
} & AsyncDisposable

export type ProcessTenant = {
  readonly id: WorkspaceId
  readonly phoneNumberId: string
  /** A request with the tenant's key. */
  readonly ask: (method: string, path: string, options?: Ask) => Promise<Answer>
  /** Sends a template, perhaps with an idempotency key. */
  readonly send: (to: string, key?: string) => Promise<Answer>
  /** The message a send's answer is about, as the reading side shows it. */
  readonly messageOf: (answer: Answer) => Promise<Answer['json']>
  readonly balance: () => Promise<{ readonly available: string; readonly held: string }>
  /** What became of the money, oldest first. */
  readonly kinds: () => Promise<ReadonlyArray<string>>
}

const DELAYS = { sent: 5, delivered: 15, read: 25, failed: 10, late: 2_000, drip: 20 }
const HASTE = { retryMs: 5, retryAtMostMs: 50 }

/** Where nobody listens. */
const NOBODY = 'http://127.0.0.1:1/'

let numbers = 1_000_000

/** Starts the world; `env` is added to what the gateway needs, `url` names a database, a SQLite file of its own where absent. */
export const startProcessWorld = async (env: Env = {}, url?: string): Promise<ProcessWorld> => {
  const scratch = await makeScratch()
  const simulator = await startSimulator({ delays: DELAYS })
  const database: Env = { DATABASE_URL: url ?? `sqlite:${scratch.path('postern.db')}`, POSTERN_SECRET: SECRET }
  const storage = openStorage({ url: database['DATABASE_URL'] ?? '', secret: SECRET })
  const running: ServerProcess[] = []
  let silent = false

  const close = async (): Promise<void> => {
    await Promise.all(running.map((server) => server.kill()))
    await simulator.close()
    await storage.close()
    await scratch.remove()
  }

  const server = (): ServerProcess => {
    const last = running.at(-1)
    if (last === undefined) throw new Error('no gateway was started')
    return last
  }

  const start: ProcessWorld['start'] = async (more = {}) => {
    const started = await startServer({
      ...database, PLATFORM_URL: simulator.url, PLATFORM_VERIFY_TOKEN: VERIFY_TOKEN, PLATFORM_APP_SECRET: APP_SECRET, ...env, ...more,
    })
    running.push(started)
    aim()
    return started
  }

  const aim = (): void => {
    const url = silent ? NOBODY : `${server().url}/webhooks/platform`
    simulator.aim({ url, appSecret: APP_SECRET, verifyToken: VERIFY_TOKEN, ...HASTE })
  }

  try {
    await storage.migrate()
    await start()
  } catch (error) {
    await close()
    throw error
  }

  return {
    simulator, storage, server, start, env: database,
    tenant: async (funds = '10') => {
      const id = workspaceIdOf(uuidv7())
      const phoneNumberId = String(numbers++)
      rightOf(await storage.workspaces.create({ id, name: 'test', currency: 'USD' as Currency, createdAt: Date.now() })())
      rightOf(await storage.ledger.topUp({ workspace: id, micros: rightOf(parseMicros(funds)), reference: 'first', at: Date.now() })())
      rightOf(await storage.senders.assign(id, { phoneNumberId, accessToken: 'token', businessAccountId: undefined })())
      const { key } = rightOf(await storage.keyStore.mint(id, 'test', Date.now())())
      const ask: ProcessTenant['ask'] = (method, path, options = {}) => request(`${server().url}${path}`, method, key, options)
      return {
        id, phoneNumberId, ask,
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
    notify: (body, headers = {}) => request(`${server().url}/webhooks/platform`, 'POST', undefined, {
      body: body.toString(), headers: { 'Content-Type': 'application/json', 'X-Hub-Signature-256': signatureOf(APP_SECRET, Buffer.from(body)), ...headers },
    }),
    silence: () => {
      silent = true
      aim()
    },
    hear: () => {
      silent = false
      aim()
    },
    [Symbol.asyncDispose]: close,
  }
}
