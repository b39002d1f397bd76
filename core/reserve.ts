import * as E from 'fp-ts/lib/Either.js'
import { pipe } from 'fp-ts/lib/function.js'
import * as T from 'fp-ts/lib/Task.js'
import type * as TE from 'fp-ts/lib/TaskEither.js'
import type { InsufficientBalance, OfMessage, PortFailure } from './errors.js'
import type { Draft, MessageLog, Opening } from './ports/message-log.js'
import type { Wallet } from './ports/wallet.js'
import { settle, type SettleDeps } from './settle.js'

/** How paying for a message ahead can fail. */
export type ReserveError = OfMessage<InsufficientBalance> | PortFailure
/** What paying for a message ahead needs. */
export type ReserveDeps = SettleDeps & {
  readonly messageLog: Pick<MessageLog, 'open'>
  readonly wallet: Pick<Wallet, 'hold'>
}

/**
 * Makes a message durable and sets its price aside, so that it may be sent.
 *
 * With an idempotency key the claim comes first, so that a repeated request never touches the wallet. Without one nobody
 * else can know of the message, and the two go out side by side: either alone is harmless, and is undone here.
 */
export const reserve =
  (deps: ReserveDeps) =>
  (draft: Draft): TE.TaskEither<ReserveError, Opening> => {
    const open = deps.messageLog.open(draft)
    const hold = deps.wallet.hold({ workspace: draft.workspace, message: draft.id, amount: draft.price, at: draft.at })
    return draft.claim === undefined ? sideBySide(deps, draft, open, hold) : inTurn(deps, draft, open, hold)
  }

type Open = TE.TaskEither<PortFailure, Opening>
type Hold = TE.TaskEither<InsufficientBalance | PortFailure, void>
type Reserving = TE.TaskEither<ReserveError, Opening>

const inTurn = (deps: ReserveDeps, draft: Draft, open: Open, hold: Hold): Reserving =>
  pipe(
    open,
    T.flatMap((opening) =>
      E.isRight(opening) && opening.right._tag === 'Opened'
        ? pipe(hold, T.flatMap(outcome(deps, draft, opening)))
        : outcome(deps, draft, opening)(E.right(undefined)),
    ),
  )

const sideBySide = (deps: ReserveDeps, draft: Draft, open: Open, hold: Hold): Reserving =>
  pipe(
    T.Do,
    T.apS('opening', open),
    T.apS('holding', hold),
    T.flatMap(({ opening, holding }) => outcome(deps, draft, opening)(holding)),
  )

const outcome =
  (deps: ReserveDeps, draft: Draft, opening: E.Either<PortFailure, Opening>) =>
  (holding: E.Either<InsufficientBalance | PortFailure, void>): Reserving => {
    if (E.isLeft(opening)) return pipe(abandon(deps, draft, 'Its record could not be written'), T.map(() => opening))
    if (E.isRight(holding)) return T.of(opening)
    const failure = holding.left
    return failure._tag === 'InsufficientBalance'
      ? pipe(abandon(deps, draft, 'The wallet could not cover the price'), T.map(() => E.left(ofDraft(failure, draft))))
      : pipe(abandon(deps, draft, 'The price could not be set aside'), T.map(() => E.left(failure)))
  }

const ofDraft = (failure: InsufficientBalance, draft: Draft): OfMessage<InsufficientBalance> => ({
  ...failure, messageId: draft.id, replayed: false,
})

const abandon = (deps: ReserveDeps, draft: Draft, message: string): T.Task<void> =>
  settle(deps)(draft.workspace, draft.id, { state: 'refused', at: draft.at, error: { message } })
