import DataLoader from 'dataloader'
import { makeWorkClock } from './work-clock.js'

/** Collects single calls and does their work in batches. */
export type Batcher<In, Out> = {
  readonly load: (item: In) => Promise<Out>
  /** Resolves once every item loaded so far is done. */
  readonly idle: () => Promise<void>
}

/** The database did not answer in time. The work may still have been done. */
export class BatchTimeout extends Error {}

/** Too many items are waiting, so this one was refused and nothing was done. */
export class QueueFull extends Error {}

/** The limits of a batcher. */
export type BatcherOptions = {
  /** The most items in one batch. */
  readonly width?: number
  /** The most items that wait or run. */
  readonly depth?: number
  /** The most time from an item's call to its answer, in milliseconds; each batch gets at least a fifth of it. */
  readonly deadlineMs?: number
}

const WIDTH = 512
const DEPTH = 20_000
const DEADLINE_MS = 5_000

/** How many ticks of the clock a deadline has. */
const TICKS = 20

type Queued<In> = { readonly item: In; readonly askedAt: number }

/**
 * Makes a batcher that runs one batch at a time. Items that arrive while a batch runs share the next one.
 *
 * Nothing is cached between batches, so a caller sees everything that was committed before its call. `runBatch` returns one result for each
 * item; an `Error` is the result of an item that failed. An item that waits longer than its deadline fails. A batch that runs longer fails too,
 * and its signal is aborted: its callers have got an error, so the batch must not write anything any more. Time in which this process was too busy
 * to read the database's answers does not count.
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
      // One turn of the event loop collects both writes of one send, and the requests that arrived together.
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
