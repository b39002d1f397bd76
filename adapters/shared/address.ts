import { isIP } from 'node:net'
import * as O from 'fp-ts/lib/Option.js'
import ipaddr from 'ipaddr.js'

/** A range of IP addresses, such as `10.0.0.0/8`; `parseAddressRange` reads one. */
export type AddressRange = { readonly first: string; readonly prefixLength: number }

/** A parsed IP address. */
export type Address = ipaddr.IPv4 | ipaddr.IPv6

/** A parsed range: one of its addresses, and how many bits all its addresses share. */
export type ParsedRange = readonly [first: Address, prefixLength: number]

const FORM = /^([0-9a-f.:]+)(?:\/([0-9]{1,3}))?$/i

/** Reads a range in CIDR notation, or a single address; none if the text is neither. */
export const parseAddressRange = (text: string): O.Option<AddressRange> => {
  const [, first = '', prefix] = FORM.exec(text.trim()) ?? []
  const version = isIP(first)
  const bits = version === 4 ? 32 : 128
  const prefixLength = prefix === undefined ? bits : Number(prefix)
  return version === 0 || prefixLength > bits ? O.none : O.some({ first, prefixLength })
}

/** Reads an address as Node.js writes it: ipaddr.js alone would also read octal, hexadecimal and shortened addresses. */
export const parseAddress = (text: string): Address | undefined => {
  const version = isIP(text)
  if (version === 0) return undefined
  return ipaddr.parse(version === 4 ? text : hexadecimal(text))
}

/** An IPv6 address without a zone and without dots: ipaddr.js reads `::8.8.8.8` as if it were `::ffff:8.8.8.8`. */
const hexadecimal = (text: string): string => new URL(`http://[${text.replace(/%.*$/, '')}]`).hostname.slice(1, -1)

/** The range in the form that `isInRange` expects; it throws if `first` is not a valid address. */
export const parsedRange = ({ first, prefixLength }: AddressRange): ParsedRange => {
  const address = parseAddress(first)
  if (address === undefined) throw new Error(`${first} is not an IP address`)
  return [address, prefixLength]
}

/** Whether an address is in one of the given ranges. An IPv4 address is never in an IPv6 range. */
export const isInRange = (address: Address, ranges: ReadonlyArray<ParsedRange>): boolean =>
  ranges.some(([first, prefixLength]) => first.kind() === address.kind() && address.match(first, prefixLength))
