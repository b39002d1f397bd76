import * as E from 'fp-ts/lib/Either.js'
import type * as T from 'fp-ts/lib/Task.js'
import type { TemplateCatalogue } from '../ports/template-catalogue.js'
import type { TemplateAccount, TemplateSource } from '../ports/template-source.js'
import type { WindowClock } from '../ports/window-clock.js'
import { MINUTE_MS, SECOND_MS, type Instant } from '../time.js'
import { alongTemplates, type TemplateEventsDeps } from './template-events.js'

/** Reads the templates of one name from the platform into the catalogue, in every language. `false`: the catalogue is as it was. */
export type RefreshTemplate = (account: TemplateAccount, name: string) => T.Task<boolean>

/** What reading a template again needs. */
export type RefreshTemplateDeps = TemplateEventsDeps & {
  readonly templateCatalogue: Pick<TemplateCatalogue, 'replaceNamed'>
  readonly templateSource: TemplateSource
  readonly windowClock: Pick<WindowClock, 'now'>
}

/** The most readings of an account in `FRESH_MS`; the platform takes 5,000 calls an hour for an account, and every process counts for itself. */
const MOST_READINGS = 60

/** A reading counts for so long, also one that failed, so that a wrong name in every send costs one call a minute. */
const FRESH_MS = MINUTE_MS

/** How long an account is left alone if the platform throttles without a time. */
const THROTTLED_SECONDS = 60

type Reading = { readonly accountId: string; readonly at: Instant; readonly isRead: Promise<boolean> }

/**
 * Makes the reading, which remembers what it read: a name is read at most once a minute, and callers at the same time share one reading. An account that
 * the platform throttles is not read again before the time that it states.
 */
export const makeRefreshTemplate = (deps: RefreshTemplateDeps): RefreshTemplate => {
  const readings = new Map<string, Reading>()
  const throttled = new Map<string, Instant>()
  return (account, name) => async () => {
    const at = deps.windowClock.now()
    const { businessAccountId: accountId } = account
    const key = `${accountId} ${name}`
    forgetOld(readings, at)
    const known = readings.get(key)
    if (known !== undefined) return known.isRead
    if (isExhausted(readings, accountId) || at < (throttled.get(accountId) ?? at)) return false
    const isRead = read(deps, account, name, at, (until) => throttled.set(accountId, until))
    readings.set(key, { accountId, at, isRead })
    return isRead
  }
}

/** The readings are in the order of their moments. A clock may go back, and then they are forgotten too. */
const forgetOld = (readings: Map<string, Reading>, now: Instant): void => {
  for (const [key, { at }] of readings) {
    if (Math.abs(now - at) < FRESH_MS) return
    readings.delete(key)
  }
}

const isExhausted = (readings: ReadonlyMap<string, Reading>, accountId: string): boolean =>
  [...readings.values()].filter((reading) => reading.accountId === accountId).length >= MOST_READINGS

const read = async (
  deps: RefreshTemplateDeps, account: TemplateAccount, name: string, at: Instant, onThrottled: (until: Instant) => void,
): Promise<boolean> => {
  const listed = await deps.templateSource.list(account, name)()
  if (E.isRight(listed)) {
    const along = await alongTemplates(deps, account.businessAccountId)
    return E.isRight(along) && E.isRight(await deps.templateCatalogue.replaceNamed(account.businessAccountId, name, listed.right, at, along.right)())
  }
  if (listed.left._tag === 'PlatformThrottled') onThrottled(at + (listed.left.retryAfterSeconds ?? THROTTLED_SECONDS) * SECOND_MS)
  return false
}
