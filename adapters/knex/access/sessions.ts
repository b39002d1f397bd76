import * as E from 'fp-ts/lib/Either.js'
import * as O from 'fp-ts/lib/Option.js'
import {
  type AttemptName, type Attempts, delayedUntil, type Digest, levelOf, type Member, type MemberNotFound, NO_ATTEMPTS, type Session,
  SESSION_IDLE_MS, type SessionId, type SessionOpening, type Sessions, type Standing, type TooManyAttempts, withAttempt, withoutAttempt,
} from '../../../core/access/members.js'
import type { Role } from '../../../core/kernel/actor.js'
import type { MemberId, WorkspaceId } from '../../../core/kernel/ids.js'
import { type Instant, MINUTE_MS } from '../../../core/kernel/time.js'
import { portTasks } from '../engine/batches.js'
import { type Database, transact } from '../engine/database.js'
import { type Dialect, storableText } from '../engine/dialect.js'
import { type Bound, execute, inList, insert, instant, type Queryable, type Row, select, textOrNone } from '../engine/sql.js'
import type { TransactEvents } from '../events/entries.js'
import { JOIN_ROLES, MEMBER_COLUMNS, membersIn, sha256 } from './members.js'

/** The sessions over SQL. A session is looked up for every page, on the connections of `reads`. */
export const makeSessions = (database: Database, transactEvents: TransactEvents, reads: Database['db'] = database.db): Sessions => {
  const { db, dialect } = database
  return {
    open: (session, digest, outboxEntries, credentialsVersion) =>
      tasks.either(() => transactEvents(async (trx, emit): Promise<E.Either<MemberNotFound, void>> => {
        const at = session.createdAt
        const unchanged = credentialsVersion === undefined ? '' : ' AND COALESCE(credentials_version, 0) = ?'
        const known = await execute(
          trx, `UPDATE members SET last_sign_in_at = CASE WHEN last_sign_in_at > ? THEN last_sign_in_at ELSE ? END WHERE id = ?${unchanged}`,
          [at, at, session.member, ...(credentialsVersion === undefined ? [] : [credentialsVersion])],
        )
        if (known === 0) return E.left({ _tag: 'MemberNotFound', member: session.member })
        await insert(trx, dialect, 'sessions', COLUMNS, [rowOf(session, digest)])
        emit(outboxEntries?.(session) ?? [])
        return E.right(undefined)
      })),
    find: (digest, at) => tasks.value(() => find(digest, at)),
    standing: (ids, workspaces, at) => tasks.value(() => standing(ids, workspaces, at)),
    list: (member, at) =>
      tasks.value(async () => {
        const rows = await select(
          db, `SELECT s.* FROM sessions s WHERE s.member_id = ? AND ${OPEN} ORDER BY s.last_seen_at DESC, s.id DESC`, [member, ...open(at)],
        )
        return rows.map(sessionIn)
      }),
    end: (member, which, at, outboxEntries) =>
      tasks.value(() => transactEvents(async (trx, emit) => {
        const rows = await select(
          trx, `SELECT s.* FROM sessions s WHERE s.member_id = ? AND ${OPEN} ORDER BY s.id ${dialect.forUpdate}`, [member, ...open(at)],
        )
        const ended = rows.map(sessionIn).filter(({ id }) => ('only' in which ? which.only.includes(id) : id !== which.except))
        if (ended.length === 0) return 0
        emit(outboxEntries?.(ended) ?? [])
        const { sql, bindings } = inList(dialect, ['id'], ended.map(({ id }) => [id]))
        return execute(trx, `DELETE FROM sessions WHERE ${sql}`, bindings)
      })),
    countAttempt: (names, at) => tasks.either(() => countAttempt(names, at)),
    mayAttempt: (names, at) => tasks.either(() => mayAttempt(names, at)),
    uncountAttempt: (names, at) => tasks.value(() => uncountAttempt(names, at)),
    clearAttempts: (names) =>
      tasks.value(async () => {
        for (const { name } of names) await execute(db, 'DELETE FROM sign_in_attempts WHERE digest = ?', [sha256(name)])
      }),
    removeOld: (at, limit) =>
      tasks.value(async () => {
        const idle = await removeSome('sessions', 'id', { where: 'last_seen_at <= ?', bound: at - SESSION_IDLE_MS, limit })
        const expired = await removeSome('sessions', 'id', { where: 'expires_at <= ?', bound: at, limit: limit - idle })
        const links = await removeSome('member_links', 'digest', { where: 'expires_at <= ?', bound: at, limit })
        return idle + expired + links + (await removeSome('sign_in_attempts', 'digest', { where: 'ends_at <= ?', bound: at, limit }))
      }),
  }

  async function find(digest: Digest, at: Instant): Promise<O.Option<{ readonly session: Session; readonly member: Member }>> {
    const rows = await select(
      reads,
      `SELECT s.*, ${MEMBER_COLUMNS} FROM sessions s JOIN members m ON m.id = s.member_id ${JOIN_ROLES} WHERE s.digest = ? AND ${OPEN}`,
      [digest, ...open(at)],
    )
    const [[row], [found]] = [rows, membersIn(rows)]
    if (row === undefined || found === undefined) return O.none
    const session = sessionIn(row)
    if (at < session.lastSeenAt + MINUTE_MS) return O.some({ session, member: found.member })
    await execute(db, 'UPDATE sessions SET last_seen_at = ? WHERE id = ? AND last_seen_at < ?', [at, session.id, at])
    return O.some({ session: { ...session, lastSeenAt: at }, member: found.member })
  }

  async function standing(ids: ReadonlyArray<SessionId>, workspaces: ReadonlyArray<WorkspaceId>, at: Instant): Promise<Standing> {
    if (ids.length === 0) return { rights: new Map(), archived: new Set() }
    const among = (column: string, wanted: ReadonlyArray<string>) =>
      (wanted.length === 0 ? { sql: '1 = 0', bindings: [] } : inList(dialect, [column], wanted.map((one) => [one])))
    const [session, role, archive] = [among('s.id', ids), among('r.workspace_id', workspaces), among('w.id', workspaces)]
    const rows = await select(
      db,
      `SELECT s.id AS session_id, m.is_operator, r.workspace_id, r.role FROM sessions s JOIN members m ON m.id = s.member_id
         LEFT JOIN member_roles r ON r.member_id = m.id AND ${role.sql} WHERE ${session.sql} AND ${OPEN}
       UNION ALL SELECT NULL, 0, w.id, NULL FROM workspaces w WHERE ${archive.sql} AND w.archived_at IS NOT NULL`,
      [...role.bindings, ...session.bindings, ...open(at), ...archive.bindings],
    )
    const rights = new Map<SessionId, { readonly isOperator: boolean; readonly roles: Map<WorkspaceId, Role> }>()
    const archived = new Set<WorkspaceId>()
    for (const row of rows) {
      const [id, workspace] = [row['session_id'] as SessionId | null, row['workspace_id'] as WorkspaceId]
      if (id === null) archived.add(workspace)
      else {
        const known = rights.get(id) ?? { isOperator: Number(row['is_operator']) === 1, roles: new Map<WorkspaceId, Role>() }
        if (row['role'] !== null) known.roles.set(workspace, row['role'] as Role)
        rights.set(id, known)
      }
    }
    return { rights, archived }
  }

  async function countAttempt(names: ReadonlyArray<AttemptName>, at: Instant): Promise<E.Either<TooManyAttempts, void>> {
    const wanted = inOrder(names)
    if (wanted.length === 0) return E.right(undefined)
    // Most refusals are found without a write, so a flood costs little.
    const early = await mayAttempt(names, at)
    if (E.isLeft(early)) return early
    return transact(database, async (trx) => {
      await insert(
        trx, dialect, 'sign_in_attempts', ['digest', 'attempts', 'ends_at'], wanted.map(({ digest }) => [digest, 0, 0]), lockRows(dialect),
      )
      const counted = await attemptsOf(trx, wanted)
      const until = delayedUntil([...counted.values()], at)
      if (until !== undefined) return E.left<TooManyAttempts>({ _tag: 'TooManyAttempts', retryAt: until })
      for (const one of wanted) await storeAttempts(trx, one, withAttempt(one, counted.get(one.digest) ?? NO_ATTEMPTS, at), at)
      return E.right(undefined)
    })
  }

  async function mayAttempt(names: ReadonlyArray<AttemptName>, at: Instant): Promise<E.Either<TooManyAttempts, void>> {
    const until = names.length === 0 ? undefined : delayedUntil([...(await attemptsOf(db, inOrder(names))).values()], at)
    return until === undefined ? E.right(undefined) : E.left({ _tag: 'TooManyAttempts', retryAt: until })
  }

  async function uncountAttempt(names: ReadonlyArray<AttemptName>, at: Instant): Promise<void> {
    const wanted = inOrder(names)
    if (wanted.length === 0) return
    await transact(database, async (trx) => {
      await insert(
        trx, dialect, 'sign_in_attempts', ['digest', 'attempts', 'ends_at'], wanted.map(({ digest }) => [digest, 0, 0]), lockRows(dialect),
      )
      const counted = await attemptsOf(trx, wanted)
      for (const one of wanted) await storeAttempts(trx, one, withoutAttempt(one, counted.get(one.digest) ?? NO_ATTEMPTS, at), at)
    })
  }

  /** The attempts by the digest of their name. */
  async function attemptsOf(from: Queryable, wanted: ReadonlyArray<Wanted>): Promise<ReadonlyMap<string, Attempts>> {
    const { sql, bindings } = inList(dialect, ['digest'], wanted.map(({ digest }) => [digest]))
    const rows = await select(from, `SELECT * FROM sign_in_attempts WHERE ${sql}`, bindings)
    return new Map(rows.map((row) => [String(row['digest']), { endsAt: instant(row['ends_at']), retryAt: instant(row['retry_at'] ?? 0) }]))
  }

  async function storeAttempts(trx: Queryable, limit: Wanted, attempts: Attempts, at: Instant): Promise<void> {
    await execute(trx, 'UPDATE sign_in_attempts SET attempts = ?, ends_at = ?, retry_at = ? WHERE digest = ?', [
      levelOf(limit, attempts, at), Math.max(0, attempts.endsAt), attempts.retryAt, limit.digest,
    ])
  }

  async function removeSome(
    table: string, key: string, { where, bound, limit }: { readonly where: string; readonly bound: Instant; readonly limit: number },
  ): Promise<number> {
    const rows = await select(db, `SELECT ${key} FROM ${table} WHERE ${where} LIMIT ?`, [bound, limit])
    if (rows.length === 0) return 0
    const { sql, bindings } = inList(dialect, [key], rows.map((row) => [String(row[key])]))
    return execute(db, `DELETE FROM ${table} WHERE ${sql} AND ${where}`, [...bindings, bound])
  }
}

type Wanted = AttemptName & { readonly digest: string }

/** Always in the same order, so that two transactions never wait for each other. */
const inOrder = (names: ReadonlyArray<AttemptName>): ReadonlyArray<Wanted> =>
  names.map((name) => ({ ...name, digest: sha256(name.name) })).sort((a, b) => (a.digest < b.digest ? -1 : 1))

/** An upsert that changes nothing locks the row until the transaction ends. */
const lockRows = (dialect: Dialect): string => dialect.upsert(['digest'], ['digest'])

/** The condition that a session has neither expired nor been idle for too long. */
const OPEN = 's.expires_at > ? AND s.last_seen_at > ?'
const open = (at: Instant): ReadonlyArray<Bound> => [at, at - SESSION_IDLE_MS]

const COLUMNS = ['id', 'digest', 'member_id', 'opened_by', 'created_at', 'last_seen_at', 'expires_at', 'address', 'user_agent']
const ADDRESS_LENGTH = 64
const USER_AGENT_LENGTH = 255

const rowOf = (
  { id, member, openedBy, createdAt, lastSeenAt, expiresAt, address, userAgent }: Session, digest: Digest,
): ReadonlyArray<Bound> => [
  id, digest, member, openedBy, createdAt, lastSeenAt, expiresAt,
  address === undefined ? null : storableText(address, ADDRESS_LENGTH),
  userAgent === undefined ? null : storableText(userAgent, USER_AGENT_LENGTH),
]

const sessionIn = (row: Row): Session => {
  const [address, userAgent] = [textOrNone(row['address']), textOrNone(row['user_agent'])]
  return {
    id: row['id'] as SessionId, member: row['member_id'] as MemberId, openedBy: row['opened_by'] as SessionOpening,
    createdAt: instant(row['created_at']), lastSeenAt: instant(row['last_seen_at']), expiresAt: instant(row['expires_at']),
    ...(address !== undefined && { address }),
    ...(userAgent !== undefined && { userAgent }),
  }
}

const tasks = portTasks('Sessions')
