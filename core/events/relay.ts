import * as E from 'fp-ts/lib/Either.js'
import * as O from 'fp-ts/lib/Option.js'
import type { PortFailure } from '../kernel/failure.js'
import type { AppId, WorkspaceId } from '../kernel/ids.js'
import type { JsonObject } from '../kernel/json.js'
import { entriesAlways, type EventOutbox, type NewEvent, type OutboxWriter, PLATFORM_NOTIFICATION } from '../kernel/outbox.js'
import type { SenderDirectory, SenderId } from '../senders/sender.js'

/** A change in a notification that concerns one sender, for endpoints of the format `platform`. */
export type RelayedChange = {
  readonly phoneNumberId: SenderId
  /** The platform app at whose webhook it arrived; absent if it is the app of the environment. */
  readonly app?: AppId
  /** A whole notification with only this change, as the platform wrote it. */
  readonly notification: JsonObject
  /** Makes a text that is equal for two changes exactly if the changes are equal. It is called only if the change is stored, because most workspaces relay nothing. */
  readonly digest: () => string
  /** The customers whom it names, so that it is found when one of them is erased. A customer may be listed more than once. */
  readonly customers: ReadonlyArray<string>
  /** Whether it contains a customer's text. */
  readonly hasContent: boolean
}

/**
 * Stores the platform's reports for the endpoints that receive them in the platform's form. Left: at least one change was not stored, so the platform has to deliver
 * the notification again. The other changes are already stored then, and are not stored again.
 */
export type Relay = (changes: ReadonlyArray<RelayedChange>) => Promise<E.Either<PortFailure, void>>

/** The dependencies of relaying. */
export type RelayDeps = {
  readonly events: Pick<OutboxWriter, 'newEventId' | 'now'>
  readonly eventOutbox: Pick<EventOutbox, 'append' | 'relays'>
  readonly senders: Pick<SenderDirectory, 'ownerOf'>
}

export const makeRelay =
  (deps: RelayDeps): Relay =>
  async (changes) => {
    const stored = await Promise.all(changes.map((change) => relayOne(deps, change)))
    return stored.find(E.isLeft) ?? E.right(undefined)
  }

const relayOne = async ({ events, eventOutbox, senders }: RelayDeps, change: RelayedChange): Promise<E.Either<PortFailure, void>> => {
  const found = await senders.ownerOf(change.phoneNumberId, events.now())
  if (E.isLeft(found)) return found
  if (O.isNone(found.right) || found.right.value.app !== change.app) return E.right(undefined)
  const { workspace } = found.right.value
  const relays = await eventOutbox.relays(workspace)
  if (E.isLeft(relays)) return relays
  return relays.right
    ? eventOutbox.append(workspace, entriesAlways(events, () => [eventOf(workspace, change)])(undefined))
    : E.right(undefined)
}

/** The customer is the subject, so that the platform's reports about one customer are delivered in order. */
const eventOf = (workspace: WorkspaceId, { phoneNumberId, notification, digest, customers }: RelayedChange): NewEvent => ({
  type: PLATFORM_NOTIFICATION, workspace, subject: customers[0] ?? phoneNumberId, key: `${PLATFORM_NOTIFICATION} ${digest()}`,
  data: { phone_number_id: phoneNumberId, customers: [...new Set(customers)] }, content: notification,
})
