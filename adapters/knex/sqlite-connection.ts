import { keepStatements, type PreparingConnection } from './statement-cache.js'

type Bindings = ReadonlyArray<unknown>

/** A connection of better-sqlite3, as far as it is used here. */
export type DriverDatabase = PreparingConnection & {
  readonly exec: (sql: string) => unknown
  readonly close: () => unknown
  readonly inTransaction: boolean
}

/** A prepared statement of better-sqlite3; `reader` is set where it returns rows. */
type DriverStatement = {
  readonly reader: boolean
  readonly all: (...bindings: Bindings) => ReadonlyArray<unknown>
  readonly run: (...bindings: Bindings) => { readonly changes: number }
}

/** The answer to a statement: its rows, or the number of rows that it changed. */
export type SqliteAnswer = ReadonlyArray<unknown> | { readonly changes: number }

/** What statements of SQLite run on: the database, or one of its transactions. */
export abstract class SqliteStatements {
  abstract run(sql: string, bindings: Bindings): Promise<SqliteAnswer>
  /** Runs a statement once for each list of bindings and returns the number of rows that were changed. */
  abstract runEach(sql: string, lists: ReadonlyArray<Bindings>): Promise<number>
}

/**
 * A SQLite database with one connection, over better-sqlite3 itself.
 *
 * Every call of that driver is synchronous, so a pool, timers and a promise for each step would only cost time: knex took about a fifth of what storage
 * costs a send. A statement that is asked for while a transaction is open waits until it has ended. That wait has no deadline of its own, because a
 * transaction waits for nothing but its statements.
 */
export class SqliteConnection extends SqliteStatements {
  private opened: DriverDatabase | undefined
  private isClosed = false
  private last: Promise<unknown> = Promise.resolve()

  /** `open` opens the driver's connection, and throws where that fails; it is tried again at the next statement. */
  constructor(private readonly open: () => DriverDatabase) { super() }

  run(sql: string, bindings: Bindings): Promise<SqliteAnswer> {
    return this.afterOthers(() => runOne(this.connection(), sql, bindings))
  }

  runEach(sql: string, lists: ReadonlyArray<Bindings>): Promise<number> {
    return this.transaction((trx) => trx.runEach(sql, lists))
  }

  /** Runs work in a transaction. If the work fails, all of it is rolled back. */
  transaction<Result>(work: (trx: SqliteStatements) => Promise<Result>): Promise<Result> {
    return this.afterOthers(async () => {
      const connection = this.connection()
      connection.exec('BEGIN')
      try {
        const result = await work(new SqliteTransaction(connection))
        connection.exec('COMMIT')
        return result
      } catch (error) {
        // A full disk ends a transaction by itself.
        if (connection.inTransaction) connection.exec('ROLLBACK')
        throw error
      }
    })
  }

  close(): void {
    this.isClosed = true
    this.opened?.close()
    this.opened = undefined
  }

  private connection(): DriverDatabase {
    if (this.isClosed) throw new Error('the connection is closed')
    if (this.opened === undefined) {
      this.opened = this.open()
      keepStatements(this.opened)
    }
    return this.opened
  }

  private afterOthers<Result>(work: () => Result | Promise<Result>): Promise<Result> {
    const result = this.last.then(work)
    this.last = result.catch(() => undefined)
    return result
  }
}

/** A transaction. No statement runs after one that failed: a full disk ends the transaction, and a later statement would commit by itself. */
class SqliteTransaction extends SqliteStatements {
  private failure: { readonly error: unknown } | undefined

  constructor(private readonly connection: DriverDatabase) { super() }

  run(sql: string, bindings: Bindings): Promise<SqliteAnswer> {
    return this.unlessFailed(() => runOne(this.connection, sql, bindings))
  }

  runEach(sql: string, lists: ReadonlyArray<Bindings>): Promise<number> {
    return this.unlessFailed(() => {
      const statement = this.connection.prepare(sql) as DriverStatement
      return lists.reduce((changes, bindings) => changes + statement.run(...bindings).changes, 0)
    })
  }

  private async unlessFailed<Result>(work: () => Result): Promise<Result> {
    if (this.failure !== undefined) throw this.failure.error
    try {
      return work()
    } catch (error) {
      this.failure = { error }
      throw error
    }
  }
}

const runOne = (connection: DriverDatabase, sql: string, bindings: Bindings): SqliteAnswer => {
  const statement = connection.prepare(sql) as DriverStatement
  return statement.reader ? statement.all(...bindings) : statement.run(...bindings)
}
