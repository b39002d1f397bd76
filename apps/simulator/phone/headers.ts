import type { IncomingMessage } from 'node:http'
import { hostOf } from '../http.js'

/** The headers of the page. Only the simulator's own script runs in it, and nothing is loaded from, or sent to, anywhere else. */
export const PAGE_HEADERS: Readonly<Record<string, string>> = {
  'content-type': 'text/html; charset=utf-8',
  'content-security-policy': "default-src 'none'; style-src 'self'; script-src 'self'; connect-src 'self'; img-src 'self'; form-action 'self'; frame-ancestors 'none'; base-uri 'none'",
  'referrer-policy': 'same-origin',
  'cache-control': 'no-store',
  'x-content-type-options': 'nosniff',
  'x-frame-options': 'DENY',
  'cross-origin-opener-policy': 'same-origin',
  'cross-origin-resource-policy': 'same-origin',
  vary: 'hx-request',
}

/** Whether a form was sent by the simulator's own page: browsers say so in one of three headers. */
export const isFromHere = (request: IncomingMessage): boolean => {
  const { origin, referer = '', 'sec-fetch-site': site } = request.headers
  if (origin !== undefined) return isOurs(origin, hostOf(request))
  return site === undefined ? isOurs(referer, hostOf(request)) : site === 'same-origin'
}

const isOurs = (address: string, host: string | undefined): boolean => {
  try {
    return new URL(address).host === host?.toLowerCase()
  } catch {
    return false
  }
}
