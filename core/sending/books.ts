import * as E from 'fp-ts/lib/Either.js'
import * as O from 'fp-ts/lib/Option.js'
import type { ActDeps } from '../access/acting.js'
import type { WindowClock } from '../customers/window.js'
import { auditActorOf, SYSTEM } from '../kernel/actor.js'
import { type PortFailure, portFailure } from '../kernel/failure.js'
import type { WorkspaceId } from '../kernel/ids.js'
import { type MakeOutboxEntries, type OutboxEntry, entriesFor, type EventDeps } from '../kernel/outbox.js'
import { type Instant, monthOf } from '../kernel/time.js'
import { type Claimed, type Draft, type MessageLog, messageMoved, type MovedMessage, type Opening } from '../messages/message-log.js'
import {
  type AppliedChange, type MessageId, type MessageState, moneyMove, ownError, type OwnErrorSentence, type StateChange, type WithMessageId,
} from '../messages/message.js'
import { freeDraft, type FreeOffer, holdOfDraft, type Reserving } from '../money/ledger.js'
import type { Rate } from '../money/rate-card.js'
import {
  alertData, type FreeMessages, type HoldState, type InsufficientBalance, type Spending, type SpendingLimitReached, type Wallet, type WalletAlert,
  walletAlerted,
} from '../money/wallet.js'
import type { Sender } from '../senders/sender.js'

/**
 * The entries that are stored with a hold if it raises an alert: an event and an audit entry.
 *
 * An alert is rare, and a send must not wait for a check whether anything listens. So the event is made in any case.
 */
export const entriesOfAlert = ({ audit, events }: ActDeps): MakeOutboxEntries<WalletAlert> => (alert): ReadonlyArray<OutboxEntry> => {
  const event = walletAlerted(alert)
  const { workspace, at } = alert
  return [
    ...(audit === undefined ? [] : [{
      id: audit.newAuditId(), at, by: auditActorOf(SYSTEM), act: event.type as 'wallet.low' | 'wallet.exhausted', outcome: 'done' as const, workspace,
      subject: workspace, details: alertData(alert),
    }]),
    ...(events === undefined ? [] : [{ id: events.newEventId(), at, ...event }]),
  ]
}

/** What is needed to charge nothing for free messages. */
export type FreeMessageDeps = {
  /** Where free messages are counted; if absent, every message costs its price. */
  readonly freeMessages?: Pick<FreeMessages, 'take' | 'giveBack'>
  readonly retryLater: RetryLater
}

/** The rate of a message, and the sender through which it goes. */
export type RateOfSender = { readonly sender: Pick<Sender, 'phoneNumberId'>; readonly price: Rate }

/** The free messages from which a message may take one; `undefined` if it costs nothing anyway, or if none are counted. */
export const freeOffer = ({ freeMessages }: { readonly freeMessages?: unknown }, { sender, price }: RateOfSender, at: Instant): FreeOffer | undefined => {
  const limit = freeLimitOf(price)
  return freeMessages === undefined || limit === undefined ? undefined : { phoneNumberId: sender.phoneNumberId, month: monthOf(at), limit }
}

/** The draft at the price that is charged: zero if a free message was left, which the draft has then taken. */
const takeFree = async ({ freeMessages, retryLater }: FreeMessageDeps, draft: Draft, offer: FreeOffer | undefined): Promise<E.Either<PortFailure, Draft>> => {
  if (freeMessages === undefined || offer === undefined) return E.right(draft)
  const { workspace, id: message } = draft
  const taken = await freeMessages.take({ workspace, message, ...offer })
  if (E.isRight(taken)) return E.right(taken.right ? freeDraft(draft) : draft)
  // It may have been taken although the answer was lost.
  retryLater(() => freeMessages.giveBack({ workspace, message }))
  return taken
}

/** Releases the free message of a draft that is not sent because another message has its idempotency key. If that cannot be written now, it is retried later. */
const giveBackUnsent = async ({ freeMessages, retryLater }: FreeMessageDeps, { workspace, id: message, price }: Draft): Promise<void> => {
  if (freeMessages === undefined || price.micros > 0n) return
  const giveBack = () => freeMessages.giveBack({ workspace, message })
  if (E.isLeft(await giveBack())) retryLater(giveBack)
}

/** The rate that a message would be charged at a given time: zero, if its sender has a free message left. It takes none. */
export const quotedRate = async (
  freeMessages: Pick<FreeMessages, 'taken'> | undefined, { sender, price }: RateOfSender, at: Instant,
): Promise<E.Either<PortFailure, Rate>> => {
  const limit = freeLimitOf(price)
  return freeMessages === undefined || limit === undefined
    ? E.right(price)
    : freeMessages.taken(sender.phoneNumberId, monthOf(at)).then(E.map((taken: number) => (taken < limit ? freeOf(price) : price)))
}

/** The number of free messages per month; `undefined` if the message costs nothing anyway. */
const freeLimitOf = ({ micros, freeEachMonth }: Rate): number | undefined => (micros > 0n ? freeEachMonth : undefined)

const freeOf = <Priced extends Rate>(price: Priced): Priced => ({ ...price, micros: 0n })

/** How reserving the money for a message can fail. */
export type ReserveError = WithMessageId<InsufficientBalance | SpendingLimitReached> | PortFailure
/** The dependencies of reserving the money for a message. */
export type ReserveDeps = SettleDeps & ActDeps & FreeMessageDeps & {
  readonly messageLog: Pick<MessageLog, 'open'>
  readonly wallet: Pick<Wallet, 'hold'>
  /** Does all of it in one step. If it is absent, a free message is taken, the message opened and its price held one after the other. */
  readonly reserving?: Reserving | undefined
  readonly windowClock: Pick<WindowClock, 'now'>
  /** The age of a pending message, in milliseconds, from which reconciliation decides it. */
  readonly unconfirmedAfterMs: number
}

/** The time by which a message must be reserved to be sent, the limit that its price counts for, and the free messages from which it may take one. */
export type ReserveTerms = { readonly sentBefore: Instant; readonly spending: Spending | undefined; readonly free: FreeOffer | undefined }

/** A message that was opened and paid for, at the price that is charged; or the message that its idempotency key already guards. */
export type Reservation = { readonly _tag: 'Reserved'; readonly draft: Draft } | Claimed

/**
 * Stores a message and reserves its price, so that it may be sent.
 *
 * A storage that keeps both does it in one step. If they are kept separately, the idempotency key is claimed first, so that a repeated request never touches
 * the wallet. Without a key no other request can know of the message, so both writes run in parallel. Either write alone is harmless, and is undone here.
 * A refused message releases its free message. If these are separate steps and the process crashes before the message is opened, the free message stays taken.
 *
 * A message that was reserved too late, after `sentBefore`, is refused too. Reconciliation refuses a message of age `unconfirmedAfterMs` without a
 * hold, so every message that is sent was held long before that age. Half of that age is left for clock differences between machines.
 */
export const reserve =
  (deps: ReserveDeps) =>
  (draft: Draft, terms: ReserveTerms): Promise<E.Either<ReserveError, Reservation>> =>
    deps.reserving === undefined ? reserveInSteps(deps, draft, terms) : reserveAtOnce(deps, deps.reserving, draft, terms)

const reserveAtOnce = async (
  deps: ReserveDeps, reserving: Reserving, draft: Draft, { sentBefore, spending, free }: ReserveTerms,
): Promise<E.Either<ReserveError, Reservation>> => {
  const reserved = await reserving(draft, spending, entriesOfAlert(deps), free)
  if (E.isRight(reserved)) {
    const { right } = reserved
    return right._tag === 'Claimed' ? E.right(right) : outcome(deps, right.isFree === true ? freeDraft(draft) : draft, sentBefore, OPENED, HELD)
  }
  const { left } = reserved
  // It may have taken a free message, and then releases it.
  const refused = free === undefined ? draft : freeDraft(draft)
  return left._tag === 'PortFailure' ? outcome(deps, refused, sentBefore, E.left(left), HELD) : outcome(deps, refused, sentBefore, OPENED, E.left(left))
}

const OPENED = E.right({ _tag: 'Opened' } as const)
const HELD = E.right(undefined)

const reserveInSteps = async (
  deps: ReserveDeps, priced: Draft, { sentBefore, spending, free }: ReserveTerms,
): Promise<E.Either<ReserveError, Reservation>> => {
  const charged = await takeFree(deps, priced, free)
  if (E.isLeft(charged)) return charged
  const draft = charged.right
  const open = () => deps.messageLog.open(draft)
  const hold = () => deps.wallet.hold(holdOfDraft(draft, spending), entriesOfAlert(deps))
  if (draft.claim === undefined) return outcome(deps, draft, sentBefore, ...(await Promise.all([open(), hold()])))
  const opening = await open()
  const isOpened = E.isRight(opening) && opening.right._tag === 'Opened'
  const reserved = await outcome(deps, draft, sentBefore, opening, isOpened ? await hold() : HELD)
  if (E.isRight(reserved) && reserved.right._tag === 'Claimed') await giveBackUnsent(deps, draft)
  return reserved
}

const outcome = async (
  deps: ReserveDeps, draft: Draft, sentBefore: Instant,
  opening: E.Either<PortFailure, Opening>, holding: E.Either<InsufficientBalance | SpendingLimitReached | PortFailure, void>,
): Promise<E.Either<ReserveError, Reservation>> => {
  if (E.isLeft(opening)) {
    // Not awaited, here and below: storage has just failed, and the caller would wait for a second timeout.
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
  if (opening.right._tag === 'Claimed') return E.right(opening.right)
  if (!isTooLate(deps, draft, sentBefore)) return E.right({ _tag: 'Reserved', draft })
  await refuse(deps, draft, TOO_SLOW)
  return E.left(portFailure('Wallet')(TOO_SLOW))
}

const WHY_NOT_PAID = {
  InsufficientBalance: 'The wallet could not cover the price', SpendingLimitReached: 'The API key has reached its spending limit',
} as const satisfies Readonly<Record<string, OwnErrorSentence>>

const TOO_SLOW = 'It took too long to set its price aside'

const isTooLate = ({ windowClock, unconfirmedAfterMs }: ReserveDeps, { at }: Draft, sentBefore: Instant): boolean =>
  windowClock.now() >= Math.min(sentBefore, at + unconfirmedAfterMs / 2)

const refuse = (deps: ReserveDeps, draft: Draft, why: OwnErrorSentence): Promise<void> =>
  settle(deps)(draft, { state: 'refused', at: draft.at, error: ownError(why) })

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
}

/** The dependencies of settling a send. */
export type SettleDeps = RecordChangeDeps & { readonly retryLater: RetryLater }

/** The message whose money moves, the time of the move, and the note of the operator who moved it. */
export type MoneyOf = { readonly workspace: WorkspaceId; readonly message: MessageId; readonly at: Instant; readonly note?: string }

/**
 * Records the outcome of a send, in the log and in the wallet side by side.
 *
 * Neither write waits for the other. Both the log and the wallet order states by rank, so a report that arrives before this write leaves the same books. Only
 * releasing a free message comes before both: once the message is refused and its hold is settled or absent, reconciliation does not look at it again.
 * It never fails; writes that fail now are retried later. The entries that `more` makes are stored with the change, like its events.
 */
export const settle =
  (deps: SettleDeps) =>
  async ({ workspace, id, price }: Pick<Draft, 'workspace' | 'id' | 'price'>, change: StateChange, more?: MakeOutboxEntries<MovedMessage>): Promise<void> => {
    const events = await entriesFor(deps.events, workspace, messageMoved)
    const outboxEntries = more === undefined ? events : (moved: MovedMessage) => [...(events?.(moved) ?? []), ...more(moved)]
    const of = { workspace, message: id, at: change.at }
    const write = async (): Promise<E.Either<never, void>> => {
      await Promise.all([
        orRetryLater(deps, () => deps.messageLog.apply(workspace, id, change, outboxEntries)), orRetryLater(deps, () => moveHold(deps, change.state, of)),
      ])
      return E.right(undefined)
    }
    if (price.micros > 0n || !givesBackFree(change.state)) await write()
    else await orRetryLater(deps, async () => {
      const givenBack = await giveBackTaken(deps, of)
      return E.isLeft(givenBack) ? givenBack : write()
    })
  }

/**
 * Records a change while other changes may be recorded concurrently. The money follows the resulting state of the message, not the change, so a failure
 * that is reported too late refunds nothing. Right: the new state of the message; none if there is no such message.
 */
export const recordChange =
  (deps: RecordChangeDeps, now: () => Instant) =>
  async (workspace: WorkspaceId, id: MessageId, change: StateChange): Promise<E.Either<PortFailure, O.Option<AppliedChange>>> => {
    const applied = await deps.messageLog.apply(workspace, id, change, await entriesFor(deps.events, workspace, messageMoved))
    if (E.isLeft(applied) || O.isNone(applied.right)) return applied
    const moved = await moveMoney(deps, applied.right.value.state, { workspace, message: id, at: now() })
    return E.isLeft(moved) ? moved : applied
  }

/**
 * Moves a message's money to where its state requires. A refused or failed message releases the free message that it took. A message that was given up keeps
 * it, because it may have been sent; otherwise more messages would be free than the month allows. Right: the new state of the hold; `undefined` if nothing has to be moved.
 */
export const moveMoney = async (
  deps: Pick<RecordChangeDeps, 'wallet' | 'freeMessages'>, state: MessageState, of: MoneyOf,
): Promise<E.Either<PortFailure, HoldState | undefined>> => {
  const givenBack = givesBackFree(state) ? await giveBackTaken(deps, of) : undefined
  return givenBack !== undefined && E.isLeft(givenBack) ? givenBack : moveHold(deps, state, of)
}

const moveHold = async (
  { wallet }: Pick<RecordChangeDeps, 'wallet'>, state: MessageState, of: MoneyOf,
): Promise<E.Either<PortFailure, HoldState | undefined>> => {
  const move = moneyMove(state)
  return move === 'keep' ? E.right(undefined) : wallet[move](of)
}

const givesBackFree = (state: MessageState): boolean => state === 'refused' || state === 'failed'

/** Releases the free message that a message has taken, if any. */
export const giveBackTaken = async (
  { freeMessages }: Pick<RecordChangeDeps, 'freeMessages'>, { workspace, message }: Pick<MoneyOf, 'workspace' | 'message'>,
): Promise<E.Either<PortFailure, void>> => freeMessages === undefined ? E.right(undefined) : freeMessages.giveBack({ workspace, message })

const orRetryLater = async (deps: SettleDeps, work: () => Promise<E.Either<PortFailure, unknown>>): Promise<void> => {
  if (E.isLeft(await work())) deps.retryLater(work)
}
