import * as E from 'fp-ts/lib/Either.js'
import type { StateChange } from '../../core/message-state.js'
import { isDeeperThan, type Json, type JsonObject } from '../../core/json.js'
import { isMessageId, parsePlatformId } from '../../core/message.js'
import type { StatusReport } from '../../core/use-cases/receive.js'
import { numberOf } from './error-codes.js'
import { ignored, instantOf, type ParseResult } from './parse-result.js'
import { isObject, itemsOf, propertyOf } from './unknown-json.js'

/** The states the platform reports. `played` is said of a voice note and includes that it was read. */
const STATE_OF: ReadonlyMap<unknown, StateChange['state']> = new Map([
  ['sent', 'sent'], ['delivered', 'delivered'], ['read', 'read'], ['played', 'read'], ['failed', 'failed'],
])

/** The limits for an object of the platform that is stored; those that it sends have three levels and some hundred bytes. */
const KEPT_LEVELS = 20
const KEPT_BYTES = 8_192

/** Reads an item of `statuses`. */
export const readStatus = (phoneNumberId: string, status: unknown): ParseResult<StatusReport> => {
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
  return E.right({
    _tag: 'StatusReport', phoneNumberId, messageId, platformId,
    change: { state, at, platformId, ...(error && { error }), ...(pricing && { pricing }) },
  })
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

const isKeepable = (object: JsonObject): boolean =>
  !isDeeperThan(KEPT_LEVELS, object) && Buffer.byteLength(JSON.stringify(object)) <= KEPT_BYTES
