/** Steps to undo at the end of a run, even after a failure; the latest is undone first. */
export type Cleanup = {
  readonly defer: (undo: () => Promise<unknown>) => void
  /** Undoes every step once; if one fails, the others are still undone. */
  readonly close: () => Promise<void>
}

/** Makes an empty list of steps. */
export const makeCleanup = (): Cleanup => {
  const undos: Array<() => Promise<unknown>> = []
  let isClosed = false
  return {
    defer: (undo) => {
      // A step that is added after the end is undone immediately.
      if (isClosed) void undo().catch(reportError)
      else undos.push(undo)
    },
    close: async () => {
      isClosed = true
      for (let undo = undos.pop(); undo !== undefined; undo = undos.pop()) {
        await undo().catch(reportError)
      }
    },
  }
}

const reportError = (error: unknown): void => void process.stderr.write(`bench: cleaning up: ${String(error)}\n`)
