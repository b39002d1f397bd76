import * as E from 'fp-ts/lib/Either.js'
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
  (draft: Draft): TE.TaskEither<ReserveError, Opening> =>
  async () => {
    const open = deps.messageLog.open(draft)
    const hold = deps.wallet.hold({ workspace: draft.workspace, message: draft.id, amount: draft.price, at: draft.at })
    if (draft.claim === undefined) return outcome(deps, draft, ...(await Promise.all([open(), hold()])))
    const opening = await open()
    const isOpened = E.isRight(opening) && opening.right._tag === 'Opened'
    return outcome(deps, draft, opening, isOpened ? await hold() : E.right(undefined))
  }

const outcome = async (
  deps: ReserveDeps, draft: Draft, opening: E.Either<PortFailure, Opening>, holding: E.Either<InsufficientBalance | PortFailure, void>,
): Promise<E.Either<ReserveError, Opening>> => {
  if (E.isLeft(opening)) return abandoned(deps, draft, 'Its record could not be written', opening)
  if (E.isRight(holding)) return opening
  return holding.left._tag === 'InsufficientBalance'
    ? abandoned(deps, draft, 'The wallet could not cover the price', E.left({ ...holding.left, messageId: draft.id, replayed: false }))
    : abandoned(deps, draft, 'The price could not be set aside', E.left(holding.left))
}

const abandoned = async <Why>(deps: ReserveDeps, draft: Draft, message: string, why: Why): Promise<Why> => {
  await settle(deps)(draft.workspace, draft.id, { state: 'refused', at: draft.at, error: { message } })()
  return why
}
