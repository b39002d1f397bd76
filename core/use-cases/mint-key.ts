import * as E from 'fp-ts/lib/Either.js'
import type * as TE from 'fp-ts/lib/TaskEither.js'
import type { Forbidden, InvalidAmount, InvalidExpiry, InvalidName, InvalidScopes, PortFailure, UnknownWorkspace } from '../errors.js'
import { keyMinted } from '../event-data.js'
import { checkSpendingLimit, keyDetails, parseExpiry, parseScopes } from '../key-limits.js'
import { parseName } from '../name.js'
import type { KeyStore, MintedKey, NewKey, WorkspaceKey } from '../ports/key-store.js'
import { SCOPES, type Actor } from '../principal.js'
import type { Clock, Instant } from '../time.js'
import type { WorkspaceId } from '../workspace.js'
import { perform, type ActDeps, type Described } from './acting.js'

/** Makes an API key, which can be shown this once only. */
export type MintKey = (command: MintKeyCommand) => TE.TaskEither<MintKeyError, MintedKey>

/** Whose key it is, and what it may do. */
export type MintKeyCommand = {
  readonly by: Actor
  readonly workspace: WorkspaceId
  /** What the key is for. */
  readonly name: string
  /** What it may do; everything where none are given. */
  readonly scopes?: ReadonlyArray<string>
  /** When it ends, as `parseExpiry` reads it; without it the key has no end. */
  readonly expires?: string
  /** The most that messages sent with the key may cost in a day (UTC), in micros of the wallet's currency; without it there is no limit. */
  readonly spendingLimit?: bigint
}

/** How making a key can fail. */
export type MintKeyError = InvalidName | InvalidScopes | InvalidExpiry | InvalidAmount | UnknownWorkspace | Forbidden | PortFailure

/** What making a key needs. */
export type MintKeyDeps = ActDeps & { readonly keyStore: Pick<KeyStore, 'mint'>; readonly now: Clock }

/** Makes the use case of what it needs. */
export const makeMintKey =
  ({ keyStore, now, ...deps }: MintKeyDeps): MintKey =>
  ({ by, workspace, ...command }) =>
  async () => {
    const key = parseKey({ workspace, ...command }, now())
    const acting = { by, act: 'key.mint', workspace, ...(E.isRight(key) && { details: keyDetails(key.right) }) } as const
    return perform(deps, acting, { events: keyMinted, describe: keySubject, describeAnswer: keySubject },
      async (along): Promise<E.Either<Exclude<MintKeyError, Forbidden>, MintedKey>> => (E.isLeft(key) ? key : keyStore.mint(key.right, along)()))
  }

const keySubject = ({ id }: Pick<WorkspaceKey, 'id'>): Described => ({ subject: id })

const parseKey = (
  { workspace, spendingLimit, ...given }: Omit<MintKeyCommand, 'by'>, at: Instant,
): E.Either<InvalidName | InvalidScopes | InvalidExpiry | InvalidAmount, NewKey> => {
  const name = parseName(given.name)
  if (E.isLeft(name)) return name
  const scopes = parseScopes(given.scopes ?? SCOPES)
  if (E.isLeft(scopes)) return scopes
  const expiresAt = given.expires === undefined ? E.right(undefined) : parseExpiry(given.expires, at)
  if (E.isLeft(expiresAt)) return expiresAt
  const limit = spendingLimit === undefined ? E.right(undefined) : checkSpendingLimit(spendingLimit)
  if (E.isLeft(limit)) return limit
  return E.right({
    workspace, name: name.right, scopes: scopes.right, at,
    ...(expiresAt.right !== undefined && { expiresAt: expiresAt.right }), ...(limit.right !== undefined && { spendingLimit: limit.right }),
  })
}
