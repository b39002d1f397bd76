import * as O from 'fp-ts/lib/Option.js'
import { type KnexStorage, openStorage } from '../../adapters/knex/index.js'
import type { WorkspaceId } from '../../core/kernel/ids.js'
import { type Balance, parseMicros } from '../../core/kernel/money.js'
import { createAccount } from '../support/account.js'
import { reconcileAtOnce } from '../support/books.js'
import type { Certificate } from '../support/certificate.js'
import { type Answer, APP_SECRET, type Ask, request, SECRET, VERIFY_TOKEN } from '../support/gateway.js'
import type { Env } from '../support/postern.js'
import { notifyAt } from '../support/process-fixture.js'
import { rightOf } from '../support/right-of.js'
import { type ServerProcess, startServer } from '../support/server-process.js'
import { type PlatformStub, startPlatformStub } from './platform-stub.js'

/** A gateway in a process of its own, its database, and a platform that accepts everything. */
export type AttackWorld = {
  readonly server: ServerProcess
  readonly platform: PlatformStub
  /** The database, beside the gateway's own connections to it. */
  readonly storage: KnexStorage
  /** The variables the gateway was started with. */
  readonly env: Env
  /** Starts another gateway on the same database, with other variables; it is killed with the world. */
  readonly start: (more?: Env) => Promise<ServerProcess>
  /** A workspace with a sender, so much money, and a key. */
  readonly tenant: (funds?: string) => Promise<AttackTenant>
  /** Posts a notification, signed rightly unless a header says otherwise. */
  readonly notify: (body: string, headers?: Readonly<Record<string, string>>) => Promise<Answer>
  /** What is wrong with the books of all workspaces, and with the gateway's log. */
  readonly faults: () => Promise<ReadonlyArray<string>>
  /** Reconciles with a horizon of nothing, so that only what the platform has accepted stays paid. */
  readonly reconcileAtOnce: () => Promise<void>
} & AsyncDisposable

export type AttackTenant = {
  readonly id: WorkspaceId
  readonly key: string
  readonly phoneNumberId: string
  readonly ask: (method: string, path: string, options?: Ask) => Promise<Answer>
  readonly balance: () => Promise<Balance>
}

/** Log events that only a defect writes. */
const DEFECTS: ReadonlySet<unknown> = new Set(['unexpected', 'reply_failed'])

let numbers = 7_000_000

/** Starts the world on an empty database; with a certificate the platform speaks TLS, and the gateway trusts it. */
export const startAttackWorld = async (databaseUrl: string, more: Env, certificate?: Certificate): Promise<AttackWorld> => {
  const platform = await startPlatformStub(certificate)
  const env: Env = {
    DATABASE_URL: databaseUrl, POSTERN_SECRET: SECRET, PLATFORM_URL: platform.url,
    PLATFORM_VERIFY_TOKEN: VERIFY_TOKEN, PLATFORM_APP_SECRET: APP_SECRET,
    ...(certificate !== undefined && { NODE_EXTRA_CA_CERTS: certificate.certFile }), ...more,
  }
  const storage = openStorage({ url: databaseUrl, secret: SECRET })
  const running: ServerProcess[] = []

  const close = async (): Promise<void> => {
    await Promise.all(running.map((server) => server.kill()))
    await platform.close()
    await storage.close()
  }
  const start: AttackWorld['start'] = async (other = {}) => {
    const started = await startServer({ ...env, ...other })
    running.push(started)
    return started
  }
  const server = await storage.migrate().then(() => start()).catch(async (error: unknown) => {
    await close()
    throw error
  })

  return {
    server, platform, storage, env, start,
    tenant: async (funds = '1000') => {
      const phoneNumberId = String(numbers++)
      const { id, key } = await createAccount(storage, {
        name: `attack ${phoneNumberId}`, micros: rightOf(parseMicros(funds)), phoneNumberId,
      })
      return {
        id, key, phoneNumberId,
        ask: (method, path, options = {}) => request(`${server.url}${path}`, method, key, options),
        balance: async () => {
          const balance = O.toUndefined(rightOf(await storage.ledger.balance(id)))
          if (balance === undefined) throw new Error('the workspace has no wallet')
          return balance
        },
      }
    },
    notify: (body, headers) => notifyAt(server.url, body, headers),
    faults: async () => {
      const { broken } = rightOf(await storage.ledger.audit())
      const defects = running.flatMap((one) => one.log()).filter(({ msg }) => DEFECTS.has(msg))
      return [
        ...broken.map((wallet) => `the books are off: ${Object.values(wallet).map(String).join(', ')}`),
        ...defects.slice(0, 5).map((event) => `the log says ${JSON.stringify(event)}`),
      ]
    },
    reconcileAtOnce: async () => { await reconcileAtOnce(env) },
    [Symbol.asyncDispose]: close,
  }
}
