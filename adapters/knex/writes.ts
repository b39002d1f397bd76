import type { OutboxEntry } from '../../core/kernel/outbox.js'
import { asError, type BatcherOptions, makeBatcher } from './engine/batches.js'
import { type Database, transact } from './engine/database.js'
import { sqlErrorKind, type SqlErrorKind } from './engine/dialect.js'
import { type Queryable, together } from './engine/sql.js'
import { type Emit, writeEntries } from './events/entries.js'

/** The kinds of writes, in the order in which every transaction of the group commit starts them. With one order, deadlocks are rare. */
export const WRITE_ORDER = [
  'apply-changes', 'claim-queued', 'count-inbound', 'reserve', 'record-windows', 'learn-customers', 'record-notices', 'mark-keys-used',
  'record-deliveries', 'note-uploads', 'note-replies', 'append-events',
] as const

export type WriteKind = (typeof WRITE_ORDER)[number]

/** The position of a kind in that order. */
export const positionOf = (kind: WriteKind): number => WRITE_ORDER.indexOf(kind)

/** One kind of write, which runs for many callers in one transaction. */
export type Write<In, Out> = {
  readonly kind: WriteKind
  /**
   * Writes every item and returns one result for each, in the same order; an `Error` is the result of a failed item. If it throws, the transaction is rolled back.
   * Other kinds run at the same time, so that their statements share round trips.
   *
   * In the first try a write may assume the usual case without reading, and throw if the assumption is wrong. With `verifyReads` it must read first.
   *
   * Events that it emits are stored in the same transaction, after all kinds of writes have run. It emits no event for a failed item.
   */
  readonly run: (trx: Queryable, items: ReadonlyArray<In>, verifyReads: boolean, emit: Emit) => Promise<ReadonlyArray<Out | Error>>
}

/** Merges concurrent writes of all kinds into shared transactions. */
export type GroupCommit = {
  /** Resolves once the transaction that did the write has committed. */
  readonly write: <In, Out>(write: Write<In, Out>, item: In) => Promise<Out>
  /** Resolves once every write requested so far is done. */
  readonly idle: () => Promise<void>
}

/** The maximum number of writes that share a transaction. */
const COMMIT_WIDTH = 256

/** Errors of a database that cannot be reached or is too busy. They are not caused by an item. */
const DATABASE_ERRORS = new Set<SqlErrorKind>(['unavailable', 'retry'])

/** The limits of a group commit. */
export type GroupCommitOptions = BatcherOptions & {
  /** Called after each commit that stored events. */
  readonly onEventsStored?: (() => void) | undefined
}

type QueuedWrite = { readonly write: Write<unknown, unknown>; readonly item: unknown }

/**
 * Creates a group commit: writes that arrive while a transaction runs share the next one. So the row of a busy wallet is locked once for all of them, and the disk
 * writes once.
 *
 * If a transaction fails because of an item, each item gets a separate transaction, so that one bad item does not fail the others.
 */
export const makeGroupCommit = (
  database: Database, { width = COMMIT_WIDTH, onEventsStored, ...bounds }: GroupCommitOptions = {},
): GroupCommit => {
  const batcher = makeBatcher<QueuedWrite, unknown>(
    (batch, signal) => commit(database, batch, { verifyReads: false, signal, onEventsStored }), { width, ...bounds },
  )
  return {
    write: <In, Out>(write: Write<In, Out>, item: In) => batcher.load({ write: write as Write<unknown, unknown>, item }) as Promise<Out>,
    idle: batcher.idle,
  }
}

type CommitOptions = Pick<GroupCommitOptions, 'onEventsStored'> & { readonly verifyReads: boolean; readonly signal: AbortSignal }

const commit = async (database: Database, batch: ReadonlyArray<QueuedWrite>, options: CommitOptions): Promise<ReadonlyArray<unknown>> => {
  const { verifyReads, signal, onEventsStored } = options
  try {
    const { answers, events } = await transact(
      database, (trx, attempt) => runAll(database, trx, batch, verifyReads || attempt > 1), { signal },
    )
    if (events > 0) onEventsStored?.()
    return answers
  } catch (error) {
    if (signal.aborted) throw error
    // If the database causes the error, or only one item is left, another transaction cannot help.
    if (DATABASE_ERRORS.has(sqlErrorKind(error)) || (verifyReads && batch.length === 1)) return batch.map(() => asError(error))
    const answers: Array<unknown> = []
    for (const queued of batch) answers.push((await commit(database, [queued], { ...options, verifyReads: true }))[0])
    return answers
  }
}

/** The answers to a batch, and the number of events that it stored. */
type Done = { readonly answers: ReadonlyArray<unknown>; readonly events: number }

const runAll = async ({ dialect }: Database, trx: Queryable, batch: ReadonlyArray<QueuedWrite>, verifyReads: boolean): Promise<Done> => {
  const indexes = new Map<Write<unknown, unknown>, Array<number>>()
  batch.forEach(({ write }, index) => {
    const group = indexes.get(write)
    if (group === undefined) indexes.set(write, [index])
    else group.push(index)
  })
  const answers: Array<unknown> = new Array(batch.length)
  const run = async ([write, group]: readonly [Write<unknown, unknown>, ReadonlyArray<number>]): Promise<ReadonlyArray<OutboxEntry>> => {
    const entries: Array<OutboxEntry> = []
    const results = await write.run(trx, group.map((index) => batch[index]?.item), verifyReads, (more) => { entries.push(...more) })
    group.forEach((index, position) => { answers[index] = results[position] })
    return entries
  }
  // All kinds start together, so that their statements share round trips.
  const entries = await together([...indexes].sort(([a], [b]) => positionOf(a.kind) - positionOf(b.kind)).map(run))
  return { answers, events: await writeEntries(dialect, trx, entries.flat()) }
}
