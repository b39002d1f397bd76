import { DAY_MS, SECOND_MS, type Instant } from './time.js'

/**
 * How long the header `Retry-After` asks to wait, in milliseconds, at most a day; `undefined` where it cannot be read. It is a number of seconds or a date:
 * <https://www.rfc-editor.org/rfc/rfc9110#name-retry-after>.
 */
export const retryAfterMs = (header: string | undefined, now: Instant): number | undefined => {
  const text = header?.trim() ?? ''
  if (/^[0-9]+$/.test(text)) return Math.min(Number(text) * SECOND_MS, DAY_MS)
  // An HTTP date begins with the name of a day; `Date.parse` alone would make a date of almost anything.
  const at = /^(Mon|Tue|Wed|Thu|Fri|Sat|Sun)/.test(text) ? Date.parse(text) : Number.NaN
  return Number.isNaN(at) ? undefined : Math.min(Math.max(at - now, 0), DAY_MS)
}
