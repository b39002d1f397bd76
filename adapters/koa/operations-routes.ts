import { Router } from '@koa/router'
import { docsFiles, docsPage, type DocsFiles } from './docs-page.js'
import { describeCause, type Log } from './log.js'
import { makeOpenApiDocument, type ServedParts } from './openapi.js'
import { toReply } from './replies.js'
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
  /** The files of the page at `/docs`, as `readDocsFiles` gives them; without them there is no such page. */
  readonly docs?: DocsFiles | undefined
}

/** What operators and their machines ask; none of it takes an API key. */
export const operationsRoutes = (
  log: Log,
  { readiness = alwaysReady, metrics, docs }: OperationsRoutesDeps,
  served: Pick<ServedParts, 'webhook'>,
): Router => {
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

  const document = jsonReply(200, makeOpenApiDocument({ ...served, metrics: metrics !== undefined, docs: docs !== undefined }))
  router.get('/openapi.json', (ctx) => writeReply(ctx, document))

  if (docs !== undefined) {
    const files = docsFiles(docs)
    router.get('/docs', (ctx) => writeReply(ctx, docsPage(ctx.path.endsWith('/') ? '..' : '.')))
    router.get('/docs/:file', (ctx) => {
      const file = files.get(ctx.params['file'] ?? '')
      if (file === undefined) return writeReply(ctx, toReply({ _tag: 'NotFound' }))
      ctx.set({ 'Content-Type': file.type, 'Cache-Control': 'max-age=3600' })
      ctx.body = file.body
    })
  }

  return router
}

const alwaysReady = async (): Promise<Readiness> => ({ ready: true, reasons: [] })
