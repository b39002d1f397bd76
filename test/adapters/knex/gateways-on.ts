import { type Database, openDatabase } from '../../../adapters/knex/engine/database.js'
import type { TestServer } from '../../support/databases.js'

/** Opens an empty database as several gateways do, and closes and deletes it after a check. */
export const gatewaysOn = (server: TestServer) =>
  async (count: number, check: (gateways: ReadonlyArray<Database>, url: string) => Promise<void>): Promise<void> => {
    await using database = await server.create()
    const gateways = Array.from({ length: count }, () => openDatabase(database.url))
    try {
      await check(gateways, database.url)
    } finally {
      await Promise.all(gateways.map((gateway) => gateway.close()))
    }
  }
