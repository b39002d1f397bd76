import type { Document } from '../openapi-types.js'
import { headerRefs, parameters } from '../openapi-headers.js'
import { rootOperation } from '../operation.js'
import { prepared, UNCHANGED } from '../prepared.js'
import { jsonReply } from '../reply.js'

/** `GET /openapi.json` */
export const getOpenApiDocument = rootOperation({
  id: 'getDocument',
  method: 'get',
  path: '/openapi.json',
  tag: 'Operations',
  summary: 'This document',
  description: 'What this gateway serves, for machines.',
  isLimited: true,
  parameters: [parameters.ifNoneMatch],
  replies: {
    ...UNCHANGED,
    200: {
      description: 'An OpenAPI 3.1 document.', headers: headerRefs('ETag'),
      content: { 'application/json': { schema: { type: 'object', additionalProperties: true } } },
    },
  },
  failures: {},
  handler: ({ document }: { readonly document: () => Document }) => prepared(() => jsonReply(200, document())),
})
