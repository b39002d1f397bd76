import * as E from 'fp-ts/lib/Either.js'
import * as t from 'io-ts'
import type { WorkspaceId } from '../../../core/kernel/ids.js'
import type { Json, JsonObject } from '../../../core/kernel/json.js'
import { checkContent, type Content, type ContentType, CONTENT_TYPES } from '../../../core/messages/content.js'
import { type Message, templateMessage } from '../../../core/messages/message.js'
import type { Prefetched } from '../../../core/sending/prepare.js'
import type { SendError } from '../../../core/sending/send.js'
import type { RequestBody } from '../body.js'
import { TemplateName, WrittenCustomerId } from '../codecs.js'
import { type Outcome, type UseCases, workspaceOperation, type WorkspaceRequest } from '../operation.js'
import type { ContentInvalid } from '../reply.js'
import { anyObject, array, type Codec, codec, described, fields, named, type NoFields, nullable, type TypeOf, word } from '../schema.js'
import { queuedReply, type QueuedView, TIMING_FAILURES, type TimingFailure } from './timing.js'
import { FILE_FAILURES, fileForm, fileMessageOf, type FileSend, type FileSendError, withReason } from './files.js'
import {
  additionsOf, Components, confirmationOf, ConfirmWithin, Language, ORDER_OF_REFUSALS, passedOn, SEND_FAILURES, SEND_OPTIONS,
  sendConfirmed, sendingKey, sentReply, sentResult, type SentView, TEMPLATE_REFUSALS, withoutNotYet,
} from './send.js'

type SendType = ContentType | 'template'

const SEND_TYPES: ReadonlyArray<SendType> = [...CONTENT_TYPES, 'template']

const isSendType = (value: unknown): value is SendType => SEND_TYPES.some((type) => type === value)

const object = (what: string): Codec<JsonObject> => described(passedOn(anyObject), `The platform's object for ${what}.`)

const medium = (what: string): Codec<JsonObject> => object(`${what}: exactly one of \`id\`, of an uploaded file, and \`link\`, an http or https address`)

/** Any value in the field of the contact cards: the limits of the type describe the valid ones. */
const anyContacts: Codec<Json> = codec('an array of objects', { schema: array(anyObject).schema }, (value) => t.success(value as Json))

const Template = described(
  fields({ name: TemplateName }, { language: nullable(fields({ code: Language })), components: nullable(Components) }),
  "The platform's object for a template. The language is `en` if it is omitted or null.",
)

const OBJECTS = {
  text: object('a text: `body`, and `preview_url`, whether its first link is previewed'),
  image: medium('an image'),
  video: medium('a video'),
  audio: medium('a sound; `voice` makes it a voice note'),
  document: medium('a file'),
  sticker: medium('a sticker'),
  location: object('a place: `latitude` and `longitude` in degrees, `name`, `address`'),
  contacts: described(passedOn(anyContacts), "The platform's list of contact cards, each with a `name.formatted_name`."),
  reaction: object('a reaction: `message_id` of the message, and `emoji`, which is empty to remove the reaction'),
  interactive: object('buttons, a list, a link, a carousel, a flow, products and the like, by its own `type`'),
  template: Template,
} satisfies Readonly<Record<SendType, Codec<unknown>>>

const Fields = fields({
  to: WrittenCustomerId,
  type: word<SendType>({
    text: '', image: '', video: '', audio: '', document: '', sticker: '', location: '', contacts: '', reaction: '', interactive: '',
    template: '',
  }),
}, { ...OBJECTS, ...SEND_OPTIONS, confirm_within: ConfirmWithin })

type SendBody = TypeOf<typeof Fields>

/** The object of the type must be present and the objects of other types absent, which a schema of one field cannot express. */
const ofOneType = (inner: Codec<SendBody>): Codec<SendBody> => codec(inner.name, {
  ...inner,
  schema: {
    ...inner.schema, oneOf: SEND_TYPES.map((type) => ({ properties: { type: { type: 'string', const: type } }, required: [type] })),
  },
  required: [...inner.required, ...SEND_TYPES],
}, (value, context) => {
  const read = inner.validate(value, context)
  const errors = [...(E.isLeft(read) ? read.left : []), ...faultsOf(value, context, inner)]
  return errors.length === 0 ? read : t.failures(errors)
})

const faultsOf = (value: unknown, context: t.Context, inner: Codec<SendBody>): t.Errors => {
  const { type, ...given } = Object(value) as Readonly<Record<string, unknown>>
  if (!isSendType(type)) return []
  const error = (name: string, message?: string): t.ValidationError =>
    ({ value: given[name], context: t.appendContext(context, name, inner, given[name]), ...(message !== undefined && { message }) })
  const foreign = SEND_TYPES.filter((name) => name !== type && given[name] !== undefined)
  return [
    ...(given[type] === undefined ? [error(type)] : []),
    ...foreign.map((name) => error(name, `left out, because the type is ${type}`)),
    // The platform does not accept a reaction that quotes.
    ...(type === 'reaction' && given['context'] !== undefined ? [error('context', 'left out of a reaction')] : []),
  ]
}

const SendRequest = named('SendRequest', described(ofOneType(withoutNotYet(Fields)), 'Exactly the object that is named like the type. Unknown fields are ignored.'))

/** The body of a message of any type, to be sent or quoted. */
export const messageBody = {
  codec: SendRequest,
  forms: false,
  passedOn: SEND_TYPES,
  examples: {
    image: {
      summary: 'An image with a caption',
      value: {
        to: '33639980001',
        type: 'image',
        image: { link: 'https://shop.example/boots.jpg', caption: 'Your boots' },
        metadata: { order: 'A-17' },
      },
    },
    document: {
      summary: 'A file that was uploaded before',
      value: { to: '33639980001', type: 'document', document: { id: '1003383421387256', filename: 'invoice-1742.pdf' } },
    },
    buttons: {
      summary: 'Reply buttons',
      value: {
        to: '33639980001', type: 'interactive',
        interactive: {
          type: 'button', body: { text: 'Shall we deliver tomorrow?' },
          action: {
            buttons: [{ type: 'reply', reply: { id: 'yes', title: 'Yes' } }, { type: 'reply', reply: { id: 'no', title: 'Another day' } }],
          },
        },
      },
    },
    list: {
      summary: 'A list to choose from',
      value: {
        to: '33639980001', type: 'interactive',
        interactive: {
          type: 'list',
          body: { text: 'Which size?' },
          action: {
            button: 'Sizes', sections: [{ rows: [{ id: '36', title: '36' }, { id: '37', title: '37', description: 'The last pair' }] }],
          },
        },
      },
    },
    reply: {
      summary: 'A text that quotes a message',
      value: {
        to: '33639980001',
        type: 'text',
        text: { body: 'Track it: https://shop.example/t/1742', preview_url: true },
        context: { message_id: 'wamid.HBgNNTUxMTk4NzY1NDMyMRUCABIYEjNB' },
      },
    },
    reaction: {
      summary: 'A reaction',
      value: { to: '33639980001', type: 'reaction', reaction: { message_id: 'wamid.HBgNNTUxMTk4NzY1NDMyMRUCABIYEjNB', emoji: '👍' } },
    },
    scheduled: {
      summary: 'A template at a later time, within the hours of the customer',
      value: {
        to: '33639980001', type: 'template', template: { name: 'hello_world', language: { code: 'en_US' } },
        send_at: '2026-03-02T08:00:00Z', deliver_between: { from: '09:00', to: '20:00', days: ['mon', 'tue', 'wed', 'thu', 'fri'] },
      },
    },
    template: {
      summary: 'A template that has to be delivered within half a minute',
      value: { to: '33639980001', type: 'template', template: { name: 'hello_world', language: { code: 'en_US' } }, confirm_within: 30 },
    },
  },
}

/** A request of a message of any type. */
export type MessageRequest = WorkspaceRequest<NoFields, SendBody>

/** The message in a request, or where its content breaks the limits of its type. */
export const messageOf = ({ body: { to, type, template, ...body } }: Pick<MessageRequest, 'body'>): E.Either<ContentInvalid, Message> => {
  const more = additionsOf(body)
  if (type === 'template') {
    const { name = '', language, components } = template ?? {}
    return E.right(templateMessage({ to, name, ...(language && { language: language.code }), ...(components && { components }), ...more }))
  }
  const content = body[type] ?? null
  const breaches = checkContent(type, content)
  return breaches.length > 0 || !isContent(content)
    ? E.left({ _tag: 'ContentInvalid', breaches })
    : E.right({ _tag: 'Content', to, type, content, ...more })
}

const isContent = (content: Json): content is Content => typeof content === 'object' && content !== null

/** The body of a send, which may also be a form with a file. */
const sendBody: RequestBody<SendBody | FileSend> = { ...messageBody, fileForm }

type SendRequest = WorkspaceRequest<NoFields, SendBody | FileSend>

const isFileSend = (body: SendBody | FileSend): body is FileSend => 'file' in body

/** Sends a message whose file is in the request. */
const sendFileOf = async (
  { postern }: UseCases, request: SendRequest, form: FileSend,
): Outcome<ContentInvalid | FileSendError, SentView> => {
  const { send, sendFile } = postern.sending
  if (sendFile === undefined) return E.left({ _tag: 'UnsupportedMediaType', sentence: 'This gateway does not accept files in a request; send the id or the link of a file' })
  const message = fileMessageOf(form)
  if (E.isLeft(message)) return message
  const { type, caption, filename } = message.right
  const breaches = checkContent(type, { id: '0', ...(caption !== undefined && { caption }), ...(filename !== undefined && { filename }) })
  if (breaches.length > 0) return E.left({ _tag: 'ContentInvalid', breaches })
  const { workspace, principal, idempotency } = request
  const confirmation = confirmationOf({ postern }, form.confirm_within)
  if (E.isLeft(confirmation)) return confirmation
  const by = { workspace, sender: form.sender, key: sendingKey(principal), ...idempotency, ...confirmation.right }
  const sent = await sendFile({ ...by, message: message.right, file: form.file }, (content) => send({ ...by, message: content }))
  return sentResult(withReason(sent, form.file))
}

/** `POST /messages/send` */
export const sendMessage = workspaceOperation({
  id: 'sendMessage',
  method: 'post',
  path: '/messages/send',
  tag: 'Sending',
  act: 'message.send',
  summary: 'Send a message of any type',
  description:
    "Sends a message of any type. Its content is the platform's own object, which is checked against the limits of its type and passed on unchanged, including unknown fields. "
      + 'All types except a template need an open customer service window. Lengths are counted in UTF-16 units. The body may have up to 256 KiB; a form of the type `multipart/form-data` may contain a file, '
      + `which is uploaded as it arrives, once the window and the wallet allow the message. An upload that fails costs nothing. ${ORDER_OF_REFUSALS}`,
  isIdempotent: true,
  body: sendBody,
  reply: sentReply,
  accepted: queuedReply,
  failures: { ...SEND_FAILURES, ...TEMPLATE_REFUSALS, ...FILE_FAILURES, ...TIMING_FAILURES, WindowClosed: true, ContentInvalid: true },
  prefetch: ({ postern: { sending } }: UseCases, workspace: WorkspaceId, body: SendBody | FileSend) =>
    (isFileSend(body)
      ? undefined
      : sending.prefetch?.({ workspace, sender: body.sender, to: body.to, ...(body.template && { name: body.template.name }) })),
  run: async (
    deps: UseCases, request: SendRequest, prefetched: Prefetched | undefined,
  ): Outcome<ContentInvalid | SendError | FileSendError | TimingFailure, SentView | QueuedView> => {
    const { body } = request
    if (isFileSend(body)) return sendFileOf(deps, request, body)
    const message = messageOf({ ...request, body })
    return E.isLeft(message) ? message : sendConfirmed(deps, request, message.right, prefetched)
  },
})
