import * as E from 'fp-ts/lib/Either.js'
import * as O from 'fp-ts/lib/Option.js'
import type * as TE from 'fp-ts/lib/TaskEither.js'
import type { CustomerId } from '../customer.js'
import type { NotYetKnown, PortFailure } from '../errors.js'
import { isLostState } from '../lost-message.js'
import type { MessageId, PlatformId } from '../message.js'
import { namesAnother } from '../message-record.js'
import type { StateChange } from '../message-state.js'
import type { Customers } from '../ports/customers.js'
import type { FreeMessages } from '../ports/free-messages.js'
import type { LostMessages } from '../ports/lost-messages.js'
import type { MessageLog } from '../ports/message-log.js'
import type { WindowClock } from '../ports/window-clock.js'
import { reportedCategory } from '../rate-card.js'
import { notAhead, SECOND_MS, type Instant } from '../time.js'
import type { WorkspaceId } from '../workspace.js'
import type { EventDeps } from './event-deps.js'
import { learnCustomer, type ReportedCustomer } from './learn-customer.js'
import { recordChange, type RecordChangeDeps } from './settle.js'

/** The status of a message; `messageId` is our id, where the platform echoed it. */
export type StatusReport = {
  readonly _tag: 'StatusReport'
  readonly phoneNumberId: string
  readonly messageId: MessageId | undefined
  readonly platformId: PlatformId
  readonly change: StateChange
  /** What the status teaches of the customer to whom the message went. */
  readonly customer?: ReportedCustomer
  /** The customer to whom the message went, by the number where the status names both ids. */
  readonly to?: CustomerId
}

/** What came of a status. `platform_id_mismatch`: our id and the platform's name different messages, and nothing was moved. */
export type StatusOutcome = 'message_moved' | 'unknown_message' | 'platform_id_mismatch'

/** What taking in a status needs. */
export type StatusReportDeps = EventDeps & {
  readonly windowClock: Pick<WindowClock, 'now'>
  readonly customers?: Pick<Customers, 'find' | 'learn'>
  readonly messageLog: Pick<MessageLog, 'apply' | 'find'>
  readonly wallet: RecordChangeDeps['wallet']
  /** Where free messages are counted, where the sends take them. */
  readonly freeMessages?: Pick<FreeMessages, 'giveBack'>
  /** Where statuses are noted that carry our id of a message that the log does not have; where absent, they are ignored. */
  readonly lostMessages?: Pick<LostMessages, 'note'>
}

/**
 * How young a status of an unknown message must be for the note of its acceptance to be perhaps still on its way into the log.
 *
 * A status that is dated as far ahead has a wrong date, and would be asked for again until that date has come.
 */
const ACCEPTANCE_UNDER_WAY_MS = 60 * SECOND_MS

/** Moves the message that a status is about, and keeps what the status says of the customer. */
export const receiveStatusReport = (
  deps: StatusReportDeps, workspace: WorkspaceId, report: StatusReport,
): TE.TaskEither<NotYetKnown | PortFailure, StatusOutcome> =>
  async () => {
    const { customer, change } = report
    const at = notAhead(deps.windowClock.now(), change.at)
    const [moved, learned] = await Promise.all([
      moveMessage(deps, workspace, report)(), customer && learnCustomer(deps, workspace, { ...customer, at })(),
    ])
    return learned !== undefined && E.isLeft(learned) && E.isRight(moved) ? learned : moved
  }

/**
 * Moves the message that a status is about.
 *
 * Our id in a status counts as long as the platform's id of that message is not known. From then on the platform's id says which message is
 * meant, since another program that sends through the same account can write our id into its own messages.
 */
const moveMessage = (
  deps: StatusReportDeps, workspace: WorkspaceId, report: StatusReport,
): TE.TaskEither<NotYetKnown | PortFailure, StatusOutcome> =>
  async () => {
    const { messageId, platformId } = report
    const change = { ...report.change, platformId }
    const record = recordChange(deps, deps.windowClock.now)
    const marked = messageId === undefined ? E.right(O.none) : await record(workspace, messageId, change)()
    if (E.isLeft(marked)) return marked
    if (O.isSome(marked.right) && !namesAnother(marked.right.value, change)) return E.right('message_moved')

    const found = await deps.messageLog.find(workspace, { platformId })()
    if (E.isLeft(found)) return found
    if (O.isSome(found.right)) {
      const moved = await record(workspace, found.right.value.id, change)()
      return E.isLeft(moved) ? moved : E.right('message_moved')
    }
    if (O.isSome(marked.right)) return E.right('platform_id_mismatch')
    return messageId === undefined ? unmatched(deps.windowClock.now(), report) : noteLostMessage(deps, workspace, messageId, report)
  }

/** A message is in the log before it is sent, so one with our id that the log does not have was lost; without our id, another program may have sent it. */
const noteLostMessage = async (
  { lostMessages, windowClock }: StatusReportDeps, workspace: WorkspaceId, message: MessageId, { phoneNumberId, platformId, to, change }: StatusReport,
): Promise<E.Either<PortFailure, StatusOutcome>> => {
  const { state, pricing, at } = change
  if (lostMessages === undefined || !isLostState(state)) return E.right('unknown_message')
  const billable = pricing?.['billable']
  const noted = await lostMessages.note({
    workspace, message, platformId, phoneNumberId, to, state, category: reportedCategory(pricing),
    billable: typeof billable === 'boolean' ? billable : undefined, at: notAhead(windowClock.now(), at),
  })()
  return E.isLeft(noted) ? noted : E.right('unknown_message')
}

/** A status can overtake our own note of the platform's id; the platform delivers again what is not acknowledged. */
const unmatched = (now: Instant, { change }: StatusReport): E.Either<NotYetKnown, StatusOutcome> =>
  Math.abs(now - change.at) < ACCEPTANCE_UNDER_WAY_MS ? E.left({ _tag: 'NotYetKnown' }) : E.right('unknown_message')
