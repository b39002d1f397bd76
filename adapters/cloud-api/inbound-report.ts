import * as E from 'fp-ts/lib/Either.js'
import type { JsonObject } from '../../core/kernel/json.js'
import type { InboundMessage } from '../../core/messages/conversation.js'
import { parsePlatformId } from '../../core/messages/message.js'
import type { Inbound, UncountedInbound } from '../../core/reports/receive.js'
import { idsIn } from './contacts.js'
import { type Batch, ignored, instantOf, isKeepable, type ParseResult } from './parse-result.js'
import { readSharedNumber } from './shared-number.js'
import { readSystemMessage } from './system-message.js'
import { hasProperty, isObject, propertyOf } from './unknown-json.js'

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

/** The most bytes of a content, and of a context, that are kept; the longest text has 4,096 characters. */
const KEPT_BYTES = 65_536

/** The longest name of a type that is kept; the platform's own have some letters. */
const LONGEST_TYPE = 64

/**
 * Reads what a customer wrote, as the platform has it; `undefined` where the item has no valid id.
 *
 * The content is the object that is named after the type, such as `text`. If there is none, as of a type that has a list or is not known, it is everything
 * that the item has besides what every item has. An `unsupported` message is read in the second way, because the reason stands beside its object.
 * `referral`, the advertisement from which the customer came, becomes a part of the context.
 */
const readContent = (type: string, item: unknown): InboundMessage | undefined => {
  const id = parsePlatformId(propertyOf(item, 'id'))
  if (id === undefined || !isObject(item)) return undefined
  const named = type === 'unsupported' ? undefined : propertyOf(item, type)
  const [context, referral] = [propertyOf(item, 'context'), propertyOf(item, 'referral')]
  const refersTo = { ...(isObject(context) && context), ...(isObject(referral) && { referral }) }
  return {
    id, type: type.slice(0, LONGEST_TYPE), content: kept(isObject(named) ? named : othersOf(item)),
    ...(Object.keys(refersTo).length > 0 && { context: kept(refersTo) }),
  }
}

/** What every item has, and what the report of it has elsewhere. */
const COMMON: ReadonlySet<string> = new Set(['id', 'from', 'from_user_id', 'timestamp', 'type', 'context', 'referral'])

const othersOf = (item: JsonObject): JsonObject => Object.fromEntries(Object.entries(item).filter(([name]) => !COMMON.has(name)))

/** An object that is too large or too deep to be kept is replaced by a note, so that the message is reported all the same. */
const kept = (object: JsonObject): JsonObject => (isKeepable(object, KEPT_BYTES) ? object : { omitted: 'too_large' })
