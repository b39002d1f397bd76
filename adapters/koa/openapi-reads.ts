import type { InvalidPhoneNumber } from '../../core/errors.js'
import type { AuthenticateError } from './authenticate.js'
import type { Defect, InvalidParameter, MethodNotAllowed, NotFound } from './failures.js'
import { failureResponses, tagsOf } from './openapi-failures.js'
import { headerRefs, parameterRefs } from './openapi-headers.js'
import { schema, type schemas } from './openapi-schemas.js'
import type { Parameter, Paths, Response } from './openapi-types.js'

type Refusal = AuthenticateError | MethodNotAllowed | Defect

const REFUSALS = { UnknownApiKey: true, RateLimited: true, PortFailure: true, MethodNotAllowed: true, Defect: true } as const

const listRefusals = tagsOf<Refusal | InvalidParameter>({ ...REFUSALS, InvalidParameter: true })
const messagesRefusals =
  tagsOf<Refusal | InvalidParameter | InvalidPhoneNumber>({ ...REFUSALS, InvalidParameter: true, InvalidPhoneNumber: true })
const oneRefusals = tagsOf<Refusal | NotFound>({ ...REFUSALS, NotFound: true })
const windowRefusals = tagsOf<Refusal | InvalidPhoneNumber>({ ...REFUSALS, InvalidPhoneNumber: true })

const found = (name: keyof typeof schemas, description: string, value: object): Response => ({
  description,
  headers: headerRefs(),
  content: { 'application/json': { schema: schema(name), examples: { found: { value } } } },
})

const ID = 'msg_0199c3a87c2e7b1f9d5a4e6b8c0d2f41'

const MESSAGE = {
  id: ID, platform_id: 'wamid.HBgNNTUxMTk4NzY1NDMyMRUCABEYEjE2', kind: 'template', to: '5511987654321',
  state: 'delivered', price: '0.062500', currency: 'USD', template_name: 'order_update', language: 'pt_BR', error: null,
  created_at: '2026-03-01T12:00:00.000Z',
  history: [
    { state: 'pending', at: '2026-03-01T12:00:00.000Z' },
    { state: 'accepted', at: '2026-03-01T12:00:00.412Z' },
    { state: 'sent', at: '2026-03-01T12:00:01.000Z' },
    { state: 'delivered', at: '2026-03-01T12:00:03.000Z' },
  ],
}

const ENTRIES = {
  entries: [
    { id: 'ent_2', kind: 'hold', amount: '0.062500', message_id: ID, reference: null, created_at: '2026-03-01T12:00:00.000Z' },
    { id: 'ent_1', kind: 'top_up', amount: '10.000000', message_id: null, reference: 'invoice-7', created_at: '2026-02-28T09:30:00.000Z' },
  ],
  next_cursor: null,
}

const customer = (given: Pick<Parameter, 'in' | 'required'>): Parameter => ({
  name: 'to', ...given, description: 'The number of a customer.', schema: schema('PhoneNumber'), example: '5511987654321',
})

/** The operations that only read. */
export const readPaths: Paths = {
  '/messages': {
    get: {
      operationId: 'listMessages',
      tags: ['Reading'],
      summary: 'List messages',
      description: "The workspace's messages, newest first, in parts.",
      parameters: [
        customer({ in: 'query' }),
        { name: 'state', in: 'query', description: 'Only messages in this state.', schema: schema('MessageState') },
        ...parameterRefs('limit', 'cursor'),
      ],
      responses: {
        200: found('Messages', 'A part of the list.', { messages: [MESSAGE], next_cursor: null }),
        ...failureResponses(messagesRefusals),
      },
    },
  },
  '/messages/{id}': {
    get: {
      operationId: 'getMessage',
      tags: ['Reading'],
      summary: 'Look up a message',
      description: 'One message, by either of its ids. A message of another workspace is not found.',
      parameters: [
        {
          name: 'id', in: 'path', required: true, schema: { type: 'string' }, example: ID,
          description: "The gateway's id, `msg_…`, or the platform's, `wamid.…`, URL-encoded.",
        },
        ...parameterRefs(),
      ],
      responses: { 200: found('Message', 'The message.', MESSAGE), ...failureResponses(oneRefusals) },
    },
  },
  '/wallet': {
    get: {
      operationId: 'getWallet',
      tags: ['Reading'],
      summary: 'Look up the balance',
      description: "What the workspace's wallet has.",
      parameters: parameterRefs(),
      responses: {
        200: found('Wallet', 'The balance.', { currency: 'USD', available: '12.340000', held: '0.000000' }),
        ...failureResponses(oneRefusals),
      },
    },
  },
  '/wallet/entries': {
    get: {
      operationId: 'listEntries',
      tags: ['Reading'],
      summary: "List the wallet's entries",
      description: 'Every movement of the wallet, newest first, in parts.',
      parameters: parameterRefs('limit', 'cursor'),
      responses: { 200: found('Entries', 'A part of the list.', ENTRIES), ...failureResponses(listRefusals) },
    },
  },
  '/windows/{to}': {
    get: {
      operationId: 'getWindow',
      tags: ['Reading'],
      summary: 'Look up a customer service window',
      description: 'Whether a text may be sent to a customer now, and until when.',
      parameters: [customer({ in: 'path', required: true }), ...parameterRefs()],
      responses: {
        200: found('Window', 'The window.', {
          open: true, last_inbound_at: '2026-03-01T12:00:00.000Z', closes_at: '2026-03-02T12:00:00.000Z',
        }),
        ...failureResponses(windowRefusals),
      },
    },
  },
}
