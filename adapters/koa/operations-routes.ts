import { Router } from '@koa/router'
import { describeCause, type Log } from './log.js'
import { jsonReply, writeReply } from './reply.js'

/** Whether requests can be served now; where not, why, in words for the operator that hold no secret. */
export type Readiness = { readonly ready: boolean; readonly reasons: ReadonlyArray<string> }

/** The text of all metrics, and its content type. */
export type Metrics = { readonly contentType: string; readonly body: string }

/** What the operations show. */
export type OperationsRoutesDeps = {
  /** Ready at all times where not given. */
  readonly readiness?: () => Promise<Readiness>
  /** Without it there is no `/metrics`. */
  readonly metrics?: () => Promise<Metrics>
  /** The OpenAPI document; without it there is no `/openapi.json`. */
  readonly document?: object
}

/** What operators and their machines ask; none of it takes an API key. */
export const operationsRoutes = (log: Log, { readiness = alwaysReady, metrics, document }: OperationsRoutesDeps): Router => {
  const router = new Router({ sensitive: true })

  router.get('/health/live', (ctx) => writeReply(ctx, jsonReply(200, { status: 'ok' })))

  router.get('/health/ready', async (ctx) => {
    const { ready, reasons } = await readiness().catch((cause: unknown): Readiness => {
      log('error', 'readiness_failed', describeCause(cause))
      return { ready: false, reasons: ['Readiness could not be checked'] }
    })
    writeReply(ctx, ready ? jsonReply(200, { status: 'ok' }) : jsonReply(503, { status: 'unavailable', reasons }))
  })

  if (metrics !== undefined) {
    router.get('/metrics', async (ctx) => {
      const { contentType, body } = await metrics()
      writeReply(ctx, { status: 200, body, headers: { 'Content-Type': contentType } })
    })
  }

  if (document !== undefined) {
    const published = jsonReply(200, document)
    router.get('/openapi.json', (ctx) => writeReply(ctx, published))
  }

  return router
}

const alwaysReady = async (): Promise<Readiness> => ({ ready: true, reasons: [] })
