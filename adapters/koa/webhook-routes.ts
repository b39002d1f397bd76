import { createHash, timingSafeEqual } from 'node:crypto'
import * as E from 'fp-ts/lib/Either.js'
import { pipe } from 'fp-ts/lib/function.js'
import * as TE from 'fp-ts/lib/TaskEither.js'
import { Router } from '@koa/router'
import type { Context } from 'koa'
import type { Receive, Report } from '../../core/receive.js'
import type { Answer } from './answer.js'
import type { BadSignature, MalformedBody, VerificationRefused } from './failures.js'
import type { Log } from './log.js'
import { readRaw } from './read-raw.js'
import { jsonReply, textReply, type Reply } from './reply.js'

/** How the platform's notifications are told from anyone else's, and read. */
export type Webhook = {
  /** What was agreed on for the verification handshake; an empty one agrees with nothing. */
  readonly verifyToken: string
  /** Whether a signature header signs a body's bytes; compares in constant time. */
  readonly isSigned: (raw: Buffer, header: string | undefined) => boolean
  /** Reads a body's bytes. Left: not a notification. `ignored` counts the items that say nothing to us. */
  readonly read: (raw: Buffer) => E.Either<unknown, { readonly reports: ReadonlyArray<Report>; readonly ignored: number }>
  /** How long a notification may take to arrive whole, in milliseconds; 10 seconds where not given. */
  readonly deadlineMs?: number
}

/** The platform sends up to 3 MB: <https://developers.facebook.com/docs/whatsapp/cloud-api/webhooks>. */
const MAX_NOTIFICATION_BYTES = 3 * 1024 * 1024
const DEADLINE_MS = 10_000
const PATH = '/webhooks/platform'
const SIGNATURE_HEADER = 'X-Hub-Signature-256'

/**
 * The platform's side.
 *
 * A notification is acknowledged once what it says is durable, since the platform delivers it again until then.
 */
export const webhookRoutes = (answer: Answer, log: Log, webhook: Webhook, receive: Receive): Router => {
  const router = new Router({ sensitive: true })

  router.get(PATH, answer((ctx) => TE.fromEither(handshake(webhook.verifyToken, ctx))))

  router.post(PATH, answer((ctx) =>
    pipe(
      readRaw(ctx.req, MAX_NOTIFICATION_BYTES, webhook.deadlineMs ?? DEADLINE_MS),
      TE.filterOrElseW((raw) => webhook.isSigned(raw, ctx.get(SIGNATURE_HEADER) || undefined), badSignature),
      TE.flatMapEither((raw) => pipe(webhook.read(raw), E.mapLeft((): MalformedBody => NOT_A_NOTIFICATION))),
      TE.tapIO(({ ignored }) => () => {
        if (ignored === 0) return
        log('info', 'notification_items_ignored', { request_id: ctx.response.get('X-Request-Id'), count: ignored })
      }),
      TE.flatMap(({ reports }) => receive(reports)),
      TE.map(() => jsonReply(200, { status: 'success' })),
    ),
  ))

  return router
}

const badSignature = (): BadSignature => ({ _tag: 'BadSignature' })

const NOT_A_NOTIFICATION: MalformedBody = { _tag: 'MalformedBody', sentence: 'The body is not a notification of the platform' }

const handshake = (verifyToken: string, { query }: Context): E.Either<VerificationRefused, Reply> => {
  const { 'hub.mode': mode, 'hub.verify_token': token, 'hub.challenge': challenge } = query
  const isAgreed = mode === 'subscribe' && verifyToken !== '' && typeof token === 'string' && isSame(token, verifyToken)
  return isAgreed && typeof challenge === 'string' ? E.right(textReply(200, challenge)) : E.left({ _tag: 'VerificationRefused' })
}

/** Compares digests, which are of one length, in constant time. */
const isSame = (a: string, b: string): boolean => timingSafeEqual(digest(a), digest(b))

const digest = (text: string): Buffer => createHash('sha256').update(text).digest()
