import { setTimeout as delay } from 'node:timers/promises'
import type { Instant } from '../../core/kernel/time.js'
import type { WalletAlert } from '../../core/money/wallet.js'
import { type ReadingPorts, readsOf, type Storage, type StoredPorts } from '../../core/ports.js'
import { makeAlerts } from './events/alerts.js'
import { makeApps } from './senders/apps.js'
import { makeAuditLog } from './audit.js'
import { makeWalletAlerts } from './ledger/balances.js'
import { makeBatches } from './batches/batches.js'
import { makeConsents } from './customers/consents.js'
import { compareNames } from './customers/customer-names.js'
import { makeCustomers, makeCustomerWindows, makeWindowClock } from './customers/customers.js'
import { makeDeliveryDeadlines } from './messages/deadlines.js'
import { makeEventDeliveries } from './events/deliveries.js'
import { makeEventEndpoints } from './events/endpoints.js'
import { makeReadBatcher } from './engine/batches.js'
import { type Database, openDatabase, openReading } from './engine/database.js'
import type { ConnectionFault } from './engine/faults.js'
import type { HostState, OnHost } from './engine/hosts.js'
import { type EventSignal, makeEventSignal, makeTransactEvents } from './events/entries.js'
import { makeEventListeners, makeEventOutbox } from './events/events.js'
import { type GatewayProcess, listGateways, makeLeases, noteGateway, removeGateway, type SeenGateway } from './gateways.js'
import { installationOf } from './queue/installation.js'
import { makeKeyStore } from './access/keys.js'
import { makeFreeMessages } from './ledger/free-messages.js'
import { addUpLedgers } from './ledger/ledger-sums.js'
import { makeLedger, makeMessageMoney } from './ledger/ledger.js'
import { makeLostMessages } from './messages/lost-messages.js'
import { makeMembers } from './access/members.js'
import { keepContents, makeMessageContents } from './messages/message-contents.js'
import { makeMessageQueue, storeQueued } from './queue/message-queue.js'
import { makeMessageLog, removeExpiredClaims } from './messages/messages.js'
import { makeNumberHealth } from './senders/number-health.js'
import { makePairLimits, removeIdlePairs } from './limits/pair-limits.js'
import { makeWorkspacePricing } from './ledger/pricing.js'
import { digestWith, makePersonalData } from './customers/privacy.js'
import { makeQueueHolds } from './queue/queue-holds.js'
import { makeRequestLog } from './access/requests.js'
import { makeReservations } from './messages/reserve.js'
import { diagnosis, type Migrated, migrateOrSayWhy, readiness, type Readiness } from './schema/migrate.js'
import { makeSecretBox, type SecretBox } from './secret-box.js'
import { makePortfolioBudget, removeIdleCustomers } from './limits/portfolio-budget.js'
import { makeSenderBudget } from './limits/sender-budget.js'
import { makeAccountNotices, makeSenders } from './senders/senders.js'
import { makeSessions } from './access/sessions.js'
import { makeSharedHolds } from './ledger/shared-holds.js'
import { makeMessageStatistics } from './messages/statistics.js'
import { makeTemplateResults } from './senders/template-results.js'
import { makeTemplateCatalogue } from './senders/templates.js'
import { makeMessageTimeline } from './messages/timeline.js'
import { makeWorkspaceStates } from './access/workspace-states.js'
import { makeUploadedFiles } from './messages/uploaded-files.js'
import { makeWallet } from './ledger/wallet.js'
import { lowestBalances, makeWorkspaces, senderFault, type WorkspaceBalance } from './access/workspaces.js'
import { type GroupCommit, makeGroupCommit } from './writes.js'

/** Methods that write are never exposed. */
const NO_WRITES: GroupCommit = { write: () => Promise.reject(new Error('this connection only reads')), idle: async () => undefined }

/** The parts that the ports over a database share. */
type Shared = Pick<KnexStorageOptions, 'lostMessagesKept' | 'onWalletAlert' | 'secret'> & {
  readonly groupCommit: GroupCommit
  readonly box: SecretBox
  readonly signal: EventSignal
  readonly hasBroker: boolean
  readonly keepContent: boolean
  readonly now: () => Instant
  /** The connections for looking up sessions, and for long reads of a job. */
  readonly reads: Database
}

/** Every port over a database. */
const portsOver = (
  database: Database, { groupCommit, box, signal, hasBroker, keepContent, now, reads, secret, lostMessagesKept, onWalletAlert }: Shared,
): StoredPorts => {
  const listeners = makeEventListeners(database)
  const transactEvents = makeTransactEvents(database, signal)
  const readBatcher = makeReadBatcher(database)
  const reservations = makeReservations(
    groupCommit, { dialect: database.dialect, keep: keepContent ? keepContents(box) : undefined, queue: storeQueued(box) }, onWalletAlert,
  )
  const [wallet, messageLog] = [makeWallet(database, reservations), makeMessageLog(database, groupCommit, reservations)]
  const [freeMessages, pairLimits, senderBudget, portfolioBudget] = [
    makeFreeMessages(database), makePairLimits(database), makeSenderBudget(database, groupCommit), makePortfolioBudget(database, reads.db),
  ]
  return {
    wallet, messageLog, freeMessages, pairLimits, senderBudget, portfolioBudget,
    walletAlerts: makeWalletAlerts(database, transactEvents),
    sharedHolds: makeSharedHolds(database, reservations),
    messageQueue: makeMessageQueue(database, groupCommit, box),
    queueHolds: makeQueueHolds(database, transactEvents),
    ledger: makeLedger(database, transactEvents),
    keyStore: makeKeyStore(database, readBatcher, groupCommit, transactEvents),
    messageMoney: makeMessageMoney(
      database, transactEvents,
      { messageLog, wallet, freeMessages, pairLimits, senderBudget, portfolioBudget, reserve: reservations.reserve },
    ),
    messageStatistics: makeMessageStatistics(database),
    messageTimeline: makeMessageTimeline(database),
    workspaceStates: makeWorkspaceStates(database),
    messageContents: makeMessageContents(database, box),
    senders: makeSenders(database, readBatcher, box, transactEvents),
    workspaces: makeWorkspaces(database, transactEvents),
    workspacePricing: makeWorkspacePricing(database, readBatcher, transactEvents),
    windowClock: makeWindowClock(database, readBatcher, groupCommit, now),
    customers: makeCustomers(database, readBatcher, groupCommit),
    batches: makeBatches(database, transactEvents, box),
    consents: makeConsents(database, readBatcher, transactEvents, secret === undefined ? undefined : digestWith(secret)()),
    customerWindows: makeCustomerWindows(database),
    accountNotices: makeAccountNotices(database, groupCommit),
    templateCatalogue: makeTemplateCatalogue(database, readBatcher, transactEvents),
    templateResults: makeTemplateResults(database, readBatcher, groupCommit),
    lostMessages: makeLostMessages(database, transactEvents, lostMessagesKept),
    eventOutbox: makeEventOutbox({ database, groupCommit, listeners, hasBroker }),
    eventEndpoints: makeEventEndpoints({ database, box, transactEvents, listeners }),
    eventDeliveries: makeEventDeliveries({ database, box, listeners }, groupCommit),
    auditLog: makeAuditLog(database),
    members: makeMembers(database, transactEvents),
    sessions: makeSessions(database, transactEvents, reads.db),
    personalData: makePersonalData(database, transactEvents, secret),
    uploadedFiles: makeUploadedFiles(database, groupCommit),
    requestLog: makeRequestLog(database),
    alerts: makeAlerts(database, box, transactEvents),
    apps: makeApps(database, box, transactEvents),
    numberHealth: makeNumberHealth(database, transactEvents),
    deliveryDeadlines: makeDeliveryDeadlines(database, transactEvents),
  }
}

/** Every storage port over one SQL database. */
export type KnexStorage = Omit<Storage, 'migrate'> & {
  /** The ports that pages, lists and reports read, on separate connections; the first such read opens one. */
  readonly reading: ReadingPorts
  /**
   * Migrates the database. Only this creates a SQLite file. Rejects if a later release has removed something that this program uses, or with the text of
   * `diagnosis` if the database cannot be used. `onWaiting` is called once if another gateway migrates, with the seconds for which its lease lasts.
   */
  readonly migrate: (options?: { readonly onWaiting?: (seconds: number) => void }) => Promise<Migrated>
  /** Whether the database can be read and written now and is migrated. The reasons may be shown to anyone. */
  readonly readiness: () => Promise<Readiness>
  /** Why the database cannot be used and how to fix it, for the operator; `undefined` if it can be used. It contains hosts, users and files, but no password. */
  readonly diagnosis: () => Promise<ConnectionFault | undefined>
  /** Tries to connect to each host of a URL that has several, for two seconds at most, and returns the state of each; otherwise empty. */
  readonly tryDatabaseHosts: () => Promise<ReadonlyArray<HostState>>
  /** Tries to decrypt one stored sender. Returns a sentence with the reason if that fails, `undefined` if it works or none is stored. */
  readonly senderFault: () => Promise<string | undefined>
  /** The wallets with the least available money, lowest first. */
  readonly lowestBalances: (limit: number) => Promise<ReadonlyArray<WorkspaceBalance>>
  /** Removes expired idempotency keys, slots of pairs that have no effect any more and customers who no longer count for a portfolio, up to limits, and returns the number of removed keys. */
  readonly removeExpiredClaims: () => Promise<number>
  /**
   * Adds the movements of wallets that are older than ten minutes to the sums of their days, as long as `goesOn` resolves to `true`. Resolves to whether all of them are
   * added.
   */
  readonly addUpLedgers: (goesOn: () => Promise<boolean>) => Promise<boolean>
  /** Corrects what customers are found by, for names that another release has written, as long as `goesOn` resolves to `true`. Resolves to whether it is done for a day. */
  readonly compareNames: (goesOn: () => Promise<boolean>) => Promise<boolean>
  /** The processes that serve the gateway: records that a process is alive, removes the record when it ends, and lists those that were alive within the last ten minutes. */
  readonly gateways: {
    /** Records that a process serves the gateway now. */
    readonly note: (gateway: GatewayProcess) => Promise<void>
    /** Removes the row of a process that ends. */
    readonly remove: (id: string) => Promise<void>
    /** The processes that were seen recently. */
    readonly list: () => Promise<ReadonlyArray<SeenGateway>>
  }
  /** Identifies the installation by its database. It stays the same after restarts, and differs in a copy of the database. */
  readonly installation: () => Promise<string>
  /** Waits a limited time for running writes, then closes every connection, even if the server does not answer. */
  readonly close: () => Promise<void>
}

/** The options of a storage. */
export type KnexStorageOptions = {
  /** `sqlite:PATH`, `mysql://…` or `postgres://…`. */
  readonly url: string
  /** The secret that encrypts senders' access tokens and is needed to forget people. Without it no token can be stored or read. */
  readonly secret: string | undefined
  /** The maximum number of writes that share a transaction; 256 by default. With 1, each write has a separate transaction. */
  readonly cohort?: number
  /** Whether a broker gets the events of every workspace; `false` by default. */
  readonly broker?: boolean
  /** Whether the content of messages is kept, encrypted with the secret, which is then required; `false` by default. */
  readonly keepContent?: boolean
  /** How many lost messages of a workspace are recorded; `LOST_MESSAGES_KEPT` by default. */
  readonly lostMessagesKept?: number
  /** Called after each commit of this process that raised an alert of a wallet. */
  readonly onWalletAlert?: (alert: WalletAlert) => void
  /** Called when the gateway starts to use one of several hosts of the URL, and with a `fault` when it stops using one. */
  readonly onDatabaseHost?: OnHost
  /** The clock; the machine's clock by default. */
  readonly now?: () => Instant
}

/** How long `close` waits for running writes, in milliseconds. */
const IDLE_MS = 6_000

/** Opens a database. It connects at the first call. Throws an `Error` if the URL is not the URL of a database. */
export const openStorage = (options: KnexStorageOptions): KnexStorage => {
  const database = openDatabase(options.url, undefined, options.onDatabaseHost)
  return storageOver(database, options, openReading(options.url, database))
}

/** The storage over an open database; pages read on the connections of `reads`, which may be the same. */
export const storageOver = (
  database: Database, options: Omit<KnexStorageOptions, 'onDatabaseHost'>, reads: Database = database,
): KnexStorage => {
  const { url, secret, cohort, broker = false, keepContent = false, now = Date.now } = options
  // The thread of a SQLite file starts while the app does other work.
  database.startThread()
  const [box, signal] = [makeSecretBox(secret), makeEventSignal()]
  const groupCommit = makeGroupCommit(database, { ...(cohort !== undefined && { width: cohort }), onEventsStored: signal.stored })
  const shared = { ...options, groupCommit, box, signal, hasBroker: broker, keepContent, now, reads }
  const ports = portsOver(database, shared)
  let installation: string | undefined
  return {
    ...ports,
    reading: readsOf(reads === database ? ports : portsOver(reads, { ...shared, groupCommit: NO_WRITES })),
    onEvents: signal.onEvents,
    migrate: (migration) => migrateOrSayWhy(database, url, migration),
    readiness: () => readiness(database, url),
    diagnosis: () => diagnosis(database, url),
    tryDatabaseHosts: async () => (database.hosts?.hasSeveral === true ? database.hosts.tryAll() : []),
    senderFault: () => senderFault(database, box),
    lowestBalances: (limit) => lowestBalances(reads, limit),
    removeExpiredClaims: async () => {
      await removeIdlePairs(database, now())
      await removeIdleCustomers(database, now())
      return removeExpiredClaims(database, now())
    },
    addUpLedgers: (goesOn) => addUpLedgers(database, now(), goesOn),
    compareNames: (goesOn) => compareNames(database, now(), goesOn),
    installation: async () => (installation ??= await installationOf(database, url)),
    leases: makeLeases(database),
    gateways: {
      note: (gateway) => noteGateway(database, gateway, now()),
      remove: (id) => removeGateway(database, id),
      list: () => listGateways(reads, now()),
    },
    close: async () => {
      const cancel = new AbortController()
      const late = delay(IDLE_MS, undefined, { signal: cancel.signal }).catch(() => undefined)
      await Promise.race([groupCommit.idle(), late])
      cancel.abort()
      await Promise.all([database.close(), reads === database ? undefined : reads.close()])
    },
  }
}
