import { versionEnd } from '../../adapters/cloud-api/index.js'
import { DAY_MS, type Instant } from '../../core/kernel/time.js'
import { type CheckResult, passed } from './check-result.js'

/** How long before its end a version is noted. */
const NOTICE_MS = 183 * DAY_MS

/** Notes a version of the platform's API that ends within six months, or has ended; no line for any other. */
export const checkApiVersion = (version: string, now: Instant): ReadonlyArray<CheckResult> => {
  const end = versionEnd(version)
  if (end === undefined || end - now > NOTICE_MS) return []
  const day = new Date(end).toISOString().slice(0, 10)
  return [passed('PLATFORM_VERSION', `WARNING, version ${version} of the platform's API ${end > now ? 'ends' : 'ended'} on ${day}; choose a later one`)]
}
