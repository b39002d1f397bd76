import type {
  Amount, Currency, CustomerId, EventEndpoint, EventType, JsonObject, Message, NumberQuality, Template, Time, UntypedEvent, Window,
} from './schemas.js'

/** What a customer's message has, as the platform sent it; what it has depends on its type. */
export type ReceivedContent = {
  /** Of a text. */
  readonly body?: string
  /** Of an attachment, for `media`. */
  readonly id?: string
  readonly mime_type?: string
  readonly caption?: string
  readonly [field: string]: unknown
}

/** What a customer wrote. `content` and `context` are the platform's; they are null once they are no longer kept. */
export type ReceivedMessage = {
  readonly id: string
  /** At least one of the two ids is known. */
  readonly from: {
    readonly phone_number: string | null
    readonly user_id: string | null
    readonly name: string | null
    readonly username: string | null
  }
  /** The phone number id of the sender to whom the customer wrote; null in an event of an earlier version. */
  readonly sender: string | null
  /** The platform's name of the type, such as `text` or `image`. */
  readonly type: string
  readonly content: ReceivedContent | null
  readonly context: JsonObject | null
  readonly at: Time
}

/** What is in a wallet. */
export type Balance = { readonly currency: Currency; readonly available: Amount; readonly held: Amount }

/** The sender whose credentials the platform refuses, or refused, and since when. */
export type FailingSender = { readonly phone_number_id: string; readonly since: Time }

/** The quality and the limits of a number; null if they are not known. */
export type NumberLimits = {
  readonly quality: NumberQuality | null
  readonly messages_per_second: number | null
  readonly customers_per_day: { readonly limit: number | 'unlimited' | null }
}

/** A batch that was confirmed, paused, canceled or done. `total`, `currency` and `recipients`, those without a problem, are null if it was never confirmed. */
export type MovedBatch = {
  readonly id: string
  readonly name: string | null
  readonly state: 'confirmed' | 'paused' | 'canceled' | 'done'
  readonly paused_because: string | null
  readonly total: Amount | null
  readonly currency: string | null
  readonly recipients: number | null
  readonly ended_at: Time | null
}

/** What a customer stopped or allowed: `of` is what it is about, `source` how it is known. */
export type ConsentData = { readonly to: CustomerId; readonly of: 'marketing' | 'all'; readonly source: string; readonly since: Time }

/** An API key by its name; never the key. */
export type NamedKey = { readonly id: string; readonly name: string }

/** What an event of each type is about. Of a type that begins with `message.` it is the message, but for `message.received`. */
export type EventData = { readonly [Type in Exclude<EventType, 'message.received'> & `message.${string}`]: Message } & {
  readonly 'message.received': ReceivedMessage
  /** The window at the sender to whom the customer wrote; `sender` is null in an event of an earlier version. */
  readonly 'window.opened': Window & { readonly to: CustomerId; readonly sender: string | null }
  readonly 'customer.changed': { readonly phone_number: string | null; readonly user_id: string | null }
  readonly 'customer.opted_out': ConsentData
  readonly 'customer.opted_in': ConsentData
  readonly 'wallet.topped_up': Balance & { readonly amount: Amount; readonly reference: string }
  readonly 'wallet.low': Balance & { readonly threshold: Amount }
  readonly 'wallet.exhausted': Balance & { readonly required: Amount; readonly shortfall: Amount }
  readonly 'template.changed': Template & { readonly previous: Pick<Template, 'status' | 'category' | 'quality'> }
  readonly 'sender.failing': FailingSender & { readonly error: JsonObject }
  readonly 'sender.recovered': FailingSender
  readonly 'sender.quality': NumberLimits & {
    readonly phone_number_id: string
    readonly display_phone_number: string | null
    readonly quality_since: Time | null
    readonly read_at: Time
    readonly previous: NumberLimits
  }
  readonly 'batch.confirmed': MovedBatch
  readonly 'batch.paused': MovedBatch
  readonly 'batch.canceled': MovedBatch
  readonly 'batch.done': MovedBatch
  readonly 'key.minted': NamedKey
  readonly 'key.revoked': NamedKey
  readonly 'endpoint.disabled': EventEndpoint & { readonly reason: string }
  readonly 'endpoint.test': { readonly endpoint: string }
}

/** The types of events. A notification of the platform is not an event: endpoints of the format `platform` get it unchanged. */
export type ToldType = Exclude<EventType, 'platform.notification'>

/** Something that happened to the workspace; `type` says what `data` is. A later gateway may have more types, so a program leaves alone what it does not know. */
export type Event = { readonly [Type in ToldType]: Omit<UntypedEvent, 'type' | 'data'> & {
  readonly type: Type
  readonly data: EventData[Type]
} }[ToldType]
