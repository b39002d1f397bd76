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

/** The network of an address as those can be told apart who ask for something at the same time: a /48 of IPv6, which anyone can have, has 65,536 of /64. */
export const siteOf = (address: string | undefined): string => {
  const network = networkOf(address)
  return network.endsWith('::/64') ? `${network.split(':').slice(0, 3).join(':')}::/48` : network
}

const groups = (text: string): ReadonlyArray<string> => (text === '' ? [] : text.split(':'))
