import { createHash, randomBytes, timingSafeEqual } from 'node:crypto'
import * as E from 'fp-ts/lib/Either.js'
import type { UnknownApiKey, UnknownWorkspace } from '../../core/errors.js'
import type { ApiKey, KeyStore, MintedKey } from '../../core/ports/key-store.js'
import type { WorkspaceId } from '../../core/workspace.js'
import { attemptOf } from './attempt.js'
import type { Database } from './database.js'
import type { Dialect } from './dialect.js'
import type { GroupCommit, Write } from './group-commit.js'
import { makeLane } from './lane.js'
import { among, insert } from './many-rows.js'
import { execute, instant, instantOrNone, select, type Row } from './sql.js'
import { transact } from './transact.js'

/** How stale the note of a key's last use may be, in milliseconds; so a busy key costs one write a minute. */
const LAST_USED_WITHIN_MS = 60_000

const ID_BYTES = 8
const SECRET_BYTES = 24
const ID = /^[0-9a-f]{16}$/
const FORM = /^pst_([0-9a-f]{16})_[0-9a-f]{48}$/

/** The key store over SQL. Concurrent look-ups share a query; none is remembered, so a revoked key fails at once. */
export const makeKeyStore = (database: Database, { write }: GroupCommit): KeyStore => {
  const { knex, dialect } = database
  const stamping = stampKeys(dialect)
  const keys = makeLane<string, Row | undefined>(async (ids) => {
    const { sql, bindings } = among(dialect, ['id'], ids.map((id) => [id]))
    const rows = await select(knex, `SELECT id, workspace_id, digest, last_used_at, revoked_at FROM api_keys WHERE ${sql}`, bindings)
    const byId = new Map(rows.map((row) => [row['id'], row]))
    return ids.map((id) => byId.get(id))
  })
  return {
    workspaceOf: (presented, at) => attempt.either(() => workspaceOf(presented, at)),
    mint: (workspace, name, at) => attempt.either(() => mint(workspace, name, at)),
    list: (workspace) =>
      attempt.value(async () => {
        const rows = await select(
          knex, 'SELECT id, name, created_at, last_used_at, revoked_at FROM api_keys WHERE workspace_id = ? ORDER BY created_at, id', [workspace],
        )
        return rows.map(apiKeyOf)
      }),
    revoke: (id, at) => attempt.either(() => revoke(id, at)),
  }

  async function workspaceOf(presented: string, at: number): Promise<E.Either<UnknownApiKey, WorkspaceId>> {
    const id = FORM.exec(presented)?.[1]
    const row = id === undefined ? undefined : await keys.load(id)
    if (id === undefined || row === undefined || row['revoked_at'] !== null || !isDigestOf(String(row['digest']), presented)) return E.left(UNKNOWN)
    const lastUsed = instantOrNone(row['last_used_at'])
    // A note of use that cannot be written is no reason to turn the caller away.
    if (lastUsed === undefined || at - lastUsed >= LAST_USED_WITHIN_MS) await write(stamping, { id, at }).catch(() => undefined)
    return E.right(row['workspace_id'] as WorkspaceId)
  }

  async function revoke(id: string, at: number): Promise<E.Either<UnknownApiKey, void>> {
    if (!ID.test(id)) return E.left(UNKNOWN)
    const touched = await transact(database, (trx) => execute(trx, 'UPDATE api_keys SET revoked_at = coalesce(revoked_at, ?) WHERE id = ?', [at, id]))
    return touched === 0 ? E.left(UNKNOWN) : E.right(undefined)
  }

  async function mint(workspace: WorkspaceId, name: string, at: number): Promise<E.Either<UnknownWorkspace, MintedKey>> {
    const id = randomBytes(ID_BYTES).toString('hex')
    const key = `pst_${id}_${randomBytes(SECRET_BYTES).toString('hex')}`
    return transact(database, async (trx) => {
      const [known] = await select(trx, 'SELECT id FROM workspaces WHERE id = ?', [workspace])
      if (known === undefined) return E.left({ _tag: 'UnknownWorkspace' })
      await insert(trx, dialect, 'api_keys', ['id', 'workspace_id', 'name', 'digest', 'created_at'], [[id, workspace, name, digestOf(key).toString('hex'), at]])
      return E.right({ id, key })
    })
  }
}

const UNKNOWN: UnknownApiKey = { _tag: 'UnknownApiKey' }

/** Keys are random, so a plain digest is enough: there is nothing to guess that a slow one would protect. */
const digestOf = (key: string): Buffer => createHash('sha256').update(key).digest()

const isDigestOf = (digest: string, key: string): boolean => timingSafeEqual(Buffer.from(digest, 'hex'), digestOf(key))

const apiKeyOf = (row: Row): ApiKey => ({
  id: String(row['id']),
  name: String(row['name']),
  createdAt: instant(row['created_at']),
  lastUsedAt: instantOrNone(row['last_used_at']),
  revokedAt: instantOrNone(row['revoked_at']),
})

const stampKeys = (dialect: Dialect): Write<{ readonly id: string; readonly at: number }, undefined> => ({
  order: 5,
  run: async (trx, items) => {
    const latest = new Map<string, number>()
    for (const { id, at } of items) latest.set(id, Math.max(at, latest.get(id) ?? at))
    for (const [at, ids] of grouped(latest)) {
      const { sql, bindings } = among(dialect, ['id'], ids.map((id) => [id]))
      await execute(trx, `UPDATE api_keys SET last_used_at = ? WHERE ${sql} AND (last_used_at IS NULL OR last_used_at < ?)`, [at, ...bindings, at])
    }
    return items.map(() => undefined)
  },
})

/** Ids by their moment, in the order of ids, as every transaction stamps them. */
const grouped = (latest: ReadonlyMap<string, number>): Map<number, Array<string>> => {
  const groups = new Map<number, Array<string>>()
  for (const [id, at] of [...latest].sort(([a], [b]) => (a < b ? -1 : 1))) groups.set(at, [...(groups.get(at) ?? []), id])
  return groups
}

const attempt = attemptOf('KeyStore')
