import * as E from 'fp-ts/lib/Either.js'
import { pipe } from 'fp-ts/lib/function.js'
import * as t from 'io-ts'
import { HOUR_MS } from '../../core/time.js'
import { decimalNumber, faults, httpUrl, oneOf, optional, text, wholeNumber } from './variables.js'

/** Everything the gateway is told from outside, decoded once. Durations in milliseconds. */
export type Config = {
  readonly databaseUrl: string
  /** Whether `serve` brings the database up to date before it listens. */
  readonly migrate: boolean
  /** How many processes serve one port. */
  readonly workers: number
  readonly http: {
    readonly host: string
    /** 0 takes a free one. */
    readonly port: number
    /** A port for `/metrics` alone; absent where the gateway's own port shows it. */
    readonly metricsPort: number | undefined
    /** How long what is in flight may take once the gateway is told to stop. */
    readonly shutdownTimeoutMs: number
    /** How many requests a second one workspace may make; 0 for as many as it likes. */
    readonly rateLimitPerSecond: number
  }
  readonly platform: {
    readonly url: string
    readonly version: string
    readonly timeoutMs: number
    readonly transport: 'got' | 'undici'
    readonly verifyToken: string | undefined
    readonly appSecret: string | undefined
  }
  /** Encrypts senders' access tokens. */
  readonly secret: string | undefined
  /** The path of a rate card; absent for the built-in one. */
  readonly rateCard: string | undefined
  readonly limits: { readonly unconfirmedAfterMs: number; readonly releaseAfterMs: number }
  /** From the end of one pass of reconciliation to the beginning of the next. */
  readonly reconcileEveryMs: number
  readonly logLevel: LogLevel
}

export type LogLevel = (typeof LOG_LEVELS)[number]

/** The environment as Node gives it. */
export type Env = Readonly<Record<string, string | undefined>>

const LOG_LEVELS = ['fatal', 'error', 'warn', 'info', 'debug', 'trace', 'silent'] as const
const DAY_MS = 24 * HOUR_MS
const MOST_HOURS = 8_784

const databaseUrl = text('sqlite:PATH, mysql://… or postgres://…', (url) => /^(sqlite:|(mysql|mariadb|postgres(ql)?):\/\/)./.test(url))
const version = text('a version of the platform, such as v25.0', (name) => /^v[0-9]{1,3}\.[0-9]{1,3}$/.test(name))
const secret = text('a secret of at least 32 characters', (value) => value.length >= 32)
const line = text('one line of printable characters', (value) => /^[!-~]+$/.test(value))
const path = text('the path of a file', (value) => value.trim() !== '')
const host = text('a host name or an address', (name) => /^[A-Za-z0-9.:_-]+$/.test(name))

const Environment = t.type({
  DATABASE_URL: optional(databaseUrl, 'sqlite:./postern.db'),
  MIGRATE: optional(oneOf('on', 'off'), 'on'),
  WORKERS: optional(wholeNumber(1, 256), 1),
  HOST: optional(host, '127.0.0.1'),
  PORT: optional(wholeNumber(0, 65_535), 3_000),
  METRICS_PORT: optional(wholeNumber(0, 65_535), undefined),
  SHUTDOWN_TIMEOUT_MS: optional(wholeNumber(0, HOUR_MS), 30_000),
  RATE_LIMIT_PER_SECOND: optional(wholeNumber(0, 1_000_000), 0),
  PLATFORM_URL: optional(httpUrl(), 'https://graph.facebook.com'),
  PLATFORM_VERSION: optional(version, 'v25.0'),
  PLATFORM_TIMEOUT_MS: optional(wholeNumber(1, HOUR_MS), 10_000),
  PLATFORM_TRANSPORT: optional(oneOf('got', 'undici'), 'got'),
  PLATFORM_VERIFY_TOKEN: optional(line, undefined),
  PLATFORM_APP_SECRET: optional(line, undefined),
  POSTERN_SECRET: optional(secret, undefined),
  RATE_CARD: optional(path, undefined),
  UNCONFIRMED_AFTER_MS: optional(wholeNumber(1, 30 * DAY_MS), 120_000),
  RELEASE_AFTER_HOURS: optional(decimalNumber(0, MOST_HOURS), 168),
  RECONCILE_EVERY_MS: optional(wholeNumber(10, DAY_MS), 30_000),
  LOG_LEVEL: optional(oneOf(...LOG_LEVELS), 'info'),
})

/** Reads the environment. Left: one line for each variable that is wrong, none of which tells a value. */
export const readConfig = (env: Env): E.Either<ReadonlyArray<string>, Config> =>
  pipe(Environment.decode(env), E.mapLeft(faults), E.map(nested), E.flatMap(consistent))

const nested = (env: t.TypeOf<typeof Environment>): Config => ({
  databaseUrl: env.DATABASE_URL,
  migrate: env.MIGRATE === 'on',
  workers: env.WORKERS,
  http: {
    host: env.HOST,
    port: env.PORT,
    metricsPort: env.METRICS_PORT,
    shutdownTimeoutMs: env.SHUTDOWN_TIMEOUT_MS,
    rateLimitPerSecond: env.RATE_LIMIT_PER_SECOND,
  },
  platform: {
    url: env.PLATFORM_URL,
    version: env.PLATFORM_VERSION,
    timeoutMs: env.PLATFORM_TIMEOUT_MS,
    transport: env.PLATFORM_TRANSPORT,
    verifyToken: env.PLATFORM_VERIFY_TOKEN,
    appSecret: env.PLATFORM_APP_SECRET,
  },
  secret: env.POSTERN_SECRET,
  rateCard: env.RATE_CARD,
  limits: { unconfirmedAfterMs: env.UNCONFIRMED_AFTER_MS, releaseAfterMs: Math.round(env.RELEASE_AFTER_HOURS * HOUR_MS) },
  reconcileEveryMs: env.RECONCILE_EVERY_MS,
  logLevel: env.LOG_LEVEL,
})

/** A send that is still waiting for its answer must not count as one whose process died. */
const consistent = (config: Config): E.Either<ReadonlyArray<string>, Config> =>
  config.limits.unconfirmedAfterMs > config.platform.timeoutMs
    ? E.right(config)
    : E.left(['UNCONFIRMED_AFTER_MS must be more than PLATFORM_TIMEOUT_MS, or a send under way would count as lost.'])
