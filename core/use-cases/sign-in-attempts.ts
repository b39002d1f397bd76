import type { Email } from '../member.js'
import type { AttemptName } from '../ports/sessions.js'
import { MINUTE_MS } from '../time.js'

/** In how many milliseconds attempts to sign in are limited: 15 minutes. */
export const ATTEMPTS_WITHIN_MS = 15 * MINUTE_MS
/** How many attempts may be made with one email in that time. */
export const EMAIL_ATTEMPTS = 10
/** How many attempts may be made from one network address in that time. */
export const ADDRESS_ATTEMPTS = 50

/** The attempts with an email. */
export const emailAttempts = (email: Email): AttemptName => ({ name: `email ${email}`, most: EMAIL_ATTEMPTS, withinMs: ATTEMPTS_WITHIN_MS })

/** The attempts from a network address; none where it is unknown. */
export const addressAttempts = (address: string | undefined): ReadonlyArray<AttemptName> =>
  (address === undefined ? [] : [{ name: `address ${networkOf(address)}`, most: ADDRESS_ATTEMPTS, withinMs: ATTEMPTS_WITHIN_MS }])

/** One machine has a whole /64 of IPv6, so that is what counts; an IPv4 address written as one of IPv6 is the IPv4 address. */
const networkOf = (address: string): string => {
  const lower = address.toLowerCase()
  if (!lower.includes(':')) return lower
  const ipv4 = /^(?:0*:)*:?ffff:(\d+\.\d+\.\d+\.\d+)$/.exec(lower)?.[1]
  if (ipv4 !== undefined) return ipv4
  const [before = '', after] = lower.split('::')
  const [head, tail] = [groups(before), groups(after ?? '')]
  const all = after === undefined ? head : [...head, ...Array.from({ length: 8 - head.length - tail.length }, () => '0'), ...tail]
  return `${all.slice(0, 4).map((group) => group.replace(/^0+(?=.)/, '')).join(':')}::/64`
}

const groups = (text: string): ReadonlyArray<string> => (text === '' ? [] : text.split(':'))
