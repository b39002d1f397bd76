import * as E from 'fp-ts/lib/Either.js'
import type { Inbound } from '../../core/use-cases/receive.js'
import { idsIn } from './customer-ids.js'
import { ignored, instantOf, type ParseResult } from './parse-result.js'
import { propertyOf } from './unknown-json.js'

/**
 * Types of `messages` by which the customer wrote nothing, so they open no window. `request_welcome` reports that the customer opened a
 * chat. Every other type, also an unknown one, is in `messages` because a customer sent it.
 */
const NOT_WRITING: ReadonlySet<unknown> = new Set(['system', 'reaction', 'edit', 'revoke', 'request_welcome', 'pin', 'keep_in_chat'])

/** Reads an item of `messages`. An `unsupported` message has the real type in a field of its own. */
export const readMessage = (phoneNumberId: string, message: unknown): ParseResult<Inbound> => {
  const type = propertyOf(message, 'type')
  if (typeof type !== 'string') return ignored('no_type')
  const hidden = type === 'unsupported' ? propertyOf(propertyOf(message, 'unsupported'), 'type') : undefined
  if (NOT_WRITING.has(type) || NOT_WRITING.has(hidden)) return ignored('not_writing')
  if (propertyOf(message, 'group_id') !== undefined) return ignored('group')
  return inbound(phoneNumberId, message)
}

/** Reads an item of `calls`: a customer's call opens the window as a message does, from the moment the call begins. */
export const readCall = (phoneNumberId: string, call: unknown): ParseResult<Inbound> =>
  propertyOf(call, 'direction') === 'USER_INITIATED' && propertyOf(call, 'event') === 'connect'
    ? inbound(phoneNumberId, call)
    : ignored('not_a_customers_call')

const inbound = (phoneNumberId: string, item: unknown): ParseResult<Inbound> => {
  const customer = idsIn(propertyOf(item, 'from'), propertyOf(item, 'from_user_id'))
  if (customer === undefined) return ignored('no_phone_number')
  const at = instantOf(propertyOf(item, 'timestamp'))
  return at === undefined ? ignored('no_time') : E.right({ _tag: 'Inbound', phoneNumberId, customer, at })
}
