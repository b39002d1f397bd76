import type { Option } from 'fp-ts/lib/Option.js'
import type { TaskEither } from 'fp-ts/lib/TaskEither.js'
import type { PortFailure, SenderTaken, UnknownWorkspace } from '../errors.js'
import type { WorkspaceId } from '../workspace.js'

export type { PortFailure, SenderTaken, UnknownWorkspace } from '../errors.js'
export type { WorkspaceId } from '../workspace.js'

/** The platform accounts of all workspaces. */
export interface Senders {
  /** The sender of a workspace; none if it has none. */
  readonly senderOf: (workspace: WorkspaceId) => TaskEither<PortFailure, Option<Sender>>
  /** The workspace that sends through a phone number id; none if no workspace does. */
  readonly workspaceOf: (phoneNumberId: string) => TaskEither<PortFailure, Option<WorkspaceId>>
  /**
   * Each business account that workspaces send through, once, with the oldest workspace that does and is not archived.
   *
   * An account whose workspaces are all archived is left out, and so is a sender without a business account.
   */
  readonly accounts: () => TaskEither<PortFailure, ReadonlyArray<SenderAccount>>
  /**
   * Sets the sender of a workspace, instead of an earlier one. Access tokens are encrypted at rest.
   *
   * `SenderTaken`: another workspace has that phone number id. `UnknownWorkspace`: no workspace has that id.
   */
  readonly assign: (workspace: WorkspaceId, sender: Sender) => TaskEither<SenderTaken | UnknownWorkspace | PortFailure, void>
}

/** The platform account a workspace sends through. The access token is secret. */
export type Sender = {
  readonly phoneNumberId: string
  readonly accessToken: string
  readonly businessAccountId: string | undefined
}

/** A business account and a workspace whose sender belongs to it. */
export type SenderAccount = { readonly accountId: string; readonly workspace: WorkspaceId }
