import { randomBytes } from 'node:crypto'
import type { WorkspaceStates, WorkspaceSum } from '../../core/all-workspaces.js'
import { type IdRecord, isUserId } from '../../core/customers/customer.js'
import type { InboundMark } from '../../core/customers/window.js'
import type { AppId, WorkspaceId } from '../../core/kernel/ids.js'
import type { Instant } from '../../core/kernel/time.js'
import type { Workspace } from '../../core/kernel/workspace.js'
import { isUnderWay, type MessageId } from '../../core/messages/message.js'
import type { BucketWidth, TimeSpan } from '../../core/messages/statistics.js'
import { figuresOf, totalOf } from '../../core/overview.js'
import type { Pricing } from '../../core/money/pricing.js'
import type { Storage } from '../../core/ports.js'
import type { AccountNotice } from '../../core/reports/account.js'
import type { SenderOf } from '../../core/senders/sender.js'
import {
  type AccessState, type KeyRecord, makeMemoryAuditLog, makeMemoryKeyStore, makeMemoryMembers, makeMemorySessions, openAccessState,
} from './access.js'
import {
  type Accounts, balanceOf, type FreeState, makeMemoryFreeMessages, makeMemoryLedger, makeMemorySharedHolds, makeMemoryWallet,
  makeMemoryWalletAlerts,
} from './accounts.js'
import { type AlertsState, makeMemoryAlerts, openAlertsState } from './alerts.js'
import { type AppsState, makeMemoryApps } from './apps.js'
import { type BatchState, countBatchesOf, makeMemoryBatches, moveBatches, openBatchState } from './batches.js'
import { type ConsentState, makeMemoryConsents, openConsentState } from './consents.js'
import {
  digestWith, forgetUserIds, makeMemoryCustomers, makeMemoryCustomerWindows, makeMemoryPersonalData, makeMemoryWindowClock,
} from './customers.js'
import {
  addListener, type EventState, makeMemoryEventDeliveries, makeMemoryEventEndpoints, makeMemoryEventOutbox, openEventState,
} from './events.js'
import { makeMemoryNumberHealth, type NumberSender, type NumberState } from './number-health.js'
import { makeMemoryUploadedFiles, type Uploads } from './files.js'
import {
  makeMemoryPairLimits, makeMemoryPortfolioBudget, makeMemorySenderBudget, type PairSlots, type PortfolioState, type SenderSlotState,
} from './limits.js'
import { infallible, makeMemoryLeases } from './kernel.js'
import { makeMemoryMessageQueue, moveQueued } from './message-queue.js'
import {
  type CountState, type LostRecord, makeMemoryDeliveryDeadlines, makeMemoryLostMessages, makeMemoryMessageContents, makeMemoryMessageLog,
  makeMemoryMessageMoney, makeMemoryMessageStatistics, makeMemoryMessageTimeline, type WorkspaceMessages,
} from './messages.js'
import { type HoldState, makeMemoryQueueHolds, openHoldState } from './queue-holds.js'
import { type LoggedRequests, makeMemoryRequestLog } from './requests.js'
import {
  type CataloguedAccount, makeMemoryAccountNotices, makeMemorySenders, makeMemoryTemplateCatalogue, inboxesIn, makeMemoryWorkspacePricing,
  makeMemoryWorkspaces, sendersIn, type SenderState,
} from './workspaces.js'
import { makeMemoryTemplateResults } from './template-results.js'

/** Every storage port, over one state. */
export type MemoryStorage = Storage

/** Options of the storage; all are optional. */
export type MemoryStorageOptions = {
  /** The clock of the customer service windows and of leases; the machine's own by default. */
  readonly now?: () => Instant
  /** Whether a broker gets the events of every workspace; false by default. */
  readonly broker?: boolean
  /** How many lost messages of a workspace are recorded; `LOST_MESSAGES_KEPT` by default. */
  readonly lostMessagesKept?: number
  /** Whether the content of messages is kept; false by default. */
  readonly keepContent?: boolean
}

/** Every storage port in memory, for tests, trials and apps that may lose their data; nothing outlives the process. */
export const makeMemoryStorage = (options: MemoryStorageOptions = {}): MemoryStorage =>
  makeMemoryStorageOver(openMemoryState(options.broker), options)

/** The data of a storage in memory, except its leases: only maps, which several storages may share. */
export type MemoryState = {
  readonly workspaces: Map<WorkspaceId, Workspace>
  readonly books: Accounts
  readonly events: EventState
  readonly tables: Map<WorkspaceId, WorkspaceMessages>
  readonly records: Map<string, IdRecord>
  readonly marks: Map<string, InboundMark>
  readonly lost: Map<string, LostRecord>
  readonly uploads: Uploads
  readonly access: AccessState
  readonly keys: Map<string, KeyRecord>
  readonly senders: SenderState
  readonly pricings: Map<WorkspaceId, Pricing>
  readonly notices: Map<string, ReadonlyArray<AccountNotice>>
  readonly catalogue: Map<string, CataloguedAccount>
  readonly free: FreeState
  readonly counted: CountState
  readonly requests: LoggedRequests
  readonly alerts: AlertsState
  readonly apps: AppsState
  readonly numbers: NumberState
  readonly pairs: PairSlots
  readonly slots: SenderSlotState['slots']
  readonly portfolios: PortfolioState
  readonly holds: HoldState
  readonly consents: ConsentState
  readonly batches: BatchState
  readonly replied: Set<MessageId>
}

/** The empty state. */
export const openMemoryState = (broker = false): MemoryState => ({
  workspaces: new Map(), books: new Map(), events: openEventState(broker), tables: new Map(), records: new Map(), marks: new Map(),
  lost: new Map(), uploads: new Map(), access: openAccessState(), keys: new Map(), senders: { senders: new Map(), former: new Map() },
  pricings: new Map(), notices: new Map(), catalogue: new Map(), free: { counts: new Map(), takes: new Map() },
  counted: { buckets: new Map(), progress: new Map() }, requests: new Map(), alerts: openAlertsState(),
  apps: new Map(), numbers: new Map(), pairs: new Map(), slots: new Map(), portfolios: new Map(), holds: openHoldState(),
  consents: openConsentState(), batches: openBatchState(), replied: new Set(),
})

const makeMemoryWorkspaceStates = (
  { workspaces, books, senders, counted }: Pick<MemoryState, 'workspaces' | 'books' | 'senders' | 'counted'>,
): WorkspaceStates => {
  const bucketsIn = (width: BucketWidth, { from, to }: TimeSpan) =>
    [...counted.buckets.values()].filter((bucket) => bucket.width === width && bucket.start >= from && bucket.start < to)
      .sort((a, b) => a.start - b.start)
      .flatMap(({ workspace, start, counts }) => {
        const { messages, micros } = figuresOf(counts)
        return counts.length === 0 ? [] : [{ workspace, start, messages: totalOf({ messages }), failed: messages.failed, micros }]
      })
  return {
    states: () => infallible(() => [...workspaces.values()].flatMap((workspace) => {
      const account = books.get(workspace.id)
      return account === undefined
        ? []
        : [{ workspace, balance: balanceOf(account), alerts: account.alerts, failingSince: failingSinceOf(senders, workspace.id) }]
    }).sort((a, b) => a.workspace.createdAt - b.workspace.createdAt || (a.workspace.id < b.workspace.id ? -1 : 1))),
    sums: (width, span) => infallible(() => {
      const sums = new Map<WorkspaceId, WorkspaceSum>()
      for (const { start: _, ...bucket } of bucketsIn(width, span)) {
        const { messages = 0, failed = 0, micros = 0n } = sums.get(bucket.workspace) ?? {}
        sums.set(bucket.workspace, {
          ...bucket, messages: messages + bucket.messages, failed: failed + bucket.failed, micros: micros + bucket.micros,
        })
      }
      return [...sums.values()]
    }),
    buckets: (of, width, span) => infallible(() =>
      bucketsIn(width, span).filter(({ workspace }) => of.includes(workspace))
        .map(({ workspace, start, messages }) => ({ workspace, start, messages }))),
  }
}

/** Since when the platform refuses the token of any sender of a workspace. */
const failingSinceOf = (senders: SenderState, workspace: WorkspaceId): Instant | undefined => {
  const times = sendersIn(senders, workspace).flatMap(({ sender: { failingSince } }) => failingSince ?? [])
  return times.length === 0 ? undefined : Math.min(...times)
}

/** Every storage port over a state in memory. */
export const makeMemoryStorageOver = (
  state: MemoryState, { now = Date.now, lostMessagesKept: kept, keepContent = false }: MemoryStorageOptions,
): MemoryStorage => {
  const { workspaces, books, events, tables, records, marks, lost, uploads, access } = state
  const digestOf = digestWith(randomBytes(32))
  const budget = { slots: state.slots, now }
  const [wallet, messageLog, freeMessages, pairLimits, senderBudget, portfolioBudget] = [
    makeMemoryWallet(books, events), makeMemoryMessageLog(tables, events, keepContent), makeMemoryFreeMessages(state.free),
    makeMemoryPairLimits(state.pairs), makeMemorySenderBudget(budget),
    makeMemoryPortfolioBudget(state.portfolios),
  ]
  return {
    wallet, messageLog, freeMessages, pairLimits, senderBudget, portfolioBudget,
    walletAlerts: makeMemoryWalletAlerts(books, events),
    sharedHolds: makeMemorySharedHolds(books, events),
    messageQueue: makeMemoryMessageQueue(tables),
    queueHolds: makeMemoryQueueHolds(state.holds, events, () => [...tables.values()].every(({ queue }) => queue.size === 0)),
    ledger: makeMemoryLedger(books, events, (workspace, message) => tables.get(workspace)?.records.get(message)),
    keyStore: makeMemoryKeyStore(workspaces, state.keys, events),
    messageMoney: makeMemoryMessageMoney(
      { books, free: state.free, pairs: state.pairs, budget, portfolios: state.portfolios, tables, events },
      { messageLog, wallet, freeMessages, pairLimits, senderBudget, portfolioBudget },
    ),
    messageStatistics: makeMemoryMessageStatistics({ tables, marks }, state.counted),
    messageTimeline: makeMemoryMessageTimeline(books, events),
    workspaceStates: makeMemoryWorkspaceStates(state),
    messageContents: makeMemoryMessageContents(tables),
    deliveryDeadlines: makeMemoryDeliveryDeadlines(tables, events),
    senders: makeMemorySenders(workspaces, events, state.senders, {
      underWay: ({ workspace, sender }, inbox) => {
        const { records, queue } = tables.get(workspace) ?? {}
        const of = [...records?.values() ?? []].filter((message) =>
          isUnderWay(message.state) && (message.sender ?? (inbox === workspace ? sender : undefined)) === sender)
        const queued = of.flatMap(({ id, state }) => (state === 'queued' ? queue?.get(id) ?? [] : []))
        const toUserIds = queued.filter(({ message: { to } }) => isUserId(to)).length
        return { toNumbers: queued.length - toUserIds, toUserIds, unknown: of.length - queued.length }
      },
      moveQueued: (of, to, at) => { moveQueued(tables, of, to, at) },
      batches: (of) => countBatchesOf(state.batches, of),
      moveBatches: (of, to) => { moveBatches(state.batches, of, to) },
      forgetUserIds: (inbox, at) => forgetUserIds({ records, marks }, inbox, at),
      hasApp: (app) => state.apps.has(app as AppId),
    }),
    workspaces: makeMemoryWorkspaces(workspaces, books, events),
    workspacePricing: makeMemoryWorkspacePricing(workspaces, events, state.pricings),
    windowClock: makeMemoryWindowClock(now, events, marks),
    customers: makeMemoryCustomers(events, records),
    batches: makeMemoryBatches(state.batches, events, (workspace, message) => tables.get(workspace)?.records.get(message)),
    consents: makeMemoryConsents(state.consents, events, digestOf),
    templateResults: makeMemoryTemplateResults(state),
    customerWindows: makeMemoryCustomerWindows(marks),
    accountNotices: makeMemoryAccountNotices(state.notices),
    templateCatalogue: makeMemoryTemplateCatalogue(events, state.catalogue),
    lostMessages: makeMemoryLostMessages({ accounts: books, events, tables, records: lost, ...(kept !== undefined && { kept }) }),
    personalData: makeMemoryPersonalData(
      {
        tables, records, marks, events, lost, uploads, portfolios: state.portfolios, consents: state.consents,
        batches: state.batches,
        inboxesOf: (workspace) => inboxesIn(state.senders, workspace),
      },
      digestOf,
    ),
    uploadedFiles: makeMemoryUploadedFiles(uploads),
    eventOutbox: makeMemoryEventOutbox(events),
    auditLog: makeMemoryAuditLog(events),
    requestLog: makeMemoryRequestLog(state.requests),
    alerts: makeMemoryAlerts(workspaces, access, events, state.alerts),
    apps: makeMemoryApps(events, state.apps, () => sendersWithApps(state.senders)),
    numberHealth: makeMemoryNumberHealth(events, state.numbers, () => numberSenders(state)),
    members: makeMemoryMembers(workspaces, access, events),
    sessions: makeMemorySessions(access, events, workspaces),
    leases: makeMemoryLeases(new Map(), now),
    onEvents: (listener) => addListener(events, listener),
    migrate: async () => undefined,
    close: async () => undefined,
    eventEndpoints: makeMemoryEventEndpoints(workspaces, events),
    eventDeliveries: makeMemoryEventDeliveries(events),
  }
}

/** Every sender with its app, by workspace and id. */
const sendersWithApps = ({ senders }: SenderState): ReadonlyArray<SenderOf & { readonly app: string | undefined }> =>
  [...senders.values()].map(({ workspace, sender: { phoneNumberId: sender, app } }) => ({ workspace, sender, app }))
    .sort((a, b) => (`${a.workspace} ${a.sender}` < `${b.workspace} ${b.sender}` ? -1 : 1))

const numberSenders = ({ senders: { senders }, workspaces }: Pick<MemoryState, 'senders' | 'workspaces'>): ReadonlyArray<NumberSender> =>
  [...senders.values()].map(({ workspace, sender: { phoneNumberId: sender, businessAccountId } }) => ({
    workspace, sender, businessAccountId, isArchived: workspaces.get(workspace)?.archivedAt !== undefined,
  }))
