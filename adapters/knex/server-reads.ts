import DataLoader from 'dataloader'
import { ServerStatements, type ServerDatabase, type Statement } from './server-database.js'

/** The queries of a database server outside of any transaction: those that are started together share a connection and a round trip. One that fails, fails alone. */
export class ServerReads extends ServerStatements {
  private readonly loader: DataLoader<Statement, unknown>

  constructor(database: ServerDatabase) {
    super()
    this.loader = new DataLoader<Statement, unknown>((queries) => database.runTogether(queries), { cache: false })
  }

  run(sql: string, bindings: ReadonlyArray<unknown>): Promise<unknown> {
    return this.loader.load({ sql, bindings })
  }
}
