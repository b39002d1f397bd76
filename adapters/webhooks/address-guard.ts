import ipaddr from 'ipaddr.js'
import { isInRange, parseAddress, parsedRange, type Address, type AddressRange, type ParsedRange } from './address-range.js'
import { embeddedIpv4 } from './embedded-ipv4.js'

/** The schemes of endpoints. */
export type Scheme = 'https:' | 'http:'

/** Decides which addresses may be dialled. */
export type AddressGuard = {
  /**
   * Whether an address, as Node.js writes it, may be dialled: with `https:` a public or an allowed one, with `http:` only an allowed one.
   *
   * An IPv6 address that carries an IPv4 address must be allowed itself, and the IPv4 address must be public or allowed.
   */
  readonly mayDial: (address: string, scheme: Scheme) => boolean
}

/** What is in no special range of ipaddr.js, and is no public server all the same: the service that Azure offers to its virtual machines. */
const NOT_PUBLIC: ReadonlyArray<ParsedRange> = [ipaddr.parseCIDR('168.63.129.16/32')]

/** The only part of IPv6 from which public addresses are assigned. */
const GLOBAL_UNICAST: ReadonlyArray<ParsedRange> = [ipaddr.parseCIDR('2000::/3')]

/** Makes a guard that allows the ranges of the operator besides public addresses. */
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
