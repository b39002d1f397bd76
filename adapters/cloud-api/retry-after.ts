import { retryAfterMs } from '../../core/kernel/failure.js'
import { DAY_MS, type Instant, SECOND_MS } from '../../core/kernel/time.js'
import type { Answered } from './transport.js'
import { isObject, itemsOf, propertyOf } from './unknown-json.js'

/** One message to one customer every 6 seconds is what the platform's pair limit lets through in the long run. */
const PAIR_LIMIT_CODE = 131056
const PAIR_LIMIT_SECONDS = 6

/** A longer wait is shortened to a day. */
const LONGEST_SECONDS = DAY_MS / SECOND_MS

/**
 * How many seconds to wait after a throttled answer; `undefined` where nothing is known.
 *
 * The standard `Retry-After` (seconds or a date) comes first, though the platform does not document it; then
 * `X-Business-Use-Case-Usage`, whose `estimated_time_to_regain_access` counts minutes; then the length of the pair limit.
 */
export const retryAfterOf = (headers: Answered['headers'], code: number, now: Instant): number | undefined =>
  secondsOfRetryAfter(textOf(headers['retry-after']), now)
  ?? secondsOfUsage(textOf(headers['x-business-use-case-usage']))
  ?? (code === PAIR_LIMIT_CODE ? PAIR_LIMIT_SECONDS : undefined)

const textOf = (header: string | ReadonlyArray<string> | undefined): string | undefined =>
  typeof header === 'string' ? header : header?.[0]

const secondsOfRetryAfter = (text: string | undefined, now: Instant): number | undefined => {
  const wait = retryAfterMs(text, now)
  return wait === undefined ? undefined : Math.ceil(wait / SECOND_MS)
}

const secondsOfUsage = (text: string | undefined): number | undefined => {
  const usage = parsed(text)
  const minutes = (isObject(usage) ? Object.values(usage) : [])
    .flatMap(itemsOf)
    .map((item) => propertyOf(item, 'estimated_time_to_regain_access'))
    .filter((wait): wait is number => typeof wait === 'number' && wait > 0)
  return minutes.length === 0 ? undefined : Math.min(Math.ceil(Math.max(...minutes) * 60), LONGEST_SECONDS)
}

const parsed = (text: string | undefined): unknown => {
  try {
    return text === undefined ? undefined : JSON.parse(text)
  } catch {
    return undefined
  }
}
