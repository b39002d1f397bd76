import * as E from 'fp-ts/lib/Either.js'
import * as O from 'fp-ts/lib/Option.js'
import { type HearDeps, hearRefusal, recordPerson, STOPPED_MARKETING } from '../consent/hearing.js'
import { type CustomerId, isUserId, type PhoneNumber, recordKeyOf } from '../customers/customer.js'
import type { Customers } from '../customers/learn.js'
import type { WindowClock } from '../customers/window.js'
import type { PlatformError, PlatformUnreachable, PortFailure } from '../kernel/failure.js'
import type { WorkspaceId } from '../kernel/ids.js'
import type { Admission } from '../kernel/limits.js'
import { entriesFor, type EventDeps, type MakeOutboxEntries } from '../kernel/outbox.js'
import type { Instant } from '../kernel/time.js'
import { inSpan, type NewSpan, PLATFORM_ATTRIBUTES, type TracingDeps } from '../kernel/tracing.js'
import { type Claim, type Claimed, type Draft, type MessageLog, messageMoved, type MovedMessage } from '../messages/message-log.js'
import {
  type Accepted, type AppliedChange, contentOf, type Message, type MessageId, type MessageState, moneyMove, type Sent, type StateChange,
  type WithMessageId,
} from '../messages/message.js'
import { errorCodeOf, ownError, type OwnErrorSentence } from '../messages/own-errors.js'
import type { FreeMessages, HoldState, Wallet } from '../money/wallet.js'
import type { PortfolioBudget } from '../messages/portfolio-budget.js'
import type { LimitReached } from '../money/ledger.js'
import type { SenderBudget, SenderLimit, SenderRates, SenderSlot, SlowDown } from '../senders/sender-budget.js'
import {
  inboxOf, type Sender, senderFailing, type SenderHealth, type SenderLists, type SenderOf, senderRecovered,
} from '../senders/sender.js'
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
  /** Asked immediately before the request is written to the connection; after `false` the message is not sent, as if the platform was not reached. */
  readonly mayBegin?: () => boolean
}

/** A message that was accepted: it is stored and paid for, at the price of its draft. */
export type AcceptedMessage = {
  readonly _tag: 'Accepted'; readonly draft: Draft; readonly prepared: Omit<Prepared, 'price' | 'template'>
  /** The slot of its sender, before which it must not be sent. */
  readonly slot?: SenderSlot
  /** Whether it may still be sent; asked immediately before it leaves. */
  readonly mayBegin?: () => boolean
  /** The error of the message if it may not; by default that of a platform that was not reached. */
  readonly whyNotBegun?: OwnErrorSentence
}

/** The dependencies of admitting a send. */
export type PermitDeps = TracingDeps & {
  readonly messageLog: Pick<MessageLog, 'claimed'>
  readonly windowClock: Pick<WindowClock, 'now'>
  /** Limits how many sends run simultaneously; if absent, every send starts immediately. */
  readonly admission?: Admission
}

/** A request that may be a repetition: its workspace and, if it has an idempotency key, its claim on that key. */
export type Repeatable = { readonly workspace: WorkspaceId; readonly claim: Claim | undefined }

/**
 * Runs a send when it is admitted. A send that is not admitted is refused before anything is written.
 *
 * A request that repeats an earlier one needs no permit. So if a permit is not available immediately, its key is looked up first.
 */
export const withPermit =
  ({ admission, messageLog, tracer, windowClock }: PermitDeps, { workspace, claim }: Repeatable) =>
  async <Failure, Answer>(
    send: () => Promise<E.Either<Failure, Answer>>,
  ): Promise<E.Either<Failure | PlatformUnreachable | PortFailure, Answer | Claimed>> => {
    if (admission === undefined) return send()
    if (claim !== undefined && !admission.hasRoom()) {
      const claimed = await messageLog.claimed(workspace, claim, windowClock.now())
      if (E.isLeft(claimed)) return claimed
      if (O.isSome(claimed.right)) return E.right(claimed.right.value)
    }
    const permit = await inSpan(tracer, QUEUE_SPAN, () => admission.admit(workspace))
    if (E.isLeft(permit)) return permit
    try {
      return await send()
    } finally {
      permit.right.release()
    }
  }

const QUEUE_SPAN = { name: 'queue', kind: 'internal' } as const

/** The dependencies of dispatching a message. */
export type DispatchDeps = TracingDeps & SettleDeps & {
  readonly platform: Platform
  /** Where the health of a sender is recorded, if it has `noteHealth`. */
  readonly senders: Partial<SenderHealth & Pick<SenderLists, 'inboxesOf'>>
  readonly windowClock: Pick<WindowClock, 'now'>
  /** The known customers; if absent, a customer is known by the given id alone. */
  readonly customers?: Pick<Customers, 'find' | 'learn'>
  /** What customers allow and stop; if absent, it is not recorded that the platform refuses a message for it. */
  readonly consents?: HearDeps['consents']
  /** The budgets of senders, which are slowed down when the platform throttles them, if they have a limit. */
  readonly senderBudget?: Pick<SenderBudget, 'slowDown'>
  readonly senderLimit?: Pick<SenderLimit, 'perSecond'>
  readonly senderRates?: SenderRates
  /** Is notified of what the limits of a sender do, for monitoring. */
  readonly onLimit?: OnLimit
}

/**
 * What the limits of a sender did: a slot was taken; a slot that was taken had passed before its message could be sent; a request was refused before its message was opened; or the
 * platform's answer slowed the sender down.
 */
export type LimitEvent = SenderOf & (
  | { readonly event: 'slot_taken' | 'slot_lost' }
  | { readonly event: 'refused'; readonly limit: LimitReached['_tag'] }
  | { readonly event: 'slowed_down'; readonly why: SlowDown }
)

/** Counts what limits do. */
export type OnLimit = (event: LimitEvent) => void

/**
 * Sends an accepted message, and records the platform's answer in the log, in the wallet, and for the customer and the sender.
 *
 * The platform's answer is the answer of the send. If recording it fails, that is retried and finally left to reconciliation; it never turns a
 * sent message into an error.
 */
export const dispatch = async (
  deps: DispatchDeps,
  {
    draft, prepared: { sender, to, portfolio, mayBeKnownAs = false, isMarketing = false }, mayBegin: mayStillBegin, whyNotBegun,
  }: AcceptedMessage,
  outboxEntries: MakeOutboxEntries<MovedMessage> | undefined,
): Promise<E.Either<WithMessageId<PlatformError>, Sent>> => {
  const { id, workspace, message } = draft
  let isTooLate = false
  const mayBegin = mayStillBegin && ((): boolean => {
    isTooLate = !mayStillBegin()
    return !isTooLate
  })
  const answer = await inSpan(
    deps.tracer, () => platformSpan(draft),
    () => deps.platform.send({
      id, sender, message: { ...message, to }, ...(isMarketing && { isMarketing }), ...(mayBegin && { mayBegin }),
    }),
  )
  const at = deps.windowClock.now()
  // Every status repeats what the answer says about the customer, so a failure to store it changes nothing.
  const learning = E.isRight(answer) && answer.right.customer !== undefined
    ? recordPerson(deps, { workspace, inbox: inboxOf(workspace, sender) }, {
        ...answer.right.customer, at, dialled: dialledIn(answer.right, to, mayBeKnownAs),
      })
    : undefined
  const accepted = E.isRight(answer) ? outboxEntries : undefined
  await inSpan(deps.tracer, SETTLE_SPAN, async () => {
    await Promise.all([
      settle(deps)(
        { ...draft, isCounted: portfolio !== undefined }, changeOf(answer, at, isTooLate ? whyNotBegun : undefined), accepted,
      ), learning,
      noteSenderHealth(deps, { workspace, sender, answer, at }), slowDownIfThrottled(deps, { workspace, sender, answer, at }),
      hearIfStopped(deps, { workspace, sender, answer, at }, to),
    ])
    return E.right(undefined)
  })
  return E.isLeft(answer)
    ? E.left({ ...answer.left, messageId: id, replayed: false })
    : E.right({ id, platformId: answer.right.platformId, replayed: false })
}

/** The number for which the answer names the customer, if that is new information. Usually it is the platform's own number, which costs no write. */
const dialledIn = ({ customer, dialled }: Accepted, to: CustomerId, mayBeKnownAs: boolean): PhoneNumber | undefined => {
  if (isUserId(to) || dialled === undefined || customer?.phoneNumber === undefined || recordKeyOf(dialled) !== recordKeyOf(to)) {
    return undefined
  }
  return mayBeKnownAs || recordKeyOf(customer.phoneNumber) !== recordKeyOf(to) ? to : undefined
}

const SETTLE_SPAN = { name: 'settle', kind: 'internal' } as const

/** No trace context is sent to the platform, so the call is a client span. */
const platformSpan = ({ id, message }: Draft): NewSpan => ({
  name: `send ${contentOf(message).kind}`, kind: 'client',
  attributes: {
    ...PLATFORM_ATTRIBUTES, 'messaging.operation.name': 'send', 'messaging.operation.type': 'send', 'messaging.message.id': id,
  },
})

const changeOf = (
  answer: E.Either<PlatformError, Accepted>, at: Instant, whyNotBegun: OwnErrorSentence = 'The platform could not be reached',
): StateChange => {
  if (E.isRight(answer)) return { state: 'accepted', at, platformId: answer.right.platformId }
  const error = answer.left
  switch (error._tag) {
    case 'PlatformRejected': case 'PlatformThrottled': case 'CredentialsRefused':
      return { state: 'refused', at, error: error.error }
    case 'PlatformUnreachable':
      return { state: 'refused', at, error: ownError(whyNotBegun) }
    case 'OutcomeUnknown':
      return { state: 'unconfirmed', at }
  }
}

type SenderAnswer = {
  readonly workspace: WorkspaceId
  readonly sender: Sender
  readonly answer: E.Either<PlatformError, Accepted>
  readonly at: Instant
}

/**
 * Records that the platform refuses the credentials of a sender that was not failing, or accepts a message of a sender that was failing.
 *
 * So it writes only on a change. If the write fails, the next message of the sender repeats it, so a failure changes nothing.
 */
const noteSenderHealth = async ({ events, senders }: DispatchDeps, { workspace, sender, answer, at }: SenderAnswer): Promise<void> => {
  const wasFailing = sender.failingSince !== undefined
  const of = { workspace, sender: sender.phoneNumberId }
  if (E.isRight(answer)) {
    if (wasFailing) await senders.noteHealth?.(of, false, at, await entriesFor(events, workspace, senderRecovered(workspace)))
  } else if (answer.left._tag === 'CredentialsRefused' && !wasFailing) {
    await senders.noteHealth?.(of, true, at, await entriesFor(events, workspace, senderFailing(workspace, answer.left.error)))
  }
}

/** Why the platform's answer slows a sender down, by the code of its error. */
const SLOW_DOWNS: Readonly<Partial<Record<number | string, SlowDown>>> = { 130429: 'throttled', 131057: 'maintenance' }

/** If the write fails, the next refusal repeats it. */
const slowDownIfThrottled = async (
  { senderBudget, senderLimit, senderRates, onLimit }: DispatchDeps, { workspace, sender: { phoneNumberId: sender }, answer }: SenderAnswer,
): Promise<void> => {
  if (senderBudget === undefined || senderLimit === undefined || E.isRight(answer) || !('error' in answer.left)) return
  const why = SLOW_DOWNS[errorCodeOf(answer.left.error) ?? '']
  if (why === undefined) return
  onLimit?.({ workspace, sender, event: 'slowed_down', why })
  const perSecond = await senderRates?.({ workspace, sender }) ?? senderLimit.perSecond
  await senderBudget.slowDown({ workspace, sender, perSecond }, why)
}

/** The platform tells only with its refusal that the customer has stopped marketing messages, if it has not reported it before. */
const hearIfStopped = async (deps: DispatchDeps, { workspace, sender, answer, at }: SenderAnswer, to: CustomerId): Promise<void> => {
  if (E.isRight(answer) || !('error' in answer.left) || errorCodeOf(answer.left.error) !== STOPPED_MARKETING) return
  await orRetryLater(deps, () => hearRefusal(deps, { workspace, inbox: inboxOf(workspace, sender) }, to, at))
}

/**
 * Accepts work that failed and runs it again until it succeeds or its time is up. Returns immediately.
 *
 * Reconciliation settles whatever this gives up on, so an embedding app may do nothing here.
 */
export type RetryLater = (work: () => Promise<E.Either<PortFailure, unknown>>) => void

/** The dependencies of recording a change of a message. */
export type RecordChangeDeps = EventDeps & {
  readonly messageLog: Pick<MessageLog, 'apply'>
  readonly wallet: Pick<Wallet, 'capture' | 'release' | 'refund'>
  /** Where free messages are counted, if sends take them. */
  readonly freeMessages?: Pick<FreeMessages, 'giveBack'>
  /** Where the customers of portfolios are counted, if sends count them. */
  readonly portfolioBudget?: Pick<PortfolioBudget, 'giveBack'>
}

/** The dependencies of settling a send. */
export type SettleDeps = RecordChangeDeps & { readonly retryLater: RetryLater }

/** The message whose money moves, the time of the move, and the note of the operator who moved it. */
export type MoneyOf = { readonly workspace: WorkspaceId; readonly message: MessageId; readonly at: Instant; readonly note?: string }

/** A message whose outcome is recorded, and whether it may have counted its customer for the limit of a portfolio. */
export type SettledMessage = Pick<Draft, 'workspace' | 'id' | 'price'> & { readonly isCounted?: boolean }

/**
 * Records the outcome of a send, in the log and in the wallet side by side.
 *
 * Neither write waits for the other. Both the log and the wallet order states by rank, so a report that arrives before this write leaves the same books. Only
 * releasing what the message took comes before both, its free message and its place in the portfolio: once the message is refused and its hold is settled or absent,
 * reconciliation does not look at it again.
 * It never fails; writes that fail now are retried later. The entries that `more` makes are stored with the change, like its events.
 */
export const settle =
  (deps: SettleDeps) =>
  async (
    { workspace, id, price, isCounted = false }: SettledMessage, change: StateChange, more?: MakeOutboxEntries<MovedMessage>,
  ): Promise<void> => {
    const events = await entriesFor(deps.events, workspace, messageMoved)
    const outboxEntries = both(events, more)
    const of = { workspace, message: id, at: change.at }
    const write = async (): Promise<E.Either<never, void>> => {
      await Promise.all([
        orRetryLater(deps, () => deps.messageLog.apply(workspace, id, change, outboxEntries)),
        orRetryLater(deps, () => moveHold(deps, change.state, of)),
      ])
      return E.right(undefined)
    }
    if ((price.micros > 0n && !isCounted) || !givesBack(change.state)) await write()
    else await orRetryLater(deps, async () => {
      const givenBack = await giveBackTaken(deps, of)
      return E.isLeft(givenBack) ? givenBack : write()
    })
  }

type Entries = MakeOutboxEntries<MovedMessage> | undefined

const both = (events: Entries, more: Entries): Entries =>
  (more === undefined ? events : (moved) => [...(events?.(moved) ?? []), ...more(moved)])

/**
 * Records a change while other changes may be recorded concurrently. The money follows the resulting state of the message, not the change, so a failure
 * that is reported too late refunds nothing. Right: the new state of the message; none if there is no such message.
 * The entries of `more` are stored with the change, in addition to its event.
 */
export const recordChange =
  (deps: RecordChangeDeps, now: () => Instant) =>
  async (
    workspace: WorkspaceId, id: MessageId, change: StateChange, more?: MakeOutboxEntries<MovedMessage>,
  ): Promise<E.Either<PortFailure, O.Option<AppliedChange>>> => {
    const events = await entriesFor(deps.events, workspace, messageMoved)
    const applied = await deps.messageLog.apply(workspace, id, change, both(events, more))
    if (E.isLeft(applied) || O.isNone(applied.right)) return applied
    const moved = await moveMoney(deps, applied.right.value.state, { workspace, message: id, at: now() })
    return E.isLeft(moved) ? moved : applied
  }

/**
 * Moves a message's money to where its state requires. A refused or failed message releases the free message and the place in the portfolio that it took. A message that was
 * given up keeps them, because it may have been sent; otherwise more messages would be free than the month allows. Right: the new state of the hold; `undefined` if nothing has to be moved.
 */
export const moveMoney = async (
  deps: Pick<RecordChangeDeps, 'wallet' | 'freeMessages' | 'portfolioBudget'>, state: MessageState, of: MoneyOf,
): Promise<E.Either<PortFailure, HoldState | undefined>> => {
  const givenBack = givesBack(state) ? await giveBackTaken(deps, of) : undefined
  return givenBack !== undefined && E.isLeft(givenBack) ? givenBack : moveHold(deps, state, of)
}

const moveHold = async (
  { wallet }: Pick<RecordChangeDeps, 'wallet'>, state: MessageState, of: MoneyOf,
): Promise<E.Either<PortFailure, HoldState | undefined>> => {
  const move = moneyMove(state)
  return move === 'keep' ? E.right(undefined) : wallet[move](of)
}

const givesBack = (state: MessageState): boolean => state === 'refused' || state === 'canceled' || state === 'failed'

/** Releases the free message that a message has taken, and the customer whom it has counted, if any. */
export const giveBackTaken = async (
  { freeMessages, portfolioBudget }: Pick<RecordChangeDeps, 'freeMessages' | 'portfolioBudget'>,
  { workspace, message }: Pick<MoneyOf, 'workspace' | 'message'>,
): Promise<E.Either<PortFailure, void>> => {
  const [free, counted] = await Promise.all([
    freeMessages?.giveBack({ workspace, message }), portfolioBudget?.giveBack({ workspace, message }),
  ])
  return [free, counted].find((one) => one !== undefined && E.isLeft(one)) ?? E.right(undefined)
}

const orRetryLater = async (deps: SettleDeps, work: () => Promise<E.Either<PortFailure, unknown>>): Promise<void> => {
  if (E.isLeft(await work())) deps.retryLater(work)
}
