import type * as TE from 'fp-ts/lib/TaskEither.js'
import type { PortFailure, UnknownApiKey } from '../errors.js'
import { keyRevoked } from '../event-data.js'
import type { KeyStore } from '../ports/key-store.js'
import type { Clock } from '../time.js'
import { alongAnyway, type EventDeps } from './event-deps.js'

/** Ends an API key at once, on every node. Revoking a revoked key changes nothing. */
export type RevokeKey = (command: RevokeKeyCommand) => TE.TaskEither<RevokeKeyError, void>

/** `id` is the key's id, never the key itself. */
export type RevokeKeyCommand = { readonly id: string }

/** How ending a key can fail. */
export type RevokeKeyError = UnknownApiKey | PortFailure

/** What ending a key needs. */
export type RevokeKeyDeps = EventDeps & { readonly keyStore: Pick<KeyStore, 'revoke'>; readonly now: Clock }

/** Makes the use case of what it needs. */
export const makeRevokeKey =
  ({ keyStore, now, events }: RevokeKeyDeps): RevokeKey =>
  ({ id }) =>
  async () => keyStore.revoke(id, now(), events && alongAnyway(events, keyRevoked))()
