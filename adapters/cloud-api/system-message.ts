import * as E from 'fp-ts/lib/Either.js'
import { type CustomerIds, parseUserId } from '../../core/customers/customer.js'
import type { IdsChanged } from '../../core/reports/receive.js'
import { idsIn, keysOf } from './contacts.js'
import { type Batch, ignored, instantOf, type ParseResult } from './parse-result.js'
import { propertyOf } from './unknown-json.js'

/** Types by which a customer has other ids. The platform makes a new user id with every new number, and may name it alone. */
const NEW_IDS: ReadonlySet<unknown> = new Set(['user_changed_number', 'customer_changed_number', 'user_changed_user_id'])

/** Types by which the keys of a customer's device have changed. */
const NEW_KEYS: ReadonlySet<unknown> = new Set(['customer_identity_changed', 'user_identity_changed'])

/**
 * Reads a message of the type `system`, by which the customer wrote nothing: a change of a customer's ids.
 *
 * `from` names the ids before, `system.wa_id` and `system.user_id` those after, and `system.previous_user_id` the user id before:
 * <https://developers.facebook.com/docs/whatsapp/cloud-api/webhooks/reference/messages/system>.
 */
export const readSystemMessage = ({ phoneNumberId }: Batch, message: unknown): ParseResult<IdsChanged> => {
  const system = propertyOf(message, 'system')
  const type = propertyOf(system, 'type')
  if (NEW_KEYS.has(type)) return ignored('identity_changed')
  if (!NEW_IDS.has(type)) return ignored('unknown_system_type')
  // Until version 12 the new number was in `new_wa_id`, and `wa_id` was the old one.
  const after = idsIn(propertyOf(system, 'new_wa_id') ?? propertyOf(system, 'wa_id'), propertyOf(system, 'user_id'))
  const before = after && idsBefore(message, after)
  if (after === undefined || before === undefined || !isChange(before, after)) return ignored('no_new_ids')
  const at = instantOf(propertyOf(message, 'timestamp'))
  return at === undefined ? ignored('no_time') : E.right([{ _tag: 'IdsChanged', phoneNumberId, before, after, at }])
}

/** The user id of the sender is the one before only if the message names another one after it; otherwise it can be either. */
const idsBefore = (message: unknown, after: CustomerIds): CustomerIds | undefined => {
  const sender = idsIn(propertyOf(message, 'from'), propertyOf(message, 'from_user_id'))
  const previous = parseUserId(propertyOf(propertyOf(message, 'system'), 'previous_user_id'))
  const userId = previous ?? (after.userId === undefined ? undefined : sender?.userId)
  const before = { phoneNumber: sender?.phoneNumber, userId }
  return keysOf(before).length === 0 ? undefined : before
}

const isChange = (before: CustomerIds, after: CustomerIds): boolean => keysOf(after).some((id) => !keysOf(before).includes(id))
