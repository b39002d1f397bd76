import autocannon, { type Client } from 'autocannon'
import { announce, answerQuestions } from './answering.js'
import { runPaced } from './paced.js'
import { percentile, type Load, type LoadResult } from './load-result.js'

/** The load generator: asked for a load, it makes it and tells what came of it. */

/** Longer than any load and its tail, so that it is always this file that ends one. */
const FAR_OFF_SECONDS = 600
const SAMPLE_MS = 50

/** autocannon asks it before each request whether a client has made enough of them. */
type Stoppable = Client & { responseMax?: number }

/**
 * As many requests as go through on so many connections, each of which sends its next one when it has its answer.
 *
 * At the end every client waits for its last answer, so that nothing is under way any more and the books can be compared.
 */
const runClosed = ({ url, connections, seconds, requests }: Load): Promise<LoadResult> =>
  new Promise((resolve, reject) => {
    const clients: Stoppable[] = []
    const latencies: number[] = []
    let inTime = 0
    let isOver = false
    const tracker = autocannon(
      {
        url, connections, duration: FAR_OFF_SECONDS, sampleInt: SAMPLE_MS,
        setupClient: (client) => {
          client.setRequests(requests.filter((_, place) => place % connections === clients.length))
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

announce('')
answerQuestions((question) => {
  const load = question as Load
  return load.perSecond === undefined ? runClosed(load) : runPaced(load, load.perSecond)
})
