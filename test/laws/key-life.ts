import type { Instant, WorkspaceId } from '../../core/ports/key-store.js'
import { done, holds, refused, same } from './expect.js'
import { newName, newWorkspaceId, times } from './ids.js'
import { admitted, listed, minted, MINTED_AT, turnedAway, type KeyStoreWorld } from './key-world.js'
import type { Law } from './law.js'

const MINUTE_MS = 60_000

/** What a `KeyStore` promises of a key's life: its use, its place in the list and its end. */
export const keyLifeLaws: ReadonlyArray<Law<KeyStoreWorld>> = [
  {
    name: 'a revoked key fails on the very next call',
    check: async (world) => {
      const { workspace } = await world.openWorkspace()
      const [ended, kept] = [await minted(world, workspace), await minted(world, workspace)]
      await admitted(world.keyStore, ended.key)
      await done('a key is revoked', world.keyStore.revoke(ended.id, MINTED_AT + 1))
      await turnedAway('a revoked key', world.keyStore, ended.key)
      await Promise.all(times(10, () => turnedAway('a revoked key presented ten times at once', world.keyStore, ended.key)))
      same('the workspace\'s other key goes on serving', await admitted(world.keyStore, kept.key), workspace)
    },
  },
  {
    name: 'a revoked key fails on the very next call on every node',
    check: async (world) => {
      const { keyStore, elsewhere = keyStore } = world
      const { workspace } = await world.openWorkspace()
      const { id, key } = await minted(world, workspace)
      same('a key serves on every node', [await admitted(keyStore, key), await admitted(elsewhere, key)], [workspace, workspace])
      await done('a key is revoked', keyStore.revoke(id, MINTED_AT + 1))
      await turnedAway('a key revoked on another node', elsewhere, key)
    },
  },
  {
    name: 'revoking again keeps the first moment',
    check: async (world) => {
      const { workspace } = await world.openWorkspace()
      const { id } = await minted(world, workspace)
      for (const at of [MINTED_AT + 20, MINTED_AT + 30, MINTED_AT + 10]) await done('a key is revoked', world.keyStore.revoke(id, at))
      const moments = (await listed(world, workspace)).map(({ revokedAt }) => revokedAt)
      same('the first moment of revocation is kept', moments, [MINTED_AT + 20])
    },
  },
  {
    name: 'revoking an id that names no key is an UnknownApiKey',
    check: async ({ keyStore }) => {
      for (const id of [newName(), '', '__proto__', '\u0000', '🔑', 'x'.repeat(10_240), '%']) {
        await refused('revoking what is no key', 'UnknownApiKey', keyStore.revoke(id, MINTED_AT))
      }
    },
  },
  {
    name: 'a list has a workspace\'s keys oldest first, revoked ones too',
    check: async (world) => {
      const { workspace } = await world.openWorkspace()
      const keys = []
      for (const step of [0, 1, 2]) keys.push(await minted(world, workspace, MINTED_AT + step, `key ${step}`))
      const [, second] = keys
      if (second) await done('a key is revoked', world.keyStore.revoke(second.id, MINTED_AT + 9))
      same('the keys, oldest first', await listed(world, workspace), keys.map(({ id }, step) => ({
        id,
        name: `key ${step}`,
        createdAt: MINTED_AT + step,
        lastUsedAt: undefined,
        revokedAt: step === 1 ? MINTED_AT + 9 : undefined,
      })))
    },
  },
  {
    name: 'a list never has another workspace\'s keys',
    check: async (world) => {
      const [ours, theirs] = [await world.openWorkspace(), await world.openWorkspace()]
      await minted(world, ours.workspace)
      same('a workspace without keys', await listed(world, theirs.workspace), [])
      same('a workspace that does not exist', await listed(world, newWorkspaceId()), [])
    },
  },
  {
    name: 'the name of a key is kept as it was given',
    check: async (world) => {
      const { workspace } = await world.openWorkspace()
      const names = ['CRM "north"', 'l\'été à Paris 🌍', '名前', 'drop table keys; --']
      for (const [step, name] of names.entries()) await minted(world, workspace, MINTED_AT + step, name)
      same('names come back as given', (await listed(world, workspace)).map(({ name }) => name), names)
    },
  },
  {
    name: 'a successful call marks the key as used, to within a minute',
    check: async (world) => {
      const { workspace } = await world.openWorkspace()
      const { key } = await minted(world, workspace)
      for (const at of [MINTED_AT + 1, MINTED_AT + 2 * MINUTE_MS, MINTED_AT + 2 * MINUTE_MS + 1_000, MINTED_AT + 60 * MINUTE_MS]) {
        await admitted(world.keyStore, key, at)
        const seen = await usedBy(world, workspace, at - MINUTE_MS)
        holds('a key is marked as used to within a minute', seen !== undefined && seen >= at - MINUTE_MS && seen <= at, { at, seen })
      }
    },
  },
  {
    name: 'a call that fails does not mark the key as used',
    check: async (world) => {
      const { workspace } = await world.openWorkspace()
      const { id, key } = await minted(world, workspace)
      await turnedAway('a wrong secret', world.keyStore, `${key.slice(0, -1)}${key.endsWith('A') ? 'B' : 'A'}`, MINTED_AT + 5)
      await done('a key is revoked', world.keyStore.revoke(id, MINTED_AT + 6))
      await turnedAway('a revoked key', world.keyStore, key, MINTED_AT + 7)
      same('failed calls leave no mark', (await listed(world, workspace)).map(({ lastUsedAt }) => lastUsedAt), [undefined])
    },
  },
]

/** When the only key of a workspace was last used; waits a little where that is not as late as it has to be. */
const usedBy = async (world: KeyStoreWorld, workspace: WorkspaceId, notBefore: Instant): Promise<Instant | undefined> => {
  const deadline = Date.now() + 5_000
  for (;;) {
    const seen = (await listed(world, workspace))[0]?.lastUsedAt
    if ((seen !== undefined && seen >= notBefore) || Date.now() > deadline) return seen
    await new Promise((resolve) => setTimeout(resolve, 10))
  }
}
