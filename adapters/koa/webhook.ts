import * as E from 'fp-ts/lib/Either.js'
import type { Context } from 'koa'
import type { Receive, Report } from '../../core/use-cases/receive.js'
import type { BadSignature, MalformedBody } from './failures.js'
import { discardBody, readRaw, type RawFailure } from './read-raw.js'

/** The rules of the platform's side; `makeWebhook` of `postern/cloud-api` makes them of an app's secrets. */
export type Webhook = {
  /** Answers the verification handshake. Right: the challenge to reply with. */
  readonly handshake: (query: Context['query']) => E.Either<unknown, string>
  /** Begins to check what a signature header names; `undefined` where no body could be valid, which is then not read. */
  readonly beginSignatureCheck: (header: string | undefined) => {
    /** Adds bytes of the body, in their order. */
    readonly update: (chunk: Uint8Array) => void
    /** Whether the signature is that of all bytes added. */
    readonly isValid: () => boolean
  } | undefined
  /** Reads a body's bytes. Left: not a notification. `ignored` counts the items that are not used. */
  readonly read: (raw: Uint8Array) => E.Either<unknown, Notification>
  /** Hears of every notification that is refused, so that it can be counted. */
  readonly onRejected?: (reason: WebhookRejection) => void
  /** How long a notification may take to arrive, in milliseconds, where that is not what `BodyLimits` say. */
  readonly deadlineMs?: number
}

/** Why a notification was refused; a fixed list of words, so that it can label a metric. */
export type WebhookRejection =
  | `signature_${BadSignature['signature']}` | 'too_large' | 'too_slow' | 'malformed' | 'overloaded'

/** What a notification says. */
export type Notification = { readonly reports: ReadonlyArray<Report>; readonly ignored: number }
/** Why a notification is refused before it is taken in. */
export type NotificationFailure = BadSignature | RawFailure

/** The platform sends up to 3 MB: <https://developers.facebook.com/docs/whatsapp/cloud-api/webhooks>. */
const MAX_NOTIFICATION_BYTES = 3 * 1024 * 1024
const SIGNATURE_HEADER = 'X-Hub-Signature-256'

/** The part of the memory for bodies that notifications may fill: anyone can send one, and requests with a key need the rest. */
const MEMORY_SHARE = 0.75

/** What the platform's side needs. */
export type WebhookDeps = {
  /** Without it there are no webhook routes. It needs `receive`. */
  readonly webhook?: Webhook
  readonly receive?: Receive
}

/** The same, with nothing left out. */
export const requireWebhook = ({ webhook, receive }: WebhookDeps): Required<WebhookDeps> => {
  if (webhook === undefined || receive === undefined) throw new TypeError('makeHttpApp: webhook needs receive')
  return { webhook, receive }
}

/** Reads a notification whose signature is valid. Without a signature nothing is read. */
export const readNotification = async (ctx: Context, webhook: Webhook): Promise<E.Either<NotificationFailure, Notification>> => {
  const header = ctx.get(SIGNATURE_HEADER)
  const check = webhook.beginSignatureCheck(header || undefined)
  if (check === undefined) {
    discardBody(ctx)
    return E.left({ _tag: 'BadSignature', signature: header === '' ? 'missing' : 'malformed' })
  }
  const raw = await readRaw(ctx, {
    limit: MAX_NOTIFICATION_BYTES, deadlineMs: webhook.deadlineMs, share: MEMORY_SHARE, onChunk: check.update,
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
