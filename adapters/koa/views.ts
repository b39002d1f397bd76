import * as O from 'fp-ts/lib/Option.js'
import type { Json } from '../../core/json.js'
import { formatMicros, type Balance } from '../../core/money.js'
import type { Entry } from '../../core/ports/ledger.js'
import type { MessageRecord } from '../../core/ports/message-log.js'
import type { Page } from '../../core/page.js'
import type { Instant } from '../../core/time.js'
import { closesAt, isOpen } from '../../core/window.js'

/** A message as the API shows it. */
export const messageView = (message: MessageRecord): Json => ({
  id: message.id,
  platform_id: message.platformId ?? null,
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

/** A wallet's balance as the API shows it. */
export const balanceView = ({ currency, available, held }: Balance): Json => ({
  currency, available: formatMicros(available), held: formatMicros(held),
})

/** One movement of a wallet as the API shows it. */
export const entryView = ({ id, kind, micros, message, reference, at }: Entry): Json => ({
  id, kind, amount: formatMicros(micros), message_id: message ?? null, reference: reference ?? null, created_at: iso(at),
})

/** A customer service window as the API shows it. */
export const windowView = (now: Instant, lastInbound: O.Option<Instant>): Json => ({
  open: isOpen(now, lastInbound),
  last_inbound_at: O.isSome(lastInbound) ? iso(lastInbound.value) : null,
  closes_at: O.isSome(lastInbound) ? iso(closesAt(lastInbound.value)) : null,
})

/** Part of a list under its name, and where the next part begins. */
export const pageView = <Item>(name: string, { items, next }: Page<Item>, view: (item: Item) => Json): Json => ({
  [name]: items.map(view), next_cursor: next ?? null,
})

const iso = (at: Instant): string => new Date(at).toISOString()
