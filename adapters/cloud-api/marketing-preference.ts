import * as E from 'fp-ts/lib/Either.js'
import type { MarketingPreference } from '../../core/reports/receive.js'
import { idsIn } from './contacts.js'
import { type Batch, ignored, instantOf, type ParseResult } from './parse-result.js'
import { propertyOf } from './unknown-json.js'

/** Reads an item of `user_preferences`: <https://developers.facebook.com/docs/whatsapp/cloud-api/webhooks/reference/user_preferences>. */
export const readPreference = ({ phoneNumberId, customerOf }: Batch, preference: unknown): ParseResult<MarketingPreference> => {
  const value = propertyOf(preference, 'value')
  if (propertyOf(preference, 'category') !== 'marketing_messages' || (value !== 'stop' && value !== 'resume')) return ignored('unknown_preference')
  const customer = customerOf(idsIn(propertyOf(preference, 'wa_id'), propertyOf(preference, 'user_id')))
  if (customer === undefined) return ignored('no_customer_id')
  const at = instantOf(propertyOf(preference, 'timestamp'))
  const { phoneNumber, userId } = customer
  return at === undefined
    ? ignored('no_time')
    : E.right([{ _tag: 'MarketingPreference', phoneNumberId, customer: { phoneNumber, userId }, stopped: value === 'stop', at }])
}
