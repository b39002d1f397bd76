import * as E from 'fp-ts/lib/Either.js'
import * as O from 'fp-ts/lib/Option.js'
import type * as TE from 'fp-ts/lib/TaskEither.js'
import type { PlatformUnreachable, PortFailure, SenderNotConfigured } from '../errors.js'
import type { PlatformId } from '../message.js'
import type { Admission } from '../ports/admission.js'
import type { Conversation, ConversationError, ReadMark } from '../ports/conversation.js'
import type { Senders } from '../ports/senders.js'
import type { WorkspaceId } from '../workspace.js'

/** Marks a customer's message as read, for the customer to see. It neither opens nor prolongs the customer service window. */
export type MarkRead = (command: MarkReadCommand) => TE.TaskEither<MarkReadError, void>

/** `message` is the platform's id of the customer's message; `typing` also shows that an answer is being written. */
export type MarkReadCommand = { readonly workspace: WorkspaceId; readonly message: PlatformId; readonly typing: boolean }

/** How marking can fail. `PlatformUnreachable`: too many calls are waiting for the platform. */
export type MarkReadError = SenderNotConfigured | PlatformUnreachable | ConversationError | PortFailure

/** What marking needs. */
export type MarkReadDeps = {
  readonly conversation: Pick<Conversation, 'markRead'>
  readonly senders: Pick<Senders, 'senderOf'>
  /** Limits how many calls to the platform are under way at once, sends among them; where absent, every call starts at once. */
  readonly admission?: Pick<Admission, 'admit'>
}

/** Makes the use case of what it needs. */
export const makeMarkRead =
  (deps: MarkReadDeps): MarkRead =>
  ({ workspace, message, typing }) =>
  async () => {
    const sender = await deps.senders.senderOf(workspace)()
    if (E.isLeft(sender)) return sender
    if (O.isNone(sender.right)) return E.left({ _tag: 'SenderNotConfigured' })
    return admitted(deps, workspace, { sender: sender.right.value, message, typing })
  }

const admitted = async (
  { conversation, admission }: MarkReadDeps, workspace: WorkspaceId, mark: ReadMark,
): Promise<E.Either<MarkReadError, void>> => {
  if (admission === undefined) return conversation.markRead(mark)()
  const permit = await admission.admit(workspace)()
  if (E.isLeft(permit)) return permit
  try {
    return await conversation.markRead(mark)()
  } finally {
    permit.right.release()
  }
}
