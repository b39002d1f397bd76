import type { InboundMessage } from '../../core/inbound-message.js'
import type { JsonObject } from '../../core/json.js'
import { parsePlatformId } from '../../core/message.js'
import { isKeepable } from './kept-object.js'
import { isObject, propertyOf } from './unknown-json.js'

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
export const readContent = (type: string, item: unknown): InboundMessage | undefined => {
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
