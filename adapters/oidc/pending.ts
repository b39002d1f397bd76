import { createCipheriv, createDecipheriv, hkdfSync, randomBytes } from 'node:crypto'
import * as t from 'io-ts'

/** What a sign-in needs when the browser comes back. */
export type Pending = t.TypeOf<typeof Pending>

const Pending = t.strict({ state: t.string, nonce: t.string, verifier: t.string, redirectUri: t.string, expiresAt: t.number })

/** Encrypts and decrypts what the browser keeps. */
export type PendingBox = {
  readonly seal: (pending: Pending) => string
  /** None if it was not sealed with the same secret for the same provider and client, or was changed. */
  readonly open: (sealed: string) => Pending | undefined
}

const ALGORITHM = 'aes-256-gcm'
const KEY_BYTES = 32
const IV_BYTES = 12
const TAG_BYTES = 16

/** Uses AES-256-GCM with a key derived from the operator's secret. `context` is the provider and the client for which a sign-in begins. */
export const makePendingBox = (secret: string, context: string): PendingBox => {
  const key = Buffer.from(hkdfSync('sha256', secret, '', 'postern identity provider', KEY_BYTES))
  const aad = Buffer.from(context)
  return {
    seal: (pending) => {
      const iv = randomBytes(IV_BYTES)
      const cipher = createCipheriv(ALGORITHM, key, iv).setAAD(aad)
      const body = Buffer.concat([cipher.update(JSON.stringify(pending), 'utf8'), cipher.final()])
      return Buffer.concat([iv, cipher.getAuthTag(), body]).toString('base64url')
    },
    open: (sealed) => {
      const text = decrypt(Buffer.from(sealed, 'base64url'))
      if (text === undefined) return undefined
      const pending: unknown = JSON.parse(text)
      return Pending.is(pending) ? pending : undefined
    },
  }

  function decrypt(bytes: Buffer): string | undefined {
    if (bytes.length < IV_BYTES + TAG_BYTES) return undefined
    const decipher = createDecipheriv(ALGORITHM, key, bytes.subarray(0, IV_BYTES), { authTagLength: TAG_BYTES })
      .setAAD(aad)
      .setAuthTag(bytes.subarray(IV_BYTES, IV_BYTES + TAG_BYTES))
    try {
      return decipher.update(bytes.subarray(IV_BYTES + TAG_BYTES), undefined, 'utf8') + decipher.final('utf8')
    } catch {
      return undefined
    }
  }
}
