import * as E from 'fp-ts/lib/Either.js'
import type * as TE from 'fp-ts/lib/TaskEither.js'
import type { RouterContext, RouterMiddleware } from '@koa/router'
import type { JsonObject } from '../../core/json.js'
import type { HttpFailure } from './failures.js'
import { describeCause, type Log } from './log.js'
import { toReply } from './replies.js'
import { writeReply, type Reply } from './reply.js'

/** What a route does with a request. */
export type Program = (ctx: RouterContext) => TE.TaskEither<HttpFailure, Reply>

/** Makes a handler of a program: runs it, maps its failure to a reply, and logs what only the operator may know. */
export type Answer = (program: Program) => RouterMiddleware

/** Makes the `Answer` that writes to a log. */
export const makeAnswer =
  (log: Log): Answer =>
  (program) =>
  async (ctx) => {
    const outcome = await program(ctx)()
    if (E.isRight(outcome)) return writeReply(ctx, outcome.right)
    report(log, ctx.response.get('X-Request-Id'), outcome.left)
    writeReply(ctx, toReply(outcome.left))
  }

const report = (log: Log, requestId: string, failure: HttpFailure): void => {
  const about = {
    request_id: requestId,
    ...('messageId' in failure && { message_id: failure.messageId }),
    ...('cause' in failure && describeCause(failure.cause)),
  }
  if (failure._tag === 'PortFailure') log('error', 'port_failed', { ...about, port: failure.port })
  if (failure._tag === 'PlatformUnreachable') log('warn', 'platform_unreachable', about)
  if (failure._tag === 'OutcomeUnknown' && !failure.replayed) log('warn', 'outcome_unknown', about)
  if (failure._tag === 'CredentialsRefused') {
    log('error', 'platform_credentials_refused', { ...about, ...numbersOf(failure.error) })
  }
}

/** Of the platform's error object only what is a code, since its sentences may name accounts and numbers. */
const numbersOf = (error: JsonObject): Readonly<Record<string, number>> =>
  Object.fromEntries(
    ['code', 'error_subcode'].flatMap((key): ReadonlyArray<readonly [string, number]> => {
      const value = error[key]
      return typeof value === 'number' ? [[key, value]] : []
    }),
  )
