import type { TaskEither } from 'fp-ts/lib/TaskEither.js'
import type { CustomerId } from '../customer.js'
import type { PortFailure } from '../errors.js'
import type { Page, PageQuery } from '../page.js'
import type { Instant } from '../time.js'
import type { WorkspaceId } from '../workspace.js'

export type { CustomerId } from '../customer.js'
export type { PortFailure } from '../errors.js'
export type { Page, PageQuery } from '../page.js'
export type { Instant } from '../time.js'
export type { WorkspaceId } from '../workspace.js'

/** The customers of a workspace, by when they last wrote; over the same storage as `WindowClock`. */
export interface CustomerWindows {
  /**
   * The ids under which customers of a workspace wrote after a moment, each with what `WindowClock.lastInbound` answers for it, the latest first.
   *
   * A cursor continues after its page, even if customers wrote since; who wrote since is at the beginning then. The last page has no next, even if it is full.
   * An unknown cursor never fails.
   */
  readonly list: (workspace: WorkspaceId, query: CustomerWindowsQuery) => TaskEither<PortFailure, Page<CustomerWindow>>
}

/** Which ids to list: those that wrote after a moment. */
export type CustomerWindowsQuery = PageQuery & { readonly since: Instant }

/** When a customer last wrote under an id. */
export type CustomerWindow = { readonly customer: CustomerId; readonly lastInbound: Instant }

/** The cursor that continues after an id. */
export const windowCursorOf = ({ customer, lastInbound }: CustomerWindow): string => `${lastInbound}.${customer}`

/** The place that a cursor names; none where the text is no cursor. */
export const parseWindowCursor = (cursor: string): CustomerWindow | undefined => {
  const [, at, customer] = /^(\d{1,15})\.([A-Za-z0-9.]{1,135})$/.exec(cursor) ?? []
  return at === undefined || customer === undefined ? undefined : { lastInbound: Number(at), customer: customer as CustomerId }
}
