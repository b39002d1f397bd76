import DataLoader from 'dataloader'
import type { Knex } from 'knex'
import { type DialectName, sqlErrorKind } from './dialect.js'
import { HostFault } from './faults.js'
import { forgetName, isStaleName, postgresQuery, type PostgresQuery } from './postgres-statements.js'
import { allWritten, type Binding, type Queryable, type Row, type TransactionOptions, type Transactor } from './sql.js'

type Query = (sql: string, done: (error: Error | null, rows?: unknown) => void) => unknown

/** The statements that wait: those that read, that change or delete rows, and that insert rows. The bits of `wsrep_sync_wait`. */
const READS_AND_WRITES = 7

/** The connections that lead to a Galera node. */
const toNodes = new WeakSet<object>()

/** Whether a connection leads to a Galera node. */
export const isToGaleraNode = (connection: object): boolean => toNodes.has(connection)

/**
 * Checks whether a new connection of mysql2 leads to a Galera node. If so, sets the options that make transactions exact there:
 *
 * - The node waits before each transaction, and before each statement outside of one, until it has applied the commits of other nodes. Otherwise other nodes would
 *   briefly accept a revoked key and miss a top-up.
 * - The node never repeats a statement by itself. It would run the failed statement of a transaction alone, and commit it.
 */
export const setUpGaleraSession = async (connection: { readonly query?: Query }): Promise<void> => {
  // MySQL does not know the variable; MariaDB without Galera has it too.
  const rows = await ask(connection, "SHOW GLOBAL VARIABLES LIKE 'wsrep_on'")
  const isNode = Array.isArray(rows) && (rows[0] as { readonly Value?: string } | undefined)?.Value === 'ON'
  if (!isNode) return
  await ask(connection, `SET SESSION wsrep_sync_wait = ${READS_AND_WRITES}, SESSION wsrep_retry_autocommit = 0`)
  toNodes.add(connection)
}

const ask = (connection: { readonly query?: Query }, sql: string): Promise<unknown> =>
  new Promise((resolve, reject) => connection.query?.(sql, (error, rows) => { if (error) reject(error); else resolve(rows) }))

/** Runs one query on a new connection. */
export type AskNode = (sql: string) => Promise<unknown>

type Named = { readonly Variable_name: string; readonly Value: string }

/** Rejects with a `HostFault` if the server of a new connection refuses writes. */
export const checkTakesWrites = async (dialect: DialectName, ask: AskNode): Promise<void> => {
  if (dialect === 'postgres') {
    const { rows } = (await ask("SELECT pg_is_in_recovery() AS standby, current_setting('transaction_read_only') AS read_only")) as {
      readonly rows: ReadonlyArray<{ readonly standby: boolean; readonly read_only: string }>
    }
    if (rows[0]?.standby === true) throw new HostFault('25006', 'it is a standby')
    if (rows[0]?.read_only === 'on') throw new HostFault('25006', 'it is read-only')
  } else if (dialect === 'mysql') {
    // SHOW also works on a Galera node outside its cluster, and it knows variables that MySQL does not have. MariaDB without Galera has `wsrep_ready` too, always OFF.
    const answers = (await ask(
      "SHOW GLOBAL VARIABLES WHERE Variable_name IN ('read_only', 'wsrep_on'); SHOW GLOBAL STATUS LIKE 'wsrep_ready'",
    )) as ReadonlyArray<ReadonlyArray<Named>>
    const values = new Map(answers.flat().map(({ Variable_name: name, Value: value }) => [name, value]))
    if (values.get('wsrep_on') === 'ON' && values.get('wsrep_ready') === 'OFF') {
      throw new HostFault('ER_UNKNOWN_COM_ERROR', 'its Galera node is not ready')
    }
    if ((values.get('read_only') ?? 'OFF') !== 'OFF') throw new HostFault('ER_OPTION_PREVENTS_STATEMENT', 'it is read-only')
  }
}

// In a busy process a transaction waits for each answer much longer than the database works. So a transaction begins with its first statements, and independent
// statements are started together. Each driver sends them in that order, in its own way:
// - `pg` sends a statement before the previous one is answered (`pipeline`). After a failed statement PostgreSQL rejects the others.
// - mysql2 sends several statements in one text. MySQL stops at the first statement that fails. A Galera node does not: if a transaction of another node wins
//   between two statements of a text, it rolls back this one and continues with the next statement, which then commits by itself. There each is sent alone.
// No statement may run after a failed one: a deadlock ends the transaction, and a later statement would commit by itself.

type Bindings = ReadonlyArray<unknown>
/** A statement and its bindings. */
export type Statement = { readonly sql: string; readonly bindings: Bindings }

/** A connection of knex's pool, of mysql2 or `pg`. Knex does not reuse a connection that is marked as disposed. */
type PoolConnection = {
  readonly __knexUid: string
  __knex__disposed?: unknown
  readonly query: (sql: string | PostgresQuery, bindings: Bindings | undefined, done: Answered) => unknown
}

type Answered = (error: Error | null, answer: unknown, fields: unknown) => void

/** The parts of knex's client that are needed: its pool, and its event for failed statements. */
type PoolClient = {
  readonly acquireConnection: () => Promise<PoolConnection>
  readonly releaseConnection: (connection: PoolConnection) => Promise<unknown>
  readonly emit: (event: 'query-error', error: unknown, about: { readonly __knexUid: string }) => unknown
}

/** A driver's answer: an object (`pg`) or a pair (mysql2). */
type Answer = { readonly rows?: ReadonlyArray<Row>; readonly rowCount?: number | null } | ReadonlyArray<unknown>

/** The target of statements: the pool of a database server, or one of its transactions. */
abstract class ServerStatements implements Queryable {
  async select(sql: string, values: ReadonlyArray<Binding>): Promise<ReadonlyArray<Row>> {
    const answer = await this.run(sql, values) as Answer
    return (isList(answer) ? answer[0] as ReadonlyArray<Row> : answer.rows) ?? []
  }

  async execute(sql: string, values: ReadonlyArray<Binding>): Promise<number> {
    const answer = await this.run(sql, values) as Answer
    return (isList(answer) ? (answer[0] as { readonly affectedRows?: number } | undefined)?.affectedRows : answer.rowCount) ?? 0
  }

  async executeEach(sql: string, rows: ReadonlyArray<ReadonlyArray<Binding>>): Promise<number> {
    let changes = 0
    for (const row of rows) changes += await this.execute(sql, row)
    return changes
  }

  writeEach(sql: string, rows: ReadonlyArray<ReadonlyArray<Binding>>, conflict?: string): Promise<void> {
    return allWritten(rows.length, conflict, () => this.executeEach(sql, rows))
  }

  /** Runs a statement and returns the driver's answer. */
  protected abstract run(sql: string, bindings: Bindings): Promise<unknown>
}

const isList = (answer: Answer): answer is ReadonlyArray<unknown> => Array.isArray(answer)

/**
 * A MySQL, MariaDB or PostgreSQL database. It uses the connections of knex's pool, but passes statements directly to the driver: knex took about 4% of the gateway's
 * processor time in a profile, and sends `BEGIN` alone.
 */
export class ServerDatabase extends ServerStatements implements Transactor {
  private readonly client: PoolClient

  constructor(knex: Knex, private readonly dialect: DialectName) {
    super()
    this.client = knex.client as PoolClient
  }

  lookUps(): Queryable {
    return new ServerReads(this)
  }

  protected run(sql: string, bindings: Bindings): Promise<unknown> {
    return this.withConnection((connection) => this.askAgainIfStale(connection, { sql, bindings }))
  }

  /** Runs queries on one connection, in one round trip. The answer to a failed query is its error; the other queries are still answered. */
  runTogether(queries: ReadonlyArray<Statement>): Promise<ReadonlyArray<unknown>> {
    return this.withConnection(async (connection) => {
      const each = (): Promise<ReadonlyArray<unknown>> =>
        Promise.all(queries.map((query) => this.askAgainIfStale(connection, query).catch(asError)))
      if (this.dialect === 'postgres' || queries.length === 1) return each()
      try {
        return await askInOneText((text) => this.ask(connection, text), queries)
      } catch (error) {
        // MySQL skips everything after a failed query, so each query is sent alone. If the database caused the error, that cannot help.
        if (sqlErrorKind(error) === 'unavailable') throw error
        return each()
      }
    })
  }

  /** Runs work in a transaction. If the work fails, all of it is rolled back. */
  transaction<Result>(work: (trx: Queryable) => Promise<Result>, { isolationLevel, signal }: TransactionOptions = {}): Promise<Result> {
    const begin = beginning(this.dialect, isolationLevel)
    return this.withConnection(async (connection) => {
      const ask = (statement: Statement): Promise<unknown> => this.ask(connection, statement)
      const trx = this.dialect === 'postgres'
        ? new PostgresTransaction(ask, begin)
        : new MysqlTransaction(ask, begin, isToGaleraNode(connection) ? askOneByOne : askInOneText)
      try {
        const result = await work(trx)
        signal?.throwIfAborted()
        await trx.end('COMMIT')
        return result
      } catch (error) {
        // A connection whose transaction may still be open is not used again.
        await trx.end('ROLLBACK').catch((reason: unknown) => { connection.__knex__disposed = reason })
        throw error
      }
    })
  }

  private async withConnection<Result>(work: (connection: PoolConnection) => Promise<Result>): Promise<Result> {
    const connection = await this.client.acquireConnection()
    try {
      return await work(connection)
    } finally {
      void this.client.releaseConnection(connection)
    }
  }

  /** Outside of a transaction a statement that was refused because of its name runs again under a new one; a transaction is repeated as a whole. */
  private askAgainIfStale(connection: PoolConnection, statement: Statement): Promise<unknown> {
    return this.ask(connection, statement).catch((error: unknown) => {
      if (!isStaleName(error)) throw error
      return this.ask(connection, statement)
    })
  }

  private ask(connection: PoolConnection, { sql, bindings }: Statement): Promise<unknown> {
    const query = this.dialect === 'postgres' ? postgresQuery(sql, bindings) : undefined
    return new Promise((resolve, reject) => {
      const done: Answered = (error, answer, fields) => {
        if (error) {
          if (query !== undefined && isStaleName(error)) forgetName(query)
          this.client.emit('query-error', error, connection)
          reject(error)
        } else {
          resolve(query === undefined ? [answer, fields] : answer)
        }
      }
      if (query === undefined) connection.query(sql, bindings, done)
      else connection.query(query, undefined, done)
    })
  }
}

type Ask = (statement: Statement) => Promise<unknown>

abstract class ServerTransaction extends ServerStatements {
  protected hasBegun = false
  private hasEnded = false

  constructor(protected readonly ask: Ask, protected readonly begin: ReadonlyArray<string>) { super() }

  protected run(sql: string, bindings: Bindings): Promise<unknown> {
    if (this.hasEnded) return Promise.reject(new Error('the transaction has ended'))
    return this.add({ sql, bindings })
  }

  /** Ends the transaction; statements that were not sent yet are never sent. */
  async end(sql: 'COMMIT' | 'ROLLBACK'): Promise<void> {
    this.hasEnded = true
    if (!this.hasBegun) return
    const answer = await this.ask({ sql, bindings: [] })
    // PostgreSQL answers the commit of a transaction in which a statement has failed with a rollback.
    if (sql === 'COMMIT' && commandOf(answer) === 'ROLLBACK') throw new Error('a statement of the transaction has failed')
  }

  protected abstract add(statement: Statement): Promise<unknown>

  protected statementsToBegin(): ReadonlyArray<Statement> {
    if (this.hasBegun) return []
    this.hasBegun = true
    return this.begin.map((sql) => ({ sql, bindings: [] }))
  }

  protected assertOpen(): void {
    if (this.hasEnded) throw new Error('the transaction has ended')
  }
}

class PostgresTransaction extends ServerTransaction {
  protected add(statement: Statement): Promise<unknown> {
    const begun = this.statementsToBegin().map((first) => this.ask(first))
    const answer = this.ask(statement)
    return begun.length === 0 ? answer : Promise.all([...begun, answer]).then((answers) => answers.at(-1))
  }
}

class MysqlTransaction extends ServerTransaction {
  private last: Promise<unknown> = Promise.resolve()
  /** Collects the statements that are started together. After a text that fails, all later texts fail too. */
  private readonly loader = new DataLoader<Statement, unknown>((statements) => {
    const answers = this.last.then(() => this.sendAll(statements))
    this.last = answers
    return answers
  }, { cache: false })

  constructor(ask: Ask, begin: ReadonlyArray<string>, private readonly askAll: AskAll) { super(ask, begin) }

  protected add(statement: Statement): Promise<unknown> {
    return this.loader.load(statement)
  }

  private async sendAll(statements: ReadonlyArray<Statement>): Promise<ReadonlyArray<unknown>> {
    this.assertOpen()
    const first = this.statementsToBegin()
    const all = [...first, ...statements]
    return (await this.askAll(this.ask, all)).slice(first.length)
  }
}

/** Sends statements and returns the answer to each, in the same order. */
type AskAll = (ask: Ask, statements: ReadonlyArray<Statement>) => Promise<ReadonlyArray<unknown>>

/** mysql2 sends several statements in one text. */
const askInOneText: AskAll = async (ask, statements) => {
  const answer = await ask({ sql: statements.map(({ sql }) => sql).join('; '), bindings: statements.flatMap(({ bindings }) => bindings) })
  return statements.length === 1 ? [answer] : (answer as readonly [ReadonlyArray<unknown>])[0].map((result) => [result])
}

const askOneByOne: AskAll = async (ask, statements) => {
  const answers: Array<unknown> = []
  for (const statement of statements) answers.push(await ask(statement))
  return answers
}

const asError = (error: unknown): Error => (error instanceof Error ? error : new Error(String(error)))

/** The statements that begin a transaction. */
const beginning = (dialect: DialectName, isolationLevel: TransactionOptions['isolationLevel']): ReadonlyArray<string> => {
  if (isolationLevel === undefined) return ['BEGIN']
  const level = `ISOLATION LEVEL ${isolationLevel.toUpperCase()}`
  return dialect === 'postgres' ? [`BEGIN ${level}`] : [`SET TRANSACTION ${level}`, 'BEGIN']
}

const commandOf = (answer: unknown): unknown =>
  typeof answer === 'object' && answer !== null && 'command' in answer ? answer.command : undefined

/**
 * The queries of a database server outside of any transaction. Queries that are started together share a connection and a round trip. If a query fails, the
 * others still succeed.
 */
class ServerReads extends ServerStatements {
  private readonly loader: DataLoader<Statement, unknown>

  constructor(database: ServerDatabase) {
    super()
    this.loader = new DataLoader<Statement, unknown>((queries) => database.runTogether(queries), { cache: false })
  }

  protected run(sql: string, bindings: Bindings): Promise<unknown> {
    return this.loader.load({ sql, bindings })
  }
}
