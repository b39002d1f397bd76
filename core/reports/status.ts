import * as E from 'fp-ts/lib/Either.js'
import * as O from 'fp-ts/lib/Option.js'
import type { Forbidden } from '../access/access.js'
import { type ActDeps, perform } from '../access/acting.js'
import { hearRefusal, type HearDeps, recordPerson, STOPPED_MARKETING } from '../consent/hearing.js'
import { type CustomerDigest, type CustomerId, isForgotten, isUserId } from '../customers/customer.js'
import type { Customers, ReportedCustomer } from '../customers/learn.js'
import type { WindowClock } from '../customers/window.js'
import type { Actor } from '../kernel/actor.js'
import type { PortFailure } from '../kernel/failure.js'
import type { InboxOf, WorkspaceId } from '../kernel/ids.js'
import type { Page, PageQuery } from '../kernel/page.js'
import { type Balance, checkCredit, formatMicros, type InvalidAmount, reportedCategory } from '../kernel/money.js'
import type { MakeOutboxEntries, EventDeps } from '../kernel/outbox.js'
import { type InvalidNote, parseNote } from '../kernel/text.js'
import { type Clock, type Instant, notAhead, SECOND_MS } from '../kernel/time.js'
import type { Span } from '../kernel/tracing.js'
import type { UnknownWorkspace } from '../kernel/workspace.js'
import type { MessageLog, StaleMessage } from '../messages/message-log.js'
import {
  type AppliedChange, FORGOTTEN_PLATFORM_ID, isMessageId, merge, type MessageId, type MessageState, namesAnother, type PlatformId,
  type StateChange,
} from '../messages/message.js'
import { errorCodeOf } from '../messages/own-errors.js'
import type { BalanceOutOfRange, FreeMessages } from '../money/wallet.js'
import type { PortfolioBudget } from '../messages/portfolio-budget.js'
import type { SenderId } from '../senders/sender.js'
import { recordChange, type RecordChangeDeps } from '../sending/dispatch.js'

/** A status names a message whose acceptance may not be in the log yet; the platform should report it again. */
export type NotYetKnown = { readonly _tag: 'NotYetKnown' }

/** No lost message with that id, ours or the platform's, waits to be settled. */
export type NoSuchLostMessage = { readonly _tag: 'NoSuchLostMessage'; readonly id: string }

/** The lost message was settled before, so nothing is charged again. */
export type LostMessageSettled = { readonly _tag: 'LostMessageSettled'; readonly id: string }

/**
 * The data of a status that names our id if the message log does not have the message: the database has lost it, for example after a failover to a standby
 * without the last commits.
 */
export type LostStatus = {
  readonly workspace: WorkspaceId
  readonly message: MessageId
  readonly platformId: PlatformId
  readonly phoneNumberId: SenderId
  /** The recipient, if the status names one. */
  readonly to: CustomerId | undefined
  readonly state: LostState
  /** The category and whether the message is billed, if the status contains billing data. */
  readonly category: string | undefined
  readonly billable: boolean | undefined
  readonly at: Instant
}

/** The states that the platform reports; a played message is recorded as read. `failed` is recorded too, because no money is due then, whichever status arrives first. */
export type LostState = 'sent' | 'delivered' | 'read' | 'failed'

const LOST_STATES: ReadonlyArray<MessageState> = ['sent', 'delivered', 'read', 'failed'] satisfies ReadonlyArray<LostState>

/** Whether a state is one that the platform reports. */
export const isLostState = (state: MessageState): state is LostState => LOST_STATES.some((one) => one === state)

/** A lost message according to its statuses; `firstAt` and `lastAt` are the timestamps of the earliest and the latest of them. */
export type LostMessage = Omit<LostStatus, 'to' | 'at'> & {
  readonly to: CustomerId | CustomerDigest | undefined
  readonly firstAt: Instant
  readonly lastAt: Instant
}

/** How many lost messages of one workspace are stored until they are settled. The oldest are kept, and a new one is not stored. */
export const LOST_MESSAGES_KEPT = 10_000

/**
 * A lost message after a status, in any order: the state follows the rule of every message; the recipient is that of the first status, and the billing data are the
 * first that arrived. A status that names another message of the platform changes nothing, and restores nothing of a forgotten person.
 */
export const noteLost = (before: LostMessage | undefined, { at, ...status }: LostStatus): LostMessage => {
  if (before === undefined) return { ...status, firstAt: at, lastAt: at }
  if (before.platformId !== status.platformId && before.platformId !== FORGOTTEN_PLATFORM_ID) return before
  return {
    ...before,
    state: merge(before.state, status.state) === status.state ? status.state : before.state,
    category: before.category ?? status.category,
    billable: before.billable ?? status.billable,
    firstAt: Math.min(before.firstAt, at),
    lastAt: Math.max(before.lastAt, at),
  }
}

/** Whether a lost message must be settled: the platform accepted it, and it is not known to have failed. */
export const isDue = ({ state }: Pick<LostMessage, 'state'>): boolean => state !== 'failed'

/** The reference under which a lost message is charged, so that it is charged only once. */
export const lostReference = (message: MessageId): string => `lost ${message}`

/**
 * The messages that the platform reports with our id and that the message log does not have, until an operator settles them.
 *
 * A settled message is no longer listed. It is kept until it is forgotten, so that a later status does not restore it.
 */
export interface LostMessages {
  /**
   * Stores a status; `noteLost` is the rule. A repetition changes nothing, and neither does a status of a message that is settled, or that is in the log of
   * another workspace, from which the sender's number was taken.
   *
   * Once `LOST_MESSAGES_KEPT` messages of a workspace wait, no further one is stored: the oldest are kept. Concurrent calls may exceed that number by at
   * most the number of calls.
   */
  readonly note: (status: LostStatus) => Promise<E.Either<PortFailure, void>>
  /** The messages that `isDue` and that are not settled, of all workspaces, oldest first. A cursor continues where its page ended, and an unknown cursor never fails. */
  readonly list: (query: PageQuery) => Promise<E.Either<PortFailure, Page<LostMessage>>>
  /** The number of messages of each workspace in `list`, by workspace; a workspace without any is left out. */
  readonly counts: () => Promise<E.Either<PortFailure, ReadonlyArray<LostCount>>>
  /**
   * Settles a message: charges its wallet and removes the message from the list, in one step. An amount of zero charges nothing and adds no entry. The entry
   * is an adjustment with the note and the reference `lost` and our id. Of concurrent calls one settles.
   *
   * Left `NoSuchLostMessage`: no message with that id is stored, or it failed. `LostMessageSettled`: it was settled before. `BalanceOutOfRange`: `available` would be
   * below zero. With each left nothing is changed. `outboxEntries` is called with the outcome, and its entries are stored in the same step.
   */
  readonly settle: (
    settlement: LostSettlement, outboxEntries?: MakeOutboxEntries<SettledLost>,
  ) => Promise<E.Either<NoSuchLostMessage | LostMessageSettled | BalanceOutOfRange | UnknownWorkspace | PortFailure, SettledLost>>
}

/** The number of messages of a workspace that are lost and not settled. */
export type LostCount = { readonly workspace: WorkspaceId; readonly messages: number }

/** The charge for a lost message, zero or more micros, and its reason. `id` is the platform's id or ours. */
export type LostSettlement = {
  readonly workspace: WorkspaceId
  readonly id: PlatformId | MessageId
  readonly micros: bigint
  readonly note: string
  readonly at: Instant
}

/** The message that was settled, and the new balance. */
export type SettledLost = { readonly message: LostMessage; readonly balance: Balance }

/** The status of a message; `messageId` is our id, if the platform returned it. */
export type StatusReport = {
  readonly _tag: 'StatusReport'
  readonly phoneNumberId: SenderId
  readonly messageId: MessageId | undefined
  readonly platformId: PlatformId
  readonly change: StateChange
  /** The data in the status about the recipient. */
  readonly customer?: ReportedCustomer
  /** The recipient; the number, if the status names both ids. */
  readonly to?: CustomerId
}

/** The result of a status. `platform_id_mismatch`: our id and the platform's name different messages, and nothing was changed. */
export type StatusOutcome = 'message_moved' | 'unknown_message' | 'platform_id_mismatch'

/** The dependencies of processing a status. */
export type StatusReportDeps = EventDeps & {
  readonly windowClock: Pick<WindowClock, 'now'>
  readonly customers?: Pick<Customers, 'find' | 'learn'>
  /** What customers allow and stop; if absent, it is not recorded that a message failed for it. */
  readonly consents?: HearDeps['consents']
  readonly senders?: HearDeps['senders']
  readonly messageLog: Pick<MessageLog, 'apply' | 'find'>
  /** The workspaces of messages whose outcome is unknown, read after the call (`makeReadOpenWorkspaces`). */
  readonly openWorkspaces: ReadOpenWorkspaces
  readonly wallet: RecordChangeDeps['wallet']
  /** Where free messages are counted, if sends take them. */
  readonly freeMessages?: Pick<FreeMessages, 'giveBack'>
  /** Where the customers of portfolios are counted, if sends count them. */
  readonly portfolioBudget?: Pick<PortfolioBudget, 'giveBack'>
  /** Where statuses are stored that contain our id of a message that the log does not have; if absent, they are ignored. */
  readonly lostMessages?: Pick<LostMessages, 'note'>
}

/**
 * If a status of an unknown message is younger than this, the record of the acceptance may still be on its way into the log.
 *
 * A status dated this far ahead has a wrong date, so it does not count as young. Otherwise it would be requested again until that date has passed.
 */
const ACCEPTANCE_UNDER_WAY_MS = 60 * SECOND_MS

/**
 * Reads which workspaces have a message whose acceptance may still be recorded; `all` if there are too many messages to tell. No send waits longer for its answer than
 * `unconfirmedAfterMs`. So an older message of unknown outcome, which may stay unknown for days, delays no status.
 */
export type ReadOpenWorkspaces = () => Promise<E.Either<PortFailure, 'all' | ReadonlySet<WorkspaceId>>>

const workspacesOf = (messages: ReadonlyArray<StaleMessage>): ReadonlySet<WorkspaceId> =>
  new Set(messages.map(({ workspace }) => workspace))

/** What reading them needs. `unconfirmedAfterMs` is the setting of reconciliation; without it, a message of unknown outcome counts at any age. */
export type ReadOpenWorkspacesDeps = {
  readonly messageLog: Pick<MessageLog, 'stale'>; readonly windowClock: Pick<WindowClock, 'now'>; readonly unconfirmedAfterMs?: number
}

/** The maximum number of open messages of each state that are read. */
const OPEN_READ = 1_000

/**
 * Makes the function that reads them. Only one read runs at a time; calls that arrive meanwhile share the next one. So a flood of statuses costs few reads, and no read
 * starts before the status that it is for.
 */
export const makeReadOpenWorkspaces = (
  { messageLog, windowClock, unconfirmedAfterMs = Infinity }: ReadOpenWorkspacesDeps,
): ReadOpenWorkspaces => {
  /** The messages of unknown outcome that were opened before a given time. */
  const openBefore = async (before: Instant): Promise<E.Either<PortFailure, 'all' | ReadonlyArray<StaleMessage>>> => {
    const open = (state: 'pending' | 'unconfirmed') => messageLog.stale({ state, before, limit: OPEN_READ })
    const [pending, unconfirmed] = await Promise.all([open('pending'), open('unconfirmed')])
    if (E.isLeft(pending)) return pending
    if (E.isLeft(unconfirmed)) return unconfirmed
    return E.right(Math.max(pending.right.length, unconfirmed.right.length) >= OPEN_READ ? 'all' : [...pending.right, ...unconfirmed.right])
  }
  const read: ReadOpenWorkspaces = async () => {
    const open = await openBefore(Number.MAX_SAFE_INTEGER)
    if (E.isLeft(open)) return open
    if (open.right === 'all') return E.right('all')
    if (open.right.length === 0 || unconfirmedAfterMs === Infinity) return E.right(workspacesOf(open.right))
    const old = await openBefore(windowClock.now() - unconfirmedAfterMs - ACCEPTANCE_UNDER_WAY_MS)
    if (E.isLeft(old)) return old
    if (old.right === 'all') return E.right('all')
    const tooOld = new Set(old.right.map(({ id }) => id))
    return E.right(workspacesOf(open.right.filter(({ id }) => !tooOld.has(id))))
  }
  let last: Promise<unknown> = Promise.resolve()
  let next: ReturnType<ReadOpenWorkspaces> | undefined
  return () => {
    const begin = (): ReturnType<ReadOpenWorkspaces> => {
      next = undefined
      return read()
    }
    next ??= last.then(begin, begin)
    last = next
    return next
  }
}

/** Changes the message that a status is about, and stores the status's data about the customer. */
export const receiveStatusReport = async (
  deps: StatusReportDeps, of: InboxOf, report: StatusReport, span?: Span,
): Promise<E.Either<NotYetKnown | PortFailure, StatusOutcome>> => {
  const { customer, change } = report
  const at = notAhead(deps.windowClock.now(), change.at)
  const [moved, learned, heard] = await Promise.all([
    moveMessage(deps, of, report), customer && recordPerson(deps, of, { ...customer, at }),
    errorCodeOf(change.error) === STOPPED_MARKETING && report.to !== undefined ? hearRefusal(deps, of, report.to, at) : E.right(undefined),
  ])
  if (span?.isRecording === true && E.isRight(moved) && moved.right === 'message_moved') await linkToSend(deps, of.workspace, report, span)
  if (E.isRight(moved) && E.isLeft(heard)) return heard
  return learned !== undefined && E.isLeft(learned) && E.isRight(moved) ? learned : moved
}

/** Links the span of a status to the send of its message. This read is made only for recorded spans; its failure changes nothing. */
const linkToSend = async (
  { messageLog }: StatusReportDeps, workspace: WorkspaceId, { platformId }: StatusReport, span: Span,
): Promise<void> => {
  const found = await messageLog.find(workspace, { platformId })
  if (E.isLeft(found) || O.isNone(found.right)) return
  const { id, trace } = found.right.value
  span.say({ 'messaging.message.id': id })
  if (trace !== undefined) span.link(trace)
}

/**
 * Changes the message that a status is about.
 *
 * Our id in a status counts while the platform's id of that message is unknown. After that the platform's id identifies the
 * message, because another program that sends through the same account can write our id into its own messages.
 */
const moveMessage = async (
  deps: StatusReportDeps, of: InboxOf, report: StatusReport,
): Promise<E.Either<NotYetKnown | PortFailure, StatusOutcome>> => {
  const { workspace } = of
  const { messageId, platformId } = report
  const change = { ...report.change, platformId }
  const record = recordChange(deps, deps.windowClock.now)
  const marked = messageId === undefined ? E.right(O.none) : await record(workspace, messageId, change)
  if (E.isLeft(marked)) return marked
  if (O.isSome(marked.right) && !namesAnother(marked.right.value, change)) return learnNumber(deps, of, report, marked.right.value)

  // Read before the message is looked up, so that a send that ends between the two is found.
  const open = messageId === undefined && isFresh(deps.windowClock.now(), report) ? await deps.openWorkspaces() : undefined
  const found = await deps.messageLog.find(workspace, { platformId })
  if (E.isLeft(found)) return found
  if (O.isSome(found.right)) {
    const moved = await record(workspace, found.right.value.id, change)
    return E.isLeft(moved) ? moved : learnNumber(deps, of, report, found.right.value)
  }
  if (O.isSome(marked.right)) return E.right('platform_id_mismatch')
  return messageId === undefined ? unmatched(workspace, open) : noteLostMessage(deps, workspace, messageId, report)
}

/** Stores the number by which the platform names the recipient of a message. */
const learnNumber = async (
  deps: StatusReportDeps, of: InboxOf, { to: named, change }: StatusReport, { to }: AppliedChange,
): Promise<E.Either<PortFailure, StatusOutcome>> => {
  if (named === undefined || isUserId(named) || to === undefined || isForgotten(to) || isUserId(to)) return E.right('message_moved')
  const learned = await recordPerson(deps, of, {
    phoneNumber: named, dialled: to, at: notAhead(deps.windowClock.now(), change.at),
  })
  return E.isLeft(learned) ? learned : E.right('message_moved')
}

/** A message is in the log before it is sent. So a message with our id that is not in the log was lost; without our id, another program may have sent it. */
const noteLostMessage = async (
  { lostMessages, windowClock }: StatusReportDeps, workspace: WorkspaceId, message: MessageId,
  { phoneNumberId, platformId, to, change }: StatusReport,
): Promise<E.Either<PortFailure, StatusOutcome>> => {
  const { pricing, at } = change
  const state = change.state === 'played' ? 'read' : change.state
  if (lostMessages === undefined || !isLostState(state)) return E.right('unknown_message')
  const billable = pricing?.['billable']
  const noted = await lostMessages.note({
    workspace, message, platformId, phoneNumberId, to, state, category: reportedCategory(pricing),
    billable: typeof billable === 'boolean' ? billable : undefined, at: notAhead(windowClock.now(), at),
  })
  return E.isLeft(noted) ? noted : E.right('unknown_message')
}

/**
 * A status can arrive before the platform's id is recorded here; the platform delivers a notification again if it is not acknowledged. If no message of the workspace
 * has an unknown outcome, another program sent the message.
 */
const unmatched = (
  workspace: WorkspaceId, open: Awaited<ReturnType<ReadOpenWorkspaces>> | undefined,
): E.Either<NotYetKnown | PortFailure, StatusOutcome> => {
  if (open === undefined) return E.right('unknown_message')
  if (E.isLeft(open)) return open
  return open.right === 'all' || open.right.has(workspace) ? E.left({ _tag: 'NotYetKnown' }) : E.right('unknown_message')
}

const isFresh = (now: Instant, { change }: StatusReport): boolean => Math.abs(now - change.at) < ACCEPTANCE_UNDER_WAY_MS

/** Settles a message that the platform has and the database has lost: charges its workspace the amount that an operator states, or nothing. */
export type SettleLostMessage = (command: SettleLostMessageCommand) => Promise<E.Either<SettleLostMessageError, SettledLost>>

/** `id` is the platform's id or ours; without `micros` nothing is charged. The note states the reason. */
export type SettleLostMessageCommand = {
  readonly by: Actor
  readonly workspace: WorkspaceId
  readonly id: PlatformId | MessageId
  readonly micros?: bigint
  readonly note: string
}

/** How settling it can fail. */
export type SettleLostMessageError =
  | InvalidAmount | InvalidNote | NoSuchLostMessage | LostMessageSettled | BalanceOutOfRange | UnknownWorkspace | Forbidden | PortFailure

/** The dependencies of settling it. */
export type SettleLostMessageDeps = ActDeps & { readonly lostMessages: Pick<LostMessages, 'settle'>; readonly now: Clock }

/** The audit entry contains only our id, because the platform's id contains the recipient's number. */
export const makeSettleLostMessage =
  ({ lostMessages, now, ...deps }: SettleLostMessageDeps): SettleLostMessage =>
  ({ by, workspace, id, micros, note: given }) => {
    const [amount, note] = [micros === undefined ? E.right(0n) : checkCredit(micros), parseNote(given)]
    const details = { charged: formatMicros(micros ?? 0n), ...(E.isRight(note) && { note: note.right }) }
    const acting = { by, act: 'message.settle_lost', workspace, ...(isMessageId(id) && { subject: id }), details } as const
    return perform(
      deps, acting, { describe: ({ message }: SettledLost) => ({ subject: message.message }) },
      async (outboxEntries: MakeOutboxEntries<SettledLost>): Promise<E.Either<Exclude<SettleLostMessageError, Forbidden>, SettledLost>> => {
        if (E.isLeft(amount)) return amount
        if (E.isLeft(note)) return note
        return lostMessages.settle({ workspace, id, micros: amount.right, note: note.right, at: now() }, outboxEntries)
      },
    )
  }
