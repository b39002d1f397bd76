// The thread of a SQLite file: it runs the statements that `sqlite.ts` sends it. It is written in JavaScript, because the tests run the sources,
// and its thread gets no loader. It imports nothing of ours for the same reason.

import { statSync } from 'node:fs'
import { setPriority } from 'node:os'
import { parentPort, workerData } from 'node:worker_threads'
import Sqlite from 'better-sqlite3'

/**
 * @typedef {import('./sqlite.js').SqliteCommand} SqliteCommand
 * @typedef {import('./sqlite.js').SqliteAnswer} SqliteAnswer
 * @typedef {import('./sqlite.js').SqliteFailure} SqliteFailure
 * @typedef {import('./sqlite.js').StatementText} StatementText
 * @typedef {{ readonly database: Sqlite.Database, readonly statements: Map<string, Sqlite.Statement<ReadonlyArray<unknown>>> }} Connection
 */

/** @type {unknown} */
const given = workerData
const { path, session, isReading, aborted, mostTexts } = /** @type {import('./sqlite.js').SqliteThreadOptions} */ (given)

/** Reading needs less memory, because the writing connection handles most reads. */
const READING = ['PRAGMA query_only = ON', 'PRAGMA cache_size = -8192']

/** On Linux this applies only to the thread; elsewhere it would apply to the process. */
const LOW_PRIORITY = 10
if (isReading && process.platform === 'linux') setPriority(LOW_PRIORITY)

const UNIQUE = new Set(['SQLITE_CONSTRAINT_PRIMARYKEY', 'SQLITE_CONSTRAINT_UNIQUE'])

/** @type {Connection | undefined} */
let writing
/** @type {Connection | undefined} */
let reading

/** @type {string[]} */
let texts = []

/** The open transaction, with its number and the failure that ended it. @type {{ number: number, failure: SqliteFailure | undefined } | undefined} */
let transaction

/**
 * The files of the open connections, by their names. SQLite continues to write to a removed file, and such writes are lost when it is closed.
 * @type {Map<string, string>}
 */
const own = new Map()

/** The database file, its log, and the index of the log; a database in memory has none. */
const LOGS = [`${path}-wal`, `${path}-shm`]
const FILES = path === ':memory:' ? [] : [path, ...LOGS]

/** The file that a name currently refers to. @type {(name: string) => string | undefined} */
const identityOf = (name) => {
  const found = statSync(name, { bigint: true, throwIfNoEntry: false })
  return found === undefined ? undefined : `${found.dev} ${found.ino}`
}

/** The failure if one of the files was removed or replaced while it was open. SQLite creates the logs when it first needs them. @type {() => SqliteFailure | undefined} */
const foreignFile = () => {
  for (const name of writing === undefined && reading === undefined ? [] : FILES) {
    const [known, found] = [own.get(name), identityOf(name)]
    if (known === undefined && found !== undefined) own.set(name, found)
    if (known !== undefined && known !== found) return { code: 'SQLITE_FILE_REPLACED', message: `the file ${name} was removed or replaced while it was open` }
  }
  return undefined
}

/** The file exists, because it was created with its own mode: SQLite would make it readable for all users. @type {(more?: ReadonlyArray<string>) => Connection} */
const open = (more = []) => {
  const database = new Sqlite(path, { fileMustExist: true })
  try {
    if (own.has(path) && own.get(path) !== identityOf(path)) {
      throw Object.assign(new Error(`the file ${path} was replaced while it was open`), { code: 'SQLITE_FILE_REPLACED' })
    }
    database.defaultSafeIntegers(true)
    for (const statement of [...session, ...more]) database.exec(statement)
    return { database, statements: new Map() }
  } catch (error) {
    database.close()
    throw error
  }
}

/** In a thread that only reads, this connection holds the snapshot of a report. */
const writer = () => (writing ??= open(isReading ? READING : []))

/** The connection for a look-up. While a transaction waits for its next statement, another connection reads the last committed state. */
const reader = () => (transaction === undefined ? writer() : (reading ??= open(READING)))

const closeAll = () => {
  for (const connection of [reading, writing]) connection?.database.close()
  reading = writing = undefined
  // The last connection that closes removes the logs.
  for (const name of LOGS) own.delete(name)
}

/** The text of a statement. The other side numbers the texts in the same way. @type {(text: StatementText) => string} */
const textOf = (text) => {
  if (typeof text === 'number') return texts[text] ?? ''
  if (texts.length >= mostTexts) {
    texts = []
    for (const connection of [reading, writing]) connection?.statements.clear()
  }
  texts.push(text)
  return text
}

/** A prepared statement. If the schema changes, SQLite prepares it again by itself. @type {(connection: Connection, sql: string) => Sqlite.Statement<ReadonlyArray<unknown>>} */
const prepared = ({ database, statements }, sql) => {
  const known = statements.get(sql)
  if (known !== undefined) return known
  const statement = /** @type {Sqlite.Statement<ReadonlyArray<unknown>>} */ (database.prepare(sql))
  statements.set(sql, statement)
  return statement
}

/** @type {(connection: Connection, sql: string, values: ReadonlyArray<unknown>) => SqliteAnswer} */
const run = (connection, sql, values) => {
  const statement = prepared(connection, sql)
  return statement.reader ? /** @type {SqliteAnswer} */ (statement.all(values)) : statement.run(values).changes
}

/** @type {(sql: string, values: ReadonlyArray<unknown>, rows: number, conflict: string | undefined) => SqliteAnswer} */
const runEach = (sql, values, rows, conflict) => {
  const statement = prepared(writer(), sql)
  const width = values.length / rows
  let changes = 0
  try {
    for (let start = 0; start < values.length; start += width) changes += statement.run(values.slice(start, start + width)).changes
  } catch (error) {
    if (conflict !== undefined && UNIQUE.has(failureOf(error).code ?? '')) return fail({ code: 'WRITE_CONFLICT', message: conflict })
    throw error
  }
  return conflict !== undefined && changes !== rows ? fail({ code: 'WRITE_CONFLICT', message: conflict }) : changes
}

/** @type {(error: unknown) => SqliteFailure} */
const failureOf = (error) => {
  const { code, message } = /** @type {{ code?: unknown, message?: unknown }} */ (error)
  return { code: typeof code === 'string' ? code : undefined, message: String(message) }
}

/** Records a failure. It ends the transaction, so that no later statement commits by itself. @type {(failure: SqliteFailure) => SqliteFailure} */
const fail = (failure) => {
  if (transaction !== undefined) {
    transaction.failure = failure
    rollBack()
  }
  return failure
}

/** A full disk ends a transaction by itself. A connection that cannot roll back is closed, which rolls back too. */
const rollBack = () => {
  try {
    if (writing?.database.inTransaction === true) writing.database.exec('ROLLBACK')
  } catch {
    closeAll()
  }
}

/** @type {(command: SqliteCommand, sql: string) => SqliteAnswer} */
const execute = (command, sql) => {
  switch (command[0]) {
    case 'run':
      return run(writer(), sql, command[2])
    case 'run-each':
      return runEach(sql, command[2], command[3], command[4])
    case 'look-up':
      return run(reader(), sql, command[2])
    case 'begin':
      transaction = { number: command[1], failure: undefined }
      writer().database.exec('BEGIN')
      return 0
    case 'commit':
      // Its callers were refused while it waited for this thread.
      if (Atomics.load(aborted, 0) === transaction?.number) return fail({ code: 'ABORTED', message: 'the transaction was aborted' })
      writer().database.exec('COMMIT')
      return 0
    case 'rollback':
      rollBack()
      return 0
    case 'close':
      rollBack()
      closeAll()
      return 0
  }
}

/** Runs a command. After a command of a transaction has failed, its other commands fail in the same way. @type {(command: SqliteCommand) => SqliteAnswer} */
const answerTo = (command) => {
  const [kind, text] = command
  // Each text is counted, whether or not its command succeeds.
  const sql = text === undefined || kind === 'begin' ? '' : textOf(text)
  const mayRun = kind === 'look-up' || kind === 'rollback' || kind === 'close'
  try {
    return !mayRun && transaction?.failure !== undefined ? transaction.failure : execute(command, sql)
  } catch (error) {
    return kind === 'look-up' ? failureOf(error) : fail(failureOf(error))
  } finally {
    if (kind === 'commit' || kind === 'rollback') transaction = undefined
  }
}

parentPort?.on('message', (/** @type {ReadonlyArray<SqliteCommand>} */ commands) => {
  const answers = commands.map(answerTo)
  // After the commits of this message, so that a commit to a removed file is not confirmed.
  const foreign = foreignFile()
  parentPort?.postMessage(foreign === undefined ? answers : answers.map(() => foreign))
  if (commands.some(([kind]) => kind === 'close')) parentPort?.close()
})
