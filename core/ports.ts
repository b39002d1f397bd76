import type { AuditLog } from './access/acting.js'
import type { KeyStore } from './access/keys.js'
import type { Members, Sessions } from './access/members.js'
import type { PasswordHasher, PasswordHashQueue } from './access/passwords.js'
import type { Alerts } from './alerts/alert.js'
import type { Batches } from './batches/batch.js'
import type { Consents } from './consent/consent.js'
import type { Customers } from './customers/learn.js'
import type { PairLimits } from './customers/pair-limit.js'
import type { CustomerWindows, WindowClock } from './customers/window.js'
import type { EventDeliveries, EventSink } from './events/delivery.js'
import type { SinkAddress } from './events/endpoint-use-cases.js'
import type { EventEndpoints, FaultOfUrl } from './events/endpoint.js'
import { type GuardablePorts, guardWith } from './guarded-ports.js'
import type { PlainMethod } from './kernel/guard.js'
import type { Admission } from './kernel/limits.js'
import type { EventOutbox } from './kernel/outbox.js'
import type { Leases } from './kernel/leases.js'
import type { Tracer, TracingDeps } from './kernel/tracing.js'
import type { Workspaces } from './kernel/workspace.js'
import type { Conversation } from './messages/conversation.js'
import type { DeliveryDeadlines } from './messages/deadlines.js'
import type { FileBytes, UploadedFiles } from './messages/files.js'
import type { MessageContents } from './messages/kept-content.js'
import type { MessageLog } from './messages/message-log.js'
import type { QueueHolds } from './messages/queue-holds.js'
import type { MessageQueue } from './messages/queue.js'
import type { MessageStatistics } from './messages/statistics.js'
import type { Ledger, MessageMoney } from './money/ledger.js'
import type { WorkspacePricing } from './money/pricing.js'
import type { SharedHolds } from './money/shared-holds.js'
import type { FreeMessages, Wallet, WalletAlerts } from './money/wallet.js'
import type { PersonalData } from './privacy.js'
import type { AccountNotices } from './reports/account.js'
import type { LostMessages } from './reports/status.js'
import type { RequestLog } from './requests/request-log.js'
import type { NumberHealth, PlatformNumbers } from './senders/number-health.js'
import type { PortfolioBudget } from './messages/portfolio-budget.js'
import type { SenderBudget } from './senders/sender-budget.js'
import type { Senders, SendingSenders } from './senders/sender.js'
import type { SenderVerification } from './senders/use-cases.js'
import type { Platform } from './sending/dispatch.js'
import type { TemplateCatalogue, TemplateSource } from './templates/catalogue.js'
import type { TemplateResults } from './templates/results.js'
import type { MessageTimeline } from './timeline.js'
import type { Apps } from './workspaces/apps.js'
import type { WorkspaceStates } from './all-workspaces.js'

/** The ports that store the data of sends and reports; one adapter implements them together, because some of them write the same records. */
export type StoragePorts = {
  readonly wallet: Wallet
  readonly ledger: Ledger
  readonly keyStore: KeyStore
  readonly messageLog: MessageLog
  readonly messageMoney: MessageMoney
  readonly senders: Senders
  readonly workspaces: Workspaces
  readonly windowClock: WindowClock
  readonly customers: Customers
  readonly accountNotices: AccountNotices
  readonly templateCatalogue: TemplateCatalogue
  readonly freeMessages: FreeMessages
}

/** The ports that store events and their delivery progress; an adapter of `StoragePorts` may leave them out. */
export type EventPorts = {
  readonly eventOutbox: EventOutbox
  readonly eventEndpoints: EventEndpoints
  readonly eventDeliveries: EventDeliveries
}

/** The ports that store who may sign in, and the audit log; an adapter of `StoragePorts` may leave them out. */
export type AccessPorts = {
  readonly auditLog: AuditLog
  readonly members: Members
  readonly sessions: Sessions
}

/** The ports that store the data for operators and pages; an adapter of `StoragePorts` may leave them out. */
export type OperatorPorts = {
  /** The alerts of the wallets. */
  readonly walletAlerts: WalletAlerts
  /** How workspaces are priced; without it, every workspace pays what `priceOf` returns. */
  readonly workspacePricing: WorkspacePricing
  /** The customers, ordered by when they last wrote. */
  readonly customerWindows: CustomerWindows
  /** The messages that the platform reports and the message log does not have. */
  readonly lostMessages: LostMessages
  /** The counts of messages. */
  readonly messageStatistics: MessageStatistics
  /** The stored data about a message, apart from its record. */
  readonly messageTimeline: MessageTimeline
  readonly workspaceStates: WorkspaceStates
  /** The contents of messages, if they are stored. */
  readonly messageContents: MessageContents
  /** The stored personal data, to be forgotten. */
  readonly personalData: PersonalData
}

/** The port that records uploaded files; an adapter of `StoragePorts` may leave it out. */
export type FilePorts = { readonly uploadedFiles: UploadedFiles }

/** The port of alerts to people; an adapter of `StoragePorts` may leave it out. */
export type AlertPorts = { readonly alerts: Alerts }

/** The port of the health of numbers; an adapter of `StoragePorts` may leave it out. */
export type NumberPorts = { readonly numberHealth: NumberHealth }

/** The port of holds that several messages share; an adapter of `StoragePorts` may leave it out. */
export type SharedHoldPorts = { readonly sharedHolds: SharedHolds }

/** The port of the limits of pairs of a sender and a customer; an adapter of `StoragePorts` may leave it out. */
export type PairLimitPorts = { readonly pairLimits: PairLimits }

/** The port of the deadlines of deliveries; an adapter of `StoragePorts` may leave it out. */
export type DeadlinePorts = { readonly deliveryDeadlines: DeliveryDeadlines }

/** The port of the budgets of senders; an adapter of `StoragePorts` may leave it out. */
export type SenderBudgetPorts = { readonly senderBudget: SenderBudget }

/** The port of the customers that portfolios have reached; an adapter of `StoragePorts` may leave it out. */
export type PortfolioBudgetPorts = { readonly portfolioBudget: PortfolioBudget }

/** The port of the messages that wait for their time; an adapter of `StoragePorts` may leave it out. */
export type QueuePorts = { readonly messageQueue: MessageQueue }

/** The port of the holds of the queue; an adapter of `StoragePorts` may leave it out. */
export type QueueHoldPorts = { readonly queueHolds: QueueHolds }

/** The port of what customers allowed and stopped; an adapter of `StoragePorts` may leave it out. */
export type ConsentPorts = { readonly consents: Consents }

/** The port of batches and their lines; an adapter of `StoragePorts` may leave it out. */
export type BatchPorts = { readonly batches: Batches }

/** The port of what template messages achieve; an adapter of `StoragePorts` may leave it out. */
export type TemplateResultPorts = { readonly templateResults: TemplateResults }

/** The port that stores the latest calls of the API; only its own use case needs it. */
export type RequestPorts = { readonly requestLog: RequestLog }

/** The port of the platform's apps; an adapter of `StoragePorts` may leave it out. */
export type AppPorts = { readonly apps: Apps }

/** The storage ports that an app may leave out. */
export type OptionalStoragePorts = RequestPorts & AlertPorts & AppPorts & NumberPorts & SharedHoldPorts & PairLimitPorts
  & SenderBudgetPorts & PortfolioBudgetPorts & DeadlinePorts & QueuePorts & QueueHoldPorts & ConsentPorts & BatchPorts & TemplateResultPorts

/** Every port that stores data of the use cases. */
export type AllStoragePorts = StoragePorts & EventPorts & AccessPorts & OperatorPorts & FilePorts

/** Every port of a storage. */
export type StoredPorts = AllStoragePorts & OptionalStoragePorts

/** The methods for pages, lists and reports of a storage that runs them where no send waits for them. */
export type ReadingApart = { readonly reading?: ReadingPorts | undefined }

/** Every storage port, and the other functions of a storage. The storages in memory and over SQL provide it, so an app may use either. */
export type Storage = StoredPorts & {
  /** The leases; this open storage is one holder. */
  readonly leases: Leases
  /** Calls a listener after each write of this process that stored events; the returned function removes the listener. */
  readonly onEvents: (listener: () => void) => () => void
  /** Prepares the storage for this version. Rejects with a sentence if that is not possible. */
  readonly migrate: () => Promise<unknown>
  /** Closes it; it must not be used after that. */
  readonly close: () => Promise<void>
}

/** The ports of a send. A send uses each optional port that the app provides: with an outbox it makes events, with a catalogue it checks templates, and so on. */
export type SendingPorts = Pick<StoragePorts, 'messageLog' | 'wallet' | 'windowClock'>
  & Partial<Omit<AllStoragePorts, 'senders'> & NumberPorts & PairLimitPorts & DeadlinePorts & QueuePorts & QueueHoldPorts
    & SenderBudgetPorts & PortfolioBudgetPorts & ConsentPorts & SharedHoldPorts & BatchPorts & TemplateResultPorts> & {
  readonly senders: SendingSenders
  readonly platform: Platform
  /** Limits how many sends run simultaneously; if absent, every send starts immediately. */
  readonly admission?: Admission
  /** Where a template is looked up that the catalogue does not have; if absent, it is sent unchecked. */
  readonly templateSource?: TemplateSource
  /** The destination of spans; if absent, no spans are created. */
  readonly tracer?: Tracer
}

/** The ports of the HTTP API of an app that sends; each optional one adds operations. */
export type ApiPorts = TracingDeps & {
  readonly keyStore: Pick<KeyStore, 'principalOf'>
  readonly messageLog: Pick<MessageLog, 'find' | 'list'>
  readonly ledger: Pick<Ledger, 'balance' | 'statement'>
  readonly windowClock: Pick<WindowClock, 'freeForm' | 'lastInbound' | 'now'>
  readonly customers?: Pick<Customers, 'find'> | undefined
  readonly messageContents?: Pick<MessageContents, 'find'>
  readonly senders?: Pick<Senders, 'senderOf'> & Partial<Pick<Senders, 'formerIdsOf' | 'inboxesOf' | 'sendersOf'>>
  readonly templateCatalogue?: Pick<TemplateCatalogue, 'list'>
  readonly templateResults?: Pick<TemplateResults, 'counts'>
  readonly numberHealth?: Pick<NumberHealth, 'of'>
  /** Without it, nothing is known of what customers allow and stop. */
  readonly consents?: Pick<Consents, 'find'>
  /** Without it, nothing is scheduled. */
  readonly messageQueue?: Pick<MessageQueue, 'scheduled'>
}

/** The ports of the use cases of operators: the storage, and how a sender is confirmed and its number is read. */
export type AdministrationPorts = AllStoragePorts & Partial<OptionalStoragePorts> & ReadingApart & TracingDeps & {
  readonly senderVerification: SenderVerification
  /** Where the quality and the limits of numbers are read; if absent, they are not read. */
  readonly platformNumbers?: PlatformNumbers
}

/** How endpoints are called, and which addresses they may have; by default any. */
export type EndpointCalls = { readonly sinkFor: (address: SinkAddress) => EventSink; readonly faultOfUrl?: FaultOfUrl }

/** Every port. */
export type Ports = AdministrationPorts & SendingPorts & {
  readonly conversation: Conversation
  readonly fileBytes: FileBytes
  readonly templateSource: TemplateSource
  readonly webhooks: EndpointCalls
  readonly passwords: PasswordHasher
  /** Limits how many passwords are computed simultaneously; if absent, each is computed immediately. */
  readonly passwordHashQueue?: PasswordHashQueue
}

/** The name of a storage port. */
export type StorageName = keyof StoredPorts

/**
 * The facts about a storage port: its methods that cannot return a failure, its methods that pages and lists use, which a storage may run where no send
 * waits for them, and whether an app may leave it out.
 */
type StorageFacts<Name extends StorageName, Port = StoredPorts[Name]> = { readonly reads?: ReadonlyArray<keyof Port> }
  & ([PlainMethod<Port>] extends [never] ? unknown : { readonly plain: Readonly<Record<PlainMethod<Port>, 'guess' | 'passed'>> })
  & (Name extends OptionalPort ? { readonly isOptional: true } : unknown)

/** Every storage port. The compiler requires each of them. The tokens of inversify, the bindings of the server and the reads of a storage are derived from it. */
export const STORAGE_PORTS = {
  accountNotices: { reads: ['latest'] },
  alerts: { isOptional: true, reads: ['choicesOf', 'channelOf'] },
  apps: { isOptional: true },
  auditLog: { reads: ['list'] },
  batches: { isOptional: true, reads: ['list'] },
  consents: { isOptional: true, reads: ['history', 'list'] },
  customerWindows: { reads: ['list'] },
  customers: { reads: ['find', 'named'] },
  deliveryDeadlines: { isOptional: true },
  eventDeliveries: { reads: ['attempts', 'failed', 'pending'] },
  eventEndpoints: { reads: ['find', 'list'] },
  eventOutbox: { plain: { hasBroker: 'passed' }, reads: ['after', 'backlog', 'find'] },
  freeMessages: {},
  keyStore: { reads: ['list'] },
  ledger: { reads: ['balance', 'books', 'days', 'keySpending', 'movements', 'openHolds', 'statement', 'totals'] },
  lostMessages: { reads: ['counts', 'list'] },
  members: { reads: ['list'] },
  messageContents: { reads: ['find'] },
  messageLog: { reads: ['find', 'list', 'stale'] },
  messageMoney: { plain: { reservingOver: 'passed' } },
  messageQueue: { isOptional: true, reads: ['backlog', 'next', 'scheduled', 'timesOf', 'waiting'] },
  messageStatistics: { reads: ['counts', 'openWindows', 'progress'] },
  messageTimeline: { reads: ['entries', 'events'] },
  numberHealth: { isOptional: true, reads: ['of'] },
  pairLimits: { isOptional: true },
  personalData: {},
  portfolioBudget: { isOptional: true, reads: ['counted', 'countedByBatch', 'days'] },
  queueHolds: { isOptional: true, reads: ['list'] },
  requestLog: { isOptional: true, reads: ['find', 'list'] },
  senderBudget: { isOptional: true, reads: ['presentRates'] },
  senders: { plain: { lastSenderOf: 'guess' } },
  sessions: { reads: ['standing'] },
  sharedHolds: { isOptional: true },
  templateCatalogue: { reads: ['list', 'names', 'stateOf'] },
  templateResults: { isOptional: true, reads: ['counts'] },
  uploadedFiles: {},
  wallet: {},
  walletAlerts: { reads: ['alertsOf'] },
  windowClock: { plain: { freeForm: 'passed', now: 'passed' } },
  workspacePricing: {},
  workspaceStates: { reads: ['buckets', 'states', 'sums'] },
  workspaces: { reads: ['find', 'list', 'named'] },
} as const satisfies { readonly [Name in StorageName]: StorageFacts<Name> }

type Facts = typeof STORAGE_PORTS

/** The storage methods that pages, lists and reports use. */
export type ReadingPorts = {
  readonly [Name in StorageName as Facts[Name] extends { readonly reads: unknown } ? Name : never]:
  Pick<
    StoredPorts[Name], Facts[Name] extends { readonly reads: ReadonlyArray<infer Method extends keyof StoredPorts[Name]> } ? Method : never
  >
}

/** The methods of each storage port that pages, lists and reports use. */
export const readsOf = (ports: StoredPorts): ReadingPorts =>
  Object.fromEntries(Object.entries(STORAGE_PORTS).flatMap(([name, facts]) =>
    'reads' in facts ? [[name, only(ports[name as StorageName], facts.reads)]] : [])) as ReadingPorts

/** The same ports; their reads for pages, lists and reports are those of `reading`, if the storage has it. */
export const withReading = <Given extends AllStoragePorts & Partial<RequestPorts & NumberPorts> & ReadingApart>(ports: Given): Given => {
  const reads: ReadonlyArray<readonly [string, object]> = Object.entries(ports.reading ?? {})
  return { ...ports, ...Object.fromEntries(reads.map(([name, methods]) => [name, { ...Reflect.get(ports, name) as object, ...methods }])) }
}

const only = (port: object, methods: ReadonlyArray<string>): object =>
  Object.fromEntries(methods.map((method) => [method, Reflect.get(port, method)]))

/** The name of a port that an app may leave out. */
export type OptionalPort = { [Name in keyof Ports]-?: Partial<Pick<Ports, Name>> extends Pick<Ports, Name> ? Name : never }[keyof Ports]

/** Every port that does not belong to a storage, and whether an app may leave it out. The compiler requires each of them. */
export const OTHER_PORTS = {
  admission: { isOptional: true }, conversation: {}, fileBytes: {}, passwordHashQueue: { isOptional: true }, passwords: {}, platform: {},
  platformNumbers: { isOptional: true }, reading: { isOptional: true }, senderVerification: {}, templateSource: {},
  tracer: { isOptional: true }, webhooks: {},
} as const satisfies { readonly [Name in Exclude<keyof Ports, StorageName>]-?: Name extends OptionalPort
  ? { readonly isOptional: true }
  : object }

/** For each storage port, its methods that cannot return a failure. */
const PLAIN = Object.fromEntries(Object.entries(STORAGE_PORTS).map(([name, facts]) => [name, 'plain' in facts ? facts.plain : {}]))

/** The same ports; the storage ports return a `PortFailure` if they throw or reject. Values that are not ports stay as they are. */
export const guardPorts = <Given extends GuardablePorts>(ports: Given): Given => guardWith(PLAIN, ports)
