import * as E from 'fp-ts/lib/Either.js'
import type { WorkspaceId } from '../../core/kernel/ids.js'
import { type Page, pageOf, type PageQuery } from '../../core/kernel/json.js'
import type { Along } from '../../core/kernel/outbox.js'
import type { MovedMessage } from '../../core/messages/message-log.js'
import { applyChange, type MessageId, type MessageRecord, type MessageState, type NoSuchMessage, type NotUnconfirmed } from '../../core/messages/message.js'
import { checkResolution, type MessageMoney, moneyAgrees, type MoneyMismatch, type Resolution } from '../../core/money/ledger.js'
import type { HoldState } from '../../core/money/wallet.js'
import { applyChanges } from './apply-changes.js'
import type { Database } from './database.js'
import type { Dialect } from './dialect.js'
import { recordOf } from './message-rows.js'
import { portTasks } from './port-tasks.js'
import { type Queryable, select, textOrNone } from './sql.js'
import type { TransactEvents } from './transact-events.js'
import { walletWrites } from './wallet-writes.js'

/** The messages and their holds over SQL. It writes as the message log and the wallet do, in one transaction that locks the message first. */
export const makeMessageMoney = ({ db, dialect }: Database, transactEvents: TransactEvents): MessageMoney => {
  const [applying, moving] = [applyChanges(dialect), walletWrites(dialect)]
  return {
    resolve: (resolution, along) => tasks.either(() => resolve(resolution, along)),
    mismatches: (query) => tasks.value(() => mismatches(db, dialect, query)),
  }

  function resolve(resolution: Resolution, along: Along<MovedMessage> | undefined): Promise<E.Either<NoSuchMessage | NotUnconfirmed, MessageRecord>> {
    const { workspace, message: id, at, note } = resolution
    return transactEvents(async (trx, emit) => {
      const [row] = await select(trx, `SELECT * FROM messages WHERE workspace_id = ? AND id = ? ${dialect.forUpdate}`, [workspace, id])
      const [hold] = await select(trx, 'SELECT state FROM holds WHERE workspace_id = ? AND message_id = ?', [workspace, id])
      const message = row && recordOf(row)
      const change = checkResolution(message, hold?.['state'] as HoldState | undefined, resolution)
      if (E.isLeft(change)) return change
      if (message === undefined) return E.left({ _tag: 'NoSuchMessage', id })
      if (change.right === undefined) return E.right(message)
      const move = change.right.state === 'accepted' ? 'capture' : 'release'
      await applying.run(trx, [{ workspace, id, change: change.right, along }], true, emit)
      const [moved] = await moving.run(trx, [{ _tag: 'Move', move, workspace, message: id, at, known: undefined, note }], true, emit)
      if (moved instanceof Error) throw moved
      return E.right(applyChange(message, change.right))
    })
  }
}

/** Newest first within a workspace, since a crash leaves the newest; on MySQL in all workspaces, whose primary key is the id of the message alone. */
const mismatches = async (db: Queryable, dialect: Dialect, { limit, cursor }: PageQuery): Promise<Page<MoneyMismatch>> => {
  const { before, order } = dialect.name === 'mysql' ? MYSQL_WALK : WALK
  const [workspace = '', message = ''] = cursor?.split(' ') ?? []
  const place = dialect.name === 'mysql' ? [message] : [workspace, message]
  const rows = await select(
    db,
    `SELECT h.workspace_id, h.message_id, h.state AS hold, m.state AS state
     FROM (SELECT workspace_id, message_id, state FROM holds ${cursor === undefined ? '' : `WHERE ${before}`} ORDER BY ${order} LIMIT ?) h
     LEFT JOIN messages m ON m.workspace_id = h.workspace_id AND m.id = h.message_id ORDER BY ${order.replaceAll(/(\w+_id)/g, 'h.$1')}`,
    [...(cursor === undefined ? [] : place), limit + 1],
  )
  const read = rows.map((row): MoneyMismatch => ({
    workspace: row['workspace_id'] as WorkspaceId, message: row['message_id'] as MessageId, hold: row['hold'] as HoldState,
    state: textOrNone(row['state']) as MessageState | undefined,
  }))
  const { items, next } = pageOf(read, limit, (one) => `${one.workspace} ${one.message}`)
  return { items: items.filter((one) => !moneyAgrees(one.hold, one.state)), next }
}

const WALK = { before: '(workspace_id, message_id) < (?, ?)', order: 'workspace_id DESC, message_id DESC' }
const MYSQL_WALK = { before: 'message_id < ?', order: 'message_id DESC' }

const tasks = portTasks('MessageMoney')
