import { createHash, randomBytes, timingSafeEqual } from 'node:crypto'
import * as E from 'fp-ts/lib/Either.js'
import {
  apiKeyIdIn, apiKeyOf, KEY_ID_BYTES, KEY_SECRET_BYTES, SCOPES, type Along, type ApiKey, type Instant, type KeyPrincipal, type KeyStore,
  type MintedKey, type UnknownApiKey, type UnknownWorkspace, type WorkspaceId, type WorkspaceKey,
} from '../../core/ports/key-store.js'
import type { Workspace } from '../../core/workspace.js'
import { openEventState, storeEvents, type EventState } from './event-state.js'
import { atomic, infallible } from './task.js'

/** A key as it is kept: whose it is, the SHA-256 digest of its text, and what is known of it. */
export type KeyRecord = { readonly workspace: WorkspaceId; readonly digest: Buffer; known: ApiKey }

/** The API keys in memory, of the workspaces there are. */
export const makeMemoryKeyStore = (
  workspaces: ReadonlyMap<WorkspaceId, Pick<Workspace, 'archivedAt'>>,
  keys: Map<string, KeyRecord> = new Map(),
  events: EventState = openEventState(),
): KeyStore => {
  const isArchived = (id: WorkspaceId): boolean => workspaces.get(id)?.archivedAt !== undefined
  return {
    principalOf: (presented, at) =>
      atomic((): E.Either<UnknownApiKey, KeyPrincipal> => {
        const key = keys.get(apiKeyIdIn(presented) ?? '')
        if (key === undefined || key.known.revokedAt !== undefined || isArchived(key.workspace) || !timingSafeEqual(key.digest, digestOf(presented))) return UNKNOWN
        key.known = { ...key.known, lastUsedAt: Math.max(at, key.known.lastUsedAt ?? at) }
        return E.right({ _tag: 'Key', workspace: key.workspace, key: key.known.id, scopes: SCOPES })
      }),
    mint: (workspace, name, at, along) =>
      atomic((): E.Either<UnknownWorkspace, MintedKey> => {
        if (!workspaces.has(workspace)) return E.left({ _tag: 'UnknownWorkspace' })
        const id = randomBytes(KEY_ID_BYTES).toString('hex')
        const key = apiKeyOf(id, randomBytes(KEY_SECRET_BYTES).toString('hex'))
        const known: ApiKey = { id, name, createdAt: at, lastUsedAt: undefined, revokedAt: undefined }
        if (along !== undefined) storeEvents(events, along({ workspace, id, name }))
        keys.set(id, { workspace, digest: digestOf(key), known })
        return E.right({ id, key })
      }),
    list: (workspace) =>
      infallible(() =>
        [...keys.values()]
          .filter((key) => key.workspace === workspace)
          .map(({ known }) => known)
          .sort((a, b) => a.createdAt - b.createdAt || (a.id < b.id ? -1 : 1)),
      ),
    revoke: (id, at, along) => atomic(() => revoke({ key: keys.get(id), events }, at, along)),
  }
}

const UNKNOWN: E.Either<UnknownApiKey, never> = E.left({ _tag: 'UnknownApiKey' })

const digestOf = (key: string): Buffer => createHash('sha256').update(key).digest()

const revoke = (
  { key, events }: { readonly key: KeyRecord | undefined; readonly events: EventState }, at: Instant, along: Along<WorkspaceKey> | undefined,
): E.Either<UnknownApiKey, void> => {
  if (key === undefined) return UNKNOWN
  const { workspace, known: { id, name, revokedAt } } = key
  if (along !== undefined && revokedAt === undefined) storeEvents(events, along({ workspace, id, name }))
  key.known = { ...key.known, revokedAt: key.known.revokedAt ?? at }
  return E.right(undefined)
}
