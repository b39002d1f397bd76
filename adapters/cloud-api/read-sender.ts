import * as E from 'fp-ts/lib/Either.js'
import type { TaskEither } from 'fp-ts/lib/TaskEither.js'
import type { JsonObject } from '../../core/kernel/json.js'
import type { Sender } from '../../core/kernel/sender.js'
import { makeCheckSender } from './check-sender.js'
import type { CloudApiDeps } from './cloud-api.js'
import { readBody } from './read-answer.js'
import { makeSenderRequest } from './request.js'
import { propertyOf } from './unknown-json.js'

/** What the platform says of a sender's phone number, in its own words; what it does not say is absent. */
export type SenderFacts = {
  readonly name?: string
  readonly number?: string
  /** `GREEN`, `YELLOW`, `RED` or `UNKNOWN`. */
  readonly quality?: string
  /** How many customers may be written to outside of windows in 24 hours, such as `TIER_2K`. */
  readonly limit?: string
  /** How many messages a second: `STANDARD` or `HIGH`. */
  readonly throughput?: string
}

/** Checks a sender as `CheckSender` does, and reads what the platform says of its number. Left: one sentence on what is wrong. */
export type ReadSender = (sender: Sender) => TaskEither<string, SenderFacts>

const FIELDS = ['verified_name', 'display_phone_number', 'quality_rating', 'throughput']
/** Newer than the others; a version of the platform that does not have it refuses the whole question. */
const LIMIT_FIELD = 'whatsapp_business_manager_messaging_limit'
const LONGEST_TEXT = 100

/** Makes the reading of a sender: the check, and then one question each for what older versions of the platform know, too, and for the limit. */
export const makeReadSender = (deps: CloudApiDeps): ReadSender => {
  const { transport, now = Date.now, ...endpoint } = deps
  const check = makeCheckSender(deps)
  const ask = async (sender: Sender, fields: ReadonlyArray<string>): Promise<JsonObject> => {
    const answer = readBody(await transport(makeSenderRequest(endpoint, fields)(sender)), now())
    return E.isRight(answer) ? answer.right : {}
  }
  return (sender) => async () => {
    const checked = await check(sender)()
    if (E.isLeft(checked)) return checked
    const [said, limits] = await Promise.all([ask(sender, FIELDS), ask(sender, [LIMIT_FIELD])])
    const [name, number, quality] = [textOf(said, 'verified_name'), textOf(said, 'display_phone_number'), textOf(said, 'quality_rating')]
    const [throughput, limit] = [textOf(propertyOf(said, 'throughput'), 'level'), textOf(limits, LIMIT_FIELD)]
    return E.right({
      ...(name !== undefined && { name }), ...(number !== undefined && { number }), ...(quality !== undefined && { quality }),
      ...(throughput !== undefined && { throughput }), ...(limit !== undefined && { limit }),
    })
  }
}

const textOf = (said: unknown, field: string): string | undefined => {
  const value = propertyOf(said, field)
  return typeof value === 'string' && value !== '' ? value.slice(0, LONGEST_TEXT) : undefined
}
