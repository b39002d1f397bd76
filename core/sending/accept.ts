import * as E from 'fp-ts/lib/Either.js'
import * as O from 'fp-ts/lib/Option.js'
import type { ActDeps } from '../access/acting.js'
import type { PairLimit, PairLimits, PairTaking } from '../customers/pair-limit.js'
import type { WindowClock } from '../customers/window.js'
import { type PlatformUnreachable, type PortFailure, portFailure } from '../kernel/failure.js'
import type { WorkspaceId } from '../kernel/ids.js'
import { type Instant, monthOf, SECOND_MS } from '../kernel/time.js'
import { contextToKeep, inSpan, type TracingDeps } from '../kernel/tracing.js'
import type { Claim, Claimed, Draft, MessageLog, Opening } from '../messages/message-log.js'
import { type Message, type MessageId, type QueuePlace, type WithMessageId } from '../messages/message.js'
import { ownError, type OwnErrorSentence } from '../messages/own-errors.js'
import { freeDraft, type FreeOffer, holdOfDraft, type LimitReached, type Reserving, type SendLimits } from '../money/ledger.js'
import type { Rate } from '../money/rate-card.js'
import {
  entriesOfAlert, type FreeMessages, type InsufficientBalance, type Spending, type SpendingLimitReached, type Wallet,
} from '../money/wallet.js'
import type { PortfolioBudget, PortfolioTaking } from '../messages/portfolio-budget.js'
import {
  type SenderBudget, type SenderLimit, type SenderRates, type SenderSlot, type SlotTaking, waitFor,
} from '../senders/sender-budget.js'
import { inboxOf, type Sender, type SenderId } from '../senders/sender.js'
import {
  type AcceptedMessage, giveBackTaken, type OnLimit, recordChange, settle, type SettledMessage, type SettleDeps,
} from './dispatch.js'
import type { Consent } from '../consent/consent.js'
import type { Prepared } from './prepare.js'

/** A message to be accepted. */
export type AcceptCommand<Of extends Message = Message> = {
  readonly workspace: WorkspaceId
  /** The sender that the request names; if absent, the default sender. */
  readonly sender?: SenderId | undefined
  readonly message: Of
  /** The claim on the caller's idempotency key, if there is one. */
  readonly claim: Claim | undefined
  /** The id of the API key that sends it, if there is one. */
  readonly keyId: string | undefined
  /** The limit of that key, if it has one. */
  readonly spending: Spending | undefined
  /** For how long its delivery is awaited, in milliseconds, if it is. */
  readonly confirmWithinMs?: number | undefined
  /** The stop of the customer that the message answers; that stop does not forbid it. */
  readonly answers?: Consent
  /** When processing of the request started. */
  readonly begunAt: Instant
}

/** How accepting a message can fail. `PairLimitReached`, `SenderLimitReached`, `PortfolioLimitReached`: it was not opened. */
export type ReserveError = WithMessageId<InsufficientBalance | SpendingLimitReached> | LimitReached | PortFailure

/** The dependencies of accepting a message. */
export type AcceptDeps = TracingDeps & SettleDeps & ActDeps & {
  /** Where free messages are counted; if absent, every message costs its price. */
  readonly freeMessages?: Pick<FreeMessages, 'take' | 'giveBack'>
  /** Where the slots of pairs of a sender and a customer are counted, and their limit; without both there is none. */
  readonly pairLimits?: Pick<PairLimits, 'take'>
  readonly pairLimit?: PairLimit
  /** Where the slots of senders are counted, and their limit; without both there is none. */
  readonly senderBudget?: Pick<SenderBudget, 'take'>
  readonly senderLimit?: SenderLimit
  /** Is notified of what the limits of a sender do, for monitoring. */
  readonly onLimit?: OnLimit
  /** The rates of senders; without it, each sender has the rate of `senderLimit`. */
  readonly senderRates?: SenderRates
  /** Where the customers of portfolios are counted; without it, or without a limit, none is. */
  readonly portfolioBudget?: Pick<PortfolioBudget, 'giveBack' | 'take'>
  readonly messageLog: Pick<MessageLog, 'open'>
  readonly wallet: Pick<Wallet, 'hold'>
  /** Does all of it in one step. If it is absent, a free message is taken, the message opened and its price held one after the other. */
  readonly reserving?: Reserving | undefined
  readonly windowClock: Pick<WindowClock, 'now'>
  /** The age of a pending message, in milliseconds, from which reconciliation decides it. */
  readonly unconfirmedAfterMs: number
  /** A new message id; ids sort by time. */
  readonly newMessageId: () => MessageId
}

/** How long after its processing started a send may start its call to the platform. One limit for the permit and for storage together. */
export const BEGINS_WITHIN_MS = 20 * SECOND_MS

/**
 * Stores a prepared message and reserves its price, so that it may be dispatched. `Claimed`: its idempotency key guards another message.
 *
 * A message above the limit of its pair, its sender or its portfolio is refused before anything is written. Its slots are not returned if the message is refused later; the customer
 * whom it has counted is given back. A message waits for the slot of its sender once it is stored, so that no transaction waits.
 *
 * A storage that keeps both does it in one step. If they are kept separately, the idempotency key is claimed first, so that a repeated
 * request never touches the wallet. Without a key no other request can know of the message, so both writes run in parallel. Either write
 * alone is harmless, and is undone here. A refused message releases its free message. If these are separate steps and the process crashes
 * before the message is opened, the free message stays taken.
 *
 * A message that was reserved too late, after `sentBefore`, is refused too. Reconciliation refuses a message of age `unconfirmedAfterMs`
 * without a hold, so every message that is sent was held long before that age. The other half is left for differences between clocks.
 */
export const accept = async (
  deps: AcceptDeps, command: AcceptCommand, prepared: Prepared,
): Promise<E.Either<ReserveError | PlatformUnreachable, AcceptedMessage | Claimed>> => {
  const draft = draftOf(deps, command, prepared)
  const sentBefore = command.begunAt + BEGINS_WITHIN_MS
  if (draft.at >= sentBefore) return E.left({ _tag: 'PlatformUnreachable', cause: 'the send could not begin in time' })
  const terms = {
    prepared, sentBefore, spending: command.spending, free: freeOffer(deps, prepared, draft.at), pair: pairTaking(deps, draft, prepared),
    slot: await slotTaking(deps, draft, prepared), portfolio: portfolioTaking(deps, draft, prepared),
  }
  const { reserving } = deps
  const accepted = await inSpan(deps.tracer, HOLD_SPAN, () =>
    (reserving === undefined ? reserveInSteps(deps, draft, terms) : reserveAtOnce(deps, reserving, draft, terms)))
  const { workspace } = command
  const sender = prepared.sender.phoneNumberId
  if (E.isLeft(accepted) && isLimitReached(accepted.left)) {
    deps.onLimit?.({ workspace, sender, event: 'refused', limit: accepted.left._tag })
  }
  if (E.isRight(accepted) && accepted.right._tag === 'Accepted' && accepted.right.slot !== undefined) {
    deps.onLimit?.({ workspace, sender, event: 'slot_taken' })
    const waitMs = waitFor(accepted.right.slot)
    if (waitMs > 0) await deps.senderLimit?.wait(waitMs)
    if (waitMs > 0 && !isInTime(deps, accepted.right.draft, sentBefore)) {
      return refuseAsTooSlow(deps, { ...accepted.right.draft, isCounted: terms.portfolio !== undefined })
    }
  }
  return accepted
}

/** Whether a message may still be sent: reconciliation refuses it later, and its slot may be in the future. */
const isInTime = ({ windowClock, unconfirmedAfterMs }: AcceptDeps, { at }: Pick<Draft, 'at'>, sentBefore: Instant, waitMs = 0): boolean =>
  windowClock.now() + waitMs < Math.min(sentBefore, at + unconfirmedAfterMs / 2)

const refuseAsTooSlow = async (deps: AcceptDeps, draft: Draft & SettledMessage): Promise<E.Either<PortFailure, never>> => {
  await refuse(deps, draft, TOO_SLOW)
  return E.left(portFailure('Wallet')(TOO_SLOW))
}

const HOLD_SPAN = { name: 'hold', kind: 'internal' } as const

const draftOf = (
  { newMessageId, tracer, windowClock }: AcceptDeps, { workspace, message, claim, keyId, confirmWithinMs }: AcceptCommand,
  { price, sender }: RateOfSender,
): Draft => {
  const [{ micros, currency, category, cost, market }, trace] = [price, contextToKeep(tracer)]
  const at = windowClock.now()
  return {
    id: newMessageId(), workspace, sender: sender.phoneNumberId, message, price: { micros, currency, category }, at,
    ...(cost !== undefined && { cost }), ...(market !== undefined && { market }),
    ...(claim && { claim }), ...(trace && { trace }), ...(keyId !== undefined && { keyId }),
    ...(confirmWithinMs !== undefined && { confirmBy: at + confirmWithinMs }),
  }
}

/** How a message is reserved: before which time, from which free messages it may take one, and which slots it has to take. */
type ReserveTerms = Pick<AcceptCommand, 'spending'> & Pick<AcceptedMessage, 'prepared'> & {
  readonly sentBefore: Instant
  readonly free: FreeOffer | undefined
  readonly pair: PairTaking | undefined
  readonly slot: SlotTaking | undefined
  readonly portfolio: PortfolioTaking | undefined
}

/** The slot that a message has to take; `undefined` if pairs have no limit. */
export const pairTaking = (
  { pairLimits, pairLimit: limit }: AcceptDeps, { workspace, at }: Pick<Draft, 'workspace' | 'at'>,
  { sender, to: customer }: Pick<Prepared, 'sender' | 'to'>,
): PairTaking | undefined =>
  pairLimits === undefined || limit === undefined ? undefined : { workspace, inbox: inboxOf(workspace, sender), customer, at, limit }

/** The customer whom a message has to count; `undefined` if it counts none. */
export const portfolioTaking = (
  { portfolioBudget }: AcceptDeps, { workspace, id: message, at, queue }: Pick<Draft, 'workspace' | 'id' | 'at' | 'queue'>,
  { portfolio, to: customer }: Pick<Prepared, 'portfolio' | 'to'>,
): PortfolioTaking | undefined =>
  (portfolioBudget === undefined || portfolio === undefined
    ? undefined
    : { ...portfolio, workspace, message, customer, at, ...(queue?.batch !== undefined && { batch: queue.batch }) })

/** The slot that a message has taken of its sender. */
type Taken = { readonly taken?: SenderSlot | undefined }

/** The slot of its sender that a message has to take; `undefined` if senders have no limit. */
export const slotTaking = async (
  { senderBudget, senderLimit, senderRates }: AcceptDeps, { workspace }: Pick<Draft, 'workspace'>,
  { sender: { phoneNumberId: sender } }: Pick<Prepared, 'sender'>,
): Promise<SlotTaking | undefined> => {
  if (senderBudget === undefined || senderLimit === undefined) return undefined
  const perSecond = await senderRates?.({ workspace, sender }) ?? senderLimit.perSecond
  return { workspace, sender, perSecond, maxWaitMs: senderLimit.maxWaitMs }
}

const reserveAtOnce = async (
  deps: AcceptDeps, reserving: Reserving, draft: Draft, terms: ReserveTerms,
): Promise<E.Either<ReserveError, AcceptedMessage | Claimed>> => {
  const reserved = await reserving(draft, terms.spending, entriesOfAlert(deps), terms.free, limitsOf(terms))
  if (E.isRight(reserved)) {
    if (reserved.right._tag === 'Claimed') return E.right(reserved.right)
    const { isFree, slot } = reserved.right
    return outcome(deps, isFree === true ? freeDraft(draft) : draft, { ...terms, taken: slot }, OPENED, HELD)
  }
  const { left } = reserved
  if (isLimitReached(left)) return E.left(left)
  // It may have taken a free message, and then releases it.
  const refused = terms.free === undefined ? draft : freeDraft(draft)
  const isFailure = left._tag === 'PortFailure'
  return outcome(deps, refused, terms, isFailure ? E.left(left) : OPENED, isFailure ? HELD : E.left(left))
}

/** Whether a message was not opened because a limit is reached. */
export const isLimitReached = (failure: { readonly _tag: string }): failure is LimitReached =>
  failure._tag === 'PairLimitReached' || failure._tag === 'SenderLimitReached' || failure._tag === 'PortfolioLimitReached'

const limitsOf = ({ pair, slot, portfolio }: ReserveTerms): SendLimits | undefined =>
  (pair === undefined && slot === undefined && portfolio === undefined
    ? undefined
    : { ...(pair && { pair }), ...(slot && { slot }), ...(portfolio && { portfolio }) })

const OPENED = E.right({ _tag: 'Opened' } as const)
const HELD = E.right(undefined)

const reserveInSteps = async (
  deps: AcceptDeps, priced: Draft, terms: ReserveTerms,
): Promise<E.Either<ReserveError, AcceptedMessage | Claimed>> => {
  const paired = terms.pair && await deps.pairLimits?.take(terms.pair)
  if (paired !== undefined && E.isLeft(paired)) return paired
  const slotted = terms.slot && await deps.senderBudget?.take(terms.slot)
  if (slotted !== undefined && E.isLeft(slotted)) return slotted
  const counted = terms.portfolio && await deps.portfolioBudget?.take(terms.portfolio)
  if (counted === undefined || E.isRight(counted)) return reserveWithSlots(deps, priced, { ...terms, taken: slotted?.right })
  // It may have been counted although the answer was lost.
  if (counted.left._tag === 'PortFailure') void giveBackCounted(deps, priced)
  return counted
}

const reserveWithSlots = async (
  deps: AcceptDeps, priced: Draft, terms: ReserveTerms & Taken,
): Promise<E.Either<ReserveError, AcceptedMessage | Claimed>> => {
  const charged = await takeFree(deps, priced, terms.free)
  if (E.isLeft(charged)) return charged
  const draft = charged.right
  const open = () => deps.messageLog.open(draft)
  const hold = () => deps.wallet.hold(holdOfDraft(draft, terms.spending), entriesOfAlert(deps))
  if (draft.claim === undefined) return outcome(deps, draft, terms, ...(await Promise.all([open(), hold()])))
  const opening = await open()
  const isOpened = E.isRight(opening) && opening.right._tag === 'Opened'
  const reserved = await outcome(deps, draft, terms, opening, isOpened ? await hold() : HELD)
  if (E.isRight(reserved) && reserved.right._tag === 'Claimed') {
    await giveBackUnsent(deps, draft)
    if (terms.portfolio !== undefined) await giveBackCounted(deps, draft)
  }
  return reserved
}

const outcome = async (
  deps: AcceptDeps, opened: Draft, { prepared, sentBefore, taken, portfolio }: ReserveTerms & Taken,
  opening: E.Either<PortFailure, Opening>, holding: E.Either<InsufficientBalance | SpendingLimitReached | PortFailure, void>,
): Promise<E.Either<ReserveError, AcceptedMessage | Claimed>> => {
  const draft = { ...opened, isCounted: portfolio !== undefined }
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
  return isInTime(deps, draft, sentBefore, taken === undefined ? 0 : waitFor(taken))
    ? E.right({ _tag: 'Accepted', draft: opened, prepared, ...(taken && { slot: taken }) })
    : refuseAsTooSlow(deps, draft)
}

export const WHY_NOT_PAID = {
  InsufficientBalance: 'The wallet could not cover the price', SpendingLimitReached: 'The API key has reached its spending limit',
} as const satisfies Readonly<Record<string, OwnErrorSentence>>

const TOO_SLOW = 'It took too long to set its price aside'

const refuse = (deps: AcceptDeps, draft: Draft & SettledMessage, why: OwnErrorSentence): Promise<void> =>
  settle(deps)(draft, { state: 'refused', at: draft.at, error: ownError(why) })

/** A message that was queued, at the price of its draft. */
export type EnqueuedMessage = { readonly _tag: 'Queued'; readonly draft: Draft }

/** How queuing a message can fail; only a message whose price is held can be refused for its money. */
export type EnqueueError = WithMessageId<InsufficientBalance | SpendingLimitReached> | PortFailure

/**
 * Stores a prepared message with a place in the queue. Its price is reserved when it is due. `Claimed`: its idempotency key guards another message.
 *
 * If the storage fails, the message may be stored although its caller gets an error, so it is refused then, unless it has left the queue.
 */
export const enqueue = async (
  deps: AcceptDeps, command: AcceptCommand, prepared: RateOfSender, place: QueuePlace,
): Promise<E.Either<PortFailure, EnqueuedMessage | Claimed>> => {
  const priced = queuedDraft(deps, command, prepared, place)
  const charged = await takeFree(deps, priced, freeOffer(deps, prepared, priced.at))
  if (E.isLeft(charged)) return charged
  const draft = charged.right
  const opening = await deps.messageLog.open(draft)
  if (E.isLeft(opening)) {
    unqueueLater(deps, draft, 'Its record could not be written')
    return opening
  }
  if (opening.right._tag === 'Opened') return E.right({ _tag: 'Queued', draft })
  await giveBackUnsent(deps, draft)
  return E.right(opening.right)
}

/**
 * Does the same, and reserves the price now. A storage that keeps both does it in one step. The hold belongs to the message, so a pass that holds it again changes
 * nothing, and the state of the message moves it once.
 *
 * A message that cannot be paid is refused only as long as it is queued: after a top-up, a pass may have paid and sent it in the meantime.
 */
export const enqueueHeld = async (
  deps: AcceptDeps, command: AcceptCommand, prepared: RateOfSender, queuePlace: QueuePlace,
): Promise<E.Either<EnqueueError, EnqueuedMessage | Claimed>> => {
  const { reserving, wallet } = deps
  const place = { ...queuePlace, isHeld: true }
  if (reserving === undefined) {
    const queued = await enqueue(deps, command, prepared, place)
    if (E.isLeft(queued) || queued.right._tag === 'Claimed') return queued
    const held = await wallet.hold(holdOfDraft(queued.right.draft, command.spending), entriesOfAlert(deps))
    return E.isRight(held) ? queued : unqueueUnpaid(deps, queued.right.draft, held.left)
  }
  const draft = queuedDraft(deps, command, prepared, place)
  const reserved = await reserving(draft, command.spending, entriesOfAlert(deps), freeOffer(deps, prepared, draft.at))
  if (E.isRight(reserved)) {
    if (reserved.right._tag === 'Claimed') return E.right(reserved.right)
    return E.right({ _tag: 'Queued', draft: reserved.right.isFree === true ? freeDraft(draft) : draft })
  }
  // No slots are taken, so no limit refuses it.
  return unqueueUnpaid(deps, draft, reserved.left as Exclude<typeof reserved.left, LimitReached>)
}

const queuedDraft = (deps: AcceptDeps, command: AcceptCommand, prepared: RateOfSender, place: QueuePlace): Draft => {
  const { spending, confirmWithinMs } = command
  return {
    ...draftOf(deps, command, prepared), queue: { ...place, ...(spending && { spending }) },
    ...(confirmWithinMs !== undefined && { confirmBy: place.dueAt + confirmWithinMs }),
  }
}

const unqueueUnpaid = async (
  deps: AcceptDeps, draft: Draft, why: InsufficientBalance | SpendingLimitReached | PortFailure,
): Promise<E.Either<EnqueueError, EnqueuedMessage>> => {
  if (why._tag === 'PortFailure') {
    unqueueLater(deps, draft, 'The price could not be set aside')
    return E.left(why)
  }
  const refused = await unqueue(deps, draft, WHY_NOT_PAID[why._tag])
  if (E.isLeft(refused)) {
    unqueueLater(deps, draft, WHY_NOT_PAID[why._tag])
    return refused
  }
  return O.isSome(refused.right) && refused.right.value.state !== 'refused'
    ? E.right({ _tag: 'Queued', draft })
    : E.left({ ...why, messageId: draft.id, replayed: false })
}

/** Refuses a message if it is still queued. If it was never stored, the free message that it took is released. */
const unqueue = async (deps: AcceptDeps, { workspace, id }: Draft, why: OwnErrorSentence): ReturnType<ReturnType<typeof recordChange>> => {
  const refused = await recordChange(deps, deps.windowClock.now)(workspace, id, {
    state: 'refused', at: deps.windowClock.now(), error: ownError(why), onlyFrom: 'queued',
  })
  if (E.isLeft(refused) || O.isSome(refused.right)) return refused
  const givenBack = await giveBackTaken(deps, { workspace, message: id })
  return E.isLeft(givenBack) ? givenBack : refused
}

/** Does it without delay for the caller, because storage has just failed; if it fails, it is retried. */
const unqueueLater = (deps: AcceptDeps, draft: Draft, why: OwnErrorSentence): void => {
  const work = () => unqueue(deps, draft, why)
  void work().then((done) => { if (E.isLeft(done)) deps.retryLater(work) })
}

/** The rate of a message, and the sender through which it goes. */
export type RateOfSender = { readonly sender: Pick<Sender, 'phoneNumberId'>; readonly price: Rate }

/** The free messages from which a message may take one; `undefined` if it costs nothing anyway, or if none are counted. */
const freeOffer = ({ freeMessages }: AcceptDeps, { sender, price }: RateOfSender, at: Instant): FreeOffer | undefined => {
  const limit = freeLimitOf(price)
  return freeMessages === undefined || limit === undefined ? undefined : { phoneNumberId: sender.phoneNumberId, month: monthOf(at), limit }
}

/** The draft at the price that is charged: zero if a free message was left, which the draft has then taken. */
const takeFree = async (
  { freeMessages, retryLater }: AcceptDeps, draft: Draft, offer: FreeOffer | undefined,
): Promise<E.Either<PortFailure, Draft>> => {
  if (freeMessages === undefined || offer === undefined) return E.right(draft)
  const { workspace, id: message } = draft
  const taken = await freeMessages.take({ workspace, message, ...offer })
  if (E.isRight(taken)) return E.right(taken.right ? freeDraft(draft) : draft)
  // It may have been taken although the answer was lost.
  retryLater(() => freeMessages.giveBack({ workspace, message }))
  return taken
}

/** Releases the free message of a draft whose key guards another message. If that cannot be written now, it is retried later. */
const giveBackUnsent = async ({ freeMessages, retryLater }: AcceptDeps, { workspace, id: message, price }: Draft): Promise<void> => {
  if (freeMessages === undefined || price.micros > 0n) return
  const giveBack = () => freeMessages.giveBack({ workspace, message })
  if (E.isLeft(await giveBack())) retryLater(giveBack)
}

/** Gives back the customer whom a message has counted that is not sent. If that cannot be written now, it is retried later. */
const giveBackCounted = async ({ portfolioBudget, retryLater }: AcceptDeps, { workspace, id: message }: Draft): Promise<void> => {
  if (portfolioBudget === undefined) return
  const giveBack = () => portfolioBudget.giveBack({ workspace, message })
  if (E.isLeft(await giveBack())) retryLater(giveBack)
}

/** The rate that a message would be charged at a given time: zero, if its sender has a free message left. It takes none. */
export const quotedRate = async (
  freeMessages: Pick<FreeMessages, 'taken'> | undefined, { sender, price }: RateOfSender, at: Instant,
): Promise<E.Either<PortFailure, Rate>> => {
  const limit = freeLimitOf(price)
  return freeMessages === undefined || limit === undefined
    ? E.right(price)
    : freeMessages.taken(sender.phoneNumberId, monthOf(at)).then(
        E.map((taken: number) => (taken < limit ? { ...price, micros: 0n } : price)),
      )
}

/** The number of free messages per month; `undefined` if the message costs nothing anyway. */
const freeLimitOf = ({ micros, freeEachMonth }: Rate): number | undefined => (micros > 0n ? freeEachMonth : undefined)
