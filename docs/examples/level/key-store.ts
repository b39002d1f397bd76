import { createHash, randomBytes, timingSafeEqual } from 'node:crypto'
import * as E from 'fp-ts/lib/Either.js'
import * as O from 'fp-ts/lib/Option.js'
import {
  type ApiKey, apiKeyIdIn, apiKeyOf, attempt, checkReplaceable, endOfReplaced, hasEnded, isApiKeyId, KEY_ID_BYTES, KEY_SECRET_BYTES, type KeyEnded,
  type KeyPrincipal, type KeyReplaced, type KeyStore, type MintedKey, type NewKey, portFailure, type PortFailure, type Successor, type UnknownApiKey,
  type WorkspaceId,
} from 'postern'
import { after, timeKey, type LevelStore, type Writes } from './level-store.js'

type Row = Pick<ApiKey, 'id' | 'workspace' | 'name' | 'scopes' | 'createdAt'> & {
  readonly digest: string
  readonly lastUsedAt?: number
  readonly revokedAt?: number
  readonly expiresAt?: number
  /** Micros; JSON has no big integers. */
  readonly spendingLimit?: string
  readonly replacedBy?: string
  /** Of a successor, the id of the first key of its rotations: they spend one limit together. */
  readonly spendingId?: string
}

/** How old a key's recorded last use may be, in milliseconds. The port allows one minute. */
const LAST_USED_WITHIN_MS = 30_000

const failure = portFailure('KeyStore')
const UNKNOWN: E.Either<UnknownApiKey, never> = E.left({ _tag: 'UnknownApiKey' })

/** The key store over LevelDB, for the workspaces that `isWorkspace` knows. */
export const makeLevelKeyStore = (store: LevelStore, isWorkspace: (id: WorkspaceId) => Promise<boolean>): KeyStore => {
  const { get, write, entries, inTurn } = store
  const rowOf = (id: string): Promise<Row | undefined> => get<Row>(`key/${id}`)

  /** Changes a key in its queue, so that a recorded use never overwrites a revocation. */
  const change = (id: string, of: (row: Row) => Row): Promise<E.Either<UnknownApiKey, void>> =>
    inTurn(`key/${id}`, async () => {
      const row = await rowOf(id)
      if (row === undefined) return UNKNOWN
      const changed = of(row)
      if (changed !== row) await write([[`key/${id}`, changed]])
      return E.right(undefined)
    })

  /** The writes that add a key. */
  const added = (row: Row): Writes => [[`key/${row.id}`, row], [`keys/${row.workspace}/${timeKey(row.createdAt)}/${row.id}`, row.id]]

  return {
    principalOf: (presented, at) => trying(async (): Promise<E.Either<UnknownApiKey, KeyPrincipal>> => {
      const id = apiKeyIdIn(presented)
      const row = id === undefined ? undefined : await rowOf(id)
      if (id === undefined || row === undefined || hasEnded(knownOf(row), at) || !isDigestOf(row, presented)) return UNKNOWN
      if (row.lastUsedAt === undefined || at - row.lastUsedAt >= LAST_USED_WITHIN_MS) {
        await change(id, (latest) => ({ ...latest, lastUsedAt: Math.max(at, latest.lastUsedAt ?? at) }))
      }
      const { workspace, name, scopes, spendingId } = row
      return E.right({ _tag: 'Key', workspace, key: id, name, scopes, ...limitsOf(row), ...(spendingId !== undefined && { spendingId }) })
    }),

    mint: (key) => trying(async () => {
      if (!(await isWorkspace(key.workspace))) return E.left({ _tag: 'UnknownWorkspace' as const })
      const { minted, row } = makeKey(key)
      await write(added(row))
      return E.right(minted)
    }),

    rotate: (id, rotation) => trying(() => inTurn(`key/${id}`, async (): Promise<E.Either<UnknownApiKey | KeyEnded | KeyReplaced, Successor>> => {
      const row = isApiKeyId(id) ? await rowOf(id) : undefined
      if (row === undefined) return UNKNOWN
      const { at, overlapMs } = rotation
      const replaceable = checkReplaceable(knownOf(row), at)
      if (E.isLeft(replaceable)) return replaceable
      const { workspace, name, scopes } = row
      const { minted, row: successor } = makeKey({ workspace, name, scopes, at, ...limitsOf(row) })
      const expiresAt = endOfReplaced(knownOf(row), rotation)
      await write([...added({ ...successor, spendingId: row.spendingId ?? id }), [`key/${id}`, { ...row, replacedBy: minted.id, expiresAt, ...(overlapMs === 0 && { revokedAt: at }) }]])
      return E.right({ ...minted, replacedEndsAt: expiresAt })
    })),

    find: (id) => attempt(async () => (isApiKeyId(id) ? O.map(knownOf)(O.fromNullable(await rowOf(id))) : O.none), failure),

    list: (workspace) => attempt(async () => {
      const keys: ApiKey[] = []
      for await (const [, id] of entries<string>({ from: `keys/${workspace}/`, to: after(`keys/${workspace}/`) })) {
        const row = await rowOf(id)
        if (row !== undefined) keys.push(knownOf(row))
      }
      return keys
    }, failure),

    revoke: (id, at) => trying(async () =>
      isApiKeyId(id) ? change(id, (row) => (row.revokedAt === undefined ? { ...row, revokedAt: at } : row)) : UNKNOWN,
    ),
  }
}

const trying = async <Failure, Answer>(work: () => Promise<E.Either<Failure, Answer>>): Promise<E.Either<Failure | PortFailure, Answer>> => {
  const outcome = await attempt(work, failure)
  return E.isLeft(outcome) ? outcome : outcome.right
}

const makeKey = ({ workspace, name, scopes, at, expiresAt, spendingLimit }: NewKey): { readonly minted: MintedKey; readonly row: Row } => {
  const id = randomBytes(KEY_ID_BYTES).toString('hex')
  const key = apiKeyOf(id, randomBytes(KEY_SECRET_BYTES).toString('hex'))
  const row: Row = {
    id, workspace, name, scopes, createdAt: at, digest: digestOf(key), ...(expiresAt !== undefined && { expiresAt }),
    ...(spendingLimit !== undefined && { spendingLimit: String(spendingLimit) }),
  }
  return { minted: { id, key }, row }
}

const limitsOf = ({ expiresAt, spendingLimit }: Row): Pick<NewKey, 'expiresAt' | 'spendingLimit'> => ({
  ...(expiresAt !== undefined && { expiresAt }),
  ...(spendingLimit !== undefined && { spendingLimit: BigInt(spendingLimit) }),
})

const knownOf = ({ id, workspace, name, scopes, createdAt, lastUsedAt, revokedAt, expiresAt, spendingLimit, replacedBy }: Row): ApiKey => ({
  id, workspace, name, scopes, createdAt, lastUsedAt, revokedAt, expiresAt, spendingLimit: spendingLimit === undefined ? undefined : BigInt(spendingLimit), replacedBy,
})

const digestOf = (key: string): string => createHash('sha256').update(key).digest('hex')

const isDigestOf = ({ digest }: Row, key: string): boolean =>
  timingSafeEqual(Buffer.from(digest, 'hex'), Buffer.from(digestOf(key), 'hex'))
