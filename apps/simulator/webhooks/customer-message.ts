/** A customer's message: a text, or a message of another type; every field has a default. */
export type CustomerMessage = {
  /** `text` by default; any name is possible, including names that the platform does not know. */
  readonly type?: string
  readonly text?: string
  /** The bytes of an attachment in base64, its content type, and the name of a document; there are defaults for each type. */
  readonly data?: string
  readonly mime_type?: string
  readonly filename?: string
  /** How many bytes the attachment has: `data` is repeated, or cut. */
  readonly size?: number
  /** Whether an `audio` was recorded as a voice message (the default) or is a file. */
  readonly voice?: boolean
  /** The kind of reply of an `interactive` message: `button_reply` by default. */
  readonly interactive?: InteractiveReply
  /** The data of a `button` or an `interactive` reply, in addition to the text that the customer sees. */
  readonly payload?: string
  /** The emoji of a `reaction`; an empty one removes the reaction. */
  readonly emoji?: string
  /** The id of the message that this one replies to, or that a `reaction`, an `edit` or a `revoke` refers to. */
  readonly reply_to?: string
  readonly forwarded?: boolean
  /** Whether it was forwarded more than five times. */
  readonly frequently_forwarded?: boolean
  /** Whether the customer came from an advertisement. */
  readonly referral?: boolean
  /** Milliseconds since the Unix epoch; now by default. */
  readonly at?: number
  /** The name in the customer's profile. */
  readonly name?: string
  /** Whether the phone number is omitted from this message; `hide-number` omits it from every notification. */
  readonly bsuidOnly?: boolean
  /** Whether another app replies to the customer, so that the message arrives in the field `standby`. */
  readonly standby?: boolean
  /** Fields that replace those of the message, so that it can be invalid in any way. */
  readonly fields?: Readonly<Record<string, unknown>>
}

/** The replies of `interactive` messages: a button, a row of a list, a form. */
export type InteractiveReply = 'button_reply' | 'list_reply' | 'nfm_reply'
