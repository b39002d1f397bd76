import { hash } from 'node:crypto'
import * as E from 'fp-ts/lib/Either.js'
import { enterAll, makeLimiter, type Allowance, type Entered, type Limiter, type TooManyRequests } from '../../core/limiter.js'
import type { MemberId } from '../../core/member.js'
import { networkOf, siteOf } from '../../core/network-address.js'
import { makeCallers, type Callers } from '../../core/quiet-first.js'
import { SECOND_MS, type Clock } from '../../core/time.js'
import { makeQuietGate } from './quiet-gate.js'

/** What a request asks for: a page or an act, a stream, a download, or a report, which adds up much. */
export type RequestKind = 'page' | 'stream' | 'export' | 'report'

/** How much one person, one network and all of them together may ask for. */
type Limits = { readonly person: Allowance; readonly network: Allowance; readonly all: Allowance }

/**
 * A page takes 2 to 7 ms of the thread that sends, so that all pages together take a fifth of it at most. What comes faster than its rate waits, so nobody who
 * opens one page after another is refused. Where no proxy is trusted, all browsers behind one have its address, so a network may ask for nearly as much as all.
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
}

/**
 * Before it is known who asks, also of those who are not signed in: files, and the page of the sign-in. A session is known by its token before it is looked up.
 * Many may wait: who asks again as soon as she has an answer is slowed down so, where a refusal would have her ask again.
 */
const AT_THE_DOOR = {
  session: { atOnce: 256, perSecond: 60, burst: 400 }, network: { atOnce: 512, perSecond: 100, burst: 600 }, all: { atOnce: 2_048, perSecond: 200, burst: 1_200 },
}

/**
 * Sign-ins, of strangers and apart from them of those whose browser says that it was here before: more than there are turns to compute with passwords, and so few that
 * to read a form and its delays takes next to nothing of the thread that sends. Those who asked least of late go first, so a flood keeps out nobody but itself.
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
  const door = made(AT_THE_DOOR)
  const kinds = { page: made(LIMITS.page), stream: made(LIMITS.stream), export: made(LIMITS.export), report: made(LIMITS.report) }
  const signIns = { strangers: makeQuietGate({ ...SIGN_INS, now, callers: strangers }), devices: makeQuietGate({ ...SIGN_INS, now, callers: makeCallers(now) }) }
  return {
    enterSignIn: async (address, hasDevice) =>
      ((await signIns[hasDevice ? 'devices' : 'strangers'].enter(address === undefined ? '' : siteOf(address))) ? E.right(undefined) : E.left(CROWDED)),
    enterDoor: (address, token) =>
      enterAll([...(token === undefined ? [] : [[door.session, hash('sha256', token, 'base64')] as const]), [door.network, callerAt(address)], [door.all, '']]),
    enter: (kind, member, address) => enterAll([[kinds[kind].person, member], [kinds[kind].network, callerAt(address)], [kinds[kind].all, '']]),
  }
}

const CROWDED: TooManyRequests = { _tag: 'TooManyRequests', limit: 'all', retryAfterSeconds: 2 }

/** A connection that has ended has no address any more. */
const callerAt = (address: string | undefined): string => (address === undefined ? '' : networkOf(address))
