import * as E from 'fp-ts/lib/Either.js'
import type { PlatformError, PlatformUnreachable } from '../../core/kernel/failure.js'
import { makeFairQueue } from '../shared/fair-queue.js'
import type { WorkspaceId } from '../../core/kernel/ids.js'
import type { Admission, Permit } from '../../core/kernel/limits.js'
import type { Platform } from '../../core/sending/dispatch.js'

/** An average in which the latest values count most. */
export type Average = { readonly add: (value: number) => void; readonly value: () => number }

/** The part of a new value in the average. */
const PART_OF_NEW = 0.05

/** Makes an average that is 0 until the first value. */
export const makeAverage = (): Average => {
  let average: number | undefined
  return {
    add: (value) => { average = average === undefined ? value : average + PART_OF_NEW * (value - average) },
    value: () => average ?? 0,
  }
}

/** A call to the platform that has ended. */
export type EndedCall = {
  readonly durationMs: number
  /** How long sends take besides their calls, in milliseconds: this gateway's own work, and its database's. */
  readonly ownMs: number
  /** Whether the platform's answer contains the outcome of the message. */
  readonly answered: boolean
  /** How many sends were under way when it ended. */
  readonly inFlight: number
}

/** What bounds the limit. */
export type LimitBounds = {
  readonly most: number
  /** How long the platform may take for an answer, in milliseconds, before fewer calls are made at once. */
  readonly targetMs: number
}

/** How many calls may be under way before the platform has answered any. */
export const FIRST_LIMIT = 512

/** The least limit: some calls are always made, so that the gateway notices when the platform answers in time again. */
export const LEAST_LIMIT = 32

/** How long a gateway's own work for a send may take, in milliseconds, before it has fewer under way. */
const OWN_TARGET_MS = 1_000

/** The limit grows fourfold at most while as many calls are answered as it allows. */
const FASTEST_GROWTH = 3

/**
 * How many calls may be under way at once, after one of them has ended.
 *
 * The limit moves towards the number at which an answer would take `targetMs` if the time of an answer grew in proportion to the
 * number of calls. So it grows while the platform answers fast, and while that number is needed; it shrinks when answers are slow
 * or missing, and when the gateway itself or its database is slow, so that sends wait where workspaces take turns. A limit that is
 * hardly used shrinks towards `FIRST_LIMIT`, since it was measured under another load.
 */
export const nextLimit = (limit: number, { durationMs, ownMs, answered, inFlight }: EndedCall, { most, targetMs }: LimitBounds): number => {
  const slowness = Math.max(1 / targetMs, durationMs / targetMs, ownMs / OWN_TARGET_MS)
  const step = Math.min(FASTEST_GROWTH, 1 / slowness - 1)
  if (step < 0) return Math.max(Math.min(LEAST_LIMIT, most), limit + step)
  if (answered && inFlight >= limit / 2) return Math.min(most, limit + step)
  return inFlight < limit / 4 && limit > FIRST_LIMIT ? Math.max(FIRST_LIMIT, limit - 1) : limit
}

/** An `Admission` whose limit follows how fast the platform answers. */
export type AdmissionControl = Admission & {
  /** The same platform; how long its answers take sets the limit. */
  readonly observed: (platform: Platform) => Platform
  /** The present state, for metrics. */
  readonly state: () => AdmissionState
}

/** How many sends are under way, how many wait to start, and how many may be under way. */
export type AdmissionState = { readonly inFlight: number; readonly waiting: number; readonly limit: number }

/** The bounds of an admission control. */
export type AdmissionOptions = {
  /** The highest limit, however fast the platform answers: what memory allows. */
  readonly maxInFlight: number
  /** How many sends may wait. */
  readonly maxWaiting: number
  /** How long a send may wait, in milliseconds. */
  readonly maxWaitMs: number
  /** The deadline of a call to the platform, in milliseconds. The limit aims at answers within half of it. */
  readonly platformTimeoutMs: number
  /** Called for each send that is refused. */
  readonly onRefused?: (why: RefusalReason) => void
}

/** Why a send was not admitted. */
export type RefusalReason = 'queue_full' | 'waited_too_long'

type Waiting = { readonly start: () => void; readonly refuse: (why: RefusalReason) => void }

/** Makes an admission control that lets no send wait at first. */
export const makeAdmissionControl = (
  { maxInFlight, maxWaiting, maxWaitMs, platformTimeoutMs, onRefused = () => undefined }: AdmissionOptions,
): AdmissionControl => {
  const queue = makeFairQueue<Waiting>(maxWaiting)
  const bounds = { most: maxInFlight, targetMs: platformTimeoutMs / 2 }
  let limit = Math.min(FIRST_LIMIT, maxInFlight)
  let inFlight = 0
  const sendMs = makeAverage()
  const callMs = makeAverage()

  const hasRoom = (): boolean => inFlight < Math.floor(limit) && queue.size() === 0

  const takePermit = (): Permit => {
    const begun = performance.now()
    let released = false
    inFlight += 1
    return {
      release: () => {
        if (released) return
        released = true
        inFlight -= 1
        sendMs.add(performance.now() - begun)
        startWaiting()
      },
    }
  }

  const startWaiting = (): void => {
    while (inFlight < Math.floor(limit)) {
      const next = queue.shift()
      if (next === undefined) return
      next.start()
    }
  }

  const wait = (workspace: WorkspaceId): Promise<E.Either<PlatformUnreachable, Permit>> =>
    new Promise((resolve) => {
      const deadline = setTimeout(() => {
        queue.remove([workspace], waiting)
        waiting.refuse('waited_too_long')
      }, maxWaitMs)
      const waiting: Waiting = {
        start: () => {
          clearTimeout(deadline)
          resolve(E.right(takePermit()))
        },
        refuse: (why) => {
          clearTimeout(deadline)
          onRefused(why)
          resolve(E.left({ _tag: 'PlatformUnreachable', cause: new Error(sentenceOf(why)) }))
        },
      }
      queue.push([workspace], waiting)?.refuse('queue_full')
    })

  const sentenceOf = (why: RefusalReason): string => {
    switch (why) {
      case 'queue_full': return `${maxWaiting} sends wait already for one of ${Math.floor(limit)} calls to the platform to end`
      case 'waited_too_long': return `None of ${Math.floor(limit)} calls to the platform ended for this send within ${maxWaitMs} ms`
    }
  }

  return {
    hasRoom,
    admit: async (workspace) => (hasRoom() ? E.right(takePermit()) : wait(workspace)),
    observed: (platform) => ({
      send: async (outbound) => {
        const begun = performance.now()
        const answer = await platform.send(outbound)
        const durationMs = performance.now() - begun
        callMs.add(durationMs)
        const ownMs = Math.max(0, sendMs.value() - callMs.value())
        const answered = E.isRight(answer) || isAnswer(answer.left)
        limit = nextLimit(limit, { durationMs, ownMs, answered, inFlight }, bounds)
        startWaiting()
        return answer
      },
    }),
    state: () => ({ inFlight, waiting: queue.size(), limit: Math.floor(limit) }),
  }
}

const isAnswer = (error: PlatformError): boolean => {
  switch (error._tag) {
    case 'PlatformRejected': case 'PlatformThrottled': case 'CredentialsRefused': return true
    case 'PlatformUnreachable': case 'OutcomeUnknown': return false
  }
}
