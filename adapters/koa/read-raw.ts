import type { IncomingMessage } from 'node:http'
import * as E from 'fp-ts/lib/Either.js'
import type * as TE from 'fp-ts/lib/TaskEither.js'
import type { BodyTooSlow, MalformedBody, PayloadTooLarge } from './failures.js'

/** Why a body's bytes could not be had: too many, too slow, or cut short. */
export type RawFailure = PayloadTooLarge | BodyTooSlow | MalformedBody

/** Reads a body's bytes as they came, up to a limit and within a deadline in milliseconds. */
export const readRaw =
  (req: IncomingMessage, limit: number, deadlineMs: number): TE.TaskEither<RawFailure, Buffer> =>
  () =>
    new Promise((resolve) => {
      const chunks: Array<Buffer> = []
      let size = 0
      const finish = (outcome: E.Either<RawFailure, Buffer>): void => {
        clearTimeout(timer)
        req.off('data', take).off('end', complete).off('close', cutShort)
        // What is left is let through unread, so that the caller gets to read our reply.
        req.resume()
        resolve(outcome)
      }
      const take = (chunk: Buffer): void => {
        size += chunk.length
        if (size > limit) finish(E.left({ _tag: 'PayloadTooLarge', limit }))
        else chunks.push(chunk)
      }
      const complete = (): void => finish(E.right(Buffer.concat(chunks)))
      const cutShort = (): void => finish(E.left({ _tag: 'MalformedBody', sentence: 'The body ended too early' }))
      const timer = setTimeout(() => finish(E.left({ _tag: 'BodyTooSlow' })), deadlineMs)
      req.on('data', take).on('end', complete).on('close', cutShort).on('error', () => {})
    })
