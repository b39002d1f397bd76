import * as E from 'fp-ts/lib/Either.js'
import * as O from 'fp-ts/lib/Option.js'
import type * as TE from 'fp-ts/lib/TaskEither.js'
import type { Forbidden, PortFailure, UnknownApiKey } from '../errors.js'
import { keyRevoked } from '../event-data.js'
import { keyDetails } from '../key-limits.js'
import type { ApiKey, KeyStore } from '../ports/key-store.js'
import type { Actor } from '../principal.js'
import type { Clock } from '../time.js'
import type { WorkspaceId } from '../workspace.js'
import { perform, type ActDeps } from './acting.js'

/** Ends an API key at once, on every node. Revoking a revoked key changes nothing. */
export type RevokeKey = (command: RevokeKeyCommand) => TE.TaskEither<RevokeKeyError, void>

/** `id` is the key's id, never the key itself. With `workspace`, the keys of all others are unknown. */
export type RevokeKeyCommand = { readonly by: Actor; readonly id: string; readonly workspace?: WorkspaceId }

/** How ending a key can fail. For an actor of one workspace, a key that does not exist is `Forbidden`, like a key of another workspace. */
export type RevokeKeyError = UnknownApiKey | Forbidden | PortFailure

/** What ending a key needs. */
export type RevokeKeyDeps = ActDeps & { readonly keyStore: Pick<KeyStore, 'find' | 'revoke'>; readonly now: Clock }

/** Makes the use case of what it needs. */
export const makeRevokeKey =
  ({ keyStore, now, ...deps }: RevokeKeyDeps): RevokeKey =>
  ({ by, id, workspace }) =>
  async () => {
    const found = await keyStore.find(id)()
    if (E.isLeft(found)) return found
    const key = O.toUndefined(O.filter((one: ApiKey) => workspace === undefined || one.workspace === workspace)(found.right))
    const acting = { by, act: 'key.revoke', workspace: key?.workspace ?? workspace, ...(key && { subject: id, details: keyDetails(key) }) } as const
    return perform(deps, acting, { events: keyRevoked },
      async (along): Promise<E.Either<UnknownApiKey | PortFailure, void>> =>
        (key === undefined ? E.left({ _tag: 'UnknownApiKey' }) : keyStore.revoke(id, now(), along)()))
  }
