import { createHmac, timingSafeEqual } from 'node:crypto'

const HEADER_FORM = /^sha256=[0-9a-f]{64}$/

/** A notification's signature as `X-Hub-Signature-256` carries it: HMAC-SHA256 over the raw bytes, keyed with the app secret. */
export const signatureOf = (appSecret: string, raw: Uint8Array): string =>
  `sha256=${createHmac('sha256', appSecret).update(raw).digest('hex')}`

/**
 * Whether a notification's raw bytes were signed with the app secret, in constant time.
 *
 * A header that is absent or malformed is no signature. With an empty secret nothing is signed, since anyone could have.
 */
export const isSignedBy = (appSecret: string, raw: Uint8Array, header: string | undefined): boolean =>
  appSecret !== '' && header !== undefined && HEADER_FORM.test(header)
  && timingSafeEqual(Buffer.from(header), Buffer.from(signatureOf(appSecret, raw)))
