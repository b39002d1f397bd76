import * as E from 'fp-ts/lib/Either.js'
import type { InvalidPhoneNumber } from './invalid.js'
import { canonicalJson, type JsonObject } from './json.js'

/** An E.164 number as digits without `+`: country code first, 7 to 15 digits. */
export type PhoneNumber = string & { readonly PhoneNumber: unique symbol }

/** Our id of a message, unique across workspaces: `msg_` and 32 lowercase hexadecimal digits of a UUIDv7, so that ids sort by time. */
export type MessageId = string & { readonly MessageId: unique symbol }

/** The platform's id of a message, `wamid.…`. Opaque; it embeds a phone number, so it is personal data. */
export type PlatformId = string & { readonly PlatformId: unique symbol }

/** Free text, which the platform delivers only while the customer service window is open. */
export type TextMessage = { readonly _tag: 'Text'; readonly to: PhoneNumber; readonly text: string }

/** An approved template with its variables, which may be sent at any time. */
export type TemplateMessage = {
  readonly _tag: 'Template'
  readonly to: PhoneNumber
  readonly name: string
  readonly language: string
  /** Passed on untouched. */
  readonly components?: ReadonlyArray<JsonObject>
}

/** What can be sent. */
export type Message = TextMessage | TemplateMessage

/** The language of a template whose caller names none. */
export const DEFAULT_LANGUAGE = 'en'

/** The longest text in UTF-16 units. Whether the platform counts those or code points is unconfirmed; this is the safe side. */
export const MAX_TEXT_LENGTH = 4096

/** The longest name of a template. */
export const MAX_TEMPLATE_NAME_LENGTH = 512

const E164 = /^[1-9][0-9]{6,14}$/
const SEPARATORS = /[ \-.()]/g
const MESSAGE_ID = /^msg_[0-9a-f]{32}$/

/** Reads a number written as digits only. */
export const parsePhoneNumber = (text: string): E.Either<InvalidPhoneNumber, PhoneNumber> =>
  E164.test(text) ? E.right(text as PhoneNumber) : E.left({ _tag: 'InvalidPhoneNumber', form: 'digits' })

/** Reads a number as people write it: a leading `+` and the separators space, `-`, `.`, `(` and `)` are dropped. */
export const parseWrittenPhoneNumber = (text: string): E.Either<InvalidPhoneNumber, PhoneNumber> => {
  const digits = text.replace(SEPARATORS, '').replace(/^\+/, '')
  return E164.test(digits) ? E.right(digits as PhoneNumber) : E.left({ _tag: 'InvalidPhoneNumber', form: 'written' })
}

/** Whether a text has the form of a message's id. */
export const isMessageId = (text: string): text is MessageId => MESSAGE_ID.test(text)

/** The message id made of a UUIDv7; its dashes are dropped. */
export const messageIdOf = (uuid: string): MessageId => `msg_${uuid.replaceAll('-', '')}` as MessageId

/** A text that is equal for two messages exactly where they ask for the same thing to be sent. */
export const requestOf = (message: Message): string => canonicalJson(message)
