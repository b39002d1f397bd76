import ipaddr from 'ipaddr.js'
import { isInRange, type Address, type ParsedRange } from './address-range.js'

/** A range of IPv6 addresses that carry IPv4 addresses, and where in the 16 bytes they are. */
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
