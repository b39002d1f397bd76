import { hash } from 'node:crypto'
import * as O from 'fp-ts/lib/Option.js'
import type { WorkspaceId } from '../../core/kernel/ids.js'
import { type Page, pageOf } from '../../core/kernel/json.js'
import type { Category, Currency } from '../../core/kernel/money.js'
import type { Instant } from '../../core/kernel/time.js'
import {
  type Billed, type Claim, type Claimed, type Draft, isListed, type MessageLog, type MessageQuery, type MessageRef, type MessagesTo, type Opening,
} from '../../core/messages/message-log.js'
import {
  claimStands, firstMessageIdAt, KEY_KEPT_MS, MESSAGE_STATES, type MessageId, type MessageRecord, type MessageState, moneyMove, openRecord,
  type OwnErrorCode, sentencesOf,
} from '../../core/messages/message.js'
import { freeDraft, type FreeOffer } from '../../core/money/ledger.js'
import { portTasks } from './engine/batches.js'
import { type Database, transact } from './engine/database.js'
import type { Dialect } from './engine/dialect.js'
import { makeTakeOnceMap } from './engine/take-once-map.js'
import { type Bound, execute, inList, insert, micros, type Queryable, type Row, select, textOrNone, together } from './engine/sql.js'
import { takeForOpened } from './free-messages.js'
import type { KeepContents } from './message-contents.js'
import { applyChanges, openedColumns, openedRow, recordOf, storedState } from './message-changes.js'
import type { GroupCommit, OpenDecision, Write } from './writes.js'

/** A message to be opened, with the digest of its request if it claims an idempotency key, and the free messages of which it may use one; then it has a decision. */
export type OpenItem = {
  readonly draft: Draft
  readonly digest: string | undefined
  readonly decision?: OpenDecision | undefined
  readonly free?: FreeOffer | undefined
}

const OPENED: Opening = { _tag: 'Opened' }

/**
 * After a request repeated an idempotency key, the storage reads claims before it writes them for this long, in milliseconds: a client that repeats one request
 * often repeats others.
 */
const READ_CLAIMS_MS = 1_000

/**
 * Opens messages and claims their keys.
 *
 * Nearly every key is new, so the first try assumes that no key is in use. Then the claims are written without a read. A key that is in use makes the transaction fail
 * and run again. The same happens to the slower of two transactions that claim one key simultaneously. After that, claims are read first for some time.
 */
export const openMessages = (dialect: Dialect, keep?: KeepContents): Write<OpenItem, Opening> => {
  let readUntil = -Infinity
  return {
    kind: 'open-messages',
    run: async (trx, items, verifyReads) => {
      for (const { decision } of items) decision?.begin()
      const areNew = !verifyReads && performance.now() >= readUntil
      try {
        const answers = await openAll({ dialect, keep, areNew, verifyReads }, trx, items)
        if (answers.some(({ _tag }) => _tag === 'Claimed')) readUntil = performance.now() + READ_CLAIMS_MS
        return answers
      } finally {
        // For items that were not opened: the hold that waits for them must end, too.
        for (const { decision } of items) decision?.decide('not opened')
      }
    },
  }
}

/** The database's dialect, the function that stores the contents of messages if they are kept, whether all keys are assumed to be new, and whether nothing is assumed. */
type Opens = { readonly dialect: Dialect; readonly keep: KeepContents | undefined; readonly areNew: boolean; readonly verifyReads: boolean }

const openAll = async (opens: Opens, trx: Queryable, items: ReadonlyArray<OpenItem>): Promise<ReadonlyArray<Opening>> => {
  const { dialect, areNew } = opens
  const keys = items.flatMap(({ draft: { workspace, claim, at } }) => (claim ? [{ workspace, key: claim.key, at }] : []))
  const claims = areNew ? new Map<string, FoundClaim>() : await readClaims(dialect, trx, keys)
  const unclaimed: Array<OpenItem> = []
  const answers = items.map((item): Opening => {
    const claimed = item.draft.claim && claimedBy(claims.get(claimKey(item.draft)), item.digest)
    if (claimed !== undefined) return claimed
    unclaimed.push(item)
    return OPENED
  })
  const repeats = repeatedClaims(unclaimed)
  const firsts = await charged(opens, trx, repeats.size === 0 ? unclaimed : unclaimed.filter((item) => !repeats.has(item)))
  if (repeats.size > 0) {
    // If several items of this transaction claim one key, the first is written, then the others are run again and find its claim.
    await writeOpened(opens, trx, firsts, claims)
    const later = await openAll({ ...opens, areNew: false }, trx, [...repeats])
    let next = 0
    return items.map((item, index) => (repeats.has(item) ? (later[next++] ?? OPENED) : (answers[index] ?? OPENED)))
  }
  await writeOpened(opens, trx, firsts, claims)
  return answers
}

/** The items at the price that is charged, which is zero if they use a free message. At this point the amount of each hold is decided. */
const charged = async ({ dialect, verifyReads }: Opens, trx: Queryable, items: ReadonlyArray<OpenItem>): Promise<ReadonlyArray<OpenItem>> => {
  const offered = items.filter(({ free }) => free !== undefined)
  const takings = offered.flatMap(({ draft: { workspace, id: message }, free }) => (free === undefined ? [] : [{ workspace, message, ...free }]))
  const answers = takings.length === 0 ? [] : await takeForOpened(trx, dialect, takings, verifyReads)
  const isFree = new Set(offered.filter((_, index) => answers[index]))
  for (const item of items) item.decision?.decide(isFree.has(item) ? 'free' : 'opened')
  return isFree.size === 0 ? items : items.map((item) => (isFree.has(item) ? { ...item, draft: freeDraft(item.draft) } : item))
}

/** The message that claimed a key, if its claim is still valid at the given time. */
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

/** A key that a workspace claims or looks up at a given time. */
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

const writeOpened = async ({ dialect, keep }: Opens, trx: Queryable, items: ReadonlyArray<OpenItem>, claims: ReadonlyMap<string, FoundClaim>): Promise<void> => {
  const claiming = items.filter(({ draft }) => draft.claim !== undefined)
  const columns = openedColumns(items.map(({ draft }) => draft))
  const expired = claiming.filter(({ draft }) => claims.has(claimKey(draft)))
  await together([
    deleteClaims(dialect, trx, expired),
    insert(trx, dialect, 'messages', columns, items.map(({ draft }) => openedRow(draft, columns))),
    insert(
      trx, dialect, 'idempotency_keys', ['workspace_id', 'idempotency_key', 'message_id', 'request_digest', 'claimed_at'],
      claiming.map(({ draft, digest }) => [draft.workspace, draft.claim?.key ?? '', draft.id, digest ?? '', draft.at]), '',
      'a key guards a message already',
    ),
    keep?.(dialect, trx, items.map(({ draft }) => draft)),
  ])
}

const deleteClaims = async (dialect: Dialect, trx: Queryable, items: ReadonlyArray<OpenItem>): Promise<void> => {
  if (items.length === 0) return
  const { sql, bindings } = inList(dialect, ['workspace_id', 'idempotency_key'], items.map(({ draft }) => [draft.workspace, draft.claim?.key ?? '']))
  await execute(trx, `DELETE FROM idempotency_keys WHERE ${sql}`, bindings)
}

/** A condition and the values for its `?`. */
type Where = { readonly sql: string; readonly values: ReadonlyArray<Bound> }

/**
 * A page of a workspace's messages.
 *
 * The workspace, the ids and the customer have indexes. The other filters have none, because each index would cost every send: `look` limits how many messages are read
 * for them.
 */
export const listMessages = async (db: Queryable, dialect: Dialect, workspace: WorkspaceId, query: MessageQuery): Promise<Page<MessageRecord>> => {
  const near = nearOf(workspace, query)
  // A customer has a separate index.
  const table = query.to === undefined ? dialect.byWorkspace('messages') : 'messages'
  const end = query.look === undefined ? undefined : await endOfLook(db, table, near, query.look)
  const page = await readPage(db, table, [...near, ...optional('id >= ?', end), ...filtersOf(query)], query)
  return page.next === undefined ? { ...page, next: end } : page
}

/** Reads on until the page is full, because the last filter may drop rows. */
const readPage = async (
  db: Queryable, table: string, conditions: ReadonlyArray<Where>, query: MessageQuery, after?: string, before: ReadonlyArray<MessageRecord> = [],
): Promise<Page<MessageRecord>> => {
  const { limit } = query
  const all = [...conditions, ...optional('id < ?', after)]
  const rows = await select(db, `SELECT * FROM ${table} WHERE ${sqlOf(all)} ORDER BY id DESC LIMIT ?`, [...valuesOf(all), limit + 1])
  const records = rows.map(recordOf)
  const found = [...before, ...records.filter((record) => isListed(query, record))]
  const last = records.at(-1)
  return last === undefined || rows.length <= limit || found.length > limit ? pageOf(found, limit, ({ id }) => id) : readPage(db, table, conditions, query, last.id, found)
}

/** The id of the last message to read, which is the cursor for the rest; none if all are read. */
const endOfLook = async (db: Queryable, table: string, near: ReadonlyArray<Where>, look: number): Promise<string | undefined> => {
  const [last, following] = await select(
    db, `SELECT id FROM ${table} WHERE ${sqlOf(near)} ORDER BY id DESC LIMIT 2 OFFSET ?`, [...valuesOf(near), look - 1],
  )
  return last === undefined || following === undefined ? undefined : String(last['id'])
}

/** The conditions that an index can answer. */
const nearOf = (workspace: WorkspaceId, { to, from, before, cursor }: MessageQuery): ReadonlyArray<Where> => [
  where('workspace_id = ?', workspace), ...optional('id < ?', cursor), ...optional('id >= ?', from === undefined ? undefined : firstMessageIdAt(from)),
  ...optional('id < ?', before === undefined ? undefined : firstMessageIdAt(before)), ...(to === undefined ? [] : [sentTo(to)]),
]

/** A code of the gateway is in the error or, in rows of earlier releases, is represented by a sentence. */
const withError = (code: number | OwnErrorCode): Where => {
  const texts = typeof code === 'number' ? [`%"code":${code}%`, `%"code":"%${code}"%`] : [`%"code":"${code}"%`, ...sentencesOf(code).map((sentence) => `%"message":"${sentence}"%`)]
  return where(`(${texts.map(() => 'error LIKE ?').join(' OR ')})`, ...texts)
}

/** The conditions without an index. The conditions for an error and for metadata never drop a matching message, but may keep others. */
const filtersOf = ({ state, billedOtherwise, template, errorCode, metadata = {}, reference }: MessageQuery): ReadonlyArray<Where> => [
  ...(state === undefined ? [] : [inState(state)]), ...optional('template_name = ?', template), ...(billedOtherwise === undefined ? [] : [where(BILLED_OTHERWISE)]),
  ...(errorCode === undefined ? [] : [withError(errorCode)]),
  ...Object.entries(metadata).map(([name, value]) => where('metadata LIKE ?', `%${likeable(JSON.stringify(name))}:${likeable(JSON.stringify(value))}%`)),
  ...(reference === undefined ? [] : [where('metadata LIKE ?', `%:${likeable(JSON.stringify(reference))}%`)]),
]

const inState = (state: MessageState): Where =>
  where(state === 'played' ? 'state = ? AND played_at IS NOT NULL' : state === 'read' ? 'state = ? AND played_at IS NULL' : 'state = ?', storedState(state))

/** A text in which every character with a special meaning for LIKE or a database is replaced by a wildcard. */
const likeable = (json: string): string => json.replace(/[^ -~]|[%_\\]/gu, '_')

const where = (sql: string, ...values: ReadonlyArray<Bound>): Where => ({ sql, values })

const optional = (sql: string, value: Bound | undefined): ReadonlyArray<Where> => (value === undefined ? [] : [where(sql, value)])

const sqlOf = (conditions: ReadonlyArray<Where>): string => conditions.map(({ sql }) => sql).join(' AND ')

const valuesOf = (conditions: ReadonlyArray<Where>): ReadonlyArray<Bound> => conditions.flatMap(({ values }) => values)

/** The condition that a message is charged. */
export const CHARGED = `state IN (${MESSAGE_STATES.filter((state) => moneyMove(state) === 'capture').map((state) => `'${state}'`).join(', ')})`

/** The rule of `isBilledOtherwise` in SQL. A message without a report has null there, which no comparison matches. */
const BILLED_OTHERWISE = `${CHARGED} AND (reported_category <> category OR (reported_type LIKE 'free%' AND price > 0) OR (reported_type = 'regular' AND price = 0))`

/** The condition that a message was sent to one of the given ids. */
const sentTo = (to: ReadonlyArray<MessagesTo>): Where => {
  const each = to.map(({ id, after }) => (after === undefined ? where('customer = ?', id) : where('customer = ? AND created_at > ?', id, after)))
  return { sql: each.length === 0 ? '1 = 0' : `(${each.map(({ sql }) => sql).join(' OR ')})`, values: valuesOf(each) }
}

/** The maximum number of keys that one transaction removes. */
const BATCH = 500

/** The maximum number of batches of one call. */
const BATCHES = 20

/** Removes expired idempotency keys (see `claimStands`), oldest first, up to a limit, and returns how many. */
export const removeExpiredClaims = async (database: Database, now: Instant): Promise<number> => {
  let removed = 0
  for (let batch = 0; batch < BATCHES; batch += 1) {
    const found = await removeBatch(database, now - KEY_KEPT_MS)
    removed += found
    if (found < BATCH) break
  }
  return removed
}

/** Removes one batch. The condition of the DELETE keeps a key that was claimed again after the SELECT. */
const removeBatch = async ({ db, dialect }: Database, expired: Instant): Promise<number> => {
  const rows = await select(
    db,
    `SELECT k.workspace_id, k.idempotency_key FROM idempotency_keys k
     JOIN messages m ON m.workspace_id = k.workspace_id AND m.id = k.message_id
     WHERE k.claimed_at <= ? AND m.open_since IS NULL ORDER BY k.claimed_at LIMIT ?`,
    [expired, BATCH],
  )
  if (rows.length === 0) return 0
  const { sql, bindings } = inList(dialect, ['workspace_id', 'idempotency_key'], rows.map((row) => [String(row['workspace_id']), String(row['idempotency_key'])]))
  await transact({ db }, (trx) => execute(trx, `DELETE FROM idempotency_keys WHERE ${sql} AND claimed_at <= ?`, [...bindings, expired]))
  return rows.length
}

/** The message log over SQL. Its `open` can pass its decision to a hold, and use a free message. */
export type KnexMessageLog = MessageLog & { readonly open: (draft: Draft, decision?: OpenDecision, free?: FreeOffer) => ReturnType<MessageLog['open']> }

export const makeMessageLog = ({ db, dialect }: Database, { write }: GroupCommit, keep?: KeepContents): KnexMessageLog => {
  const opening = openMessages(dialect, keep)
  const applying = applyChanges(dialect)
  /** The messages that this process opened and has not changed. The data of their records at their opening never changes, so their first event needs no read. */
  const opened = makeTakeOnceMap<MessageRecord>(MAX_REMEMBERED)
  return {
    open: (draft: Draft, decision?: OpenDecision, free?: FreeOffer) =>
      tasks.value(async () => {
        const answer = await write(opening, { draft, digest: draft.claim && digestOf(draft.claim), decision, free })
        if (answer._tag === 'Opened') opened.keep(`${draft.workspace} ${draft.id}`, openRecord(free !== undefined && (await decision?.outcome()) === 'free' ? freeDraft(draft) : draft))
        return answer
      }),
    claimed: (workspace, claim, at) => tasks.value(async () => O.fromNullable(await findClaimed(dialect, db, workspace, claim, digestOf(claim), at))),
    apply: (workspace, id, change, outboxEntries) =>
      tasks.value(() => write(applying, { workspace, id, change, outboxEntries, opened: opened.take(`${workspace} ${id}`) })),
    find: (workspace, by) => tasks.value(() => find(workspace, by)),
    list: (workspace, query) => tasks.value(() => listMessages(db, dialect, workspace, query)),
    stale: ({ state, before, limit }) =>
      tasks.value(async () => {
        const rows = await select(
          db,
          'SELECT workspace_id, id FROM messages WHERE open_since < ? AND state = ? ORDER BY open_since, id LIMIT ?',
          [before, state, limit],
        )
        return rows.map((row) => ({ workspace: row['workspace_id'] as WorkspaceId, id: row['id'] as MessageId }))
      }),
    billed: () =>
      tasks.value(async () => {
        const rows = await select(
          db,
          `SELECT workspace_id, currency, category, reported_category, reported_type,
             COUNT(*) AS messages, SUM(CASE WHEN price = 0 THEN 1 ELSE 0 END) AS free, SUM(price) AS amount
           FROM messages WHERE ${CHARGED} GROUP BY workspace_id, currency, category, reported_category, reported_type`,
        )
        return rows.map(billedIn)
      }),
  }

  async function find(workspace: WorkspaceId, by: MessageRef): Promise<O.Option<MessageRecord>> {
    const [column, value] = 'id' in by ? ['id', by.id] : ['platform_id', by.platformId]
    const [row] = await select(db, `SELECT * FROM messages WHERE workspace_id = ? AND ${column} = ?`, [workspace, value])
    return row === undefined ? O.none : O.some(recordOf(row))
  }
}

/** The maximum number of remembered messages; the oldest are forgotten first. It is more than are ever in progress. Other messages are read from the database. */
const MAX_REMEMBERED = 65_536

/** Only a digest of the request is stored, because the request contains the message's text. */
const digestOf = ({ request }: Claim): string => hash('sha256', request, 'hex')

const billedIn = (row: Row): Billed => ({
  workspace: row['workspace_id'] as WorkspaceId,
  currency: row['currency'] as Currency,
  charged: row['category'] as Category,
  reported: textOrNone(row['reported_category']),
  type: textOrNone(row['reported_type']),
  messages: Number(row['messages']),
  free: Number(row['free']),
  micros: micros(row['amount']),
})

const tasks = portTasks('MessageLog')
