import * as E from 'fp-ts/lib/Either.js'
import { pipe } from 'fp-ts/lib/function.js'
import { Container, type ServiceIdentifier } from 'inversify'
import type Koa from 'koa'
import type { Logger } from 'pino'
import { uuidv7 } from 'uuidv7'
import { messageIdOf } from '../../core/message.js'
import { priceBy, type RateCard } from '../../core/rate-card.js'
import { isSignedBy, makeCloudApi, parseNotification } from '../../adapters/cloud-api/index.js'
import {
  KEY_STORE, LEDGER, LIMITS, MESSAGE_LOG, NEW_MESSAGE_ID, PLATFORM, PRICE_OF, RECEIVE, RECONCILE, RETRY_LATER, SEND_TEMPLATE, SEND_TEXT,
  SENDERS, useCases, WALLET, WINDOW_CLOCK, WORKSPACES,
} from '../../adapters/inversify/index.js'
import { openStorage, type KnexStorage } from '../../adapters/knex/index.js'
import { makeHttpApp, makeRateLimit, readDocsFiles, type Log, type Webhook } from '../../adapters/koa/index.js'
import { makeRetryLater, type RetryingLater } from '../../adapters/memory/index.js'
import type { Config } from './config.js'
import { makeMetrics, type GatewayMetrics } from './metrics.js'
import { toldReceive } from './told-receive.js'
import { openTransport, type OpeningTransport } from './transport.js'

const token = <T>(name: string): ServiceIdentifier<T> => Symbol.for(`postern/server/${name}`)

export const STORAGE = token<KnexStorage>('Storage')
export const TRANSPORT = token<OpeningTransport>('Transport')
export const RETRIES = token<RetryingLater>('Retries')
export const METRICS = token<GatewayMetrics>('Metrics')
export const LOG = token<Log>('Log')
export const HTTP_APP = token<Koa>('HttpApp')

/** Every binding of the gateway. What has to be closed closes itself when it is unbound. */
export const makeContainer = (config: Config, card: RateCard, log: Logger): Container => {
  const container = new Container({ defaultScope: 'Singleton' })
  container.load(useCases)

  container.bind(LIMITS).toConstantValue(config.limits)
  container.bind(PRICE_OF).toConstantValue(priceBy(card))
  container.bind(NEW_MESSAGE_ID).toConstantValue(() => messageIdOf(uuidv7()))
  container.bind(LOG).toConstantValue((level, event, fields) => log[level](fields, event))
  container.bind(METRICS).toResolvedValue(makeMetrics)

  container.bind(STORAGE)
    .toResolvedValue(() => openStorage({ url: config.databaseUrl, secret: config.secret }))
    .onDeactivation((storage) => storage.close())
  container.bind(WALLET).toResolvedValue(({ wallet }) => wallet, [STORAGE])
  container.bind(LEDGER).toResolvedValue(({ ledger }) => ledger, [STORAGE])
  container.bind(KEY_STORE).toResolvedValue(({ keyStore }) => keyStore, [STORAGE])
  container.bind(MESSAGE_LOG).toResolvedValue(({ messageLog }) => messageLog, [STORAGE])
  container.bind(SENDERS).toResolvedValue(({ senders }) => senders, [STORAGE])
  container.bind(WORKSPACES).toResolvedValue(({ workspaces }) => workspaces, [STORAGE])
  container.bind(WINDOW_CLOCK).toResolvedValue(({ windowClock }) => windowClock, [STORAGE])

  container.bind(RETRIES)
    .toResolvedValue((tell) => makeRetryLater({ onDropped: () => tell('error', 'settlement_given_up', {}) }), [LOG])
    .onDeactivation((retries) => retries.close())
  container.bind(RETRY_LATER).toResolvedValue(({ retryLater }) => retryLater, [RETRIES])

  container.bind(TRANSPORT)
    .toResolvedValue(() => openTransport(config.platform.transport))
    .onDeactivation((transport) => transport.close())
  container.bind(PLATFORM).toResolvedValue(
    ({ send }, metrics) => {
      const { url: baseUrl, version, timeoutMs } = config.platform
      return metrics.watchedPlatform(makeCloudApi({ baseUrl, version, timeoutMs, transport: send }))
    },
    [TRANSPORT, METRICS],
  )

  container.bind(HTTP_APP).toResolvedValue(
    (sendText, sendTemplate, receive, keyStore, messageLog, ledger, windowClock, storage, retries, metrics, tell) => {
      metrics.showPending(retries.pending)
      return makeHttpApp({
        sendText, sendTemplate, keyStore, messageLog, ledger, windowClock,
        receive: toldReceive(metrics.watchedReceive(receive), tell),
        readiness: storage.readiness,
        log: tell,
        observe: observer(metrics, log),
        docs: readDocsFiles(),
        // One worker's counts would pass for all of theirs.
        ...(config.http.metricsPort === undefined && config.workers === 1 && { metrics: metrics.text }),
        ...(config.http.rateLimitPerSecond > 0 && { rateLimit: makeRateLimit({ perSecond: config.http.rateLimitPerSecond }) }),
        ...webhookOf(config),
      })
    },
    [SEND_TEXT, SEND_TEMPLATE, RECEIVE, KEY_STORE, MESSAGE_LOG, LEDGER, WINDOW_CLOCK, STORAGE, RETRIES, METRICS, LOG],
  )
  return container
}

/** A line for each request costs more than counting it, so only who asks for `debug` gets one. */
const observer = ({ observe }: GatewayMetrics, log: Logger): GatewayMetrics['observe'] =>
  log.isLevelEnabled('debug')
    ? (observation) => {
        observe(observation)
        log.debug(observation, 'request')
      }
    : observe

/** Resolves every root, so that a missing binding stops the start and not the first request. */
export const resolveRoots = (container: Container): void => {
  for (const root of [HTTP_APP, RECONCILE, WORKSPACES]) container.get<unknown>(root)
}

/** Without both of what the platform's app settings agree on, nobody could tell its notifications from forged ones. */
const webhookOf = ({ platform: { verifyToken, appSecret } }: Config): { readonly webhook?: Webhook } =>
  verifyToken === undefined || appSecret === undefined
    ? {}
    : {
        webhook: {
          verifyToken,
          isSigned: (raw, header) => isSignedBy(appSecret, raw, header),
          read: (raw) => pipe(parseNotification(raw), E.map(({ reports, ignored }) => ({ reports, ignored: ignored.length }))),
        },
      }
