import * as E from 'fp-ts/lib/Either.js'
import type { PortFailure } from '../kernel/failure.js'
import { entriesAlways, type EventDeps, type MakeOutboxEntries, type NewEvent } from '../kernel/outbox.js'
import { type Clock, type Instant, DAY_MS, SECOND_MS } from '../kernel/time.js'
import { type MessageRecord, type MessageState, messageView } from './message.js'

/** The shortest and the longest time in which the delivery of a message can be awaited, in milliseconds. */
export const MIN_CONFIRM_WITHIN_MS = 10 * SECOND_MS
export const MAX_CONFIRM_WITHIN_MS = DAY_MS

/** Whether the delivery of a message can be awaited for this long, in milliseconds: whole seconds from `MIN_CONFIRM_WITHIN_MS` to `MAX_CONFIRM_WITHIN_MS`. */
export const canConfirmWithin = (ms: number): boolean =>
  ms % SECOND_MS === 0 && ms >= MIN_CONFIRM_WITHIN_MS && ms <= MAX_CONFIRM_WITHIN_MS

/**
 * Whether a message in this state is overdue once its deadline has passed: it is not known to be delivered, whatever the reason.
 *
 * A failed message is overdue too, so that an application that listens only to `message.overdue` misses none. A refused message is not: it was never sent,
 * and the answer to its request has already said so. Neither is a canceled one, because the application canceled it.
 */
export const isOverdue = (state: MessageState): boolean => {
  switch (state) {
    case 'queued': case 'pending': case 'unconfirmed': case 'released': case 'accepted': case 'sent': case 'failed': return true
    case 'refused': case 'canceled': case 'delivered': case 'read': case 'played': return false
  }
}

/** A message is not delivered at its deadline. */
export const messageOverdue = (message: MessageRecord): ReadonlyArray<NewEvent> => [{
  type: 'message.overdue', workspace: message.workspace, subject: message.id, data: messageView(message),
  ...(message.trace && { trace: message.trace }),
}]

/** What happened to due deadlines. */
export type SettledDeadlines = {
  /** The number of deadlines that were removed. */
  readonly removed: number
  /** The number of their messages that are overdue. */
  readonly overdue: number
  /** The earliest deadline that is left; absent if none is left. */
  readonly next?: Instant
}

/** Until when messages have to be delivered. The message log of the same storage stores the deadline of a draft (`confirmBy`) when it opens the message. */
export interface DeliveryDeadlines {
  /**
   * Removes the earliest deadlines up to a given time, at most `limit`, and stores the entries of those messages that are overdue (`isOverdue`), in one step.
   *
   * A deadline is removed once, even by concurrent calls, so the entries of a message are stored once. A message that was delivered before the step has none.
   * `next` may be absent or too late only for deadlines that are stored at the same time.
   */
  readonly settle: (
    until: Instant, limit: number, outboxEntries: MakeOutboxEntries<MessageRecord>,
  ) => Promise<E.Either<PortFailure, SettledDeadlines>>
}

/** Makes the events of messages that are not delivered at their deadlines. A pass has a limit, so it may have to be repeated immediately. */
export type NoteOverdue = () => Promise<E.Either<PortFailure, NotedOverdue>>

/** The result of a pass: the number of overdue messages, and after how many milliseconds the next pass is due. */
export type NotedOverdue = { readonly overdue: number; readonly nextInMs: number }

/** The dependencies of a pass. */
export type NoteOverdueDeps = EventDeps & {
  readonly deliveryDeadlines: DeliveryDeadlines
  readonly windowClock: { readonly now: Clock }
}

/** The number of deadlines of one step. */
const BATCH = 200

/** A deadline that is stored after a pass is at least `MIN_CONFIRM_WITHIN_MS` away, so a pass after that time is early enough for it. */
export const makeNoteOverdue =
  ({ deliveryDeadlines, events, windowClock }: NoteOverdueDeps): NoteOverdue =>
  async () => {
    const now = windowClock.now()
    // Whether anything listens is not checked: an application that sets a deadline listens, and deadlines of several workspaces share a step.
    const settled = await deliveryDeadlines.settle(now, BATCH, events === undefined ? () => [] : entriesAlways(events, messageOverdue))
    if (E.isLeft(settled)) return settled
    const { overdue, next = Infinity } = settled.right
    return E.right({ overdue, nextInMs: Math.min(MIN_CONFIRM_WITHIN_MS, Math.max(0, next - now)) })
  }
