import * as E from 'fp-ts/lib/Either.js'
import { uuidv7 } from 'uuidv7'
import type { KnexStorage } from '../../adapters/knex/index.js'
import { readConfig } from '../../apps/server/config.js'
import { makeLog } from '../../apps/server/log.js'
import { loadRateCard } from '../../apps/server/rate-card.js'
import { serve } from '../../apps/server/serve.js'
import { startSimulator, type Simulator } from '../../apps/simulator/simulator.js'
import type { PhoneNumber } from '../../core/message.js'
import { parseMicros, type Currency } from '../../core/money.js'
import { workspaceIdOf, type WorkspaceId } from '../../core/workspace.js'
import { makeScratch } from './scratch.js'

/** The real gateway, its container and all, over HTTP, on a SQLite file of its own and a simulator. */
export type GatewayWorld = {
  readonly url: string
  readonly simulator: Simulator
  readonly storage: KnexStorage
  /** A workspace with a sender, so much money, and a key. */
  readonly workspace: (options?: { readonly funds?: string; readonly sender?: boolean }) => Promise<Tenant>
  readonly close: () => Promise<void>
}

export type Tenant = {
  readonly id: WorkspaceId
  readonly key: string
  readonly keyId: string
  /** A customer writes, just now or at a moment. */
  readonly customerWrites: (customer: string, at?: number) => Promise<void>
  /** A request with the tenant's key. */
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

/** Starts a gateway; `env` is added to what it needs. */
export const startGateway = async (env: Readonly<Record<string, string>> = {}): Promise<GatewayWorld> => {
  const scratch = await makeScratch()
  const simulator = await startSimulator({ delays: { sent: 5, delivered: 10, read: 15, failed: 10 } })
  const config = readConfig({
    DATABASE_URL: `sqlite:${scratch.path('postern.db')}`, POSTERN_SECRET: SECRET, PORT: '0', PLATFORM_URL: simulator.url,
    PLATFORM_VERIFY_TOKEN: VERIFY_TOKEN, PLATFORM_APP_SECRET: APP_SECRET, ...env,
  })
  if (E.isLeft(config)) throw new Error(config.left.join(' '))
  const gateway = await serve(config.right, rightOf(await loadRateCard(undefined)), makeLog('silent'))
  const { storage } = gateway
  simulator.aim({ url: `${gateway.url}/webhooks/platform`, appSecret: APP_SECRET, verifyToken: VERIFY_TOKEN })
  let senders = 0

  return {
    url: gateway.url,
    simulator,
    storage,
    workspace: async ({ funds = '10', sender = true } = {}) => {
      const id = workspaceIdOf(uuidv7())
      rightOf(await storage.workspaces.create({ id, name: 'test', currency: 'USD' as Currency, createdAt: Date.now() })())
      if (funds !== '0') rightOf(await storage.ledger.topUp({ workspace: id, micros: rightOf(parseMicros(funds)), reference: 'first', at: Date.now() })())
      if (sender) {
        senders += 1
        rightOf(await storage.senders.assign(id, { phoneNumberId: String(1_000 + senders), accessToken: 'token', businessAccountId: undefined })())
      }
      const minted = rightOf(await storage.keyStore.mint(id, 'test', Date.now())())
      const askAs = (method: string, path: string, options: Ask = {}): Promise<Answer> => request(`${gateway.url}${path}`, method, minted.key, options)
      return {
        id, key: minted.key, keyId: minted.id,
        customerWrites: async (customer, at = Date.now()) => {
          rightOf(await storage.windowClock.recordInbound(id, customer as PhoneNumber, at)())
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

/** One request over HTTP. */
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

/** What a step gives that has to succeed. */
export const rightOf = <A>(result: E.Either<unknown, A>): A => {
  if (E.isLeft(result)) throw new Error(JSON.stringify(result.left))
  return result.right
}
