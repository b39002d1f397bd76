import { createHash, randomBytes, timingSafeEqual } from 'node:crypto'
import * as E from 'fp-ts/lib/Either.js'
import * as TE from 'fp-ts/lib/TaskEither.js'
import {
  apiKeyIdIn, apiKeyOf, isApiKeyId, KEY_ID_BYTES, KEY_SECRET_BYTES, portFailure, SCOPES, type ApiKey, type KeyPrincipal, type KeyStore,
  type PortFailure, type UnknownApiKey, type WorkspaceId,
} from 'postern'
import { after, timeKey, type LevelStore } from './level-store.js'

type Row = Pick<ApiKey, 'id' | 'name' | 'createdAt'> & {
  readonly workspace: WorkspaceId
  readonly digest: string
  readonly lastUsedAt?: number
  readonly revokedAt?: number
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

  return {
    principalOf: (presented, at) => trying(async (): Promise<E.Either<UnknownApiKey, KeyPrincipal>> => {
      const id = apiKeyIdIn(presented)
      const row = id === undefined ? undefined : await rowOf(id)
      if (id === undefined || row === undefined || row.revokedAt !== undefined || !isDigestOf(row, presented)) return UNKNOWN
      if (row.lastUsedAt === undefined || at - row.lastUsedAt >= LAST_USED_WITHIN_MS) {
        await change(id, (latest) => ({ ...latest, lastUsedAt: Math.max(at, latest.lastUsedAt ?? at) }))
      }
      return E.right({ _tag: 'Key', workspace: row.workspace, key: id, scopes: SCOPES })
    }),

    mint: (workspace, name, at) => trying(async () => {
      if (!(await isWorkspace(workspace))) return E.left({ _tag: 'UnknownWorkspace' as const })
      const id = randomBytes(KEY_ID_BYTES).toString('hex')
      const key = apiKeyOf(id, randomBytes(KEY_SECRET_BYTES).toString('hex'))
      const row: Row = { id, workspace, name, createdAt: at, digest: digestOf(key) }
      await write([[`key/${id}`, row], [`keys/${workspace}/${timeKey(at)}/${id}`, id]])
      return E.right({ id, key })
    }),

    list: (workspace) => TE.tryCatch(async () => {
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

const trying = <Left, Right>(work: () => Promise<E.Either<Left, Right>>): TE.TaskEither<Left | PortFailure, Right> => async () => {
  const outcome = await TE.tryCatch(work, failure)()
  return E.isLeft(outcome) ? outcome : outcome.right
}

const knownOf = ({ id, name, createdAt, lastUsedAt, revokedAt }: Row): ApiKey => ({ id, name, createdAt, lastUsedAt, revokedAt })

const digestOf = (key: string): string => createHash('sha256').update(key).digest('hex')

const isDigestOf = ({ digest }: Row, key: string): boolean =>
  timingSafeEqual(Buffer.from(digest, 'hex'), Buffer.from(digestOf(key), 'hex'))
