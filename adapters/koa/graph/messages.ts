import * as E from 'fp-ts/lib/Either.js'
import * as t from 'io-ts'
import { isUserId } from '../../../core/customers/customer.js'
import type { PortFailure } from '../../../core/kernel/failure.js'
import type { WorkspaceId } from '../../../core/kernel/ids.js'
import { WAMID_FORM } from '../../../core/messages/content.js'
import type { MarkReadError } from '../../../core/messages/conversation.js'
import { parsePlatformId, type PlatformId } from '../../../core/messages/message.js'
import type { ConversationUseCases } from '../../../core/postern.js'
import { senderIdOf, type SenderOf } from '../../../core/senders/sender.js'
import type { Prefetched } from '../../../core/sending/prepare.js'
import type { SendError, SendOptions } from '../../../core/sending/send.js'
import { missingScope } from '../authenticate.js'
import { parseJson } from '../body.js'
import type { WorkspaceRequest } from '../operation.js'
import { messageBody, messageOf, type MessageRequest } from '../operations/send-message.js'
import { confirmationOf, sendingKey } from '../operations/send.js'
import {
  type ContentInvalid, type InvalidParameter, jsonReply, messageHeaders, type MissingScope, type NotFound, type Reply,
} from '../reply.js'
import { type Codec, codec, fields, literal, type TypeOf } from '../schema.js'
import { graphOperation, type GraphDeps, namedSender, noSuchObject, ObjectId, readFrom, Version } from './operation.js'

/** A message to send, in the form that it has below `/v1`; `input` is the recipient as the caller wrote it. */
type ToSend = { readonly _tag: 'Send'; readonly body: MessageRequest['body']; readonly input: string }

/** A message of a customer to mark as read. */
type ToMark = { readonly _tag: 'Mark'; readonly message: PlatformId; readonly typing: boolean }

type Given = Readonly<Record<string, unknown>>

/** Fields that the platform accepts and this API does not support yet. Requests with them are refused, so that the caller does not assume they were applied. */
const NOT_YET = [
  'ttl_seconds', 'direct_send_config', 'recipient_identity_key_hash', 'product_policy', 'message_activity_sharing', 'queue', 'send_at',
  'deliver_between',
]

/** The platform accepts 512; this is the maximum length of a value of `metadata`, in which it is stored. */
const LONGEST_CALLBACK = 500

const Mark = fields(
  {
    status: literal('read'),
    message_id: readFrom("the platform's id of a message, wamid.…", (id) => (WAMID_FORM.test(id) ? parsePlatformId(id) : undefined)),
  },
  { typing_indicator: fields({ type: literal('text') }) },
)

/** Reads a body of the platform's contract. The content of the message is checked as below `/v1`. */
const MessagesBody: Codec<ToSend | ToMark> = codec(
  'a JSON object', { required: ['messaging_product', 'message_id', ...messageBody.codec.required] }, (value, context) => {
    const given = withoutNulls(value)
    const faults = faultsOf(given, context)
    const read: E.Either<t.Errors, ToSend | ToMark> = given['status'] === undefined ? readMessage(given, context) : readMark(given, context)
    return faults.length === 0 ? read : t.failures([...faults, ...(E.isLeft(read) ? read.left : [])])
  },
)

/** Many programs write null for absent fields. */
const withoutNulls = (value: unknown): Given => Object.fromEntries(Object.entries(Object(value) as Given).filter(([, one]) => one !== null))

const faultsOf = (given: Given, context: t.Context): t.Errors => {
  const {
    messaging_product: product, recipient_type: kind = 'individual', category = 'service', biz_opaque_callback_data: callback = '',
  } = given
  const rules: ReadonlyArray<readonly [field: string, holds: boolean, must: string]> = [
    ['messaging_product', product === 'whatsapp', '"whatsapp"'],
    ['recipient_type', kind === 'individual', '"individual", as groups are not available yet'],
    // Otherwise the caller would assume that the message was sent through this sender.
    ['sender', given['sender'] === undefined, 'left out: the address contains the phone number id'],
    // It asks the platform to turn free text into a template if the window is closed.
    ['category', category === 'service', 'left out: it is not available yet'],
    ['biz_opaque_callback_data', typeof callback === 'string' && callback.length <= LONGEST_CALLBACK, `a string of at most ${LONGEST_CALLBACK} characters`],
    ...NOT_YET.map((field) => [field, given[field] === undefined, 'left out: it is not available yet'] as const),
  ]
  return rules.filter(([, holds]) => !holds).map(([field, , message]) => ({
    value: given[field], context: t.appendContext(context, field, t.unknown, given[field]), message,
  }))
}

const readMark = (given: Given, context: t.Context): E.Either<t.Errors, ToMark> => {
  const read = Mark.validate(given, context)
  return E.isLeft(read)
    ? read
    : E.right({ _tag: 'Mark', message: read.right.message_id, typing: read.right.typing_indicator !== undefined })
}

/**
 * The message of a body. `to` takes precedence over `recipient`; the default type is `text`.
 *
 * The gateway sends the platform a `biz_opaque_callback_data` of its own, which identifies its messages in reports. So the caller's value is stored with the message,
 * whose `metadata` is returned in reads and events.
 */
const readMessage = (given: Given, context: t.Context): E.Either<t.Errors, ToSend> => {
  const { to, recipient, type = 'text', metadata, biz_opaque_callback_data: callback } = given
  const wanted = to === undefined || to === '' ? recipient : to
  // Programs that store phone numbers as numbers send them as numbers.
  const input = Number.isSafeInteger(wanted) ? String(wanted) : wanted
  const noted = callback === undefined ? {} : { metadata: { ...Object(metadata) as Given, biz_opaque_callback_data: callback } }
  const read = messageBody.codec.validate({ ...withObjects(given), to: input, type, ...noted }, context)
  return E.isLeft(read) ? read : E.right({ _tag: 'Send', body: read.right, input: String(input) })
}

/** The platform also accepts an object as the text of its JSON, and programs send it that way: the object of a type, or the `action` in it. */
const withObjects = (given: Given): Given => ({
  ...given,
  ...Object.fromEntries(messageBody.passedOn.flatMap((type) => (given[type] === undefined ? [] : [[type, plain(objectIn(given[type]))]]))),
})

const plain = (object: unknown): unknown => {
  if (typeof object !== 'object' || Array.isArray(object)) return object
  const { action, ...more } = Object(object) as Given
  return action === undefined ? more : { ...more, action: objectIn(action) }
}

const objectIn = (value: unknown): unknown => {
  const parsed = typeof value === 'string' && /^\s*[{[]/.test(value) ? parseJson(value) : undefined
  return parsed !== undefined && E.isRight(parsed) ? parsed.right : value
}

type Request = WorkspaceRequest<{ readonly object: string }, TypeOf<typeof MessagesBody>>

/** `POST /graph/{version}/{phone_number_id}/messages` */
export const postMessages = graphOperation({
  method: 'post',
  path: '/{version}/{object}/messages',
  pathParameters: { version: Version, object: ObjectId },
  isIdempotent: true,
  body: { codec: MessagesBody, forms: false, passedOn: messageBody.passedOn },
  prefetch: (
    { postern: { sending } }: GraphDeps, workspace: WorkspaceId, asked: TypeOf<typeof MessagesBody>, { object = '' },
  ): Prefetched | undefined =>
    asked._tag === 'Mark'
      ? undefined
      : sending.prefetch?.({
          workspace, sender: senderIdOf(object), to: asked.body.to, ...(asked.body.template && { name: asked.body.template.name }),
        }),
  run: async (
    deps: GraphDeps, request: Request, _log: unknown, prefetched: Prefetched | undefined,
  ): Promise<E.Either<SendError | MarkReadError | ContentInvalid | InvalidParameter | MissingScope | NotFound | PortFailure, Reply>> => {
    const { workspace, principal, parameters: { object }, body } = request
    const refused = missingScope(principal, body._tag === 'Mark' ? 'message.mark_read' : 'message.send')
    if (refused !== undefined) return E.left(refused)
    const named = await namedSender(deps, request, ({ phoneNumberId }) => phoneNumberId)
    if (E.isLeft(named)) return named
    const { phoneNumberId: sender, isDefault: isDefaultSender } = named.right
    if (body._tag === 'Send') return send(deps, { ...request, sender, isDefaultSender }, body, prefetched)
    const { conversation } = deps.postern
    return conversation === undefined ? E.left(noSuchObject(object)) : mark(conversation, { workspace, sender }, body)
  },
})

const mark = async (
  { markRead }: ConversationUseCases, of: SenderOf, { message, typing }: ToMark,
): Promise<E.Either<MarkReadError, Reply>> => {
  const marked = await markRead({ ...of, message, typing })
  return E.isLeft(marked) ? marked : E.right(jsonReply(200, { success: true }))
}

const send = async (
  deps: GraphDeps, request: Request & Pick<SendOptions, 'sender' | 'isDefaultSender'>, { body, input }: ToSend,
  prefetched: Prefetched | undefined,
): Promise<E.Either<SendError | ContentInvalid | InvalidParameter, Reply>> => {
  const { workspace, sender, isDefaultSender, principal, idempotency } = request
  const message = messageOf({ body })
  if (E.isLeft(message)) return message
  const confirmation = confirmationOf(deps, body.confirm_within)
  if (E.isLeft(confirmation)) return confirmation
  const sent = await deps.postern.sending.send({
    workspace, sender, isDefaultSender, message: message.right, key: sendingKey(principal), ...idempotency, ...confirmation.right,
    ...(prefetched && { prefetched }),
  })
  if (E.isLeft(sent)) return sent
  const { id, platformId, replayed } = sent.right
  const contact = { input, ...(isUserId(body.to) ? { user_id: body.to } : { wa_id: body.to }) }
  return E.right(
    jsonReply(200, { messaging_product: 'whatsapp', contacts: [contact], messages: [{ id: platformId }] }, messageHeaders(id, replayed)),
  )
}
