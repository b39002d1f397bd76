import * as E from 'fp-ts/lib/Either.js'
import type { Inbound, UncountedInbound } from '../../core/use-cases/receive.js'
import type { Batch } from './batch.js'
import { idsIn } from './customer-ids.js'
import { readContent } from './message-content.js'
import { ignored, instantOf, type ParseResult } from './parse-result.js'
import { readSharedNumber } from './shared-number.js'
import { readSystemMessage } from './system-message.js'
import { hasProperty, propertyOf } from './unknown-json.js'

/**
 * Types of `messages` by which the customer wrote nothing, so they open no window; the application gets them all the same. `request_welcome` reports that
 * the customer opened a chat. Every other type, also an unknown one, is in `messages` because a customer sent it.
 */
const NOT_WRITING: ReadonlySet<unknown> = new Set(['reaction', 'edit', 'revoke', 'request_welcome', 'pin', 'keep_in_chat'])

/** Reads an item of `messages`. An `unsupported` message has the real type in a field of its own. */
export const readMessage = (batch: Batch, message: unknown): ParseResult => {
  const type = propertyOf(message, 'type')
  if (typeof type !== 'string') return ignored('no_type')
  if (hasProperty(message, 'group_id')) return ignored('group')
  if (type === 'system') return readSystemMessage(batch, message)
  const hidden = type === 'unsupported' ? propertyOf(propertyOf(message, 'unsupported'), 'type') : undefined
  const inbound = readInbound(batch, type, message)
  if (NOT_WRITING.has(type) || NOT_WRITING.has(hidden)) return E.isLeft(inbound) ? inbound : uncounted(inbound.right)
  return type === 'contacts' && E.isRight(inbound)
    ? E.right(inbound.right.flatMap((report) => [report, ...readSharedNumber(report, message)]))
    : inbound
}

/** Reads an item of `calls`: a customer's call opens the window as a message does, from the moment the call begins. */
export const readCall = (batch: Batch, call: unknown): ParseResult =>
  propertyOf(call, 'direction') === 'USER_INITIATED' && propertyOf(call, 'event') === 'connect'
    ? readInbound(batch, 'call', call)
    : ignored('not_a_customers_call')

const readInbound = ({ phoneNumberId, customerOf }: Batch, type: string, item: unknown): ParseResult<Inbound> => {
  const customer = customerOf(idsIn(propertyOf(item, 'from'), propertyOf(item, 'from_user_id')))
  if (customer === undefined) return ignored('no_customer_id')
  const at = instantOf(propertyOf(item, 'timestamp'))
  if (at === undefined) return ignored('no_time')
  const message = readContent(type, item)
  return E.right([{ _tag: 'Inbound', phoneNumberId, customer, at, ...(message && { message }) }])
}

/** What the customer did is reported for the application alone, so there is nothing to report of an item without an id. */
const uncounted = (reports: ReadonlyArray<Inbound>): ParseResult<UncountedInbound> => {
  const noted = reports.flatMap(({ message, ...report }) => (message === undefined ? [] : [{ ...report, _tag: 'UncountedInbound' as const, message }]))
  return noted.length === 0 ? ignored('not_writing') : E.right(noted)
}
