import * as E from 'fp-ts/lib/Either.js'
import { type InvalidPhoneNumber, parseWrittenCustomerId } from '../../../../core/customers/customer.js'
import type { Instant } from '../../../../core/kernel/time.js'
import type { ListMessagesQuery } from '../../../../core/messages/message-log.js'
import { MESSAGE_STATES, type MessageRecord, type MessageState } from '../../../../core/messages/message.js'
import { isOwnErrorCode, type OwnErrorCode } from '../../../../core/messages/own-errors.js'
import { type SenderId, senderIdOf } from '../../../../core/senders/sender.js'
import { TEXTS } from '../../texts.js'
import { parseMoment } from '../../zone.js'

const { messages: texts } = TEXTS
/** The parameter in the address of a message that is shown next to the list from which it was chosen; the filters of that list are in the address too. */
export const BESIDE = 'list'

/** The parameter of the order of a list, and its value if the oldest messages come first. */
const SORT = 'sort'
const OLDEST = 'oldest'

/** The names of the filters in an address and in forms, and of the order. */
export const FILTERS = ['to', 'state', 'sender', 'template', 'from', 'before', 'error', 'reference', SORT] as const

/** The conditions for the messages of a list, and its order. */
export type Filters = Pick<ListMessagesQuery, 'to' | 'template' | 'from' | 'before' | 'errorCode' | 'reference' | 'oldestFirst'> & {
  readonly state?: MessageState | typeof NOT_SENT | undefined
  /** The number through which they were sent. */
  readonly sender?: SenderId | undefined
}

/** The newest messages that match filters; `isWhole`: there are no others, so their counts are exact. */
export type Sample = { readonly items: ReadonlyArray<MessageRecord>; readonly isWhole: boolean }

/** The value in an address for both states of a message that was not sent or not delivered: `failed` and `refused`. */
export const NOT_SENT = 'failed,refused'

/** Reads the filters of an address. Left: the faults, in sentences. */
export const parseFilters = (query: URLSearchParams): E.Either<string, Filters> => {
  const unknown = [...query.keys()].filter((name) => name !== 'cursor' && name !== BESIDE && !FILTERS.some((known) => known === name))
  const state = optional(query, 'state', parseState)
  const to = optional(query, 'to', (text) =>
    E.mapLeft(({ hasTrunkZero }: InvalidPhoneNumber) =>
      hasTrunkZero === true ? TEXTS.send.problems.hasTrunkZero : texts.badRecipient(text))(parseWrittenCustomerId(text)))
  const [from, before] = [optional(query, 'from', readMoment), optional(query, 'before', readMoment)]
  const errorCode = optional(query, 'error', parseErrorCode)
  const isReversed = E.isRight(from) && E.isRight(before) && from.right !== undefined && before.right !== undefined
    && from.right > before.right
  const wrong = [
    ...[...new Set(unknown)].map(texts.unknownFilter),
    ...[to, state, from, before, errorCode].flatMap((one) => (E.isLeft(one) ? [one.left] : [])), ...(isReversed ? [texts.badOrder] : []),
  ]
  if (wrong.length > 0 || E.isLeft(to) || E.isLeft(state) || E.isLeft(from) || E.isLeft(before) || E.isLeft(errorCode)) {
    return E.left(wrong.join(' '))
  }
  const [sender, template, reference] = [typed(query, 'sender'), typed(query, 'template'), typed(query, 'reference')]
  return E.right({
    ...(to.right !== undefined && { to: to.right }), ...(state.right !== undefined && { state: state.right }),
    ...(sender !== '' && { sender: senderIdOf(sender) }), ...(template !== '' && { template }),
    ...(from.right !== undefined && { from: from.right }),
    ...(before.right !== undefined && { before: before.right }), ...(errorCode.right !== undefined && { errorCode: errorCode.right }),
    ...(reference !== '' && { reference }), ...(typed(query, SORT) === OLDEST && { oldestFirst: true }),
  })
}

const parseErrorCode = (text: string): E.Either<string, number | OwnErrorCode> => {
  if (isOwnErrorCode(text)) return E.right(text)
  return /^\d{1,9}$/.test(text) ? E.right(Number(text)) : E.left(texts.badError(text))
}

/** Whether any filter is set. */
export const isFiltered = ({ oldestFirst: _order, ...filters }: Filters): boolean => Object.keys(filters).length > 0

/** An address with the filters of a list, from a cursor on; with `BESIDE`, the address of a message next to the list. */
export const addressWith = (
  path: string, { errorCode: error, from, before, oldestFirst, ...filters }: Filters, cursor?: string, beside?: typeof BESIDE,
): string => {
  const values = {
    ...filters, from: from === undefined ? undefined : momentOf(from), before: before === undefined ? undefined : momentOf(before), error,
    [SORT]: oldestFirst && OLDEST, cursor, ...(beside && { [beside]: '' }),
  }
  const kept = Object.entries(values).flatMap(([name, value]) => (value === undefined ? [] : [[name, String(value)]]))
  return kept.length === 0 ? path : `${path}?${new URLSearchParams(kept).toString()}`
}

const momentOf = (at: Instant): string => new Date(at).toISOString().slice(0, 19) + 'Z'

/** The text of a filter in an address. */
export const typed = (query: URLSearchParams, name: (typeof FILTERS)[number]): string => (query.get(name) ?? '').trim()

const optional = <Value,>(
  query: URLSearchParams, name: (typeof FILTERS)[number], parse: (text: string) => E.Either<string, Value>,
): E.Either<string, Value | undefined> => {
  const text = typed(query, name)
  return text === '' ? E.right(undefined) : parse(text)
}

const parseState = (text: string): E.Either<string, MessageState | typeof NOT_SENT> =>
  text === NOT_SENT
    ? E.right(text)
    : E.fromNullable(texts.badState(text, MESSAGE_STATES.join(', ')))(MESSAGE_STATES.find((state) => state === text))

const readMoment = (text: string): E.Either<string, Instant> => E.fromNullable(texts.badMoment(text))(parseMoment(text))
