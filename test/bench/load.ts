import { randomUUID } from 'node:crypto'
import autocannon, { type Client, type Request } from 'autocannon'
import { announce, serveRequests } from './ipc-server.js'
import { runAtRate } from './constant-rate.js'
import { percentile, type Load, type LoadResult } from './load-result.js'

/** The load generator: it runs a load on request and returns the result. */

/** Longer than any load, because this file and not autocannon ends a load. */
const UNREACHED_DURATION_SECONDS = 600
const SAMPLE_MS = 50

/** autocannon stops a client that has sent `responseMax` requests. */
type Stoppable = Client & { responseMax?: number }

/**
 * A closed loop: each connection sends its next request after the response to the previous one.
 *
 * At the end every client waits for its last response, so that no request is in flight when the audit runs.
 */
const runClosedLoop = ({ url, connections, seconds, requests, isKeyed = false }: Load): Promise<LoadResult> =>
  new Promise((resolve, reject) => {
    const clients: Stoppable[] = []
    const latencies: number[] = []
    let inTime = 0
    let isOver = false
    const tracker = autocannon(
      {
        url, connections, duration: UNREACHED_DURATION_SECONDS, sampleInt: SAMPLE_MS,
        setupClient: (client) => {
          const own = requests.filter((_, place) => place % connections === clients.length)
          client.setRequests(isKeyed ? own.map((request) => ({ ...request, setupRequest: keyed })) : own)
          clients.push(client)
        },
      },
      (error: Error | null, result) => {
        if (error) return reject(error)
        resolve({
          succeeded: result['2xx'], failed: result.non2xx + result.errors, perSecond: inTime / seconds,
          p50Ms: percentile(latencies, 0.5), p99Ms: percentile(latencies, 0.99),
        })
      },
    )
    tracker.on('response', (_client, _status, _bytes, milliseconds) => {
      if (isOver) return
      inTime += 1
      latencies.push(milliseconds)
    })
    setTimeout(() => {
      isOver = true
      for (const client of clients) client.responseMax = 1
    }, seconds * 1_000)
  })

/** Adds a unique key to a request. */
const keyed = (request: Request): Request => ({ ...request, headers: { ...request.headers, 'Idempotency-Key': randomUUID() } })

announce('')
serveRequests((request) => {
  const load = request as Load
  return load.perSecond === undefined ? runClosedLoop(load) : runAtRate(load, load.perSecond)
})
