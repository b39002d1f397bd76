import * as E from 'fp-ts/lib/Either.js'
import * as O from 'fp-ts/lib/Option.js'
import type * as TE from 'fp-ts/lib/TaskEither.js'
import type { Forbidden, InvalidOverlap, KeyEnded, KeyReplaced, PortFailure, UnknownApiKey } from '../errors.js'
import { keyRotated } from '../event-data.js'
import { DEFAULT_OVERLAP, keyDetails, parseOverlap } from '../key-limits.js'
import type { KeyStore, KeySuccession, Successor } from '../ports/key-store.js'
import type { Actor } from '../principal.js'
import type { Clock } from '../time.js'
import { perform, type ActDeps } from './acting.js'

/** Makes a successor of an API key, which can be shown this once only. Both keys are valid for the overlap; then the old one ends. */
export type RotateKey = (command: RotateKeyCommand) => TE.TaskEither<RotateKeyError, Successor>

/** `id` is the key's id, never the key itself. `overlap` is a duration as `parseOverlap` reads it, `24h` where none is given; with 0 the old key ends at once. */
export type RotateKeyCommand = { readonly by: Actor; readonly id: string; readonly overlap?: string }

/** How replacing a key can fail. To whoever may not act in every workspace a key that does not exist is `Forbidden`, as are those of other workspaces. */
export type RotateKeyError = InvalidOverlap | UnknownApiKey | KeyEnded | KeyReplaced | Forbidden | PortFailure

/** What replacing a key needs. */
export type RotateKeyDeps = ActDeps & { readonly keyStore: Pick<KeyStore, 'find' | 'rotate'>; readonly now: Clock }

/** Makes the use case of what it needs. */
export const makeRotateKey =
  ({ keyStore, now, ...deps }: RotateKeyDeps): RotateKey =>
  ({ by, id, overlap = DEFAULT_OVERLAP }) =>
  async () => {
    const found = await keyStore.find(id)()
    if (E.isLeft(found)) return found
    const key = O.toUndefined(found.right)
    const overlapMs = parseOverlap(overlap)
    const details = key && keyDetails(key)
    const describe = ({ successor, endsAt }: KeySuccession) => ({ details: { ...details, successor, ends_at: new Date(endsAt).toISOString() } })
    return perform(
      deps, { by, act: 'key.rotate', workspace: key?.workspace, ...(key && { subject: id }), ...(details && { details }) },
      { events: keyRotated(E.isRight(overlapMs) && overlapMs.right === 0), describe },
      async (along): Promise<E.Either<Exclude<RotateKeyError, Forbidden>, Successor>> =>
        (E.isLeft(overlapMs) ? overlapMs : keyStore.rotate(id, { at: now(), overlapMs: overlapMs.right }, along)()),
    )
  }
