import * as E from 'fp-ts/lib/Either.js'
import * as O from 'fp-ts/lib/Option.js'
import type * as TE from 'fp-ts/lib/TaskEither.js'
import type { InsufficientBalance, PlatformError, PlatformUnreachable, PortFailure, SpendingLimitReached, WithMessageId } from '../errors.js'
import type { Along } from '../event.js'
import type { IdempotencyKey } from '../idempotency.js'
import { requestOf, type Message, type MessageId } from '../message.js'
import type { Admission } from '../ports/admission.js'
import type { Claim, Draft, MovedMessage } from '../ports/message-log.js'
import type { WindowClock } from '../ports/window-clock.js'
import { spendingOf, type SendingKey, type Spending } from '../spending-limit.js'
import { SECOND_MS, type Instant } from '../time.js'
import type { WorkspaceId } from '../workspace.js'
import { giveBackFreeMessage, takeFreeMessage, type FreeMessageDeps } from './free-message.js'
import type { Ahead, PrepareDeps, Prepared, PrepareError } from './prepare.js'
import type { ReplayCommand, ReplayDeps, Sending } from './replay.js'
import { reserve, type ReserveDeps } from './reserve.js'
import { transmit, type TransmitDeps } from './transmit.js'

/** A message to be paid for and sent. */
export type DeliverCommand = {
  readonly workspace: WorkspaceId
  readonly message: Message
  /** The claim on the caller's idempotency key, where there is one. */
  readonly claim: Claim | undefined
  /** The limit of the API key that it is sent with, where there is one. */
  readonly spending: Spending | undefined
  /** What becomes durable together with the acceptance, besides its events. */
  readonly along: Along<MovedMessage> | undefined
  /** When the request was taken up. */
  readonly begunAt: Instant
}

/** How long after it was taken up a send may begin its call to the platform. One total for the queue and for storage, whatever each of them takes. */
const BEGINS_WITHIN_MS = 20 * SECOND_MS

/** How a delivery can fail; a failure that came after the message was opened names it. `PlatformUnreachable` alone: it was not admitted. */
export type DeliverError = PrepareError | PlatformUnreachable | WithMessageId<InsufficientBalance | SpendingLimitReached | PlatformError>

/** What admitting a send needs. */
export type PermitDeps = Pick<ReplayDeps, 'messageLog' | 'windowClock'> & {
  /** Limits how many sends are under way at once; where absent, every send starts at once. */
  readonly admission?: Admission
}

/** What both sends need. */
export type DeliverDeps = PrepareDeps & ReplayDeps & PermitDeps & FreeMessageDeps & ReserveDeps & TransmitDeps & {
  readonly windowClock: WindowClock
  /** A new message id; ids sort by time. */
  readonly newMessageId: () => MessageId
}

/**
 * Checks a message by `prepare`, waits until it is admitted, pays for it, and sends it.
 *
 * The message is made durable and its price held before the network call, and settled after it, because no transaction can stay open across that call.
 * What `prepare` refuses is refused before money is held.
 */
export const deliver =
  <Refusal>(deps: DeliverDeps, prepare: TE.TaskEither<Refusal, Prepared>) =>
  (command: DeliverCommand): Sending<DeliverError | Refusal> =>
  async () => {
    const prepared = await prepare()
    return E.isLeft(prepared) ? prepared : withPermit(deps, command)(payAndSend(deps, command, prepared.right))()
  }

/**
 * Runs a send when it is admitted. One that is not admitted is refused before anything is written.
 *
 * A request that repeats an earlier one needs no permit, so where a permit is not to be had at once, its key is looked up first.
 */
const withPermit =
  ({ admission, messageLog, windowClock }: PermitDeps, { workspace, claim }: ReplayCommand) =>
  <Failure>(send: Sending<Failure>): Sending<Failure | PlatformUnreachable | PortFailure> =>
  async () => {
    if (admission === undefined) return send()
    if (claim !== undefined && !admission.hasRoom()) {
      const claimed = await messageLog.claimed(workspace, claim, windowClock.now())()
      if (E.isLeft(claimed)) return claimed
      if (O.isSome(claimed.right)) return E.right(claimed.right.value)
    }
    const permit = await admission.admit(workspace)()
    if (E.isLeft(permit)) return permit
    try {
      return await send()
    } finally {
      permit.right.release()
    }
  }

const payAndSend =
  (deps: DeliverDeps, command: DeliverCommand, prepared: Prepared): Sending<DeliverError> =>
  async () => {
    const draft = draftOf(deps, command, prepared)
    const sentBefore = command.begunAt + BEGINS_WITHIN_MS
    if (draft.at >= sentBefore) return E.left({ _tag: 'PlatformUnreachable', cause: 'the send could not begin in time' })
    const charged = await takeFreeMessage(deps, prepared, draft)()
    if (E.isLeft(charged)) return charged
    const opening = await reserve(deps)(charged.right, { sentBefore, spending: command.spending })()
    if (E.isLeft(opening)) return opening
    if (opening.right._tag === 'Opened') return transmit(deps, draft, prepared, command.along)
    await giveBackFreeMessage(deps, charged.right)
    return E.right(opening.right)
  }

/** For whom a message is sent, and what every send may be given besides its message. */
export type SendOptions<Reads> = {
  readonly workspace: WorkspaceId
  /** A request with the same key gets the answer of this one. */
  readonly idempotencyKey?: IdempotencyKey
  /** The API key that it is sent with, where there is one; its limit of a day is kept. */
  readonly key?: SendingKey
  /** What becomes durable together with the acceptance by the platform. */
  readonly along?: Along<MovedMessage>
  /** Its reads, where they were begun before; they are not older than the request. */
  readonly ahead?: Ahead<Reads>
}

/** The command of a send: its message, the claim on its idempotency key, and the limit of its API key. */
export const deliverCommand = (
  { windowClock }: Pick<DeliverDeps, 'windowClock'>, { workspace, idempotencyKey, key, along }: SendOptions<unknown>, message: Message,
): DeliverCommand => ({
  workspace, message, claim: idempotencyKey && { key: idempotencyKey, request: requestOf(message) }, spending: spendingOf(key), along, begunAt: windowClock.now(),
})

const draftOf = (
  { newMessageId, windowClock }: DeliverDeps, { workspace, message, claim }: DeliverCommand, { price: { micros, currency, category } }: Prepared,
): Draft => ({
  id: newMessageId(), workspace, message, price: { micros, currency, category }, at: windowClock.now(), ...(claim && { claim }),
})
