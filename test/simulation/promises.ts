import * as E from 'fp-ts/lib/Either.js'
import * as O from 'fp-ts/lib/Option.js'
import type { WorkspaceId } from '../../core/kernel/ids.js'
import type { EventPosition, StoredEvent } from '../../core/kernel/outbox.js'
import { DAY_MS, HOUR_MS, type Instant, MINUTE_MS } from '../../core/kernel/time.js'
import type { Draft, Opening } from '../../core/messages/message-log.js'
import type { MessageId, MessageRecord, Sent } from '../../core/messages/message.js'
import { freeDraft, type Reserving, type WalletTotals } from '../../core/money/ledger.js'
import type { HoldPart } from '../../core/money/shared-holds.js'
import type { HoldState } from '../../core/money/wallet.js'
import type { LostSettlement, LostStatus, SettledLost } from '../../core/reports/status.js'
import type { SenderId } from '../../core/senders/sender.js'
import { checkDeliveries, checkTopUps } from './at-the-end.js'
import { refill } from './backup.js'
import { makeBatched } from './batched.js'
import { type StorageCall, touchedBy, type Watch } from './gateway.js'
import { makeLostPromises } from './lost.js'
import { makeDeadlines } from './deadlines.js'
import { makeForeignPromises } from './foreign.js'
import type { PromiseParts, Promises } from './promise-parts.js'
import { makeQueued } from './queued.js'
import { makeRules } from './rules.js'
import { standing } from './senders.js'
import { makeShares } from './shares.js'
import { makeSpentBy } from './spent-by.js'
import { HOLD_OF, HOLD_RANK, type Known, MAY_FOLLOW } from './states.js'

/** The count from which a free message is taken. */
type FreeCount = { readonly phoneNumberId: SenderId; readonly month: string }

type EventFound = Pick<StoredEvent, 'type' | 'subject' | 'workspace' | 'position'>

const isRight = (answer: unknown): answer is E.Right<unknown> =>
  typeof answer === 'object' && answer !== null && '_tag' in answer && answer._tag === 'Right'

/** Whether a call of a storage has failed, so that its answer does not show its effect. */
export const hasFailed = (answer: unknown): boolean =>
  typeof answer === 'object' && answer !== null && '_tag' in answer && answer._tag === 'Left'
  && (answer as E.Left<{ readonly _tag?: string } | undefined>).left?._tag === 'PortFailure'

/** How long the platform may report on a message, minus the difference of clocks. */
const HORIZON_MS = 7 * DAY_MS - MINUTE_MS

/** How long a key guards a message whose outcome is known. */
const KEY_GUARDS_MS = 24 * HOUR_MS

/** Events, other than those of messages, that are stored together with their cause. */
const TOLD: ReadonlyArray<string> = ['wallet.low', 'wallet.exhausted', 'sender.failing', 'sender.recovered']

/** Events of messages that are not stored together with a change of their state, so other rules check them. */
const ELSEWHERE: ReadonlyArray<string> = ['message.received', 'message.overdue', 'message.queued']

/** The expected alerts of a wallet. */
type Alerts = { threshold: bigint | undefined; isLow: boolean; isExhausted: boolean; paidIn: bigint | undefined }

/** Makes the checker of a storage. */
export const makePromises = ({
  world, storage, platform, people, senders, isAtOnce, isJoint, limits, queue, archivedAt, isOver,
}: PromiseParts): Promises => {
  const known = new Map<MessageId, Known>()
  const byKey = new Map<string, MessageId[]>()
  const positions = new Map<WorkspaceId, EventPosition>()
  const alerts = new Map<WorkspaceId, Alerts>()
  const free = new Map<MessageId, { readonly gateway: string; readonly life: number; readonly count: FreeCount }>()
  const lastWriters = new Map<MessageId, { readonly what: string; readonly at: Instant }>()
  const sentAnswers = new Map<MessageId, Sent>()
  const [heldOnce, toldAsNew, takenOnce] = [new Set<string>(), new Set<MessageId>(), new Set<MessageId>()]
  /** Messages whose key was free at some time: they had been refused or given up, and changed later. */
  const freed = new Set<string>()
  /** Messages that a restored backup contained in an earlier state; also those of them that were sent after the backup and that it had not paid for. */
  const [wentBack, goneUnpaid] = [new Set<MessageId>(), new Set<MessageId>()]

  const check = (isKept: boolean, promise: string, seen: () => string): void => {
    if (!isKept) world.violate(promise, seen())
  }
  const lost = makeLostPromises({ world, storage, known, check })
  const { forgotten, settled } = lost
  const rules = makeRules({ world, platform, people, senders, messages: () => known.values(), check })
  const foreign = makeForeignPromises({ world, messages: () => known.values(), check })
  const shares = makeShares({ world, sharedHolds: storage.sharedHolds, check })
  const batched = makeBatched({ world, storage, known, check })
  const queued = makeQueued({
    ...rules, world, batched, queue, known, limits, archivedAt, check, isAtOnce, taken: () => platform().taken,
  })
  const deadlines = makeDeadlines({ world, eventOutbox: storage.eventOutbox, known, check })

  /** Checks the changes of a message by a write; returns the events that must have become durable with it. */
  const checkMessage = (
    call: StorageCall, message: Known, record: MessageRecord | undefined, hold: HoldState | undefined,
  ): ReadonlyArray<string> => {
    const { state: before, hold: heldBefore } = message
    if (hold !== heldBefore) {
      check(heldBefore === undefined || (hold !== undefined && HOLD_RANK[hold] > HOLD_RANK[heldBefore]), 'a hold never goes back',
        () => `${message.id}: ${heldBefore} → ${hold} by ${call.method}`)
      if (heldBefore !== undefined) world.reach(`hold: ${heldBefore} → ${hold}`)
      const isGivenUp = hold === 'released' && takenOnce.has(message.id) && call.method !== 'resolve'
      if (isGivenUp) {
        const since = world.now() - (message.claimedAt ?? message.openedAt)
        check(since > HORIZON_MS, 'nothing is given up while a report may come', () => message.id)
      }
      message.hold = hold
      rules.onHold(message, heldBefore)
      world.note('books', () => `${message.id}: the money is ${hold}`)
    }
    if (record === undefined || record.state === before) return []
    check(MAY_FOLLOW[before].includes(record.state), 'a state never goes back', () => `${message.id}: ${before} → ${record.state} by ${call.method}`)
    check(record.history.filter(({ state }) => state === record.state).length === 1, 'each state is in the history once', () =>
      JSON.stringify(record.history))
    world.reach(`message: ${before} → ${record.state}`)
    world.note('books', () => `${message.id}: ${before} → ${record.state}`)
    message.state = record.state
    if (before === 'queued' && record.state === 'pending') {
      // No event is made, because the application knows that the message is queued.
      message.claimedAt = world.now()
      return []
    }
    if (record.state === 'refused' || record.state === 'released') freed.add(message.id)
    return [`message.${record.state} ${message.id}`]
  }

  const checkRace = ({ port, method, args }: StorageCall, message: Known): void => {
    const what = method === 'apply' ? `apply ${(args[2] as { readonly state: string }).state}` : `${port}.${method}`
    const last = lastWriters.get(message.id)
    if (last !== undefined && world.now() - last.at < 2_000) world.reach(`within two seconds: ${last.what}, ${what}`)
    if (method === 'apply') world.reach(`${(args[2] as { readonly state: string }).state} comes to ${message.state}`)
    lastWriters.set(message.id, { what, at: world.now() })
  }

  const checkBooks = (workspace: WorkspaceId, { available, held, entries, holds }: WalletTotals): void => {
    const paidIn = (entries.top_up ?? 0n) + (entries.adjustment ?? 0n)
    const spent = (entries.capture ?? 0n) - (entries.refund ?? 0n)
    check(available + held + spent === paidIn, 'money is conserved', () => `${workspace}: ${available} + ${held} + ${spent} ≠ ${paidIn}`)
    check(held === (holds.held ?? 0n), 'what is held is the sum of the open holds', () => `${workspace}: ${held} ≠ ${holds.held}`)
    check(spent === (holds.captured ?? 0n), 'what is spent is the sum of the captured holds', () => `${workspace}: ${spent} ≠ ${holds.captured}`)
    check(held >= 0n && spent >= 0n, 'nothing is below zero', () => `${workspace}: held ${held}, spent ${spent}`)
  }

  const alertsOf = (workspace: WorkspaceId): Alerts => {
    const state = alerts.get(workspace) ?? { threshold: undefined, isLow: false, isExhausted: false, paidIn: undefined }
    alerts.set(workspace, state)
    return state
  }

  /** An alert is raised once, by the hold that finds it, and ends only when money is added. */
  const checkAlerts = (
    { port, method, args }: StorageCall, workspace: WorkspaceId, { available, entries }: WalletTotals, answer: unknown,
  ): ReadonlyArray<string> => {
    const state = alertsOf(workspace)
    const paidIn = (entries.top_up ?? 0n) + (entries.adjustment ?? 0n)
    const raised: string[] = []
    if (port === 'walletAlerts' && method === 'setThreshold' && isRight(answer)) {
      state.threshold = args[1] as bigint | undefined
      if (state.threshold === undefined || available >= state.threshold) state.isLow = false
    }
    if (method === 'hold' || method === 'reserve') {
      const refusal = isRight(answer) ? undefined : (answer as E.Left<{ readonly _tag: string }>).left._tag
      const held = method === 'reserve' ? (args[0] as Draft).id : (args[0] as Partial<HoldPart>).hold ?? (args[0] as HoldPart).message
      const isClaimed = isRight(answer) && (answer.right as Opening | undefined)?._tag === 'Claimed'
      const isNew = refusal === undefined && !isClaimed && !heldOnce.has(held)
      if (isNew) heldOnce.add(held)
      if (isNew && state.threshold !== undefined && !state.isLow && available < state.threshold) {
        raised.push('wallet.low')
        state.isLow = true
      }
      if (refusal === 'InsufficientBalance' && !state.isExhausted) {
        raised.push('wallet.exhausted')
        state.isExhausted = true
      }
    }
    // What was paid in before the first call ends no alert that this call has raised.
    if (paidIn > (state.paidIn ?? paidIn)) {
      if (state.threshold === undefined || available >= state.threshold) state.isLow = false
      if (available > 0n) state.isExhausted = false
    }
    state.paidIn = paidIn
    for (const type of raised) world.reach(`alert: ${type}`)
    return raised
  }

  /** Each event belongs to a change of this write, and there is no other event; the order of events stays the same. */
  const checkEvents = (
    call: StorageCall, workspace: WorkspaceId, expected: ReadonlyArray<string>, found: ReadonlyArray<EventFound>,
  ): void => {
    const isTold = (type: string): boolean => (type.startsWith('message.') && !ELSEWHERE.includes(type)) || TOLD.includes(type)
    const events = found.filter(({ type }) => isTold(type)).map(({ type, subject }) =>
      type.startsWith('message.') ? `${type} ${subject}` : type)
    check(events.join() === expected.join(), 'each event is for what became true', () => `${call.port}.${call.method} in ${workspace}: [${events.join(', ')}] instead of [${expected.join(', ')}]`)
    for (const { position, workspace: of } of found) {
      check(of === workspace, 'no workspace sees another’s', () => `an event of ${of} in ${workspace}`)
      check(position > (positions.get(workspace) ?? 0), 'events keep their order', () => `position ${position}`)
      positions.set(workspace, position)
    }
  }

  const learnOf = (draft: Draft): void => {
    const { id, workspace, claim, at, price: { micros } } = draft
    if (known.has(id)) return
    const key = claim && `${workspace} ${claim.key}`
    known.set(id, {
      workspace, id, key, openedAt: at, isFree: micros === 0n && free.has(id), micros,
      state: draft.queue === undefined ? 'pending' : 'queued', hold: undefined, spent: rules.onOpened(draft),
      wasQueued: draft.queue !== undefined,
    })
    foreign.onOpened(workspace)
    deadlines.onOpened(draft)
    queued.onOpened(draft)
    batched.onOpened(draft)
    if (key !== undefined) byKey.set(key, [...(byKey.get(key) ?? []), id])
  }

  const spentBy = makeSpentBy()

  const watch: Watch = async <Answer>(call: StorageCall, run: () => Promise<Answer>): Promise<Answer> => {
    foreign.onCall(call)
    if (call.port === 'personalData') {
      for (const message of [...known.values(), ...forgotten.values()]) {
        if (call.method !== 'erase' || message.workspace === call.args[0]) message.isForgotten = true
      }
    }
    if (call.port === 'lostMessages' && call.method === 'note') lost.onNote(call.args[0] as LostStatus)
    if (call.port === 'deliveryDeadlines') return deadlines.settle(call, run)
    const of = touchedBy(call)
    if (of === undefined) {
      const done = await run()
      rules.onDone(call, hasFailed(done) ? await standing(storage, call, done) : done, [])
      await queued.onDone(call, done)
      await batched.onDone(call, done)
      return done
    }
    const message = of.message === undefined ? undefined : known.get(of.message)
    if (message !== undefined) checkRace(call, message)
    // A storage in memory performs a call immediately and responds later, so all of these see its result. For another storage the response is awaited, because
    // nothing else happens in the world meanwhile.
    const countBefore = isAtOnce ? undefined : await takenOf(call)
    const [heldBefore, running] = [message?.hold, run()]
    if (!isAtOnce) await running
    const looks = Promise.all([
      of.message === undefined ? undefined : storage.messageLog.find(of.workspace, { id: of.message }),
      of.message === undefined ? undefined : storage.wallet.holdOf({ workspace: of.workspace, message: of.message }),
      storage.ledger.books(of.workspace),
      storage.eventOutbox.after(of.workspace, positions.get(of.workspace) ?? 0, 1_000),
    ])
    const [answer, [found, hold, books, events]] = await Promise.all([running, looks])
    // A message that could not be paid is open as well, and so is one whose response was lost with the connection.
    const record = found !== undefined && E.isRight(found) ? O.toUndefined(found.right) : undefined
    if ((call.method === 'open' || call.method === 'reserve') && record !== undefined) learnOf(opened(call, record, of.message))
    if (call.method === 'settle' && isRight(answer)) lost.onSettled(call.args[0] as LostSettlement, answer.right as SettledLost)
    const isFailed = hasFailed(answer)
    if (call.port === 'freeMessages') {
      noteFree(call, of.message, isFailed ? countBefore !== (await takenOf(call)) : !isRight(answer) || answer.right !== false)
    }
    const after = of.message === undefined ? undefined : known.get(of.message)
    const heldAfter = hold !== undefined && E.isRight(hold) ? hold.right : undefined
    if (of.message !== undefined && heldBefore === undefined && heldAfter !== undefined) spentBy.note(call, of.message)
    if (after !== undefined) after.spent ??= spentBy.of(after.id)
    const moved = after === undefined ? [] : checkMessage(call, after, record, heldAfter)
    let raised: ReadonlyArray<string> = []
    if (E.isRight(books) && O.isSome(books.right)) {
      checkBooks(of.workspace, books.right.value)
      const { available } = books.right.value
      await shares.onDone(call, { workspace: of.workspace, message: after, before: heldBefore, after: heldAfter, available })
      raised = checkAlerts(call, of.workspace, books.right.value, isFailed ? await whatStands(call, of.workspace, after, events) : answer)
    }
    const health = rules.onDone(call, answer, E.isRight(events) ? events.right.map(({ type }) => type) : [])
    if (E.isRight(events)) checkEvents(call, of.workspace, [...moved, ...raised, ...health], events.right)
    if (isFailed && (moved.length > 0 || raised.length > 0)) world.reach('a call failed at the connection, and its effect stands')
    if (call.method === 'resolve' && after !== undefined && (isRight(answer) || moved.length > 0)) {
      after.resolved = (call.args[0] as { readonly outcome: 'sent' | 'not_sent' }).outcome
    }
    await queued.onDone(call, isFailed && moved.length === 0 && after?.state === 'pending' ? E.right(true) : answer)
    return answer
  }

  /** The draft with the price at which it was opened: the same step may have taken a free message for it. */
  const opened = (call: StorageCall, { price: { micros } }: MessageRecord, message: MessageId | undefined): Draft => {
    const [draft, , , free] = call.args as Parameters<Reserving>
    if (call.method === 'open' || free === undefined || micros > 0n || known.has(draft.id)) return draft
    noteFree({ ...call, method: 'take', args: [free] }, message, true)
    return freeDraft(draft)
  }

  /** The number of free messages taken from the count that a call is about. */
  const takenOf = async ({ port, method, args: [of] }: StorageCall): Promise<number | undefined> => {
    if (port !== 'freeMessages') return undefined
    const count = method === 'take' ? (of as FreeCount) : free.get((of as { readonly message: MessageId }).message)?.count
    const taken = count && await storage.freeMessages.taken(count.phoneNumberId, count.month)
    return taken !== undefined && E.isRight(taken) ? taken.right : undefined
  }

  /** The answer that a call would have returned if its connection had not failed, derived from its effect. */
  const whatStands = async (
    { method, args }: StorageCall, workspace: WorkspaceId, message: Known | undefined, events: E.Either<unknown, ReadonlyArray<EventFound>>,
  ): Promise<unknown> => {
    if (method === 'setThreshold') {
      const stored = await storage.walletAlerts.alertsOf(workspace)
      const threshold = E.isRight(stored) && O.isSome(stored.right) ? stored.right.value.threshold : undefined
      return threshold === args[1] ? E.right(undefined) : E.left({ _tag: 'PortFailure' })
    }
    if (message?.hold !== undefined || shares.isHeld((args[0] as Partial<HoldPart>).hold)) return E.right(undefined)
    const isRefused = E.isRight(events) && events.right.some(({ type }) => type === 'wallet.exhausted')
    return E.left({ _tag: isRefused ? 'InsufficientBalance' : 'PortFailure' })
  }

  const noteFree = ({ method, args: [of], gateway, life }: StorageCall, message: MessageId | undefined, hasEffect: boolean): void => {
    if (message === undefined || !hasEffect) return
    if (method === 'take') {
      const { phoneNumberId, month } = of as FreeCount
      free.set(message, { gateway, life, count: { phoneNumberId, month } })
      world.reach('a message is free')
    } else if (method === 'giveBack' && free.delete(message)) world.reach('a free message is given back')
  }

  /** Which data of a message in the storage is older after a restore. */
  const noteRestore = (now: Known, backup: Known | undefined): void => {
    if (now.state === 'pending') world.reach('restore: a message was under way')
    if (backup === undefined) {
      forgotten.set(now.id, now)
      world.reach(sentAnswers.has(now.id) ? 'restore: a message that was answered as sent is forgotten' : 'restore: a message is forgotten')
    } else if (backup.state !== now.state || backup.hold !== now.hold) {
      wentBack.add(now.id)
      // If opening and paying are two steps, a backup between them describes a sent message like one that was never sent.
      if (!isJoint && backup.hold === undefined && takenOnce.has(now.id)) goneUnpaid.add(now.id)
      if (goneUnpaid.has(now.id)) world.reach('restore: a message that was sent was not paid for in the backup')
      world.reach(`restore: a message goes back from ${now.state} to ${backup.state}`)
    }
  }

  const backUp: Promises['backUp'] = () => {
    const copy = {
      known: copyOf(known), byKey: new Map(byKey), positions: new Map(positions), alerts: copyOf(alerts), free: new Map(free),
      heldOnce: [...heldOnce], freed: [...freed], settled: new Map(settled),
    }
    const putBack = [rules, shares, deadlines, queued].map((one) => one.backUp())
    return async () => {
      for (const message of known.values()) noteRestore(message, copy.known.get(message.id))
      refill(known, copyOf(copy.known))
      refill(byKey, copy.byKey)
      refill(positions, copy.positions)
      refill(alerts, copyOf(copy.alerts))
      refill(free, copy.free)
      refill(settled, copy.settled)
      for (const put of putBack) put()
      for (const [set, kept] of [[heldOnce, copy.heldOnce], [freed, copy.freed]] as const) {
        set.clear()
        for (const id of kept) set.add(id)
      }
      for (const message of known.values()) await checkRestored(message)
      for (const workspace of new Set([...known.values()].map((message) => message.workspace))) {
        const books = await storage.ledger.books(workspace)
        if (E.isRight(books) && O.isSome(books.right)) checkBooks(workspace, books.right.value)
      }
    }
  }

  const checkRestored = async ({ workspace, id, state, hold }: Known): Promise<void> => {
    const [found, holdFound] = [await storage.messageLog.find(workspace, { id }), await storage.wallet.holdOf({ workspace, message: id })]
    const foundState = E.isRight(found) && O.isSome(found.right) ? found.right.value.state : undefined
    check(foundState === state && E.isRight(holdFound) && holdFound.right === hold, 'a restored storage is what it was', () => `${id} was ${state}, and is ${foundState}`)
  }

  const onTaken: Promises['onTaken'] = (outbound, takenBefore) => {
    const [{ id }, message] = [outbound, known.get(outbound.id)]
    rules.onTaken(outbound)
    batched.onTaken(outbound)
    takenOnce.add(id)
    check(takenBefore.length === 0, 'no message goes twice', () => `${id} is taken by the platform again`)
    if (message === undefined) {
      world.violate('nothing is sent before it is durable', `${id} is not in the log`)
      return
    }
    check(message.state === 'pending' || message.state === 'unconfirmed', 'what was refused or given up is not sent', () => `${id} is ${message.state}, and is sent`)
    check(message.hold === 'held', 'nothing is sent before it is paid for', () => `${id} is sent, and its money is ${message.hold}`)
    const { key } = message
    if (key !== undefined && [...forgotten.values()].some((one) => one.key === key)) world.reach('a key is used again whose message was forgotten')
    for (const other of message.key === undefined ? [] : byKey.get(message.key) ?? []) checkKey(message, other)
  }

  /** Another message with the same key that may have been sent is allowed only if its key had expired when this one was opened. */
  const checkKey = (message: Known, other: MessageId): void => {
    const earlier = known.get(other)
    if (earlier === undefined || other === message.id || earlier.openedAt > message.openedAt) return
    world.reach('a key is used again')
    check(freed.has(other) || message.openedAt >= earlier.openedAt + KEY_GUARDS_MS, 'no message goes twice under one key', () => `${message.id} is sent under the key of ${other}, which is ${earlier.state}`)
  }

  return {
    watch, rules, shares, deadlines, foreign, queued, batched, onTaken,
    onLeaving: (outbound, gateway) => {
      rules.onLeaving(outbound)
      queued.onLeaving(outbound, gateway)
    },
    onAnswer: (workspace, key, answer) => {
      if (E.isLeft(answer)) {
        const { _tag, messageId, replayed } = answer.left as {
          readonly _tag: string
          readonly messageId?: MessageId
          readonly replayed?: boolean
        }
        world.reach(`answer: ${_tag}${replayed === true ? ', repeated' : ''}`)
        const isNotSent = messageId !== undefined && _tag !== 'OutcomeUnknown'
        if (isNotSent) check(!takenOnce.has(messageId), 'what is answered as not sent was not sent', () => `${messageId}: ${_tag}`)
        return
      }
      const { id, platformId, replayed } = answer.right
      world.reach(replayed ? 'answer: sent, repeated' : 'answer: sent')
      const message = known.get(id)
      check(message !== undefined && message.workspace === workspace, 'no workspace sees another’s', () => `${workspace} gets ${id}`)
      check(message?.key === (key === undefined ? undefined : `${workspace} ${key}`), 'an answer is that of the key', () =>
        `${id} is the answer to ${key}`)
      const before = sentAnswers.get(id)
      check(before === undefined || before.platformId === platformId, 'a repeated answer is the first one', () => `${id}: ${before?.platformId}, then ${platformId}`)
      check(replayed || !toldAsNew.has(id), 'a message is sent once', () => `${id} is answered as new twice`)
      if (!replayed) toldAsNew.add(id)
      sentAnswers.set(id, { id, platformId, replayed: true })
    },
    known, backUp,
    atTheEnd: async ({ platform: { taken }, received, topUps }) => {
      for (const message of known.values()) {
        const { id, state, hold, resolved } = message
        const all = taken.get(id) ?? []
        const confirmed = new Set(all.flatMap((one) => [...one.confirmed]))
        const found = await storage.messageLog.find(message.workspace, { id })
        const sender = E.isRight(found) && O.isSome(found.right) ? found.right.value.sender : undefined
        check(sender === rules.senderOf(id), 'a message keeps its sender', () => `${id} was sent through ${rules.senderOf(id)}, and is one of ${sender}`)
        check(state !== 'pending' && state !== 'unconfirmed', 'every message has an outcome in the end', () => `${id} is ${state}`)
        check(
          hold === HOLD_OF[state] || (hold === undefined && (HOLD_OF[state] === 'released' || goneUnpaid.has(id))),
          'money follows its message', () => `${id} is ${state}, and its money is ${hold}`,
        )
        if (all.length === 0 && resolved !== 'sent') {
          check(['queued', 'canceled', 'refused', 'released'].includes(state), 'what was never sent is never charged', () => `${id} is ${state}, and the platform never took it`)
        }
        // If the gateway crashed before it could store the acceptance, and the platform never reported on the message, no trace of it is left.
        // The same applies if a backup did not contain it and the reports that had been confirmed, which the platform does not repeat.
        const isProven = all.some(({ truth }) => truth.length > 0) && (!wentBack.has(id) || confirmed.size > 0)
        if (sentAnswers.has(id) && isProven) {
          check(HOLD_OF[state] !== 'released', 'what was answered as sent stays sent', () => `${id} was answered as sent, and is ${state}`)
        }
        if (confirmed.size > 0 && message.isForgotten === undefined && !queued.isWithdrawn(id)) {
          const expected = (['failed', 'read', 'delivered', 'sent'] as const).find((one) => confirmed.has(one))
          // A report that was stored and never confirmed counts, too.
          const mayBe = all.flatMap(({ truth }) => truth.slice(truth.findIndex((one) => one === expected)))
          check(mayBe.some((one) => one === state), 'a message is what the platform reported last', () => `${id} is ${state}, and ${expected} was reported`)
        }
        if (all.length > 0 && !goneUnpaid.has(id)) check(state !== 'refused', 'what was sent is never called refused', () => `${id} is ${state}, and the platform took it`)
      }
      checkFree()
      shares.atTheEnd()
      deadlines.atTheEnd()
      await queued.atTheEnd()
      await batched.atTheEnd()
      await checkHeld()
      await lost.atTheEnd(taken, positions.keys())
      await checkTopUps({ storage, check }, topUps)
      await checkDeliveries({ storage, check }, positions.keys(), received)
    },
  }

  /**
   * A message that leaves the queue unsent is refused or canceled first, because it may be claimed at the same time. If a gateway crashes before it releases the free
   * message, that stays taken, unless the request is repeated.
   */
  function isKeptFree({ state, wasQueued }: Known, mayLeak: boolean): boolean {
    return !['refused', 'failed', 'canceled'].includes(state)
      || (wasQueued && state !== 'failed' && (mayLeak || world.reached.has('a gateway dies')))
  }

  /** Nothing is set aside when no message is under way and no shared hold is left. */
  async function checkHeld(): Promise<void> {
    for (const workspace of new Set([...known.values()].map((message) => message.workspace))) {
      const books = await storage.ledger.books(workspace)
      const held = E.isRight(books) && O.isSome(books.right) ? books.right.value.held : 0n
      check(held === 0n, 'nothing stays set aside in the end', () => `${held} of ${workspace}`)
    }
  }

  /** A free message counts as long as its message is neither refused nor failed; a free message that a crash took before its message was opened stays taken. */
  function checkFree(): void {
    for (const [id, { gateway, life, count }] of free) {
      const through = queued.movedFrom(id) ?? rules.senderOf(id)
      check([undefined, count.phoneNumberId].includes(through), 'a free message is one of its own sender', () => id)
      const message = known.get(id)
      const mayLeak = isOver(gateway, life) || world.reached.has('failed work is given up')
      if (message === undefined) check(mayLeak, 'a free message is given back', () => `${id} was never opened, and its free message is taken`)
      else check(isKeptFree(message, mayLeak), 'a free message is given back', () => `${id} is ${message.state}, and its free message is taken`)
    }
    for (const message of known.values()) {
      // A free message is released before the refusal is stored. If a crash comes between, the message is given up, or an operator sets the wrong outcome.
      if (!message.isFree || HOLD_OF[message.state] !== 'captured' || message.resolved === 'sent' || goneUnpaid.has(message.id)) continue
      check(free.has(message.id), 'a free message is taken once', () => `${message.id} is ${message.state} and cost nothing, and took no free message`)
    }
  }
}

/** A map of copies. */
const copyOf = <Key, Value extends object>(map: ReadonlyMap<Key, Value>): Map<Key, Value> =>
  new Map(Array.from(map, ([key, value]) => [key, { ...value }]))
