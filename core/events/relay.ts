import * as E from 'fp-ts/lib/Either.js'
import * as O from 'fp-ts/lib/Option.js'
import type { PortFailure } from '../kernel/failure.js'
import type { WorkspaceId } from '../kernel/ids.js'
import type { JsonObject } from '../kernel/json.js'
import { entriesAlways, type EventOutbox, type NewEvent, type OutboxWriter, PLATFORM_NOTIFICATION } from '../kernel/outbox.js'
import type { Senders } from '../kernel/sender.js'

/** A change of a notification that is about one sender, for endpoints of the format `platform`. */
export type RelayedChange = {
  readonly phoneNumberId: string
  /** A whole notification with this change alone, as the platform wrote it. */
  readonly notification: JsonObject
  /** Makes a text that is equal for two changes exactly where they are. It is asked for only where the change is stored, because most workspaces pass nothing on. */
  readonly digest: () => string
  /** The customers whom it names, so that it is found when one of them is erased; perhaps one more than once. */
  readonly customers: ReadonlyArray<string>
  /** Whether it has what a customer wrote. */
  readonly hasContent: boolean
}

/**
 * Stores what the platform reports for the endpoints that get it as the platform sends it. Left: at least one change is not durable, so the platform has to deliver
 * the notification again; the others are then stored already, and are not stored twice.
 */
export type Relay = (changes: ReadonlyArray<RelayedChange>) => Promise<E.Either<PortFailure, void>>

/** What passing on needs. */
export type RelayDeps = {
  readonly events: Pick<OutboxWriter, 'newEventId' | 'now'>
  readonly eventOutbox: Pick<EventOutbox, 'append' | 'relays'>
  readonly senders: Pick<Senders, 'workspaceOf'>
}

export const makeRelay =
  (deps: RelayDeps): Relay =>
  async (changes) => {
    const stored = await Promise.all(changes.map((change) => relayOne(deps, change)))
    return stored.find(E.isLeft) ?? E.right(undefined)
  }

const relayOne = async ({ events, eventOutbox, senders }: RelayDeps, change: RelayedChange): Promise<E.Either<PortFailure, void>> => {
  const found = await senders.workspaceOf(change.phoneNumberId)
  if (E.isLeft(found)) return found
  if (O.isNone(found.right)) return E.right(undefined)
  const workspace = found.right.value
  const relays = await eventOutbox.relays(workspace)
  if (E.isLeft(relays)) return relays
  return relays.right ? eventOutbox.append(workspace, entriesAlways(events, () => [eventOf(workspace, change)])(undefined)) : E.right(undefined)
}

/** The customer is the subject, so that what the platform says of one is delivered in its order. */
const eventOf = (workspace: WorkspaceId, { phoneNumberId, notification, digest, customers }: RelayedChange): NewEvent => ({
  type: PLATFORM_NOTIFICATION, workspace, subject: customers[0] ?? phoneNumberId, key: `${PLATFORM_NOTIFICATION} ${digest()}`,
  data: { phone_number_id: phoneNumberId, customers: [...new Set(customers)] }, content: notification,
})
