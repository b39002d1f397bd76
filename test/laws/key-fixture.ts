import assert from 'node:assert/strict'
import type { ApiKey, KeyStore, MintedKey, NewKey } from '../../core/access/keys.js'
import { type KeyPrincipal, SCOPES } from '../../core/kernel/actor.js'
import type { WorkspaceId } from '../../core/kernel/ids.js'
import type { Instant } from '../../core/kernel/time.js'
import { done, refused } from './expect.js'

/** A key store, and the control over the environment that its laws need. */
export type KeyStoreFixture = {
  readonly keyStore: KeyStore
  /** The same keys as another node sees them; absent if there is only ever one node. */
  readonly elsewhere?: KeyStore
  /** Opens a workspace that has no keys. */
  readonly openWorkspace: () => Promise<{ readonly workspace: WorkspaceId }>
}

/** Control over archiving a workspace. */
export type ArchiveFixture = {
  /** Archives a workspace; its keys then stop working. */
  readonly archiveWorkspace: (workspace: WorkspaceId) => Promise<void>
}

/** The time at which the keys of the laws are created. */
export const MINTED_AT = Date.UTC(2026, 2, 1, 12, 0, 0, 1)

/** A key to create, by default with every scope and without a limit. */
export const newKey = (workspace: WorkspaceId, given: Partial<NewKey> = {}): NewKey =>
  ({ workspace, name: 'crm', at: MINTED_AT, scopes: SCOPES, ...given })

/** Creates a key. */
export const minted = (
  { keyStore }: Pick<KeyStoreFixture, 'keyStore'>, workspace: WorkspaceId, given: Partial<NewKey> = {},
): Promise<MintedKey> =>
  done('a key is minted', keyStore.mint(newKey(workspace, given)))

/** The principal of a key that must be valid. */
export const principal = (keyStore: KeyStore, key: string, at: Instant = MINTED_AT): Promise<KeyPrincipal> =>
  done('a good key stands for a principal', keyStore.principalOf(key, at))

/** The workspace of a key that must be valid. */
export const admitted = async (keyStore: KeyStore, key: string, at: Instant = MINTED_AT): Promise<WorkspaceId> =>
  (await principal(keyStore, key, at)).workspace

/** Checks that a key is refused. */
export const turnedAway = async (promise: string, keyStore: KeyStore, key: string, at: Instant = MINTED_AT): Promise<void> => {
  await refused(promise, 'UnknownApiKey', keyStore.principalOf(key, at))
}

/** The keys of a workspace. */
export const listed = ({ keyStore }: KeyStoreFixture, workspace: WorkspaceId): Promise<ReadonlyArray<ApiKey>> =>
  done('the keys of a workspace are listed', keyStore.list(workspace))

/** The key with an id, which must exist. */
export const found = async ({ keyStore }: Pick<KeyStoreFixture, 'keyStore'>, id: string): Promise<ApiKey> => {
  const key = await done('a key is looked for', keyStore.find(id))
  return key._tag === 'Some' ? key.value : assert.fail(`the key ${id} is found: saw none`)
}

/** Texts that are not the id of a key. */
export const NO_KEY_IDS: ReadonlyArray<string> = ['', '__proto__', '\u0000', '🔑', 'x'.repeat(10_240), '%', '0'.repeat(16)]
