/**
 * A gateway inside another program: one call wires a storage and a platform to the sends and the jobs, and starts and stops them in order.
 *
 * @packageDocumentation
 */
import { setTimeout as delay } from 'node:timers/promises'
import * as E from 'fp-ts/lib/Either.js'
import { type PlatformUnreachable, type PortFailure, portFailure } from '../core/kernel/failure.js'
import { eventIdOf } from '../core/kernel/ids.js'
import { DAY_MS, HOUR_MS, MINUTE_MS, SECOND_MS } from '../core/kernel/time.js'
import type { SendingPorts, Storage } from '../core/ports.js'
import { makeSending, type Sending, type Settling } from '../core/postern.js'
import type { SendingSettings } from '../core/settings.js'
import { type EventDeliveryDeps, makeEventDelivery } from './event-delivery/event-delivery.js'
import type { RunningJob } from './jobs/job.js'
import { endOrLimit } from './jobs/loop.js'
import { readTemplatesOnReport } from './jobs/template-sync.js'
import { makeUpkeep, type Upkeep, type UpkeepDeps, type UpkeepReports, type UpkeepSettings } from './jobs/upkeep.js'
import { machine } from './machine/machine.js'
import { makeRetryQueue } from './retry-queue/retry-queue.js'

/** A storage as required by a gateway: the ports of a send and the leases. Its other ports are used, too. */
export type GatewayStorage =
  & Pick<SendingPorts, 'senders'> & Pick<Storage, 'leases' | 'messageLog' | 'wallet' | 'windowClock'> & Partial<Omit<Storage, 'senders'>>
  & Pick<UpkeepDeps, 'addUpLedgers' | 'compareNames' | 'removeExpiredClaims'>
  & {
    /** Identifies the installation, as that of `openStorage` does. Without it or without `queueHolds`, no sleep and no copy of the database holds the queue. */
    readonly installation?: () => Promise<string>
  }

/** A component that runs in the background next to the sends, such as a job of the app. */
export type GatewayJob = { readonly start: () => void; readonly stop: () => Promise<unknown>; readonly idle?: RunningJob['idle'] }

/** How events are delivered: to endpoints with `sinkFor`, which `makeWebhookSender` provides, and to a `broker`, which may be a sink of the app. */
export type GatewayDelivery = Partial<Pick<EventDeliveryDeps, 'attemptsPerSecond' | 'broker' | 'onAttempt' | 'onDisabled' | 'sinkFor'>>

/** The parts of a gateway. */
export type GatewayDeps = Pick<SendingPorts, 'admission' | 'platform' | 'templateSource' | 'tracer'> & Partial<UpkeepReports> & {
  /** Closed last. */
  readonly storage: GatewayStorage
  /** Closed once no call is in progress: the connections to the platform, such as a transport. */
  readonly transport?: { readonly close: () => unknown }
  /** Without it no events are delivered. */
  readonly delivery?: GatewayDelivery
  /** The use cases beyond those of a send, as `makeAdministration` provides them in `upkeep`; `presence` is the app's record of itself. */
  readonly upkeep?: Pick<UpkeepDeps, 'presence' | 'refreshNumbers' | 'rollUpMessages' | 'runRetention' | 'templates'>
  /** Jobs of the app: started last and stopped first. */
  readonly jobs?: ReadonlyArray<GatewayJob>
}

/** The prices of messages, and optional times. */
export type GatewaySettings = UpkeepSettings
  & Pick<SendingSettings, 'onLimit' | 'pairLimit' | 'portfolioLimit' | 'priceOf' | 'senderLimit' | 'templatePreflight'> & {
  /** See `SendingSettings`; two minutes by default. */
  readonly unconfirmedAfterMs?: number
  /** See `SendingSettings`; seven days by default. */
  readonly releaseAfterMs?: number
  /**
   * After how long a sleep of the database its queued messages are held until `resumeQueue` or `postern queue resume`, in milliseconds; an hour by default. They are
   * held also in a copy of the database. `Infinity`: they are never held.
   */
  readonly heldStartMs?: number
}

/** The sends of a program, and their life cycle. */
export type Gateway = Sending & Settling & {
  /** Migrates the storage, then starts the jobs. Rejects if the storage cannot be migrated; then nothing is started. */
  readonly start: () => Promise<void>
  /** Waits until no send and no report is in progress. It refuses none. */
  readonly idle: () => Promise<void>
  /**
   * Refuses new sends with `PlatformUnreachable` and reports with a `PortFailure`, stops the jobs, waits for the calls in progress, writes the remaining settlements,
   * and closes the storage.
   *
   * After `limitMs`, 30 seconds by default, the transport is closed before the calls have ended, so a call to the platform ends with an unknown outcome. Passes of jobs
   * that have not ended are abandoned. The storage is always closed after the calls. A second call waits for the first one.
   */
  readonly stop: (limitMs?: number) => Promise<void>
}

const STOP_MS = 30 * SECOND_MS
const UNCONFIRMED_AFTER_MS = 2 * MINUTE_MS
const RELEASE_AFTER_MS = 7 * DAY_MS

/** Creates a gateway; it can send immediately, and its jobs begin with `start`. Throws an `Error` if there is a broker and the storage stores no events for one. */
export const makeGateway = (deps: GatewayDeps, settings: GatewaySettings): Gateway => {
  const { storage, transport } = deps
  const retries = makeRetryQueue()
  const calls = makeCallCount()
  const sending = makeSending({ ...storage, ...portsIn(deps) }, {
    unconfirmedAfterMs: UNCONFIRMED_AFTER_MS, releaseAfterMs: RELEASE_AFTER_MS, ...settings, ...heldStartOf(storage, settings),
    newUuid: machine.newUuid, retryLater: retries.retryLater,
  })
  const upkeep = upkeepOf(deps, settings, sending)
  const jobs: ReadonlyArray<GatewayJob> = [upkeep, ...deliveryOf(deps), ...deps.jobs ?? []]
  const receive = readTemplatesOnReport(sending.receive, upkeep.readTemplatesSoon)
  let stopped: Promise<void> | undefined
  const end = (limitMs: number): Promise<void> => stopInOrder({
    refuseCalls: calls.close,
    stopJobs: () => Promise.all(jobs.map((job) => job.stop())),
    waitForCalls: () => endOrLimit(calls.idle(), limitMs),
    closePlatform: async () => { await transport?.close() },
    waitForRest: () => Promise.all([calls.idle(), ...jobs.map(async (job) => job.idle?.())]),
    writeSettlements: retries.close,
    closeStorage: async () => storage.close?.(),
  }, { jobsMs: limitMs })
  return {
    prefetch: sending.prefetch,
    confirmsDelivery: sending.confirmsDelivery,
    send: (command) => calls.count(() => sending.send(command), () => E.left(unreachable())),
    sendText: (command) => calls.count(() => sending.sendText(command), () => E.left(unreachable())),
    sendTemplate: (command) => calls.count(() => sending.sendTemplate(command), () => E.left(unreachable())),
    sendOrQueue: (command) => calls.count(() => sending.sendOrQueue(command), () => E.left(unreachable())),
    cancel: (command) => calls.count(() => sending.cancel(command), () => E.left(failed())),
    ...(sending.showQueue && { showQueue: sending.showQueue }),
    receive: (reports) => calls.count(() => receive(reports), () => E.left(failed())),
    reconcile: () => calls.count(sending.reconcile, () => E.left(failed())),
    start: async () => {
      await storage.migrate?.()
      if (stopped === undefined) for (const job of jobs) job.start()
    },
    idle: calls.idle,
    stop: (limitMs = STOP_MS) => (stopped ??= end(limitMs)),
  }
}

/** The steps in which a gateway stops. */
export type StopSteps = {
  /** No new call is accepted from here on. */
  readonly refuseCalls: () => void
  /** The jobs start no more passes; resolves when the last pass has ended. */
  readonly stopJobs: () => Promise<unknown>
  /** Resolves when the calls in progress have ended, or after a timeout. */
  readonly waitForCalls: () => Promise<unknown>
  /** Calls to the platform that are still in progress are cut off, which settles their messages. */
  readonly closePlatform: () => Promise<unknown>
  /** Resolves when the calls that were cut off have ended. */
  readonly waitForRest: () => Promise<unknown>
  /** Writes that have failed so far are tried a last time. */
  readonly writeSettlements: () => Promise<unknown>
  readonly closeStorage: () => Promise<unknown>
}

/** A step of a stop that takes time. */
export type StopStep = Exclude<keyof StopSteps, 'refuseCalls'>

/** How long a stop may take, and its callbacks. */
export type StopLimits = {
  /** After this many milliseconds, passes of jobs that have not ended are abandoned, as if the process had crashed. Without it the stop waits for them. */
  readonly jobsMs?: number
  /** After this many milliseconds from the beginning, the stop waits for no step; each step is still started. Without it the stop waits for all. */
  readonly wholeMs?: number
  /** After how many milliseconds a step is reported; two seconds by default. */
  readonly slowMs?: number
  /** Called once for a step that takes long. */
  readonly onSlow?: (step: StopStep) => void
  /** Called for a step that had not ended when its time was over. */
  readonly onLeft?: (step: StopStep) => void
}

const SLOW_STEP_MS = 2 * SECOND_MS

/**
 * Stops a gateway. The order matters: a send that is cut off still writes the outcome of its message, so the storage is closed after the last write. If a step fails,
 * or exceeds its time, the other steps are still done; the first failure is thrown at the end.
 */
export const stopInOrder = async (
  steps: StopSteps, { jobsMs, wholeMs, slowMs = SLOW_STEP_MS, onSlow, onLeft }: StopLimits = {},
): Promise<void> => {
  const failures = new Array<unknown>()
  const cancel = new AbortController()
  const after = (ms: number): Promise<void> => delay(ms, undefined, { signal: cancel.signal }).catch(() => undefined)
  const whole = wholeMs === undefined ? [] : [after(wholeMs)]
  const underWay = new Set<StopStep>()
  const done = async (step: StopStep, limitMs?: number): Promise<void> => {
    underWay.add(step)
    const over = steps[step]().catch((error: unknown) => { failures.push(error) }).then(() => { underWay.delete(step) })
    void after(slowMs).then(() => { if (underWay.has(step) && !cancel.signal.aborted) onSlow?.(step) })
    await Promise.race([over, ...whole, ...(limitMs === undefined ? [] : [after(limitMs)])])
    if (underWay.has(step)) onLeft?.(step)
  }
  steps.refuseCalls()
  await Promise.all([done('stopJobs', jobsMs), done('waitForCalls')])
  for (const step of ['closePlatform', 'waitForRest', 'writeSettlements', 'closeStorage'] as const) await done(step)
  cancel.abort()
  if (failures.length > 0) throw failures[0]
}

/** The ports of a send that no storage provides, as far as they are given. */
const portsIn = ({ admission, platform, templateSource, tracer }: GatewayDeps) =>
  ({ platform, ...(admission && { admission }), ...(templateSource && { templateSource }), ...(tracer && { tracer }) })

/** Without the function, the gateway cannot recognize a copy of the database. */
const heldStartOf = (
  { installation }: GatewayStorage, { heldStartMs: afterMs = HOUR_MS }: GatewaySettings,
): Pick<SendingSettings, 'heldStart'> => (installation === undefined ? {} : { heldStart: { afterMs, installation } })

const upkeepOf = (
  { storage, upkeep, log, onForgotten, onTemplatesRead, onFailure = ignored }: GatewayDeps, settings: GatewaySettings,
  { reconcile, noteOverdue, draining }: Settling,
): Upkeep => {
  const reports = { onFailure, ...(log && { log }), ...(onForgotten && { onForgotten }), ...(onTemplatesRead && { onTemplatesRead }) }
  const settling = { reconcile, ...(noteOverdue && { noteOverdue }), ...(draining && { draining }) }
  const { addUpLedgers, compareNames, portfolioBudget, ...stored } = storage
  // Only pages show them.
  const ofPages = upkeep?.rollUpMessages
    ? { ...(addUpLedgers && { addUpLedgers }), ...(compareNames && { compareNames }), ...(portfolioBudget && { portfolioBudget }) }
    : {}
  return makeUpkeep({ ...stored, ...ofPages, ...upkeep, ...reports, ...settling }, settings)
}

const ignored = (): void => undefined

const deliveryOf = ({ storage, delivery, tracer, onFailure = ignored }: GatewayDeps): ReadonlyArray<GatewayJob> => {
  const { eventDeliveries: deliveries, eventOutbox: outbox } = storage
  if (delivery === undefined) return []
  if (deliveries === undefined || outbox === undefined) throw new Error('Events can be delivered only from a storage that has eventDeliveries and eventOutbox.')
  return [makeEventDelivery({
    ...delivery, ...(tracer && { tracer }), ...(storage.onEvents && { onEvents: storage.onEvents }), deliveries, outbox,
    leases: storage.leases,
    now: storage.windowClock.now,
    newAttemptId: () => machine.newUuid().replaceAll('-', ''), newEventId: () => eventIdOf(machine.newUuid()),
    onFailure: (error) => { onFailure('event_delivery_failed', error) },
  })]
}

const STOPPING = 'The gateway is stopping.'
const unreachable = (): PlatformUnreachable => ({ _tag: 'PlatformUnreachable', cause: new Error(STOPPING) })
const failed = (): PortFailure => portFailure('Gateway')(new Error(STOPPING))

/** Counts the calls in progress. */
const makeCallCount = () => {
  const underWay = new Set<Promise<unknown>>()
  let isClosed = false
  return {
    close: () => { isClosed = true },
    count: async <Result>(call: () => Promise<Result>, refused: () => Result): Promise<Result> => {
      if (isClosed) return refused()
      const answer = call()
      underWay.add(answer)
      return answer.finally(() => underWay.delete(answer))
    },
    idle: async (): Promise<void> => {
      while (underWay.size > 0) await Promise.allSettled(underWay)
    },
  }
}
