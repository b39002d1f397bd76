import * as E from 'fp-ts/lib/Either.js'
import * as O from 'fp-ts/lib/Option.js'
import { pipe } from 'fp-ts/lib/function.js'
import * as T from 'fp-ts/lib/Task.js'
import * as TE from 'fp-ts/lib/TaskEither.js'
import { moneyMove, type MessageState } from './delivery.js'
import type { PortFailure } from './errors.js'
import type { MessageLog, StaleMessage } from './ports/message-log.js'
import type { StaleHold, Wallet } from './ports/wallet.js'
import type { WindowClock } from './ports/window-clock.js'
import { moveMoney } from './settle.js'

/** One pass over what a crash or a lost answer left behind; it tells of the first failure once it has done what else it could. */
export type Reconcile = () => TE.TaskEither<PortFailure, Reconciled>

/** How many messages became unconfirmed or were released, and how many holds were moved to where their message says. */
export type Reconciled = {
  readonly unconfirmed: number
  readonly released: number
  readonly captured: number
  readonly refunded: number
}

/** What a pass needs. */
export type ReconcileDeps = {
  readonly windowClock: Pick<WindowClock, 'now'>
  readonly messageLog: Pick<MessageLog, 'stale' | 'settle' | 'find'>
  readonly wallet: Pick<Wallet, 'capture' | 'release' | 'refund' | 'stale'>
  /** How old a pending message must be, in milliseconds, to count as unconfirmed. */
  readonly unconfirmedAfterMs: number
  /** How old an unconfirmed message must be, in milliseconds, to be released; the platform redelivers reports for 7 days. */
  readonly releaseAfterMs: number
}

/** How many items are taken up at a time. */
const BATCH = 500

const NOTHING: Reconciled = { unconfirmed: 0, released: 0, captured: 0, refunded: 0 }

/** What a part of a pass came to: an item that fails costs the others nothing. */
type Part = { readonly done: Reconciled; readonly failures: ReadonlyArray<PortFailure> }

/** Makes the use case of what it needs. */
export const makeReconcile =
  (deps: ReconcileDeps): Reconcile =>
  () =>
    pipe(
      [
        () => eachStale(deps, 'pending', deps.unconfirmedAfterMs, markUnconfirmed(deps)),
        () => eachStale(deps, 'unconfirmed', deps.releaseAfterMs, giveUp(deps)),
        () => eachStrayHold(deps),
      ],
      T.traverseSeqArray((part) => part()),
      T.map(joined),
      T.map(({ done, failures: [first] }) => (first === undefined ? E.right(done) : E.left(first))),
    )

/** Takes up stale messages batch by batch until none is left; each one leaves its state, so the list shrinks. */
const eachStale = (
  deps: ReconcileDeps,
  state: 'pending' | 'unconfirmed',
  ageMs: number,
  one: (message: StaleMessage) => TE.TaskEither<PortFailure, Reconciled>,
): T.Task<Part> =>
  pipe(
    deps.messageLog.stale({ state, before: deps.windowClock.now() - ageMs, limit: BATCH }),
    TE.matchE(listless, (messages) =>
      each(messages, one, messages.length < BATCH ? undefined : () => eachStale(deps, state, ageMs, one))),
  )

/** Does one thing for each item, and then the rest, if there is any, unless most have failed: that is not the items' fault. */
const each = <Item>(
  items: ReadonlyArray<Item>, one: (item: Item) => TE.TaskEither<PortFailure, Reconciled>, rest: (() => T.Task<Part>) | undefined,
): T.Task<Part> =>
  pipe(
    items,
    T.traverseArray(one),
    T.map((results) => joined(results.map(E.match(failed, succeeded)))),
    T.flatMap((part) =>
      rest === undefined || part.failures.length > items.length / 2 ? T.of(part) : pipe(rest(), T.map((more) => joined([part, more])))),
  )

const markUnconfirmed =
  (deps: ReconcileDeps) =>
  ({ workspace, id }: StaleMessage): TE.TaskEither<PortFailure, Reconciled> =>
    pipe(
      deps.messageLog.settle(workspace, id, { state: 'unconfirmed', at: deps.windowClock.now() }),
      TE.map((state) => (O.toUndefined(state) === 'unconfirmed' ? { ...NOTHING, unconfirmed: 1 } : NOTHING)),
    )

/** The wallet is asked first: a price that was captured proves that the platform had accepted, though the log never heard. */
const giveUp =
  (deps: ReconcileDeps) =>
  ({ workspace, id }: StaleMessage): TE.TaskEither<PortFailure, Reconciled> => {
    const at = deps.windowClock.now()
    return pipe(
      deps.wallet.release({ workspace, message: id, at }),
      TE.map((hold): 'accepted' | 'released' => (hold === 'captured' ? 'accepted' : 'released')),
      TE.flatMap((state) => deps.messageLog.settle(workspace, id, { state, at })),
      TE.flatMap((state) => follow(deps, { workspace, message: id }, O.toUndefined(state))),
      TE.map((moved) => (moved.captured + moved.refunded === 0 ? { ...NOTHING, released: 1 } : moved)),
    )
  }

const eachStrayHold = (deps: ReconcileDeps, cursor?: string): T.Task<Part> =>
  pipe(
    deps.wallet.stale({ before: deps.windowClock.now() - deps.unconfirmedAfterMs, limit: BATCH, ...(cursor && { cursor }) }),
    TE.matchE(listless, ({ items, next }) =>
      each(items, (hold) => bringHome(deps, hold), next === undefined ? undefined : () => eachStrayHold(deps, next))),
  )

/** A hold whose message was never opened was never sent. */
const bringHome = (deps: ReconcileDeps, hold: StaleHold): TE.TaskEither<PortFailure, Reconciled> =>
  pipe(
    deps.messageLog.find(hold.workspace, { id: hold.message }),
    TE.flatMap((found) => follow(deps, hold, O.isSome(found) ? found.value.state : 'released')),
  )

const follow = (deps: ReconcileDeps, hold: StaleHold, state: MessageState | undefined): TE.TaskEither<PortFailure, Reconciled> => {
  const move = state === undefined ? 'keep' : moneyMove(state)
  return pipe(moveMoney(deps.wallet, move, { ...hold, at: deps.windowClock.now() }), TE.map(() => COUNTED[move]))
}

const COUNTED: Record<ReturnType<typeof moneyMove>, Reconciled> = {
  keep: NOTHING,
  capture: { ...NOTHING, captured: 1 },
  release: { ...NOTHING, released: 1 },
  refund: { ...NOTHING, refunded: 1 },
}

const succeeded = (done: Reconciled): Part => ({ done, failures: [] })

const failed = (failure: PortFailure): Part => ({ done: NOTHING, failures: [failure] })

/** A part that could not even be listed. */
const listless = (failure: PortFailure): T.Task<Part> => T.of(failed(failure))

const joined = (parts: ReadonlyArray<Part>): Part => ({
  done: parts.map(({ done }) => done).reduce(add, NOTHING),
  failures: parts.flatMap(({ failures }) => failures),
})

const add = (a: Reconciled, b: Reconciled): Reconciled => ({
  unconfirmed: a.unconfirmed + b.unconfirmed,
  released: a.released + b.released,
  captured: a.captured + b.captured,
  refunded: a.refunded + b.refunded,
})
