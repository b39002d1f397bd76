import { DAY_MS, type Instant } from './time.js'

/** The age of an account's catalogue; `fault` is set while the latest reading failed. */
export type CatalogueState = { readonly listedAt: Instant | undefined; readonly fault: CatalogueFault | undefined }

/** Why a reading of an account's list failed, in a sentence for the operator, and when. */
export type CatalogueFault = { readonly sentence: string; readonly at: Instant }

/** Whether a list is too old, or was never read, for a template to be refused on its account: it is from a day on. */
export const isTooOld = (listedAt: Instant | undefined, now: Instant): boolean => listedAt === undefined || now - listedAt > DAY_MS

/** The state of an account whose list was never read. */
export const NEVER_LISTED: CatalogueState = { listedAt: undefined, fault: undefined }

/** The state after the whole list was read at a moment: it removes a fault that is not later, and never goes back in time. */
export const listedState = ({ listedAt, fault }: CatalogueState, at: Instant): CatalogueState => ({
  listedAt: Math.max(listedAt ?? at, at),
  fault: fault !== undefined && fault.at > at ? fault : undefined,
})

/** The state after a reading failed; a fault that is older than the list or than another fault changes nothing. */
export const faultedState = (before: CatalogueState, fault: CatalogueFault): CatalogueState =>
  fault.at >= (before.listedAt ?? fault.at) && fault.at >= (before.fault?.at ?? fault.at) ? { ...before, fault } : before
