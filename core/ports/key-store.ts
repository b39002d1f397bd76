import type { Option } from 'fp-ts/lib/Option.js'
import type { TaskEither } from 'fp-ts/lib/TaskEither.js'
import type { KeyLife, Rotation } from '../api-key.js'
import type { KeyEnded, KeyReplaced, PortFailure, UnknownApiKey, UnknownWorkspace } from '../errors.js'
import type { Along } from '../event.js'
import type { KeyPrincipal, Scope } from '../principal.js'
import type { Instant } from '../time.js'
import type { WorkspaceId } from '../workspace.js'

export { apiKeyIdIn, apiKeyOf, checkReplaceable, endOfReplaced, hasEnded, isApiKeyId, KEY_ID_BYTES, KEY_SECRET_BYTES } from '../api-key.js'
export type { KeyLife, Rotation } from '../api-key.js'
export type { KeyEnded, KeyReplaced, PortFailure, UnknownApiKey, UnknownWorkspace } from '../errors.js'
export type { Along, AlongEntry } from '../event.js'
export { SCOPES } from '../principal.js'
export type { KeyPrincipal, Scope } from '../principal.js'
export type { Instant } from '../time.js'
export type { WorkspaceId } from '../workspace.js'

/**
 * Workspaces' API keys. A key is `pst_<id>_<secret>` with at least 160 random bits; only a digest of it is stored. The id is one
 * or more ASCII letters, digits or hyphens. `apiKeyOf` and `apiKeyIdIn` are the form of the keys that Postern's own adapters
 * mint: their ids have 16 hexadecimal digits.
 */
export interface KeyStore {
  /**
   * The principal that a presented key stands for: its workspace, and the key's id, name, scopes, end and spending limit.
   *
   * `UnknownApiKey`: malformed, never minted, revoked, or expired, which it is from `expiresAt` on by the given moment. A revoked key
   * fails on the very next call, on every node, and so do the keys of a workspace that is archived in the same storage. `presented`
   * comes from callers and may be any text of any length; no text causes a `PortFailure`. A successful call records the key's last
   * use, exact to a minute and never later than the call. A failed call records nothing.
   */
  readonly principalOf: (presented: string, at: Instant) => TaskEither<UnknownApiKey | PortFailure, KeyPrincipal>
  /**
   * Makes a key, which is valid at once, also on a node whose clock is behind. Only this answer ever contains the key. The name is any text and is kept unchanged, with
   * spaces at its ends. The key has exactly the given scopes; with none it may do nothing. `UnknownWorkspace`: no workspace has that id.
   *
   * `along` is called once the key is made, and its entries are stored in the same step.
   */
  readonly mint: (key: NewKey, along?: Along<WorkspaceKey>) => TaskEither<UnknownWorkspace | PortFailure, MintedKey>
  /**
   * Makes a successor of a key, with its workspace, name, scopes, spending limit and, where it has one, its expiry. Both keys are valid
   * for the overlap; then the old one expires, or earlier, at its own expiry. With an overlap of 0 the old one is revoked.
   *
   * A key and all its successors spend one limit together: the principals of the successors have the id of the first key as `spendingId`.
   *
   * `UnknownApiKey`: no key has that id, which may be any text. `KeyReplaced`: it has a successor already. `KeyEnded`: it is revoked or
   * has expired. These change nothing. Of concurrent calls for one key, one succeeds.
   *
   * `along` is called once the successor is made, and its entries are stored in the same step.
   */
  readonly rotate: (id: string, rotation: Rotation, along?: Along<KeySuccession>) => TaskEither<UnknownApiKey | KeyEnded | KeyReplaced | PortFailure, Successor>
  /** The key of an id, which may be any text; none if no key has it. */
  readonly find: (id: string) => TaskEither<PortFailure, Option<ApiKey>>
  /**
   * A workspace's keys, oldest first, revoked and expired ones too; empty if the workspace does not exist. Keys of one millisecond are
   * in the order of their ids, by code units.
   */
  readonly list: (workspace: WorkspaceId) => TaskEither<PortFailure, ReadonlyArray<ApiKey>>
  /**
   * Ends a key at once. Revoking again keeps the first moment. `UnknownApiKey`: no key has that id, which may be any text.
   *
   * `along` is called where the key was not revoked until now, and its entries are stored in the same step.
   */
  readonly revoke: (id: string, at: Instant, along?: Along<WorkspaceKey>) => TaskEither<UnknownApiKey | PortFailure, void>
}

/** A key to be made. */
export type NewKey = {
  readonly workspace: WorkspaceId
  /** What the key is for. */
  readonly name: string
  /** When it is made. */
  readonly at: Instant
  /** What it may do, each scope once. */
  readonly scopes: ReadonlyArray<Scope>
  /** When it ends; without it the key has no end. */
  readonly expiresAt?: Instant
  /** The most that messages sent with the key may cost in a day (UTC), in micros of the wallet's currency; without it there is no limit. */
  readonly spendingLimit?: bigint
}

/** A key by its id, and its workspace. */
export type WorkspaceKey = { readonly workspace: WorkspaceId; readonly id: string; readonly name: string }

/** A key that was replaced, and the id of its successor. `endsAt` is when the replaced key ends. */
export type KeySuccession = WorkspaceKey & { readonly successor: string; readonly endsAt: Instant }

/** A new key; it is shown only once, and `id` names it from then on. */
export type MintedKey = { readonly id: string; readonly key: string }

/** The successor of a key, shown only once, and when the key that it replaces ends. */
export type Successor = MintedKey & { readonly replacedEndsAt: Instant }

/** A stored key, without its secret. */
export type ApiKey = KeyLife & {
  readonly workspace: WorkspaceId
  readonly name: string
  readonly scopes: ReadonlyArray<Scope>
  readonly createdAt: Instant
  readonly lastUsedAt: Instant | undefined
  /** The most that messages sent with the key may cost in a day (UTC), in micros of the wallet's currency. */
  readonly spendingLimit: bigint | undefined
}
