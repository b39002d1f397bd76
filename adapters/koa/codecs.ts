import * as E from 'fp-ts/lib/Either.js'
import { pipe } from 'fp-ts/lib/function.js'
import * as O from 'fp-ts/lib/Option.js'
import * as t from 'io-ts'
import type { BatchState } from '../../core/batches/batch.js'
import { isCursorOf, type ListName } from '../../core/cursors.js'
import {
  type CustomerId as AnyCustomerId, type InvalidPhoneNumber, parseCustomerId, parseWrittenCustomerId, PHONE_NUMBER_FORM, USER_ID_FORM,
  WRITTEN_PHONE_NUMBER_FORM,
} from '../../core/customers/customer.js'
import {
  type DeliveryStatus, type EndpointFormat, type EndpointId, type EndpointStatus, isEndpointId, MAX_DESCRIPTION_LENGTH,
  MAX_ENDPOINT_URL_LENGTH, MAX_EVENT_TYPES, parseEndpointUrl,
} from '../../core/events/endpoint.js'
import { USABLE_HOST } from '../../core/kernel/address.js'
import { BATCH_ID_FORM, type BatchId, EVENT_ID_FORM, type EventId, isBatchId, isEventId } from '../../core/kernel/ids.js'
import type { Page } from '../../core/kernel/page.js'
import { EVENT_TYPES, type EventFilter, type EventType, isEventPattern, PLATFORM_NOTIFICATION } from '../../core/kernel/outbox.js'
import { type Instant, MOMENT_FORM, parseMoment } from '../../core/kernel/time.js'
import { type MediaId, parseMediaId } from '../../core/messages/conversation.js'
import { type MessageRef, parseMessageRef } from '../../core/messages/message-log.js'
import { type Breach, QUOTED_FORM } from '../../core/messages/content.js'
import {
  type Context, MAX_TEMPLATE_NAME_LENGTH, MESSAGE_ID_FORM, type MessageState, type Metadata as Noted, parsePlatformId, PLATFORM_ID_FORM,
  type PlatformId,
} from '../../core/messages/message.js'
import { isMetadata, MAX_METADATA, MAX_METADATA_KEY, MAX_METADATA_VALUE, METADATA_RULE } from '../../core/messages/metadata.js'
import type { EntryKind } from '../../core/money/wallet.js'
import { isPlatformAccountId, PLATFORM_ACCOUNT_ID_FORM, type SenderId, senderIdOf } from '../../core/senders/sender.js'
import type { Placeholder } from '../../core/templates/template.js'
import { missingThing, type Retry } from './reply.js'
import {
  anyObject, array, atMost, codec, type Codec, commaSeparated, count, described, fields, form, integer, length, named, nullable, onlyTrue,
  orElse, parsed, record, type Rule, string, word,
} from './schema.js'

/**
 * Text that every database can store and every platform can read. The document has no pattern for it, because most languages cannot compile one, and few can
 * create such a text.
 */
export const wellFormed: Rule = { schema: {}, must: 'well-formed Unicode', holds: (text) => !/\p{Cs}/u.test(text) }
export const withoutControls: Rule = {
  schema: { pattern: '^[^\\x00-\\x1f\\x7f-\\x9f]*$' }, must: 'without control characters', holds: (text) => !/\p{Cc}/u.test(text),
}
export const notBlank: Rule = form(/\S/, 'more than blanks')

/** A number in a reply. */
export const PhoneNumber = named('PhoneNumber', described(
  string(form(PHONE_NUMBER_FORM, 'a phone number')), 'An E.164 number as digits only: country code first, 7 to 15 digits, no `+`, no separators.',
))

/** A user id in a reply. */
export const UserId = named('UserId', described(
  string(form(USER_ID_FORM, 'a user id')),
  "The platform's id of a customer, scoped to the business that sends: the code of a country, a dot, and letters and digits, such as " +
  '`DE.13491208655302741918`. It is case-sensitive.',
))

const OR_USER_ID = 'or a user id of the platform, such as `DE.13491208655302741918`, which is case-sensitive.'

const eitherForm = (number: RegExp): string => `${number.source}|${USER_ID_FORM.source}`

const NOT_DIGITS: InvalidPhoneNumber = { _tag: 'InvalidPhoneNumber', form: 'digits' }

const NOT_WRITTEN: InvalidPhoneNumber = { _tag: 'InvalidPhoneNumber', form: 'written' }

/** A customer, given by a number with digits only or by a user id. */
export const CustomerId: Codec<AnyCustomerId> = named('CustomerId', orElse(described(
  parsed({ type: 'string', pattern: eitherForm(PHONE_NUMBER_FORM) }, 'digits only, or a user id',
    (text) => O.toUndefined(O.fromEither(parseCustomerId(text)))),
  `An E.164 number as digits only: country code first, 7 to 15 digits, no \`+\`, no separators; ${OR_USER_ID}`,
), NOT_DIGITS, (text) => pipe(parseCustomerId(text), E.match((fault) => fault, () => NOT_DIGITS))))

/** A customer, given by a number in the usual notation or by a user id. */
export const WrittenCustomerId: Codec<AnyCustomerId> = named('WrittenCustomerId', orElse(described(
  parsed({ type: 'string', pattern: eitherForm(WRITTEN_PHONE_NUMBER_FORM) }, 'a phone number, or a user id',
    (text) => O.toUndefined(O.fromEither(parseWrittenCustomerId(text)))),
  'An E.164 number as people write it: country code first, 7 to 15 digits; a leading `+` and the separators space `-` `.` `(` `)` ' +
  `are accepted and dropped, but \`(0)\` is not accepted; ${OR_USER_ID}`,
), NOT_WRITTEN, (text) => pipe(parseWrittenCustomerId(text), E.match((fault) => fault, () => NOT_WRITTEN))))

/** The sender that a request names. The use case checks whether the workspace has it. */
export const NamedSender: Codec<SenderId> = parsed(
  { type: 'string', pattern: PLATFORM_ACCOUNT_ID_FORM.source }, 'the phone number id of a sender: a string of 1 to 32 digits',
  (text) => (isPlatformAccountId(text) ? senderIdOf(text) : undefined),
)

/** The message that another one quotes, in a request. */
export const Quoted: Codec<Context> = described(
  fields({
    message_id: parsed(
      { type: 'string', pattern: PLATFORM_ID_FORM.source }, "the platform's id of a message, such as wamid.…",
      (id) => (QUOTED_FORM.test(id) ? parsePlatformId(id) : undefined),
    ),
  }),
  "The message that this one quotes, named by its platform id.",
)

/** An application's metadata of a message. */
export const Metadata: Codec<Noted> = codec(METADATA_RULE, {
  schema: {
    type: 'object', maxProperties: MAX_METADATA, propertyNames: { minLength: 1, maxLength: MAX_METADATA_KEY },
    additionalProperties: { type: 'string', maxLength: MAX_METADATA_VALUE },
    description: `The application's own notes on the message: at most ${MAX_METADATA} strings, keys of at most ${MAX_METADATA_KEY} characters and values of at most ${MAX_METADATA_VALUE}. It is never sent to the platform.`,
  },
}, (value, context) => (isMetadata(value) ? t.success(value) : t.failure(value, context)))

/** The metadata that messages must have, in a query: `metadata.order=A-17`, or `metadata[order]=A-17`. */
export const MetadataQuery: Codec<Noted> = described(Metadata,
  'Only messages with all of these metadata, as `metadata.order=A-17` or `metadata[order]=A-17`. No index covers metadata, so a page searches the next 10,000 messages that match the other parameters: it '
    + 'may contain few messages, or none, and still have a `next_cursor`.')

/** Where content breaks its limits, in a reply. */
export const Breaches = named('Breaches', described(array<Breach>(record({
  path: described(string(), 'The field, such as `interactive.action.buttons[1].reply.title`.'),
  rule: described(string(), 'What the value must be.'),
  given: codec<Breach['given']>('a length, a count, a type or null', {
    schema: { type: ['string', 'number', 'null'], description: 'The value received, as a length, a count, a number or the name of a JSON type; null if it was missing. Never the text itself.' },
  }, (value, context) =>
    value === null || typeof value === 'string' || typeof value === 'number' ? t.success(value) : t.failure(value, context)),
})), 'Each field of the content that breaks a limit of its type, the first 100 of them.'))

/** A text with only letters, `-` and `_` may be an id, but is more likely a misspelled word of another address, such as `send_text`. */
const unlessWord = <A>(inner: Codec<A>): Codec<A> => ({ ...inner, isLikely: (text) => !/^[A-Za-z_-]*$/.test(text) })

/** A message's id in an address; a text of another form results in `not_found`. */
export const MessageName: Codec<MessageRef> = unlessWord(orElse(described(
  parsed({ type: 'string', pattern: PLATFORM_ID_FORM.source }, 'an id of a message', parseMessageRef),
  "The gateway's id, `msg_…`, or the platform's, on WhatsApp `wamid.…`, URL-encoded.", 'msg_0199c3a87c2e7b1f9d5a4e6b8c0d2f41',
), missingThing('No message can have this id: the id of a message is msg_… or the id of the platform, such as wamid.…, URL-encoded')))

/** A batch's id in an address; a text of another form results in `not_found`. */
export const BatchName: Codec<BatchId> = orElse(described(
  parsed({ type: 'string', pattern: BATCH_ID_FORM.source }, 'an id of a batch', (id) => (isBatchId(id) ? id : undefined)),
  'The id of the batch.', 'bat_0199c3a87c2e7b1f9d5a4e6b8c0d2f41',
), missingThing('No batch can have this id: the id of a batch is bat_…'))

/** The state of a batch, in a reply. */
export const BatchStateWord = named('BatchState', word<BatchState>({
  draft: 'its recipients may change, and nothing is reserved',
  confirmed: 'its total is reserved, and it waits for its time or is about to start',
  sending: 'its messages are being sent',
  paused: 'nothing more of it is sent until it is resumed',
  done: 'every recipient has an outcome',
  canceled: 'nothing more of it is sent',
}))

/** The platform's id of a customer's message in an address; a text of another form results in `not_found`. */
export const InboundMessageName: Codec<PlatformId> = orElse(described(
  parsed(
    { type: 'string', pattern: PLATFORM_ID_FORM.source }, "the platform's id of a message",
    (id) => (QUOTED_FORM.test(id) ? parsePlatformId(id) : undefined),
  ),
  "The platform's id of the customer's message, on WhatsApp `wamid.…`, URL-encoded.", 'wamid.HBgNNTUxMTk4NzY1NDMyMRUCABIYEjNB',
), missingThing('No message can have this id: the id of a customer’s message is the id of the platform, such as wamid.…, URL-encoded'))

/** The platform's id of an attachment in an address; a text of another form results in `not_found`. */
export const MediaName: Codec<MediaId> = orElse(described(
  parsed({ type: 'string', pattern: '^[0-9]{1,64}$' }, 'an id of an attachment', parseMediaId),
  "The platform's id of the attachment, as its notification names it.", '1003383421387256',
), missingThing('No attachment can have this id: the id of an attachment consists of digits, as in its event'))

export const MessageId = named('MessageId', described(string(form(MESSAGE_ID_FORM, 'a message id')), "The gateway's id of a message."))

export const Amount = named('Amount', described(
  string(form(/^-?[0-9]+\.[0-9]{6}$/, 'an amount')),
  'An amount of money as a decimal string with six decimals, exact to a millionth of the currency; never a float.',
))

export const Currency = named('Currency', described(string(form(/^[A-Z]{3}$/, 'a currency')), 'The ISO 4217 code of a currency.'))

export const Time = named('Time', described(
  parsed({ type: 'string', format: 'date-time' }, 'a time', (text) => text),
  'A date and time in ISO 8601, in UTC with milliseconds.',
))

export const PlatformError = named('PlatformError', described(
  anyObject, "The platform's complete error object: `code`, `message`, `error_data` and all other fields.",
))

/** Whether it is worth repeating the same request, in a reply. */
export const RetryAdvice: Codec<Retry> = named('Retry', described(record({
  when: word<Retry['when']>({
    never: 'do not repeat it', after: 'repeat the same request after `after_s` seconds', same_key: 'the outcome may be known later: repeat it with the same `Idempotency-Key`',
    changed: 'only after the request, or what the page of the error names, was changed',
  }),
}, { after_s: described(count, 'Only if `when` is `after`: the seconds of `Retry-After`.') }), 'Whether the same request is worth repeating.'))

/** The name of a template in a request. Names are stored, and some databases cannot store control characters. */
export const TemplateName = string(length(MAX_TEMPLATE_NAME_LENGTH), wellFormed, withoutControls)

/** A placeholder of a template, in a reply. */
export const Placeholders = named('Placeholders', described(array<Placeholder>(record({
  component: word<Placeholder['component']>({ header: '', body: '', button: '', limited_time_offer: '' }),
  type: described(string(), 'The type of the parameter that fills it, such as `text`, `image`, `location`, `coupon_code` or `payload`.'),
}, {
  index: described(count, 'The position of a variable in its component, from 1.'),
  name: described(string(), 'The name of a variable, if the template names its variables: `parameter_name`.'),
  button: described(count, 'The `index` of a button, from 0.'),
  card: described(count, 'The `card_index` of a card of a carousel, from 0.'),
  optional: described(onlyTrue, 'If it is present, a send may omit this placeholder.'),
})), 'The placeholders of a template that a send fills.'))

export const State = named('MessageState', word<MessageState>({
  queued: 'waiting for its time, and not sent yet',
  pending: 'stored, and perhaps being sent',
  accepted: 'accepted by the platform',
  sent: 'on its way to the customer',
  delivered: 'on the device of the customer',
  read: 'seen by the customer',
  played: 'a voice note that the customer has listened to, so also read',
  failed: 'not delivered; its price was refunded',
  refused: 'never sent; nothing was charged',
  unconfirmed: 'may or may not have been sent; its price stays on hold until that is known',
  released: 'given up, because the platform did not report on it for a long time; its price was released',
  canceled: 'taken back while it was queued, and never sent; nothing was charged',
}))

export const Kind = word<EntryKind>({
  top_up: 'money added',
  hold: 'held for a message',
  capture: 'a hold charged',
  release: 'a hold released',
  refund: 'a captured price refunded',
  adjustment: 'a correction by the operator, of either sign',
})

const DEFAULT_LIMIT = 20
const MAX_LIMIT = 100

/** How many items a page of a list has. */
export const pageLimit = described(integer(1, MAX_LIMIT, DEFAULT_LIMIT), 'The maximum number of items.')

/** The forms of the cursors of the lists under `/v1`, after the name of the list. */
const CURSOR_FORMS = {
  batches: 'bat_[0-9a-f]{32}', deliveries: '[0-9a-f]{32}', entries: '[0-9a-f]{32}', messages: 'msg_[0-9a-f]{32}',
  templates: '[A-Za-z0-9_-]{1,4096}',
}

/** The parameters of every list: the number of items, and the item after which the page starts. */
export const pageParameters = (list: keyof typeof CURSOR_FORMS) => ({
  limit: pageLimit,
  cursor: described(
    parsed({ type: 'string', pattern: `^${list}\\.${CURSOR_FORMS[list]}$` }, 'a next_cursor of this list', (text) => cursorOf(list, text)),
    'Where to continue: the `next_cursor` of the previous page.',
  ),
})

/** The page query of a port, from the parameters of a request. */
export const pageQuery = ({ limit = DEFAULT_LIMIT, cursor }: { readonly limit?: number; readonly cursor?: string }) =>
  ({ limit, ...(cursor !== undefined && { cursor }) })

/** A cursor contains the name of its list, so that the cursor of another list is refused. */
const cursorOf = (list: ListName, text: string): string | undefined => {
  const [name, ...rest] = text.split('.')
  const cursor = rest.join('.')
  return name !== list ? undefined : list === 'templates' ? decodedTemplateCursor(cursor) : isCursorOf(list, cursor) ? cursor : undefined
}

/** A cursor of templates contains names and languages, which may be in any script. */
export const encodedTemplateCursor = (cursor: string): string => Buffer.from(cursor).toString('base64url')

/** The cursor of templates from a text that `encodedTemplateCursor` returned; none for any other text. */
export const decodedTemplateCursor = (text: string): string | undefined => {
  const cursor = Buffer.from(text, 'base64url').toString()
  return encodedTemplateCursor(cursor) === text && isCursorOf('templates', cursor) ? cursor : undefined
}

/** The cursor that a caller sends to get the next page. */
export const NextCursor = nullable(string(), 'The `cursor` of the next page; null at the end.')

/** Adds the name of the list to a page's cursor. */
export const nextCursor = (list: ListName, { next }: Page<unknown>): string | null => (next === undefined ? null : `${list}.${next}`)

const endpointId = parsed(
  { type: 'string', pattern: '^ep_[0-9a-f]{32}$' }, 'an id of an endpoint, ep_…', (text) => (isEndpointId(text) ? text : undefined),
)
const eventId = parsed(
  { type: 'string', pattern: EVENT_ID_FORM.source }, 'an id of an event, evt_…', (text) => (isEventId(text) ? text : undefined),
)

/** An endpoint's id in an address; a text of another form results in `not_found`. */
export const EndpointName: Codec<EndpointId> =
  orElse(described(endpointId, "The endpoint's id, `ep_…`.", 'ep_0199c3a87c2e7b1f9d5a4e6b8c0d2f41'),
    missingThing('No endpoint can have this id: the id of an endpoint is ep_ and 32 digits and letters from a to f'))

/** An event's id in an address; a text of another form results in `not_found`. */
export const EventName: Codec<EventId> =
  orElse(described(eventId, "The event's id, `evt_…`.", 'evt_0199c3a87c2e7b1f9d5a4e6b8c0d2f41'),
    missingThing('No event can have this id: the id of an event is evt_ and 32 digits and letters from a to f'))

/** An endpoint's id in a body or a reply. */
export const EndpointIdText: Codec<EndpointId> = named('EndpointId', described(endpointId, "An endpoint's id."))

/** An event's id in a query or a reply. */
export const EventIdText: Codec<EventId> = named('EventId', described(eventId, "An event's id. A receiver recognises a repetition by it."))

/** The type of an event, in a reply. */
export const EventTypeWord: Codec<EventType> = named('EventType', word<EventType>({
  'message.accepted': 'the platform accepted a message',
  'message.sent': 'it is on its way to the customer',
  'message.delivered': 'it is on the device of the customer',
  'message.read': 'the customer has seen it',
  'message.played': 'the customer has listened to it, for the first time',
  'message.failed': 'it was not delivered; its price was refunded',
  'message.refused': 'it was never sent; nothing was charged',
  'message.unconfirmed': 'it may or may not have been sent',
  'message.released': 'it was given up, and its price was released',
  'message.overdue': 'it was not delivered within `confirm_within`',
  'message.queued': 'it waits for its time',
  'message.canceled': 'it was taken back while it was queued, and never sent',
  'message.received': 'a customer wrote',
  'window.opened': 'a customer wrote, and the customer service window was closed before',
  'customer.changed': 'a pair of ids of a customer was learned or ended',
  'customer.opted_out': 'a customer stopped marketing messages, or all messages',
  'customer.opted_in': 'a customer allowed them, or allowed them again',
  'wallet.topped_up': 'money was added',
  'wallet.low': 'the available balance of the wallet fell below its threshold',
  'wallet.exhausted': 'the wallet could not cover a message',
  'template.changed': 'the status, the category or the quality of a template changed',
  'sender.failing': 'the platform refuses the credentials of the sender',
  'sender.recovered': 'the platform accepts them again',
  'sender.quality': 'the quality, the throughput or the messaging limit of a number changed',
  'batch.confirmed': 'a batch was confirmed, and its total is reserved',
  'batch.paused': 'a batch was paused, by a person or by its brake',
  'batch.canceled': 'a batch was canceled',
  'batch.done': 'every line of a batch has its outcome',
  'key.minted': 'an API key was created',
  'key.revoked': 'an API key was revoked',
  'endpoint.disabled': 'an endpoint was disabled, because it failed for five days or answered 410',
  'endpoint.test': 'a test of an endpoint was requested',
  [PLATFORM_NOTIFICATION]: 'a notification of the platform, which endpoints of the format `platform` receive unchanged',
}))

/** The groups of types, and the types, in the order of the types. */
const PATTERNS: ReadonlyArray<string> = ['*', ...new Set(EVENT_TYPES.flatMap((type) => [type.replace(/\..*$/, '.*'), type]))]

/** A type, a group of types, or all types. */
export const EventPattern: Codec<string> = named('EventPattern', described(
  parsed({ type: 'string', enum: PATTERNS }, 'a type of event such as message.delivered, a group such as message.*, or *',
    (text) => (isEventPattern(text) ? text : undefined)),
  'A type of event, a group of types such as `message.*`, or `*` for all.',
))

/** The format of an endpoint's deliveries. */
export const EndpointFormatWord: Codec<EndpointFormat> = named('EndpointFormat', word<EndpointFormat>({
  postern: 'events, as Standard Webhooks',
  platform: "the platform's notifications, as it sends them",
}))

/** The types of events that an endpoint gets, in a request. */
export const EventFilterBody: Codec<EventFilter> = array(EventPattern, 'an array', {
  minItems: 1, maxItems: MAX_EVENT_TYPES, uniqueItems: true,
})

/** Types of events in a query. */
export const EventFilterQuery: Codec<EventFilter> = described(commaSeparated(EventFilterBody), 'Only events of these types, separated by commas, such as `message.received,wallet.*`.')

/** Whether events are delivered to an endpoint. */
export const EndpointStatusWord = named('EndpointStatus', word<EndpointStatus>({
  enabled: 'events are delivered to it',
  disabled: 'no events are delivered to it; once it is enabled, it receives the events that occur from then on',
}))

/** The result of an attempt to deliver an event. */
export const DeliveryStatusWord = named('DeliveryStatus', word<DeliveryStatus>({
  delivered: 'the endpoint accepted the event: it answered with a 2xx within 15 seconds', failed: 'it did not accept the event',
}))

/** The HTTP status of an endpoint's answer. */
export const HttpStatus = nullable(count, 'The HTTP status of the answer; null if there was none.')

/** `ENDPOINT_URL_FORM` without its class of Unicode, which most languages cannot compile. */
const DOCUMENTED_URL = String.raw`^[Hh][Tt][Tt][Pp][Ss]?://[^\s/?#@\\]+([/?][!-"$-~]*)?$`

/** The address of an endpoint in a request. */
export const EndpointUrl: Codec<string> = described(
  parsed(
    { type: 'string', pattern: DOCUMENTED_URL, maxLength: MAX_ENDPOINT_URL_LENGTH, 'x-maxUtf16Length': MAX_ENDPOINT_URL_LENGTH },
    `an absolute https URL without a user, a password or a fragment, of at most ${MAX_ENDPOINT_URL_LENGTH} characters, with ${USABLE_HOST}`,
    endpointUrlOf,
  ),
  'Where events are delivered: an absolute `https` URL without a user, a password or a fragment. `http`, and addresses that are not public, only if the operator allows them; '
    + 'that is checked at each delivery.',
  'https://shop.example/postern',
)

function endpointUrlOf(text: string): string | undefined {
  const url = parseEndpointUrl(text)
  return E.isRight(url) && isUrl(url.right) ? url.right : undefined
}

/** Not `URL.canParse`: in Node.js 22 it misreads letters outside ASCII once the process has called it some hundred times. */
function isUrl(text: string): boolean {
  return (URL.parse(text)?.hostname ?? '') !== ''
}

/** The purpose of an endpoint, in a request. */
export const Description: Codec<string> = described(
  string(atMost(MAX_DESCRIPTION_LENGTH), wellFormed, withoutControls), `Its purpose, in your words: one line of at most ${MAX_DESCRIPTION_LENGTH} characters.`,
)

/** A date and time in a request. */
export const Moment: Codec<Instant> = described(
  parsed(
    { type: 'string', pattern: MOMENT_FORM.source },
    'a date and time in ISO 8601 with its time zone, such as 2026-03-01T12:00:00Z, or a day such as 2026-03-01', parseMoment,
  ),
  'A date and time in ISO 8601, with its time zone. A day alone, such as `2026-03-01`, means midnight UTC at its start.',
  '2026-03-01T12:00:00Z',
)
