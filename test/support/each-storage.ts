import { openStorage, type KnexStorage, type KnexStorageOptions } from '../../adapters/knex/index.js'
import { describeEachDatabase, type TestDatabase } from './databases.js'

/** The storages of a suite; available in tests and hooks only. */
export type StorageFixture = {
  /** A migrated storage. */
  readonly storage: () => KnexStorage
  /** Another storage on the same database, like that of another gateway. */
  readonly elsewhere: () => KnexStorage
}

/** Runs a suite once for each database server, with a migrated database that two storages open; it closes the storages and deletes the database. */
export const describeEachStorage = (
  title: string, suite: (fixture: StorageFixture) => void, options: Omit<KnexStorageOptions, 'url'> = { secret: undefined },
): Promise<void> =>
  describeEachDatabase(title, (server) => {
    let database: TestDatabase
    let storage: KnexStorage
    let elsewhere: KnexStorage

    before(async () => {
      database = await server.createMigrated()
      storage = openStorage({ ...options, url: database.url })
      elsewhere = openStorage({ ...options, url: database.url })
    })
    after(async () => {
      await storage.close()
      await elsewhere.close()
      await database[Symbol.asyncDispose]()
    })

    suite({ storage: () => storage, elsewhere: () => elsewhere })
  })
