/** A customer's message: a text, or a message of another type; every field has a default. */
export type CustomerMessage = {
  /** `text` by default; any name, also one that the platform does not know. */
  readonly type?: string
  readonly text?: string
  /** The bytes of an attachment in base64, its content type, and the name of a document; there are defaults for each type. */
  readonly data?: string
  readonly mime_type?: string
  readonly filename?: string
  /** How many bytes the attachment has: `data` is repeated, or cut. */
  readonly size?: number
  /** Whether an `audio` was recorded as a voice message, as it is by default, or is a file. */
  readonly voice?: boolean
  /** How an `interactive` message answers: `button_reply` by default. */
  readonly interactive?: InteractiveReply
  /** What a `button`, or an `interactive` reply, has besides the text that the customer sees. */
  readonly payload?: string
  /** The emoji of a `reaction`; an empty one takes the reaction back. */
  readonly emoji?: string
  /** The id of the message that this one answers, or that a `reaction`, an `edit` or a `revoke` is about. */
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
  /** Whether the phone number is left out of this message; `hide-number` leaves it out of every notification. */
  readonly bsuidOnly?: boolean
  /** Whether another app answers the customer, so that the message comes in the field `standby`. */
  readonly standby?: boolean
  /** Fields that replace those of the message, so that it can be invalid in any way. */
  readonly fields?: Readonly<Record<string, unknown>>
}

/** The answers that `interactive` messages offer: a button, a row of a list, a form. */
export type InteractiveReply = 'button_reply' | 'list_reply' | 'nfm_reply'
