import { Agent } from 'undici'
import { handshake, post } from './post.js'
import type { Signature } from './signature.js'
import { makeTimers } from './timers.js'
import { notificationOf, type Account, type Update } from './updates.js'
import { webhookJson } from './wire-json.js'

/** Where notifications go, and how hard the platform tries. */
export type WebhookTarget = {
  readonly url: string
  readonly appSecret: string
  readonly verifyToken: string
  /** The most updates in one notification; what has to wait shares one. */
  readonly batch?: number
  /** How many notifications are under way at once. */
  readonly concurrency?: number
  /** How long an answer may take. */
  readonly timeoutMs?: number
  /** The pause before the third attempt; the second follows the first at once, and each later pause is twice the one before. */
  readonly retryMs?: number
  /** The longest pause. */
  readonly retryAtMostMs?: number
  /** After how long an update is given up. */
  readonly giveUpMs?: number
}

export type WebhookStats = {
  /** Updates that wait for their time, their turn or an acknowledgement. */
  readonly pending: number
  /** Updates acknowledged with 200. */
  readonly acknowledged: number
  /** Notifications that were not acknowledged and will be delivered again. */
  readonly failedAttempts: number
  /** Updates nobody will get: given up, too many, or without a webhook to go to. */
  readonly dropped: number
}

/** How updates are sent: after what pause, how many times, signed how at the first attempt, and what happens once that is over. */
export type Dispatch = {
  readonly afterMs?: number
  readonly times?: number
  readonly signature?: Signature
  readonly onAttempt?: () => void
}

/** Delivers notifications until they are acknowledged. */
export type Webhooks = {
  /** Whether a target gives the challenge of the verification handshake back, as the platform asks when one is configured. */
  readonly verify: (target: WebhookTarget) => Promise<boolean>
  readonly aim: (target: WebhookTarget | undefined) => void
  readonly target: () => WebhookTarget | undefined
  /** Delivers updates that stay together; they are made when their time has come, so that they carry that moment. */
  readonly send: (count: number, make: () => ReadonlyArray<Update>, dispatch?: Dispatch) => void
  /** Delivers a notification as it is given, right or wrong, in the platform's spelling. */
  readonly sendRaw: (payload: unknown, dispatch?: Dispatch) => void
  readonly stats: () => WebhookStats
  /** Resolves once nothing is pending; rejects if the simulator is closed before. */
  readonly idle: () => Promise<void>
  /** Forgets what is pending and what was counted. */
  readonly reset: () => void
  readonly close: () => Promise<void>
}

type Parcel = {
  readonly updates: ReadonlyArray<Update>
  /** How many updates it counts for. */
  readonly count: number
  readonly signature: Signature
  readonly onAttempt: () => void
  readonly since: number
  readonly attempts: number
  /** Set once it was attempted: what is delivered again are the same bytes. */
  readonly body?: Buffer
}

const DEFAULTS = {
  batch: 100, concurrency: 8, timeoutMs: 10_000, retryMs: 1_000, retryAtMostMs: 60_000, giveUpMs: 7 * 24 * 3_600_000,
}
const MOST_PENDING = 500_000
const LARGEST_BATCH = 1_000

/** Webhooks of an account that go nowhere until they are aimed. */
export const makeWebhooks = (account: Account, first?: WebhookTarget): Webhooks => {
  const timers = makeTimers()
  const agent = new Agent({ keepAliveTimeout: 4_000, connect: { timeout: 5_000 } })
  let target = first
  let queue: Parcel[] = []
  let underWay = 0
  let era = 0
  let closed = false
  let stats = { pending: 0, acknowledged: 0, failedAttempts: 0, dropped: 0 }
  let waiting: ReadonlyArray<{ readonly resolve: () => void; readonly reject: (error: Error) => void }> = []

  const count = (change: Partial<WebhookStats>): void => {
    stats = { ...stats, ...change }
    if (stats.pending > 0) return
    waiting.forEach(({ resolve }) => resolve())
    waiting = []
  }
  const drop = (updates: number): void => count({ pending: stats.pending - updates, dropped: stats.dropped + updates })

  const enqueue = (parcel: Parcel): void => {
    queue.push(parcel)
    // Whatever becomes ready in the same turn of the event loop can share a notification.
    if (queue.length === 1) setImmediate(pump)
  }

  const pump = (): void => {
    while (queue.length > 0 && !closed) {
      if (target === undefined) {
        queue.splice(0).forEach((parcel) => {
          drop(parcel.count)
          parcel.onAttempt()
        })
        return
      }
      const settings = { ...DEFAULTS, ...target }
      if (underWay >= settings.concurrency) return
      const size = batchSize(queue, Math.min(settings.batch, LARGEST_BATCH))
      void attempt(together(queue.splice(0, size)), settings)
    }
  }

  const attempt = async (parcel: Parcel, settings: Required<WebhookTarget>): Promise<void> => {
    const begun = era
    const body = parcel.body ?? notificationOf(account, parcel.updates)
    underWay += 1
    const acknowledged = await post(agent, settings, body, parcel.signature)
    underWay -= 1
    parcel.onAttempt()
    if (closed || begun !== era) return pump()
    const number = parcel.count
    if (acknowledged) count({ pending: stats.pending - number, acknowledged: stats.acknowledged + number })
    else if (Date.now() - parcel.since >= settings.giveUpMs) drop(number)
    else {
      count({ failedAttempts: stats.failedAttempts + 1 })
      const again: Parcel = { ...parcel, body, signature: 'right', onAttempt: () => undefined, attempts: parcel.attempts + 1 }
      timers.after(pauseBefore(again.attempts, settings), () => enqueue(again))
    }
    pump()
  }

  const schedule = (number: number, make: () => Pick<Parcel, 'updates' | 'body'>, dispatch: Dispatch = {}): void => {
    const { afterMs = 0, times = 1, signature = 'right', onAttempt = () => undefined } = dispatch
    if (number === 0 || closed) return onAttempt()
    if (stats.pending + number * times > MOST_PENDING) {
      count({ dropped: stats.dropped + number * times })
      return onAttempt()
    }
    count({ pending: stats.pending + number * times })
    const ready = (): void => {
      const parcel: Parcel = { ...make(), count: number, signature, onAttempt, since: Date.now(), attempts: 0 }
      for (let made = 0; made < times; made += 1) enqueue(parcel)
    }
    if (afterMs === 0) ready()
    else timers.after(afterMs, ready)
  }

  return {
    verify: (candidate) => handshake(agent, { ...DEFAULTS, ...candidate }),
    aim: (next) => { target = next },
    target: () => target,
    send: (number, make, dispatch) => schedule(number, () => ({ updates: make() }), dispatch),
    sendRaw: (payload, dispatch) => schedule(1, () => ({ updates: [], body: Buffer.from(webhookJson(payload)) }), dispatch),
    stats: () => stats,
    idle: () => new Promise((resolve, reject) => {
      if (stats.pending === 0) resolve()
      else waiting = [...waiting, { resolve, reject }]
    }),
    reset: () => {
      era += 1
      timers.clear()
      queue.splice(0).forEach(({ onAttempt }) => onAttempt())
      count({ pending: 0, acknowledged: 0, failedAttempts: 0, dropped: 0 })
    },
    close: async () => {
      closed = true
      timers.clear()
      queue = []
      waiting.forEach(({ reject }) => reject(new Error('The simulator was closed with updates pending')))
      waiting = []
      await agent.destroy()
    },
  }
}

/** A webhook's address as it may be shown: without what people put into one to keep it secret. */
export const addressOf = ({ url }: WebhookTarget): string => {
  const { origin, pathname } = new URL(url)
  return `${origin}${pathname}`
}

/** The pause before an attempt, counting from 1 for the first redelivery: none, then ever longer ones. */
export const pauseBefore = (
  attempts: number, { retryMs, retryAtMostMs }: { readonly retryMs: number; readonly retryAtMostMs: number },
): number =>
  attempts <= 1 ? 0 : Math.min(retryAtMostMs, retryMs * 2 ** Math.min(attempts - 2, 30))

/** How many parcels at the head of the queue can share a notification: fresh ones, signed rightly. */
const batchSize = (queue: ReadonlyArray<Parcel>, most: number): number => {
  let size = 0
  let updates = 0
  for (const parcel of queue) {
    const alone = parcel.body !== undefined || parcel.signature !== 'right'
    updates += parcel.count
    if (size > 0 && (alone || updates > most)) break
    size += 1
    if (alone) break
  }
  return size
}

const together = (parcels: ReadonlyArray<Parcel>): Parcel => {
  const [first, ...rest] = parcels
  if (first === undefined) throw new Error('A notification without updates')
  return rest.length === 0 ? first : {
    ...first,
    updates: parcels.flatMap(({ updates }) => updates),
    count: parcels.reduce((sum, { count }) => sum + count, 0),
    onAttempt: () => parcels.forEach(({ onAttempt }) => onAttempt()),
  }
}
