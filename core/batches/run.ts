import * as E from 'fp-ts/lib/Either.js'
import * as O from 'fp-ts/lib/Option.js'
import { type ActDeps, perform } from '../access/acting.js'
import { isUserId } from '../customers/customer.js'
import { SYSTEM } from '../kernel/actor.js'
import type { PortFailure } from '../kernel/failure.js'
import type { BatchId } from '../kernel/ids.js'
import { entriesFor, type MakeOutboxEntries } from '../kernel/outbox.js'
import { type Instant, MINUTE_MS, SECOND_MS } from '../kernel/time.js'
import type { Draft, MessageLog } from '../messages/message-log.js'
import type { Message, MessageId, MessageRecord, QueuePlace } from '../messages/message.js'
import type { SharedHolds } from '../money/shared-holds.js'
import type { SenderId } from '../senders/sender.js'
import { recordChange, type RecordChangeDeps } from '../sending/dispatch.js'
import { beginOf } from '../sending/timing.js'
import { type Batch, batchEndsAt, type BatchCounts, type Batches, type PauseReason, type StoredLine } from './batch.js'
import { brakeOf, type BrakeDeps } from './brake.js'
import { hoursOf, messageOf } from './check.js'
import { holdTotal } from './hold.js'
import { batchMoved } from './use-cases.js'

/** One pass over the batches that are confirmed and have an outcome to reach. */
export type RunBatches = (hasEnded?: () => boolean) => Promise<E.Either<PortFailure, Ran>>

/** How many lines were queued, why batches could not be worked on in this pass, and whether another pass has something to do immediately. */
export type Ran = { readonly queued: number; readonly failures: ReadonlyArray<PortFailure>; readonly isMoreDue: boolean }

/** What running batches needs. */
export type RunBatchDeps = ActDeps & RecordChangeDeps & BrakeDeps & {
  readonly batches: Batches
  readonly sharedHolds: SharedHolds
  readonly messageLog: Pick<MessageLog, 'apply' | 'find' | 'open'>
  readonly windowClock: { readonly now: () => Instant }
  readonly newMessageId: () => MessageId
}

/** How many batches a pass reads, how many lines it queues at the same time, and how many lines of a batch wait in the queue at most. */
const BATCHES = 100
const BLOCK = 500
const MAX_QUEUED = 2_000
const FEW_QUEUED = 1_000

/** Counting the lines of a batch takes at most one part in `LOOK_SHARE` of the time, and is done every two seconds at least. */
const LOOK_SHARE = 10
const LOOK_EVERY_MS = 2 * SECOND_MS

/** How long a request to confirm a batch takes at most. After that it counts as crashed. */
const CONFIRMS_WITHIN_MS = MINUTE_MS

/**
 * Makes the passes. A pass queues some lines of each batch, so that several batches share a sender, and so that a pause, a brake or a cancellation concerns nearly all lines.
 *
 * First a message id is assigned to a line, durably. Then the message takes its part of the hold and is queued under this id, once: another pass, of a process that crashed or slept,
 * finds that the message exists. Only one process should run passes at the same time, because that saves work; simultaneous passes queue no line twice.
 */
export const makeRunBatches = (given: RunBatchDeps): RunBatches => {
  const deps: RunningDeps = { ...given, looks: new Map() }
  return (hasEnded = () => false) => runAll(deps, hasEnded)
}

/** When the lines of each batch are counted again. */
type RunningDeps = RunBatchDeps & { readonly looks: Map<BatchId, Instant> }

const runAll = async (deps: RunningDeps, hasEnded: () => boolean): Promise<E.Either<PortFailure, Ran>> => {
  const failures: Array<PortFailure> = []
  let [queued, isMoreDue, after]: [number, boolean, BatchId | undefined] = [0, false, undefined]
  for (;;) {
    const open = await deps.batches.open({ limit: BATCHES, ...(after !== undefined && { after }) })
    if (E.isLeft(open)) return open
    for (const batch of open.right) {
      if (hasEnded()) return E.right({ queued, failures, isMoreDue })
      const ran = await runBatch(deps, batch)
      if (E.isLeft(ran)) failures.push(ran.left)
      else {
        queued += ran.right
        isMoreDue ||= ran.right > 0
      }
    }
    after = open.right.at(-1)?.id
    if (open.right.length < BATCHES) return E.right({ queued, failures, isMoreDue })
  }
}

/**
 * Does what a batch needs now. Right: how many lines were queued.
 *
 * A draft is canceled without a hold. A request to confirm it that began before may still reserve its total and crash then, so a canceled draft is settled once no such request can be at work.
 */
const runBatch = async (deps: RunningDeps, batch: Batch): Promise<E.Either<PortFailure, number>> => {
  const now = deps.windowClock.now()
  const { state, confirmed, timing, endedAt } = batch
  if (confirmed === undefined) return now < (endedAt ?? now) + CONFIRMS_WITHIN_MS ? E.right(0) : settle(deps, batch)
  if (confirmed.heldAt === undefined) return now < confirmed.at + CONFIRMS_WITHIN_MS ? E.right(0) : holdAfterCrash(deps, batch)
  if (state === 'canceled') return finishCanceled(deps, batch)
  if (state === 'done') return settle(deps, batch)
  if (now >= batchEndsAt(batch)) return finishExpired(deps, batch)
  if (state === 'paused' || (timing.sendAt ?? 0) > now) return E.right(0)
  const paused = await pauseIfBraked(deps, batch)
  if (E.isLeft(paused) || paused.right) return E.map(() => 0)(paused)
  if (state === 'confirmed') {
    const sending = await deps.batches.change({ ...refOf(batch), from: ['confirmed'], set: { state: 'sending' } })
    if (E.isLeft(sending) || O.isNone(sending.right)) return E.map(() => 0)(sending)
  }
  return sendLines(deps, batch)
}

const refOf = ({ workspace, id }: Batch) => ({ workspace, batch: id })

/** If the wallet cannot pay by now, the batch is a draft again. */
const holdAfterCrash = async (deps: RunBatchDeps, batch: Batch): Promise<E.Either<PortFailure, number>> => {
  const held = await holdTotal(deps, batch, undefined, await entriesFor(deps.events, batch.workspace, batchMoved))
  return E.isLeft(held) && held.left._tag === 'PortFailure' ? E.left(held.left) : E.right(0)
}

/** Pauses a batch if its brake says so. Right: whether it was paused. */
const pauseIfBraked = async (deps: RunBatchDeps, batch: Batch): Promise<E.Either<PortFailure, boolean>> => {
  const why = await brakeOf(deps, batch)
  if (E.isLeft(why)) return why
  return why.right === undefined ? E.right(false) : E.map(() => true)(await pause(deps, batch, why.right))
}

const pause = async (deps: RunBatchDeps, batch: Batch, why: PauseReason): Promise<E.Either<PortFailure, unknown>> => {
  const paused = await perform(
    deps, { by: SYSTEM, act: 'batch.pause', workspace: batch.workspace, subject: batch.id, details: { why } }, { events: batchMoved },
    (outboxEntries: MakeOutboxEntries<Batch>) => deps.batches.change(
      { ...refOf(batch), from: ['confirmed', 'sending'], set: { state: 'paused', pausedBecause: why } }, outboxEntries,
    ),
  )
  // The gateway itself may do everything, except in an archived workspace, where the queue refuses what is due.
  return E.isLeft(paused) && paused.left._tag === 'PortFailure' ? E.left(paused.left) : E.right(undefined)
}

/** Queues the next lines, or notes that the batch is done. */
const sendLines = async (deps: RunningDeps, batch: Batch): Promise<E.Either<PortFailure, number>> => {
  const of = refOf(batch)
  const assigned = await deps.batches.lines(of, batch.upload, { after: 0, limit: BLOCK, only: 'assigned' })
  if (E.isLeft(assigned)) return assigned
  if (assigned.right.length > 0) return queueLines(deps, batch, assigned.right)
  const at = deps.windowClock.now()
  if (at < (deps.looks.get(batch.id) ?? at)) return E.right(0)
  const counts = await deps.batches.counts(of, batch.upload)
  if (E.isLeft(counts)) return counts
  if (deps.looks.size >= BATCHES) deps.looks.clear()
  const now = deps.windowClock.now()
  deps.looks.set(batch.id, now + Math.min(LOOK_EVERY_MS, LOOK_SHARE * (now - at)))
  if (counts.right.unsent.lines === 0) return isUnderWay(counts.right) ? E.right(0) : end(deps, batch)
  const room = await roomIn(deps, batch, counts.right)
  if (E.isLeft(room) || room.right <= 0) return E.map(() => 0)(room)
  return fill(deps, batch, room.right)
}

/** Queues lines in blocks, until the room is full or no line is left. */
const fill = async (deps: RunBatchDeps, batch: Batch, room: number): Promise<E.Either<PortFailure, number>> => {
  const of = refOf(batch)
  let queued = 0
  for (;;) {
    const next = await deps.batches.lines(of, batch.upload, { after: 0, limit: Math.min(BLOCK, room - queued), only: 'sendable' })
    if (E.isLeft(next) || next.right.length === 0) return E.map(() => queued)(next)
    const wanted = next.right.map((line) => ({ ...line, message: deps.newMessageId() }))
    const taken = await deps.batches.assign(of, batch.upload, wanted)
    if (E.isLeft(taken)) return taken
    const numbers = new Set(taken.right)
    const done = await queueLines(deps, batch, wanted.filter(({ line }) => numbers.has(line)))
    if (E.isLeft(done)) return done
    queued += done.right
    if (queued >= room || done.right === 0) return E.right(queued)
  }
}

const isUnderWay = ({ states }: BatchCounts): boolean => linesIn(states, 'queued') + linesIn(states, 'pending') > 0

const linesIn = (states: BatchCounts['states'], state: MessageRecord['state']): number => states.get(state)?.lines ?? 0

/** How many more lines may be queued. The first wave is queued alone, and its wait begins when the last of it has left. */
const roomIn = async (deps: RunBatchDeps, batch: Batch, counts: BatchCounts): Promise<E.Either<PortFailure, number>> => {
  const queued = linesIn(counts.states, 'queued')
  const room = queued > FEW_QUEUED ? 0 : MAX_QUEUED - queued
  const { firstWave, waveUntil } = batch
  if (firstWave === undefined) return E.right(room)
  const now = deps.windowClock.now()
  if (waveUntil !== undefined) return E.right(waveUntil <= now ? room : 0)
  const sent = [...counts.states.values()].reduce((sum, { lines }) => sum + lines, 0)
  if (sent < firstWave.recipients) return E.right(Math.min(room, firstWave.recipients - sent))
  if (isUnderWay(counts)) return E.right(0)
  const waiting = await deps.batches.change({ ...refOf(batch), from: ['sending'], set: { waveUntil: now + firstWave.waitMs } })
  return E.map(() => 0)(waiting)
}

/** Queues lines under the messages that were assigned to them. Right: how many. */
const queueLines = async (
  deps: RunBatchDeps, batch: Batch, lines: ReadonlyArray<StoredLine>,
): Promise<E.Either<PortFailure, number>> => {
  const queued = await Promise.all(lines.map(async (line) => ({ line: line.line, done: await queueLine(deps, batch, line) })))
  const opened = queued.flatMap(({ line, done }) => (E.isRight(done) && done.right ? [line] : []))
  const noted = opened.length === 0 ? E.right(undefined) : await deps.batches.noteOpened(refOf(batch), batch.upload, opened)
  if (E.isLeft(noted)) return noted
  return queued.map(({ done }) => done).find(E.isLeft) ?? E.right(opened.length)
}

/** Queues the message of a line, once. `false`: the batch has no money any more, because it was canceled. */
const queueLine = async (deps: RunBatchDeps, batch: Batch, line: StoredLine): Promise<E.Either<PortFailure, boolean>> => {
  const draft = draftOf(deps, batch, line)
  if (draft === undefined) return E.right(false)
  const { workspace, id: message, price: { micros }, at } = draft
  const part = await deps.sharedHolds.split({ workspace, hold: batch.id, message, micros, at })
  if (E.isLeft(part)) return part.left._tag === 'PortFailure' ? E.left(part.left) : E.right(false)
  return openOnce(deps, draft)
}

/** Opens a message unless it exists. */
const openOnce = async (deps: RunBatchDeps, draft: Draft): Promise<E.Either<PortFailure, boolean>> => {
  const opened = await deps.messageLog.open(draft)
  if (E.isRight(opened)) return E.right(true)
  const found = await deps.messageLog.find(draft.workspace, { id: draft.id })
  return E.isRight(found) && O.isSome(found.right) ? E.right(true) : opened
}

/** The message of a line. Its price was fixed when the batch was confirmed. */
const draftOf = ({ windowClock }: RunBatchDeps, batch: Batch, line: StoredLine): Draft | undefined => {
  const { workspace, confirmed, keyId } = batch
  const { rate, message: id } = line
  if (confirmed === undefined || rate === undefined || id === undefined) return undefined
  const at = windowClock.now()
  const { micros, category, cost, market } = rate
  const message = messageOf(batch, line)
  return {
    id, workspace, sender: senderFor(batch, message), message, price: { micros, category, currency: confirmed.currency }, at,
    queue: placeOf(batch, line, at), ...(cost !== undefined && { cost }), ...(market !== undefined && { market }),
    ...(keyId !== undefined && { keyId }),
  }
}

/** A user id of the previous business account means nothing to the present one, so the queue refuses its message under the former id. */
const senderFor = ({ sender, formerSender = sender }: Batch, { to }: Message): SenderId => (isUserId(to) ? formerSender : sender)

const placeOf = (batch: Batch, line: StoredLine, at: Instant): QueuePlace => {
  const endsAt = batchEndsAt(batch)
  const hours = hoursOf(batch, line)
  if (hours === undefined || E.isLeft(hours)) return { dueAt: at, endsAt, isBatch: true, batch: batch.id, isHeld: true }
  const begin = beginOf({ deliverBetween: hours.right }, messageOf(batch, line).to, at)
  const dueAt = E.isRight(begin) ? Math.min(begin.right, endsAt) : endsAt
  return { dueAt, endsAt, hours: hours.right, isBatch: true, batch: batch.id, isHeld: true }
}

/** Every line has its outcome. */
const end = async (deps: RunBatchDeps, batch: Batch): Promise<E.Either<PortFailure, number>> => {
  const set = { state: 'done', pausedBecause: undefined, endedAt: deps.windowClock.now() } as const
  const done = await deps.batches.change(
    { ...refOf(batch), from: ['confirmed', 'sending', 'paused'], set }, await entriesFor(deps.events, batch.workspace, batchMoved),
  )
  return E.isLeft(done) ? done : settle(deps, batch)
}

/** Gives back what no line took. */
const settle = async (deps: RunBatchDeps, batch: Batch): Promise<E.Either<PortFailure, number>> => {
  const released = await giveBack(deps, batch)
  if (E.isLeft(released)) return released
  const set = { settledAt: deps.windowClock.now() }
  return E.map(() => 0)(await deps.batches.change({ ...refOf(batch), from: ['done', 'canceled'], set }))
}

const giveBack = ({ sharedHolds, windowClock }: RunBatchDeps, { workspace, id }: Batch) =>
  sharedHolds.release({ workspace, hold: id, at: windowClock.now() })

/** Its time has passed: lines that were not queued get their problem, and queued ones are refused by the queue. */
const finishExpired = async (deps: RunBatchDeps, batch: Batch): Promise<E.Either<PortFailure, number>> => {
  const ended = await finishLines(deps, batch, 'queue_expired')
  if (E.isLeft(ended)) return ended
  const counts = await deps.batches.counts(refOf(batch), batch.upload)
  return E.isLeft(counts) || isUnderWay(counts.right) ? E.map(() => 0)(counts) : end(deps, batch)
}

const finishCanceled = async (deps: RunBatchDeps, batch: Batch): Promise<E.Either<PortFailure, number>> => {
  const ended = await finishLines(deps, batch, 'canceled')
  if (E.isLeft(ended)) return ended
  const counts = await deps.batches.counts(refOf(batch), batch.upload)
  if (E.isLeft(counts)) return counts
  const canceled = linesIn(counts.right.states, 'queued') === 0 ? E.right(0) : await cancelQueued(deps, batch)
  return E.isLeft(canceled) ? canceled : settle(deps, batch)
}

/**
 * Ends the lines that have not been queued. First the hold is released, so that no process that has slept takes a part of it any more. A message that was assigned may have taken its part
 * and may be opened by such a process. So it is opened here and canceled, which gives its part back, and then no other process can open it.
 */
const finishLines = async (deps: RunBatchDeps, batch: Batch, why: string): Promise<E.Either<PortFailure, void>> => {
  const of = refOf(batch)
  const released = await giveBack(deps, batch)
  if (E.isLeft(released)) return released
  for (;;) {
    const assigned = await deps.batches.lines(of, batch.upload, { after: 0, limit: BLOCK, only: 'assigned' })
    if (E.isLeft(assigned)) return assigned
    if (assigned.right.length === 0) return deps.batches.endUnsent(of, batch.upload, why)
    const ended = await Promise.all(assigned.right.map((line) => cancelLine(deps, batch, line)))
    const failed = ended.find(E.isLeft)
    if (failed !== undefined) return failed
    const noted = await deps.batches.noteOpened(of, batch.upload, assigned.right.map(({ line }) => line))
    if (E.isLeft(noted)) return noted
  }
}

const cancelLine = async (deps: RunBatchDeps, batch: Batch, line: StoredLine): Promise<E.Either<PortFailure, unknown>> => {
  const draft = draftOf(deps, batch, line)
  if (draft === undefined) return E.right(undefined)
  const endsAt = batchEndsAt(batch) + MINUTE_MS
  const opened = await openOnce(deps, { ...draft, queue: { ...draft.queue, dueAt: endsAt, endsAt } })
  return E.isLeft(opened) ? opened : cancelMessage(deps, batch, draft.id)
}

const cancelMessage = (deps: RunBatchDeps, { workspace }: Batch, message: MessageId): Promise<E.Either<PortFailure, unknown>> => {
  const { now } = deps.windowClock
  return recordChange(deps, now)(workspace, message, { state: 'canceled', at: now(), onlyFrom: 'queued' })
}

/** Cancels the messages that still wait in the queue. */
const cancelQueued = async (deps: RunBatchDeps, batch: Batch): Promise<E.Either<PortFailure, number>> => {
  for (let after = 0; ;) {
    const lines = await deps.batches.lines(refOf(batch), batch.upload, { after, limit: BLOCK })
    if (E.isLeft(lines)) return lines
    const last = lines.right.at(-1)
    if (last === undefined) return E.right(0)
    const messages = lines.right.flatMap(({ message }) => message ?? [])
    const canceled = await Promise.all(messages.map((message) => cancelIfQueued(deps, batch, message)))
    const failed = canceled.find(E.isLeft)
    if (failed !== undefined) return failed
    after = last.line
  }
}

const cancelIfQueued = async (deps: RunBatchDeps, batch: Batch, message: MessageId): Promise<E.Either<PortFailure, unknown>> => {
  const found = await deps.messageLog.find(batch.workspace, { id: message })
  return E.isLeft(found) || O.isNone(found.right) || found.right.value.state !== 'queued' ? found : cancelMessage(deps, batch, message)
}
