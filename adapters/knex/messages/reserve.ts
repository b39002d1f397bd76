import { hash } from 'node:crypto'
import * as E from 'fp-ts/lib/Either.js'
import type { WorkspaceId } from '../../../core/kernel/ids.js'
import type { MakeOutboxEntries } from '../../../core/kernel/outbox.js'
import type { Instant } from '../../../core/kernel/time.js'
import type { Claim, Claimed, Draft, Opening } from '../../../core/messages/message-log.js'
import { claimStands, type MessageId, type MessageRecord, type MessageState, openRecord } from '../../../core/messages/message.js'
import { freeDraft, type FreeOffer, holdOfDraft, type LimitReached, type Reserved, type SendLimits } from '../../../core/money/ledger.js'
import { checkPart, type Spending, type WalletAlert } from '../../../core/money/wallet.js'
import { insertDeadlines } from './deadlines.js'
import type { SenderSlot } from '../../../core/senders/sender-budget.js'
import type { Dialect } from '../engine/dialect.js'
import { makeTakeOnceMap } from '../engine/take-once-map.js'
import { execute, inList, insert, type Queryable, select, together } from '../engine/sql.js'
import { takeForOpened } from '../ledger/free-messages.js'
import { openedColumns, openedRow, recordOf } from './message-changes.js'
import type { KeepContents } from './message-contents.js'
import type { StoreQueued } from '../queue/message-queue.js'
import { makeOpenPairs, type OpenPairs } from '../limits/pair-limits.js'
import { makeOpenPortfolios, type OpenPortfolios } from '../limits/portfolio-budget.js'
import { makeOpenSlots, type OpenSlots } from '../limits/sender-budget.js'
import {
  HOLD_REFUSALS, holdKey, type HoldRefusal, type KnownHold, moveMoney, NO_HOLD, refusedBy, type WalletWrite, type WalletWriteResult,
  type WalletWrites,
} from '../ledger/wallet.js'
import { type GroupCommit, type Write } from '../writes.js'

/** The writes that open messages and move their money. They reject if the database fails. */
export type Reservations = WalletWrites & {
  /** Opens a message, as `MessageLog.open` does. */
  readonly open: (draft: Draft) => Promise<Opening>
  /** Opens a message and holds its price, as `Reserving` does. */
  readonly reserve: (
    draft: Draft, hold: HoldTerms, free: FreeOffer | undefined, limits: SendLimits | undefined,
  ) => Promise<E.Either<HoldRefusal | LimitReached, Reserved>>
  /** Returns the record of a message once, if this process opened it. Then the first change of the message needs no read. */
  readonly takeOpened: (workspace: WorkspaceId, id: MessageId) => MessageRecord | undefined
}

/** The limit that a price counts for, and the entries of the alert that its hold may raise. */
type HoldTerms = { readonly spending: Spending | undefined; readonly outboxEntries: MakeOutboxEntries<WalletAlert> | undefined }

/** The database's dialect, and what is stored with an opened message: its content if contents are kept, and its place in the queue if it has one. */
type OpenOptions = { readonly dialect: Dialect; readonly keep: KeepContents | undefined; readonly queue: StoreQueued }

/** The maximum number of remembered messages and holds; the oldest are forgotten first. It is more than are ever in progress. */
const MAX_REMEMBERED = 65_536

/** Creates the writes. `onAlert` is called after the commit of a hold that raised an alert. */
export const makeReservations = (
  { write }: GroupCommit, options: OpenOptions, onAlert?: (alert: WalletAlert) => void,
): Reservations => {
  const reserving = reserveWrite(options)
  /** The messages that this process opened, and the holds that it created, and has not changed. */
  const [messages, holds] = [makeTakeOnceMap<MessageRecord>(MAX_REMEMBERED), makeTakeOnceMap<KnownHold>(MAX_REMEMBERED)]
  const run = async (item: ReserveItem): Promise<ReserveResult> => {
    const result = await write(reserving, item)
    const { opened, money: { made, alert } } = result
    if (alert !== undefined) onAlert?.(alert)
    if (opened !== undefined && opened.queue === undefined) messages.keep(`${opened.workspace} ${opened.id}`, openRecord(opened))
    if (made !== undefined) holds.keep(holdKey(made), made)
    return result
  }
  const open = (draft: Draft, terms: Pick<OpenItem, 'hold' | 'free' | 'limits'> = {}): Promise<ReserveResult> =>
    run({ _tag: 'Open', draft, digest: draft.claim && digestOf(draft.claim), ...terms })
  return {
    open: async (draft) => (await open(draft)).claimed ?? OPENED,
    hold: async (hold, outboxEntries) => (await run({ _tag: 'Hold', ...hold, outboxEntries })).money.answer,
    split: async (part) => (await run({ _tag: 'Split', ...part })).money.answer,
    reserve: async (draft, hold, free, limits) => {
      const { claimed, opened, limited, slot, money } = await open(draft, { hold, free, limits })
      if (claimed !== undefined) return E.right(claimed)
      if (limited !== undefined) return E.left(limited)
      const answer = refusedBy(HOLD_REFUSALS, money.answer)
      return E.isLeft(answer) ? answer : E.right({ ...OPENED, ...(opened !== draft && { isFree: true }), ...(slot && { slot }) })
    },
    move: async (move) => {
      const known = holds.take(holdKey(move))
      // A part that exceeds the hold is refused only if the hold was not captured meanwhile, so then the hold is read.
      const isKnown = known !== undefined && (move.part === undefined || E.isRight(checkPart(move.part, known.amount)))
      return (await run({ _tag: 'Move', ...move, known: isKnown ? known : undefined })).money.answer
    },
    takeOpened: (workspace, id) => messages.take(`${workspace} ${id}`),
  }
}

const OPENED = { _tag: 'Opened' } as const

/** Only a digest of the request is stored, because the request contains the message's text. */
const digestOf = ({ request }: Claim): string => hash('sha256', request, 'hex')

/** A message to be opened. */
type OpenItem = {
  readonly _tag: 'Open'
  readonly draft: Draft
  /** The digest of its request, if it claims an idempotency key. */
  readonly digest: string | undefined
  /** The free messages of which it may use one. */
  readonly free?: FreeOffer | undefined
  /** The slots and the place that it has to take, if there are limits. */
  readonly limits?: SendLimits | undefined
  /** Absent if its price is not held. */
  readonly hold?: HoldTerms
}

type ReserveItem = OpenItem | WalletWrite

/** The results of an item: the draft as it was opened and its slot, the message that guards its key, or the limit that it has reached; and its hold or its move. */
type ReserveResult = {
  readonly opened: Draft | undefined
  readonly claimed: Claimed | undefined
  readonly limited: LimitReached | undefined
  readonly slot: SenderSlot | undefined
  readonly money: WalletWriteResult
}

/** How long claims are read first after a request repeated a key, in milliseconds: a client often repeats several requests. */
const READ_CLAIMS_MS = 1_000

/**
 * Opens messages and claims their keys, holds prices, and moves holds. The price of a message is held in the transaction that opens it, and
 * not at all if its key guards another message.
 *
 * Nearly every key is new, so the first try assumes that no key is in use. Then the claims are written without a read. A key that is in use
 * makes the transaction fail and run again. The same happens to the slower of two transactions that claim one key simultaneously. After that,
 * claims are read first for some time.
 */
const reserveWrite = (options: OpenOptions): Write<ReserveItem, ReserveResult> => {
  const { dialect } = options
  let readUntil = -Infinity
  const [openPairs, openSlots, openPortfolios] = [makeOpenPairs(dialect), makeOpenSlots(dialect), makeOpenPortfolios(dialect)]
  return {
    kind: 'reserve',
    run: async (trx, items, verifyReads, emit) => {
      const areNew = !verifyReads && performance.now() >= readUntil
      const opens = { dialect, areNew, verifyReads, openPairs, openSlots, openPortfolios }
      const openings = await decideOpenings(opens, trx, items.filter((item) => item._tag === 'Open'))
      const { opened, claimed, limited } = openings
      if (claimed.size > 0) readUntil = performance.now() + READ_CLAIMS_MS
      const money = items.map((item) => (item._tag === 'Open' ? holdOf(opened.get(item)) : item))
      const [slots, moved] = await together([
        writeOpened(options, trx, openings), moveMoney(dialect, trx, money.filter((item) => item !== undefined), verifyReads, emit),
      ])
      let next = 0
      return items.map((item, index) => {
        const result = money[index] === undefined ? NO_HOLD : moved[next++] ?? NO_HOLD
        return result instanceof Error ? result : {
          opened: opened.get(item)?.draft, claimed: claimed.get(item), limited: limited.get(item), slot: slots.get(item), money: result,
        }
      })
    },
  }
}

const holdOf = (opened: OpenItem | undefined): WalletWrite | undefined =>
  opened?.hold && { _tag: 'Hold', ...holdOfDraft(opened.draft, opened.hold.spending), outboxEntries: opened.hold.outboxEntries }

/** What is decided about messages before they are written. */
type Openings = {
  /** The items whose messages are opened, and the same items at the price that is charged. */
  readonly opened: ReadonlyMap<ReserveItem, OpenItem>
  /** The items whose keys guard other messages. */
  readonly claimed: ReadonlyMap<ReserveItem, Claimed>
  /** The items whose limits are reached. */
  readonly limited: ReadonlyMap<ReserveItem, LimitReached>
  /** Writes the slots of the opened items, and returns those of their senders. */
  readonly writeLimits: () => Promise<ReadonlyMap<ReserveItem, SenderSlot>>
  /** The opened items whose keys have an expired claim. */
  readonly expired: ReadonlyArray<OpenItem>
}

/** The database's dialect, whether all keys are assumed to be new, whether nothing is assumed, and how slots are taken. */
type Opens = {
  readonly dialect: Dialect; readonly areNew: boolean; readonly verifyReads: boolean
  readonly openPairs: OpenPairs; readonly openSlots: OpenSlots; readonly openPortfolios: OpenPortfolios
}

/** Decides which messages are opened, and takes free messages. If several items claim one key, the first is opened and guarded by it. */
const decideOpenings = async (opens: Opens, trx: Queryable, items: ReadonlyArray<OpenItem>): Promise<Openings> => {
  const claims = opens.areNew ? new Map<string, FoundClaim>() : await readClaims(opens.dialect, trx, items.map(({ draft }) => draft))
  const firsts = new Map<string, OpenItem>()
  const unclaimed = items.filter((item) => {
    if (item.draft.claim === undefined) return true
    const key = claimKey(item.draft)
    if (claims.get(key)?.stands === true || firsts.has(key)) return false
    firsts.set(key, item)
    return true
  })
  const { limited: reached, write: writeLimits } = await takeLimits(opens, trx, unclaimed)
  const opened = await charged(opens, trx, unclaimed.filter((item) => !reached.has(item)))
  const [claimed, limited] = [new Map<ReserveItem, Claimed>(), new Map<ReserveItem, LimitReached>()]
  for (const item of items) {
    if (opened.has(item)) continue
    const key = claimKey(item.draft)
    const claiming = firsts.get(key) ?? item
    const first = opened.get(claiming)
    const limit = claims.get(key)?.stands === true ? undefined : reached.get(claiming)
    if (limit !== undefined) {
      limited.set(item, limit)
      continue
    }
    const by = claimedBy(first ? { stands: true, digest: first.digest, by: openRecord(first.draft) } : claims.get(key), item.digest)
    if (by !== undefined) claimed.set(item, by)
  }
  const expired = unclaimed.filter((item) => opened.has(item) && claims.has(claimKey(item.draft)))
  return { opened, claimed, limited, expired, writeLimits }
}

/**
 * Takes the slots of items, of the pair and of the sender, and counts their customers: an item whose one limit is reached takes nothing of the others. The limits are locked in the order
 * in which they are written.
 */
const takeLimits = async (
  { openPairs, openSlots, openPortfolios, verifyReads }: Opens, trx: Queryable, items: ReadonlyArray<OpenItem>,
): Promise<{ readonly limited: ReadonlyMap<ReserveItem, LimitReached>; readonly write: Openings['writeLimits'] }> => {
  const takings = {
    slots: items.flatMap(({ limits }) => limits?.slot ?? []), portfolios: items.flatMap(({ limits }) => limits?.portfolio ?? []),
    pairs: items.flatMap(({ limits }) => limits?.pair ?? []),
  }
  // Rows are locked in the order of senders, portfolios and pairs, whichever of them are read before they are written. Otherwise two transactions would wait for each other.
  const readsPairs = verifyReads || openPairs.readsFirst(takings.pairs)
  const locksPortfolios = readsPairs || openPortfolios.locksFirst(takings.portfolios)
  const slots = await openSlots(trx, takings.slots, locksPortfolios)
  const portfolios = await openPortfolios.open(trx, takings.portfolios, locksPortfolios)
  const pairs = await openPairs.open(trx, takings.pairs, readsPairs)
  const limited = new Map<ReserveItem, LimitReached>()
  for (const item of items) {
    const { pair, slot, portfolio } = item.limits ?? {}
    const refusal = (pair && pairs.refusalOf(pair)) ?? (portfolio && portfolios.refusalOf(portfolio)) ?? (slot && slots.take(slot))
    if (refusal !== undefined) {
      limited.set(item, refusal)
      continue
    }
    if (pair !== undefined) pairs.take(pair)
    if (portfolio !== undefined) portfolios.take(portfolio)
  }
  const write = async (): Promise<ReadonlyMap<ReserveItem, SenderSlot>> => {
    const [taken] = await together([slots.write(), portfolios.write(), pairs.write()])
    return new Map(items.flatMap((item) => {
      const slot = item.limits?.slot && taken.get(item.limits.slot)
      return slot === undefined ? [] : [[item, slot] as const]
    }))
  }
  return { limited, write }
}

/** The items at the price that is charged, which is zero if they use a free message. */
const charged = async (
  { dialect, verifyReads }: Opens, trx: Queryable, items: ReadonlyArray<OpenItem>,
): Promise<ReadonlyMap<ReserveItem, OpenItem>> => {
  const offered = items.filter(({ free }) => free !== undefined)
  const takings = offered.flatMap(({ draft: { workspace, id: message }, free }) => (free ? [{ workspace, message, ...free }] : []))
  const answers = takings.length === 0 ? [] : await takeForOpened(trx, dialect, takings, verifyReads)
  const areFree = new Set(offered.filter((_, index) => answers[index]))
  return new Map(items.map((item) => [item, areFree.has(item) ? { ...item, draft: freeDraft(item.draft) } : item]))
}

const writeOpened = async (
  { dialect, keep, queue }: OpenOptions, trx: Queryable, { opened, expired, writeLimits }: Openings,
): Promise<ReadonlyMap<ReserveItem, SenderSlot>> => {
  const items = [...opened.values()]
  const drafts = items.map(({ draft }) => draft)
  const columns = openedColumns(drafts)
  const [slots] = await together([
    writeLimits(),
    deleteClaims(dialect, trx, expired),
    insert(trx, dialect, 'messages', columns, drafts.map((draft) => openedRow(draft, columns))),
    insert(
      trx, dialect, 'idempotency_keys', ['workspace_id', 'idempotency_key', 'message_id', 'request_digest', 'claimed_at'],
      items.flatMap(({ draft: { workspace, claim, id, at }, digest = '' }) => (claim ? [[workspace, claim.key, id, digest, at]] : [])), '',
      'a key guards a message already',
    ),
    drafts.some(({ confirmBy }) => confirmBy !== undefined) ? insertDeadlines(dialect, trx, drafts) : Promise.resolve(),
    keep?.(dialect, trx, drafts) ?? Promise.resolve(), queue(dialect, trx, drafts),
  ])
  return slots
}

const deleteClaims = async (dialect: Dialect, trx: Queryable, items: ReadonlyArray<OpenItem>): Promise<void> => {
  if (items.length === 0) return
  const keys = items.map(({ draft: { workspace, claim } }) => [workspace, claim?.key ?? ''])
  const { sql, bindings } = inList(dialect, ['workspace_id', 'idempotency_key'], keys)
  await execute(trx, `DELETE FROM idempotency_keys WHERE ${sql}`, bindings)
}

/** The message that claimed a key, if its claim is still valid at the given time. */
export const findClaimed = async (
  dialect: Dialect, db: Queryable, workspace: WorkspaceId, claim: Claim, at: Instant,
): Promise<Claimed | undefined> => {
  const [found] = (await readClaims(dialect, db, [{ workspace, claim, at }])).values()
  return claimedBy(found, digestOf(claim))
}

const claimedBy = (claim: FoundClaim | undefined, digest: string | undefined): Claimed | undefined =>
  claim?.stands === true ? { _tag: 'Claimed', by: claim.by, sameRequest: claim.digest === digest } : undefined

type FoundClaim = { readonly stands: boolean; readonly digest: string | undefined; readonly by: MessageRecord }

const claimKey = ({ workspace, claim }: Pick<Draft, 'workspace' | 'claim'>): string => `${workspace} ${claim?.key}`

/** The claims on the keys of some drafts, each at the time of its draft. */
const readClaims = async (
  dialect: Dialect, db: Queryable, drafts: ReadonlyArray<Pick<Draft, 'workspace' | 'claim' | 'at'>>,
): Promise<Map<string, FoundClaim>> => {
  const claiming = new Map(drafts.filter(({ claim }) => claim !== undefined).map((draft) => [claimKey(draft), draft]))
  if (claiming.size === 0) return new Map()
  const keys = Array.from(claiming.values(), ({ workspace, claim }) => [workspace, claim?.key ?? ''])
  const { sql, bindings } = inList(dialect, ['k.workspace_id', 'k.idempotency_key'], keys)
  const rows = await select(
    db,
    `SELECT k.idempotency_key, k.request_digest, k.claimed_at, m.* FROM idempotency_keys k
     JOIN messages m ON m.workspace_id = k.workspace_id AND m.id = k.message_id
     WHERE ${sql}`,
    bindings,
  )
  return new Map(rows.map((row) => {
    const key = `${row['workspace_id']} ${row['idempotency_key']}`
    const stands = claimStands(claiming.get(key)?.at ?? 0, Number(row['claimed_at']), row['state'] as MessageState)
    return [key, { stands, digest: String(row['request_digest']), by: recordOf(row) }]
  }))
}
