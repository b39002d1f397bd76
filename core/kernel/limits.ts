import type * as E from 'fp-ts/lib/Either.js'
import type { PlatformUnreachable } from './failure.js'
import type { WorkspaceId } from './ids.js'

/**
 * The network of an address, by which callers are counted. One machine has a whole /64 of IPv6, so the /64 is its network. An IPv4 address
 * written as an IPv6 address is the IPv4 address. A closed connection no longer has an address; its network is the empty text.
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

/** The network that counts for fairness between callers: an IPv4 address, or the /48 of an IPv6 address, because one customer of a provider can have a whole /48. */
export const siteOf = (address: string | undefined): string => {
  const network = networkOf(address)
  return network.endsWith('::/64') ? `${network.split(':').slice(0, 3).join(':')}::/48` : network
}

const groups = (text: string): ReadonlyArray<string> => (text === '' ? [] : text.split(':'))

/** Why a request is refused: too many requests are running. `limit` names the limit that is reached. */
export type TooManyRequests = { readonly _tag: 'TooManyRequests'; readonly limit: string; readonly retryAfterSeconds: number }

/** Limits how many sends run simultaneously, so that each has the platform's full timeout. */
export interface Admission {
  /**
   * Admits a send, or lets it wait until another send ends.
   *
   * Right: the send is admitted until its permit is released. `PlatformUnreachable`: it waited too long, or too many sends wait. If
   * too many wait, a waiting send is refused in favour of a send of a workspace with fewer. Workspaces whose sends wait are served in turn.
   */
  readonly admit: (workspace: WorkspaceId) => Promise<E.Either<PlatformUnreachable, Permit>>
  /** Whether a send would be admitted without waiting. */
  readonly hasRoom: () => boolean
}

/** The right to one send. */
export type Permit = {
  /** Ends the send, so that the next one is admitted. Releasing again changes nothing. */
  readonly release: () => void
}
