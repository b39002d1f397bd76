import type { SqliteCommand } from './sqlite-commands.js'
import { SqliteThread, type SqliteResult, type ThreadOptions } from './sqlite-thread.js'

type Values = ReadonlyArray<unknown>
type Rows = Extract<SqliteResult, ReadonlyArray<unknown>>

/** What statements of SQLite run on: the database, or one of its transactions. */
export abstract class SqliteStatements {
  /** Runs a query and returns its rows. */
  abstract select(sql: string, values: Values): Promise<Rows>
  /** Runs a statement and returns the number of rows that it changed. */
  abstract execute(sql: string, values: Values): Promise<number>
  /** Runs a statement once for each row and returns the number of rows that were changed. */
  abstract executeEach(sql: string, rows: ReadonlyArray<Values>): Promise<number>
  /**
   * Runs a statement once for each row. In a transaction it need not have run when this resolves: if it fails, the next statement whose answer is awaited
   * fails with its error, at the latest the commit. With `conflict`, a run that writes no row, or a key that exists, fails with a `WriteConflict` of that text.
   */
  abstract writeEach(sql: string, rows: ReadonlyArray<Values>, conflict?: string): Promise<void>
}

/**
 * A SQLite file, over a thread of its own. A file has one writer at a time, so transactions run one after the other, and a statement that writes outside of
 * them waits for the open one. A look-up outside of a transaction waits for none: it reads what was committed before.
 */
export class SqliteConnection extends SqliteStatements {
  private thread: SqliteThread | undefined
  private isOpen = false
  private isClosed = false
  private last: Promise<unknown> = Promise.resolve()

  /** `prepareFile` throws if the file cannot be opened. It is called until a statement has run. */
  constructor(private readonly options: ThreadOptions, private readonly prepareFile: () => void) { super() }

  /** Starts the thread, so that the first statement waits for it no longer than it must. It does not open the file yet. */
  start(): void {
    if (!this.isClosed) this.thread ??= new SqliteThread(this.options)
  }

  async select(sql: string, values: Values): Promise<Rows> {
    return rowsOf(await this.noting(this.connected().ask(['look-up', sql, values])))
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
  transaction<Result>(work: (trx: SqliteStatements) => Promise<Result>, signal?: AbortSignal): Promise<Result> {
    return this.afterOthers(async () => {
      const trx = new SqliteTransaction(this.connected())
      signal?.addEventListener('abort', trx.abort)
      try {
        const result = await work(trx)
        await this.noting(trx.commit())
        return result
      } catch (error) {
        await trx.rollBack()
        throw error
      } finally {
        signal?.removeEventListener('abort', trx.abort)
      }
    })
  }

  /** Closes the file after what was asked for so far. Later statements fail. */
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

/**
 * A transaction. A statement whose answer no caller needs waits here, and goes out with the next statement whose answer is needed, or with the commit. So a
 * transaction takes few messages, and the file is locked for other processes only while statements run.
 */
class SqliteTransaction extends SqliteStatements {
  readonly abort = (): void => { this.thread.abort(this.number) }
  private readonly number: number
  private waiting: Array<SqliteCommand>
  private hasBegun = false
  private hasEnded = false

  constructor(private readonly thread: SqliteThread) {
    super()
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

  /** Rolls back, unless the commit has ended the transaction or no statement of it was asked for. */
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

/** A pragma may return rows where a number is expected. */
const countOf = (answer: SqliteResult): number => (typeof answer === 'number' ? answer : 0)
