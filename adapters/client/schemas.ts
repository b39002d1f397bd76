/*
 * Made of the OpenAPI document by `npm run client-types`; a test compares it with the document. It has types only, so that the
 * client imports nothing.
 */

/** An object of which the contract says no more. */
export type JsonObject = { readonly [field: string]: unknown }

/** The platform's complete error object: `code`, `message`, `error_data` and all other fields. */
export type PlatformError = JsonObject

/** The ISO 4217 code of a currency. */
export type Currency = string

/** An amount of money as a decimal string with six decimals, exact to a millionth of the currency; never a float. */
export type Amount = string

/** Each field of the content that breaks a limit of its type, the first 100 of them. */
export type Breaches = ReadonlyArray<{
  /** The field, such as `interactive.action.buttons[1].reply.title`. */ readonly path: string
  /** What the value must be. */ readonly rule: string
  /** The value received, as a length, a count, a number or the name of a JSON type; null if it was missing. Never the text itself. */ readonly given: string | number | null
}>

/** The placeholders of a template that a send fills. */
export type Placeholders = ReadonlyArray<{
  readonly component: 'header' | 'body' | 'button' | 'limited_time_offer'
  /** The type of the parameter that fills it, such as `text`, `image`, `location`, `coupon_code` or `payload`. */ readonly type: string
  /** The position of a variable in its component, from 1. */ readonly index?: number
  /** The name of a variable, if the template names its variables: `parameter_name`. */ readonly name?: string
  /** The `index` of a button, from 0. */ readonly button?: number
  /** The `card_index` of a card of a carousel, from 0. */ readonly card?: number
  /** If it is present, a send may omit this placeholder. */ readonly optional?: boolean
}>

/** A date and time in ISO 8601, in UTC with milliseconds. */
export type Time = string

/** Whether the same request is worth repeating. */
export type Retry = {
  readonly when: 'never' | 'after' | 'same_key' | 'changed'
  /** Only if `when` is `after`: the seconds of `Retry-After`. */ readonly after_s?: number
}

/** An E.164 number as digits only: country code first, 7 to 15 digits, no `+`, no separators; or a user id of the platform, such as `DE.13491208655302741918`, which is case-sensitive. */
export type CustomerId = string

/** If the limit of the sender or of the customer would refuse the message now, it waits until then, and the answer is 202. Otherwise it is sent immediately. */
export type QueueUntil = {
  /** From this time on it is not sent any more; at most 366 days ahead. */ readonly until: string
}

/** The hours in which the message may be sent. Outside them it waits until they begin, at most until `queue.until`, or for a day, and the answer is 202. */
export type DeliverBetween = {
  /** When the hours begin. */ readonly from: string
  /** When they end, up to `24:00`; on the next day if it is before `from`. */ readonly to: string
  /** The days on which they begin; every day if omitted. */ readonly days?: ReadonlyArray<'mon' | 'tue' | 'wed' | 'thu' | 'fri' | 'sat' | 'sun'>
  /** The IANA name of a time zone, or `customer`: the zones that the calling code and the area of the number have. `customer` if omitted. */ readonly timezone?: string
}

/** Unknown fields are ignored. */
export type SendTextRequest = {
  readonly to: CustomerId
  /** 1 to 4096 characters, counted in UTF-16 units, not only blanks. */ readonly text: string
  /** The message that this one quotes, named by its platform id. */ readonly context?: { readonly message_id: string }
  /** The application's own notes on the message: at most 16 strings, keys of at most 40 characters and values of at most 500. It is never sent to the platform. */ readonly metadata?: { readonly [name: string]: string }
  /** The phone number id of the sender; the default sender of the workspace if omitted. */ readonly sender?: string
  readonly queue?: QueueUntil
  /** The time before which the message is not sent, at most 366 days ahead; the answer is always 202. Its price is held when it is due. It ends at `queue.until`, or a day later if that is omitted. */ readonly send_at?: string
  readonly deliver_between?: DeliverBetween
}

/** Of `POST /messages/send-text`. */
export type Sent = {
  readonly status: 'success'
  /** The platform's id of the message, on WhatsApp `wamid.…`. */ readonly message_id: string
}

/** The gateway's id of a message. */
export type MessageId = string

/** Of `POST /messages/send-text`. */
export type Queued = {
  readonly status: 'queued' | 'canceled'
  readonly id: MessageId
  /** The time before which it is not sent; null if it waits for a limit. */ readonly send_at: string | null
}

/** An E.164 number as people write it: country code first, 7 to 15 digits; a leading `+` and the separators space `-` `.` `(` `)` are accepted and dropped, but `(0)` is not accepted; or a user id of the platform, such as `DE.13491208655302741918`, which is case-sensitive. */
export type WrittenCustomerId = string

/** A variable of the template that is a text. Every other field is passed on unchanged. */
export type TextParameter = {
  readonly type: 'text'
  readonly text: string
}

/** A variable of the template of another type, such as `currency` or `image`. Every other field is passed on unchanged. */
export type OtherParameter = {
  readonly type: string
}

/** Of `POST /messages/send-template`. */
export type TemplateParameter = TextParameter | OtherParameter

/** A part of the template, such as its `header`, `body` or a `button`. Every other field is passed on unchanged. */
export type TemplateComponent = {
  readonly type: string
  readonly parameters?: ReadonlyArray<TemplateParameter>
}

/** Unknown fields are ignored. */
export type SendTemplateRequest = {
  readonly to: WrittenCustomerId
  /** The exact name of an approved template. */ readonly template_name: string
  /** The code of the language the template was approved in; passed on exactly as given. `en` if omitted. */ readonly language?: string
  /** The values of the template's variables; passed on unchanged. At most 100 components of at most 256 parameters each, nested at most 100 levels deep, and without numbers that lose precision as a double. */ readonly components?: ReadonlyArray<TemplateComponent>
  /** The message that this one quotes, named by its platform id. */ readonly context?: { readonly message_id: string }
  /** The application's own notes on the message: at most 16 strings, keys of at most 40 characters and values of at most 500. It is never sent to the platform. */ readonly metadata?: { readonly [name: string]: string }
  /** The phone number id of the sender; the default sender of the workspace if omitted. */ readonly sender?: string
  readonly queue?: QueueUntil
  /** The time before which the message is not sent, at most 366 days ahead; the answer is always 202. Its price is held when it is due. It ends at `queue.until`, or a day later if that is omitted. */ readonly send_at?: string
  readonly deliver_between?: DeliverBetween
  /** After this many seconds the event `message.overdue` is sent if the message is not delivered by then, for example to send a code by SMS. It changes nothing else. */ readonly confirm_within?: number
}

/** Exactly the object that is named like the type. Unknown fields are ignored. */
export type SendRequest = {
  readonly to: WrittenCustomerId
  /** The message that this one quotes, named by its platform id. */ readonly context?: { readonly message_id: string }
  /** The application's own notes on the message: at most 16 strings, keys of at most 40 characters and values of at most 500. It is never sent to the platform. */ readonly metadata?: { readonly [name: string]: string }
  /** The phone number id of the sender; the default sender of the workspace if omitted. */ readonly sender?: string
  readonly queue?: QueueUntil
  /** The time before which the message is not sent, at most 366 days ahead; the answer is always 202. Its price is held when it is due. It ends at `queue.until`, or a day later if that is omitted. */ readonly send_at?: string
  readonly deliver_between?: DeliverBetween
  /** After this many seconds the event `message.overdue` is sent if the message is not delivered by then, for example to send a code by SMS. It changes nothing else. */ readonly confirm_within?: number
} & (
  | { readonly type: 'text'; readonly text: JsonObject }
  | { readonly type: 'image'; readonly image: JsonObject }
  | { readonly type: 'video'; readonly video: JsonObject }
  | { readonly type: 'audio'; readonly audio: JsonObject }
  | { readonly type: 'document'; readonly document: JsonObject }
  | { readonly type: 'sticker'; readonly sticker: JsonObject }
  | { readonly type: 'location'; readonly location: JsonObject }
  | { readonly type: 'contacts'; readonly contacts: ReadonlyArray<JsonObject> }
  | { readonly type: 'reaction'; readonly reaction: JsonObject }
  | { readonly type: 'interactive'; readonly interactive: JsonObject }
  | { readonly type: 'template'; readonly template: {
    readonly name: string
    readonly language?: { readonly code: string } | null
    /** The values of the template's variables; passed on unchanged. At most 100 components of at most 256 parameters each, nested at most 100 levels deep, and without numbers that lose precision as a double. */ readonly components?: ReadonlyArray<TemplateComponent> | null
    readonly [field: string]: unknown
  } }
)

/** The customer service window of one customer. */
export type Window = {
  /** Whether a text may be sent now. */ readonly open: boolean
  /** When the customer's latest message came; null where there was none. */ readonly last_inbound_at: Time | null
  /** 24 hours after that; null if the customer never wrote, or if the network of the gateway has no such window, so that `open` is always true. */ readonly closes_at: Time | null
}

/** What the customer would read of a template, with the parameters filled in. Cards of a carousel are left out. */
export type Preview = {
  /** The text of the header, or its content, such as `image: https://…`; null if there is none. */ readonly header: string | null
  /** The text of the body; null if it is not known. */ readonly body: string | null
  /** The text of the footer; null if there is none. */ readonly footer: string | null
  /** The label of each button, with the address or the code behind it. */ readonly buttons: ReadonlyArray<string>
}

/** Of `POST /quotes/send-text`. */
export type Quote = {
  readonly price: Amount
  readonly currency: Currency
  readonly category: 'service' | 'marketing' | 'marketing_lite' | 'utility' | 'authentication' | 'authentication_international'
  /** The market of the rate card that sets the price: a calling-code prefix, or `default`; null if no rate card sets the price. */ readonly market: string | null
  readonly available: Amount
  readonly available_after: Amount
  /** The customer's window, of free-form content; null where none is needed: of a template, and of any message where the network of the gateway has no such window. */ readonly window: Window | null
  /** What the customer would read, for a template; null for free-form content, or if the template is not known. */ readonly preview: Preview | null
}

/** Of `POST /quotes/send-text`. */
export type Quoted = {
  readonly status: 'success'
  readonly quote: Quote
}

/** Of `POST /media`. */
export type Upload = {
  /** The platform's id of the file, by which messages name it. */ readonly id: string
  /** Its content type. */ readonly type: string
  /** In bytes. */ readonly size: number
  /** The SHA-256 of its bytes, in hexadecimal digits. */ readonly sha256: string
  /** Until when it can be sent. */ readonly expires_at: string
}

/** May be omitted. Unknown fields are ignored. */
export type MarkReadRequest = {
  /** Whether the customer is also shown that an answer is being written: until the next message, for 25 seconds at most. */ readonly typing?: boolean
  /** The phone number id of the sender that received the message; the default sender of the workspace if omitted. */ readonly sender?: string
}

/** `text`: a text; `image`: an image; `video`: a video; `audio`: a sound or a voice note; `document`: a file; `sticker`: a sticker; `location`: a place; `contacts`: contact cards; `reaction`: a reaction to a message; `interactive`: buttons, a list and the like; `template`: a template */
export type MessageType =
  | 'text' | 'image' | 'video' | 'audio' | 'document' | 'sticker' | 'location' | 'contacts' | 'reaction' | 'interactive' | 'template'

/** `queued`: waiting for its time, and not sent yet; `pending`: stored, and perhaps being sent; `accepted`: accepted by the platform; `sent`: on its way to the customer; `delivered`: on the device of the customer; `read`: seen by the customer; `played`: a voice note that the customer has listened to, so also read; `failed`: not delivered; its price was refunded; `refused`: never sent; nothing was charged; `unconfirmed`: may or may not have been sent; its price stays on hold until that is known; `released`: given up, because the platform did not report on it for a long time; its price was released; `canceled`: taken back while it was queued, and never sent; nothing was charged */
export type MessageState =
  | 'queued' | 'pending' | 'accepted' | 'sent' | 'delivered' | 'read' | 'played' | 'failed' | 'refused' | 'unconfirmed' | 'released'
  | 'canceled'

/** An outbound message and its status. */
export type Message = {
  readonly id: MessageId
  /** The platform's id, on WhatsApp `wamid.…`; null until the platform has accepted the message. */ readonly platform_id: string | null
  readonly kind: MessageType
  readonly type: MessageType
  /** One line that names the kind of content without its text, such as `list, 3 rows`; null for a message of an earlier version. */ readonly summary: string | null
  /** The phone number id of the sender through which it goes; null for a message of an earlier version. */ readonly sender: string | null
  readonly to: CustomerId
  readonly state: MessageState
  readonly price: Amount
  readonly currency: Currency
  /** The name of the template; null for any other kind. */ readonly template_name: string | null
  /** The language of the template; null for any other kind. */ readonly language: string | null
  /** The metadata that the application set; null if it set none, and once the customer is forgotten. */ readonly metadata: { readonly [name: string]: string } | null
  /** Why it was refused or failed, as the platform reported it; otherwise null. */ readonly error: JsonObject | null
  readonly created_at: Time
  /** The states it has been in, oldest first; each appears once. */ readonly history: ReadonlyArray<{ readonly state: MessageState; readonly at: Time }>
}

/** What a customer allowed or stopped. Unknown fields are ignored. */
export type SetConsentRequest = {
  readonly of: 'marketing' | 'all'
  readonly status: 'granted' | 'withdrawn'
  /** The source of the consent, such as `signup form`. */ readonly source: string
  /** For people: one line. */ readonly note?: string
  /** When the customer said it; now if it is omitted. It must not be in the future. */ readonly at?: string
}

/** Of `PUT /customers/{to}/consent`. */
export type Consent = {
  readonly status: 'granted' | 'withdrawn' | 'unknown'
  /** Since when; null if nothing is known. */ readonly since: Time | null
  /** The source of the consent: `word` if the customer wrote a word that stops messages, `platform` if the customer chose it in the app of the platform, otherwise the source that the application or a person recorded. */ readonly source: string | null
  /** For people, such as what the customer wrote. */ readonly note: string | null
}

/** What a customer allowed and stopped, under every id of the customer. */
export type CustomerConsent = {
  readonly marketing: Consent
  readonly all: Consent
}

/** Of `POST /consents`. */
export type LineProblem = {
  /** The number of the line in the file; the head of a CSV is line 1. */ readonly line: number
  /** For programs, such as `invalid_phone_number` or `number_in_scientific_notation`. */ readonly code: string
  /** What is wrong, and what to do. */ readonly message: string
  /** The name of the column or field, if the problem is about one. */ readonly column?: string
}

/** Of `POST /consents`. */
export type ImportedConsents = {
  /** How many lines of data were read. */ readonly lines: number
  /** How many of them changed what was known of a customer. */ readonly changed: number
  /** How many of them were left out because of a problem. */ readonly refused: number
  /** The first 100 problems, and why the rest of the file could not be read. */ readonly problems: ReadonlyArray<LineProblem>
}

/** Of `GET /opt-out-words`. */
export type OptOutWords = {
  /** The words by language, such as `en` or `pt-BR`: at most 500 in all. A word is a whole message; case, accents and punctuation do not matter. */ readonly words: { readonly [name: string]: ReadonlyArray<string> }
  readonly of: 'marketing' | 'all'
  /** The text that is sent once to a customer who stops messages by a word; null if none is. */ readonly reply: string | null
}

/** All words: they replace the earlier ones. Unknown fields are ignored. */
export type SetOptOutWordsRequest = {
  /** The words by language, such as `en` or `pt-BR`: at most 500 in all. A word is a whole message; case, accents and punctuation do not matter. */ readonly words: { readonly [name: string]: ReadonlyArray<string> }
  readonly of: 'marketing' | 'all'
  /** The text that is sent once to a customer who stops messages by a word, priced as a text: 1 to 4096 characters; null or omitted if none is. */ readonly reply?: string | null
}

/** A recipient of a batch. */
export type BatchRecipient = {
  /** The customer, as in `POST /v1/messages/send-template`. A number of a wrong form is a problem of this recipient, not of the request. */ readonly to: string
  /** The values of the template's variables; passed on unchanged. At most 100 components of at most 256 parameters each, nested at most 100 levels deep, and without numbers that lose precision as a double. */ readonly components?: ReadonlyArray<TemplateComponent>
  /** The notes on this message, in addition to those of the batch. */ readonly metadata?: { readonly [name: string]: string }
  /** The IANA name of the time zone of the customer, for `deliver_between`. */ readonly timezone?: string
}

/** Unknown fields are ignored. */
export type CreateBatchRequest = {
  /** The exact name of an approved template. */ readonly template_name: string
  /** The code of the language the template was approved in. `en` if omitted. */ readonly language?: string
  /** The phone number id of the sender; the default sender of the workspace if omitted. */ readonly sender?: string
  /** A name of the batch, for people. */ readonly name?: string
  /** The time before which nothing of it is sent, at most 366 days ahead. */ readonly send_at?: string
  /** From this time on nothing of it is sent any more: what has not left by then is not sent, with the code `queue_expired`. If omitted, it ends 30 days after `send_at`, or after it was confirmed. */ readonly until?: string
  readonly deliver_between?: DeliverBetween
  /** Sends to some recipients first and waits, so that a person can look at the result. All at once if omitted. */ readonly first_wave?: {
    /** How many recipients are sent to first. */ readonly recipients: number
    /** How many seconds all others wait after the last of them was sent to. `POST …/resume` ends the wait. */ readonly wait: number
  }
  /** The batch pauses itself if more than this share of its last messages failed with the same code. Failures before a `resume` do not count. */ readonly brake?: {
    /** The share of the last `of` messages; 0.05 if omitted. With 1 it never pauses for failures. */ readonly share?: number
    /** How many of the last messages count; 200 if omitted. */ readonly of?: number
  }
  /** The notes that every message of the batch gets. They are never sent to the platform. */ readonly metadata?: { readonly [name: string]: string }
  /** Up to 1000 recipients. More are added as a file, with `PUT /v1/batches/{id}/recipients`. */ readonly recipients?: ReadonlyArray<BatchRecipient>
  /** Instead of `recipients`: recipients of an earlier batch, with what their lines said, and with the numbers of their lines. Who has stopped messages since is left out. */ readonly from?: {
    /** The id of the earlier batch. */ readonly batch: string
    /** Which of its recipients. */ readonly states: ReadonlyArray<'failed' | 'unread' | 'no_reply' | 'unsent'>
  }
  /** `true` confirms the total of its recipients at once, without a preflight that a person has seen. If it cannot be confirmed, the batch is canceled. Give such a request an `Idempotency-Key`: without one, repeating it sends another batch. */ readonly confirm?: boolean
}

/** `draft`: its recipients may change, and nothing is reserved; `confirmed`: its total is reserved, and it waits for its time or is about to start; `sending`: its messages are being sent; `paused`: nothing more of it is sent until it is resumed; `done`: every recipient has an outcome; `canceled`: nothing more of it is sent */
export type BatchState = 'draft' | 'confirmed' | 'sending' | 'paused' | 'done' | 'canceled'

/** A draft, and the recipients that were stored. */
export type BatchWithRecipients = {
  /** The gateway's id of the batch, `bat_…`. */ readonly id: string
  /** Its name; null if it has none. */ readonly name: string | null
  readonly state: BatchState
  /** Why it is paused; null if it is not. */ readonly paused_because:
    | 'person' | 'failures' | 'spam_rate_limit' | 'utility_restricted' | 'template_paused' | 'quality_red' | 'account_restricted'
    | 'unavailable' | null
  readonly template_name: string
  readonly language: string
  /** The phone number id of the sender. */ readonly sender: string
  readonly send_at: Time | null
  readonly until: Time | null
  readonly deliver_between: {
    readonly from: string
    readonly to: string
    readonly days: ReadonlyArray<string>
    readonly timezone: string
  } | null
  readonly first_wave: { readonly recipients: number; /** In seconds. */ readonly wait: number } | null
  readonly brake: { readonly share: number; readonly of: number }
  /** The application's own notes on the message: at most 16 strings, keys of at most 40 characters and values of at most 500. It is never sent to the platform. */ readonly metadata: { readonly [name: string]: string } | null
  /** The confirmed total, which was reserved; null in a draft. */ readonly total: Amount | null
  /** The currency of the total; null in a draft. */ readonly currency: Currency | null
  /** How many recipients it is sent to; null in a draft. */ readonly sendable: number | null
  readonly created_at: Time
  readonly confirmed_at: Time | null
  readonly ended_at: Time | null
  /** The recipients that it has now, including those that cannot be read. */ readonly recipients: number
  /** How many of them cannot be read, and so are not sent to. */ readonly unreadable: number
  /** The first 100 of those. */ readonly problems: ReadonlyArray<{
    /** The number of the line in the file, where the head of a CSV is line 1; or the position in `recipients`, from 1. */ readonly line: number
    /** The column or the field at fault; null if it is no single one. */ readonly column: string | null
    readonly code: string
    /** What is wrong, and what to do. It does not quote the line. */ readonly message: string
  }>
}

/** Of `POST /batches/{id}/preflight`. */
export type BatchPreflight = {
  readonly recipients: number
  /** The recipients without a problem. */ readonly sendable: number
  /** The problems of recipients that are left out, the most frequent first. */ readonly problems: ReadonlyArray<{
    /** Such as `duplicate_recipient`, `customer_opted_out` or `template_parameters`. */ readonly code: string
    /** How many recipients have it. */ readonly count: number
    /** The lines of the first ten of them. */ readonly lines: ReadonlyArray<number>
  }>
  readonly total: Amount
  readonly currency: Currency
  readonly by_category: ReadonlyArray<{ readonly category: string; readonly recipients: number; readonly price: Amount }>
  readonly by_market: ReadonlyArray<{
    /** The market of the rate card, or `default` if the price of all other markets applies; null if it is not known. */ readonly market: string | null
    readonly recipients: number
    readonly price: Amount
  }>
  readonly available_after: Amount
  /** How many days the platform’s limit of customers in 24 hours demands, at least 1. */ readonly days_needed: number
  readonly earliest_end: Time
  /** These days, with the number of recipients of each; the first 31. */ readonly days: ReadonlyArray<{ readonly from: Time; /** How many recipients are sent to. */ readonly recipients: number }>
  /** What a person should know before the batch is confirmed. */ readonly warnings: ReadonlyArray<{
    readonly code: 'category_changed' | 'price_changed' | 'first_use' | 'quality_not_green' | 'more_than_a_day'
    readonly market?: string
    readonly before?: string
    readonly now?: string
    readonly quality?: string
    readonly per_day?: number
    readonly used?: number
  }>
}

/** Unknown fields are ignored. */
export type ConfirmBatchRequest = {
  /** The `total` of its latest preflight. */ readonly total: string
}

/** Messages of one template to many customers. */
export type Batch = {
  /** The gateway's id of the batch, `bat_…`. */ readonly id: string
  /** Its name; null if it has none. */ readonly name: string | null
  readonly state: BatchState
  /** Why it is paused; null if it is not. */ readonly paused_because:
    | 'person' | 'failures' | 'spam_rate_limit' | 'utility_restricted' | 'template_paused' | 'quality_red' | 'account_restricted'
    | 'unavailable' | null
  readonly template_name: string
  readonly language: string
  /** The phone number id of the sender. */ readonly sender: string
  readonly send_at: Time | null
  readonly until: Time | null
  readonly deliver_between: {
    readonly from: string
    readonly to: string
    readonly days: ReadonlyArray<string>
    readonly timezone: string
  } | null
  readonly first_wave: { readonly recipients: number; /** In seconds. */ readonly wait: number } | null
  readonly brake: { readonly share: number; readonly of: number }
  /** The application's own notes on the message: at most 16 strings, keys of at most 40 characters and values of at most 500. It is never sent to the platform. */ readonly metadata: { readonly [name: string]: string } | null
  /** The confirmed total, which was reserved; null in a draft. */ readonly total: Amount | null
  /** The currency of the total; null in a draft. */ readonly currency: Currency | null
  /** How many recipients it is sent to; null in a draft. */ readonly sendable: number | null
  readonly created_at: Time
  readonly confirmed_at: Time | null
  readonly ended_at: Time | null
}

/** Of `GET /batches`. */
export type Batches = {
  /** Newest first. */ readonly batches: ReadonlyArray<Batch>
  /** The `cursor` of the next page; null at the end. */ readonly next_cursor: string | null
}

/** A batch, and what has happened to its recipients. */
export type ShownBatch = {
  /** The gateway's id of the batch, `bat_…`. */ readonly id: string
  /** Its name; null if it has none. */ readonly name: string | null
  readonly state: BatchState
  /** Why it is paused; null if it is not. */ readonly paused_because:
    | 'person' | 'failures' | 'spam_rate_limit' | 'utility_restricted' | 'template_paused' | 'quality_red' | 'account_restricted'
    | 'unavailable' | null
  readonly template_name: string
  readonly language: string
  /** The phone number id of the sender. */ readonly sender: string
  readonly send_at: Time | null
  readonly until: Time | null
  readonly deliver_between: {
    readonly from: string
    readonly to: string
    readonly days: ReadonlyArray<string>
    readonly timezone: string
  } | null
  readonly first_wave: { readonly recipients: number; /** In seconds. */ readonly wait: number } | null
  readonly brake: { readonly share: number; readonly of: number }
  /** The application's own notes on the message: at most 16 strings, keys of at most 40 characters and values of at most 500. It is never sent to the platform. */ readonly metadata: { readonly [name: string]: string } | null
  /** The confirmed total, which was reserved; null in a draft. */ readonly total: Amount | null
  /** The currency of the total; null in a draft. */ readonly currency: Currency | null
  /** How many recipients it is sent to; null in a draft. */ readonly sendable: number | null
  readonly created_at: Time
  readonly confirmed_at: Time | null
  readonly ended_at: Time | null
  /** All its recipients. */ readonly recipients: number
  /** How many of them wait, are left out, or have a message in each state. */ readonly counts: {
    /** Recipients without a message, which wait for their turn or, in a draft, to be confirmed. */ readonly waiting: number
    /** Recipients that are not sent to, because they have a problem or the batch ended before. */ readonly left_out: number
    readonly queued: number
    readonly pending: number
    readonly unconfirmed: number
    readonly refused: number
    readonly released: number
    readonly canceled: number
    readonly accepted: number
    readonly sent: number
    readonly failed: number
    readonly delivered: number
    readonly read: number
    readonly played: number
  }
  readonly price: Amount
  readonly held: Amount
  /** How many messages a second its sender may send now; other messages of the sender share them. */ readonly rate: number
  /** When its last message can leave at the earliest; null if it is a draft, paused or over, or if its sender was removed. */ readonly expected_end: Time | null
  /** The days of 24 hours that the messages that have not left take, because of the platform’s limit of customers; null like `expected_end`. */ readonly days: ReadonlyArray<{ readonly from: Time; /** How many recipients are sent to. */ readonly recipients: number }> | null
  /** How many messages failed or were refused, by the code of their error, the most frequent one first; the first 20 codes. */ readonly failures: ReadonlyArray<{
    /** The code of the platform, a number, or one of ours; `unknown` if the error has none. */ readonly code: number | string
    readonly count: number
    /** Whether it can help to send these messages again, perhaps after what `errors.json` says of the code. */ readonly may_help_again: boolean
  }>
  /** How near the batch is to a pause because of failures; null in a draft, and once the batch is over. */ readonly brake_level: {
    /** The code of the platform, a number, or one of ours; `unknown` if the error has none. */ readonly code: number | string | null
    /** How many of the last messages failed with it, since the batch was confirmed or resumed. */ readonly failures: number
    /** With this number of failures the batch pauses; null if it never pauses for failures. */ readonly pauses_at: number | null
    /** How many of the last messages were looked at, at most `brake.of`. */ readonly messages: number
  } | null
}

/** Of `GET /messages`. */
export type Messages = {
  /** Newest first. */ readonly messages: ReadonlyArray<Message>
  /** The `cursor` of the next page; null at the end. */ readonly next_cursor: string | null
}

/** An outbound message, its status, and its content if it is stored. */
export type WholeMessage = {
  readonly id: MessageId
  /** The platform's id, on WhatsApp `wamid.…`; null until the platform has accepted the message. */ readonly platform_id: string | null
  readonly kind: MessageType
  readonly type: MessageType
  /** One line that names the kind of content without its text, such as `list, 3 rows`; null for a message of an earlier version. */ readonly summary: string | null
  /** The phone number id of the sender through which it goes; null for a message of an earlier version. */ readonly sender: string | null
  readonly to: CustomerId
  readonly state: MessageState
  readonly price: Amount
  readonly currency: Currency
  /** The name of the template; null for any other kind. */ readonly template_name: string | null
  /** The language of the template; null for any other kind. */ readonly language: string | null
  /** The metadata that the application set; null if it set none, and once the customer is forgotten. */ readonly metadata: { readonly [name: string]: string } | null
  /** Why it was refused or failed, as the platform reported it; otherwise null. */ readonly error: JsonObject | null
  readonly created_at: Time
  /** The states it has been in, oldest first; each appears once. */ readonly history: ReadonlyArray<{ readonly state: MessageState; readonly at: Time }>
  /** Its content, as the platform's own object under the name of its `type`, with the `context` that it quoted; null if the operator does not store content, or no longer stores this content. */ readonly content: JsonObject | null
}

/** What waits in the workspace's queue. */
export type Queue = {
  /** The messages that wait for a limit, for the hours of their customer or for their turn. Their price is held, or they are due. */ readonly waiting: number
  /** The messages that wait for their time. */ readonly scheduled: number
  /** Since when the first of the messages that are due is due; null if none is due. */ readonly oldest_at: Time | null
  /** Since when the queue is held, and why; null if it is not held. */ readonly held: {
    readonly since: Time
    /** `operator`, or a reason for which the gateway holds the queue itself, such as `asleep`. */ readonly why: string
  } | null
  readonly senders: ReadonlyArray<{
    /** The phone number id of the sender. */ readonly phone_number_id: string
    /** Its waiting messages. */ readonly waiting: number
    /** How many messages a second it may send now; null if it has no limit. */ readonly rate: number | null
    /** When they will have been sent at that rate, at the earliest; null if it has no limit. */ readonly empty_at: Time | null
  }>
}

/** A prepaid balance: the amount available, the amount held for messages that are being sent, and the amount that scheduled messages will cost. */
export type Wallet = {
  readonly currency: Currency
  readonly available: Amount
  readonly held: Amount
  /** The prices of messages that wait for their time and hold nothing yet: of those that are due in the next 24 hours, and of all of them. */ readonly scheduled: { readonly next_24_h: Amount; readonly all: Amount }
}

/** One movement of a wallet; `amount` is its size. */
export type Entry = {
  readonly id: string
  readonly kind: 'top_up' | 'hold' | 'capture' | 'release' | 'refund' | 'adjustment'
  readonly amount: Amount
  /** The message whose money moved; null for a top-up, an adjustment or the hold of a batch. */ readonly message_id: string | null
  /** The phone number id of the sender of that message; null for a top-up or an adjustment, and for a message of an earlier version. */ readonly sender: string | null
  /** The operator's reference of a top-up or an adjustment, or the id of the batch (`bat_…`) whose hold it is or was part of; otherwise null. */ readonly reference: string | null
  /** Why the money of a `release` or a `refund` was returned: the `error` of its message, as `GET /messages/{id}` shows it; null if the message has none, and for other kinds. */ readonly error: JsonObject | null
  readonly created_at: Time
}

/** Of `GET /wallet/entries`. */
export type Entries = {
  /** Newest first. */ readonly entries: ReadonlyArray<Entry>
  /** The `cursor` of the next page; null at the end. */ readonly next_cursor: string | null
}

/** The customer service window of one customer at one sender. */
export type SenderWindow = {
  /** The phone number id of the sender. */ readonly phone_number_id: string
  /** Whether a text may be sent now. */ readonly open: boolean
  /** When the customer's latest message came; null where there was none. */ readonly last_inbound_at: Time | null
  /** 24 hours after that; null if the customer never wrote, or if the network of the gateway has no such window, so that `open` is always true. */ readonly closes_at: Time | null
}

/** The customer service windows of one customer. The fields next to `senders` are those of the requested sender, or of the default sender. */
export type CustomerWindows = {
  /** Whether a text may be sent now. */ readonly open: boolean
  /** When the customer's latest message came; null where there was none. */ readonly last_inbound_at: Time | null
  /** 24 hours after that; null if the customer never wrote, or if the network of the gateway has no such window, so that `open` is always true. */ readonly closes_at: Time | null
  /** The window at each sender of the workspace, at its default sender first; only at the requested sender if the request names one. */ readonly senders: ReadonlyArray<SenderWindow>
}

/** An E.164 number as digits only: country code first, 7 to 15 digits, no `+`, no separators. */
export type PhoneNumber = string

/** The platform's id of a customer, scoped to the business that sends: the code of a country, a dot, and letters and digits, such as `DE.13491208655302741918`. It is case-sensitive. */
export type UserId = string

/** A customer as the platform reported it to this workspace. */
export type Customer = {
  /** As reported by the platform; null if it is not known. */ readonly phone_number: PhoneNumber | null
  /** Null if it is not known. */ readonly user_id: UserId | null
  /** The name by which the platform finds the customer; null if it is not known. */ readonly username: string | null
  /** The name that the customer shows; null if it is not known. */ readonly name: string | null
  readonly window: Window
  /** The customer service window at each sender of the workspace, at its default sender first. */ readonly windows: ReadonlyArray<SenderWindow>
  readonly consent: CustomerConsent
}

/** A template of the business account, in one language. */
export type Template = {
  readonly name: string
  readonly language: string
  /** The platform's word in lower case, such as `marketing`; a send is priced by it. */ readonly category: string
  /** The platform's word in lower case; only an `approved` template is sent. */ readonly status: string
  /** The platform's word in lower case: `green`, `yellow`, `red` or `unknown`; null if the platform does not report it. */ readonly quality: string | null
  /** As the platform stores them; null if they could not be read. */ readonly components: ReadonlyArray<JsonObject> | null
  /** The placeholders that a send has to fill; null if they cannot be determined. */ readonly placeholders: Placeholders | null
  readonly synced_at: Time
}

/** Of `GET /templates`. */
export type Templates = {
  /** By name and language. */ readonly templates: ReadonlyArray<Template>
  /** The `cursor` of the next page; null at the end. */ readonly next_cursor: string | null
}

/** `day`: a day of UTC; `week`: a week, which begins on Monday at midnight UTC */
export type ResultWidth = 'day' | 'week'

/** What messages of a template achieved. */
export type TemplateFigures = {
  /** The messages that the platform accepted, including those that failed later. Refused messages do not count. */ readonly sent: number
  /** Those that were delivered, including those that were read. */ readonly delivered: number
  /** Those that were read. Customers can switch off read receipts. */ readonly read: number
  /** Those that failed after the platform had accepted them. */ readonly failed: number
  /** Those whose customer wrote to the same sender within 24 hours after the message was sent. A reply counts for the latest template message before it. */ readonly replied: number
  /** Those whose customer stopped marketing or every message within 24 hours after the message was sent. An opt-out counts for the latest template message before it. */ readonly opted_out: number
  readonly price: Amount
  /** `price` divided by `replied`; null without replies. */ readonly price_per_reply: Amount | null
}

/** A day or a week of the results. */
export type TemplateResultsPart = {
  readonly from: Time
  readonly to: Time
  /** The messages that the platform accepted, including those that failed later. Refused messages do not count. */ readonly sent: number
  /** Those that were delivered, including those that were read. */ readonly delivered: number
  /** Those that were read. Customers can switch off read receipts. */ readonly read: number
  /** Those that failed after the platform had accepted them. */ readonly failed: number
  /** Those whose customer wrote to the same sender within 24 hours after the message was sent. A reply counts for the latest template message before it. */ readonly replied: number
  /** Those whose customer stopped marketing or every message within 24 hours after the message was sent. An opt-out counts for the latest template message before it. */ readonly opted_out: number
  readonly price: Amount
  /** `price` divided by `replied`; null without replies. */ readonly price_per_reply: Amount | null
}

/** What a template achieved. */
export type TemplateResults = {
  readonly template: string
  /** Null for every language. */ readonly language: string | null
  readonly from: Time
  readonly to: Time
  readonly by: ResultWidth
  readonly currency: Currency
  readonly total: TemplateFigures
  /** Oldest first, including parts without messages. The first and the last part may be shorter. */ readonly parts: ReadonlyArray<TemplateResultsPart>
}

/** `green`: customers react well; `yellow`: some customers block or report its messages; `red`: many do; the platform may restrict it; `unknown`: the platform does not rate it */
export type NumberQuality = 'green' | 'yellow' | 'red' | 'unknown'

/** A number through which the workspace sends. What is not known is null. */
export type Sender = {
  /** The platform's id of the number; `sender` of other operations. */ readonly phone_number_id: string
  /** The number as the platform writes it. */ readonly display_phone_number: string | null
  /** The name that customers see. */ readonly verified_name: string | null
  /** The platform's id of its business account. */ readonly business_account_id: string | null
  /** Whether it is the sender of the requests that name none. */ readonly default: boolean
  readonly status: 'ok' | 'failing'
  /** Why it is failing; null if it is not. */ readonly failing_reason: 'token_refused' | 'token_unreadable' | null
  /** Since when the platform refuses its access token; null if it accepts it. */ readonly failing_since: Time | null
  /** The platform's rating of the number. */ readonly quality: NumberQuality | null
  /** When the current quality was first read. */ readonly quality_since: Time | null
  /** How many messages a second the number may send and receive. */ readonly messages_per_second: number | null
  /** The messaging limit. */ readonly customers_per_day: {
    /** How many different customers may get messages outside of windows in 24 hours. All numbers of a business portfolio share it. */ readonly limit: number | 'unlimited' | null
    /** How many got one through any number of the business account; null if that is not counted. */ readonly used: number | null
  }
  /** Whether it can send text outside of windows. */ readonly direct_send: { readonly status: 'unknown'; /** Until when it is restricted. */ readonly until: Time | null }
  /** When the platform reported these facts of the number. */ readonly read_at: Time | null
}

/** Of `GET /senders`. */
export type Senders = ReadonlyArray<Sender>

/** `send`: sends and quotes; `read`: reads messages, the wallet, customers and windows; `templates`: reads templates; `events`: manages endpoints and reads events; `answer`: marks messages as read and fetches attachments */
export type Scope = 'send' | 'read' | 'templates' | 'events' | 'answer'

/** An API key. */
export type Key = {
  /** The id of the key; never the key itself. */ readonly id: string
  /** What the key is for. */ readonly name: string
  /** The id of its workspace. */ readonly workspace: string
  /** What it may do. */ readonly scopes: ReadonlyArray<Scope>
  /** When it expires; null if it does not expire. */ readonly expires_at: Time | null
}

/** `postern`: events, as Standard Webhooks; `platform`: the platform's notifications, as it sends them */
export type EndpointFormat = 'postern' | 'platform'

/** A type of event, a group of types such as `message.*`, or `*` for all. */
export type EventPattern =
  | '*' | 'message.*' | 'message.accepted' | 'message.sent' | 'message.delivered' | 'message.read' | 'message.played' | 'message.failed'
  | 'message.refused' | 'message.unconfirmed' | 'message.released' | 'message.queued' | 'message.canceled' | 'message.overdue'
  | 'message.received' | 'window.*' | 'window.opened' | 'customer.*' | 'customer.changed' | 'customer.opted_out' | 'customer.opted_in'
  | 'wallet.*' | 'wallet.topped_up' | 'wallet.low' | 'wallet.exhausted' | 'template.*' | 'template.changed' | 'sender.*' | 'sender.failing'
  | 'sender.recovered' | 'sender.quality' | 'batch.*' | 'batch.confirmed' | 'batch.paused' | 'batch.canceled' | 'batch.done' | 'key.*'
  | 'key.minted' | 'key.revoked' | 'endpoint.*' | 'endpoint.disabled' | 'endpoint.test'

/** Unknown fields are ignored. */
export type AddEndpointRequest = {
  /** Where events are delivered: an absolute `https` URL without a user, a password or a fragment. `http`, and addresses that are not public, only if the operator allows them; that is checked at each delivery. */ readonly url: string
  readonly format?: EndpointFormat
  /** The types of events that it receives; all if omitted. It must be omitted with the format `platform`. */ readonly types?: ReadonlyArray<EventPattern>
  /** Its purpose, in your words: one line of at most 255 characters. */ readonly description?: string
}

/** An endpoint's id. */
export type EndpointId = string

/** `enabled`: events are delivered to it; `disabled`: no events are delivered to it; once it is enabled, it receives the events that occur from then on */
export type EndpointStatus = 'enabled' | 'disabled'

/** `delivered`: the endpoint accepted the event: it answered with a 2xx within 15 seconds; `failed`: it did not accept the event */
export type DeliveryStatus = 'delivered' | 'failed'

/** An endpoint, and the secret with which its deliveries are signed. */
export type EventEndpointWithSecret = {
  readonly id: EndpointId
  readonly url: string
  readonly format: EndpointFormat
  /** The types of events that it receives; empty if it receives notifications of the platform. */ readonly types: ReadonlyArray<EventPattern>
  /** Its purpose; empty if none was given. */ readonly description: string
  readonly status: EndpointStatus
  /** Since when every attempt has failed; null while it is healthy. */ readonly failing_since: Time | null
  /** The latest attempt; null before the first one. */ readonly last_delivery: {
    readonly at: Time
    readonly status: DeliveryStatus
    /** The HTTP status of the answer; null if there was none. */ readonly http_status: number | null
  } | null
  readonly created_at: Time
  /** Signs the deliveries, as Standard Webhooks describes it. It is shown only in this reply, so store it now. */ readonly secret: string
}

/** An address to which events of the workspace are delivered. */
export type EventEndpoint = {
  readonly id: EndpointId
  readonly url: string
  readonly format: EndpointFormat
  /** The types of events that it receives; empty if it receives notifications of the platform. */ readonly types: ReadonlyArray<EventPattern>
  /** Its purpose; empty if none was given. */ readonly description: string
  readonly status: EndpointStatus
  /** Since when every attempt has failed; null while it is healthy. */ readonly failing_since: Time | null
  /** The latest attempt; null before the first one. */ readonly last_delivery: {
    readonly at: Time
    readonly status: DeliveryStatus
    /** The HTTP status of the answer; null if there was none. */ readonly http_status: number | null
  } | null
  readonly created_at: Time
}

/** Of `GET /event-endpoints`. */
export type EventEndpoints = {
  /** Oldest first. */ readonly endpoints: ReadonlyArray<EventEndpoint>
}

/** Omitted fields stay unchanged. Unknown fields are ignored. */
export type ChangeEndpointRequest = {
  /** Where events are delivered: an absolute `https` URL without a user, a password or a fragment. `http`, and addresses that are not public, only if the operator allows them; that is checked at each delivery. */ readonly url?: string
  /** The types of events that it receives from now on. */ readonly types?: ReadonlyArray<EventPattern>
  /** Its purpose, in your words: one line of at most 255 characters. */ readonly description?: string
  readonly status?: EndpointStatus
}

/** An event's id. A receiver recognises a repetition by it. */
export type EventId = string

/** `message.accepted`: the platform accepted a message; `message.sent`: it is on its way to the customer; `message.delivered`: it is on the device of the customer; `message.read`: the customer has seen it; `message.played`: the customer has listened to it, for the first time; `message.failed`: it was not delivered; its price was refunded; `message.refused`: it was never sent; nothing was charged; `message.unconfirmed`: it may or may not have been sent; `message.released`: it was given up, and its price was released; `message.overdue`: it was not delivered within `confirm_within`; `message.queued`: it waits for its time; `message.canceled`: it was taken back while it was queued, and never sent; `message.received`: a customer wrote; `window.opened`: a customer wrote, and the customer service window was closed before; `customer.changed`: a pair of ids of a customer was learned or ended; `customer.opted_out`: a customer stopped marketing messages, or all messages; `customer.opted_in`: a customer allowed them, or allowed them again; `wallet.topped_up`: money was added; `wallet.low`: the available balance of the wallet fell below its threshold; `wallet.exhausted`: the wallet could not cover a message; `template.changed`: the status, the category or the quality of a template changed; `sender.failing`: the platform refuses the credentials of the sender; `sender.recovered`: the platform accepts them again; `sender.quality`: the quality, the throughput or the messaging limit of a number changed; `batch.confirmed`: a batch was confirmed, and its total is reserved; `batch.paused`: a batch was paused, by a person or by its brake; `batch.canceled`: a batch was canceled; `batch.done`: every line of a batch has its outcome; `key.minted`: an API key was created; `key.revoked`: an API key was revoked; `endpoint.disabled`: an endpoint was disabled, because it failed for five days or answered 410; `endpoint.test`: a test of an endpoint was requested; `platform.notification`: a notification of the platform, which endpoints of the format `platform` receive unchanged */
export type EventType =
  | 'message.accepted' | 'message.sent' | 'message.delivered' | 'message.read' | 'message.played' | 'message.failed' | 'message.refused'
  | 'message.unconfirmed' | 'message.released' | 'message.overdue' | 'message.queued' | 'message.canceled' | 'message.received'
  | 'window.opened' | 'customer.changed' | 'customer.opted_out' | 'customer.opted_in' | 'wallet.topped_up' | 'wallet.low'
  | 'wallet.exhausted' | 'template.changed' | 'sender.failing' | 'sender.recovered' | 'sender.quality' | 'batch.confirmed' | 'batch.paused'
  | 'batch.canceled' | 'batch.done' | 'key.minted' | 'key.revoked' | 'endpoint.disabled' | 'endpoint.test' | 'platform.notification'

/** One attempt to deliver an event to an endpoint. */
export type Delivery = {
  readonly id: string
  readonly event: EventId
  readonly type: EventType
  readonly status: DeliveryStatus
  /** The HTTP status of the answer; null if there was none. */ readonly http_status: number | null
  /** How long the attempt took, in milliseconds. */ readonly duration_ms: number
  /** Why it failed, in a sentence; null if it was delivered. */ readonly error: string | null
  /** The beginning of the body of the answer, at most 8 KiB; null if there is none. */ readonly answer: string | null
  readonly at: Time
  /** When the event is tried again; null if it was delivered or given up. */ readonly next_attempt_at: Time | null
}

/** Of `GET /event-endpoints/{id}/deliveries`. */
export type Deliveries = {
  /** Newest first. */ readonly deliveries: ReadonlyArray<Delivery>
  /** The `cursor` of the next page; null at the end. */ readonly next_cursor: string | null
}

/** `until`, `types` and `http_status` need `status`. Unknown fields are ignored. */
export type RedeliverRequest = {
  /** Only events from this date and time on. Required without `status`. */ readonly since?: string
  /** Only events whose latest attempt failed. */ readonly status?: 'failed'
  /** Only failed events before this date and time. */ readonly until?: string
  /** Only failed events of these types. */ readonly types?: ReadonlyArray<EventPattern>
  /** Only failed events whose latest attempt got this HTTP status. */ readonly http_status?: number
}

/** Of `POST /event-endpoints/{id}/redeliver`. */
export type Redelivered = {
  readonly status: 'success'
  /** How many events will be delivered again. */ readonly events: number
}

/** Something that happened to the workspace. */
export type UntypedEvent = {
  readonly id: EventId
  readonly type: EventType
  readonly workspace: string
  readonly created_at: Time
  /** The subject of the event. For a `message.*` event, the message as `GET /messages/{id}` shows it. */ readonly data: JsonObject
}

/** Of `GET /events`. */
export type Events = {
  /** Oldest first. */ readonly events: ReadonlyArray<UntypedEvent>
  /** The event to send as `after` in the next request; null if there is no event yet. With `types`, it may be an event that is not listed. */ readonly next: EventId | null
}

/** Unknown fields are ignored. */
export type RedeliverEventRequest = {
  readonly endpoint: EndpointId
}
