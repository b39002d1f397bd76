import { uuidv7 } from 'uuidv7'
import { type EventDelivery, type EventDeliveryDeps, makeEventDelivery } from '../../../adapters/event-delivery/event-delivery.js'
import { makeMemoryStorage } from '../../../adapters/memory/index.js'
import { type HeldLeases, makeMemoryLeases } from '../../../adapters/memory/kernel.js'
import { type AttemptResult, type DeliveryAttempt, type EventSink, SHARDS } from '../../../core/events/delivery.js'
import { type EndpointId, endpointIdOf, endpointSecretOf, type EventEndpoint } from '../../../core/events/endpoint.js'
import { type EventId, eventIdOf, type WorkspaceId } from '../../../core/kernel/ids.js'
import type { Event, EventFilter, EventType } from '../../../core/kernel/outbox.js'
import { DAY_MS } from '../../../core/kernel/time.js'
import { fundedWorkspace } from '../../support/account.js'
import { eventually } from '../../support/eventually.js'
import { rightOf } from '../../support/right-of.js'
import { DELIVERED } from '../../support/scripted-receiver.js'

/** 12:00 UTC on some day. */
export const NOON = Date.UTC(2026, 0, 1, 12)

/** Answers of receivers. */
export const OK = DELIVERED
export const FAILED: AttemptResult = { delivered: false, httpStatus: 500, error: 'It answered 500.', answer: '', durationMs: 1 }

/** How a receiver answers an event. */
export type Answer = (event: Event) => AttemptResult | Promise<AttemptResult>

/** An endpoint and the events that arrived there. */
export type Receiver = {
  readonly id: EndpointId
  readonly workspace: WorkspaceId
  /** Every event of every attempt, in the order in which they arrived. */
  readonly arrived: ReadonlyArray<EventId>
  answer: Answer
}

/** A storage in memory with a clock that stands still, receivers, and the processes that deliver to them. */
export const openDeliveryWorld = (options: { readonly broker?: Answer } = {}) => {
  let now = NOON
  const storage = makeMemoryStorage({ now: () => now, broker: options.broker !== undefined })
  const receivers = new Map<string, Receiver & { readonly arrived: EventId[] }>()
  const leases: HeldLeases = new Map()
  const processes: EventDelivery[] = []
  const toBroker: Event[] = []
  const failures: unknown[] = []

  const sinkAt = (url: string): EventSink => ({
    deliver: async (event) => {
      const receiver = receivers.get(url)
      if (receiver === undefined) throw new Error('no such receiver')
      receiver.arrived.push(event.id)
      return receiver.answer(event)
    },
  })
  const broker: EventSink = {
    deliver: async (event) => {
      const result = (await options.broker?.(event)) ?? FAILED
      if (result.delivered) toBroker.push(event)
      return result
    },
  }

  const world = {
    storage, leases, toBroker, failures,
    now: () => now,
    passes: (ms: number) => { now += ms },
    workspace: () => fundedWorkspace(storage, 0n),
    /** Adds an endpoint that answers every event with 204, or as given. */
    endpoint: async (
      workspace: WorkspaceId, { types = ['*'], answer = () => OK }: { types?: EventFilter; answer?: Answer } = {},
    ): Promise<Receiver> => {
      const id = endpointIdOf(uuidv7())
      const url = `https://${id.slice(3)}.test/`
      rightOf(await storage.eventEndpoints.add({
        id, workspace, url, types, description: '', createdAt: now, secret: endpointSecretOf(Buffer.alloc(24).toString('base64')),
      }))
      const receiver = { id, workspace, arrived: [], answer }
      receivers.set(url, receiver)
      return receiver
    },
    /** Stores events of a workspace, each of another subject unless subjects are given. Gives their ids. */
    happen: async (
      workspace: WorkspaceId, count: number, { subjects = count, type = 'message.sent' }: { subjects?: number; type?: EventType } = {},
    ) => {
      const events = Array.from({ length: count }, (_, n): Event => ({
        id: eventIdOf(uuidv7()), type, workspace, at: now, subject: `subject ${n % subjects}`, data: { n },
      }))
      rightOf(await storage.eventOutbox.append(workspace, events))
      return events.map(({ id }) => id)
    },
    /** Starts a process; ports and options may be replaced. */
    start: (deps: Partial<EventDeliveryDeps> = {}): EventDelivery => {
      const delivery = makeEventDelivery({
        deliveries: storage.eventDeliveries, outbox: storage.eventOutbox, sinkFor: ({ url }) => sinkAt(url),
        leases: makeMemoryLeases(leases, () => performance.now()), now: () => now, newAttemptId: () => uuidv7().replaceAll('-', ''),
        newEventId: () => eventIdOf(uuidv7()),
        ...(options.broker !== undefined && { broker }),
        onFailure: (error) => { failures.push(error) },
        ...deps,
      })
      const unlisten = storage.onEvents(delivery.wake)
      delivery.start()
      const started: EventDelivery = {
        ...delivery,
        stop: async (limitMs) => {
          unlisten()
          await delivery.stop(limitMs)
        },
      }
      processes.push(started)
      return started
    },
    find: async ({ id }: Receiver): Promise<EventEndpoint> => {
      const found = rightOf(await storage.eventEndpoints.find(id))
      if (found._tag === 'None') throw new Error('no such endpoint')
      return found.value
    },
    /** Waits until an endpoint got as many events, and all of its attempts so far are noted. */
    arrive: (receiver: Receiver, count: number) =>
      eventually(`the arrival of ${count} events`, async () => {
        const noted = await world.attempts(receiver)
        return receiver.arrived.length >= count && noted.length >= count ? receiver.arrived : undefined
      }),
    /** The latest attempts, oldest first. */
    attempts: async ({ id }: Receiver): Promise<ReadonlyArray<DeliveryAttempt>> =>
      rightOf(await storage.eventDeliveries.attempts(id, { limit: 5_000 })).items.toReversed(),
    /** The endpoints with something to deliver now. */
    due: async () =>
      rightOf(await storage.eventDeliveries.due({
        shards: Array.from({ length: SHARDS }, (_, shard) => shard), at: now, limit: 1_000, except: [],
      })),
    /** The events of an endpoint that will be tried again some time. */
    retries: async ({ id }: Receiver) => rightOf(await storage.eventDeliveries.retries(id, now + 30 * DAY_MS, 1_000)),
    close: () => Promise.all(processes.map((one) => one.stop(0))),
  }
  return world
}

/** What `openDeliveryWorld` gives. */
export type DeliveryWorld = ReturnType<typeof openDeliveryWorld>

/** Opens a world for each test of a suite, and closes it. */
export const useDeliveryWorld = (options: Parameters<typeof openDeliveryWorld>[0] = {}): (() => DeliveryWorld) => {
  let world: DeliveryWorld
  beforeEach(() => { world = openDeliveryWorld(options) })
  afterEach(() => world.close())
  return () => world
}

/** An answer that comes only once it is let go. */
export const heldAnswer = (result: AttemptResult = OK) => {
  const waiting: Array<() => void> = []
  let isOpen = false
  const answer: Answer = () => new Promise((resolve) => {
    if (isOpen) resolve(result)
    else waiting.push(() => resolve(result))
  })
  return {
    answer,
    waiting: () => waiting.length,
    letGo: () => {
      isOpen = true
      for (const go of waiting.splice(0)) go()
    },
  }
}

