import type { JsonObject } from '../../core/kernel/json.js'
import { type AccountField, type AccountNotice, type AccountNotices, NOTICES_KEPT, supersedes } from '../../core/reports/account.js'
import { inList, insert } from './bulk-sql.js'
import type { Database } from './database.js'
import type { Dialect } from './dialect.js'
import type { GroupCommit, Write } from './group-commit.js'
import { portTasks } from './port-tasks.js'
import { execute, instant, type Queryable, type Row, select } from './sql.js'

/** The notices of accounts over SQL. */
export const makeAccountNotices = ({ db, dialect }: Database, { write }: GroupCommit): AccountNotices => {
  const recording = recordNotices(dialect)
  return {
    record: (notice) => tasks.value(() => write(recording, notice)),
    latest: (accountId) =>
      tasks.value(async () => {
        const rows = await select(db, `SELECT * FROM account_notices WHERE account_id = ? ORDER BY noticed_at DESC LIMIT ${NOTICES_KEPT}`, [accountId])
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

/** The rule of `supersedes` in SQL. MySQL assigns in this order, and each assignment sees the ones before. */
const upsert = (dialect: Dialect): string => {
  const isLater = `${dialect.inserted('noticed_at')} >= account_notices.noticed_at`
  const set = `notice = CASE WHEN ${isLater} THEN ${dialect.inserted('notice')} ELSE account_notices.notice END, ` +
    `noticed_at = ${dialect.latest('account_notices', 'noticed_at')}`
  return dialect.name === 'mysql' ? `ON DUPLICATE KEY UPDATE ${set}` : `ON CONFLICT (account_id, field, subject) DO UPDATE SET ${set}`
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

const tasks = portTasks('AccountNotices')
