import * as E from 'fp-ts/lib/Either.js'
import type { HoldState } from '../../core/hold.js'
import type { MessageId } from '../../core/message.js'
import type { Page, PageQuery, SettleHold, StaleHold, Wallet } from '../../core/ports/wallet.js'
import type { WorkspaceId } from '../../core/workspace.js'
import { attemptOf } from './attempt.js'
import { holdKey, writeBooks, type BooksAnswer, type Move } from './books.js'
import type { Database } from './database.js'
import type { GroupCommit } from './group-commit.js'
import { select } from './sql.js'

/** The wallet over SQL. */
export const makeWallet = ({ knex, dialect }: Database, { write }: GroupCommit): Wallet => {
  const books = writeBooks(dialect)
  /** What the holds come to that this process made and has not moved: a hold's amount never changes. */
  const made = new Map<string, bigint>()
  return {
    hold: (hold) => attempt.either(async () => {
      const answer = await write(books, { _tag: 'Hold', ...hold })
      if (E.isLeft(answer)) return answer
      // Right without a state: there was one before, at a price of its own.
      if (answer.right !== undefined) remember(holdKey(hold), hold.amount.micros)
      return HELD
    }),
    capture: moving('capture'),
    release: moving('release'),
    refund: moving('refund'),
    stale: ({ before, limit, cursor }) => attempt.value(() => stale(before, limit, cursor)),
  }

  function moving(move: Move['move']): SettleHold {
    return ({ workspace, message, at }) => attempt.value(async () => {
      const key = holdKey({ workspace, message })
      const amount = made.get(key)
      made.delete(key)
      return stateIn(await write(books, { _tag: 'Move', move, workspace, message, at, amount }))
    })
  }

  function remember(key: string, amount: bigint): void {
    if (made.size >= REMEMBERED) made.clear()
    made.set(key, amount)
  }

  async function stale(before: number, limit: number, cursor: string | undefined): Promise<Page<StaleHold>> {
    const after = readCursor(cursor)
    const rows = await select(
      knex,
      `SELECT workspace_id, message_id, open_since FROM holds
       WHERE open_since < ? AND (open_since > ? OR (open_since = ? AND message_id > ?)) ORDER BY open_since, message_id LIMIT ?`,
      [before, after.since, after.since, after.message, limit + 1],
    )
    const last = rows[limit - 1]
    return {
      items: rows.slice(0, limit).map((row) => ({ workspace: row['workspace_id'] as WorkspaceId, message: row['message_id'] as MessageId })),
      next: rows.length > limit && last !== undefined ? `${last['open_since']}.${last['message_id']}` : undefined,
    }
  }
}

/** How many holds are remembered at most; one that is forgotten is looked up. */
const REMEMBERED = 10_000

/** A place in the list of open holds: the moment one was made, and its message where several were. */
const readCursor = (cursor: PageQuery['cursor']): { readonly since: number; readonly message: string } => {
  const [since, message] = cursor?.split('.') ?? []
  return { since: Number.isSafeInteger(Number(since)) ? Number(since) : -1, message: message ?? '' }
}

const stateIn = (answer: BooksAnswer): HoldState | undefined => {
  if (E.isLeft(answer)) throw new Error('a move of a hold never wants for money')
  return answer.right
}

const HELD = E.right(undefined)

const attempt = attemptOf('Wallet')
