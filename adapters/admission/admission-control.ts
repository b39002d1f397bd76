import * as E from 'fp-ts/lib/Either.js'
import type { PlatformError, PlatformUnreachable } from '../../core/kernel/failure.js'
import { makeFairQueue } from '../../core/kernel/fairness.js'
import type { WorkspaceId } from '../../core/kernel/ids.js'
import type { Admission, Permit } from '../../core/kernel/limits.js'
import type { Platform } from '../../core/sending/transmit.js'
import { makeAverage } from './average.js'
import { FIRST_LIMIT, nextLimit } from './in-flight-limit.js'

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
  readonly onRefused?: (why: RefusedWhy) => void
}

/** Why a send was not admitted. */
export type RefusedWhy = 'queue_full' | 'waited_too_long'

type Waiting = { readonly start: () => void; readonly refuse: (why: RefusedWhy) => void }

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

  const sentenceOf = (why: RefusedWhy): string => {
    switch (why) {
      case 'queue_full': return `${maxWaiting} sends wait already for one of ${Math.floor(limit)} calls to the platform to end`
      case 'waited_too_long': return `None of ${Math.floor(limit)} calls to the platform ended for this send within ${maxWaitMs} ms`
    }
  }

  return {
    hasRoom,
    admit: (workspace) => async () => (hasRoom() ? E.right(takePermit()) : wait(workspace)),
    observed: (platform) => ({
      send: (outbound) => async () => {
        const begun = performance.now()
        const answer = await platform.send(outbound)()
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
