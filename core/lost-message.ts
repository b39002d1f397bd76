import type { CustomerId } from './customer.js'
import { FORGOTTEN_PLATFORM_ID, type CustomerDigest } from './forgotten.js'
import type { MessageId, PlatformId } from './message.js'
import { merge, type MessageState } from './message-state.js'
import type { Instant } from './time.js'
import type { WorkspaceId } from './workspace.js'

/**
 * What a status says of a message that names our id and that the message log does not have: the database has lost it, as after a failover to a standby
 * that did not have the last commits.
 */
export type LostStatus = {
  readonly workspace: WorkspaceId
  readonly message: MessageId
  readonly platformId: PlatformId
  readonly phoneNumberId: string
  /** The recipient, where the status names one. */
  readonly to: CustomerId | undefined
  readonly state: LostState
  /** The category and whether the message is billed, where the status has a report on billing. */
  readonly category: string | undefined
  readonly billable: boolean | undefined
  readonly at: Instant
}

/** The states that the platform reports. `failed` is noted, too, because no money is due then, whichever of the statuses comes first. */
export type LostState = 'sent' | 'delivered' | 'read' | 'failed'

const LOST_STATES: ReadonlyArray<MessageState> = ['sent', 'delivered', 'read', 'failed'] satisfies ReadonlyArray<LostState>

/** Whether a state is one that the platform reports. */
export const isLostState = (state: MessageState): state is LostState => LOST_STATES.some((one) => one === state)

/** A lost message as its statuses tell it; `firstAt` and `lastAt` are the moments of the earliest and the latest of them. */
export type LostMessage = Omit<LostStatus, 'to' | 'at'> & {
  readonly to: CustomerId | CustomerDigest | undefined
  readonly firstAt: Instant
  readonly lastAt: Instant
}

/** How many lost messages of one workspace are noted and wait to be settled. The oldest are kept, and a new one is not noted. */
export const LOST_MESSAGES_KEPT = 10_000

/**
 * A lost message after a status, in any order of them: the state as of every message, the recipient of the first status, and the report on billing that
 * came first. A status that names another message of the platform changes nothing, and brings nothing of a forgotten person back.
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

/** Whether a lost message is to be settled: the platform took it, and it is not known that it failed. */
export const isDue = ({ state }: Pick<LostMessage, 'state'>): boolean => state !== 'failed'

/** The reference under which a lost message is charged, so that it is charged once. */
export const lostReference = (message: MessageId): string => `lost ${message}`
