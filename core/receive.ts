import * as O from 'fp-ts/lib/Option.js'
import { pipe } from 'fp-ts/lib/function.js'
import * as TE from 'fp-ts/lib/TaskEither.js'
import { moneyMove, type Change } from './delivery.js'
import type { NotYetKnown, PortFailure } from './errors.js'
import type { MessageId, PhoneNumber, PlatformId } from './message.js'
import type { MessageLog } from './ports/message-log.js'
import type { Senders } from './ports/senders.js'
import type { WindowClock } from './ports/window-clock.js'
import { moveMoney, type SettleDeps } from './settle.js'
import { SECOND_MS, type Instant } from './time.js'
import type { WorkspaceId } from './workspace.js'

/** Takes in what the platform reports: a customer who wrote opens a window, a status moves a message and its money. */
export type Receive = (reports: ReadonlyArray<Report>) => TE.TaskEither<ReceiveError, ReadonlyArray<Receipt>>

/** What the platform reports: a customer wrote, or a message fares so. */
export type Report = Inbound | StatusReport

/** A customer wrote to the number a workspace sends through. */
export type Inbound = {
  readonly _tag: 'Inbound'
  readonly phoneNumberId: string
  readonly customer: PhoneNumber
  readonly at: Instant
}

/** The platform says how a message fares; `messageId` is ours, where the platform echoed it. */
export type StatusReport = {
  readonly _tag: 'StatusReport'
  readonly phoneNumberId: string
  readonly messageId: MessageId | undefined
  readonly platformId: PlatformId
  readonly change: Change
}

/** What came of a report. */
export type Receipt = 'window_marked' | 'message_moved' | 'unknown_sender' | 'unknown_message'

/** Left: at least one report is not durable, so the platform has to deliver them all again; the others are, and lose nothing by it. */
export type ReceiveError = NotYetKnown | PortFailure

/** What receiving needs. */
export type ReceiveDeps = {
  readonly windowClock: WindowClock
  readonly senders: Pick<Senders, 'workspaceOf'>
  readonly messageLog: Pick<MessageLog, 'settle' | 'find'>
  readonly wallet: SettleDeps['wallet']
}

/**
 * How young a status of an unknown message must be for its acceptance to be perhaps still on its way into the log.
 *
 * One that is dated as far ahead has a wrong date, and would be asked for again until that date has come.
 */
const ACCEPTANCE_UNDER_WAY_MS = 60 * SECOND_MS

/** Makes the use case of what it needs. */
export const makeReceive =
  (deps: ReceiveDeps): Receive =>
  (reports) =>
    pipe(
      reports.map((report) => receiveOne(deps, report)),
      // In parallel, and every one to its end: one that fails must not keep its neighbours from being written.
      TE.sequenceArray,
    )

const receiveOne = (deps: ReceiveDeps, report: Report): TE.TaskEither<ReceiveError, Receipt> =>
  pipe(
    deps.senders.workspaceOf(report.phoneNumberId),
    TE.flatMap(
      O.match((): TE.TaskEither<ReceiveError, Receipt> => TE.right('unknown_sender'), (workspace) =>
        report._tag === 'Inbound' ? markWindow(deps, workspace, report) : moveMessage(deps, workspace, report),
      ),
    ),
  )

/** The platform's clock may be ahead of ours; a window is never marked as opened later than now. */
const markWindow = ({ windowClock }: ReceiveDeps, workspace: WorkspaceId, { customer, at }: Inbound): TE.TaskEither<PortFailure, Receipt> =>
  pipe(
    windowClock.recordInbound(workspace, customer, Math.min(at, windowClock.now())),
    TE.map((): Receipt => 'window_marked'),
  )

/** The money follows the state the log ends in, not the report alone: a failure that comes too late refunds nothing. */
const moveMessage = (deps: ReceiveDeps, workspace: WorkspaceId, report: StatusReport): TE.TaskEither<ReceiveError, Receipt> =>
  pipe(
    idOf(deps, workspace, report),
    TE.flatMap(
      O.match((): TE.TaskEither<ReceiveError, Receipt> => unmatched(deps, report), (message) =>
        pipe(
          deps.messageLog.settle(workspace, message, { ...report.change, platformId: report.platformId }),
          TE.flatMap(
            O.match((): TE.TaskEither<ReceiveError, Receipt> => TE.right('unknown_message'), (state) =>
              pipe(
                moveMoney(deps.wallet, moneyMove(state), { workspace, message, at: deps.windowClock.now() }),
                TE.map((): Receipt => 'message_moved'),
              ),
            ),
          ),
        ),
      ),
    ),
  )

const idOf = (deps: ReceiveDeps, workspace: WorkspaceId, report: StatusReport): TE.TaskEither<PortFailure, O.Option<MessageId>> =>
  report.messageId !== undefined
    ? TE.right(O.some(report.messageId))
    : pipe(deps.messageLog.find(workspace, { platformId: report.platformId }), TE.map(O.map(({ id }) => id)))

/** A status can overtake our own note of the platform's id; the platform delivers again what is not acknowledged. */
const unmatched = (deps: ReceiveDeps, { change }: StatusReport): TE.TaskEither<NotYetKnown, Receipt> =>
  Math.abs(deps.windowClock.now() - change.at) < ACCEPTANCE_UNDER_WAY_MS ? TE.left({ _tag: 'NotYetKnown' }) : TE.right('unknown_message')
