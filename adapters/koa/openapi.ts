import { headers, parameters } from './openapi-headers.js'
import { readPaths } from './openapi-reads.js'
import { docsPaths, documentPaths, healthPaths, metricsPaths, webhookPaths } from './openapi-root.js'
import { schemas } from './openapi-schemas.js'
import { sendPaths } from './openapi-sends.js'
import type { Document } from './openapi-types.js'

/** Which of the parts that may be left out an app serves. */
export type ServedParts = { readonly webhook: boolean; readonly metrics: boolean; readonly docs: boolean }

/** The HTTP contract as an OpenAPI 3.1 document; its addresses are relative to its own, so that it holds under any prefix. */
export const makeOpenApiDocument = ({ webhook, metrics, docs }: ServedParts): Document => ({
  openapi: '3.1.0',
  info: {
    title: 'Postern',
    version: '1',
    summary: 'A messaging gateway with a prepaid wallet and exact books.',
    description: DESCRIPTION,
    license: { name: 'UNLICENSED', identifier: 'LicenseRef-UNLICENSED' },
  },
  servers: [
    { url: './v1', description: 'Form A' },
    { url: './api/v1', description: 'Form B, with the same operations' },
  ],
  security: [{ apiKey: [] }],
  tags: [
    { name: 'Sending', description: 'Sends a message and pays for it.' },
    { name: 'Reading', description: 'What became of messages and money.' },
    ...(webhook ? [{ name: 'Platform', description: 'What the messaging platform tells the gateway; not for clients.' }] : []),
    { name: 'Operations', description: 'What operators and their machines ask. None of it takes an API key.' },
  ],
  paths: {
    ...sendPaths,
    ...readPaths,
    ...(webhook && webhookPaths),
    ...healthPaths,
    ...(metrics && metricsPaths),
    ...documentPaths,
    ...(docs && docsPaths),
  },
  components: {
    schemas,
    headers,
    parameters,
    securitySchemes: {
      apiKey: { type: 'http', scheme: 'bearer', description: "The workspace's API key, `pst_…`: minted once, shown once, revocable at once." },
    },
  },
})

const DESCRIPTION = `Sends messages over the messaging platform's cloud API, pays for each from the workspace's prepaid wallet, and keeps
the books exact whatever fails.

- JSON in and out, UTF-8. Unknown body fields and query parameters are ignored; replies have the fields named here and no other.
- Every reply has \`X-Request-Id\`, \`Cache-Control\` and \`X-Content-Type-Options: nosniff\`.
- A failure is \`{"status":"error","message":"…","code":"…"}\`: \`message\` is for people, \`code\` for programs and stable.
- Money is a decimal string with six decimals. Times are ISO 8601 in UTC. Phone numbers are E.164.
- \`HEAD\` answers as \`GET\` does, without a body; \`OPTIONS\` answers 204 with \`Allow\`; an address that is not here answers 404 \`not_found\`.
- A slash at the end of an address makes no difference.`
