import type { ApiKey, Instant, KeyStore, MintedKey, WorkspaceId } from '../../core/ports/key-store.js'
import { done, refused } from './expect.js'

/** A key store, and the powers over the outside that its laws need. */
export type KeyStoreWorld = {
  readonly keyStore: KeyStore
  /** The same keys as another node sees them; left out where there is only ever one node. */
  readonly elsewhere?: KeyStore
  /** Opens a workspace that has no keys. */
  readonly openWorkspace: () => Promise<{ readonly workspace: WorkspaceId }>
}

/** When the keys of the laws are minted. */
export const MINTED_AT = Date.UTC(2026, 2, 1, 12, 0, 0, 1)

/** Mints a key. */
export const minted = ({ keyStore }: KeyStoreWorld, workspace: WorkspaceId, at: Instant = MINTED_AT, name = 'crm'): Promise<MintedKey> =>
  done('a key is minted', keyStore.mint(workspace, name, at))

/** The workspace of a key that must be good. */
export const admitted = (keyStore: KeyStore, key: string, at: Instant = MINTED_AT): Promise<WorkspaceId> =>
  done('a good key names its workspace', keyStore.workspaceOf(key, at))

/** Checks that a key is turned away. */
export const turnedAway = async (promise: string, keyStore: KeyStore, key: string, at: Instant = MINTED_AT): Promise<void> => {
  await refused(promise, 'UnknownApiKey', keyStore.workspaceOf(key, at))
}

/** The keys of a workspace. */
export const listed = ({ keyStore }: KeyStoreWorld, workspace: WorkspaceId): Promise<ReadonlyArray<ApiKey>> =>
  done('the keys of a workspace are listed', keyStore.list(workspace))
