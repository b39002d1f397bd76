import * as E from 'fp-ts/lib/Either.js'
import { pipe } from 'fp-ts/lib/function.js'
import * as O from 'fp-ts/lib/Option.js'
import type * as TE from 'fp-ts/lib/TaskEither.js'
import { isUserId } from '../customer.js'
import type { WindowClosed } from '../errors.js'
import type { TextMessage } from '../message.js'
import type { Sender } from '../ports/senders.js'
import type { Instant } from '../time.js'
import { closesAt, isOpen, lastInboundOf } from '../window.js'
import type { WorkspaceId } from '../workspace.js'
import {
  configured, findRecipient, givenRecipient, readsOf, type Ahead, type PrepareDeps, type Prepared, type PrepareError, type Read, type ReadAheadDeps, type ReadFor,
  type Recipient,
} from './prepare.js'

/** Why a text cannot be sent now. */
export type PrepareTextError = WindowClosed | PrepareError

/** What a text depends on. */
export type TextReads = {
  readonly lastInbound: Read<O.Option<Instant>>
  readonly sender: Read<O.Option<Sender>>
  readonly recipient: Read<Recipient>
}

/** Checks and prices a text. What the reads found is judged in the order of refusals. */
export const prepareText =
  (deps: PrepareDeps, workspace: WorkspaceId, message: TextMessage, ahead?: Ahead<TextReads>): TE.TaskEither<PrepareTextError, Prepared> =>
  async () => {
    const { lastInbound, recipient, ...found } = await readsOf({ workspace, to: message.to }, ahead, (text) => readForText(deps, text))
    if (E.isLeft(lastInbound)) return lastInbound
    if (!isOpen(deps.windowClock.now(), lastInbound.right)) return E.left(windowClosed(lastInbound.right))
    const sender = configured(found.sender)
    if (E.isLeft(sender)) return sender
    if (E.isLeft(recipient)) return recipient
    const { to } = recipient.right
    const price = await deps.priceOf(workspace, { ...message, to })()
    return E.isLeft(price) ? price : E.right({ sender: sender.right, to, price: price.right })
  }

/** Reads what a text depends on, all of it together. One to a phone number needs nothing of the customer, so it costs no lookup. */
export const readForText = async (deps: ReadAheadDeps, { workspace, to }: ReadFor): Promise<TextReads> => {
  const [lastInbound, sender, recipient] = await Promise.all([
    lastInboundOf(deps, workspace, to, (found) => isOpen(deps.windowClock.now(), found))(), deps.senders.senderOf(workspace)(),
    isUserId(to) ? findRecipient(deps.customers, workspace, to)() : E.right(givenRecipient(to)),
  ])
  return { lastInbound, sender, recipient }
}

const windowClosed = (lastInbound: O.Option<Instant>): WindowClosed => ({
  _tag: 'WindowClosed',
  closedAt: pipe(lastInbound, O.map(closesAt), O.toUndefined),
})
