import * as TE from 'fp-ts/lib/TaskEither.js'
import {
  FORGOTTEN_PLATFORM_ID, type Along, type AlongEntry, type CustomerDigest, type CustomerId, type CustomerIds, type Erased, type ForgetQuery, type Forgotten,
  type ForgetStep, type Instant, type MessagesUnderWay, type PersonalData, type PortFailure, type WorkspaceId,
} from '../../../core/ports/personal-data.js'

type People = { readonly known: Map<WorkspaceId, Set<CustomerId>>; readonly log: AlongEntry[]; readonly since: Instant }

export const personalData = ({ known, log, since }: People): PersonalData => ({
  digestOf: (workspace: WorkspaceId, id: CustomerId): TE.TaskEither<PortFailure, CustomerDigest> =>
    TE.fromIO(() => `${FORGOTTEN_PLATFORM_ID}.${workspace.length}${id.length}` as string as CustomerDigest),
  forgetBefore: ({ before, limit }: ForgetQuery): TE.TaskEither<PortFailure, ForgetStep> =>
    TE.fromIO(() => {
      const forgotten: Forgotten = { messages: 0, customers: before > since ? Math.min(limit, known.size) : 0, windows: 0 }
      return { forgotten, next: undefined }
    }),
  erase: (workspace: WorkspaceId, { phoneNumber }: CustomerIds, along?: Along<Erased>): TE.TaskEither<MessagesUnderWay | PortFailure, Erased> =>
    TE.fromIO(() => {
      const found = phoneNumber !== undefined && known.get(workspace)?.delete(phoneNumber) === true
      const erased: Erased = { messages: 0, customers: found ? 1 : 0, windows: 0, events: 0 }
      log.push(...(along?.(erased) ?? []))
      return erased
    }),
})
