import * as E from 'fp-ts/lib/Either.js'
import type { PlatformError, WithMessageId } from '../errors.js'
import { senderFailing, senderRecovered } from '../event-data.js'
import type { Along } from '../event.js'
import type { Accepted, Sent } from '../message.js'
import type { StateChange } from '../message-state.js'
import type { Customers } from '../ports/customers.js'
import type { Draft, MovedMessage } from '../ports/message-log.js'
import type { Platform } from '../ports/platform.js'
import type { Sender, Senders } from '../ports/senders.js'
import type { WindowClock } from '../ports/window-clock.js'
import type { Instant } from '../time.js'
import type { WorkspaceId } from '../workspace.js'
import { alongFor, type EventDeps } from './event-deps.js'
import { learnCustomer } from './learn-customer.js'
import type { Prepared } from './prepare.js'
import { settle, type SettleDeps } from './settle.js'

/** What noting the health of a sender needs; where `noteHealth` is absent, nothing is noted. */
export type SenderHealthDeps = EventDeps & { readonly senders: Partial<Pick<Senders, 'noteHealth'>> }

/** What the call to the platform and the record of its answer need. */
export type TransmitDeps = SettleDeps & SenderHealthDeps & {
  readonly platform: Platform
  readonly windowClock: Pick<WindowClock, 'now'>
  /** What is known of customers; where absent, a customer is known by the given id alone. */
  readonly customers?: Pick<Customers, 'find' | 'learn'>
}

/**
 * Sends a message that is paid for, and records what the platform answered, in the log, in the wallet, and of the customer and the sender.
 *
 * Once the platform has answered, its answer is the answer: trouble while recording it is retried, is left to reconciliation in the end, and never turns a
 * sent message into an error.
 */
export const transmit = async (
  deps: TransmitDeps, { id, workspace, message }: Draft, { sender, to }: Prepared, along: Along<MovedMessage> | undefined,
): Promise<E.Either<WithMessageId<PlatformError>, Sent>> => {
  const answer = await deps.platform.send({ id, sender, message: { ...message, to } })()
  const at = deps.windowClock.now()
  // What the answer says of the customer is said again by every status, so a failure to keep it changes nothing.
  const learning = E.isRight(answer) && answer.right.customer !== undefined
    ? learnCustomer(deps, workspace, { ...answer.right.customer, at })()
    : undefined
  const accepted = E.isRight(answer) ? along : undefined
  await Promise.all([settle(deps)(workspace, id, changeOf(answer, at), accepted)(), learning, noteSenderHealth(deps, { workspace, sender, answer, at })])
  return E.isLeft(answer)
    ? E.left({ ...answer.left, messageId: id, replayed: false })
    : E.right({ id, platformId: answer.right.platformId, replayed: false })
}

const changeOf = (answer: E.Either<PlatformError, Accepted>, at: Instant): StateChange => {
  if (E.isRight(answer)) return { state: 'accepted', at, platformId: answer.right.platformId }
  const error = answer.left
  switch (error._tag) {
    case 'PlatformRejected': case 'PlatformThrottled': case 'CredentialsRefused':
      return { state: 'refused', at, error: error.error }
    case 'PlatformUnreachable':
      return { state: 'refused', at, error: { message: 'The platform could not be reached' } }
    case 'OutcomeUnknown':
      return { state: 'unconfirmed', at }
  }
}

type SenderAnswer = { readonly workspace: WorkspaceId; readonly sender: Sender; readonly answer: E.Either<PlatformError, Accepted>; readonly at: Instant }

/**
 * Notes that the platform refuses the credentials of a sender that was not failing, or accepts a message of one that was.
 *
 * So it writes only at a change. If that fails, the next message of the sender says the same, so a failure changes nothing.
 */
const noteSenderHealth = async ({ events, senders }: SenderHealthDeps, { workspace, sender, answer, at }: SenderAnswer): Promise<void> => {
  const wasFailing = sender.failingSince !== undefined
  if (E.isRight(answer)) {
    if (wasFailing) await senders.noteHealth?.(workspace, false, at, await alongFor(events, workspace, senderRecovered(workspace)))()
  } else if (answer.left._tag === 'CredentialsRefused' && !wasFailing) {
    await senders.noteHealth?.(workspace, true, at, await alongFor(events, workspace, senderFailing(workspace, answer.left.error)))()
  }
}
