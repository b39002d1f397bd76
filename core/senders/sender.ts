import * as E from 'fp-ts/lib/Either.js'
import * as O from 'fp-ts/lib/Option.js'
import type { PortFailure } from '../kernel/failure.js'
import type { WorkspaceId } from '../kernel/ids.js'
import type { JsonObject } from '../kernel/json.js'
import type { MakeOutboxEntries, NewEvent } from '../kernel/outbox.js'
import type { Instant } from '../kernel/time.js'
import type { UnknownWorkspace } from '../kernel/workspace.js'

/** A sender's id: the platform's id of the phone number through which it sends. */
export type SenderId = string & { readonly SenderId: unique symbol }

/** The sender id in a text of the platform or of a storage. `isPlatformAccountId` checks the form of an id that a person wrote. */
export const senderIdOf = (text: string): SenderId => text as SenderId

/** Whether a text has the form of the platform's ids of phone numbers and of business accounts. */
export const isPlatformAccountId = (text: string): boolean => /^[0-9]{1,32}$/.test(text)

/** The platform account through which a workspace sends. The access token is secret. */
export type Sender = {
  readonly phoneNumberId: SenderId
  readonly accessToken: string
  readonly businessAccountId: string | undefined
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

/** A sender whose credentials the platform refuses, or has refused until now. */
export type FailingSender = { readonly phoneNumberId: SenderId; readonly failingSince: Instant }

/** A business account and a workspace whose sender belongs to it. */
export type SenderAccount = { readonly accountId: string; readonly workspace: WorkspaceId }

/** The business account whose templates are read. The access token is secret. */
export type TemplateAccount = { readonly businessAccountId: string; readonly accessToken: string }

/**
 * The business account whose templates and notices the workspace of a sender may see; `undefined` if the sender names none, or if its token may not
 * read the named account. The stored data of an account was read with the tokens of all workspaces that send through it.
 */
export const readableAccount = (sender: Sender | undefined): string | undefined =>
  sender?.accountRefusedSince === undefined ? sender?.businessAccountId : undefined

/** The workspace has no sender, so nothing can be sent for it. */
export type SenderNotConfigured = { readonly _tag: 'SenderNotConfigured' }

/** The sender has no business account id, so nothing is known of its templates. */
export type BusinessAccountNotConfigured = { readonly _tag: 'BusinessAccountNotConfigured' }

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

/** Finds senders, and the workspaces that have them. */
export interface SenderDirectory {
  /** The sender of a workspace; none if it has none. */
  readonly senderOf: (workspace: WorkspaceId) => Promise<E.Either<PortFailure, O.Option<Sender>>>
  /**
   * The business account of the sender that `senderOf` last found for a workspace, if it is remembered. It is a guess, used to look up a template
   * at the same time as its sender; no answer depends on it. Without this method the template is looked up after its sender.
   */
  readonly lastAccountOf?: (workspace: WorkspaceId) => string | undefined
  /** The workspace that sends through a phone number id; none if no workspace does. */
  readonly workspaceOf: (phoneNumberId: SenderId) => Promise<E.Either<PortFailure, O.Option<WorkspaceId>>>
}

/** Gives senders to workspaces. */
export interface SenderAssignment {
  /**
   * Sets the sender of a workspace and replaces an earlier one. Access tokens are encrypted at rest.
   *
   * `failingSince` is ignored: a sender with the workspace's previous phone number id keeps the stored value, another sender has none. `accountRefusedSince` is
   * ignored too: the new sender has none. If `marketingApi` is absent, a sender with the same phone number id keeps its value. `SenderTaken`: another workspace
   * has that phone number id. `UnknownWorkspace`: no workspace has that id.
   *
   * `outboxEntries` is called if the sender was set, and its entries are stored in the same step.
   */
  readonly assign: (
    workspace: WorkspaceId, sender: Sender, outboxEntries?: MakeOutboxEntries<WorkspaceId>,
  ) => Promise<E.Either<SenderTaken | UnknownWorkspace | PortFailure, void>>
  /**
   * Removes the sender of a workspace. Its phone number id then belongs to no workspace. Right: that id.
   *
   * `SenderNotConfigured`: the workspace has no sender. If it had one, `outboxEntries` is called with the id, and its entries are stored in
   * the same step.
   */
  readonly remove: (
    workspace: WorkspaceId, outboxEntries?: MakeOutboxEntries<SenderId>,
  ) => Promise<E.Either<SenderNotConfigured | PortFailure, SenderId>>
}

/** Records whether the platform accepts the credentials of senders. */
export interface SenderHealth {
  /**
   * Records that the platform refuses the credentials of a workspace's sender since a given time, or accepts them again.
   *
   * Right: whether that has changed. Of concurrent identical calls only one changes something. `outboxEntries` is called if it has changed.
   * A workspace without a sender has no health.
   */
  readonly noteHealth: (
    workspace: WorkspaceId, isFailing: boolean, at: Instant, outboxEntries?: MakeOutboxEntries<FailingSender>,
  ) => Promise<E.Either<PortFailure, boolean>>
}

/** The business accounts of senders. */
export interface SenderAccounts {
  /**
   * Each business account that workspaces send through, once, with the oldest workspace that `sharing` finds; if it finds none, with the oldest that is not archived.
   *
   * An account is left out if all its workspaces are archived, and so is a sender without a business account.
   */
  readonly accounts: () => Promise<E.Either<PortFailure, ReadonlyArray<SenderAccount>>>
  /** The workspaces that send through a business account, oldest first. Archived ones are left out, and those whose token is known not to be able to read the account. */
  readonly sharing: (accountId: string) => Promise<E.Either<PortFailure, ReadonlyArray<WorkspaceId>>>
  /** The workspaces that send through a business account and that `sharing` leaves out, oldest first: archived ones, and those whose token may not read it (`noteAccount`). */
  readonly notSharing: (accountId: string) => Promise<E.Either<PortFailure, ReadonlyArray<WorkspaceId>>>
  /**
   * Records that the platform does not let the token of a workspace's sender read its business account since a given time, or lets it again.
   *
   * Right: whether that has changed. Of concurrent identical calls only one changes something. A call about a token or an account that the sender no
   * longer has changes nothing.
   */
  readonly noteAccount: (
    workspace: WorkspaceId, asked: TemplateAccount, isRefused: boolean, at: Instant,
  ) => Promise<E.Either<PortFailure, boolean>>
}

/** Every port of senders. One adapter implements them together, because they read and write the same records. */
export type Senders = SenderDirectory & SenderAssignment & SenderHealth & SenderAccounts

/**
 * The part of the senders that sends and reports use. Without `noteHealth`, refused credentials are not recorded. Without `sharing`, a change of a template
 * makes no event.
 */
export type SendingSenders = SenderDirectory & Partial<SenderHealth & Pick<SenderAccounts, 'sharing'>>

/** The data of a request that determines its sender. */
export type SenderChoice = { readonly workspace: WorkspaceId }

/** Finds the sender of a request; `undefined` if its workspace has none. */
export type FindSender = (choice: SenderChoice) => Promise<E.Either<PortFailure, Sender | undefined>>

/** The sender of a request; `undefined` if its workspace has none. Only this function chooses the sender of a request. */
export const chosenSender = async (
  senders: Pick<SenderDirectory, 'senderOf'>, { workspace }: SenderChoice,
): Promise<E.Either<PortFailure, Sender | undefined>> => E.map(O.toUndefined<Sender>)(await senders.senderOf(workspace))

/** The sender of a request that needs one. */
export const requiredSender = async (
  senders: Pick<SenderDirectory, 'senderOf'>, choice: SenderChoice,
): Promise<E.Either<SenderNotConfigured | PortFailure, Sender>> => {
  const sender = await chosenSender(senders, choice)
  if (E.isLeft(sender)) return sender
  return sender.right === undefined ? E.left({ _tag: 'SenderNotConfigured' }) : E.right(sender.right)
}
