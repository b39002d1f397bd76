import * as E from 'fp-ts/lib/Either.js'
import type { PortFailure } from '../kernel/failure.js'
import type { WorkspaceId } from '../kernel/ids.js'
import { formatMicros } from '../kernel/money.js'
import { type Clock, DAY_MS } from '../kernel/time.js'
import type { MessageQueue, ScheduledMoney } from '../messages/queue.js'

/** Shows the prices of queued messages that are reserved when the messages are due: `soon` are those of the next `SOON_MS`. */
export type ShowScheduled = (workspace: WorkspaceId) => Promise<E.Either<PortFailure, ScheduledMoney>>

/** The messages that are due within this time count for a low balance. */
export const SOON_MS = DAY_MS

/** What showing them needs; without a queue nothing is scheduled. */
export type ShowScheduledDeps = { readonly messageQueue?: Pick<MessageQueue, 'scheduled'> | undefined; readonly now: Clock }

export const makeShowScheduled =
  ({ messageQueue, now }: ShowScheduledDeps): ShowScheduled =>
  async (workspace) =>
    (messageQueue === undefined ? E.right(NOTHING) : messageQueue.scheduled({ workspace, soonBefore: now() + SOON_MS }))

const NOTHING: ScheduledMoney = { soon: 0n, all: 0n }

/** Scheduled prices as JSON: decimal strings. */
export type ScheduledView = { readonly next_24_h: string; readonly all: string }

/** Shows scheduled prices as JSON. */
export const scheduledView = ({ soon, all }: ScheduledMoney): ScheduledView => ({ next_24_h: formatMicros(soon), all: formatMicros(all) })
