import { docsPage } from '../docs-page.js'
import { headerRefs, parameters } from '../openapi-headers.js'
import type { Document } from '../openapi-types.js'
import { rootOperation, textContent } from '../operation.js'
import { prepared, UNCHANGED } from '../prepared.js'

/** `GET /docs` */
export const getDocsPage = rootOperation({
  id: 'readDocument',
  method: 'get',
  path: '/docs',
  tag: 'Operations',
  summary: 'This document, for people',
  description: 'A page that loads nothing and needs no JavaScript.',
  isLimited: true,
  parameters: [parameters.ifNoneMatch],
  replies: {
    ...UNCHANGED,
    200: {
      description: 'The page.',
      headers: {
        ...headerRefs('ETag'),
        'Content-Security-Policy': { description: 'What the page may load: nothing.', required: true, schema: { type: 'string' } },
      },
      content: textContent('text/html', 'HTML.'),
    },
  },
  failures: {},
  handler: ({ document }: { readonly document: () => Document }) => prepared(() => docsPage(document())),
})
