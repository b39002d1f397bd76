import type { Logger } from 'pino'
import type { Config } from './config.js'
import { listen, type Handle, type Listening } from './http-server.js'
import type { GatewayMetrics } from './metrics.js'

type MetricsText = Pick<GatewayMetrics, 'text'>

/** Serves `GET /metrics` on `METRICS_PORT`, which a firewall can close to clients; `undefined` if the variable is not set. */
export const listenForMetrics = async (
  { http: { host, metricsPort } }: Config, log: Pick<Logger, 'info'>, metrics: MetricsText,
): Promise<Listening | undefined> => {
  if (metricsPort === undefined) return undefined
  const server = await listen(answerWith(metrics), { host, port: metricsPort })
  log.info({ url: `${server.url}/metrics` }, 'metrics_listening')
  return server
}

const answerWith =
  ({ text }: MetricsText): Handle =>
  async ({ method, url }, response) => {
    if (method !== 'GET' || url !== '/metrics') {
      response.writeHead(404).end()
      return
    }
    try {
      const { contentType, body } = await text()
      response.writeHead(200, { 'Content-Type': contentType }).end(body)
    } catch {
      // A worker ended while it was asked; the next request asks the others.
      response.writeHead(503).end()
    }
  }
