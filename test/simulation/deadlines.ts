import * as E from 'fp-ts/lib/Either.js'
import type { WorkspaceId } from '../../core/kernel/ids.js'
import type { Instant } from '../../core/kernel/time.js'
import type { SettledDeadlines } from '../../core/messages/deadlines.js'
import type { Draft } from '../../core/messages/message-log.js'
import type { MessageId, MessageState } from '../../core/messages/message.js'
import { type BackUp, refill } from './backup.js'
import type { SimulatedStorage, StorageCall } from './gateway.js'
import type { Known } from './states.js'
import type { World } from './world.js'

/** The states of a message that has not reached its customer and may have been sent. */
const NOT_ARRIVED: ReadonlyArray<MessageState> = ['pending', 'unconfirmed', 'released', 'accepted', 'sent', 'failed']

type Deadline = { readonly workspace: WorkspaceId; readonly due: Instant; readonly isSettled: boolean }

/** Checks that a message that is not delivered at its deadline is overdue, once; it shares no rule with the core. */
export type Deadlines = {
  readonly onOpened: (draft: Draft) => void
  /** Performs a call that settles deadlines. */
  readonly settle: <Answer>(call: StorageCall, run: () => Promise<Answer>) => Promise<Answer>
  /** Whether a deadline was not looked at yet. */
  readonly areOpen: () => boolean
  readonly atTheEnd: () => void
  readonly backUp: BackUp
}

/** The parts that the checker observes. */
export type DeadlinesParts = {
  readonly world: World
  readonly eventOutbox: Pick<SimulatedStorage['eventOutbox'], 'after'>
  readonly known: ReadonlyMap<MessageId, Known>
  readonly check: (isKept: boolean, promise: string, seen: () => string) => void
}

/** Makes the checker. */
export const makeDeadlines = ({ world, eventOutbox, known, check }: DeadlinesParts): Deadlines => {
  const deadlines = new Map<MessageId, Deadline>()

  /** How often each message is overdue according to the stored events. */
  const eventsOf = async (): Promise<ReadonlyMap<string, number>> => {
    const counts = new Map<string, number>()
    for (const workspace of new Set(Array.from(deadlines.values(), (deadline) => deadline.workspace))) {
      const events = await eventOutbox.after(workspace, 0, 100_000)
      if (E.isLeft(events)) continue
      for (const { type, subject } of events.right) if (type === 'message.overdue') counts.set(subject, (counts.get(subject) ?? 0) + 1)
    }
    return counts
  }

  const checkDue = (id: MessageId, { due, isSettled }: Deadline, { until, before, after }: {
    readonly until: Instant
    readonly before: ReadonlyMap<string, number>
    readonly after: ReadonlyMap<string, number>
  }): void => {
    const [state, events] = [known.get(id)?.state, after.get(id) ?? 0]
    const isNew = events > (before.get(id) ?? 0)
    check(events <= 1, 'a message is overdue once', () => `${id} is overdue ${events} times`)
    if (isNew) check(due <= until, 'no message is overdue before its time', () => `${id} is due at ${due}, and overdue at ${until}`)
    const isOpen = state !== undefined && NOT_ARRIVED.includes(state)
    if (isNew) check(isOpen, 'no message is overdue that was delivered or refused', () => `${id} is ${state}, and overdue`)
    if (due > until || isSettled) return
    check(isNew === isOpen, 'a message that is not delivered in time is overdue', () => `${id} is ${state}, and has ${events} events`)
    world.reach(isOpen ? 'a message is overdue' : 'a message is delivered or refused before its deadline is looked at')
  }

  return {
    onOpened: ({ id, workspace, confirmBy }) => {
      if (confirmBy !== undefined && !deadlines.has(id)) deadlines.set(id, { workspace, due: confirmBy, isSettled: false })
    },
    settle: async (call, run) => {
      const until = call.args[0] as Instant
      const before = await eventsOf()
      const answer = await run()
      const after = await eventsOf()
      const settled = answer as E.Either<unknown, SettledDeadlines>
      for (const [id, deadline] of deadlines) {
        // If the connection has failed, it is unknown whether the deadline was removed.
        checkDue(id, E.isLeft(settled) ? { ...deadline, isSettled: true } : deadline, { until, before, after })
        if (deadline.due <= until) deadlines.set(id, { ...deadline, isSettled: true })
      }
      return answer
    },
    areOpen: () => [...deadlines.values()].some(({ isSettled }) => !isSettled),
    atTheEnd: () => {
      for (const [id, { isSettled }] of deadlines) check(isSettled, 'every deadline is looked at', () => id)
    },
    backUp: () => {
      const copy = new Map(deadlines)
      return () => { refill(deadlines, copy) }
    },
  }
}
