import * as E from 'fp-ts/lib/Either.js'
import type * as TE from 'fp-ts/lib/TaskEither.js'
import type { InvalidName, PortFailure, UnknownWorkspace } from '../errors.js'
import { keyMinted } from '../event-data.js'
import { parseName } from '../name.js'
import type { KeyStore, MintedKey } from '../ports/key-store.js'
import { SCOPES } from '../principal.js'
import type { Clock } from '../time.js'
import type { WorkspaceId } from '../workspace.js'
import { alongFor, type EventDeps } from './event-deps.js'

/** Makes an API key, which can be shown this once only. */
export type MintKey = (command: MintKeyCommand) => TE.TaskEither<MintKeyError, MintedKey>

/** `name` says what the key is for. */
export type MintKeyCommand = { readonly workspace: WorkspaceId; readonly name: string }

/** How making a key can fail. */
export type MintKeyError = InvalidName | UnknownWorkspace | PortFailure

/** What making a key needs. */
export type MintKeyDeps = EventDeps & { readonly keyStore: Pick<KeyStore, 'mint'>; readonly now: Clock }

/** Makes the use case of what it needs. */
export const makeMintKey =
  ({ keyStore, now, events }: MintKeyDeps): MintKey =>
  ({ workspace, ...command }) =>
  async () => {
    const name = parseName(command.name)
    return E.isLeft(name) ? name : keyStore.mint({ workspace, name: name.right, at: now(), scopes: SCOPES }, await alongFor(events, workspace, keyMinted))()
  }
