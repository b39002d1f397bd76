import { SCOPES } from '../../core/kernel/actor.js'
import { done, same } from './expect.js'
import { newName } from './ids.js'
import { admitted, found, type KeyStoreFixture, listed, minted, MINTED_AT, NO_KEY_IDS, principal, turnedAway } from './key-fixture.js'
import type { Law } from './law.js'

/** The promises of a `KeyStore` about the limits of a key: its scopes, its end and its spending limit. */
export const keyLimitLaws: ReadonlyArray<Law<KeyStoreFixture>> = [
  {
    name: 'a key has exactly the scopes that it was minted with',
    check: async (fixture) => {
      const { workspace } = await fixture.openWorkspace()
      for (const scopes of [[], ...SCOPES.map((scope) => [scope]), ['answer', 'send'] as const, SCOPES]) {
        const { id, key } = await minted(fixture, workspace, { scopes })
        same('the scopes of the principal', [...(await principal(fixture.keyStore, key)).scopes].sort(), [...scopes].sort())
        same('the scopes of the stored key', [...(await found(fixture, id)).scopes].sort(), [...scopes].sort())
      }
    },
  },
  {
    name: 'a key fails from its expiry on, by the moment of the call, on every node',
    check: async (fixture) => {
      const { keyStore, elsewhere = keyStore } = fixture
      const { workspace } = await fixture.openWorkspace()
      const expiresAt = MINTED_AT + 1_000
      const { key } = await minted(fixture, workspace, { expiresAt })
      for (const node of [keyStore, elsewhere]) {
        for (const at of [expiresAt, expiresAt + 1, expiresAt + 1e12]) await turnedAway('an expired key', node, key, at)
        same('the end of the principal', (await principal(node, key, expiresAt - 1)).expiresAt, expiresAt)
      }
      same('the end of the stored key', (await listed(fixture, workspace)).map((known) => known.expiresAt), [expiresAt])
      const endless = await minted(fixture, workspace)
      same('a key without an end', (await principal(keyStore, endless.key, MINTED_AT + 1e12)).expiresAt, undefined)
    },
  },
  {
    name: 'the spending limit of a key is kept to the micro',
    check: async (fixture) => {
      const { workspace } = await fixture.openWorkspace()
      for (const spendingLimit of [1n, 9_007_199_254_740_993n, 10n ** 18n]) {
        const { id, key } = await minted(fixture, workspace, { spendingLimit })
        same('the limit of the principal', (await principal(fixture.keyStore, key)).spendingLimit, spendingLimit)
        same('the limit of the stored key', (await found(fixture, id)).spendingLimit, spendingLimit)
      }
      const { key } = await minted(fixture, workspace)
      same('a key without a limit', (await principal(fixture.keyStore, key)).spendingLimit, undefined)
    },
  },
  {
    name: 'a key is found by its id, a revoked one too, as it is listed',
    check: async (fixture) => {
      const { keyStore } = fixture
      const { workspace } = await fixture.openWorkspace()
      const [kept, ended] = [
        await minted(fixture, workspace), await minted(fixture, workspace, { at: MINTED_AT + 1, scopes: ['read'], spendingLimit: 5n }),
      ]
      await done('a key is revoked', keyStore.revoke(ended.id, MINTED_AT + 2))
      await admitted(keyStore, kept.key)
      const ids = [kept.id, ended.id]
      const known = await Promise.all(ids.map((id) => found(fixture, id)))
      same(
        'the keys', known.map(({ lastUsedAt: _lastUsedAt, ...key }) => key),
        (await listed(fixture, workspace)).map(({ lastUsedAt: _lastUsedAt, ...key }) => key),
      )
    },
  },
  {
    name: 'no other text finds a key',
    check: async (fixture) => {
      const { id, key } = await minted(fixture, (await fixture.openWorkspace()).workspace)
      for (const other of [newName(), ...NO_KEY_IDS, key, `${id} `, ` ${id}`, id.slice(0, -1), `${id}0`]) {
        same('what is found', (await done('a key is looked for', fixture.keyStore.find(other)))._tag, 'None')
      }
    },
  },
]
