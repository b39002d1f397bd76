import { createHmac, timingSafeEqual } from 'node:crypto'

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
