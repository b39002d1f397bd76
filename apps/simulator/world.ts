import { waIdOf } from './customer-identity.js'
import type { Dice } from './dice.js'
import type { Journal } from './journal.js'
import type { Buckets } from './limits.js'
import type { Settings, SettingsChange } from './settings.js'
import type { Templates } from './templates.js'
import type { Timers } from './timers.js'
import type { Account } from './updates.js'
import type { Webhooks } from './webhooks.js'

/** Everything one simulator remembers; two simulators share nothing. */
export type World = {
  readonly account: Account
  /** Undefined where any token will do. */
  readonly accessToken: string | undefined
  /** Undefined where any id of digits is a business number, but for `UNKNOWN_PHONE_NUMBER_ID`. */
  readonly phoneNumberIds: ReadonlyArray<string> | undefined
  readonly apiVersion: string
  readonly settings: () => Settings
  readonly change: (change: SettingsChange) => void
  readonly dice: () => Dice
  readonly templates: Templates
  readonly journal: Journal
  readonly webhooks: Webhooks
  readonly limits: Buckets
  readonly timers: Timers
  /** When a customer last wrote to a business number, by `conversationOf`. */
  readonly lastInbound: Map<string, number>
  /** How many texts of a business number were priced so far. */
  readonly pricedTexts: Map<string, number>
  /** Conversations that had their spurious refusal. */
  readonly refusedOnce: Set<string>
  /** As at the start, with nothing pending. */
  readonly reset: () => void
}

/** An id that is no business number of any simulator. */
export const UNKNOWN_PHONE_NUMBER_ID = '404404404404404'

/** The business number that plays where nobody names one. */
const DEFAULT_PHONE_NUMBER_ID = '100000000000001'

/** The key of a business number and a customer. */
export const conversationOf = (phoneNumberId: string, waId: string): string => `${phoneNumberId} ${waId}`

/** Whether an id names a business number that the token's owner can see. */
export const isPhoneNumberId = ({ phoneNumberIds }: World, id: string): boolean =>
  phoneNumberIds === undefined ? /^[0-9]{1,32}$/.test(id) && id !== UNKNOWN_PHONE_NUMBER_ID : phoneNumberIds.includes(id)

/** Whether an id names the business account; where any number will do, so will any account. */
export const isAccountId = (world: World, id: string): boolean =>
  id === world.account.id || (world.phoneNumberIds === undefined && isPhoneNumberId(world, id))

/** The id a customer's number is reported under. */
export const reportedAs = (world: World, digits: string): string => (world.settings().rewriteWaIds ? waIdOf(digits) : digits)

/** The business number that was last sent through, else the first there is. */
export const usualPhoneNumberId = ({ journal, phoneNumberIds }: World): string =>
  journal.latest()?.phoneNumberId ?? phoneNumberIds?.[0] ?? DEFAULT_PHONE_NUMBER_ID
