/** What has to be undone at the end, whatever the end is; the latest is undone first. */
export type Closing = {
  readonly defer: (undo: () => Promise<unknown>) => void
  /** Undoes everything once; a fault in one undoing does not keep the others from being done. */
  readonly close: () => Promise<void>
}

/** Makes an empty list of things to undo. */
export const makeClosing = (): Closing => {
  const undos: Array<() => Promise<unknown>> = []
  let isClosed = false
  return {
    defer: (undo) => {
      // What was still being set up when the end came is undone as soon as it is there.
      if (isClosed) void undo().catch(tell)
      else undos.push(undo)
    },
    close: async () => {
      isClosed = true
      for (let undo = undos.pop(); undo !== undefined; undo = undos.pop()) {
        await undo().catch(tell)
      }
    },
  }
}

const tell = (error: unknown): void => void process.stderr.write(`bench: cleaning up: ${String(error)}\n`)
