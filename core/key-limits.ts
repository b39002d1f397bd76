import * as E from 'fp-ts/lib/Either.js'
import type { InvalidAmount, InvalidExpiry, InvalidOverlap, InvalidScopes } from './invalid.js'
import type { JsonObject } from './json.js'
import { formatMicros, MAX_MICROS } from './money.js'
import type { NewKey } from './ports/key-store.js'
import { SCOPES, type Scope } from './principal.js'
import { DAY_MS, HOUR_MS, MINUTE_MS, SECOND_MS, type Instant } from './time.js'

/** How far away the end of a key may be, in milliseconds: ten years. */
export const MAX_EXPIRY_MS = 3_653 * DAY_MS
/** How long a key and its successor may both be valid, in milliseconds: 30 days. */
export const MAX_OVERLAP_MS = 30 * DAY_MS
/** For how long a key and its successor are both valid if nothing else is said: `24h`. */
export const DEFAULT_OVERLAP = '24h'

const DURATION = /^(0|[1-9][0-9]{0,7})([smhd])$/
const UNITS: Readonly<Record<string, number>> = { s: SECOND_MS, m: MINUTE_MS, h: HOUR_MS, d: DAY_MS }
const MOMENT = /^(\d{4}-\d{2}-\d{2})(T\d{2}:\d{2}(:\d{2}(\.\d{1,3})?)?(Z|[+-]\d{2}:\d{2}))?$/

/** Reads the names of scopes; at least one, and none twice. Right: in the order of `SCOPES`. */
export const parseScopes = (names: ReadonlyArray<string>): E.Either<InvalidScopes, ReadonlyArray<Scope>> => {
  const unknown = names.find((name) => !SCOPES.some((scope) => scope === name))
  if (unknown !== undefined) return invalidScopes(`there is no scope ${JSON.stringify(unknown.slice(0, 40))}; a key can have ${SCOPES.join(', ')}`)
  if (names.length === 0) return invalidScopes(`a key needs at least one of ${SCOPES.join(', ')}`)
  const twice = names.find((name, index) => names.indexOf(name) !== index)
  return twice === undefined ? E.right(SCOPES.filter((scope) => names.includes(scope))) : invalidScopes(`${twice} is named twice`)
}

/** Reads when a key ends: after a duration such as `90d` or `12h`, or at a moment of ISO 8601, such as `2027-01-31` (midnight UTC) or `2027-01-31T09:30:00Z`. */
export const parseExpiry = (text: string, now: Instant): E.Either<InvalidExpiry, Instant> => {
  const duration = durationIn(text)
  const at = duration === undefined ? momentIn(text) : now + duration
  if (at === undefined) return invalidExpiry('it is a duration such as 90d or 12h, or a moment of ISO 8601 such as 2027-01-31T09:30:00Z')
  if (at <= now) return invalidExpiry('it must be in the future')
  return at - now > MAX_EXPIRY_MS ? invalidExpiry('it is at most ten years away') : E.right(at)
}

/** Reads for how long a key and its successor are both valid: a duration such as `24h`, or 0. Right: in milliseconds. */
export const parseOverlap = (text: string): E.Either<InvalidOverlap, number> => {
  const duration = text === '0' ? 0 : durationIn(text)
  if (duration === undefined) return invalidOverlap('it is a duration such as 24h or 30m, or 0')
  return duration > MAX_OVERLAP_MS ? invalidOverlap('it is at most 30d') : E.right(duration)
}

/** Checks a spending limit, in micros: above zero, and at most `MAX_MICROS`. */
export const checkSpendingLimit = (micros: bigint): E.Either<InvalidAmount, bigint> =>
  micros > 0n && micros <= MAX_MICROS ? E.right(micros) : E.left({ _tag: 'InvalidAmount', reason: `a limit is more than zero and at most ${formatMicros(MAX_MICROS)}` })

/** What an audit entry says of a key: its name and what limits it. */
export const keyDetails = ({ name, scopes, expiresAt, spendingLimit }: KeyLimits): JsonObject => ({
  name, scopes,
  expires_at: expiresAt === undefined ? null : new Date(expiresAt).toISOString(),
  daily_limit: spendingLimit === undefined ? null : formatMicros(spendingLimit),
})

/** The name of a key and what limits it. */
export type KeyLimits = Pick<NewKey, 'name' | 'scopes'> & { readonly expiresAt?: Instant | undefined; readonly spendingLimit?: bigint | undefined }

const durationIn = (text: string): number | undefined => {
  const [, count, unit = ''] = DURATION.exec(text) ?? []
  const unitMs = UNITS[unit]
  return count === undefined || unitMs === undefined ? undefined : Number(count) * unitMs
}

/** A day that a month does not have, such as 30 February, is no moment. */
const momentIn = (text: string): Instant | undefined => {
  const day = MOMENT.exec(text)?.[1]
  const at = day === undefined ? Number.NaN : Date.parse(text)
  const midnight = day === undefined ? Number.NaN : Date.parse(`${day}T00:00:00Z`)
  return Number.isNaN(at) || Number.isNaN(midnight) || new Date(midnight).toISOString().slice(0, 10) !== day ? undefined : at
}

const invalidScopes = (reason: string): E.Either<InvalidScopes, never> => E.left({ _tag: 'InvalidScopes', reason })
const invalidExpiry = (reason: string): E.Either<InvalidExpiry, never> => E.left({ _tag: 'InvalidExpiry', reason })
const invalidOverlap = (reason: string): E.Either<InvalidOverlap, never> => E.left({ _tag: 'InvalidOverlap', reason })
