import DataLoader from 'dataloader'

/** Work that callers ask for one by one and that is done for many at a time. */
export type Lane<In, Out> = {
  readonly load: (item: In) => Promise<Out>
  /** Resolves once everything asked for so far is done. */
  readonly idle: () => Promise<void>
}

/** Asked for more than the lane may hold; nothing was done. */
export class LaneFull extends Error {}

/**
 * A lane on which one batch is under way at a time; what arrives meanwhile goes together in the next.
 *
 * Nothing is remembered between batches, so whoever asks after an event sees its effect. A batch answers for each item,
 * with an `Error` for one that failed. `width` bounds a batch, `depth` what may be waiting.
 */
export const makeLane = <In, Out>(
  doBatch: (items: ReadonlyArray<In>) => Promise<ReadonlyArray<Out | Error>>,
  { width = 512, depth = 20_000 }: { readonly width?: number; readonly depth?: number } = {},
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
        return await doBatch(batch)
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
