/** Makes one HTTP call, once. Never throws or rejects: what happened is in the result. */
export type Transport = (request: HttpRequest) => Promise<TransportResult>

/** A transport with connections of its own. */
export type ClosableTransport = {
  readonly send: Transport
  /** Downloads use connections apart from those of `send`, `MAX_DOWNLOADS` at once, so that they keep no send from its connection. */
  readonly download: Download
  /** After this it sends nothing more; what is under way ends as `NoAnswer`. */
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
  /**
   * How long connecting may take, in milliseconds, and how long the answer may take to its end, counted from the request.
   * Time in which this process is too busy to read its sockets does not count.
   */
  readonly timeoutMs: number
  /** How long connecting may take where a part of `timeoutMs` has passed already. */
  readonly connectMs?: number
  /** The longest answer that is read, in bytes; `MAX_ANSWER_BYTES` where nothing is said. */
  readonly maxAnswerBytes?: number
}

/** What became of one call. */
export type TransportResult = Answered | NotSent | NoAnswer

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
export type NoAnswer = { readonly _tag: 'NoAnswer'; readonly cause: Error }

/** Asks for an answer whose body is read while it arrives, once. Never throws or rejects: what happened is in the result. */
export type Download = (request: DownloadRequest) => Promise<DownloadResult>

/** One download. `timeoutMs` is the time until the head of the answer is there, connecting included. */
export type DownloadRequest = Pick<HttpRequest, 'origin' | 'path' | 'headers' | 'timeoutMs'> & BodyLimits

/** The limits of a body that is read while it arrives. */
export type BodyLimits = {
  /** How many bytes may come. */
  readonly maxBytes: number
  /** How long no byte may pass, in milliseconds, whether the server or the reader is slow. */
  readonly idleMs: number
  /** How long all bytes may take, in milliseconds. */
  readonly totalMs: number
}

/** What became of a download until the head of its answer was there. */
export type DownloadResult = Opened | NoAnswer

/** An answer whose body has yet to be read, or closed. */
export type Opened = Pick<Answered, 'status' | 'headers'> & {
  readonly _tag: 'Opened'
  /** Throws what may be logged where the body breaks off or breaks a limit. */
  readonly bytes: AsyncIterable<Uint8Array>
  /** Ends the download, read or not. */
  readonly close: () => void
  /** Resolves once the connection is no longer used for this body. */
  readonly closed: Promise<void>
}

/** The longest answer that is read unless its request allows more, in bytes; the answers to sends have a few hundred. */
export const MAX_ANSWER_BYTES = 1_048_576

/** How a transport connects, and how its connections are bounded. */
export type TransportOptions = {
  /** How many calls may be under way at once, over HTTP/1.1 each over a connection of its own; `MAX_CONNECTIONS` where nothing is said. */
  readonly connections?: number
  /** Whether calls of `send` to `https:` addresses go over HTTP/2 where the server offers it; `false` where nothing is said. */
  readonly http2?: boolean
  /** How many HTTP/2 connections there may be to one server, each with up to 100 calls; 256 where nothing is said. */
  readonly http2Connections?: number
  /** How often an HTTP/2 connection with calls is asked whether it lives, in milliseconds; 2,000 where nothing is said. */
  readonly pingEveryMs?: number
  /** How long the reply may take before the connection is closed, in milliseconds; 5,000 where nothing is said. */
  readonly pingTimeoutMs?: number
  /** Certificates of the authorities that are trusted, in PEM, instead of those that Node.js trusts. */
  readonly ca?: string
}

/** How many calls may be under way at once; one more is `NotSent` at once, since waiting would use up its deadline. */
export const MAX_CONNECTIONS = 10_000

/** How many downloads may be under way at once; each takes some hundred kilobytes of memory where its reader is slow. */
export const MAX_DOWNLOADS = 256

/**
 * How long a connection may idle before it is closed, in milliseconds.
 *
 * A request on a connection that the server is just closing gets no answer, and leaves its outcome unknown; so this
 * stays below the 5 seconds after which common servers close theirs. Another handshake costs less.
 */
export const IDLE_CONNECTION_MS = 4_000

/** How long a connection is not used after an answer, in milliseconds, so that a server that closes it right then is noticed. */
export const CONNECTION_REST_MS = 50

/**
 * What may be logged of a value that a client library threw: its code and message.
 *
 * The thrown value itself is not kept, since libraries attach the request to it, with the access token in its headers.
 */
export const loggable = (thrown: unknown): Error => {
  if (!(thrown instanceof Error)) return new Error('The HTTP client failed without an error')
  const code = 'code' in thrown && typeof thrown.code === 'string' ? thrown.code : thrown.name
  return new Error(thrown.message === '' ? code : `${code}: ${thrown.message}`)
}
