import type { NotYetKnown, PortFailure } from '../../core/errors.js'
import type {
  BadSignature, BodyTooSlow, Defect, MalformedBody, MethodNotAllowed, NotFound, PayloadTooLarge, VerificationRefused,
} from './failures.js'
import { failureResponses, tagsOf } from './openapi-failures.js'
import { headerRefs, parameterRefs } from './openapi-headers.js'
import { closed, schema } from './openapi-schemas.js'
import type { Content, Operation, PathItem, Paths, Response, Schema } from './openapi-types.js'

const otherMethods = tagsOf<MethodNotAllowed>({ MethodNotAllowed: true })
const unexpected = tagsOf<MethodNotAllowed | Defect>({ MethodNotAllowed: true, Defect: true })
const unknownAsset = tagsOf<MethodNotAllowed | NotFound>({ MethodNotAllowed: true, NotFound: true })
const handshakeRefusals = tagsOf<VerificationRefused | MethodNotAllowed>({ VerificationRefused: true, MethodNotAllowed: true })
const notificationRefusals =
  tagsOf<BadSignature | MalformedBody | PayloadTooLarge | BodyTooSlow | NotYetKnown | PortFailure | MethodNotAllowed | Defect>({
    BadSignature: true, MalformedBody: true, PayloadTooLarge: true, BodyTooSlow: true, NotYetKnown: true, PortFailure: true,
    MethodNotAllowed: true, Defect: true,
  })

/** An address that is not under the two of the API, and takes no API key. */
const atRoot = (operations: Pick<PathItem, 'get' | 'post'>): PathItem => ({
  servers: [{ url: '.', description: 'Where this document is.' }], ...operations,
})

const open = (operation: Omit<Operation, 'security' | 'parameters'> & { readonly parameters?: Operation['parameters'] }): Operation => ({
  ...operation, security: [], parameters: [...(operation.parameters ?? []), ...parameterRefs()],
})

const replying = (description: string, content: Content): Response => ({ description, headers: headerRefs(), content })

const json = (body: Schema, value: unknown): Content => ({ 'application/json': { schema: body, examples: { reply: { value } } } })

const text = (type: string, description: string): Content => ({ [type]: { schema: { type: 'string', description } } })

const query = (name: string, description: string) => ({ name, in: 'query' as const, description, schema: { type: 'string' } })

const acknowledged = closed({ status: { type: 'string', const: 'success' } })

/** The platform's side. */
export const webhookPaths: Paths = {
  '/webhooks/platform': atRoot({
    get: open({
      operationId: 'verifyWebhook',
      tags: ['Platform'],
      summary: 'Answer the verification handshake',
      description: 'The platform asks this once, when the address is registered with it.',
      parameters: [
        query('hub.mode', 'Always `subscribe`.'),
        query('hub.verify_token', 'The token that was agreed on.'),
        query('hub.challenge', 'What to answer.'),
      ],
      responses: {
        200: replying('The token is the agreed one.', text('text/plain', 'The challenge, as it came.')),
        ...failureResponses(handshakeRefusals),
      },
    }),
    post: open({
      operationId: 'receiveNotification',
      tags: ['Platform'],
      summary: 'Take in a notification',
      description:
        'Customers who wrote, and how messages fare. Up to 3 MiB. Unknown fields, types and statuses are tolerated, and one bad item never ' +
        'costs its neighbours. A notification may come again, and late: that changes nothing.',
      parameters: [{
        name: 'X-Hub-Signature-256', in: 'header',
        description: '`sha256=` and the HMAC-SHA256 of the raw body under the app secret, in hexadecimal digits.',
        schema: { type: 'string' },
      }],
      requestBody: {
        required: true,
        description: 'A notification as the platform writes it; what its signature covers counts, whatever its content type.',
        content: {
          'application/json': {
            schema: { type: 'object', additionalProperties: true },
            examples: { notification: { value: { object: 'whatsapp_business_account', entry: [] } } },
          },
          '*/*': { schema: {} },
        },
      },
      responses: {
        200: replying('What it says is durable.', json(acknowledged, { status: 'success' })),
        ...failureResponses(notificationRefusals),
      },
    }),
  }),
}

/** What operators and their machines ask. */
export const healthPaths: Paths = {
  '/health/live': atRoot({
    get: open({
      operationId: 'isLive',
      tags: ['Operations'],
      summary: 'Whether the process runs',
      description: 'Looks at nothing but itself.',
      responses: { 200: replying('It runs.', json(schema('Healthy'), { status: 'ok' })), ...failureResponses(otherMethods) },
    }),
  }),
  '/health/ready': atRoot({
    get: open({
      operationId: 'isReady',
      tags: ['Operations'],
      summary: 'Whether requests can be served',
      description: 'Looks at the database and its migrations.',
      responses: {
        200: replying('They can.', json(schema('Healthy'), { status: 'ok' })),
        503: replying('They cannot.', json(schema('Unready'), { status: 'unavailable', reasons: ['Migrations are due'] })),
        ...failureResponses(otherMethods),
      },
    }),
  }),
}

/** What Prometheus asks. */
export const metricsPaths: Paths = {
  '/metrics': atRoot({
    get: open({
      operationId: 'getMetrics',
      tags: ['Operations'],
      summary: 'Metrics',
      description: 'Counts and durations of what this process has done.',
      responses: {
        200: replying('All metrics.', text('text/plain', "Prometheus's text format.")),
        ...failureResponses(unexpected),
      },
    }),
  }),
}

/** The document itself. */
export const documentPaths: Paths = {
  '/openapi.json': atRoot({
    get: open({
      operationId: 'getDocument',
      tags: ['Operations'],
      summary: 'This document',
      description: 'What this gateway serves, for machines.',
      responses: {
        200: replying('An OpenAPI 3.1 document.', {
          'application/json': { schema: { type: 'object', additionalProperties: true } },
        }),
        ...failureResponses(otherMethods),
      },
    }),
  }),
}

const page: Response = {
  description: 'The page.',
  headers: {
    ...headerRefs(),
    'Content-Security-Policy': {
      description: 'What the page may load: its own files, and nothing from anywhere else.', required: true, schema: { type: 'string' },
    },
  },
  content: text('text/html', 'HTML.'),
}

/** The page made of it. */
export const docsPaths: Paths = {
  '/docs': atRoot({
    get: open({
      operationId: 'readDocument',
      tags: ['Operations'],
      summary: 'This document, for people',
      description: 'A page that loads nothing from elsewhere.',
      responses: { 200: page, ...failureResponses(otherMethods) },
    }),
  }),
  '/docs/{file}': atRoot({
    get: open({
      operationId: 'getDocsFile',
      tags: ['Operations'],
      summary: 'A file of that page',
      description: 'The scripts and the style of the page.',
      parameters: [{ name: 'file', in: 'path', required: true, description: 'Its name, as the page gives it.', schema: { type: 'string' } }],
      responses: {
        200: replying('The file.', { ...text('text/javascript', 'A script.'), ...text('text/css', 'A style.') }),
        ...failureResponses(unknownAsset),
      },
    }),
  }),
}
