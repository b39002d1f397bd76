import type { Worker } from 'node:cluster'

/** What the supervisor hands to a worker: a socket without the classes of `net`. */
type Handle = { readonly close: () => void }

/**
 * Closes the connection that a worker was given and did not take before it ended, so that its client learns that it has no answer.
 *
 * Node.js hands a connection to a worker and closes its own copy when the worker says that it took it. A worker that is killed
 * before says nothing, and the copy would stay open for as long as the supervisor runs. A worker has one such connection at most:
 * the next is given when the last was taken. Closing a copy that is closed does nothing.
 */
export const closeUntaken = (worker: Worker): void => {
  const { process: child } = worker
  const send = child.send.bind(child) as (...args: ReadonlyArray<unknown>) => boolean
  let given: Handle | undefined
  child.send = (...args: ReadonlyArray<unknown>): boolean => {
    const [, handle] = args
    if (isHandle(handle)) given = handle
    return send(...args)
  }
  worker.once('exit', () => given?.close())
}

const isHandle = (value: unknown): value is Handle =>
  typeof value === 'object' && value !== null && 'close' in value && typeof value.close === 'function'
