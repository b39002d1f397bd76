import * as E from 'fp-ts/lib/Either.js'
import type { Consent } from '../consent/consent.js'
import type { CustomerId } from '../customers/customer.js'
import type { PortFailure } from '../kernel/failure.js'
import type { WorkspaceId } from '../kernel/ids.js'
import { KEY_KEPT_MS, parseIdempotencyKey, type PlatformId } from '../messages/message.js'
import type { SenderId } from '../senders/sender.js'
import { type DeliverDeps, makeSendAnswer } from './send.js'

/**
 * Answers a customer who has just stopped messages by a word, with the text that the workspace chose. Right: whether the answer was sent, or is being sent. It is not sent if,
 * for example, the wallet is empty.
 *
 * Postern answers the same stop once, although several gateways may get its message several times. After a failure of storage the caller may try again.
 */
export type ReplyToOptOut = (command: ReplyToOptOutCommand) => Promise<E.Either<PortFailure, boolean>>

/** The customer's message, the stop that it caused, and the text. `sender` is the one that the customer wrote to. */
export type ReplyToOptOutCommand = {
  readonly workspace: WorkspaceId
  readonly sender: SenderId | undefined
  readonly to: CustomerId
  readonly message: PlatformId
  readonly stop: Consent
  readonly text: string
}

/** A message that is delivered later than this is not answered: the key that prevents a second answer must still be kept when it is delivered for the last time. */
const ANSWERED_WITHIN_MS = KEY_KEPT_MS / 2

export const makeReplyToOptOut = (deps: DeliverDeps): ReplyToOptOut => {
  const send = makeSendAnswer(deps)
  return async ({ workspace, sender, to, message, stop, text }) => {
    const key = parseIdempotencyKey(`opt-out ${message}`)
    if (E.isLeft(key) || deps.windowClock.now() >= stop.since + ANSWERED_WITHIN_MS) return E.right(false)
    const sent = await send({ workspace, sender, message: { _tag: 'Text', to, text }, idempotencyKey: key.right }, stop)
    if (E.isRight(sent) || sent.left._tag === 'IdempotencyInProgress' || sent.left._tag === 'OutcomeUnknown') return E.right(true)
    return sent.left._tag === 'PortFailure' ? E.left(sent.left) : E.right(false)
  }
}
