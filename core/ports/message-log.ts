import type { Option } from 'fp-ts/lib/Option.js'
import type { TaskEither } from 'fp-ts/lib/TaskEither.js'
import type { Change, MessageState } from '../delivery.js'
import type { PortFailure } from '../errors.js'
import type { IdempotencyKey } from '../idempotency.js'
import type { JsonObject } from '../json.js'
import type { Message, MessageId, PhoneNumber, PlatformId } from '../message.js'
import type { Page, PageQuery } from '../page.js'
import type { Category, Price } from '../rate-card.js'
import type { Instant } from '../time.js'
import type { WorkspaceId } from '../workspace.js'

export { guardsKey, isOpenEnded, isRemembered, merge } from '../delivery.js'
export type { Change, MessageState } from '../delivery.js'
export type { PortFailure } from '../errors.js'
export { claimStands, KEY_KEPT_MS } from '../idempotency.js'
export type { IdempotencyKey } from '../idempotency.js'
export type { JsonObject } from '../json.js'
export type { Message, MessageId, PhoneNumber, PlatformId } from '../message.js'
export type { Page, PageQuery } from '../page.js'
export type { Category, Price } from '../rate-card.js'
export type { Instant } from '../time.js'
export type { WorkspaceId } from '../workspace.js'

/** Every outbound message and what became of it. The text of a message and a template's variables are never stored. */
export interface MessageLog {
  /**
   * Makes a message durable as `pending` and claims its idempotency key, if it has one, in one step.
   *
   * Right `Opened`: both are done. Right `Claimed`: the key guards another message (`claimStands` is the rule), told with
   * whether its request was the same; nothing was written. Of concurrent opens with one key exactly one is `Opened`.
   * Left: nothing was written, or it may have been.
   */
  readonly open: (draft: Draft) => TaskEither<PortFailure, Opening>
  /** The message that a key guards at a moment, as `open` would tell it; none where the key is free. Nothing is written. */
  readonly claimed: (workspace: WorkspaceId, claim: Claim, at: Instant) => TaskEither<PortFailure, Option<Claimed>>
  /**
   * Notes a change of a message (`merge` and `isRemembered` are the rules); its key is freed where it ends refused or
   * released. Noting it again, or late, changes nothing. Right: the state afterwards, none where there is no such message.
   */
  readonly settle: (workspace: WorkspaceId, id: MessageId, change: Change) => TaskEither<PortFailure, Option<MessageState>>
  /** One message of a workspace, by our id or the platform's. A message is never found from another workspace. */
  readonly find: (workspace: WorkspaceId, by: MessageRef) => TaskEither<PortFailure, Option<MessageRecord>>
  /** A workspace's messages, newest first. A page's cursor goes on where the page ended, whatever was written since. */
  readonly list: (workspace: WorkspaceId, query: MessageQuery) => TaskEither<PortFailure, Page<MessageRecord>>
  /** Messages in a state of unknown outcome that were opened before a moment, oldest first, of all workspaces. */
  readonly stale: (query: StaleQuery) => TaskEither<PortFailure, ReadonlyArray<StaleMessage>>
  /** How many messages of each workspace the platform bills in another category than they were charged in. */
  readonly recategorised: () => TaskEither<PortFailure, ReadonlyArray<Recategorised>>
}

/** A message about to be opened. `message` is given for its kind and target: an adapter does not store its body. */
export type Draft = {
  readonly id: MessageId
  readonly workspace: WorkspaceId
  readonly message: Message
  readonly price: Price
  readonly at: Instant
  readonly claim?: Claim
}

/** An idempotency key and the text of the request it stands for, of which an adapter keeps a digest only. */
export type Claim = { readonly key: IdempotencyKey; readonly request: string }

export type Opening = { readonly _tag: 'Opened' } | Claimed

/** A key guards another message; `sameRequest` says whether it stands for the same request. */
export type Claimed = { readonly _tag: 'Claimed'; readonly by: MessageRecord; readonly sameRequest: boolean }

export type MessageRef = { readonly id: MessageId } | { readonly platformId: PlatformId }

export type MessageQuery = PageQuery & { readonly to?: PhoneNumber; readonly state?: MessageState }

export type StaleQuery = { readonly state: 'pending' | 'unconfirmed'; readonly before: Instant; readonly limit: number }

/** Messages charged in one category of which the platform's `pricing.category` names another. */
export type Recategorised = {
  readonly workspace: WorkspaceId
  readonly charged: Category
  readonly reported: string
  readonly messages: number
}

export type StaleMessage = { readonly workspace: WorkspaceId; readonly id: MessageId }

/** A message as it is remembered. */
export type MessageRecord = {
  readonly id: MessageId
  readonly workspace: WorkspaceId
  readonly platformId: PlatformId | undefined
  readonly kind: 'text' | 'template'
  readonly to: PhoneNumber
  readonly state: MessageState
  readonly price: Price
  readonly templateName: string | undefined
  readonly language: string | undefined
  readonly error: JsonObject | undefined
  /** What the platform reported on billing, as it said it. */
  readonly pricing: JsonObject | undefined
  readonly createdAt: Instant
  /** The states it has been in and when, oldest first; each appears once. */
  readonly history: ReadonlyArray<{ readonly state: MessageState; readonly at: Instant }>
}
