import { createHash } from 'node:crypto'
import * as O from 'fp-ts/lib/Option.js'
import {
  appliedChange, type AppliedChange, applyChange, attempt, type Billed, billedAs, type Claim, type Claimed, claimStands, type Draft, isListed,
  isLookedAt, isOutcomeUnknown, keepsIdempotencyKey, type MessageId, type MessageLog, type MessageQuery, type MessageRecord, type MessageRef,
  type MessageState, type Opening, openRecord, portFailure, type StaleMessage, type StateChange, sumBilled, type WorkspaceId,
} from 'postern'
import { after, asKey, timeKey, type LevelStore, type Writes } from './level-store.js'

// JSON has no bigint and no undefined: the price is stored as decimal digits, and `fromRow` restores absent fields.
type Row = Omit<MessageRecord, 'price'> & { readonly price: { readonly micros: string } & Omit<MessageRecord['price'], 'micros'>; readonly claim?: string }
type ClaimRow = { readonly by: MessageId; readonly at: number; readonly digest: string }

const failure = portFailure('MessageLog')

/** The message log over LevelDB. The writes of one workspace run one after another, and each step is one atomic write. */
export const makeLevelMessageLog = (store: LevelStore): MessageLog => {
  const { get, write, entries, inTurn } = store
  const rowOf = (workspace: WorkspaceId, id: MessageId): Promise<Row | undefined> => get<Row>(messageKey(workspace, id))

  const guardedBy = async (workspace: WorkspaceId, { key, request }: Claim, now: number): Promise<Claimed | undefined> => {
    const claim = await get<ClaimRow>(claimKey(workspace, key))
    const row = claim && (await rowOf(workspace, claim.by))
    return claim !== undefined && row !== undefined && claimStands(now, claim.at, row.state)
      ? { _tag: 'Claimed', by: fromRow(row), sameRequest: claim.digest === digestOf(request) }
      : undefined
  }

  const open = async (draft: Draft): Promise<Opening> => {
    const { id, workspace, claim, at } = draft
    const guarded = claim && (await guardedBy(workspace, claim, at))
    if (guarded !== undefined) return guarded
    if ((await rowOf(workspace, id)) !== undefined) throw new Error('a message of that id has been opened before')
    const key = claim && claimKey(workspace, claim.key)
    const claimRow: ClaimRow | undefined = claim && { by: id, at, digest: digestOf(claim.request) }
    const record = openRecord(draft)
    await write([...rowWrites(record, key), ...staleWrites(undefined, record), ...(key === undefined ? [] : [[key, claimRow] as const])])
    return { _tag: 'Opened' }
  }

  const applyChangeOf = async (workspace: WorkspaceId, id: MessageId, change: StateChange): Promise<O.Option<AppliedChange>> => {
    const row = await rowOf(workspace, id)
    if (row === undefined) return O.none
    const [before, freed] = [fromRow(row), row.claim]
    const record = applyChange(before, change)
    // A freed key is removed from the row, so that a later change of this message does not free the key of another one.
    const frees = freed !== undefined && !keepsIdempotencyKey(record.state)
    await write([
      ...rowWrites(record, frees ? undefined : freed),
      ...staleWrites(before, record),
      ...(frees ? [[freed, undefined] as const] : []),
      ...(record.platformId === undefined ? [] : [[platformKey(workspace, record.platformId), id] as const]),
    ])
    return O.some(appliedChange(record))
  }

  const find = async (workspace: WorkspaceId, by: MessageRef): Promise<MessageRecord | undefined> => {
    const id = 'id' in by ? by.id : await get<MessageId>(platformKey(workspace, by.platformId))
    const row = id && (await rowOf(workspace, id))
    return row && fromRow(row)
  }

  /** Ids sort by time, so the keys of a workspace's messages do too. The cursor is the id of the last message on the page, or of the last looked at. */
  const list = async (workspace: WorkspaceId, { limit, cursor, look = Infinity, ...query }: MessageQuery) => {
    const prefix = messageKey(workspace, '')
    const items: MessageRecord[] = []
    let looked: { readonly count: number; readonly last?: MessageId } = { count: 0 }
    for await (const [, row] of entries<Row>({ from: prefix, to: cursor === undefined ? after(prefix) : `${prefix}${cursor}`, newestFirst: true })) {
      const record = fromRow(row)
      if (!isLookedAt(query, record)) continue
      if (looked.count === look) return { items, next: looked.last }
      looked = { count: looked.count + 1, last: record.id }
      if (!isListed(query, record)) continue
      if (items.length === limit) return { items, next: items.at(-1)?.id }
      items.push(record)
    }
    return { items, next: undefined }
  }

  const billed = async (): Promise<ReadonlyArray<Billed>> => {
    const charged: Billed[] = []
    for await (const [, row] of entries<Row>({ from: 'message/', to: after('message/') })) {
      const one = billedAs(fromRow(row))
      if (one !== undefined) charged.push(one)
    }
    return sumBilled(charged)
  }

  return {
    open: (draft) => attempt(() => inTurn(`messages/${draft.workspace}`, () => open(draft)), failure),
    claimed: (workspace, claim, at) => attempt(async () => O.fromNullable(await guardedBy(workspace, claim, at)), failure),
    apply: (workspace, id, change) => attempt(() => inTurn(`messages/${workspace}`, () => applyChangeOf(workspace, id, change)), failure),
    find: (workspace, by) => attempt(async () => O.fromNullable(await find(workspace, by)), failure),
    list: (workspace, query) => attempt(() => list(workspace, query), failure),
    stale: ({ state, before, limit }) => attempt(async () => {
      const items: StaleMessage[] = []
      for await (const [, item] of entries<StaleMessage>({ from: `stale/${state}/`, to: `stale/${state}/${timeKey(before)}` })) {
        if (items.length === limit) break
        items.push(item)
      }
      return items
    }, failure),
    billed: () => attempt(billed, failure),
  }
}

const messageKey = (workspace: WorkspaceId, id: string): string => `message/${workspace}/${id}`
const claimKey = (workspace: WorkspaceId, key: string): string => `claim/${workspace}/${asKey(key)}`
const platformKey = (workspace: WorkspaceId, id: string): string => `platform/${workspace}/${asKey(id)}`

const rowWrites = ({ price, ...record }: MessageRecord, claim: string | undefined): Writes => {
  const row: Row = { ...record, price: { ...price, micros: String(price.micros) }, ...(claim !== undefined && { claim }) }
  return [[messageKey(record.workspace, record.id), row]]
}

const fromRow = ({ claim: _, price, ...row }: Row): MessageRecord => ({
  ...row, price: { ...price, micros: BigInt(price.micros) },
  summary: row.summary, metadata: row.metadata, platformId: row.platformId, templateName: row.templateName, language: row.language, error: row.error, pricing: row.pricing,
})

/** A message is in the list of its state while its outcome is unknown. */
const staleWrites = (before: MessageRecord | undefined, { workspace, id, state, createdAt }: MessageRecord): Writes => {
  if (before?.state === state) return []
  const key = (of: MessageState): string => `stale/${of}/${timeKey(createdAt)}/${id}`
  return [
    ...(before === undefined || !isOutcomeUnknown(before.state) ? [] : [[key(before.state), undefined] as const]),
    ...(isOutcomeUnknown(state) ? [[key(state), { workspace, id }] as const] : []),
  ]
}

const digestOf = (request: string): string => createHash('sha256').update(request).digest('hex')
