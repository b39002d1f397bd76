import { openStorage, type KnexStorage } from '../../adapters/knex/index.js'
import { startSimulator, type Simulator } from '../../apps/simulator/simulator.js'
import { signatureOf } from '../../adapters/cloud-api/index.js'
import { parseMicros } from '../../core/money.js'
import type { WorkspaceId } from '../../core/workspace.js'
import { createAccount } from './account.js'
import { migratedSqliteFile } from './databases.js'
import { APP_SECRET, request, rightOf, SECRET, VERIFY_TOKEN, type Answer, type Ask } from './gateway.js'
import type { Env } from './postern.js'
import { makeScratch } from './scratch.js'
import { startServer, type ServerProcess } from './server-process.js'

/** The compiled gateway in a child process, a database, and a simulator that reports to the gateway. */
export type ProcessFixture = {
  readonly simulator: Simulator
  /** The database, over connections of the test. */
  readonly storage: KnexStorage
  /** The variables with which a command uses the same database. */
  readonly env: Env
  /** The gateway that was started last. */
  readonly server: () => ServerProcess
  /** Starts another gateway with other variables; the simulator then reports to that one. */
  readonly start: (more?: Env) => Promise<ServerProcess>
  /** Creates a workspace with a sender, funds and a key. */
  readonly tenant: (funds?: string) => Promise<ProcessTenant>
  /** Posts a notification, signed correctly unless a header replaces the signature. */
  readonly notify: (body: string | Buffer, headers?: Readonly<Record<string, string>>) => Promise<Answer>
  /** Points the simulator at an address where no server listens until `allowReports`; its reports wait. */
  readonly blockReports: () => void
  readonly allowReports: () => void
} & AsyncDisposable

export type ProcessTenant = {
  readonly id: WorkspaceId
  readonly phoneNumberId: string
  readonly key: string
  /** Sends a request with the workspace's key. */
  readonly ask: (method: string, path: string, options?: Ask) => Promise<Answer>
  /** Sends a template, perhaps with an idempotency key. */
  readonly send: (to: string, key?: string) => Promise<Answer>
  /** Reads the message that the answer to a send is about. */
  readonly messageOf: (answer: Answer) => Promise<Answer['json']>
  readonly balance: () => Promise<{ readonly available: string; readonly held: string }>
  /** The kinds of the wallet's entries, oldest first. */
  readonly kinds: () => Promise<ReadonlyArray<string>>
}

const DELAYS = { sent: 5, delivered: 15, read: 25, failed: 10, late: 2_000, drip: 20 }
const RETRY_TIMES = { retryMs: 5, retryAtMostMs: 50 }

/** An address where no server listens. */
const UNREACHABLE_URL = 'http://127.0.0.1:1/'

let numbers = 1_000_000

/** Starts the fixture; `env` is added to the variables that the gateway needs; without the `url` of a database it uses a new SQLite file. */
export const startProcessFixture = async (env: Env = {}, url?: string): Promise<ProcessFixture> => {
  const scratch = await makeScratch()
  if (url === undefined) await migratedSqliteFile(scratch.path('postern.db'))
  const simulator = await startSimulator({ delays: DELAYS })
  const database: Env = { DATABASE_URL: url ?? `sqlite:${scratch.path('postern.db')}`, POSTERN_SECRET: SECRET }
  const storage = openStorage({ url: database['DATABASE_URL'] ?? '', secret: SECRET })
  const running: ServerProcess[] = []
  let areReportsBlocked = false

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

  const start: ProcessFixture['start'] = async (more = {}) => {
    const started = await startServer({
      ...database, PLATFORM_URL: simulator.url, PLATFORM_VERIFY_TOKEN: VERIFY_TOKEN, PLATFORM_APP_SECRET: APP_SECRET, ...env, ...more,
    })
    running.push(started)
    setWebhook()
    return started
  }

  const setWebhook = (): void => {
    const url = areReportsBlocked ? UNREACHABLE_URL : `${server().url}/webhooks/platform`
    simulator.setWebhook({ url, appSecret: APP_SECRET, verifyToken: VERIFY_TOKEN, ...RETRY_TIMES })
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
      const phoneNumberId = String(numbers++)
      const { id, key } = await createAccount(storage, { micros: rightOf(parseMicros(funds)), phoneNumberId })
      const ask: ProcessTenant['ask'] = (method, path, options = {}) => request(`${server().url}${path}`, method, key, options)
      return {
        id, phoneNumberId, key, ask,
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
    blockReports: () => {
      areReportsBlocked = true
      setWebhook()
    },
    allowReports: () => {
      areReportsBlocked = false
      setWebhook()
    },
    [Symbol.asyncDispose]: close,
  }
}
