import { isIPv6 } from 'node:net'
import type { Context } from 'koa'

/**
 * Whether a form was sent by one of our own pages. Where a browser does not say the origin, `Sec-Fetch-Site` or `Referer` do; what says nothing is refused.
 *
 * With no public address configured, the host is what counts, because a proxy may have taken the https off.
 */
export const isFromHere = (ctx: Context, publicOrigin: string | undefined): boolean => {
  const origin = ctx.get('Origin')
  if (origin !== '') return isOurs(origin)
  const site = ctx.get('Sec-Fetch-Site')
  return site === '' ? isOurs(ctx.get('Referer')) : site === 'same-origin'

  function isOurs(address: string): boolean {
    // Not `URL.canParse`: that of Node.js 22 misreads letters outside ASCII once the process has called it some hundred times.
    const url = URL.parse(address)
    if (url === null) return false
    return publicOrigin === undefined ? /^https?:$/.test(url.protocol) && url.host === ctx.get('Host').toLowerCase() : url.origin === publicOrigin
  }
}

/**
 * The origin that links and commands begin with; `undefined` where the gateway cannot know it.
 *
 * A client writes any `Host` it likes, so one that no public address confirms counts only if it names this machine: a loopback name or address, or the address
 * that the connection came to. Any other one would put a foreign address into an invitation.
 */
export const linkOrigin = (ctx: Context, publicOrigin: string | undefined): string | undefined => {
  if (publicOrigin !== undefined) return publicOrigin
  const url = URL.parse(`http://${ctx.get('Host')}`)
  return url !== null && (LOOPBACK.test(url.hostname) || url.hostname === ownAddress(ctx)) ? url.origin : undefined
}

const LOOPBACK = /^(?:(?:.+\.)?localhost|127\.\d+\.\d+\.\d+|\[::1\])$/

const ownAddress = ({ req: { socket: { localAddress = '' } } }: Context): string =>
  (isIPv6(localAddress) && !localAddress.startsWith('::ffff:') ? `[${localAddress}]` : localAddress.replace('::ffff:', ''))
