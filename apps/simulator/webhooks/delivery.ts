import { createHmac, randomInt } from 'node:crypto'
import { once } from 'node:events'
import { Agent as HttpAgent, type IncomingMessage, request as httpRequest, type RequestOptions } from 'node:http'
import { Agent as HttpsAgent, request as httpsRequest } from 'node:https'
import { makeTimers, webhookJson } from '../http.js'

/** How a notification is signed: correctly, or in one of several ways that a receiver must refuse. */
export type Signature = 'right' | 'wrong' | 'missing' | 'otherSecret' | 'truncated'

/** The signature header of the bytes that are sent; the key is the app's secret. */
export const signatureHeaders = (how: Signature, body: Buffer, appSecret: string): Readonly<Record<string, string>> => {
  switch (how) {
    case 'right': return header(hmac(body, appSecret))
    case 'wrong': return header('0'.repeat(64))
    case 'missing': return {}
    case 'otherSecret': return header(hmac(body, `${appSecret} of another app`))
    case 'truncated': return header(hmac(body, appSecret).slice(0, 32))
  }
}

const header = (hex: string) => ({ 'x-hub-signature-256': `sha256=${hex}` })

const hmac = (body: Buffer, secret: string): string => createHmac('sha256', secret).update(body).digest('hex')

type Destination = { readonly url: string; readonly appSecret: string; readonly verifyToken: string; readonly timeoutMs: number }

/** Connections that are kept open between notifications; `destroy` closes all of them, including those in use. */
export type WebhookConnections = { readonly http: HttpAgent; readonly https: HttpsAgent; readonly destroy: () => void }

/** An idle connection is closed before servers usually close it, which could break the next notification. */
const IDLE = { keepAlive: true, timeout: 4_000 }

/** Makes connections, none open. */
export const makeWebhookConnections = (): WebhookConnections => {
  const [http, https] = [new HttpAgent(IDLE), new HttpsAgent(IDLE)]
  return {
    http, https,
    destroy: () => {
      http.destroy()
      https.destroy()
    },
  }
}

/** Posts a notification, signed over the exact bytes that are sent; true if the answer is 200. Never fails. */
export const postNotification = async (
  connections: WebhookConnections, { url, appSecret, timeoutMs }: Destination, body: Buffer, signature: Signature,
): Promise<boolean> => {
  const headers = {
    'content-type': 'application/json', 'content-length': body.length, 'user-agent': 'facebookexternalua',
    ...signatureHeaders(signature, body, appSecret),
  }
  const answer = await send(connections, new URL(url), { method: 'POST', headers }, timeoutMs, body).catch(() => undefined)
  return answer?.status === 200
}

/** Verifies a webhook as the platform does: true if the response is 200 with the challenge as its whole body. Never fails. */
export const verifyWebhook = async (connections: WebhookConnections, { url, verifyToken, timeoutMs }: Destination): Promise<boolean> => {
  const challenge = String(randomInt(2 ** 31))
  const withChallenge = new URL(url)
  withChallenge.searchParams.set('hub.mode', 'subscribe')
  withChallenge.searchParams.set('hub.challenge', challenge)
  withChallenge.searchParams.set('hub.verify_token', verifyToken)
  const answer = await send(connections, withChallenge, { method: 'GET' }, timeoutMs).catch(() => undefined)
  return answer?.status === 200 && answer.text === challenge
}

const send = async (
  { http, https }: WebhookConnections, url: URL, options: RequestOptions, timeoutMs: number, body?: Buffer,
): Promise<{ readonly status: number | undefined; readonly text: string }> => {
  const signal = AbortSignal.timeout(timeoutMs)
  const request = url.protocol === 'https:'
    ? httpsRequest(url, { ...options, agent: https, signal })
    : httpRequest(url, { ...options, agent: http, signal })
  // After the response has begun, a failure is reported by reading its body.
  request.on('error', () => undefined)
  request.end(body)
  const [response] = await once(request, 'response') as [IncomingMessage]
  const chunks: Buffer[] = []
  for await (const chunk of response) chunks.push(chunk as Buffer)
  return { status: response.statusCode, text: Buffer.concat(chunks).toString('utf8') }
}

/** One change that the platform reports, independent of the other changes in the notification. */
export type Update = {
  readonly field: string
  /** The business number that it is about; undefined if it is about the account. */
  readonly phoneNumberId: string | undefined
  readonly value: Readonly<Record<string, unknown>>
  /** When something happened to the account, in milliseconds; for updates of messages the platform sends no timestamp here. */
  readonly at?: number
}

/** The business account that reports. */
export type Account = { readonly id: string; readonly displayPhoneNumber: string }

const ITEMS_PER_CHANGE = 10

/** The bytes of a notification with these updates, in the platform's envelope and JSON format. */
export const notificationOf = (account: Account, updates: ReadonlyArray<Update>): Buffer =>
  Buffer.from(webhookJson({ object: 'whatsapp_business_account', entry: entriesOf(account, updates) }))

/** The updates in one entry; updates about the account are in one entry per timestamp. */
const entriesOf = ({ id, displayPhoneNumber }: Account, updates: ReadonlyArray<Update>) => {
  const moments = [...new Set(updates.map(({ at }) => at))]
  return moments.map((moment) => ({
    id,
    ...(moment !== undefined && { time: Math.floor(moment / 1000) }),
    changes: mergeUpdates(updates.filter(({ at }) => at === moment)).map(({ field, phoneNumberId, value }) => ({
      field,
      value: phoneNumberId === undefined ? value : {
        messaging_product: 'whatsapp',
        metadata: { display_phone_number: displayPhoneNumber, phone_number_id: phoneNumberId },
        ...value,
      },
    })),
  }))
}

/** Consecutive updates about the same business number share a change, up to ten, so that receivers must read every list. */
const mergeUpdates = (updates: ReadonlyArray<Update>): ReadonlyArray<Update> => {
  const changes: Update[] = []
  let shared = 0
  for (const update of updates) {
    const last = changes.at(-1)
    const canMerge = last !== undefined && shared < ITEMS_PER_CHANGE && update.field === 'messages'
      && last.field === 'messages' && last.phoneNumberId === update.phoneNumberId
    if (canMerge) changes[changes.length - 1] = { ...last, value: mergeValues(last.value, update.value) }
    else changes.push(update)
    shared = canMerge ? shared + 1 : 1
  }
  return changes
}

const mergeValues = (left: Update['value'], right: Update['value']): Update['value'] =>
  Object.fromEntries([...new Set([...Object.keys(left), ...Object.keys(right)])].map((key) => [key, mergeField(left[key], right[key])]))

const mergeField = (left: unknown, right: unknown): unknown =>
  Array.isArray(left) && Array.isArray(right) ? left.concat(right) as ReadonlyArray<unknown> : right ?? left

/** Where notifications are delivered, and how often delivery is attempted. */
export type WebhookTarget = {
  readonly url: string
  readonly appSecret: string
  readonly verifyToken: string
  /** The maximum number of updates in one notification; updates that wait at the same time share one. */
  readonly batch?: number
  /** The maximum number of notifications in flight. */
  readonly concurrency?: number
  /** The time limit for a response. */
  readonly timeoutMs?: number
  /** The pause before the third attempt; the second follows the first immediately, and each later pause is twice the previous one. */
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
  /** Delivers updates in one notification; they are created when the delay is over, so that their timestamps are current. */
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
  /** The number of its updates in the counts. */
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
const MAX_PENDING = 500_000
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
    if (stats.pending + number * times > MAX_PENDING) {
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

/** A webhook's address without its query, which may contain a secret. */
export const publicUrl = ({ url }: WebhookTarget): string => {
  const { origin, pathname } = new URL(url)
  return `${origin}${pathname}`
}

/** The pause before a redelivery, counted from 1: none before the first; each later pause is twice as long, up to the longest. */
export const retryDelay = (
  attempts: number, { retryMs, retryAtMostMs }: { readonly retryMs: number; readonly retryAtMostMs: number },
): number =>
  attempts <= 1 ? 0 : Math.min(retryAtMostMs, retryMs * 2 ** Math.min(attempts - 2, 30))

/** How many notifications at the head of the queue can be sent as one: those not yet attempted and signed correctly. */
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
