import * as E from 'fp-ts/lib/Either.js'
import * as O from 'fp-ts/lib/Option.js'
import { uuidv7 } from 'uuidv7'
import { makeMemoryStorage, type MemoryStorage } from '../../adapters/memory/index.js'
import type { PhoneNumber } from '../../core/customers/customer.js'
import { eventIdOf, type WorkspaceId, workspaceIdOf } from '../../core/kernel/ids.js'
import type { Admission } from '../../core/kernel/limits.js'
import type { Currency } from '../../core/kernel/money.js'
import type { StoredEvent } from '../../core/kernel/outbox.js'
import { HOUR_MS } from '../../core/kernel/time.js'
import {
  type IdempotencyKey, type MessageId, messageIdOf, type MessageRecord, type PlatformId, type StateChange, templateMessage,
} from '../../core/messages/message.js'
import { priceBy, type RateCard } from '../../core/money/rate-card.js'
import { makeAuditBooks } from '../../core/money/use-cases.js'
import type { EntryKind } from '../../core/money/wallet.js'
import { makeQuotes, makeSending } from '../../core/postern.js'
import type { Report } from '../../core/reports/receive.js'
import type { StatusReport } from '../../core/reports/status.js'
import { type SenderId, senderIdOf } from '../../core/senders/sender.js'
import type { RetryLater } from '../../core/sending/dispatch.js'
import type { SendTemplateCommand, SendTextCommand } from '../../core/sending/send.js'
import type { TemplateSource } from '../../core/templates/catalogue.js'
import type { Template } from '../../core/templates/template.js'
import { makeRefreshTemplate } from '../../core/templates/use-cases.js'
import { makeScriptedPlatform, platformIdOf } from './scripted-platform.js'

export const NOON = Date.UTC(2026, 2, 1, 12)
export const CUSTOMER = '4915123456789' as PhoneNumber
export const KEY = 'order 1234' as IdempotencyKey
export const USD = 'USD' as Currency
export const TEXT_PRICE = 7_700n
export const TEMPLATE_PRICE = 62_500n
export const UTILITY_PRICE = 1n
export const OPENING_BALANCE = 1_000_000n
export const ACCOUNT = '102290129340398'
export const UNCONFIRMED_AFTER_MS = 120_000
export const RELEASE_AFTER_MS = 7 * 24 * HOUR_MS

const CARD: RateCard = {
  currency: USD, effective: '2026-01-01', markets: new Map(), templateCategory: 'marketing',
  default: { service: TEXT_PRICE, marketing: TEMPLATE_PRICE, utility: UTILITY_PRICE, authentication: 1n },
}

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
  /** Whether a broker gets the events of every workspace; by default nothing listens to any. */
  readonly broker?: boolean
  /** Ports that replace those of the storage. */
  readonly ports?: (storage: MemoryStorage) => Partial<MemoryStorage>
}

export type WorkspaceSetup = { readonly workspace: WorkspaceId; readonly phoneNumberId: SenderId }

/** The use cases over memory, one workspace with a wallet, and control over the platform, the clock and retries. */
export const gateway = async (world: GatewayOptions = {}) => {
  const { balance = OPENING_BALANCE, sender = true, keepsCustomers = true, ports = () => ({}) } = world
  const lastInbound = 'lastInbound' in world ? world.lastInbound : NOON - HOUR_MS
  let now = NOON
  const storage = makeMemoryStorage({ now: () => now, ...(world.broker && { broker: true }) })
  const { platform, sent, willAnswer, willNextAnswer } = makeScriptedPlatform()
  const later: Array<Parameters<RetryLater>[0]> = []
  const { customers, ...others } = storage
  const kept = { ...others, ...(keepsCustomers && { customers }), ...ports(storage) }
  const deps = {
    ...kept, ...(world.admission && { admission: world.admission }), platform,
    ...(world.source && { refreshTemplate: makeRefreshTemplate({ ...kept, templateSource: world.source }) }),
    ...(world.templatePreflight && { templatePreflight: world.templatePreflight }),
    priceOf: priceBy({ ...CARD, ...world.card }),
    newMessageId: () => messageIdOf(uuidv7()),
    retryLater: (work: Parameters<RetryLater>[0]) => void later.push(work),
    events: { outbox: kept.eventOutbox, newEventId: () => eventIdOf(uuidv7()), now: () => now },
    unconfirmedAfterMs: UNCONFIRMED_AFTER_MS,
    releaseAfterMs: RELEASE_AFTER_MS,
  }
  const sendingPorts = {
    ...kept, platform, ...(world.admission && { admission: world.admission }), ...(world.source && { templateSource: world.source }),
  }
  const settings = { ...deps, newUuid: uuidv7 }
  const { sendText, sendTemplate, receive, reconcile } = makeSending(sendingPorts, settings)
  const { quote } = makeQuotes(sendingPorts, settings)

  const businessAccountId = world.templates && ACCOUNT
  if (world.templates !== undefined) await done(storage.templateCatalogue.replaceAll(ACCOUNT, world.templates, NOON))

  const addWorkspace = async (): Promise<WorkspaceSetup> => {
    const workspace = workspaceIdOf(uuidv7())
    const phoneNumberId = senderIdOf(uuidv7())
    await done(storage.workspaces.create({ id: workspace, name: 'Shop', currency: USD, createdAt: now }))
    if (sender) await done(storage.senders.assign(workspace, { phoneNumberId, accessToken: 'token', businessAccountId }))
    if (balance > 0n) await done(storage.ledger.topUp({ workspace, micros: balance, reference: 'opening', at: now }))
    if (lastInbound !== undefined) await done(storage.windowClock.recordInbound(workspace, { phoneNumber: CUSTOMER }, lastInbound))
    return { workspace, phoneNumberId }
  }
  const first = await addWorkspace()

  return {
    ...first, storage, deps, sent, willAnswer, willNextAnswer, later, addWorkspace,
    sendText: (more: Partial<SendTextCommand> = {}) =>
      sendText({ workspace: first.workspace, to: CUSTOMER, text: 'Hello', ...more }),
    sendTemplate: (more: Partial<SendTemplateCommand> = {}) =>
      sendTemplate({ workspace: first.workspace, to: CUSTOMER, name: 'order_update', ...more }),
    quoteText: ({ workspace = first.workspace, ...more }: Partial<SendTextCommand> = {}) =>
      quote({ workspace, message: { _tag: 'Text', to: CUSTOMER, text: 'Hello', ...more } }),
    quoteTemplate: ({ workspace = first.workspace, ...more }: Partial<SendTemplateCommand> = {}) =>
      quote({ workspace, message: templateMessage({ to: CUSTOMER, name: 'order_update', ...more }) }),
    receive: (...reports: ReadonlyArray<Report>) => receive(reports),
    /** A status of the platform, by default with the current time and our id. */
    status: (messageId: MessageId | undefined, state: StateChange['state'], more: Partial<StatusReport> = {}): StatusReport => ({
      _tag: 'StatusReport', phoneNumberId: first.phoneNumberId, messageId,
      platformId: messageId === undefined ? 'wamid.reported' as PlatformId : platformIdOf({ id: messageId }), change: { state, at: now },
      ...more,
    }),
    reconcile: () => done(reconcile()),
    /** Runs the work that waits for a retry, in order, until none is left. */
    retry: async () => {
      for (let work = later.shift(); work !== undefined; work = later.shift()) await done(work())
    },
    now: () => now,
    passes: (ms: number) => { now += ms },
    topUp: (micros: bigint) => done(storage.ledger.topUp({ workspace: first.workspace, micros, reference: uuidv7(), at: now })),
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

/** The result of what must succeed; throws if it fails. */
export const done = async <Result>(answer: Promise<E.Either<unknown, Result>>): Promise<Result> => right(await answer)

/** The value of a right; throws for a left. */
export const right = <Result>(either: E.Either<unknown, Result>): Result => {
  if (E.isLeft(either)) throw new Error('a success was expected', { cause: either.left })
  return either.right
}

/** The value of a left; throws for a right. */
export const left = <Failure>(either: E.Either<Failure, unknown>): Failure => {
  if (E.isRight(either)) throw new Error('a failure was expected', { cause: either.right })
  return either.left
}

const some = <A>(option: O.Option<A>): A => {
  if (O.isNone(option)) throw new Error('something was expected to be there')
  return option.value
}
