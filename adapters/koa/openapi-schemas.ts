import type { MessageState } from '../../core/delivery.js'
import type { EntryKind } from '../../core/hold.js'
import { DEFAULT_LANGUAGE, MAX_TEMPLATE_NAME_LENGTH, MAX_TEXT_LENGTH } from '../../core/message.js'
import { MAX_LANGUAGE_LENGTH, MAX_NESTING } from './codecs.js'
import type { Schema } from './openapi-types.js'

const STATES: Readonly<Record<MessageState, string>> = {
  pending: 'durable, and perhaps on its way',
  accepted: 'taken by the platform',
  sent: 'on its way to the customer',
  delivered: 'on the device of the customer',
  read: 'seen by the customer',
  failed: 'not delivered; its price was refunded',
  refused: 'never sent; nothing was charged',
  unconfirmed: 'may or may not have gone; its price stays on hold until that is known',
  released: 'given up after a long time without a sign of it; its price was given back',
}

const ENTRY_KINDS: Readonly<Record<EntryKind, string>> = {
  top_up: 'money added',
  hold: 'set aside for a message',
  capture: 'a hold spent',
  release: 'a hold given back',
  refund: 'a captured price given back',
  adjustment: 'a correction by the operator, of either sign',
}

/** An object of exactly these fields, each always present. */
export const closed = (properties: Readonly<Record<string, Schema>>, description?: string): Schema => ({
  type: 'object', ...(description !== undefined && { description }),
  properties, required: Object.keys(properties), additionalProperties: false,
})

/** Refers to one of the document's schemas. */
export const schema = (name: keyof typeof schemas): Schema => ({ $ref: `#/components/schemas/${name}` })

const ref = (name: string): Schema => ({ $ref: `#/components/schemas/${name}` })

const orNull = (description: string): Schema => ({ type: ['string', 'null'], description })

const glossary = (words: Readonly<Record<string, string>>): string =>
  Object.entries(words).map(([word, meaning]) => `\`${word}\`: ${meaning}`).join('; ')

const page = (name: string, item: string): Schema =>
  closed({
    [name]: { type: 'array', items: ref(item), description: 'Newest first.' },
    next_cursor: orNull('The `cursor` of the next part; null at the end.'),
  })

/** What bodies are made of. Those of replies are closed: a field that is not named here is not sent. */
export const schemas = {
  PhoneNumber: {
    type: 'string', pattern: '^[1-9][0-9]{6,14}$',
    description: 'An E.164 number as digits only: country code first, 7 to 15 digits, no `+`, no separators.',
  },
  WrittenPhoneNumber: {
    type: 'string', pattern: '^[ .()-]*\\+?[ .()-]*[1-9]([ .()-]*[0-9]){6,14}[ .()-]*$',
    description:
      'An E.164 number as people write it: country code first, 7 to 15 digits; a leading `+` and the separators space `-` `.` `(` `)` ' +
      'are accepted and dropped.',
  },
  MessageId: { type: 'string', pattern: '^msg_[0-9a-f]{32}$', description: "The gateway's id of a message." },
  Amount: {
    type: 'string', pattern: '^-?[0-9]+\\.[0-9]{6}$',
    description: 'An amount of money as a decimal string with six decimals, exact to a millionth of the currency; never a float.',
  },
  Currency: { type: 'string', pattern: '^[A-Z]{3}$', description: 'The code of a currency, as ISO 4217 writes it.' },
  Time: { type: 'string', format: 'date-time', description: 'A moment in UTC with milliseconds, as ISO 8601 writes it.' },
  PlatformError: {
    type: 'object', additionalProperties: true,
    description: "The platform's error object, whole: its `code`, `message`, `error_data` and whatever else it says.",
  },
  SendTextRequest: {
    type: 'object', required: ['to', 'text'], additionalProperties: true,
    description: 'Unknown fields are ignored.',
    properties: {
      to: ref('PhoneNumber'),
      text: { type: 'string', minLength: 1, maxLength: MAX_TEXT_LENGTH, description: `1 to ${MAX_TEXT_LENGTH} characters, counted in UTF-16 units.` },
    },
  },
  SendTemplateRequest: {
    type: 'object', required: ['to', 'template_name'], additionalProperties: true,
    description: 'Unknown fields are ignored.',
    properties: {
      to: ref('WrittenPhoneNumber'),
      template_name: { type: 'string', minLength: 1, maxLength: MAX_TEMPLATE_NAME_LENGTH, description: 'The exact name of an approved template.' },
      language: {
        type: 'string', minLength: 1, maxLength: MAX_LANGUAGE_LENGTH, default: DEFAULT_LANGUAGE,
        description: 'The code of the language the template was approved in; passed on exactly as given.',
      },
      components: {
        type: 'array', items: ref('TemplateComponent'),
        description: `What fills the template's variables; passed on untouched. Nested at most ${MAX_NESTING} levels deep.`,
      },
    },
  },
  TemplateComponent: {
    type: 'object', required: ['type'], additionalProperties: true,
    description: 'A part of the template, such as its `header`, `body` or a `button`. Every other field is passed on untouched.',
    properties: { type: { type: 'string' }, parameters: { type: 'array', items: ref('TemplateParameter') } },
  },
  TemplateParameter: { oneOf: [ref('TextParameter'), ref('OtherParameter')] },
  TextParameter: {
    type: 'object', required: ['type', 'text'], additionalProperties: true,
    description: 'A variable of the template that is a text. Every other field is passed on untouched.',
    properties: { type: { type: 'string', const: 'text' }, text: { type: 'string' } },
  },
  OtherParameter: {
    type: 'object', required: ['type'], additionalProperties: true,
    description: 'A variable of the template of another type, such as `currency` or `image`. Every other field is passed on untouched.',
    properties: { type: { type: 'string', not: { const: 'text' } } },
  },
  Sent: closed({
    status: { type: 'string', const: 'success' },
    message_id: { type: 'string', pattern: '^wamid\\.', description: "The platform's id of the message." },
  }),
  Message: closed({
    id: ref('MessageId'),
    platform_id: orNull("The platform's id, `wamid.…`; null until the platform has accepted the message."),
    kind: { type: 'string', enum: ['text', 'template'] },
    to: ref('PhoneNumber'),
    state: ref('MessageState'),
    price: ref('Amount'),
    currency: ref('Currency'),
    template_name: orNull('The name of the template; null for a text.'),
    language: orNull('The language of the template; null for a text.'),
    error: { type: ['object', 'null'], additionalProperties: true, description: 'Why it was refused or failed, as the platform said it; else null.' },
    created_at: ref('Time'),
    history: {
      type: 'array', items: closed({ state: ref('MessageState'), at: ref('Time') }),
      description: 'The states it has been in, oldest first; each appears once.',
    },
  }, 'An outbound message and what became of it. Its text and variables are never stored.'),
  MessageState: { type: 'string', enum: Object.keys(STATES), description: glossary(STATES) },
  Messages: page('messages', 'Message'),
  Wallet: closed({
    currency: ref('Currency'), available: ref('Amount'), held: ref('Amount'),
  }, 'A prepaid balance: what can be spent, and what is set aside for messages under way.'),
  Entry: closed({
    id: { type: 'string' },
    kind: { type: 'string', enum: Object.keys(ENTRY_KINDS), description: glossary(ENTRY_KINDS) },
    amount: ref('Amount'),
    message_id: orNull('The message whose money moved; null for a top-up or an adjustment.'),
    reference: orNull("The operator's reference of a top-up or an adjustment; null for a message."),
    created_at: ref('Time'),
  }, 'One movement of a wallet; `amount` is its size.'),
  Entries: page('entries', 'Entry'),
  Window: closed({
    open: { type: 'boolean', description: 'Whether a text may be sent now.' },
    last_inbound_at: { type: ['string', 'null'], format: 'date-time', description: "When the customer's latest message came; null where there was none." },
    closes_at: { type: ['string', 'null'], format: 'date-time', description: '24 hours after that; null where the customer never wrote.' },
  }, 'The customer service window of one customer.'),
  Healthy: closed({ status: { type: 'string', const: 'ok' } }),
  Unready: closed({
    status: { type: 'string', const: 'unavailable' },
    reasons: { type: 'array', items: { type: 'string' }, description: 'What is amiss, in sentences for the operator.' },
  }),
} as const satisfies Readonly<Record<string, Schema>>
