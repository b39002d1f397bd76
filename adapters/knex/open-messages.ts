import type { WorkspaceId } from '../../core/kernel/ids.js'
import type { Instant } from '../../core/kernel/time.js'
import type { Claim, Claimed, Draft, Opening } from '../../core/messages/message-log.js'
import { claimStands, type MessageState } from '../../core/messages/message.js'
import { inList, insert } from './bulk-sql.js'
import type { Dialect } from './dialect.js'
import type { Write } from './group-commit.js'
import { OPENED_COLUMNS, openedRow, recordOf } from './message-rows.js'
import { execute, type Queryable, type Row, select } from './sql.js'

/** A message to be opened, with the digest of its request where it claims an idempotency key. */
export type OpenItem = { readonly draft: Draft; readonly digest: string | undefined }

const OPENED: Opening = { _tag: 'Opened' }

/**
 * Opens messages and claims their keys.
 *
 * If two transactions claim one key at once, the slower one fails because the key exists. It is run again and finds the claim.
 */
export const openMessages = (dialect: Dialect): Write<OpenItem, Opening> => ({
  kind: 'open-messages',
  run: async (trx, items, _verifyReads, emit) => {
    const claims = await readClaims(dialect, trx, items.flatMap(({ draft: { workspace, claim, at } }) => (claim ? [{ workspace, key: claim.key, at }] : [])))
    const unclaimed: Array<OpenItem> = []
    const answers = items.map((item): Opening => {
      const claimed = item.draft.claim && claimedBy(claims.get(claimKey(item.draft)), item.digest)
      if (claimed !== undefined) return claimed
      unclaimed.push(item)
      return OPENED
    })
    const repeats = repeatedClaims(unclaimed)
    if (repeats.size > 0) {
      // Several items of this transaction claim one key: the first is written, then the others are run again and find its claim.
      const firsts = unclaimed.filter((item) => !repeats.has(item))
      await writeOpened(dialect, trx, firsts, claims)
      const later = await openMessages(dialect).run(trx, [...repeats], true, emit)
      let next = 0
      return items.map((item, index) => (repeats.has(item) ? (later[next++] ?? OPENED) : (answers[index] ?? OPENED)))
    }
    await writeOpened(dialect, trx, unclaimed, claims)
    return answers
  },
})

/** The message that claimed a key, if its claim is still valid at that moment. */
export const findClaimed = async (
  dialect: Dialect, db: Queryable, workspace: WorkspaceId, { key }: Claim, digest: string, at: Instant,
): Promise<Claimed | undefined> => {
  const [found] = (await readClaims(dialect, db, [{ workspace, key, at }])).values()
  return claimedBy(found, digest)
}

const claimedBy = (claim: FoundClaim | undefined, digest: string | undefined): Claimed | undefined =>
  claim?.stands === true ? { _tag: 'Claimed', by: claim.by, sameRequest: claim.digest === digest } : undefined

type FoundClaim = { readonly stands: boolean; readonly digest: string; readonly by: ReturnType<typeof recordOf> }

const claimKey = ({ workspace, claim }: Draft): string => `${workspace} ${claim?.key}`

/** A key that a workspace claims or looks up at a moment. */
type KeyQuery = { readonly workspace: WorkspaceId; readonly key: string; readonly at: Instant }

const readClaims = async (dialect: Dialect, db: Queryable, queries: ReadonlyArray<KeyQuery>): Promise<Map<string, FoundClaim>> => {
  const keys = new Map(queries.map((query) => [`${query.workspace} ${query.key}`, query]))
  if (keys.size === 0) return new Map()
  const { sql, bindings } = inList(dialect, ['k.workspace_id', 'k.idempotency_key'], Array.from(keys.values(), ({ workspace, key }) => [workspace, key]))
  const rows = await select(
    db,
    `SELECT k.idempotency_key, k.request_digest, k.claimed_at, m.* FROM idempotency_keys k
     JOIN messages m ON m.workspace_id = k.workspace_id AND m.id = k.message_id
     WHERE ${sql}`,
    bindings,
  )
  return new Map(rows.map((row) => {
    const key = `${row['workspace_id']} ${row['idempotency_key']}`
    return [key, foundClaim(row, keys.get(key)?.at ?? 0)]
  }))
}

const foundClaim = (row: Row, now: number): FoundClaim => ({
  stands: claimStands(now, Number(row['claimed_at']), row['state'] as MessageState),
  digest: String(row['request_digest']),
  by: recordOf(row),
})

/** The items whose key an earlier item claims. */
const repeatedClaims = (items: ReadonlyArray<OpenItem>): Set<OpenItem> => {
  const seen = new Set<string>()
  return new Set(items.filter(({ draft }) => {
    if (draft.claim === undefined) return false
    const isRepeated = seen.has(claimKey(draft))
    seen.add(claimKey(draft))
    return isRepeated
  }))
}

const writeOpened = async (dialect: Dialect, trx: Queryable, items: ReadonlyArray<OpenItem>, claims: ReadonlyMap<string, FoundClaim>): Promise<void> => {
  const claiming = items.filter(({ draft }) => draft.claim !== undefined)
  const expired = claiming.filter(({ draft }) => claims.has(claimKey(draft)))
  await Promise.all([
    deleteClaims(dialect, trx, expired),
    insert(trx, dialect, 'messages', OPENED_COLUMNS, items.map(({ draft }) => openedRow(draft))),
    insert(
      trx, dialect, 'idempotency_keys', ['workspace_id', 'idempotency_key', 'message_id', 'request_digest', 'claimed_at'],
      claiming.map(({ draft, digest }) => [draft.workspace, draft.claim?.key ?? '', draft.id, digest ?? '', draft.at]),
    ),
  ])
}

const deleteClaims = async (dialect: Dialect, trx: Queryable, items: ReadonlyArray<OpenItem>): Promise<void> => {
  if (items.length === 0) return
  const { sql, bindings } = inList(dialect, ['workspace_id', 'idempotency_key'], items.map(({ draft }) => [draft.workspace, draft.claim?.key ?? '']))
  await execute(trx, `DELETE FROM idempotency_keys WHERE ${sql}`, bindings)
}
