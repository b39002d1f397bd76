import { createHash, createHmac, randomBytes } from 'node:crypto'
import { uuidv7 } from 'uuidv7'
import type { Machine } from '../../core/settings.js'

/** Ids, random bytes and digests of this machine. */
export const machine: Machine = {
  newUuid: uuidv7,
  randomText: (bytes, encoding) => randomBytes(bytes).toString(encoding),
  sha256: (text) => createHash('sha256').update(text).digest('hex'),
  hmacSha256: (key, text) => createHmac('sha256', key).update(text).digest('base64url'),
}
