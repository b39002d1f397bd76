import { canonicalJson, type JsonObject } from './json.js'
import type { CustomerId, CustomerIds } from './customer.js'
import { uuidPrefixOf, type Instant } from './time.js'

/** Our id of a message, unique across workspaces: `msg_` and 32 lowercase hexadecimal digits of a UUIDv7, so that ids sort by time. */
export type MessageId = string & { readonly MessageId: unique symbol }

/** The platform's id of a message, `wamid.…`. Opaque; it embeds a phone number, so it is personal data. */
export type PlatformId = string & { readonly PlatformId: unique symbol }

/** Free text, which the platform delivers only while the customer service window is open. */
export type TextMessage = { readonly _tag: 'Text'; readonly to: CustomerId; readonly text: string }

/** An approved template with its variables, which may be sent at any time. */
export type TemplateMessage = {
  readonly _tag: 'Template'
  readonly to: CustomerId
  readonly name: string
  readonly language: string
  /** Passed on untouched. */
  readonly components?: ReadonlyArray<JsonObject>
}

/** What can be sent. */
export type Message = TextMessage | TemplateMessage

/** The platform's answer to a message that it accepted: its id and, where the answer names them, the ids of the customer. */
export type Accepted = { readonly platformId: PlatformId; readonly customer?: CustomerIds }

/** A message the platform accepted; `replayed` where an earlier request with the same idempotency key had sent it. */
export type Sent = { readonly id: MessageId; readonly platformId: PlatformId; readonly replayed: boolean }

/** The language of a template whose caller names none. */
export const DEFAULT_LANGUAGE = 'en'

/** A template as a caller asks for it. */
export type NewTemplateMessage = {
  readonly to: CustomerId
  /** The exact name of the template, 1 to `MAX_TEMPLATE_NAME_LENGTH` characters. */
  readonly name: string
  /** Passed on exactly as given; `DEFAULT_LANGUAGE` where absent. */
  readonly language?: string
  readonly components?: ReadonlyArray<JsonObject>
}

/** The message that a caller asks for. */
export const templateMessage = ({ to, name, language = DEFAULT_LANGUAGE, components }: NewTemplateMessage): TemplateMessage =>
  ({ _tag: 'Template', to, name, language, ...(components && { components }) })

/** The longest text in UTF-16 units. Whether the platform counts those or code points is unconfirmed; this is the safe side. */
export const MAX_TEXT_LENGTH = 4096

/** The longest name of a template. */
export const MAX_TEMPLATE_NAME_LENGTH = 512

/** The form of a message's id. */
export const MESSAGE_ID_FORM = /^msg_[0-9a-f]{32}$/

/** The platform's own are 48 to 56 characters long after their prefix; a longer one is not stored. */
const PLATFORM_ID = /^[!-~]{1,255}$/

/** The platform's id of a message, where a value can be one. */
export const parsePlatformId = (value: unknown): PlatformId | undefined =>
  typeof value === 'string' && PLATFORM_ID.test(value) ? (value as PlatformId) : undefined

/** Whether a text has the form of a message's id. */
export const isMessageId = (text: string): text is MessageId => MESSAGE_ID_FORM.test(text)

/** The message id made of a UUIDv7; its dashes are dropped. */
export const messageIdOf = (uuid: string): MessageId => `msg_${uuid.replaceAll('-', '')}` as MessageId

/** The text before which no id of a message of a moment or later sorts. */
export const firstMessageIdAt = (at: Instant): string => `msg_${uuidPrefixOf(at)}`

/** A text that is equal for two messages exactly where they ask for the same thing to be sent. */
export const requestOf = (message: Message): string => canonicalJson(message)
