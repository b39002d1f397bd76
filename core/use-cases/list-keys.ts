import * as E from 'fp-ts/lib/Either.js'
import type * as TE from 'fp-ts/lib/TaskEither.js'
import { hasEnded } from '../api-key.js'
import type { Forbidden, PortFailure } from '../errors.js'
import type { ApiKey, KeyStore } from '../ports/key-store.js'
import type { Ledger } from '../ports/ledger.js'
import type { Actor } from '../principal.js'
import type { Clock } from '../time.js'
import type { WorkspaceId } from '../workspace.js'
import { checkView, type ActDeps } from './acting.js'

/** Lists the keys of a workspace, oldest first, and what those with a limit have spent today. */
export type ListKeys = (command: { readonly by: Actor; readonly workspace: WorkspaceId }) => TE.TaskEither<Forbidden | PortFailure, ReadonlyArray<KeyInUse>>

/** A key as it is now. */
export type KeyInUse = ApiKey & {
  /** Whether it is neither revoked nor expired. */
  readonly isValid: boolean
  /** What it and the other keys of its rotations have spent today (UTC), in micros; undefined where it has no limit. */
  readonly spentToday: bigint | undefined
}

/** What listing keys needs. */
export type ListKeysDeps = ActDeps & { readonly keyStore: Pick<KeyStore, 'list'>; readonly ledger: Pick<Ledger, 'keySpending'>; readonly now: Clock }

/** Makes the use case of what it needs. */
export const makeListKeys =
  ({ keyStore, ledger, now, ...deps }: ListKeysDeps): ListKeys =>
  ({ by, workspace }) =>
  async () => {
    const allowed = await checkView(deps, { by, act: 'workspace.view', workspace })
    if (E.isLeft(allowed)) return allowed
    const keys = await keyStore.list(workspace)()
    if (E.isLeft(keys)) return keys
    const firsts = firstOfRotations(keys.right)
    const limited = keys.right.filter(({ spendingLimit }) => spendingLimit !== undefined)
    const at = now()
    const spent = await ledger.keySpending(workspace, [...new Set(limited.map(({ id }) => firsts(id)))], at)()
    if (E.isLeft(spent)) return spent
    return E.right(keys.right.map((key) => ({ ...key, isValid: !hasEnded(key, at), spentToday: key.spendingLimit === undefined ? undefined : spent.right.get(firsts(key.id)) ?? 0n })))
  }

/** Finds the first key of the rotations that a key came from: it names the spending of all of them. */
const firstOfRotations = (keys: ReadonlyArray<ApiKey>): ((id: string) => string) => {
  const predecessors = new Map(keys.flatMap(({ id, replacedBy }) => (replacedBy === undefined ? [] : [[replacedBy, id] as const])))
  return (id) => {
    let first = id
    for (let before = predecessors.get(first); before !== undefined; before = predecessors.get(first)) first = before
    return first
  }
}
