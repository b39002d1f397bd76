import * as O from 'fp-ts/lib/Option.js'
import {
  type CustomerId as AnyCustomerId, parseCustomerId, parseWrittenCustomerId, PHONE_NUMBER_FORM, USER_ID_FORM, WRITTEN_PHONE_NUMBER_FORM,
} from '../../core/customers/customer.js'
import type { Page } from '../../core/kernel/json.js'
import { type MediaId, parseMediaId } from '../../core/messages/conversation.js'
import type { MessageRef } from '../../core/messages/message-log.js'
import { isMessageId, MAX_TEMPLATE_NAME_LENGTH, MESSAGE_ID_FORM, type MessageState, parsePlatformId, type PlatformId } from '../../core/messages/message.js'
import type { EntryKind } from '../../core/money/wallet.js'
import type { Placeholder } from '../../core/templates/template.js'
import {
  anyObject, array, type Codec, count, described, form, integer, length, named, nullable, onlyTrue, orElse, parsed, record, type Rule, string, word,
} from './schema.js'

export { A_FILE } from './schema.js'

/** Text that every database stores and every platform reads. */
export const wellFormed: Rule = form(/^\P{Cs}*$/u, 'well-formed Unicode')
export const withoutControls: Rule = form(/^\P{Cc}*$/u, 'without control characters')
export const notBlank: Rule = form(/\S/, 'more than blanks')

/** A number in a reply. */
export const PhoneNumber = named('PhoneNumber', described(
  string(form(PHONE_NUMBER_FORM, 'a phone number')), 'An E.164 number as digits only: country code first, 7 to 15 digits, no `+`, no separators.',
))

/** A user id in a reply. */
export const UserId = named('UserId', described(
  string(form(USER_ID_FORM, 'a user id')),
  "The platform's id of a customer, scoped to the business that sends: the code of a country, a dot, and letters and digits, such as " +
  '`DE.13491208655302741918`. Letter case counts.',
))

const OR_USER_ID = 'or a user id of the platform, such as `DE.13491208655302741918`, whose letter case counts.'

const eitherForm = (number: RegExp): string => `${number.source}|${USER_ID_FORM.source}`

/** A customer, by a number as digits only or by a user id. */
export const CustomerId: Codec<AnyCustomerId> = named('CustomerId', orElse(described(
  parsed({ type: 'string', pattern: eitherForm(PHONE_NUMBER_FORM) }, 'digits only, or a user id',
    (text) => O.toUndefined(O.fromEither(parseCustomerId(text)))),
  `An E.164 number as digits only: country code first, 7 to 15 digits, no \`+\`, no separators; ${OR_USER_ID}`,
), { _tag: 'InvalidPhoneNumber', form: 'digits' }))

/** A customer, by a number as people write it or by a user id. */
export const WrittenCustomerId: Codec<AnyCustomerId> = named('WrittenCustomerId', orElse(described(
  parsed({ type: 'string', pattern: eitherForm(WRITTEN_PHONE_NUMBER_FORM) }, 'a phone number, or a user id',
    (text) => O.toUndefined(O.fromEither(parseWrittenCustomerId(text)))),
  'An E.164 number as people write it: country code first, 7 to 15 digits; a leading `+` and the separators space `-` `.` `(` `)` ' +
  `are accepted and dropped; ${OR_USER_ID}`,
), { _tag: 'InvalidPhoneNumber', form: 'written' }))

const PLATFORM_ID_PREFIX = 'wamid.'

const messageRefOf = (id: string): MessageRef | undefined => {
  if (isMessageId(id)) return { id }
  const platformId = id.startsWith(PLATFORM_ID_PREFIX) ? parsePlatformId(id) : undefined
  return platformId && { platformId }
}

/** A message's id in an address; a text of another form is not found. */
export const MessageName: Codec<MessageRef> = orElse(described(
  parsed({ type: 'string', pattern: `${MESSAGE_ID_FORM.source}|^wamid\\.[!-~]{1,249}$` }, 'an id of a message', messageRefOf),
  "The gateway's id, `msg_…`, or the platform's, `wamid.…`, URL-encoded.", 'msg_0199c3a87c2e7b1f9d5a4e6b8c0d2f41',
), { _tag: 'NotFound' })

/** The platform's id of a customer's message in an address; a text of another form is not found. */
export const InboundMessageName: Codec<PlatformId> = orElse(described(
  parsed({ type: 'string', pattern: '^wamid\\.[!-~]{1,249}$' }, "the platform's id of a message",
    (id) => (id.startsWith(PLATFORM_ID_PREFIX) && id !== PLATFORM_ID_PREFIX ? parsePlatformId(id) : undefined)),
  "The platform's id of the customer's message, `wamid.…`, URL-encoded.", 'wamid.HBgNNTUxMTk4NzY1NDMyMRUCABIYEjNB',
), { _tag: 'NotFound' })

/** The platform's id of an attachment in an address; a text of another form is not found. */
export const MediaName: Codec<MediaId> = orElse(described(
  parsed({ type: 'string', pattern: '^[0-9]{1,64}$' }, 'an id of an attachment', parseMediaId),
  "The platform's id of the attachment, as its notification names it.", '1003383421387256',
), { _tag: 'NotFound' })

export const MessageId = named('MessageId', described(string(form(MESSAGE_ID_FORM, 'a message id')), "The gateway's id of a message."))

export const Amount = named('Amount', described(
  string(form(/^-?[0-9]+\.[0-9]{6}$/, 'an amount')),
  'An amount of money as a decimal string with six decimals, exact to a millionth of the currency; never a float.',
))

export const Currency = named('Currency', described(string(form(/^[A-Z]{3}$/, 'a currency')), 'The code of a currency, as ISO 4217 writes it.'))

export const Time = named('Time', described(
  parsed({ type: 'string', format: 'date-time' }, 'a time', (text) => text),
  'A moment in UTC with milliseconds, as ISO 8601 writes it.',
))

export const PlatformError = named('PlatformError', described(
  anyObject, "The platform's error object, whole: its `code`, `message`, `error_data` and whatever else it says.",
))

/** The name of a template in a request. Names are stored, and not every database stores control characters. */
export const TemplateName = string(length(MAX_TEMPLATE_NAME_LENGTH), wellFormed, withoutControls)

/** What fills a template, in a reply. */
export const Placeholders = named('Placeholders', described(array<Placeholder>(record({
  component: word<Placeholder['component']>({ header: '', body: '', button: '', limited_time_offer: '' }),
  type: described(string(), 'The type of the parameter that fills it, such as `text`, `image`, `location`, `coupon_code` or `payload`.'),
}, {
  index: described(count, 'The place of a variable among those of its component, from 1.'),
  name: described(string(), 'The name of a variable, where the template names its variables: `parameter_name`.'),
  button: described(count, 'The `index` of a button, from 0.'),
  card: described(count, 'The `card_index` of a card of a carousel, from 0.'),
  optional: described(onlyTrue, 'Where it is there, a send may leave this out.'),
})), 'The places of a template that a send fills.'))

export const State = named('MessageState', word<MessageState>({
  pending: 'stored, and perhaps being sent',
  accepted: 'accepted by the platform',
  sent: 'on its way to the customer',
  delivered: 'on the device of the customer',
  read: 'seen by the customer',
  failed: 'not delivered; its price was refunded',
  refused: 'never sent; nothing was charged',
  unconfirmed: 'may or may not have been sent; its price stays on hold until that is known',
  released: 'given up, because the platform did not report on it for a long time; its price was given back',
}))

export const Kind = word<EntryKind>({
  top_up: 'money added',
  hold: 'set aside for a message',
  capture: 'a hold spent',
  release: 'a hold given back',
  refund: 'a captured price given back',
  adjustment: 'a correction by the operator, of either sign',
})

const DEFAULT_LIMIT = 20
const MAX_LIMIT = 100

/** The parameters of every list: how many items, and after which. */
export const pageParameters = (list: string) => ({
  limit: described(integer(1, MAX_LIMIT, DEFAULT_LIMIT), 'The most items to give.'),
  cursor: described(
    parsed({ type: 'string', pattern: `^${list}\\.[!-~]{1,4096}$` }, 'a next_cursor of this list', (text) => cursorOf(list, text)),
    'Where to go on: the `next_cursor` of the page before.',
  ),
})

/** The page query of a port, from the parameters of a request. */
export const pageQuery = ({ limit = DEFAULT_LIMIT, cursor }: { readonly limit?: number; readonly cursor?: string }) =>
  ({ limit, ...(cursor !== undefined && { cursor }) })

const CURSOR = /^[!-~]{1,4096}$/

/** A cursor contains the name of its list, so that the cursor of another list is refused. */
const cursorOf = (list: string, text: string): string | undefined => {
  const [name, ...rest] = text.split('.')
  const cursor = rest.join('.')
  return name === list && CURSOR.test(cursor) ? cursor : undefined
}

/** The cursor that a caller sends to get the next page. */
export const NextCursor = nullable(string(), 'The `cursor` of the next page; null at the end.')

/** Adds the name of the list to a page's cursor. */
export const nextCursor = (list: string, { next }: Page<unknown>): string | null => (next === undefined ? null : `${list}.${next}`)
