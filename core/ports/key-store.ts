import type { TaskEither } from 'fp-ts/lib/TaskEither.js'
import type { PortFailure, UnknownApiKey, UnknownWorkspace } from '../errors.js'
import type { Along } from '../event.js'
import type { KeyPrincipal } from '../principal.js'
import type { Instant } from '../time.js'
import type { WorkspaceId } from '../workspace.js'

export { apiKeyIdIn, apiKeyOf, isApiKeyId, KEY_ID_BYTES, KEY_SECRET_BYTES } from '../api-key.js'
export type { PortFailure, UnknownApiKey, UnknownWorkspace } from '../errors.js'
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
   * The principal that a presented key stands for: its workspace, the key's id and its scopes.
   *
   * `UnknownApiKey`: malformed, never minted, or revoked. A revoked key fails on the very next call, on every node, and so do the
   * keys of a workspace that is archived in the same storage. `presented` comes from callers and may be any text of any length; no
   * text causes a `PortFailure`. A successful call records the key's last use, exact to a minute and never later than the call. A
   * failed call records nothing.
   */
  readonly principalOf: (presented: string, at: Instant) => TaskEither<UnknownApiKey | PortFailure, KeyPrincipal>
  /**
   * Makes a key with every scope, which is valid at once. Only this answer ever contains the key. The name is any text and is kept
   * unchanged, with spaces at its ends. `UnknownWorkspace`: no workspace has that id.
   *
   * `along` is called once the key is made, and its events are stored in the same step.
   */
  readonly mint: (workspace: WorkspaceId, name: string, at: Instant, along?: Along<WorkspaceKey>) => TaskEither<UnknownWorkspace | PortFailure, MintedKey>
  /**
   * A workspace's keys, oldest first, revoked ones too; empty if the workspace does not exist. Keys of one millisecond are in
   * the order of their ids, by code units.
   */
  readonly list: (workspace: WorkspaceId) => TaskEither<PortFailure, ReadonlyArray<ApiKey>>
  /**
   * Ends a key at once. Revoking again keeps the first moment. `UnknownApiKey`: no key has that id, which may be any text.
   *
   * `along` is called where the key was valid until now, and its events are stored in the same step.
   */
  readonly revoke: (id: string, at: Instant, along?: Along<WorkspaceKey>) => TaskEither<UnknownApiKey | PortFailure, void>
}

/** A key by its id, and its workspace. */
export type WorkspaceKey = { readonly workspace: WorkspaceId; readonly id: string; readonly name: string }

/** A new key; it is shown only once, and `id` names it from then on. */
export type MintedKey = { readonly id: string; readonly key: string }

/** A stored key, without its secret. */
export type ApiKey = {
  readonly id: string
  readonly name: string
  readonly createdAt: Instant
  readonly lastUsedAt: Instant | undefined
  readonly revokedAt: Instant | undefined
}
