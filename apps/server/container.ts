import * as E from 'fp-ts/lib/Either.js'
import { Container, ContainerModule, type ServiceIdentifier } from 'inversify'
import type Koa from 'koa'
import type { Logger } from 'pino'
import { uuidv7 } from 'uuidv7'
import { type AdmissionControl, makeAdmissionControl } from '../../adapters/admission/index.js'
import { makeCloudApi, makeCloudConversation, makeTemplateSource } from '../../adapters/cloud-api/index.js'
import type { Sections } from '../../adapters/console/index.js'
import {
  ACCOUNT_NOTICES, ADMISSION, AUDIT_LOG, CONVERSATION, CUSTOMERS, ENDPOINT_DEPS, EVENT_DELIVERIES, EVENT_ENDPOINTS, EVENT_OUTBOX, EVENT_USE_CASES,
  FREE_MESSAGES, KEY_STORE, LEDGER, LIMITS, LOST_MESSAGES, MARK_READ, MESSAGE_LOG, MESSAGE_MONEY, NEW_AUDIT_ID, NEW_EVENT_ID, NEW_MESSAGE_ID, OPEN_MEDIA,
  PLATFORM, PRICE_OF, QUOTE_TEMPLATE, QUOTE_TEXT, READ_AHEAD, RECEIVE, RECONCILE, RETRY_LATER, SEND_TEMPLATE, SEND_TEXT, SENDERS, SYNC_TEMPLATES,
  TEMPLATE_CATALOGUE, TEMPLATE_PREFLIGHT, TEMPLATE_SOURCE, useCases, WALLET, WINDOW_CLOCK, WORKSPACES,
} from '../../adapters/inversify/index.js'
import { type KnexStorage, openStorage } from '../../adapters/knex/index.js'
import { type Log, makeHttpApp, makeRateLimit } from '../../adapters/koa/index.js'
import { makeRetryQueue, type RetryQueue } from '../../adapters/retry-queue/index.js'
import { makeTemplateCache } from '../../adapters/template-cache/index.js'
import { makeWebhookSender, type WebhookSender } from '../../adapters/webhooks/index.js'
import { lastInboundOf } from '../../core/customers/window.js'
import type { WorkspaceId } from '../../core/kernel/ids.js'
import { type ByteBudget, makeByteBudget } from '../../core/kernel/limits.js'
import { MINUTE_MS } from '../../core/kernel/time.js'
import { messageIdOf } from '../../core/messages/message.js'
import { makeRollUpMessages } from '../../core/messages/statistics.js'
import type { Ledger } from '../../core/money/ledger.js'
import { cardAt, marketNameOf, priceBy, type RateCard, type RateCards } from '../../core/money/rate-card.js'
import { makeAdjustWallet, makeReadStatement, makeReportSpend, makeTopUp } from '../../core/money/use-cases.js'
import { makeRunRetention } from '../../core/privacy.js'
import { makeSendAsPerson } from '../../core/sending/send.js'
import { makeSyncByHand } from '../../core/templates/sync.js'
import { makeBrowseTemplates, makeListTemplates } from '../../core/templates/use-cases.js'
import { type Config, makeClientAddress } from './config.js'
import { auditingOf, emissionOf, endpointIds, newAuditId, newEventId, version } from './deps.js'
import { gatewayReadiness } from './http-server.js'
import {
  type EventDeliveryJob, makeAccessCleanupJob, makeEventDeliveryJob, makeEventRetentionJob, makeMessageCountsJob, makeRetentionJob, type MessageCountsJob,
  type RemovalJob, type RetentionJob,
} from './jobs.js'
import { logRefusedSends } from './log-throttle.js'
import { logDatabaseHosts } from './log.js'
import { type GatewayMetrics, makeMetrics } from './metrics.js'
import { gatewayWebhook, logReportOutcomes, logWalletAlerts, withoutContent } from './platform.js'
import { type WatchedRateCards, watchRateCards } from './rate-card.js'
import { shareByKey } from './share-result.js'
import { makeTemplateSyncJob, syncOnReport, type TemplateSyncJob } from './template-sync.js'
import { openBroker, type OpeningBroker, type OpeningTransport, openTransport } from './transport.js'

/** What the pages that send, of the templates and of the wallet show and do. */
export const sendingSections = (container: Container, storage: KnexStorage): Required<Pick<Sections, 'send' | 'templates' | 'wallet'>> => {
  const audit = auditingOf(storage)
  const acting = { ...storage, audit, events: emissionOf(storage), now: Date.now, newReference: uuidv7 }
  const rateCard = (): RateCard => cardAt(container.get(RATE_CARDS).cards(), Date.now())
  const listTemplates = makeListTemplates(storage)
  return {
    send: {
      ...makeSendAsPerson({ sendText: container.get(SEND_TEXT), sendTemplate: container.get(SEND_TEMPLATE), audit, workspaces: storage.workspaces }),
      quoteText: container.get(QUOTE_TEXT), quoteTemplate: container.get(QUOTE_TEMPLATE), listTemplates,
      lastInbound: (workspace, to) => lastInboundOf(storage, workspace, to), newFormKey: uuidv7, now: Date.now,
    },
    templates: {
      browseTemplates: makeBrowseTemplates(storage), listTemplates, rateCard,
      syncTemplates: makeSyncByHand({ ...acting, syncTemplates: container.get(SYNC_TEMPLATES) }),
    },
    wallet: {
      ledger: storage.ledger, walletAlerts: storage.walletAlerts, readStatement: makeReadStatement(storage), now: Date.now,
      reportSpend: makeReportSpend({ ...acting, marketOf: (to) => marketNameOf(rateCard(), to) }),
      topUp: makeTopUp(acting), adjustWallet: makeAdjustWallet(acting),
    },
  }
}

/** The storage for pages: what they read comes over the connections for reading, and books are added up once for all who ask at the time. */
export const withReading = (storage: KnexStorage): KnexStorage => {
  const { reading } = storage
  const ports = Object.entries(reading).map(([port, reads]) => [port, { ...storage[port as keyof typeof reading], ...reads }] as const)
  return { ...storage, ...Object.fromEntries(ports), ledger: { ...storage.ledger, ...reading.ledger, books: sharedBooks(reading.ledger.books) } }
}

/** Shares the sums of the books. Sums that took a second to add up are given again for a second, so repeated requests use one connection at most half of the time. */
const sharedBooks = (books: Ledger['books']): Ledger['books'] => {
  let last: Promise<unknown> = Promise.resolve()
  // One after another: they have a connection each for as long as they take.
  const addUp = (workspace: WorkspaceId): ReturnType<Ledger['books']> => {
    const found = last.then(() => books(workspace))
    last = found.catch(() => undefined)
    return found
  }
  const shared = shareByKey(addUp, {
    keyOf: (workspace) => workspace, freshMs: (tookMs, found) => (E.isRight(found) ? Math.min(tookMs, MINUTE_MS) : 0),
  })
  return (workspace) => shared(workspace)
}

const token = <T>(name: string): ServiceIdentifier<T> => Symbol.for(`postern/server/${name}`)

export const LOG = token<Log>('Log')
export const METRICS = token<GatewayMetrics>('Metrics')
export const RATE_CARDS = token<WatchedRateCards>('RateCards')
export const STORAGE = token<KnexStorage>('Storage')
export const RETRIES = token<RetryQueue>('Retries')
export const TRANSPORT = token<OpeningTransport>('Transport')
export const ADMISSION_CONTROL = token<AdmissionControl>('AdmissionControl')
export const TEMPLATE_SYNC_JOB = token<TemplateSyncJob>('TemplateSyncJob')
export const WEBHOOKS = token<WebhookSender>('Webhooks')
/** `undefined` where none is configured. */
export const EVENT_BROKER = token<OpeningBroker | undefined>('EventBroker')
export const EVENT_DELIVERY_JOB = token<EventDeliveryJob>('EventDeliveryJob')
export const MESSAGE_COUNTS_JOB = token<MessageCountsJob>('MessageCountsJob')
export const ACCESS_CLEANUP_JOB = token<RemovalJob>('AccessCleanupJob')
export const EVENT_RETENTION_JOB = token<RemovalJob>('EventRetentionJob')
export const RETENTION_JOB = token<RetentionJob>('RetentionJob')
/** The memory that the HTTP API, the webhook and the console share for request bodies. */
export const BODY_MEMORY = token<ByteBudget>('BodyMemory')
export const HTTP_APP = token<Koa>('HttpApp')

/** A workspace may make so many seconds' worth of requests at once. */
const RATE_LIMIT_SECONDS = 10

/** Every binding of the gateway. A resource closes itself when it is unbound. */
export const makeContainer = (config: Config, cards: RateCards, log: Logger): Container => {
  const container = new Container({ defaultScope: 'Singleton' })
  container.load(
    useCases, rules(config, cards), observability(log), storage(config), retries, platform(config), templates(config), events(config), http(config),
  )
  return container
}

/** Resolves every root, so that a missing binding stops the start and not the first request. */
export const resolveRoots = (container: Container): void => {
  const roots = [HTTP_APP, RECONCILE, TEMPLATE_SYNC_JOB, EVENT_DELIVERY_JOB, EVENT_RETENTION_JOB, RETENTION_JOB, MESSAGE_COUNTS_JOB, ACCESS_CLEANUP_JOB, WORKSPACES]
  for (const root of roots) container.get<unknown>(root)
}

const rules = ({ limits, templatePreflight, rateCard: path }: Config, cards: RateCards): ContainerModule =>
  new ContainerModule(({ bind }) => {
    bind(LIMITS).toConstantValue(limits)
    bind(TEMPLATE_PREFLIGHT).toConstantValue({ templatePreflight })
    bind(RATE_CARDS)
      .toResolvedValue((log) => watchRateCards(path, cards, log), [LOG])
      .onDeactivation((watched) => { watched.close() })
    bind(PRICE_OF).toResolvedValue((watched) => priceBy(() => cardAt(watched.cards(), Date.now())), [RATE_CARDS])
    bind(NEW_MESSAGE_ID).toConstantValue(() => messageIdOf(uuidv7()))
    bind(NEW_EVENT_ID).toConstantValue(newEventId)
    bind(NEW_AUDIT_ID).toConstantValue(newAuditId)
  })

const observability = (logger: Logger): ContainerModule =>
  new ContainerModule(({ bind }) => {
    bind(LOG).toConstantValue((level, event, fields) => logger[level](fields, event))
    bind(METRICS).toResolvedValue(makeMetrics)
  })

const storage = ({ databaseUrl: url, secret, events: { brokerUrl } }: Config): ContainerModule =>
  new ContainerModule(({ bind }) => {
    bind(STORAGE)
      .toResolvedValue((metrics, log) => {
        const opened = openStorage({
          url, secret, broker: brokerUrl !== undefined, onWalletAlert: logWalletAlerts(log), onDatabaseHost: logDatabaseHosts(log),
        })
        metrics.showBalances(opened.lowestBalances)
        metrics.showEventBacklog(opened.reading.eventOutbox.backlog)
        return opened
      }, [METRICS, LOG])
      .onDeactivation((opened) => opened.close())
    bind(WALLET).toResolvedValue(({ wallet }) => wallet, [STORAGE])
    bind(LEDGER).toResolvedValue(({ ledger }) => ledger, [STORAGE])
    bind(KEY_STORE).toResolvedValue(({ keyStore }) => keyStore, [STORAGE])
    bind(MESSAGE_LOG).toResolvedValue(({ messageLog }) => messageLog, [STORAGE])
    bind(SENDERS).toResolvedValue(({ senders }) => senders, [STORAGE])
    bind(WORKSPACES).toResolvedValue(({ workspaces }) => workspaces, [STORAGE])
    bind(WINDOW_CLOCK).toResolvedValue(({ windowClock }) => windowClock, [STORAGE])
    bind(CUSTOMERS).toResolvedValue(({ customers }) => customers, [STORAGE])
    bind(AUDIT_LOG).toResolvedValue(({ auditLog }) => auditLog, [STORAGE])
    // Lists of events are read on the connections for pages and lists, so that no send waits for them.
    bind(EVENT_OUTBOX).toResolvedValue(({ eventOutbox, reading }) => ({ ...eventOutbox, after: reading.eventOutbox.after }), [STORAGE])
    bind(EVENT_ENDPOINTS).toResolvedValue(({ eventEndpoints }) => eventEndpoints, [STORAGE])
    bind(EVENT_DELIVERIES).toResolvedValue(({ eventDeliveries, reading }) => ({ ...eventDeliveries, attempts: reading.eventDeliveries.attempts }), [STORAGE])
    bind(FREE_MESSAGES).toResolvedValue(({ freeMessages }) => freeMessages, [STORAGE])
    bind(MESSAGE_MONEY).toResolvedValue(({ messageMoney }) => messageMoney, [STORAGE])
    bind(LOST_MESSAGES).toResolvedValue(({ lostMessages }) => lostMessages, [STORAGE])
    bind(ACCOUNT_NOTICES).toResolvedValue(({ accountNotices }) => accountNotices, [STORAGE])
    bind(TEMPLATE_CATALOGUE).toResolvedValue(({ templateCatalogue, reading }) => makeTemplateCache({ ...templateCatalogue, list: reading.templateCatalogue.list }), [STORAGE])
  })

const retries = new ContainerModule(({ bind }) => {
  bind(RETRIES)
    .toResolvedValue((log, metrics) => {
      const queue = makeRetryQueue({ onDropped: () => log('error', 'settlement_given_up', {}) })
      metrics.showPending(queue.pending)
      return queue
    }, [LOG, METRICS])
    .onDeactivation((queue) => queue.close())
  bind(RETRY_LATER).toResolvedValue(({ retryLater }) => retryLater, [RETRIES])
})

const platform = ({ platform: config }: Config): ContainerModule =>
  new ContainerModule(({ bind }) => {
    const { url: baseUrl, version: apiVersion, timeoutMs, maxInFlight, maxWaiting, maxWaitMs } = config
    bind(TRANSPORT)
      .toResolvedValue(() => openTransport(config))
      .onDeactivation((opened) => opened.close())
    bind(ADMISSION_CONTROL).toResolvedValue((metrics) => {
      const control = makeAdmissionControl({ maxInFlight, maxWaiting, maxWaitMs, platformTimeoutMs: timeoutMs, onRefused: metrics.countRefusedSend })
      metrics.showAdmission(control.state)
      return control
    }, [METRICS])
    bind(ADMISSION).toResolvedValue((control) => control, [ADMISSION_CONTROL])
    bind(PLATFORM).toResolvedValue(
      ({ send }, { observed }, metrics) => observed(metrics.measuredPlatform(makeCloudApi({ baseUrl, version: apiVersion, timeoutMs, transport: send }))),
      [TRANSPORT, ADMISSION_CONTROL, METRICS],
    )
    bind(CONVERSATION).toResolvedValue(
      ({ send, download }) => makeCloudConversation({ baseUrl, version: apiVersion, timeoutMs, transport: send, download }), [TRANSPORT],
    )
    bind(TEMPLATE_SOURCE).toResolvedValue(({ send }) => makeTemplateSource({ baseUrl, version: apiVersion, timeoutMs, transport: send }), [TRANSPORT])
  })

const templates = ({ templateSyncMs: everyMs }: Config): ContainerModule =>
  new ContainerModule(({ bind }) => {
    bind(TEMPLATE_SYNC_JOB).toResolvedValue(
      (syncTemplates, { lease }, senders, templateCatalogue, { countTemplateSync: countSync }, log) =>
        makeTemplateSyncJob({ syncTemplates, lease, senders, templateCatalogue, countSync, log, everyMs }),
      [SYNC_TEMPLATES, STORAGE, SENDERS, TEMPLATE_CATALOGUE, METRICS, LOG],
    )
  })

const events = ({ events: { allow, brokerUrl, retentionMs: eventRetentionMs }, retentionMs }: Config): ContainerModule =>
  new ContainerModule(({ bind }) => {
    bind(WEBHOOKS)
      .toResolvedValue(() => makeWebhookSender({ version: version(), allow }))
      .onDeactivation((sender) => { sender.close() })
    bind(ENDPOINT_DEPS).toResolvedValue(({ sinkFor, faultOfUrl }) => ({ sinkFor, faultOfUrl, ...endpointIds }), [WEBHOOKS])
    bind(EVENT_BROKER)
      .toResolvedValue(() => (brokerUrl === undefined ? undefined : openBroker(brokerUrl)))
      .onDeactivation((broker) => broker?.close())
    bind(EVENT_DELIVERY_JOB).toResolvedValue(
      (opened, { sinkFor }, broker, { countDeliveryAttempt: countAttempt }, log) =>
        makeEventDeliveryJob({ storage: opened, sinkFor, broker, countAttempt, log }),
      [STORAGE, WEBHOOKS, EVENT_BROKER, METRICS, LOG],
    )
    bind(EVENT_RETENTION_JOB).toResolvedValue(
      ({ eventOutbox, lease }, log) => makeEventRetentionJob({ eventOutbox, lease, log, retentionMs: Math.min(eventRetentionMs, retentionMs ?? Infinity) }),
      [STORAGE, LOG],
    )
    bind(RETENTION_JOB).toResolvedValue(
      ({ personalData, lease, ...opened }, { countForgotten }, log) =>
        makeRetentionJob({ runRetention: makeRunRetention({ personalData, audit: auditingOf(opened) }), lease, countForgotten, log, retentionMs }),
      [STORAGE, METRICS, LOG],
    )
    bind(MESSAGE_COUNTS_JOB).toResolvedValue(
      ({ messageStatistics, lease }, log) => makeMessageCountsJob({ rollUp: makeRollUpMessages({ messageStatistics, now: Date.now }), lease, log }), [STORAGE, LOG],
    )
    bind(ACCESS_CLEANUP_JOB).toResolvedValue(({ sessions, auditLog, lease }, log) => makeAccessCleanupJob({ sessions, auditLog, lease, log }), [STORAGE, LOG])
  })

const http = ({ events: { content }, http: { bodyMemoryBytes, metricsPort, rateLimitPerSecond, trustedProxies }, platform: webhookSecrets }: Config): ContainerModule =>
  new ContainerModule(({ bind }) => {
    bind(BODY_MEMORY).toConstantValue(makeByteBudget(bodyMemoryBytes))
    bind(HTTP_APP).toResolvedValue(
      (
        sendText, sendTemplate, quoteText, quoteTemplate, markRead, openMedia, eventUseCases, receive, keyStore, messageLog, ledger, windowClock, customers,
        senders, templateCatalogue, readAhead, opened, metrics, log, { syncSoon }, memory,
      ) =>
        makeHttpApp({
          sendText, sendTemplate, quoting: { quoteText, quoteTemplate }, answering: { markRead, openMedia }, eventUseCases, keyStore,
          // The lists of the API, too, are read where no send waits for them.
          messageLog: { ...messageLog, list: opened.reading.messageLog.list }, ledger: { ...ledger, statement: opened.reading.ledger.statement },
          windowClock, customers, senders, templateCatalogue, readAhead, log: logRefusedSends(log, Date.now),
          receive: syncOnReport(logReportOutcomes(metrics.countedReceive(content === 'off' ? withoutContent(receive) : receive), log), syncSoon),
          readiness: gatewayReadiness(opened),
          observe: metrics.countRequest,
          bodyLimits: { memory },
          clientAddress: makeClientAddress(trustedProxies),
          ...(metricsPort === undefined && { metrics: metrics.text }),
          ...(rateLimitPerSecond > 0 && { rateLimit: makeRateLimit({ perSecond: rateLimitPerSecond, overSeconds: RATE_LIMIT_SECONDS }) }),
          ...gatewayWebhook(webhookSecrets, metrics, log),
        }),
      [
        SEND_TEXT, SEND_TEMPLATE, QUOTE_TEXT, QUOTE_TEMPLATE, MARK_READ, OPEN_MEDIA, EVENT_USE_CASES, RECEIVE, KEY_STORE, MESSAGE_LOG, LEDGER, WINDOW_CLOCK,
        CUSTOMERS, SENDERS, TEMPLATE_CATALOGUE, READ_AHEAD, STORAGE, METRICS, LOG, TEMPLATE_SYNC_JOB, BODY_MEMORY,
      ],
    )
  })
