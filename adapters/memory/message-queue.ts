import type { WorkspaceId } from '../../core/kernel/ids.js'
import { leaveQueue } from '../../core/messages/message.js'
import type { MessageQueue, QueuedMessage, Waiting } from '../../core/messages/queue.js'
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
    due: ({ at, limit }) => infallible(() => queued().filter(({ place }) => place.dueAt <= at)
      .sort((a, b) => a.place.dueAt - b.place.dueAt || (a.record.id < b.record.id ? -1 : 1)).slice(0, limit)),
    claim: ({ workspace, message }, at) => infallible(() => {
      const shelf = tables.get(workspace)
      const record = shelf?.records.get(message)
      if (shelf === undefined || record === undefined || !shelf.queue.delete(message)) return false
      shelf.records.set(message, leaveQueue(record, at))
      return true
    }),
    postpone: (refs, dueAt) => infallible(() => {
      for (const { workspace, message } of refs) {
        const shelf = tables.get(workspace)
        const one = shelf?.queue.get(message)
        if (one !== undefined) shelf?.queue.set(message, { ...one, place: { ...one.place, dueAt } })
      }
    }),
    waiting: ({ at, workspace }) => infallible(() => {
      const sums = new Map<string, Waiting>()
      for (const { record, place: { dueAt } } of queued(workspace)) {
        const sender = record.sender ?? ''
        const key = `${record.workspace} ${sender}`
        const { due, oldestDueAt, scheduled } = sums.get(key) ?? { due: 0, oldestDueAt: undefined, scheduled: 0 }
        const isDue = dueAt <= at
        sums.set(key, {
          workspace: record.workspace, sender, due: due + (isDue ? 1 : 0), scheduled: scheduled + (isDue ? 0 : 1),
          oldestDueAt: isDue ? Math.min(dueAt, oldestDueAt ?? dueAt) : oldestDueAt,
        })
      }
      return [...sums.values()]
    }),
  }
}
