import * as E from 'fp-ts/lib/Either.js'
import * as O from 'fp-ts/lib/Option.js'
import { uuidv7 } from 'uuidv7'
import type { MemoryStorage } from '../../adapters/memory/index.js'
import type { CustomerId, PhoneNumber } from '../../core/customers/customer.js'
import type { PairLimit } from '../../core/customers/pair-limit.js'
import { SYSTEM } from '../../core/kernel/actor.js'
import { eventIdOf, type WorkspaceId } from '../../core/kernel/ids.js'
import type { Admission } from '../../core/kernel/limits.js'
import type { StoredEvent } from '../../core/kernel/outbox.js'
import { HOUR_MS } from '../../core/kernel/time.js'
import {
  type IdempotencyKey, type MessageId, messageIdOf, type MessageRecord, type NewTemplateMessage, type PlatformId, type StateChange,
  templateMessage,
} from '../../core/messages/message.js'
import type { RateCard } from '../../core/money/rate-card.js'
import { makeAuditBooks } from '../../core/money/use-cases.js'
import type { EntryKind } from '../../core/money/wallet.js'
import { makeBatching } from '../../core/batching.js'
import { makeQuotes, makeSending } from '../../core/postern.js'
import type { Report } from '../../core/reports/receive.js'
import type { StatusReport } from '../../core/reports/status.js'
import type { CustomersPerDay } from '../../core/senders/number-health.js'
import type { SenderRate } from '../../core/senders/sender-budget.js'
import type { SenderId } from '../../core/senders/sender.js'
import type { LimitEvent } from '../../core/sending/dispatch.js'
import type { TimedCommand } from '../../core/sending/queue.js'
import type { SendTemplateCommand, SendTextCommand } from '../../core/sending/send.js'
import type { TemplateSource } from '../../core/templates/catalogue.js'
import type { Template } from '../../core/templates/template.js'
import { makeRefreshTemplate } from '../../core/templates/use-cases.js'
import { ACCOUNT, memoryWorld, NOON, RELEASE_AFTER_MS, UNCONFIRMED_AFTER_MS, USD } from '../support/memory-world.js'
import { done } from '../support/right-of.js'
import { platformIdOf } from '../support/scripted-platform.js'

export { ACCOUNT, NOON, RELEASE_AFTER_MS, UNCONFIRMED_AFTER_MS, USD }
export const CUSTOMER = '4915123456789' as PhoneNumber
export const KEY = 'order 1234' as IdempotencyKey
export const TEXT_PRICE = 7_700n
export const TEMPLATE_PRICE = 62_500n
export const UTILITY_PRICE = 1n
export const OPENING_BALANCE = 1_000_000n

const PRICES = { service: TEXT_PRICE, marketing: TEMPLATE_PRICE, utility: UTILITY_PRICE, authentication: 1n }

export type GatewayOptions = {
  /** The balance of the wallet; `OPENING_BALANCE` by default. */
  readonly balance?: bigint
  /** When the customer last wrote; an hour ago by default, never if `undefined`. */
  readonly lastInbound?: number | undefined
  /** Whether the workspace has a sender; true by default. */
  readonly sender?: boolean
  /** Limits how many sends are under way; by default every send starts at once. */
  readonly admission?: Admission
  /** Parts of the rate card that replace the usual ones. */
  readonly card?: Partial<RateCard>
  /** Whether what is learned of customers is kept; true by default. */
  readonly keepsCustomers?: boolean
  /** The platform's list of templates, which the catalogue has read at `NOON`; by default the sender has no business account. */
  readonly templates?: ReadonlyArray<Template>
  /** What the platform answers to a reading of its list by name; by default it cannot be asked. */
  readonly source?: TemplateSource
  /** Whether templates are checked; they are by default. */
  readonly templatePreflight?: 'on' | 'off'
  /** How many messages a sender may send to one customer; there is no limit by default. */
  readonly pairLimit?: PairLimit
  /** How fast the sender may send; there is no limit by default. The clock moves by the time that a send waits. */
  readonly senderLimit?: SenderRate
  /** How much longer a wait for a slot takes, in milliseconds, because the process stands still; by default not at all. */
  readonly onWait?: () => number
  /** The limit of customers that the platform has reported for the portfolio of the sender; by default none is counted. */
  readonly customersPerDay?: CustomersPerDay
  /** Whether a broker gets the events of every workspace; by default nothing listens to any. */
  readonly broker?: boolean
  /** Ports that replace those of the storage. */
  readonly ports?: (storage: MemoryStorage) => Partial<MemoryStorage>
}

/** A text with a timing; its defaults are a text to `CUSTOMER` and no timing. */
type TimedText = Partial<TimedCommand> & { readonly text?: string; readonly to?: CustomerId }

export type WorkspaceSetup = { readonly workspace: WorkspaceId; readonly phoneNumberId: SenderId }

/** The use cases over memory, one workspace with a wallet, and control over the platform, the clock and retries. */
export const gateway = async (options: GatewayOptions = {}) => {
  const { balance = OPENING_BALANCE, sender = true, keepsCustomers = true, ports = () => ({}) } = options
  const lastInbound = 'lastInbound' in options ? options.lastInbound : NOON - HOUR_MS
  const world = memoryWorld({ broker: options.broker, card: { default: PRICES, ...options.card } })
  const { storage, now, later, sent, willAnswer, willNextAnswer, passes } = world
  const { customers, ...others } = storage
  const kept = { ...others, ...(keepsCustomers && { customers }), ...ports(storage) }
  const sendingPorts = {
    ...kept, platform: world.ports.platform, ...(options.admission && { admission: options.admission }),
    ...(options.source && { templateSource: options.source }),
  }
  const { pairLimit } = options
  const waits: Array<number> = []
  const limits: Array<LimitEvent> = []
  const senderLimit = options.senderLimit && {
    ...options.senderLimit,
    wait: async (ms: number) => {
      waits.push(ms)
      passes(ms + (options.onWait?.() ?? 0))
    },
  }
  const settings = {
    ...world.settings, ...(options.templatePreflight && { templatePreflight: options.templatePreflight }), ...(pairLimit && { pairLimit }),
    ...(senderLimit && { senderLimit }), ...(options.customersPerDay !== undefined && { portfolioLimit: 'on' as const }),
    // An app's function that throws changes nothing.
    onLimit: (event: LimitEvent) => {
      limits.push(event)
      throw new Error('this event could not be counted')
    },
  }
  const { priceOf, retryLater, unconfirmedAfterMs, releaseAfterMs, templatePreflight } = settings
  const deps = {
    ...kept, ...(options.admission && { admission: options.admission }), platform: world.ports.platform,
    ...(options.source && { refreshTemplate: makeRefreshTemplate({ ...kept, templateSource: options.source }) }),
    ...(templatePreflight && { templatePreflight }), ...(pairLimit && { pairLimit }), ...(senderLimit && { senderLimit }),
    priceOf, retryLater, unconfirmedAfterMs, releaseAfterMs,
    newMessageId: () => messageIdOf(uuidv7()),
    events: { outbox: kept.eventOutbox, newEventId: () => eventIdOf(uuidv7()), now },
  }
  const { sendText, sendTemplate, sendOrQueue, cancel, drainQueue, receive, reconcile, showQueue } = makeSending(sendingPorts, settings)
  const { quote } = makeQuotes(sendingPorts, settings)
  const batching = makeBatching(sendingPorts, settings)

  const businessAccountId = options.templates && ACCOUNT
  if (options.templates !== undefined) await done(storage.templateCatalogue.replaceAll(ACCOUNT, options.templates, NOON))

  const addWorkspace = async (): Promise<WorkspaceSetup> => {
    const added = await world.addWorkspace({
      micros: balance, sender, businessAccountId,
      inbound: lastInbound === undefined ? undefined : { phoneNumber: CUSTOMER, at: lastInbound },
    })
    const { customersPerDay } = options
    if (customersPerDay !== undefined) {
      await done(storage.numberHealth.note({ workspace: added.workspace, sender: added.phoneNumberId }, { at: NOON, customersPerDay }))
    }
    return added
  }
  const first = await addWorkspace()

  const sendOrQueueText = ({ text = 'Hello', to = CUSTOMER, ...more }: TimedText = {}) =>
    sendOrQueue({ workspace: first.workspace, message: { _tag: 'Text', to, text }, ...more })

  return {
    ...first, storage, deps, waits, limits, sent, willAnswer, willNextAnswer, later, addWorkspace,
    sendText: (more: Partial<SendTextCommand> = {}) =>
      sendText({ workspace: first.workspace, to: CUSTOMER, text: 'Hello', ...more }),
    sendTemplate: (more: Partial<SendTemplateCommand> = {}) =>
      sendTemplate({ workspace: first.workspace, to: CUSTOMER, name: 'order_update', ...more }),
    quoteText: ({ workspace = first.workspace, ...more }: Partial<SendTextCommand> = {}) =>
      quote({ workspace, message: { _tag: 'Text', to: CUSTOMER, text: 'Hello', ...more } }),
    quoteTemplate: ({ workspace = first.workspace, ...more }: Partial<SendTemplateCommand> = {}) =>
      quote({ workspace, message: templateMessage({ to: CUSTOMER, name: 'order_update', ...more }) }),
    /** Sends or queues a text. */
    sendOrQueueText,
    /** Queues a text for a time. */
    scheduleText: (more: TimedText = {}) => sendOrQueueText({ sendAt: NOON + HOUR_MS, ...more }).then(E.map((answer) => {
      if (!('state' in answer)) throw new Error('a message with a time was sent immediately')
      return answer
    })),
    /** Queues a template for a time. */
    scheduleTemplate: (more: Partial<NewTemplateMessage> = {}) => sendOrQueue({
      workspace: first.workspace, message: templateMessage({ to: CUSTOMER, name: 'order_update', ...more }), sendAt: NOON + HOUR_MS,
    }),
    /** The batches. */
    get batching() {
      if (batching === undefined) throw new Error('the storage has no batches')
      return batching
    },
    cancel: (id: MessageId, workspace = first.workspace) => cancel({ by: SYSTEM, workspace, message: { id } }),
    showQueue: async () => {
      if (showQueue === undefined) throw new Error('the storage has no queue')
      return done(showQueue(first.workspace))
    },
    /** One pass over the queue. */
    drain: async () => {
      if (drainQueue === undefined) throw new Error('the storage has no queue')
      return done(drainQueue())
    },
    receive: (...reports: ReadonlyArray<Report>) => receive(reports),
    /** A status of the platform, by default with the current time and our id. */
    status: (messageId: MessageId | undefined, state: StateChange['state'], more: Partial<StatusReport> = {}): StatusReport => ({
      _tag: 'StatusReport', phoneNumberId: first.phoneNumberId, messageId,
      platformId: messageId === undefined ? 'wamid.reported' as PlatformId : platformIdOf({ id: messageId }), change: { state, at: now() },
      ...more,
    }),
    reconcile: () => done(reconcile()),
    /** Runs the work that waits for a retry, in order, until none is left. */
    retry: async () => {
      for (let work = later.shift(); work !== undefined; work = later.shift()) await done(work())
    },
    now, passes,
    topUp: (micros: bigint) => done(storage.ledger.topUp({ workspace: first.workspace, micros, reference: uuidv7(), at: now() })),
    balance: async (workspace = first.workspace) => {
      const { available, held } = some(await done(storage.ledger.balance(workspace)))
      return { available, held }
    },
    /** The kinds of the wallet's entries, oldest first, without the opening top-up. */
    entries: async (): Promise<ReadonlyArray<EntryKind>> =>
      (await done(storage.ledger.statement(first.workspace, { limit: 10_000 }))).items
        .map(({ kind }) => kind)
        .filter((kind) => kind !== 'top_up')
        .reverse(),
    /** The workspace's messages, oldest first. */
    messages: async (): Promise<ReadonlyArray<MessageRecord>> =>
      (await done(storage.messageLog.list(first.workspace, { limit: 10_000 }))).items.toReversed(),
    message: async (id: MessageId): Promise<MessageRecord> => some(await done(storage.messageLog.find(first.workspace, { id }))),
    /** The workspace's events, oldest first. */
    events: async (): Promise<ReadonlyArray<StoredEvent>> => done(storage.eventOutbox.after(first.workspace, 0, 10_000)),
    lastInbound: async (customer: PhoneNumber = CUSTOMER) =>
      O.toUndefined(await done(storage.windowClock.lastInbound(first.workspace, customer))),
    brokenBooks: async () => (await done(makeAuditBooks(deps)())).broken,
  }
}

export type Gateway = Awaited<ReturnType<typeof gateway>>

const some = <A>(option: O.Option<A>): A => {
  if (O.isNone(option)) throw new Error('something was expected to be there')
  return option.value
}
