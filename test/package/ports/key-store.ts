import * as E from 'fp-ts/lib/Either.js'
import * as O from 'fp-ts/lib/Option.js'
import * as TE from 'fp-ts/lib/TaskEither.js'
import {
  apiKeyIdIn, apiKeyOf, checkReplaceable, endOfReplaced, hasEnded, isApiKeyId, KEY_ID_BYTES, KEY_SECRET_BYTES, SCOPES, type ApiKey, type Instant,
  type KeyEnded, type KeyLife, type KeyPrincipal, type KeyReplaced, type KeyStore, type KeySuccession, type MintedKey, type NewKey, type PortFailure,
  type Rotation, type Scope, type Successor, type UnknownApiKey, type UnknownWorkspace, type WorkspaceId, type Along, type AlongEntry, type WorkspaceKey,
} from '../../../core/ports/key-store.js'

const unknownKey: UnknownApiKey = { _tag: 'UnknownApiKey' }
const unknownWorkspace: UnknownWorkspace = { _tag: 'UnknownWorkspace' }
const id = '0'.repeat(2 * KEY_ID_BYTES)
const minted: MintedKey = { id, key: apiKeyOf(id, '0'.repeat(2 * KEY_SECRET_BYTES)) }
const failure: PortFailure = { _tag: 'PortFailure', port: 'KeyStore', cause: undefined }
const life: KeyLife = { id, revokedAt: undefined, expiresAt: undefined, replacedBy: undefined }
const scopes: ReadonlyArray<Scope> = SCOPES

export const keyStore = (workspace: WorkspaceId): KeyStore => ({
  principalOf: (presented: string, _at: Instant): TE.TaskEither<UnknownApiKey | PortFailure, KeyPrincipal> =>
    apiKeyIdIn(presented) === id ? TE.right({ _tag: 'Key', workspace, key: id, scopes }) : TE.left(unknownKey),
  mint: (key: NewKey): TE.TaskEither<UnknownWorkspace | PortFailure, MintedKey> =>
    key.workspace === workspace ? TE.right(minted) : TE.left(unknownWorkspace),
  rotate: (of: string, { at, overlapMs }: Rotation): TE.TaskEither<UnknownApiKey | KeyEnded | KeyReplaced | PortFailure, Successor> => {
    if (of !== id) return TE.left(unknownKey)
    const replaceable: E.Either<KeyEnded | KeyReplaced, void> = checkReplaceable(life, at)
    return E.isLeft(replaceable) || hasEnded(life, at) ? TE.left(failure) : TE.right({ ...minted, replacedEndsAt: endOfReplaced(life, { at, overlapMs }) })
  },
  find: (_of: string): TE.TaskEither<PortFailure, O.Option<ApiKey>> => TE.right(O.none),
  list: (_of: WorkspaceId): TE.TaskEither<PortFailure, ReadonlyArray<ApiKey>> => TE.left(failure),
  revoke: (of: string, _at: Instant): TE.TaskEither<UnknownApiKey | PortFailure, void> => (isApiKeyId(of) ? TE.left(unknownKey) : TE.left(failure)),
})

/** The events of a write, made of its outcome. */
export const eventsAlong = (along: Along<WorkspaceKey>, outcome: WorkspaceKey): ReadonlyArray<AlongEntry> => along(outcome)

/** The events of a rotation, made of its outcome. */
export const eventsOfRotation = (along: Along<KeySuccession>, outcome: KeySuccession): ReadonlyArray<AlongEntry> => along(outcome)
