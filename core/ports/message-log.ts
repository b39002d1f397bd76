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
   * whether its request was the same; nothing was written. Of concurrent opens with one key exactly one is `Opened`. Keys
   * compare exactly, letter case too, and each workspace has its own. An id that was opened before is a `PortFailure`.
   * Left: nothing was written, or it may have been.
   */
  readonly open: (draft: Draft) => TaskEither<PortFailure, Opening>
  /** The message that a key guards at a moment, as `open` would tell it; none where the key is free. Nothing is written. */
  readonly claimed: (workspace: WorkspaceId, claim: Claim, at: Instant) => TaskEither<PortFailure, Option<Claimed>>
  /**
   * Notes a change of a message (`merge` and `isRemembered` are the rules). Right: the state afterwards, none where there is
   * no such message in the workspace.
   *
   * Noting a change again, or late, moves nothing back. The platform's id and `pricing` are kept from the first change that
   * brings them, even one that comes too late to move the state: a late acceptance still brings the id. An error belongs to
   * the state it explains, and goes when the message moves on. The key is freed where the message ends refused or released
   * (`guardsKey`); once freed it stays free, whatever is heard of the message later. Concurrent changes merge as in any order.
   */
  readonly settle: (workspace: WorkspaceId, id: MessageId, change: Change) => TaskEither<PortFailure, Option<MessageState>>
  /** One message of a workspace, by our id or the platform's, which compare exactly. A message is never found from another workspace. */
  readonly find: (workspace: WorkspaceId, by: MessageRef) => TaskEither<PortFailure, Option<MessageRecord>>
  /**
   * A workspace's messages, newest first by their ids; empty where the workspace does not exist.
   *
   * A page's cursor is the id of its last message, and goes on where the page ended, whatever was written since. A cursor
   * that is none of ours is compared as an id would be, and never fails. A page with every message that is left has no next.
   */
  readonly list: (workspace: WorkspaceId, query: MessageQuery) => TaskEither<PortFailure, Page<MessageRecord>>
  /** The oldest messages in a state of unknown outcome that were opened before a moment, oldest first, of all workspaces. */
  readonly stale: (query: StaleQuery) => TaskEither<PortFailure, ReadonlyArray<StaleMessage>>
  /** How many messages of each workspace the platform's `pricing.category` bills in another category than they were charged in. */
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

/** What became of an open: the message is durable, or its key guards another one. */
export type Opening = { readonly _tag: 'Opened' } | Claimed

/** A key guards another message; `sameRequest` says whether it stands for the same request. */
export type Claimed = { readonly _tag: 'Claimed'; readonly by: MessageRecord; readonly sameRequest: boolean }

/** What names a message of a workspace: our id or the platform's. */
export type MessageRef = { readonly id: MessageId } | { readonly platformId: PlatformId }

/** Which messages to list: all of a workspace, or those to one customer, in one state, or both. */
export type MessageQuery = PageQuery & { readonly to?: PhoneNumber; readonly state?: MessageState }

/** Which messages to list whose outcome nobody learnt: in a state, opened before a moment, at most so many. */
export type StaleQuery = { readonly state: 'pending' | 'unconfirmed'; readonly before: Instant; readonly limit: number }

/** Messages charged in one category of which the platform's `pricing.category` names another. */
export type Recategorised = {
  readonly workspace: WorkspaceId
  readonly charged: Category
  readonly reported: string
  readonly messages: number
}

/** A message whose outcome nobody learnt. */
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
  /**
   * The states it was heard to be in and when, by those moments, oldest first; each appears once, `pending` at `createdAt` among them.
   *
   * `isRemembered` says which are kept, so one that came too late to move the state may be among them. Of two that share a moment the one
   * that leads to the other stands first.
   */
  readonly history: ReadonlyArray<{ readonly state: MessageState; readonly at: Instant }>
}
