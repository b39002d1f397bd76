import * as E from 'fp-ts/lib/Either.js'
import * as O from 'fp-ts/lib/Option.js'
import type * as TE from 'fp-ts/lib/TaskEither.js'
import type { PortFailure, SenderNotConfigured } from '../errors.js'
import type { ByteRange, MediaId } from '../media.js'
import type { Conversation, Media, MediaError } from '../ports/conversation.js'
import type { Senders } from '../ports/senders.js'
import type { WorkspaceId } from '../workspace.js'

/** Opens an attachment of a customer's message. The caller reads it to its end, or closes it. */
export type OpenMedia = (command: OpenMediaCommand) => TE.TaskEither<OpenMediaError, Media>

/** `id` is the platform's id of the attachment; without a `range` all of it is opened. */
export type OpenMediaCommand = { readonly workspace: WorkspaceId; readonly id: MediaId; readonly range?: ByteRange }

/** How opening can fail. */
export type OpenMediaError = SenderNotConfigured | MediaError | PortFailure

/** What opening needs. */
export type OpenMediaDeps = { readonly conversation: Pick<Conversation, 'openMedia'>; readonly senders: Pick<Senders, 'senderOf'> }

/** Makes the use case of what it needs. */
export const makeOpenMedia =
  ({ conversation, senders }: OpenMediaDeps): OpenMedia =>
  ({ workspace, id, range }) =>
  async () => {
    const sender = await senders.senderOf(workspace)()
    if (E.isLeft(sender)) return sender
    if (O.isNone(sender.right)) return E.left({ _tag: 'SenderNotConfigured' })
    return conversation.openMedia({ sender: sender.right.value, id, range })()
  }
