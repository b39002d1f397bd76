import { createCipheriv, createDecipheriv, hkdfSync, randomBytes } from 'node:crypto'

/** Encrypted data cannot be read, or nothing can be encrypted: `POSTERN_SECRET` is missing or a different secret. */
export class SecretUnusable extends Error {}

/** Encrypts secrets before they are stored, so that a reader of the database cannot read them. */
export type SecretBox = {
  /** Encrypts a text for a context; with another context it cannot be decrypted. */
  readonly seal: (text: string, context: string) => string
  /** Decrypts a text that `seal` encrypted with the same secret and context; throws for any other. */
  readonly open: (sealed: string, context: string) => string
  /** The same, but the decrypted text is not cached. */
  readonly openOnce: (sealed: string, context: string) => string
}

const ALGORITHM = 'aes-256-gcm'
const KEY_BYTES = 32
const IV_BYTES = 12
const TAG_BYTES = 16
const VERSION = 'v1'

/** The maximum number of decrypted texts in the cache. With the cache, a busy sender's token is decrypted once and not at every send. */
const CACHED = 10_000

/** Creates a secret box that uses AES-256-GCM and a key derived from the operator's secret. Without a secret, both functions throw. */
export const makeSecretBox = (secret: string | undefined): SecretBox => {
  const key = secret === undefined ? undefined : Buffer.from(hkdfSync('sha256', secret, '', 'postern senders', KEY_BYTES))
  /** Decrypted texts by context and encrypted text. Entries never become stale: the encrypted text is read from the database each time. */
  const decrypted = new Map<string, string>()
  const requireKey = (): Buffer => {
    if (key === undefined) throw new SecretUnusable('POSTERN_SECRET is not set, and access tokens and secrets of endpoints are only stored encrypted')
    return key
  }
  return {
    seal: (text, context) => {
      const iv = randomBytes(IV_BYTES)
      const cipher = createCipheriv(ALGORITHM, requireKey(), iv).setAAD(Buffer.from(context))
      const body = Buffer.concat([cipher.update(text, 'utf8'), cipher.final()])
      return `${VERSION}.${Buffer.concat([iv, cipher.getAuthTag(), body]).toString('base64url')}`
    },
    open: (sealed, context) => {
      const cacheKey = `${context} ${sealed}`
      const cached = decrypted.get(cacheKey)
      if (cached !== undefined) return cached
      const text = decrypt(sealed, context)
      if (decrypted.size >= CACHED) decrypted.clear()
      decrypted.set(cacheKey, text)
      return text
    },
    openOnce: decrypt,
  }

  function decrypt(sealed: string, context: string): string {
    const [version, payload] = sealed.split('.')
    if (version !== VERSION || payload === undefined) throw new SecretUnusable('a stored secret is not in a form this program knows')
    const bytes = Buffer.from(payload, 'base64url')
    const decipher = createDecipheriv(ALGORITHM, requireKey(), bytes.subarray(0, IV_BYTES), { authTagLength: TAG_BYTES })
      .setAAD(Buffer.from(context))
      .setAuthTag(bytes.subarray(IV_BYTES, IV_BYTES + TAG_BYTES))
    try {
      return decipher.update(bytes.subarray(IV_BYTES + TAG_BYTES), undefined, 'utf8') + decipher.final('utf8')
    } catch {
      throw new SecretUnusable('a stored secret does not open: POSTERN_SECRET is not the one it was stored with')
    }
  }
}
