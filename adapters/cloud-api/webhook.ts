import { createHmac, hash, timingSafeEqual } from 'node:crypto'
import * as E from 'fp-ts/lib/Either.js'
import type { RelayedChange } from '../../core/events/relay.js'
import type { Report } from '../../core/reports/receive.js'
import { type NotJson, parseBody, readNotification } from './notification.js'
import { relayedIn } from './relayed.js'
import type { Ignored } from './reports.js'

/** The values shared by the platform's app settings and the gateway. */
export type WebhookSecrets = {
  /** The key of the signatures. With an empty key no signature is valid. */
  readonly appSecret: string
  /** A second key of the signatures, which is valid too while the app secret is being changed. */
  readonly secondAppSecret?: string
  /** The token that the handshake has to contain. An empty token matches nothing. */
  readonly verifyToken: string
}

/** The platform's side of a webhook, in the form that the HTTP app of `postern/koa` expects. */
export type CloudApiWebhook = {
  /** Answers the verification handshake. Right: the challenge to reply with. */
  readonly handshake: (query: HandshakeQuery) => E.Either<HandshakeRefused, string>
  /** Starts to check the signature in a header; `undefined` if no body could be valid. */
  readonly beginSignatureCheck: (header: string | undefined) => SignatureCheck | undefined
  /** Reads a body's bytes. Left: not JSON. */
  readonly read: (raw: Uint8Array) => E.Either<NotJson, ReadNotification>
}

/** The content of a notification: its reports, an entry for each kind of unused items, and its raw changes for endpoints that receive them. */
export type ReadNotification = {
  readonly reports: ReadonlyArray<Report>
  readonly ignored: ReadonlyArray<IgnoredItems>
  readonly relayed: ReadonlyArray<RelayedChange>
}

/** How many items of a notification are ignored for the same field and reason. Both come from fixed lists. */
export type IgnoredItems = Ignored & { readonly count: number }

/** Creates the platform's side of a webhook: the handshake, the check of a signature, and the reading of a notification. */
export const makeWebhook = ({ appSecret, secondAppSecret, verifyToken }: WebhookSecrets): CloudApiWebhook => ({
  handshake: (query) => readHandshake(query, verifyToken),
  beginSignatureCheck: (header) => beginSignatureCheck([appSecret, ...(secondAppSecret === undefined ? [] : [secondAppSecret])], header),
  read: (raw) => E.map(readBody)(parseBody(raw)),
})

const readBody = (body: unknown): ReadNotification => {
  const { reports, ignored } = readNotification(body)
  return { reports, ignored: counted(ignored), relayed: relayedIn(body) }
}

const counted = (ignored: ReadonlyArray<Ignored>): ReadonlyArray<IgnoredItems> => {
  const kinds = new Map<string, IgnoredItems>()
  for (const { field, reason } of ignored) {
    const kind = `${field} ${reason}`
    kinds.set(kind, { field, reason, count: (kinds.get(kind)?.count ?? 0) + 1 })
  }
  return [...kinds.values()]
}

const HEADER_FORM = /^sha256=[0-9a-f]{64}$/

/** A signature of a body, checked while the body's bytes arrive. */
export type SignatureCheck = {
  /** Adds the next bytes of the body. */
  readonly update: (chunk: Uint8Array) => void
  /** Whether the signature signs the bytes added so far, in constant time. To be called once, after the last byte. */
  readonly isValid: () => boolean
}

/** A notification's signature in `X-Hub-Signature-256`: HMAC-SHA256 over the raw bytes, keyed with the app secret. */
export const signatureOf = (appSecret: string, raw: Uint8Array): string =>
  `sha256=${createHmac('sha256', appSecret).update(raw).digest('hex')}`

/**
 * Starts to check the signature in a header.
 *
 * With several secrets, a signature with any of them is valid. `undefined` if no body can be valid, so that none has to be read: the header is absent or malformed, or
 * a secret is empty, so that anyone could sign with it.
 */
export const beginSignatureCheck = (
  appSecret: string | ReadonlyArray<string>, header: string | undefined,
): SignatureCheck | undefined => {
  const secrets = typeof appSecret === 'string' ? [appSecret] : appSecret
  if (secrets.length === 0 || secrets.includes('') || header === undefined || !HEADER_FORM.test(header)) return undefined
  const hmacs = secrets.map((secret) => createHmac('sha256', secret))
  return {
    update: (chunk) => { for (const hmac of hmacs) hmac.update(chunk) },
    // Every secret is compared, so that the time does not depend on which one is right.
    isValid: () => hmacs.map((hmac) => timingSafeEqual(Buffer.from(header), Buffer.from(`sha256=${hmac.digest('hex')}`))).includes(true),
  }
}

/** Whether a notification's raw bytes were signed with the app secret. */
export const isSignedBy = (appSecret: string, raw: Uint8Array, header: string | undefined): boolean => {
  const check = beginSignatureCheck(appSecret, header)
  check?.update(raw)
  return check?.isValid() ?? false
}

/** The handshake's query as parsed from the URL: a repeated parameter is an array. */
export type HandshakeQuery = Readonly<Record<string, string | ReadonlyArray<string> | undefined>>

/** The handshake does not come from the platform, or is meant for another gateway. The reply does not tell which. */
export type HandshakeRefused = { readonly _tag: 'HandshakeRefused' }

/** The platform's challenges are digits. A reply of printable ASCII without spaces is harmless as plain text. */
const CHALLENGE = /^[!-~]{1,256}$/

/**
 * Reads the handshake that verifies the address of a webhook for the platform.
 *
 * Right: the challenge, which is the whole body of the reply, as `text/plain`, with status 200. Refused if the mode is not `subscribe`, the token is not ours, or ours
 * is empty.
 */
export const readHandshake = (query: HandshakeQuery, verifyToken: string): E.Either<HandshakeRefused, string> => {
  const challenge = query['hub.challenge']
  return query['hub.mode'] === 'subscribe' && isToken(query['hub.verify_token'], verifyToken)
    && typeof challenge === 'string' && CHALLENGE.test(challenge)
    ? E.right(challenge)
    : E.left({ _tag: 'HandshakeRefused' })
}

/** Compares digests of the same length, so that the time depends neither on the content nor on the length. */
const isToken = (presented: HandshakeQuery[string], verifyToken: string): boolean =>
  verifyToken !== '' && typeof presented === 'string' && timingSafeEqual(digestOf(presented), digestOf(verifyToken))

const digestOf = (text: string): Buffer => hash('sha256', text, 'buffer')
