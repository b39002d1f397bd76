import * as E from 'fp-ts/lib/Either.js'
import * as O from 'fp-ts/lib/Option.js'
import type { ApiKey, KeyStore, NewKey, Successor } from '../../core/access/keys.js'
import { type KeyPrincipal, SCOPES } from '../../core/kernel/actor.js'
import { portFailure } from '../../core/kernel/failure.js'
import { openMemoryFixture } from '../adapters/memory/memory-fixture.js'
import { type AtRest, keyStoreAtRestLaws } from '../laws/at-rest.js'
import { type ArchiveFixture, keyStoreArchiveLaws, type KeyStoreFixture, keyStoreLaws } from '../laws/key-store.js'
import { andThen, brokenMemory, ignoring, noting, withResult } from './broken-memory.js'
import { describeMutations } from './mutation.js'

type RotateFailure = ReturnType<KeyStore['rotate']> extends Promise<E.Either<infer Failure, unknown>> ? Failure : never
type Found = ReturnType<KeyStore['principalOf']>

const down = portFailure('KeyStore')('down')
const broken = (defect: (keyStore: KeyStore) => Partial<KeyStore>): (() => Promise<KeyStoreFixture & ArchiveFixture>) =>
  brokenMemory('keyStore', defect)
const changingKeys = (change: (key: ApiKey) => ApiKey) => ({ list }: KeyStore): Partial<KeyStore> =>
  ({ list: (of) => withResult(list(of), (keys) => keys.map(change)) })

const caching = broken(({ principalOf }) => {
  const known = new Map<string, Awaited<Found>>()
  return {
    principalOf: async (presented, at) => {
      const answer = known.get(presented) ?? await principalOf(presented, at)
      if (E.isRight(answer)) known.set(presented, answer)
      return answer
    },
  }
})

/** Mints keys whose secret is replaced. */
const withSecret = (secretOf: (secret: string) => string) => broken(({ mint }) => ({
  mint: (...of) => withResult(mint(...of), ({ id, key }) => ({ id, key: `pst_${id}_${secretOf(key.slice(`pst_${id}_`.length))}` })),
}))

const ONE_LIMIT = 'a key and its successors spend one limit together, and every other key its own'

describeMutations('the key store', keyStoreLaws, [
  { defect: 'takes a key for one of the workspace that minted last', open: broken(({ mint, principalOf }) => {
    let last: NewKey['workspace'] | undefined
    return {
      mint: (key, outboxEntries) => noting(mint(key, outboxEntries), () => { last = key.workspace }),
      principalOf: (...of) => withResult(principalOf(...of), (found) => ({ ...found, workspace: last ?? found.workspace })),
    }
  }), breaks: ['a minted key names its workspace', 'a good key among concurrent bad ones is recognised'] },
  {
    defect: 'gives keys no scopes',
    open: broken(({ principalOf }) => ({ principalOf: (...of) => withResult(principalOf(...of), (found) => ({ ...found, scopes: [] })) })),
    breaks: ['a minted key stands for a principal with its id, its name and its scopes', 'a key has exactly the scopes that it was minted with'],
  },
  { defect: 'mints keys with another prefix', open: broken(({ mint, principalOf }) => ({
    mint: (...of) => withResult(mint(...of), ({ id, key }) => ({ id, key: key.replace('pst_', 'sk_') })),
    principalOf: (presented, at) => principalOf(presented.replace(/^sk_/, 'pst_'), at),
  })), breaks: ['a key is pst_<id>_<secret> with room for at least 160 random bits'] },
  { defect: 'mints ids with an underscore', open: broken(({ mint }) => ({
    mint: (...of) => withResult(mint(...of), ({ id, key }) => ({ id: `crm_${id}`, key: key.replace('pst_', 'pst_crm_') })),
  })), breaks: ['the id of a key is one or more letters, digits or hyphens'] },
  {
    defect: 'pads a short random secret', open: withSecret((secret) => secret.slice(0, 16).padEnd(48, '0')),
    breaks: ['no two keys are alike'],
  },
  {
    defect: 'mints keys for workspaces that do not exist',
    open: broken(({ mint }) => ({ mint: (...of) => mint(...of).then(E.orElse(() => E.right({ id: '1', key: 'pst_1_2' }))) })),
    breaks: ['a key cannot be minted for a workspace that does not exist'],
  },
  { defect: 'compares the id of a key alone', open: broken(({ mint, principalOf }) => {
    const keys = new Map<string, string>()
    return {
      mint: (...of) => noting(mint(...of), ({ id, key }) => void keys.set(id, key)),
      principalOf: (presented, at) => principalOf(keys.get(presented.split('_')[1] ?? '') ?? presented, at),
    }
  }), breaks: ['a wrong secret with a right id is an UnknownApiKey'] },
  {
    defect: 'trims what is presented',
    open: broken(({ principalOf }) => ({ principalOf: (presented, at) => principalOf(presented.trim(), at) })),
    breaks: ['a key that was never minted is an UnknownApiKey'],
  },
  {
    defect: 'fails for a text with a NUL',
    open: broken(({ principalOf }) => ({
      principalOf: async (presented, at) => (presented.includes('\u0000') ? E.left(down) : principalOf(presented, at)),
    })),
    breaks: ['garbage of any kind is an UnknownApiKey and never a PortFailure'],
  },
  { defect: 'answers concurrent calls alike', open: broken(({ principalOf }) => {
    let current: Promise<Awaited<Found>> | undefined
    return {
      principalOf: async (presented, at) => {
        if (current === undefined) setImmediate(() => { current = undefined })
        current ??= principalOf(presented, at)
        return current
      },
    }
  }), breaks: ['a good key among concurrent bad ones is recognised'] },
  { defect: 'shows keys in its list', open: broken(({ mint, list }) => {
    const keys = new Map<string, string>()
    return {
      mint: (...of) => noting(mint(...of), ({ id, key }) => void keys.set(id, key)),
      list: (of) => withResult(list(of), (all) => all.map((key) => ({ ...key, name: `${key.name} ${keys.get(key.id) ?? ''}` }))),
    }
  }), breaks: ['the key is in the answer to its minting and nowhere else', 'the name of a key is kept as it was given'] },
  { defect: 'caches good keys', open: caching, breaks: ['a revoked key fails on the very next call', 'a revoked key fails on the very next call on every node'] },
  { defect: 'keeps the last moment of revocation', open: broken(({ list, revoke }) => {
    const last = new Map<string, number>()
    return {
      revoke: (id, at) => noting(revoke(id, at), () => void last.set(id, at)),
      list: (of) => withResult(list(of), (all) => all.map((key) => ({ ...key, revokedAt: last.get(key.id) }))),
    }
  }), breaks: ['revoking again keeps the first moment'] },
  {
    defect: 'revokes a key that does not exist with success',
    open: broken(({ revoke }) => ({ revoke: (...of) => ignoring(revoke(...of), 'UnknownApiKey') })),
    breaks: ['revoking an id that names no key is an UnknownApiKey'],
  },
  {
    defect: 'lists no revoked keys',
    open: broken(({ list }) => ({ list: (of) => withResult(list(of), (all) => all.filter(({ revokedAt }) => revokedAt === undefined)) })),
    breaks: ['a list has a workspace\'s keys oldest first, revoked ones too'],
  },
  { defect: 'lists the keys of one millisecond backwards', open: broken(({ list }) => ({
    list: (of) => withResult(list(of), (all) => all.toSorted((a, b) => a.createdAt - b.createdAt || (a.id < b.id ? 1 : -1))),
  })), breaks: ['keys of one millisecond are listed in the order of their ids'] },
  { defect: 'lists another workspace\'s keys where there are none', open: broken(({ list, mint }) => {
    const workspaces: Array<Parameters<KeyStore['list']>[0]> = []
    return {
      mint: (key, outboxEntries) => noting(mint(key, outboxEntries), () => void workspaces.push(key.workspace)),
      list: (of) => andThen(list(of), (keys) => list(keys.length > 0 ? of : workspaces[0] ?? of)),
    }
  }), breaks: ['a list never has another workspace\'s keys'] },
  { defect: 'trims the name of a key', open: broken(({ mint }) => ({ mint: (key) => mint({ ...key, name: key.name.trim() }) })), breaks: ['the name of a key is kept as it was given'] },
  {
    defect: 'marks a key as used an hour late',
    open: broken(changingKeys((key) => ({ ...key, lastUsedAt: key.lastUsedAt && key.lastUsedAt + 3_600_000 }))),
    breaks: ['a successful call marks the key as used, to within a minute'],
  },
  { defect: 'forgets a use while another one is noted', open: broken(({ principalOf }) => {
    let noting: number | undefined
    return {
      principalOf: async (presented, at) => {
        noting ??= at
        const found = await principalOf(presented, noting)
        noting = undefined
        return found
      },
    }
  }), breaks: ['a successful call marks the key as used, to within a minute'] },
  { defect: 'marks a key as used by calls that fail', open: broken(({ list, principalOf }) => {
    const failed = new Map<string, number>()
    return {
      principalOf: async (presented, at) => {
        const found = await principalOf(presented, at)
        if (E.isLeft(found)) failed.set(presented.split('_')[1] ?? '', at)
        return found
      },
      list: (of) => withResult(list(of), (all) => all.map((key) => ({ ...key, lastUsedAt: key.lastUsedAt ?? failed.get(key.id) }))),
    }
  }), breaks: ['a call that fails does not mark the key as used'] },
  {
    defect: 'takes a key without scopes for one with all of them',
    open: broken(({ mint }) => ({ mint: (key) => mint({ ...key, scopes: key.scopes.length > 0 ? key.scopes : SCOPES }) })),
    breaks: ['a key has exactly the scopes that it was minted with'],
  },
  { defect: 'forgets when a key ends', open: broken(({ mint }) => ({ mint: ({ expiresAt: _expiresAt, ...key }) => mint(key) })), breaks: ['a key fails from its expiry on, by the moment of the call, on every node'] },
  { defect: 'reads limits as floating-point numbers', open: broken(({ mint }) => ({
    mint: (key) => mint({ ...key, ...(key.spendingLimit !== undefined && { spendingLimit: BigInt(Number(key.spendingLimit)) }) }),
  })), breaks: ['the spending limit of a key is kept to the micro'] },
  {
    defect: 'finds no revoked keys',
    open: broken(({ find }) => ({ find: (id) => withResult(find(id), O.filter(({ revokedAt }) => revokedAt === undefined)) })),
    breaks: ['a key is found by its id, a revoked one too, as it is listed'],
  },
  {
    defect: 'trims the id of a key that it looks for', open: broken(({ find }) => ({ find: (id) => find(id.trim()) })),
    breaks: ['no other text finds a key'],
  },
  { defect: 'lets a replaced key live on', open: broken((keyStore) => ({
    rotate: (id, { at, overlapMs }) =>
      withResult(keyStore.rotate(id, { at, overlapMs: 2 * overlapMs }), (made) => ({ ...made, replacedEndsAt: at + overlapMs })),
  })), breaks: ['a replaced key and its successor are valid during the overlap, and only the successor after it, on every node'] },
  {
    defect: 'ends a replaced key at once',
    open: broken(({ rotate }) => ({ rotate: (id, { at }) => rotate(id, { at, overlapMs: 0 }) })),
    breaks: ['a replaced key and its successor are valid during the overlap, and only the successor after it, on every node'],
  },
  {
    defect: 'does not say by which key another was replaced',
    open: broken(changingKeys((key) => ({ ...key, replacedBy: undefined }))),
    breaks: ['a successor is another key with another secret, and is named by the key that it replaces'],
  },
  { defect: 'refuses keys that were made in the future', open: broken(({ principalOf, find }) => ({
    principalOf: (presented, at) => andThen(principalOf(presented, at), (found: KeyPrincipal) => andThen(
      find(found.key), async (key: O.Option<ApiKey>) =>
        (O.isSome(key) && key.value.createdAt > at ? E.left({ _tag: 'UnknownApiKey' as const }) : E.right(found)),
    )),
  })), breaks: ['a new key and a successor are valid at once on every node, also where the clock is behind by a minute'] },
  { defect: 'lets a successor spend a limit of its own', open: broken(({ principalOf }) => ({
    principalOf: (...of) => withResult(principalOf(...of), ({ spendingId: _spendingId, ...found }) => found),
  })), breaks: [ONE_LIMIT] },
  { defect: 'counts what a successor spends for the key right before it', open: broken(({ rotate, principalOf }) => {
    const replaced = new Map<string, string>()
    return {
      rotate: (id, ...of) => noting(rotate(id, ...of), (made) => void replaced.set(made.id, id)),
      principalOf: (...of) => withResult(principalOf(...of), (found) => ({ ...found, spendingId: replaced.get(found.key) ?? found.key })),
    }
  }), breaks: [ONE_LIMIT] },
  { defect: 'counts what all keys of a workspace spend together', open: broken(({ principalOf }) => ({
    principalOf: (...of) => withResult(principalOf(...of), (found) => ({ ...found, spendingId: found.workspace })),
  })), breaks: [ONE_LIMIT] },
  { defect: 'gives a successor every scope', open: broken(({ rotate, principalOf }) => {
    const successors = new Set<string>()
    return {
      rotate: (...of) => noting(rotate(...of), ({ id }) => void successors.add(id)),
      principalOf: (...of) => withResult(principalOf(...of), (found) => (successors.has(found.key) ? { ...found, scopes: SCOPES } : found)),
    }
  }), breaks: ['a successor has the name, the scopes, the spending limit and the expiry of the key that it replaces'] },
  { defect: 'prolongs a key by the overlap', open: broken(({ rotate }) => ({
    rotate: (id, rotation) => withResult(rotate(id, rotation), (made) => ({ ...made, replacedEndsAt: rotation.at + rotation.overlapMs })),
  })), breaks: ['a replaced key ends at its own expiry where that comes before the end of the overlap'] },
  { defect: 'lets a key expire that is replaced without an overlap', open: broken(({ rotate }) => ({
    rotate: (id, { at, overlapMs }) => rotate(id, { at, overlapMs: Math.max(overlapMs, 1) }),
  })), breaks: ['a key that is replaced with an overlap of 0 is revoked'] },
  { defect: 'answers a second rotation with another key', open: broken(({ rotate, find, mint }) => ({
    rotate: async (id, rotation) => {
      const made = await rotate(id, rotation)
      const old = await find(id)
      if (E.isRight(made) || made.left._tag !== 'KeyReplaced' || E.isLeft(old) || O.isNone(old.right)) return made
      const { workspace, name, scopes } = old.right.value
      const other = await mint({ workspace, name, scopes, at: rotation.at })
      return E.isRight(other) ? E.right({ ...other.right, replacedEndsAt: rotation.at }) : made
    },
  })), breaks: ['a key that has a successor gets no other', 'of concurrent rotations of a key one succeeds'] },
  { defect: 'replaces keys that have ended', open: broken(({ rotate }) => ({
    rotate: (id, rotation) => rotate(id, rotation).then(E.orElse((failure: RotateFailure) =>
      failure._tag === 'KeyEnded'
        ? E.right<RotateFailure, Successor>({ id: '1', key: 'pst_1_2', replacedEndsAt: rotation.at })
        : E.left(failure))),
  })), breaks: ['a key that is revoked or has expired gets no successor'] },
  { defect: 'takes an unknown key for one that has ended', open: broken(({ rotate }) => ({
    rotate: (id, rotation) =>
      rotate(id, rotation).then(
        E.mapLeft((failure: RotateFailure): RotateFailure => (failure._tag === 'UnknownApiKey' ? { _tag: 'KeyEnded', id } : failure)),
      ),
  })), breaks: ['rotating an id that names no key is an UnknownApiKey'] },
])

describeMutations('the key store of archived workspaces', keyStoreArchiveLaws, [
  { defect: 'caches good keys', open: caching, breaks: ['the keys of an archived workspace fail on the very next call, on every node'] },
  { defect: 'forgets the keys of an archived workspace', open: async () => {
    const fixture = await openMemoryFixture()
    const archived = new Set<string>()
    const { list } = fixture.keyStore
    return {
      ...fixture,
      archiveWorkspace: async (workspace) => {
        archived.add(workspace)
        await fixture.archiveWorkspace(workspace)
      },
      keyStore: { ...fixture.keyStore, list: async (of) => (archived.has(of) ? E.right([]) : list(of)) },
    }
  }, breaks: ['the keys of an archived workspace are listed and revoked as before'] },
])

/** Memory that writes keys to its storage as `encode` says. */
const atRest = (encode: (key: string) => string, encodeSuccessor = encode) => async (): Promise<KeyStoreFixture & AtRest> => {
  const stored: string[] = []
  const { keyStore, openWorkspace } = await openMemoryFixture()
  const mint: KeyStore['mint'] = (...of) =>
    noting(keyStore.mint(...of), ({ id, key }) => void stored.push(JSON.stringify({ id, key: encode(key) })))
  const rotate: KeyStore['rotate'] = (...of) =>
    noting(keyStore.rotate(...of), ({ id, key }) => void stored.push(JSON.stringify({ id, key: encodeSuccessor(key) })))
  return { openWorkspace, keyStore: { ...keyStore, mint, rotate }, atRest: async () => stored.join('\n') }
}

const AT_REST = ['only a digest of a key is stored']

describeMutations('the key store at rest', keyStoreAtRestLaws, [
  { defect: 'stores keys as they are', open: atRest((key) => key), breaks: AT_REST },
  { defect: 'stores successors as they are', open: atRest(() => '', (key) => key), breaks: AT_REST },
  { defect: 'stores secrets without their prefix', open: atRest((key) => key.split('_').at(-1) ?? key), breaks: AT_REST },
])
