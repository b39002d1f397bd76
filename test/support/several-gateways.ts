import { type Simulator, startSimulator } from '../../apps/simulator/simulator.js'
import { type Account, openAccount } from './books.js'
import type { TestServer } from './databases.js'
import { SECRET } from './gateway.js'
import { type InProcessServer, serveInProcess } from './in-process-server.js'
import type { Env } from './postern.js'
import { type ServerProcess, startServers } from './server-process.js'

/** Gateways on one new database, with a simulator and one account that has funds. */
export type SeveralGateways<Gateway> = {
  readonly gateways: ReadonlyArray<Gateway>
  readonly simulator: Simulator
  readonly account: Account
  /** The variables with which a command uses the same database. */
  readonly env: Env & { readonly DATABASE_URL: string }
} & AsyncDisposable

/** Starts compiled gateways as processes, two by default. */
export const startGateways = (server: TestServer, funds: bigint, count = 2): Promise<SeveralGateways<ServerProcess>> =>
  severalGateways(server, funds, (env) => startServers(new Array<Env>(count).fill(env)), (gateway) => gateway.kill())

/** Starts two gateways in the process of the test. */
export const startGatewaysInProcess = (server: TestServer, funds: bigint): Promise<SeveralGateways<InProcessServer>> =>
  severalGateways(server, funds, (env) => Promise.all([serveInProcess(env), serveInProcess(env)]), (gateway) => gateway.stop())

const severalGateways = async <Gateway>(
  server: TestServer, funds: bigint, start: (env: Env) => Promise<ReadonlyArray<Gateway>>, stop: (gateway: Gateway) => Promise<void>,
): Promise<SeveralGateways<Gateway>> => {
  const database = await server.createMigrated()
  const simulator = await startSimulator()
  const account = await openAccount(database.url, funds)
  const env = { DATABASE_URL: database.url, POSTERN_SECRET: SECRET, PLATFORM_URL: simulator.url }
  const gateways = await start(env)
  return {
    gateways, simulator, account, env,
    [Symbol.asyncDispose]: async () => {
      await Promise.all(gateways.map(stop))
      await simulator.close()
      await database[Symbol.asyncDispose]()
    },
  }
}
