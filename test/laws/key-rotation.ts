import type { KeyStore } from '../../core/access/keys.js'
import { MINUTE_MS } from '../../core/kernel/time.js'
import { done, holds, refused, same } from './expect.js'
import { newName, times } from './ids.js'
import { admitted, found, type KeyStoreFixture, listed, minted, MINTED_AT, NO_KEY_IDS, principal, turnedAway } from './key-fixture.js'
import type { Law } from './law.js'

const ROTATED_AT = MINTED_AT + 10
const OVERLAP_MS = 3_600_000

/** The promises of a `KeyStore` about a key that gets a successor. */
export const keyRotationLaws: ReadonlyArray<Law<KeyStoreFixture>> = [
  {
    name: 'a replaced key and its successor are valid during the overlap, and only the successor after it, on every node',
    check: async (fixture) => {
      const { keyStore, elsewhere = keyStore } = fixture
      const { workspace } = await fixture.openWorkspace()
      const old = await minted(fixture, workspace)
      const next = await done('a key is rotated', keyStore.rotate(old.id, { at: ROTATED_AT, overlapMs: OVERLAP_MS }))
      same('when the old key ends', next.replacedEndsAt, ROTATED_AT + OVERLAP_MS)
      for (const node of [keyStore, elsewhere]) {
        for (const at of [ROTATED_AT, ROTATED_AT + OVERLAP_MS - 1]) {
          same(
            'both keys during the overlap', [await admitted(node, old.key, at), await admitted(node, next.key, at)], [workspace, workspace],
          )
        }
        await turnedAway('the old key after the overlap', node, old.key, ROTATED_AT + OVERLAP_MS)
        same('the successor after the overlap', (await principal(node, next.key, ROTATED_AT + OVERLAP_MS)).key, next.id)
      }
    },
  },
  {
    name: 'a new key and a successor are valid at once on every node, also where the clock is behind by a minute',
    check: async (fixture) => {
      const { keyStore, elsewhere = keyStore } = fixture
      const { workspace } = await fixture.openWorkspace()
      const old = await minted(fixture, workspace, { at: MINTED_AT + MINUTE_MS })
      same('a new key', await admitted(elsewhere, old.key, MINTED_AT), workspace)
      const next = await done('a key is rotated', keyStore.rotate(old.id, { at: MINTED_AT + 2 * MINUTE_MS, overlapMs: OVERLAP_MS }))
      for (const node of [keyStore, elsewhere]) {
        for (const { key } of [old, next]) same('both keys', await admitted(node, key, MINTED_AT + MINUTE_MS), workspace)
      }
    },
  },
  {
    name: 'a successor is another key with another secret, and is named by the key that it replaces',
    check: async (fixture) => {
      const { workspace } = await fixture.openWorkspace()
      const old = await minted(fixture, workspace)
      const next = await done('a key is rotated', fixture.keyStore.rotate(old.id, { at: ROTATED_AT, overlapMs: OVERLAP_MS }))
      holds('another id', next.id !== old.id && next.key.startsWith(`pst_${next.id}_`), next.id)
      holds('another secret', !next.key.endsWith(old.key.slice(`pst_${old.id}_`.length)), next.id)
      const keys = (await listed(fixture, workspace)).map(({ id, createdAt, expiresAt, replacedBy }) => ({
        id, createdAt, expiresAt, replacedBy,
      }))
      same('both keys', keys, [
        { id: old.id, createdAt: MINTED_AT, expiresAt: ROTATED_AT + OVERLAP_MS, replacedBy: next.id },
        { id: next.id, createdAt: ROTATED_AT, expiresAt: undefined, replacedBy: undefined },
      ])
    },
  },
  {
    name: 'a successor has the name, the scopes, the spending limit and the expiry of the key that it replaces',
    check: async (fixture) => {
      const { workspace } = await fixture.openWorkspace()
      const limits = { name: ' Größe ', scopes: ['read', 'answer'], expiresAt: ROTATED_AT + 2 * OVERLAP_MS, spendingLimit: 7n } as const
      const old = await minted(fixture, workspace, limits)
      const next = await done('a key is rotated', fixture.keyStore.rotate(old.id, { at: ROTATED_AT, overlapMs: OVERLAP_MS }))
      const { name, scopes, expiresAt, spendingLimit } = await principal(fixture.keyStore, next.key, ROTATED_AT)
      same('the successor', { name, scopes: [...scopes].sort(), expiresAt, spendingLimit }, { ...limits, scopes: ['answer', 'read'] })
    },
  },
  {
    name: 'a key and its successors spend one limit together, and every other key its own',
    check: async (fixture) => {
      const { keyStore, elsewhere = keyStore } = fixture
      const { workspace } = await fixture.openWorkspace()
      const [first, other] = [
        await minted(fixture, workspace, { spendingLimit: 7n }), await minted(fixture, workspace, { spendingLimit: 7n }),
      ]
      const second = await done('a key is rotated', keyStore.rotate(first.id, { at: ROTATED_AT, overlapMs: OVERLAP_MS }))
      const third = await done('a successor is rotated', elsewhere.rotate(second.id, { at: ROTATED_AT + 1, overlapMs: OVERLAP_MS }))
      const countsFor = async (node: KeyStore, presented: string): Promise<string> => {
        const { key, spendingId = key } = await principal(node, presented, ROTATED_AT + 1)
        return spendingId
      }
      for (const node of [keyStore, elsewhere]) {
        const ids = await Promise.all([first, second, third, other].map(({ key }) => countsFor(node, key)))
        same('the keys for which the spending counts', ids, [first.id, first.id, first.id, other.id])
      }
    },
  },
  {
    name: 'a replaced key ends at its own expiry where that comes before the end of the overlap',
    check: async (fixture) => {
      const { workspace } = await fixture.openWorkspace()
      const expiresAt = ROTATED_AT + OVERLAP_MS - 1
      const old = await minted(fixture, workspace, { expiresAt })
      const next = await done('a key is rotated', fixture.keyStore.rotate(old.id, { at: ROTATED_AT, overlapMs: OVERLAP_MS }))
      same('when the old key ends', [next.replacedEndsAt, (await found(fixture, old.id)).expiresAt], [expiresAt, expiresAt])
      await turnedAway('the old key at its own expiry', fixture.keyStore, old.key, expiresAt)
    },
  },
  {
    name: 'a key that is replaced with an overlap of 0 is revoked',
    check: async (fixture) => {
      const { keyStore, elsewhere = keyStore } = fixture
      const { workspace } = await fixture.openWorkspace()
      const old = await minted(fixture, workspace)
      const next = await done('a key is rotated', keyStore.rotate(old.id, { at: ROTATED_AT, overlapMs: 0 }))
      same('when the old key ends', [next.replacedEndsAt, (await found(fixture, old.id)).revokedAt], [ROTATED_AT, ROTATED_AT])
      // The clock of another node may be slow.
      for (const node of [keyStore, elsewhere]) await turnedAway('the old key', node, old.key, ROTATED_AT - 1)
      same('the successor', await admitted(elsewhere, next.key, ROTATED_AT), workspace)
    },
  },
  {
    name: 'a key that has a successor gets no other',
    check: async (fixture) => {
      const { keyStore } = fixture
      const { workspace } = await fixture.openWorkspace()
      const old = await minted(fixture, workspace)
      const next = await done('a key is rotated', keyStore.rotate(old.id, { at: ROTATED_AT, overlapMs: OVERLAP_MS }))
      const before = await listed(fixture, workspace)
      for (const at of [ROTATED_AT + 1, ROTATED_AT + 2 * OVERLAP_MS]) {
        same(
          'why', await refused('a second rotation', 'KeyReplaced', keyStore.rotate(old.id, { at, overlapMs: OVERLAP_MS })),
          { _tag: 'KeyReplaced', id: old.id, by: next.id },
        )
      }
      same('nothing is changed', await listed(fixture, workspace), before)
      const last = await done('the successor is rotated', keyStore.rotate(next.id, { at: ROTATED_AT + 1, overlapMs: OVERLAP_MS }))
      same(
        'the keys of three rotations', (await listed(fixture, workspace)).map(({ replacedBy }) => replacedBy),
        [next.id, last.id, undefined],
      )
    },
  },
  {
    name: 'a key that is revoked or has expired gets no successor',
    check: async (fixture) => {
      const { keyStore } = fixture
      const { workspace } = await fixture.openWorkspace()
      const [revoked, expired] = [
        await minted(fixture, workspace), await minted(fixture, workspace, { at: MINTED_AT + 1, expiresAt: ROTATED_AT }),
      ]
      await done('a key is revoked', keyStore.revoke(revoked.id, MINTED_AT + 1))
      const before = await listed(fixture, workspace)
      for (const { id } of [revoked, expired]) {
        same(
          'why', await refused('a rotation', 'KeyEnded', keyStore.rotate(id, { at: ROTATED_AT, overlapMs: OVERLAP_MS })),
          { _tag: 'KeyEnded', id },
        )
      }
      same('nothing is changed', await listed(fixture, workspace), before)
    },
  },
  {
    name: 'rotating an id that names no key is an UnknownApiKey',
    check: async ({ keyStore }) => {
      for (const id of [newName(), ...NO_KEY_IDS]) {
        await refused('rotating what is no key', 'UnknownApiKey', keyStore.rotate(id, { at: ROTATED_AT, overlapMs: OVERLAP_MS }))
      }
    },
  },
  {
    name: 'of concurrent rotations of a key one succeeds',
    check: async (fixture) => {
      const { keyStore, elsewhere = keyStore } = fixture
      const { workspace } = await fixture.openWorkspace()
      const { id } = await minted(fixture, workspace)
      const outcomes = await Promise.all(
        times(10, (index) => (index % 2 === 0 ? keyStore : elsewhere).rotate(id, { at: ROTATED_AT, overlapMs: OVERLAP_MS })),
      )
      const tags = outcomes.map((outcome) => (outcome._tag === 'Right' ? 'made' : outcome.left._tag)).sort()
      same('the outcomes', tags, [...times(9, () => 'KeyReplaced'), 'made'])
      same('the keys', (await listed(fixture, workspace)).length, 2)
    },
  },
]
