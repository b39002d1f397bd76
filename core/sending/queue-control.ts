import * as E from 'fp-ts/lib/Either.js'
import * as O from 'fp-ts/lib/Option.js'
import type { Forbidden } from '../access/access.js'
import { type ActDeps, checkView, perform } from '../access/acting.js'
import { type Actor, auditActorOf } from '../kernel/actor.js'
import type { PortFailure } from '../kernel/failure.js'
import type { WorkspaceId } from '../kernel/ids.js'
import type { MakeOutboxEntries } from '../kernel/outbox.js'
import { type InvalidNote, parseNote } from '../kernel/text.js'
import type { Clock } from '../kernel/time.js'
import type { UnknownWorkspace, Workspaces } from '../kernel/workspace.js'
import type { MessageId, MessageRecord } from '../messages/message.js'
import type { QueueHold, QueueHolds } from '../messages/queue-holds.js'
import type { CancelError, CancelMessage } from './queue.js'
import {
  type CountHeld, type DepartureDeps, type DeparturesOf, makeCountHeld, makeDeparturesOf, makeMeasureQueue, type MeasureQueue,
  type MeasureQueueDeps, type NextMessage, type QueueView, readNext, readQueue, type ReadQueueDeps,
} from './show-queue.js'

/** Holds the queue of a workspace, or of every workspace, until it is resumed. Right: the hold in force, which may be an earlier one. */
export type HoldQueue = (command: HoldQueueCommand) => Promise<E.Either<HoldQueueError, QueueHold>>

/** The workspace, or every workspace; and the reason, for operators. */
export type HoldQueueCommand = ResumeQueueCommand & { readonly note: string }

/** How holding the queue can fail. */
export type HoldQueueError = InvalidNote | ResumeQueueError

/** Lets the messages of a workspace, or of every workspace, be sent. Right: the hold that was removed, if there was one. */
export type ResumeQueue = (command: ResumeQueueCommand) => Promise<E.Either<ResumeQueueError, O.Option<QueueHold>>>

/** The workspace, or every workspace; the holds of single workspaces stay then. */
export type ResumeQueueCommand = { readonly by: Actor; readonly workspace: WorkspaceId | undefined }

/** How resuming the queue can fail. */
export type ResumeQueueError = UnknownWorkspace | Forbidden | PortFailure

/** What holding and resuming the queue needs. */
export type QueueHoldDeps = ActDeps & {
  readonly queueHolds: Pick<QueueHolds, 'hold' | 'resume'>
  readonly workspaces: Pick<Workspaces, 'find'>
  readonly now: Clock
}

export const makeHoldQueue =
  (deps: QueueHoldDeps): HoldQueue =>
  ({ by, workspace, note }) => {
    const parsed = parseNote(note)
    const details = { ...(E.isRight(parsed) && { details: { why: 'operator', note: parsed.right } }) }
    const acting = { by, act: 'queue.hold', workspace, ...subjectOf(workspace), ...details } as const
    return perform(deps, acting, {}, async (outboxEntries: MakeOutboxEntries<QueueHold>): Promise<E.Either<
      InvalidNote | UnknownWorkspace | PortFailure, QueueHold
    >> => {
      if (E.isLeft(parsed)) return parsed
      const known = await checkKnown(deps, workspace)
      if (E.isLeft(known)) return known
      const hold: QueueHold = {
        ...(workspace !== undefined && { workspace }), since: deps.now(), why: 'operator', by: auditActorOf(by), note: parsed.right,
      }
      return E.map(({ hold: inForce }: { readonly hold: QueueHold }) => inForce)(await deps.queueHolds.hold(hold, outboxEntries))
    })
  }

export const makeResumeQueue =
  (deps: QueueHoldDeps): ResumeQueue =>
  ({ by, workspace }) =>
    perform(
      deps, { by, act: 'queue.resume', workspace, ...subjectOf(workspace) },
      { describe: ({ why }) => ({ details: { why } }) },
      async (outboxEntries: MakeOutboxEntries<QueueHold>): Promise<E.Either<UnknownWorkspace | PortFailure, O.Option<QueueHold>>> => {
        const known = await checkKnown(deps, workspace)
        return E.isLeft(known) ? known : deps.queueHolds.resume(workspace, outboxEntries)
      },
    )

const subjectOf = (workspace: WorkspaceId | undefined) => (workspace === undefined ? {} : { subject: workspace })

const checkKnown = async (
  { workspaces }: Pick<QueueHoldDeps, 'workspaces'>, workspace: WorkspaceId | undefined,
): Promise<E.Either<UnknownWorkspace | PortFailure, void>> => {
  if (workspace === undefined) return E.right(undefined)
  const found = await workspaces.find(workspace)
  if (E.isLeft(found)) return found
  return O.isNone(found.right) ? E.left({ _tag: 'UnknownWorkspace' }) : E.right(undefined)
}

/** Shows what waits, the longest wait first, and what is held: of a workspace, or, for operators, of every workspace. */
export type ShowQueue = (command: ResumeQueueCommand) => Promise<E.Either<Forbidden | PortFailure, QueueView>>

/** What showing the queue needs. */
export type ShowQueueDeps = ActDeps & ReadQueueDeps & { readonly now: Clock }

export const makeShowQueue =
  (deps: ShowQueueDeps): ShowQueue =>
  async ({ by, workspace }) => {
    const allowed = await checkView(deps, { by, act: 'queue.view', workspace })
    if (E.isLeft(allowed)) return allowed
    return E.map(longestFirst)(await readQueue(deps, workspace, deps.now()))
  }

const longestFirst = ({ holds, senders }: QueueView): QueueView => ({
  holds,
  senders: senders.map((one) => ({ ...one, emptyAt: one.waiting === 0 ? undefined : one.emptyAt }))
    .sort((a, b) => (a.oldestDueAt ?? Infinity) - (b.oldestDueAt ?? Infinity) || b.scheduled - a.scheduled),
})

/**
 * The same for a page that is read again and again, with the first `next` messages. The caller has checked that everyone who sees the page may do the act `queue.view`.
 */
export type WatchQueue = (
  workspace: WorkspaceId | undefined, next?: number,
) => Promise<E.Either<PortFailure, QueueView & { readonly next: ReadonlyArray<NextMessage> }>>

export const makeWatchQueue =
  (deps: ReadQueueDeps & DepartureDeps): WatchQueue =>
  async (workspace, limit = 0) => {
    const view = await readQueue(deps, workspace, deps.now())
    if (E.isLeft(view)) return view
    const next = limit === 0 ? E.right([]) : await readNext(deps, view.right, limit)
    return E.isLeft(next) ? next : E.right({ ...longestFirst(view.right), next: next.right })
  }

/** Cancels a queued message by our id. */
export type CancelAsPerson = (command: CancelAsPersonCommand) => Promise<E.Either<CancelError, MessageRecord>>

/** The message. */
export type CancelAsPersonCommand = { readonly by: Actor; readonly workspace: WorkspaceId; readonly message: MessageId }

export const makeCancelAsPerson =
  (deps: { readonly cancel: CancelMessage }): CancelAsPerson =>
  ({ by, workspace, message }) => deps.cancel({ by, workspace, message: { id: message } })

/** The use cases of operators and people on the queue. */
export type QueueControl = {
  readonly showQueue: ShowQueue
  /** The queue for pages, without a check of access. */
  readonly watchQueue: WatchQueue
  /** The numbers of messages for monitoring, without a check of access. */
  readonly measureQueue: MeasureQueue
  /** When queued messages leave, for lists of messages. */
  readonly departuresOf: DeparturesOf
  /** What holds keep, for pages that warn of it. */
  readonly countHeld: CountHeld
  readonly holdQueue: HoldQueue
  readonly resumeQueue: ResumeQueue
  readonly cancelQueued: CancelAsPerson
}

/** Makes them. */
export const makeQueueControl = (
  deps: ShowQueueDeps & QueueHoldDeps & { readonly cancel: CancelMessage } & Omit<DepartureDeps, 'now'> & Omit<MeasureQueueDeps, 'now'>,
): QueueControl => ({
  showQueue: makeShowQueue(deps), watchQueue: makeWatchQueue(deps), measureQueue: makeMeasureQueue(deps),
  departuresOf: makeDeparturesOf(deps), countHeld: makeCountHeld(deps), holdQueue: makeHoldQueue(deps), resumeQueue: makeResumeQueue(deps),
  cancelQueued: makeCancelAsPerson(deps),
})
