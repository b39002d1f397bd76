import type { KnexStorage } from '../../adapters/knex/index.js'
import { type Simulator, startSimulator } from '../../apps/simulator/simulator.js'
import type { PhoneNumber } from '../../core/customers/customer.js'
import type { WorkspaceId } from '../../core/kernel/ids.js'
import { parseMicros } from '../../core/kernel/money.js'
import { createAccount } from './account.js'
import { migratedSqliteFile } from './databases.js'
import { serveInProcess } from './in-process-server.js'
import { rightOf } from './right-of.js'
import { makeScratch } from './scratch.js'

/** The complete gateway over HTTP, with a new SQLite file and a simulator. */
export type GatewayFixture = {
  readonly url: string
  readonly simulator: Simulator
  readonly storage: KnexStorage
  /** Creates a workspace with a sender, funds and a key. */
  readonly workspace: (options?: { readonly funds?: string; readonly sender?: boolean; readonly businessAccountId?: string }) => Promise<Tenant>
  readonly close: () => Promise<void>
}

export type Tenant = {
  readonly id: WorkspaceId
  readonly key: string
  readonly keyId: string
  /** Records a message of a customer, now or at a given time. */
  readonly customerWrites: (customer: string, at?: number) => Promise<void>
  /** Sends a request with the workspace's key. */
  readonly ask: (method: string, path: string, options?: Ask) => Promise<Answer>
  readonly balance: () => Promise<{ readonly available: string; readonly held: string }>
}

export type Ask = {
  readonly json?: unknown
  readonly body?: URLSearchParams | FormData | string
  readonly headers?: Readonly<Record<string, string>>
}

export type Answer = { readonly status: number; readonly headers: Headers; readonly text: string; readonly json: Readonly<Record<string, unknown>> }

export const SECRET = 'a-secret-of-tests-that-is-long-enough'
export const VERIFY_TOKEN = 'verify-me'
export const APP_SECRET = 'app-secret'

/** Starts a gateway; `env` is added to the variables that it needs. */
export const startGateway = async (env: Readonly<Record<string, string>> = {}): Promise<GatewayFixture> => {
  const scratch = await makeScratch()
  if (env['DATABASE_URL'] === undefined) await migratedSqliteFile(scratch.path('postern.db'))
  const simulator = await startSimulator({ delays: { sent: 5, delivered: 10, read: 15, failed: 10 } })
  const gateway = await serveInProcess({
    DATABASE_URL: `sqlite:${scratch.path('postern.db')}`, POSTERN_SECRET: SECRET, PLATFORM_URL: simulator.url,
    PLATFORM_VERIFY_TOKEN: VERIFY_TOKEN, PLATFORM_APP_SECRET: APP_SECRET, LOG_LEVEL: 'silent', ...env,
  })
  const { storage } = gateway
  simulator.setWebhook({ url: `${gateway.url}/webhooks/platform`, appSecret: APP_SECRET, verifyToken: VERIFY_TOKEN })
  let senders = 0

  return {
    url: gateway.url,
    simulator,
    storage,
    workspace: async ({ funds = '10', sender = true, businessAccountId } = {}) => {
      if (sender) senders += 1
      const phoneNumberId = sender ? String(1_000 + senders) : undefined
      const { id, key, keyId } = await createAccount(storage, { micros: rightOf(parseMicros(funds)), phoneNumberId, businessAccountId })
      const askAs = (method: string, path: string, options: Ask = {}): Promise<Answer> => request(`${gateway.url}${path}`, method, key, options)
      return {
        id, key, keyId,
        customerWrites: async (customer, at = Date.now()) => {
          rightOf(await storage.windowClock.recordInbound(id, { phoneNumber: customer as PhoneNumber }, at))
        },
        ask: askAs,
        balance: async () => {
          const { json } = await askAs('GET', '/v1/wallet')
          return { available: String(json['available']), held: String(json['held']) }
        },
      }
    },
    close: async () => {
      await gateway.stop()
      await simulator.close()
      await scratch.remove()
    },
  }
}

/** Sends one request over HTTP. */
export const request = async (url: string, method: string, key: string | undefined, { json, body, headers }: Ask): Promise<Answer> => {
  const response = await fetch(url, {
    method,
    headers: {
      ...(key !== undefined && { Authorization: `Bearer ${key}` }),
      ...(json !== undefined && { 'Content-Type': 'application/json' }),
      ...headers,
    },
    ...(json !== undefined && { body: JSON.stringify(json) }),
    ...(body !== undefined && { body }),
  })
  const text = await response.text()
  const isJson = response.headers.get('content-type')?.includes('json') === true
  return { status: response.status, headers: response.headers, text, json: isJson ? (JSON.parse(text) as Answer['json']) : {} }
}

export { rightOf } from './right-of.js'
