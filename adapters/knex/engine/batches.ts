import DataLoader from 'dataloader'
import * as E from 'fp-ts/lib/Either.js'
import { portFailure, type PortFailure } from '../../../core/kernel/failure.js'
import { makeRecent } from '../../shared/recent.js'
import { type Database, makeWorkClock } from './database.js'
import type { Queryable } from './sql.js'

/** Collects single calls and does their work in batches. */
export type Batcher<In, Out> = {
  readonly load: (item: In) => Promise<Out>
  /** Resolves once every item loaded so far is done. */
  readonly idle: () => Promise<void>
}

/** The database did not answer before the deadline. The work may still have been done. */
export class BatchTimeout extends Error {}

/** Too many items are waiting, so this one was refused and nothing was done. */
export class QueueFull extends Error {}

/** The limits of a batcher. */
export type BatcherOptions = {
  /** The maximum number of items in one batch. */
  readonly width?: number
  /** The maximum number of items that wait or run. */
  readonly depth?: number
  /** The maximum time from an item's call to its answer, in milliseconds; each batch gets at least a fifth of it. */
  readonly deadlineMs?: number
}

const WIDTH = 512
const DEPTH = 20_000
const DEADLINE_MS = 5_000

/** How many ticks of the clock a deadline has. */
const TICKS = 20

type Queued<In> = { readonly item: In; readonly askedAt: number }

/**
 * Creates a batcher that runs one batch at a time. Items that arrive while a batch runs share the next one.
 *
 * Nothing is cached between batches, so a caller sees everything that was committed before its call. `runBatch` returns one result for each item; an `Error` is the
 * result of an item that failed. An item that waits longer than its deadline fails. A batch that runs longer fails too, and its signal is aborted: its callers have
 * received an error, so the batch must not write anything after that. Time in which this process was too busy to read the database's answers does not count.
 */
export const makeBatcher = <In, Out>(
  runBatch: (items: ReadonlyArray<In>, signal: AbortSignal) => Promise<ReadonlyArray<Out | Error>>,
  { width = WIDTH, depth = DEPTH, deadlineMs = DEADLINE_MS }: BatcherOptions = {},
): Batcher<In, Out> => {
  const waiting: Array<() => void> = []
  const onIdle: Array<() => void> = []
  const clock = makeWorkClock(deadlineMs / TICKS)
  let isRunning = false
  let items = 0

  const next = (): void => {
    const dispatch = isRunning ? undefined : waiting.shift()
    if (dispatch !== undefined) {
      isRunning = true
      // One turn of the event loop collects both writes of a settlement, and the requests that arrived together.
      setImmediate(dispatch)
    } else if (!isRunning) {
      for (const resolve of onIdle.splice(0)) resolve()
    }
  }

  const loader = new DataLoader<Queued<In>, Out>(
    async (queued) => {
      try {
        return await runInTime(queued)
      } finally {
        isRunning = false
        items -= queued.length
        if (items === 0) clock.stop()
        next()
      }
    },
    {
      cache: false,
      maxBatchSize: width,
      batchScheduleFn: (dispatch) => {
        waiting.push(dispatch)
        next()
      },
    },
  )

  /** Fails the items whose deadline has passed, and runs the others until the deadline of the oldest one. */
  const runInTime = async (queued: ReadonlyArray<Queued<In>>): Promise<ReadonlyArray<Out | Error>> => {
    const now = clock.now()
    const isLate = ({ askedAt }: Queued<In>): boolean => now - askedAt > deadlineMs
    const inTime = queued.filter((item) => !isLate(item))
    if (inTime.length === 0) return queued.map(() => timeout(deadlineMs))
    const oldest = inTime.reduce((earliest, { askedAt }) => Math.min(earliest, askedAt), now)
    const results = await runUntil(inTime.map(({ item }) => item), Math.max(oldest + deadlineMs, now + deadlineMs / 5))
    if (inTime.length === queued.length) return results
    let position = 0
    return queued.map((item) => (isLate(item) ? timeout(deadlineMs) : (results[position++] as Out | Error)))
  }

  const runUntil = async (batch: ReadonlyArray<In>, end: number): Promise<ReadonlyArray<Out | Error>> => {
    const abort = new AbortController()
    let cancel = (): void => undefined
    const late = new Promise<never>((_resolve, reject) => {
      cancel = clock.at(end, () => {
        const reason = timeout(deadlineMs)
        abort.abort(reason)
        reject(reason)
      })
    })
    try {
      return await Promise.race([runBatch(batch, abort.signal), late])
    } finally {
      cancel()
    }
  }

  return {
    load: (item) => {
      if (items >= depth) return Promise.reject(new QueueFull('too many requests are waiting for the database'))
      items += 1
      clock.start()
      return loader.load({ item, askedAt: clock.now() })
    },
    idle: () => (items === 0 ? Promise.resolve() : new Promise((resolve) => onIdle.push(resolve))),
  }
}

const timeout = (deadlineMs: number): Error => new BatchTimeout(`the database did not answer within ${deadlineMs} ms`)

/** One kind of read, which runs one query for many callers: it returns one answer for each key, in the same order. */
export type Read<Key, Answer> = (db: Queryable, keys: ReadonlyArray<Key>) => Promise<ReadonlyArray<Answer>>

/** Creates a look-up of one key, which shares its round trips with all other look-ups of the database. */
export type ReadBatcher = <Key, Answer>(read: Read<Key, Answer>) => (key: Key) => Promise<Answer>

/** The maximum number of reads in one batch, and of those that wait or run. A send has about five. */
const READ_WIDTH = 2_048
const READ_DEPTH = 100_000

type QueuedRead = { readonly read: Read<unknown, unknown>; readonly key: unknown }

/**
 * Creates the batcher of a database's look-ups: all look-ups, of any kind, of one turn of the event loop are sent together on one connection, and return in one round
 * trip. Look-ups that arrive while a batch runs share the next one. Nothing is cached.
 */
export const makeReadBatcher = (
  { db }: Pick<Database, 'db'>, { width = READ_WIDTH, depth = READ_DEPTH, ...bounds }: BatcherOptions = {},
): ReadBatcher => {
  const lookUps = db.lookUps()
  const batcher = makeBatcher<QueuedRead, unknown>((batch) => readAll(lookUps, batch), { width, depth, ...bounds })
  return <Key, Answer>(read: Read<Key, Answer>) => (key: Key) =>
    batcher.load({ read: read as Read<unknown, unknown>, key }) as Promise<Answer>
}

/** Starts the queries of all kinds together. If one fails, the callers of the other kinds still get their answers. */
const readAll = async (db: Queryable, batch: ReadonlyArray<QueuedRead>): Promise<ReadonlyArray<unknown>> => {
  const answers: Array<unknown> = new Array(batch.length)
  const indexes = new Map<QueuedRead['read'], Array<number>>()
  batch.forEach(({ read }, index) => {
    const group = indexes.get(read)
    if (group === undefined) indexes.set(read, [index])
    else group.push(index)
  })
  await Promise.all(Array.from(indexes, async ([read, group]) => {
    const found = await read(db, group.map((index) => batch[index]?.key)).catch(asError)
    group.forEach((index, position) => { answers[index] = found instanceof Error ? found : found[position] })
  }))
  return answers
}

/** The thrown value, as an error. */
export const asError = (error: unknown): Error => (error instanceof Error ? error : new Error(String(error)))

/** Turns work that may reject into the answers of a port. */
export type PortTasks = {
  /** The right is the value that the work resolves to. */
  readonly value: <A>(work: () => Promise<A>) => Promise<E.Either<PortFailure, A>>
  /** The work itself resolves to a right or a left. */
  readonly either: <L, A>(work: () => Promise<E.Either<L, A>>) => Promise<E.Either<L | PortFailure, A>>
}

/** The answers of one port: a rejection becomes the port's failure. */
export const portTasks = (port: string): PortTasks => {
  const failure = portFailure(port)
  return {
    value: async (work) => {
      try {
        return E.right(await work())
      } catch (cause) {
        return E.left(failure(cause))
      }
    },
    either: async (work) => {
      try {
        return await work()
      } catch (cause) {
        return E.left(failure(cause))
      }
    },
  }
}

/** Answers of a query, kept for a short time. */
export type KeptAnswers<Answer> = {
  /** The kept answer, or a new one. Concurrent calls share one query; a failure is not kept. */
  readonly get: (key: string) => Promise<Answer>
  /** Removes a kept answer, and discards one that is still being read. */
  readonly forget: (key: string) => void
}

const MAX_KEPT = 10_000

/** Keeps the answers of a query for the given number of milliseconds. */
export const keptFor = <Answer>(keptMs: number, ask: (key: string) => Promise<Answer>): KeptAnswers<Answer> => {
  const kept = makeRecent<Promise<Answer>>({ max: MAX_KEPT, ttl: keptMs })
  return {
    get: (key) => {
      const known = kept.get(key)
      if (known !== undefined) return known
      const asked = ask(key)
      kept.set(key, asked)
      asked.catch(() => { if (kept.peek(key) === asked) kept.delete(key) })
      return asked
    },
    forget: (key) => { kept.delete(key) },
  }
}
