import { makeWebhookConnections, postNotification, verifyWebhook } from './post.js'
import type { Signature } from './signature.js'
import { makeTimers } from '../timers.js'
import { notificationOf, type Account, type Update } from './notification.js'
import { webhookJson } from '../json.js'

/** Where notifications are delivered, and how often delivery is attempted. */
export type WebhookTarget = {
  readonly url: string
  readonly appSecret: string
  readonly verifyToken: string
  /** The most updates in one notification; updates that wait at the same time share one. */
  readonly batch?: number
  /** How many notifications are in flight at once. */
  readonly concurrency?: number
  /** The time limit of an answer. */
  readonly timeoutMs?: number
  /** The pause before the third attempt; the second follows the first at once, and each later pause is twice the one before. */
  readonly retryMs?: number
  /** The longest pause. */
  readonly retryAtMostMs?: number
  /** After how long an update is dropped. */
  readonly giveUpMs?: number
}

export type WebhookStats = {
  /** Updates that are scheduled, queued or not yet acknowledged. */
  readonly pending: number
  /** Updates acknowledged with 200. */
  readonly acknowledged: number
  /** Notifications that were not acknowledged and will be delivered again. */
  readonly failedAttempts: number
  /** Updates that will not be delivered: too old, too many, or without a webhook. */
  readonly dropped: number
}

/** How updates are delivered: after which delay, how many times, with which signature at the first attempt, and a callback after that attempt. */
export type DeliveryOptions = {
  readonly afterMs?: number
  readonly times?: number
  readonly signature?: Signature
  readonly onAttempt?: () => void
}

/** Delivers notifications until they are acknowledged. */
export type Webhooks = {
  /** Whether a target returns the challenge, as the platform checks when a webhook is configured. */
  readonly verify: (target: WebhookTarget) => Promise<boolean>
  readonly setTarget: (target: WebhookTarget | undefined) => void
  readonly target: () => WebhookTarget | undefined
  /** Delivers updates in one notification; they are made when the delay is over, so that their timestamps are current. */
  readonly send: (count: number, make: () => ReadonlyArray<Update>, options?: DeliveryOptions) => void
  /** Delivers a notification unchanged, valid or not, in the platform's JSON format. */
  readonly sendRaw: (payload: unknown, options?: DeliveryOptions) => void
  readonly stats: () => WebhookStats
  /** Resolves once nothing is pending; rejects if the simulator is closed first. */
  readonly idle: () => Promise<void>
  /** Removes everything pending and sets the counts to 0. */
  readonly reset: () => void
  readonly close: () => Promise<void>
}

type QueuedNotification = {
  readonly updates: ReadonlyArray<Update>
  /** How many updates the counts include for it. */
  readonly count: number
  readonly signature: Signature
  readonly onAttempt: () => void
  readonly since: number
  readonly attempts: number
  /** Set at the first attempt: every redelivery sends the same bytes. */
  readonly body?: Buffer
}

const DEFAULTS = {
  batch: 100, concurrency: 8, timeoutMs: 10_000, retryMs: 1_000, retryAtMostMs: 60_000, giveUpMs: 7 * 24 * 3_600_000,
}
const MOST_PENDING = 500_000
const LARGEST_BATCH = 1_000

/** Webhooks of an account; without a target every update is dropped. */
export const makeWebhooks = (account: Account, first?: WebhookTarget): Webhooks => {
  const timers = makeTimers()
  const connections = makeWebhookConnections()
  let target = first
  let queue: QueuedNotification[] = []
  let inFlight = 0
  let generation = 0
  let closed = false
  let stats = { pending: 0, acknowledged: 0, failedAttempts: 0, dropped: 0 }
  let idleWaiters: ReadonlyArray<{ readonly resolve: () => void; readonly reject: (error: Error) => void }> = []

  const countUpdates = (change: Partial<WebhookStats>): void => {
    stats = { ...stats, ...change }
    if (stats.pending > 0) return
    idleWaiters.forEach(({ resolve }) => resolve())
    idleWaiters = []
  }
  const drop = (updates: number): void => countUpdates({ pending: stats.pending - updates, dropped: stats.dropped + updates })

  const enqueue = (queued: QueuedNotification): void => {
    queue.push(queued)
    // Updates that become ready in the same turn of the event loop can share a notification.
    if (queue.length === 1) setImmediate(startNext)
  }

  const startNext = (): void => {
    while (queue.length > 0 && !closed) {
      if (target === undefined) {
        queue.splice(0).forEach((queued) => {
          drop(queued.count)
          queued.onAttempt()
        })
        return
      }
      const settings = { ...DEFAULTS, ...target }
      if (inFlight >= settings.concurrency) return
      const size = batchSize(queue, Math.min(settings.batch, LARGEST_BATCH))
      void attempt(mergeNotifications(queue.splice(0, size)), settings)
    }
  }

  const attempt = async (queued: QueuedNotification, settings: Required<WebhookTarget>): Promise<void> => {
    const startedIn = generation
    const body = queued.body ?? notificationOf(account, queued.updates)
    inFlight += 1
    const acknowledged = await postNotification(connections, settings, body, queued.signature)
    inFlight -= 1
    queued.onAttempt()
    if (closed || startedIn !== generation) return startNext()
    const number = queued.count
    if (acknowledged) countUpdates({ pending: stats.pending - number, acknowledged: stats.acknowledged + number })
    else if (Date.now() - queued.since >= settings.giveUpMs) drop(number)
    else {
      countUpdates({ failedAttempts: stats.failedAttempts + 1 })
      const again: QueuedNotification = { ...queued, body, signature: 'right', onAttempt: () => undefined, attempts: queued.attempts + 1 }
      timers.after(retryDelay(again.attempts, settings), () => enqueue(again))
    }
    startNext()
  }

  const schedule = (number: number, make: () => Pick<QueuedNotification, 'updates' | 'body'>, options: DeliveryOptions = {}): void => {
    const { afterMs = 0, times = 1, signature = 'right', onAttempt = () => undefined } = options
    if (number === 0 || closed) return onAttempt()
    if (stats.pending + number * times > MOST_PENDING) {
      countUpdates({ dropped: stats.dropped + number * times })
      return onAttempt()
    }
    countUpdates({ pending: stats.pending + number * times })
    const ready = (): void => {
      const queued: QueuedNotification = { ...make(), count: number, signature, onAttempt, since: Date.now(), attempts: 0 }
      for (let made = 0; made < times; made += 1) enqueue(queued)
    }
    if (afterMs === 0) ready()
    else timers.after(afterMs, ready)
  }

  return {
    verify: (candidate) => verifyWebhook(connections, { ...DEFAULTS, ...candidate }),
    setTarget: (next) => { target = next },
    target: () => target,
    send: (number, make, options) => schedule(number, () => ({ updates: make() }), options),
    sendRaw: (payload, options) => schedule(1, () => ({ updates: [], body: Buffer.from(webhookJson(payload)) }), options),
    stats: () => stats,
    idle: () => new Promise((resolve, reject) => {
      if (stats.pending === 0) resolve()
      else idleWaiters = [...idleWaiters, { resolve, reject }]
    }),
    reset: () => {
      generation += 1
      timers.clear()
      queue.splice(0).forEach(({ onAttempt }) => onAttempt())
      countUpdates({ pending: 0, acknowledged: 0, failedAttempts: 0, dropped: 0 })
    },
    close: async () => {
      closed = true
      timers.clear()
      queue = []
      idleWaiters.forEach(({ reject }) => reject(new Error('The simulator was closed with updates pending')))
      idleWaiters = []
      connections.destroy()
    },
  }
}

/** A webhook's address without its query, which may hold a secret. */
export const publicUrl = ({ url }: WebhookTarget): string => {
  const { origin, pathname } = new URL(url)
  return `${origin}${pathname}`
}

/** The pause before a redelivery, counted from 1: none before the first, then each twice as long up to the longest. */
export const retryDelay = (
  attempts: number, { retryMs, retryAtMostMs }: { readonly retryMs: number; readonly retryAtMostMs: number },
): number =>
  attempts <= 1 ? 0 : Math.min(retryAtMostMs, retryMs * 2 ** Math.min(attempts - 2, 30))

/** How many items at the head of the queue can share a notification: those not yet attempted and signed correctly. */
const batchSize = (queue: ReadonlyArray<QueuedNotification>, most: number): number => {
  let size = 0
  let updates = 0
  for (const queued of queue) {
    const alone = queued.body !== undefined || queued.signature !== 'right'
    updates += queued.count
    if (size > 0 && (alone || updates > most)) break
    size += 1
    if (alone) break
  }
  return size
}

const mergeNotifications = (notifications: ReadonlyArray<QueuedNotification>): QueuedNotification => {
  const [first, ...rest] = notifications
  if (first === undefined) throw new Error('A notification without updates')
  return rest.length === 0 ? first : {
    ...first,
    updates: notifications.flatMap(({ updates }) => updates),
    count: notifications.reduce((sum, { count }) => sum + count, 0),
    onAttempt: () => notifications.forEach(({ onAttempt }) => onAttempt()),
  }
}
