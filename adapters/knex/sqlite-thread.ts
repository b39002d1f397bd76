import { Worker } from 'node:worker_threads'
import { WRITE_CONFLICT, type SqliteAnswer, type SqliteCommand, type SqliteFailure, type SqliteThreadOptions } from './sqlite-commands.js'
import { WriteConflict } from './sql-error.js'

/** An answer that is not a failure. */
export type SqliteResult = Exclude<SqliteAnswer, SqliteFailure>

/** An error of SQLite, or of its thread. */
export class SqliteError extends Error {
  override readonly name = 'SqliteError'
  constructor(readonly code: string | undefined, message: string, options?: ErrorOptions) { super(message, options) }
}

/** The code of the error if the thread has ended. A commit that it was asked for may have been written or not. */
export const SQLITE_THREAD_LOST = 'SQLITE_THREAD_LOST'

/** The most statements that are kept prepared. */
const MOST_TEXTS = 200

/** What a connection gives for its thread. */
export type ThreadOptions = Pick<SqliteThreadOptions, 'path' | 'session' | 'isReading'>

/** The thread needs little memory for its own objects. A program's own limits would let it keep far more. */
const MEMORY = { maxYoungGenerationSizeMb: 8 }

/** Who waits for the answers to some commands: it gets the last one. */
type Asking = { readonly commands: number; readonly resolve: (answer: SqliteResult) => void; readonly reject: (error: Error) => void }

/**
 * A thread with the connections to a SQLite file, so that no statement and no commit stops the event loop.
 *
 * The commands of one turn of the event loop go out in one message, and their answers come back in one. The thread runs all commands in the order in which
 * they were asked for. It does not keep the process alive, unless a caller waits for an answer.
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
    const workerData: SqliteThreadOptions = { ...options, aborted: this.aborted, mostTexts: MOST_TEXTS }
    // The thread gets none of the program's own options: it needs neither its loaders nor the secrets in its environment.
    this.worker = new Worker(new URL('./sqlite-worker.js', import.meta.url), { workerData, name: options.isReading ? 'sqlite reading' : 'sqlite', execArgv: [], env: {}, resourceLimits: MEMORY })
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

  /** Lets a transaction commit no more, even if the commit is on its way. */
  abort(transaction: number): void {
    Atomics.store(this.aborted, 0, transaction)
  }

  /** Asks for some commands, and resolves with the answer to the last one. */
  ask(...commands: ReadonlyArray<SqliteCommand>): Promise<SqliteResult> {
    if (this.ended !== undefined) return Promise.reject(this.ended)
    if (this.asking.length === 0) this.worker.ref()
    this.isUsed = true
    for (const command of commands) this.outgoing.push(this.numbered(command))
    if (!this.isScheduled) {
      this.isScheduled = true
      // After all that runs in this turn of the event loop without waiting.
      void Promise.resolve().then(() => { process.nextTick(() => { this.post() }) })
    }
    return new Promise((resolve, reject) => { this.asking.push({ commands: commands.length, resolve, reject }) })
  }

  /** Closes the file after what was asked for so far, and ends the thread. */
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
      // A value that cannot be copied. The two sides count their texts alike, so none may be left out.
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
    if (this.texts.size >= MOST_TEXTS) this.texts.clear()
    this.texts.set(text, this.texts.size)
    return text
  }
}

const isRows = (answer: SqliteAnswer | undefined): answer is Extract<SqliteAnswer, ReadonlyArray<unknown>> => Array.isArray(answer)

const errorOf = (failure: SqliteFailure | undefined): Error => {
  const { code, message } = failure ?? { code: undefined, message: 'the thread of the SQLite file gave no answer' }
  return code === WRITE_CONFLICT ? new WriteConflict(message) : new SqliteError(code, message)
}
