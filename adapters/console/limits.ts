import { hash } from 'node:crypto'
import { setTimeout as delay } from 'node:timers/promises'
import * as E from 'fp-ts/lib/Either.js'
import { type Callers, makeCallers, makeLeastActiveQueue } from '../shared/callers.js'
import type { MemberId } from '../../core/kernel/ids.js'
import { type Allowance, enterAll, type Entered, type Limiter, makeLimiter } from '../shared/limiter.js'
import { networkOf, siteOf, type TooManyRequests } from '../../core/kernel/limits.js'
import { type Clock, SECOND_MS } from '../../core/kernel/time.js'

/** Runs pieces of work one after another, in the order of submission. */
export type Throttle = <Result>(work: () => Promise<Result>) => Promise<Result>

/** The longest pause, in milliseconds: if a piece took long because the database was slow, the others do not wait as long again. */
const LONGEST_PAUSE_MS = 1_000

/**
 * Makes a throttle: it pauses after each piece of work, so all pieces together use at most the given share of the time. Callers that submit one piece of work
 * at a time are served in turn.
 */
export const makeThrottle = (part: number): Throttle => {
  let last: Promise<unknown> = Promise.resolve()
  return (work) => {
    const result = last.then(async () => {
      const begun = performance.now()
      try {
        return await work()
      } finally {
        pauseMs = Math.min((performance.now() - begun) * (1 / part - 1), LONGEST_PAUSE_MS)
      }
    })
    let pauseMs = 0
    last = result.catch(() => undefined).then(() => delay(pauseMs))
    return result
  }
}

/** The same texts, each created when its turn comes. */
export async function* throttled(parts: AsyncIterable<string>, throttle: Throttle): AsyncGenerator<string> {
  const made = parts[Symbol.asyncIterator]()
  try {
    for (;;) {
      const next = await throttle(() => made.next())
      if (next.done === true) return
      yield next.value
    }
  } finally {
    await made.return?.()
  }
}

/** The rate and the limits of a gate. */
export type RateGateOptions = {
  readonly perSecond: number
  /** How many may pass simultaneously after a pause. */
  readonly burst: number
  /** How many callers may wait, as many again by lot if they made too many requests, and how long each waits, in milliseconds. */
  readonly waiting: number
  readonly waitMs: number
  /** Counts the recent requests of each caller; the gate records each request. */
  readonly callers: Callers
  /** A monotonic clock. */
  readonly now: Clock
}

/** Admits callers at a limited rate. */
export type RateGate = {
  /** Waits until a caller may pass; `false` if it waited too long, or if too many callers with fewer recent requests are waiting. */
  readonly enter: (caller: string) => Promise<boolean>
}

type Waiting = { readonly end: (mayEnter: boolean) => void }

/** Makes a gate that serves the callers with the fewest recent requests first. If many wait, every second one is chosen by lot. */
export const makeRateGate = ({ perSecond, burst, waiting, waitMs, callers, now }: RateGateOptions): RateGate => {
  const queue = makeLeastActiveQueue<Waiting>(waiting, callers, { room: waiting, draw: Math.random })
  const apartMs = SECOND_MS / perSecond
  /** The end of the time that the admitted callers use. */
  let endsAt = -Infinity
  let timer: NodeJS.Timeout | undefined

  const untilNextMs = (): number => endsAt - (burst - 1) * apartMs - now()
  const goThrough = (): void => { endsAt = Math.max(endsAt, now()) + apartMs }

  const letThrough = (): void => {
    timer = undefined
    while (queue.size() > 0 && untilNextMs() <= 0) {
      goThrough()
      queue.shift()?.end(true)
    }
    wait()
  }
  const wait = (): void => {
    if (queue.size() > 0) timer ??= setTimeout(letThrough, Math.max(1, untilNextMs()))
  }

  return {
    enter: (caller) => {
      callers.heard(caller)
      if (queue.size() === 0 && untilNextMs() <= 0) {
        goThrough()
        return Promise.resolve(true)
      }
      return new Promise((resolve) => {
        const one: Waiting = {
          end: (mayEnter) => {
            clearTimeout(deadline)
            resolve(mayEnter)
          },
        }
        const deadline = setTimeout(() => {
          queue.remove(one)
          resolve(false)
        }, waitMs)
        queue.push(caller, one)?.end(false)
        wait()
      })
    },
  }
}

/** What a request needs: a page or an action, a stream, a download, a report, which adds up much data, or a file upload, which may arrive slowly. */
export type RequestKind = 'page' | 'stream' | 'export' | 'report' | 'file'

/** The limits for one person, for one network, and for all requests together. */
type Limits = { readonly person: Allowance; readonly network: Allowance; readonly all: Allowance }

/**
 * Rendering a page takes 2 to 7 ms of the thread that also sends messages, so `all.perSecond` limits pages to a fifth of that thread. A request above the rate waits, so
 * a person who opens one page after another is not refused. Without `TRUSTED_PROXIES` all browsers behind a proxy share its address, so the limit of a network is
 * almost the limit of all.
 */
const LIMITS: Readonly<Record<RequestKind, Limits>> = {
  page: {
    person: { atOnce: 24, perSecond: 15, burst: 60 }, network: { atOnce: 64, perSecond: 25, burst: 120 },
    all: { atOnce: 128, perSecond: 30, burst: 150 },
  },
  stream: {
    person: { atOnce: 10, perSecond: 5, burst: 20 }, network: { atOnce: 250, perSecond: 20, burst: 250 },
    all: { atOnce: 500, perSecond: 40, burst: 500 },
  },
  export: {
    person: { atOnce: 2, perSecond: 1, burst: 5 }, network: { atOnce: 6, perSecond: 2, burst: 10 },
    all: { atOnce: 8, perSecond: 2, burst: 10 },
  },
  report: {
    person: { atOnce: 8, perSecond: 2, burst: 10 }, network: { atOnce: 16, perSecond: 4, burst: 20 },
    all: { atOnce: 32, perSecond: 6, burst: 30 },
  },
  file: {
    person: { atOnce: 4, perSecond: 2, burst: 10 }, network: { atOnce: 16, perSecond: 4, burst: 20 },
    all: { atOnce: 32, perSecond: 6, burst: 30 },
  },
}

/**
 * The limits before the caller is identified, including callers who are not signed in: for files and the sign-in page. A session is identified by its token before it is looked up.
 * Many may wait: waiting slows down a caller who repeats requests immediately, but a refusal would only make them ask again.
 */
const AT_THE_ENTRANCE = {
  session: { atOnce: 256, perSecond: 60, burst: 400 }, network: { atOnce: 512, perSecond: 100, burst: 600 },
  all: { atOnce: 2_048, perSecond: 200, burst: 1_200 },
}

/**
 * The rate of sign-in forms, once for browsers with a device cookie and once for all others. It is higher than the rate at which passwords are hashed, and low enough that
 * parsing forms and reading delays costs the thread that sends very little. Callers with the fewest recent requests go first, so a flood delays only its own requests.
 */
const SIGN_INS = { perSecond: 20, burst: 60, waiting: 64, waitMs: SECOND_MS }

/** The limits of the console, which every request must pass. */
export type ConsoleLimits = {
  /** Admits a request whose caller is not known yet; `token` may identify their session. */
  readonly admit: (address: string | undefined, token: string | undefined) => E.Either<TooManyRequests, Entered>
  /** Admits a sign-in when its turn comes; `hasDevice`: the browser has a device cookie, which is not verified yet. */
  readonly enterSignIn: (address: string | undefined, hasDevice: boolean) => Promise<E.Either<TooManyRequests, void>>
  /** Admits a request of a member. */
  readonly enter: (kind: RequestKind, member: MemberId, address: string | undefined) => E.Either<TooManyRequests, Entered>
}

/** Makes the limits of one console; `now` is a monotonic clock. `strangers` counts the sign-ins of each network address. */
export const makeConsoleLimits = (now: Clock, anonymous: Callers = makeCallers(now)): ConsoleLimits => {
  const made = <Name extends string>(limits: Readonly<Record<Name, Allowance>>): Readonly<Record<Name, Limiter>> =>
    Object.fromEntries(
      Object.entries<Allowance>(limits).map(([limit, allowance]) => [limit, makeLimiter({ limit, ...allowance, now })]),
    ) as Record<Name, Limiter>
  const entrance = made(AT_THE_ENTRANCE)
  const kinds = {
    page: made(LIMITS.page), stream: made(LIMITS.stream), export: made(LIMITS.export), report: made(LIMITS.report), file: made(LIMITS.file),
  }
  const signIns = {
    anonymous: makeRateGate({ ...SIGN_INS, now, callers: anonymous }),
    devices: makeRateGate({ ...SIGN_INS, now, callers: makeCallers(now) }),
  }
  return {
    enterSignIn: async (address, hasDevice) =>
      ((await signIns[hasDevice ? 'devices' : 'anonymous'].enter(siteOf(address))) ? E.right(undefined) : E.left(CROWDED)),
    admit: (address, token) =>
      enterAll([
        ...(token === undefined ? [] : [[entrance.session, hash('sha256', token, 'base64')] as const]),
        [entrance.network, networkOf(address)], [entrance.all, ''],
      ]),
    enter: (kind, member, address) =>
      enterAll([[kinds[kind].person, member], [kinds[kind].network, networkOf(address)], [kinds[kind].all, '']]),
  }
}

const CROWDED: TooManyRequests = { _tag: 'TooManyRequests', limit: 'all', retryAfterSeconds: 2 }
