import * as E from 'fp-ts/lib/Either.js'
import { pipe } from 'fp-ts/lib/function.js'
import * as O from 'fp-ts/lib/Option.js'
import { LRUCache } from 'lru-cache'
import type { WorkspaceId } from '../../core/kernel/ids.js'
import type { JsonObject } from '../../core/kernel/json.js'
import type { MakeOutboxEntries } from '../../core/kernel/outbox.js'
import type { Instant } from '../../core/kernel/time.js'
import type { UnknownWorkspace } from '../../core/kernel/workspace.js'
import { type AccountField, type AccountNotice, type AccountNotices, NOTICES_KEPT, supersedes } from '../../core/reports/account.js'
import {
  type FailingSender, readableAccount, type Sender, type SenderId, senderIdOf, type SenderNotConfigured, type Senders, type SenderTaken,
  type TemplateAccount,
} from '../../core/senders/sender.js'
import { makeBatcher, portTasks, type ReadBatcher } from './engine/batches.js'
import type { Database } from './engine/database.js'
import { type Dialect, sqlErrorKind } from './engine/dialect.js'
import { execute, inList, insert, instant, instantOrNone, type Queryable, type Row, select, textOrNone } from './engine/sql.js'
import type { Emit, TransactEvents } from './entries.js'
import type { SecretBox } from './secret-box.js'
import type { GroupCommit, Write } from './writes.js'

/** A record that a token may not read its business account, or may again. */
export type AccountNote = {
  readonly workspace: WorkspaceId
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
  { workspace, asked, isRefused, at }: AccountNote,
): Promise<boolean> => {
  const [row] = await select(
    trx, `SELECT business_account_id, access_token, account_refused_since FROM senders WHERE workspace_id = ? ${dialect.forUpdate}`,
    [workspace],
  )
  if (row === undefined || isRefused === (instantOrNone(row['account_refused_since']) !== undefined)) return false
  if (row['business_account_id'] !== asked.businessAccountId || box.open(String(row['access_token']), workspace) !== asked.accessToken) {
    return false
  }
  await execute(trx, 'UPDATE senders SET account_refused_since = ? WHERE workspace_id = ?', [isRefused ? at : null, workspace])
  return true
}

/** A record that the platform refuses the credentials of a workspace's sender, or accepts them again. */
export type HealthNote = {
  readonly workspace: WorkspaceId
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
  const { sql, bindings } = inList(
    dialect, ['workspace_id'], Array.from(new Set(notes.map(({ workspace }) => workspace)), (workspace) => [workspace]),
  )
  const rows = await select(
    trx, `SELECT workspace_id, phone_number_id, failing_since FROM senders WHERE ${sql} ORDER BY workspace_id ${dialect.forUpdate}`,
    bindings,
  )
  const known = new Map(rows.map((row) => [
    String(row['workspace_id']), { phoneNumberId: senderIdOf(String(row['phone_number_id'])), since: instantOrNone(row['failing_since']) },
  ]))
  const changed = new Map<string, Instant | undefined>()
  const answers = notes.map(({ workspace, isFailing, at, outboxEntries }) => {
    const sender = known.get(workspace)
    if (sender === undefined || isFailing === (sender.since !== undefined)) return false
    const failingSince = sender.since ?? at
    known.set(workspace, { ...sender, since: isFailing ? at : undefined })
    changed.set(workspace, isFailing ? at : undefined)
    if (outboxEntries !== undefined) emit(outboxEntries({ phoneNumberId: sender.phoneNumberId, failingSince }))
    return true
  })
  for (const [workspace, since] of changed) {
    await execute(trx, 'UPDATE senders SET failing_since = ? WHERE workspace_id = ?', [since ?? null, workspace])
  }
  return answers
}

/** The maximum number of workspaces whose business account is cached. */
const MAX_ACCOUNTS = 10_000

/** The senders over SQL. Access tokens are stored only encrypted, each for its own workspace. */
export const makeSenders = (database: Database, readBatcher: ReadBatcher, box: SecretBox, transactEvents: TransactEvents): Senders => {
  const { db, dialect } = database
  const accounts = new LRUCache<string, string>({ max: MAX_ACCOUNTS })
  const byWorkspace = lookUp('workspace_id')
  const byPhoneNumber = lookUp('phone_number_id')
  const health = makeBatcher<HealthNote, boolean>((notes, signal) =>
    transactEvents((trx, emit) => noteSenderHealth(trx, dialect, notes, emit), { signal }))
  return {
    senderOf: (workspace) => tasks.value(async () => {
      const sender = pipe(O.fromNullable(await byWorkspace(workspace)), O.map(senderIn))
      accounts.set(workspace, readableAccount(O.toUndefined(sender)))
      return sender
    }),
    lastAccountOf: (workspace) => accounts.get(workspace),
    workspaceOf: (phoneNumberId) =>
      tasks.value(async () => O.fromNullable((await byPhoneNumber(phoneNumberId))?.['workspace_id'] as WorkspaceId | undefined)),
    accounts: () =>
      tasks.value(async () => {
        const rows = await select(
          db,
          `SELECT s.business_account_id AS account_id,
             COALESCE(MIN(CASE WHEN s.account_refused_since IS NULL THEN s.workspace_id END), MIN(s.workspace_id)) AS workspace_id
           FROM senders s JOIN workspaces w ON w.id = s.workspace_id
           WHERE s.business_account_id IS NOT NULL AND w.archived_at IS NULL GROUP BY s.business_account_id`,
        )
        return rows.map((row) => ({ accountId: String(row['account_id']), workspace: row['workspace_id'] as WorkspaceId }))
      }),
    sharing: (accountId) => tasks.value(() => sendingThrough(accountId, 's.account_refused_since IS NULL AND w.archived_at IS NULL')),
    notSharing: (accountId) => tasks.value(() => sendingThrough(accountId, '(s.account_refused_since IS NOT NULL OR w.archived_at IS NOT NULL)')),
    assign: (workspace, sender, outboxEntries) => tasks.either(() => assign(workspace, sender, outboxEntries)),
    remove: (workspace, outboxEntries) => tasks.either(async () => {
      const removed = await transactEvents(async (trx, emit): Promise<E.Either<SenderNotConfigured, SenderId>> => {
        const [sender] = await select(trx, `SELECT phone_number_id FROM senders WHERE workspace_id = ? ${dialect.forUpdate}`, [workspace])
        if (sender === undefined) return E.left({ _tag: 'SenderNotConfigured' })
        const phoneNumberId = senderIdOf(String(sender['phone_number_id']))
        await execute(trx, 'DELETE FROM senders WHERE workspace_id = ?', [workspace])
        emit(outboxEntries?.(phoneNumberId) ?? [])
        return E.right(phoneNumberId)
      })
      accounts.delete(workspace)
      return removed
    }),
    noteHealth: (workspace, isFailing, at, outboxEntries) => tasks.value(() => health.load({ workspace, isFailing, at, outboxEntries })),
    noteAccount: (workspace, asked, isRefused, at) =>
      tasks.value(() => transactEvents((trx) => noteSenderAccount(trx, { dialect, box }, { workspace, asked, isRefused, at }))),
  }

  async function sendingThrough(accountId: string, which: string): Promise<ReadonlyArray<WorkspaceId>> {
    const rows = await select(
      db,
      `SELECT s.workspace_id FROM senders s JOIN workspaces w ON w.id = s.workspace_id
       WHERE s.business_account_id = ? AND ${which} ORDER BY s.workspace_id`,
      [accountId],
    )
    return rows.map((row) => row['workspace_id'] as WorkspaceId)
  }

  function lookUp(column: 'workspace_id' | 'phone_number_id') {
    return readBatcher<string, Row | undefined>(async (reading, keys) => {
      const { sql, bindings } = inList(dialect, [column], Array.from(new Set(keys), (key) => [key]))
      const rows = await select(reading, `SELECT * FROM senders WHERE ${sql}`, bindings)
      const found = new Map(rows.map((row) => [row[column], row]))
      return keys.map((key) => found.get(key))
    })
  }

  function senderIn(row: Row): Sender {
    const [failingSince, accountRefusedSince] = [instantOrNone(row['failing_since']), instantOrNone(row['account_refused_since'])]
    return {
      phoneNumberId: senderIdOf(String(row['phone_number_id'])),
      accessToken: box.open(String(row['access_token']), String(row['workspace_id'])),
      businessAccountId: textOrNone(row['business_account_id']),
      ...(Number(row['marketing_api']) === 1 && { marketingApi: true }),
      ...(failingSince !== undefined && { failingSince }),
      ...(accountRefusedSince !== undefined && { accountRefusedSince }),
    }
  }

  async function assign(
    workspace: WorkspaceId, sender: Sender, outboxEntries: MakeOutboxEntries<WorkspaceId> | undefined,
  ): Promise<E.Either<SenderTaken | UnknownWorkspace, void>> {
    const sealed = box.seal(sender.accessToken, workspace)
    try {
      return await transactEvents(async (trx, emit) => {
        const [known] = await select(trx, 'SELECT id FROM workspaces WHERE id = ?', [workspace])
        if (known === undefined) return E.left<UnknownWorkspace>({ _tag: 'UnknownWorkspace' })
        const [same] = await select(
          trx, 'SELECT failing_since, marketing_api FROM senders WHERE workspace_id = ? AND phone_number_id = ?',
          [workspace, sender.phoneNumberId],
        )
        const { phoneNumberId, businessAccountId, marketingApi = Number(same?.['marketing_api']) === 1 } = sender
        await execute(trx, 'DELETE FROM senders WHERE workspace_id = ?', [workspace])
        await insert(
          trx, dialect, 'senders',
          ['workspace_id', 'phone_number_id', 'business_account_id', 'access_token', 'marketing_api', 'failing_since'],
          [
            [workspace, phoneNumberId, businessAccountId ?? null, sealed, marketingApi ? 1 : null,
              instantOrNone(same?.['failing_since']) ?? null],
          ],
        )
        emit(outboxEntries?.(workspace) ?? [])
        return E.right(undefined)
      })
    } catch (error) {
      if (sqlErrorKind(error) !== 'conflict') throw error
      const [owner] = await select(db, 'SELECT workspace_id FROM senders WHERE phone_number_id = ?', [sender.phoneNumberId])
      // Two concurrent assignments to one workspace may conflict too. Then the other one counts as the later one.
      return owner === undefined || owner['workspace_id'] === workspace ? E.right(undefined) : E.left({ _tag: 'SenderTaken' })
    }
  }
}

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
