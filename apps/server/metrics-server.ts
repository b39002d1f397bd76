import type { Handle } from './http-server.js'
import type { GatewayMetrics } from './metrics.js'

/** Answers `GET /metrics`, for a port of its own that the world outside cannot reach. */
export const metricsHandle =
  ({ text }: Pick<GatewayMetrics, 'text'>): Handle =>
  async ({ method, url }, response) => {
    if (method !== 'GET' || url !== '/metrics') {
      response.writeHead(404).end()
      return
    }
    try {
      const { contentType, body } = await text()
      response.writeHead(200, { 'Content-Type': contentType }).end(body)
    } catch {
      // A worker that died while it was asked; the next question finds the others.
      response.writeHead(503).end()
    }
  }
