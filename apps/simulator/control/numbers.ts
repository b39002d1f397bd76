import { controlReply, refusal, type Reply } from '../http.js'
import { type BusinessNumber, NUMBER_LIMITS, NUMBER_RATINGS, numberUpdates, THROUGHPUT_LEVELS } from '../numbers.js'
import { businessNumber, defaultPhoneNumberId, isPhoneNumberId, portfolioOf, type SimulatorState } from '../state.js'
import type { DeliveryOptions } from '../webhooks/delivery.js'
import { isNumberBody } from './bodies.js'

const UNKNOWN = refusal(404, 'This business number does not exist')

/** Shows a business number; by default the one used last. */
export const showNumber = (state: SimulatorState, id: string): Reply => {
  const phoneNumberId = id === '' ? defaultPhoneNumberId(state) : id
  return isPhoneNumberId(state, phoneNumberId) ? controlReply(200, { id: phoneNumberId, ...businessNumber(state, phoneNumberId) }) : UNKNOWN
}

/** Changes a business number as a control request asks. */
export const changeNumberBy = (state: SimulatorState, id: string, body: unknown): Reply => {
  if (!isNumberBody(body)) {
    return refusal(400, `A change of a business number has only these keys, all optional: quality (${NUMBER_RATINGS.join(', ')}), limit (${
      NUMBER_LIMITS.join(', ')}), throughput (${THROUGHPUT_LEVELS.join(', ')}), isOnBizApp, notify, at, times, signature`)
  }
  const { phone_number_id: named = defaultPhoneNumberId(state), notify, at, times = 1, signature = 'right', ...change } = body
  const phoneNumberId = id === '' ? named : id
  if (!isPhoneNumberId(state, phoneNumberId)) return UNKNOWN
  changeNumber(state, phoneNumberId, change, {
    isNotified: notify ?? true, at: at === undefined ? Date.now() : new Date(at).getTime(), times, signature,
  })
  return showNumber(state, phoneNumberId)
}

/** How a change is reported: when it happened, in milliseconds, and with which delivery. */
type NumberReport = DeliveryOptions & { readonly at?: number; readonly isNotified?: boolean }

/** Changes what the platform reports of a business number, and sends its notifications. */
export const changeNumber = (
  state: SimulatorState, id: string, change: Partial<BusinessNumber>, { at = Date.now(), isNotified = true, ...options }: NumberReport = {},
): void => {
  const changed = state.numbers.change(id, portfolioOf(state, id), change)
  const updates = numberUpdates(changed, state.account.displayPhoneNumber, at)
  if (isNotified && updates.length > 0) state.webhooks.send(updates.length, () => updates, options)
}
