import type * as E from 'fp-ts/lib/Either.js'
import type { PlatformUnreachable } from './failure.js'
import type { WorkspaceId } from './ids.js'

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

/** Why a request is refused: too many are under way. `limit` names the limit that it met. */
export type TooManyRequests = { readonly _tag: 'TooManyRequests'; readonly limit: string; readonly retryAfterSeconds: number }

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
