import { FAILURE_DEFINITIONS } from './openapi-failures.js'
import { type Document, headers, parameters, type PathItem, type Server } from './openapi-types.js'
import type { Operation, ServedParts } from './operation.js'

const AT_ROOT: ReadonlyArray<Server> = [{ url: '.', description: 'Where this document is.' }]

/** The OpenAPI 3.1 document of operations; its addresses are relative to its own, so it is valid under any prefix. */
export const makeDocument = (
  operations: ReadonlyArray<Operation<never>>, { answering, events, webhook, appWebhooks }: ServedParts,
): Document => ({
  openapi: '3.1.0',
  info: {
    title: 'Postern',
    version: '1',
    summary: 'A messaging gateway with a prepaid wallet and exact books.',
    description: DESCRIPTION,
    contact: { name: 'The operator of this gateway' },
    license: { name: 'UNLICENSED', identifier: 'LicenseRef-UNLICENSED' },
  },
  servers: [
    { url: './v1', description: 'Form A' },
    { url: './api/v1', description: 'Form B, with the same operations' },
  ],
  security: [{ apiKey: [] }],
  tags: [
    { name: 'Sending', description: 'Sends a message and pays for it.' },
    ...(answering
      ? [{ name: 'Answering', description: 'Marks messages as read, shows a typing indicator and reads attachments. It costs nothing.' }]
      : []),
    { name: 'Reading', description: 'The status of messages and money.' },
    ...(events
      ? [{ name: 'Events', description: 'What happened in the workspace, and the endpoints that receive it. The API key needs the scope `events`.' }]
      : []),
    ...(webhook || appWebhooks
      ? [{ name: 'Platform', description: 'What the messaging platform tells the gateway; not for clients.' }]
      : []),
    { name: 'Operations', description: 'What operators and their machines ask. None of it takes an API key.' },
  ],
  paths: pathsOf(operations),
  components: {
    schemas: definitionsOf(operations),
    headers: referredTo('headers', headers, operations),
    parameters: referredTo('parameters', parameters, operations),
    securitySchemes: {
      apiKey: { type: 'http', scheme: 'bearer', description: SENT_KEY },
    },
  },
})

const pathsOf = (operations: ReadonlyArray<Operation<never>>): Document['paths'] => {
  const paths: Record<string, PathItem> = {}
  for (const { path, method, isVersioned, document } of operations) {
    paths[path] = { ...(!isVersioned && { servers: AT_ROOT }), ...paths[path], [method]: document }
  }
  return paths
}

/** The shared components that an operation refers to. */
const referredTo = <Component>(
  kind: string, components: Readonly<Record<string, Component>>, operations: ReadonlyArray<Operation<never>>,
): Readonly<Record<string, Component>> => {
  const documents = JSON.stringify(operations.map(({ document }) => document))
  return Object.fromEntries(Object.entries(components).filter(([name]) => documents.includes(`"#/components/${kind}/${name}"`)))
}

/** Throws if two schemas have one name, because one would replace the other. */
const definitionsOf = (operations: ReadonlyArray<Operation<never>>): Document['components']['schemas'] => {
  const schemas: Record<string, Document['components']['schemas'][string]> = {}
  for (const [name, schema] of [{ definitions: FAILURE_DEFINITIONS }, ...operations].flatMap(({ definitions }) =>
    Object.entries(definitions))) {
    if (schemas[name] !== undefined && schemas[name] !== schema) throw new TypeError(`two schemas are named ${name}`)
    schemas[name] = schema
  }
  return schemas
}

/** How a client authenticates. */
const SENT_KEY = `Send the workspace's API key in each request, as \`Authorization: Bearer pst_…\`. An owner or a developer makes one in the dashboard, an operator by
\`postern key mint\`; it is shown once, may have scopes, a daily limit and an end, and can be revoked at once. \`GET /v1/key\` says whose key it is and what it may do. Without a key
that works the answer is 401 \`unauthenticated\`, and 403 \`forbidden\` where its scopes do not cover what is asked.`

const DESCRIPTION = `Sends messages over the messaging platform's cloud API, pays for each from the workspace's prepaid wallet, and keeps
the books exact whatever fails.

- JSON in and out, UTF-8. Texts must be well-formed Unicode, so half of a surrogate pair is refused. Unknown body fields and query parameters are ignored; replies have the fields named here and no other.
- Every reply has \`X-Request-Id\`, \`Cache-Control\` and \`X-Content-Type-Options: nosniff\`.
- A failure is \`{"status":"error","message":"…","code":"…","doc_url":"…","retry":{"when":"…"}}\`: \`message\` is for people, \`code\` for programs and stable, \`doc_url\` leads to what caused it and what to do, and \`retry\` says whether the same request is worth repeating. \`GET /errors\` lists every code.
- Money is a decimal string with six decimals. Times are ISO 8601 in UTC. Phone numbers are E.164.
- \`HEAD\` answers as \`GET\` does, without a body; \`OPTIONS\` answers 204 with \`Allow\`; an address that is not here answers 404 \`not_found\`.
- Addresses are exact: with another letter case, or a slash at the end, they answer 404. A request with two \`Host\` headers is answered 400.
- The gateway itself also serves \`/graph/{version}/…\`, with the platform's own requests, replies and errors, for programs that are made for it. That contract is not described here.`
