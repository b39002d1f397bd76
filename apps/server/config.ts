import type { IncomingHttpHeaders } from 'node:http'
import * as E from 'fp-ts/lib/Either.js'
import { pipe } from 'fp-ts/lib/function.js'
import * as O from 'fp-ts/lib/Option.js'
import * as t from 'io-ts'
import { parseDatabaseHosts } from '../../adapters/knex/engine/hosts.js'
import { isIssuerAddress } from '../../adapters/oidc/issuer-address.js'
import { type Address, type AddressRange, isInRange, parseAddress, parseAddressRange, parsedRange } from '../../adapters/shared/address.js'
import { type PairLimit, PLATFORM_PAIR_LIMIT } from '../../core/customers/pair-limit.js'
import { hasUsableHost, USABLE_HOST } from '../../core/kernel/address.js'
import { HOUR_MS, MINUTE_MS, SECOND_MS } from '../../core/kernel/time.js'
import { PLATFORM_MESSAGES_PER_SECOND } from '../../core/senders/sender-budget.js'
import { workersFor } from './worker-count.js'

/** A codec of one environment variable. `undefined` and the empty text both mean that the variable is not set. */
export type Variable<A> = t.Type<A, unknown>

/** A variable that may be absent; its value is then `absent`. */
export const optional = <A, const D>(variable: Variable<A>, absent: D): Variable<A | D> =>
  new t.Type<A | D, unknown>(
    variable.name,
    (value): value is A | D => value === absent || variable.is(value),
    (input, context) => (input === undefined || input === '' ? t.success(absent) : variable.validate(input, context)),
    t.identity,
  )

/** A text that satisfies a rule; `rule` ends the sentence "NAME must be …". */
export const text = (rule: string, holds: (text: string) => boolean): Variable<string> =>
  reading(rule, (input) => (holds(input) ? E.right(input) : E.left(rule)))

/** A text such as a URL; `read` returns the text, or what the variable must be. */
export const textReadBy = (read: (text: string) => E.Either<string, unknown>): Variable<string> =>
  reading('a text', (input) => pipe(read(input), E.map(() => input)))

/** One of a few words. */
export const oneOf = <Word extends string>(...words: ReadonlyArray<Word>): Variable<Word> => {
  const rule = `one of ${words.join(', ')}`
  return reading(rule, (input) => E.fromNullable(rule)(words.find((word) => word === input)))
}

/** A whole number between two bounds, both included. */
export const wholeNumber = (least: number, most: number): Variable<number> => {
  const rule = `a whole number from ${least} to ${most}`
  return reading(rule, (input) => within(rule, /^[0-9]{1,15}$/, input, least, most))
}

/** The maximum number of processes of a gateway. */
const MAX_WORKERS = 256

/** A whole number between two bounds, both included, or a word instead. */
const wholeNumberOr = <Word extends string>(word: Word, least: number, most: number): Variable<number | Word> => {
  const rule = `a whole number from ${least} to ${most}, or ${word}`
  return reading<number | Word>(rule, (input) => (input === word ? E.right(word) : within(rule, /^[0-9]{1,15}$/, input, least, most)))
}

/** A number with at most six decimals between two bounds, both included. */
export const decimalNumber = (least: number, most: number): Variable<number> => {
  const rule = `a number from ${least} to ${most}`
  return reading(rule, (input) => within(rule, DECIMALS, input, least, most))
}

/** Such a number, or a word. */
const decimalNumberOr = <Word extends string>(word: Word, least: number, most: number): Variable<number | Word> => {
  const rule = `a number from ${least} to ${most}, or ${word}`
  return reading<number | Word>(rule, (input) => (input === word ? E.right(word) : within(rule, DECIMALS, input, least, most)))
}

const DECIMALS = /^[0-9]{1,15}(\.[0-9]{1,6})?$/

/** One or more values with commas between them. */
export const listOf = <A>(rule: string, parse: (text: string) => O.Option<A>): Variable<ReadonlyArray<A>> =>
  reading(rule, (input) => pipe(input.split(','), O.traverseArray((one) => parse(one.trim())), E.fromOption(() => rule)))

const USABLE_HOST_RULE = `an address with ${USABLE_HOST}`

/** An address of a server, without a trailing slash. */
export const httpUrl = (): Variable<string> => {
  const rule = 'an address that begins with http:// or https://, without credentials, query or fragment'
  return reading(rule, (input) => {
    const url = URL.canParse(input) ? new URL(input) : undefined
    const fits = url !== undefined && /^https?:$/.test(url.protocol) && url.username + url.password + url.search + url.hash === ''
    if (!fits) return E.left(rule)
    return hasUsableHost(input) ? E.right(input.replace(/\/+$/, '')) : E.left(USABLE_HOST_RULE)
  })
}

/** One line for each wrong variable. It does not contain the value, because the value may be a secret. */
export const faults = (errors: t.Errors): ReadonlyArray<string> =>
  errors.map(({ context, message }) => `${context.at(-1)?.key ?? ''} must be ${message ?? 'something else'}.`)

const reading = <A>(rule: string, read: (input: string) => E.Either<string, A>): Variable<A> =>
  new t.Type<A, unknown>(
    rule,
    (value): value is A => value !== undefined,
    (input, context) => {
      const result = typeof input === 'string' ? read(input) : E.left(rule)
      return E.isRight(result) ? t.success(result.right) : t.failure(input, context, result.left)
    },
    t.identity,
  )

const within = (rule: string, form: RegExp, input: string, least: number, most: number): E.Either<string, number> => {
  const number = Number(input)
  return form.test(input) && number >= least && number <= most ? E.right(number) : E.left(rule)
}

/** The network address that a request comes from; `undefined` if its connection has already ended. */
export type ClientAddress = (request: AddressedRequest) => string | undefined

type AddressedRequest = { readonly headers: IncomingHttpHeaders; readonly socket: { readonly remoteAddress?: string | undefined } }

/**
 * Makes the function that finds the address of a client behind trusted proxies.
 *
 * `X-Forwarded-For` is read from the right: each proxy appends the address of its client. Everything left of the first address that does not belong to a
 * trusted proxy is the client's own claim. So without trusted proxies the header is never read. An unreadable entry ends the search at the proxy that sent it.
 */
export const makeClientAddress = (trusted: ReadonlyArray<AddressRange>): ClientAddress => {
  const ranges = trusted.map(parsedRange)
  const isTrusted = (address: Address): boolean => isInRange(address, ranges)
  return ({ headers, socket: { remoteAddress } }) => {
    let found = addressIn(remoteAddress ?? '')
    if (found === undefined) return remoteAddress
    const hops = isTrusted(found) ? [headers['x-forwarded-for'] ?? []].flat().join(',').split(',') : []
    for (let hop = hops.pop(); hop !== undefined && isTrusted(found); hop = hops.pop()) {
      const before = addressIn(withoutPort(hop.trim()))
      if (before === undefined) break
      found = before
    }
    return found.toString()
  }
}

/** Reads the ranges of trusted proxies, with commas between them; `loopback` is this machine. */
export const parseTrustedProxy = (text: string): O.Option<ReadonlyArray<AddressRange>> =>
  (text === 'loopback' ? O.some(LOOPBACK) : O.map((range: AddressRange) => [range])(O.filter(isExact)(parseAddressRange(text))))

const LOOPBACK: ReadonlyArray<AddressRange> = [{ first: '127.0.0.0', prefixLength: 8 }, { first: '::1', prefixLength: 128 }]

/** A range of all addresses would trust `X-Forwarded-For` from any client. */
const isExact = ({ prefixLength }: AddressRange): boolean => prefixLength > 0

/** An address; an IPv4 address in its IPv6 form is returned as IPv4. */
const addressIn = (text: string): Address | undefined => {
  const address = parseAddress(text)
  return address?.kind() === 'ipv6' && 'isIPv4MappedAddress' in address && address.isIPv4MappedAddress() ? address.toIPv4Address() : address
}

/** Some proxies also write the port: `192.0.2.1:4711` or `[2001:db8::1]:4711`. */
const withoutPort = (hop: string): string => /^\[(.+)\](?::\d{1,5})?$/.exec(hop)?.[1] ?? /^([0-9.]+):\d{1,5}$/.exec(hop)?.[1] ?? hop

/** The configuration, read once from the environment. Durations are in milliseconds. */
export type Config = {
  readonly databaseUrl: string
  /** Whether `serve` migrates the database before it listens. */
  readonly migrate: boolean
  /** How many processes serve one port. */
  readonly workers: number
  readonly http: {
    readonly host: string
    /** 0: the system chooses a free port. */
    readonly port: number
    /** A port for `/metrics` only. If it is undefined, the gateway's own port serves `/metrics`. */
    readonly metricsPort: number | undefined
    /** How long running requests may continue after a shutdown of the gateway was requested. */
    readonly shutdownTimeoutMs: number
    /** How many connections may be open simultaneously; the gateway closes any further connection. */
    readonly maxConnections: number
    /** How many bytes the bodies of all requests may take in memory together. */
    readonly bodyMemoryBytes: number
    /** How many requests per second one workspace may make; 0: no limit. */
    readonly rateLimitPerSecond: number
    /** The proxies whose `X-Forwarded-For` is trusted. */
    readonly trustedProxies: ReadonlyArray<AddressRange>
  }
  readonly platform: {
    readonly url: string
    readonly version: string
    readonly timeoutMs: number
    readonly transport: 'got' | 'undici'
    /** The maximum number of concurrent sends. */
    readonly maxInFlight: number
    /** The maximum number of sends that wait to start. */
    readonly maxWaiting: number
    /** How long a send may wait to start. */
    readonly maxWaitMs: number
    readonly verifyToken: string | undefined
    readonly appSecret: string | undefined
  }
  /** Encrypts senders' access tokens. */
  readonly secret: string | undefined
  /** The path of a rate card. If it is undefined, the built-in one is used. */
  readonly rateCard: string | undefined
  /** Whether templates are checked before they are sent. */
  readonly templatePreflight: 'on' | 'off'
  /** How many messages a sender may send to one customer; `undefined`: there is no limit. */
  readonly pairLimit: PairLimit | undefined
  /** How many messages a second a sender sends whose rate the platform has not reported; `undefined`: there is no limit. */
  readonly senderLimit: number | undefined
  /** Whether the customers that a portfolio reaches outside of windows are counted, up to the limit that the platform has reported. */
  readonly portfolioLimit: 'on' | 'off'
  /** After how long a sleep the queue is held; if it is undefined, it is not. */
  readonly heldStartMs: number | undefined
  /** How old the platform's list of templates may become before it is read again; 0: it is read only on demand. */
  readonly templateSyncMs: number
  readonly events: {
    /** The address of a broker that gets every event; it may contain a password. */
    readonly brokerUrl: string | undefined
    /** Address ranges that endpoints may use in addition to public addresses. */
    readonly allow: ReadonlyArray<AddressRange>
    readonly retentionMs: number
    /** Whether what customers write is stored with its event. */
    readonly content: 'on' | 'off'
  }
  /** How long data about people is kept; if it is undefined, indefinitely. */
  readonly retentionMs: number | undefined
  /** Whether the latest API requests are kept. */
  readonly requestLog: 'on' | 'off'
  /** How long the content of messages is kept; if it is undefined, it is not kept. */
  readonly content: { readonly retentionMs: number } | undefined
  /** How long the lines of an ended batch keep what they said. */
  readonly batchContentRetentionMs: number
  readonly limits: { readonly unconfirmedAfterMs: number; readonly releaseAfterMs: number }
  /** The pause between two passes of reconciliation. */
  readonly reconcileEveryMs: number
  /** Whether there is a console, and the address at which browsers reach it, without a slash at the end. */
  readonly console: { readonly isServed: boolean; readonly publicUrl: string | undefined }
  /** The mail server of alerts, whose address may contain a password, and their sender. */
  readonly mail: { readonly url: string; readonly from: string } | undefined
  /** The identity provider through which people may sign in. */
  readonly oidc: OidcConfig | undefined
  /** Whether spans are sent to the tracer provider that is registered in this process. */
  readonly traces: boolean
  readonly logLevel: LogLevel
}

/** An OpenID Connect provider, and Postern's registration with it. */
export type OidcConfig = {
  readonly issuer: string
  readonly clientId: string
  readonly clientSecret: string
  readonly emailVerified: 'claimed' | 'trusted'
}

export type LogLevel = (typeof LOG_LEVELS)[number]

/** The environment as Node gives it. */
export type Env = Readonly<Record<string, string | undefined>>

const LOG_LEVELS = ['fatal', 'error', 'warn', 'info', 'debug', 'trace', 'silent'] as const
const DAY_MS = 24 * HOUR_MS
const MAX_HOURS = 8_784
const MAX_RETENTION_DAYS = 3_650
/** A catalogue that is a day old is no longer used for checks. */
const MAX_SYNC_MINUTES = 720
const MIB = 1024 * 1024

const databaseUrl = textReadBy((url) =>
  /^(sqlite:|(mysql|mariadb|postgres(ql)?):\/\/)./.test(url) ? parseDatabaseHosts(url) : E.left('sqlite:PATH, mysql://… or postgres://…'))
const BROKER_URL_RULE = 'an address that begins with nats://, amqp:// or amqps://'
const brokerUrl = textReadBy((url) => {
  if (!/^(nats|amqps?):\/\/[^/]/.test(url) || !URL.canParse(url)) return E.left(BROKER_URL_RULE)
  return hasUsableHost(url) ? E.right(url) : E.left(USABLE_HOST_RULE)
})
const SMTP_URL_RULE = 'an address that begins with smtp:// or smtps://'
const smtpUrl = textReadBy((url) => {
  if (!/^smtps?:\/\/[^/]/.test(url) || !URL.canParse(url)) return E.left(SMTP_URL_RULE)
  return hasUsableHost(url) ? E.right(url) : E.left(USABLE_HOST_RULE)
})
const mailbox = text('an email address such as postern@example.com or Postern <postern@example.com>', (value) =>
  /^(?:[^<>\r\n]{1,100}<[^\s@<>]+@[^\s@<>]+>|[^\s@<>]+@[^\s@<>]+)$/.test(value))
const version = text('a version of the platform, such as v25.0', (name) => /^v[0-9]{1,3}\.[0-9]{1,3}$/.test(name))
const secret = text('a secret of at least 32 characters', (value) => value.length >= 32)
const line = text('one line of printable characters', (value) => /^[!-~]+$/.test(value))
const PUBLIC_URL_RULE = 'an http:// or https:// address without a path'
/** A host with letters outside ASCII is read as its punycode form, because browsers send that form. */
const publicUrl = reading(PUBLIC_URL_RULE, (input) => {
  const url = /^https?:\/\/[^\s/?#@\\]+\/?$/i.test(input) ? URL.parse(input) : null
  if (url === null) return E.left(PUBLIC_URL_RULE)
  return hasUsableHost(input) ? E.right(url.origin) : E.left(USABLE_HOST_RULE)
})
const ISSUER_RULE = "an https:// address, or an http:// address of this machine, exactly as in the identity provider's metadata"
const issuer = textReadBy((url) => {
  if (!isIssuerAddress(url)) return E.left(ISSUER_RULE)
  return hasUsableHost(url) ? E.right(url) : E.left(USABLE_HOST_RULE)
})
const PAIR_LIMIT_RULE = 'a burst and the seconds after which one more message is allowed, such as 45/6s (at most 1000, and two hours for the whole burst), or off'
const pairLimit = reading(PAIR_LIMIT_RULE, (value): E.Either<string, PairLimit | 'off'> => {
  if (value === 'off') return E.right('off')
  const [, burst = '', seconds = ''] = /^([1-9][0-9]{0,3})\/([1-9][0-9]{0,3})s$/.exec(value) ?? []
  const limit = { burst: Number(burst), intervalMs: Number(seconds) * SECOND_MS }
  const isValid = limit.burst >= 1 && limit.burst <= 1_000 && limit.intervalMs > 0 && limit.burst * limit.intervalMs <= 2 * HOUR_MS
  return isValid ? E.right(limit) : E.left(PAIR_LIMIT_RULE)
})
const HELD_START_RULE = `a number of hours from 0.02 to ${MAX_HOURS}, or off`
/** A shorter time would count the crash of a gateway as a sleep, because another one takes over only some time later. */
const heldStart = reading(HELD_START_RULE, (value): E.Either<string, number | 'off'> =>
  (value === 'off' ? E.right('off') : within(HELD_START_RULE, /^[0-9]{1,15}(\.[0-9]{1,6})?$/, value, 0.02, MAX_HOURS)))
const path = text('the path of a file', (value) => value.trim() !== '')
const host = text('a host name or an address', (name) => /^[A-Za-z0-9.:_-]+$/.test(name))

const Environment = t.type({
  DATABASE_URL: optional(databaseUrl, 'sqlite:./postern.db'),
  MIGRATE: optional(oneOf('on', 'off'), 'on'),
  WORKERS: optional(wholeNumberOr('auto', 1, MAX_WORKERS), 'auto'),
  HOST: optional(host, '127.0.0.1'),
  PORT: optional(wholeNumber(0, 65_535), 3_000),
  METRICS_PORT: optional(wholeNumber(0, 65_535), undefined),
  SHUTDOWN_TIMEOUT_MS: optional(wholeNumber(0, HOUR_MS), 30_000),
  MAX_CONNECTIONS: optional(wholeNumber(1, 1_000_000), 16_384),
  BODY_MEMORY_MIB: optional(wholeNumber(8, 65_536), 64),
  RATE_LIMIT_PER_SECOND: optional(wholeNumber(0, 1_000_000), 2_000),
  TRUSTED_PROXIES: optional(
    listOf('addresses or ranges of addresses such as 10.0.0.0/8, or loopback, separated by commas', parseTrustedProxy), [],
  ),
  PLATFORM_URL: optional(httpUrl(), 'https://graph.facebook.com'),
  PLATFORM_VERSION: optional(version, 'v25.0'),
  PLATFORM_TIMEOUT_MS: optional(wholeNumber(1, HOUR_MS), 10_000),
  PLATFORM_TRANSPORT: optional(oneOf('got', 'undici'), 'undici'),
  PLATFORM_MAX_IN_FLIGHT: optional(wholeNumber(1, 60_000), 10_000),
  PLATFORM_QUEUE: optional(wholeNumber(0, 1_000_000), 10_000),
  PLATFORM_QUEUE_MS: optional(wholeNumber(0, HOUR_MS), 5_000),
  PLATFORM_VERIFY_TOKEN: optional(line, undefined),
  PLATFORM_APP_SECRET: optional(line, undefined),
  POSTERN_SECRET: optional(secret, undefined),
  RATE_CARD: optional(path, undefined),
  TEMPLATE_PREFLIGHT: optional(oneOf('on', 'off'), 'on'),
  PAIR_LIMIT: optional(pairLimit, PLATFORM_PAIR_LIMIT),
  SENDER_LIMIT: optional(decimalNumberOr('off', 1, 1_000), PLATFORM_MESSAGES_PER_SECOND),
  PORTFOLIO_LIMIT: optional(oneOf('on', 'off'), 'on'),
  HELD_START_HOURS: optional(heldStart, 1),
  TEMPLATE_SYNC_MINUTES: optional(decimalNumber(0, MAX_SYNC_MINUTES), 15),
  EVENTS_URL: optional(brokerUrl, undefined),
  EVENTS_ALLOW: optional(listOf('ranges of addresses such as 10.0.0.0/8, separated by commas', parseAddressRange), []),
  EVENT_RETENTION_HOURS: optional(decimalNumber(1, MAX_HOURS), 720),
  EVENTS_CONTENT: optional(oneOf('on', 'off'), 'on'),
  RETENTION_DAYS: optional(wholeNumber(1, MAX_RETENTION_DAYS), undefined),
  MESSAGE_CONTENT: optional(oneOf('off', 'keep'), 'off'),
  BATCH_CONTENT_DAYS: optional(wholeNumber(1, MAX_RETENTION_DAYS), 7),
  MESSAGE_CONTENT_DAYS: optional(wholeNumber(1, MAX_RETENTION_DAYS), 30),
  REQUEST_LOG: optional(oneOf('on', 'off'), 'on'),
  UNCONFIRMED_AFTER_MS: optional(wholeNumber(1, 30 * DAY_MS), 120_000),
  RELEASE_AFTER_HOURS: optional(decimalNumber(0, MAX_HOURS), 168),
  RECONCILE_EVERY_MS: optional(wholeNumber(10, DAY_MS), 30_000),
  CONSOLE: optional(oneOf('on', 'off'), 'on'),
  PUBLIC_URL: optional(publicUrl, undefined),
  SMTP_URL: optional(smtpUrl, undefined),
  ALERTS_FROM: optional(mailbox, undefined),
  OIDC_ISSUER: optional(issuer, undefined),
  OIDC_CLIENT_ID: optional(line, undefined),
  OIDC_CLIENT_SECRET: optional(line, undefined),
  OIDC_EMAIL_VERIFIED: optional(oneOf('claimed', 'trusted'), 'claimed'),
  TRACES: optional(oneOf('off', 'on'), 'off'),
  LOG_LEVEL: optional(oneOf(...LOG_LEVELS), 'info'),
})

type Variables = t.TypeOf<typeof Environment>

const NAMES: ReadonlyArray<string> = Object.keys(Environment.props)

/** Variables of the commands and the examples that are not part of `Config`. */
const OTHER_NAMES = ['POSTERN_ACCESS_TOKEN', 'POSTERN_URL', 'POSTERN_KEY']

/** The prefix that only names of Postern have. Kubernetes sets `POSTERN_SERVICE_…` and `POSTERN_PORT…` for a service of that name. */
const PREFIX = /^POSTERN_(?!SERVICE_|PORT)/

/** Names shorter than this are too common: a variable that differs from one by a letter is probably unrelated. */
const LEAST_LETTERS = 6

/** Variables that are set and never read, although they look like Postern's: because of their prefix, or because only one letter or the plural differs. */
export const strangeVariables = (env: Env): ReadonlyArray<{ readonly name: string; readonly meant: string | undefined }> =>
  Object.keys(env).filter((name) => !NAMES.includes(name) && !OTHER_NAMES.includes(name)).flatMap((name) => {
    const meant = name.length < LEAST_LETTERS
      ? undefined
      : NAMES.find((known) => known.length >= LEAST_LETTERS && (isOneLetterOff(name, known) || oneOfThem(name) === oneOfThem(known)))
    return meant !== undefined || PREFIX.test(name) ? [{ name, meant }] : []
  })

/** A name with its last word in the singular, as in `TRUSTED_PROXY`; this includes a misspelt plural. */
const oneOfThem = (name: string): string => name.replace(/(IES|YS)$/, 'Y')

/** Whether the difference is one letter added, removed or replaced, or two letters swapped. */
const isOneLetterOff = (one: string, other: string): boolean => {
  const [short, long] = one.length <= other.length ? [one, other] : [other, one]
  if (long.length - short.length > 1) return false
  let at = 0
  while (at < short.length && short[at] === long[at]) at += 1
  if (short.length < long.length) return short.slice(at) === long.slice(at + 1)
  const swapped = `${short[at + 1] ?? ''}${short[at] ?? ''}${short.slice(at + 2)}`
  return short.slice(at + 1) === long.slice(at + 1) || swapped === long.slice(at)
}

/** Reads the environment. Left: one line for each wrong variable, without its value. */
export const readConfig = (env: Env): E.Either<ReadonlyArray<string>, Config> =>
  pipe(Environment.decode(env), E.mapLeft(faults), E.flatMap(consistent), E.map(nested))

const consistent = (env: Variables): E.Either<ReadonlyArray<string>, Variables> => {
  const lines = contradictions(env)
  return lines.length === 0 ? E.right(env) : E.left(lines)
}

const nested = (env: Variables): Config => ({
  databaseUrl: env.DATABASE_URL,
  migrate: env.MIGRATE === 'on',
  workers: env.WORKERS === 'auto' ? workersFor(env.DATABASE_URL) : env.WORKERS,
  http: {
    host: env.HOST,
    port: env.PORT,
    metricsPort: env.METRICS_PORT,
    shutdownTimeoutMs: env.SHUTDOWN_TIMEOUT_MS,
    maxConnections: env.MAX_CONNECTIONS,
    bodyMemoryBytes: env.BODY_MEMORY_MIB * MIB,
    rateLimitPerSecond: env.RATE_LIMIT_PER_SECOND,
    trustedProxies: env.TRUSTED_PROXIES.flat(),
  },
  platform: {
    url: env.PLATFORM_URL,
    version: env.PLATFORM_VERSION,
    timeoutMs: env.PLATFORM_TIMEOUT_MS,
    transport: env.PLATFORM_TRANSPORT,
    maxInFlight: env.PLATFORM_MAX_IN_FLIGHT,
    maxWaiting: env.PLATFORM_QUEUE,
    maxWaitMs: env.PLATFORM_QUEUE_MS,
    verifyToken: env.PLATFORM_VERIFY_TOKEN,
    appSecret: env.PLATFORM_APP_SECRET,
  },
  secret: env.POSTERN_SECRET,
  rateCard: env.RATE_CARD,
  templatePreflight: env.TEMPLATE_PREFLIGHT,
  pairLimit: env.PAIR_LIMIT === 'off' ? undefined : env.PAIR_LIMIT,
  senderLimit: env.SENDER_LIMIT === 'off' ? undefined : env.SENDER_LIMIT,
  portfolioLimit: env.PORTFOLIO_LIMIT,
  heldStartMs: env.HELD_START_HOURS === 'off' ? undefined : Math.round(env.HELD_START_HOURS * HOUR_MS),
  templateSyncMs: Math.round(env.TEMPLATE_SYNC_MINUTES * MINUTE_MS),
  events: {
    brokerUrl: env.EVENTS_URL,
    allow: env.EVENTS_ALLOW,
    retentionMs: Math.round(env.EVENT_RETENTION_HOURS * HOUR_MS),
    content: env.EVENTS_CONTENT,
  },
  retentionMs: env.RETENTION_DAYS === undefined ? undefined : env.RETENTION_DAYS * DAY_MS,
  requestLog: env.REQUEST_LOG,
  content: env.MESSAGE_CONTENT === 'off' ? undefined : { retentionMs: env.MESSAGE_CONTENT_DAYS * DAY_MS },
  batchContentRetentionMs: env.BATCH_CONTENT_DAYS * DAY_MS,
  limits: { unconfirmedAfterMs: env.UNCONFIRMED_AFTER_MS, releaseAfterMs: Math.round(env.RELEASE_AFTER_HOURS * HOUR_MS) },
  reconcileEveryMs: env.RECONCILE_EVERY_MS,
  console: { isServed: env.CONSOLE === 'on', publicUrl: env.PUBLIC_URL },
  mail: env.SMTP_URL === undefined || env.ALERTS_FROM === undefined ? undefined : { url: env.SMTP_URL, from: env.ALERTS_FROM },
  oidc: oidcOf(env),
  traces: env.TRACES === 'on',
  logLevel: env.LOG_LEVEL,
})

const oidcOf = (
  { OIDC_ISSUER: issuer, OIDC_CLIENT_ID: clientId, OIDC_CLIENT_SECRET: clientSecret, OIDC_EMAIL_VERIFIED: emailVerified }: Variables,
): OidcConfig | undefined =>
  issuer === undefined || clientId === undefined || clientSecret === undefined
    ? undefined
    : { issuer, clientId, clientSecret, emailVerified }

/** Faults of variables that are valid one by one but contradict each other. */
const contradictions = (env: Variables): ReadonlyArray<string> => {
  const registration = [env.OIDC_ISSUER, env.OIDC_CLIENT_ID, env.OIDC_CLIENT_SECRET]
  const given = registration.filter((value) => value !== undefined).length
  return [
    // A send that still waits for the platform's response must not be treated as a send whose process crashed.
    ...(env.UNCONFIRMED_AFTER_MS > env.PLATFORM_TIMEOUT_MS ? [] : ['UNCONFIRMED_AFTER_MS must be more than PLATFORM_TIMEOUT_MS; otherwise a send in progress would count as lost.']),
    ...(env.METRICS_PORT === undefined || env.METRICS_PORT === 0 || env.METRICS_PORT !== env.PORT ? [] : ['METRICS_PORT must differ from PORT; omit it to serve /metrics on PORT.']),
    ...((env.SMTP_URL === undefined) === (env.ALERTS_FROM === undefined) ? [] : ['SMTP_URL and ALERTS_FROM must be set together, or not at all.']),
    ...(given === 0 || given === registration.length ? [] : ['OIDC_ISSUER, OIDC_CLIENT_ID and OIDC_CLIENT_SECRET must be set together, or not at all.']),
    ...(given === 0 || env.POSTERN_SECRET !== undefined ? [] : ['POSTERN_SECRET must be set if OIDC_ISSUER is set, because it encrypts the state of a sign-in that browsers keep.']),
    ...(env.MESSAGE_CONTENT === 'off' || env.POSTERN_SECRET !== undefined ? [] : ['POSTERN_SECRET must be set if MESSAGE_CONTENT is keep, because it encrypts the stored content of messages.']),
    ...(env.RETENTION_DAYS === undefined || env.POSTERN_SECRET !== undefined
      ? []
      : ['POSTERN_SECRET must be set if RETENTION_DAYS is set, because it is needed to create the pseudonyms that replace forgotten recipients.']),
  ]
}
