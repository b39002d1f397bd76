import * as E from 'fp-ts/lib/Either.js'
import * as TE from 'fp-ts/lib/TaskEither.js'
import { pipe } from 'fp-ts/lib/function.js'
import { portFailure, type InsufficientBalance, type PortFailure } from '../../core/errors.js'
import type { HoldState } from '../../core/hold.js'
import type { MessageId } from '../../core/message.js'
import type { Page, PageQuery, SettleHold, StaleHold, Wallet } from '../../core/ports/wallet.js'
import type { WorkspaceId } from '../../core/workspace.js'
import { writeBooks, type BooksItem, type Move } from './books.js'
import type { Database } from './database.js'
import type { GroupCommit } from './group-commit.js'
import { select } from './sql.js'

/** The wallet over SQL. */
export const makeWallet = ({ knex, dialect }: Database, { write }: GroupCommit): Wallet => {
  const books = writeBooks(dialect)
  return {
    hold: (hold) => pipe(booked({ _tag: 'Hold', ...hold }), TE.map(() => undefined)),
    capture: moving('capture'),
    release: moving('release'),
    refund: moving('refund'),
    stale: ({ before, limit, cursor }) => TE.tryCatch(() => stale(before, limit, cursor), failure),
  }

  function moving(move: Move['move']): SettleHold {
    return (of) => pipe(booked({ _tag: 'Move', move, ...of }), TE.mapLeft((left) => (left._tag === 'PortFailure' ? left : failure(left))))
  }

  function booked(item: BooksItem): TE.TaskEither<InsufficientBalance | PortFailure, HoldState | undefined> {
    return pipe(
      TE.tryCatch(() => write(books, item), failure),
      TE.flatMapEither(E.mapLeft((left) => (left instanceof Error ? failure(left) : left))),
    )
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

/** A place in the list of open holds: the moment one was made, and its message where several were. */
const readCursor = (cursor: PageQuery['cursor']): { readonly since: number; readonly message: string } => {
  const [since, message] = cursor?.split('.') ?? []
  return { since: Number.isSafeInteger(Number(since)) ? Number(since) : -1, message: message ?? '' }
}

const failure = portFailure('Wallet')

