import * as E from 'fp-ts/lib/Either.js'
import type { Report } from '../../core/use-cases/receive.js'
import { parseNotification, type Ignored, type NotJson, type Notification } from './notification.js'
import { beginSignatureCheck, type SignatureCheck } from './webhook-signature.js'
import { readHandshake, type HandshakeQuery, type HandshakeRefused } from './webhook-verification.js'

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
  /** Reads a body's bytes. Left: not JSON. `ignored` has an entry for each kind of items that are not used. */
  readonly read: (raw: Uint8Array) => E.Either<NotJson, { readonly reports: ReadonlyArray<Report>; readonly ignored: ReadonlyArray<IgnoredItems> }>
}

/** How many items of a notification are ignored for the same field and reason, both of fixed lists. */
export type IgnoredItems = Ignored & { readonly count: number }

/** Makes the platform's side of a webhook: the handshake, the check of a signature, and the reading of a notification. */
export const makeWebhook = ({ appSecret, verifyToken }: WebhookSecrets): CloudApiWebhook => ({
  handshake: (query) => readHandshake(query, verifyToken),
  beginSignatureCheck: (header) => beginSignatureCheck(appSecret, header),
  read: (raw) => E.map(({ reports, ignored }: Notification) => ({ reports, ignored: counted(ignored) }))(parseNotification(raw)),
})

const counted = (ignored: ReadonlyArray<Ignored>): ReadonlyArray<IgnoredItems> => {
  const kinds = new Map<string, IgnoredItems>()
  for (const { field, reason } of ignored) {
    const kind = `${field} ${reason}`
    kinds.set(kind, { field, reason, count: (kinds.get(kind)?.count ?? 0) + 1 })
  }
  return [...kinds.values()]
}
