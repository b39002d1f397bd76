import * as E from 'fp-ts/lib/Either.js'
import type { Context } from 'koa'
import type { Relay, RelayedChange } from '../../core/events/relay.js'
import type { PortFailure } from '../../core/kernel/failure.js'
import type { Api } from '../../core/api.js'
import type { Report } from '../../core/reports/receive.js'
import type { RawFailure } from './raw-body.js'
import { type BadSignature, missingThing } from './reply.js'
import { type Codec, described, form, string } from './schema.js'

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
  /**
   * The same webhook after its secrets were read again, by a read that began after the call; `undefined` if it no longer exists. It is called before a signature or a
   * handshake is refused. The same object if the secrets are unchanged. Without this method they never change.
   */
  readonly renewed?: () => Promise<E.Either<PortFailure, Webhook | undefined>>
}

/**
 * Finds the webhook of an app of the platform by the app's id or name; `undefined` if there is no such app. `makeAppWebhooks` of `postern/cloud-api` creates it from
 * the stored apps.
 */
export type FindWebhook = (app: string) => Promise<E.Either<PortFailure, Webhook | undefined>>

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
  /** Without it there is no webhook at `/webhooks/platform`. It needs `receive`. */
  readonly webhook?: Webhook
  /** Without it there are no webhooks at `/webhooks/platform/{app}`. It needs `receive`. */
  readonly appWebhook?: FindWebhook
}

/** The id or the name of an app, in an address. */
export const AppRef: Codec<string> = described(
  string(form(/^[A-Za-z0-9_-]{1,64}$/, 'an id or a name of an app')), 'The id or the name of the app.', 'acme',
)

export const noSuchApp = missingThing('There is no app with this id or name')

/** A part of the dependencies that an operation is served with. */
export const required = <Part>(part: Part | undefined): Part => {
  if (part === undefined) throw new TypeError('makeHttpApp: a webhook is served without its dependency')
  return part
}

/** The use cases for what a webhook reads; throws if `receive` is missing. Without `relay` no endpoint gets raw notifications. */
export const requireReceiving = ({ postern: { upkeep: { receive, relay = relayNothing } = {} } }: WebhookDeps) => {
  if (receive === undefined) throw new TypeError('makeHttpApp: webhook needs the use case receive')
  return { receive, relay }
}

const relayNothing: Relay = async () => E.right(undefined)
