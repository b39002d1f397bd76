import { isIP } from 'node:net'
import type { Scheme } from './address-guard.js'
import { FailedCall } from './failed-call.js'

/** Where a request goes to, as sockets and requests take it. */
export type EndpointAddress = {
  readonly scheme: Scheme
  /** A name or an address; an IPv6 address has no brackets. */
  readonly host: string
  readonly port: string
  readonly path: string
  /** The name that the certificate must be for, without the dot of the root; empty where the host is an address. */
  readonly serverName: string
}

/** Reads the URL of an endpoint; it throws a `FailedCall` where it cannot be called. */
export const readEndpointAddress = (text: string): EndpointAddress => {
  // Not `URL.canParse`: that of Node.js 22 misreads letters outside ASCII once the process has called it some hundred times.
  const url = URL.parse(text)
  if (url === null) throw new FailedCall('The URL of the endpoint cannot be read')
  const { protocol, hostname, port, pathname, search, username, password } = url
  if (protocol !== 'https:' && protocol !== 'http:') throw new FailedCall('The URL of the endpoint begins with neither https nor http')
  if (username !== '' || password !== '') throw new FailedCall('The URL of the endpoint has a user or a password')
  const host = hostname.replace(/^\[(.*)\]$/, '$1')
  return { scheme: protocol, host, port, path: `${pathname}${search}`, serverName: isIP(host) === 0 ? host.replace(/\.$/, '') : '' }
}
