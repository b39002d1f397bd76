import * as E from 'fp-ts/lib/Either.js'
import type { Context } from 'koa'
import type { Receive, Report } from '../../core/use-cases/receive.js'
import type { BadSignature, MalformedBody } from './failures.js'
import { discardBody, readRaw, type RawFailure } from './read-raw.js'

/** How the platform's notifications are checked and read; `makeWebhook` of `postern/cloud-api` makes it from an app's secrets. */
export type Webhook = {
  /** Answers the verification handshake. Right: the challenge to reply with. */
  readonly handshake: (query: Context['query']) => E.Either<unknown, string>
  /** Begins the check of a signature header; `undefined` if it cannot match any body, which is then not read. */
  readonly beginSignatureCheck: (header: string | undefined) => {
    /** Adds bytes of the body, in order. */
    readonly update: (chunk: Uint8Array) => void
    /** Whether the signature matches all added bytes. */
    readonly isValid: () => boolean
  } | undefined
  /** Reads a body's bytes. Left: not a notification. */
  readonly read: (raw: Uint8Array) => E.Either<unknown, Notification>
  /** Called for every refused notification, so that it can be counted. */
  readonly onRejected?: (reason: WebhookRejection) => void
  /** Called for each kind of items that a notification brought and that are not used, so that they can be counted. */
  readonly onIgnored?: (items: IgnoredItems) => void
  /** How long a notification may take to arrive, in milliseconds, instead of the limit of `BodyLimits`. */
  readonly deadlineMs?: number
}

/** Why a notification was refused; a fixed list of words, so that it can label a metric. */
export type WebhookRejection =
  | `signature_${BadSignature['signature']}` | 'too_large' | 'too_slow' | 'malformed' | 'overloaded'

/** The content of a notification. */
export type Notification = {
  readonly reports: ReadonlyArray<Report>
  /** What is not used, an entry for each kind. */
  readonly ignored: ReadonlyArray<IgnoredItems>
}

/** How many items of a notification are not used for one reason; field and reason are words of fixed lists, so that they can label a metric. */
export type IgnoredItems = { readonly field: string; readonly reason: string; readonly count: number }

/** Why a notification is refused before its reports are used. */
export type NotificationFailure = BadSignature | RawFailure

/** The platform sends up to 3 MB: <https://developers.facebook.com/docs/whatsapp/cloud-api/webhooks>. */
const MAX_NOTIFICATION_BYTES = 3 * 1024 * 1024
const SIGNATURE_HEADER = 'X-Hub-Signature-256'

/** The part of the memory for bodies that notifications may fill: anyone can send one, and requests with a key need the rest. */
const MEMORY_SHARE = 0.75

/** How much of a refused notification is still read. Little: anyone can send one, and reading costs more than refusing. */
const DISCARDED_BYTES = 64 * 1024

/** What the webhook needs. */
export type WebhookDeps = {
  /** Without it there are no webhook routes. It needs `receive`. */
  readonly webhook?: Webhook
  readonly receive?: Receive
}

/** The same dependencies; throws if one is missing. */
export const requireWebhook = ({ webhook, receive }: WebhookDeps): Required<WebhookDeps> => {
  if (webhook === undefined || receive === undefined) throw new TypeError('makeHttpApp: webhook needs receive')
  return { webhook, receive }
}

/** Reads a notification whose signature is valid. Without a signature the body is not read. */
export const readNotification = async (ctx: Context, webhook: Webhook): Promise<E.Either<NotificationFailure, Notification>> => {
  const header = ctx.get(SIGNATURE_HEADER)
  const check = webhook.beginSignatureCheck(header || undefined)
  if (check === undefined) {
    discardBody(ctx, DISCARDED_BYTES)
    return E.left({ _tag: 'BadSignature', signature: header === '' ? 'missing' : 'malformed' })
  }
  const raw = await readRaw(ctx, {
    limit: MAX_NOTIFICATION_BYTES, deadlineMs: webhook.deadlineMs, share: MEMORY_SHARE, discarded: DISCARDED_BYTES, onChunk: check.update,
  })()
  if (E.isLeft(raw)) return raw
  if (!check.isValid()) return E.left({ _tag: 'BadSignature', signature: 'wrong' })
  const notification = webhook.read(raw.right)
  return E.isLeft(notification) ? E.left(NOT_A_NOTIFICATION) : notification
}

const NOT_A_NOTIFICATION: MalformedBody = { _tag: 'MalformedBody', sentence: 'The body is not a notification of the platform' }

/** The word that labels a failure in a metric. */
export const rejectionOf = (failure: NotificationFailure): WebhookRejection => {
  switch (failure._tag) {
    case 'BadSignature': return `signature_${failure.signature}`
    case 'PayloadTooLarge': return 'too_large'
    case 'BodyTooSlow': return 'too_slow'
    case 'MalformedBody': return 'malformed'
    case 'Overloaded': return 'overloaded'
  }
}
