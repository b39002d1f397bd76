import * as E from 'fp-ts/lib/Either.js'
import * as t from 'io-ts'
import type { PortFailure } from '../../../core/kernel/failure.js'
import type { CustomersPerDay } from '../../../core/senders/number-health.js'
import { type SenderId, senderIdOf } from '../../../core/senders/sender.js'
import { senderView, type SenderView } from '../../../core/senders/show-senders.js'
import { Time } from '../codecs.js'
import { type Outcome, served, type UseCases, workspaceOperation, type WorkspaceRequest } from '../operation.js'
import { missingThing, type NotFound } from '../reply.js'
import { array, boolean, codec, type Codec, count, described, named, nullable, parsed, record, string, word } from '../schema.js'

const Limit: Codec<CustomersPerDay> = codec(
  'a whole number, or "unlimited"', { schema: { anyOf: [{ type: 'integer', minimum: 0 }, { type: 'string', const: 'unlimited' }] } },
  (value, context) => (value === 'unlimited' || (typeof value === 'number' && Number.isInteger(value) && value >= 0)
    ? t.success(value)
    : t.failure(value, context)),
)

const Quality = named('NumberQuality', word({
  green: 'customers react well', yellow: 'some customers block or report its messages', red: 'many do; the platform may restrict it',
  unknown: 'the platform does not rate it',
}))

const Sender: Codec<SenderView> = named('Sender', described(record({
  phone_number_id: described(string(), "The platform's id of the number; `sender` of other operations."),
  display_phone_number: nullable(string(), 'The number as the platform writes it.'),
  verified_name: nullable(string(), 'The name that customers see.'),
  business_account_id: nullable(string(), "The platform's id of its business account."),
  default: described(boolean, 'Whether it is the sender of the requests that name none.'),
  status: word({ ok: 'the platform accepts its access token', failing: 'nothing can be sent through it' }),
  failing_reason: nullable(word({
    token_refused: 'the platform refuses its access token', token_unreadable: 'its stored access token cannot be decrypted: it must be set again',
  }), 'Why it is failing; null if it is not.'),
  failing_since: nullable(Time, 'Since when the platform refuses its access token; null if it accepts it.'),
  quality: nullable(Quality, "The platform's rating of the number."),
  quality_since: nullable(Time, 'When the current quality was first read.'),
  messages_per_second: nullable(count, 'How many messages a second the number may send and receive.'),
  customers_per_day: described(record({
    limit: nullable(
      Limit, 'How many different customers may get messages outside of windows in 24 hours. All numbers of a business portfolio share it.',
    ),
    used: nullable(count, 'How many got one through any number of the business account; null if that is not counted.'),
  }), 'The messaging limit.'),
  direct_send: described(record({
    status: word({ unknown: 'it was not tried yet' }), until: nullable(Time, 'Until when it is restricted.'),
  }), 'Whether it can send text outside of windows.'),
  read_at: nullable(Time, 'When the platform reported these facts of the number.'),
}), 'A number through which the workspace sends. What is not known is null.'))

const EXAMPLE: SenderView = {
  phone_number_id: '106540352242922', display_phone_number: '+1 555-078-3881', verified_name: 'The shop',
  business_account_id: '102290129340398', default: true, status: 'ok', failing_reason: null, failing_since: null, quality: 'green',
  quality_since: '2026-02-01T12:00:00.000Z', messages_per_second: 80,
  customers_per_day: { limit: 2_000, used: 312 }, direct_send: { status: 'unknown', until: null }, read_at: '2026-03-01T12:00:00.000Z',
}

/** `GET /senders` */
export const listSenders = workspaceOperation({
  id: 'listSenders',
  method: 'get',
  path: '/senders',
  part: 'senders',
  tag: 'Reading',
  act: 'sender.view',
  summary: 'List senders',
  description:
    'The numbers through which the workspace sends, with their quality and limits: the default sender, then the others by their ids.',
  reply: { description: 'The senders.', codec: named('Senders', array(Sender)), example: [EXAMPLE] },
  failures: {},
  run: async ({ postern }: UseCases, { workspace }: WorkspaceRequest): Outcome<PortFailure, ReadonlyArray<SenderView>> => {
    const senders = await served(postern.workspaces).showSenders(workspace)
    return E.isLeft(senders) ? senders : E.right({ value: senders.right.map(senderView) })
  },
})

const Id: Codec<SenderId> = parsed({ type: 'string' }, 'the id of a phone number', senderIdOf)

/** `GET /senders/{phone_number_id}` */
export const getSender = workspaceOperation({
  id: 'getSender',
  method: 'get',
  path: '/senders/{phone_number_id}',
  part: 'senders',
  tag: 'Reading',
  act: 'sender.view',
  summary: 'Look up a sender',
  description: 'One number through which the workspace sends. A number of another workspace is not found.',
  pathParameters: { phone_number_id: described(Id, "The platform's id of the number.", EXAMPLE.phone_number_id) },
  reply: { description: 'The sender.', codec: Sender, example: EXAMPLE },
  failures: { NotFound: true },
  run: async (
    { postern }: UseCases, { workspace, parameters: { phone_number_id: sender } }: WorkspaceRequest<{ readonly phone_number_id: SenderId }>,
  ): Outcome<NotFound | PortFailure, SenderView> => {
    const shown = await served(postern.workspaces).showSender({ workspace, sender })
    if (E.isRight(shown)) return E.right({ value: senderView(shown.right) })
    return E.left(shown.left._tag === 'UnknownSender' ? missingThing(`This workspace has no sender ${sender}`) : shown.left)
  },
})
