import * as E from 'fp-ts/lib/Either.js'
import { parsePhoneNumber } from '../../core/message.js'
import type { Inbound } from '../../core/receive.js'
import { ignored, instantOf, type Reading } from './ignored.js'
import { propertyOf } from './json-shape.js'

/** Message types that are the customer writing, so that they open the customer service window. */
const WRITING: ReadonlySet<unknown> = new Set([
  'text', 'image', 'video', 'audio', 'document', 'sticker', 'location', 'contacts', 'button', 'interactive', 'order', 'call',
  'unsupported',
])

/**
 * Types known not to be, or not known to be: what the platform says of these is unconfirmed, and a window wrongly taken for
 * open costs a message that is never delivered. `request_welcome` tells that a chat was opened, not that anything was written.
 */
const NOT_WRITING: ReadonlySet<unknown> = new Set(['system', 'reaction', 'edit', 'revoke', 'request_welcome'])

/** What `unsupported` may hide in its own `type` and is no writing either. */
const NOT_WRITING_WITHIN: ReadonlySet<unknown> = new Set(['system', 'reaction', 'edit', 'revoke', 'pin', 'keep_in_chat'])

/** Reads an item of `messages`. A type nobody knows yet is ignored: a window is opened only by what is known to open one. */
export const readMessage = (phoneNumberId: string, message: unknown): Reading<Inbound> => {
  const type = propertyOf(message, 'type')
  const hidden = type === 'unsupported' ? propertyOf(propertyOf(message, 'unsupported'), 'type') : undefined
  if (NOT_WRITING.has(type) || NOT_WRITING_WITHIN.has(hidden)) return ignored('not_writing')
  if (!WRITING.has(type)) return ignored('unknown_type')
  if (propertyOf(message, 'group_id') !== undefined) return ignored('group')
  return inbound(phoneNumberId, message)
}

/** Reads an item of `calls`: a customer's call opens the window as a message does, from the moment it is begun. */
export const readCall = (phoneNumberId: string, call: unknown): Reading<Inbound> =>
  propertyOf(call, 'direction') === 'USER_INITIATED' && propertyOf(call, 'event') === 'connect'
    ? inbound(phoneNumberId, call)
    : ignored('not_a_customers_call')

const inbound = (phoneNumberId: string, item: unknown): Reading<Inbound> => {
  const from = propertyOf(item, 'from')
  const customer = typeof from === 'string' ? parsePhoneNumber(from) : undefined
  if (customer === undefined || E.isLeft(customer)) return ignored('no_phone_number')
  const at = instantOf(propertyOf(item, 'timestamp'))
  return at === undefined ? ignored('no_time') : E.right({ _tag: 'Inbound', phoneNumberId, customer: customer.right, at })
}
