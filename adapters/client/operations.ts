/*
 * Made of the OpenAPI document by `npm run client-types`; a test compares it with the document. It has types only, so that the
 * client imports nothing.
 */

import type {
  PlatformError, Currency, Amount, Breaches, Placeholders, Time, SendTextRequest, Sent, Queued, WrittenCustomerId, SendTemplateRequest,
  SendRequest, Quoted, Upload, MarkReadRequest, MessageState, Message, SetConsentRequest, CustomerConsent, ImportedConsents, OptOutWords,
  SetOptOutWordsRequest, CreateBatchRequest, BatchWithRecipients, BatchPreflight, ConfirmBatchRequest, Batch, Batches, ShownBatch, Messages,
  WholeMessage, Queue, Wallet, Entries, CustomerWindows, Customer, Templates, ResultWidth, TemplateResults, Sender, Senders, Key,
  EventPattern, AddEndpointRequest, EventEndpointWithSecret, EventEndpoint, EventEndpoints, ChangeEndpointRequest, EventId, Delivery,
  Deliveries, RedeliverRequest, Redelivered, Events, RedeliverEventRequest
} from './schemas.js'

/** What each failure says besides its sentence, by its code. */
export type Failures = {
  readonly missing_parameters: { readonly status: 400 }
  readonly invalid_parameter: { readonly status: 400 }
  readonly invalid_phone_number: { readonly status: 400 }
  readonly malformed_body: { readonly status: 400 }
  readonly customer_opted_out: { readonly status: 400 }
  readonly window_closed: { readonly status: 400 }
  readonly timezone_unknown: { readonly status: 400 }
  readonly platform_rejected: { readonly status: 400; readonly platform_error: PlatformError }
  readonly unauthenticated: { readonly status: 401 }
  readonly insufficient_balance: {
    readonly status: 402
    readonly required: Amount
    readonly available: Amount
    readonly held: Amount
    readonly shortfall: Amount
    readonly currency: Currency
  }
  readonly spending_limit_reached: {
    readonly status: 402
    readonly required: Amount
    readonly limit: Amount
    readonly spent: Amount
    readonly currency: Currency
    readonly resets_at: Time
  }
  readonly forbidden: { readonly status: 403 }
  readonly method_not_allowed: { readonly status: 405 }
  readonly request_timeout: { readonly status: 408 }
  readonly idempotency_in_progress: { readonly status: 409 }
  readonly payload_too_large: { readonly status: 413 }
  readonly unsupported_media_type: { readonly status: 415 }
  readonly idempotency_key_reused: { readonly status: 422 }
  readonly platform_throttled: { readonly status: 429; readonly platform_error: PlatformError }
  readonly pair_limit: { readonly status: 429 }
  readonly sender_limit: { readonly status: 429 }
  readonly rate_limited: { readonly status: 429 }
  readonly internal: { readonly status: 500 }
  readonly platform_credentials: { readonly status: 502 }
  readonly overloaded: { readonly status: 503 }
  readonly platform_unreachable: { readonly status: 503 }
  readonly storage_unavailable: { readonly status: 503 }
  readonly sender_not_configured: { readonly status: 503 }
  readonly outcome_unknown: { readonly status: 504 }
  readonly template_not_found: { readonly status: 400 }
  readonly template_not_approved: { readonly status: 400 }
  readonly consent_required: { readonly status: 400 }
  readonly template_parameters: { readonly status: 400; readonly expected: Placeholders }
  readonly media_invalid: { readonly status: 400 }
  readonly content_invalid: { readonly status: 400; readonly errors: Breaches }
  readonly not_found: { readonly status: 404 }
  readonly range_not_satisfiable: { readonly status: 416 }
  readonly already_sent: { readonly status: 409 }
  readonly content_gone: { readonly status: 400 }
  readonly nothing_to_send: { readonly status: 400 }
  readonly batch_state: { readonly status: 409 }
  readonly unreadable_file: {
    readonly status: 400
    /** The line from which the file cannot be read, from 1. */ readonly line: number
    /** The column or the field at fault; null if it is no single one. */ readonly column: string | null
  }
  readonly preflight_changed: { readonly status: 409; readonly total: Amount }
  readonly too_many_endpoints: { readonly status: 409 }
  readonly endpoint_disabled: { readonly status: 409 }
}

/** Each operation: what is asked, what a success has, and the codes with which it can fail. */
export type Operations = {
  /** Send a text. */
  readonly 'POST /messages/send-text': {
    readonly body: SendTextRequest
    readonly value: Sent | Queued
    readonly code:
      | 'missing_parameters' | 'invalid_parameter' | 'invalid_phone_number' | 'malformed_body' | 'customer_opted_out' | 'window_closed'
      | 'timezone_unknown' | 'platform_rejected' | 'unauthenticated' | 'insufficient_balance' | 'spending_limit_reached' | 'forbidden'
      | 'method_not_allowed' | 'request_timeout' | 'idempotency_in_progress' | 'payload_too_large' | 'unsupported_media_type'
      | 'idempotency_key_reused' | 'platform_throttled' | 'pair_limit' | 'sender_limit' | 'rate_limited' | 'internal'
      | 'platform_credentials' | 'overloaded' | 'platform_unreachable' | 'storage_unavailable' | 'sender_not_configured' | 'outcome_unknown'
  }
  /** Send a template. */
  readonly 'POST /messages/send-template': {
    readonly body: SendTemplateRequest
    readonly value: Sent | Queued
    readonly code:
      | 'missing_parameters' | 'invalid_parameter' | 'invalid_phone_number' | 'malformed_body' | 'template_not_found'
      | 'template_not_approved' | 'customer_opted_out' | 'consent_required' | 'timezone_unknown' | 'template_parameters'
      | 'platform_rejected' | 'unauthenticated' | 'insufficient_balance' | 'spending_limit_reached' | 'forbidden' | 'method_not_allowed'
      | 'request_timeout' | 'idempotency_in_progress' | 'payload_too_large' | 'unsupported_media_type' | 'idempotency_key_reused'
      | 'platform_throttled' | 'pair_limit' | 'sender_limit' | 'rate_limited' | 'internal' | 'platform_credentials' | 'overloaded'
      | 'platform_unreachable' | 'storage_unavailable' | 'sender_not_configured' | 'outcome_unknown'
  }
  /** Send a message of any type. */
  readonly 'POST /messages/send': {
    readonly body: SendRequest
    readonly form: {
      readonly to: WrittenCustomerId
      readonly type: 'image' | 'video' | 'audio' | 'document' | 'sticker'
      /** The file, which must be the last part of the form; up to 100 MiB, by its type. */ readonly file: Blob
      /** The text below an image, a video or a document. */ readonly caption?: string
      /** The name of a document that the customer sees; the name of the file if omitted. */ readonly filename?: string
      readonly context?: { readonly message_id: string }
      readonly metadata?: { readonly [name: string]: string }
      readonly confirm_within?: number
      /** The phone number id of the sender; the default sender of the workspace if omitted. */ readonly sender?: string
    }
    readonly value: Sent | Queued
    readonly code:
      | 'missing_parameters' | 'invalid_parameter' | 'invalid_phone_number' | 'malformed_body' | 'template_not_found'
      | 'template_not_approved' | 'customer_opted_out' | 'consent_required' | 'window_closed' | 'timezone_unknown' | 'media_invalid'
      | 'template_parameters' | 'content_invalid' | 'platform_rejected' | 'unauthenticated' | 'insufficient_balance'
      | 'spending_limit_reached' | 'forbidden' | 'method_not_allowed' | 'request_timeout' | 'idempotency_in_progress' | 'payload_too_large'
      | 'unsupported_media_type' | 'idempotency_key_reused' | 'platform_throttled' | 'pair_limit' | 'sender_limit' | 'rate_limited'
      | 'internal' | 'platform_credentials' | 'overloaded' | 'platform_unreachable' | 'storage_unavailable' | 'sender_not_configured'
      | 'outcome_unknown'
  }
  /** Quote a text. */
  readonly 'POST /quotes/send-text': {
    readonly body: SendTextRequest
    readonly value: Quoted
    readonly code:
      | 'missing_parameters' | 'invalid_parameter' | 'invalid_phone_number' | 'malformed_body' | 'customer_opted_out' | 'window_closed'
      | 'unauthenticated' | 'insufficient_balance' | 'spending_limit_reached' | 'forbidden' | 'method_not_allowed' | 'request_timeout'
      | 'payload_too_large' | 'unsupported_media_type' | 'rate_limited' | 'internal' | 'overloaded' | 'storage_unavailable'
      | 'sender_not_configured'
  }
  /** Quote a template. */
  readonly 'POST /quotes/send-template': {
    readonly body: SendTemplateRequest
    readonly value: Quoted
    readonly code:
      | 'missing_parameters' | 'invalid_parameter' | 'invalid_phone_number' | 'malformed_body' | 'template_not_found'
      | 'template_not_approved' | 'customer_opted_out' | 'consent_required' | 'template_parameters' | 'unauthenticated'
      | 'insufficient_balance' | 'spending_limit_reached' | 'forbidden' | 'method_not_allowed' | 'request_timeout' | 'payload_too_large'
      | 'unsupported_media_type' | 'rate_limited' | 'internal' | 'overloaded' | 'storage_unavailable' | 'sender_not_configured'
  }
  /** Quote a message of any type. */
  readonly 'POST /quotes/send': {
    readonly body: SendRequest
    readonly value: Quoted
    readonly code:
      | 'missing_parameters' | 'invalid_parameter' | 'invalid_phone_number' | 'malformed_body' | 'template_not_found'
      | 'template_not_approved' | 'customer_opted_out' | 'consent_required' | 'window_closed' | 'template_parameters' | 'content_invalid'
      | 'unauthenticated' | 'insufficient_balance' | 'spending_limit_reached' | 'forbidden' | 'method_not_allowed' | 'request_timeout'
      | 'payload_too_large' | 'unsupported_media_type' | 'rate_limited' | 'internal' | 'overloaded' | 'storage_unavailable'
      | 'sender_not_configured'
  }
  /** Upload a file. */
  readonly 'POST /media': {
    readonly form: {
      /** The file, which must be the last part of the form; up to 100 MiB, by its type. */ readonly file: Blob
      readonly type?: 'image' | 'video' | 'audio' | 'document' | 'sticker'
      /** The phone number id of the sender whose messages will contain the file; the default sender of the workspace if omitted. */ readonly sender?: string
    }
    readonly value: Upload
    readonly code:
      | 'missing_parameters' | 'invalid_parameter' | 'malformed_body' | 'media_invalid' | 'platform_rejected' | 'unauthenticated'
      | 'forbidden' | 'method_not_allowed' | 'request_timeout' | 'payload_too_large' | 'unsupported_media_type' | 'platform_throttled'
      | 'rate_limited' | 'internal' | 'platform_credentials' | 'overloaded' | 'platform_unreachable' | 'storage_unavailable'
      | 'sender_not_configured'
  }
  /** Mark a customer's message as read. */
  readonly 'POST /messages/{wamid}/read': {
    readonly path: { readonly wamid: string }
    readonly body: MarkReadRequest
    readonly value: { readonly status: 'success' }
    readonly code:
      | 'invalid_parameter' | 'malformed_body' | 'platform_rejected' | 'unauthenticated' | 'forbidden' | 'not_found' | 'method_not_allowed'
      | 'request_timeout' | 'payload_too_large' | 'unsupported_media_type' | 'platform_throttled' | 'rate_limited' | 'internal'
      | 'platform_credentials' | 'overloaded' | 'platform_unreachable' | 'storage_unavailable' | 'sender_not_configured'
  }
  /** Download an attachment. */
  readonly 'GET /media/{id}': {
    readonly path: { readonly id: string }
    readonly query: {
      /** The phone number id of the sender that received the message, as `sender` in its event; the default sender if omitted. */ readonly sender?: string
    }
    readonly value: Blob
    readonly code:
      | 'invalid_parameter' | 'platform_rejected' | 'unauthenticated' | 'forbidden' | 'not_found' | 'method_not_allowed'
      | 'range_not_satisfiable' | 'platform_throttled' | 'rate_limited' | 'internal' | 'platform_credentials' | 'platform_unreachable'
      | 'storage_unavailable' | 'sender_not_configured'
  }
  /** Cancel a queued message. */
  readonly 'DELETE /messages/{id}': {
    readonly path: { readonly id: string }
    readonly value: Message
    readonly code:
      | 'unauthenticated' | 'forbidden' | 'not_found' | 'method_not_allowed' | 'already_sent' | 'rate_limited' | 'internal'
      | 'storage_unavailable'
  }
  /** Look up a message. */
  readonly 'GET /messages/{id}': {
    readonly path: { readonly id: string }
    readonly value: WholeMessage
    readonly code:
      | 'unauthenticated' | 'forbidden' | 'not_found' | 'method_not_allowed' | 'rate_limited' | 'internal' | 'storage_unavailable'
  }
  /** Record what a customer allowed or stopped. */
  readonly 'PUT /customers/{to}/consent': {
    readonly path: { readonly to: WrittenCustomerId }
    readonly body: SetConsentRequest
    readonly value: CustomerConsent
    readonly code:
      | 'missing_parameters' | 'invalid_parameter' | 'invalid_phone_number' | 'malformed_body' | 'unauthenticated' | 'forbidden'
      | 'method_not_allowed' | 'request_timeout' | 'payload_too_large' | 'unsupported_media_type' | 'rate_limited' | 'internal'
      | 'overloaded' | 'storage_unavailable'
  }
  /** Import consents. */
  readonly 'POST /consents': {
    readonly value: ImportedConsents
    readonly code:
      | 'unauthenticated' | 'forbidden' | 'method_not_allowed' | 'request_timeout' | 'payload_too_large' | 'unsupported_media_type'
      | 'rate_limited' | 'internal' | 'overloaded' | 'storage_unavailable'
  }
  /** Export consents. */
  readonly 'GET /consents': {
    readonly query: { readonly format?: 'csv' | 'ndjson'; readonly status?: 'granted' | 'withdrawn' }
    readonly value: Blob
    readonly code:
      | 'invalid_parameter' | 'unauthenticated' | 'forbidden' | 'method_not_allowed' | 'rate_limited' | 'internal' | 'storage_unavailable'
  }
  /** Look up the words that stop messages. */
  readonly 'GET /opt-out-words': {
    readonly value: OptOutWords
    readonly code: 'unauthenticated' | 'forbidden' | 'method_not_allowed' | 'rate_limited' | 'internal' | 'storage_unavailable'
  }
  /** Set the words that stop messages. */
  readonly 'PUT /opt-out-words': {
    readonly body: SetOptOutWordsRequest
    readonly value: OptOutWords
    readonly code:
      | 'missing_parameters' | 'invalid_parameter' | 'malformed_body' | 'unauthenticated' | 'forbidden' | 'method_not_allowed'
      | 'request_timeout' | 'payload_too_large' | 'unsupported_media_type' | 'rate_limited' | 'internal' | 'overloaded'
      | 'storage_unavailable'
  }
  /** Create a batch. */
  readonly 'POST /batches': {
    readonly body: CreateBatchRequest
    readonly value: BatchWithRecipients
    readonly code:
      | 'missing_parameters' | 'invalid_parameter' | 'malformed_body' | 'template_not_found' | 'template_not_approved' | 'content_gone'
      | 'nothing_to_send' | 'unauthenticated' | 'insufficient_balance' | 'spending_limit_reached' | 'forbidden' | 'not_found'
      | 'method_not_allowed' | 'request_timeout' | 'idempotency_in_progress' | 'batch_state' | 'payload_too_large'
      | 'unsupported_media_type' | 'idempotency_key_reused' | 'rate_limited' | 'internal' | 'overloaded' | 'storage_unavailable'
      | 'sender_not_configured'
  }
  /** List batches. */
  readonly 'GET /batches': {
    readonly query: {
      /** The maximum number of items. */ readonly limit?: number
      /** Where to continue: the `next_cursor` of the previous page. */ readonly cursor?: string
    }
    readonly value: Batches
    readonly code:
      | 'invalid_parameter' | 'unauthenticated' | 'forbidden' | 'method_not_allowed' | 'rate_limited' | 'internal' | 'storage_unavailable'
  }
  /** Set the recipients of a batch. */
  readonly 'PUT /batches/{id}/recipients': {
    readonly path: { readonly id: string }
    readonly value: BatchWithRecipients
    readonly code:
      | 'unreadable_file' | 'unauthenticated' | 'forbidden' | 'not_found' | 'method_not_allowed' | 'request_timeout' | 'batch_state'
      | 'payload_too_large' | 'unsupported_media_type' | 'rate_limited' | 'internal' | 'overloaded' | 'storage_unavailable'
  }
  /** Check a batch. */
  readonly 'POST /batches/{id}/preflight': {
    readonly path: { readonly id: string }
    readonly value: BatchPreflight
    readonly code:
      | 'template_not_found' | 'template_not_approved' | 'invalid_parameter' | 'unauthenticated' | 'forbidden' | 'not_found'
      | 'method_not_allowed' | 'batch_state' | 'rate_limited' | 'internal' | 'storage_unavailable'
  }
  /** Confirm a batch. */
  readonly 'POST /batches/{id}/confirm': {
    readonly path: { readonly id: string }
    readonly body: ConfirmBatchRequest
    readonly value: Batch
    readonly code:
      | 'missing_parameters' | 'invalid_parameter' | 'malformed_body' | 'template_not_found' | 'template_not_approved' | 'nothing_to_send'
      | 'unauthenticated' | 'insufficient_balance' | 'spending_limit_reached' | 'forbidden' | 'not_found' | 'method_not_allowed'
      | 'request_timeout' | 'batch_state' | 'preflight_changed' | 'payload_too_large' | 'unsupported_media_type' | 'rate_limited'
      | 'internal' | 'overloaded' | 'storage_unavailable'
  }
  /** Pause a batch. */
  readonly 'POST /batches/{id}/pause': {
    readonly path: { readonly id: string }
    readonly value: Batch
    readonly code:
      | 'unauthenticated' | 'forbidden' | 'not_found' | 'method_not_allowed' | 'batch_state' | 'rate_limited' | 'internal'
      | 'storage_unavailable'
  }
  /** Resume a batch. */
  readonly 'POST /batches/{id}/resume': {
    readonly path: { readonly id: string }
    readonly value: Batch
    readonly code:
      | 'unauthenticated' | 'forbidden' | 'not_found' | 'method_not_allowed' | 'batch_state' | 'rate_limited' | 'internal'
      | 'storage_unavailable'
  }
  /** Cancel a batch. */
  readonly 'POST /batches/{id}/cancel': {
    readonly path: { readonly id: string }
    readonly value: Batch
    readonly code:
      | 'unauthenticated' | 'forbidden' | 'not_found' | 'method_not_allowed' | 'batch_state' | 'rate_limited' | 'internal'
      | 'storage_unavailable'
  }
  /** Look up a batch. */
  readonly 'GET /batches/{id}': {
    readonly path: { readonly id: string }
    readonly value: ShownBatch
    readonly code:
      | 'unauthenticated' | 'forbidden' | 'not_found' | 'method_not_allowed' | 'rate_limited' | 'internal' | 'storage_unavailable'
  }
  /** Download the results of a batch. */
  readonly 'GET /batches/{id}/results': {
    readonly path: { readonly id: string }
    readonly query: {
      readonly format?: 'csv' | 'ndjson'
      /** Only lines in these states, separated by commas: `left_out`, `waiting`, `queued`, `pending`, `unconfirmed`, `refused`, `released`, `canceled`, `accepted`, `sent`, `failed`, `delivered`, `read`, `played`. */ readonly states?: string
    }
    readonly value: Blob
    readonly code:
      | 'invalid_parameter' | 'unauthenticated' | 'forbidden' | 'not_found' | 'method_not_allowed' | 'rate_limited' | 'internal'
      | 'storage_unavailable'
  }
  /** List messages. */
  readonly 'GET /messages': {
    readonly query: {
      readonly to?: WrittenCustomerId
      readonly state?: MessageState
      /** Only messages of the sender with this phone number id, including those under a former id of its number. No index covers it, so a page searches the next 10,000 messages that match the other parameters: it may contain few messages, or none, and still have a `next_cursor`. */ readonly sender?: string
      /** Only messages with all of these metadata, as `metadata.order=A-17` or `metadata[order]=A-17`. No index covers metadata, so a page searches the next 10,000 messages that match the other parameters: it may contain few messages, or none, and still have a `next_cursor`. */ readonly metadata?: { readonly [name: string]: string }
      /** The maximum number of items. */ readonly limit?: number
      /** Where to continue: the `next_cursor` of the previous page. */ readonly cursor?: string
    }
    readonly value: Messages
    readonly code:
      | 'invalid_parameter' | 'invalid_phone_number' | 'unauthenticated' | 'forbidden' | 'method_not_allowed' | 'rate_limited' | 'internal'
      | 'storage_unavailable'
  }
  /** Look up the queue. */
  readonly 'GET /queue': {
    readonly value: Queue
    readonly code: 'unauthenticated' | 'forbidden' | 'method_not_allowed' | 'rate_limited' | 'internal' | 'storage_unavailable'
  }
  /** Look up the balance. */
  readonly 'GET /wallet': {
    readonly value: Wallet
    readonly code:
      | 'unauthenticated' | 'forbidden' | 'not_found' | 'method_not_allowed' | 'rate_limited' | 'internal' | 'storage_unavailable'
  }
  /** List the wallet's entries. */
  readonly 'GET /wallet/entries': {
    readonly query: {
      /** Only entries of messages of the sender with this phone number id, including those under a former id of its number. No index covers it, so a page searches the next 2,000 entries: it may contain few entries, or none, and still have a `next_cursor`. */ readonly sender?: string
      /** The maximum number of items. */ readonly limit?: number
      /** Where to continue: the `next_cursor` of the previous page. */ readonly cursor?: string
    }
    readonly value: Entries
    readonly code:
      | 'invalid_parameter' | 'unauthenticated' | 'forbidden' | 'method_not_allowed' | 'rate_limited' | 'internal' | 'storage_unavailable'
  }
  /** Look up a customer service window. */
  readonly 'GET /windows/{to}': {
    readonly path: { readonly to: WrittenCustomerId }
    readonly query: {
      /** The phone number id of the sender whose window is shown; the default sender, and a list of all senders, if omitted. */ readonly sender?: string
    }
    readonly value: CustomerWindows
    readonly code:
      | 'invalid_parameter' | 'invalid_phone_number' | 'unauthenticated' | 'forbidden' | 'method_not_allowed' | 'rate_limited' | 'internal'
      | 'storage_unavailable'
  }
  /** Look up a customer. */
  readonly 'GET /customers/{to}': {
    readonly path: { readonly to: WrittenCustomerId }
    readonly value: Customer
    readonly code:
      | 'invalid_phone_number' | 'unauthenticated' | 'forbidden' | 'not_found' | 'method_not_allowed' | 'rate_limited' | 'internal'
      | 'storage_unavailable'
  }
  /** List templates. */
  readonly 'GET /templates': {
    readonly query: {
      /** Only templates of this exact name. */ readonly name?: string
      /** The phone number id of the sender whose templates are listed; the default sender if omitted. */ readonly sender?: string
      /** The maximum number of items. */ readonly limit?: number
      /** Where to continue: the `next_cursor` of the previous page. */ readonly cursor?: string
    }
    readonly value: Templates
    readonly code:
      | 'invalid_parameter' | 'unauthenticated' | 'forbidden' | 'method_not_allowed' | 'rate_limited' | 'internal' | 'storage_unavailable'
  }
  /** Read what a template achieves. */
  readonly 'GET /templates/{name}/results': {
    readonly path: { readonly name: string }
    readonly query: {
      /** Only messages in this language; every language if omitted. */ readonly language?: string
      /** The beginning of the period; 28 days before its end if omitted. */ readonly from?: string
      /** The end of the period, which is not included; now if omitted. A period has at most 92 days. */ readonly to?: string
      readonly by?: ResultWidth
      readonly format?: 'json' | 'csv'
    }
    readonly value: TemplateResults
    readonly code:
      | 'invalid_parameter' | 'unauthenticated' | 'forbidden' | 'not_found' | 'method_not_allowed' | 'rate_limited' | 'internal'
      | 'storage_unavailable'
  }
  /** List senders. */
  readonly 'GET /senders': {
    readonly value: Senders
    readonly code: 'unauthenticated' | 'forbidden' | 'method_not_allowed' | 'rate_limited' | 'internal' | 'storage_unavailable'
  }
  /** Look up a sender. */
  readonly 'GET /senders/{phone_number_id}': {
    readonly path: { readonly phone_number_id: string }
    readonly value: Sender
    readonly code:
      | 'unauthenticated' | 'forbidden' | 'not_found' | 'method_not_allowed' | 'rate_limited' | 'internal' | 'storage_unavailable'
  }
  /** Look up the API key of the request. */
  readonly 'GET /key': {
    readonly value: Key
    readonly code: 'unauthenticated' | 'method_not_allowed' | 'rate_limited' | 'internal' | 'storage_unavailable'
  }
  /** Add an endpoint. */
  readonly 'POST /event-endpoints': {
    readonly body: AddEndpointRequest
    readonly value: EventEndpointWithSecret
    readonly code:
      | 'missing_parameters' | 'invalid_parameter' | 'malformed_body' | 'unauthenticated' | 'forbidden' | 'method_not_allowed'
      | 'request_timeout' | 'too_many_endpoints' | 'payload_too_large' | 'unsupported_media_type' | 'rate_limited' | 'internal'
      | 'overloaded' | 'storage_unavailable'
  }
  /** List endpoints. */
  readonly 'GET /event-endpoints': {
    readonly value: EventEndpoints
    readonly code: 'unauthenticated' | 'forbidden' | 'method_not_allowed' | 'rate_limited' | 'internal' | 'storage_unavailable'
  }
  /** Look up an endpoint. */
  readonly 'GET /event-endpoints/{id}': {
    readonly path: { readonly id: string }
    readonly value: EventEndpoint
    readonly code:
      | 'unauthenticated' | 'forbidden' | 'not_found' | 'method_not_allowed' | 'rate_limited' | 'internal' | 'storage_unavailable'
  }
  /** Change an endpoint. */
  readonly 'PATCH /event-endpoints/{id}': {
    readonly path: { readonly id: string }
    readonly body: ChangeEndpointRequest
    readonly value: EventEndpoint
    readonly code:
      | 'invalid_parameter' | 'malformed_body' | 'unauthenticated' | 'forbidden' | 'not_found' | 'method_not_allowed' | 'request_timeout'
      | 'payload_too_large' | 'unsupported_media_type' | 'rate_limited' | 'internal' | 'overloaded' | 'storage_unavailable'
  }
  /** Remove an endpoint. */
  readonly 'DELETE /event-endpoints/{id}': {
    readonly path: { readonly id: string }
    readonly value: undefined
    readonly code:
      | 'unauthenticated' | 'forbidden' | 'not_found' | 'method_not_allowed' | 'rate_limited' | 'internal' | 'storage_unavailable'
  }
  /** Replace an endpoint's secret. */
  readonly 'POST /event-endpoints/{id}/rotate-secret': {
    readonly path: { readonly id: string }
    readonly value: EventEndpointWithSecret
    readonly code:
      | 'unauthenticated' | 'forbidden' | 'not_found' | 'method_not_allowed' | 'rate_limited' | 'internal' | 'storage_unavailable'
  }
  /** Test an endpoint. */
  readonly 'POST /event-endpoints/{id}/test': {
    readonly path: { readonly id: string }
    readonly value: Delivery
    readonly code:
      | 'unauthenticated' | 'forbidden' | 'not_found' | 'method_not_allowed' | 'rate_limited' | 'internal' | 'storage_unavailable'
  }
  /** List deliveries. */
  readonly 'GET /event-endpoints/{id}/deliveries': {
    readonly path: { readonly id: string }
    readonly query: {
      /** The maximum number of items. */ readonly limit?: number
      /** Where to continue: the `next_cursor` of the previous page. */ readonly cursor?: string
    }
    readonly value: Deliveries
    readonly code:
      | 'invalid_parameter' | 'unauthenticated' | 'forbidden' | 'not_found' | 'method_not_allowed' | 'rate_limited' | 'internal'
      | 'storage_unavailable'
  }
  /** Deliver failed events, or all events since a date and time, again. */
  readonly 'POST /event-endpoints/{id}/redeliver': {
    readonly path: { readonly id: string }
    readonly body: RedeliverRequest
    readonly value: Redelivered
    readonly code:
      | 'missing_parameters' | 'invalid_parameter' | 'malformed_body' | 'unauthenticated' | 'forbidden' | 'not_found' | 'method_not_allowed'
      | 'request_timeout' | 'endpoint_disabled' | 'payload_too_large' | 'unsupported_media_type' | 'rate_limited' | 'internal'
      | 'overloaded' | 'storage_unavailable'
  }
  /** List events. */
  readonly 'GET /events': {
    readonly query: {
      readonly after?: EventId
      /** Only events of these types, separated by commas, such as `message.received,wallet.*`. */ readonly types?: ReadonlyArray<EventPattern>
      /** The maximum number of items. */ readonly limit?: number
    }
    readonly value: Events
    readonly code:
      | 'invalid_parameter' | 'unauthenticated' | 'forbidden' | 'method_not_allowed' | 'rate_limited' | 'internal' | 'storage_unavailable'
  }
  /** Deliver an event again. */
  readonly 'POST /events/{id}/redeliver': {
    readonly path: { readonly id: string }
    readonly body: RedeliverEventRequest
    readonly value: { readonly status: 'success' }
    readonly code:
      | 'missing_parameters' | 'invalid_parameter' | 'malformed_body' | 'unauthenticated' | 'forbidden' | 'not_found' | 'method_not_allowed'
      | 'request_timeout' | 'endpoint_disabled' | 'payload_too_large' | 'unsupported_media_type' | 'rate_limited' | 'internal'
      | 'overloaded' | 'storage_unavailable'
  }
}
