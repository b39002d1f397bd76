import type { Event } from './events.js'
import type { Failures, Operations } from './operations.js'
import type { EventId, Queued, Retry, Sent } from './schemas.js'

/** Limits of a call, in milliseconds. A call with a file may take ten times as long. */
export type CallOptions = {
  /** Ends the call with the code `aborted`. */
  readonly signal?: AbortSignal | undefined
  /** The maximum number of requests; 4 by default. A request that another one delays (`idempotency_in_progress`) does not count. */
  readonly attempts?: number | undefined
  /** How long one request may take; 30 seconds by default. */
  readonly attemptMs?: number | undefined
  /** How long the call may take, including all its requests and the pauses between them; 60 seconds by default. */
  readonly deadlineMs?: number | undefined
}

/** Limits of a call, and the key that makes all requests with it one message, or one batch. A call creates a key unless one is given. */
export type SendOptions = CallOptions & { readonly idempotencyKey?: string | undefined }

/** The options of a client. */
export type ClientOptions = Omit<CallOptions, 'signal'> & {
  /** The address of the gateway, without `/v1`: `https://postern.example`. */
  readonly baseUrl: string
  readonly apiKey: string
  /** Used instead of the global `fetch`. */
  readonly fetch?: ((url: string, init: RequestInit) => Promise<Response>) | undefined
}

/** Details about the requests of a call. */
export type Trace = {
  /** How many requests were made. */
  readonly attempts: number
  /** The number of requests without a response from the gateway. Whether it processed them is unknown. */
  readonly unanswered: number
  /** The id of the last request in the log of the gateway. */
  readonly requestId: string | undefined
}

/** The operation succeeded. */
export type Success<Value> = Trace & { readonly ok: true; readonly status: number; readonly value: Value }

/**
 * The fields of every refusal: a sentence for people, the page of its code, and whether it is worth repeating the same request. A gateway of an older release
 * sends only the sentence.
 */
export type FailureBody = { readonly message: string; readonly doc_url?: string; readonly retry?: Retry }

/** The gateway refused the request. */
export type Refusal<Code extends keyof Failures> = { readonly [C in Code]: Failures[C] & {
  readonly ok: false
  readonly code: C
} & FailureBody }[Code]

/** A response that is not part of this contract: from a proxy, or with a code that only a later gateway has. `reply` is its JSON, or its text. */
export type UnexpectedReply = {
  readonly ok: false
  readonly code: 'unexpected_reply'
  readonly status: number
  readonly message: string
  readonly reply: unknown
}

/** The connection broke, or no response arrived before the deadline. */
export type NoAnswer = { readonly ok: false; readonly code: 'no_answer'; readonly message: string; readonly cause: unknown }

/** The `signal` of the caller ended the call. */
export type Aborted = { readonly ok: false; readonly code: 'aborted'; readonly message: string; readonly cause: unknown }

/** How a call can fail. `not_found` is also the response of a gateway that does not serve the operation. */
export type Failure<Code extends keyof Failures> = Trace & (Refusal<Code | 'not_found'> | UnexpectedReply | NoAnswer | Aborted)

/** The name of an operation: `POST /messages/send-text`. */
export type OperationName = keyof Operations

/** The result of an operation. */
export type Answer<Name extends OperationName> = Success<Operations[Name]['value']> | Failure<Operations[Name]['code']>

/**
 * The result of a send. To retry it, use the same body and this `idempotencyKey`. If `unanswered` is not 0, the message may have been sent, and a retry under another
 * key would send it again.
 */
export type SendAnswer<Name extends OperationName, Value = Sent> = (Success<Value> | Failure<Operations[Name]['code']>) & {
  readonly idempotencyKey: string
  /** `msg_…`, the id of a message that was opened. */
  readonly messageId: string | undefined
  /** Whether this is the response to an earlier request with this key. */
  readonly isReplayed: boolean
}

/**
 * The result of a request for a batch. To retry it, use the same body and this `idempotencyKey`. If `unanswered` is not 0, the batch may have been made, and with `confirm` sent, and a retry under
 * another key would make another one.
 */
export type BatchAnswer = Answer<'POST /batches'> & {
  readonly idempotencyKey: string
  /** Whether an earlier request with this key has made the batch, which is shown as it is now. */
  readonly isReplayed: boolean
}

/** The result of a send that says when its message may be sent. If `value.status` is not `success`, the message is queued, and `value` has no `message_id` yet. */
export type TimedAnswer<Name extends OperationName> = SendAnswer<Name, Sent | Queued>

/** A message that is sent immediately, or refused. */
export type Immediate = { readonly queue?: undefined; readonly send_at?: undefined; readonly deliver_between?: undefined }

/** Sends a message, or queues it if its body says when it may be sent. */
export type Sends<Name extends OperationName, Body> = {
  (body: Body & Immediate, options?: SendOptions): Promise<SendAnswer<Name>>
  (body: Body, options?: SendOptions): Promise<TimedAnswer<Name>>
}

/** The name of an operation that returns a list in pages: the query of these operations has a limit. */
export type ListName = {
  [Name in OperationName]: Operations[Name] extends { readonly query: { readonly limit?: number } } ? Name : never
}[OperationName]

/** Limits of a call, and the sender whose window or attachment is requested: a phone number id; the default sender if it is omitted. */
export type SenderOptions = CallOptions & { readonly sender?: string | undefined }

/** The query of an operation. */
export type QueryOf<Name extends ListName> = Operations[Name]['query']

/** A list: `for await` yields each item of all pages, or the failure that ends it; `page` returns one page. No request is made before that. */
export type List<Item, Page, Code extends keyof Failures> = AsyncIterable<{ readonly ok: true; readonly value: Item } | Failure<Code>> & {
  readonly page: () => Promise<Success<Page> | Failure<Code>>
}

/** The list of an operation. */
export type ListOf<Name extends ListName> = List<ItemOf<Operations[Name]['value']>, Operations[Name]['value'], Operations[Name]['code']>

/** The items of a page: the elements of its only array. */
export type ItemOf<Page> = { [Field in keyof Page]: Page[Field] extends ReadonlyArray<infer Item> ? Item : never }[keyof Page]

/** A page of events; pass `next` as `after` in the next request. */
export type EventPage = { readonly events: ReadonlyArray<Event>; readonly next: EventId | null }

/** A message with its file, which is sent in the same request. */
export type FileMessage = Operations['POST /messages/send']['form']

/** A file of lines, such as the recipients of a batch, as a text or a `Blob`. A stream could not be sent again after a broken connection. */
export type FileOfLines = { readonly type: 'text/csv' | 'application/x-ndjson'; readonly lines: Blob | string }

/** A file to be uploaded. */
export type FileToUpload = Operations['POST /media']['form']
