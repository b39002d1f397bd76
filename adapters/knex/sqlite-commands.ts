/** A text or the number of a text that the thread already has: both sides count the texts in the order in which they were sent. */
export type StatementText = string | number

/** A value of a statement, as structured cloning copies it. */
export type SqliteValue = string | number | bigint | null

/** What the thread of a SQLite file is asked to do. A message between the threads is a list of these. */
export type SqliteCommand =
  /** Reads outside of any transaction; it sees what has been committed. */
  | readonly [kind: 'look-up', text: StatementText, values: ReadonlyArray<unknown>]
  /** Runs a statement, in the open transaction if there is one. */
  | readonly [kind: 'run', text: StatementText, values: ReadonlyArray<unknown>]
  /** Runs a statement once for each row; `values` has the values of all rows. With `conflict`, each run must write one row. */
  | readonly [kind: 'run-each', text: StatementText, values: ReadonlyArray<unknown>, rows: number, conflict: string | undefined]
  /** Begins a transaction, and gives its number. */
  | readonly [kind: 'begin', transaction: number]
  | readonly [kind: 'commit' | 'rollback' | 'close']

/** The rows of a query, the number of rows that were changed, or why a command failed. */
export type SqliteAnswer = ReadonlyArray<Readonly<Record<string, SqliteValue>>> | number | SqliteFailure

/** An error as it is sent between threads: an `Error` would lose its code. It has no values of a statement. */
export type SqliteFailure = { readonly code: string | undefined; readonly message: string }

/** What the thread is started with. */
export type SqliteThreadOptions = {
  readonly path: string
  /** The statements that set up a connection. */
  readonly session: ReadonlyArray<string>
  /** Whether the thread only reads, for pages and reports: then it yields the processor to other threads where the system allows it. */
  readonly isReading: boolean
  /** The number of the last transaction that must not commit any more. The thread sees it at once, however many messages it has not read. */
  readonly aborted: Int32Array<SharedArrayBuffer>
  /** How many texts both sides remember before they forget all of them. */
  readonly mostTexts: number
}

/** The code of a failure for which the transaction may be run again, because another one has changed a row. */
export const WRITE_CONFLICT = 'WRITE_CONFLICT'
