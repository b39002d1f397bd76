import * as TE from 'fp-ts/lib/TaskEither.js'
import type { ApiKey, Instant, KeyStore, MintedKey, PortFailure, UnknownApiKey, UnknownWorkspace, WorkspaceId } from '../../../core/ports/key-store.js'

const unknownKey: UnknownApiKey = { _tag: 'UnknownApiKey' }
const unknownWorkspace: UnknownWorkspace = { _tag: 'UnknownWorkspace' }
const minted: MintedKey = { id: '1', key: 'pst_1_2' }
const failure: PortFailure = { _tag: 'PortFailure', port: 'KeyStore', cause: undefined }

export const keyStore = (workspace: WorkspaceId): KeyStore => ({
  workspaceOf: (presented: string, _at: Instant): TE.TaskEither<UnknownApiKey | PortFailure, WorkspaceId> =>
    presented === minted.key ? TE.right(workspace) : TE.left(unknownKey),
  mint: (of: WorkspaceId, _name: string, _at: Instant): TE.TaskEither<UnknownWorkspace | PortFailure, MintedKey> =>
    of === workspace ? TE.right(minted) : TE.left(unknownWorkspace),
  list: (_of: WorkspaceId): TE.TaskEither<PortFailure, ReadonlyArray<ApiKey>> => TE.left(failure),
  revoke: (_id: string, _at: Instant): TE.TaskEither<UnknownApiKey | PortFailure, void> => TE.left(unknownKey),
})
