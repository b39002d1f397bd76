import * as E from 'fp-ts/lib/Either.js'
import { pipe } from 'fp-ts/lib/function.js'
import * as O from 'fp-ts/lib/Option.js'
import { LRUCache } from 'lru-cache'
import type { WorkspaceId } from '../../core/kernel/ids.js'
import type { Along } from '../../core/kernel/outbox.js'
import { readableAccount, type Sender, type SenderNotConfigured, type Senders, type SenderTaken } from '../../core/kernel/sender.js'
import type { UnknownWorkspace } from '../../core/kernel/workspace.js'
import { makeBatcher } from './batcher.js'
import { inList, insert } from './bulk-sql.js'
import type { Database } from './database.js'
import { portTasks } from './port-tasks.js'
import type { ReadBatcher } from './read-batcher.js'
import type { SecretBox } from './secret-box.js'
import { noteSenderAccount } from './sender-account.js'
import { type HealthNote, noteSenderHealth } from './sender-health.js'
import { sqlErrorKind } from './sql-error.js'
import { execute, instantOrNone, type Row, select, textOrNone } from './sql.js'
import type { TransactEvents } from './transact-events.js'

/** The most workspaces whose business account is remembered. */
const MOST_ACCOUNTS = 10_000

/** The senders over SQL. Access tokens are stored only encrypted, each for its own workspace. */
export const makeSenders = (database: Database, readBatcher: ReadBatcher, box: SecretBox, transactEvents: TransactEvents): Senders => {
  const { db, dialect } = database
  const accounts = new LRUCache<string, string>({ max: MOST_ACCOUNTS })
  const byWorkspace = lookUp('workspace_id')
  const byPhoneNumber = lookUp('phone_number_id')
  const health = makeBatcher<HealthNote, boolean>((notes, signal) => transactEvents((trx, emit) => noteSenderHealth(trx, dialect, notes, emit), { signal }))
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
    assign: (workspace, sender, along) => tasks.either(() => assign(workspace, sender, along)),
    remove: (workspace, along) => tasks.either(async () => {
      const removed = await transactEvents(async (trx, emit): Promise<E.Either<SenderNotConfigured, string>> => {
        const [sender] = await select(trx, `SELECT phone_number_id FROM senders WHERE workspace_id = ? ${dialect.forUpdate}`, [workspace])
        if (sender === undefined) return E.left({ _tag: 'SenderNotConfigured' })
        const phoneNumberId = String(sender['phone_number_id'])
        await execute(trx, 'DELETE FROM senders WHERE workspace_id = ?', [workspace])
        emit(along?.(phoneNumberId) ?? [])
        return E.right(phoneNumberId)
      })
      accounts.delete(workspace)
      return removed
    }),
    noteHealth: (workspace, isFailing, at, along) => tasks.value(() => health.load({ workspace, isFailing, at, along })),
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
      phoneNumberId: String(row['phone_number_id']),
      accessToken: box.open(String(row['access_token']), String(row['workspace_id'])),
      businessAccountId: textOrNone(row['business_account_id']),
      ...(failingSince !== undefined && { failingSince }),
      ...(accountRefusedSince !== undefined && { accountRefusedSince }),
    }
  }

  async function assign(
    workspace: WorkspaceId, sender: Sender, along: Along<WorkspaceId> | undefined,
  ): Promise<E.Either<SenderTaken | UnknownWorkspace, void>> {
    const sealed = box.seal(sender.accessToken, workspace)
    try {
      return await transactEvents(async (trx, emit) => {
        const [known] = await select(trx, 'SELECT id FROM workspaces WHERE id = ?', [workspace])
        if (known === undefined) return E.left<UnknownWorkspace>({ _tag: 'UnknownWorkspace' })
        const [same] = await select(trx, 'SELECT failing_since FROM senders WHERE workspace_id = ? AND phone_number_id = ?', [workspace, sender.phoneNumberId])
        await execute(trx, 'DELETE FROM senders WHERE workspace_id = ?', [workspace])
        await insert(
          trx, dialect, 'senders', ['workspace_id', 'phone_number_id', 'business_account_id', 'access_token', 'failing_since'],
          [[workspace, sender.phoneNumberId, sender.businessAccountId ?? null, sealed, instantOrNone(same?.['failing_since']) ?? null]],
        )
        emit(along?.(workspace) ?? [])
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
