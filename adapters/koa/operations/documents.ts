import * as E from 'fp-ts/lib/Either.js'
import { describeCause } from '../../../core/kernel/failure.js'
import { type Instant, iso } from '../../../core/kernel/time.js'
import type { HoldReason } from '../../../core/messages/queue-holds.js'
import { FONT_TYPE, readInter } from '../../shared/font.js'
import { Time } from '../codecs.js'
import { prepared, UNCHANGED } from '../limits.js'
import { type Document, headerRefs, parameters } from '../openapi-types.js'
import { jsonContent, responseOf, textContent } from '../document.js'
import { rootOperation } from '../operation.js'
import { FONT_NAME } from '../reference/html.js'
import { docsPage, type ReferenceOptions } from '../reference/page.js'
import { SCRIPT } from '../reference/script.js'
import { type Defect, jsonReply, type Reply } from '../reply.js'
import type { Log } from '../request.js'
import { array, count, described, literal, named, record, string, word } from '../schema.js'

/** `GET /openapi.json` */
export const getOpenApiDocument = rootOperation({
  id: 'getDocument',
  method: 'get',
  path: '/openapi.json',
  tag: 'Operations',
  summary: 'This document',
  description: 'The operations of this gateway, for machines.',
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

/** `GET /docs` */
export const getDocsPage = rootOperation({
  id: 'readDocument',
  method: 'get',
  path: '/docs',
  tag: 'Operations',
  summary: 'This document, for people',
  description: 'A page that loads only its script and its font, and can be read without its script.',
  isLimited: true,
  parameters: [parameters.ifNoneMatch],
  replies: {
    ...UNCHANGED,
    200: {
      description: 'The page.',
      headers: {
        ...headerRefs('ETag'),
        'Content-Security-Policy': {
          description: 'What the page may load: only its script and its font.', required: true, schema: { type: 'string' },
        },
      },
      content: textContent('text/html', 'HTML.'),
    },
  },
  failures: {},
  handler: ({ document, ...options }: { readonly document: () => Document } & ReferenceOptions) =>
    prepared(() => docsPage(document(), options)),
})

/** `GET /docs.js` */
export const getDocsScript = rootOperation({
  id: 'getDocumentScript',
  method: 'get',
  path: '/docs.js',
  tag: 'Operations',
  summary: 'The script of that page',
  description: 'It searches the page and tries requests with a key that stays in the page.',
  isLimited: true,
  parameters: [parameters.ifNoneMatch],
  replies: {
    ...UNCHANGED,
    200: { description: 'The script.', headers: headerRefs('ETag'), content: textContent('text/javascript', 'JavaScript.') },
  },
  failures: {},
  handler: () => prepared(() => ({ status: 200, headers: { 'Content-Type': 'text/javascript; charset=utf-8' }, body: SCRIPT })),
})

/** `GET /docs.woff2` */
export const getDocsFont = rootOperation({
  id: 'getDocumentFont',
  method: 'get',
  path: `/${FONT_NAME}`,
  tag: 'Operations',
  summary: 'The font of the pages for people',
  description: 'Inter, for Latin letters.',
  isLimited: true,
  parameters: [parameters.ifNoneMatch],
  replies: {
    ...UNCHANGED,
    200: {
      description: 'The font.', headers: headerRefs('ETag'),
      content: { [FONT_TYPE]: { schema: { type: 'string', format: 'binary' } } },
    },
  },
  failures: {},
  handler: () => prepared(() => ({ status: 200, headers: { 'Content-Type': FONT_TYPE, 'Cache-Control': FONT_CACHE }, body: readInter() })),
})

/** Without the font a page is shown in another one first, so a browser keeps it for a day without asking. */
const FONT_CACHE = 'public, max-age=86400'

/** The text of all metrics, and its content type. */
export type Metrics = { readonly contentType: string; readonly body: string }

/** The sources of the metrics. */
export type MetricsDeps = {
  /** Without it there is no `/metrics`. */
  readonly metrics?: () => Promise<Metrics>
}

/** `GET /metrics` */
export const getMetrics = rootOperation({
  id: 'getMetrics',
  method: 'get',
  path: '/metrics',
  part: 'metrics',
  tag: 'Operations',
  summary: 'Metrics',
  description: 'Counts and durations of what this process has done.',
  isLimited: true,
  replies: { 200: responseOf('All metrics.', textContent('text/plain', "Prometheus's text format.")) },
  failures: { Defect: true },
  handler: ({ metrics = noMetrics }: MetricsDeps) => async (): Promise<E.Either<Defect, Reply>> => {
    const { contentType, body } = await metrics()
    return E.right({ status: 200, body, headers: { 'Content-Type': contentType } })
  },
})

const noMetrics = async (): Promise<Metrics> => ({ contentType: 'text/plain', body: '' })

/** Whether requests can be served now. The reasons for not being ready are for the operator and contain no secret. */
export type Readiness = {
  readonly ready: boolean
  readonly reasons: ReadonlyArray<string>
  /** If the database has several hosts: the state of each, in the order of its URL. */
  readonly hosts?: ReadonlyArray<'used' | 'failed' | 'unused'>
  /** If the queue of every workspace is held: since when, why, and how many messages it has; at most 100,000 are counted, and none if they could not be counted. */
  readonly queueHeld?: { readonly since: Instant; readonly why: HoldReason; readonly messages?: number }
}

/** The dependencies of the readiness check. */
export type ReadinessDeps = {
  /** Without it the gateway is always ready. */
  readonly readiness?: () => Promise<Readiness>
}

const Healthy = named('Healthy', record({ status: literal('ok') }))

const DatabaseHosts = described(
  array(word({ used: 'connections to it are open', failed: 'the last attempt to use it failed', unused: 'it is available' })),
  'If the database has several hosts: the state of each, in the order of its URL. Writes go to one that is `used`.',
)

const QueueHeld = described(
  record({
    since: Time,
    why: word({
      operator: 'an operator holds it', asleep: 'no gateway had sent it for longer than `HELD_START_HOURS`',
      other_installation: 'another installation had sent it, so the database may be a copy or a restored backup',
    }),
    run: described(string(), 'The command that sends the queued messages.'),
  }, { messages: described(count, 'How many messages are queued, at most 100,000 of which are counted.') }),
  'If the queue of every workspace is held, so that no queued message is sent. Requests that send immediately are not held.',
)

const Ready = named('Ready', record({ status: literal('ok') }, { database_hosts: DatabaseHosts, queue_held: QueueHeld }))

const Unready = named('Unready', record({
  status: literal('unavailable'), reasons: described(array(string()), 'What is wrong, in sentences for the operator.'),
}, { database_hosts: DatabaseHosts }))

const HEALTHY = { status: 'ok' } as const

/** `GET /health/live` */
export const getLiveness = rootOperation({
  id: 'isLive',
  method: 'get',
  path: '/health/live',
  tag: 'Operations',
  summary: 'Whether the process runs',
  description: 'Checks only the process itself.',
  replies: { 200: responseOf('It runs.', jsonContent(Healthy, HEALTHY)) },
  definitions: Healthy.definitions,
  failures: {},
  handler: () => async (): Promise<E.Either<never, Reply>> => E.right(jsonReply(200, HEALTHY)),
})

/** `GET /health/ready` */
export const getReadiness = rootOperation({
  id: 'isReady',
  method: 'get',
  path: '/health/ready',
  tag: 'Operations',
  summary: 'Whether requests can be served',
  description: 'Checks the database and its migrations, and writes a row.',
  replies: {
    200: responseOf('They can.', jsonContent(Ready, HEALTHY)),
    503: responseOf('They cannot.', jsonContent(Unready, { status: 'unavailable', reasons: ['Migrations are due'] })),
  },
  definitions: { ...Ready.definitions, ...Unready.definitions },
  failures: {},
  handler: ({ readiness = alwaysReady }: ReadinessDeps, log: Log) => async (): Promise<E.Either<never, Reply>> => {
    const { ready, reasons, hosts, queueHeld } = await readiness().catch((cause: unknown): Readiness => {
      log('error', 'readiness_failed', { cause: describeCause(cause) })
      return { ready: false, reasons: ['Readiness could not be checked'] }
    })
    const databaseHosts = hosts === undefined ? {} : { database_hosts: hosts }
    const held = queueHeld === undefined
      ? {}
      : { queue_held: { ...queueHeld, since: iso(queueHeld.since), run: 'postern queue resume' } }
    return E.right(ready
      ? jsonReply(200, { ...HEALTHY, ...databaseHosts, ...held })
      : jsonReply(503, { status: 'unavailable', reasons, ...databaseHosts }))
  },
})

const alwaysReady = async (): Promise<Readiness> => ({ ready: true, reasons: [] })
