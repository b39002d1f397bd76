import type { TaskEither } from 'fp-ts/lib/TaskEither.js'
import type { PortFailure, UnknownApiKey, UnknownWorkspace } from '../errors.js'
import type { Instant } from '../time.js'
import type { WorkspaceId } from '../workspace.js'

export type { PortFailure, UnknownApiKey, UnknownWorkspace } from '../errors.js'
export type { Instant } from '../time.js'
export type { WorkspaceId } from '../workspace.js'

/** Workspaces' API keys. A key is `pst_<id>_<secret>` with at least 160 random bits; only a digest of it is stored. */
export interface KeyStore {
  /**
   * The workspace a presented key belongs to.
   *
   * `UnknownApiKey`: malformed, never minted, or revoked; a revoked key fails on the very next call, on every node. What is
   * presented comes from callers and may be any text of any length; none of it is a `PortFailure`. A successful call marks
   * the key as used, to within a minute; the mark is never later than the call, and one that fails leaves none.
   */
  readonly workspaceOf: (presented: string, at: Instant) => TaskEither<UnknownApiKey | PortFailure, WorkspaceId>
  /** Makes a key, which is good at once. The key itself is in this answer and nowhere else, ever. `UnknownWorkspace`: there is none of that id. */
  readonly mint: (workspace: WorkspaceId, name: string, at: Instant) => TaskEither<UnknownWorkspace | PortFailure, MintedKey>
  /** A workspace's keys, oldest first, revoked ones too; empty where the workspace does not exist. */
  readonly list: (workspace: WorkspaceId) => TaskEither<PortFailure, ReadonlyArray<ApiKey>>
  /** Ends a key at once. Revoking again keeps the first moment. `UnknownApiKey`: there is no key of that id, which may be any text. */
  readonly revoke: (id: string, at: Instant) => TaskEither<UnknownApiKey | PortFailure, void>
}

/** A key as it is shown once; `id` names it from then on. */
export type MintedKey = { readonly id: string; readonly key: string }

/** What is known of a key. */
export type ApiKey = {
  readonly id: string
  readonly name: string
  readonly createdAt: Instant
  readonly lastUsedAt: Instant | undefined
  readonly revokedAt: Instant | undefined
}
