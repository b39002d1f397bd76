import * as O from 'fp-ts/lib/Option.js'
import * as TE from 'fp-ts/lib/TaskEither.js'
import {
  appliedChange, applyChange, billedAs, claimStands, entersHistory, errorCodeOf, firstMessageIdAt, isBilledOtherwise, isFreeType, isListed, isOutcomeUnknown, keepsIdempotencyKey, KEY_KEPT_MS, merge,
  openRecord, otherwiseBilled, reportedCategory, reportedType, sumBilled, type AppliedChange, type Billed, type Billing, type Category, type Claim,
  type Claimed, type CustomerId, type Draft, type HistoryEntry, type IdempotencyKey, type Instant, type JsonObject, type Message, type MessageFilters, type MessageId,
  type MessageKind, type MessageLog, type MessageProgress, type MessageQuery, type MessageRecord, type MessageRef, type MessagesTo, type MessageState,
  type NewMessage, type Opening, type Page, type PageQuery, type PlatformId, type PortFailure, type Price,
  type Recategorised, type StaleMessage, type StaleQuery, type StateChange, type WorkspaceId,
  type Along, type AlongEntry, type MovedMessage,
} from '../../../core/ports/message-log.js'

type Shelf = { readonly byId: Map<MessageId, MessageRecord>; readonly byPlatform: Map<PlatformId, MessageId>; readonly keys: Map<IdempotencyKey, Instant> }

const kindOf = (draft: NewMessage): MessageKind => openRecord(draft).kind
const lastOf = ({ history }: MessageProgress): HistoryEntry | undefined => history.at(-1)
const stateOf = ({ state }: AppliedChange): MessageState => state
const written = ({ to }: Message): CustomerId => to
const charged = ({ category }: Price): Category => category
const codeOf = (error: JsonObject | undefined): unknown => errorCodeOf(error)
const since = (records: ReadonlyArray<MessageRecord>, at: Instant): ReadonlyArray<MessageRecord> => records.filter(({ id }) => id >= firstMessageIdAt(at))
const toOne = (to: ReadonlyArray<MessagesTo>): MessageFilters => ({ to })
const listedTo = (to: ReadonlyArray<MessagesTo>, record: MessageRecord): boolean => isListed(toOne(to), record)
const sums = (records: ReadonlyArray<MessageRecord>): ReadonlyArray<Billed> => sumBilled(records.flatMap((record) => billedAs(record) ?? []))
const isFree = ({ pricing }: Billing): boolean => isFreeType(reportedType(pricing))
const placeOf = ({ cursor = '' }: PageQuery): string => cursor

export const messageLog = ({ byId, byPlatform, keys }: Shelf, records: ReadonlyArray<MessageRecord>): MessageLog => ({
  open: (draft: Draft): TE.TaskEither<PortFailure, Opening> => {
    const { id, message, claim } = draft
    const [by] = records
    if (claim !== undefined && by !== undefined && claimStands(KEY_KEPT_MS, keys.get(claim.key) ?? 0, by.state)) {
      return TE.right({ _tag: 'Claimed', by, sameRequest: kindOf(draft) === by.kind && written(message) === by.to })
    }
    return byId.has(id) ? TE.left({ _tag: 'PortFailure', port: 'MessageLog', cause: id }) : TE.right({ _tag: 'Opened' })
  },
  claimed: (_workspace: WorkspaceId, _claim: Claim, _at: Instant): TE.TaskEither<PortFailure, O.Option<Claimed>> => TE.right(O.none),
  apply: (_workspace: WorkspaceId, id: MessageId, change: StateChange): TE.TaskEither<PortFailure, O.Option<AppliedChange>> => {
    const before = byId.get(id)
    if (before === undefined || codeOf(change.error) === 0) return TE.right(O.none)
    const after = applyChange(before, change)
    const isLast = entersHistory(before.state, change.state) && lastOf(after)?.state === merge(before.state, change.state)
    return TE.right(isLast || keepsIdempotencyKey(stateOf(after)) || isOutcomeUnknown(stateOf(after)) ? O.some(appliedChange(after)) : O.none)
  },
  find: (_workspace: WorkspaceId, by: MessageRef): TE.TaskEither<PortFailure, O.Option<MessageRecord>> => {
    const id = 'id' in by ? by.id : byPlatform.get(by.platformId)
    return TE.right(O.fromNullable(id && byId.get(id)))
  },
  list: (_workspace: WorkspaceId, query: MessageQuery): TE.TaskEither<PortFailure, Page<MessageRecord>> =>
    TE.right({ items: since(records, query.from ?? 0).filter(({ id }) => id > placeOf(query)), next: undefined }),
  stale: ({ limit }: StaleQuery): TE.TaskEither<PortFailure, ReadonlyArray<StaleMessage>> =>
    TE.right(records.slice(0, limit).map(({ workspace, id }): StaleMessage => ({ workspace, id }))),
  recategorised: (): TE.TaskEither<PortFailure, ReadonlyArray<Recategorised>> =>
    TE.right(records.map(({ workspace, price, pricing }): Recategorised => ({ workspace, charged: charged(price), reported: reportedCategory(pricing) ?? 'none', messages: 1 }))),
  billed: () => TE.right(sums(records.filter(isBilledOtherwise).filter(isFree)).filter((one) => otherwiseBilled(one) > 0)),
})

export const listed = listedTo

/** The events of a write, made of its outcome. */
export const eventsAlong = (along: Along<MovedMessage>, outcome: MovedMessage): ReadonlyArray<AlongEntry> => along(outcome)
