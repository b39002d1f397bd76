import type { Option } from 'fp-ts/lib/Option.js'
import type { TaskEither } from 'fp-ts/lib/TaskEither.js'
import type { StateChange, MessageState } from '../message-state.js'
import type { PortFailure } from '../errors.js'
import type { IdempotencyKey } from '../idempotency.js'
import type { MessageId, PlatformId } from '../message.js'
import type { PhoneNumber } from '../phone-number.js'
import type { AppliedChange, MessageRecord, NewMessage } from '../message-record.js'
import type { Page, PageQuery } from '../page.js'
import type { Category } from '../rate-card.js'
import type { Instant } from '../time.js'
import type { WorkspaceId } from '../workspace.js'

export { keepsIdempotencyKey, isOutcomeUnknown, entersHistory, merge } from '../message-state.js'
export type { StateChange, MessageState } from '../message-state.js'
export type { PortFailure } from '../errors.js'
export { claimStands, KEY_KEPT_MS } from '../idempotency.js'
export type { IdempotencyKey } from '../idempotency.js'
export type { JsonObject } from '../json.js'
export type { Message, MessageId, PlatformId } from '../message.js'
export type { PhoneNumber } from '../phone-number.js'
export { applyChange, appliedChange, openRecord } from '../message-record.js'
export type { AppliedChange, HistoryEntry, MessageKind, MessageProgress, MessageRecord, NewMessage } from '../message-record.js'
export type { Page, PageQuery } from '../page.js'
export type { Category, Price } from '../rate-card.js'
export type { Instant } from '../time.js'
export type { WorkspaceId } from '../workspace.js'

/** Every outbound message and what became of it. The text of a message and a template's variables are never stored. */
export interface MessageLog {
  /**
   * Makes a message durable as `pending` and claims its idempotency key, if it has one, in one step.
   *
   * Right `Opened`: both are done. Right `Claimed`: the key guards another message (`claimStands` is the rule), and
   * `sameRequest` says whether its request was the same; nothing was written. Of concurrent opens with one key exactly one is `Opened`. Keys
   * compare exactly, letter case too, and each workspace has its own. An id that was opened before is a `PortFailure`.
   * Left: nothing was written, or it may have been.
   */
  readonly open: (draft: Draft) => TaskEither<PortFailure, Opening>
  /** The message that a key guards at a moment, as `open` would answer it; none where the key is free. Nothing is written. */
  readonly claimed: (workspace: WorkspaceId, claim: Claim, at: Instant) => TaskEither<PortFailure, Option<Claimed>>
  /**
   * Writes a change of a message (`applyChange` is the rule). Right: the state and the platform's id
   * afterwards, none where there is no such message in the workspace.
   *
   * A change that names another platform id than the recorded one changes nothing. One that is repeated, or late, moves nothing back. The platform's id and `pricing` are kept from the first change that
   * brings them, even one that comes too late to move the state: a late acceptance still brings the id. An error belongs to
   * the state it explains, and goes when the message moves on. The key is freed where the message ends refused or released
   * (`keepsIdempotencyKey`); once freed it stays free, also when the message moves on later. Concurrent changes merge as in any order.
   */
  readonly apply: (workspace: WorkspaceId, id: MessageId, change: StateChange) => TaskEither<PortFailure, Option<AppliedChange>>
  /** One message of a workspace, by our id or the platform's, which compare exactly. A message is never found from another workspace. */
  readonly find: (workspace: WorkspaceId, by: MessageRef) => TaskEither<PortFailure, Option<MessageRecord>>
  /**
   * A workspace's messages, newest first by their ids; empty where the workspace does not exist.
   *
   * A page's cursor is the id of its last message, and goes on where the page ended, also when messages were written since. A cursor
   * that is none of ours is compared as an id would be, and never fails. The last page has no next, also where it is full.
   */
  readonly list: (workspace: WorkspaceId, query: MessageQuery) => TaskEither<PortFailure, Page<MessageRecord>>
  /** The oldest messages in a state of unknown outcome that were opened before a moment, oldest first, of all workspaces. */
  readonly stale: (query: StaleQuery) => TaskEither<PortFailure, ReadonlyArray<StaleMessage>>
  /** How many messages of each workspace the platform's `pricing.category` bills in another category than they were charged in. */
  readonly recategorised: () => TaskEither<PortFailure, ReadonlyArray<Recategorised>>
}

/** A message about to be opened. `message` is given for its kind and target: an adapter does not store its body. */
export type Draft = NewMessage & { readonly claim?: Claim }

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

/** Which messages of unknown outcome to list: in a state, opened before a moment, at most `limit`. */
export type StaleQuery = { readonly state: 'pending' | 'unconfirmed'; readonly before: Instant; readonly limit: number }

/** Messages charged in one category of which the platform's `pricing.category` names another. */
export type Recategorised = {
  readonly workspace: WorkspaceId
  readonly charged: Category
  readonly reported: string
  readonly messages: number
}

/** A message whose outcome is unknown. */
export type StaleMessage = { readonly workspace: WorkspaceId; readonly id: MessageId }
