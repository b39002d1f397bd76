import * as t from 'io-ts'
import { type Rates, ratesError } from './faults/faults.js'
import { isObject } from './http.js'

/** Delays in milliseconds, counted from when the message was accepted. */
export type Delays = {
  readonly sent: number
  readonly delivered: number
  /** Null if messages are never read. */
  readonly read: number | null
  readonly failed: number
  /** The delay of a late response. */
  readonly late: number
  /** The duration of a response that is sent a few bytes at a time. */
  readonly drip: number
}

/** How the simulator behaves; every setting can be changed while it runs. */
export type Settings = {
  /** The seed of the random faults. */
  readonly seed: number
  readonly rates: Rates
  readonly delays: Delays
  /** What happens to a text outside the customer service window: nothing, a status `failed` 131047, or a refusal 131047. */
  readonly windows: 'ignored' | 'failed' | 'refused'
  /** Messages per second of one business number, to and from customers; null for no limit. The platform's usual limit is 80. */
  readonly throughput: number | null
  /** Whether `throughput` also holds in each second of the clock. */
  readonly strictSeconds: boolean
  /** How many distinct customers a portfolio may reach outside their windows in 24 hours; null for no limit. The platform begins with 250. */
  readonly messagingLimit: number | null
  /** The HTTP status of 130429; sources disagree. */
  readonly throttleStatus: 429 | 400
  /** Whether one customer gets at most one message in 6 seconds, with bursts of 45. */
  readonly pairLimit: boolean
  /** Whether `failed` echoes the callback data; whether the platform does is unconfirmed. */
  readonly callbackOnFailed: boolean
  /** How many texts of a business number are reported as free of charge in a month (UTC). */
  readonly freeTier: number
  /** Whether numbers of Brazil, Mexico, Argentina, Ivory Coast and Benin are reported in a different form from the dialled one. */
  readonly rewriteWaIds: boolean
  /** The only recipients that are allowed, as for a test number; null allows all. */
  readonly allowedRecipients: ReadonlyArray<string> | null
  /** The business portfolio of each business number that does not belong to the first one, by the number's id. A customer has a different user id in each portfolio. */
  readonly portfolios: Readonly<Record<string, string>>
  /** Prefixes of numbers, without `+`: authentication templates to them are reported as `authentication_international`. */
  readonly internationalAuthentication: ReadonlyArray<string>
  /** The response for the list of templates: the templates, a token without permission, too many requests, or invalid JSON. */
  readonly templateList: 'served' | 'forbidden' | 'throttled' | 'noJson'
  /** The result of a message with a flow: nothing unusual, the refusal 132068, or the refusal 132069. */
  readonly flows: 'sent' | 'blocked' | 'throttled'
  /** Whether business numbers can call and ask for permission to call. */
  readonly calling: boolean
}

/** A change of some settings; delays change one by one, rates all together. */
export type SettingsChange = Partial<Omit<Settings, 'delays'>> & { readonly delays?: Partial<Delays> }

/** The settings at start. */
export const DEFAULT_SETTINGS: Settings = {
  seed: 1, rates: {},
  delays: { sent: 100, delivered: 400, read: 1500, failed: 800, late: 15_000, drip: 2_000 },
  windows: 'ignored', throughput: null, strictSeconds: false, messagingLimit: null, throttleStatus: 429,
  pairLimit: false,
  callbackOnFailed: true, freeTier: 1000, rewriteWaIds: true, allowedRecipients: null, portfolios: {},
  internationalAuthentication: [], templateList: 'served', flows: 'sent', calling: true,
}

/** The settings after a change. */
export const applyChange = (settings: Settings, { delays, ...rest }: SettingsChange): Settings => ({
  ...settings, ...rest, delays: { ...settings.delays, ...delays },
})

const Duration = t.refinement(t.number, (ms) => ms >= 0 && ms <= 2 ** 31 - 1, 'a duration in milliseconds')

const Change = t.partial({
  seed: t.Int,
  rates: t.record(t.string, t.number),
  delays: t.partial({
    sent: Duration, delivered: Duration, read: t.union([Duration, t.null]), failed: Duration, late: Duration, drip: Duration,
  }),
  windows: t.keyof({ ignored: null, failed: null, refused: null }),
  throughput: t.union([t.refinement(t.number, (perSecond) => perSecond > 0), t.null]),
  strictSeconds: t.boolean,
  messagingLimit: t.union([t.refinement(t.Int, (customers) => customers >= 0), t.null]),
  throttleStatus: t.union([t.literal(429), t.literal(400)]),
  pairLimit: t.boolean,
  callbackOnFailed: t.boolean,
  freeTier: t.number,
  rewriteWaIds: t.boolean,
  allowedRecipients: t.union([t.array(t.string), t.null]),
  portfolios: t.record(t.string, t.string),
  internationalAuthentication: t.array(t.string),
  templateList: t.keyof({ served: null, forbidden: null, throttled: null, noJson: null }),
  flows: t.keyof({ sent: null, blocked: null, throttled: null }),
  calling: t.boolean,
})

/** Reads a change of settings; if it is wrong, for example because of an unknown key, the result is one sentence that says why. */
export const readSettingsChange = (body: unknown): SettingsChange | string => {
  if (!isObject(body)) return 'The settings are a JSON object'
  const delays = isObject(body['delays']) ? body['delays'] : {}
  const unknown = unknownKey(body, Change.props) ?? unknownKey(delays, Change.props.delays.props)
  if (unknown !== undefined) return `There is no setting named ${JSON.stringify(unknown)}`
  const wrong = Object.entries(body).find(([key, value]) => !Change.is({ [key]: value }))
  if (wrong !== undefined || !isChange(body)) return `The setting ${JSON.stringify(wrong?.[0])} has an invalid value`
  return ratesError(body.rates ?? {}) ?? body
}

/** JSON has no undefined, so the codec's optional keys are simply absent. */
const isChange = (body: unknown): body is SettingsChange => Change.is(body)

const unknownKey = (given: Readonly<Record<string, unknown>>, known: object): string | undefined =>
  Object.keys(given).find((key) => !Object.hasOwn(known, key))
