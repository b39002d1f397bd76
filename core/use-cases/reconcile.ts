import * as E from 'fp-ts/lib/Either.js'
import * as O from 'fp-ts/lib/Option.js'
import type * as TE from 'fp-ts/lib/TaskEither.js'
import type { PortFailure } from '../errors.js'
import { stepHold, type HoldState } from '../hold.js'
import { merge, moneyMove, type MessageState, type MoneyMove, type StateChange } from '../message-state.js'
import type { FreeMessages } from '../ports/free-messages.js'
import type { MessageLog, StaleMessage } from '../ports/message-log.js'
import type { MessageMoney, MoneyMismatch } from '../ports/message-money.js'
import type { StaleHold, Wallet } from '../ports/wallet.js'
import type { WindowClock } from '../ports/window-clock.js'
import type { Instant } from '../time.js'
import type { EventDeps } from './event-deps.js'
import { batchResult, failedBatch, joinBatches, type BatchResult, type Item, type Reconciled } from './reconciled.js'
import { moveMoney, recordChange } from './settle.js'

export type { Reconciled } from './reconciled.js'

/**
 * One pass over what a crash or a lost answer left open. Left: the first failure, after everything else was done that could be.
 *
 * A pass compares `HOLDS_A_PASS` holds with their messages and goes on where the last one ended, so that its work is bounded; `all` compares every one.
 */
export type Reconcile = (holds?: 'all') => TE.TaskEither<PortFailure, Reconciled>

/** What a pass needs. */
export type ReconcileDeps = EventDeps & {
  readonly windowClock: Pick<WindowClock, 'now'>
  readonly messageLog: Pick<MessageLog, 'stale' | 'apply' | 'find'>
  readonly wallet: Pick<Wallet, 'capture' | 'release' | 'refund' | 'stale' | 'holdOf'>
  /** Where free messages are counted, where the sends take them. */
  readonly freeMessages?: Pick<FreeMessages, 'giveBack'>
  /** The messages and their holds together; without it, settled holds are not compared with their messages. */
  readonly messageMoney?: Pick<MessageMoney, 'mismatches'>
  /** How old a pending message must be, in milliseconds, to count as unconfirmed; the same for every gateway of the database. */
  readonly unconfirmedAfterMs: number
  /** How old an unconfirmed message must be, in milliseconds, to be released; the platform redelivers reports for 7 days. */
  readonly releaseAfterMs: number
}

/** How many items are taken up at a time. */
const BATCH = 500

/** How many holds a pass compares with their messages, and how many of them in one query. */
const HOLDS_A_PASS = 10_000
const LOOK = 2_000

/** Makes the use case of what it needs. */
export const makeReconcile = (deps: ReconcileDeps): Reconcile => {
  const mendMismatches = makeMendMismatches(deps)
  return (holds) => async () => {
    const { counts, failures: [first] } = joinBatches([
      await closeStale(deps, 'pending', deps.unconfirmedAfterMs, (message) => closePending(deps, message)),
      await closeStale(deps, 'unconfirmed', deps.releaseAfterMs, (message) => giveUp(deps, message)),
      await settleStaleHolds(deps),
      await mendMismatches(holds),
    ])
    return first === undefined ? E.right(counts) : E.left(first)
  }
}

/** Takes up stale messages batch by batch until none is left; each message leaves its state, so the list shrinks. */
const closeStale = async (
  { messageLog, windowClock }: ReconcileDeps, state: 'pending' | 'unconfirmed', ageMs: number, close: (message: StaleMessage) => Promise<Item>,
): Promise<BatchResult> => {
  const results: BatchResult[] = []
  for (;;) {
    const stale = await messageLog.stale({ state, before: windowClock.now() - ageMs, limit: BATCH })()
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
    const stale = await deps.wallet.stale({ before, limit: BATCH, ...(cursor !== undefined && { cursor }) })()
    if (E.isLeft(stale)) return joinBatches([...results, failedBatch(stale.left)])
    const { items, next } = stale.right
    const result = batchResult(await Promise.all(items.map((hold) => settleStaleHold(deps, hold))))
    results.push(result)
    if (next === undefined || hasMostlyFailed(result, items.length)) return joinBatches(results)
    cursor = next
  }
}

/** Compares settled holds with their messages, from where the last pass ended. A hold that is still held is settled by its age instead. */
const makeMendMismatches = (deps: ReconcileDeps): ((holds: 'all' | undefined) => Promise<BatchResult>) => {
  let next: string | undefined
  return async (holds) => {
    const results: BatchResult[] = []
    let cursor = holds === 'all' ? undefined : next
    for (let looks = 0; deps.messageMoney !== undefined && (holds === 'all' || looks < HOLDS_A_PASS / LOOK); looks += 1) {
      const page = await deps.messageMoney.mismatches({ limit: LOOK, ...(cursor !== undefined && { cursor }) })()
      if (E.isLeft(page)) return joinBatches([...results, failedBatch(page.left)])
      const items = page.right.items.filter(({ hold }) => hold !== 'held')
      const result = batchResult(await Promise.all(items.map((mismatch) => mend(deps, mismatch))))
      results.push(result)
      cursor = page.right.next
      if (holds === undefined) next = cursor
      if (cursor === undefined || hasMostlyFailed(result, items.length)) break
    }
    return joinBatches(results)
  }
}

/** Where most items of a batch fail, the fault is not theirs, and those behind them would fail too. */
const hasMostlyFailed = ({ failures }: BatchResult, items: number): boolean => failures.length > items / 2

/** The hold says how a message ended whose process died: where there is none it was never sent, and where it is settled it was answered. */
const closePending = async (deps: ReconcileDeps, { workspace, id }: StaleMessage): Promise<Item> => {
  const found = await deps.messageLog.find(workspace, { id })()
  if (E.isLeft(found)) return found
  if (O.isNone(found.right) || found.right.value.state !== 'pending') return E.right(undefined)
  const hold = await deps.wallet.holdOf({ workspace, message: id })()
  if (E.isLeft(hold)) return hold
  return close(deps, { workspace, id }, changeProvenBy(hold.right, deps.windowClock.now()))
}

const changeProvenBy = (hold: HoldState | undefined, at: Instant): StateChange => {
  switch (hold) {
    case undefined: return { state: 'refused', at, error: { message: 'It was never sent: its price was not set aside' } }
    case 'held': return { state: 'unconfirmed', at }
    case 'released': return { state: 'released', at }
    case 'captured': return { state: 'accepted', at }
    case 'refunded': return { state: 'failed', at }
  }
}

/** The wallet is asked first: a price that was captured proves that the platform had accepted, though the log does not say so. */
const giveUp = async (deps: ReconcileDeps, { workspace, id }: StaleMessage): Promise<Item> => {
  const at = deps.windowClock.now()
  const hold = await deps.wallet.release({ workspace, message: id, at })()
  if (E.isLeft(hold)) return hold
  return close(deps, { workspace, id }, { state: hold.right === 'captured' ? 'accepted' : 'released', at })
}

/** The money follows the message; where its hold can go there no more, the hold proves what became of the message. Without a message nothing is proven. */
const mend = async (deps: ReconcileDeps, { workspace, message, hold, state }: MoneyMismatch): Promise<Item> => {
  if (state === undefined) return E.right(undefined)
  const move = moneyMove(state)
  const at = deps.windowClock.now()
  if (move === 'keep' || stepHold(hold, move) === undefined) {
    const change = changeProvenBy(hold, at)
    return merge(state, change.state) === state ? E.right(undefined) : close(deps, { workspace, id: message }, change)
  }
  const moved = await moveMoney(deps, state, { workspace, message, at })()
  return E.isLeft(moved) ? moved : E.right(COUNT_OF_MOVE[move])
}

const close = async (deps: ReconcileDeps, { workspace, id }: StaleMessage, change: StateChange): Promise<Item> => {
  const applied = await recordChange(deps, deps.windowClock.now)(workspace, id, change)()
  return E.isLeft(applied) ? applied : E.right(O.isSome(applied.right) ? countOf(applied.right.value.state) : undefined)
}

const countOf = (state: MessageState): keyof Reconciled | undefined =>
  state === 'unconfirmed' || state === 'refused' ? state : COUNT_OF_MOVE[moneyMove(state)]

const COUNT_OF_MOVE: Record<MoneyMove, keyof Reconciled | undefined> = {
  keep: undefined, capture: 'captured', release: 'released', refund: 'refunded',
}

/** A hold whose message was never opened was never sent. */
const settleStaleHold = async (deps: ReconcileDeps, hold: StaleHold): Promise<Item> => {
  const found = await deps.messageLog.find(hold.workspace, { id: hold.message })()
  if (E.isLeft(found)) return found
  const state = O.isSome(found.right) ? found.right.value.state : 'refused'
  const moved = await moveMoney(deps, state, { ...hold, at: deps.windowClock.now() })()
  return E.isLeft(moved) ? moved : E.right(COUNT_OF_MOVE[moneyMove(state)])
}
