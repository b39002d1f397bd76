import * as E from 'fp-ts/lib/Either.js'
import type { TaskEither } from 'fp-ts/lib/TaskEither.js'
import {
  type AttemptResult, type DeliveryTask, type EventDeliveries, type EventSink, isCircuitOpen, type MadeAttempt, type Retry,
} from '../../core/events/delivery.js'
import type { SinkAddress } from '../../core/events/endpoint-use-cases.js'
import { signingSecrets } from '../../core/events/endpoint.js'
import type { PortFailure } from '../../core/kernel/failure.js'
import { type EventOutbox, type EventPosition, type StoredEvent, wantsEvent } from '../../core/kernel/outbox.js'
import type { AttemptPace } from './attempt-pace.js'
import { attemptToDeliver } from './attempt.js'
import { type EndpointProgressDeps, followProgress } from './endpoint-progress.js'
import { type GroupedNotes, makeGroupedNotes } from './grouped-notes.js'
import { workInOrder } from './in-order.js'

/** What a run of deliveries to an endpoint needs. */
export type EndpointRunDeps = EndpointProgressDeps & {
  readonly deliveries: Pick<EventDeliveries, 'record' | 'retries'>
  readonly outbox: Pick<EventOutbox, 'after'>
  readonly sinkFor: (address: SinkAddress) => EventSink
  readonly pace: AttemptPace
  readonly newAttemptId: () => string
  readonly random: () => number
  readonly onAttempt: (result: AttemptResult) => void
  /** Whether this process may still deliver to the endpoint. */
  readonly mayGoOn: () => boolean
  /** The attempts under way by their ids, and when each began on the clock of `monotonic`. */
  readonly underWay: Map<string, number>
  readonly monotonic: () => number
}

/** What came of a run: whether anything was noted. */
export type EndpointRunResult = { readonly hasMoved: boolean }

/** An event to deliver, with the waiting retry that it is where it was tried before. */
type Item = { readonly event: StoredEvent; readonly retry?: Retry }

/** An event that was taken up: with an attempt, unless the endpoint does not want its type. */
type TakenUp = { readonly event: StoredEvent; readonly made: MadeAttempt | undefined }

/** How many events are read at once; a full batch means that the endpoint has fallen behind. */
const BATCH = 64

/** How many events are delivered at once to an endpoint that has fallen behind. */
const AT_ONCE = 16

/** A run ends after this time, so that the endpoints that wait get their turn, in milliseconds. */
const RUN_MS = 2_000

/** A run ends after a failure that took longer than this, so that the endpoint goes on among those that fail, in milliseconds. */
const SLOW_MS = 1_000

/** The shortest time between two readings of new events, and of due retries, in milliseconds. */
const READ_EVERY_MS = 20
const READ_RETRIES_EVERY_MS = 250

/** Delivers what waits for an endpoint until nothing does, its circuit opens, or its turn is over. */
export const runEndpoint = async (deps: EndpointRunDeps, task: DeliveryTask): Promise<EndpointRunResult> => {
  const { deliveries, outbox, control, pace } = deps
  const { endpoint } = task
  const progress = followProgress(deps, task)
  const sink = deps.sinkFor({ url: endpoint.url, secrets: signingSecrets(task.secrets, deps.now()) })
  let failures = task.failures
  let isOver = false

  const goesOn = (): boolean => !isOver && !progress.hasEnded() && !control.isStopping() && deps.mayGoOn()

  const read = async <A>(what: TaskEither<PortFailure, ReadonlyArray<A>>): Promise<ReadonlyArray<A>> => {
    const result = await what()
    if (E.isRight(result)) return result.right
    isOver = true
    deps.onFailure(result.left.cause)
    return []
  }
  const dueRetries = async (limit: number): Promise<ReadonlyArray<Item>> =>
    (await read(deliveries.retries(endpoint.id, deps.now(), limit))).map((retry) => ({ event: retry.event, retry }))
  const eventsAfter = async (position: EventPosition): Promise<ReadonlyArray<Item>> =>
    (await read(outbox.after(endpoint.workspace, position, BATCH))).map((event) => ({ event }))

  const attempt = async ({ event, retry }: Item): Promise<MadeAttempt | undefined> => {
    await control.pauseUntilStop(pace.reserve(endpoint.id))
    if (!goesOn()) return undefined
    const [id, startedAt] = [deps.newAttemptId(), deps.now()]
    deps.underWay.set(id, deps.monotonic())
    const result = await attemptToDeliver(sink, event)
    deps.underWay.delete(id)
    // The endpoint was not called: the event waits for another run, and nothing is noted.
    if (result.isUntried === true) {
      isOver = true
      return undefined
    }
    deps.onAttempt(result)
    failures = result.delivered ? 0 : failures + 1
    if (!result.delivered) isOver ||= isCircuitOpen({ failures }) || result.durationMs > SLOW_MS || result.isGone === true
    return { id, event, startedAt, result, random: deps.random(), ...(retry !== undefined && { retry }) }
  }

  const deliver = (items: ReadonlyArray<Item>, notes: GroupedNotes<TakenUp>, firstNumber: number): Promise<void> => {
    const options = { subjectOf: ({ event }: Item) => event.subject, atOnce: items.length < BATCH ? 1 : AT_ONCE, goesOn }
    return workInOrder(items, options, async (item, index) => {
      const isWanted = item.retry !== undefined || wantsEvent(endpoint.types, item.event.type)
      const made = isWanted ? await attempt(item) : undefined
      if (!isWanted || made !== undefined) notes.add(firstNumber + index, { event: item.event, made })
    })
  }

  const notesUpTo = (to: (last: StoredEvent) => EventPosition): GroupedNotes<TakenUp> =>
    makeGroupedNotes(async (group) => {
      const last = group.at(-1)
      if (last !== undefined) await progress.note(group.flatMap(({ made }) => made ?? []), to(last.event))
    })

  const deliverRetries = async (retries: ReadonlyArray<Item>): Promise<void> => {
    const notes = notesUpTo(() => progress.position())
    await deliver(retries, notes, 0)
    await notes.finish()
  }

  /** One attempt for an endpoint that fails: a due retry and a new event take turns, so that events which it always refuses stop none. */
  const probe = async (): Promise<void> => {
    const retries = await dueRetries(1)
    if (retries.length > 0 && failures % 2 === 1) return deliverRetries(retries)
    const events = await eventsAfter(progress.position())
    const wanted = events.findIndex(({ event }) => wantsEvent(endpoint.types, event.type))
    const notes = notesUpTo(({ position }) => position)
    await deliver(events.slice(0, wanted === -1 ? BATCH : wanted + 1), notes, 0)
    await notes.finish()
    if (wanted === -1 && goesOn()) await deliverRetries(retries)
  }

  const deliverAll = async (): Promise<void> => {
    const endsAt = performance.now() + RUN_MS
    const notes = notesUpTo(({ position }) => position)
    let [taken, position, readRetriesAt] = [0, progress.position(), 0]
    while (goesOn() && performance.now() < endsAt) {
      const begunAt = performance.now()
      const isTime = begunAt >= readRetriesAt
      const retries = isTime ? await dueRetries(BATCH) : []
      if (isTime) readRetriesAt = begunAt + READ_RETRIES_EVERY_MS
      if (retries.length > 0) {
        await notes.finish()
        await deliverRetries(retries)
      }
      const events = goesOn() ? await eventsAfter(position) : []
      if (retries.length + events.length === 0) break
      await deliver(events, notes, taken)
      taken += events.length
      position = events.at(-1)?.event.position ?? position
      await notes.untilFew()
      if (events.length < BATCH) await control.pauseUntilStop(begunAt + READ_EVERY_MS - performance.now())
    }
    await notes.finish()
  }

  await (isCircuitOpen(task) ? probe() : deliverAll())
  return { hasMoved: progress.hasNoted() }
}
