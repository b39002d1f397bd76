import { assert } from 'chai'
import * as O from 'fp-ts/lib/Option.js'
import { makeMintKey, makeRevokeKey, makeRotateKey } from '../../../core/access/key-use-cases.js'
import { MAX_EXPIRY_MS, type NewKey, type Rotation } from '../../../core/access/keys.js'
import { type Actor, type Role, SCOPES, SYSTEM } from '../../../core/kernel/actor.js'
import { auditIdOf, type MemberId, type WorkspaceId, workspaceIdOf } from '../../../core/kernel/ids.js'
import { type Currency, MAX_MICROS } from '../../../core/kernel/money.js'
import { DAY_MS, HOUR_MS } from '../../../core/kernel/time.js'
import { messageIdOf } from '../../../core/messages/message.js'
import { makeListKeys } from '../../../core/money/use-cases.js'
import { done, failed, leftOf, rightOf } from '../../support/right-of.js'
import { gateway } from '../gateway.js'
import { memberWorld } from '../use-cases/member-world.js'

const open = async () => {
  const gw = await gateway({ broker: true })
  const { workspace, now, passes, storage: { keyStore, auditLog } } = gw
  let ids = 0
  const newAuditId = () => auditIdOf(String(ids += 1).padStart(32, '0'))
  const deps = { keyStore, now, events: gw.deps.events, audit: { auditLog, newAuditId, now } }
  const audited = async () => (await done(auditLog.list({ limit: 100 }))).items.toReversed()
  return {
    workspace, now, passes, keyStore, deps, audited, emitted: gw.events,
    mintKey: makeMintKey(deps), rotateKey: makeRotateKey(deps), revokeKey: makeRevokeKey(deps),
    find: async (id: string) => O.toUndefined(await done(keyStore.find(id))),
  }
}

const by = SYSTEM
const memberOf = (workspace: WorkspaceId, role: Role): Actor => ({
  principal: {
    _tag: 'Member', member: `mbr_${'1'.repeat(32)}` as MemberId, email: 'ada@shop.example', isOperator: false,
    roles: new Map([[workspace, role]]),
  },
  address: '192.0.2.7',
})

describe('Minting a key', () => {
  it('creates a key of that name, which has every scope and no expiry by default', async () => {
    const { workspace, now, find, mintKey } = await open()
    const { id } = rightOf(await mintKey({ by, workspace, name: ' till ' }))
    assert.deepInclude(await find(id), {
      id, workspace, name: 'till', createdAt: now(), revokedAt: undefined, scopes: SCOPES, expiresAt: undefined, spendingLimit: undefined,
    })
  })

  it('makes a key with scopes, an end and a limit, and notes them, and never the key', async () => {
    const { workspace, now, find, mintKey, audited } = await open()
    const { id, key } = rightOf(await mintKey({
      by: memberOf(workspace, 'developer'), workspace, name: 'till', scopes: ['read', 'send'], expires: '90d', spendingLimit: 5_000_000n,
    }))
    const expiresAt = now() + 90 * DAY_MS
    assert.deepInclude(await find(id), { scopes: ['send', 'read'], expiresAt, spendingLimit: 5_000_000n })
    const [entry, ...more] = await audited()
    assert.isEmpty(more)
    assert.deepInclude(entry, {
      act: 'key.mint', outcome: 'done', workspace, subject: id, address: '192.0.2.7',
      details: { name: 'till', scopes: ['send', 'read'], expires_at: new Date(expiresAt).toISOString(), daily_limit: '5.000000' },
    })
    assert.notInclude(JSON.stringify(entry), key)
  })

  it('notes its id, and that of a successor, if the key store stores no entries', async () => {
    const { workspace, keyStore, deps, audited } = await open()
    const without = {
      ...deps,
      keyStore: {
        ...keyStore, mint: (key: NewKey) => keyStore.mint(key), rotate: (id: string, rotation: Rotation) => keyStore.rotate(id, rotation),
      },
    }
    const { id } = rightOf(await makeMintKey(without)({ by, workspace, name: 'till' }))
    const successor = rightOf(await makeRotateKey(without)({ by, id, overlap: '1h' }))
    const entries = await audited()
    assert.deepEqual(entries.map(({ act, outcome, subject }) => [act, outcome, subject]), [
      ['key.mint', 'done', id], ['key.rotate', 'done', id],
    ])
    assert.deepInclude(entries[1]?.details, { successor: successor.id, ends_at: new Date(successor.replacedEndsAt).toISOString() })
  })

  it('refuses an invalid name, scope, expiry or limit, and a workspace that does not exist', async () => {
    const { workspace, now, keyStore, mintKey, audited } = await open()
    for (const name of ['', ' ', 'x'.repeat(201), 'a\tb']) assert.equal(leftOf(await mintKey({ by, workspace, name }))._tag, 'InvalidName')
    for (const scopes of [[], ['Send'], ['send', 'send'], ['send', ''], ['__proto__'], ['*']]) {
      assert.equal(leftOf(await mintKey({ by, workspace, name: 'till', scopes }))._tag, 'InvalidScopes', scopes.join())
    }
    const past = new Date(now()).toISOString()
    const late = new Date(now() + MAX_EXPIRY_MS + 1).toISOString()
    for (const expires of [
      '', '0d', '-1d', '1.5d', '1w', '90', 'd', '3654d', past, late, '2026-02-30', '2027-02-30T00:00:00Z', '2027-01-31T09:30', 'tomorrow',
      '99999999d', '+010000-01-01',
    ]) {
      assert.equal(leftOf(await mintKey({ by, workspace, name: 'till', expires }))._tag, 'InvalidExpiry', expires)
    }
    for (const spendingLimit of [0n, -1n, MAX_MICROS + 1n]) {
      assert.equal(leftOf(await mintKey({ by, workspace, name: 'till', spendingLimit }))._tag, 'InvalidAmount', String(spendingLimit))
    }
    assert.deepEqual(leftOf(await mintKey({ by, workspace: workspaceIdOf('0'.repeat(32)), name: 'till' })), { _tag: 'UnknownWorkspace' })
    assert.isEmpty(await done(keyStore.list(workspace)))
    assert.isTrue((await audited()).every(({ outcome }) => outcome === 'refused'))
  })

  it('takes moments as well as durations for its end', async () => {
    const { workspace, now, find, mintKey } = await open()
    const cases = [
      ['12h', now() + 12 * HOUR_MS], ['2027-01-31', Date.UTC(2027, 0, 31)], ['2027-01-31T09:30:00+02:00', Date.UTC(2027, 0, 31, 7, 30)],
      ['3653d', now() + MAX_EXPIRY_MS],
    ] as const
    for (const [expires, expiresAt] of cases) {
      const { id } = rightOf(await mintKey({ by, workspace, name: 'till', expires }))
      assert.equal((await find(id))?.expiresAt, expiresAt, expires)
    }
  })

  it('is refused to those who may not, before anything else is looked at, and that is noted', async () => {
    const { workspace, keyStore, mintKey, audited } = await open()
    for (const [actor, name] of [
      [memberOf(workspace, 'viewer'), 'till'],
      [memberOf(workspaceIdOf('1'.repeat(32)), 'owner'), ''],
    ] as const) {
      assert.deepEqual(leftOf(await mintKey({ by: actor, workspace, name })), { _tag: 'Forbidden', act: 'key.mint' })
    }
    assert.deepEqual((await audited()).map(({ outcome, details }) => [outcome, details?.['reason']]), [
      ['refused', 'Forbidden'], ['refused', 'Forbidden'],
    ])
    assert.isEmpty(await done(keyStore.list(workspace)))
  })
})

describe('Rotating a key', () => {
  it('creates a successor, ends the old key after the overlap, returns the successor, and records both', async () => {
    const { workspace, now, passes, find, mintKey, rotateKey, audited, emitted } = await open()
    const old = rightOf(await mintKey({ by, workspace, name: 'till', scopes: ['send'] }))
    passes(1_000)
    const next = rightOf(await rotateKey({ by, id: old.id, overlap: '30m' }))
    assert.equal(next.replacedEndsAt, now() + 30 * 60_000)
    assert.deepInclude(await find(old.id), { replacedBy: next.id, expiresAt: next.replacedEndsAt, revokedAt: undefined })
    assert.deepInclude(await find(next.id), { name: 'till', scopes: ['send'], createdAt: now(), expiresAt: undefined })
    assert.deepEqual((await emitted()).map(({ type, subject }) => [type, subject]), [['key.minted', old.id], ['key.minted', next.id]])
    const [, entry] = await audited()
    assert.deepInclude(entry, { act: 'key.rotate', outcome: 'done', workspace, subject: old.id })
    assert.deepInclude(entry?.details, {
      name: 'till', scopes: ['send'], successor: next.id, ends_at: new Date(next.replacedEndsAt).toISOString(),
    })
    assert.notInclude(JSON.stringify(entry), next.key)
  })

  it('uses a day if no overlap is given, and returns the end of the old key if the overlap is 0', async () => {
    const { workspace, now, find, mintKey, rotateKey, emitted } = await open()
    const first = rightOf(await mintKey({ by, workspace, name: 'till' }))
    const second = rightOf(await rotateKey({ by, id: first.id }))
    assert.equal(second.replacedEndsAt, now() + DAY_MS)
    const third = rightOf(await rotateKey({ by, id: second.id, overlap: '0' }))
    assert.deepInclude(await find(second.id), { replacedBy: third.id, revokedAt: now() })
    assert.deepEqual((await emitted()).slice(2).map(({ type, subject }) => [type, subject]), [
      ['key.minted', third.id], ['key.revoked', second.id],
    ])
  })

  it('refuses an invalid or too long overlap, unknown keys, and keys that have expired or were replaced', async () => {
    const { workspace, mintKey, rotateKey, revokeKey, keyStore } = await open()
    const { id } = rightOf(await mintKey({ by, workspace, name: 'till' }))
    for (const overlap of ['', '1y', '31d', '365d', '-1h', '1', '1.5h', '00h', ' 1h', '99999999d']) {
      assert.equal(leftOf(await rotateKey({ by, id, overlap }))._tag, 'InvalidOverlap', overlap)
    }
    assert.deepEqual(leftOf(await rotateKey({ by, id: 'nope' })), { _tag: 'UnknownApiKey' })
    assert.lengthOf(await done(keyStore.list(workspace)), 1)
    const next = rightOf(await rotateKey({ by, id, overlap: '30d' }))
    assert.deepEqual(leftOf(await rotateKey({ by, id })), { _tag: 'KeyReplaced', id, by: next.id })
    rightOf(await revokeKey({ by, id: next.id }))
    assert.deepEqual(leftOf(await rotateKey({ by, id: next.id })), { _tag: 'KeyEnded', id: next.id })
  })
})

describe('Revoking a key', () => {
  it('ends it at that moment, and once', async () => {
    const { workspace, now, passes, find, mintKey, revokeKey, audited } = await open()
    const { id } = rightOf(await mintKey({ by, workspace, name: 'till' }))
    passes(1_000)
    const ended = now()
    rightOf(await revokeKey({ by, id }))
    passes(1_000)
    rightOf(await revokeKey({ by, id }))
    assert.deepInclude(await find(id), { id, revokedAt: ended })
    assert.deepInclude((await audited())[1], { act: 'key.revoke', outcome: 'done', workspace, subject: id })
  })

  it('refuses an unknown id, and says that no key has it only to callers with access to every workspace', async () => {
    const { workspace, mintKey, rotateKey, revokeKey, find } = await open()
    assert.deepEqual(leftOf(await revokeKey({ by, id: 'nope' })), { _tag: 'UnknownApiKey' })
    const { id } = rightOf(await mintKey({ by, workspace, name: 'till' }))
    const stranger = memberOf(workspaceIdOf('1'.repeat(32)), 'owner')
    for (const other of [id, 'nope']) {
      assert.deepEqual(leftOf(await revokeKey({ by: stranger, id: other })), { _tag: 'Forbidden', act: 'key.revoke' })
      assert.deepEqual(leftOf(await rotateKey({ by: stranger, id: other })), { _tag: 'Forbidden', act: 'key.rotate' })
    }
    assert.deepInclude(await find(id), { revokedAt: undefined, replacedBy: undefined })
  })
})

const keyWorld = async () => {
  const world = await memberWorld()
  const now = () => world.clock.at
  const deps = { ...world.storage, now, audit: { auditLog: world.storage.auditLog, newAuditId: world.newAuditId, now } }
  return {
    ...world, listKeys: makeListKeys(deps), mintKey: makeMintKey(deps), rotateKey: makeRotateKey(deps), revokeKey: makeRevokeKey(deps),
  }
}

describe('listing keys', () => {
  it('says what the keys of one rotation have spent together today, and which still work', async () => {
    const { storage, clock, workspace, listKeys, mintKey, rotateKey } = await keyWorld()
    const first = await done(mintKey({ by: SYSTEM, workspace, name: 'shop', spendingLimit: 500n }))
    const second = await done(rotateKey({ by: SYSTEM, id: first.id, overlap: '1h' }))
    const third = await done(rotateKey({ by: SYSTEM, id: second.id, overlap: '0' }))
    await done(mintKey({ by: SYSTEM, workspace, name: 'reports' }))
    await done(storage.ledger.topUp({ workspace, micros: 1_000n, reference: 'r', at: clock.at }))
    await done(storage.wallet.hold({
      workspace, message: messageIdOf('00000000-0000-7000-8000-000000000001'), amount: { micros: 30n, currency: 'USD' as Currency },
      at: clock.at, spending: { key: first.id, limit: 500n },
    }))
    const listed = async () =>
      new Map((await done(listKeys({ by: SYSTEM, workspace }))).map((key) => [key.id, [key.spentToday, key.isValid]]))
    const today = await listed()
    assert.deepEqual([today.get(first.id), today.get(second.id), today.get(third.id)], [[30n, true], [30n, false], [30n, true]])
    assert.deepEqual([...today.values()].filter(([spent]) => spent === undefined), [[undefined, true]])
    clock.at += 24 * 3_600_000
    const tomorrow = await listed()
    assert.deepEqual([tomorrow.get(first.id), tomorrow.get(third.id)], [[0n, false], [0n, true]])
  })

  it('takes the key of another workspace for an unknown one if a workspace is named', async () => {
    const { workspace, newWorkspace, mintKey, rotateKey, revokeKey, storage } = await keyWorld()
    const { id } = await done(mintKey({ by: SYSTEM, workspace, name: 'shop' }))
    const other = await newWorkspace()
    assert.equal((await failed(rotateKey({ by: SYSTEM, id, workspace: other })))._tag, 'UnknownApiKey')
    assert.equal((await failed(revokeKey({ by: SYSTEM, id, workspace: other })))._tag, 'UnknownApiKey')
    const [kept] = await done(storage.keyStore.list(workspace))
    assert.deepEqual([kept?.revokedAt, kept?.replacedBy], [undefined, undefined])
    await done(revokeKey({ by: SYSTEM, id, workspace }))
  })
})
