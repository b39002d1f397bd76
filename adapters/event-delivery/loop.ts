import { setMaxListeners } from 'node:events'
import { setTimeout as delay } from 'node:timers/promises'
import * as E from 'fp-ts/lib/Either.js'
import type { AttemptResult, EventSink } from '../../core/events/delivery.js'
import type { Leases } from '../../core/kernel/leases.js'
import type { Event } from '../../core/kernel/outbox.js'
import { SECOND_MS } from '../../core/kernel/time.js'
import type { NewSpan, Tracer } from '../../core/kernel/tracing.js'

/** Passes that run one at a time, again and again. */
export type Loop = {
  /** Begins the first pass. */
  readonly start: () => void
  /** Has the next pass begin within so many milliseconds, or soon; never later than it would. */
  readonly wake: (withinMs?: number) => void
  /** Begins no more passes. Waits for the one that is under way, or so many milliseconds. */
  readonly stop: (limitMs?: number) => Promise<void>
}

/** How a loop runs. */
export type LoopOptions = {
  /** One pass. Its answer is the pause after it, in milliseconds, where that is not the usual one. */
  readonly pass: () => Promise<number | undefined>
  /** The usual pause, also after a pass that rejected, in milliseconds; a second by default. */
  readonly everyMs?: number
  /** Takes what a pass rejected with; the next pass begins all the same. */
  readonly onFailure: (error: unknown) => void
}

/** The shortest time from the end of a pass to the next, in milliseconds: what wakes a loop many times within it wakes it once. */
const SHORTEST_PAUSE_MS = 20

/** Makes a loop that does nothing before it is started. */
export const makeLoop = ({ pass, everyMs = SECOND_MS, onFailure }: LoopOptions): Loop => {
  let state: 'new' | 'waiting' | 'passing' | 'stopped' = 'new'
  let nextAt = Infinity
  let timer: NodeJS.Timeout | undefined
  let running = Promise.resolve()

  const begin = (): void => {
    state = 'passing'
    nextAt = Infinity
    running = pass().catch(onFailure).then((pauseMs) => {
      if (state === 'stopped') return
      state = 'waiting'
      const endedAt = performance.now()
      wait(Math.max(endedAt + SHORTEST_PAUSE_MS, Math.min(nextAt, endedAt + (pauseMs ?? everyMs))))
    })
  }

  const wait = (until: number): void => {
    nextAt = until
    clearTimeout(timer)
    timer = setTimeout(begin, Math.max(0, until - performance.now()))
  }

  return {
    start: () => {
      if (state === 'new') begin()
    },
    wake: (withinMs = SHORTEST_PAUSE_MS) => {
      const at = performance.now() + withinMs
      if (at >= nextAt) return
      if (state === 'waiting') wait(at)
      else nextAt = at
    },
    stop: (limitMs) => {
      state = 'stopped'
      clearTimeout(timer)
      return limitMs === undefined ? running : endOrLimit(running, limitMs)
    },
  }
}

/** Waits until work has ended, or so many milliseconds. */
export const endOrLimit = async (work: Promise<unknown>, limitMs: number): Promise<void> => {
  const cancel = new AbortController()
  await Promise.race([work, delay(limitMs, undefined, { signal: cancel.signal }).catch(() => undefined)])
  cancel.abort()
}

/** How deliveries are ended: first no attempt begins any more, later what is still under way is given up. */
export type RunControl = {
  readonly isStopping: () => boolean
  readonly isAbandoned: () => boolean
  /** Waits; ends early once deliveries are stopping. */
  readonly pauseUntilStop: (ms: number) => Promise<void>
  /** Waits; ends early once what is under way is given up. */
  readonly pauseUntilAbandoned: (ms: number) => Promise<void>
  readonly stop: () => void
  readonly abandon: () => void
}

/** Makes the control of deliveries that have not ended. */
export const makeRunControl = (): RunControl => {
  const [stopped, abandoned] = [new AbortController(), new AbortController()]
  // Many runs wait at once.
  setMaxListeners(0, stopped.signal, abandoned.signal)
  const pause = async (ms: number, { signal }: AbortController): Promise<void> => {
    if (ms > 0) await delay(ms, undefined, { signal }).catch(() => undefined)
  }
  return {
    isStopping: () => stopped.signal.aborted,
    isAbandoned: () => abandoned.signal.aborted,
    pauseUntilStop: (ms) => pause(ms, stopped),
    pauseUntilAbandoned: (ms) => pause(ms, abandoned),
    stop: () => { stopped.abort() },
    abandon: () => { abandoned.abort() },
  }
}

/** The leases that this process has, taken where they are needed and kept while they are used. */
export type HeldLeases = {
  /** Whether this process has a lease; takes it if it is free. A lease that was refused is not asked for again for some seconds. */
  readonly hold: (name: string) => Promise<boolean>
  /** Whether this process has a lease now. */
  readonly isHeld: (name: string) => boolean
  /** Whether a lease was refused a short time ago. */
  readonly isRefused: (name: string) => boolean
  /** Renews the leases that were used lately; the others end by themselves. */
  readonly renew: () => Promise<void>
  readonly releaseAll: () => Promise<void>
}

/** How long a lease lasts. After a process is killed, no other one works on its part until the lease ends. */
const LEASE_MS = 15_000

/** How often leases are renewed, in milliseconds. */
export const RENEW_EVERY_MS = 5_000

/** How long a lease is not asked for after it was refused, and after it could not be asked for. */
const REFUSED_MS = 3_000
const FAILED_MS = 1_000

/** A lease that was not used for so long is no longer renewed. */
const UNUSED_MS = 30_000

/** Takes no leases before one is asked for. `now` is in milliseconds and never goes back; `onFailure` gets the cause where `take` fails. */
export const makeHeldLeases = (leases: Leases, now: () => number, onFailure: (error: unknown) => void): HeldLeases => {
  const held = new Map<string, { readonly until: number; usedAt: number }>()
  const refusedUntil = new Map<string, number>()

  const isHeld = (name: string): boolean => (held.get(name)?.until ?? 0) > now()
  const isRefused = (name: string): boolean => (refusedUntil.get(name) ?? 0) > now()

  const take = async (name: string, usedAt: number): Promise<boolean> => {
    // The lease counts from before it was asked for, so it never counts for longer here than where it is kept.
    const until = now() + LEASE_MS
    const taken = await leases.take(name, LEASE_MS)
    if (E.isLeft(taken)) {
      onFailure(taken.left.cause)
      refusedUntil.set(name, now() + FAILED_MS)
      return false
    }
    if (taken.right) held.set(name, { until, usedAt })
    else {
      held.delete(name)
      refusedUntil.set(name, now() + REFUSED_MS)
    }
    return taken.right
  }

  return {
    isHeld,
    isRefused,
    hold: async (name) => {
      const lease = held.get(name)
      if (lease === undefined || !isHeld(name)) return isRefused(name) ? false : take(name, now())
      lease.usedAt = now()
      return true
    },
    renew: async () => {
      const used = [...held].filter(([, { usedAt }]) => now() - usedAt < UNUSED_MS)
      await Promise.all(used.map(([name, { usedAt }]) => take(name, usedAt)))
      for (const name of [...held.keys()]) if (!isHeld(name)) held.delete(name)
    },
    releaseAll: async () => {
      const names = [...held.keys()]
      held.clear()
      await Promise.all(names.map((name) => leases.release(name)))
    },
  }
}

/** How items are worked on. */
export type InOrderOptions<Item> = {
  /** Items with the same subject are worked on strictly one after the other. */
  readonly subjectOf: (item: Item) => string
  /** How many items are worked on at once; with 1 all are worked on in their order. */
  readonly atOnce: number
  /** Asked before each item; once it answers `false`, no further item is begun. */
  readonly goesOn: () => boolean
}

/** Works on items in their order, several at once. Resolves once no item is worked on and none is left or may begin. */
export const workInOrder = <Item>(
  items: ReadonlyArray<Item>, { subjectOf, atOnce, goesOn }: InOrderOptions<Item>, work: (item: Item, index: number) => Promise<void>,
): Promise<void> =>
  new Promise((resolve, reject) => {
    let waiting = items.map((item, index) => ({ item, index, subject: subjectOf(item) }))
    const busy = new Set<string>()

    const beginNext = (): void => {
      const held = new Set(busy)
      waiting = waiting.filter(({ item, index, subject }) => {
        if (busy.size >= atOnce || held.has(subject) || !goesOn()) {
          // What follows of this subject must not overtake it.
          held.add(subject)
          return true
        }
        busy.add(subject)
        held.add(subject)
        work(item, index).then(() => {
          busy.delete(subject)
          beginNext()
        }, reject)
        return false
      })
      if (busy.size === 0) resolve()
    }
    beginNext()
  })

/** Longer than an attempt takes by the promise of `EventSink`: a sink that breaks it must not keep its endpoint for ever. */
const LONGEST_ATTEMPT_MS = 25_000

/** Tries once to deliver an event, in a span where there is a tracer. Never rejects and always ends, whatever the sink does. */
export const attemptToDeliver = (sink: EventSink, event: Event, tracer: Tracer | undefined, system: 'broker' | 'webhook'): Promise<AttemptResult> =>
  tracer === undefined ? attempt(sink, event) : tracer.span(deliverySpan(event, system), async (span) => {
    const result = await attempt(sink, event)
    if (result.httpStatus !== undefined) span.say({ 'http.response.status_code': result.httpStatus })
    if (!result.delivered) span.fail(result.isUntried === true ? 'untried' : String(result.httpStatus ?? 'unanswered'))
    return result
  })

/** The event came about in another trace, perhaps long ago, and is linked to it. */
const deliverySpan = ({ id, type, trace, workspace }: Event, system: string): NewSpan => ({
  name: `deliver ${type}`, kind: 'producer', isRoot: true, link: trace,
  attributes: {
    'messaging.system': system, 'messaging.operation.name': 'deliver', 'messaging.operation.type': 'send', 'messaging.message.id': id,
    'postern.event.type': type, 'postern.workspace': workspace,
  },
})

const attempt = async (sink: EventSink, event: Event): Promise<AttemptResult> => {
  const startedAt = performance.now()
  const failed = (error: string): AttemptResult => ({
    delivered: false, httpStatus: undefined, error, answer: undefined, durationMs: Math.round(performance.now() - startedAt),
  })
  let timer: NodeJS.Timeout | undefined
  const late = new Promise<AttemptResult>((resolve) => {
    timer = setTimeout(() => { resolve(failed('The attempt did not end in time.')) }, LONGEST_ATTEMPT_MS)
  })
  try {
    return await Promise.race([sink.deliver(event), late])
  } catch {
    return failed('The attempt could not be made.')
  } finally {
    clearTimeout(timer)
  }
}

/** Limits how many attempts a second each endpoint gets. */
export type AttemptRate = {
  /** Reserves the next attempt of an endpoint; gives how long it has to wait, in milliseconds. */
  readonly reserve: (endpoint: string) => number
}

/** Attempts that must wait are let through together at the end of each interval of so long, in milliseconds: a process that wakes for each of them does little else. */
const SLOT_MS = 100

/** Attempts that come after a rest may use what was left of so much time, in milliseconds. */
const BURST_MS = 250

const MOST_REMEMBERED = 1_000

/** Makes a limit of so many attempts a second for each endpoint. `now` is in milliseconds and never goes back. */
export const makeAttemptRate = (perSecond: number, now: () => number): AttemptRate => {
  /** When the next attempt of an endpoint is due if its attempts are spread evenly. */
  const nextAt = new Map<string, number>()

  const forgetRested = (at: number): void => {
    for (const [endpoint, next] of nextAt) if (next < at - BURST_MS) nextAt.delete(endpoint)
  }

  return {
    reserve: (endpoint) => {
      const at = now()
      if (nextAt.size > MOST_REMEMBERED) forgetRested(at)
      const due = Math.max(nextAt.get(endpoint) ?? 0, at - BURST_MS)
      nextAt.set(endpoint, due + 1_000 / perSecond)
      return due <= at ? 0 : Math.ceil((due - at) / SLOT_MS) * SLOT_MS
    },
  }
}

/** Notes results in groups, in the order of their numbers. */
export type GroupedNotes<Result> = {
  /** Takes the result with a number; the first is 0. It is noted soon, once all results with lower numbers are there. */
  readonly add: (number: number, result: Result) => void
  /** Waits until few results are left that are not noted. */
  readonly untilFew: () => Promise<void>
  /** Notes what is left, except results after a missing one. */
  readonly finish: () => Promise<void>
}

/** So many results are noted at once, without waiting for more. */
const FULL_GROUP = 32

/** The longest that a result waits for others, in milliseconds. */
const GROUP_MS = 50

/** `note` gets results that follow each other; it is called one at a time and never rejects. */
export const makeGroupedNotes = <Result>(note: (results: ReadonlyArray<Result>) => Promise<void>): GroupedNotes<Result> => {
  const results = new Map<number, Result>()
  let [ready, noted] = [0, 0]
  let timer: NodeJS.Timeout | undefined
  let noting = Promise.resolve()

  const takeReady = (): ReadonlyArray<Result> => {
    const group: Result[] = []
    for (; noted < ready; noted += 1) {
      const result = results.get(noted)
      if (result !== undefined) group.push(result)
      results.delete(noted)
    }
    return group
  }

  const noteReady = (): Promise<void> => {
    clearTimeout(timer)
    timer = undefined
    noting = noting.then(async () => {
      const group = takeReady()
      if (group.length > 0) await note(group)
    })
    return noting
  }

  return {
    add: (number, result) => {
      results.set(number, result)
      while (results.has(ready)) ready += 1
      if (ready - noted === FULL_GROUP) void noteReady()
      else timer ??= setTimeout(() => { void noteReady() }, GROUP_MS)
    },
    untilFew: () => (ready - noted < FULL_GROUP ? Promise.resolve() : noteReady()),
    finish: noteReady,
  }
}
