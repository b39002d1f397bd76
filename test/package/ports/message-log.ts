import * as O from 'fp-ts/lib/Option.js'
import * as TE from 'fp-ts/lib/TaskEither.js'
import {
  claimStands, guardsKey, isOpenEnded, isRemembered, KEY_KEPT_MS, merge, type Category, type Change, type Claim, type Claimed, type Draft,
  type IdempotencyKey, type Instant, type JsonObject, type Message, type MessageId, type MessageLog, type MessageQuery, type MessageRecord,
  type MessageRef, type MessageState, type Opening, type Page, type PageQuery, type PhoneNumber, type PlatformId, type PortFailure, type Price,
  type Recategorised, type StaleMessage, type StaleQuery, type WorkspaceId,
} from '../../../core/ports/message-log.js'

type Shelf = { readonly byId: Map<MessageId, MessageRecord>; readonly byPlatform: Map<PlatformId, MessageId>; readonly keys: Map<IdempotencyKey, Instant> }

const kindOf = ({ _tag }: Message): MessageRecord['kind'] => (_tag === 'Text' ? 'text' : 'template')
const written = ({ to }: Message): PhoneNumber => to
const charged = ({ category }: Price): Category => category
const codeOf = (error: JsonObject | undefined): unknown => error?.['code']
const placeOf = ({ cursor = '' }: PageQuery): string => cursor

export const messageLog = ({ byId, byPlatform, keys }: Shelf, records: ReadonlyArray<MessageRecord>): MessageLog => ({
  open: ({ id, message, claim }: Draft): TE.TaskEither<PortFailure, Opening> => {
    const [by] = records
    if (claim !== undefined && by !== undefined && claimStands(KEY_KEPT_MS, keys.get(claim.key) ?? 0, by.state)) {
      return TE.right({ _tag: 'Claimed', by, sameRequest: kindOf(message) === by.kind && written(message) === by.to })
    }
    return byId.has(id) ? TE.left({ _tag: 'PortFailure', port: 'MessageLog', cause: id }) : TE.right({ _tag: 'Opened' })
  },
  claimed: (_workspace: WorkspaceId, _claim: Claim, _at: Instant): TE.TaskEither<PortFailure, O.Option<Claimed>> => TE.right(O.none),
  settle: (_workspace: WorkspaceId, id: MessageId, change: Change): TE.TaskEither<PortFailure, O.Option<MessageState>> => {
    const before = byId.get(id)
    if (before === undefined || codeOf(change.error) === 0) return TE.right(O.none)
    const after: MessageState = isRemembered(before.state, change.state) ? merge(before.state, change.state) : before.state
    return TE.right(guardsKey(after) || isOpenEnded(after) ? O.some(after) : O.none)
  },
  find: (_workspace: WorkspaceId, by: MessageRef): TE.TaskEither<PortFailure, O.Option<MessageRecord>> => {
    const id = 'id' in by ? by.id : byPlatform.get(by.platformId)
    return TE.right(O.fromNullable(id && byId.get(id)))
  },
  list: (_workspace: WorkspaceId, query: MessageQuery): TE.TaskEither<PortFailure, Page<MessageRecord>> =>
    TE.right({ items: records.filter(({ id }) => id > placeOf(query)), next: undefined }),
  stale: ({ limit }: StaleQuery): TE.TaskEither<PortFailure, ReadonlyArray<StaleMessage>> =>
    TE.right(records.slice(0, limit).map(({ workspace, id }): StaleMessage => ({ workspace, id }))),
  recategorised: (): TE.TaskEither<PortFailure, ReadonlyArray<Recategorised>> =>
    TE.right(records.map(({ workspace, price }): Recategorised => ({ workspace, charged: charged(price), reported: 'utility', messages: 1 }))),
})
