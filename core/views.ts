import * as O from 'fp-ts/lib/Option.js'
import type { AuditActor, AuditEntry } from './audit-entry.js'
import type { DeliveryAttempt } from './delivery.js'
import type { EndpointStatus, EventEndpoint } from './event-endpoint.js'
import type { Event, EventType } from './event.js'
import { FORGOTTEN_PLATFORM_ID } from './forgotten.js'
import type { EntryKind } from './hold.js'
import type { JsonObject } from './json.js'
import type { MessageState } from './message-state.js'
import { formatMicros, type Balance } from './money.js'
import type { Entry } from './ports/ledger.js'
import type { MessageRecord } from './ports/message-log.js'
import type { Category } from './rate-card.js'
import type { TemplatePreview } from './template-preview.js'
import type { Instant } from './time.js'
import type { Quote } from './use-cases/quote.js'
import type { ShownCustomer } from './use-cases/show-customer.js'
import type { AlertState } from './wallet-alert.js'
import { closesAt, isOpen } from './window.js'

/** A message as JSON: the shape that the API, the command line and events share. */
export type MessageView = {
  readonly id: string
  readonly platform_id: string | null
  readonly kind: MessageRecord['kind']
  readonly to: string
  readonly state: MessageState
  readonly price: string
  readonly currency: string
  readonly template_name: string | null
  readonly language: string | null
  readonly error: JsonObject | null
  readonly created_at: string
  readonly history: ReadonlyArray<{ readonly state: MessageState; readonly at: string }>
}

/** A wallet's balance as JSON; amounts are decimal strings. */
export type BalanceView = { readonly currency: string; readonly available: string; readonly held: string }

/** The threshold of a wallet and its alerts as JSON; null for what it has not. */
export type AlertsView = { readonly threshold: string | null; readonly low_since: string | null; readonly exhausted_since: string | null }

/** One movement of a wallet as JSON. */
export type EntryView = {
  readonly id: string
  readonly kind: EntryKind
  readonly amount: string
  readonly message_id: string | null
  readonly reference: string | null
  readonly created_at: string
}

/** A customer service window as JSON. */
export type WindowView = { readonly open: boolean; readonly last_inbound_at: string | null; readonly closes_at: string | null }

/** A customer as JSON; of an id that is not known there is null. */
export type CustomerView = {
  readonly phone_number: string | null
  readonly user_id: string | null
  readonly username: string | null
  readonly name: string | null
  readonly window: WindowView
}

/** A quote as JSON; amounts are decimal strings. */
export type QuoteView = {
  readonly price: string
  readonly currency: string
  readonly category: Category
  readonly market: string | null
  readonly available: string
  readonly available_after: string
  readonly window: WindowView | null
  readonly preview: PreviewView | null
}

/** What a customer would read of a template, as JSON. */
export type PreviewView = {
  readonly header: string | null
  readonly body: string | null
  readonly footer: string | null
  readonly buttons: ReadonlyArray<string>
}

/** An event as JSON: as an application pulls it, and as endpoints and brokers get it. */
export type EventView = {
  readonly id: string
  readonly type: EventType
  readonly workspace: string
  readonly created_at: string
  readonly data: JsonObject
}

/** An endpoint as JSON, without its secret. */
export type EndpointView = {
  readonly id: string
  readonly url: string
  readonly types: ReadonlyArray<string>
  readonly description: string
  readonly status: EndpointStatus
  readonly failing_since: string | null
  readonly last_delivery: LastDeliveryView | null
  readonly created_at: string
}

/** The latest attempt to deliver to an endpoint as JSON. */
export type LastDeliveryView = { readonly at: string; readonly status: DeliveryStatus; readonly http_status: number | null }

/** What came of an attempt to deliver an event. */
export type DeliveryStatus = 'delivered' | 'failed'

/** An attempt to deliver an event as JSON. */
export type DeliveryView = {
  readonly id: string
  readonly event: string
  readonly type: string
  readonly status: DeliveryStatus
  readonly http_status: number | null
  readonly duration_ms: number
  readonly error: string | null
  readonly answer: string | null
  readonly at: string
  readonly next_attempt_at: string | null
}

/** Shows a message; its text and variables are not in the record. */
export const messageView = (message: MessageRecord): MessageView => ({
  id: message.id,
  platform_id: message.platformId === FORGOTTEN_PLATFORM_ID ? null : (message.platformId ?? null),
  kind: message.kind,
  to: message.to,
  state: message.state,
  price: formatMicros(message.price.micros),
  currency: message.price.currency,
  template_name: message.templateName ?? null,
  language: message.language ?? null,
  error: message.error ?? null,
  created_at: iso(message.createdAt),
  history: message.history.map(({ state, at }) => ({ state, at: iso(at) })),
})

/** Shows a balance. */
export const balanceView = ({ currency, available, held }: Balance): BalanceView => ({
  currency, available: formatMicros(available), held: formatMicros(held),
})

/** Shows the threshold of a wallet and its alerts. */
export const alertsView = ({ threshold, lowSince, exhaustedSince }: AlertState): AlertsView => ({
  threshold: threshold === undefined ? null : formatMicros(threshold), low_since: isoOrNull(lowSince), exhausted_since: isoOrNull(exhaustedSince),
})

/** Shows one movement of a wallet. */
export const entryView = ({ id, kind, micros, message, reference, at }: Entry): EntryView => ({
  id, kind, amount: formatMicros(micros), message_id: message ?? null, reference: reference ?? null, created_at: iso(at),
})

/** Shows the window of a customer at a moment. */
export const windowView = (now: Instant, lastInbound: O.Option<Instant>): WindowView => ({
  open: isOpen(now, lastInbound),
  last_inbound_at: O.isSome(lastInbound) ? iso(lastInbound.value) : null,
  closes_at: O.isSome(lastInbound) ? iso(closesAt(lastInbound.value)) : null,
})

/** Shows a customer at a moment. */
export const customerView = (now: Instant, { phoneNumber, userId, username, name, lastInbound }: ShownCustomer): CustomerView => ({
  phone_number: phoneNumber ?? null, user_id: userId ?? null, username: username ?? null, name: name ?? null, window: windowView(now, lastInbound),
})

/** Shows a quote at a moment. */
export const quoteView = (now: Instant, { price, available, lastInbound, preview }: Quote): QuoteView => ({
  price: formatMicros(price.micros),
  currency: price.currency,
  category: price.category,
  market: price.market ?? null,
  available: formatMicros(available),
  available_after: formatMicros(available - price.micros),
  window: lastInbound === undefined ? null : windowView(now, lastInbound),
  preview: preview === undefined ? null : previewView(preview),
})

const previewView = ({ header, body, footer, buttons }: TemplatePreview): PreviewView => ({
  header: header ?? null, body: body ?? null, footer: footer ?? null, buttons,
})

/** Shows an event. What a customer wrote is a part of `data`, as long as it is kept; its fields are null from then on. */
export const eventView = ({ id, type, workspace, at, data, content }: Event): EventView => ({
  id, type, workspace, created_at: iso(at), data: content === undefined ? data : { ...data, ...content },
})

/** Shows an endpoint. */
export const endpointView = ({ id, url, types, description, status, failingSince, lastDelivery, createdAt }: EventEndpoint): EndpointView => ({
  id, url, types, description, status,
  failing_since: isoOrNull(failingSince),
  last_delivery: lastDelivery === undefined
    ? null
    : { at: iso(lastDelivery.at), status: deliveryStatus(lastDelivery.delivered), http_status: lastDelivery.httpStatus ?? null },
  created_at: iso(createdAt),
})

/** Shows an attempt to deliver an event. */
export const deliveryView = ({ id, event, type, delivered, httpStatus, durationMs, error, answer, at, nextAttemptAt }: DeliveryAttempt): DeliveryView => ({
  id, event, type,
  status: deliveryStatus(delivered),
  http_status: httpStatus ?? null,
  duration_ms: durationMs,
  error: error ?? null,
  answer: answer ?? null,
  at: iso(at),
  next_attempt_at: isoOrNull(nextAttemptAt),
})

const deliveryStatus = (delivered: boolean): DeliveryStatus => (delivered ? 'delivered' : 'failed')

const isoOrNull = (at: Instant | undefined): string | null => (at === undefined ? null : iso(at))

const iso = (at: Instant): string => new Date(at).toISOString()

/** An entry of the audit log as JSON. */
export type AuditEntryView = {
  readonly id: string
  readonly at: string
  readonly by: AuditActor
  readonly address: string | null
  readonly act: string
  readonly outcome: AuditEntry['outcome']
  readonly workspace: string | null
  readonly subject: string | null
  readonly details: JsonObject | null
}

/** An entry of the audit log as JSON; null for what it has not. */
export const auditEntryView = ({ id, at, by, address, act, outcome, workspace, subject, details }: AuditEntry): AuditEntryView => ({
  id, at: iso(at), by, address: address ?? null, act, outcome, workspace: workspace ?? null, subject: subject ?? null, details: details ?? null,
})
