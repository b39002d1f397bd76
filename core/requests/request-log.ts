import * as E from 'fp-ts/lib/Either.js'
import * as O from 'fp-ts/lib/Option.js'
import type { PortFailure } from '../kernel/failure.js'
import type { WorkspaceId } from '../kernel/ids.js'
import type { Page, PageQuery } from '../kernel/page.js'
import { DAY_MS, type Instant } from '../kernel/time.js'

/**
 * A request to the API with a valid key, and its outcome. It never has the body or the recipient. The route is a pattern, because a path may contain a phone number.
 */
export type LoggedRequest = {
  /** 32 lowercase hexadecimal digits of a UUIDv7, created with the response. The request's own id is not used, because a client may send the same id again. */
  readonly id: string
  readonly workspace: WorkspaceId
  /** Its `X-Request-Id`, which may come from the client. */
  readonly requestId: string
  /** The id of the API key. */
  readonly key: string
  readonly method: string
  /** The pattern of its path, such as `/v1/windows/{to}`. */
  readonly route: string
  readonly status: number
  /** The code of the refusal, from the HTTP contract. */
  readonly code?: string
  /** The id of the message that it sent. */
  readonly message?: string
  readonly durationMs: number
  /** How many requests of the workspace this process dropped since the previous entry, because they exceeded the limit. */
  readonly leftOut?: number
  /** The time of the response. */
  readonly at: Instant
}

/** A request that was answered, before the recorder decides whether to keep it. */
export type AnsweredCall = Omit<LoggedRequest, 'at' | 'id' | 'leftOut'>

/** The latest kept requests of each workspace. */
export interface RequestLog {
  /** Stores entries, all or none. An entry whose id is already stored changes nothing. */
  readonly append: (entries: ReadonlyArray<LoggedRequest>) => Promise<E.Either<PortFailure, void>>
  /**
   * Entries of a workspace, newest first by id. A cursor continues where its page ended, even if entries were added since. An unknown cursor is not a failure.
   */
  readonly list: (workspace: WorkspaceId, query: RequestQuery) => Promise<E.Either<PortFailure, Page<LoggedRequest>>>
  /** An entry of a workspace by its id. */
  readonly find: (workspace: WorkspaceId, id: string) => Promise<E.Either<PortFailure, O.Option<LoggedRequest>>>
  /** Deletes at most `limit` entries that are older than a given time. Right: how many. */
  readonly removeOld: (before: Instant, limit: number) => Promise<E.Either<PortFailure, number>>
}

/**
 * The filters of a list; without filters, it has all entries.
 *
 * Only `requestId` needs an index. So `look` limits how many entries are read for a page before the filters are applied. The page may be short or empty, and its
 * `next` continues after the entries that were read.
 */
export type RequestQuery = PageQuery & {
  readonly requestId?: string
  readonly key?: string
  readonly code?: string
  /** Only refused requests, with a status of 400 or above. */
  readonly isRefused?: true
  readonly look?: number
}

/** Whether an entry matches the filters of a query. */
export const isListedRequest = ({ requestId, key, code, isRefused }: Omit<RequestQuery, 'limit'>, entry: LoggedRequest): boolean =>
  (requestId === undefined || entry.requestId === requestId) && (key === undefined || entry.key === key)
  && (code === undefined || entry.code === code) &&
    (isRefused === undefined || entry.status >= REFUSED)

/** A status of this value or above is a refusal. */
export const REFUSED = 400

/** How long entries are kept. */
export const REQUESTS_KEPT_MS = 7 * DAY_MS

/** The form of the id of an entry. */
const ENTRY_ID = /^[0-9a-f]{32}$/

/** How many entries are read for a page. */
export const REQUEST_LOOK = 20_000

/** Lists the requests of a workspace, newest first. */
export type ListRequests = (workspace: WorkspaceId, query: Omit<RequestQuery, 'look'>) => ReturnType<RequestLog['list']>

/** Finds a request of a workspace by the id of its entry. */
export type FindRequest = (workspace: WorkspaceId, id: string) => ReturnType<RequestLog['find']>

/** The reads of the request log. */
export type RequestUseCases = { readonly listRequests: ListRequests; readonly findRequest: FindRequest }

export const makeRequestUseCases = ({ requestLog }: { readonly requestLog: Pick<RequestLog, 'find' | 'list'> }): RequestUseCases => ({
  listRequests: (workspace, query) => requestLog.list(workspace, { ...query, look: REQUEST_LOOK }),
  findRequest: async (workspace, id) => (ENTRY_ID.test(id) ? requestLog.find(workspace, id) : E.right(O.none)),
})
