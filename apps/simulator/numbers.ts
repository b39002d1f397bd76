import type { Update } from './webhooks/delivery.js'

/** The platform's ratings of a business number. */
export const NUMBER_RATINGS = ['GREEN', 'YELLOW', 'RED', 'UNKNOWN'] as const

/** How many customers may be messaged outside of windows in 24 hours, lowest first. */
export const NUMBER_LIMITS = ['TIER_250', 'TIER_2K', 'TIER_10K', 'TIER_100K', 'TIER_UNLIMITED'] as const

/** The levels of the throughput of a business number. */
export const THROUGHPUT_LEVELS = ['STANDARD', 'HIGH'] as const

/** What the platform reports of a business number, apart from its name and its own number. */
export type BusinessNumber = {
  readonly quality: (typeof NUMBER_RATINGS)[number]
  /** All numbers of a portfolio have the same. */
  readonly limit: (typeof NUMBER_LIMITS)[number]
  readonly throughput: (typeof THROUGHPUT_LEVELS)[number]
  /** Whether the WhatsApp Business app uses the number, too. */
  readonly isOnBizApp: boolean
}

/** The facts of each business number, by its id. */
export type BusinessNumbers = {
  readonly find: (id: string, portfolio: string) => BusinessNumber
  /** Changes a number; a new limit applies to its whole portfolio. */
  readonly change: (id: string, portfolio: string, change: Partial<BusinessNumber>) => ChangedNumber
  readonly reset: () => void
}

/** A number before and after a change. */
export type ChangedNumber = { readonly before: BusinessNumber; readonly after: BusinessNumber }

const AT_START: BusinessNumber = { quality: 'GREEN', limit: 'TIER_250', throughput: 'STANDARD', isOnBizApp: false }

/** Business numbers that all have the values of a new number. */
export const makeBusinessNumbers = (): BusinessNumbers => {
  const own = new Map<string, Omit<BusinessNumber, 'limit'>>()
  const limits = new Map<string, BusinessNumber['limit']>()
  const find: BusinessNumbers['find'] = (id, portfolio) =>
    ({ ...AT_START, ...own.get(id), limit: limits.get(portfolio) ?? AT_START.limit })
  return {
    find,
    change: (id, portfolio, change) => {
      const before = find(id, portfolio)
      const { limit, ...rest } = { ...before, ...change }
      own.set(id, rest)
      limits.set(portfolio, limit)
      return { before, after: find(id, portfolio) }
    },
    reset: () => {
      own.clear()
      limits.clear()
    },
  }
}

/** The first version with the field of a portfolio's limit. Earlier versions have `messaging_limit_tier`. */
const LIMIT_SINCE = 24

/** The fields of a business number in a version of the API, such as `v25.0`. */
export const numberFields = (
  { quality, limit, throughput, isOnBizApp }: BusinessNumber, id: string, displayNumber: string, version: string,
) => ({
  verified_name: 'Postern Simulator',
  code_verification_status: 'VERIFIED',
  display_phone_number: `+${displayNumber}`,
  quality_rating: quality,
  platform_type: 'CLOUD_API',
  throughput: { level: throughput },
  is_on_biz_app: isOnBizApp,
  ...(Number.parseInt(version.slice(1), 10) >= LIMIT_SINCE
    ? { whatsapp_business_manager_messaging_limit: limit }
    : { messaging_limit_tier: limit }),
  id,
})

/**
 * The updates that report a changed number. A rating is reported when it becomes or stops being `RED`, as `FLAGGED` or `UNFLAGGED`; the platform has no update for `YELLOW`.
 * In the update of the account, numbers may be texts or null.
 */
export const numberUpdates = ({ before, after }: ChangedNumber, displayNumber: string, at: number): ReadonlyArray<Update> => {
  const events = [
    ...(before.quality !== after.quality && after.quality === 'RED' ? ['FLAGGED'] : []),
    ...(before.quality === 'RED' && after.quality !== 'RED' ? ['UNFLAGGED'] : []),
    ...(before.throughput === 'STANDARD' && after.throughput === 'HIGH' ? ['THROUGHPUT_UPGRADE'] : []),
    ...(before.limit === after.limit ? [] : [rankOf(after) > rankOf(before) ? 'UPGRADE' : 'DOWNGRADE']),
  ]
  return [
    ...events.map((event) => update('phone_number_quality_update', at, {
      display_phone_number: displayNumber, event,
      ...(before.limit !== after.limit && { old_limit: before.limit }),
      current_limit: event === 'THROUGHPUT_UPGRADE' ? 'TIER_UNLIMITED' : after.limit,
      max_daily_conversations_per_business: after.limit,
    })),
    ...(before.limit === after.limit ? [] : [update('business_capability_update', at, {
      max_daily_conversations_per_business: after.limit, max_phone_numbers_per_business: null, max_phone_numbers_per_waba: '25',
    })]),
  ]
}

const rankOf = ({ limit }: BusinessNumber): number => NUMBER_LIMITS.indexOf(limit)

const update = (field: string, at: number, value: Update['value']): Update => ({ field, phoneNumberId: undefined, at, value })
