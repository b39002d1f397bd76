import { isUserId } from '../../core/customers/customer.js'
import type { WorkspaceId } from '../../core/kernel/ids.js'
import type { Instant } from '../../core/kernel/time.js'
import { leaveQueue } from '../../core/messages/message.js'
import {
  type DueSender, inDueOrder, type MessageQueue, type QueuedCount, type QueuedMessage, type QueuedSender, type QueuePosition, type Waiting,
} from '../../core/messages/queue.js'
import type { SenderId, SenderOf } from '../../core/senders/sender.js'
import { infallible } from './kernel.js'
import type { WorkspaceMessages } from './messages.js'

/** The queue of messages, in memory. */
export const makeMemoryMessageQueue = (tables: ReadonlyMap<WorkspaceId, WorkspaceMessages>): MessageQueue => {
  const queued = (of?: WorkspaceId): ReadonlyArray<QueuedMessage> =>
    (of === undefined ? [...tables.values()] : [tables.get(of)]).flatMap((shelf) =>
      [...shelf?.queue ?? []].flatMap(([id, rest]) => {
        const record = shelf?.records.get(id)
        return record === undefined ? [] : [{ record, ...rest }]
      }))
  return {
    sendersDue: ({ at, limit, except }) => infallible(() => {
      const first = new Map<string, DueSender>()
      for (const { record: { workspace, sender = '' }, place: { dueAt } } of queued()) {
        const key = `${workspace} ${sender}`
        const oldestDueAt = Math.min(dueAt, first.get(key)?.oldestDueAt ?? dueAt)
        if (dueAt <= at && except?.has(workspace) !== true) first.set(key, { workspace, sender, oldestDueAt })
      }
      return [...first.values()].sort((a, b) => a.oldestDueAt - b.oldestDueAt).slice(0, limit)
    }),
    due: ({ workspace, sender, at, limit, isBatch = false, after }) => infallible(() => queued(workspace)
      .filter(({ record, place }) => (record.sender ?? '') === sender && (place.isBatch ?? false) === isBatch && place.dueAt <= at)
      .filter((one) => after === undefined || inOrder(positionOf(one), after) > 0)
      .sort((a, b) => inOrder(positionOf(a), positionOf(b))).slice(0, limit)),
    claim: ({ workspace, message, sender }, at) => infallible(() => {
      const shelf = tables.get(workspace)
      const record = shelf?.records.get(message)
      if (shelf === undefined || record === undefined || (sender !== undefined && sender !== (record.sender ?? ''))) return false
      if (!shelf.queue.delete(message)) return false
      shelf.records.set(message, leaveQueue(record, at))
      return true
    }),
    postpone: (refs) => infallible(() => {
      for (const { workspace, message, dueAt } of refs) {
        const shelf = tables.get(workspace)
        const one = shelf?.queue.get(message)
        if (one === undefined) continue
        const { firstDueAt = one.place.dueAt, ...place } = one.place
        shelf?.queue.set(message, { ...one, place: { ...place, dueAt, ...(firstDueAt !== dueAt && { firstDueAt }) } })
      }
    }),
    waiting: ({ at, workspace }) => infallible(() => {
      const sums = new Map<string, Waiting>()
      for (const { record, place: { dueAt, isHeld = false } } of queued(workspace)) {
        const sender = record.sender ?? ''
        const key = `${record.workspace} ${sender}`
        const { waiting, oldestDueAt, scheduled } = sums.get(key) ?? { waiting: 0, oldestDueAt: undefined, scheduled: 0 }
        const isDue = dueAt <= at
        const isWaiting = isDue || isHeld
        sums.set(key, {
          workspace: record.workspace, sender, waiting: waiting + (isWaiting ? 1 : 0), scheduled: scheduled + (isWaiting ? 0 : 1),
          oldestDueAt: isDue ? Math.min(dueAt, oldestDueAt ?? dueAt) : oldestDueAt,
        })
      }
      return [...sums.values()]
    }),
    backlog: ({ at, senders: limit, mostOfSender, mostOfAll }) => infallible(() => {
      const all = queued()
      const bySender = new Map<string, QueuedSender & { readonly messages: Array<QueuedMessage> }>()
      for (const one of all) {
        const { workspace, sender = '' } = one.record
        const key = `${workspace} ${sender}`
        const known = bySender.get(key) ?? { workspace, sender, messages: [] }
        known.messages.push(one)
        bySender.set(key, known)
      }
      const firstOf = ({ messages }: { readonly messages: ReadonlyArray<QueuedMessage> }): number =>
        Math.min(...messages.map(({ place }) => place.dueAt))
      const senders = [...bySender.values()].sort((a, b) => firstOf(a) - firstOf(b)).slice(0, limit)
      return {
        ...countOf(all, at, mostOfAll), senders: senders.map(({ messages, ...of }) => ({ ...of, ...countOf(messages, at, mostOfSender) })),
      }
    }),
    scheduled: ({ workspace, soonBefore }) => infallible(() => {
      const unheld = queued(workspace).filter(({ place }) => place.isHeld !== true)
      const sumOf = (messages: ReadonlyArray<QueuedMessage>) => messages.reduce((sum, { record }) => sum + record.price.micros, 0n)
      return { soon: sumOf(unheld.filter(({ place }) => place.dueAt < soonBefore)), all: sumOf(unheld) }
    }),
    next: ({ workspace, sender, limit }) => infallible(() => queued(workspace).filter(({ record }) => (record.sender ?? '') === sender)
      .map(({ record, place: { dueAt, endsAt } }) => ({ record, dueAt, endsAt })).sort(inDueOrder).slice(0, limit)),
    timesOf: (workspace, messages) => infallible(() => new Map(messages.flatMap((message) => {
      const place = tables.get(workspace)?.queue.get(message)?.place
      return place === undefined ? [] : [[message, { dueAt: place.dueAt, endsAt: place.endsAt }]]
    }))),
  }
}

const countOf = (messages: ReadonlyArray<QueuedMessage>, at: Instant, most: number): QueuedCount => {
  const times = messages.map(({ place }) => place.dueAt).filter((dueAt) => dueAt <= at)
  const due = Math.min(times.length, most)
  return {
    due, later: Math.min(messages.length - times.length, most - due), oldestDueAt: times.length === 0 ? undefined : Math.min(...times),
  }
}

/** Moves what a sender has queued for numbers to another one. What it has queued for user ids is due at the given time. */
export const moveQueued = (
  tables: ReadonlyMap<WorkspaceId, WorkspaceMessages>, { workspace, sender }: SenderOf, to: SenderId, at: Instant,
): void => {
  const shelf = tables.get(workspace)
  for (const [id, queued] of shelf?.queue ?? []) {
    const record = shelf?.records.get(id)
    if (record?.sender !== sender) continue
    const { message, place } = queued
    if (isUserId(message.to)) shelf?.queue.set(id, { message, place: { ...place, dueAt: Math.min(place.dueAt, at) } })
    else shelf?.records.set(id, { ...record, sender: to })
  }
}

const positionOf = ({ record: { id }, place: { dueAt } }: QueuedMessage): QueuePosition => ({ dueAt, id })

const inOrder = (a: QueuePosition, b: QueuePosition): number => a.dueAt - b.dueAt || (a.id < b.id ? -1 : Number(a.id > b.id))
