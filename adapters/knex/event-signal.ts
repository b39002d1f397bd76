/** Calls listeners of this process after a commit that stored events. */
export type EventSignal = {
  /** Adds a listener; the answer removes it. */
  readonly onEvents: (listener: () => void) => () => void
  readonly stored: () => void
}

/** Makes a signal without listeners. */
export const makeEventSignal = (): EventSignal => {
  const listeners = new Set<() => void>()
  return {
    onEvents: (listener) => {
      listeners.add(listener)
      return () => { listeners.delete(listener) }
    },
    // The write is durable, so a fault of a listener must not become an error of the write.
    stored: () => { for (const listener of listeners) queueMicrotask(listener) },
  }
}
