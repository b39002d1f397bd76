import { setTimeout as delay } from 'node:timers/promises'
import { availableParallelism } from 'node:os'
import { type BindWhenOnFluentSyntax, Container, ContainerModule, type ContainerModuleLoadOptions, type ServiceIdentifier } from 'inversify'
import type Koa from 'koa'
import type { Logger } from 'pino'
import { type AdmissionControl, makeAdmissionControl } from '../../adapters/admission/admission-control.js'
import { makeCheckSender, makeCloudApi, makeCloudConversation } from '../../adapters/cloud-api/cloud-api.js'
import { makePlatformNumbers } from '../../adapters/cloud-api/numbers.js'
import { makeTemplateSource } from '../../adapters/cloud-api/templates.js'
import type { ConsoleDeps } from '../../adapters/console/index.js'
import { makeConsoleLimits } from '../../adapters/console/limits.js'
import { PORTS, POSTERN, SETTINGS, useCases } from '../../adapters/inversify/index.js'
import type { RunningJob } from '../../adapters/jobs/job.js'
import type { Upkeep } from '../../adapters/jobs/upkeep.js'
import { type KnexStorage, openStorage } from '../../adapters/knex/index.js'
import { type Log, makeHttpApp, makeRateLimit } from '../../adapters/koa/index.js'
import { fileBytes } from '../../adapters/machine/file-bytes.js'
import { machine } from '../../adapters/machine/machine.js'
import { makeRecorder, type Recorder } from '../../adapters/request-log/recorder.js'
import { makeRetryQueue, type RetryQueue } from '../../adapters/retry-queue/retry-queue.js'
import { makePasswordHashQueue } from '../../adapters/scrypt/password-hash-queue.js'
import { makeScryptHasher } from '../../adapters/scrypt/scrypt-hasher.js'
import { makeTemplateCache } from '../../adapters/template-cache/template-cache.js'
import { type MailCarrier, makeMailCarrier } from '../../adapters/mail/mail-carrier.js'
import { makeWebhookSender, type WebhookSender } from '../../adapters/webhooks/webhook-sender.js'
import { type Callers, makeCallers } from '../../adapters/shared/callers.js'
import { type ByteBudget, makeByteBudget } from '../../adapters/shared/byte-budget.js'
import type { Tracer } from '../../core/kernel/tracing.js'
import { cardAt, priceBy, type RateCard, type RateCards } from '../../core/money/rate-card.js'
import { REQUESTS_KEPT_MS } from '../../core/requests/request-log.js'
import { STORAGE_PORTS, type StorageName, type StoredPorts } from '../../core/ports.js'
import { makeCheckAccount } from '../../core/templates/catalogue.js'
import { type Config, makeClientAddress } from './config.js'
import { consoleDeps } from './console.js'
import { gatewayReadiness } from './http-server.js'
import { channelOver, makeEventDeliveryJob, makeGatewayUpkeep } from './jobs.js'
import { logAtIntervals, logRefusedSends } from './log-throttle.js'
import { logDatabaseHosts } from './log.js'
import { type GatewayMetrics, makeMetrics } from './metrics.js'
import { causeOf, version } from './package.js'
import { findPages } from './pages.js'
import { gatewayAppWebhooks, gatewayReports, gatewayWebhook, logWalletAlerts } from './platform.js'
import { type WatchedRateCards, watchRateCards } from './rate-card.js'
import { sharedBooks } from './share-result.js'
import { openBroker, type OpeningBroker, type OpeningTransport, openTransport } from './transport.js'

const token = <T>(name: string): ServiceIdentifier<T> => Symbol.for(`postern/server/${name}`)

export const LOG = token<Log>('Log')
export const METRICS = token<GatewayMetrics>('Metrics')
export const RATE_CARDS = token<WatchedRateCards>('RateCards')
export const STORAGE = token<KnexStorage>('Storage')
/** The storage's ports as the API uses them. */
const STORED = token<StoredPorts>('Stored')
export const RETRIES = token<RetryQueue>('Retries')
/** `undefined` if API requests are not kept. */
export const RECORDER = token<Recorder | undefined>('Recorder')
export const TRANSPORT = token<OpeningTransport>('Transport')
export const ADMISSION_CONTROL = token<AdmissionControl>('AdmissionControl')
export const WEBHOOKS = token<WebhookSender>('Webhooks')
/** `undefined` if no broker is configured. */
export const EVENT_BROKER = token<OpeningBroker | undefined>('EventBroker')
/** `undefined` if no mail server is configured. */
const MAIL = token<MailCarrier | undefined>('Mail')
export const EVENT_DELIVERY = token<RunningJob>('EventDelivery')
const UPKEEP = token<Upkeep>('Upkeep')
/** All periodic jobs, in the order in which they are started. */
export const JOBS = token<ReadonlyArray<RunningJob>>('Jobs')
/** The memory that the HTTP API, the webhook and the console share for request bodies. */
export const BODY_MEMORY = token<ByteBudget>('BodyMemory')
export const HTTP_APP = token<Koa>('HttpApp')
/** Counts the sign-ins of each network address. The limits of the console and the password queue share it: callers with the fewest recent requests go first. */
const ANONYMOUS = token<Callers>('Strangers')
export const CONSOLE_DEPS = token<ConsoleDeps>('ConsoleDeps')

/** The size of the burst that a workspace may make, in seconds of its rate limit. */
const RATE_LIMIT_SECONDS = 10

/** How long a send waits for a slot of its sender, in milliseconds. */
const SLOT_WAIT_MS = 1_000

/** Every binding of the gateway. A resource closes itself when it is unbound. */
export const makeContainer = (config: Config, cards: RateCards, log: Logger, tracer?: Tracer): Container => {
  const container = new Container({ defaultScope: 'Singleton' })
  container.load(
    useCases, rules(config, cards), observability(log, tracer), storage(config), retries, platform(config, tracer), jobs(config, tracer),
    http(config, tracer), pages(config),
  )
  return container
}

/** Resolves every root, so that a missing binding fails at startup and not at the first request. */
export const resolveRoots = (container: Container): void => {
  for (const root of [HTTP_APP, JOBS]) container.get<unknown>(root)
}

const rules = (
  { limits, templatePreflight, pairLimit, senderLimit: perSecond, portfolioLimit, heldStartMs: afterMs, rateCard: path }: Config,
  cards: RateCards,
): ContainerModule =>
  new ContainerModule(({ bind }) => {
    bind(RATE_CARDS)
      .toResolvedValue((log) => watchRateCards(path, cards, log), [LOG])
      .onDeactivation((watched) => { watched.close() })
    bind(SETTINGS).toResolvedValue((watched, { retryLater }, { installation }, { countLimit: onLimit }) => {
      const rateCard = (at = Date.now()): RateCard => cardAt(watched.cards(), at)
      return {
        ...machine, ...limits, templatePreflight, portfolioLimit, ...(pairLimit && { pairLimit }),
        ...(perSecond !== undefined && { senderLimit: { perSecond, maxWaitMs: SLOT_WAIT_MS, wait: (ms) => delay(ms) } }),
        heldStart: { afterMs, installation }, onLimit, retryLater, rateCard, priceOf: priceBy(rateCard),
      }
    }, [RATE_CARDS, RETRIES, STORAGE, METRICS])
  })

const observability = (logger: Logger, tracer: Tracer | undefined): ContainerModule =>
  new ContainerModule(({ bind }) => {
    bind(LOG).toConstantValue((level, event, fields) => logger[level](fields, event))
    bind(METRICS).toResolvedValue(makeMetrics)
    if (tracer !== undefined) bind(PORTS.tracer).toConstantValue(tracer)
  })

const TOKENS: { readonly [Port in StorageName]: ServiceIdentifier<StoredPorts[Port]> } = PORTS

const bindStored = <Name extends StorageName>(
  bind: ContainerModuleLoadOptions['bind'], port: Name,
): BindWhenOnFluentSyntax<StoredPorts[Name]> =>
  bind(TOKENS[port]).toResolvedValue((stored) => stored[port], [STORED])

const storage = ({ databaseUrl: url, secret, content, events: { brokerUrl } }: Config): ContainerModule =>
  new ContainerModule(({ bind }) => {
    bind(STORAGE)
      .toResolvedValue((metrics, log) => {
        const opened = openStorage({
          url, secret, keepContent: content !== undefined, broker: brokerUrl !== undefined, onWalletAlert: logWalletAlerts(log),
          onDatabaseHost: logDatabaseHosts(log),
        })
        metrics.showBalances(opened.lowestBalances)
        metrics.showEventBacklog(opened.reading.eventOutbox.backlog)
        return opened
      }, [METRICS, LOG])
      .onDeactivation((opened) => opened.close())
    bind(STORED).toResolvedValue((opened) => ({ ...opened, templateCatalogue: makeTemplateCache(opened.templateCatalogue) }), [STORAGE])
    bind(PORTS.reading).toResolvedValue(
      ({ reading }) => ({ ...reading, ledger: { ...reading.ledger, books: sharedBooks(reading.ledger.books) } }), [STORAGE],
    )
    for (const port of Object.keys(STORAGE_PORTS) as ReadonlyArray<StorageName>) bindStored(bind, port)
  })

const retries = new ContainerModule(({ bind }) => {
  bind(RETRIES)
    .toResolvedValue((log, metrics) => {
      const queue = makeRetryQueue({ onDropped: () => log('error', 'settlement_given_up', {}) })
      metrics.showPending(queue.pending)
      return queue
    }, [LOG, METRICS])
    .onDeactivation((queue) => queue.close())
})

const platform = ({ platform: config, events: { allow } }: Config, tracer: Tracer | undefined): ContainerModule =>
  new ContainerModule(({ bind }) => {
    const { url: baseUrl, version: apiVersion, timeoutMs, maxInFlight, maxWaiting, maxWaitMs } = config
    const endpointOf = ({ send: transport }: OpeningTransport) => ({ baseUrl, version: apiVersion, timeoutMs, transport })
    bind(TRANSPORT)
      .toResolvedValue(() => openTransport(config))
      .onDeactivation((opened) => opened.close())
    bind(ADMISSION_CONTROL).toResolvedValue((metrics) => {
      const control = makeAdmissionControl({
        maxInFlight, maxWaiting, maxWaitMs, platformTimeoutMs: timeoutMs, onRefused: metrics.countRefusedSend,
      })
      metrics.showAdmission(control.state)
      return control
    }, [METRICS])
    bind(PORTS.admission).toResolvedValue((control) => control, [ADMISSION_CONTROL])
    bind(PORTS.platform).toResolvedValue(
      (transport, { observed }, metrics) => observed(metrics.measuredPlatform(makeCloudApi(endpointOf(transport)))),
      [TRANSPORT, ADMISSION_CONTROL, METRICS],
    )
    bind(PORTS.conversation).toResolvedValue(
      (transport) => makeCloudConversation({ ...endpointOf(transport), download: transport.download, upload: transport.upload }),
      [TRANSPORT],
    )
    bind(PORTS.fileBytes).toConstantValue(fileBytes)
    bind(PORTS.templateSource).toResolvedValue((transport) => makeTemplateSource(endpointOf(transport)), [TRANSPORT])
    bind(PORTS.platformNumbers).toResolvedValue((transport) => makePlatformNumbers(endpointOf(transport)), [TRANSPORT])
    bind(PORTS.senderVerification).toResolvedValue(
      (transport, templateSource) => ({
        checkSender: makeCheckSender(endpointOf(transport)), checkAccount: makeCheckAccount(templateSource),
      }),
      [TRANSPORT, PORTS.templateSource],
    )
    bind(WEBHOOKS)
      .toResolvedValue(() => makeWebhookSender({ version: version(), allow, tracer }))
      .onDeactivation((sender) => { sender.close() })
    bind(PORTS.webhooks).toResolvedValue((sender) => sender, [WEBHOOKS])
  })

const jobs = (
  {
    http, templateSyncMs, reconcileEveryMs, events: { brokerUrl, retentionMs: eventRetentionMs }, content, retentionMs, requestLog,
    batchContentRetentionMs, console: { isServed, publicUrl }, mail,
  }: Config,
  tracer: Tracer | undefined,
): ContainerModule =>
  new ContainerModule(({ bind }) => {
    bind(EVENT_BROKER)
      .toResolvedValue(() => (brokerUrl === undefined ? undefined : openBroker(brokerUrl, { tracer })))
      .onDeactivation((broker) => broker?.close())
    bind(MAIL)
      .toResolvedValue(() => (mail === undefined ? undefined : makeMailCarrier(mail)))
      .onDeactivation((carrier) => carrier?.close())
    bind(EVENT_DELIVERY).toResolvedValue(
      (opened, { sinkFor }, broker, { countDeliveryAttempt: countAttempt }, log) =>
        makeEventDeliveryJob({ storage: opened, sinkFor, broker, countAttempt, log, tracer }, http.shutdownTimeoutMs),
      [STORAGE, WEBHOOKS, EVENT_BROKER, METRICS, LOG],
    )
    bind(UPKEEP).toResolvedValue(
      (postern, opened, { countForgotten, countTemplateSync }, log, webhooks, mail) => makeGatewayUpkeep(
        {
          postern, storage: opened, carriers: { mail: mail?.carry, channel: channelOver(webhooks), publicUrl }, log,
          countForgotten, countTemplateSync,
        }, {
          reconcileEveryMs, templateSyncMs, retentionMs, eventRetentionMs, contentRetentionMs: content?.retentionMs ?? 0,
          batchContentRetentionMs,
          requestRetentionMs: requestLog === 'on' ? REQUESTS_KEPT_MS : 0, countsMessages: isServed,
        },
      ),
      [POSTERN, STORAGE, METRICS, LOG, WEBHOOKS, MAIL],
    )
    bind(JOBS).toResolvedValue((...all) => all, [UPKEEP, EVENT_DELIVERY])
  })

const http = (
  {
    console: { isServed: hasConsole, publicUrl }, events: { content },
    http: { bodyMemoryBytes, metricsPort, rateLimitPerSecond, trustedProxies }, platform: webhookSecrets, requestLog,
  }: Config,
  tracer: Tracer | undefined,
): ContainerModule =>
  new ContainerModule(({ bind }) => {
    bind(RECORDER)
      .toResolvedValue((opened, { countLeftOut }, log) => {
        const logFailure = logAtIntervals(log, Date.now, 'error', 'request_log_failed')
        return requestLog === 'off'
          ? undefined
          : makeRecorder({
              requestLog: opened.requestLog, onLeftOut: countLeftOut, onFailure: (cause) => { logFailure({ cause: causeOf(cause) }) },
            })
      }, [STORAGE, METRICS, LOG])
      .onDeactivation((recorder) => recorder?.close())
    const pagesOfPackage = findPages()
    bind(BODY_MEMORY).toConstantValue(makeByteBudget(bodyMemoryBytes))
    bind(HTTP_APP).toResolvedValue(
      (postern, opened, metrics, log, { readTemplatesSoon }, memory, recorder) =>
        makeHttpApp({
          postern: { ...postern, upkeep: gatewayReports(postern.upkeep, { content, metrics, log, readTemplatesSoon }) },
          log: logRefusedSends(log, Date.now),
          readiness: gatewayReadiness(opened),
          observe: metrics.countRequest,
          ...(recorder && { record: recorder.record }),
          tracer,
          bodyLimits: { memory },
          ...(publicUrl !== undefined && { publicUrl: new URL(publicUrl).origin }),
          hasConsole,
          clientAddress: makeClientAddress(trustedProxies),
          ...(metricsPort === undefined && { metrics: metrics.text }),
          ...(rateLimitPerSecond > 0 && { rateLimit: makeRateLimit({ perSecond: rateLimitPerSecond, overSeconds: RATE_LIMIT_SECONDS }) }),
          ...(pagesOfPackage !== undefined && { pages: pagesOfPackage }),
          ...gatewayWebhook(webhookSecrets, metrics, log),
          ...gatewayAppWebhooks(postern.apps, metrics, log),
        }),
      [POSTERN, STORAGE, METRICS, LOG, UPKEEP, BODY_MEMORY, RECORDER],
    )
  })

/** Hashing a password uses a processor for some tenths of a second. A flood of anonymous callers may use at most half of the capacity. */
const ANONYMOUS_AT_ONCE = availableParallelism() < 4 ? 1 : 2

const pages = (config: Config): ContainerModule =>
  new ContainerModule(({ bind }) => {
    const now = (): number => performance.now()
    bind(ANONYMOUS).toResolvedValue(() => makeCallers(now))
    bind(PORTS.passwords).toResolvedValue(() => makeScryptHasher({ atOnce: ANONYMOUS_AT_ONCE + 1 }))
    bind(PORTS.passwordHashQueue).toResolvedValue(
      (anonymous) => makePasswordHashQueue({ anonymousAtOnce: ANONYMOUS_AT_ONCE, anonymous }), [ANONYMOUS],
    )
    bind(CONSOLE_DEPS).toResolvedValue(
      (postern, opened, rateCards, transport, log, bodyMemory, anonymous) => ({
        ...consoleDeps(config, { postern, storage: opened, rateCards, transport }), log, bodyMemory,
        limits: makeConsoleLimits(now, anonymous),
      }),
      [POSTERN, STORAGE, RATE_CARDS, TRANSPORT, LOG, BODY_MEMORY, ANONYMOUS],
    )
  })
