import type { Law } from './law.js'
import { keyLifeLaws } from './key-life.js'
import { keyLimitLaws } from './key-limits.js'
import { keyRotationLaws } from './key-rotation.js'
import { keySecretLaws } from './key-secret.js'
import { done, same } from './expect.js'
import { admitted, listed, minted, MINTED_AT, turnedAway, type ArchiveFixture, type KeyStoreFixture } from './key-fixture.js'

export type { ArchiveFixture, KeyStoreFixture } from './key-fixture.js'

/** The promises of every `KeyStore`. */
export const keyStoreLaws: ReadonlyArray<Law<KeyStoreFixture>> = [...keySecretLaws, ...keyLifeLaws, ...keyLimitLaws, ...keyRotationLaws]

/** The promises of a `KeyStore` over the same storage as a `Workspaces`; a separate list, because a key store may stand alone. */
export const keyStoreArchiveLaws: ReadonlyArray<Law<KeyStoreFixture & ArchiveFixture>> = [
  {
    name: 'the keys of an archived workspace fail on the very next call, on every node',
    check: async (fixture) => {
      const { keyStore, elsewhere = keyStore } = fixture
      const [archived, kept] = [(await fixture.openWorkspace()).workspace, (await fixture.openWorkspace()).workspace]
      const [key, later, other] = [await minted(fixture, archived), await minted(fixture, archived), await minted(fixture, kept)]
      same('a key works before', await admitted(keyStore, key.key), archived)
      await fixture.archiveWorkspace(archived)
      await turnedAway('a key of an archived workspace', keyStore, key.key)
      await turnedAway('a key of an archived workspace on another node', elsewhere, later.key)
      same('the keys of other workspaces go on working', await admitted(keyStore, other.key), kept)
    },
  },
  {
    name: 'the keys of an archived workspace are listed and revoked as before',
    check: async (fixture) => {
      const { workspace } = await fixture.openWorkspace()
      const { id } = await minted(fixture, workspace)
      await fixture.archiveWorkspace(workspace)
      await done('a key is revoked', fixture.keyStore.revoke(id, MINTED_AT + 1))
      same('the keys', (await listed(fixture, workspace)).map((key) => [key.id, key.revokedAt]), [[id, MINTED_AT + 1]])
    },
  },
]
