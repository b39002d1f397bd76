import * as O from 'fp-ts/lib/Option.js'
import { countedIdOf, isUserId, type CustomerId, type CustomerIds } from './customer.js'
import type { NewEvent } from './event.js'
import type { InboundMessage } from './inbound-message.js'
import type { JsonObject } from './json.js'
import { formatMicros, type Balance } from './money.js'
import type { LearnedFact } from './ports/customers.js'
import type { KeySuccession, WorkspaceKey } from './ports/key-store.js'
import type { Credit } from './ports/ledger.js'
import type { MovedMessage } from './ports/message-log.js'
import type { FailingSender } from './ports/senders.js'
import type { RecordedInbound } from './ports/window-clock.js'
import type { Instant } from './time.js'
import { balanceView, messageView, windowView } from './views.js'
import type { WalletAlert } from './wallet-alert.js'
import { isOpen } from './window.js'
import type { WorkspaceId } from './workspace.js'

/** A message came into another state. */
export const messageMoved = ({ message }: MovedMessage): ReadonlyArray<NewEvent> =>
  message.state === 'pending'
    ? []
    : [{ type: `message.${message.state}`, workspace: message.workspace, subject: message.id, data: messageView(message) }]

/** Money was added to a wallet. */
export const walletToppedUp = ({ workspace, micros, reference }: Omit<Credit, 'at'>) => (balance: Balance): ReadonlyArray<NewEvent> =>
  [{ type: 'wallet.topped_up', workspace, subject: workspace, data: { ...balanceView(balance), amount: formatMicros(micros), reference } }]

/** The data of a wallet alert's event: amounts as decimal strings. */
export const alertData = (alert: WalletAlert) => ({
  ...balanceView(alert.balance),
  ...(alert._tag === 'WalletLow'
    ? { threshold: formatMicros(alert.threshold) }
    : { required: formatMicros(alert.required), shortfall: formatMicros(alert.required - alert.balance.available) }),
})

/** A wallet became low, or could not cover a price. */
export const walletAlerted = (alert: WalletAlert): NewEvent =>
  ({ type: alert._tag === 'WalletLow' ? 'wallet.low' : 'wallet.exhausted', workspace: alert.workspace, subject: alert.workspace, data: alertData(alert) })

/** A key was made; the event has its name and never the key. */
export const keyMinted = (key: WorkspaceKey): ReadonlyArray<NewEvent> => [keyEvent('key.minted', key)]

/** A key was ended. */
export const keyRevoked = (key: WorkspaceKey): ReadonlyArray<NewEvent> => [keyEvent('key.revoked', key)]

/** A key got a successor; where they have no overlap, the old key was ended. */
export const keyRotated = (hasNoOverlap: boolean) => ({ workspace, id, name, successor }: KeySuccession): ReadonlyArray<NewEvent> => [
  ...keyMinted({ workspace, id: successor, name }),
  ...(hasNoOverlap ? keyRevoked({ workspace, id, name }) : []),
]

/** The platform refuses the credentials of a sender; `error` is what it says. */
export const senderFailing = (workspace: WorkspaceId, error: JsonObject) => (sender: FailingSender): ReadonlyArray<NewEvent> =>
  [{ type: 'sender.failing', workspace, subject: sender.phoneNumberId, data: { ...senderData(sender), error } }]

/** The platform accepts the credentials of a sender again; `since` is when it began to refuse them. */
export const senderRecovered = (workspace: WorkspaceId) => (sender: FailingSender): ReadonlyArray<NewEvent> =>
  [{ type: 'sender.recovered', workspace, subject: sender.phoneNumberId, data: senderData(sender) }]

const senderData = ({ phoneNumberId, failingSince }: FailingSender) => ({ phone_number_id: phoneNumberId, since: new Date(failingSince).toISOString() })

const keyEvent = (type: 'key.minted' | 'key.revoked', { workspace, id, name }: WorkspaceKey): NewEvent => ({ type, workspace, subject: id, data: { id, name } })

/** The other id of a customer was learned, replaced, or is no longer the customer's. A fact that changes something else is no event. */
export const customerChanged = (workspace: WorkspaceId, id: CustomerId) => ({ before, after }: LearnedFact): ReadonlyArray<NewEvent> => {
  if (before.other === after.other) return []
  const other = after.other ?? null
  const data = isUserId(id) ? { phone_number: other, user_id: id } : { phone_number: id, user_id: other }
  return [{ type: 'customer.changed', workspace, subject: id, data }]
}

/** A message as a customer wrote it: by whom, and when. */
export type ReceivedMessage = {
  readonly customer: CustomerIds & { readonly name?: string | undefined; readonly username?: string | undefined }
  readonly message: InboundMessage
  readonly at: Instant
}

/** A customer wrote. The platform may report it again, so the platform's id of the message is the key; what it says is kept apart. */
export const messageReceived = (workspace: WorkspaceId, { customer, message: { id, type, content, context }, at }: ReceivedMessage): NewEvent => ({
  type: 'message.received',
  workspace,
  subject: countedIdOf(customer) ?? id,
  key: `received:${id}`,
  data: {
    id,
    from: { phone_number: customer.phoneNumber ?? null, user_id: customer.userId ?? null, name: customer.name ?? null, username: customer.username ?? null },
    type, content: null, context: null, at: new Date(at).toISOString(),
  },
  ...((content ?? context) !== undefined && { content: { content: content ?? null, context: context ?? null } }),
})

/** Whose window it is, the present moment, and when the customer had last written under any id before. */
export type WindowOf = { readonly workspace: WorkspaceId; readonly id: CustomerId; readonly now: Instant; readonly before: O.Option<Instant> }

/** A message opened the window: none was open when it was written. A late or repeated message is no event, nor is one whose window is over already. */
export const windowOpened = ({ workspace, id, now, before }: WindowOf, recorded: RecordedInbound): ReadonlyArray<NewEvent> => {
  const { lastInbound } = recorded
  const wasOpen = [before, O.fromNullable(recorded.before)].some((moment) => isOpen(lastInbound, moment))
  return wasOpen || !isOpen(now, O.some(lastInbound))
    ? []
    : [{ type: 'window.opened', workspace, subject: id, data: { to: id, ...windowView(now, O.some(lastInbound)) } }]
}
