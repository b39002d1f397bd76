import * as E from 'fp-ts/lib/Either.js'
import type { PlatformUnreachable } from './failure.js'
import { FOR_EACH_FREE, whoYields, type Yielding } from './fairness.js'
import type { WorkspaceId } from './ids.js'
import { type Clock, SECOND_MS } from './time.js'

/**
 * The network of an address, by which those who come from there are counted. One machine has a whole /64 of IPv6, so that is its network; an IPv4 address
 * written as one of IPv6 is the IPv4 address. A connection that has ended has no address any more; its network is the empty text.
 */
export const networkOf = (address: string | undefined): string => {
  if (address === undefined) return ''
  const lower = address.toLowerCase()
  if (!lower.includes(':')) return lower
  const ipv4 = /^(?:0*:)*:?ffff:(\d+\.\d+\.\d+\.\d+)$/.exec(lower)?.[1]
  if (ipv4 !== undefined) return ipv4
  const [before = '', after] = lower.split('::')
  const [head, tail] = [groups(before), groups(after ?? '')]
  const all = after === undefined ? head : [...head, ...Array.from({ length: 8 - head.length - tail.length }, () => '0'), ...tail]
  return `${all.slice(0, 4).map((group) => group.replace(/^0+(?=.)/, '')).join(':')}::/64`
}

/** The network by which fairness between callers counts: an IPv4 address, or the /48 of an IPv6 address, since one customer of a provider can have a whole /48. */
export const siteOf = (address: string | undefined): string => {
  const network = networkOf(address)
  return network.endsWith('::/64') ? `${network.split(':').slice(0, 3).join(':')}::/48` : network
}

const groups = (text: string): ReadonlyArray<string> => (text === '' ? [] : text.split(':'))

/** How much one caller may ask for. */
export type Allowance = {
  /** How many requests may be under way at once, those that wait for their turn among them. */
  readonly atOnce: number
  /** How many may begin in a second on average; without it no request waits. */
  readonly perSecond?: number
  /** How many may begin at once after a pause; 1 by default. */
  readonly burst?: number
}

/** Why a request is refused: too many are under way. `limit` names the limit that it met. */
export type TooManyRequests = { readonly _tag: 'TooManyRequests'; readonly limit: string; readonly retryAfterSeconds: number }

/** A request that was let in. */
export type Entered = {
  /** How long it must wait for its turn, in milliseconds. */
  readonly waitMs: number
  /** Ends it, and charges the turns that it took beyond its first, as far as it was large; ending it again changes nothing. */
  readonly leave: (more?: number) => void
}

/** Lets the requests of callers in, each caller within the same allowance. */
export type Limiter = {
  /** Counts a request of a caller. One that comes too early waits for its turn; one that is too many is refused and changes nothing. */
  readonly enter: (caller: string) => E.Either<TooManyRequests, Entered>
}

/** What a limiter is made of; `limit` is its name in refusals. */
export type LimiterOptions = Allowance & {
  readonly limit: string
  readonly now: Clock
  /** How many callers are remembered; 10,000 by default. */
  readonly callers?: number
}

const CALLERS = 10_000

/** The requests of a caller that are under way, and the moment up to which the turns of all that have entered reach. */
type Known = { underWay: number; endsAt: number }

/**
 * Makes a limiter.
 *
 * The turns of a caller follow each other at equal distances; `burst` of them may be taken ahead. Among more callers than it remembers, those who were here
 * longest ago and have nothing under way are forgotten, so its memory is bounded, and a caller who is forgotten begins anew.
 */
export const makeLimiter = ({ limit, atOnce, perSecond, burst = 1, now, callers: most = CALLERS }: LimiterOptions): Limiter => {
  const callers = new Map<string, Known>()
  const apartMs = perSecond === undefined ? 0 : SECOND_MS / perSecond

  const waitOf = ({ endsAt }: Known, at: number): number => Math.max(0, endsAt - burst * apartMs + apartMs - at)

  const remember = (caller: string, known: Known): void => {
    // The callers are in the order in which they were last here.
    callers.delete(caller)
    if (callers.size >= most) forgetOne()
    callers.set(caller, known)
  }
  const forgetOne = (): void => {
    for (const [caller, { underWay }] of callers) {
      if (underWay > 0) continue
      callers.delete(caller)
      return
    }
  }

  return {
    enter: (caller) => {
      const at = now()
      const known = callers.get(caller) ?? { underWay: 0, endsAt: 0 }
      const waitMs = waitOf(known, at)
      if (known.underWay >= atOnce) return E.left({ _tag: 'TooManyRequests', limit, retryAfterSeconds: Math.max(1, Math.ceil(waitMs / SECOND_MS)) })
      known.underWay += 1
      known.endsAt = Math.max(known.endsAt, at) + apartMs
      remember(caller, known)
      let hasLeft = false
      return E.right({
        waitMs,
        leave: (more = 0) => {
          if (hasLeft) return
          hasLeft = true
          known.underWay -= 1
          known.endsAt += more * apartMs
          if (known.underWay === 0 && known.endsAt <= now() && callers.get(caller) === known) callers.delete(caller)
        },
      })
    },
  }
}

/** Enters several limiters, each as a caller; where one refuses, those before it are left again. The wait is the longest of all. */
export const enterAll = (limiters: ReadonlyArray<readonly [limiter: Limiter, caller: string]>): E.Either<TooManyRequests, Entered> => {
  const entered: Array<Entered> = []
  const leave = (more?: number): void => { for (const one of entered) one.leave(more) }
  for (const [limiter, caller] of limiters) {
    const one = limiter.enter(caller)
    if (E.isLeft(one)) {
      leave()
      return one
    }
    entered.push(one.right)
  }
  return E.right({ waitMs: Math.max(0, ...entered.map(({ waitMs }) => waitMs)), leave })
}

/** Places for tasks, of which so many run at once; the others wait in the order in which they came. */
export type Places = {
  /** How many tasks could begin at once. */
  readonly free: () => number
  readonly waiting: () => number
  /** Runs a task once it has a place. While it waits, the function that `mayLeave` gets takes it out of the queue and rejects with the reason given. */
  readonly run: <Result>(task: () => Promise<Result>, mayLeave?: (leave: (why: Error) => void) => void) => Promise<Result>
}

/** Makes so many places. */
export const makePlaces = (places: number): Places => {
  const waiting = new Set<() => void>()
  let free = places

  const place = (mayLeave: ((leave: (why: Error) => void) => void) | undefined): Promise<void> =>
    new Promise((resolve, reject) => {
      waiting.add(resolve)
      mayLeave?.((why) => { if (waiting.delete(resolve)) reject(why) })
    })

  return {
    free: () => free,
    waiting: () => waiting.size,
    run: async (task, mayLeave) => {
      // A task that ends hands its place over to one that waits, so none is overtaken.
      if (free === 0) await place(mayLeave)
      else free -= 1
      try {
        return await task()
      } finally {
        const [next] = waiting
        if (next === undefined) free += 1
        else {
          waiting.delete(next)
          next()
        }
      }
    },
  }
}

/** How many bytes of memory the bodies of all requests may take together. Every reader of bodies takes from the same budget, so that their sum is bounded. */
export type ByteBudget = {
  /** Begins a request, which has taken nothing yet. */
  readonly begin: () => TakenBytes
}

/** The bytes that one request has taken. */
export type TakenBytes = {
  /**
   * Takes so many bytes more; false, and nothing is taken, if too few are free, or if the request has ended.
   *
   * `share` is the part of the budget that may be in use after this, so that requests of strangers leave memory for those with a key. It is 1 by default.
   *
   * With `yielding` the request can lose what it took: if an owner without such a request comes and too little is free, one of another owner ends (`whoYields`).
   * Its bytes count as free from then on, though it still needs a moment to end.
   */
  readonly take: (bytes: number, share?: number, yielding?: Omit<Yielding<string>, 'key'>) => boolean
  /** Whether `take` would succeed now. */
  readonly canTake: (bytes: number, share?: number) => boolean
  /**
   * Says on whose behalf the request takes bytes from now on, such as its workspace. All requests of one owner together keep within a fair share: they may have four
   * bytes for each one that stays free. An owner without any may take whatever is free.
   */
  readonly belongTo: (owner: string) => void
  /** Gives back all that the request has taken. It gets no more afterwards: a handler may end while its body is still read. */
  readonly end: () => void
}

/** A request that can lose the bytes that it took. */
type Yielder = Yielding<string | undefined> & { readonly bytes: () => number }

/** Makes a budget of so many bytes. */
export const makeByteBudget = (bytes: number): ByteBudget => {
  const held = new Map<string, number>()
  const yielders = new Set<Yielder>()
  let taken = 0

  const heldBy = (owner: string | undefined): number => (owner === undefined ? 0 : held.get(owner) ?? 0)
  const hold = (owner: string | undefined, more: number): void => {
    if (owner === undefined) return
    const rest = heldBy(owner) + more
    if (rest === 0) held.delete(owner)
    else held.set(owner, rest)
  }

  return {
    begin: () => {
      let own = 0
      let owner: string | undefined
      let hasEnded = false
      const canTake = (wanted: number, share = 1): boolean => {
        const free = bytes * share - taken - wanted
        const before = heldBy(owner)
        return !hasEnded && free >= 0 && (before === 0 || before + wanted <= FOR_EACH_FREE * free)
      }
      let yielder: Yielder | undefined
      const end = (): void => {
        hasEnded = true
        if (yielder !== undefined) yielders.delete(yielder)
        taken -= own
        hold(owner, -own)
        own = 0
      }
      /** Ends a request of another owner, if this one has none that can end and its bytes are enough. */
      const makeRoom = (wanted: number, share: number): boolean => {
        if (hasEnded || owner === undefined || [...yielders].some(({ key }) => key === owner)) return false
        const ending = whoYields(yielders)
        if (ending === undefined || bytes * share - taken - wanted + ending.bytes() < 0) return false
        ending.yieldPlace()
        return true
      }
      return {
        canTake,
        belongTo: (name) => {
          hold(owner, -own)
          owner = name
          hold(owner, own)
        },
        take: (wanted, share = 1, yielding) => {
          if (!canTake(wanted, share) && (yielding === undefined || !makeRoom(wanted, share))) return false
          taken += wanted
          own += wanted
          hold(owner, wanted)
          if (yielding === undefined) return true
          yielder = {
            get key() { return owner }, bytes: () => own, bytesPerSecond: yielding.bytesPerSecond,
            yieldPlace: () => {
              end()
              yielding.yieldPlace()
            },
          }
          yielders.add(yielder)
          return true
        },
        end,
      }
    },
  }
}

/** Limits how many sends run at once, so that each has the platform's full timeout. */
export interface Admission {
  /**
   * Admits a send, or lets it wait until another one ends.
   *
   * Right: the send is admitted until its permit is released. `PlatformUnreachable`: it waited too long, or too many sends wait. If
   * too many wait, a waiting send is refused in favour of one of a workspace with fewer. Workspaces whose sends wait take turns.
   */
  readonly admit: (workspace: WorkspaceId) => Promise<E.Either<PlatformUnreachable, Permit>>
  /** Whether a send would be admitted without waiting. */
  readonly hasRoom: () => boolean
}

/** The right to one send. */
export type Permit = {
  /** Ends the send, so that another one is admitted. Releasing again changes nothing. */
  readonly release: () => void
}
