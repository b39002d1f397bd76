import * as E from 'fp-ts/lib/Either.js'
import {
  type BrokerTask, type DeliveryAttempt, type DeliveryProgress, type DeliveryTask, type DueQuery, type EventDeliveries, MOST_PENDING, MOST_REDELIVERED,
  type Retry, shardOf,
} from '../../core/events/delivery.js'
import type { EndpointId, LastDelivery } from '../../core/events/endpoint.js'
import type { EventId } from '../../core/kernel/ids.js'
import { type StoredEvent, wantsEvent } from '../../core/kernel/outbox.js'
import type { Instant } from '../../core/kernel/time.js'
import { type EndpointRecord, type EventState, storeEvents, streamOf } from './event-state.js'
import { pageById } from './page.js'
import { atomic, infallible } from './task.js'

/** How far the events in memory were delivered. */
export const makeMemoryEventDeliveries = (state: EventState): EventDeliveries => ({
  due: (query) => infallible(() => dueOf(state, query)),
  retries: (id, at, limit) => infallible(() => retriesOf(state, id, at).slice(0, limit)),
  record: (progress, along) =>
    atomic(() => {
      const record = state.endpoints.get(progress.endpoint)
      if (record === undefined || record.position !== progress.from || record.endpoint.status !== 'enabled') return E.right(false)
      note(record, progress)
      if (progress.disabled === true && along !== undefined) storeEvents(state, along(record.endpoint))
      return E.right(true)
    }),
  log: (attempt) =>
    infallible(() => {
      const record = state.endpoints.get(attempt.endpoint)
      if (record !== undefined) addAttempts(record, [attempt])
    }),
  pending: (id) =>
    infallible(() => {
      const record = state.endpoints.get(id)
      if (record === undefined || record.endpoint.status === 'disabled') return { fresh: 0, retries: 0 }
      const fresh = streamOf(state, record.endpoint.workspace).events.filter(({ position }) => position > record.position).length
      return { fresh: Math.min(fresh, MOST_PENDING), retries: Math.min(record.retries.size, MOST_PENDING) }
    }),
  attempts: (id, query) => infallible(() => pageById(state.endpoints.get(id)?.attempts ?? [], query, (attempt) => attempt.id)),
  redeliver: (id, event, at) =>
    infallible(() => {
      const record = state.endpoints.get(id)
      if (record === undefined || eventOf(state, record, event) === undefined) return false
      record.retries.set(event, askedFor(at))
      return true
    }),
  redeliverSince: (id, since, at) =>
    infallible(() => {
      const record = state.endpoints.get(id)
      if (record === undefined) return 0
      const { endpoint: { workspace, types }, position } = record
      const again = streamOf(state, workspace).events
        .filter((event) => event.at >= since && event.position <= position && wantsEvent(types, event.type))
        .slice(0, MOST_REDELIVERED)
      for (const event of again) record.retries.set(event.id, askedFor(at))
      return again.length
    }),
  brokerDue: (limit) => infallible(() => brokerDueOf(state).slice(0, limit)),
  recordBroker: ({ workspace, from, to }) =>
    infallible(() => {
      const stream = streamOf(state, workspace)
      if (stream.brokerPosition !== from) return false
      stream.brokerPosition = to
      return true
    }),
})

const askedFor = (at: Instant) => ({ attempts: 0, firstAttemptAt: at, notedAt: at, nextAt: at })

const dueOf = (state: EventState, { shards, at, limit, except, exceptWorkspaces = [], failing }: DueQuery): ReadonlyArray<DeliveryTask> =>
  [...state.endpoints.values()]
    .filter(({ endpoint: { id, status } }) => status === 'enabled' && shards.includes(shardOf(id)) && !except.includes(id))
    .filter(({ endpoint: { workspace } }) => !exceptWorkspaces.includes(workspace))
    .filter(({ failures }) => failing === undefined || failing === failures > 0)
    .flatMap((record) => {
      const since = waitsSince(state, record, at)
      return since === undefined || (record.pausedUntil ?? at) > at ? [] : [{ record, since: Math.max(since, record.pausedUntil ?? since) }]
    })
    .sort((a, b) => a.since - b.since || (a.record.endpoint.id < b.record.endpoint.id ? -1 : 1))
    .slice(0, limit)
    .map(({ record: { endpoint, secrets, position, failures } }) => ({ endpoint, secrets, position, failures }))

/** The moment of the oldest event after the endpoint's position, or since when an attempt is due; `undefined` if nothing waits. */
const waitsSince = (state: EventState, record: EndpointRecord, at: Instant): Instant | undefined => {
  const next = streamOf(state, record.endpoint.workspace).events.find(({ position }) => position > record.position)
  const moments = [...(next === undefined ? [] : [next.at]), ...[...record.retries.values()].flatMap(({ nextAt }) => (nextAt <= at ? [nextAt] : []))]
  return moments.length === 0 ? undefined : Math.min(...moments)
}

const retriesOf = (state: EventState, id: EndpointId, at: Instant): ReadonlyArray<Retry> => {
  const record = state.endpoints.get(id)
  if (record === undefined) return []
  return [...record.retries]
    .filter(([, { nextAt }]) => nextAt <= at)
    .sort(([a, one], [b, other]) => one.nextAt - other.nextAt || (a < b ? -1 : 1))
    .flatMap(([eventId, { attempts, firstAttemptAt }]) => {
      const event = eventOf(state, record, eventId)
      return event === undefined ? [] : [{ event, attempts, firstAttemptAt }]
    })
}

const eventOf = (state: EventState, { endpoint: { workspace } }: EndpointRecord, id: EventId): StoredEvent | undefined =>
  streamOf(state, workspace).events.find((event) => event.id === id)

const note = (record: EndpointRecord, { to, attempts, retry, done, failures, failingSince, pausedUntil, hastenSince, disabled }: DeliveryProgress): void => {
  record.position = to
  record.failures = failures
  record.pausedUntil = pausedUntil
  record.endpoint = { ...record.endpoint, failingSince, status: disabled === true ? 'disabled' : 'enabled' }
  addAttempts(record, attempts)
  if (hastenSince !== undefined) hasten(record, hastenSince)
  for (const { event, at, ...more } of retry) record.retries.set(event, { ...more, notedAt: notedAt(attempts, event, at), nextAt: at })
  for (const event of done) record.retries.delete(event)
  if (disabled === true) record.retries.clear()
}

const hasten = ({ retries }: EndpointRecord, since: Instant): void => {
  for (const [event, waiting] of retries) {
    if (waiting.notedAt >= since) retries.set(event, { ...waiting, nextAt: Math.min(waiting.nextAt, waiting.notedAt) })
  }
}

/** When the latest attempt of an event was made; the given moment if there is none. */
const notedAt = (attempts: ReadonlyArray<DeliveryAttempt>, event: EventId, otherwise: Instant): Instant =>
  attempts.filter((attempt) => attempt.event === event).reduce<Instant | undefined>((latest, { at }) => Math.max(latest ?? at, at), undefined) ?? otherwise

const addAttempts = (record: EndpointRecord, attempts: ReadonlyArray<DeliveryAttempt>): void => {
  record.attempts = [...record.attempts, ...attempts]
  const latest = attempts.toSorted((a, b) => a.at - b.at || (a.id < b.id ? -1 : 1)).at(-1)
  if (latest === undefined || latest.at < (record.endpoint.lastDelivery?.at ?? latest.at)) return
  const lastDelivery: LastDelivery = { at: latest.at, delivered: latest.delivered, httpStatus: latest.httpStatus }
  record.endpoint = { ...record.endpoint, lastDelivery }
}

const brokerDueOf = ({ streams }: EventState): ReadonlyArray<BrokerTask> =>
  [...streams]
    .flatMap(([workspace, { events, brokerPosition }]) => {
      const next = events.find(({ position }) => position > brokerPosition)
      return next === undefined ? [] : [{ workspace, position: brokerPosition, since: next.at }]
    })
    .sort((a, b) => a.since - b.since || (a.workspace < b.workspace ? -1 : 1))
    .map(({ workspace, position }) => ({ workspace, position }))
