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
