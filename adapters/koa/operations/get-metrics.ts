import * as E from 'fp-ts/lib/Either.js'
import type { Defect } from '../failures.js'
import { rootOperation, responseOf, textContent } from '../operation.js'
import type { Reply } from '../reply.js'

/** The text of all metrics, and its content type. */
export type Metrics = { readonly contentType: string; readonly body: string }

/** What the metrics are read from. */
export type MetricsDeps = {
  /** Without it there is no `/metrics`. */
  readonly metrics?: () => Promise<Metrics>
}

/** `GET /metrics` */
export const getMetrics = rootOperation({
  id: 'getMetrics',
  method: 'get',
  path: '/metrics',
  part: 'metrics',
  tag: 'Operations',
  summary: 'Metrics',
  description: 'Counts and durations of what this process has done.',
  isLimited: true,
  replies: { 200: responseOf('All metrics.', textContent('text/plain', "Prometheus's text format.")) },
  failures: { Defect: true },
  handler: ({ metrics = noMetrics }: MetricsDeps) => async (): Promise<E.Either<Defect, Reply>> => {
    const { contentType, body } = await metrics()
    return E.right({ status: 200, body, headers: { 'Content-Type': contentType } })
  },
})

const noMetrics = async (): Promise<Metrics> => ({ contentType: 'text/plain', body: '' })
