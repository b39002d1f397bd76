/** Performs one HTTP call, once, and never throws or rejects: whatever happened is in the result. */
export type Transport = (request: HttpRequest) => Promise<TransportResult>

/** A transport with connections of its own. */
export type ClosableTransport = {
  readonly send: Transport
  /** After this it sends nothing more; what is under way ends as `Lost`. */
  readonly close: () => Promise<void>
}

/** One call. `origin` has no path and no trailing slash, `path` begins with a slash and carries the query, if any. */
export type HttpRequest = {
  readonly method: 'GET' | 'POST'
  readonly origin: string
  readonly path: string
  /** Names in lower case. They carry the access token, so they are never to be logged. */
  readonly headers: Readonly<Record<string, string>>
  readonly body?: string
  /** The deadline on the whole call, in milliseconds: waiting for a connection, connecting, and reading the answer to its end. */
  readonly timeoutMs: number
}

/** What became of one call. */
export type TransportResult = Answered | NotSent | Lost

/** The server answered, to the last byte. Header names are in lower case. */
export type Answered = {
  readonly _tag: 'Answered'
  readonly status: number
  readonly headers: Readonly<Record<string, string | ReadonlyArray<string> | undefined>>
  readonly body: string
}

/** Not a byte of the request was written: no connection, no name, no TLS. `cause` is for the log and holds no secret. */
export type NotSent = { readonly _tag: 'NotSent'; readonly cause: Error }

/** The request may have been written, and no whole answer came. `cause` is for the log and holds no secret. */
export type Lost = { readonly _tag: 'Lost'; readonly cause: Error }

/** The longest answer that is read, in bytes; the platform's are a few hundred. */
export const MAX_ANSWER_BYTES = 1_048_576

/** How many connections a transport opens to one server at most; what comes on top waits for one, within its deadline. */
export const MAX_CONNECTIONS = 512

/**
 * How long a connection may idle before it is not used again, in milliseconds.
 *
 * A request on a connection that the server is just closing is lost, and a lost send leaves its outcome unknown; so this
 * stays below the 5 seconds after which common servers close theirs. A new handshake is the cheaper evil.
 */
export const IDLE_CONNECTION_MS = 4_000

/**
 * What may be logged of whatever a client library threw: its code and message.
 *
 * The thrown value itself is left behind, since libraries hang the request on it, with the access token in its headers.
 */
export const loggable = (thrown: unknown): Error => {
  if (!(thrown instanceof Error)) return new Error('The HTTP client failed without an error')
  const code = 'code' in thrown && typeof thrown.code === 'string' ? thrown.code : thrown.name
  return new Error(thrown.message === '' ? code : `${code}: ${thrown.message}`)
}
