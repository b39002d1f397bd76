import { closeSync, openSync, statSync } from 'node:fs'
import { dirname } from 'node:path'
import { Worker } from 'node:worker_threads'
import { WriteConflict } from './dialect.js'
import type { Binding, Queryable, TransactionOptions, Transactor } from './sql.js'

/** Only the gateway's user may read and write the file, because it contains phone numbers. SQLite gives its log files the same mode. */
const MODE = 0o600

/** The database file does not exist. */
export class FileMissing extends Error {}

/** The folder of the database file does not exist. Only the operator creates it. */
export class FolderMissing extends Error {}

/** The path of a database in memory instead of a file. */
export const IN_MEMORY = ':memory:'

/** The path in a URL `sqlite:PATH`; `sqlite:///PATH` names the same file. */
export const sqlitePath = (url: string): string => url.slice('sqlite:'.length).replace(/^\/\/(?=\/)/, '')

/** Checks that a database file exists, and creates an empty one only if `create` is set. SQLite itself would always create it. */
export const prepareFile = (path: string, create: boolean): void => {
  if (path === IN_MEMORY || exists(path)) return
  const folder = dirname(path)
  if (!exists(folder)) throw new FolderMissing(`the folder ${folder} of the database file does not exist`)
  if (!create) throw new FileMissing(`there is no database file ${path}`)
  closeSync(openSync(path, 'a', MODE))
}

const exists = (path: string): boolean => statSync(path, { throwIfNoEntry: false }) !== undefined

/** A text, or the number of a text that the thread already has: both sides number the texts in the order in which they were sent. */
export type StatementText = string | number

/** A value of a statement, in the form that structured cloning copies. */
export type SqliteValue = string | number | bigint | null

/** The commands of the thread of a SQLite file. A message between the threads is a list of these. */
export type SqliteCommand =
  /** Reads outside of any transaction; it sees what has been committed. */
  | readonly [kind: 'look-up', text: StatementText, values: ReadonlyArray<unknown>]
  /** Runs a statement, in the open transaction if there is one. */
  | readonly [kind: 'run', text: StatementText, values: ReadonlyArray<unknown>]
  /** Runs a statement once for each row; `values` has the values of all rows. With `conflict`, each run must write one row. */
  | readonly [kind: 'run-each', text: StatementText, values: ReadonlyArray<unknown>, rows: number, conflict: string | undefined]
  /** Begins the transaction with a number. */
  | readonly [kind: 'begin', transaction: number]
  | readonly [kind: 'commit' | 'rollback' | 'close']

/** The rows of a query, the number of changed rows, or why a command failed. */
export type SqliteAnswer = ReadonlyArray<Readonly<Record<string, SqliteValue>>> | number | SqliteFailure

/** An error in the form that is sent between threads: an `Error` would lose its code. It contains no values of a statement. */
export type SqliteFailure = { readonly code: string | undefined; readonly message: string }

/** The start options of the thread. */
export type SqliteThreadOptions = {
  readonly path: string
  /** The statements that set up a connection. */
  readonly session: ReadonlyArray<string>
  /** Whether the thread only reads, for pages and reports: then it yields the processor to other threads if the system allows it. */
  readonly isReading: boolean
  /** The number of the last transaction that must no longer commit. The thread sees it immediately, even if it has unread messages. */
  readonly aborted: Int32Array<SharedArrayBuffer>
  /** How many texts both sides remember before they forget all of them. */
  readonly mostTexts: number
}

/** The code of a failure after which the transaction may be retried, because another transaction has changed a row. */
export const WRITE_CONFLICT = 'WRITE_CONFLICT'

/** An answer that is not a failure. */
export type SqliteResult = Exclude<SqliteAnswer, SqliteFailure>

/** An error of SQLite, or of its thread. */
export class SqliteError extends Error {
  override readonly name = 'SqliteError'
  constructor(readonly code: string | undefined, message: string, options?: ErrorOptions) { super(message, options) }
}

/** The error code if the thread has ended. A requested commit may or may not have been written. */
export const SQLITE_THREAD_LOST = 'SQLITE_THREAD_LOST'

/** The error code if the file was removed or replaced while it was open. All writes since then are lost. */
export const SQLITE_FILE_REPLACED = 'SQLITE_FILE_REPLACED'

/** SQLite reports a full disk as `SQLITE_IOERR` if it cannot enlarge a file next to the database. */
const isFullDisk = (error: unknown): boolean => error instanceof SqliteError && /^SQLITE_(FULL|IOERR)/.test(error.code ?? '')

/** The maximum number of statements that are kept prepared. */
const MAX_TEXTS = 200

/** The options with which a connection starts its thread. */
export type ThreadOptions = Pick<SqliteThreadOptions, 'path' | 'session' | 'isReading'>

/** The thread needs little memory for its own objects. The limits of the main program would let it keep far more. */
const MEMORY = { maxYoungGenerationSizeMb: 8 }

/** The caller that waits for the answers to some commands: it gets the last answer. */
type Asking = { readonly commands: number; readonly resolve: (answer: SqliteResult) => void; readonly reject: (error: Error) => void }

/**
 * A thread with the connections to a SQLite file, so that no statement and no commit stops the event loop.
 *
 * The commands of one turn of the event loop are sent in one message, and their answers return in one. The thread runs all commands in the order of the calls. It does
 * not keep the process alive, unless a caller waits for an answer.
 */
export class SqliteThread {
  private readonly worker: Worker
  private readonly asking: Array<Asking> = []
  private readonly texts = new Map<string, number>()
  private outgoing: Array<SqliteCommand> = []
  private readonly aborted = new Int32Array(new SharedArrayBuffer(Int32Array.BYTES_PER_ELEMENT))
  private transactions = 0
  private isScheduled = false
  private isClosing = false
  private isUsed = false
  private ended: Error | undefined

  constructor(options: ThreadOptions) {
    const workerData: SqliteThreadOptions = { ...options, aborted: this.aborted, mostTexts: MAX_TEXTS }
    // The thread gets none of the program's own options: it needs neither its loaders nor the secrets in its environment.
    this.worker = new Worker(new URL('./sqlite-worker.js', import.meta.url), {
      workerData, name: options.isReading ? 'sqlite reading' : 'sqlite', execArgv: [], env: {}, resourceLimits: MEMORY,
    })
    this.worker.unref()
    this.worker.on('message', (answers: ReadonlyArray<SqliteAnswer>) => { this.answer(answers) })
    this.worker.on('messageerror', (error) => { this.end(error) })
    this.worker.on('error', (error) => { this.end(error) })
    this.worker.on('exit', () => { this.end() })
  }

  get hasEnded(): boolean { return this.ended !== undefined }

  /** A number for the next transaction. */
  nextTransaction(): number {
    return (this.transactions = (this.transactions + 1) | 0)
  }

  /** Prevents a transaction from committing, even if the commit is being sent. */
  abort(transaction: number): void {
    Atomics.store(this.aborted, 0, transaction)
  }

  /** Sends some commands, and resolves with the answer to the last one. */
  ask(...commands: ReadonlyArray<SqliteCommand>): Promise<SqliteResult> {
    if (this.ended !== undefined) return Promise.reject(this.ended)
    if (this.asking.length === 0) this.worker.ref()
    this.isUsed = true
    for (const command of commands) this.outgoing.push(this.numbered(command))
    if (!this.isScheduled) {
      this.isScheduled = true
      // Runs after everything in this turn of the event loop that does not wait.
      void Promise.resolve().then(() => { process.nextTick(() => { this.post() }) })
    }
    return new Promise((resolve, reject) => { this.asking.push({ commands: commands.length, resolve, reject }) })
  }

  /** Closes the file after all commands so far, and ends the thread. */
  async close(): Promise<void> {
    if (this.ended !== undefined) return
    const exit = new Promise((resolve) => { this.worker.once('exit', resolve) })
    const closed = this.isUsed ? this.ask(['close']).catch(() => undefined) : this.worker.terminate()
    this.isClosing = true
    this.ended = new Error('the connection is closed')
    await closed
    await exit
  }

  /** Ends the thread without waiting for it. */
  terminate(): void {
    void this.worker.terminate()
  }

  private post(): void {
    this.isScheduled = false
    const commands = this.outgoing
    this.outgoing = []
    try {
      this.worker.postMessage(commands)
    } catch (error) {
      // A value that cannot be copied. Both sides number their texts in the same way, so none may be left out.
      this.end(error)
      this.terminate()
    }
  }

  private answer(answers: ReadonlyArray<SqliteAnswer>): void {
    let next = 0
    let done = 0
    for (; next < answers.length; done += 1) {
      const asking = this.asking[done]
      if (asking === undefined) break
      next += asking.commands
      const answer = answers[next - 1]
      if (typeof answer === 'number' || isRows(answer)) asking.resolve(answer)
      else asking.reject(errorOf(answer))
    }
    this.asking.splice(0, done)
    if (this.asking.length === 0 && !this.isClosing) this.worker.unref()
  }

  private end(cause?: unknown): void {
    this.ended ??= new SqliteError(SQLITE_THREAD_LOST, 'the thread of the SQLite file has ended', { cause })
    for (const { reject } of this.asking.splice(0)) reject(this.ended)
  }

  /** The command with the number of its text, if the thread has that text. */
  private numbered(command: SqliteCommand): SqliteCommand {
    switch (command[0]) {
      case 'look-up': case 'run':
        return [command[0], this.numberOf(String(command[1])), command[2]]
      case 'run-each':
        return [command[0], this.numberOf(String(command[1])), command[2], command[3], command[4]]
      case 'begin': case 'commit': case 'rollback': case 'close':
        return command
    }
  }

  private numberOf(text: string): string | number {
    const known = this.texts.get(text)
    if (known !== undefined) return known
    if (this.texts.size >= MAX_TEXTS) this.texts.clear()
    this.texts.set(text, this.texts.size)
    return text
  }
}

const isRows = (answer: SqliteAnswer | undefined): answer is Extract<SqliteAnswer, ReadonlyArray<unknown>> => Array.isArray(answer)

const errorOf = (failure: SqliteFailure | undefined): Error => {
  const { code, message } = failure ?? { code: undefined, message: 'the thread of the SQLite file gave no answer' }
  return code === WRITE_CONFLICT ? new WriteConflict(message) : new SqliteError(code, message)
}

type Values = ReadonlyArray<Binding>
type Rows = Extract<SqliteResult, ReadonlyArray<unknown>>

/**
 * A SQLite file with a separate thread. A file has one writer at a time, so transactions run one after the other, and a statement that writes outside of them waits for
 * the open transaction. A look-up outside of a transaction does not wait: it reads the last committed state.
 *
 * A database in memory works in the same way, but no second connection can open it. So there a look-up waits too, and knex changes the schema over this connection.
 */
export class SqliteConnection implements Transactor {
  private thread: SqliteThread | undefined
  private isOpen = false
  private isClosed = false
  private last: Promise<unknown> = Promise.resolve()
  /** Whether a transaction failed because the disk was full, and no later write has shown that there is room again. */
  lacksRoom = false

  /** `prepareFile` throws if the file cannot be opened. It is called until a statement has run. */
  constructor(private readonly options: ThreadOptions, private readonly prepareFile: () => void) {}

  /** Starts the thread early, so that the first statement waits as little as possible. It does not open the file yet. */
  start(): void {
    if (!this.isClosed) this.thread ??= new SqliteThread(this.options)
  }

  async select(sql: string, values: Values): Promise<Rows> {
    const lookUp = async (): Promise<Rows> => rowsOf(await this.noting(this.connected().ask(['look-up', sql, values])))
    return this.options.path === IN_MEMORY ? this.afterOthers(lookUp) : lookUp()
  }

  lookUps(): Queryable {
    return this
  }

  execute(sql: string, values: Values): Promise<number> {
    return this.afterOthers(async () => countOf(await this.noting(this.connected().ask(['run', sql, values]))))
  }

  executeEach(sql: string, rows: ReadonlyArray<Values>): Promise<number> {
    return this.transaction((trx) => trx.executeEach(sql, rows))
  }

  writeEach(sql: string, rows: ReadonlyArray<Values>, conflict?: string): Promise<void> {
    return this.transaction((trx) => trx.writeEach(sql, rows, conflict))
  }

  /** Runs work in a transaction. If the work fails, or the signal is aborted before the thread commits, all of it is rolled back. */
  transaction<Result>(work: (trx: Queryable) => Promise<Result>, { signal }: TransactionOptions = {}): Promise<Result> {
    return this.afterOthers(async () => {
      const trx = new SqliteTransaction(this.connected())
      signal?.addEventListener('abort', trx.abort)
      try {
        const result = await work(trx)
        signal?.throwIfAborted()
        await this.noting(trx.commit())
        return result
      } catch (error) {
        if (isFullDisk(error)) this.lacksRoom = true
        await trx.rollBack()
        throw error
      } finally {
        signal?.removeEventListener('abort', trx.abort)
      }
    })
  }

  /** Lends the connection to knex until it is released. Knex treats an answer that is not an array as the result of a write. */
  lend(): Promise<LentConnection> {
    return new Promise((resolve, reject) => {
      this.afterOthers(() => new Promise<void>((release) => {
        const run = async (sql: string, values: Values): Promise<object> => {
          const answer = await this.noting(this.connected().ask(['run', sql, values]))
          return typeof answer === 'number' ? { changes: answer } : answer
        }
        resolve({ prepare: (sql) => ({ reader: false, run: (values) => run(sql, values) }), release })
      })).catch(reject)
    })
  }

  /** Closes the file after all commands so far. Later statements fail. */
  async close(): Promise<void> {
    this.isClosed = true
    await this.thread?.close()
  }

  /** Ends the thread if closing takes too long. */
  terminate(): void {
    this.thread?.terminate()
  }

  private connected(): SqliteThread {
    if (this.isClosed) throw new Error('the connection is closed')
    if (this.thread?.hasEnded === true) {
      this.thread = undefined
      this.isOpen = false
    }
    if (!this.isOpen) this.prepareFile()
    return (this.thread ??= new SqliteThread(this.options))
  }

  private async noting(answer: Promise<SqliteResult>): Promise<SqliteResult> {
    const result = await answer
    this.isOpen = true
    return result
  }

  private afterOthers<Result>(work: () => Promise<Result>): Promise<Result> {
    const result = this.last.then(work)
    this.last = result.catch(() => undefined)
    return result
  }
}

/** The connection in the form of the driver's own, for knex. */
export type LentConnection = {
  readonly prepare: (sql: string) => { readonly reader: false; readonly run: (values: Values) => Promise<object> }
  readonly release: () => void
}

/**
 * A transaction. If no caller needs the answer of a statement, the statement waits here, and is sent with the next statement whose answer is needed, or with the
 * commit. So a transaction takes few messages, and the file is locked for other processes only while statements run.
 */
class SqliteTransaction implements Queryable {
  readonly abort = (): void => { this.thread.abort(this.number) }
  private readonly number: number
  private waiting: Array<SqliteCommand>
  private hasBegun = false
  private hasEnded = false

  constructor(private readonly thread: SqliteThread) {
    this.number = thread.nextTransaction()
    this.waiting = [['begin', this.number]]
  }

  async select(sql: string, values: Values): Promise<Rows> {
    return rowsOf(await this.ask(['run', sql, values]))
  }

  async execute(sql: string, values: Values): Promise<number> {
    return countOf(await this.ask(['run', sql, values]))
  }

  async executeEach(sql: string, rows: ReadonlyArray<Values>): Promise<number> {
    return rows.length === 0 ? 0 : countOf(await this.ask(runEach(sql, rows, undefined)))
  }

  async writeEach(sql: string, rows: ReadonlyArray<Values>, conflict?: string): Promise<void> {
    if (this.hasEnded) throw new Error('the transaction has ended')
    if (rows.length > 0) this.waiting.push(runEach(sql, rows, conflict))
  }

  async commit(): Promise<SqliteResult> {
    const answer = this.ask(['commit'])
    this.hasEnded = true
    return answer
  }

  /** Rolls back, unless the commit has ended the transaction or none of its statements was sent. */
  async rollBack(): Promise<void> {
    if (this.hasEnded || !this.hasBegun) return
    const answer = this.thread.ask(['rollback'])
    this.hasEnded = true
    await answer.catch(() => undefined)
  }

  private async ask(command: SqliteCommand): Promise<SqliteResult> {
    if (this.hasEnded) throw new Error('the transaction has ended')
    this.hasBegun = true
    return this.thread.ask(...this.waiting.splice(0), command)
  }
}

const runEach = (sql: string, rows: ReadonlyArray<Values>, conflict: string | undefined): SqliteCommand => {
  // `flat` takes ten times as long.
  const values: Array<unknown> = []
  for (const row of rows) values.push(...row)
  return ['run-each', sql, values, rows.length, conflict]
}

const rowsOf = (answer: SqliteResult): Rows => (typeof answer === 'number' ? [] : answer)

/** A pragma may return rows instead of the expected number. */
const countOf = (answer: SqliteResult): number => (typeof answer === 'number' ? answer : 0)
