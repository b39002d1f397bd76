import * as E from 'fp-ts/lib/Either.js'
import * as O from 'fp-ts/lib/Option.js'
import type { PortFailure } from '../errors.js'
import type { Email, Member } from '../member.js'
import type { Members } from '../ports/members.js'
import type { Token } from '../session.js'
import { DAY_MS, type Instant } from '../time.js'

/** How long a browser stays known after a sign-in with a password: 180 days. */
export const DEVICE_MS = 180 * DAY_MS

/** What a known device needs. */
export type DeviceDeps = {
  readonly members: Pick<Members, 'withPassword'>
  /** 256 random bits in base64url. */
  readonly newToken: () => Token
  /** An HMAC of a text with a key, by SHA-256, in base64url or hexadecimal digits. */
  readonly signatureOf: (key: string, text: string) => string
}

/** A member, and the digest of her password, with which her devices are signed. */
type Credentials = { readonly member: Member; readonly passwordDigest?: string | undefined }

/**
 * What a browser keeps of a sign-in with a password, so that the wrong passwords of strangers do not delay its owner: a name, a moment and a signature.
 *
 * The key is the digest of the member's password, which has a random salt and never leaves the storage. So a device is known for her alone, by all gateways, and forgotten
 * when her password changes.
 */
export const newDevice = (deps: DeviceDeps, of: Credentials, at: Instant): string | undefined => {
  const named = `${deps.newToken()}.${at}`
  const signature = signatureFor(deps, of, named)
  return signature === undefined ? undefined : `${named}.${signature}`
}

/** The name of a device that is known for the member with an email; undefined where it is not. */
export const knownDevice = async (
  deps: DeviceDeps, email: Email, given: string | undefined, at: Instant,
): Promise<E.Either<PortFailure, string | undefined>> => {
  const [, named, name, since, signature] = DEVICE.exec(given ?? '') ?? []
  if (named === undefined || at >= Number(since) + DEVICE_MS) return E.right(undefined)
  const found = await deps.members.withPassword(email)()
  if (E.isLeft(found)) return found
  const expected = O.isSome(found.right) ? signatureFor(deps, found.right.value, named) : undefined
  return E.right(expected !== undefined && isSame(expected, signature ?? '') ? name : undefined)
}

const DEVICE = /^(([\w-]{20,64})\.(\d{1,15}))\.([\w-]{43,64})$/

const signatureFor = ({ signatureOf }: DeviceDeps, { member, passwordDigest }: Credentials, named: string): string | undefined =>
  (passwordDigest === undefined ? undefined : signatureOf(passwordDigest, `device ${member.id} ${member.credentialsVersion} ${named}`))

/** Compares in a time that does not depend on where two texts differ. */
const isSame = (a: string, b: string): boolean => {
  let difference = a.length ^ b.length
  for (let index = 0; index < a.length; index += 1) difference |= a.charCodeAt(index) ^ b.charCodeAt(index)
  return difference === 0
}
