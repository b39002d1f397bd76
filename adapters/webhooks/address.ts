import { promises as dns } from 'node:dns'
import { isIP, isIPv6, type LookupFunction } from 'node:net'
import ipaddr from 'ipaddr.js'
import { type Address, type AddressRange, isInRange, parseAddress, parsedRange, type ParsedRange } from '../shared/address.js'
import { makePlaces } from '../shared/places.js'
import { codeOf, FailedCall, forbiddenAddress, httpsRequired } from './failures.js'

/** Runs a limited number of tasks concurrently; other tasks wait for their turn. */
export type Semaphore = {
  /** Runs a task in its turn. It rejects if `signal` is aborted before, and then the task does not run. */
  readonly take: <Result>(signal: AbortSignal, task: () => Promise<Result>) => Promise<Result>
}

/** Creates a semaphore for this many concurrent tasks. */
export const makeSemaphore = (atOnce: number): Semaphore => {
  const places = makePlaces(atOnce)
  return {
    take: async (signal, task) => {
      if (signal.aborted) throw abortedBefore()
      return places.run(task, (leave) => signal.addEventListener('abort', () => leave(abortedBefore()), { once: true }))
    },
  }
}

const abortedBefore = (): Error => new Error('aborted before its turn')

/** A range of IPv6 addresses that contain IPv4 addresses, and the position of the IPv4 address in the 16 bytes. */
type Carrier = { readonly range: ParsedRange; readonly positions: ReadonlyArray<Position> }

type Position = { readonly bytes: readonly [number, number, number, number]; readonly inverted?: true }

const LAST: Position = { bytes: [12, 13, 14, 15] }

const carrier = (range: string, ...positions: ReadonlyArray<Position>): Carrier => ({ range: ipaddr.parseCIDR(range), positions })

const CARRIERS: ReadonlyArray<Carrier> = [
  // IPv4-compatible (RFC 4291), IPv4-mapped (RFC 4291) and IPv4-translated (RFC 2765).
  carrier('::/96', LAST), carrier('::ffff:0:0/96', LAST), carrier('::ffff:0:0:0/96', LAST),
  // NAT64 (RFC 6052, RFC 8215). In a prefix of 48 bits, the byte after the first two of the address is zero.
  carrier('64:ff9b::/96', LAST), carrier('64:ff9b:1::/48', LAST, { bytes: [6, 7, 9, 10] }),
  // 6to4 (RFC 3056), and the server and the client of Teredo (RFC 4380).
  carrier('2002::/16', { bytes: [2, 3, 4, 5] }), carrier('2001::/32', { bytes: [4, 5, 6, 7] }, { bytes: [12, 13, 14, 15], inverted: true }),
]

const NOT_COMPATIBLE: ReadonlySet<string> = new Set(['::', '::1'])

/** The IPv4 addresses that packets to an IPv6 address may reach through a translator or a tunnel. */
export const embeddedIpv4 = (address: Address): ReadonlyArray<ipaddr.IPv4> => {
  if (address.kind() === 'ipv4' || NOT_COMPATIBLE.has(address.toString())) return []
  const all = address.toByteArray()
  return CARRIERS.filter(({ range }) => isInRange(address, [range])).flatMap(({ positions }) =>
    positions.map(({ bytes, inverted }) => new ipaddr.IPv4(bytes.map((index) => (all[index] ?? 0) ^ (inverted === true ? 0xff : 0)))))
}

/** Finds the IP addresses of a host; it rejects if it finds none. It may give up once `signal` is aborted. */
export type Resolve = (hostname: string, signal: AbortSignal) => Promise<ReadonlyArray<string>>

const DNS_TIMEOUT_MS = 1_500

/** The system's look-ups occupy threads that all of Node.js shares. There are four of them. */
const SYSTEM_LOOKUPS = 2

/** A name server was asked and did not answer, so the system's look-up would also wait for it. */
const NO_ANSWER: ReadonlySet<unknown> = new Set(['ETIMEOUT', 'ECANCELLED'])

/**
 * Creates a resolver that asks the name servers, and asks the system for names that they do not know, such as those in `/etc/hosts`.
 *
 * The system's look-up (`getaddrinfo`) cannot be cancelled and blocks a thread until it ends. A few hosts with unresponsive name servers would stop every other
 * look-up. So the name servers are asked first, which blocks nothing.
 */
export const makeResolve = (): Resolve => {
  const semaphore = makeSemaphore(SYSTEM_LOOKUPS)
  return async (hostname, signal) => {
    const resolver = new dns.Resolver({ timeout: DNS_TIMEOUT_MS, tries: 2 })
    const cancel = (): void => resolver.cancel()
    signal.addEventListener('abort', cancel)
    const answers = await Promise.allSettled([resolver.resolve4(hostname), resolver.resolve6(hostname)])
    signal.removeEventListener('abort', cancel)
    const found = answers.flatMap((answer) => (answer.status === 'fulfilled' ? answer.value : []))
    if (found.length > 0) return found
    const unanswered = answers.find((answer) => answer.status === 'rejected' && NO_ANSWER.has(codeOf(answer.reason)))
    if (unanswered?.status === 'rejected') throw unanswered.reason
    return semaphore.take(signal, async () => (await dns.lookup(hostname, { all: true })).map(({ address }) => address))
  }
}

/** The schemes of endpoints. */
export type Scheme = 'https:' | 'http:'

/** Decides which addresses may be dialled. */
export type AddressGuard = {
  /**
   * Whether an address, as Node.js writes it, may be dialled: with `https:` a public or an allowed address, with `http:` only an allowed address.
   *
   * An IPv6 address that contains an IPv4 address must be allowed itself, and the IPv4 address must be public or allowed.
   */
  readonly mayDial: (address: string, scheme: Scheme) => boolean
}

/** An address that is in no special range of ipaddr.js but is not a public server either: the service that Azure offers to its virtual machines. */
const NOT_PUBLIC: ReadonlyArray<ParsedRange> = [ipaddr.parseCIDR('168.63.129.16/32')]

/** The only part of IPv6 from which public addresses are assigned. */
const GLOBAL_UNICAST: ReadonlyArray<ParsedRange> = [ipaddr.parseCIDR('2000::/3')]

/** Creates a guard that allows public addresses and the ranges of the operator. */
export const makeAddressGuard = (allow: ReadonlyArray<AddressRange>): AddressGuard => {
  const allowed = allow.map(parsedRange)
  return {
    mayDial: (text, scheme) => {
      const address = parseAddress(text)
      if (address === undefined) return false
      return [address, ...embeddedIpv4(address)].every((one) => isInRange(one, allowed) || (scheme === 'https:' && isPublic(one)))
    },
  }
}

const isPublic = (address: Address): boolean =>
  address.range() === 'unicast' && !isInRange(address, NOT_PUBLIC) && (address.kind() === 'ipv4' || isInRange(address, GLOBAL_UNICAST))

/** The destination of a request, in the form that sockets and requests expect. */
export type EndpointAddress = {
  readonly scheme: Scheme
  /** A name or an address; an IPv6 address has no brackets. */
  readonly host: string
  readonly port: string
  readonly path: string
  /** The name that the certificate must be for, without the dot of the root; empty if the host is an address. */
  readonly serverName: string
}

/** Reads the URL of an endpoint, or of another receiver with this name; it throws a `FailedCall` if the URL cannot be called. */
export const readEndpointAddress = (text: string, name = 'endpoint'): EndpointAddress => {
  // Not `URL.canParse`: in Node.js 22 it misreads letters outside ASCII once the process has called it some hundred times.
  const url = URL.parse(text)
  if (url === null) throw new FailedCall(`The URL of the ${name} cannot be read`)
  const { protocol, hostname, port, pathname, search, username, password } = url
  if (protocol !== 'https:' && protocol !== 'http:') throw new FailedCall(`The URL of the ${name} begins with neither https nor http`)
  if (username !== '' || password !== '') throw new FailedCall(`The URL of the ${name} has a user or a password`)
  const host = hostname.replace(/^\[(.*)\]$/, '$1')
  return { scheme: protocol, host, port, path: `${pathname}${search}`, serverName: isIP(host) === 0 ? host.replace(/\.$/, '') : '' }
}

/** The dependencies of a checked look-up. */
export type CheckedLookupDeps = { readonly guard: AddressGuard; readonly resolve: Resolve; readonly timeoutMs: number }

/**
 * Creates the look-up function of a socket. It returns only addresses that were checked, so no later answer of the name server can replace them.
 *
 * A host with even one forbidden address is refused. A public server has no such address. So the result of an attempt does not depend on the order of the answers, or
 * on which address happens to accept a connection.
 */
export const makeCheckedLookup = ({ guard, resolve, timeoutMs }: CheckedLookupDeps, scheme: Scheme): LookupFunction => {
  const addressesOf = async (hostname: string): Promise<ReadonlyArray<string>> => {
    const addresses = await withDeadline(timeoutMs, (signal) => resolve(hostname, signal))
    if (addresses.length === 0) throw new FailedCall('The host was not found')
    for (const address of addresses) assertMayDial(guard, address, scheme)
    return addresses
  }
  return (hostname, options, callback) => {
    addressesOf(hostname).then(
      (addresses) => {
        const found = addresses.map((address) => ({ address, family: isIPv6(address) ? 6 : 4 }))
        const [first = { address: '', family: 0 }] = found
        if (options.all === true) callback(null, found)
        else callback(null, first.address, first.family)
      },
      (error: unknown) => callback(error instanceof Error ? error : new Error('The look-up failed', { cause: error }), ''),
    )
  }
}

/** Throws a `FailedCall` if an address may not be dialled. */
export const assertMayDial = (guard: AddressGuard, address: string, scheme: Scheme): void => {
  if (guard.mayDial(address, scheme)) return
  throw scheme === 'http:' && guard.mayDial(address, 'https:') ? httpsRequired() : forbiddenAddress()
}

const withDeadline = async <Result>(timeoutMs: number, task: (signal: AbortSignal) => Promise<Result>): Promise<Result> => {
  const controller = new AbortController()
  let timer: NodeJS.Timeout | undefined
  const over = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(new FailedCall('The name server of the host did not answer in time')), timeoutMs)
  })
  try {
    return await Promise.race([task(controller.signal), over])
  } finally {
    clearTimeout(timer)
    controller.abort()
  }
}
