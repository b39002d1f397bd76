import * as E from 'fp-ts/lib/Either.js'
import type * as TE from 'fp-ts/lib/TaskEither.js'
import { portFailure, type InsufficientBalance, type PortFailure, type SpendingLimitReached, type WithMessageId } from '../errors.js'
import type { Draft, MessageLog, Opening } from '../ports/message-log.js'
import type { Wallet } from '../ports/wallet.js'
import type { WindowClock } from '../ports/window-clock.js'
import type { Spending } from '../spending-limit.js'
import type { Instant } from '../time.js'
import type { ActDeps } from './acting.js'
import { alongAlert } from './alert-entries.js'
import { settle, type SettleDeps } from './settle.js'

/** How paying for a message ahead can fail. */
export type ReserveError = WithMessageId<InsufficientBalance | SpendingLimitReached> | PortFailure
/** What paying for a message ahead needs. */
export type ReserveDeps = SettleDeps & ActDeps & {
  readonly messageLog: Pick<MessageLog, 'open'>
  readonly wallet: Pick<Wallet, 'hold'>
  readonly windowClock: Pick<WindowClock, 'now'>
  /** How old a pending message must be, in milliseconds, for reconciliation to judge it. */
  readonly unconfirmedAfterMs: number
}

/** When a message must be reserved to be sent, and the limit that its price counts for. */
export type ReserveTerms = { readonly sentBefore: Instant; readonly spending: Spending | undefined }

/**
 * Makes a message durable and sets its price aside, so that it may be sent.
 *
 * With an idempotency key the claim comes first, so that a repeated request never touches the wallet. Without a key no other
 * request can know of the message, so both writes go out side by side. Either write alone is harmless, and is undone here.
 *
 * A message that was reserved too slowly, so not before `sentBefore`, is refused, too. Reconciliation refuses a message of age `unconfirmedAfterMs` that has no
 * hold, so whatever is sent was held long before that age; half of it is left for clocks that differ between machines.
 */
export const reserve =
  (deps: ReserveDeps) =>
  (draft: Draft, { sentBefore, spending }: ReserveTerms): TE.TaskEither<ReserveError, Opening> =>
  async () => {
    const open = deps.messageLog.open(draft)
    const hold = deps.wallet.hold({
      workspace: draft.workspace, message: draft.id, amount: draft.price, at: draft.at, ...(spending !== undefined && { spending }),
    }, alongAlert(deps))
    if (draft.claim === undefined) return outcome(deps, draft, sentBefore, ...(await Promise.all([open(), hold()])))
    const opening = await open()
    const isOpened = E.isRight(opening) && opening.right._tag === 'Opened'
    return outcome(deps, draft, sentBefore, opening, isOpened ? await hold() : E.right(undefined))
  }

const outcome = async (
  deps: ReserveDeps, draft: Draft, sentBefore: Instant,
  opening: E.Either<PortFailure, Opening>, holding: E.Either<InsufficientBalance | SpendingLimitReached | PortFailure, void>,
): Promise<E.Either<ReserveError, Opening>> => {
  if (E.isLeft(opening)) {
    // Not waited for, here and below: storage has just failed, and would keep the caller waiting for a second deadline.
    void refuse(deps, draft, 'Its record could not be written')
    return opening
  }
  if (E.isLeft(holding)) {
    if (holding.left._tag !== 'PortFailure') {
      await refuse(deps, draft, WHY_NOT_PAID[holding.left._tag])
      return E.left({ ...holding.left, messageId: draft.id, replayed: false })
    }
    void refuse(deps, draft, 'The price could not be set aside')
    return E.left(holding.left)
  }
  if (opening.right._tag === 'Claimed' || !isTooLate(deps, draft, sentBefore)) return opening
  await refuse(deps, draft, TOO_SLOW)
  return E.left(portFailure('Wallet')(TOO_SLOW))
}

const WHY_NOT_PAID = {
  InsufficientBalance: 'The wallet could not cover the price', SpendingLimitReached: 'The API key has reached its spending limit',
} as const

const TOO_SLOW = 'It took too long to set its price aside'

const isTooLate = ({ windowClock, unconfirmedAfterMs }: ReserveDeps, { at }: Draft, sentBefore: Instant): boolean =>
  windowClock.now() >= Math.min(sentBefore, at + unconfirmedAfterMs / 2)

const refuse = (deps: ReserveDeps, draft: Draft, message: string): Promise<void> =>
  settle(deps)(draft.workspace, draft.id, { state: 'refused', at: draft.at, error: { message } })()
