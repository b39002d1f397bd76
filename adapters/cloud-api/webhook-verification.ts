import { createHash, timingSafeEqual } from 'node:crypto'
import * as E from 'fp-ts/lib/Either.js'

/** The handshake's query, as a URL parser gives it: a parameter that was repeated is an array. */
export type HandshakeQuery = Readonly<Record<string, string | ReadonlyArray<string> | undefined>>

/** The handshake is not the platform's, or not meant for this gateway; which of them is never said. */
export type HandshakeRefused = { readonly _tag: 'HandshakeRefused' }

/** The platform's challenges are digits; printable ASCII without spaces keeps what is echoed harmless as plain text. */
const CHALLENGE = /^[!-~]{1,256}$/

/**
 * Reads the handshake by which the platform verifies a webhook's address.
 *
 * Right: the challenge, to be answered bare, as `text/plain`, with status 200. Refused where the mode is not `subscribe`,
 * the token is another than ours, or ours is empty.
 */
export const readHandshake = (query: HandshakeQuery, verifyToken: string): E.Either<HandshakeRefused, string> => {
  const challenge = query['hub.challenge']
  return query['hub.mode'] === 'subscribe' && isToken(query['hub.verify_token'], verifyToken)
    && typeof challenge === 'string' && CHALLENGE.test(challenge)
    ? E.right(challenge)
    : E.left({ _tag: 'HandshakeRefused' })
}

/** Digests are compared instead of the tokens, so that neither content nor length shows in the time it takes. */
const isToken = (presented: HandshakeQuery[string], verifyToken: string): boolean =>
  verifyToken !== '' && typeof presented === 'string' && timingSafeEqual(digestOf(presented), digestOf(verifyToken))

const digestOf = (text: string): Buffer => createHash('sha256').update(text).digest()
