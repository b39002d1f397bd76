import cluster, { type Worker } from 'node:cluster'
import { once } from 'node:events'
import { AggregatorRegistry, Registry } from 'prom-client'
import type { Metrics } from '../../adapters/koa/index.js'
import { SECOND_MS } from '../../core/kernel/time.js'
import { shareResult } from './share-result.js'

/** How long the supervisor waits for a worker's metrics, in milliseconds. A worker waits twice as long for the supervisor. */
const TIMEOUT_MS = 4 * SECOND_MS

type Values = Awaited<ReturnType<Registry['getMetricsAsJSON']>>

/** The supervisor sends `collect` to each worker; a worker sends `report` to the supervisor. */
type Message =
  | { readonly type: 'metrics:collect' | 'metrics:report'; readonly id: number }
  | { readonly type: 'metrics:collected'; readonly id: number; readonly values: Values }
  | { readonly type: 'metrics:reported'; readonly id: number; readonly body: string }

/** In the supervisor: adds up the metrics of all workers, for itself and for each worker that asks. Rejects if a worker does not reply in time. */
export const clusterMetrics = (): { readonly text: () => Promise<Metrics> } => {
  const calls = makeCalls<Values>()
  // A worker that is still starting does not receive messages and has counted nothing.
  const listening = new Set<Worker>()
  cluster.on('listening', (worker) => listening.add(worker))
  cluster.on('exit', (worker) => listening.delete(worker))

  const valuesOf = async (worker: Worker): Promise<Values> => {
    const finished = new AbortController()
    const exited = once(worker, 'exit', { signal: finished.signal }).then((): Values => [])
    const replied = calls.call((id) => { sendTo(worker, { type: 'metrics:collect', id }) }, TIMEOUT_MS)
    return Promise.race([replied, exited]).finally(() => { finished.abort() })
  }
  const text = shareResult(0, async (): Promise<Metrics> => {
    const values = await Promise.all(Array.from(listening, valuesOf))
    return metricsOf(await AggregatorRegistry.aggregate(values).metrics())
  })
  cluster.on('message', (worker, message: Message) => {
    if (message.type === 'metrics:collected') calls.reply(message.id, message.values)
    if (message.type === 'metrics:report') {
      // Without a reply the worker's own deadline ends the request.
      text().then(({ body }) => { sendTo(worker, { type: 'metrics:reported', id: message.id, body }) }, () => undefined)
    }
  })
  return { text }
}

/** In a worker: sends its own metrics to the supervisor on request, and asks the supervisor for the metrics of all workers. */
export const metricsOfAllWorkers = (own: Registry): (() => Promise<Metrics>) => {
  const calls = makeCalls<string>()
  process.on('message', (message: Message) => {
    if (message.type === 'metrics:reported') calls.reply(message.id, message.body)
    if (message.type === 'metrics:collect') {
      void own.getMetricsAsJSON().then((values) => { sendToSupervisor({ type: 'metrics:collected', id: message.id, values }) })
    }
  })
  return async () => metricsOf(await calls.call((id) => { sendToSupervisor({ type: 'metrics:report', id }) }, 2 * TIMEOUT_MS))
}

/** Calls to another process by message: each call has an id, and its reply has the same id. */
const makeCalls = <Reply>() => {
  const waiting = new Map<number, (reply: Reply) => void>()
  let lastId = 0
  return {
    reply: (id: number, reply: Reply): void => waiting.get(id)?.(reply),
    call: (send: (id: number) => void, timeoutMs: number): Promise<Reply> => {
      const id = (lastId += 1)
      return new Promise<Reply>((resolve, reject) => {
        const timer = setTimeout(() => { reject(new Error('A process did not report its metrics in time.')) }, timeoutMs)
        waiting.set(id, (reply) => {
          clearTimeout(timer)
          resolve(reply)
        })
        send(id)
      }).finally(() => waiting.delete(id))
    },
  }
}

const metricsOf = (body: string): Metrics => ({ contentType: Registry.PROMETHEUS_CONTENT_TYPE, body })

const sendTo = (worker: Worker, message: Message): void => {
  if (worker.isConnected()) worker.send(message, () => undefined)
}

const sendToSupervisor = (message: Message): void => {
  if (process.connected) process.send?.(message)
}
