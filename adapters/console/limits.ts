import { hash } from 'node:crypto'
import { setTimeout as delay } from 'node:timers/promises'
import * as E from 'fp-ts/lib/Either.js'
import { type Callers, makeCallers, makeQuietFirst } from '../shared/callers.js'
import type { MemberId } from '../../core/kernel/ids.js'
import { type Allowance, enterAll, type Entered, type Limiter, makeLimiter } from '../shared/limiter.js'
import { networkOf, siteOf, type TooManyRequests } from '../../core/kernel/limits.js'
import { type Clock, SECOND_MS } from '../../core/kernel/time.js'

/** Runs pieces of work one after another, in the order in which they were given. */
export type Throttle = <Result>(work: () => Promise<Result>) => Promise<Result>

/** The longest pause, in milliseconds: a piece that took long because the database was slow does not keep the others waiting for as long again. */
const LONGEST_PAUSE_MS = 1_000

/**
 * Makes a throttle: after each piece of work comes a pause, so that all of them together take the given part of the time at most. Whoever gives his next piece when
 * the last one is done takes turns with the others.
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

/** The same texts, each made when it is its turn. */
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

/** How many a gate lets through. */
export type QuietGateOptions = {
  readonly perSecond: number
  /** How many may go through at once after a pause. */
  readonly burst: number
  /** How many may wait, as many again by lot if their callers asked too much, and how long each, in milliseconds. */
  readonly waiting: number
  readonly waitMs: number
  /** Who has asked how much of late; the gate notes who asks. */
  readonly callers: Callers
  /** A clock that never goes back. */
  readonly now: Clock
}

/** Lets callers through at a rate. */
export type QuietGate = {
  /** Waits until a caller may go through; `false` if it waited too long, or if too many wait who asked less of late. */
  readonly enter: (caller: string) => Promise<boolean>
}

type Waiting = { readonly end: (mayEnter: boolean) => void }

/** Makes a gate, at which those who asked least recently go first. If many wait, every other one is drawn by lot. */
export const makeQuietGate = ({ perSecond, burst, waiting, waitMs, callers, now }: QuietGateOptions): QuietGate => {
  const queue = makeQuietFirst<Waiting>(waiting, callers, { room: waiting, draw: Math.random })
  const apartMs = SECOND_MS / perSecond
  /** Up to when the turns of all who went through reach. */
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

/** What a request asks for: a page or an act, a stream, a download, a report, which adds up much, or to take a file, which may arrive slowly. */
export type RequestKind = 'page' | 'stream' | 'export' | 'report' | 'file'

/** How much one person, one network and all of them together may ask for. */
type Limits = { readonly person: Allowance; readonly network: Allowance; readonly all: Allowance }

/**
 * Rendering a page takes 2 to 7 ms of the thread that also sends messages, so `all.perSecond` keeps pages to a fifth of that thread. A request above the rate waits, so
 * a person who opens one page after another is not refused. Without `TRUSTED_PROXIES` all browsers behind a proxy share its address, so the limit of a network is
 * nearly that of all.
 */
const LIMITS: Readonly<Record<RequestKind, Limits>> = {
  page: {
    person: { atOnce: 24, perSecond: 15, burst: 60 }, network: { atOnce: 64, perSecond: 25, burst: 120 }, all: { atOnce: 128, perSecond: 30, burst: 150 },
  },
  stream: {
    person: { atOnce: 10, perSecond: 5, burst: 20 }, network: { atOnce: 250, perSecond: 20, burst: 250 }, all: { atOnce: 500, perSecond: 40, burst: 500 },
  },
  export: {
    person: { atOnce: 2, perSecond: 1, burst: 5 }, network: { atOnce: 6, perSecond: 2, burst: 10 }, all: { atOnce: 8, perSecond: 2, burst: 10 },
  },
  report: {
    person: { atOnce: 8, perSecond: 2, burst: 10 }, network: { atOnce: 16, perSecond: 4, burst: 20 }, all: { atOnce: 32, perSecond: 6, burst: 30 },
  },
  file: {
    person: { atOnce: 4, perSecond: 2, burst: 10 }, network: { atOnce: 16, perSecond: 4, burst: 20 }, all: { atOnce: 32, perSecond: 6, burst: 30 },
  },
}

/**
 * Before it is known who asks, also of those who are not signed in: files, and the page of the sign-in. A session is known by its token before it is looked up.
 * Many may wait: who asks again as soon as she has an answer is slowed down so, where a refusal would have her ask again.
 */
const AT_THE_ENTRANCE = {
  session: { atOnce: 256, perSecond: 60, burst: 400 }, network: { atOnce: 512, perSecond: 100, burst: 600 }, all: { atOnce: 2_048, perSecond: 200, burst: 1_200 },
}

/**
 * The rate of sign-in forms, once for browsers with a device cookie and once for all others. It is higher than the rate at which passwords are hashed, and low enough that
 * parsing forms and reading delays costs the thread that sends very little. Callers with the fewest recent requests go first, so a flood delays only its own requests.
 */
const SIGN_INS = { perSecond: 20, burst: 60, waiting: 64, waitMs: SECOND_MS }

/** The limits of the console, which everything that is asked of it must pass. */
export type ConsoleLimits = {
  /** Lets a request in whose caller is not known yet, but perhaps the token of her session. */
  readonly enterDoor: (address: string | undefined, token: string | undefined) => E.Either<TooManyRequests, Entered>
  /** Lets a sign-in in, in its turn; `hasDevice`: its browser says that it is known, which is not looked at yet. */
  readonly enterSignIn: (address: string | undefined, hasDevice: boolean) => Promise<E.Either<TooManyRequests, void>>
  /** Lets a request of a member in. */
  readonly enter: (kind: RequestKind, member: MemberId, address: string | undefined) => E.Either<TooManyRequests, Entered>
}

/** Makes the limits of one console; `now` is a clock that never goes back. In `strangers` it is noted who signs in from where. */
export const makeConsoleLimits = (now: Clock, strangers: Callers = makeCallers(now)): ConsoleLimits => {
  const made = <Name extends string>(limits: Readonly<Record<Name, Allowance>>): Readonly<Record<Name, Limiter>> =>
    Object.fromEntries(Object.entries<Allowance>(limits).map(([limit, allowance]) => [limit, makeLimiter({ limit, ...allowance, now })])) as Record<Name, Limiter>
  const entrance = made(AT_THE_ENTRANCE)
  const kinds = { page: made(LIMITS.page), stream: made(LIMITS.stream), export: made(LIMITS.export), report: made(LIMITS.report), file: made(LIMITS.file) }
  const signIns = { strangers: makeQuietGate({ ...SIGN_INS, now, callers: strangers }), devices: makeQuietGate({ ...SIGN_INS, now, callers: makeCallers(now) }) }
  return {
    enterSignIn: async (address, hasDevice) =>
      ((await signIns[hasDevice ? 'devices' : 'strangers'].enter(siteOf(address))) ? E.right(undefined) : E.left(CROWDED)),
    enterDoor: (address, token) =>
      enterAll([...(token === undefined ? [] : [[entrance.session, hash('sha256', token, 'base64')] as const]), [entrance.network, networkOf(address)], [entrance.all, '']]),
    enter: (kind, member, address) => enterAll([[kinds[kind].person, member], [kinds[kind].network, networkOf(address)], [kinds[kind].all, '']]),
  }
}

const CROWDED: TooManyRequests = { _tag: 'TooManyRequests', limit: 'all', retryAfterSeconds: 2 }
