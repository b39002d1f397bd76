import * as E from 'fp-ts/lib/Either.js'
import type { CustomerIds } from '../../core/customers/customer.js'
import type { ReportedCustomer } from '../../core/customers/learn.js'
import type { Json, JsonObject } from '../../core/kernel/json.js'
import { isMessageId, parsePlatformId, type StateChange } from '../../core/messages/message.js'
import type { StatusReport } from '../../core/reports/status.js'
import { idsIn } from './contacts.js'
import { numberOf } from './error-codes.js'
import { type Batch, ignored, instantOf, isKeepable, type ParseResult } from './parse-result.js'
import { hasProperty, isObject, itemsOf, propertyOf } from './unknown-json.js'

/** The states the platform reports. `played` is said of a voice note and includes that it was read. */
const STATE_OF: ReadonlyMap<unknown, StateChange['state']> = new Map([
  ['sent', 'sent'], ['delivered', 'delivered'], ['read', 'read'], ['played', 'read'], ['failed', 'failed'],
])

/** Reads an item of `statuses`. */
export const readStatus = (batch: Batch, status: unknown): ParseResult<StatusReport> => {
  if (propertyOf(status, 'type') === 'call') return ignored('call_status')
  const state = STATE_OF.get(propertyOf(status, 'status'))
  if (state === undefined) return ignored('unknown_status')
  const platformId = parsePlatformId(propertyOf(status, 'id'))
  if (platformId === undefined) return ignored('no_platform_id')
  const at = instantOf(propertyOf(status, 'timestamp'))
  if (at === undefined) return ignored('no_time')

  // Other programs that send through the same account may put any text into this field.
  const mark = propertyOf(status, 'biz_opaque_callback_data')
  const messageId = typeof mark === 'string' && isMessageId(mark) ? mark : undefined
  const error = state === 'failed' ? errorOf(status) : undefined
  const pricing = pricingOf(status)
  const ids = isOfGroup(status) ? undefined : idsIn(propertyOf(status, 'recipient_id'), propertyOf(status, 'recipient_user_id'))
  const customer = ids && taughtBy(batch, ids)
  const to = ids?.phoneNumber ?? ids?.userId
  return E.right([{
    _tag: 'StatusReport', phoneNumberId: batch.phoneNumberId, messageId, platformId,
    change: { state, at, platformId, ...(error && { error }), ...(pricing && { pricing }) }, ...(customer && { customer }), ...(to && { to }),
  }])
}

/**
 * Reads an item of `statuses` that came while another program had the conversation: nearly all of them are about that program's messages,
 * which the log never had, and would be asked for again until they are old. Only a status with our id is read.
 */
export const readStandbyStatus = (batch: Batch, status: unknown): ParseResult<StatusReport> => {
  const result = readStatus(batch, status)
  return E.isRight(result) && result.right.some(({ messageId }) => messageId === undefined) ? ignored('status_of_another_sender') : result
}

/** A group is no customer. */
const isOfGroup = (status: unknown): boolean => propertyOf(status, 'recipient_type') === 'group' || hasProperty(status, 'recipient_participant_id')

/** The customer to whom the message went, where the status teaches something: both ids, or a name. */
const taughtBy = ({ customerOf }: Batch, ids: CustomerIds): ReportedCustomer | undefined => {
  const customer = customerOf(ids)
  return customer !== undefined && Object.keys(customer).length > 1 ? customer : undefined
}

/** The first error, whole; of an error that is too large, its code alone. */
const errorOf = (status: unknown): JsonObject | undefined => {
  const error = itemsOf(propertyOf(status, 'errors'))[0]
  if (!isObject(error) || isKeepable(error)) return isObject(error) ? error : undefined
  const code = numberOf(error['code'])
  return { ...(code !== undefined && { code }), message: 'The platform sent an error too large to keep' }
}

const pricingOf = (status: unknown): JsonObject | undefined => {
  const pricing: Json | undefined = propertyOf(status, 'pricing')
  return isObject(pricing) && isKeepable(pricing) ? pricing : undefined
}
