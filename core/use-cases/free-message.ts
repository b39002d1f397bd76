import * as E from 'fp-ts/lib/Either.js'
import * as TE from 'fp-ts/lib/TaskEither.js'
import type { PortFailure } from '../errors.js'
import type { FreeMessages } from '../ports/free-messages.js'
import type { Draft } from '../ports/message-log.js'
import type { Sender } from '../ports/senders.js'
import type { Rate } from '../rate-card.js'
import { monthOf, type Instant } from '../time.js'
import type { RetryLater } from './settle.js'

/** What charging nothing for free messages needs. */
export type FreeMessageDeps = {
  /** Where free messages are counted; where absent, every message costs its price. */
  readonly freeMessages?: Pick<FreeMessages, 'take' | 'giveBack'>
  readonly retryLater: RetryLater
}

/** The rate of a message, and the sender through which it goes. */
export type RateOfSender = { readonly sender: Pick<Sender, 'phoneNumberId'>; readonly price: Rate }

/**
 * The draft of a message at the price that is charged: nothing, if its sender has a free message left in this month. The message then has taken it.
 *
 * A message that is refused or fails gives it back. A process that dies before the message is opened leaves it taken.
 */
export const takeFreeMessage = (
  { freeMessages, retryLater }: FreeMessageDeps, { sender, price }: RateOfSender, draft: Draft,
): TE.TaskEither<PortFailure, Draft> => {
  const limit = freeLimitOf(price)
  if (freeMessages === undefined || limit === undefined) return TE.right(draft)
  const { workspace, id: message, at } = draft
  return async () => {
    const taken = await freeMessages.take({ workspace, message, phoneNumberId: sender.phoneNumberId, month: monthOf(at), limit })()
    if (E.isRight(taken)) return E.right(taken.right ? { ...draft, price: freeOf(draft.price) } : draft)
    // It may have been taken though the answer was lost.
    retryLater(freeMessages.giveBack({ workspace, message }))
    return taken
  }
}

/** Gives back what a draft has taken that is not sent, since another message has its idempotency key. What could not be written now is tried again later. */
export const giveBackFreeMessage = async ({ freeMessages, retryLater }: FreeMessageDeps, { workspace, id: message, price }: Draft): Promise<void> => {
  if (freeMessages === undefined || price.micros > 0n) return
  const giveBack = freeMessages.giveBack({ workspace, message })
  if (E.isLeft(await giveBack())) retryLater(giveBack)
}

/** The rate that a message would be charged at a moment: nothing, if its sender has a free message left. It takes none. */
export const quotedRate = (
  freeMessages: Pick<FreeMessages, 'taken'> | undefined, { sender, price }: RateOfSender, at: Instant,
): TE.TaskEither<PortFailure, Rate> => {
  const limit = freeLimitOf(price)
  return freeMessages === undefined || limit === undefined
    ? TE.right(price)
    : TE.map((taken: number) => (taken < limit ? freeOf(price) : price))(freeMessages.taken(sender.phoneNumberId, monthOf(at)))
}

/** How many messages a month are free; `undefined` where the message costs nothing anyway. */
const freeLimitOf = ({ micros, freeEachMonth }: Rate): number | undefined => (micros > 0n ? freeEachMonth : undefined)

const freeOf = <Priced extends Rate>(price: Priced): Priced => ({ ...price, micros: 0n })
