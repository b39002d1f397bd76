import { userIdOf } from '../customer-ids.js'
import { statusError } from '../graph/error.js'
import { inboundUpdate, type CustomerMessage } from './inbound-update.js'
import type { ScheduledReport, ReportedStatus } from './status-schedule.js'
import type { Template } from '../templates/templates.js'
import type { Update } from './notification.js'
import type { DeliveryOptions } from './delivery.js'
import { conversationOf, type SimulatorState } from '../state.js'

/** An accepted message. */
export type AcceptedMessage = {
  readonly wamid: string
  readonly waId: string
  readonly phoneNumberId: string
  readonly callback: string | undefined
  /** Undefined for a text. */
  readonly template: Template | undefined
}

type Pricing = { readonly billable: boolean; readonly pricing_model: 'PMP'; readonly type: string; readonly category: string }

/** Schedules the statuses of an accepted message; `onFirst` is called after the first attempt to deliver the first one. */
export const scheduleStatuses = (state: SimulatorState, message: AcceptedMessage, schedule: ReadonlyArray<ScheduledReport>, onFirst?: () => void): void => {
  const pricing = pricingOf(state, message)
  schedule.forEach((report, index) => {
    const options: DeliveryOptions = {
      afterMs: report.afterMs,
      ...(report.signature && { signature: report.signature }),
      ...(index === 0 && onFirst && { onAttempt: onFirst }),
    }
    const extras = (report.withInbound ? 1 : 0) + (report.pausesTemplate ? 1 : 0)
    state.webhooks.send(1 + extras, () => updatesOf(state, message, report, pricing), options)
  })
}

/** Reports a customer's message and opens the customer service window; returns the message's id. */
export const reportInbound = (
  state: SimulatorState, phoneNumberId: string, waId: string, message: CustomerMessage, options: DeliveryOptions = {},
): string => {
  const { wamid, update } = inboundUpdate(phoneNumberId, waId, message)
  recordInbound(state, phoneNumberId, waId, message)
  state.webhooks.send(1, () => [update], options)
  return wamid
}

/** The updates that report a changed template: its status, its category, or both. */
export const templateUpdates = (before: Template, changed: Template): ReadonlyArray<Update> => {
  const named = { message_template_id: Number(changed.id), message_template_name: changed.name, message_template_language: changed.language }
  return [
    ...(changed.status === before.status ? [] : [{
      field: 'message_template_status_update', phoneNumberId: undefined,
      value: { event: changed.status, ...named, reason: 'NONE', message_template_category: changed.category },
    }]),
    ...(changed.category === before.category ? [] : [{
      field: 'template_category_update', phoneNumberId: undefined,
      value: { ...named, previous_category: before.category, new_category: changed.category },
    }]),
  ]
}

const TYPES_OUTSIDE_WINDOW = ['system', 'reaction', 'edit', 'revoke']

const recordInbound = (
  { lastInbound }: SimulatorState, phoneNumberId: string, waId: string, { type = 'text', at = Date.now() }: CustomerMessage,
): void => {
  const conversation = conversationOf(phoneNumberId, waId)
  if (!TYPES_OUTSIDE_WINDOW.includes(type)) lastInbound.set(conversation, Math.max(at, lastInbound.get(conversation) ?? 0))
}

const updatesOf = (state: SimulatorState, message: AcceptedMessage, report: ScheduledReport, pricing: Pricing): ReadonlyArray<Update> => {
  report.statuses.forEach(({ status }) => state.requestLog.reported(message.wamid, status))
  const { phoneNumberId, waId } = message
  const statuses = report.statuses.map((reported) => statusItem(state, message, reported, pricing))
  const hasNoNumber = report.statuses.some(({ bsuidOnly }) => bsuidOnly)
  // The notification of a failure has no contacts.
  const contacts = report.statuses.some(({ error }) => error) ? [] : [{ ...(!hasNoNumber && { wa_id: waId }), user_id: userIdOf(waId) }]
  return [
    { field: 'messages', phoneNumberId, value: { ...(contacts.length > 0 && { contacts }), statuses } },
    ...(report.withInbound ? [customerText(state, message)] : []),
    ...(report.pausesTemplate ? pausedTemplate(state, message) : []),
  ]
}

const customerText = (state: SimulatorState, { phoneNumberId, waId }: AcceptedMessage): Update => {
  recordInbound(state, phoneNumberId, waId, {})
  return inboundUpdate(phoneNumberId, waId, { text: 'Thank you!' }).update
}

const pausedTemplate = ({ templates }: SimulatorState, { template }: AcceptedMessage): ReadonlyArray<Update> =>
  template === undefined ? [] : templates.change(template.name, template.language, { status: 'PAUSED' })
    .flatMap((changed) => templateUpdates({ ...changed, status: 'APPROVED' }, changed))

const statusItem = (state: SimulatorState, { wamid, waId, callback }: AcceptedMessage, reported: ReportedStatus, pricing: Pricing) => ({
  id: wamid,
  status: reported.status,
  timestamp: String(Math.floor(Date.now() / 1000)),
  ...(!reported.bsuidOnly && { recipient_id: waId }),
  ...(!reported.error && { recipient_user_id: userIdOf(waId) }),
  ...(callback !== undefined && echoesCallback(state, reported) && { biz_opaque_callback_data: callback }),
  ...(reported.priced && { pricing: reported.otherCategory ? { ...pricing, category: otherCategory(pricing.category) } : pricing }),
  ...(reported.error && { errors: [statusError(reported.error)] }),
  ...(reported.unknownKeys && { recipient_logical_id: '1', internal_1p_only_data: { nested: [{}] }, type: 'message' }),
})

const otherCategory = (category: string): string => (category === 'marketing' ? 'utility' : 'marketing')

const echoesCallback = (state: SimulatorState, { error, withoutCallback }: ReportedStatus): boolean =>
  !withoutCallback && (!error || state.settings().callbackOnFailed)

/** The free tier counts texts per business number. How the platform reports texts within it is not confirmed. */
const pricingOf = ({ pricedTexts, settings }: SimulatorState, { phoneNumberId, template }: AcceptedMessage): Pricing => {
  if (template !== undefined) {
    return { billable: true, pricing_model: 'PMP', type: 'regular', category: template.category.toLowerCase() }
  }
  const before = pricedTexts.get(phoneNumberId) ?? 0
  pricedTexts.set(phoneNumberId, before + 1)
  const isFree = before < settings().freeTier
  return { billable: !isFree, pricing_model: 'PMP', type: isFree ? 'free_customer_service' : 'regular', category: 'service' }
}
