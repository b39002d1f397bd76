import * as E from 'fp-ts/lib/Either.js'
import type { Option } from 'fp-ts/lib/Option.js'
import { type KeyPrincipal, type Scope, SCOPES } from '../kernel/actor.js'
import type { PortFailure } from '../kernel/failure.js'
import type { WorkspaceId } from '../kernel/ids.js'
import type { JsonObject } from '../kernel/json.js'
import { formatMicros, type InvalidAmount, MAX_MICROS } from '../kernel/money.js'
import type { MakeOutboxEntries, NewEvent } from '../kernel/outbox.js'
import { beginningOf } from '../kernel/text.js'
import { DAY_MS, HOUR_MS, type Instant, MINUTE_MS, parseMoment, SECOND_MS } from '../kernel/time.js'
import type { UnknownWorkspace } from '../kernel/workspace.js'

/** An API key that is malformed, unknown, revoked or expired; which of these is never revealed. */
export type UnknownApiKey = { readonly _tag: 'UnknownApiKey' }

/** The API key with this id is revoked or has expired, so it cannot get a successor. */
export type KeyEnded = { readonly _tag: 'KeyEnded'; readonly id: string }

/** The API key with this id already has a successor, whose id is `by`. */
export type KeyReplaced = { readonly _tag: 'KeyReplaced'; readonly id: string; readonly by: string }

/** A list of scopes of a key that is empty, contains a scope twice or contains one that does not exist; `reason` is a sentence for people. */
export type InvalidScopes = { readonly _tag: 'InvalidScopes'; readonly reason: string }

/** An expiry of a key that has passed, or is too far away; `reason` is a sentence for people. */
export type InvalidExpiry = { readonly _tag: 'InvalidExpiry'; readonly reason: string }

/** An overlap of two keys that is negative or longer than the maximum; `reason` is a sentence for people. */
export type InvalidOverlap = { readonly _tag: 'InvalidOverlap'; readonly reason: string }

/** A key was created; the event contains its name, never the key. */
export const keyMinted = (key: WorkspaceKey): ReadonlyArray<NewEvent> => [keyEvent('key.minted', key)]

/** A key was revoked. */
export const keyRevoked = (key: WorkspaceKey): ReadonlyArray<NewEvent> => [keyEvent('key.revoked', key)]

/** A key got a successor; if they have no overlap, the old key was revoked. */
export const keyRotated = (hasNoOverlap: boolean) => ({ workspace, id, name, successor }: KeySuccession): ReadonlyArray<NewEvent> => [
  ...keyMinted({ workspace, id: successor, name }),
  ...(hasNoOverlap ? keyRevoked({ workspace, id, name }) : []),
]

const keyEvent = (type: 'key.minted' | 'key.revoked', { workspace, id, name }: WorkspaceKey): NewEvent =>
  ({ type, workspace, subject: id, data: { id, name } })

/** The number of random bytes in the id of an API key. */
export const KEY_ID_BYTES = 8
/** The number of random bytes in the secret of an API key: 192 bits. */
export const KEY_SECRET_BYTES = 24

const KEY = /^pst_([0-9a-f]{16})_[0-9a-f]{48}$/
const KEY_ID = /^[0-9a-f]{16}$/

/** The API key from an id and a secret, both in lower-case hexadecimal digits: `pst_<id>_<secret>`. */
export const apiKeyOf = (id: string, secret: string): string => `pst_${id}_${secret}`

/** The id within a text that has the form of an API key; `undefined` for any other text. */
export const apiKeyIdIn = (presented: string): string | undefined => KEY.exec(presented)?.[1]

/** Whether a text has the form of an API key's id. */
export const isApiKeyId = (text: string): boolean => KEY_ID.test(text)

/** The end of a key, by revocation or expiry, and the id of its successor, if it has one. */
export type KeyLife = {
  readonly id: string
  readonly revokedAt: Instant | undefined
  /** When it expires; `undefined` if it does not expire. */
  readonly expiresAt: Instant | undefined
  /** The id of the key that replaced it in a rotation. */
  readonly replacedBy: string | undefined
}

/** When a key gets a successor, and how long the old key stays valid after that, in milliseconds. */
export type Rotation = { readonly at: Instant; readonly overlapMs: number }

/** Whether a key is revoked, or has expired at a given time. */
export const hasEnded = ({ revokedAt, expiresAt }: Pick<KeyLife, 'revokedAt' | 'expiresAt'>, at: Instant): boolean =>
  revokedAt !== undefined || (expiresAt !== undefined && expiresAt <= at)

/** Checks that a key can get a successor at a given time: it has none yet, is not revoked and has not expired. */
export const checkReplaceable = (key: KeyLife, at: Instant): E.Either<KeyEnded | KeyReplaced, void> => {
  if (key.replacedBy !== undefined) return E.left({ _tag: 'KeyReplaced', id: key.id, by: key.replacedBy })
  return hasEnded(key, at) ? E.left({ _tag: 'KeyEnded', id: key.id }) : E.right(undefined)
}

/** When a replaced key expires: after the overlap, or at its own expiry if that is sooner. */
export const endOfReplaced = ({ expiresAt }: Pick<KeyLife, 'expiresAt'>, { at, overlapMs }: Rotation): Instant =>
  Math.min(at + overlapMs, expiresAt ?? Infinity)

/** How far in the future the expiry of a key may be, in milliseconds: ten years. */
export const MAX_EXPIRY_MS = 3_653 * DAY_MS
/** How long a key and its successor may both be valid, in milliseconds: 30 days. */
export const MAX_OVERLAP_MS = 30 * DAY_MS
/** How long a key and its successor are both valid by default: `24h`. */
export const DEFAULT_OVERLAP = '24h'

const DURATION = /^(0|[1-9][0-9]{0,7})([smhd])$/
const UNITS: Readonly<Record<string, number>> = { s: SECOND_MS, m: MINUTE_MS, h: HOUR_MS, d: DAY_MS }

/** Reads the names of scopes; at least one, and none twice. Right: in the order of `SCOPES`. */
export const parseScopes = (names: ReadonlyArray<string>): E.Either<InvalidScopes, ReadonlyArray<Scope>> => {
  const unknown = names.find((name) => !SCOPES.some((scope) => scope === name))
  if (unknown !== undefined) return invalidScopes(`the scope ${JSON.stringify(beginningOf(unknown, 40))} does not exist; the scopes are ${SCOPES.join(', ')}`)
  if (names.length === 0) return invalidScopes(`a key needs at least one of ${SCOPES.join(', ')}`)
  const twice = names.find((name, index) => names.indexOf(name) !== index)
  return twice === undefined ? E.right(SCOPES.filter((scope) => names.includes(scope))) : invalidScopes(`${twice} is listed twice`)
}

/** Reads when a key expires: after a duration such as `90d` or `12h`, or at an ISO 8601 date or time, such as `2027-01-31` (midnight UTC) or `2027-01-31T09:30:00Z`. */
export const parseExpiry = (text: string, now: Instant): E.Either<InvalidExpiry, Instant> => {
  const duration = durationIn(text)
  const at = duration === undefined ? parseMoment(text) : now + duration
  if (at === undefined) return invalidExpiry('it must be a duration such as 90d or 12h, or an ISO 8601 date and time such as 2027-01-31T09:30:00Z')
  if (at <= now) return invalidExpiry('it must be in the future')
  return at - now > MAX_EXPIRY_MS ? invalidExpiry('it must be at most ten years from now') : E.right(at)
}

/** Reads how long a key and its successor are both valid: a duration such as `24h`, or 0. Right: in milliseconds. */
export const parseOverlap = (text: string): E.Either<InvalidOverlap, number> => {
  const duration = text === '0' ? 0 : durationIn(text)
  if (duration === undefined) return invalidOverlap('it must be a duration such as 24h or 30m, or 0')
  return duration > MAX_OVERLAP_MS ? invalidOverlap('it must be at most 30d') : E.right(duration)
}

/** Checks a spending limit, in micros: above zero, and at most `MAX_MICROS`. */
export const checkSpendingLimit = (micros: bigint): E.Either<InvalidAmount, bigint> =>
  micros > 0n && micros <= MAX_MICROS ? E.right(micros) : E.left({ _tag: 'InvalidAmount', reason: `a limit must be more than zero and at most ${formatMicros(MAX_MICROS)}` })

/** The details of a key in an audit entry: its name and its limits. */
export const keyDetails = ({ name, scopes, expiresAt, spendingLimit }: KeyLimits): JsonObject => ({
  name, scopes,
  expires_at: expiresAt === undefined ? null : new Date(expiresAt).toISOString(),
  daily_limit: spendingLimit === undefined ? null : formatMicros(spendingLimit),
})

/** The name of a key and its limits. */
export type KeyLimits = Pick<NewKey, 'name' | 'scopes'> & {
  readonly expiresAt?: Instant | undefined
  readonly spendingLimit?: bigint | undefined
}

const durationIn = (text: string): number | undefined => {
  const [, count, unit = ''] = DURATION.exec(text) ?? []
  const unitMs = UNITS[unit]
  return count === undefined || unitMs === undefined ? undefined : Number(count) * unitMs
}

const invalidScopes = (reason: string): E.Either<InvalidScopes, never> => E.left({ _tag: 'InvalidScopes', reason })
const invalidExpiry = (reason: string): E.Either<InvalidExpiry, never> => E.left({ _tag: 'InvalidExpiry', reason })
const invalidOverlap = (reason: string): E.Either<InvalidOverlap, never> => E.left({ _tag: 'InvalidOverlap', reason })

/**
 * Workspaces' API keys. A key is `pst_<id>_<secret>` with at least 160 random bits; only a digest of it is stored. The id is one
 * or more ASCII letters, digits or hyphens. `apiKeyOf` and `apiKeyIdIn` are the form of the keys that Postern's own adapters
 * mint: their ids have 16 hexadecimal digits.
 */
export interface KeyStore {
  /**
   * The principal of a presented key: its workspace, and the key's id, name, scopes, expiry and spending limit.
   *
   * `UnknownApiKey`: malformed, never created, revoked, or expired, that is, the given time is not before `expiresAt`. A revoked key
   * fails on the very next call, on every node, and so do the keys of a workspace that is archived in the same storage. `presented`
   * comes from callers and may be any text of any length; no text causes a `PortFailure`. A successful call records the key's last
   * use, exact to a minute and never later than the call. A failed call records nothing.
   */
  readonly principalOf: (presented: string, at: Instant) => Promise<E.Either<UnknownApiKey | PortFailure, KeyPrincipal>>
  /**
   * Creates a key, which is valid immediately, even on a node whose clock is behind. Only this result ever contains the key. The name may be any text and is
   * stored unchanged, including spaces at its ends. The key has exactly the given scopes; without any it may do nothing. `UnknownWorkspace`: no workspace has
   * that id.
   *
   * `outboxEntries` is called once the key is created, and its entries are stored in the same step.
   */
  readonly mint: (
    key: NewKey, outboxEntries?: MakeOutboxEntries<WorkspaceKey>,
  ) => Promise<E.Either<UnknownWorkspace | PortFailure, MintedKey>>
  /**
   * Creates a successor of a key, with its workspace, name, scopes, spending limit and, if it has one, its expiry. Both keys are valid
   * for the overlap; then the old one expires, or earlier, at its own expiry. With an overlap of 0 the old one is revoked.
   *
   * A key and all its successors share one spending limit: the principals of the successors have the id of the first key as `spendingId`.
   *
   * `UnknownApiKey`: no key has that id, which may be any text. `KeyReplaced`: it already has a successor. `KeyEnded`: it is revoked or
   * has expired. These change nothing. Of concurrent calls for one key, one succeeds.
   *
   * `outboxEntries` is called once the successor is created, and its entries are stored in the same step.
   */
  readonly rotate: (
    id: string, rotation: Rotation, outboxEntries?: MakeOutboxEntries<KeySuccession>,
  ) => Promise<E.Either<UnknownApiKey | KeyEnded | KeyReplaced | PortFailure, Successor>>
  /** The key with an id, which may be any text; none if no key has it. */
  readonly find: (id: string) => Promise<E.Either<PortFailure, Option<ApiKey>>>
  /**
   * A workspace's keys, oldest first, including revoked and expired ones; empty if the workspace does not exist. Keys created in the same millisecond are
   * ordered by their ids, by code units.
   */
  readonly list: (workspace: WorkspaceId) => Promise<E.Either<PortFailure, ReadonlyArray<ApiKey>>>
  /**
   * Revokes a key immediately. Revoking again keeps the first timestamp. `UnknownApiKey`: no key has that id, which may be any text.
   *
   * `outboxEntries` is called if the key was not revoked before, and its entries are stored in the same step.
   */
  readonly revoke: (
    id: string, at: Instant, outboxEntries?: MakeOutboxEntries<WorkspaceKey>,
  ) => Promise<E.Either<UnknownApiKey | PortFailure, void>>
}

/** A key to be created. */
export type NewKey = {
  readonly workspace: WorkspaceId
  /** The purpose of the key. */
  readonly name: string
  /** When it is created. */
  readonly at: Instant
  /** Its permissions, each scope once. */
  readonly scopes: ReadonlyArray<Scope>
  /** When it expires; without it the key does not expire. */
  readonly expiresAt?: Instant
  /** The maximum cost of the messages sent with the key in a day (UTC), in micros of the wallet's currency; without it there is no limit. */
  readonly spendingLimit?: bigint
}

/** A key's id and name, and its workspace. */
export type WorkspaceKey = { readonly workspace: WorkspaceId; readonly id: string; readonly name: string }

/** A key that was replaced, and the id of its successor. `endsAt` is when the replaced key expires. */
export type KeySuccession = WorkspaceKey & { readonly successor: string; readonly endsAt: Instant }

/** A new key. It is shown only once; afterwards `id` names it. */
export type MintedKey = { readonly id: string; readonly key: string }

/** The successor of a key, shown only once, and when the replaced key expires. */
export type Successor = MintedKey & { readonly replacedEndsAt: Instant }

/** A stored key, without its secret. */
export type ApiKey = KeyLife & {
  readonly workspace: WorkspaceId
  readonly name: string
  readonly scopes: ReadonlyArray<Scope>
  readonly createdAt: Instant
  readonly lastUsedAt: Instant | undefined
  /** The maximum cost of the messages sent with the key in a day (UTC), in micros of the wallet's currency. */
  readonly spendingLimit: bigint | undefined
}
