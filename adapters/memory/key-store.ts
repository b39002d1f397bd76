import { hash, randomBytes, timingSafeEqual } from 'node:crypto'
import * as E from 'fp-ts/lib/Either.js'
import * as O from 'fp-ts/lib/Option.js'
import {
  type ApiKey, apiKeyIdIn, apiKeyOf, checkReplaceable, endOfReplaced, hasEnded, KEY_ID_BYTES, KEY_SECRET_BYTES, type KeyEnded, type KeyReplaced, type KeyStore,
  type KeySuccession, type MintedKey, type NewKey, type Rotation, type Successor, type UnknownApiKey, type WorkspaceKey,
} from '../../core/access/keys.js'
import { type KeyPrincipal, SCOPES } from '../../core/kernel/actor.js'
import type { WorkspaceId } from '../../core/kernel/ids.js'
import type { Along } from '../../core/kernel/outbox.js'
import type { Instant } from '../../core/kernel/time.js'
import type { UnknownWorkspace, Workspace } from '../../core/kernel/workspace.js'
import { type EventState, openEventState, storeEvents } from './event-state.js'
import { atomic, infallible } from './task.js'

/** A key as it is kept: the SHA-256 digest of its text, what is known of it, and of a successor the id for which its spending counts. */
export type KeyRecord = { readonly digest: Buffer; known: ApiKey; readonly spendingId?: string }

/** The API keys in memory, of the workspaces there are. */
export const makeMemoryKeyStore = (
  workspaces: ReadonlyMap<WorkspaceId, Pick<Workspace, 'archivedAt'>>,
  keys: Map<string, KeyRecord> = new Map(),
  events: EventState = openEventState(),
): KeyStore => {
  return {
    principalOf: (presented, at) => atomic(() => principalOf(presented, at)),
    mint: (key, along) =>
      atomic((): E.Either<UnknownWorkspace, MintedKey> => {
        if (!workspaces.has(key.workspace)) return E.left({ _tag: 'UnknownWorkspace' })
        const made = makeKey(key)
        if (along !== undefined) storeEvents(events, along({ workspace: key.workspace, id: made.minted.id, name: key.name }))
        keys.set(made.minted.id, made.record)
        return E.right(made.minted)
      }),
    rotate: (id, rotation, along) => atomic(() => rotate(id, rotation, along)),
    find: (id) => infallible(() => O.fromNullable(keys.get(id)?.known)),
    list: (workspace) =>
      infallible(() =>
        [...keys.values()]
          .map(({ known }) => known)
          .filter((key) => key.workspace === workspace)
          .sort((a, b) => a.createdAt - b.createdAt || (a.id < b.id ? -1 : 1)),
      ),
    revoke: (id, at, along) => atomic(() => revoke(id, at, along)),
  }

  function principalOf(presented: string, at: Instant): E.Either<UnknownApiKey, KeyPrincipal> {
    const key = keys.get(apiKeyIdIn(presented) ?? '')
    if (key === undefined || hasEnded(key.known, at) || !timingSafeEqual(key.digest, digestOf(presented))) return UNKNOWN
    const { id, workspace, name, scopes, lastUsedAt } = key.known
    if (workspaces.get(workspace)?.archivedAt !== undefined) return UNKNOWN
    if (lastUsedAt === undefined || at > lastUsedAt) key.known = { ...key.known, lastUsedAt: at }
    return E.right({ _tag: 'Key', workspace, key: id, name, scopes, ...limitsOf(key.known), ...(key.spendingId !== undefined && { spendingId: key.spendingId }) })
  }

  function rotate(id: string, rotation: Rotation, along?: Along<KeySuccession>): E.Either<UnknownApiKey | KeyEnded | KeyReplaced, Successor> {
    const old = keys.get(id)
    if (old === undefined) return UNKNOWN
    const replaceable = checkReplaceable(old.known, rotation.at)
    if (E.isLeft(replaceable)) return replaceable
    const { workspace, name, scopes } = old.known
    const { minted, record } = makeKey({ workspace, name, scopes, at: rotation.at, ...limitsOf(old.known) })
    const endsAt = endOfReplaced(old.known, rotation)
    if (along !== undefined) storeEvents(events, along({ workspace, id, name, successor: minted.id, endsAt }))
    keys.set(minted.id, { ...record, spendingId: old.spendingId ?? id })
    old.known = { ...old.known, replacedBy: minted.id, expiresAt: endsAt, revokedAt: rotation.overlapMs === 0 ? rotation.at : undefined }
    return E.right({ ...minted, replacedEndsAt: endsAt })
  }

  function revoke(id: string, at: Instant, along?: Along<WorkspaceKey>): E.Either<UnknownApiKey, void> {
    const key = keys.get(id)
    if (key === undefined) return UNKNOWN
    const { workspace, name, revokedAt } = key.known
    if (along !== undefined && revokedAt === undefined) storeEvents(events, along({ workspace, id, name }))
    key.known = { ...key.known, revokedAt: revokedAt ?? at }
    return E.right(undefined)
  }
}

const limitsOf = ({ expiresAt, spendingLimit }: ApiKey): Pick<NewKey, 'expiresAt' | 'spendingLimit'> => ({
  ...(expiresAt !== undefined && { expiresAt }),
  ...(spendingLimit !== undefined && { spendingLimit }),
})

const UNKNOWN: E.Either<UnknownApiKey, never> = E.left({ _tag: 'UnknownApiKey' })

const makeKey = ({ workspace, name, scopes, at, expiresAt, spendingLimit }: NewKey): { readonly minted: MintedKey; readonly record: KeyRecord } => {
  const id = randomBytes(KEY_ID_BYTES).toString('hex')
  const key = apiKeyOf(id, randomBytes(KEY_SECRET_BYTES).toString('hex'))
  const known: ApiKey = {
    id, workspace, name, scopes: SCOPES.filter((scope) => scopes.includes(scope)), createdAt: at, lastUsedAt: undefined, revokedAt: undefined, expiresAt, spendingLimit, replacedBy: undefined,
  }
  return { minted: { id, key }, record: { digest: digestOf(key), known } }
}

const digestOf = (key: string): Buffer => hash('sha256', key, 'buffer')
