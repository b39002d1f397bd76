import type { IncomingMessage, ServerResponse } from 'node:http'
import { sendBrokenResponse } from '../faults/broken-response.js'
import { magicChange } from '../faults/customer-changes.js'
import type { ReportFault } from '../faults/faults.js'
import { graphErrorReply, graphReply, type GraphContext } from './reply.js'
import { abandon, readBody, write } from '../http.js'
import { statusSchedule } from '../webhooks/status-schedule.js'
import { scheduleStatuses, type AcceptedMessage } from '../webhooks/report.js'
import { summarizeRequest, type Content, type ParsedMessage } from './check-request.js'
import { isPacing, sendOutcome, type AcceptedOutcome } from './send-outcome.js'
import { outboundWamid } from './wamid.js'
import { conversationOf, usageOf, userIdFor, waIdFor, type SimulatorState } from '../state.js'

/** How long a reply waits at most for a status that must arrive before it. */
const LONGEST_REPLY_DELAY_MS = 5_000

type HttpExchange = { readonly request: IncomingMessage; readonly response: ServerResponse; readonly context: GraphContext }

/** Answers one request of the messages endpoint, correctly or with a fault, and schedules the statuses of its message. */
export const answerMessages = async (
  state: SimulatorState, { version, phoneNumberId }: { readonly version: string; readonly phoneNumberId: string },
  request: IncomingMessage, response: ServerResponse,
): Promise<void> => {
  const at = Date.now()
  // Each request draws exactly once and first, so that the n-th request always meets the n-th random faults.
  const drawn = state.randomFaults().draw()
  if (drawn.answer?.name === 'resetEarly') {
    state.requestLog.add({ at, phoneNumberId, outcome: 'refused', to: '', type: '', faults: ['resetEarly'], statuses: [] })
    return abandon(request, 'reset')
  }
  const body = await readBody(request)
  const exchange: HttpExchange = { request, response, context: { version, objectId: phoneNumberId, usage: usageOf(state, phoneNumberId) } }
  const outcome = sendOutcome(state, { phoneNumberId, authorization: request.headers.authorization, body }, drawn)
  const logEntry = () => ({ at, phoneNumberId, outcome: 'refused', ...summarizeRequest(body), statuses: [] }) as const
  const noteRefusal = (why: string): void => {
    const { to, recipient = '' } = summarizeRequest(body)
    const id = to === '' ? recipient : to
    if (id !== '') state.chats.add({ _tag: 'Refused', at, phoneNumberId, to: waIdFor(state, id), why })
  }
  switch (outcome._tag) {
    case 'MarkedRead':
      return write(response, graphReply(exchange.context, { success: true }))
    case 'Refused':
      state.requestLog.add({ ...logEntry(), code: outcome.error.code, faults: outcome.faults })
      noteRefusal(`The platform refused a message of the business: ${outcome.error.code}, ${outcome.error.title}`)
      return write(response, graphErrorReply(exchange.context, outcome.error))
    case 'Broken':
      state.requestLog.add({ ...logEntry(), faults: outcome.faults })
      noteRefusal('The platform took no message, and the business got no proper answer')
      return sendBrokenResponse(outcome.how, state, request, response, graphReply(exchange.context, {}))
    case 'Dropped': {
      const wamid = outboundWamid(outcome.message.address.input)
      state.requestLog.add({ ...logEntry(), outcome: 'accepted', wamid, text: textOf(outcome.message.content), faults: ['userIdInTo'] })
      return write(response, graphReply(exchange.context, acceptedBody(outcome.message, wamid)))
    }
    case 'Accepted': {
      const { message, customer, faults } = outcome
      const { address, content } = message
      const wamid = outboundWamid(address._tag === 'Number' ? customer.number ?? address.number : address.input)
      const userId = userIdFor(state, phoneNumberId, customer)
      state.requestLog.add({ ...logEntry(), outcome: 'accepted', wamid, userId, text: textOf(content), faults })
      state.chats.add({
        _tag: 'Business', at, conversation: conversationOf(phoneNumberId, customer), id: wamid, body,
        template: content.type === 'template' ? content.template : undefined, statuses: [], failure: undefined,
      })
      return accept(state, exchange, outcome, wamid)
    }
  }
}

const textOf = (content: Content): string => (content.type === 'text' ? content.text : `${content.template.name} (${content.template.language})`)

const accept = async (state: SimulatorState, { request, response, context }: HttpExchange, outcome: AcceptedOutcome, wamid: string): Promise<void> => {
  const { message, customer, broken, report } = outcome
  // The customer may have another number once the statuses are scheduled.
  const accepted = acceptedBody(message, wamid, { waId: customer.number, isHeld: report !== undefined && isPacing(report) })
  state.customers.converse(customer, context.objectId)
  state.inboundLog.answered(conversationOf(context.objectId, customer))
  await reportStatuses(state, {
    wamid, customer, isToUserId: message.address._tag === 'UserId', phoneNumberId: context.objectId, callback: message.callback,
    template: message.content.type === 'template' ? message.content.template : undefined,
  }, report)
  const reply = broken?.error ? graphErrorReply(context, broken.error) : graphReply(context, accepted)
  if (broken === undefined) write(response, reply)
  else sendBrokenResponse(broken.how, state, request, response, reply)
}

/** Schedules the statuses; if one must arrive before the reply, waits until its notification was answered or failed. */
const reportStatuses = async (state: SimulatorState, accepted: AcceptedMessage, fault: ReportFault | undefined): Promise<void> => {
  const schedule = statusSchedule(fault, state.settings().delays)
  const { customer, phoneNumberId } = accepted
  const change = magicChange(customer.number)
  if (change?.first) change.happen(state, customer, phoneNumberId)
  const last = (): void => {
    if (!change?.first) change?.happen(state, customer, phoneNumberId)
  }
  if (fault?.name !== 'statusBeforeReply') return scheduleStatuses(state, accepted, schedule, { last })
  await new Promise<void>((resolve) => {
    state.timers.after(LONGEST_REPLY_DELAY_MS, resolve)
    scheduleStatuses(state, accepted, schedule, { first: resolve, last })
  })
}

/** The answer to an accepted message. It names the `wa_id` of a number, and the user id that is in the request. */
const acceptedBody = (
  { address, content }: ParsedMessage, wamid: string, { waId, isHeld = false }: { readonly waId?: string | undefined; readonly isHeld?: boolean } = {},
) => ({
  messaging_product: 'whatsapp',
  contacts: [{
    input: address.input,
    ...(address._tag === 'Number' && { wa_id: waId ?? address.number }), ...(address.userId !== undefined && { user_id: address.userId }),
  }],
  messages: [{ id: wamid, ...(content.type === 'template' && { message_status: isHeld ? 'held_for_quality_assessment' : 'accepted' }) }],
})
