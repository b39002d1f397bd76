import { userInfo } from 'node:os'
import { InvalidArgumentError, Option } from 'commander'
import * as E from 'fp-ts/lib/Either.js'
import { parseScopes } from '../../core/access/keys.js'
import { type CustomerId, LEAVE_OUT_TRUNK_ZERO, parseWrittenCustomerId } from '../../core/customers/customer.js'
import { parseEndpointUrl } from '../../core/events/endpoint.js'
import type { Actor, Scope } from '../../core/kernel/actor.js'
import type { Json, JsonObject } from '../../core/kernel/json.js'
import { type Currency, parseCorrection, parseCredit, parseCurrency } from '../../core/kernel/money.js'
import { type EventFilter, isEventPattern } from '../../core/kernel/outbox.js'
import { DAY_MS, type Instant, parseMoment } from '../../core/kernel/time.js'
import { type IdempotencyKey, parseIdempotencyKey } from '../../core/messages/message.js'
import { parseMarkup } from '../../core/money/pricing.js'
import { parseThreshold } from '../../core/money/wallet.js'
import { senderIdOf } from '../../core/senders/sender.js'

/** The command line as the actor of its changes, with the account name of the operating system if that is known. */
export const commandLine = (): Actor => {
  const user = userName()
  return { principal: { _tag: 'CommandLine', ...(user !== undefined && { user }) } }
}

/** A process in a container may run under a user id that has no account. */
const userName = (): string | undefined => {
  try {
    return userInfo().username
  } catch {
    return undefined
  }
}

/**
 * Why a message was refused or failed, in one line: the platform's code and the most specific of its texts.
 *
 * The platform uses another name for the text in a response (`message`) than in a status (`title`), and puts details in `error_data`.
 */
export const reasonOf = (error: JsonObject | undefined): string => {
  if (error === undefined) return ''
  const { code, title, message, error_data: data } = error
  const details = typeof data === 'object' && data !== null && !Array.isArray(data) ? (data as JsonObject)['details'] : undefined
  const text = [details, message, title].find(isText)
  return [typeof code === 'number' ? [String(code)] : [], text === undefined ? [] : [text.replaceAll(/\s+/g, ' ')]].flat().join(': ')
}

const isText = (value: Json | undefined): value is string => typeof value === 'string' && value.trim() !== ''

/** How a command names a workspace, in its help. */
export const WORKSPACE = "the workspace's id, or its name if it is unique"

/** How a command names a customer, in its help. */
export const CUSTOMER = "the customer's number with its country code, or the customer's user id"

/** The `--json` of a command that prints data. */
export const jsonOption = (): Option => new Option('--json', 'print one JSON value and nothing else')

/** The `--limit` of a command that lists; without it, the command lists all. */
export const limitOption = (): Option => new Option('--limit <n>', 'the maximum number, newest first (default: all)').argParser(limit)

/** The `--sender` of a command about one of several senders; `without` says what the command does without it. */
export const senderOption = (without = 'the default sender if omitted'): Option =>
  new Option('--sender <phone-number-id>', `the sender, by the platform's id of its phone number; ${without}`).argParser(senderIdOf)

/** An amount of money to be added, in micros. */
export const credit = (text: string): bigint => rightOf(parseCredit(text))

/** A correction of a wallet, in micros; the amount may be negative. */
export const correction = (text: string): bigint => rightOf(parseCorrection(text))

/** The amount below which a wallet is low, in micros, or `off` for none. */
export const threshold = (text: string): bigint | 'off' => (text === 'off' ? text : rightOf(parseThreshold(text)))

/** A markup in parts per million, or `off` for none. */
export const markup = (text: string): bigint | 'off' => (text === 'off' ? text : rightOf(parseMarkup(text)))

/** A currency's code. */
export const currency = (text: string): Currency => rightOf(parseCurrency(text))

/** A customer's number as people write it, or a user id of the platform. */
export const customer = (text: string): CustomerId => {
  const id = parseWrittenCustomerId(text)
  if (E.isRight(id)) return id.right
  if (id.left.hasTrunkZero === true) throw new InvalidArgumentError(`${LEAVE_OUT_TRUNK_ZERO}.`)
  throw new InvalidArgumentError(
    'it must be a number with its country code and 7 to 15 digits, such as +55 11 99999-0000, or a user id, such as DE.13491208655302741918.',
  )
}

/** A point in time, written as ISO 8601 with its time zone, or a day, which begins at midnight UTC. */
export const moment = (text: string): Instant => {
  const at = parseMoment(text)
  if (at === undefined) throw new InvalidArgumentError('it must be a date and time in ISO 8601, such as 2026-10-01T09:30:00Z, or a day, such as 2026-10-01.')
  return at
}

/** A point in time as `moment` accepts it, or a number of days ago, such as `30d`. */
export const since = (text: string): Instant => {
  const days = /^([0-9]{1,5})d$/.exec(text)?.[1]
  return days === undefined ? moment(text) : Date.now() - Number(days) * DAY_MS
}

/** The address of an endpoint. */
export const endpointUrl = (text: string): string => {
  const url = parseEndpointUrl(text)
  if (E.isRight(url) && URL.canParse(url.right)) return url.right
  throw new InvalidArgumentError('it must begin with https:// or http://, without a user, a password or a fragment.')
}

/** Types of events and groups of types, with commas between them. */
export const endpointTypes = (text: string): EventFilter => {
  const types = [...new Set(text.split(',').map((type) => type.trim()))]
  const unknown = types.find((type) => !isEventPattern(type))
  if (unknown === undefined) return types
  throw new InvalidArgumentError(`${JSON.stringify(unknown)} is not a type of event such as message.delivered, a group such as message.*, or *.`)
}

/** The key of a request that may be repeated. */
export const idempotencyKey = (text: string): IdempotencyKey => {
  const key = parseIdempotencyKey(text)
  if (E.isRight(key)) return key.right
  throw new InvalidArgumentError('it must have 1 to 255 printable ASCII characters, without spaces at its ends, and must not contain a secret.')
}

/** An HTTP status, from 100 to 599. */
export const httpStatus = (text: string): number => {
  if (/^[1-5][0-9]{2}$/.test(text)) return Number(text)
  throw new InvalidArgumentError('it must be an HTTP status from 100 to 599, such as 503.')
}

/** Names of scopes, with commas between them. */
export const scopes = (text: string): ReadonlyArray<Scope> => rightOf(parseScopes(text.split(',').map((name) => name.trim())))

/** A TCP port; 0 for a free one. */
export const port = (text: string): number => whole(text, 0, 65_535)

/** The maximum number of items in a list. */
export const limit = (text: string): number => whole(text, 1, 1_000_000)

const rightOf = <A>(result: E.Either<{ readonly reason: string }, A>): A => {
  if (E.isLeft(result)) throw new InvalidArgumentError(`${result.left.reason}.`)
  return result.right
}

const whole = (text: string, least: number, most: number): number => {
  const number = /^[0-9]{1,9}$/.test(text) ? Number(text) : Number.NaN
  if (!(number >= least && number <= most)) throw new InvalidArgumentError(`it must be a whole number from ${least} to ${most}.`)
  return number
}
