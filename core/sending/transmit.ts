import * as E from 'fp-ts/lib/Either.js'
import { type CustomerId, isUserId, type PhoneNumber, recordKeyOf } from '../customers/customer.js'
import { type Customers, recordCustomer } from '../customers/learn.js'
import type { WindowClock } from '../customers/window.js'
import type { PlatformError } from '../kernel/failure.js'
import type { WorkspaceId } from '../kernel/ids.js'
import { type MakeOutboxEntries, entriesFor, type EventDeps } from '../kernel/outbox.js'
import type { Instant } from '../kernel/time.js'
import { inSpan, type NewSpan, PLATFORM_ATTRIBUTES, type TracingDeps } from '../kernel/tracing.js'
import type { Draft, MovedMessage } from '../messages/message-log.js'
import { type Accepted, contentOf, type Message, type MessageId, ownError, type Sent, type StateChange, type WithMessageId } from '../messages/message.js'
import { type Sender, senderFailing, type SenderHealth, senderRecovered } from '../senders/sender.js'
import { settle, type SettleDeps } from './books.js'
import type { Prepared } from './prepare.js'

/** The messaging network's cloud API. */
export interface Platform {
  /**
   * Sends a message once, through a sender, with our id so that later reports can be matched.
   *
   * Right: the platform's id of the accepted message, and the ids of the customer if its answer names them. `PlatformRejected`, `PlatformThrottled`,
   * `CredentialsRefused`: the platform answered that it did not accept it. `PlatformUnreachable`: the platform was not reached. `OutcomeUnknown`: the platform
   * may have accepted it; every doubtful case is this one. Nothing is ever sent twice, and an answer is returned before a deadline.
   */
  readonly send: (outbound: Outbound) => Promise<E.Either<PlatformError, Accepted>>
}

/** A message to send, with its sender. */
export type Outbound = {
  readonly id: MessageId
  readonly sender: Sender
  readonly message: Message
  /** Whether it is sent through the platform's API for marketing messages. */
  readonly isMarketing?: boolean
}

/** What recording the health of a sender needs; if `noteHealth` is absent, nothing is recorded. */
export type SenderHealthDeps = EventDeps & { readonly senders: Partial<SenderHealth> }

/** What the call to the platform and the record of its answer need. */
export type TransmitDeps = TracingDeps & SettleDeps & SenderHealthDeps & {
  readonly platform: Platform
  readonly windowClock: Pick<WindowClock, 'now'>
  /** The known customers; if absent, a customer is known by the given id alone. */
  readonly customers?: Pick<Customers, 'find' | 'learn'>
}

/**
 * Sends a message that is paid for, and records the platform's answer in the log, in the wallet, and for the customer and the sender.
 *
 * The platform's answer is the answer of the send. If recording it fails, that is retried and finally left to reconciliation; it never turns a
 * sent message into an error.
 */
export const transmit = async (
  deps: TransmitDeps, draft: Draft, { sender, to, mayBeKnownAs = false, isMarketing = false }: Prepared, outboxEntries: MakeOutboxEntries<MovedMessage> | undefined,
): Promise<E.Either<WithMessageId<PlatformError>, Sent>> => {
  const { id, workspace, message } = draft
  const answer = await inSpan(
    deps.tracer, () => platformSpan(draft), () => deps.platform.send({ id, sender, message: { ...message, to }, ...(isMarketing && { isMarketing }) }),
  )
  const at = deps.windowClock.now()
  // Every status repeats what the answer says about the customer, so a failure to store it changes nothing.
  const learning = E.isRight(answer) && answer.right.customer !== undefined
    ? recordCustomer(deps, workspace, { ...answer.right.customer, at, dialled: dialledIn(answer.right, to, mayBeKnownAs) })
    : undefined
  const accepted = E.isRight(answer) ? outboxEntries : undefined
  await inSpan(deps.tracer, SETTLE_SPAN, async () => {
    await Promise.all([settle(deps)(draft, changeOf(answer, at), accepted), learning, noteSenderHealth(deps, { workspace, sender, answer, at })])
    return E.right(undefined)
  })
  return E.isLeft(answer)
    ? E.left({ ...answer.left, messageId: id, replayed: false })
    : E.right({ id, platformId: answer.right.platformId, replayed: false })
}

/** The number for which the answer names the customer, if that is new information. Usually it is the platform's own number, which costs no write. */
const dialledIn = ({ customer, dialled }: Accepted, to: CustomerId, mayBeKnownAs: boolean): PhoneNumber | undefined => {
  if (isUserId(to) || dialled === undefined || customer?.phoneNumber === undefined || recordKeyOf(dialled) !== recordKeyOf(to)) return undefined
  return mayBeKnownAs || recordKeyOf(customer.phoneNumber) !== recordKeyOf(to) ? to : undefined
}

const SETTLE_SPAN = { name: 'settle', kind: 'internal' } as const

/** No trace context is sent to the platform, so the call is a client span. */
const platformSpan = ({ id, message }: Draft): NewSpan => ({
  name: `send ${contentOf(message).kind}`, kind: 'client',
  attributes: { ...PLATFORM_ATTRIBUTES, 'messaging.operation.name': 'send', 'messaging.operation.type': 'send', 'messaging.message.id': id },
})

const changeOf = (answer: E.Either<PlatformError, Accepted>, at: Instant): StateChange => {
  if (E.isRight(answer)) return { state: 'accepted', at, platformId: answer.right.platformId }
  const error = answer.left
  switch (error._tag) {
    case 'PlatformRejected': case 'PlatformThrottled': case 'CredentialsRefused':
      return { state: 'refused', at, error: error.error }
    case 'PlatformUnreachable':
      return { state: 'refused', at, error: ownError('The platform could not be reached') }
    case 'OutcomeUnknown':
      return { state: 'unconfirmed', at }
  }
}

type SenderAnswer = { readonly workspace: WorkspaceId; readonly sender: Sender; readonly answer: E.Either<PlatformError, Accepted>; readonly at: Instant }

/**
 * Records that the platform refuses the credentials of a sender that was not failing, or accepts a message of a sender that was failing.
 *
 * So it writes only on a change. If the write fails, the next message of the sender repeats it, so a failure changes nothing.
 */
const noteSenderHealth = async ({ events, senders }: SenderHealthDeps, { workspace, sender, answer, at }: SenderAnswer): Promise<void> => {
  const wasFailing = sender.failingSince !== undefined
  if (E.isRight(answer)) {
    if (wasFailing) await senders.noteHealth?.(workspace, false, at, await entriesFor(events, workspace, senderRecovered(workspace)))
  } else if (answer.left._tag === 'CredentialsRefused' && !wasFailing) {
    await senders.noteHealth?.(workspace, true, at, await entriesFor(events, workspace, senderFailing(workspace, answer.left.error)))
  }
}
