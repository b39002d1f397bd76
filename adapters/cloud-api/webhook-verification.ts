import { hash, timingSafeEqual } from 'node:crypto'
import * as E from 'fp-ts/lib/Either.js'

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
