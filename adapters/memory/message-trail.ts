import type { DeliveryAttempt } from '../../core/events/delivery.js'
import type { MessageTrail } from '../../core/trail.js'
import type { Accounts } from './accounts.js'
import type { EventState } from './event-state.js'
import { infallible } from './task.js'

/** What is stored of a message besides its record, in memory; nothing is ever missing. */
export const makeMemoryMessageTrail = (accounts: Accounts, { streams, endpoints }: EventState): MessageTrail => ({
  entries: ({ workspace, message }) =>
    infallible(() => (accounts.get(workspace)?.entries ?? []).filter((entry) => entry.message === message).toSorted(byId)),
  events: ({ workspace, message }) =>
    infallible(() => {
      const attempts = [...endpoints.values()].filter(({ endpoint }) => endpoint.workspace === workspace).flatMap((record) => record.attempts)
      const about = (streams.get(workspace)?.events ?? []).filter(({ subject }) => subject === message)
      return about.map(({ id, type, at }) => ({ id, type, at, attempts: attempts.filter(({ event }) => event === id).toSorted(byId) }))
    }),
})

const byId = (a: Pick<DeliveryAttempt, 'id'>, b: Pick<DeliveryAttempt, 'id'>): number => (a.id < b.id ? -1 : 1)
