import * as TE from 'fp-ts/lib/TaskEither.js'
import type { FreeMessages, FreeTaking, MessageId, PortFailure, TakenBy, WorkspaceId } from '../../../core/ports/free-messages.js'

type Taken = { readonly by: Map<WorkspaceId, Set<MessageId>>; readonly counts: Map<string, number> }

export const freeMessages = ({ by, counts }: Taken): FreeMessages => ({
  take: ({ workspace, message, phoneNumberId, month, limit }: FreeTaking): TE.TaskEither<PortFailure, boolean> =>
    TE.fromIO(() => by.get(workspace)?.has(message) === true || (counts.get(`${month} ${phoneNumberId}`) ?? 0) < limit),
  giveBack: ({ workspace, message }: TakenBy): TE.TaskEither<PortFailure, void> => TE.fromIO(() => void by.get(workspace)?.delete(message)),
  taken: (phoneNumberId: string, month: string): TE.TaskEither<PortFailure, number> => TE.fromIO(() => counts.get(`${month} ${phoneNumberId}`) ?? 0),
})
