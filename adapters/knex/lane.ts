import DataLoader from 'dataloader'

/** Work that callers ask for one by one and that is done for many at a time. */
export type Lane<In, Out> = {
  readonly load: (item: In) => Promise<Out>
  /** Resolves once everything asked for so far is done. */
  readonly idle: () => Promise<void>
}

/** The database did not answer in time; whether it did what it was asked for is not known. */
export class LaneLate extends Error {}

/** Asked for more than the lane may hold; nothing was done. */
export class LaneFull extends Error {}

/** How much a lane takes at a time, how much may wait for it, and how long. */
export type LaneBounds = { readonly width?: number; readonly depth?: number; readonly deadlineMs?: number }

/**
 * A lane on which one batch is under way at a time; what arrives meanwhile goes together in the next.
 *
 * Nothing is remembered between batches, so whoever asks after an event sees its effect. A batch answers for each item,
 * with an `Error` for one that failed. `width` bounds a batch, `depth` what may be waiting, and `deadlineMs` how long a
 * batch may take: one that hangs is given up, so that those behind it are not kept waiting for ever. Its signal says so,
 * since whoever asked was told that it failed and it should leave nothing behind.
 */
export const makeLane = <In, Out>(
  doBatch: (items: ReadonlyArray<In>, givenUp: AbortSignal) => Promise<ReadonlyArray<Out | Error>>,
  { width = 512, depth = 20_000, deadlineMs = 20_000 }: LaneBounds = {},
): Lane<In, Out> => {
  const waiting: Array<() => void> = []
  const onIdle: Array<() => void> = []
  let underWay = false
  let items = 0

  const next = (): void => {
    const dispatch = underWay ? undefined : waiting.shift()
    if (dispatch !== undefined) {
      underWay = true
      // A turn of the event loop gathers what belongs together: both halves of one send, and all requests just read.
      setImmediate(dispatch)
    } else if (!underWay) {
      for (const tell of onIdle.splice(0)) tell()
    }
  }

  const loader = new DataLoader<In, Out>(
    async (batch) => {
      try {
        return await inTime((givenUp) => doBatch(batch, givenUp), deadlineMs)
      } finally {
        underWay = false
        items -= batch.length
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

  return {
    load: (item) => {
      if (items >= depth) return Promise.reject(new LaneFull('too much is waiting for the database'))
      items += 1
      return loader.load(item)
    },
    idle: () => (items === 0 ? Promise.resolve() : new Promise((resolve) => onIdle.push(resolve))),
  }
}

const inTime = async <Result>(work: (givenUp: AbortSignal) => Promise<Result>, deadlineMs: number): Promise<Result> => {
  const abort = new AbortController()
  let timer: NodeJS.Timeout | undefined
  const late = new Promise<never>((_resolve, reject) => {
    timer = setTimeout(() => {
      const reason = new LaneLate(`the database did not answer within ${deadlineMs} ms`)
      abort.abort(reason)
      reject(reason)
    }, deadlineMs)
  })
  try {
    return await Promise.race([work(abort.signal), late])
  } finally {
    clearTimeout(timer)
  }
}
