import * as E from 'fp-ts/lib/Either.js'
import * as O from 'fp-ts/lib/Option.js'
import { type Actor, type KeyPrincipal, SCOPES } from '../kernel/actor.js'
import type { PortFailure } from '../kernel/failure.js'
import type { WorkspaceId } from '../kernel/ids.js'
import type { InvalidAmount } from '../kernel/money.js'
import { type InvalidName, parseName } from '../kernel/text.js'
import type { Clock, Instant } from '../kernel/time.js'
import type { UnknownWorkspace } from '../kernel/workspace.js'
import type { Forbidden } from './access.js'
import { type ActDeps, type Described, perform } from './acting.js'
import {
  type ApiKey, checkSpendingLimit, DEFAULT_OVERLAP, type InvalidExpiry, type InvalidOverlap, type InvalidScopes, keyDetails, type KeyEnded,
  keyMinted, type KeyReplaced, keyRevoked, keyRotated, type KeyStore, type KeySuccession, type MintedKey, type NewKey, parseExpiry,
  parseOverlap, parseScopes, type Successor, type UnknownApiKey, type WorkspaceKey,
} from './keys.js'

/** Looks up an API key that a caller presents. */
export type AuthenticateKey = (presented: string) => Promise<E.Either<UnknownApiKey | PortFailure, KeyPrincipal>>

export const makeAuthenticateKey =
  ({ keyStore, now }: { readonly keyStore: Pick<KeyStore, 'principalOf'>; readonly now: Clock }): AuthenticateKey =>
  (presented) =>
    keyStore.principalOf(presented, now())

/** Creates an API key, which can be shown only once. */
export type MintKey = (command: MintKeyCommand) => Promise<E.Either<MintKeyError, MintedKey>>

/** The key's workspace, and its permissions. */
export type MintKeyCommand = {
  readonly by: Actor
  readonly workspace: WorkspaceId
  /** The purpose of the key. */
  readonly name: string
  /** Its permissions; all of them if none are given. */
  readonly scopes?: ReadonlyArray<string>
  /** When it expires, as `parseExpiry` reads it; without it the key does not expire. */
  readonly expires?: string
  /** The maximum cost of the messages sent with the key in a day (UTC), in micros of the wallet's currency; without it there is no limit. */
  readonly spendingLimit?: bigint
}

/** How creating a key can fail. */
export type MintKeyError = InvalidName | InvalidScopes | InvalidExpiry | InvalidAmount | UnknownWorkspace | Forbidden | PortFailure

/** The dependencies of creating a key. */
export type MintKeyDeps = ActDeps & { readonly keyStore: Pick<KeyStore, 'mint'>; readonly now: Clock }

export const makeMintKey =
  ({ keyStore, now, ...deps }: MintKeyDeps): MintKey =>
  async ({ by, workspace, ...command }) => {
    const key = parseKey({ workspace, ...command }, now())
    const acting = { by, act: 'key.mint', workspace, ...(E.isRight(key) && { details: keyDetails(key.right) }) } as const
    return perform(deps, acting, { events: keyMinted, describe: keySubject, describeAnswer: keySubject },
      async (outboxEntries): Promise<E.Either<Exclude<MintKeyError, Forbidden>, MintedKey>> =>
        E.isLeft(key) ? key : keyStore.mint(key.right, outboxEntries))
  }

const keySubject = ({ id }: Pick<WorkspaceKey, 'id'>): Described => ({ subject: id })

const parseKey = (
  { workspace, spendingLimit, ...given }: Omit<MintKeyCommand, 'by'>, at: Instant,
): E.Either<InvalidName | InvalidScopes | InvalidExpiry | InvalidAmount, NewKey> => {
  const name = parseName(given.name)
  if (E.isLeft(name)) return name
  const scopes = parseScopes(given.scopes ?? SCOPES)
  if (E.isLeft(scopes)) return scopes
  const expiresAt = given.expires === undefined ? E.right(undefined) : parseExpiry(given.expires, at)
  if (E.isLeft(expiresAt)) return expiresAt
  const limit = spendingLimit === undefined ? E.right(undefined) : checkSpendingLimit(spendingLimit)
  if (E.isLeft(limit)) return limit
  return E.right({
    workspace, name: name.right, scopes: scopes.right, at,
    ...(expiresAt.right !== undefined && { expiresAt: expiresAt.right }), ...(limit.right !== undefined && { spendingLimit: limit.right }),
  })
}

/** Revokes an API key immediately, on every node. Revoking a revoked key changes nothing. */
export type RevokeKey = (command: RevokeKeyCommand) => Promise<E.Either<RevokeKeyError, void>>

/** `id` is the key's id, never the key itself. With `workspace`, the keys of all other workspaces are unknown. */
export type RevokeKeyCommand = { readonly by: Actor; readonly id: string; readonly workspace?: WorkspaceId }

/** How revoking a key can fail. For an actor of one workspace, a key that does not exist is `Forbidden`, like a key of another workspace. */
export type RevokeKeyError = UnknownApiKey | Forbidden | PortFailure

/** The dependencies of revoking a key. */
export type RevokeKeyDeps = ActDeps & { readonly keyStore: Pick<KeyStore, 'find' | 'revoke'>; readonly now: Clock }

export const makeRevokeKey =
  ({ keyStore, now, ...deps }: RevokeKeyDeps): RevokeKey =>
  async ({ by, id, workspace }) => {
    const found = await keyStore.find(id)
    if (E.isLeft(found)) return found
    const key = O.toUndefined(O.filter((one: ApiKey) => workspace === undefined || one.workspace === workspace)(found.right))
    const acting = {
      by, act: 'key.revoke', workspace: key?.workspace ?? workspace, ...(key && { subject: id, details: keyDetails(key) }),
    } as const
    return perform(deps, acting, { events: keyRevoked },
      async (outboxEntries): Promise<E.Either<UnknownApiKey | PortFailure, void>> =>
        (key === undefined ? E.left({ _tag: 'UnknownApiKey' }) : keyStore.revoke(id, now(), outboxEntries)))
  }

/** Creates a successor of an API key, which can be shown only once. Both keys are valid for the overlap; then the old one expires. */
export type RotateKey = (command: RotateKeyCommand) => Promise<E.Either<RotateKeyError, Successor>>

/**
 * `id` is the key's id, never the key itself. With `workspace`, the keys of all other workspaces are unknown. `overlap` is a duration
 * as `parseOverlap` reads it, by default `24h`. With 0 the old key is revoked immediately.
 */
export type RotateKeyCommand = { readonly by: Actor; readonly id: string; readonly workspace?: WorkspaceId; readonly overlap?: string }

/** How rotating a key can fail. For an actor of one workspace, a key that does not exist is `Forbidden`, like a key of another workspace. */
export type RotateKeyError = InvalidOverlap | UnknownApiKey | KeyEnded | KeyReplaced | Forbidden | PortFailure

/** The dependencies of rotating a key. */
export type RotateKeyDeps = ActDeps & { readonly keyStore: Pick<KeyStore, 'find' | 'rotate'>; readonly now: Clock }

export const makeRotateKey =
  ({ keyStore, now, ...deps }: RotateKeyDeps): RotateKey =>
  async ({ by, id, workspace, overlap = DEFAULT_OVERLAP }) => {
    const found = await keyStore.find(id)
    if (E.isLeft(found)) return found
    const key = O.toUndefined(O.filter((one: ApiKey) => workspace === undefined || one.workspace === workspace)(found.right))
    const overlapMs = parseOverlap(overlap)
    const details = key && keyDetails(key)
    const succeeded = (successor: string, endsAt: Instant): Described =>
      ({ details: { ...details, successor, ends_at: new Date(endsAt).toISOString() } })
    const consequences = {
      events: keyRotated(E.isRight(overlapMs) && overlapMs.right === 0),
      describe: ({ successor, endsAt }: KeySuccession) => succeeded(successor, endsAt),
      describeAnswer: ({ id: successor, replacedEndsAt }: Successor) => succeeded(successor, replacedEndsAt),
    }
    return perform(
      deps, { by, act: 'key.rotate', workspace: key?.workspace ?? workspace, ...(key && { subject: id }), ...(details && { details }) },
      consequences,
      async (outboxEntries): Promise<E.Either<Exclude<RotateKeyError, Forbidden>, Successor>> =>
        E.isLeft(overlapMs) ? overlapMs
          : key === undefined ? E.left({ _tag: 'UnknownApiKey' })
          : keyStore.rotate(id, { at: now(), overlapMs: overlapMs.right }, outboxEntries),
    )
  }
