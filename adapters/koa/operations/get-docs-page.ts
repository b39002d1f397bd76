import * as E from 'fp-ts/lib/Either.js'
import { docsPage } from '../docs-page.js'
import { headerRefs } from '../openapi-headers.js'
import type { Document } from '../openapi-types.js'
import { onDemand } from '../on-demand.js'
import { rootOperation, textContent } from '../operation.js'
import type { Reply } from '../reply.js'

/** `GET /docs` */
export const getDocsPage = rootOperation({
  id: 'readDocument',
  method: 'get',
  path: '/docs',
  tag: 'Operations',
  summary: 'This document, for people',
  description: 'A page that loads nothing and needs no JavaScript.',
  replies: {
    200: {
      description: 'The page.',
      headers: {
        ...headerRefs(),
        'Content-Security-Policy': { description: 'What the page may load: nothing.', required: true, schema: { type: 'string' } },
      },
      content: textContent('text/html', 'HTML.'),
    },
  },
  failures: {},
  handler: ({ document }: { readonly document: () => Document }) => {
    const page = onDemand((): E.Either<never, Reply> => E.right(docsPage(document())))
    return async () => page()
  },
})
