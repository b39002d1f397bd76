import { type InboundLog, makeInboundLog, makeRequestLog, type RequestLog } from './control/logs.js'
import { type Customer, type Customers, makeCustomers } from './customers.js'
import { makeRandomFaults, type RandomFaults, ratesError } from './faults/faults.js'
import { makeTimers, type Timers } from './http.js'
import { digitsOf, isUserId, waIdOf } from './ids.js'
import { makeMediaStore, type MediaStore } from './media.js'
import { type BusinessNumber, type BusinessNumbers, makeBusinessNumbers } from './numbers.js'
import { type ChatLog, makeChatLog, makePeople, type People } from './phone/chat-log.js'
import { type LivePages, makeLivePages } from './phone/live.js'
import { applyChange, type Settings, type SettingsChange } from './settings.js'
import { makeStrictLimits, type StrictLimits } from './strict-limits.js'
import type { TemplateDefinition } from './templates/template.js'
import { makeTemplates, type Templates } from './templates/templates.js'
import { type Account, makeWebhooks, type Webhooks, type WebhookTarget } from './webhooks/delivery.js'

/** Token buckets: each holds up to `capacity` tokens and gets one more every `refillMs`. */
export type TokenBuckets = {
  /** Takes one token from the bucket of `key`; false if it is empty. */
  readonly take: (key: string, capacity: number, refillMs: number) => boolean
  /** How much of the bucket of `key` is used, in percent. */
  readonly usage: (key: string, capacity: number, refillMs: number) => number
  readonly clear: () => void
}

const KEEP = 100_000

/** Buckets, all full. The clock gives milliseconds. */
export const makeTokenBuckets = (now: () => number): TokenBuckets => {
  const buckets = new Map<string, { readonly level: number; readonly at: number }>()
  const level = (key: string, capacity: number, refillMs: number): number => {
    const bucket = buckets.get(key)
    return bucket === undefined ? capacity : Math.min(capacity, bucket.level + (now() - bucket.at) / refillMs)
  }
  return {
    take: (key, capacity, refillMs) => {
      const left = level(key, capacity, refillMs)
      if (buckets.size >= KEEP) buckets.clear()
      buckets.set(key, { level: left >= 1 ? left - 1 : left, at: now() })
      return left >= 1
    },
    usage: (key, capacity, refillMs) => Math.min(100, Math.round(100 * (1 - level(key, capacity, refillMs) / capacity))),
    clear: () => buckets.clear(),
  }
}

/** The whole state of one simulator; two simulators share nothing. */
export type SimulatorState = {
  readonly account: Account
  /** Undefined if any token is accepted. */
  readonly accessToken: string | undefined
  /** Undefined if any id of digits is a business number, except `UNKNOWN_PHONE_NUMBER_ID`. */
  readonly phoneNumberIds: ReadonlyArray<string> | undefined
  readonly apiVersion: string
  readonly settings: () => Settings
  readonly change: (change: SettingsChange) => void
  readonly randomFaults: () => RandomFaults
  readonly templates: Templates
  readonly numbers: BusinessNumbers
  readonly requestLog: RequestLog
  readonly inboundLog: InboundLog
  /** The log that the phone shows. */
  readonly chats: ChatLog
  readonly people: People
  readonly livePages: LivePages
  readonly media: MediaStore
  readonly webhooks: Webhooks
  readonly rateLimits: TokenBuckets
  readonly strictLimits: StrictLimits
  readonly timers: Timers
  readonly customers: Customers
  /** When a customer last wrote to a business number, by `conversationOf`. */
  readonly lastInbound: Map<string, number>
  /** When a business number asked a customer for the permission to call, by `conversationOf`. */
  readonly callRequests: Map<string, ReadonlyArray<number>>
  /** The age of a timestamp in milliseconds by the simulator's clock, including skipped time. */
  readonly ageOf: (at: number) => number
  /** Advances the simulator's clock by this many milliseconds, so that every window becomes older by them. */
  readonly skip: (ms: number) => Promise<void>
  /** Whether a skip of time also closes the business's windows. */
  readonly isSkipTold: boolean
  /** How many texts of a business number arrive in a month, by the number's id and the month. */
  readonly pricedTexts: Map<string, number>
  /** Conversations that already met the spurious 131047. */
  readonly refusedOnce: Set<string>
  /** Restores the state at start, with nothing pending. */
  readonly reset: () => void
}

/** The values that the state at start is made from. */
export type InitialState = Pick<SimulatorState, 'account' | 'accessToken' | 'phoneNumberIds' | 'apiVersion'> & {
  readonly settings: Settings
  readonly templates: ReadonlyArray<TemplateDefinition> | undefined
  readonly webhook: WebhookTarget | undefined
  readonly onSkip: ((ms: number) => void | Promise<void>) | undefined
}

/** Makes the state of a simulator; throws if the rates of its settings are wrong. */
export const makeState = (initial: InitialState): SimulatorState => {
  let settings = initial.settings
  let randomFaults = makeRandomFaults(settings.seed, settings.rates)
  let skips: ReadonlyArray<{ readonly at: number; readonly ms: number }> = []
  const ageOf = (at: number): number => skips.reduce((age, skip) => (skip.at < at ? age : age + skip.ms), Date.now() - at)
  const parts = {
    templates: makeTemplates(initial.templates), numbers: makeBusinessNumbers(), requestLog: makeRequestLog(),
    inboundLog: makeInboundLog(), chats: makeChatLog(),
    people: makePeople(), livePages: makeLivePages(), media: makeMediaStore(ageOf),
    webhooks: makeWebhooks(initial.account, initial.webhook),
    rateLimits: makeTokenBuckets(Date.now), strictLimits: makeStrictLimits(Date.now),
    timers: makeTimers(),
    customers: makeCustomers(), lastInbound: new Map<string, number>(), pricedTexts: new Map<string, number>(),
    refusedOnce: new Set<string>(), callRequests: new Map<string, ReadonlyArray<number>>(),
  }
  const change: SimulatorState['change'] = (wanted) => {
    const error = ratesError(wanted.rates ?? {})
    if (error !== undefined) throw new Error(error)
    settings = applyChange(settings, wanted)
    // A new seed or new rates restart the sequence of random faults.
    if (wanted.seed !== undefined || wanted.rates !== undefined) randomFaults = makeRandomFaults(settings.seed, settings.rates)
  }
  change({ rates: settings.rates })
  return {
    ...parts, change,
    account: initial.account, accessToken: initial.accessToken, phoneNumberIds: initial.phoneNumberIds, apiVersion: initial.apiVersion,
    settings: () => settings,
    randomFaults: () => randomFaults,
    isSkipTold: initial.onSkip !== undefined,
    ageOf,
    skip: async (ms) => {
      skips = [...skips, { at: Date.now(), ms }]
      for (const [conversation, at] of parts.lastInbound) parts.lastInbound.set(conversation, at - ms)
      parts.chats.add({ _tag: 'Note', at: Date.now(), conversation: undefined, text: `${Math.round(ms / 3_600_000)} hours later` })
      await initial.onSkip?.(ms)
    },
    reset: () => {
      settings = initial.settings
      randomFaults = makeRandomFaults(settings.seed, settings.rates)
      parts.templates.reset()
      parts.numbers.reset()
      parts.webhooks.reset()
      parts.requestLog.clear()
      parts.inboundLog.clear()
      parts.chats.clear()
      parts.people.clear()
      parts.media.clear()
      parts.rateLimits.clear()
      parts.strictLimits.clear()
      parts.customers.clear()
      parts.lastInbound.clear()
      parts.pricedTexts.clear()
      parts.refusedOnce.clear()
      parts.callRequests.clear()
      skips = []
    },
  }
}

/** An id that is not a business number of any simulator. */
export const UNKNOWN_PHONE_NUMBER_ID = '404404404404404'

/** The business number that a customer writes to if none is given and none was used yet. */
const DEFAULT_PHONE_NUMBER_ID = '100000000000001'

/** The key of a business number and a customer. */
export const conversationOf = (phoneNumberId: string, { key }: Customer): string => `${phoneNumberId} ${key}`

/** Whether an Authorization header has a valid token. */
export const isAuthorised = ({ accessToken }: SimulatorState, authorization: string | undefined): boolean => {
  const token = /^(?:Bearer|OAuth) +(\S+)$/i.exec(authorization ?? '')?.[1]
  return token !== undefined && (accessToken === undefined || token === accessToken)
}

/** Whether an id names a business number that the token can access. */
export const isPhoneNumberId = ({ phoneNumberIds }: SimulatorState, id: string): boolean =>
  phoneNumberIds === undefined ? /^[0-9]{1,32}$/.test(id) && id !== UNKNOWN_PHONE_NUMBER_ID : phoneNumberIds.includes(id)

/** Whether an id names the business account; if any id is a business number, it is also an account. */
export const isAccountId = (state: SimulatorState, id: string): boolean =>
  id === state.account.id || (state.phoneNumberIds === undefined && isPhoneNumberId(state, id))

/** The `wa_id` under which a customer's number is reported. */
export const waIdFor = (state: SimulatorState, digits: string): string => (state.settings().rewriteWaIds ? waIdOf(digits) : digits)

/** The portfolio to which a business number belongs. */
export const portfolioOf = ({ account, settings }: SimulatorState, phoneNumberId: string): string =>
  settings().portfolios[phoneNumberId] ?? account.id

/** What the platform reports of a business number. */
export const businessNumber = (state: SimulatorState, id: string): BusinessNumber => state.numbers.find(id, portfolioOf(state, id))

/** A customer's user id for a business number. */
export const userIdFor = (state: SimulatorState, phoneNumberId: string, customer: Customer): string =>
  state.customers.userIdOf(customer, portfolioOf(state, phoneNumberId))

/** The customer that a phone number or a user id identifies for a business number; undefined if the text is neither. */
export const customerNamed = (state: SimulatorState, phoneNumberId: string, id: string): Customer | undefined => {
  if (isUserId(id)) return state.customers.withUserId(id, portfolioOf(state, phoneNumberId))
  const digits = digitsOf(id)
  return digits === undefined ? undefined : state.customers.withNumber(waIdFor(state, digits))
}

/** The business number of the latest request; if there is none, the first one of the list. */
export const defaultPhoneNumberId = ({ requestLog, phoneNumberIds }: SimulatorState): string =>
  requestLog.latest()?.phoneNumberId ?? phoneNumberIds?.[0] ?? DEFAULT_PHONE_NUMBER_ID

/** The used share of a business number's throughput in percent; 1 if there is no limit. */
export const usageOf = ({ rateLimits, settings }: SimulatorState, phoneNumberId: string): number => {
  const { throughput } = settings()
  return throughput === null ? 1 : rateLimits.usage(phoneNumberId, Math.max(1, throughput), 1000 / throughput)
}
