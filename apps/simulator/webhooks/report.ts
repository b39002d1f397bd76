import type { ReceivedMessage } from '../control/logs.js'
import type { Customer } from '../customers.js'
import type { ReportFault } from '../faults/faults.js'
import { graphError, type GraphError, statusError } from '../graph/reply.js'
import { type Attachment, SAMPLES } from '../media.js'
import type { Delays } from '../settings.js'
import { conversationOf, type SimulatorState } from '../state.js'
import type { Template } from '../templates/template.js'
import type { CustomerMessage } from './customer-message.js'
import type { DeliveryOptions, Signature, Update } from './delivery.js'
import { contactOf, customerFields, type CustomerFields, inboundUpdate, type Quoted, secondsOf } from './inbound.js'
import { changedUpdates } from './template-updates.js'

/** One reported status, without the values that differ between messages. */
export type ReportedStatus = {
  readonly status: string
  readonly error?: GraphError
  readonly withoutCallback?: true
  readonly unknownKeys?: true
  readonly bsuidOnly?: true
  readonly otherCategory?: true
  /** Whether it has a price: `sent` has one, and the first of `delivered` and `read`. */
  readonly priced?: true
}

/** The content of one notification: statuses, and perhaps a customer's text or a paused template. */
export type ScheduledReport = {
  /** Milliseconds after the message was accepted. */
  readonly afterMs: number
  readonly statuses: ReadonlyArray<ReportedStatus>
  readonly signature?: Signature
  readonly withInbound?: true
  readonly pausesTemplate?: true
}

const FAILED_LATER = graphError(131026, 'Message undeliverable')
const PAUSED = graphError(132015, 'The template was paused because of its quality')
const SPURIOUS = graphError(131047, 'More than 24 hours have passed since the customer last replied')

const ARRIVALS = ['delivered', 'read']

/** The notifications about an accepted message, by its fault. The platform never reports that a reaction was delivered. */
export const statusSchedule = (fault: ReportFault | undefined, delays: Delays, isReaction = false): ReadonlyArray<ScheduledReport> => {
  const schedule = scheduleOf(fault, delays)
  if (!isReaction) return schedule
  return schedule.map((report) => ({ ...report, statuses: report.statuses.filter(({ status }) => !ARRIVALS.includes(status)) }))
    .filter(({ statuses }) => statuses.length > 0)
}

const scheduleOf = (fault: ReportFault | undefined, delays: Delays): ReadonlyArray<ScheduledReport> => {
  if (fault === undefined) return withPrices(usualSchedule(delays))
  if (fault._tag === 'Failed') return [failed(delays, fault.error)]
  return withPrices(anomalousSchedule(fault.how, delays))
}

const anomalousSchedule = (how: Extract<ReportFault, { _tag: 'Anomaly' }>['how'], delays: Delays): ReadonlyArray<ScheduledReport> => {
  const schedule = usualSchedule(delays)
  const [sent, delivered, ...read] = schedule
  const readMs = delays.read ?? delays.delivered
  switch (how) {
    case 'deliveredBeforeSent': return [statusAt(delays.sent, 'delivered'), statusAt(delays.delivered, 'sent'), ...read]
    case 'readWithoutDelivered': return [sent, statusAt(readMs, 'read')]
    case 'duplicateStatuses': return schedule.flatMap((report) => [report, report])
    case 'statusBeforeReply': return [{ ...sent, afterMs: 0 }, delivered, ...read]
    case 'noCallbackData': return withMark(schedule, { withoutCallback: true })
    case 'silent': return []
    case 'failedWithoutCallback': return withMark([failed(delays, FAILED_LATER)], { withoutCallback: true })
    case 'sentThenFailed': return [sent, failed(delays, FAILED_LATER)]
    case 'failedAfterDelivered': return [
      sent, delivered, { ...failed(delays, FAILED_LATER), afterMs: delays.delivered + delays.failed },
    ]
    case 'unknownStatus': return [sent, statusAt(delays.sent, 'teleported'), delivered, ...read]
    case 'unknownKeys': return withMark(schedule, { unknownKeys: true })
    case 'bsuidOnly': return withMark(schedule, { bsuidOnly: true })
    case 'wrongSignature': return withSignature(schedule, 'wrong')
    case 'missingSignature': return withSignature(schedule, 'missing')
    case 'otherSecret': return withSignature(schedule, 'otherSecret')
    case 'truncatedSignature': return withSignature(schedule, 'truncated')
    case 'batched': return [{ afterMs: delays.delivered, statuses: schedule.flatMap(({ statuses }) => statuses) }]
    case 'mixed': return [sent, { ...delivered, withInbound: true }, ...read]
    case 'delayed': return schedule.map((report) => ({ ...report, afterMs: report.afterMs * 10 }))
    case 'sentOnly': return [sent]
    case 'otherCategory': return withMark(schedule, { otherCategory: true })
    case 'paced': return schedule
    case 'pacedDropped': return [{ ...failed(delays, PAUSED), pausesTemplate: true }]
    case 'spurious131047': return [failed(delays, SPURIOUS)]
  }
}

const statusAt = (afterMs: number, status: string): ScheduledReport => ({ afterMs, statuses: [{ status }] })

const usualSchedule = ({ sent, delivered, read }: Delays): readonly [ScheduledReport, ScheduledReport, ...ScheduledReport[]] =>
  [statusAt(sent, 'sent'), statusAt(delivered, 'delivered'), ...(read === null ? [] : [statusAt(read, 'read')])]

const failed = (delays: Delays, error: GraphError): ScheduledReport => ({ afterMs: delays.failed, statuses: [{ status: 'failed', error }] })

const withMark = (schedule: ReadonlyArray<ScheduledReport>, mark: Partial<ReportedStatus>): ReadonlyArray<ScheduledReport> =>
  schedule.map((report) => ({ ...report, statuses: report.statuses.map((status) => ({ ...status, ...mark })) }))

const withSignature = (schedule: ReadonlyArray<ScheduledReport>, signature: Signature): ReadonlyArray<ScheduledReport> =>
  schedule.map((report) => ({ ...report, signature }))

const withPrices = (schedule: ReadonlyArray<ScheduledReport>): ReadonlyArray<ScheduledReport> => {
  const names = schedule.flatMap(({ statuses }) => statuses.map(({ status }) => status))
  const arrival = names.find((status) => ARRIVALS.includes(status))
  const hasPrice = ({ status }: ReportedStatus): boolean => status === 'sent' || status === arrival
  return schedule.map((report) => ({
    ...report, statuses: report.statuses.map((status) => (hasPrice(status) ? { ...status, priced: true } : status)),
  }))
}

/** An accepted message. */
export type AcceptedMessage = {
  readonly wamid: string
  /** The statuses contain the ids that the customer has when they are reported. */
  readonly customer: Customer
  /** Whether it was sent to a user id, and not to a phone number. */
  readonly isToUserId: boolean
  readonly phoneNumberId: string
  readonly callback: string | undefined
  /** Undefined for a text. */
  readonly template: Template | undefined
  /** Whether it was sent with the API for marketing messages. */
  readonly isMarketingApi?: boolean
}

type Pricing = { readonly billable: boolean; readonly pricing_model: 'PMP'; readonly type: string; readonly category: string }

/** Called after the first attempt to deliver the first status of a message, and after the first attempt to deliver the last one. */
export type OnReported = { readonly first?: () => void; readonly last?: () => void }

/** Schedules the statuses of an accepted message. */
export const scheduleStatuses = (
  state: SimulatorState, message: AcceptedMessage, schedule: ReadonlyArray<ScheduledReport>, on: OnReported = {},
): void => {
  const arrives = schedule.some(({ statuses }) => statuses.some(({ status }) => ARRIVALS.includes(status)))
  const pricing = pricingOf(state, message, arrives)
  schedule.forEach((report, index) => {
    const options: DeliveryOptions = {
      afterMs: report.afterMs,
      ...(report.signature && { signature: report.signature }),
      onAttempt: () => {
        if (index === 0) on.first?.()
        if (index === schedule.length - 1) on.last?.()
      },
    }
    const extras = (report.withInbound ? 1 : 0) + (report.pausesTemplate ? 1 : 0)
    state.webhooks.send(1 + extras, () => updatesOf(state, message, report, pricing), options)
  })
}

/** Reports that a voice message was played; the platform reports only the first time. */
export const reportPlayed = (state: SimulatorState, message: AcceptedMessage): void =>
  scheduleStatuses(state, message, [{ afterMs: 0, statuses: [{ status: 'played' }] }])

/** Reports a customer's message and opens the customer service window; returns the message's id. */
export const reportInbound = (
  state: SimulatorState, phoneNumberId: string, customer: Customer, message: CustomerMessage, options: DeliveryOptions = {},
): string => {
  const { wamid, update } = recordInbound(state, phoneNumberId, customer, message)
  state.webhooks.send(1, () => [update], options)
  return wamid
}

const TYPES_OUTSIDE_WINDOW = ['system', 'reaction', 'edit', 'revoke']

/** A message of a customer uses up the throughput of the business number as one to a customer does, and is never refused for it. */
const countThroughput = ({ settings, rateLimits, strictLimits }: SimulatorState, phoneNumberId: string): void => {
  const { throughput } = settings()
  if (throughput !== null) rateLimits.take(phoneNumberId, Math.max(1, throughput), 1000 / throughput)
  strictLimits.countInSecond(phoneNumberId)
}

/** Creates the update for a customer's message, opens the window, and keeps the message so that it can be marked as read. */
const recordInbound = (
  state: SimulatorState, phoneNumberId: string, customer: Customer, message: CustomerMessage,
): ReturnType<typeof inboundUpdate> => {
  const { type = 'text', at = Date.now(), text = null } = message
  const fields = customerFields(state, phoneNumberId, customer)
  const attachment = attachmentOf(state, phoneNumberId, message)
  const reported = inboundUpdate(phoneNumberId, fields, message, { attachment, quoted: quotedBy(state, fields, message) })
  const conversation = conversationOf(phoneNumberId, customer)
  state.customers.converse(customer, phoneNumberId)
  countThroughput(state, phoneNumberId)
  if (!TYPES_OUTSIDE_WINDOW.includes(type)) state.lastInbound.set(conversation, Math.max(at, state.lastInbound.get(conversation) ?? 0))
  state.inboundLog.add(conversation, {
    id: reported.wamid, at, phone_number_id: phoneNumberId, from: fields.number ?? fields.userId, type, text,
    media_id: attachment?.id ?? null,
  })
  const { data: _data, fields: _fields, ...said } = message
  state.chats.add({ _tag: 'Customer', at: Date.now(), conversation, id: reported.wamid, message: said, mediaId: attachment?.id })
  if (message.name !== undefined) state.people.rename(customer.key, message.name)
  return reported
}

/** The named message with its author: the customer, if the simulator reported it as a customer's message; otherwise the business. */
const quotedBy = (
  { inboundLog, account }: SimulatorState, { number, userId }: CustomerFields, { reply_to: id }: CustomerMessage,
): Quoted | undefined =>
  id === undefined ? undefined : { from: inboundLog.find(id) === undefined ? account.displayPhoneNumber : number ?? userId, id }

/** Keeps the attachment of a message, if messages of its type have one. */
const attachmentOf = (
  state: SimulatorState, phoneNumberId: string, { type = 'text', data, mime_type: mimeType, size }: CustomerMessage,
): Attachment | undefined => {
  const sample = Object.hasOwn(SAMPLES, type) ? SAMPLES[type] : undefined
  return sample && state.media.add({
    phoneNumberId, type: mimeType ?? sample.type, data: data === undefined ? sample.data : Buffer.from(data, 'base64'),
    ...(size !== undefined && { size }),
  })
}

const updatesOf = (state: SimulatorState, message: AcceptedMessage, report: ScheduledReport, pricing: Pricing): ReadonlyArray<Update> => {
  for (const reported of report.statuses) {
    state.requestLog.reported(message.wamid, reported.status, billing(reported, pricing))
    state.chats.reported(message.wamid, reported.status, reported.error)
  }
  const { phoneNumberId } = message
  const statuses = report.statuses.map((reported) => statusItem(state, message, reported, pricing))
  const contacts = statusContacts(state, message, report)
  return [
    { field: 'messages', phoneNumberId, value: { ...(contacts.length > 0 && { contacts }), statuses } },
    ...(report.withInbound ? [customerText(state, message)] : []),
    ...(report.pausesTemplate ? pausedTemplate(state, message) : []),
  ]
}

/** The notification of a failure has no contacts, and the notification of `sent` has no username. */
const statusContacts = (state: SimulatorState, { phoneNumberId, customer }: AcceptedMessage, { statuses }: ScheduledReport) => {
  if (statuses.some(({ error }) => error)) return []
  const fields = customerFields(state, phoneNumberId, customer)
  const hasNoNumber = statuses.some(({ bsuidOnly }) => bsuidOnly)
  const hasArrived = statuses.some(({ status }) => ARRIVALS.includes(status))
  return [contactOf({ ...fields, ...(hasNoNumber && { number: undefined }), ...(!hasArrived && { username: undefined }) })]
}

const customerText = (state: SimulatorState, { phoneNumberId, customer }: AcceptedMessage): Update =>
  recordInbound(state, phoneNumberId, customer, { text: 'Thank you!' }).update


const pausedTemplate = ({ templates }: SimulatorState, { template }: AcceptedMessage): ReadonlyArray<Update> =>
  template === undefined ? [] : templates.change(template.name, template.language, { status: 'PAUSED' })
    .flatMap((changed) => changedUpdates(changed, { at: Date.now() }))

const statusItem = (state: SimulatorState, message: AcceptedMessage, reported: ReportedStatus, pricing: Pricing) => {
  const { wamid, customer, isToUserId, phoneNumberId, callback } = message
  const { number, userId } = customerFields(state, phoneNumberId, customer)
  return {
    id: wamid,
    status: reported.status,
    timestamp: secondsOf(Date.now()),
    ...(!reported.bsuidOnly && number !== undefined && { recipient_id: number }),
    ...((!reported.error || isToUserId) && { recipient_user_id: userId }),
    ...(callback !== undefined && echoesCallback(state, reported) && { biz_opaque_callback_data: callback }),
    ...(reported.priced && { pricing: reportedPricing(reported, pricing) }),
    ...(reported.error && { errors: [statusError(reported.error)] }),
    ...(reported.unknownKeys && { recipient_logical_id: '1', internal_1p_only_data: { nested: [{}] }, type: 'message' }),
  }
}

const reportedPricing = ({ otherCategory: isOther }: ReportedStatus, pricing: Pricing): Pricing =>
  (isOther ? { ...pricing, category: otherCategory(pricing.category) } : pricing)

/** How a message is billed: the platform bills messages that arrive. */
const billing = (reported: ReportedStatus, pricing: Pricing): ReceivedMessage['pricing'] => {
  const { type, category } = reportedPricing(reported, pricing)
  return reported.priced && reported.status !== 'sent' ? { type, category } : undefined
}

const otherCategory = (category: string): string => (category === 'marketing' ? 'utility' : 'marketing')

const echoesCallback = (state: SimulatorState, { error, withoutCallback }: ReportedStatus): boolean =>
  !withoutCallback && (!error || state.settings().callbackOnFailed)

/** The free tier counts the texts of a business number that arrive in a calendar month. How the platform reports texts within it is not confirmed. */
const pricingOf = (
  { pricedTexts, settings }: SimulatorState, { phoneNumberId, customer, template, isMarketingApi = false }: AcceptedMessage,
  arrives: boolean,
): Pricing => {
  if (template !== undefined) {
    const isAbroad = template.category === 'AUTHENTICATION'
      && settings().internationalAuthentication.some((prefix) => customer.number?.startsWith(prefix))
    return {
      billable: true,
      pricing_model: 'PMP',
      type: 'regular',
      category: isAbroad ? 'authentication_international' : isMarketingApi ? 'marketing_lite' : template.category.toLowerCase(),
    }
  }
  const month = `${phoneNumberId} ${new Date().toISOString().slice(0, 7)}`
  const before = pricedTexts.get(month) ?? 0
  if (arrives) pricedTexts.set(month, before + 1)
  const isFree = before < settings().freeTier
  return { billable: !isFree, pricing_model: 'PMP', type: isFree ? 'free_customer_service' : 'regular', category: 'service' }
}
