import { readFile } from 'node:fs/promises'
import { isDeepStrictEqual } from 'node:util'
import * as A from 'fp-ts/lib/Array.js'
import * as E from 'fp-ts/lib/Either.js'
import { pipe } from 'fp-ts/lib/function.js'
import * as t from 'io-ts'
import type { Log } from '../../adapters/koa/index.js'
import {
  CATEGORIES, type Currency, type GeneralCategory, parseCurrency, parseMicros, type SpecialCategory,
} from '../../core/kernel/money.js'
import { type Instant, isDay, SECOND_MS } from '../../core/kernel/time.js'
import type { RateCard, RateCards } from '../../core/money/rate-card.js'

/**
 * The built-in rate card, in the form of a rate card's file.
 *
 * It contains what WhatsApp bills per delivered message from 1 October 2026, for the markets whose rates could be confirmed, and the texts that it does not
 * charge. Any other number costs the rate of the region "Other". Rates change each quarter, so an operator loads a current card:
 * <https://developers.facebook.com/docs/whatsapp/pricing>.
 */
export const BUILT_IN = {
  currency: 'USD',
  effective: '2026-10-01',
  default: { service: '0.0077', marketing: '0.0625', utility: '0.0077', authentication: '0.0077' },
  markets: {
    '55': { service: '0.0068', marketing: '0.0625', utility: '0.0068', authentication: '0.0068' },
    '33': { service: '0.0300', marketing: '0.0859', utility: '0.0300', authentication: '0.0300' },
    '995': { service: '0.0212', marketing: '0.0860', utility: '0.0212', authentication: '0.0212' },
  },
  template_category: 'marketing',
  free_service_messages: 1_000,
}

/** Reads a rate card, or a list of rate cards of one currency, each valid from its own day. Left: a sentence for each fault. */
export const readRateCards = (json: unknown): E.Either<ReadonlyArray<string>, RateCards> => {
  const read = Array.isArray(json) ? json.map((card, index) => readCard(card, `Rate card ${index + 1}`)) : [readCard(json, 'Rate card')]
  const { left: faults, right: cards } = pipe(read, A.separate)
  if (faults.length > 0) return E.left(faults.flat())
  const [first, ...others] = cards
  if (first === undefined) return E.left(['Rate card: the list is empty.'])
  const contradictions = contradictionsIn(cards)
  return contradictions.length > 0 ? E.left(contradictions) : E.right([first, ...others])
}

const readCard = (json: unknown, name: string): E.Either<ReadonlyArray<string>, RateCard> =>
  pipe(
    Card.decode(json),
    E.bimap(
      (errors) => errors.map((error) => `${name}: ${faultOf(error)}.`),
      ({ markets, template_category: templateCategory, free_service_messages: freeServiceMessages, ...card }) =>
        ({ ...card, markets: new Map(Object.entries(markets)), templateCategory, freeServiceMessages }),
    ),
  )

const contradictionsIn = (cards: ReadonlyArray<RateCard>): ReadonlyArray<string> => {
  const [currencies, days] = [new Set(cards.map(({ currency }) => currency)), cards.map(({ effective }) => effective)]
  const doubled = new Set(days.filter((day, index) => days.indexOf(day) !== index))
  return [
    ...(currencies.size > 1 ? [`Rate cards: all must have the same currency, but they have ${[...currencies].join(', ')}.`] : []),
    ...[...doubled].map((day) => `Rate cards: ${day} has two cards; each needs its own effective day.`),
  ]
}

/** A codec of one value. `read` gets the value and its path in the card, such as `markets.55.service`; its left is a whole sentence. */
const value = <A>(name: string, read: (input: unknown, path: string) => E.Either<string, A>): t.Type<A, unknown> =>
  new t.Type<A, unknown>(
    name,
    (input): input is A => input !== undefined,
    (input, context) => pipe(read(input, pathOf(context)), E.match((fault) => t.failure(input, context, fault), t.success)),
    t.identity,
  )

/** The same codec, which refuses an object with an unknown field. */
const closed = <A>(
  codec: t.Type<A, unknown>, knows: (field: string) => boolean, fault: (path: string, field: string) => string,
): t.Type<A, unknown> =>
  new t.Type<A, unknown>(
    codec.name,
    codec.is,
    (input, context) => {
      const unknown = t.UnknownRecord.is(input) ? Object.keys(input).filter((field) => !knows(field)) : []
      const errors = unknown.map((field) => ({ value: input, context, message: fault(pathOf(context), field) }))
      const result = codec.validate(input, context)
      return errors.length === 0 ? result : t.failures(E.isLeft(result) ? [...errors, ...result.left] : errors)
    },
    t.identity,
  )

/** The same codec, which replaces a missing field by `absent`. */
const optional = <A>(codec: t.Type<A, unknown>, absent: unknown): t.Type<A, unknown> =>
  new t.Type<A, unknown>(codec.name, codec.is, (input, context) => codec.validate(input ?? absent, context), t.identity)

const currency = value('currency', (input, path): E.Either<string, Currency> =>
  pipe(parseCurrency(typeof input === 'string' ? input : ''), E.mapLeft(() => `${path} must be three capital letters, such as USD`)))

const DAY = /^[0-9]{4}-[0-9]{2}-[0-9]{2}$/

const isCalendarDay = (day: string): boolean => DAY.test(day) && isDay(day)

const day = value('day', (input, path) =>
  typeof input === 'string' && isCalendarDay(input) ? E.right(input) : E.left(`${path} must be a date, such as 2026-10-01`))

const category = value('category', (input, path) =>
  E.fromNullable(`${path} must be one of ${CATEGORIES.join(', ')}`)(CATEGORIES.find((known) => known === input)))

const readPrice = (input: unknown, path: string): E.Either<string, bigint> => {
  if (input === undefined) return E.left(`${path} is missing; every card needs this default price`)
  if (typeof input !== 'string') return E.left(`${path} must be a decimal string, such as "0.0625"`)
  if (input.startsWith('-')) return E.left(`${path} must not be negative`)
  return pipe(parseMicros(input), E.mapLeft(({ reason }) => `${path}: ${reason}`))
}

const count = value('count', (input, path): E.Either<string, number> =>
  typeof input === 'number' && Number.isSafeInteger(input) && input >= 0 ? E.right(input) : E.left(`${path} must be a whole number, such as 1000`))

const price = value('price', readPrice)
const optionalPrice = value('price', (input, path) => (input === undefined ? E.right(undefined) : readPrice(input, path)))

const GENERAL: Record<GeneralCategory, typeof price> = { service: price, marketing: price, utility: price, authentication: price }
const SPECIAL: Record<SpecialCategory, typeof optionalPrice> = {
  marketing_lite: optionalPrice, authentication_international: optionalPrice,
}
const isCategory = (field: string): boolean => CATEGORIES.some((known) => known === field)
const noCategory = (path: string, field: string): string => `${path}.${field} is not a category; the categories are ${CATEGORIES.join(', ')}`
const isCallingCode = (field: string): boolean => /^[1-9][0-9]{0,14}$/.test(field)
const noCallingCode = (path: string, field: string): string => `${path}.${field} must be a calling code of 1 to 15 digits, without + and leading 0`

const FIELDS = {
  currency,
  effective: day,
  default: closed(t.type({ ...GENERAL, ...SPECIAL }), isCategory, noCategory),
  markets: optional(
    closed(t.record(t.string, closed(t.partial({ ...GENERAL, ...SPECIAL }), isCategory, noCategory)), isCallingCode, noCallingCode), {},
  ),
  template_category: optional(category, 'marketing'),
  free_service_messages: optional(count, 0),
}

const Card = closed(t.type(FIELDS), (field) => Object.hasOwn(FIELDS, field), (_path, field) => `it has no field ${JSON.stringify(field)}`)

const pathOf = (context: t.Context): string => context.map(({ key }) => key).filter((key) => key !== '').join('.')

/** Only values that have to be objects fail without their own sentence. */
const faultOf = ({ context, message }: t.ValidationError): string => {
  const path = pathOf(context)
  return message ?? (path === '' ? 'it is not a JSON object' : `${path} must be an object`)
}

/** The rate cards that were read, or a sentence for each fault. */
type Read = E.Either<ReadonlyArray<string>, RateCards>

/** Reads the rate cards of a file, or the built-in one. Left: a sentence for each fault; `namedBy` is the variable or the option that names the file. */
export const loadRateCards = async (path: string | undefined, namedBy = 'RATE_CARD'): Promise<Read> =>
  path === undefined ? readRateCards(BUILT_IN) : cardsIn({ path, namedBy }, await textOf({ path, namedBy }))

/** A file, and what names it. */
type CardFile = { readonly path: string; readonly namedBy: string }

/** The rate cards of a file that may change. */
export type RateCardFile = {
  /** The cards from the last time that the file was read without a fault. */
  readonly cards: () => RateCards
  /** When the file was last read without a fault. */
  readonly readAt: () => Instant
  /** Reads the file again. */
  readonly refresh: (signal?: AbortSignal) => Promise<void>
}

/**
 * Watches a file, which contained these cards when it was first read.
 *
 * A file that has become faulty is logged once and changes nothing. The same applies to a card in another currency, because wallets use the currency of the start.
 * The comparison uses the text of the file, because its date may stay the same when it is replaced.
 */
export const rateCardFile = (path: string, atStart: RateCards, log: Log): RateCardFile => {
  const file: CardFile = { path, namedBy: 'RATE_CARD' }
  let current = atStart
  let readAt = Date.now()
  let isFaulty = false
  let seen: E.Either<string, string> | undefined
  return {
    cards: () => current,
    readAt: () => readAt,
    refresh: async (signal) => {
      const text = await textOf(file, signal)
      if (signal?.aborted === true) return
      if (isDeepStrictEqual(text, seen)) {
        if (!isFaulty) readAt = Date.now()
        return
      }
      seen = text
      const read = inOneCurrency(current, cardsIn(file, text))
      isFaulty = E.isLeft(read)
      if (E.isLeft(read)) return log('error', 'rate_card_refused', { fault: read.left.join(' ') })
      readAt = Date.now()
      if (isDeepStrictEqual(read.right, current)) return
      current = read.right
      log('info', 'rate_card_changed', { effective: current.map(({ effective }) => effective).join(', ') })
    },
  }
}

/** The rate cards of the gateway as they are now. `close` stops the timer. */
export type WatchedRateCards = Pick<RateCardFile, 'cards' | 'readAt'> & { readonly close: () => void }

const EVERY_MS = 2 * SECOND_MS

/** Reads the file again every `everyMs`; without a file, the cards stay unchanged. */
export const watchRateCards = (path: string | undefined, atStart: RateCards, log: Log, everyMs = EVERY_MS): WatchedRateCards => {
  const startedAt = Date.now()
  if (path === undefined) return { cards: () => atStart, readAt: () => startedAt, close: () => undefined }
  const { cards, readAt, refresh } = rateCardFile(path, atStart, log)
  const closing = new AbortController()
  let timer: NodeJS.Timeout | undefined
  const refreshLater = (): void => {
    timer = setTimeout(() => void refresh(closing.signal).then(() => { if (!closing.signal.aborted) refreshLater() }), everyMs)
  }
  refreshLater()
  return {
    cards,
    readAt,
    close: () => {
      closing.abort()
      clearTimeout(timer)
    },
  }
}

const textOf = async ({ path, namedBy }: CardFile, signal?: AbortSignal): Promise<E.Either<string, string>> => {
  try {
    return E.right(await readFile(path, { encoding: 'utf8', ...(signal && { signal }) }))
  } catch {
    return E.left(`The rate card ${path}, which ${namedBy} names, cannot be read.`)
  }
}

/** Some editors put it at the start of a UTF-8 file; JSON does not allow it. */
const BYTE_ORDER_MARK = /^\uFEFF/

const cardsIn = ({ path, namedBy }: CardFile, text: E.Either<string, string>): Read => {
  if (E.isLeft(text)) return E.left([text.left])
  try {
    return readRateCards(JSON.parse(text.right.replace(BYTE_ORDER_MARK, '')))
  } catch {
    return E.left([`The rate card ${path}, which ${namedBy} names, is not JSON.`])
  }
}

const inOneCurrency = ([{ currency }]: RateCards, read: Read): Read =>
  E.isRight(read) && read.right[0].currency !== currency
    ? E.left([`Rate card: its currency is now ${read.right[0].currency}, but the gateway started with ${currency}; restart it to change the currency.`])
    : read
