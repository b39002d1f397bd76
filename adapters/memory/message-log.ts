import { createHash } from 'node:crypto'
import * as E from 'fp-ts/lib/Either.js'
import * as O from 'fp-ts/lib/Option.js'
import { portFailure, type PortFailure } from '../../core/kernel/failure.js'
import type { WorkspaceId } from '../../core/kernel/ids.js'
import type { Page } from '../../core/kernel/json.js'
import { reportedCategory } from '../../core/kernel/money.js'
import type { Along } from '../../core/kernel/outbox.js'
import type { Instant } from '../../core/kernel/time.js'
import {
  billedAs, type Claim, type Claimed, type Draft, isListed, isLookedAt, type MessageLog, type MessageQuery, type MovedMessage, type Opening, type Recategorised,
  sumBilled,
} from '../../core/messages/message-log.js'
import {
  appliedChange, type AppliedChange, applyChange, claimStands, type IdempotencyKey, keepsIdempotencyKey, type MessageId, type MessageRecord, openRecord,
  type PlatformId, type StateChange,
} from '../../core/messages/message.js'
import { type EventState, openEventState, storeEvents } from './event-state.js'
import { pageById } from './page.js'
import { atomic, infallible } from './task.js'

/** The messages of one workspace and the idempotency keys that guard them. */
export type WorkspaceMessages = {
  readonly records: Map<MessageId, MessageRecord>
  readonly byPlatformId: Map<PlatformId, MessageId>
  readonly claims: Map<IdempotencyKey, ClaimRecord>
  readonly keys: Map<MessageId, IdempotencyKey>
}

/** What a key stands for: a message, since when, and the SHA-256 digest of the request. */
export type ClaimRecord = { readonly by: MessageId; readonly at: Instant; readonly request: string }

/** The message log in memory. */
export const makeMemoryMessageLog = (
  shelves: Map<WorkspaceId, WorkspaceMessages> = new Map(), events: EventState = openEventState(),
): MessageLog => ({
  open: (draft) => atomic(() => open(messagesOf(shelves, draft.workspace), draft)),
  claimed: (workspace, claim, at) =>
    infallible(() => {
      const shelf = shelves.get(workspace)
      return O.fromNullable(shelf && guardedBy(shelf, claim, at))
    }),
  apply: (workspace, id, change, along) => infallible(() => changeMessage({ shelf: shelves.get(workspace), events }, id, change, along)),
  find: (workspace, by) =>
    infallible(() => {
      const shelf = shelves.get(workspace)
      const id = 'id' in by ? by.id : shelf?.byPlatformId.get(by.platformId)
      return O.fromNullable(id && shelf?.records.get(id))
    }),
  list: (workspace, query) => infallible(() => listed([...(shelves.get(workspace)?.records.values() ?? [])], query)),
  stale: ({ state, before, limit }) =>
    infallible(() =>
      [...shelves.values()]
        .flatMap(({ records }) => [...records.values()].filter((record) => record.state === state && record.createdAt < before))
        .sort((a, b) => a.createdAt - b.createdAt || (a.id < b.id ? -1 : 1))
        .slice(0, limit)
        .map(({ workspace, id }) => ({ workspace, id })),
    ),
  recategorised: () => infallible(() => recategorised(recordsIn(shelves))),
  billed: () => infallible(() => sumBilled(recordsIn(shelves).flatMap((record) => billedAs(record) ?? []))),
})

const listed = (records: ReadonlyArray<MessageRecord>, query: MessageQuery): Page<MessageRecord> => {
  const idOf = ({ id }: MessageRecord): string => id
  if (query.look === undefined) return pageById(records.filter((record) => isListed(query, record)), query, idOf)
  const look = pageById(records.filter((record) => isLookedAt(query, record)), { ...query, limit: query.look }, idOf)
  const page = pageById(look.items.filter((record) => isListed(query, record)), { limit: query.limit }, idOf)
  return page.next === undefined ? { ...page, next: look.next } : page
}

const recordsIn = (shelves: ReadonlyMap<WorkspaceId, WorkspaceMessages>): ReadonlyArray<MessageRecord> =>
  [...shelves.values()].flatMap(({ records }) => [...records.values()])

const recategorised = (records: ReadonlyArray<MessageRecord>): ReadonlyArray<Recategorised> => {
  const counts = new Map<string, Recategorised>()
  for (const { workspace, price: { category: charged }, pricing } of records) {
    const reported = reportedCategory(pricing)
    if (reported === undefined || reported === charged) continue
    const kind = [workspace, charged, reported].join(' ')
    counts.set(kind, { workspace, charged, reported, messages: (counts.get(kind)?.messages ?? 0) + 1 })
  }
  return [...counts.values()]
}

const open = (shelf: WorkspaceMessages, draft: Draft): E.Either<PortFailure, Opening> => {
  const { id, claim, at } = draft
  const guarded = claim && guardedBy(shelf, claim, at)
  if (guarded !== undefined) return E.right(guarded)
  if (shelf.records.has(id)) return E.left(portFailure('MessageLog')('a message of that id has been opened before'))
  shelf.records.set(id, openRecord(draft))
  if (claim !== undefined) {
    shelf.claims.set(claim.key, { by: id, at, request: digestOf(claim.request) })
    shelf.keys.set(id, claim.key)
  }
  return E.right({ _tag: 'Opened' })
}

const guardedBy = ({ claims, records }: WorkspaceMessages, { key, request }: Claim, now: Instant): Claimed | undefined => {
  const claim = claims.get(key)
  const by = claim && records.get(claim.by)
  return claim !== undefined && by !== undefined && claimStands(now, claim.at, by.state)
    ? { _tag: 'Claimed', by, sameRequest: claim.request === digestOf(request) }
    : undefined
}

/** Writes a change of a message by the rule of `applyChange`. */
export const changeMessage = (
  { shelf, events }: { readonly shelf: WorkspaceMessages | undefined; readonly events: EventState }, id: MessageId, change: StateChange,
  along: Along<MovedMessage> | undefined,
): O.Option<AppliedChange> => {
  const before = shelf?.records.get(id)
  if (shelf === undefined || before === undefined) return O.none
  const after = applyChange(before, change)
  if (along !== undefined && after.state !== before.state) storeEvents(events, along({ from: before.state, message: after }))
  shelf.records.set(id, after)
  if (after.platformId !== undefined) shelf.byPlatformId.set(after.platformId, id)
  if (!keepsIdempotencyKey(after.state)) free(shelf, id)
  return O.some(appliedChange(after))
}

/** Frees the key of a message; one that can still end unsent has never lost its key to another, so it is its own. */
const free = ({ claims, keys }: WorkspaceMessages, id: MessageId): void => {
  const key = keys.get(id)
  keys.delete(id)
  if (key !== undefined) claims.delete(key)
}

const messagesOf = (shelves: Map<WorkspaceId, WorkspaceMessages>, workspace: WorkspaceId): WorkspaceMessages => {
  const known = shelves.get(workspace)
  if (known !== undefined) return known
  const shelf: WorkspaceMessages = { records: new Map(), byPlatformId: new Map(), claims: new Map(), keys: new Map() }
  shelves.set(workspace, shelf)
  return shelf
}

const digestOf = (request: string): string => createHash('sha256').update(request).digest('base64')
