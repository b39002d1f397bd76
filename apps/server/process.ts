import cluster from 'node:cluster'
import { once } from 'node:events'
import { setFlagsFromString } from 'node:v8'
import { SECOND_MS } from '../../core/kernel/time.js'

/** How much V8's old generation may grow between two collections, in percent. */
const GROWTH_PERCENT = 30

/**
 * Keeps the memory of finished sends from accumulating.
 *
 * The objects of a send live until the platform responds, so many of them reach V8's old generation, which by default may become up to four times
 * as large before it is collected. See docs/decisions/0017 for the savings and the cost. A version of V8 without the flag ignores it.
 */
export const limitHeapGrowth = (): void => { setFlagsFromString(`--heap-growing-percent=${GROWTH_PERCENT}`) }

/** The message by which the supervisor asks a worker to shut down. */
export const STOP = 'stop'

/** The first worker could not start. The worker has printed the reason. */
export class WorkerFailed extends Error {}

/** The time after `SHUTDOWN_TIMEOUT_MS` for aborting calls and closing the database, in milliseconds. */
export const SHUTDOWN_MARGIN_MS = 5 * SECOND_MS

const PARENT_CHECK_MS = 500
const FAILED = 1

/** When the process is killed, and what happens before. */
export type ShutdownOptions = {
  /** From the request to shut down until the process kills itself, in milliseconds. */
  readonly deadlineMs: number
  /** Called before the process is killed. */
  readonly beforeForcedEnd?: () => void
}

/**
 * Listens for requests to shut down: SIGTERM, SIGINT, the supervisor's message, and, if npm started this process, the end of npm.
 *
 * The signal is aborted at the first request. A second SIGTERM or SIGINT ends the process immediately, and so does the deadline. A
 * worker ignores repeated signals: its supervisor decides when it is killed.
 */
export const listenForShutdown = ({ deadlineMs, beforeForcedEnd = () => undefined }: ShutdownOptions): AbortSignal => {
  const shutdown = new AbortController()
  const request = (): void => {
    if (shutdown.signal.aborted) return
    shutdown.abort()
    setTimeout(() => {
      beforeForcedEnd()
      killThisProcess()
    }, deadlineMs).unref()
  }
  for (const signal of ['SIGTERM', 'SIGINT']) {
    process.on(signal, () => {
      if (!shutdown.signal.aborted) return request()
      if (cluster.isWorker) return
      beforeForcedEnd()
      process.exit(FAILED)
    })
  }
  if (cluster.isWorker) process.on('message', (message) => { if (message === STOP) request() })
  if (cluster.isPrimary && startedByNpm()) onParentExit(request)
  return shutdown.signal
}

/** Resolves when a shutdown is requested, or immediately if it was requested before. */
export const requested = async (shutdown: AbortSignal): Promise<void> => {
  if (!shutdown.aborted) await once(shutdown, 'abort')
}

/** Whether `npx` or an npm script started this process. */
export const startedByNpm = (): boolean => process.env['npm_execpath'] !== undefined || process.env['npm_command'] !== undefined

/** npm starts this process in a shell and sends its signals to that shell. When the shell ends, this process gets another parent. */
const onParentExit = (exited: () => void): void => {
  const parent = process.ppid
  const timer = setInterval(() => {
    if (process.ppid === parent) return
    clearInterval(timer)
    exited()
  }, PARENT_CHECK_MS).unref()
}

/** `process.exit` waits for threads that look up a name or write a file. SIGKILL does not wait, but the first process of a container ignores it. */
const killThisProcess = (): never => {
  process.kill(process.pid, 'SIGKILL')
  return process.exit(FAILED)
}
