import * as E from 'fp-ts/lib/Either.js'
import * as O from 'fp-ts/lib/Option.js'
import {
  type AlertKind, type AlertRecipient, type Alerts, alertsToRaise, isAlertKind, MAX_WAITING_ALERTS, type Trouble, type WaitingAlert,
} from '../../../core/alerts/alert.js'
import type { MemberId, WorkspaceId } from '../../../core/kernel/ids.js'
import type { Instant } from '../../../core/kernel/time.js'
import { portTasks } from '../engine/batches.js'
import { type Database, transact } from '../engine/database.js'
import { execute, groupsOf, inList, insert, instant, type Queryable, type Row, select } from '../engine/sql.js'
import type { TransactEvents } from './entries.js'
import { languageIn } from '../access/members.js'
import type { SecretBox } from '../secret-box.js'

/** The members who chose a kind and have access to a workspace, by its id. */
const AUDIENCE = `FROM alert_choices c JOIN members m ON m.id = c.member_id
  WHERE m.is_operator = 1 OR EXISTS (SELECT 1 FROM member_roles r WHERE r.member_id = m.id AND r.workspace_id = ?)`

/** The alerts over SQL. */
export const makeAlerts = (database: Database, box: SecretBox, transactEvents: TransactEvents): Alerts => {
  const { db, dialect } = database
  return {
    choicesOf: (member) => tasks.value(async () =>
      kindsIn(await select(db, 'SELECT kind FROM alert_choices WHERE member_id = ? ORDER BY kind', [member]))),
    choose: (member, kinds) => tasks.value(() => transact(database, async (trx) => {
      await execute(trx, 'DELETE FROM alert_choices WHERE member_id = ?', [member])
      await insert(
        trx, dialect, 'alert_choices', ['member_id', 'kind'], [...new Set(kinds)].map((kind) => [member, kind]),
        dialect.insertIgnore('alert_choices', ['member_id', 'kind']),
      )
    })),
    channelOf: (workspace) => tasks.value(async () => {
      const [row] = await select(db, 'SELECT url FROM alert_channels WHERE workspace_id = ?', [workspace])
      return row === undefined ? O.none : O.some(box.open(String(row['url']), contextOf(workspace)))
    }),
    setChannel: (workspace, url, outboxEntries) => tasks.either(() => transactEvents(async (trx, emit) => {
      const [known] = await select(trx, `SELECT id FROM workspaces WHERE id = ? ${dialect.forUpdate}`, [workspace])
      if (known === undefined) return E.left({ _tag: 'UnknownWorkspace' as const })
      await execute(trx, 'DELETE FROM alert_channels WHERE workspace_id = ?', [workspace])
      if (url !== undefined) {
        await insert(trx, dialect, 'alert_channels', ['workspace_id', 'url'], [[workspace, box.seal(url, contextOf(workspace))]])
      }
      emit(outboxEntries?.(workspace) ?? [])
      return E.right(undefined)
    })),
    reaches: (workspace) => tasks.value(async () => {
      const [channel] = await select(db, 'SELECT workspace_id FROM alert_channels WHERE workspace_id = ?', [workspace])
      return channel !== undefined || (await select(db, `SELECT c.member_id ${AUDIENCE} LIMIT 1`, [workspace])).length > 0
    }),
    note: (workspace, troubles, at, newId) => tasks.value(() =>
      transact(database, (trx) => note(trx, database, workspace, { troubles, at, newId }))),
    claim: (at, until, limit) => tasks.value(() => claim(database, box, { at, until, limit })),
    settle: (id, next) => tasks.value(async () => {
      if (next === undefined) await execute(db, 'DELETE FROM waiting_alerts WHERE id = ?', [id])
      else await execute(db, 'UPDATE waiting_alerts SET next_at = ? WHERE id = ?', [next, id])
    }),
  }
}

const contextOf = (workspace: string): string => `alert channel ${workspace}`

const kindsIn = (rows: ReadonlyArray<Row>): ReadonlyArray<AlertKind> => rows.map((row) => String(row['kind'])).filter(isAlertKind)

/** The recipient of an alert for the channel; a member's id has another form. */
const CHANNEL = 'channel'

type Noted = { readonly troubles: ReadonlyArray<Trouble>; readonly at: Instant; readonly newId: () => string }

const note = async (trx: Queryable, { dialect }: Database, workspace: WorkspaceId, { troubles, at, newId }: Noted): Promise<number> => {
  // The lock of the workspace keeps another process from raising the same alerts.
  await select(trx, `SELECT id FROM workspaces WHERE id = ? ${dialect.forUpdate}`, [workspace])
  const known = (await select(trx, 'SELECT topic, alerted_at FROM alerts WHERE workspace_id = ?', [workspace]))
    .map((row) => ({ topic: String(row['topic']), alertedAt: instant(row['alerted_at']) }))
  const { raised, resolved } = alertsToRaise(known, troubles, at)
  const gone = [...resolved, ...raised.map(({ topic }) => topic)]
  if (gone.length === 0) return 0
  const { sql, bindings } = inList(dialect, ['topic'], gone.map((topic) => [topic]))
  await execute(trx, `DELETE FROM alerts WHERE workspace_id = ? AND ${sql}`, [workspace, ...bindings])
  await insert(trx, dialect, 'alerts', ['workspace_id', 'topic', 'alerted_at'], raised.map(({ topic }) => [workspace, topic, at]))
  const rows = (await recipientsOf(trx, workspace)).flatMap(([to, wanted]) => {
    const theirs = raised.filter(({ kind }) => wanted?.includes(kind) ?? true).map(({ kind, sentence, fact }) => ({ kind, sentence, fact }))
    return theirs.length === 0 ? [] : [[newId(), workspace, to, JSON.stringify(theirs), at, 0, at]]
  })
  const [waiting] = await select(trx, 'SELECT COUNT(*) AS many FROM waiting_alerts WHERE workspace_id = ?', [workspace])
  if (Number(waiting?.['many']) + rows.length > MAX_WAITING_ALERTS) return 0
  await insert(trx, dialect, 'waiting_alerts', WAITING, rows)
  return rows.length
}

const WAITING = ['id', 'workspace_id', 'recipient', 'troubles', 'raised_at', 'attempts', 'next_at']

/** The members with the kinds that they chose, and the channel, which gets all. */
const recipientsOf = async (
  trx: Queryable, workspace: WorkspaceId,
): Promise<ReadonlyArray<readonly [string, ReadonlyArray<string> | undefined]>> => {
  const chosen = groupsOf(await select(trx, `SELECT c.member_id, c.kind ${AUDIENCE}`, [workspace]), 'member_id', 'kind')
  const channel = await select(trx, 'SELECT workspace_id FROM alert_channels WHERE workspace_id = ?', [workspace])
  return [...chosen, ...channel.map(() => [CHANNEL, undefined] as const)]
}

type Claim = { readonly at: Instant; readonly until: Instant; readonly limit: number }

const claim = (database: Database, box: SecretBox, { at, until, limit }: Claim): Promise<ReadonlyArray<WaitingAlert>> =>
  transact(database, async (trx) => {
    const { dialect } = database
    const rows = await select(
      trx, `SELECT * FROM waiting_alerts WHERE next_at <= ? ORDER BY next_at, id LIMIT ? ${dialect.forUpdate}`, [at, limit],
    )
    const claimed: Array<WaitingAlert> = []
    for (const row of rows) {
      const to = await recipientIn(trx, box, row)
      if (to === undefined) {
        await execute(trx, 'DELETE FROM waiting_alerts WHERE id = ?', [String(row['id'])])
        continue
      }
      await execute(trx, 'UPDATE waiting_alerts SET next_at = ?, attempts = attempts + 1 WHERE id = ?', [until, String(row['id'])])
      claimed.push({
        id: String(row['id']), workspace: row['workspace_id'] as WorkspaceId, to,
        troubles: JSON.parse(String(row['troubles'])) as WaitingAlert['troubles'],
        raisedAt: instant(row['raised_at']), attempts: Number(row['attempts']),
      })
    }
    return claimed
  })

const recipientIn = async (trx: Queryable, box: SecretBox, row: Row): Promise<AlertRecipient | undefined> => {
  const [workspace, recipient] = [String(row['workspace_id']), String(row['recipient'])]
  if (recipient === CHANNEL) {
    const [channel] = await select(trx, 'SELECT url FROM alert_channels WHERE workspace_id = ?', [workspace])
    return channel === undefined ? undefined : { _tag: 'Channel', url: box.open(String(channel['url']), contextOf(workspace)) }
  }
  const [member] = await select(
    trx, `SELECT m.email, m.language FROM members m WHERE m.id = ? AND (m.is_operator = 1
       OR EXISTS (SELECT 1 FROM member_roles r WHERE r.member_id = m.id AND r.workspace_id = ?))`, [recipient, workspace],
  )
  if (member === undefined) return undefined
  const language = languageIn(member)
  return { _tag: 'Member', member: recipient as MemberId, email: String(member['email']), ...(language !== undefined && { language }) }
}

const tasks = portTasks('Alerts')
