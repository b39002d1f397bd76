import * as E from 'fp-ts/lib/Either.js'
import * as O from 'fp-ts/lib/Option.js'
import type { PortFailure } from '../kernel/failure.js'
import type { WorkspaceId } from '../kernel/ids.js'
import type { Page, PageQuery } from '../kernel/json.js'
import { DAY_MS, type Instant } from '../kernel/time.js'

/**
 * A call of the API with a key that works, as it was answered: never what it said, nor for whom it was. The route is a pattern, since a path may have a phone number.
 */
export type LoggedRequest = {
  /** 32 lowercase hexadecimal digits of a UUIDv7, made when the call was answered. The id of the request cannot be it: a client may give the same one again. */
  readonly id: string
  readonly workspace: WorkspaceId
  /** Its `X-Request-Id`, which the client may have chosen. */
  readonly requestId: string
  /** The id of the API key. */
  readonly key: string
  readonly method: string
  /** The pattern of its address, such as `/v1/windows/{to}`. */
  readonly route: string
  readonly status: number
  /** Why it was refused, as a code of the HTTP contract. */
  readonly code?: string
  /** The id of the message that it sent. */
  readonly message?: string
  readonly durationMs: number
  /** How many calls of the workspace this process left out since the entry before, because more came than are kept. */
  readonly leftOut?: number
  /** When it was answered. */
  readonly at: Instant
}

/** A call of the API that was answered, before it is known whether it is kept. */
export type AnsweredCall = Omit<LoggedRequest, 'at' | 'id' | 'leftOut'>

/** The latest calls of each workspace, as far as they were kept. */
export interface RequestLog {
  /** Stores entries, all or none. An entry whose id is stored already changes nothing. */
  readonly append: (entries: ReadonlyArray<LoggedRequest>) => Promise<E.Either<PortFailure, void>>
  /**
   * Entries of a workspace, newest first, by the order of their ids. A cursor continues where its page ended, even if entries were added since. An unknown cursor
   * never fails.
   */
  readonly list: (workspace: WorkspaceId, query: RequestQuery) => Promise<E.Either<PortFailure, Page<LoggedRequest>>>
  /** An entry of a workspace by its id. */
  readonly find: (workspace: WorkspaceId, id: string) => Promise<E.Either<PortFailure, O.Option<LoggedRequest>>>
  /** Deletes entries from before a moment; at most `limit`. Right: how many. */
  readonly removeOld: (before: Instant, limit: number) => Promise<E.Either<PortFailure, number>>
}

/**
 * Which entries are listed; all where nothing is given.
 *
 * No index need answer the other filters than `requestId`. So with `look`, a page is made of so many entries at most, the filters notwithstanding: it may then be
 * short or empty, and its `next` goes on behind them.
 */
export type RequestQuery = PageQuery & {
  readonly requestId?: string
  readonly key?: string
  readonly code?: string
  /** Only those that were refused: with a status from 400 on. */
  readonly isRefused?: true
  readonly look?: number
}

/** Whether the filters of a query let an entry through. */
export const isListedRequest = ({ requestId, key, code, isRefused }: Omit<RequestQuery, 'limit'>, entry: LoggedRequest): boolean =>
  (requestId === undefined || entry.requestId === requestId) && (key === undefined || entry.key === key) && (code === undefined || entry.code === code) &&
  (isRefused === undefined || entry.status >= REFUSED)

/** The statuses from here on are refusals. */
export const REFUSED = 400

/** How long entries are kept. */
export const REQUESTS_KEPT_MS = 7 * DAY_MS

/** The form of the id of an entry. */
const ENTRY_ID = /^[0-9a-f]{32}$/

/** How many entries are looked at for a page. */
export const REQUEST_LOOK = 20_000

/** Lists the calls of a workspace, newest first. */
export type ListRequests = (workspace: WorkspaceId, query: Omit<RequestQuery, 'look'>) => ReturnType<RequestLog['list']>

/** Finds a call of a workspace by the id of its entry. */
export type FindRequest = (workspace: WorkspaceId, id: string) => ReturnType<RequestLog['find']>

/** The reads of the request log. */
export type RequestUseCases = { readonly listRequests: ListRequests; readonly findRequest: FindRequest }

export const makeRequestUseCases = ({ requestLog }: { readonly requestLog: Pick<RequestLog, 'find' | 'list'> }): RequestUseCases => ({
  listRequests: (workspace, query) => requestLog.list(workspace, { ...query, look: REQUEST_LOOK }),
  findRequest: async (workspace, id) => (ENTRY_ID.test(id) ? requestLog.find(workspace, id) : E.right(O.none)),
})
