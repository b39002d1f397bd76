import { randomBytes, scrypt, type ScryptOptions as NodeOptions, timingSafeEqual } from 'node:crypto'
import type { PasswordHasher } from '../../core/access/passwords.js'
import { attempt, portFailure } from '../../core/kernel/failure.js'
import { makePlaces } from '../shared/places.js'

/** How many works run at once, and how many may wait for their turn. */
export type SlotsOptions = { readonly atOnce: number; readonly waiting: number }

/** Runs works in their order, a few at once; rejects a work for which there is no room to wait. */
export const makeSlots = ({ atOnce, waiting }: SlotsOptions) => {
  const places = makePlaces(atOnce)
  return async <Result>(work: () => Promise<Result>): Promise<Result> => {
    if (places.free() === 0 && places.waiting() >= waiting) throw new Error('too many passwords are waiting to be computed')
    return places.run(work)
  }
}

/** How much work a digest takes, and how many are computed at once; all are optional. */
export type ScryptOptions = {
  /** The binary logarithm of scrypt's cost N; 17 by default, as OWASP asks, which takes 128 MiB and some tenths of a second. */
  readonly logN?: number
  /** How many digests are computed at once; 2 by default. */
  readonly atOnce?: number
  /** How many may wait for their turn; 64 by default. One more is a `PortFailure`. */
  readonly waiting?: number
}

/** Makes digests by scrypt. Each says its own parameters, so the cost can be raised and older digests can still be verified. */
export const makeScryptHasher = ({ logN = 17, atOnce = 2, waiting = 64 }: ScryptOptions = {}): PasswordHasher => {
  const slots = makeSlots({ atOnce, waiting })
  const own = { logN, r: BLOCK, p: PARALLEL }
  const derive = (password: string, salt: Buffer, parameters: Parameters) => slots(() => derived(password, salt, parameters))
  return {
    hash: (password) =>
      attempt(async () => {
        const salt = randomBytes(SALT_BYTES)
        return textOf(own, salt, await derive(password, salt, own))
      }, failure),
    verify: (password, text) =>
      attempt(async () => {
        const digest = text === undefined ? undefined : parse(text)
        const { salt, parameters, key } = digest ?? { salt: NO_SALT, parameters: own, key: NO_KEY }
        const isSame = timingSafeEqual(await derive(password, salt, parameters), key)
        return isSame && digest !== undefined
      }, failure),
  }
}

const failure = portFailure('PasswordHasher')

type Parameters = { readonly logN: number; readonly r: number; readonly p: number }

const BLOCK = 8
const PARALLEL = 1
const SALT_BYTES = 16
const KEY_BYTES = 32
const NO_SALT = Buffer.alloc(SALT_BYTES)
const NO_KEY = Buffer.alloc(KEY_BYTES)

/** The most that a stored digest may ask for, so that a wrong one in the database does not stop the gateway. */
const MAX_LOG_N = 20

const DIGEST = /^\$scrypt\$ln=(\d{1,2}),r=(\d{1,2}),p=(\d{1,2})\$([\w-]{22})\$([\w-]{43})$/

const textOf = ({ logN, r, p }: Parameters, salt: Buffer, key: Buffer): string =>
  `$scrypt$ln=${logN},r=${r},p=${p}$${salt.toString('base64url')}$${key.toString('base64url')}`

const parse = (text: string): { readonly parameters: Parameters; readonly salt: Buffer; readonly key: Buffer } | undefined => {
  const [, logN, r, p, salt = '', key = ''] = DIGEST.exec(text) ?? []
  const parameters = { logN: Number(logN), r: Number(r), p: Number(p) }
  if (!(parameters.logN >= 1 && parameters.logN <= MAX_LOG_N && parameters.r === BLOCK && parameters.p === PARALLEL)) return undefined
  return { parameters, salt: Buffer.from(salt, 'base64url'), key: Buffer.from(key, 'base64url') }
}

const derived = (password: string, salt: Buffer, { logN, r, p }: Parameters): Promise<Buffer> =>
  new Promise((resolve, reject) => {
    const N = 2 ** logN
    // scrypt takes 128 * N * r bytes and a little more.
    const options: NodeOptions = { N, r, p, maxmem: 128 * (N + p + 2) * r + 1024 }
    scrypt(password, salt, KEY_BYTES, options, (error, key) => (error === null ? resolve(key) : reject(error)))
  })
