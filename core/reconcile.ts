import * as O from 'fp-ts/lib/Option.js'
import { pipe } from 'fp-ts/lib/function.js'
import * as TE from 'fp-ts/lib/TaskEither.js'
import { moneyMove, type MessageState } from './delivery.js'
import type { PortFailure } from './errors.js'
import type { MessageLog, StaleMessage } from './ports/message-log.js'
import type { StaleHold, Wallet } from './ports/wallet.js'
import type { WindowClock } from './ports/window-clock.js'
import { moveMoney } from './settle.js'

/** One pass over what a crash or a lost answer left behind. */
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

/** Makes the use case of what it needs. */
export const makeReconcile =
  (deps: ReconcileDeps): Reconcile =>
  () =>
    pipe(
      TE.Do,
      TE.bind('crashed', () => eachStale(deps, 'pending', deps.unconfirmedAfterMs, markUnconfirmed(deps))),
      TE.bind('givenUp', () => eachStale(deps, 'unconfirmed', deps.releaseAfterMs, giveUp(deps))),
      TE.bind('strayHolds', () => eachStrayHold(deps)),
      TE.map(({ crashed, givenUp, strayHolds }) => [crashed, givenUp, strayHolds].reduce(add)),
    )

/** Takes up stale messages batch by batch until none is left; each one leaves its state, so the list shrinks. */
const eachStale = (
  deps: ReconcileDeps,
  state: 'pending' | 'unconfirmed',
  ageMs: number,
  one: (message: StaleMessage) => TE.TaskEither<PortFailure, Reconciled>,
): TE.TaskEither<PortFailure, Reconciled> =>
  pipe(
    deps.messageLog.stale({ state, before: deps.windowClock.now() - ageMs, limit: BATCH }),
    TE.flatMap((messages) =>
      pipe(
        TE.traverseArray(one)(messages),
        TE.flatMap((done) => {
          const sum = done.reduce(add, NOTHING)
          return messages.length < BATCH ? TE.right(sum) : pipe(eachStale(deps, state, ageMs, one), TE.map((rest) => add(sum, rest)))
        }),
      ),
    ),
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

const eachStrayHold = (deps: ReconcileDeps, cursor?: string): TE.TaskEither<PortFailure, Reconciled> =>
  pipe(
    deps.wallet.stale({ before: deps.windowClock.now() - deps.unconfirmedAfterMs, limit: BATCH, ...(cursor && { cursor }) }),
    TE.flatMap(({ items, next }) =>
      pipe(
        TE.traverseArray((hold: StaleHold) => bringHome(deps, hold))(items),
        TE.map((done) => done.reduce(add, NOTHING)),
        TE.flatMap((sum) => (next === undefined ? TE.right(sum) : pipe(eachStrayHold(deps, next), TE.map((rest) => add(sum, rest))))),
      ),
    ),
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

const add = (a: Reconciled, b: Reconciled): Reconciled => ({
  unconfirmed: a.unconfirmed + b.unconfirmed,
  released: a.released + b.released,
  captured: a.captured + b.captured,
  refunded: a.refunded + b.refunded,
})
