import { SCOPES } from '../../core/kernel/actor.js'
import type { WorkspaceId } from '../../core/kernel/ids.js'
import type { Instant } from '../../core/kernel/time.js'
import { done, holds, refused, same } from './expect.js'
import { newName, newWorkspaceId, times } from './ids.js'
import { admitted, type KeyStoreFixture, listed, minted, MINTED_AT, NO_KEY_IDS, turnedAway } from './key-fixture.js'
import type { Law } from './law.js'

const MINUTE_MS = 60_000

/** The promises of a `KeyStore` about a key's life: its use, its position in the list and its end. */
export const keyLifeLaws: ReadonlyArray<Law<KeyStoreFixture>> = [
  {
    name: 'a revoked key fails on the very next call',
    check: async (fixture) => {
      const { workspace } = await fixture.openWorkspace()
      const [ended, kept] = [await minted(fixture, workspace), await minted(fixture, workspace)]
      await admitted(fixture.keyStore, ended.key)
      await done('a key is revoked', fixture.keyStore.revoke(ended.id, MINTED_AT + 1))
      await turnedAway('a revoked key', fixture.keyStore, ended.key)
      await Promise.all(times(10, () => turnedAway('a revoked key presented ten times at once', fixture.keyStore, ended.key)))
      same('the workspace\'s other key goes on serving', await admitted(fixture.keyStore, kept.key), workspace)
    },
  },
  {
    name: 'a revoked key fails on the very next call on every node',
    check: async (fixture) => {
      const { keyStore, elsewhere = keyStore } = fixture
      const { workspace } = await fixture.openWorkspace()
      const { id, key } = await minted(fixture, workspace)
      same('a key serves on every node', [await admitted(keyStore, key), await admitted(elsewhere, key)], [workspace, workspace])
      await done('a key is revoked', keyStore.revoke(id, MINTED_AT + 1))
      await turnedAway('a key revoked on another node', elsewhere, key)
    },
  },
  {
    name: 'revoking again keeps the first moment',
    check: async (fixture) => {
      const { workspace } = await fixture.openWorkspace()
      const { id } = await minted(fixture, workspace)
      for (const at of [MINTED_AT + 20, MINTED_AT + 30, MINTED_AT + 10]) await done('a key is revoked', fixture.keyStore.revoke(id, at))
      const moments = (await listed(fixture, workspace)).map(({ revokedAt }) => revokedAt)
      same('the first moment of revocation is kept', moments, [MINTED_AT + 20])
    },
  },
  {
    name: 'revoking an id that names no key is an UnknownApiKey',
    check: async ({ keyStore }) => {
      for (const id of [newName(), ...NO_KEY_IDS]) {
        await refused('revoking what is no key', 'UnknownApiKey', keyStore.revoke(id, MINTED_AT))
      }
    },
  },
  {
    name: 'a list has a workspace\'s keys oldest first, revoked ones too',
    check: async (fixture) => {
      const { workspace } = await fixture.openWorkspace()
      const keys = []
      for (const step of [0, 1, 2]) keys.push(await minted(fixture, workspace, { at: MINTED_AT + step, name: `key ${step}` }))
      const [, second] = keys
      if (second) await done('a key is revoked', fixture.keyStore.revoke(second.id, MINTED_AT + 9))
      same('the keys, oldest first', await listed(fixture, workspace), keys.map(({ id }, step) => ({
        id,
        workspace,
        name: `key ${step}`,
        scopes: SCOPES,
        createdAt: MINTED_AT + step,
        lastUsedAt: undefined,
        revokedAt: step === 1 ? MINTED_AT + 9 : undefined,
        expiresAt: undefined,
        spendingLimit: undefined,
        replacedBy: undefined,
      })))
    },
  },
  {
    name: 'keys of one millisecond are listed in the order of their ids',
    check: async (fixture) => {
      const { workspace } = await fixture.openWorkspace()
      const later = await minted(fixture, workspace, { at: MINTED_AT + 1 })
      const ids = (await Promise.all(times(16, () => minted(fixture, workspace)))).map(({ id }) => id)
      same('the ids of the keys', (await listed(fixture, workspace)).map(({ id }) => id), [...ids.toSorted(), later.id])
    },
  },
  {
    name: 'a list never has another workspace\'s keys',
    check: async (fixture) => {
      const [ours, theirs] = [await fixture.openWorkspace(), await fixture.openWorkspace()]
      await minted(fixture, ours.workspace)
      same('a workspace without keys', await listed(fixture, theirs.workspace), [])
      same('a workspace that does not exist', await listed(fixture, newWorkspaceId()), [])
    },
  },
  {
    name: 'the name of a key is kept as it was given',
    check: async (fixture) => {
      const { workspace } = await fixture.openWorkspace()
      const names = ['CRM "north"', 'l\'été à Paris 🌍', '名前', 'drop table keys; --', ' crm ', '\tcrm\n', 'crm', 'CRM', 'e\u0301', '\u00e9']
      for (const [step, name] of names.entries()) await minted(fixture, workspace, { at: MINTED_AT + step, name })
      same('names come back as given', (await listed(fixture, workspace)).map(({ name }) => name), names)
    },
  },
  {
    name: 'a successful call marks the key as used, to within a minute',
    check: async (fixture) => {
      const { workspace } = await fixture.openWorkspace()
      const { key } = await minted(fixture, workspace)
      for (const at of [MINTED_AT + 1, MINTED_AT + 2 * MINUTE_MS, MINTED_AT + 2 * MINUTE_MS + 1_000, MINTED_AT + 60 * MINUTE_MS]) {
        await admitted(fixture.keyStore, key, at)
        const seen = await usedBy(fixture, workspace, at - MINUTE_MS)
        holds('a key is marked as used to within a minute', seen !== undefined && seen >= at - MINUTE_MS && seen <= at, { at, seen })
      }
      const [early, late] = [MINTED_AT + 120 * MINUTE_MS, MINTED_AT + 180 * MINUTE_MS]
      await Promise.all([admitted(fixture.keyStore, key, early), admitted(fixture.keyStore, key, late)])
      const seen = await usedBy(fixture, workspace, late - MINUTE_MS)
      holds('the later of two calls at once is not lost', seen !== undefined && seen >= late - MINUTE_MS && seen <= late, { late, seen })
    },
  },
  {
    name: 'a call that fails does not mark the key as used',
    check: async (fixture) => {
      const { workspace } = await fixture.openWorkspace()
      const { id, key } = await minted(fixture, workspace)
      await turnedAway('a wrong secret', fixture.keyStore, `${key.slice(0, -1)}${key.endsWith('A') ? 'B' : 'A'}`, MINTED_AT + 5)
      await done('a key is revoked', fixture.keyStore.revoke(id, MINTED_AT + 6))
      await turnedAway('a revoked key', fixture.keyStore, key, MINTED_AT + 7)
      same('failed calls leave no mark', (await listed(fixture, workspace)).map(({ lastUsedAt }) => lastUsedAt), [undefined])
    },
  },
]

/** When the only key of a workspace was last used; waits a little if that is not yet late enough. */
const usedBy = async (fixture: KeyStoreFixture, workspace: WorkspaceId, notBefore: Instant): Promise<Instant | undefined> => {
  const deadline = Date.now() + 5_000
  for (;;) {
    const seen = (await listed(fixture, workspace))[0]?.lastUsedAt
    if ((seen !== undefined && seen >= notBefore) || Date.now() > deadline) return seen
    await new Promise((resolve) => setTimeout(resolve, 10))
  }
}
