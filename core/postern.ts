import { type Batching, batchingOf } from './batching.js'
import { type ListStates, makeListStates } from './all-workspaces.js'
import { type AlertUseCases, makeAlertUseCases } from './alerts/use-cases.js'
import { type Acting, checkView } from './access/acting.js'
import { type ListAudit, makeListAudit } from './access/audit.js'
import {
  type AuthenticateKey, makeAuthenticateKey, makeMintKey, makeRevokeKey, makeRotateKey, type MintKey, type RevokeKey, type RotateKey,
} from './access/key-use-cases.js'
import { makeMembershipUseCases, makeMemberUseCases, type MembershipUseCases, type MemberUseCases } from './access/member-use-cases.js'
import {
  type ListOpenWindows, makeListOpenWindows, makeNameCustomers, makeShowWindows, type NameCustomers, type ShowWindows,
} from './customers/use-cases.js'
import {
  type ConsentUseCases, makeConsentUseCases, makeShowCustomerWithConsent, type ShowCustomerWithConsent,
} from './consent/use-cases.js'
import type { WindowClock } from './customers/window.js'
import { administrationDeps, deliverDeps, endpointIds, memberDeps } from './dependencies.js'
import { makeRelay, type Relay } from './events/relay.js'
import { type EventUseCases, makeEventUseCases } from './events/use-cases.js'
import type { Workspaces } from './kernel/workspace.js'
import { makeMarkRead, makeOpenMedia, type MarkRead, type OpenMedia } from './messages/conversation.js'
import { makeNoteOverdue, type NoteOverdue, type NoteOverdueDeps } from './messages/deadlines.js'
import type { MessageContents } from './messages/kept-content.js'
import { type FilterBySender, type ListMessages, makeFilterBySender, makeListMessages, type MessageLog } from './messages/message-log.js'
import type { MessageRecord } from './messages/message.js'
import { makeRollUpMessages, type MessageStatistics, type RollUpMessages } from './messages/statistics.js'
import { makeShowScheduled, type ShowScheduled } from './money/scheduled.js'
import type { Ledger } from './money/ledger.js'
import { makeSetPricing, makeShowRateCard, type SetPricing, type ShowRateCard, type WorkspacePricing } from './money/pricing.js'
import {
  makeReadStatement, makeShowDay, makeShowLatest, makeShowStatement, type ReadStatement, type ShowDay, type ShowLatest, type ShowStatement,
} from './money/statement.js'
import { type Cost, costOf, makeReportUsage, type ReportUsage } from './money/usage.js'
import type { WalletAlerts } from './money/wallet.js'
import {
  type AdjustWallet, type AuditBooks, type ListKeys, type ListMonths, makeAdjustWallet, makeAuditBooks, makeListKeys, makeListMonths,
  makeReportSpend, makeSetWalletAlert, makeTopUp, type ReportSpend, type SetWalletAlert, type TopUp,
} from './money/use-cases.js'
import { makeShowOverview, makeShowRunway, type ShowOverview, type ShowRunway } from './overview.js'
import {
  type AdministrationPorts, type DeadlinePorts, guardPorts, type Ports, type SendingPorts, type StoragePorts, withReading,
} from './ports.js'
import { type EraseCustomer, makeEraseCustomer, makeRunRetention, type RunRetention } from './privacy.js'
import type { AccountNotices } from './reports/account.js'
import { makeReplyToOptOut } from './sending/opt-out-reply.js'
import { makeReceive, makeRecordInbound, type Receive, type RecordInbound } from './reports/receive.js'
import { makeSettleLostMessage, type SettleLostMessage } from './reports/status.js'
import { makeRequestUseCases, type RequestUseCases } from './requests/request-log.js'
import { makeRefreshNumber, makeRefreshNumbers, type RefreshNumber, type RefreshNumbers } from './senders/number-health.js'
import { chosenSender, type FindSender, type SenderDirectory, type SenderLists } from './senders/sender.js'
import { makeShowSender, makeShowSenders, type ShowSender, type ShowSenders } from './senders/show-senders.js'
import {
  type AssignSender, makeAssignSender, makeRemoveSender, makeReplaceSender, makeSetDefaultSender, type RemoveSender, type ReplaceSender,
  type SetDefaultSender,
} from './senders/use-cases.js'
import { makeQuoteAgain, makeSendAgain, type QuoteAgain, type SendAgain } from './sending/again.js'
import { type Draining, drainingOf, type DrainQueue } from './sending/drain.js'
import {
  makeSendFile, makeSendFileAsPerson, makeUploadFile, type SendFile, type SendFileAsPerson, type SendFileDeps, type UploadDeps,
  type UploadFile,
} from './sending/files.js'
import { makePrefetch, type Prefetch } from './sending/prepare.js'
import { makeQueueControl, type QueueControl } from './sending/queue-control.js'
import { makeCancelMessage, makeQueue, type Queue, type QueueDeps } from './sending/queue.js'
import { makeQuoteMessage, type QuoteMessage } from './sending/quote.js'
import {
  makeReconcile, makeReconcileByHand, makeResolveMessage, type Reconcile, type ReconcileByHand, type ResolveMessage,
} from './sending/reconcile.js'
import {
  makeSendAsPerson, makeSendMessage, makeSendTemplate, makeSendText, type SendAsPerson, type SendMessage, type SendTemplate, type SendText,
} from './sending/send.js'
import type { AdministrationSettings, SendingSettings, Settings } from './settings.js'
import { makeSyncByHand, makeSyncTemplates, type SyncByHand, type SyncTemplates } from './templates/sync.js'
import { makeShowTemplateResults, type ShowTemplateResults } from './templates/results.js'
import { type BrowseTemplates, type ListTemplates, makeBrowseTemplates, makeListTemplates } from './templates/use-cases.js'
import {
  type FindMessage, type ListUnanswered, makeFindMessage, makeListUnanswered, makeShowConversation, makeShowMessage, type ShowConversation,
  type ShowMessage,
} from './timeline.js'
import { makeSearch, type Search } from './search.js'
import { type AppUseCases, makeAppUseCases } from './workspaces/apps.js'
import {
  type ArchiveWorkspace, type CreateWorkspace, type FindWorkspace, type ListWorkspaces, makeArchiveWorkspace, makeCreateWorkspace,
  makeFindWorkspace, makeListWorkspaces, makeRenameWorkspace, type RenameWorkspace,
} from './workspaces/use-cases.js'

/** The sends. */
export type Sending = Queue & {
  /** Sends a message of any kind; the other functions do the same with their own commands. */
  readonly send: SendMessage
  readonly sendText: SendText
  readonly sendTemplate: SendTemplate
  /** Starts the reads of a send while its API key is looked up. */
  readonly prefetch: Prefetch
  /** Whether the storage keeps deadlines, so that a send may have `confirmWithinMs`. */
  readonly confirmsDelivery: boolean
}

/** The processing after a send: the platform's reports, messages that a crash or a lost answer left open, and deadlines and the queue, if the storage keeps them. */
export type Settling = {
  readonly receive: Receive
  readonly reconcile: Reconcile
  readonly noteOverdue?: NoteOverdue
  /** Sends the queued messages that are due. */
  readonly drainQueue?: DrainQueue
  /** The same in turns of the senders, which several gateways share. */
  readonly draining?: Draining
}

/** The cost of a send. */
export type Quotes = { readonly quote: QuoteMessage }

/** Files, and the messages that carry them. */
export type Files = { readonly uploadFile: UploadFile; readonly sendFile: SendFile }

/** The operations of applications on customers' messages. */
export type ConversationUseCases = { readonly markRead: MarkRead; readonly openMedia: OpenMedia }

/** The time, and whether the network delivers free-form messages at any time. */
export type Clocks = Pick<WindowClock, 'freeForm' | 'now'>

/** The operations and views of operators, by concept; they need a storage and no network. */
export type Administration = {
  readonly clock: Clocks
  readonly workspaces: {
    readonly readWorkspace: Workspaces['find']
    readonly readWorkspaces: Workspaces['list']
    /** The sender of a workspace. */
    readonly findSender: FindSender
    readonly createWorkspace: CreateWorkspace
    readonly findWorkspace: FindWorkspace
    readonly listWorkspaces: ListWorkspaces
    readonly renameWorkspace: RenameWorkspace
    readonly archiveWorkspace: ArchiveWorkspace
    readonly assignSender: AssignSender
    readonly removeSender: RemoveSender
    readonly setDefaultSender: SetDefaultSender
    readonly replaceSender: ReplaceSender
    /** Every sender of a workspace, the default sender first. */
    readonly listSenders: SenderLists['sendersOf']
    /** The same without their tokens, with what is known of their numbers. */
    readonly showSenders: ShowSenders
    readonly showSender: ShowSender
    /** The workspace of a phone number id. */
    readonly ownerOf: SenderDirectory['ownerOf']
  }
  readonly keys: {
    readonly authenticateKey: AuthenticateKey
    readonly listKeys: ListKeys
    readonly mintKey: MintKey
    readonly rotateKey: RotateKey
    readonly revokeKey: RevokeKey
  }
  readonly money: {
    readonly topUp: TopUp
    readonly adjustWallet: AdjustWallet
    readonly setWalletAlert: SetWalletAlert
    readonly readStatement: ReadStatement
    readonly showStatement: ShowStatement
    readonly showDay: ShowDay
    readonly showLatest: ShowLatest
    readonly reportSpend: ReportSpend
    readonly listMonths: ListMonths
    readonly auditBooks: AuditBooks
    readonly showBalance: Ledger['balance']
    /** The prices of queued messages that are reserved when the messages are due. */
    readonly showScheduled: ShowScheduled
    readonly showTotals: Ledger['totals']
    readonly showHolds: Ledger['openHolds']
    readonly showBooks: Ledger['books']
    readonly showAlerts: WalletAlerts['alertsOf']
    readonly setPricing: SetPricing
    readonly showPricing: WorkspacePricing['pricingOf']
    readonly showRateCard: ShowRateCard
    readonly reportUsage: ReportUsage
    /** What the platform charges for a message. */
    readonly costOf: (message: MessageRecord) => Cost
  }
  readonly messages: {
    readonly listMessages: ListMessages
    readonly filterBySender: FilterBySender
    readonly findMessage: FindMessage
    readonly showMessage: ShowMessage
    readonly readMessage: MessageLog['find']
    readonly readContents: MessageContents['find']
    readonly resolveMessage: ResolveMessage
    readonly settleLostMessage: SettleLostMessage
  }
  readonly customers: {
    readonly showCustomer: ShowCustomerWithConsent
    readonly showConversation: ShowConversation
    readonly nameCustomers: NameCustomers
    readonly listOpenWindows: ListOpenWindows
    readonly listUnanswered: ListUnanswered
    readonly showWindows: ShowWindows
    readonly recordInbound: RecordInbound
    readonly eraseCustomer: EraseCustomer
  }
  /** What customers allow and stop, if the storage keeps it. */
  readonly consent?: ConsentUseCases
  readonly templates: {
    readonly listTemplates: ListTemplates
    readonly browseTemplates: BrowseTemplates
    /** What the messages of a template achieved, if the storage counts it. */
    readonly showResults?: ShowTemplateResults
    /** The latest notices of the platform about a business account. */
    readonly showNotices: AccountNotices['latest']
  }
  /** The readings of the numbers of senders, if the storage has them and the platform can be asked. */
  readonly numbers?: NumberReadings
  readonly members: MembershipUseCases
  readonly audit: {
    readonly listAudit: ListAudit
    /** Checks that a principal may see something; a refusal is recorded. */
    readonly checkView: (acting: Acting) => ReturnType<typeof checkView>
  }
  readonly overview: {
    readonly showOverview: ShowOverview
    readonly showRunway: ShowRunway
    /** Lists all workspaces, for operators. */
    readonly listStates: ListStates
    /** How far the messages are counted. */
    readonly showCounting: MessageStatistics['progress']
  }
  readonly search: { readonly search: Search }
  /** The latest calls of the API, if the storage keeps them. */
  readonly requests?: RequestUseCases
  /** The apps of the platform, if the storage has them. */
  readonly apps?: AppUseCases
  /** What waits, and its holds, if the storage has a queue. */
  readonly queue?: QueueControl
  /** The processing of the platform's reports, and the periodic jobs. */
  readonly upkeep: Settling & {
    /** The messages that have been in a state for a given time. */
    readonly listStale: MessageLog['stale']
    /** Relays the platform's reports to endpoints of the format `platform`. */
    readonly relay: Relay
    readonly reconcileByHand: ReconcileByHand
    readonly rollUpMessages: RollUpMessages
    readonly runRetention: RunRetention
  }
}

/** The readings of the numbers of senders from the platform: of one, and of those that are due. */
export type NumberReadings = { readonly refreshNumber: RefreshNumber; readonly refreshNumbers: RefreshNumbers }

/** Every use case. */
export type Postern = Omit<Administration, 'members' | 'templates'> & {
  readonly sending: Sending & Quotes & Files & {
    /** The sends by people, which are recorded in the audit log. */
    readonly asPerson: SendAsPerson
    readonly fileAsPerson: SendFileAsPerson
    /** Sending refused and failed messages a second time. */
    readonly quoteAgain: QuoteAgain
    readonly sendAgain: SendAgain
    /** Sends the queued messages that are due, all of them or in turns of the senders; absent if the storage has no queue. */
    readonly drainQueue?: DrainQueue
    readonly draining?: Draining
  }
  readonly conversation: ConversationUseCases
  /** Many messages at once, if the storage has batches, shared holds and a queue. */
  readonly batches?: Batching
  readonly events: EventUseCases
  /** Alerts to people, if the storage has them. */
  readonly alerts?: AlertUseCases
  readonly members: MemberUseCases
  readonly templates: Administration['templates'] & TemplateReading
}

/** The readings of the platform's list of templates: by a job, and by a person, which is recorded in the audit log. */
export type TemplateReading = { readonly syncTemplates: SyncTemplates; readonly syncByHand: SyncByHand }

/** Makes the sends, and their later processing, from the given ports. */
export const makeSending = (ports: SendingPorts, settings: SendingSettings): Sending & Settling => {
  const deps = deliverDeps(ports, settings)
  return {
    ...sendingOf(deps), receive: makeReceive({ ...deps, replyToOptOut: makeReplyToOptOut(deps) }), reconcile: makeReconcile(deps),
    ...overdueOf(deps), ...drainingOf(deps),
  }
}

/** Makes the quotes from the given ports. */
export const makeQuotes = (ports: SendingPorts & Pick<StoragePorts, 'ledger'>, settings: SendingSettings): Quotes =>
  ({ quote: makeQuoteMessage({ ...deliverDeps(ports, settings), ledger: guardPorts(ports).ledger }) })

/** Makes the operations of applications on customers' messages. */
export const makeConversation = (ports: Pick<Ports, 'admission' | 'conversation'> & {
  readonly senders: Pick<SenderDirectory, 'senderOf'>
}): ConversationUseCases => {
  const { conversation, senders, admission } = guardPorts(ports)
  return {
    markRead: makeMarkRead({ conversation, senders, ...(admission && { admission }) }), openMedia: makeOpenMedia({ conversation, senders }),
  }
}

/** Makes the use cases of operators. Everything that only shows something is read over `reading`, if the storage has it. */
export const makeAdministration = (given: AdministrationPorts, settings: AdministrationSettings): Administration => {
  const ports = withReading(given)
  const deps = administrationDeps(ports, settings)
  const upkeep = administrationDeps(given, settings)
  const { numbers } = numbersOf(upkeep)
  const reading = numbers && { refreshNumber: numbers.refreshNumber }
  const reconcile = makeReconcile(upkeep)
  return {
    clock: clockOf(deps.windowClock),
    workspaces: {
      readWorkspace: deps.workspaces.find,
      readWorkspaces: deps.workspaces.list,
      findSender: (choice) => chosenSender(deps.senders, choice),
      createWorkspace: makeCreateWorkspace(deps),
      findWorkspace: makeFindWorkspace(deps),
      listWorkspaces: makeListWorkspaces(deps),
      renameWorkspace: makeRenameWorkspace(deps),
      archiveWorkspace: makeArchiveWorkspace(deps),
      assignSender: makeAssignSender({ ...deps, ...reading }),
      removeSender: makeRemoveSender(deps),
      setDefaultSender: makeSetDefaultSender(deps),
      replaceSender: makeReplaceSender({ ...deps, ...reading }),
      listSenders: deps.senders.sendersOf,
      showSenders: makeShowSenders(deps),
      showSender: makeShowSender(deps),
      ownerOf: deps.senders.ownerOf,
    },
    keys: {
      authenticateKey: makeAuthenticateKey(deps),
      listKeys: makeListKeys(deps),
      mintKey: makeMintKey(deps),
      rotateKey: makeRotateKey(deps),
      revokeKey: makeRevokeKey(deps),
    },
    money: {
      topUp: makeTopUp(deps),
      adjustWallet: makeAdjustWallet(deps),
      setWalletAlert: makeSetWalletAlert(deps),
      readStatement: makeReadStatement(deps),
      showStatement: makeShowStatement(deps),
      showDay: makeShowDay(deps),
      showLatest: makeShowLatest(deps),
      reportSpend: makeReportSpend(deps),
      listMonths: makeListMonths(deps),
      auditBooks: makeAuditBooks(deps),
      showBalance: deps.ledger.balance,
      showScheduled: makeShowScheduled({ messageQueue: deps.messageQueue, now: deps.windowClock.now }),
      showTotals: deps.ledger.totals,
      showHolds: deps.ledger.openHolds,
      showBooks: deps.ledger.books,
      showAlerts: deps.walletAlerts.alertsOf,
      setPricing: makeSetPricing(deps),
      showPricing: deps.workspacePricing.pricingOf,
      showRateCard: makeShowRateCard(deps),
      reportUsage: makeReportUsage(deps),
      costOf: (message) => costOf(message, settings.rateCard),
    },
    messages: {
      listMessages: makeListMessages(deps),
      filterBySender: makeFilterBySender(deps),
      findMessage: makeFindMessage(deps),
      showMessage: makeShowMessage(deps),
      readMessage: upkeep.messageLog.find,
      readContents: deps.messageContents.find,
      resolveMessage: makeResolveMessage(deps),
      settleLostMessage: makeSettleLostMessage(deps),
    },
    customers: {
      showCustomer: makeShowCustomerWithConsent(deps),
      showConversation: makeShowConversation(deps),
      nameCustomers: makeNameCustomers(deps),
      listOpenWindows: makeListOpenWindows(deps),
      listUnanswered: makeListUnanswered(deps),
      showWindows: makeShowWindows(deps),
      recordInbound: makeRecordInbound(deps),
      eraseCustomer: makeEraseCustomer(deps),
    },
    ...(deps.consents && { consent: makeConsentUseCases({ ...deps, consents: deps.consents }) }),
    templates: {
      listTemplates: makeListTemplates(deps), browseTemplates: makeBrowseTemplates(deps), showNotices: deps.accountNotices.latest,
      ...(deps.templateResults && { showResults: makeShowTemplateResults({ ledger: deps.ledger, templateResults: deps.templateResults }) }),
    },
    ...(numbers && { numbers }),
    members: makeMembershipUseCases(memberDeps(ports, settings)),
    audit: { listAudit: makeListAudit(deps), checkView: (acting) => checkView(deps, acting) },
    overview: {
      showOverview: makeShowOverview(deps), showRunway: makeShowRunway(deps), listStates: makeListStates(deps),
      showCounting: deps.messageStatistics.progress,
    },
    search: { search: makeSearch(deps) },
    ...(deps.requestLog && { requests: makeRequestUseCases({ requestLog: deps.requestLog }) }),
    ...queueOf(deps, upkeep),
    ...(deps.apps && { apps: makeAppUseCases({ ...deps, apps: deps.apps }) }),
    upkeep: {
      receive: makeReceive(upkeep),
      relay: makeRelay(upkeep),
      reconcile,
      ...overdueOf(upkeep),
      reconcileByHand: makeReconcileByHand({ ...upkeep, reconcile }),
      rollUpMessages: makeRollUpMessages(upkeep),
      runRetention: makeRunRetention(upkeep),
      listStale: deps.messageLog.stale,
    },
  }
}

/** Makes the use cases of endpoints and events, for an app that delivers no events itself. */
export const makeEvents = (ports: AdministrationPorts & Pick<Ports, 'webhooks'>, settings: AdministrationSettings): EventUseCases =>
  makeEventUseCases({ ...administrationDeps(withReading(ports), settings), ...ports.webhooks, ...endpointIds(settings) })

/** Makes the use cases of people who sign in. */
export const makeMembers = (
  ports: AdministrationPorts & Pick<Ports, 'passwords' | 'passwordHashQueue'>, settings: AdministrationSettings,
): MemberUseCases =>
  makeMemberUseCases({
    ...memberDeps(withReading(ports), settings),
    passwords: guardPorts(ports).passwords,
    ...(ports.passwordHashQueue && { passwordHashQueue: ports.passwordHashQueue }),
  })

/** Makes the readings of the platform's list of templates, for an app that sends nothing itself. */
export const makeTemplateReading = (
  ports: AdministrationPorts & Pick<Ports, 'templateSource'>, settings: AdministrationSettings,
): TemplateReading => {
  const deps = administrationDeps(ports, settings)
  const syncTemplates = makeSyncTemplates({ ...deps, templateSource: guardPorts(ports).templateSource })
  return { syncTemplates, syncByHand: makeSyncByHand({ ...deps, syncTemplates }) }
}

/** Makes every use case: the only place where all use cases get their ports. */
export const makePostern = (ports: Ports, settings: Settings): Postern => {
  const administration = makeAdministration(ports, settings)
  const delivering = { ...guardPorts(ports), ...deliverDeps(ports, settings) }
  const sending = sendingOf(delivering)
  const quote = makeQuoteMessage(delivering)
  const files = filesOf({ ...delivering, quote })
  const asPerson = { ...administrationDeps(withReading(ports), settings), ...sending }
  const again = { ...asPerson, messageLog: delivering.messageLog, listTemplates: administration.templates.listTemplates, quote }
  return {
    ...administration,
    sending: {
      ...sending, quote, ...files, asPerson: makeSendAsPerson(asPerson), fileAsPerson: makeSendFileAsPerson({ ...asPerson, ...files }),
      quoteAgain: makeQuoteAgain(again), sendAgain: makeSendAgain(again), ...drainingOf(delivering),
    },
    conversation: makeConversation(ports),
    upkeep: {
      ...administration.upkeep,
      receive: makeReceive({ ...administrationDeps(ports, settings), replyToOptOut: makeReplyToOptOut(delivering) }),
    },
    ...batchingOf({ ...delivering, ledger: guardPorts(ports).ledger, digestOf: settings.sha256 }),
    events: makeEvents(ports, settings),
    ...alertsOf(ports, settings),
    members: makeMembers(ports, settings),
    templates: { ...administration.templates, ...makeTemplateReading(ports, settings) },
  }
}

const numbersOf = ({ numberHealth, platformNumbers, ...deps }: ReturnType<typeof administrationDeps>): Pick<Administration, 'numbers'> => {
  if (numberHealth === undefined || platformNumbers === undefined) return {}
  const refreshNumber = makeRefreshNumber({ ...deps, numberHealth, platformNumbers })
  return { numbers: { refreshNumber, refreshNumbers: makeRefreshNumbers({ refreshNumber, numberHealth, now: deps.now }) } }
}

const queueOf = (
  { messageQueue, queueHolds, ...deps }: ReturnType<typeof administrationDeps>, writing: ReturnType<typeof administrationDeps>,
): Pick<Administration, 'queue'> =>
  (messageQueue && queueHolds
    ? { queue: makeQueueControl({ ...deps, messageQueue, queueHolds, cancel: makeCancelMessage(writing) }) }
    : {})

const alertsOf = (ports: Ports, settings: Settings): Pick<Postern, 'alerts'> => {
  const { alerts, ...deps } = administrationDeps(withReading(ports), settings)
  const { faultOfUrl } = ports.webhooks
  const newAlertId = () => settings.newUuid().replaceAll('-', '')
  return alerts === undefined ? {} : { alerts: makeAlertUseCases({ ...deps, ...(faultOfUrl && { faultOfUrl }), alerts, newAlertId }) }
}

const filesOf = (deps: UploadDeps & Omit<SendFileDeps, 'upload'>): Files => {
  const uploadFile = makeUploadFile(deps)
  return { uploadFile, sendFile: makeSendFile({ ...deps, upload: uploadFile }) }
}

const sendingOf = (deps: QueueDeps & Partial<DeadlinePorts>): Sending => ({
  send: makeSendMessage(deps), sendText: makeSendText(deps), sendTemplate: makeSendTemplate(deps), prefetch: makePrefetch(deps),
  ...makeQueue(deps), confirmsDelivery: deps.deliveryDeadlines !== undefined,
})

const overdueOf = (
  { deliveryDeadlines, ...deps }: Omit<NoteOverdueDeps, 'deliveryDeadlines'> & Partial<DeadlinePorts>,
): Pick<Settling, 'noteOverdue'> => (deliveryDeadlines && { noteOverdue: makeNoteOverdue({ ...deps, deliveryDeadlines }) }) ?? {}


/** The clocks of the use cases. */
export const clockOf = ({ now, freeForm }: Clocks): Clocks => ({ now, ...(freeForm && { freeForm }) })
