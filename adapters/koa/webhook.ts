import * as E from 'fp-ts/lib/Either.js'
import type { Context } from 'koa'
import type { Relay, RelayedChange } from '../../core/events/relay.js'
import type { Api } from '../../core/postern.js'
import type { Report } from '../../core/reports/receive.js'
import type { RawFailure } from './raw-body.js'
import type { BadSignature } from './reply.js'

/** How the platform's notifications are checked and read; `makeWebhook` of `postern/cloud-api` creates it from an app's secrets. */
export type Webhook = {
  /** Answers the verification handshake. Right: the challenge to reply with. */
  readonly handshake: (query: Context['query']) => E.Either<unknown, string>
  /** Starts the check of a signature header; `undefined` if it cannot match any body, which is then not read. */
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
  /** Called for each kind of unused items in a notification, so that they can be counted. */
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
  /** The unused items, an entry for each kind. */
  readonly ignored: ReadonlyArray<IgnoredItems>
  /** The changes of one sender each, for endpoints that receive them raw; if absent, these endpoints get nothing. */
  readonly relayed?: ReadonlyArray<RelayedChange>
}

/** How many items of a notification are not used for one reason; field and reason are words of fixed lists, so that they can label a metric. */
export type IgnoredItems = { readonly field: string; readonly reason: string; readonly count: number }

/** Why a notification is refused before its reports are used. */
export type NotificationFailure = BadSignature | RawFailure

/** The dependencies of the webhook. */
export type WebhookDeps = {
  readonly postern: Pick<Api, 'upkeep'>
  /** Without it there are no webhook routes. It needs `receive`. */
  readonly webhook?: Webhook
}

/** The webhook, and the use cases for what it reads; throws if one is missing. Without `relay` no endpoint gets raw notifications. */
export const requireWebhook = ({ webhook, postern: { upkeep: { receive, relay = relayNothing } = {} } }: WebhookDeps) => {
  if (webhook === undefined || receive === undefined) throw new TypeError('makeHttpApp: webhook needs the use case receive')
  return { webhook, receive, relay }
}

const relayNothing: Relay = async () => E.right(undefined)
