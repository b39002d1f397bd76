import * as E from 'fp-ts/lib/Either.js'
import type * as TE from 'fp-ts/lib/TaskEither.js'
import type { PortFailure } from '../errors.js'
import type { EntryKind } from '../hold.js'
import type { Page, PageQuery } from '../page.js'
import type { Entry, Ledger } from '../ports/ledger.js'
import type { Instant } from '../time.js'
import type { WorkspaceId } from '../workspace.js'

/**
 * Reads the statement of a wallet, newest first: the movements of one kind, in a time.
 *
 * No index helps the kind, so a page looks at `LOOKED_AT` movements at most; it may then have fewer than asked for, or none, and still a `next`. The time is found
 * by the ids, which sort by it, and costs nothing.
 */
export type ReadStatement = (workspace: WorkspaceId, query: StatementQuery) => TE.TaskEither<PortFailure, Page<Entry>>

/** Which movements: of a kind, written at or after `since`, and before `until`. */
export type StatementQuery = PageQuery & { readonly kind?: EntryKind; readonly since?: Instant; readonly until?: Instant }

/** The most movements that one page looks at. */
const LOOKED_AT = 2_000
const READ_AT_ONCE = 200

/** Makes the use case of what it needs. */
export const makeReadStatement =
  ({ ledger }: { readonly ledger: Pick<Ledger, 'statement'> }): ReadStatement =>
  (workspace, { limit, cursor, kind, since, until }) =>
  async () => {
    const found: Array<Entry> = []
    let next = cursor ?? (until === undefined ? undefined : firstIdAt(until))
    for (let looked = 0; looked < LOOKED_AT; looked += READ_AT_ONCE) {
      const read = await ledger.statement(workspace, { limit: READ_AT_ONCE, ...(next !== undefined && { cursor: next }) })()
      if (E.isLeft(read)) return read
      const { items, next: further } = read.right
      const inTime = since === undefined ? items : items.filter(({ id }) => id >= firstIdAt(since))
      found.push(...inTime.filter((entry) => kind === undefined || entry.kind === kind))
      if (found.length > limit) return E.right({ items: found.slice(0, limit), next: found[limit - 1]?.id })
      if (further === undefined || inTime.length < items.length) return E.right({ items: found, next: undefined })
      next = further
    }
    return E.right({ items: found, next })
  }

/** The least text that an id of a moment can be: the milliseconds with which a UUIDv7 begins. */
const firstIdAt = (at: Instant): string => Math.max(0, at).toString(16).padStart(12, '0')
