import * as E from 'fp-ts/lib/Either.js'
import type { WorkspaceId } from '../../core/kernel/ids.js'
import { type Page, pageOf, type PageQuery } from '../../core/kernel/json.js'
import type { MessageId } from '../../core/messages/message.js'
import type { HoldState, MoveHold, StaleHold, Wallet, WalletAlert } from '../../core/money/wallet.js'
import type { Database } from './database.js'
import type { GroupCommit } from './group-commit.js'
import { portTasks } from './port-tasks.js'
import { select } from './sql.js'
import { holdKey, type KnownHold, type Move, type WalletWriteResult, walletWrites } from './wallet-writes.js'

/** The wallet over SQL. `onAlert` is called after the commit of a hold that raised an alert. */
export const makeWallet = ({ db, dialect }: Database, { write }: GroupCommit, onAlert?: (alert: WalletAlert) => void): Wallet => {
  const walletWrite = walletWrites(dialect)
  /** The holds that this process made and has not moved. */
  const made = new Map<string, KnownHold>()
  return {
    hold: (hold, along) => tasks.either(async () => {
      const { answer, alert } = await write(walletWrite, { _tag: 'Hold', ...hold, ...(along !== undefined && { along }) })
      if (alert !== undefined) onAlert?.(alert)
      if (E.isLeft(answer)) return answer
      // A right without a state means that the message already had a hold, perhaps of another amount.
      if (answer.right !== undefined) remember(holdKey(hold), { amount: hold.amount.micros, createdAt: hold.at, key: hold.spending?.key })
      return HELD
    }),
    capture: makeMove('capture'),
    release: makeMove('release'),
    refund: makeMove('refund'),
    holdOf: ({ workspace, message }) => tasks.value(async () => {
      const [row] = await select(db, 'SELECT state FROM holds WHERE workspace_id = ? AND message_id = ?', [workspace, message])
      return row?.['state'] as HoldState | undefined
    }),
    stale: ({ before, limit, cursor }) => tasks.value(() => stale(before, limit, cursor)),
  }

  function makeMove(move: Move['move']): MoveHold {
    return ({ workspace, message, at, note }) => tasks.value(async () => {
      const key = holdKey({ workspace, message })
      const known = made.get(key)
      made.delete(key)
      return stateIn(await write(walletWrite, { _tag: 'Move', move, workspace, message, at, known, ...(note !== undefined && { note }) }))
    })
  }

  function remember(key: string, hold: KnownHold): void {
    if (made.size >= MAX_REMEMBERED) made.clear()
    made.set(key, hold)
  }

  async function stale(before: number, limit: number, cursor: string | undefined): Promise<Page<StaleHold>> {
    const after = readCursor(cursor)
    const rows = await select(
      db,
      `SELECT workspace_id, message_id, open_since FROM holds
       WHERE open_since < ? AND (open_since > ? OR (open_since = ? AND message_id > ?)) ORDER BY open_since, message_id LIMIT ?`,
      [before, after.since, after.since, after.message, limit + 1],
    )
    const { items, next } = pageOf(rows, limit, (row) => `${row['open_since']}.${row['message_id']}`)
    return { items: items.map((row) => ({ workspace: row['workspace_id'] as WorkspaceId, message: row['message_id'] as MessageId })), next }
  }
}

/** The most holds that are remembered. Any other hold is read from the database. */
const MAX_REMEMBERED = 10_000

/** The cursor of a page of open holds: the moment and the message of the last hold. */
const readCursor = (cursor: PageQuery['cursor']): { readonly since: number; readonly message: string } => {
  const [since, message] = cursor?.split('.') ?? []
  return { since: Number.isSafeInteger(Number(since)) ? Number(since) : -1, message: message ?? '' }
}

const stateIn = ({ answer }: WalletWriteResult): HoldState | undefined => {
  if (E.isLeft(answer)) throw new Error('a move of a hold cannot fail for lack of money')
  return answer.right
}

const HELD = E.right(undefined)

const tasks = portTasks('Wallet')
