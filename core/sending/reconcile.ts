import * as E from 'fp-ts/lib/Either.js'
import * as O from 'fp-ts/lib/Option.js'
import type { Forbidden } from '../access/access.js'
import { type ActDeps, perform } from '../access/acting.js'
import type { WindowClock } from '../customers/window.js'
import type { Actor } from '../kernel/actor.js'
import type { PortFailure } from '../kernel/failure.js'
import type { WorkspaceId } from '../kernel/ids.js'
import type { MakeOutboxEntries, EventDeps } from '../kernel/outbox.js'
import { type InvalidNote, parseNote } from '../kernel/text.js'
import type { Instant } from '../kernel/time.js'
import { type MessageLog, messageMoved, type MovedMessage, type StaleMessage } from '../messages/message-log.js'
import {
  merge, type MessageId, type MessageRecord, type MessageState, moneyMove, type MoneyMove, type NoSuchMessage, type NotUnconfirmed,
  type StateChange,
} from '../messages/message.js'
import { ownError } from '../messages/own-errors.js'
import type { MessageMoney, MoneyMismatch } from '../money/ledger.js'
import type { SharedHolds } from '../money/shared-holds.js'
import { type FreeMessages, type HoldState, type StaleHold, stepHold, type Wallet } from '../money/wallet.js'
import type { PortfolioBudget } from '../messages/portfolio-budget.js'
import { giveBackTaken, moveMoney, recordChange } from './dispatch.js'

/**
 * The result of a reconciliation pass.
 *
 * Counts messages that became unconfirmed, messages that were refused because they had never been sent, messages that were given up, and holds that moved
 * to the state that their message requires.
 */
export type Reconciled = {
  readonly unconfirmed: number
  readonly refused: number
  readonly released: number
  readonly captured: number
  readonly refunded: number
}

/** The result of one item: the count that it adds to, `undefined` if there was nothing to do, or its failure. */
export type Item = E.Either<PortFailure, keyof Reconciled | undefined>

/** The result of several items; a failed item does not affect the others. */
export type BatchResult = { readonly counts: Reconciled; readonly failures: ReadonlyArray<PortFailure> }

/** Nothing was done. */
export const NOTHING: Reconciled = { unconfirmed: 0, refused: 0, released: 0, captured: 0, refunded: 0 }

/** Adds up items. */
export const batchResult = (items: ReadonlyArray<Item>): BatchResult => {
  const counts: { -readonly [Count in keyof Reconciled]: number } = { ...NOTHING }
  const failures: PortFailure[] = []
  for (const item of items) {
    if (E.isLeft(item)) failures.push(item.left)
    else if (item.right !== undefined) counts[item.right] += 1
  }
  return { counts, failures }
}

/** A batch that could not be listed. */
export const failedBatch = (failure: PortFailure): BatchResult => ({ counts: NOTHING, failures: [failure] })

/** Adds up batches, in their order. */
export const joinBatches = (batches: ReadonlyArray<BatchResult>): BatchResult => ({
  counts: batches.map(({ counts }) => counts).reduce(add, NOTHING),
  failures: batches.flatMap(({ failures }) => failures),
})

const add = (a: Reconciled, b: Reconciled): Reconciled => ({
  unconfirmed: a.unconfirmed + b.unconfirmed,
  refused: a.refused + b.refused,
  released: a.released + b.released,
  captured: a.captured + b.captured,
  refunded: a.refunded + b.refunded,
})

/**
 * One pass over messages and holds that a crash or a lost answer left open. Left: the first failure, after everything else that was possible was done.
 *
 * A pass compares `HOLDS_A_PASS` holds with their messages and continues where the last pass ended, so that its work is bounded; `all` compares every hold.
 */
export type Reconcile = (holds?: 'all') => Promise<E.Either<PortFailure, Reconciled>>

/** The dependencies of a pass. */
export type ReconcileDeps = EventDeps & {
  readonly windowClock: Pick<WindowClock, 'now'>
  readonly messageLog: Pick<MessageLog, 'stale' | 'apply' | 'find'>
  readonly wallet: Pick<Wallet, 'capture' | 'release' | 'refund' | 'stale' | 'holdOf'>
  /** The shared holds of batches, if there are batches. */
  readonly sharedHolds?: Pick<SharedHolds, 'find'>
  /** Where free messages are counted, if sends take them. */
  readonly freeMessages?: Pick<FreeMessages, 'giveBack'>
  /** Where the customers of portfolios are counted, if sends count them. */
  readonly portfolioBudget?: Pick<PortfolioBudget, 'giveBack'>
  /** The messages and their holds together; if absent, settled holds are not compared with their messages. */
  readonly messageMoney?: Pick<MessageMoney, 'mismatches'>
  /** The age of a pending message, in milliseconds, from which it counts as unconfirmed; the same for every gateway of the database. */
  readonly unconfirmedAfterMs: number
  /** The age of an unconfirmed message, in milliseconds, from which it is released; the platform redelivers reports for 7 days. */
  readonly releaseAfterMs: number
}

/** The number of items in a batch. */
const BATCH = 500

/** The number of holds that a pass compares with their messages, and the number of them in one query. */
const HOLDS_A_PASS = 10_000
const LOOK = 2_000

export const makeReconcile = (deps: ReconcileDeps): Reconcile => {
  const mendMismatches = makeMendMismatches(deps)
  return async (holds) => {
    const { counts, failures: [first] } = joinBatches([
      await closeStale(deps, 'pending', deps.unconfirmedAfterMs, (message) => closePending(deps, message)),
      await closeStale(deps, 'unconfirmed', deps.releaseAfterMs, (message) => giveUp(deps, message)),
      await settleStaleHolds(deps),
      await mendMismatches(holds),
    ])
    return first === undefined ? E.right(counts) : E.left(first)
  }
}

/** Processes stale messages batch by batch until none is left; each message leaves its state, so the list shrinks. */
const closeStale = async (
  { messageLog, windowClock }: ReconcileDeps, state: 'pending' | 'unconfirmed', ageMs: number,
  close: (message: StaleMessage) => Promise<Item>,
): Promise<BatchResult> => {
  const results: BatchResult[] = []
  for (;;) {
    const stale = await messageLog.stale({ state, before: windowClock.now() - ageMs, limit: BATCH })
    if (E.isLeft(stale)) return joinBatches([...results, failedBatch(stale.left)])
    const result = batchResult(await Promise.all(stale.right.map(close)))
    results.push(result)
    if (stale.right.length < BATCH || hasMostlyFailed(result, stale.right.length)) return joinBatches(results)
  }
}

const settleStaleHolds = async (deps: ReconcileDeps): Promise<BatchResult> => {
  const results: BatchResult[] = []
  let cursor: string | undefined
  for (;;) {
    const before = deps.windowClock.now() - deps.unconfirmedAfterMs
    const stale = await deps.wallet.stale({ before, limit: BATCH, ...(cursor !== undefined && { cursor }) })
    if (E.isLeft(stale)) return joinBatches([...results, failedBatch(stale.left)])
    const { items, next } = stale.right
    const result = batchResult(await Promise.all(items.map((hold) => settleStaleHold(deps, hold))))
    results.push(result)
    if (next === undefined || hasMostlyFailed(result, items.length)) return joinBatches(results)
    cursor = next
  }
}

/** Compares settled holds with their messages, starting where the last pass ended. A hold in the state `held` is settled by its age instead. */
const makeMendMismatches = (deps: ReconcileDeps): ((holds: 'all' | undefined) => Promise<BatchResult>) => {
  let next: string | undefined
  return async (holds) => {
    const results: BatchResult[] = []
    let cursor = holds === 'all' ? undefined : next
    for (let looks = 0; deps.messageMoney !== undefined && (holds === 'all' || looks < HOLDS_A_PASS / LOOK); looks += 1) {
      const page = await deps.messageMoney.mismatches({ limit: LOOK, ...(cursor !== undefined && { cursor }) })
      if (E.isLeft(page)) return joinBatches([...results, failedBatch(page.left)])
      const items = page.right.items.filter(({ hold }) => hold !== 'held')
      const result = batchResult(await Promise.all(items.map((mismatch) => repair(deps, mismatch))))
      results.push(result)
      cursor = page.right.next
      if (holds === undefined) next = cursor
      if (cursor === undefined || hasMostlyFailed(result, items.length)) break
    }
    return joinBatches(results)
  }
}

/** If most items of a batch fail, the items are not the cause, and the following ones would fail too. */
const hasMostlyFailed = ({ failures }: BatchResult, items: number): boolean => failures.length > items / 2

/** If a process crashed, the hold tells how its message ended. Without a hold, the message was never sent. If the hold is settled, the platform answered. */
const closePending = async (deps: ReconcileDeps, { workspace, id }: StaleMessage): Promise<Item> => {
  const found = await deps.messageLog.find(workspace, { id })
  if (E.isLeft(found)) return found
  if (O.isNone(found.right) || found.right.value.state !== 'pending') return E.right(undefined)
  const hold = await deps.wallet.holdOf({ workspace, message: id })
  if (E.isLeft(hold)) return hold
  // If there is no hold, reconciliation would not find the message again once it is refused.
  const givenBack = hold.right === undefined ? await giveBackTaken(deps, { workspace, message: id }) : undefined
  if (givenBack !== undefined && E.isLeft(givenBack)) return givenBack
  return close(deps, { workspace, id }, changeProvenBy(hold.right, deps.windowClock.now()))
}

const changeProvenBy = (hold: HoldState | undefined, at: Instant): StateChange => {
  switch (hold) {
    case undefined: return { state: 'refused', at, error: ownError('It was never sent: its price was not set aside') }
    case 'held': return { state: 'unconfirmed', at }
    case 'released': return { state: 'released', at }
    case 'captured': return { state: 'accepted', at }
    case 'refunded': return { state: 'failed', at }
  }
}

/** The wallet is read first: a captured price proves that the platform accepted the message, even if the log does not say so. */
const giveUp = async (deps: ReconcileDeps, { workspace, id }: StaleMessage): Promise<Item> => {
  const at = deps.windowClock.now()
  const hold = await deps.wallet.release({ workspace, message: id, at })
  if (E.isLeft(hold)) return hold
  return close(deps, { workspace, id }, { state: hold.right === 'captured' ? 'accepted' : 'released', at })
}

/** The money follows the message. If its hold can no longer move to that state, the hold proves how the message ended. Without a message nothing is proven. */
const repair = async (deps: ReconcileDeps, { workspace, message, hold, state }: MoneyMismatch): Promise<Item> => {
  if (state === undefined) return E.right(undefined)
  const move = moneyMove(state)
  const at = deps.windowClock.now()
  if (move === 'keep' || stepHold(hold, move) === undefined) {
    const change = changeProvenBy(hold, at)
    return merge(state, change.state) === state ? E.right(undefined) : close(deps, { workspace, id: message }, change)
  }
  const moved = await moveMoney(deps, state, { workspace, message, at })
  return E.isLeft(moved) ? moved : E.right(COUNT_OF_MOVE[move])
}

const close = async (deps: ReconcileDeps, { workspace, id }: StaleMessage, change: StateChange): Promise<Item> => {
  const applied = await recordChange(deps, deps.windowClock.now)(workspace, id, change)
  return E.isLeft(applied) ? applied : E.right(O.isSome(applied.right) ? countOf(applied.right.value.state) : undefined)
}

const countOf = (state: MessageState): keyof Reconciled | undefined =>
  state === 'unconfirmed' || state === 'refused' ? state : COUNT_OF_MOVE[moneyMove(state)]

const COUNT_OF_MOVE: Record<MoneyMove, keyof Reconciled | undefined> = {
  keep: undefined, capture: 'captured', release: 'released', refund: 'refunded',
}

/** A hold whose message was never opened was never sent. A batch opens its messages after they have taken their parts, so such a part is kept for as long as the batch can. */
const settleStaleHold = async (deps: ReconcileDeps, { batch, ...hold }: StaleHold): Promise<Item> => {
  const found = await deps.messageLog.find(hold.workspace, { id: hold.message })
  if (E.isLeft(found)) return found
  if (O.isNone(found.right) && batch !== undefined && deps.sharedHolds !== undefined) {
    const shared = await deps.sharedHolds.find({ workspace: hold.workspace, hold: batch })
    if (E.isLeft(shared)) return shared
    if (shared.right?.state === 'held') return E.right(undefined)
  }
  const state = O.isSome(found.right) ? found.right.value.state : 'refused'
  const moved = await moveMoney(deps, state, { ...hold, at: deps.windowClock.now() })
  return E.isLeft(moved) ? moved : E.right(COUNT_OF_MOVE[moneyMove(state)])
}

/** Settles messages that a crash or a lost answer left open, for a member or a command. The gateway's own job is not an audited act. */
export type ReconcileByHand = (command: { readonly by: Actor }) => Promise<E.Either<Forbidden | PortFailure, Reconciled>>

/** Its dependencies. */
export type ReconcileByHandDeps = ActDeps & { readonly reconcile: Reconcile }

/** A pass writes message by message, so the entry, which contains the counts, is written after it. */
export const makeReconcileByHand =
  ({ reconcile, ...deps }: ReconcileByHandDeps): ReconcileByHand =>
  ({ by }) =>
    perform(
      deps, { by, act: 'message.reconcile', workspace: undefined }, { describeAnswer: (details: Reconciled) => ({ details }) },
      () => reconcile('all'),
    )

/**
 * Settles a message of unknown outcome by hand, for an operator who has looked it up at the platform.
 *
 * Right: the message in its new state. A later report of the platform still counts, and repeating the call changes nothing.
 */
export type ResolveMessage = (command: ResolveMessageCommand) => Promise<E.Either<ResolveMessageError, MessageRecord>>

/** `sent` charges the price; `not_sent` refunds it and frees the idempotency key. The note is kept in the wallet's statement. */
export type ResolveMessageCommand = {
  readonly by: Actor
  readonly workspace: WorkspaceId
  readonly message: MessageId
  readonly outcome: 'sent' | 'not_sent'
  readonly note: string
}

/** How settling it can fail. */
export type ResolveMessageError = InvalidNote | NoSuchMessage | NotUnconfirmed | Forbidden | PortFailure

/** The dependencies of settling it. */
export type ResolveMessageDeps = ActDeps & {
  readonly messageMoney: Pick<MessageMoney, 'resolve'>
  readonly windowClock: Pick<WindowClock, 'now'>
  /** The age of a pending message, in milliseconds, from which it counts as unconfirmed. */
  readonly unconfirmedAfterMs: number
}

/** The message and its money move in one step, so a later call finds either the complete earlier resolution or nothing of it. */
export const makeResolveMessage =
  (deps: ResolveMessageDeps): ResolveMessage =>
  ({ by, workspace, message, outcome, note: given }) => {
    const note = parseNote(given)
    const details = { outcome, ...(E.isRight(note) && { note: note.right }) }
    return perform(
      deps, { by, act: 'message.resolve', workspace, subject: message, details }, { events: messageMoved },
      async (outboxEntries: MakeOutboxEntries<MovedMessage>): Promise<E.Either<Exclude<ResolveMessageError, Forbidden>, MessageRecord>> => {
        if (E.isLeft(note)) return note
        const at = deps.windowClock.now()
        return deps.messageMoney.resolve(
          { workspace, message, outcome, note: note.right, at, pendingBefore: at - deps.unconfirmedAfterMs }, outboxEntries,
        )
      },
    )
  }
