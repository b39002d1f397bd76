import { createHash, randomBytes, timingSafeEqual } from 'node:crypto'
import * as E from 'fp-ts/lib/Either.js'
import type { ApiKey, Instant, KeyStore, MintedKey, UnknownApiKey, UnknownWorkspace, WorkspaceId } from '../../core/ports/key-store.js'
import { newId } from './ids.js'
import { atOnce, surely } from './task.js'

/** A key as it is kept: whose it is, the SHA-256 digest of its text, and what is known of it. */
export type KeyRecord = { readonly workspace: WorkspaceId; readonly digest: Buffer; known: ApiKey }

/** The API keys in memory, of the workspaces there are. */
export const makeMemoryKeyStore = (
  workspaces: { readonly has: (id: WorkspaceId) => boolean },
  keys: Map<string, KeyRecord> = new Map(),
): KeyStore => ({
  workspaceOf: (presented, at) =>
    atOnce((): E.Either<UnknownApiKey, WorkspaceId> => {
      const key = keys.get(FORM.exec(presented)?.[1] ?? '')
      if (key === undefined || key.known.revokedAt !== undefined || !timingSafeEqual(key.digest, digestOf(presented))) return UNKNOWN
      key.known = { ...key.known, lastUsedAt: Math.max(at, key.known.lastUsedAt ?? at) }
      return E.right(key.workspace)
    }),
  mint: (workspace, name, at) =>
    atOnce((): E.Either<UnknownWorkspace, MintedKey> => {
      if (!workspaces.has(workspace)) return E.left({ _tag: 'UnknownWorkspace' })
      const id = newId()
      const key = `pst_${id}_${randomBytes(SECRET_BYTES).toString('base64url')}`
      const known: ApiKey = { id, name, createdAt: at, lastUsedAt: undefined, revokedAt: undefined }
      keys.set(id, { workspace, digest: digestOf(key), known })
      return E.right({ id, key })
    }),
  list: (workspace) =>
    surely(() =>
      [...keys.values()]
        .filter((key) => key.workspace === workspace)
        .map(({ known }) => known)
        .sort((a, b) => a.createdAt - b.createdAt || (a.id < b.id ? -1 : 1)),
    ),
  revoke: (id, at) => atOnce(() => revoke(keys.get(id), at)),
})

const SECRET_BYTES = 24
const FORM = /^pst_([0-9a-f]{32})_[A-Za-z0-9_-]{32}$/

const UNKNOWN: E.Either<UnknownApiKey, never> = E.left({ _tag: 'UnknownApiKey' })

const digestOf = (key: string): Buffer => createHash('sha256').update(key).digest()

const revoke = (key: KeyRecord | undefined, at: Instant): E.Either<UnknownApiKey, void> => {
  if (key === undefined) return UNKNOWN
  key.known = { ...key.known, revokedAt: key.known.revokedAt ?? at }
  return E.right(undefined)
}
