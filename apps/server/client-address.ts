import type { IncomingHttpHeaders } from 'node:http'
import * as O from 'fp-ts/lib/Option.js'
import { type Address, type AddressRange, isInRange, parseAddress, parseAddressRange, parsedRange } from '../../adapters/webhooks/address.js'

/** The network address from which a request comes; `undefined` where its connection has ended already. */
export type ClientAddress = (request: AddressedRequest) => string | undefined

type AddressedRequest = { readonly headers: IncomingHttpHeaders; readonly socket: { readonly remoteAddress?: string | undefined } }

/**
 * Makes the function that finds the address of a client behind proxies that are trusted.
 *
 * `X-Forwarded-For` is read from the right: each proxy writes at its end whom it has served, and what stands before the first address that is not a trusted
 * proxy's is the client's own claim. So without trusted proxies the header is never read. What cannot be read ends the search at the proxy that sent it.
 */
export const makeClientAddress = (trusted: ReadonlyArray<AddressRange>): ClientAddress => {
  const ranges = trusted.map(parsedRange)
  const isTrusted = (address: Address): boolean => isInRange(address, ranges)
  return ({ headers, socket: { remoteAddress } }) => {
    let found = addressIn(remoteAddress ?? '')
    if (found === undefined) return remoteAddress
    const hops = isTrusted(found) ? [headers['x-forwarded-for'] ?? []].flat().join(',').split(',') : []
    for (let hop = hops.pop(); hop !== undefined && isTrusted(found); hop = hops.pop()) {
      const before = addressIn(withoutPort(hop.trim()))
      if (before === undefined) break
      found = before
    }
    return found.toString()
  }
}

/** Reads the ranges of trusted proxies, with commas between them; `loopback` is this machine. */
export const parseTrustedProxy = (text: string): O.Option<ReadonlyArray<AddressRange>> =>
  (text === 'loopback' ? O.some(LOOPBACK) : O.map((range: AddressRange) => [range])(O.filter(isExact)(parseAddressRange(text))))

const LOOPBACK: ReadonlyArray<AddressRange> = [{ first: '127.0.0.0', prefixLength: 8 }, { first: '::1', prefixLength: 128 }]

/** A range of all addresses would believe whatever anyone sends. */
const isExact = ({ prefixLength }: AddressRange): boolean => prefixLength > 0

/** An address without its IPv6 form, where it is an IPv4 address in one. */
const addressIn = (text: string): Address | undefined => {
  const address = parseAddress(text)
  return address?.kind() === 'ipv6' && 'isIPv4MappedAddress' in address && address.isIPv4MappedAddress() ? address.toIPv4Address() : address
}

/** Some proxies write the port, too: `192.0.2.1:4711` or `[2001:db8::1]:4711`. */
const withoutPort = (hop: string): string => /^\[(.+)\](?::\d{1,5})?$/.exec(hop)?.[1] ?? /^([0-9.]+):\d{1,5}$/.exec(hop)?.[1] ?? hop
