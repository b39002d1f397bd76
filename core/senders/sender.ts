import * as E from 'fp-ts/lib/Either.js'
import * as O from 'fp-ts/lib/Option.js'
import type { PortFailure } from '../kernel/failure.js'
import type { InboxId, WorkspaceId } from '../kernel/ids.js'
import type { JsonObject } from '../kernel/json.js'
import type { MakeOutboxEntries, NewEvent } from '../kernel/outbox.js'
import { DAY_MS, type Instant } from '../kernel/time.js'
import type { UnknownWorkspace } from '../kernel/workspace.js'

/** A sender's id: the platform's id of the phone number through which it sends. */
export type SenderId = string & { readonly SenderId: unique symbol }

/** The sender id in a text of the platform or of a storage. `isPlatformAccountId` checks the form of an id that a person wrote. */
export const senderIdOf = (text: string): SenderId => text as SenderId

/** The form of the platform's ids of phone numbers and of business accounts. */
export const PLATFORM_ACCOUNT_ID_FORM = /^[0-9]{1,32}$/

/** Whether a text has that form. */
export const isPlatformAccountId = (text: string): boolean => PLATFORM_ACCOUNT_ID_FORM.test(text)

/** The platform account through which a workspace sends. The access token is secret. */
export type Sender = {
  readonly phoneNumberId: SenderId
  readonly accessToken: string
  readonly businessAccountId: string | undefined
  /** The id of the platform app whose webhooks report on it; absent if it is the app of the environment. */
  readonly app?: string
  /** Whether it is the sender of the requests that name none. A workspace with senders has exactly one such sender. When a sender is set, absent means unchanged. */
  readonly isDefault?: true
  /** Where the data about its customers is stored; absent if that is the workspace's own inbox. */
  readonly inbox?: InboxId
  /**
   * Whether marketing templates use the platform's API for marketing messages, which bills them as `marketing_lite`. Absent if they do not. When a sender is
   * set, absent means unchanged.
   */
  readonly marketingApi?: boolean
  /** Since when the platform refuses its credentials; absent if it accepts them. */
  readonly failingSince?: Instant
  /** Since when its token may not read its business account, while other tokens may; absent if it may, as far as is known. See `readableAccount`. */
  readonly accountRefusedSince?: Instant
}

/** A sender as lists contain it: without its access token. */
export type ListedSender = Omit<Sender, 'accessToken'> & {
  /** The stored access token cannot be decrypted, so every send through this sender fails until the token is set again. */
  readonly isUnreadable?: true
}

/** Where the data about the customers of a sender is stored. */
export const inboxOf = (workspace: WorkspaceId, sender: Pick<Sender, 'inbox'> | undefined): InboxId => sender?.inbox ?? workspace

/** A sender whose credentials the platform refuses, or has refused until now. */
export type FailingSender = { readonly phoneNumberId: SenderId; readonly failingSince: Instant }

/** A sender of a workspace. */
export type SenderOf = { readonly workspace: WorkspaceId; readonly sender: SenderId }

/** A business account and a sender that belongs to it. */
export type SenderAccount = SenderOf & { readonly accountId: string }

/** The workspace of a phone number id: its sender, the inbox and the app of that sender. */
export type SenderOwner = SenderOf & {
  readonly inbox: InboxId
  /** The id of the sender's platform app; absent if it is the app of the environment. */
  readonly app?: string
  /** The id is a former id of the sender, whose number has moved to another business account. */
  readonly isFormer?: true
}

/** The business account whose templates are read. The access token is secret. */
export type TemplateAccount = { readonly businessAccountId: string; readonly accessToken: string }

/**
 * The business account whose templates and notices the workspace of a sender may see; `undefined` if the sender names none, or if its token may not
 * read the named account. The stored data of an account was read with the tokens of all workspaces that send through it.
 */
export const readableAccount = (sender: Pick<Sender, 'businessAccountId' | 'accountRefusedSince'> | undefined): string | undefined =>
  sender?.accountRefusedSince === undefined ? sender?.businessAccountId : undefined

/** The workspace has no sender, so nothing can be sent for it. */
export type SenderNotConfigured = { readonly _tag: 'SenderNotConfigured' }

/** The workspace has no sender with this id. */
export type UnknownSender = { readonly _tag: 'UnknownSender'; readonly sender: SenderId }

/**
 * `count` messages of the sender are queued, or their outcome is not known yet, so it cannot be removed or replaced; or it cannot be removed, because `batches` of its batches are
 * neither done nor canceled. `batches` is absent if there is none.
 */
export type SenderInUse = { readonly _tag: 'SenderInUse'; readonly count: number; readonly batches?: number }

/** Why a sender stays that has messages under way, and batches if they matter; `undefined` if it has none. */
export const senderInUse = (count: number, batches = 0): SenderInUse | undefined =>
  (count + batches > 0 ? { _tag: 'SenderInUse', count, ...(batches > 0 && { batches }) } : undefined)

/** The sender has no business account id, so nothing is known of its templates. */
export type BusinessAccountNotConfigured = { readonly _tag: 'BusinessAccountNotConfigured' }

/** The request has no sender: its workspace has none, or does not have the one that it names. */
export type NoSender = SenderNotConfigured | UnknownSender

/** No app has this id or name. */
export type NoSuchApp = { readonly _tag: 'NoSuchApp'; readonly named: string }

/** The workspace has as many senders as it may have. */
export type TooManySenders = { readonly _tag: 'TooManySenders' }

/** The platform's phone number id already belongs to another workspace. */
export type SenderTaken = { readonly _tag: 'SenderTaken' }

/**
 * The platform has not confirmed that an access token may use a phone number or a business account; `reason` is a sentence without a full stop, shown to the
 * person or the command that set the sender.
 */
export type SenderNotConfirmed = { readonly _tag: 'SenderNotConfirmed'; readonly of: 'number' | 'account'; readonly reason: string }

/** A phone number id or a business account id that is not 1 to 32 digits; `id` is the given text. */
export type InvalidAccountId = { readonly _tag: 'InvalidAccountId'; readonly id: string }

/** An access token that is empty, longer than 4096 characters, or has characters that no token has. */
export type InvalidAccessToken = { readonly _tag: 'InvalidAccessToken' }

/** The platform refuses the credentials of a sender; `error` is the platform's error. */
export const senderFailing = (workspace: WorkspaceId, error: JsonObject) => (sender: FailingSender): ReadonlyArray<NewEvent> =>
  [{ type: 'sender.failing', workspace, subject: sender.phoneNumberId, data: { ...senderData(sender), error } }]

/** The platform accepts the credentials of a sender again; `since` is when it began to refuse them. */
export const senderRecovered = (workspace: WorkspaceId) => (sender: FailingSender): ReadonlyArray<NewEvent> =>
  [{ type: 'sender.recovered', workspace, subject: sender.phoneNumberId, data: senderData(sender) }]

const senderData = ({ phoneNumberId, failingSince }: FailingSender) => ({
  phone_number_id: phoneNumberId, since: new Date(failingSince).toISOString(),
})

/** How long reports for the former ids of a moved number are still understood, in milliseconds: as long as the platform repeats a notification. */
export const FORMER_ID_MS = 7 * DAY_MS

/** The maximum number of senders of one workspace. */
export const MAX_SENDERS = 100

/** The data of a sender that is remembered: its id, where the data about its customers is stored, and its business account if its token may read it. */
export type LastSender = {
  readonly inbox: InboxId
  readonly accountId: string | undefined
  /** Its id; without it, nothing that depends on the sender's number is read at the same time as the sender. */
  readonly sender?: SenderId
}

/** Finds senders, and the workspaces that have them. */
export interface SenderDirectory {
  /** A sender of a workspace, or its default sender; none if the workspace has no such sender. */
  readonly senderOf: (workspace: WorkspaceId, sender?: SenderId) => Promise<E.Either<PortFailure, O.Option<Sender>>>
  /**
   * The inbox and the business account of the sender that `senderOf` last found for the same arguments, if they are remembered. It is a guess, used to look up a
   * customer and a template at the same time as the sender; no answer depends on it. Without this method they are looked up after the sender.
   */
  readonly lastSenderOf?: (workspace: WorkspaceId, sender?: SenderId) => LastSender | undefined
  /** The workspace that sends through a phone number id; none if no workspace does. The former id of a moved number is known for `FORMER_ID_MS` after `at`. */
  readonly ownerOf: (phoneNumberId: SenderId, at: Instant) => Promise<E.Either<PortFailure, O.Option<SenderOwner>>>
}

/** Lists the senders of a workspace, those that it had, and their inboxes. */
export interface SenderLists {
  /**
   * Every sender of a workspace without its access token: its default sender, then the others by their ids. A sender whose token cannot be decrypted
   * is listed as such.
   */
  readonly sendersOf: (workspace: WorkspaceId) => Promise<E.Either<PortFailure, ReadonlyArray<ListedSender>>>
  /** The former ids of a sender whose number has moved, oldest first. */
  readonly formerIdsOf: (of: SenderOf) => Promise<E.Either<PortFailure, ReadonlyArray<SenderId>>>
  /** Every inbox of a workspace: its own, and those of its senders and of the senders that it had. */
  readonly inboxesOf: (workspace: WorkspaceId) => Promise<E.Either<PortFailure, ReadonlyArray<InboxId>>>
}

/** How setting a sender can fail. */
export type AssignFailure = NoSuchApp | SenderTaken | TooManySenders | UnknownWorkspace

/** How replacing a sender can fail. */
export type ReplaceFailure = NoSuchApp | UnknownSender | SenderInUse | SenderTaken

/** Gives senders to workspaces. */
export interface SenderAssignment {
  /**
   * Adds a sender to a workspace, or sets the one that has its phone number id. Access tokens are encrypted at rest.
   *
   * The first sender of a workspace is its default sender, and a sender with `isDefault` becomes it. `inbox` is ignored: a sender keeps the inbox that its
   * number had in this workspace, even after it was removed; the first sender ever has the workspace's own, each further one has one that no other sender has.
   * `failingSince` is ignored: a sender that is set again keeps the stored value. `accountRefusedSince` is ignored too: the sender has none. If `marketingApi`
   * is absent, a sender that is set again keeps its value. `SenderTaken`: another workspace has that phone number id. `UnknownWorkspace`: no workspace has
   * that id. `TooManySenders`: the workspace has `MAX_SENDERS` others. `NoSuchApp`: the sender has the id of an app that does not exist, if the storage keeps apps too; see
   * `Apps.remove`.
   *
   * `outboxEntries` is called if the sender was set, and its entries are stored in the same step.
   */
  readonly assign: (
    workspace: WorkspaceId, sender: Sender, outboxEntries?: MakeOutboxEntries<WorkspaceId>,
  ) => Promise<E.Either<AssignFailure | PortFailure, void>>
  /** Makes a sender the default sender of its workspace. `outboxEntries` is called with its id if it was not, and its entries are stored in the same step. */
  readonly makeDefault: (
    of: SenderOf, outboxEntries?: MakeOutboxEntries<SenderId>,
  ) => Promise<E.Either<UnknownSender | PortFailure, void>>
  /**
   * Removes a sender. Its phone number id then belongs to no workspace. If it was the default sender, the first of the others by their ids becomes it.
   *
   * `SenderInUse`: messages of this sender are queued, or their outcome is not known, if the storage keeps messages too, or it has batches that are neither done nor canceled, if the
   * storage keeps batches; nothing was changed. If it was removed, `outboxEntries` is called with the id, and its entries are stored in the same step.
   */
  readonly remove: (
    of: SenderOf, outboxEntries?: MakeOutboxEntries<SenderId>,
  ) => Promise<E.Either<UnknownSender | SenderInUse | PortFailure, void>>
  /**
   * Replaces a sender whose number has moved to another business account by its new ids and token; it stays the default sender if it was it.
   *
   * The inbox stays, without what belongs to the previous business account: everything recorded for user ids is removed, and no number has a pair any more. What
   * was recorded for numbers stays, and so do the messages: those of the former id are found under the new one. Its batches have the new id (`movedBatch`). `ownerOf` finds the former id for
   * `FORMER_ID_MS`. The lefts are those of `assign` and `remove`, but queued messages do not keep a sender from being replaced: those to numbers are then queued for the new id.
   * Those to user ids keep the former id, and are due at `at`, so that they are ended soon; if the id stays the same, they are `SenderInUse`. `outboxEntries` is called with the former id, and its entries are stored in the same step.
   */
  readonly replace: (
    of: SenderOf, by: Sender, at: Instant, outboxEntries?: MakeOutboxEntries<SenderId>,
  ) => Promise<E.Either<ReplaceFailure | PortFailure, void>>
  /**
   * Moves what was queued for a former id after its number had moved, as `replace` moves what was queued before. Right: whether the workspace has a sender that had this id; if not,
   * nothing was changed.
   */
  readonly moveLate: (former: SenderOf, at: Instant) => Promise<E.Either<PortFailure, boolean>>
}

/** Records whether the platform accepts the credentials of senders. */
export interface SenderHealth {
  /**
   * Records that the platform refuses the credentials of a sender since a given time, or accepts them again.
   *
   * Right: whether that has changed. Of concurrent identical calls only one changes something. `outboxEntries` is called if it has changed.
   * A sender that the workspace does not have has no health.
   */
  readonly noteHealth: (
    of: SenderOf, isFailing: boolean, at: Instant, outboxEntries?: MakeOutboxEntries<FailingSender>,
  ) => Promise<E.Either<PortFailure, boolean>>
}

/** The business accounts of senders. */
export interface SenderAccounts {
  /**
   * Each business account that workspaces send through, once, with a sender of the oldest workspace that `sharing` finds; if it finds none, of the oldest that is
   * not archived.
   *
   * An account is left out if all its workspaces are archived, and so is a sender without a business account.
   */
  readonly accounts: () => Promise<E.Either<PortFailure, ReadonlyArray<SenderAccount>>>
  /**
   * The senders that send through a business account, of the oldest workspace first. Those of archived workspaces are left out, and those whose token is known
   * not to be able to read the account.
   */
  readonly sharing: (accountId: string) => Promise<E.Either<PortFailure, ReadonlyArray<SenderOf>>>
  /** The senders of a business account that `sharing` leaves out, of the oldest workspace first: of archived ones, and those whose token may not read it (`noteAccount`). */
  readonly notSharing: (accountId: string) => Promise<E.Either<PortFailure, ReadonlyArray<SenderOf>>>
  /**
   * Records that the platform does not let the token of a sender read its business account since a given time, or lets it again.
   *
   * Right: whether that has changed. Of concurrent identical calls only one changes something. A call about a token or an account that the sender no
   * longer has changes nothing.
   */
  readonly noteAccount: (
    of: SenderOf, asked: TemplateAccount, isRefused: boolean, at: Instant,
  ) => Promise<E.Either<PortFailure, boolean>>
}

/** Every port of senders. One adapter implements them together, because they read and write the same records. */
export type Senders = SenderDirectory & SenderLists & SenderAssignment & SenderHealth & SenderAccounts

/**
 * The part of the senders that sends and reports use. Without `noteHealth`, refused credentials are not recorded. Without `sharing`, a change of a template
 * makes no event. Without `SenderLists`, a workspace has one sender. Without `moveLate`, no number moves.
 */
export type SendingSenders =
  SenderDirectory & Partial<SenderHealth & SenderLists & Pick<SenderAccounts, 'sharing'> & Pick<SenderAssignment, 'moveLate'>>

/** The data of a request that determines its sender: its workspace, and the sender that it names. */
export type SenderChoice = { readonly workspace: WorkspaceId; readonly sender?: SenderId | undefined }

/** Finds the sender of a request; `undefined` if its workspace has none. */
export type FindSender = (choice: SenderChoice) => Promise<E.Either<UnknownSender | PortFailure, Sender | undefined>>

/** The sender of a request: the one that it names, or the default sender; `undefined` if its workspace has none. Only this function chooses the sender of a request. */
export const chosenSender = async (
  senders: Pick<SenderDirectory, 'senderOf'>, { workspace, sender }: SenderChoice,
): Promise<E.Either<UnknownSender | PortFailure, Sender | undefined>> => {
  const found = await senders.senderOf(workspace, sender)
  if (E.isLeft(found)) return found
  if (O.isSome(found.right)) return E.right(found.right.value)
  return sender === undefined ? E.right(undefined) : E.left({ _tag: 'UnknownSender', sender })
}

/** Lists the senders of a workspace. Without `sendersOf` that is at most its default sender. */
export const listedSenders = (
  senders: Pick<SenderDirectory, 'senderOf'> & Partial<Pick<SenderLists, 'sendersOf'>>,
): SenderLists['sendersOf'] =>
  senders.sendersOf ?? ((workspace) =>
    senders.senderOf(workspace).then(E.map((sender: O.Option<Sender>) => (O.isSome(sender) ? [listed(sender.value)] : []))))

const listed = ({ accessToken: _token, ...sender }: Sender): ListedSender => sender

/** The sender of a request that needs one. */
export const requiredSender = async (
  senders: Pick<SenderDirectory, 'senderOf'>, choice: SenderChoice,
): Promise<E.Either<NoSender | PortFailure, Sender>> => {
  const sender = await chosenSender(senders, choice)
  if (E.isLeft(sender)) return sender
  return sender.right === undefined ? E.left({ _tag: 'SenderNotConfigured' }) : E.right(sender.right)
}
