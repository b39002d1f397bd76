import type { Socket } from 'node:net'
import { pipeline, type Readable, Transform } from 'node:stream'
import type { buildConnector } from 'undici'
import {
  type Answered, type BodyLimits, CONNECTION_REST_MS, type Download, type DownloadRequest, type HttpRequest, IDLE_CONNECTION_MS, loggable, startDeadline,
  type Transport, type TransportResult,
} from './transport.js'

/**
 * Makes undici pass over interim answers (1xx), as RFC 9110 (section 15.2) asks of every client: undici ends the connection
 * at a `100 Continue` that it did not ask for. `101 Switching Protocols` is left to undici, which refuses it.
 */
export const skippingInterim =
  (connect: buildConnector.connector): buildConnector.connector =>
  (options, callback) =>
    connect(options, (...[error, socket]) => {
      if (error !== null) return callback(error, null)
      skipInterim(socket)
      callback(null, socket)
    })

/** A connection carries one request at a time, so the first bytes that are read after a write begin an answer. */
const skipInterim = (socket: Socket): void => {
  const write = socket.write.bind(socket) as (...given: ReadonlyArray<unknown>) => boolean
  const read: (size?: number) => Buffer | null = socket.read.bind(socket)
  let isAnswerDue = false
  let undecided: Buffer = Buffer.alloc(0)

  socket.write = (...given: ReadonlyArray<unknown>) => {
    isAnswerDue = true
    return write(...given)
  }
  socket.read = (size?: number) => {
    const chunk = read(size)
    if (!isAnswerDue || chunk === null) return chunk
    undecided = afterInterim(undecided.length === 0 ? chunk : Buffer.concat([undecided, chunk]))
    if (mayBeInterim(undecided)) return null
    const answer = undecided
    isAnswerDue = false
    undecided = Buffer.alloc(0)
    return answer
  }
}

const STATUS_LINE_LENGTH = 'HTTP/1.1 100'.length
const STATUS_AT = 'HTTP/1.1 '.length
const DIGIT_ONE = 0x31
const INTERIM = /^HTTP\/1\.[01] 1(?!01)[0-9]{2}/
const END_OF_HEAD = '\r\n\r\n'
const LONGEST_INTERIM = 16_384

/** The bytes that follow the whole interim answers at the beginning. */
const afterInterim = (bytes: Buffer): Buffer => {
  if (!isInterim(bytes)) return bytes
  const end = bytes.indexOf(END_OF_HEAD)
  return end === -1 ? bytes : afterInterim(bytes.subarray(end + END_OF_HEAD.length))
}

/** Whether more bytes are needed to know where the final answer begins. A longer interim answer is left to undici. */
const mayBeInterim = (bytes: Buffer): boolean =>
  bytes.length < STATUS_LINE_LENGTH || (bytes.length <= LONGEST_INTERIM && isInterim(bytes))

const isInterim = (bytes: Buffer): boolean =>
  bytes[STATUS_AT] === DIGIT_ONE && INTERIM.test(bytes.toString('latin1', 0, STATUS_LINE_LENGTH))

/** Connections to servers, each of which carries one call at a time. */
export type ConnectionPool<Connection> = {
  /** A connection that no other call uses; `undefined` where the pool is closed or `max` connections are in use. */
  readonly acquire: (origin: string) => Lease<Connection> | undefined
  /** Closes every connection, those in use too. */
  readonly close: () => Promise<void>
}

/** The use of a connection by one call. */
export type Lease<Connection> = {
  readonly connection: Connection
  /** Gives the connection back; one that cannot be used again is closed. */
  readonly release: (reusable: boolean) => void
}

/** How a client library opens and closes a connection, and how many may be in use at once. */
export type PoolOptions<Connection> = {
  /** Prepares a connection; the library connects when the first call uses it, and again where the server has closed it. */
  readonly open: (origin: string) => Connection
  readonly shut: (connection: Connection) => unknown
  readonly max: number
}

type Unused<Connection> = { readonly origin: string; readonly connection: Connection; readonly since: number }

/**
 * Makes an empty pool. A connection is used again only after `CONNECTION_REST_MS`.
 *
 * A server may close a connection right after an answer without having said so. A request that is written before the client
 * has seen this gets no answer, and its outcome is unknown. During the rest the client sees that the connection is closed.
 */
export const makeConnectionPool = <Connection>({ open, shut, max }: PoolOptions<Connection>): ConnectionPool<Connection> => {
  const inUse = new Set<Connection>()
  const idle = new Map<string, Unused<Connection>[]>()
  let resting: Unused<Connection>[] = []
  let restTimer: NodeJS.Timeout | undefined
  let closed = false

  const sweeper = setInterval(() => {
    const oldest = performance.now() - IDLE_CONNECTION_MS
    for (const unused of idle.values()) {
      const fresh = unused.findIndex(({ since }) => since > oldest)
      for (const { connection } of unused.splice(0, fresh === -1 ? unused.length : fresh)) shut(connection)
    }
  }, IDLE_CONNECTION_MS / 2).unref()

  /** Between the timer and the immediate Node.js reads its sockets, so a connection that was closed during the rest is known to be. */
  const waitForRest = (delayMs: number): void => {
    restTimer = setTimeout(() => setImmediate(endRest, performance.now()), delayMs).unref()
  }

  const endRest = (now: number): void => {
    const tired = resting.findIndex(({ since }) => since + CONNECTION_REST_MS > now + TIMER_PRECISION_MS)
    for (const rested of resting.splice(0, tired === -1 ? resting.length : tired)) {
      const unused = idle.get(rested.origin)
      if (unused === undefined) idle.set(rested.origin, [rested])
      else unused.push(rested)
    }
    const [next] = resting
    restTimer = undefined
    if (next !== undefined) waitForRest(Math.max(1, next.since + CONNECTION_REST_MS - performance.now()))
  }

  const release = (origin: string, connection: Connection, reusable: boolean): void => {
    if (!inUse.delete(connection)) return
    if (!reusable) return void shut(connection)
    resting.push({ origin, connection, since: performance.now() })
    if (restTimer === undefined) waitForRest(CONNECTION_REST_MS)
  }

  return {
    acquire: (origin) => {
      if (closed || inUse.size >= max) return undefined
      const last = idle.get(origin)?.pop()
      const isFresh = last !== undefined && last.since + IDLE_CONNECTION_MS > performance.now()
      if (last !== undefined && !isFresh) shut(last.connection)
      const connection = isFresh ? last.connection : open(origin)
      inUse.add(connection)
      return { connection, release: (reusable) => release(origin, connection, reusable) }
    },
    close: async () => {
      closed = true
      clearInterval(sweeper)
      clearTimeout(restTimer)
      const unused = [...resting, ...[...idle.values()].flat()].map(({ connection }) => connection)
      resting = []
      idle.clear()
      await Promise.all([...inUse, ...unused].map(shut))
    },
  }
}

/** Node.js's timers may fire this much early by the precise clock. */
const TIMER_PRECISION_MS = 1

/** Makes one call over a connection that no other call uses, and reports its result once. */
export type CallOnce<Connection> = (connection: Connection, request: HttpRequest, onResult: (result: TransportResult) => void) => void

/** Ends the stream of a call that has its result, so that what feeds it ends, too. */
export const endingStream = ({ stream }: HttpRequest, onResult: (result: TransportResult) => void) => (result: TransportResult): void => {
  onResult(result)
  stream?.destroy()
}

/** Makes each call over a connection of its own. A connection whose call failed is closed; the others are used again. */
export const callOver =
  <Connection>(pool: ConnectionPool<Connection>, call: CallOnce<Connection>): Transport =>
  (request) =>
    new Promise((resolve) => {
      try {
        const lease = pool.acquire(request.origin)
        if (lease === undefined) return resolve({ _tag: 'NotSent', cause: new Error('The transport is closed, or all its connections are in use') })
        call(lease.connection, request, (result) => {
          lease.release(result._tag === 'Answered')
          resolve(result)
        })
      } catch (thrown) {
        // Only an address that is none, or the like, throws: before anything is written.
        resolve({ _tag: 'NotSent', cause: loggable(thrown) })
      }
    })

/** What a client library reports of one download; `failed` also reports what happens to the body. */
export type DownloadEvents = {
  readonly opened: (status: number, headers: Answered['headers'], body: Readable) => void
  readonly failed: (cause: Error) => void
}

/** Starts one download over a connection that no other call uses, and returns how to end it before it is opened. */
export type StartDownload<Connection> = (connection: Connection, request: DownloadRequest, on: DownloadEvents) => () => void

/** Makes each download over a connection of its own; one whose body was taken to its end is used again. */
export const downloadOver =
  <Connection>(pool: ConnectionPool<Connection>, start: StartDownload<Connection>): Download =>
  (request) =>
    new Promise((resolve) => {
      const lease = acquire(pool, request.origin)
      if (lease instanceof Error) return resolve({ _tag: 'NoAnswer', cause: lease })
      let isOpening = true
      let fail = (cause: Error): void => {
        if (!isOpening) return
        isOpening = false
        deadline.clear()
        lease.release(false)
        resolve({ _tag: 'NoAnswer', cause })
      }
      const opened = (status: number, headers: Answered['headers'], source: Readable): void => {
        if (!isOpening) return void source.destroy()
        isOpening = false
        deadline.clear()
        const body = limitedBody(source, request)
        fail = body.fail
        const closed = body.ended.then(lease.release)
        resolve({ _tag: 'Opened', status, headers, bytes: body.bytes, close: body.close, closed })
      }
      let abort = (): void => undefined
      const deadline = startDeadline(request.timeoutMs, () => {
        fail(new Error(`No answer within ${request.timeoutMs} ms`))
        abort()
      })
      try {
        abort = start(lease.connection, request, { opened, failed: (cause) => fail(cause) })
      } catch (thrown) {
        fail(loggable(thrown))
      }
    })

/** Only an address that is none, or the like, throws. */
const acquire = <Connection>(pool: ConnectionPool<Connection>, origin: string): Lease<Connection> | Error => {
  try {
    return pool.acquire(origin) ?? new Error('The transport is closed, or too many downloads are under way')
  } catch (thrown) {
    return loggable(thrown)
  }
}

/** A body that ends with an error when it breaks a limit. `ended` says whether all of it was taken from the connection. */
const limitedBody = (source: Readable, { maxBytes, idleMs, totalMs }: BodyLimits) => {
  let size = 0
  const body = new Transform({
    transform: (chunk: Buffer, _encoding, done) => {
      size += chunk.length
      idle.clear()
      idle = startIdle()
      done(size > maxBytes ? new Error(`The body is longer than ${maxBytes} bytes`) : null, chunk)
    },
  })
  // The reader gets the first error. Without this listener an error that comes before there is a reader would end the process.
  body.on('error', () => undefined)
  const fail = (cause: Error): void => void body.destroy(cause)
  const startIdle = () => startDeadline(idleMs, () => fail(new Error(`No byte within ${idleMs} ms`)))
  let idle = startIdle()
  const total = startDeadline(totalMs, () => fail(new Error(`The body took longer than ${totalMs} ms`)))
  const ended = new Promise<boolean>((resolve) => {
    pipeline(source, body, (error) => {
      idle.clear()
      total.clear()
      resolve(!(error instanceof Error))
    })
  })
  const bytes: AsyncIterable<Uint8Array> = { [Symbol.asyncIterator]: () => body[Symbol.asyncIterator]() as AsyncIterator<Uint8Array> }
  return { bytes, fail, ended, close: () => void body.destroy() }
}
