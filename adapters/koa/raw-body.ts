import type { IncomingMessage } from 'node:http'
import * as E from 'fp-ts/lib/Either.js'
import type { Context, Middleware } from 'koa'
import { type ByteBudget, makeByteBudget, type TakenBytes } from '../shared/byte-budget.js'
import { SECOND_MS } from '../../core/kernel/time.js'
import type { BodyTooSlow, MalformedBody, Overloaded, PayloadTooLarge } from './reply.js'

/** Limits for the bodies of requests, in addition to the size of each. */
export type BodyLimits = {
  /** The memory for the bodies of all requests, if it is shared with other readers of bodies, such as a console. */
  readonly memory?: ByteBudget
  /** Without `memory`: how many bytes of memory the bodies of all requests may use together; 64 MiB by default. */
  readonly memoryBytes?: number
  /** How long a body may take to arrive, in milliseconds; 10 seconds by default. */
  readonly deadlineMs?: number
  /** How fast a file must arrive. */
  readonly filePace?: FilePace
}

/** How fast a file must arrive, in addition to its other limits. */
export type FilePace = {
  /** How long its bytes may be late, in milliseconds; 30 seconds by default. This is also the longest pause between two pieces. */
  readonly slackMs: number
  /** How many bytes compensate for a second of waiting for them; 4,096 by default. */
  readonly bytesPerSecond: number
}

/** The limits for one request. */
export type RequestLimits = {
  readonly deadlineMs: number
  readonly filePace: FilePace
  /** The memory that its body uses. */
  readonly memory: TakenBytes
}

const MEMORY_BYTES = 64 * 1024 * 1024
const DEADLINE_MS = 10 * SECOND_MS
const FILE_PACE: FilePace = { slackMs: 30 * SECOND_MS, bytesPerSecond: 4_096 }

const LIMITS = Symbol('the limits of the request')

/** Applies limits to every request. A request's memory is released when its handler ends, even with an error. */
export const bodyLimits = ({
  memoryBytes = MEMORY_BYTES, memory: budget = makeByteBudget(memoryBytes), deadlineMs, filePace,
}: BodyLimits = {}): Middleware =>
  async (ctx, next) => {
    const memory = budget.begin()
    limitBody(ctx, memory, { ...(deadlineMs !== undefined && { deadlineMs }), ...(filePace && { filePace }) })
    try {
      await next()
    } finally {
      memory.end()
    }
  }

/** Returns the limits within which the body of a request is read. */
export const limitBody = (
  ctx: Context, memory: TakenBytes, { deadlineMs = DEADLINE_MS, filePace = FILE_PACE }: Pick<BodyLimits, 'deadlineMs' | 'filePace'> = {},
): void => {
  ctx[LIMITS] = { deadlineMs, filePace, memory } satisfies RequestLimits
}

/** The limits of a request; `bodyLimits` must run before its body is read. */
export const limitsOf = (ctx: Context): RequestLimits => {
  const limits = ctx[LIMITS] as RequestLimits | undefined
  if (limits === undefined) throw new TypeError('bodyLimits must come before what reads a body')
  return limits
}

/** Why the bytes of a body could not be read. */
export type RawFailure = PayloadTooLarge | BodyTooSlow | MalformedBody | Overloaded

/** How a body is read. */
export type ReadRawOptions = {
  /** The maximum number of bytes. */
  readonly limit: number
  /** How long it may take to arrive, in milliseconds, instead of the limit of `BodyLimits`. */
  readonly deadlineMs?: number | undefined
  /** The part of the memory for bodies that may be in use after this body was read; all of it by default. */
  readonly share?: number
  /** The maximum number of bytes of a refused body that are read and dropped; 1 MiB by default. */
  readonly discarded?: number
  /** Called with each chunk when it arrives. */
  readonly onChunk?: (chunk: Buffer) => void
}

/**
 * Reads the raw bytes of a body. If no memory is free for a body, it is refused before it is read. The rest of a refused body is discarded.
 *
 * Rejects if another reader has consumed it, such as a body parser of an embedding app: its bytes do not arrive again.
 */
export const readRaw = (
  ctx: Context, { limit, share, discarded, onChunk, ...options }: ReadRawOptions,
): Promise<E.Either<RawFailure, Buffer>> =>
  new Promise((resolve) => {
    const { req, res } = ctx
    if (req.readableDidRead) throw new Error(READ_BEFORE)
    const { memory, deadlineMs } = limitsOf(ctx)
    const announced = announcedLength(req)
    const body = makeByteBuffer(limit, announced, (bytes) => memory.take(bytes, share))
    const finish = (outcome: E.Either<RawFailure, Buffer>): void => {
      clearTimeout(timer)
      req.off('data', take).off('end', complete).off('close', cutShort)
      res.off('finish', watchConnection)
      req.socket.off('close', cutShort)
      if (E.isLeft(outcome)) discardBody(ctx, discarded)
      resolve(outcome)
    }
    const take = (chunk: Buffer): void => {
      const failure = body.append(chunk)
      if (failure !== undefined) return finish(E.left(failure))
      onChunk?.(chunk)
    }
    const complete = (): void => finish(E.right(body.bytes()))
    const cutShort = (): void => finish(E.left({ _tag: 'MalformedBody', sentence: 'The body ended too early' }))
    // After Node.js has sent the reply, it no longer tells the request that its connection has ended, though the body may still be arriving.
    const watchConnection = (): void => void req.socket.on('close', cutShort)
    const timer = setTimeout(() => finish(E.left({ _tag: 'BodyTooSlow' })), options.deadlineMs ?? deadlineMs)
    if ((announced ?? 0) > limit) return finish(E.left({ _tag: 'PayloadTooLarge', limit }))
    if (!memory.canTake(announced ?? 1, share)) return finish(E.left({ _tag: 'Overloaded' }))
    req.on('data', take).on('end', complete).on('close', cutShort).on('error', () => {})
    if (res.writableFinished) watchConnection()
    else res.once('finish', watchConnection)
  })

const READ_BEFORE = 'The body was read before Postern got the request; mount Postern before the body parser of the app'

const announcedLength = ({ headers }: IncomingMessage): number | undefined =>
  headers['content-length'] === undefined ? undefined : Number(headers['content-length'])

/** Bytes that arrive in pieces. They are copied into one buffer, because a separate small piece uses a hundred times its size. A body in one piece is not copied. */
type ByteBuffer = {
  readonly append: (chunk: Buffer) => RawFailure | undefined
  readonly bytes: () => Buffer
}

const FIRST_CAPACITY = 4 * 1024

/** The maximum number of pieces of a body. Many pieces of a few bytes each cost far too much time. */
const MAX_PIECES = 16 * 1024

const NO_BYTES = Buffer.alloc(0)

const makeByteBuffer = (limit: number, announced: number | undefined, reserve: (bytes: number) => boolean): ByteBuffer => {
  let buffer: Buffer = NO_BYTES
  let size = 0
  let pieces = 0

  const grow = (needed: number): boolean => {
    const capacity = Math.max(needed, Math.min(Math.max(4 * buffer.length, FIRST_CAPACITY), announced ?? limit))
    if (!reserve(capacity)) return false
    const larger = Buffer.allocUnsafeSlow(capacity)
    buffer.copy(larger, 0, 0, size)
    buffer = larger
    return true
  }

  return {
    append: (chunk) => {
      pieces += 1
      if (size + chunk.length > limit) return { _tag: 'PayloadTooLarge', limit }
      if (pieces > MAX_PIECES) return { _tag: 'MalformedBody', sentence: `The body came in more than ${MAX_PIECES} pieces` }
      if (size === 0 && chunk.length === announced) {
        if (!reserve(chunk.length)) return { _tag: 'Overloaded' }
        buffer = chunk
        size = chunk.length
        return undefined
      }
      if (size + chunk.length > buffer.length && !grow(size + chunk.length)) return { _tag: 'Overloaded' }
      chunk.copy(buffer, size)
      size += chunk.length
      return undefined
    },
    bytes: () => buffer.subarray(0, size),
  }
}

const MAX_BYTES = 1024 * 1024
const MAX_MS = 2 * SECOND_MS
const LINGER_MS = 200

/**
 * Reads the rest of a refused body without keeping it, so that the caller reads the reply and can use the connection again.
 *
 * If a caller sends more than `most` bytes, or takes longer than `mostMs`, no more is read. Its connection ends after the reply, and is cut a little later: if it were
 * cut immediately, with bytes unread, the system would drop the reply on its way. If the announced length is greater than `most`, or missing, the reply announces that
 * its connection ends.
 */
export const discardBody = ({ req, res }: Context, most: number = MAX_BYTES, mostMs: number = MAX_MS): void => {
  if (req.complete) return
  if (!res.headersSent && (announcedLength(req) ?? Infinity) > most) {
    res.setHeader('Connection', 'close')
    // Node.js destroys the socket after such a reply.
    req.socket.destroySoon = () => { endSoon(req) }
  }
  let passed = 0
  const afterReply = (act: () => void): void => {
    if (res.writableFinished) act()
    else res.once('finish', act)
  }
  const timer = setTimeout(() => afterReply(() => req.destroy()), mostMs).unref()
  // An iterator that has read a part of the body still listens, and would prevent the rest from flowing.
  req.removeAllListeners('readable')
  req
    .on('data', (chunk: Buffer) => {
      passed += chunk.length
      if (passed <= most) return
      req.pause()
      afterReply(() => { endSoon(req) })
    })
    .on('error', () => {})
    .once('end', () => clearTimeout(timer))
    .once('close', () => clearTimeout(timer))
}

const endSoon = (req: IncomingMessage): void => {
  req.socket.end()
  setTimeout(() => req.destroy(), LINGER_MS).unref()
}
