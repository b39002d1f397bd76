import * as TE from 'fp-ts/lib/TaskEither.js'
import {
  apiKeyIdIn, apiKeyOf, isApiKeyId, KEY_ID_BYTES, KEY_SECRET_BYTES, SCOPES, type ApiKey, type Instant, type KeyPrincipal, type KeyStore,
  type MintedKey, type PortFailure, type Scope, type UnknownApiKey, type UnknownWorkspace, type WorkspaceId,
  type Along, type AlongEntry, type WorkspaceKey,
} from '../../../core/ports/key-store.js'

const unknownKey: UnknownApiKey = { _tag: 'UnknownApiKey' }
const unknownWorkspace: UnknownWorkspace = { _tag: 'UnknownWorkspace' }
const id = '0'.repeat(2 * KEY_ID_BYTES)
const minted: MintedKey = { id, key: apiKeyOf(id, '0'.repeat(2 * KEY_SECRET_BYTES)) }
const failure: PortFailure = { _tag: 'PortFailure', port: 'KeyStore', cause: undefined }
const scopes: ReadonlyArray<Scope> = SCOPES

export const keyStore = (workspace: WorkspaceId): KeyStore => ({
  principalOf: (presented: string, _at: Instant): TE.TaskEither<UnknownApiKey | PortFailure, KeyPrincipal> =>
    apiKeyIdIn(presented) === id ? TE.right({ _tag: 'Key', workspace, key: id, scopes }) : TE.left(unknownKey),
  mint: (of: WorkspaceId, _name: string, _at: Instant): TE.TaskEither<UnknownWorkspace | PortFailure, MintedKey> =>
    of === workspace ? TE.right(minted) : TE.left(unknownWorkspace),
  list: (_of: WorkspaceId): TE.TaskEither<PortFailure, ReadonlyArray<ApiKey>> => TE.left(failure),
  revoke: (of: string, _at: Instant): TE.TaskEither<UnknownApiKey | PortFailure, void> => (isApiKeyId(of) ? TE.left(unknownKey) : TE.left(failure)),
})

/** The events of a write, made of its outcome. */
export const eventsAlong = (along: Along<WorkspaceKey>, outcome: WorkspaceKey): ReadonlyArray<AlongEntry> => along(outcome)
