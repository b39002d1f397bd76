import { createHmac, hash, timingSafeEqual } from 'node:crypto'
import * as E from 'fp-ts/lib/Either.js'
import type { RelayedChange } from '../../core/events/relay.js'
import type { Report } from '../../core/reports/receive.js'
import { type NotJson, parseBody, readNotification } from './notification.js'
import { relayedIn } from './relayed.js'
import type { Ignored } from './reports.js'

/** What the platform's app settings and the gateway agree on. */
export type WebhookSecrets = {
  /** The key of the signatures. With an empty one no signature is valid. */
  readonly appSecret: string
  /** What the handshake has to bring. An empty one agrees with nothing. */
  readonly verifyToken: string
}

/** The platform's side of a webhook, in the shape that the HTTP app of `postern/koa` takes. */
export type CloudApiWebhook = {
  /** Answers the verification handshake. Right: the challenge to reply with. */
  readonly handshake: (query: HandshakeQuery) => E.Either<HandshakeRefused, string>
  /** Begins to check what a signature header names; `undefined` where no body could be valid. */
  readonly beginSignatureCheck: (header: string | undefined) => SignatureCheck | undefined
  /** Reads a body's bytes. Left: not JSON. */
  readonly read: (raw: Uint8Array) => E.Either<NotJson, ReadNotification>
}

/** What is read of a notification: what it reports, an entry for each kind of items that are not used, and its changes for endpoints that get them as they came. */
export type ReadNotification = {
  readonly reports: ReadonlyArray<Report>
  readonly ignored: ReadonlyArray<IgnoredItems>
  readonly relayed: ReadonlyArray<RelayedChange>
}

/** How many items of a notification are ignored for the same field and reason, both of fixed lists. */
export type IgnoredItems = Ignored & { readonly count: number }

/** Makes the platform's side of a webhook: the handshake, the check of a signature, and the reading of a notification. */
export const makeWebhook = ({ appSecret, verifyToken }: WebhookSecrets): CloudApiWebhook => ({
  handshake: (query) => readHandshake(query, verifyToken),
  beginSignatureCheck: (header) => beginSignatureCheck(appSecret, header),
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
  /** Takes the next bytes of the body. */
  readonly update: (chunk: Uint8Array) => void
  /** Whether the signature signs the bytes taken so far, in constant time. To be asked once, after the last byte. */
  readonly isValid: () => boolean
}

/** A notification's signature as `X-Hub-Signature-256` carries it: HMAC-SHA256 over the raw bytes, keyed with the app secret. */
export const signatureOf = (appSecret: string, raw: Uint8Array): string =>
  `sha256=${createHmac('sha256', appSecret).update(raw).digest('hex')}`

/**
 * Begins to check the signature that a header names.
 *
 * `undefined` where no body can be valid, so that none has to be read: the header is absent or malformed, or the secret is
 * empty, with which anyone could sign.
 */
export const beginSignatureCheck = (appSecret: string, header: string | undefined): SignatureCheck | undefined => {
  if (appSecret === '' || header === undefined || !HEADER_FORM.test(header)) return undefined
  const hmac = createHmac('sha256', appSecret)
  return {
    update: (chunk) => void hmac.update(chunk),
    isValid: () => timingSafeEqual(Buffer.from(header), Buffer.from(`sha256=${hmac.digest('hex')}`)),
  }
}

/** Whether a notification's raw bytes were signed with the app secret. */
export const isSignedBy = (appSecret: string, raw: Uint8Array, header: string | undefined): boolean => {
  const check = beginSignatureCheck(appSecret, header)
  check?.update(raw)
  return check?.isValid() ?? false
}

/** The handshake's query, as a URL parser gives it: a parameter that was repeated is an array. */
export type HandshakeQuery = Readonly<Record<string, string | ReadonlyArray<string> | undefined>>

/** The handshake is not the platform's, or is meant for another gateway. The reply does not say which. */
export type HandshakeRefused = { readonly _tag: 'HandshakeRefused' }

/** The platform's challenges are digits. A reply of printable ASCII without spaces is harmless as plain text. */
const CHALLENGE = /^[!-~]{1,256}$/

/**
 * Reads the handshake by which the platform verifies a webhook's address.
 *
 * Right: the challenge, which is the whole body of the reply, as `text/plain`, with status 200. Refused where the mode is not
 * `subscribe`, the token is not ours, or ours is empty.
 */
export const readHandshake = (query: HandshakeQuery, verifyToken: string): E.Either<HandshakeRefused, string> => {
  const challenge = query['hub.challenge']
  return query['hub.mode'] === 'subscribe' && isToken(query['hub.verify_token'], verifyToken)
    && typeof challenge === 'string' && CHALLENGE.test(challenge)
    ? E.right(challenge)
    : E.left({ _tag: 'HandshakeRefused' })
}

/** Compares digests, which have one length, so that the time it takes depends neither on the content nor on the length. */
const isToken = (presented: HandshakeQuery[string], verifyToken: string): boolean =>
  verifyToken !== '' && typeof presented === 'string' && timingSafeEqual(digestOf(presented), digestOf(verifyToken))

const digestOf = (text: string): Buffer => hash('sha256', text, 'buffer')
