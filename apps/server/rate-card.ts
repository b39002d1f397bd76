import { readFile } from 'node:fs/promises'
import * as E from 'fp-ts/lib/Either.js'
import { parseCurrency, parseMicros, type Currency } from '../../core/money.js'
import type { Category, Prices, RateCard } from '../../core/rate-card.js'
import { DEFAULT_RATE_CARD } from './default-rate-card.js'

const CATEGORIES: ReadonlyArray<Category> = ['service', 'marketing', 'utility', 'authentication']
const FIELDS = ['currency', 'effective', 'default', 'markets', 'template_category']
const PREFIX = /^[1-9][0-9]{0,14}$/
const DAY = /^[0-9]{4}-[0-9]{2}-[0-9]{2}$/

/** Reads a rate card from a file, or the built-in one. Left: a sentence for each thing that is wrong. */
export const loadRateCard = async (path: string | undefined): Promise<E.Either<ReadonlyArray<string>, RateCard>> => {
  if (path === undefined) return readRateCard(DEFAULT_RATE_CARD)
  try {
    return readRateCard(JSON.parse(await readFile(path, 'utf8')))
  } catch (error) {
    const why = error instanceof SyntaxError ? 'is not JSON' : 'cannot be read'
    return E.left([`The rate card at RATE_CARD ${why}.`])
  }
}

/** Reads a rate card. Left: a sentence for each thing that is wrong. */
export const readRateCard = (json: unknown): E.Either<ReadonlyArray<string>, RateCard> => {
  const faults: string[] = []
  const fault = (sentence: string): undefined => void faults.push(`Rate card: ${sentence}.`)
  if (!isObject(json)) return E.left(['Rate card: it is not a JSON object.'])

  for (const field of Object.keys(json)) if (!FIELDS.includes(field)) fault(`it has no field ${JSON.stringify(field)}`)
  const currency = readCurrency(json['currency'], fault)
  const effective = readDay(json['effective'], fault)
  const fallback = readPrices('default', json['default'], fault)
  for (const category of CATEGORIES) {
    if (isObject(json['default']) && !(category in json['default'])) fault(`default.${category} is missing`)
  }
  const markets = readMarkets(json['markets'] ?? {}, fault)
  const templateCategory = readCategory(json['template_category'] ?? 'marketing', fault)

  return faults.length > 0 || currency === undefined || effective === undefined || templateCategory === undefined || !isComplete(fallback)
    ? E.left(faults)
    : E.right({ currency, effective, default: fallback, markets, templateCategory })
}

type Fault = (sentence: string) => undefined

const readCurrency = (value: unknown, fault: Fault): Currency | undefined => {
  const parsed = parseCurrency(typeof value === 'string' ? value : '')
  return E.isRight(parsed) ? parsed.right : fault('currency must be three capital letters, such as USD')
}

const readDay = (value: unknown, fault: Fault): string | undefined => {
  return typeof value === 'string' && DAY.test(value) && isCalendarDay(value) ? value : fault('effective must be a date, such as 2026-10-01')
}

/** `Date` rolls 30 February over into March. */
const isCalendarDay = (day: string): boolean => !Number.isNaN(Date.parse(day)) && new Date(day).toISOString().startsWith(day)

const readCategory = (value: unknown, fault: Fault): Category | undefined =>
  CATEGORIES.find((category) => category === value) ?? fault(`template_category must be one of ${CATEGORIES.join(', ')}`)

const readMarkets = (value: unknown, fault: Fault): ReadonlyMap<string, Partial<Prices>> => {
  if (!isObject(value)) {
    fault('markets must be an object')
    return new Map()
  }
  return new Map(
    Object.entries(value).map(([prefix, prices]) => {
      if (!PREFIX.test(prefix)) fault(`markets.${prefix} must be a calling code of 1 to 15 digits, without + and leading 0`)
      return [prefix, readPrices(`markets.${prefix}`, prices, fault)]
    }),
  )
}

const readPrices = (where: string, value: unknown, fault: Fault): Partial<Prices> => {
  if (!isObject(value)) {
    fault(`${where} must be an object of prices`)
    return {}
  }
  const prices: Partial<Record<Category, bigint>> = {}
  for (const [name, price] of Object.entries(value)) {
    const category = CATEGORIES.find((known) => known === name)
    if (category === undefined) {
      fault(`${where}.${name} is no category; they are ${CATEGORIES.join(', ')}`)
      continue
    }
    const micros = readPrice(`${where}.${name}`, price, fault)
    if (micros !== undefined) prices[category] = micros
  }
  return prices
}

const readPrice = (where: string, value: unknown, fault: Fault): bigint | undefined => {
  if (typeof value !== 'string') return fault(`${where} must be a decimal string, such as "0.0625"`)
  if (value.startsWith('-')) return fault(`${where} must not be negative`)
  const micros = parseMicros(value)
  return E.isRight(micros) ? micros.right : fault(`${where}: ${micros.left.reason}`)
}

const isComplete = (prices: Partial<Prices>): prices is Prices => CATEGORIES.every((category) => prices[category] !== undefined)

const isObject = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === 'object' && value !== null && !Array.isArray(value)
