import * as E from 'fp-ts/lib/Either.js'
import * as O from 'fp-ts/lib/Option.js'
import type * as TE from 'fp-ts/lib/TaskEither.js'
import type { Forbidden, InvalidOverlap, KeyEnded, KeyReplaced, PortFailure, UnknownApiKey } from '../errors.js'
import { keyRotated } from '../event-data.js'
import { DEFAULT_OVERLAP, keyDetails, parseOverlap } from '../key-limits.js'
import type { ApiKey, KeyStore, KeySuccession, Successor } from '../ports/key-store.js'
import type { Actor } from '../principal.js'
import type { Clock, Instant } from '../time.js'
import type { WorkspaceId } from '../workspace.js'
import { perform, type ActDeps, type Described } from './acting.js'

/** Makes a successor of an API key, which can be shown this once only. Both keys are valid for the overlap; then the old one ends. */
export type RotateKey = (command: RotateKeyCommand) => TE.TaskEither<RotateKeyError, Successor>

/** `id` is the key's id, never the key itself. With `workspace`, the keys of all others are unknown. `overlap` is a duration as `parseOverlap` reads it, `24h` where none is given; with 0 the old key ends at once. */
export type RotateKeyCommand = { readonly by: Actor; readonly id: string; readonly workspace?: WorkspaceId; readonly overlap?: string }

/** How replacing a key can fail. For an actor of one workspace, a key that does not exist is `Forbidden`, like a key of another workspace. */
export type RotateKeyError = InvalidOverlap | UnknownApiKey | KeyEnded | KeyReplaced | Forbidden | PortFailure

/** What replacing a key needs. */
export type RotateKeyDeps = ActDeps & { readonly keyStore: Pick<KeyStore, 'find' | 'rotate'>; readonly now: Clock }

/** Makes the use case of what it needs. */
export const makeRotateKey =
  ({ keyStore, now, ...deps }: RotateKeyDeps): RotateKey =>
  ({ by, id, workspace, overlap = DEFAULT_OVERLAP }) =>
  async () => {
    const found = await keyStore.find(id)()
    if (E.isLeft(found)) return found
    const key = O.toUndefined(O.filter((one: ApiKey) => workspace === undefined || one.workspace === workspace)(found.right))
    const overlapMs = parseOverlap(overlap)
    const details = key && keyDetails(key)
    const succeeded = (successor: string, endsAt: Instant): Described => ({ details: { ...details, successor, ends_at: new Date(endsAt).toISOString() } })
    const consequences = {
      events: keyRotated(E.isRight(overlapMs) && overlapMs.right === 0),
      describe: ({ successor, endsAt }: KeySuccession) => succeeded(successor, endsAt),
      describeAnswer: ({ id: successor, replacedEndsAt }: Successor) => succeeded(successor, replacedEndsAt),
    }
    return perform(
      deps, { by, act: 'key.rotate', workspace: key?.workspace ?? workspace, ...(key && { subject: id }), ...(details && { details }) }, consequences,
      async (along): Promise<E.Either<Exclude<RotateKeyError, Forbidden>, Successor>> =>
        (E.isLeft(overlapMs) ? overlapMs : key === undefined ? E.left({ _tag: 'UnknownApiKey' }) : keyStore.rotate(id, { at: now(), overlapMs: overlapMs.right }, along)()),
    )
  }
