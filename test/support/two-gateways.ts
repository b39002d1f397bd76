import { startSimulator, type Simulator } from '../../apps/simulator/simulator.js'
import { openAccount, type Account } from './books.js'
import type { TestServer } from './databases.js'
import { SECRET } from './gateway.js'
import type { Env } from './postern.js'
import type { ServerProcess } from './server-process.js'
import { startServers } from './start-servers.js'

/** Two compiled gateways on one new database, with a simulator and one account that has funds. */
export type TwoGateways = {
  readonly gateways: ReadonlyArray<ServerProcess>
  readonly simulator: Simulator
  readonly account: Account
  /** The variables with which a command uses the same database. */
  readonly env: Env & { readonly DATABASE_URL: string }
} & AsyncDisposable

/** Starts them. */
export const startTwoGateways = async (server: TestServer, funds: bigint): Promise<TwoGateways> => {
  const database = await server.createMigrated()
  const simulator = await startSimulator()
  const account = await openAccount(database.url, funds)
  const env = { DATABASE_URL: database.url, POSTERN_SECRET: SECRET, PLATFORM_URL: simulator.url }
  const gateways = await startServers(2, env)
  return {
    gateways, simulator, account, env,
    [Symbol.asyncDispose]: async () => {
      await Promise.all(gateways.map((gateway) => gateway.kill()))
      await simulator.close()
      await database[Symbol.asyncDispose]()
    },
  }
}
