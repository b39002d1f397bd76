import { pipeline, type Readable, Transform } from 'node:stream'
import type { ConnectionPool, Lease } from '../http-client/connection-pool.js'
import {
  type Answered, type BodyLimits, type Download, type DownloadRequest, type HttpRequest, loggable, startDeadline, type Transport,
  type TransportResult,
} from './transport.js'

/** Makes one call over a connection that no other call uses, and reports its result once. */
export type CallOnce<Connection> = (connection: Connection, request: HttpRequest, onResult: (result: TransportResult) => void) => void

/** Ends the stream of a call that has its result, so that the source of the stream ends, too. */
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
        // Only an invalid address, or a similar mistake, throws: before anything is written.
        resolve({ _tag: 'NotSent', cause: loggable(thrown) })
      }
    })

/** The events of one download that a client library reports; `failed` also reports errors of the body. */
export type DownloadEvents = {
  readonly opened: (status: number, headers: Answered['headers'], body: Readable) => void
  readonly failed: (cause: Error) => void
}

/** Starts one download over a connection that no other call uses, and returns a function that ends it before it is opened. */
export type StartDownload<Connection> = (connection: Connection, request: DownloadRequest, on: DownloadEvents) => () => void

/** Makes each download over a connection of its own. A connection is used again if the body was read to its end. */
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

/** Only an invalid address, or a similar mistake, throws. */
const acquire = <Connection>(pool: ConnectionPool<Connection>, origin: string): Lease<Connection> | Error => {
  try {
    return pool.acquire(origin) ?? new Error('The transport is closed, or too many downloads are under way')
  } catch (thrown) {
    return loggable(thrown)
  }
}

/** A body that ends with an error when it breaks a limit. `ended` gets whether the whole body was read from the connection. */
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
  // The reader gets the first error. Without this listener, an error before the reader is attached would end the process.
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
