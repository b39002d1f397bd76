/** What an address needs; the text continues the words "an address with". */
export const USABLE_HOST = 'a host without empty parts and a port from 1 to 65535'

const MAX_PORT = 65_535

/** Between the scheme and the path. */
const AUTHORITY = /^[a-z][a-z0-9+.-]*:\/\/([^/?#\\]*)/i

/** A name or an address, IPv6 in brackets; then an optional port. */
const HOST_AND_PORT = /^(\[[^\]]*\]|[^:]*)(?::([0-9]*))?$/

/** All characters that browsers read as the dot between two labels of a host name. */
const DOT = /%2e|[。．｡]/gi

/**
 * Whether a connection to the host and port of an address such as `https://shop.example:8443/…` can exist. It cannot if a label of the host name is empty, as in
 * `shop..example`, or if the port is 0. A single dot at the end is the root of all names.
 */
export const hasUsableHost = (address: string): boolean => {
  const authority = AUTHORITY.exec(address)?.[1] ?? ''
  const [, host = '', port = ''] = HOST_AND_PORT.exec(authority.slice(authority.lastIndexOf('@') + 1)) ?? []
  const name = host.replace(DOT, '.')
  return name !== '' && !name.startsWith('.') && !name.includes('..') && (port === '' || (Number(port) >= 1 && Number(port) <= MAX_PORT))
}
