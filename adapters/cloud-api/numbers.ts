import * as E from 'fp-ts/lib/Either.js'
import type { PlatformError } from '../../core/kernel/failure.js'
import type { JsonObject } from '../../core/kernel/json.js'
import { beginningOf } from '../../core/kernel/text.js'
import {
  type CustomersPerDay, NUMBER_QUALITIES, type NumberFacts, type NumberQuality, type PlatformNumberError, type PlatformNumbers,
} from '../../core/senders/number-health.js'
import type { SenderId } from '../../core/senders/sender.js'
import { readBody } from './read-answer.js'
import { type CloudApiDeps, makeSenderRequest, propertyOf } from './transport.js'

/**
 * The fields of a phone number: <https://developers.facebook.com/docs/whatsapp/business-management-api/manage-phone-numbers>. Until v23.0 the limit had another name:
 * <https://developers.facebook.com/documentation/business-messaging/whatsapp/messaging-limits>.
 */
const FIELDS = ['display_phone_number', 'verified_name', 'quality_rating', 'throughput']
const [LIMIT, OLD_LIMIT, SHARED] = ['whatsapp_business_manager_messaging_limit', 'messaging_limit_tier', 'is_on_biz_app']

/** A version of the platform that does not know one of the fields refuses the whole request. Then the next list is requested. */
const FIELD_LISTS: ReadonlyArray<ReadonlyArray<string>> = [[...FIELDS, LIMIT, SHARED], [...FIELDS, LIMIT], [...FIELDS, OLD_LIMIT]]

/** The facts of phone numbers of the WhatsApp Business Cloud API. A reading is one call, and at most three if the platform refuses the newer fields. */
export const makePlatformNumbers = ({ transport, now = Date.now, ...endpoint }: CloudApiDeps): PlatformNumbers => {
  const requests = FIELD_LISTS.map((fields) => makeSenderRequest(endpoint, fields))
  return {
    read: async (sender) => {
      let refused: E.Either<PlatformNumberError, NumberFacts> = E.left({ _tag: 'PlatformUnreachable', cause: 'No field was requested' })
      for (const request of requests) {
        const answer = readBody(await transport(request(sender)), now())
        if (E.isRight(answer)) return factsIn(answer.right, sender.phoneNumberId)
        refused = E.left(errorOf(answer.left))
        if (answer.left._tag !== 'PlatformRejected') break
      }
      return refused
    },
  }
}

const factsIn = (body: JsonObject, phoneNumberId: SenderId): E.Either<PlatformNumberError, NumberFacts> =>
  body['id'] === phoneNumberId
    ? E.right(readNumber(body))
    : E.left({ _tag: 'PlatformUnreachable', cause: 'The platform did not return the requested number' })

const errorOf = (error: PlatformError): PlatformNumberError =>
  (error._tag === 'OutcomeUnknown' ? { ...error, _tag: 'PlatformUnreachable' } : error)

const LONGEST_NUMBER = 40
const LONGEST_NAME = 100

/** Reads the facts of a phone number. A value that is missing or in an unknown form is absent, so that it replaces nothing that is known. */
export const readNumber = (body: JsonObject): NumberFacts => {
  const displayNumber = textOf(body['display_phone_number'], LONGEST_NUMBER)
  const verifiedName = textOf(body['verified_name'], LONGEST_NAME)
  const quality = qualityOf(body['quality_rating'])
  const customersPerDay = limitOf(body[LIMIT]) ?? limitOf(body[OLD_LIMIT])
  const messagesPerSecond = throughputOf(body)
  return {
    ...(displayNumber !== undefined && { displayNumber }), ...(verifiedName !== undefined && { verifiedName }),
    ...(quality !== undefined && { quality }), ...(customersPerDay !== undefined && { customersPerDay }),
    ...(messagesPerSecond !== undefined && { messagesPerSecond }),
  }
}

/** Control characters and lone surrogates are removed, because not every database stores them. */
const textOf = (value: unknown, longest: number): string | undefined => {
  const text = typeof value === 'string' ? value.replace(/[\p{Cc}\p{Cs}]/gu, '').trim() : ''
  return text === '' ? undefined : beginningOf(text, longest)
}

/** `NA` is an older word for a number that is not rated. */
const qualityOf = (value: unknown): NumberQuality | undefined => {
  const word = typeof value === 'string' ? value.toLowerCase() : undefined
  return word === 'na' ? 'unknown' : NUMBER_QUALITIES.find((quality) => quality === word)
}

const TIER = /^TIER_([0-9]{1,9})(K|M)?$/
const THOUSANDS: ReadonlyMap<string | undefined, number> = new Map([['K', 1_000], ['M', 1_000_000]])

/** `TIER_250`, `TIER_2K` … `TIER_UNLIMITED`. `TIER_NOT_SET` is the limit of a number that has not sent anything; it is not known. */
const limitOf = (value: unknown): CustomersPerDay | undefined => {
  if (value === 'TIER_UNLIMITED') return 'unlimited'
  const [, count, unit] = (typeof value === 'string' ? TIER.exec(value) : null) ?? []
  return count === undefined ? undefined : Number(count) * (THOUSANDS.get(unit) ?? 1)
}

/** Messages a second, sent and received: <https://developers.facebook.com/documentation/business-messaging/whatsapp/throughput>. */
const THROUGHPUT: ReadonlyMap<unknown, number> = new Map([['STANDARD', 80], ['HIGH', 1_000]])

/** A number that the WhatsApp Business app uses, too, has a fixed throughput, whatever its level is. */
const SHARED_WITH_APP = 20

const throughputOf = (body: JsonObject): number | undefined => {
  const level = THROUGHPUT.get(propertyOf(body['throughput'], 'level'))
  return level !== undefined && body[SHARED] === true ? SHARED_WITH_APP : level
}
