import * as E from 'fp-ts/lib/Either.js'
import * as O from 'fp-ts/lib/Option.js'
import { refusalsByConsent } from '../consent/asking.js'
import { isUserId } from '../customers/customer.js'
import { type PortFailure, portFailure } from '../kernel/failure.js'
import type { WorkspaceId } from '../kernel/ids.js'
import { type Instant, SECOND_MS } from '../kernel/time.js'
import type { Workspace } from '../kernel/workspace.js'
import type { Draft } from '../messages/message-log.js'
import type { Message, MessageRecord, QueuePlace } from '../messages/message.js'
import { ownError, type OwnErrorSentence, STOOD_STILL } from '../messages/own-errors.js'
import type { QueueHold } from '../messages/queue-holds.js'
import type { DueSender, MessageQueue, QueuedMessage, QueuedSender } from '../messages/queue.js'
import { holdOfDraft } from '../money/ledger.js'
import { entriesOfAlert } from '../money/wallet.js'
import type { PortfolioLimitReached, PortfolioTaking } from '../messages/portfolio-budget.js'
import { type SenderLimitReached, type SlotTaking, waitFor } from '../senders/sender-budget.js'
import { inboxOf, senderIdOf } from '../senders/sender.js'
import { BEGINS_WITHIN_MS, pairTaking, portfolioTaking, slotTaking, WHY_NOT_PAID } from './accept.js'
import { dispatch, moveMoney, recordChange, withPermit } from './dispatch.js'
import { type HoldDeps, makeHoldGate } from './holds.js'
import { blockOf, isLateForSlot, makePace, type Pace } from './pace.js'
import { prepare, type Prepared } from './prepare.js'
import type { QueueDeps } from './queue.js'
import { beginOf } from './timing.js'
import { type Drained, type DrainSender, makeDrainSender, type Step, type Turn } from './turns.js'

/** One pass over all messages that are due. Right: what was done. Left: what is due could not be read. */
export type DrainQueue = (hasEnded?: () => boolean) => Promise<E.Either<PortFailure, Drained>>

/** The senders whose messages are due, and the turn of one of them. */
export type Draining = {
  /**
   * The senders with messages that are due and not held, at most `limit`; first the one whose messages have been due for the longest time. It checks the holds, which then
   * also end the turns in progress, so it must be called every few seconds.
   */
  readonly sendersDue: (limit: number) => Promise<E.Either<PortFailure, ReadonlyArray<DueSender>>>
  /** Only one turn of a sender should run at the same time, in all gateways: that saves work and keeps the order. Simultaneous turns send no message twice. */
  readonly drainSender: DrainSender
  /** The hold of the queue of every workspace that the last check has found. */
  readonly heldBy?: () => QueueHold | undefined
}

type DrainDeps = QueueDeps & HoldDeps & { readonly messageQueue: MessageQueue }

/** How many messages of a sender without a limit are under way at the same time, and the bounds for senders with one. */
const WIDTH = 100
const MIN_WIDTH = 8
const MAX_WIDTH = 256

/**
 * Makes the turns of the senders.
 *
 * A turn checks each message again, reserves its price, claims it, and sends it only after the claim has committed. So a crash after the claim leaves a message of unknown
 * outcome, as the crash of a send does, and never a second send. Simultaneous turns of several gateways are safe, because one claim succeeds.
 */
export const makeDraining = (deps: DrainDeps): Draining => {
  const { messageQueue, senderBudget, senderLimit, senderRates } = deps
  const [now, shared, holds] = [deps.windowClock.now, { pace: makePace(), line: makeLine() }, makeHoldGate(deps)]
  const rateOf = async (of: QueuedSender): Promise<number | undefined> =>
    (senderBudget === undefined || senderLimit === undefined
      ? undefined
      : await senderRates?.({ ...of, sender: senderIdOf(of.sender) }) ?? senderLimit.perSecond)
  const widthOf = async (of: QueuedSender): Promise<number> => {
    const rate = await rateOf(of)
    return rate === undefined ? WIDTH : Math.min(MAX_WIDTH, Math.max(MIN_WIDTH, Math.floor(rate)))
  }
  const drainSender = makeDrainSender({ messageQueue, now, widthOf, send: (queued, turn) => sendDue(deps, queued, turn, shared) })
  return {
    sendersDue: async (limit) => {
      const held = await holds.check()
      if (E.isLeft(held)) return held
      return held.right.all !== undefined ? E.right([]) : messageQueue.sendersDue({ at: now(), limit, except: held.right.workspaces })
    },
    drainSender: (of, turn) => drainSender(of, { ...turn, hasEnded: () => holds.isClosed(of.workspace) || turn.hasEnded() }),
    heldBy: holds.heldBy,
  }
}

/** What the turns of all senders share. */
type Shared = { readonly pace: Pace; readonly line: Line }

/**
 * The messages that wait for a place in a portfolio. Each waits for another place, so that not all of them are tried again whenever one is free. A gateway that takes a sender
 * over begins without it, so some of its messages then wait for the same place.
 */
type Line = (of: PortfolioTaking, until: Instant) => { readonly behind: number; readonly waiting: Waiting }

/** A message that waits, and until when. */
type Waiting = { until: Instant }

const makeLine = (): Line => {
  const lines = new Map<string, Array<Waiting>>()
  return ({ portfolio, at }, until) => {
    const line = lines.get(portfolio) ?? []
    while (line[0] !== undefined && line[0].until <= at) line.shift()
    const [behind, waiting] = [line.length, { until }]
    line.push(waiting)
    lines.set(portfolio, line)
    return { behind, waiting }
  }
}

/** Counts the customer of a message. If the limit is reached, it waits in the line, and asks again when the place is free that is then its own. */
const countOrWait = async (
  { portfolioBudget }: DrainDeps, counting: PortfolioTaking, line: Line,
): Promise<E.Either<PortfolioLimitReached | PortFailure, void> | undefined> => {
  const counted = await portfolioBudget?.take(counting)
  if (counted === undefined || E.isRight(counted) || counted.left._tag === 'PortFailure') return counted
  const { behind, waiting } = line(counting, counted.left.retryAt)
  const asked = behind === 0 ? counted : await portfolioBudget?.take({ ...counting, behind })
  waiting.until = asked !== undefined && E.isLeft(asked) && asked.left._tag === 'PortfolioLimitReached' ? asked.left.retryAt : counting.at
  return asked
}

/** How many senders a pass over all of them reads, and how many have their turns at the same time. */
const SENDERS = 1_000
const TURNS = 16

/** Makes a pass over all senders, for an app that runs without leases. */
export const makeDrainQueue = ({ sendersDue, drainSender }: Draining): DrainQueue => async (hasEnded = () => false) => {
  const due = await sendersDue(SENDERS)
  if (E.isLeft(due)) return due
  const waiting = [...due.right]
  const total = { sent: 0, refused: 0, postponed: 0, left: 0, isMoreDue: waiting.length === SENDERS }
  let failure: E.Either<PortFailure, never> | undefined
  const takeTurns = async (): Promise<void> => {
    for (let next = waiting.shift(); next !== undefined && !hasEnded(); next = waiting.shift()) {
      const drained = await drainSender({ workspace: next.workspace, sender: next.sender }, { hasEnded, isHeld: () => true })
      if (E.isLeft(drained)) {
        failure = drained
        continue
      }
      const { sent, refused, postponed, left, isMoreDue } = drained.right
      total.sent += sent
      total.refused += refused
      total.postponed += postponed
      total.left += left
      total.isMoreDue ||= isMoreDue
    }
  }
  await Promise.all(Array.from({ length: TURNS }, takeTurns))
  return failure ?? E.right(total)
}

/** How long a message of a paused batch waits until it is looked at again, in milliseconds. */
const BATCH_CLOSED_MS = 5 * SECOND_MS

const TOO_LATE = 'Its time to be sent had passed'

const NOT_SENDABLE = 'It could not be sent when it was due'
const CONSENT_UNKNOWN = 'What its customer allows could not be read when it was due'
const MOVED = 'Its sender was replaced, and the user id of its customer belongs to the previous business account'

const sendDue = async (deps: DrainDeps, queued: QueuedMessage, turn: Turn, shared: Shared): Promise<Step> => {
  const { record, message, place } = queued
  const { workspace, sender } = record
  if (deps.windowClock.now() >= place.endsAt) return refuse(deps, record, TOO_LATE)
  if (place.batch !== undefined && await deps.isBatchClosed?.({ workspace, batch: place.batch }) === true) {
    return { opensAt: deps.windowClock.now() + BATCH_CLOSED_MS }
  }
  const archived = await isArchived(deps, workspace)
  if (E.isLeft(archived)) return 'left'
  if (archived.right) return refuse(deps, record, NOT_SENDABLE)
  const prepared = await prepare(deps, { workspace, sender, message })
  if (E.isLeft(prepared)) {
    if (prepared.left._tag === 'PortFailure') return 'left'
    const moved = prepared.left._tag === 'UnknownSender' && !isUserId(message.to) ? await moveLate(deps, record) : E.right(false)
    if (E.isLeft(moved)) return 'left'
    if (moved.right) return 'gone'
    return refuse(deps, record, whyNotSendable(prepared.left, message))
  }
  const closed = closedUntil(place, prepared.right, deps.windowClock.now())
  if (closed !== undefined) return closed
  const taking = await slotTaking(deps, { workspace }, prepared.right)
  return waitForSlot(deps, { queued, prepared: prepared.right, turn, slot: taking }, shared)
}

/** Whoever queued this message had read its sender before its number moved, for example a pass over a batch. */
const moveLate = async (
  { senders, windowClock }: DrainDeps, { workspace, sender }: MessageRecord,
): Promise<E.Either<PortFailure, boolean>> =>
  (sender === undefined ? undefined : await senders.moveLate?.({ workspace, sender }, windowClock.now())) ?? E.right(false)

/** A sender with queued messages is not removed, so one that is unknown was replaced. Its queued messages have moved to the new one, except those to user ids. */
const whyNotSendable = ({ _tag }: { readonly _tag: string }, { to }: Message): OwnErrorSentence => {
  if (_tag === 'WindowClosed') return 'The customer service window was closed when it was due'
  if (_tag === 'CustomerOptedOut') return 'The customer had stopped such messages when it was due'
  if (_tag === 'ConsentRequired') return 'The customer had not consented to marketing messages when it was due'
  return _tag === 'UnknownSender' && isUserId(to) ? MOVED : NOT_SENDABLE
}

/** When the hours of a message begin; `undefined` if it has none, or is inside them. A limit or a hold may have kept it waiting until they were over. */
const closedUntil = (
  { hours, endsAt }: Pick<QueuePlace, 'hours' | 'endsAt'>, { to }: Pick<Prepared, 'to'>, now: Instant,
): { readonly opensAt: Instant } | undefined => {
  if (hours === undefined) return undefined
  const begin = beginOf({ deliverBetween: hours }, to, now)
  // Hours that cannot be computed any more never begin.
  const opensAt = E.isLeft(begin) ? endsAt : begin.right
  return opensAt > now ? { opensAt } : undefined
}

/** A message that may be sent: its slot is what it has to take of its sender, if senders have a limit. */
type Ready = {
  readonly queued: QueuedMessage; readonly prepared: Prepared; readonly turn: Turn
  readonly slot: SlotTaking | undefined
  /** Whether it has taken the slot of its pair. */
  readonly isPaired?: boolean
  /** Whether it was too late for a slot. It takes only one more. */
  readonly hasLostSlot?: boolean
  /** How much later than planned it asks for a slot. */
  readonly lateMs?: number
}

/**
 * Sends a message once its sender has a slot. It takes a slot only shortly before, and until then has no permit, so that neither a request of the sender nor another sender waits
 * for it. The messages of a sender ask for slots one after the other, in blocks that grow with its rate.
 */
const waitForSlot = async (deps: DrainDeps, ready: Ready, shared: Shared): Promise<Step> => {
  const { slot, turn } = ready
  const { pace } = shared
  const { now } = deps.windowClock
  const open = slot === undefined
    ? () => undefined
    : await pace.gates(`${slot.workspace} ${slot.sender}`, blockOf(slot.perSecond, pace.aheadMs()))
  let [isPaired, hasLostSlot, lateMs] = [false, false, 0]
  try {
    for (;;) {
      if (turn.hasEnded() || !turn.isHeld()) return 'waits'
      const step = await sendReady(deps, { ...ready, isPaired, hasLostSlot, lateMs }, shared, open)
      if (typeof step !== 'object' || !('retryAfterMs' in step)) return step
      isPaired = true
      hasLostSlot ||= step === SLOT_LOST
      const askAt = now() + Math.min(step.retryAfterMs, SECOND_MS)
      await deps.senderLimit?.wait(askAt - now())
      lateMs = now() - askAt
    }
  } finally {
    open()
  }
}

/** The slot of a message has passed, so it takes another one. */
const SLOT_LOST: SenderLimitReached = { _tag: 'SenderLimitReached', retryAfterMs: 0 }

/** Takes the slots of a message, reserves its price, claims it and sends it. `hasSlot` is called once it has its slots. */
const sendReady = async (
  deps: DrainDeps, { queued, prepared, turn, slot: taking, isPaired = false, hasLostSlot = false, lateMs = 0 }: Ready,
  { line, pace }: Shared, hasSlot: () => void,
): Promise<Step | SenderLimitReached> => {
  const { record, place } = queued
  const { workspace } = record
  type Sent = E.Either<PortFailure, Step | SenderLimitReached>
  const sent = await withPermit(deps, { workspace, claim: undefined })(async (): Promise<Sent> => {
    const at = deps.windowClock.now()
    const draft = draftOf(queued, at)
    const pair = isPaired ? undefined : pairTaking(deps, draft, prepared)
    const paired = pair && await deps.pairLimits?.take(pair)
    if (pair !== undefined && paired !== undefined && E.isLeft(paired)) {
      const { left } = paired
      return left._tag === 'PortFailure' ? E.left(left) : E.right({ retryAt: left.retryAt, intervalMs: pair.limit.intervalMs })
    }
    const askedAt = deps.windowClock.now()
    const slot = taking && await deps.senderBudget?.take({ ...taking, maxWaitMs: pace.aheadMs() })
    if (taking !== undefined) pace.note(deps.windowClock.now() - askedAt + lateMs)
    if (slot !== undefined && E.isLeft(slot)) return slot.left._tag === 'PortFailure' ? E.left(slot.left) : E.right(slot.left)
    hasSlot()
    if (taking !== undefined) deps.onLimit?.({ workspace, sender: taking.sender, event: 'slot_taken' })
    const [waitMs, answeredAt] = [slot === undefined ? 0 : waitFor(slot.right), deps.windowClock.now()]
    if (waitMs > 0) await deps.senderLimit?.wait(waitMs)
    // The process stood still, so the slot has passed. It takes another one.
    if (taking !== undefined && !hasLostSlot && isLateForSlot(deps.windowClock.now(), { askedAt, answeredAt, waitMs })) {
      deps.onLimit?.({ workspace, sender: taking.sender, event: 'slot_lost' })
      return E.right(SLOT_LOST)
    }
    const counting = portfolioTaking(deps, { ...draft, queue: place }, prepared)
    const counted = counting && await countOrWait(deps, counting, line)
    if (counted !== undefined && E.isLeft(counted)) {
      return counted.left._tag === 'PortFailure' ? E.left(counted.left) : E.right({ retryAt: counted.left.retryAt, intervalMs: 0 })
    }
    const held = isSurelyHeld(deps, place) ? HELD : await deps.wallet.hold(holdOfDraft(draft, place.spending), entriesOfAlert(deps))
    if (E.isLeft(held)) {
      return held.left._tag === 'PortFailure' ? E.left(held.left) : E.right(await refuse(deps, record, WHY_NOT_PAID[held.left._tag]))
    }
    const claimed = await deps.messageQueue.claim({ workspace, message: record.id, sender: record.sender ?? '' }, at)
    if (E.isLeft(claimed)) return claimed
    if (!claimed.right) return releaseUnclaimed(deps, record)
    const forbidden = await forbiddenNow(deps, queued, prepared)
    if (forbidden !== undefined) return E.right(await refuse(deps, record, forbidden, 'claimed'))
    // This process may have slept since. Then another one may have decided that the outcome is unknown, or has the turn of the sender. Nothing is sent so late.
    const hasTime = (): boolean => deps.windowClock.now() < place.endsAt
    const mayBegin = (): boolean => hasTime() && deps.windowClock.now() < at + BEGINS_WITHIN_MS && turn.isHeld()
    if (!mayBegin()) return E.right(await refuse(deps, record, hasTime() ? STOOD_STILL : TOO_LATE, 'claimed'))
    await dispatch(deps, { _tag: 'Accepted', draft, prepared, mayBegin, whyNotBegun: STOOD_STILL }, undefined)
    return E.right('sent')
  })
  // A message of the queue claims no key, so it is not `Claimed`.
  return E.isLeft(sent) || (typeof sent.right === 'object' && '_tag' in sent.right && sent.right._tag === 'Claimed') ? 'left' : sent.right
}

/**
 * Why a claimed message must not be sent, according to the consent of its customer; `undefined` if nothing forbids it. The message was checked before it waited for its slot, and
 * this asks again, so that a stop that was recorded before the claim always counts.
 */
const forbiddenNow = async (
  deps: DrainDeps, { record: { workspace }, message }: QueuedMessage, { sender, price }: Prepared,
): Promise<OwnErrorSentence | undefined> => {
  const asked = await refusalsByConsent(deps, { workspace, inbox: inboxOf(workspace, sender) }, price.category, [message.to])
  if (E.isLeft(asked)) return CONSENT_UNKNOWN
  const refusal = asked.right[0]
  return refusal && whyNotSendable(refusal, message)
}

const HELD = E.right('held')

/**
 * Whether the price was reserved before the message was queued, or in one step with it. The hold stays as long as the message is queued, and the claim succeeds only then. To reserve
 * it again would change nothing, but a storage expects no hold of a message that is about to leave, and writes everything twice if there is one.
 */
const isSurelyHeld = ({ reserving }: DrainDeps, { isHeld = false, batch }: QueuePlace): boolean =>
  isHeld && (batch !== undefined || reserving !== undefined)

/** An archived workspace sends nothing, so what it had queued is not sent either. */
const isArchived = async ({ workspaces }: QueueDeps, id: WorkspaceId): Promise<E.Either<PortFailure, boolean>> =>
  workspaces === undefined
    ? E.right(false)
    : E.map(O.exists(({ archivedAt }: Workspace) => archivedAt !== undefined))(await workspaces.find(id))

/** The draft of a queued message, whose price was fixed when it was queued. Its hold counts from now. */
const draftOf = ({ record, message }: QueuedMessage, at: Instant): Draft => {
  const { id, workspace, price, sender, cost, market, trace, keyId } = record
  return {
    id, workspace, message, price, at, ...(sender !== undefined && { sender }), ...(cost !== undefined && { cost }),
    ...(market !== undefined && { market }), ...(trace && { trace }), ...(keyId !== undefined && { keyId }),
  }
}

/** Refuses a message that is queued, or that this pass has claimed and not sent. */
const refuse = async (
  deps: QueueDeps, { workspace, id }: MessageRecord, why: OwnErrorSentence, from: 'queued' | 'claimed' = 'queued',
): Promise<'left' | 'refused'> => {
  const { now } = deps.windowClock
  const at = now()
  const work = () => recordChange(deps, now)(workspace, id, {
    state: 'refused', at, error: ownError(why), ...(from === 'queued' && { onlyFrom: from }),
  })
  if (E.isRight(await work())) return 'refused'
  // It may be refused although its money was not released, and no later pass finds it then.
  deps.retryLater(work)
  return 'left'
}

/** A message that could not be claimed was canceled, refused, or claimed by another pass. Its money follows its state, so that none stays reserved for nothing. */
const releaseUnclaimed = async (deps: QueueDeps, { workspace, id }: MessageRecord): Promise<E.Either<PortFailure, 'gone'>> => {
  const found = await deps.messageLog.find(workspace, { id })
  if (E.isLeft(found)) return found
  if (O.isNone(found.right)) return E.left(portFailure('MessageLog')('the message is gone'))
  const moved = await moveMoney(deps, found.right.value.state, { workspace, message: id, at: deps.windowClock.now() })
  return E.isLeft(moved) ? moved : E.right('gone')
}

/** Makes the turns of the senders and a pass over all of them, if the storage has a queue. */
export const drainingOf = (
  { messageQueue, ...deps }: QueueDeps & HoldDeps,
): { readonly drainQueue?: DrainQueue; readonly draining?: Draining } => {
  if (messageQueue === undefined) return {}
  const draining = makeDraining({ ...deps, messageQueue })
  return { draining, drainQueue: makeDrainQueue(draining) }
}
