import { createCipheriv, createDecipheriv, hkdfSync, randomBytes } from 'node:crypto'

/** Encrypts what is stored and must not be read by whoever reads the database. */
export type SecretBox = {
  /** Encrypts a text; `context` is bound to it, so that it opens in no other place. */
  readonly seal: (text: string, context: string) => string
  /** Decrypts what `seal` made with the same secret and context; throws otherwise. */
  readonly open: (sealed: string, context: string) => string
}

const ALGORITHM = 'aes-256-gcm'
const KEY_BYTES = 32
const IV_BYTES = 12
const TAG_BYTES = 16
const VERSION = 'v1'

/** How many opened texts are kept at hand; a busy sender's token is decrypted once, not at every send. */
const KEPT = 10_000

/** A box whose key is derived from an operator's secret, with AES-256-GCM. Without a secret it throws a sentence when used. */
export const makeSecretBox = (secret: string | undefined): SecretBox => {
  const key = secret === undefined ? undefined : Buffer.from(hkdfSync('sha256', secret, '', 'postern senders', KEY_BYTES))
  /** What was sealed never changes, so what it opens to does not either; each is asked for again from the database. */
  const opened = new Map<string, string>()
  const needKey = (): Buffer => {
    if (key === undefined) throw new Error('POSTERN_SECRET is not set, and access tokens are only stored encrypted')
    return key
  }
  return {
    seal: (text, context) => {
      const iv = randomBytes(IV_BYTES)
      const cipher = createCipheriv(ALGORITHM, needKey(), iv).setAAD(Buffer.from(context))
      const body = Buffer.concat([cipher.update(text, 'utf8'), cipher.final()])
      return `${VERSION}.${Buffer.concat([iv, cipher.getAuthTag(), body]).toString('base64url')}`
    },
    open: (sealed, context) => {
      const place = `${context} ${sealed}`
      const known = opened.get(place)
      if (known !== undefined) return known
      const text = decrypt(sealed, context)
      if (opened.size >= KEPT) opened.clear()
      opened.set(place, text)
      return text
    },
  }

  function decrypt(sealed: string, context: string): string {
    const [version, packed] = sealed.split('.')
    if (version !== VERSION || packed === undefined) throw new Error('a stored access token is not in a form this program knows')
    const bytes = Buffer.from(packed, 'base64url')
    const decipher = createDecipheriv(ALGORITHM, needKey(), bytes.subarray(0, IV_BYTES), { authTagLength: TAG_BYTES })
      .setAAD(Buffer.from(context))
      .setAuthTag(bytes.subarray(IV_BYTES, IV_BYTES + TAG_BYTES))
    try {
      return decipher.update(bytes.subarray(IV_BYTES + TAG_BYTES), undefined, 'utf8') + decipher.final('utf8')
    } catch {
      throw new Error('a stored access token does not open: POSTERN_SECRET is not the one it was stored with')
    }
  }
}
