/*
 * Made of the OpenAPI document by `npm run client-types`; a test compares it with the document. It has types only, so that the
 * client imports nothing.
 */

/** An object of which the contract says no more. */
export type JsonObject = { readonly [field: string]: unknown }

/** The platform's error object, whole: its `code`, `message`, `error_data` and whatever else it says. */
export type PlatformError = JsonObject

/** The code of a currency, as ISO 4217 writes it. */
export type Currency = string

/** An amount of money as a decimal string with six decimals, exact to a millionth of the currency; never a float. */
export type Amount = string

/** Each field of the content that breaks a limit of its type, the first 100 of them. */
export type Breaches = ReadonlyArray<{
  /** The field, such as `interactive.action.buttons[1].reply.title`. */ readonly path: string
  /** What it must be. */ readonly rule: string
  /** What came: a length, a count, a number or the name of a JSON type; null where nothing came. Never what was written. */ readonly given: string | number | null
}>

/** The places of a template that a send fills. */
export type Placeholders = ReadonlyArray<{
  readonly component: 'header' | 'body' | 'button' | 'limited_time_offer'
  /** The type of the parameter that fills it, such as `text`, `image`, `location`, `coupon_code` or `payload`. */ readonly type: string
  /** The place of a variable among those of its component, from 1. */ readonly index?: number
  /** The name of a variable, where the template names its variables: `parameter_name`. */ readonly name?: string
  /** The `index` of a button, from 0. */ readonly button?: number
  /** The `card_index` of a card of a carousel, from 0. */ readonly card?: number
  /** Where it is there, a send may leave this out. */ readonly optional?: boolean
}>

/** A moment in UTC with milliseconds, as ISO 8601 writes it. */
export type Time = string

/** Whether the same request is worth repeating. */
export type Retry = {
  readonly when: 'never' | 'after' | 'same_key' | 'changed'
  /** Only where `when` is `after`: the seconds of `Retry-After`. */ readonly after_s?: number
}

/** An E.164 number as digits only: country code first, 7 to 15 digits, no `+`, no separators; or a user id of the platform, such as `DE.13491208655302741918`, whose letter case counts. */
export type CustomerId = string

/** Unknown fields are ignored. */
export type SendTextRequest = {
  readonly to: CustomerId
  /** 1 to 4096 characters, counted in UTF-16 units, not only blanks. */ readonly text: string
  /** The message that this one quotes, by the platform's id of it. */ readonly context?: { readonly message_id: string }
  /** What the application notes on the message for itself: at most 16 strings, keys of at most 40 characters and values of at most 500. The platform is never sent it. */ readonly metadata?: { readonly [name: string]: string }
}

/** Of `POST /messages/send-text`. */
export type Sent = {
  readonly status: 'success'
  /** The platform's id of the message, on WhatsApp `wamid.…`. */ readonly message_id: string
}

/** An E.164 number as people write it: country code first, 7 to 15 digits; a leading `+` and the separators space `-` `.` `(` `)` are accepted and dropped, but `(0)` is not accepted; or a user id of the platform, such as `DE.13491208655302741918`, whose letter case counts. */
export type WrittenCustomerId = string

/** A variable of the template that is a text. Every other field is passed on untouched. */
export type TextParameter = {
  readonly type: 'text'
  readonly text: string
  readonly [field: string]: unknown
}

/** A variable of the template of another type, such as `currency` or `image`. Every other field is passed on untouched. */
export type OtherParameter = {
  readonly type: string
  readonly [field: string]: unknown
}

/** Of `POST /messages/send-template`. */
export type TemplateParameter = TextParameter | OtherParameter

/** A part of the template, such as its `header`, `body` or a `button`. Every other field is passed on untouched. */
export type TemplateComponent = {
  readonly type: string
  readonly parameters?: ReadonlyArray<TemplateParameter>
  readonly [field: string]: unknown
}

/** Unknown fields are ignored. */
export type SendTemplateRequest = {
  readonly to: WrittenCustomerId
  /** The exact name of an approved template. */ readonly template_name: string
  /** The code of the language the template was approved in; passed on exactly as given. `en` where it is left out. */ readonly language?: string
  /** What fills the template's variables; passed on untouched. At most 100 components of at most 256 parameters each, nested at most 100 levels deep, and without numbers that lose digits in a double. */ readonly components?: ReadonlyArray<TemplateComponent>
  /** The message that this one quotes, by the platform's id of it. */ readonly context?: { readonly message_id: string }
  /** What the application notes on the message for itself: at most 16 strings, keys of at most 40 characters and values of at most 500. The platform is never sent it. */ readonly metadata?: { readonly [name: string]: string }
}

/** Exactly the object that is named like the type. Unknown fields are ignored. */
export type SendRequest = {
  readonly to: WrittenCustomerId
  /** The message that this one quotes, by the platform's id of it. */ readonly context?: { readonly message_id: string }
  /** What the application notes on the message for itself: at most 16 strings, keys of at most 40 characters and values of at most 500. The platform is never sent it. */ readonly metadata?: { readonly [name: string]: string }
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
    /** What fills the template's variables; passed on untouched. At most 100 components of at most 256 parameters each, nested at most 100 levels deep, and without numbers that lose digits in a double. */ readonly components?: ReadonlyArray<TemplateComponent> | null
    readonly [field: string]: unknown
  } }
)

/** The customer service window of one customer. */
export type Window = {
  /** Whether a text may be sent now. */ readonly open: boolean
  /** When the customer's latest message came; null where there was none. */ readonly last_inbound_at: Time | null
  /** 24 hours after that; null where the customer never wrote, and where the network of the gateway has no such window, so that `open` is always true. */ readonly closes_at: Time | null
}

/** What the customer would read of a template, with the parameters filled in. Cards of a carousel are left out. */
export type Preview = {
  /** The text of the header, or what stands there, such as `image: https://…`; null where there is none. */ readonly header: string | null
  /** The text of the body; null where it is not known. */ readonly body: string | null
  /** The text of the footer; null where there is none. */ readonly footer: string | null
  /** The label of each button, with the address or the code behind it. */ readonly buttons: ReadonlyArray<string>
}

/** Of `POST /quotes/send-text`. */
export type Quote = {
  readonly price: Amount
  readonly currency: Currency
  readonly category: 'service' | 'marketing' | 'marketing_lite' | 'utility' | 'authentication' | 'authentication_international'
  /** The market of the rate card whose rate it is: a calling-code prefix, or `default`; null where the price is of no rate card. */ readonly market: string | null
  readonly available: Amount
  readonly available_after: Amount
  /** The customer's window, of free-form content; null where none is needed: of a template, and of any message where the network of the gateway has no such window. */ readonly window: Window | null
  /** What the customer would read, of a template; null of free-form content, and where the template is not known. */ readonly preview: Preview | null
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
  /** Until when it may be sent. */ readonly expires_at: string
}

/** May be left out. Unknown fields are ignored. */
export type MarkReadRequest = {
  /** Whether the customer is also shown that an answer is being written: until the next message, for 25 seconds at most. */ readonly typing?: boolean
}

/** `pending`: stored, and perhaps being sent; `accepted`: accepted by the platform; `sent`: on its way to the customer; `delivered`: on the device of the customer; `read`: seen by the customer; `played`: a voice note that the customer has listened to, so also read; `failed`: not delivered; its price was refunded; `refused`: never sent; nothing was charged; `unconfirmed`: may or may not have been sent; its price stays on hold until that is known; `released`: given up, because the platform did not report on it for a long time; its price was given back */
export type MessageState = 'pending' | 'accepted' | 'sent' | 'delivered' | 'read' | 'played' | 'failed' | 'refused' | 'unconfirmed' | 'released'

/** The gateway's id of a message. */
export type MessageId = string

/** `text`: a text; `image`: an image; `video`: a video; `audio`: a sound or a voice note; `document`: a file; `sticker`: a sticker; `location`: a place; `contacts`: contact cards; `reaction`: a reaction to a message; `interactive`: buttons, a list and the like; `template`: a template */
export type MessageType = 'text' | 'image' | 'video' | 'audio' | 'document' | 'sticker' | 'location' | 'contacts' | 'reaction' | 'interactive' | 'template'

/** An outbound message and what became of it. */
export type Message = {
  readonly id: MessageId
  /** The platform's id, on WhatsApp `wamid.…`; null until the platform has accepted the message. */ readonly platform_id: string | null
  readonly kind: MessageType
  readonly type: MessageType
  /** One line that says what it is and nothing of what it says, such as `list, 3 rows`; null of a message of an earlier version. */ readonly summary: string | null
  readonly to: CustomerId
  readonly state: MessageState
  readonly price: Amount
  readonly currency: Currency
  /** The name of the template; null for any other kind. */ readonly template_name: string | null
  /** The language of the template; null for any other kind. */ readonly language: string | null
  /** What the application noted on it; null where it noted nothing, and once the customer is forgotten. */ readonly metadata: { readonly [name: string]: string } | null
  /** Why it was refused or failed, as the platform said it; else null. */ readonly error: JsonObject | null
  readonly created_at: Time
  /** The states it has been in, oldest first; each appears once. */ readonly history: ReadonlyArray<{ readonly state: MessageState; readonly at: Time }>
}

/** Of `GET /messages`. */
export type Messages = {
  /** Newest first. */ readonly messages: ReadonlyArray<Message>
  /** The `cursor` of the next page; null at the end. */ readonly next_cursor: string | null
}

/** An outbound message, what became of it, and what it said where that is kept. */
export type WholeMessage = {
  readonly id: MessageId
  /** The platform's id, on WhatsApp `wamid.…`; null until the platform has accepted the message. */ readonly platform_id: string | null
  readonly kind: MessageType
  readonly type: MessageType
  /** One line that says what it is and nothing of what it says, such as `list, 3 rows`; null of a message of an earlier version. */ readonly summary: string | null
  readonly to: CustomerId
  readonly state: MessageState
  readonly price: Amount
  readonly currency: Currency
  /** The name of the template; null for any other kind. */ readonly template_name: string | null
  /** The language of the template; null for any other kind. */ readonly language: string | null
  /** What the application noted on it; null where it noted nothing, and once the customer is forgotten. */ readonly metadata: { readonly [name: string]: string } | null
  /** Why it was refused or failed, as the platform said it; else null. */ readonly error: JsonObject | null
  readonly created_at: Time
  /** The states it has been in, oldest first; each appears once. */ readonly history: ReadonlyArray<{ readonly state: MessageState; readonly at: Time }>
  /** What it said, as the platform's own object under the name of its `type`, with the `context` that it quoted; null where the operator does not keep that, or no longer. */ readonly content: JsonObject | null
}

/** A prepaid balance: what can be spent, and what is set aside for messages that are being sent. */
export type Wallet = {
  readonly currency: Currency
  readonly available: Amount
  readonly held: Amount
}

/** One movement of a wallet; `amount` is its size. */
export type Entry = {
  readonly id: string
  readonly kind: 'top_up' | 'hold' | 'capture' | 'release' | 'refund' | 'adjustment'
  readonly amount: Amount
  /** The message whose money moved; null for a top-up or an adjustment. */ readonly message_id: string | null
  /** The operator's reference of a top-up or an adjustment; null for a message. */ readonly reference: string | null
  /** Why the money of a `release` or a `refund` came back: the `error` of its message, as `GET /messages/{id}` shows it; null where the message has none, and for other kinds. */ readonly error: JsonObject | null
  readonly created_at: Time
}

/** Of `GET /wallet/entries`. */
export type Entries = {
  /** Newest first. */ readonly entries: ReadonlyArray<Entry>
  /** The `cursor` of the next page; null at the end. */ readonly next_cursor: string | null
}

/** An E.164 number as digits only: country code first, 7 to 15 digits, no `+`, no separators. */
export type PhoneNumber = string

/** The platform's id of a customer, scoped to the business that sends: the code of a country, a dot, and letters and digits, such as `DE.13491208655302741918`. Letter case counts. */
export type UserId = string

/** A customer as the platform reported it to this workspace. */
export type Customer = {
  /** As the platform reported it, where it did; null where it is not known. */ readonly phone_number: PhoneNumber | null
  /** Null where it is not known. */ readonly user_id: UserId | null
  /** The name by which the platform finds the customer; null where it is not known. */ readonly username: string | null
  /** The name that the customer shows; null where it is not known. */ readonly name: string | null
  readonly window: Window
}

/** A template of the business account, in one language. */
export type Template = {
  readonly name: string
  readonly language: string
  /** The platform's word in lower case, such as `marketing`; a send is priced by it. */ readonly category: string
  /** The platform's word in lower case; only an `approved` template is sent. */ readonly status: string
  /** The platform's word in lower case: `green`, `yellow`, `red` or `unknown`; null where it says nothing. */ readonly quality: string | null
  /** As the platform has them; null where they could not be read. */ readonly components: ReadonlyArray<JsonObject> | null
  /** What a send has to fill; null where that cannot be known. */ readonly placeholders: Placeholders | null
  readonly synced_at: Time
}

/** Of `GET /templates`. */
export type Templates = {
  /** By name and language. */ readonly templates: ReadonlyArray<Template>
  /** The `cursor` of the next page; null at the end. */ readonly next_cursor: string | null
}

/** `send`: sends and quotes; `read`: reads messages, the wallet, customers and windows; `templates`: reads templates; `events`: manages endpoints and reads events; `answer`: marks messages as read and fetches attachments */
export type Scope = 'send' | 'read' | 'templates' | 'events' | 'answer'

/** An API key. */
export type Key = {
  /** By which the key is named; never the key itself. */ readonly id: string
  /** What the key is for. */ readonly name: string
  /** The id of its workspace. */ readonly workspace: string
  /** What it may do. */ readonly scopes: ReadonlyArray<Scope>
  /** When it ends; null where it has no end. */ readonly expires_at: Time | null
}

/** `postern`: events, as Standard Webhooks; `platform`: the platform's notifications, as it sends them */
export type EndpointFormat = 'postern' | 'platform'

/** A type of event, a group of types such as `message.*`, or `*` for all. */
export type EventPattern = '*' | 'message.*' | 'message.accepted' | 'message.sent' | 'message.delivered' | 'message.read' | 'message.played' | 'message.failed' | 'message.refused' | 'message.unconfirmed' | 'message.released' | 'message.received' | 'window.*' | 'window.opened' | 'customer.*' | 'customer.changed' | 'wallet.*' | 'wallet.topped_up' | 'wallet.low' | 'wallet.exhausted' | 'template.*' | 'template.changed' | 'sender.*' | 'sender.failing' | 'sender.recovered' | 'key.*' | 'key.minted' | 'key.revoked' | 'endpoint.*' | 'endpoint.disabled' | 'endpoint.test'

/** Unknown fields are ignored. */
export type AddEndpointRequest = {
  /** Where events go: an absolute `https` URL without a user, a password or a fragment. `http`, and addresses that are not public, only where the operator allows them; that is checked at each delivery. */ readonly url: string
  readonly format?: EndpointFormat
  /** Which types of events it gets; all where this is left out. To be left out with the format `platform`. */ readonly types?: ReadonlyArray<EventPattern>
  /** What it is for, in your words: at most 255 characters on one line. */ readonly description?: string
}

/** An endpoint's id. */
export type EndpointId = string

/** `enabled`: events are delivered to it; `disabled`: no events are delivered to it; once it is enabled, it gets those that happen from then on */
export type EndpointStatus = 'enabled' | 'disabled'

/** `delivered`: the endpoint took the event: it answered with a 2xx within 15 seconds; `failed`: it did not */
export type DeliveryStatus = 'delivered' | 'failed'

/** An endpoint, and the secret with which its deliveries are signed. */
export type EventEndpointWithSecret = {
  readonly id: EndpointId
  readonly url: string
  readonly format: EndpointFormat
  /** Which types of events it gets; empty where it gets notifications of the platform. */ readonly types: ReadonlyArray<EventPattern>
  /** What it is for; empty where nothing was said. */ readonly description: string
  readonly status: EndpointStatus
  /** Since when every attempt has failed; null while it is healthy. */ readonly failing_since: Time | null
  /** The latest attempt; null before the first. */ readonly last_delivery: { readonly at: Time; readonly status: DeliveryStatus; /** The HTTP status of the answer; null where none came. */ readonly http_status: number | null } | null
  readonly created_at: Time
  /** Signs the deliveries, as Standard Webhooks describes it. It is shown in this reply alone, so keep it now. */ readonly secret: string
}

/** An address to which events of the workspace are delivered. */
export type EventEndpoint = {
  readonly id: EndpointId
  readonly url: string
  readonly format: EndpointFormat
  /** Which types of events it gets; empty where it gets notifications of the platform. */ readonly types: ReadonlyArray<EventPattern>
  /** What it is for; empty where nothing was said. */ readonly description: string
  readonly status: EndpointStatus
  /** Since when every attempt has failed; null while it is healthy. */ readonly failing_since: Time | null
  /** The latest attempt; null before the first. */ readonly last_delivery: { readonly at: Time; readonly status: DeliveryStatus; /** The HTTP status of the answer; null where none came. */ readonly http_status: number | null } | null
  readonly created_at: Time
}

/** Of `GET /event-endpoints`. */
export type EventEndpoints = {
  /** Oldest first. */ readonly endpoints: ReadonlyArray<EventEndpoint>
}

/** What is left out stays as it is. Unknown fields are ignored. */
export type ChangeEndpointRequest = {
  /** Where events go: an absolute `https` URL without a user, a password or a fragment. `http`, and addresses that are not public, only where the operator allows them; that is checked at each delivery. */ readonly url?: string
  /** Which types of events it gets from now on. */ readonly types?: ReadonlyArray<EventPattern>
  /** What it is for, in your words: at most 255 characters on one line. */ readonly description?: string
  readonly status?: EndpointStatus
}

/** An event's id. A receiver recognises a repetition by it. */
export type EventId = string

/** `message.accepted`: the platform accepted a message; `message.sent`: it is on its way to the customer; `message.delivered`: it is on the device of the customer; `message.read`: the customer has seen it; `message.played`: the customer has listened to it, for the first time; `message.failed`: it was not delivered; its price was refunded; `message.refused`: it was never sent; nothing was charged; `message.unconfirmed`: it may or may not have been sent; `message.released`: it was given up, and its price was given back; `message.received`: a customer wrote; `window.opened`: a customer wrote, and the customer service window was closed before; `customer.changed`: a pair of ids of a customer was learned or ended; `wallet.topped_up`: money was added; `wallet.low`: what the wallet can spend fell below its threshold; `wallet.exhausted`: the wallet could not cover a message; `template.changed`: the status, the category or the quality of a template changed; `sender.failing`: the platform refuses the credentials of the sender; `sender.recovered`: the platform accepts them again; `key.minted`: an API key was made; `key.revoked`: an API key was revoked; `endpoint.disabled`: an endpoint was disabled, because it failed for five days or said that it is gone; `endpoint.test`: a test of an endpoint was asked for; `platform.notification`: a notification of the platform, which endpoints of the format `platform` get as it came */
export type EventType = 'message.accepted' | 'message.sent' | 'message.delivered' | 'message.read' | 'message.played' | 'message.failed' | 'message.refused' | 'message.unconfirmed' | 'message.released' | 'message.received' | 'window.opened' | 'customer.changed' | 'wallet.topped_up' | 'wallet.low' | 'wallet.exhausted' | 'template.changed' | 'sender.failing' | 'sender.recovered' | 'key.minted' | 'key.revoked' | 'endpoint.disabled' | 'endpoint.test' | 'platform.notification'

/** One attempt to deliver an event to an endpoint. */
export type Delivery = {
  readonly id: string
  readonly event: EventId
  readonly type: EventType
  readonly status: DeliveryStatus
  /** The HTTP status of the answer; null where none came. */ readonly http_status: number | null
  /** How long the attempt took, in milliseconds. */ readonly duration_ms: number
  /** Why it failed, in a sentence; null where it was delivered. */ readonly error: string | null
  /** The beginning of the body of the answer, at most 8 KiB; null where there is none. */ readonly answer: string | null
  readonly at: Time
  /** When the event is tried again; null where it was delivered or given up. */ readonly next_attempt_at: Time | null
}

/** Of `GET /event-endpoints/{id}/deliveries`. */
export type Deliveries = {
  /** Newest first. */ readonly deliveries: ReadonlyArray<Delivery>
  /** The `cursor` of the next page; null at the end. */ readonly next_cursor: string | null
}

/** Unknown fields are ignored. */
export type RedeliverSinceRequest = {
  /** A moment as ISO 8601 writes it, with its time zone. A day alone, such as `2026-03-01`, stands for its midnight in UTC. */ readonly since: string
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
  /** What it is about. Of a `message.*` event the message, as `GET /messages/{id}` shows it. */ readonly data: JsonObject
}

/** Of `GET /events`. */
export type Events = {
  /** Oldest first. */ readonly events: ReadonlyArray<UntypedEvent>
  /** The event to ask after the next time; null where there is no event yet. With `types` it may be one that is not listed. */ readonly next: EventId | null
}

/** Unknown fields are ignored. */
export type RedeliverEventRequest = {
  readonly endpoint: EndpointId
}
