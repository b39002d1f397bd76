import { randomUUID } from 'node:crypto'
import * as E from 'fp-ts/lib/Either.js'
import * as O from 'fp-ts/lib/Option.js'
import { type InboxId, inboxIdOf, type WorkspaceId } from '../../../core/kernel/ids.js'
import type { JsonObject } from '../../../core/kernel/json.js'
import type { MakeOutboxEntries } from '../../../core/kernel/outbox.js'
import type { Instant } from '../../../core/kernel/time.js'
import type { UnknownWorkspace } from '../../../core/kernel/workspace.js'
import { type AccountField, type AccountNotice, type AccountNotices, NOTICES_KEPT, supersedes } from '../../../core/reports/account.js'
import {
  type AssignFailure, type FailingSender, FORMER_ID_MS, inboxOf, type LastSender, type ListedSender, MAX_SENDERS, type NoSuchApp,
  readableAccount, type ReplaceFailure, type Sender, type SenderId, senderIdOf, senderInUse, type SenderInUse, type SenderOf,
  type SenderOwner, type Senders, type SenderTaken, type TemplateAccount, type TooManySenders, type UnknownSender,
} from '../../../core/senders/sender.js'
import { makeRecent } from '../../shared/recent.js'
import { makeBatcher, portTasks, type ReadBatcher } from '../engine/batches.js'
import { type Database, transact } from '../engine/database.js'
import { type Dialect, sqlErrorKind } from '../engine/dialect.js'
import { type Bound, execute, inList, insert, instant, instantOrNone, type Queryable, type Row, select, textOrNone } from '../engine/sql.js'
import type { Emit, TransactEvents } from '../events/entries.js'
import { countBatchesOf, moveBatches } from '../batches/batches.js'
import { forgetUserIds } from './moved-numbers.js'
import { countQueuedToUserIds, moveQueued } from '../queue/message-queue.js'
import { type SecretBox, SecretUnusable } from '../secret-box.js'
import type { GroupCommit, Write } from '../writes.js'

/** A record that a token may not read its business account, or may again. */
export type AccountNote = SenderOf & {
  readonly asked: TemplateAccount
  readonly isRefused: boolean
  readonly at: Instant
}

/**
 * Records in the caller's transaction whether a token may read its business account, and returns whether that has changed. Decrypted tokens are compared, because the
 * same token is stored as different bytes each time.
 */
export const noteSenderAccount = async (
  trx: Queryable, { dialect, box }: { readonly dialect: Dialect; readonly box: SecretBox },
  { workspace, sender, asked, isRefused, at }: AccountNote,
): Promise<boolean> => {
  const [row] = await select(
    trx,
    `SELECT business_account_id, access_token, account_refused_since FROM senders WHERE ${ONE_SENDER} ${dialect.forUpdate}`,
    [workspace, sender],
  )
  if (row === undefined || isRefused === (instantOrNone(row['account_refused_since']) !== undefined)) return false
  if (row['business_account_id'] !== asked.businessAccountId || box.open(String(row['access_token']), workspace) !== asked.accessToken) {
    return false
  }
  await execute(trx, `UPDATE senders SET account_refused_since = ? WHERE ${ONE_SENDER}`, [isRefused ? at : null, workspace, sender])
  return true
}

const ONE_SENDER = 'workspace_id = ? AND phone_number_id = ?'

/** A record that the platform refuses the credentials of a sender, or accepts them again. */
export type HealthNote = SenderOf & {
  readonly isFailing: boolean
  readonly at: Instant
  readonly outboxEntries: MakeOutboxEntries<FailingSender> | undefined
}

/**
 * Records the health of senders in the caller's transaction, and returns for each record whether it has changed something. Many sends may record the same
 * simultaneously, so each row is written at most once.
 */
export const noteSenderHealth = async (
  trx: Queryable, dialect: Dialect, notes: ReadonlyArray<HealthNote>, emit: Emit,
): Promise<ReadonlyArray<boolean>> => {
  const keys = new Map(notes.map(({ workspace, sender }) => [keyOf({ workspace, sender }), [workspace, sender]]))
  const { sql, bindings } = inList(dialect, ['workspace_id', 'phone_number_id'], [...keys.values()])
  const rows = await select(
    trx,
    `SELECT workspace_id, phone_number_id, failing_since FROM senders WHERE ${sql} ORDER BY workspace_id, phone_number_id ${dialect.forUpdate}`,
    bindings,
  )
  const known = new Map(rows.map((row) => [rowKeyOf(row), instantOrNone(row['failing_since'])]))
  const changed = new Map<string, { readonly of: SenderOf; readonly since: Instant | undefined }>()
  const answers = notes.map(({ workspace, sender, isFailing, at, outboxEntries }) => {
    const key = keyOf({ workspace, sender })
    const since = known.get(key)
    if (!known.has(key) || isFailing === (since !== undefined)) return false
    known.set(key, isFailing ? at : undefined)
    changed.set(key, { of: { workspace, sender }, since: isFailing ? at : undefined })
    if (outboxEntries !== undefined) emit(outboxEntries({ phoneNumberId: sender, failingSince: since ?? at }))
    return true
  })
  for (const { of: { workspace, sender }, since } of changed.values()) {
    await execute(trx, `UPDATE senders SET failing_since = ? WHERE ${ONE_SENDER}`, [since ?? null, workspace, sender])
  }
  return answers
}

const keyOf = ({ workspace, sender }: SenderOf): string => `${workspace} ${sender}`
const rowKeyOf = (row: Row): string => `${row['workspace_id']} ${row['phone_number_id']}`

/** The maximum number of senders whose inbox and account are cached. */
const MAX_CACHED = 10_000

/** A new inbox of a further sender. */
const newInbox = (): InboxId => inboxIdOf(`in_${randomUUID().replaceAll('-', '')}`)

/** The default sender, then the others by their ids. A release that knows one sender a workspace marks none as the default. */
const DEFAULT_FIRST = 'CASE WHEN is_default = 1 THEN 0 ELSE 1 END, phone_number_id'

/** The senders over SQL. Access tokens are stored only encrypted, each for its own workspace. */
export const makeSenders = (database: Database, readBatcher: ReadBatcher, box: SecretBox, transactEvents: TransactEvents): Senders => {
  const { db, dialect } = database
  const lasts = makeRecent<LastSender>({ max: MAX_CACHED })
  const byWorkspace = readBatcher<string, ReadonlyArray<Row>>(async (reading, keys) => {
    const { sql, bindings } = inList(dialect, ['workspace_id'], Array.from(new Set(keys), (key) => [key]))
    const rows = await select(reading, `SELECT * FROM senders WHERE ${sql}`, bindings)
    const found = new Map<unknown, Array<Row>>()
    for (const row of rows) found.set(row['workspace_id'], [...found.get(row['workspace_id']) ?? [], row])
    return keys.map((key) => (found.get(key) ?? []).toSorted(defaultFirst))
  })
  const byPhoneNumber = readBatcher<SenderId, Row | undefined>(async (reading, keys) => {
    const { sql, bindings } = inList(dialect, ['phone_number_id'], Array.from(new Set(keys), (key) => [key]))
    const rows = await select(reading, `SELECT workspace_id, phone_number_id, inbox, app_id FROM senders WHERE ${sql}`, bindings)
    const found = new Map(rows.map((row) => [row['phone_number_id'], row]))
    return keys.map((key) => found.get(key))
  })
  const health = makeBatcher<HealthNote, boolean>((notes, signal) =>
    transactEvents((trx, emit) => noteSenderHealth(trx, dialect, notes, emit), { signal }))
  return {
    senderOf: (workspace, named) => tasks.value(async () => {
      const rows = await byWorkspace(workspace)
      const row = named === undefined ? rows[0] : rows.find((one) => one['phone_number_id'] === named)
      const sender = row && senderIn(row, row === rows[0])
      const key = lastKey(workspace, named)
      if (sender === undefined) lasts.delete(key)
      else lasts.set(key, { inbox: inboxOf(workspace, sender), accountId: readableAccount(sender), sender: sender.phoneNumberId })
      return O.fromNullable(sender)
    }),
    sendersOf: (workspace) => tasks.value(async () => {
      const rows = await byWorkspace(workspace)
      return rows.map((row) => listedIn(row, row === rows[0]))
    }),
    formerIdsOf: ({ workspace, sender }) => tasks.value(async () => {
      const rows = await select(
        db, 'SELECT phone_number_id FROM former_senders WHERE workspace_id = ? AND sender = ? ORDER BY removed_at, phone_number_id',
        [workspace, sender],
      )
      return rows.map((row) => senderIdOf(String(row['phone_number_id'])))
    }),
    inboxesOf: (workspace) => tasks.value(async () => {
      const rows = await select(
        db, 'SELECT inbox FROM senders WHERE workspace_id = ? UNION SELECT inbox FROM former_senders WHERE workspace_id = ?',
        [workspace, workspace],
      )
      const further = rows.flatMap(({ inbox }) => (typeof inbox === 'string' ? [inboxIdOf(inbox)] : []))
      return [workspace, ...further.filter((inbox) => inbox !== workspace).toSorted()]
    }),
    lastSenderOf: (workspace, named) => lasts.get(lastKey(workspace, named)),
    ownerOf: (phoneNumberId, at) => tasks.value(async () => {
      const row = await byPhoneNumber(phoneNumberId)
      return O.fromNullable(row === undefined ? await formerOwner(phoneNumberId, at) : ownerIn(row, phoneNumberId))
    }),
    accounts: () =>
      tasks.value(async () => {
        const rows = await select(
          db,
          `SELECT s.business_account_id AS account_id, s.workspace_id, s.phone_number_id, s.account_refused_since
           FROM senders s JOIN workspaces w ON w.id = s.workspace_id
           WHERE s.business_account_id IS NOT NULL AND w.archived_at IS NULL
           ORDER BY s.business_account_id, CASE WHEN s.account_refused_since IS NULL THEN 0 ELSE 1 END, s.workspace_id, s.phone_number_id`,
        )
        const firsts = new Map(rows.toReversed().map((row) => [String(row['account_id']), row]))
        return [...firsts].map(([accountId, row]) => ({ accountId, ...senderOfIn(row) }))
      }),
    sharing: (accountId) => tasks.value(() => sendingThrough(accountId, 's.account_refused_since IS NULL AND w.archived_at IS NULL')),
    notSharing: (accountId) => tasks.value(() => sendingThrough(accountId, '(s.account_refused_since IS NOT NULL OR w.archived_at IS NOT NULL)')),
    assign: (workspace, sender, outboxEntries) => tasks.either(() => orTaken(workspace, sender, () =>
      transactEvents(async (trx, emit): Promise<E.Either<AssignFailure, void>> => {
        const noApp = await holdApp(trx, sender)
        if (noApp !== undefined) return E.left(noApp)
        const assigned = await assign(trx, workspace, sender)
        if (E.isRight(assigned)) emit(outboxEntries?.(workspace) ?? [])
        return assigned
      }))),
    makeDefault: ({ workspace, sender }, outboxEntries) => tasks.either(() =>
      transactEvents(async (trx, emit): Promise<E.Either<UnknownSender, void>> => {
        const rows = await lockSenders(trx, workspace)
        const row = rows.find((one) => one['phone_number_id'] === sender)
        if (row === undefined) return E.left({ _tag: 'UnknownSender', sender })
        if (row === rows[0]) return E.right(undefined)
        await markDefault(trx, workspace, sender)
        emit(outboxEntries?.(sender) ?? [])
        return E.right(undefined)
      })),
    remove: ({ workspace, sender }, outboxEntries) => tasks.either(() =>
      transactEvents(async (trx, emit): Promise<E.Either<UnknownSender | SenderInUse, void>> => {
        const rows = await lockSenders(trx, workspace)
        const row = rows.find((one) => one['phone_number_id'] === sender)
        if (row === undefined) return E.left({ _tag: 'UnknownSender', sender })
        const inUse = senderInUse(await underWay(trx, row), await countBatchesOf(trx, { workspace, sender }))
        if (inUse !== undefined) return E.left(inUse)
        await execute(trx, `DELETE FROM senders WHERE ${ONE_SENDER}`, [workspace, sender])
        await keepFormer(trx, row, undefined, 0)
        emit(outboxEntries?.(sender) ?? [])
        return E.right(undefined)
      })),
    replace: ({ workspace, sender }, by, at, outboxEntries) => tasks.either(() => orTaken(workspace, by, () =>
      transactEvents(async (trx, emit): Promise<E.Either<ReplaceFailure, void>> => {
        const noApp = await holdApp(trx, by)
        if (noApp !== undefined) return E.left(noApp)
        const rows = await lockSenders(trx, workspace)
        const row = rows.find((one) => one['phone_number_id'] === sender)
        if (row === undefined) return E.left({ _tag: 'UnknownSender', sender })
        const isTaken = by.phoneNumberId !== sender && rows.some((one) => one['phone_number_id'] === by.phoneNumberId)
        if (isTaken) return E.left({ _tag: 'SenderTaken' })
        const isMoved = by.phoneNumberId !== sender
        const count = await underWay(trx, row, "AND state <> 'queued'") + (isMoved ? 0 : await countQueuedToUserIds(trx, workspace, sender))
        if (count > 0) return E.left({ _tag: 'SenderInUse', count })
        await keepDefault(trx, rows)
        await execute(trx, `DELETE FROM senders WHERE ${ONE_SENDER}`, [workspace, sender])
        await write(trx, workspace, { ...by, marketingApi: by.marketingApi ?? false }, {
          isDefault: row === rows[0], inbox: row['inbox'] ?? null, failingSince: undefined,
        })
        await forgetUserIds(trx, dialect, inboxIn(row), at)
        if (isMoved) {
          await moveQueued(trx, workspace, sender, by.phoneNumberId, at)
          await moveBatches(trx, dialect, { workspace, sender }, by.phoneNumberId)
          await execute(
            trx, 'UPDATE former_senders SET sender = ? WHERE workspace_id = ? AND sender = ?', [by.phoneNumberId, workspace, sender],
          )
          await keepFormer(trx, row, by.phoneNumberId, at)
        }
        emit(outboxEntries?.(sender) ?? [])
        return E.right(undefined)
      }))),
    moveLate: ({ workspace, sender }, at) => tasks.value(() => transact(database, async (trx) => {
      const rows = await lockSenders(trx, workspace)
      const [former] = await select(trx, `SELECT sender FROM former_senders WHERE ${ONE_SENDER}`, [workspace, sender])
      const row = rows.find((one) => one['phone_number_id'] === former?.['sender'])
      if (row === undefined) return false
      await moveQueued(trx, workspace, sender, String(row['phone_number_id']), at)
      return true
    })),
    noteHealth: (of, isFailing, at, outboxEntries) => tasks.value(() => health.load({ ...of, isFailing, at, outboxEntries })),
    noteAccount: (of, asked, isRefused, at) =>
      tasks.value(() => transactEvents((trx) => noteSenderAccount(trx, { dialect, box }, { ...of, asked, isRefused, at }))),
  }

  function defaultFirst(a: Row, b: Row): number {
    return Number(b['is_default'] ?? 0) - Number(a['is_default'] ?? 0)
      || (String(a['phone_number_id']) < String(b['phone_number_id']) ? -1 : 1)
  }

  async function sendingThrough(accountId: string, which: string): Promise<ReadonlyArray<SenderOf>> {
    const sql = `SELECT s.workspace_id, s.phone_number_id FROM senders s JOIN workspaces w ON w.id = s.workspace_id
      WHERE s.business_account_id = ? AND ${which} ORDER BY s.workspace_id, s.phone_number_id`
    return (await select(db, sql, [accountId])).map(senderOfIn)
  }

  async function formerOwner(phoneNumberId: SenderId, at: Instant): Promise<SenderOwner | undefined> {
    const [row] = await select(
      db,
      `SELECT s.workspace_id, s.phone_number_id, s.inbox, s.app_id FROM former_senders f
       JOIN senders s ON s.workspace_id = f.workspace_id AND s.phone_number_id = f.sender
       WHERE f.phone_number_id = ? AND f.removed_at > ? ORDER BY f.removed_at DESC LIMIT 1`,
      [phoneNumberId, at - FORMER_ID_MS],
    )
    return row && { ...ownerIn(row, senderIdOf(String(row['phone_number_id']))), isFormer: true }
  }

  /**
   * Keeps the app of a sender from being removed until the transaction has ended, or returns that it does not exist. The app is locked before everything else, so that
   * transactions wait for each other in one order.
   */
  async function holdApp(trx: Queryable, { app }: Pick<Sender, 'app'>): Promise<NoSuchApp | undefined> {
    if (app === undefined) return undefined
    const [known] = await select(trx, `SELECT id FROM apps WHERE id = ? ${dialect.forUpdate}`, [app])
    if (known === undefined) return { _tag: 'NoSuchApp', named: app }
    if (dialect.name !== 'mysql') return undefined
    // A Galera node does not report its locks to the other nodes, but if two transactions on two nodes write one row, the second fails. A write that changes nothing would
    // not count.
    await execute(trx, 'UPDATE apps SET created_at = created_at + 1 WHERE id = ?', [app])
    await execute(trx, 'UPDATE apps SET created_at = created_at - 1 WHERE id = ?', [app])
    return undefined
  }

  async function lockSenders(trx: Queryable, workspace: WorkspaceId): Promise<ReadonlyArray<Row>> {
    return select(trx, `SELECT * FROM senders WHERE workspace_id = ? ORDER BY ${DEFAULT_FIRST} ${dialect.forUpdate}`, [workspace])
  }

  async function markDefault(trx: Queryable, workspace: WorkspaceId, sender: SenderId): Promise<void> {
    await execute(
      trx, 'UPDATE senders SET is_default = CASE WHEN phone_number_id = ? THEN 1 ELSE NULL END WHERE workspace_id = ?', [sender, workspace],
    )
  }

  /** After a removal, and in a workspace of an earlier release, no sender is marked as the default, so one with a lower id would replace it. */
  async function keepDefault(trx: Queryable, [first]: ReadonlyArray<Row>): Promise<void> {
    if (first === undefined || Number(first['is_default']) === 1) return
    const { workspace_id: workspace, phone_number_id: sender } = first
    await execute(trx, `UPDATE senders SET is_default = 1 WHERE ${ONE_SENDER}`, [String(workspace), String(sender)])
  }

  async function underWay(trx: Queryable, row: Row, which = ''): Promise<number> {
    const orNone = inboxIn(row) === row['workspace_id'] ? ' OR sender IS NULL' : ''
    const [found] = await select(
      trx, `SELECT COUNT(*) AS count FROM messages WHERE workspace_id = ? AND open_since IS NOT NULL AND (sender = ?${orNone}) ${which}`,
      [String(row['workspace_id']), String(row['phone_number_id'])],
    )
    return Number(found?.['count'])
  }

  async function keepFormer(trx: Queryable, row: Row, sender: SenderId | undefined, at: Instant): Promise<void> {
    await insert(
      trx, dialect, 'former_senders', ['workspace_id', 'phone_number_id', 'inbox', 'sender', 'removed_at'],
      [[String(row['workspace_id']), String(row['phone_number_id']), inboxIn(row), sender ?? null, at]],
      dialect.upsert(['workspace_id', 'phone_number_id'], ['inbox', 'sender', 'removed_at']),
    )
  }

  function senderIn(row: Row, isDefault: boolean): Sender {
    return { ...withoutToken(row, isDefault), accessToken: tokenIn(row) }
  }

  function tokenIn(row: Row): string {
    return box.open(String(row['access_token']), String(row['workspace_id']))
  }

  /** The token is decrypted only to find out whether it can be. */
  function listedIn(row: Row, isDefault: boolean): ListedSender {
    const sender = withoutToken(row, isDefault)
    try {
      tokenIn(row)
      return sender
    } catch (error) {
      if (error instanceof SecretUnusable) return { ...sender, isUnreadable: true }
      throw error
    }
  }

  function withoutToken(row: Row, isDefault: boolean): Omit<Sender, 'accessToken'> {
    const [failingSince, accountRefusedSince] = [instantOrNone(row['failing_since']), instantOrNone(row['account_refused_since'])]
    const inbox = inboxIn(row)
    return {
      phoneNumberId: senderIdOf(String(row['phone_number_id'])),
      businessAccountId: textOrNone(row['business_account_id']),
      ...(isDefault && { isDefault }), ...(inbox !== row['workspace_id'] && { inbox }),
      ...(typeof row['app_id'] === 'string' && { app: row['app_id'] }),
      ...(Number(row['marketing_api']) === 1 && { marketingApi: true }),
      ...(failingSince !== undefined && { failingSince }),
      ...(accountRefusedSince !== undefined && { accountRefusedSince }),
    }
  }

  async function assign(
    trx: Queryable, workspace: WorkspaceId, sender: Sender,
  ): Promise<E.Either<TooManySenders | UnknownWorkspace, void>> {
    const [known] = await select(trx, `SELECT id FROM workspaces WHERE id = ? ${dialect.forUpdate}`, [workspace])
    if (known === undefined) return E.left({ _tag: 'UnknownWorkspace' })
    const rows = await lockSenders(trx, workspace)
    const same = rows.find((row) => row['phone_number_id'] === sender.phoneNumberId)
    const others = rows.filter((row) => row !== same)
    if (same === undefined && others.length >= MAX_SENDERS) return E.left({ _tag: 'TooManySenders' })
    await keepDefault(trx, rows)
    if (same !== undefined) await execute(trx, `DELETE FROM senders WHERE ${ONE_SENDER}`, [workspace, sender.phoneNumberId])
    await write(trx, workspace, { ...sender, marketingApi: sender.marketingApi ?? Number(same?.['marketing_api']) === 1 }, {
      isDefault: same === undefined ? others.length === 0 : same === rows[0],
      inbox: same === undefined ? await inboxFor(trx, workspace, sender.phoneNumberId, others) : same['inbox'] ?? null,
      failingSince: instantOrNone(same?.['failing_since']),
    })
    if (sender.isDefault) await markDefault(trx, workspace, sender.phoneNumberId)
    return E.right(undefined)
  }

  /** The inbox that the number had in this workspace, or the workspace's own if no other number has had it, or a new one. Null stands for the workspace's own. */
  async function inboxFor(
    trx: Queryable, workspace: WorkspaceId, phoneNumberId: SenderId, others: ReadonlyArray<Row>,
  ): Promise<string | null> {
    const former = await select(trx, 'SELECT phone_number_id, inbox, sender FROM former_senders WHERE workspace_id = ?', [workspace])
    const own = former.find((row) => row['phone_number_id'] === phoneNumberId)
    if (own !== undefined) await execute(trx, `DELETE FROM former_senders WHERE ${ONE_SENDER}`, [workspace, phoneNumberId])
    if (own !== undefined && own['sender'] === null) return own['inbox'] === workspace ? null : String(own['inbox'])
    return others.some((row) => inboxIn(row) === workspace) || former.some((row) => row['inbox'] === workspace) ? newInbox() : null
  }

  async function write(
    trx: Queryable, workspace: WorkspaceId, { phoneNumberId, businessAccountId, accessToken, marketingApi, app }: Sender,
    { isDefault, inbox, failingSince }: { readonly isDefault: boolean; readonly inbox: Bound; readonly failingSince: Instant | undefined },
  ): Promise<void> {
    await insert(
      trx, dialect, 'senders',
      [
        'workspace_id', 'phone_number_id', 'business_account_id', 'access_token', 'marketing_api', 'failing_since', 'is_default', 'inbox',
        'app_id',
      ],
      [[
        workspace, phoneNumberId, businessAccountId ?? null, box.seal(accessToken, workspace), marketingApi ? 1 : null,
        failingSince ?? null,
        isDefault ? 1 : null, inbox, app ?? null,
      ]],
    )
  }

  async function orTaken<Failure>(
    workspace: WorkspaceId, { phoneNumberId }: Sender, run: () => Promise<E.Either<Failure, void>>,
  ): Promise<E.Either<Failure | SenderTaken, void>> {
    try {
      return await run()
    } catch (error) {
      if (sqlErrorKind(error) !== 'conflict') throw error
      const [owner] = await select(db, 'SELECT workspace_id FROM senders WHERE phone_number_id = ?', [phoneNumberId])
      // Two concurrent assignments to one workspace may conflict too. Then the other one counts as the later one.
      return owner === undefined || owner['workspace_id'] === workspace ? E.right(undefined) : E.left({ _tag: 'SenderTaken' })
    }
  }
}

const lastKey = (workspace: WorkspaceId, named: SenderId | undefined): string => `${workspace} ${named ?? ''}`

const inboxIn = (row: Row): InboxId => inboxIdOf(String(row['inbox'] ?? row['workspace_id']))

/** A sender in a row with its workspace and its id. */
export const senderOfIn = (row: Row): SenderOf =>
  ({ workspace: row['workspace_id'] as WorkspaceId, sender: senderIdOf(String(row['phone_number_id'])) })

const ownerIn = (row: Row, sender: SenderId): SenderOwner => ({
  workspace: row['workspace_id'] as WorkspaceId, sender, inbox: inboxIn(row),
  ...(typeof row['app_id'] === 'string' && { app: row['app_id'] }),
})

const tasks = portTasks('Senders')

/** The notices of accounts over SQL. */
export const makeAccountNotices = ({ db, dialect }: Database, { write }: GroupCommit): AccountNotices => {
  const recording = recordNotices(dialect)
  return {
    record: (notice) => noticeTasks.value(() => write(recording, notice)),
    latest: (accountId) =>
      noticeTasks.value(async () => {
        const rows = await select(
          db, `SELECT * FROM account_notices WHERE account_id = ? ORDER BY noticed_at DESC LIMIT ${NOTICES_KEPT}`, [accountId],
        )
        return rows.map(noticeIn)
      }),
  }
}

const recordNotices = (dialect: Dialect): Write<AccountNotice, void> => ({
  kind: 'record-notices',
  run: async (trx, notices) => {
    const latest = latestOfEach(notices)
    await insert(
      trx, dialect, 'account_notices', ['account_id', 'field', 'subject', 'notice', 'noticed_at'],
      latest.map(({ accountId, field, subject, value, at }) => [accountId, field, subject, JSON.stringify(value), at]),
      upsert(dialect),
    )
    for (const accountId of new Set(latest.map((notice) => notice.accountId))) await dropOldest(trx, dialect, accountId)
    return notices.map(() => undefined)
  },
})

/** One notice for each key, as an upsert needs it, sorted by key, so that two gateways lock rows in the same order. */
const latestOfEach = (notices: ReadonlyArray<AccountNotice>): ReadonlyArray<AccountNotice> => {
  const kept = new Map<string, AccountNotice>()
  for (const notice of notices) {
    const key = `${notice.accountId} ${notice.field} ${notice.subject}`
    if (supersedes(notice, kept.get(key))) kept.set(key, notice)
  }
  return [...kept].sort(([a], [b]) => (a < b ? -1 : 1)).map(([, notice]) => notice)
}

/** The rule of `supersedes` in SQL. MySQL assigns in this order, and each assignment sees the previous ones. */
const upsert = (dialect: Dialect): string => {
  const isLater = `${dialect.inserted('noticed_at')} >= account_notices.noticed_at`
  return dialect.upsert(['account_id', 'field', 'subject'], [
    ['notice', `CASE WHEN ${isLater} THEN ${dialect.inserted('notice')} ELSE account_notices.notice END`],
    ['noticed_at', dialect.latest('account_notices', 'noticed_at')],
  ])
}

const dropOldest = async (trx: Queryable, dialect: Dialect, accountId: string): Promise<void> => {
  const oldest = await select(
    trx,
    `SELECT field, subject FROM account_notices WHERE account_id = ? ORDER BY noticed_at DESC, field, subject LIMIT ${NOTICES_KEPT} OFFSET ${NOTICES_KEPT}`,
    [accountId],
  )
  if (oldest.length === 0) return
  const { sql, bindings } = inList(
    dialect, ['account_id', 'field', 'subject'], oldest.map(({ field, subject }) => [accountId, String(field), String(subject)]),
  )
  await execute(trx, `DELETE FROM account_notices WHERE ${sql}`, bindings)
}

const noticeIn = (row: Row): AccountNotice => ({
  accountId: String(row['account_id']),
  field: row['field'] as AccountField,
  subject: String(row['subject']),
  value: JSON.parse(String(row['notice'])) as JsonObject,
  at: instant(row['noticed_at']),
})

const noticeTasks = portTasks('AccountNotices')
