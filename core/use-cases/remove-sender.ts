import type * as TE from 'fp-ts/lib/TaskEither.js'
import type { Forbidden, PortFailure, SenderNotConfigured } from '../errors.js'
import type { Along, Senders } from '../ports/senders.js'
import type { Actor } from '../principal.js'
import type { WorkspaceId } from '../workspace.js'
import { perform, type ActDeps } from './acting.js'

/**
 * Takes the platform account from a workspace, which sends and receives nothing until it is given one again; the number is free for another workspace.
 *
 * Right: the phone number id that it had.
 */
export type RemoveSender = (command: RemoveSenderCommand) => TE.TaskEither<RemoveSenderError, string>

/** From which workspace. */
export type RemoveSenderCommand = { readonly by: Actor; readonly workspace: WorkspaceId }

/** How taking it can fail. `SenderNotConfigured`: the workspace has none. */
export type RemoveSenderError = SenderNotConfigured | Forbidden | PortFailure

/** What taking it needs. */
export type RemoveSenderDeps = ActDeps & { readonly senders: Pick<Senders, 'remove'> }

/** Makes the use case of what it needs. */
export const makeRemoveSender =
  ({ senders, ...deps }: RemoveSenderDeps): RemoveSender =>
  ({ by, workspace }) =>
  () =>
    perform(deps, { by, act: 'sender.remove', workspace }, { describe: (phoneNumberId: string) => ({ subject: phoneNumberId }) },
      (along: Along<string>) => senders.remove(workspace, along)())
