import * as E from 'fp-ts/lib/Either.js'
import type { Document } from '../openapi-types.js'
import { rootOperation, responseOf } from '../operation.js'
import { onDemand } from '../on-demand.js'
import { jsonReply, type Reply } from '../reply.js'

/** `GET /openapi.json` */
export const getOpenApiDocument = rootOperation({
  id: 'getDocument',
  method: 'get',
  path: '/openapi.json',
  tag: 'Operations',
  summary: 'This document',
  description: 'What this gateway serves, for machines.',
  replies: {
    200: responseOf('An OpenAPI 3.1 document.', { 'application/json': { schema: { type: 'object', additionalProperties: true } } }),
  },
  failures: {},
  handler: ({ document }: { readonly document: () => Document }) => {
    const reply = onDemand((): E.Either<never, Reply> => {
      const { body, ...rest } = jsonReply(200, document())
      return E.right({ ...rest, body: Buffer.from(body) })
    })
    return async () => reply()
  },
})
