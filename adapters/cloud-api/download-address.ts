import type { HttpRequest } from './transport.js'

/** Where a download goes to. */
export type DownloadAddress = Pick<HttpRequest, 'origin' | 'path'>

/**
 * Hosts of the platform, which may get an access token. Attachments are at `lookaside.fbsbx.com`:
 * <https://developers.facebook.com/documentation/business-messaging/whatsapp/business-phone-numbers/media#get-media-url>.
 */
const PLATFORM_HOST = /^(?:graph\.facebook\.com|(?:[a-z0-9-]+\.)*(?:fbsbx\.com|whatsapp\.net))$/

const LONGEST_ADDRESS = 8_192

/**
 * Reads the address of an attachment that the platform gave; `undefined` where the token must not go to it.
 *
 * That is every address but `https` ones of the platform's hosts on the usual port, and those of the origin that the gateway calls as the platform.
 */
export const readDownloadAddress = (address: unknown, platformOrigin: string): DownloadAddress | undefined => {
  // Not `URL.canParse`: that of Node.js 22 misreads letters outside ASCII once the process has called it some hundred times.
  const url = typeof address === 'string' && address.length <= LONGEST_ADDRESS ? URL.parse(address) : null
  if (url === null) return undefined
  const { origin, protocol, hostname, port, username, password, pathname, search } = url
  if (username !== '' || password !== '') return undefined
  const isPlatform = protocol === 'https:' && port === '' && PLATFORM_HOST.test(hostname)
  return isPlatform || origin === platformOrigin ? { origin, path: `${pathname}${search}` } : undefined
}
