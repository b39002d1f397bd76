import type { TaskEither } from 'fp-ts/lib/TaskEither.js'
import type { PortFailure } from '../errors.js'
import type { MessageId } from '../message.js'
import type { WorkspaceId } from '../workspace.js'

export type { PortFailure } from '../errors.js'
export type { MessageId } from '../message.js'
export type { WorkspaceId } from '../workspace.js'

/** Counts the messages that a sender sends at no cost: the platform does not bill the first service messages of each month. */
export interface FreeMessages {
  /**
   * Takes one of the messages that a sender has free in a month, if one is left. Right: whether the message is free.
   *
   * Of concurrent takes exactly as many are free as are left. A repeated take of one message takes one, and is free again even if none is left. Each
   * sender and each month has its own count; the messages of all workspaces of a sender share it.
   */
  readonly take: (taking: FreeTaking) => TaskEither<PortFailure, boolean>
  /**
   * Gives back what a message has taken, so that another message can take it.
   *
   * A message that took none, or gave it back, gives back nothing; so of concurrent calls for one message one does.
   */
  readonly giveBack: (message: TakenBy) => TaskEither<PortFailure, void>
  /** How many messages a sender has taken in a month and not given back. */
  readonly taken: (phoneNumberId: string, month: string) => TaskEither<PortFailure, number>
}

/** The message that takes one, of a workspace. */
export type TakenBy = { readonly workspace: WorkspaceId; readonly message: MessageId }

/** A take: `limit` is how many the sender has free in the month, which is that of `monthOf`, such as `2026-11`. */
export type FreeTaking = TakenBy & { readonly phoneNumberId: string; readonly month: string; readonly limit: number }
