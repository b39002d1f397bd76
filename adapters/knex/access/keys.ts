import { hash, randomBytes, timingSafeEqual } from 'node:crypto'
import * as E from 'fp-ts/lib/Either.js'
import * as O from 'fp-ts/lib/Option.js'
import {
  type ApiKey, apiKeyIdIn, apiKeyOf, checkReplaceable, endOfReplaced, hasEnded, isApiKeyId, KEY_ID_BYTES, KEY_SECRET_BYTES, type KeyEnded,
  type KeyReplaced, type KeyStore, type KeySuccession, type MintedKey, type NewKey, type Rotation, type Successor, type UnknownApiKey,
  type WorkspaceKey,
} from '../../../core/access/keys.js'
import { type KeyPrincipal, type Scope, SCOPES } from '../../../core/kernel/actor.js'
import type { WorkspaceId } from '../../../core/kernel/ids.js'
import type { MakeOutboxEntries } from '../../../core/kernel/outbox.js'
import type { Instant } from '../../../core/kernel/time.js'
import type { UnknownWorkspace } from '../../../core/kernel/workspace.js'
import { type Spending, spendingDay } from '../../../core/money/wallet.js'
import { portTasks, type ReadBatcher } from '../engine/batches.js'
import type { Database } from '../engine/database.js'
import type { Dialect } from '../engine/dialect.js'
import {
  type EachUpdate, execute, inList, insert, instant, instantOrNone, micros, type Queryable, type Row, select, textOrNone, updateAll,
} from '../engine/sql.js'
import type { TransactEvents } from '../events/entries.js'
import type { GroupCommit, Write } from '../writes.js'

/** How old a key's recorded last use may be, in milliseconds. So a busy key causes one write per minute. */
const LAST_USED_WITHIN_MS = 60_000

/** The key store over SQL. Concurrent look-ups share a query. No result is cached, so a revoked key fails immediately. */
export const makeKeyStore = (
  { db, dialect }: Database, readBatcher: ReadBatcher, { write }: GroupCommit, transactEvents: TransactEvents,
): KeyStore => {
  const marks = markKeysUsed(dialect)
  /** The keys whose last use is being written, with the latest known use. */
  const marking = new Map<string, Instant>()
  const keyOf = readBatcher<string, Row | undefined>(async (reading, ids) => {
    const { sql, bindings } = inList(dialect, ['k.id'], Array.from(new Set(ids), (id) => [id]))
    const rows = await select(
      reading,
      `SELECT ${COLUMNS.map((column) => `k.${column}`).join(', ')}, k.digest, w.archived_at FROM api_keys k JOIN workspaces w ON w.id = k.workspace_id WHERE ${sql}`,
      bindings,
    )
    const byId = new Map(rows.map((row) => [row['id'], row]))
    return ids.map((id) => byId.get(id))
  })
  return {
    principalOf: (presented, at) => tasks.either(() => principalOf(presented, at)),
    mint: (key, outboxEntries) => tasks.either(() => mint(key, outboxEntries)),
    rotate: (id, rotation, outboxEntries) => tasks.either(() => rotate(id, rotation, outboxEntries)),
    find: (id) =>
      tasks.value(async () => {
        const [row] = isApiKeyId(id) ? await select(db, `${SELECT} WHERE id = ?`, [id]) : []
        return row === undefined ? O.none : O.some(keyIn(row))
      }),
    list: (workspace) =>
      tasks.value(async () => (await select(db, `${SELECT} WHERE workspace_id = ? ORDER BY created_at, id`, [workspace])).map(keyIn)),
    revoke: (id, at, outboxEntries) => tasks.either(() => revoke(id, at, outboxEntries)),
  }

  async function principalOf(presented: string, at: Instant): Promise<E.Either<UnknownApiKey, KeyPrincipal>> {
    const presentedId = apiKeyIdIn(presented)
    const row = presentedId === undefined ? undefined : await keyOf(presentedId)
    if (row === undefined || row['archived_at'] !== null || !isDigestOf(String(row['digest']), presented)) return E.left(UNKNOWN)
    const key = keyIn(row)
    if (hasEnded(key, at)) return E.left(UNKNOWN)
    const { id, workspace, name, scopes, lastUsedAt } = key
    if (lastUsedAt === undefined || at - lastUsedAt >= LAST_USED_WITHIN_MS) markUsed(id, at)
    return E.right({ _tag: 'Key', workspace, key: id, name, scopes, ...limitsOf(key), ...spendingIdIn(row) })
  }

  /**
   * Records a key's last use without delaying the request. At most one write for each key runs at a time, so that no queue of writes forms while the database is
   * locked; a later use is written after the current write.
   */
  function markUsed(id: string, at: number): void {
    const later = marking.get(id)
    if (later !== undefined) {
      marking.set(id, Math.max(at, later))
      return
    }
    marking.set(id, at)
    write(marks, { id, at }).then(() => true, () => false).then((isMarked) => {
      const latest = marking.get(id) ?? at
      marking.delete(id)
      if (isMarked && latest >= at + LAST_USED_WITHIN_MS) markUsed(id, latest)
    }).catch(() => undefined)
  }

  async function revoke(id: string, at: number, outboxEntries?: MakeOutboxEntries<WorkspaceKey>): Promise<E.Either<UnknownApiKey, void>> {
    if (!isApiKeyId(id)) return E.left(UNKNOWN)
    return transactEvents(async (trx, emit) => {
      // The guard decides between concurrent revocations which one ended the key.
      const hasEnded = (await execute(trx, 'UPDATE api_keys SET revoked_at = ? WHERE id = ? AND revoked_at IS NULL', [at, id])) > 0
      const [row] = await select(trx, 'SELECT workspace_id, name FROM api_keys WHERE id = ?', [id])
      if (row === undefined) return E.left(UNKNOWN)
      if (hasEnded && outboxEntries !== undefined) {
        emit(outboxEntries({ workspace: row['workspace_id'] as WorkspaceId, id, name: String(row['name']) }))
      }
      return E.right(undefined)
    })
  }

  async function mint(key: NewKey, outboxEntries?: MakeOutboxEntries<WorkspaceKey>): Promise<E.Either<UnknownWorkspace, MintedKey>> {
    const { workspace, name } = key
    return transactEvents(async (trx, emit) => {
      const [known] = await select(trx, 'SELECT id FROM workspaces WHERE id = ?', [workspace])
      if (known === undefined) return E.left({ _tag: 'UnknownWorkspace' })
      const made = await insertKey(trx, key)
      if (outboxEntries !== undefined) emit(outboxEntries({ workspace, id: made.id, name }))
      return E.right(made)
    })
  }

  async function rotate(
    id: string, rotation: Rotation, outboxEntries?: MakeOutboxEntries<KeySuccession>,
  ): Promise<E.Either<UnknownApiKey | KeyEnded | KeyReplaced, Successor>> {
    if (!isApiKeyId(id)) return E.left(UNKNOWN)
    const { at, overlapMs } = rotation
    return transactEvents(async (trx, emit): Promise<E.Either<UnknownApiKey | KeyEnded | KeyReplaced, Successor>> => {
      // The lock lets concurrent rotations of one key run one after another, so all but the first see its successor.
      const [row] = await select(trx, `${SELECT} WHERE id = ? ${dialect.forUpdate}`, [id])
      if (row === undefined) return E.left(UNKNOWN)
      const old = keyIn(row)
      const replaceable = checkReplaceable(old, at)
      if (E.isLeft(replaceable)) return replaceable
      const { workspace, name, scopes } = old
      const made = await insertKey(trx, { workspace, name, scopes, at, ...limitsOf(old) }, spendingIdIn(row).spendingId ?? id)
      const endsAt = endOfReplaced(old, rotation)
      await execute(
        trx, 'UPDATE api_keys SET replaced_by = ?, expires_at = ?, revoked_at = ? WHERE id = ?',
        [made.id, endsAt, overlapMs === 0 ? at : null, id],
      )
      if (outboxEntries !== undefined) emit(outboxEntries({ workspace, id, name, successor: made.id, endsAt }))
      return E.right({ ...made, replacedEndsAt: endsAt })
    })
  }

  async function insertKey(
    trx: Queryable, { workspace, name, at, scopes, expiresAt, spendingLimit }: NewKey, spendingId?: string,
  ): Promise<MintedKey> {
    const id = randomBytes(KEY_ID_BYTES).toString('hex')
    const key = apiKeyOf(id, randomBytes(KEY_SECRET_BYTES).toString('hex'))
    await insert(
      trx, dialect, 'api_keys',
      ['id', 'workspace_id', 'name', 'digest', 'created_at', 'scopes', 'expires_at', 'spending_limit', 'spending_id'],
      [
        [id, workspace, name, digestOf(key).toString('hex'), at, scopes.join(' '), expiresAt ?? null, spendingLimit ?? null,
          spendingId ?? null],
      ],
    )
    return { id, key }
  }
}

const COLUMNS = [
  'id', 'workspace_id', 'name', 'created_at', 'last_used_at', 'revoked_at', 'scopes', 'expires_at', 'spending_limit', 'replaced_by',
  'spending_id',
]
const SELECT = `SELECT ${COLUMNS.join(', ')} FROM api_keys`

const UNKNOWN: UnknownApiKey = { _tag: 'UnknownApiKey' }

/** Keys are random, so a fast digest is enough. A slow one is for passwords, which can be guessed. */
const digestOf = (key: string): Buffer => hash('sha256', key, 'buffer')

const isDigestOf = (digest: string, key: string): boolean => timingSafeEqual(Buffer.from(digest, 'hex'), digestOf(key))

const keyIn = (row: Row): ApiKey => ({
  id: String(row['id']),
  workspace: row['workspace_id'] as WorkspaceId,
  name: String(row['name']),
  scopes: scopesIn(row['scopes']),
  createdAt: instant(row['created_at']),
  lastUsedAt: instantOrNone(row['last_used_at']),
  revokedAt: instantOrNone(row['revoked_at']),
  expiresAt: instantOrNone(row['expires_at']),
  spendingLimit: row['spending_limit'] === null ? undefined : micros(row['spending_limit']),
  replacedBy: textOrNone(row['replaced_by']),
})

/** A key from before there were scopes has all of them. Unknown scopes of a later release are left out. */
const scopesIn = (stored: Row[string] | undefined): ReadonlyArray<Scope> => {
  if (stored === null || stored === undefined) return SCOPES
  const names = String(stored).split(' ')
  return SCOPES.filter((scope) => names.includes(scope))
}

const limitsOf = ({ expiresAt, spendingLimit }: ApiKey): Pick<NewKey, 'expiresAt' | 'spendingLimit'> => ({
  ...(expiresAt !== undefined && { expiresAt }),
  ...(spendingLimit !== undefined && { spendingLimit }),
})

const spendingIdIn = (row: Row): Pick<KeyPrincipal, 'spendingId'> => {
  const spendingId = textOrNone(row['spending_id'])
  return spendingId === undefined ? {} : { spendingId }
}

const markKeysUsed = (dialect: Dialect): Write<{ readonly id: string; readonly at: number }, undefined> => ({
  kind: 'mark-keys-used',
  run: async (trx, items) => {
    const latest = new Map<string, number>()
    for (const { id, at } of items) latest.set(id, Math.max(at, latest.get(id) ?? at))
    for (const [at, ids] of grouped(latest)) {
      const { sql, bindings } = inList(dialect, ['id'], ids.map((id) => [id]))
      await execute(
        trx, `UPDATE api_keys SET last_used_at = ? WHERE ${sql} AND (last_used_at IS NULL OR last_used_at < ?)`, [at, ...bindings, at],
      )
    }
    return items.map(() => undefined)
  },
})

/** Ids grouped by their time and sorted, so that every transaction locks them in the same order. */
const grouped = (latest: ReadonlyMap<string, number>): Map<number, Array<string>> => {
  const groups = new Map<number, Array<string>>()
  for (const [id, at] of [...latest].sort(([a], [b]) => (a < b ? -1 : 1))) groups.set(at, [...(groups.get(at) ?? []), id])
  return groups
}

const tasks = portTasks('KeyStore')

/** The spending of a key with a limit in one day. */
export type SpendingRow = {
  readonly names: readonly [workspace: string, key: string, day: string]
  /** As it was read; undefined if there is no row yet, or if it was not read because no new hold counts for it. */
  readonly read: bigint | undefined
  add: bigint
  /** The maximum that may have been spent before, so that no new hold exceeds the limit; undefined without a new hold. */
  most: bigint | undefined
}

/** The rows of some keys and days. */
export type SpendingRows = Map<string, SpendingRow>

/** A hold that counts for the limit of a key. */
export type LimitedHold = { readonly workspace: string; readonly at: number; readonly spending: Spending }

/** Reads the spending of the keys of new holds on the days of the holds. Without a hold that counts for a limit it runs no query. */
export const readSpending = async (dialect: Dialect, trx: Queryable, holds: ReadonlyArray<LimitedHold>): Promise<SpendingRows> => {
  const rows: SpendingRows = new Map()
  for (const { workspace, at, spending } of holds) spendingRow(rows, workspace, spending.key, at)
  if (rows.size === 0) return rows
  const { sql, bindings } = inList(dialect, KEY, Array.from(rows.values(), ({ names }) => names))
  for (const found of await select(trx, `SELECT ${KEY.join(', ')}, spent FROM key_spending WHERE ${sql}`, bindings)) {
    const names = [String(found['workspace_id']), String(found['key_id']), String(found['on_day'])] as const
    rows.set(names.join(' '), { names, read: micros(found['spent']), add: 0n, most: undefined })
  }
  return rows
}

/** The spending of keys on the day of a given time, each found by its primary key. */
export const spentBy = async (
  db: Queryable, dialect: Dialect,
  { workspace, keys, at }: { readonly workspace: string; readonly keys: ReadonlyArray<string>; readonly at: number },
): Promise<ReadonlyMap<string, bigint>> => {
  const spent = new Map(keys.map((key) => [key, 0n]))
  if (spent.size === 0) return spent
  const { sql, bindings } = inList(dialect, KEY, Array.from(spent.keys(), (key) => [workspace, key, spendingDay(at)]))
  for (const row of await select(db, `SELECT key_id, spent FROM key_spending WHERE ${sql}`, bindings)) {
    spent.set(String(row['key_id']), micros(row['spent']))
  }
  return spent
}

/** The row of a key on the day of a given time; a row that was not read is added. */
export const spendingRow = (rows: SpendingRows, workspace: string, key: string, at: number): SpendingRow => {
  const names = [workspace, key, spendingDay(at)] as const
  const name = names.join(' ')
  const row = rows.get(name) ?? { names, read: undefined, add: 0n, most: undefined }
  rows.set(name, row)
  return row
}

/** Adds the price of a new hold, for which the limit must leave room. */
export const spend = (row: SpendingRow, price: bigint, limit: bigint): void => {
  row.add += price
  const most = limit - row.add
  row.most = row.most === undefined || most < row.most ? most : row.most
}

/** Writes the changes. If another transaction has spent so much meanwhile that a limit would be exceeded, the update matches too few rows. */
export const writeSpending = async (dialect: Dialect, trx: Queryable, rows: SpendingRows): Promise<void> => {
  const changed = [...rows].filter(([, { add }]) => add !== 0n).sort(([a], [b]) => (a < b ? -1 : 1)).map(([, row]) => row)
  if (changed.length === 0) return
  const missing = changed.filter(({ read, most }) => read === undefined && most !== undefined)
  await Promise.all([
    insert(
      trx, dialect, 'key_spending', [...KEY, 'spent'], missing.map(({ names }) => [...names, 0]),
      dialect.insertIgnore('key_spending', KEY, 'spent'),
    ),
    updateAll(
      trx, dialect, ADD_TO_SPENDING, changed.map(({ names, add, most }) => [...names, add, most ?? NO_LIMIT]),
      'a key was used by another transaction',
    ),
  ])
}

const KEY = ['workspace_id', 'key_id', 'on_day'] as const

const ADD_TO_SPENDING: EachUpdate = {
  table: 'key_spending',
  key: KEY,
  columns: [{ name: 'add_spent', type: 'integer' }, { name: 'most_spent', type: 'integer' }],
  set: [['spent', 't.spent + v.add_spent']],
  where: 't.spent <= v.most_spent',
}

/** Higher than any possible spending. */
const NO_LIMIT = 2n ** 62n
