import cluster from 'node:cluster'
import * as E from 'fp-ts/lib/Either.js'
import { AggregatorRegistry, collectDefaultMetrics, Counter, Gauge, Histogram, Registry } from 'prom-client'
import type { PlatformError } from '../../core/errors.js'
import type { Platform } from '../../core/ports/platform.js'
import type { Receive } from '../../core/receive.js'
import type { Metrics, Observation } from '../../adapters/koa/index.js'

/** What the gateway counts, for Prometheus. */
export type GatewayMetrics = {
  /** Counts and times one answered request. */
  readonly observe: (observation: Observation) => void
  /** The same platform, its answers counted and timed. */
  readonly watchedPlatform: (platform: Platform) => Platform
  /** The same use case, what came of each report counted. */
  readonly watchedReceive: (receive: Receive) => Receive
  /** Shows how much work waits to be tried again. */
  readonly showPending: (pending: () => number) => void
  /** Everything, as Prometheus reads it. */
  readonly text: () => Promise<Metrics>
}

/** Answers come within a few milliseconds where the database is near, and within the platform's deadline where it is slow. */
const BUCKETS = [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10]

const OUTCOMES: Readonly<Record<PlatformError['_tag'], string>> = {
  PlatformRejected: 'rejected',
  PlatformThrottled: 'throttled',
  CredentialsRefused: 'credentials_refused',
  PlatformUnreachable: 'unreachable',
  OutcomeUnknown: 'unknown',
}

/** Metrics with a registry of their own, which is added up with the other workers' where there are several. */
export const makeMetrics = (): GatewayMetrics => {
  const register = new Registry()
  if (cluster.isWorker) answerSupervisor(register)
  collectDefaultMetrics({ register })
  const registers = [register]
  const requests = new Counter({
    name: 'postern_requests_total', help: 'Answered requests.', labelNames: ['method', 'route', 'status'], registers,
  })
  const requestSeconds = new Histogram({
    name: 'postern_request_duration_seconds', help: 'Time to answer a request.', labelNames: ['route'], buckets: BUCKETS, registers,
  })
  const sends = new Counter({
    name: 'postern_platform_sends_total', help: "The platform's answers to sends.", labelNames: ['outcome'], registers,
  })
  const sendSeconds = new Histogram({
    name: 'postern_platform_send_duration_seconds', help: 'Time the platform took to answer a send.', buckets: BUCKETS, registers,
  })
  const reports = new Counter({
    name: 'postern_reports_total', help: 'What came of the reports of the platform.', labelNames: ['receipt'], registers,
  })

  return {
    observe: ({ method, route, status, durationMs }) => {
      requests.inc({ method, route, status })
      requestSeconds.observe({ route }, durationMs / 1_000)
    },
    watchedPlatform: (platform) => ({
      send: (outbound) => async () => {
        const begun = performance.now()
        const answer = await platform.send(outbound)()
        sendSeconds.observe((performance.now() - begun) / 1_000)
        sends.inc({ outcome: E.isRight(answer) ? 'accepted' : OUTCOMES[answer.left._tag] })
        return answer
      },
    }),
    watchedReceive: (receive) => (batch) => async () => {
      const receipts = await receive(batch)()
      if (E.isRight(receipts)) for (const receipt of receipts.right) reports.inc({ receipt })
      else reports.inc({ receipt: 'not_durable' })
      return receipts
    },
    showPending: (pending) => {
      const gauge: Gauge = new Gauge({
        name: 'postern_settlements_pending', help: 'Settlements waiting to be tried again.', registers,
        collect: () => { gauge.set(pending()) },
      })
    },
    text: async () => ({ contentType: register.contentType, body: await register.metrics() }),
  }
}

/** Constructing an aggregator is what makes the library answer the supervisor when it asks for this worker's metrics. */
const answerSupervisor = (register: Registry): AggregatorRegistry<typeof Registry.PROMETHEUS_CONTENT_TYPE> => {
  AggregatorRegistry.setRegistries(register)
  return new AggregatorRegistry()
}
