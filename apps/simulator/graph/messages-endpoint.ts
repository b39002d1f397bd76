import type { IncomingMessage, ServerResponse } from 'node:http'
import { sendBrokenResponse } from '../faults/broken-response.js'
import type { ReportFault } from '../faults/faults.js'
import { graphErrorReply, graphReply, type GraphContext } from './reply.js'
import { readBody, write } from '../http.js'
import { statusSchedule } from '../webhooks/status-schedule.js'
import { scheduleStatuses, type AcceptedMessage } from '../webhooks/report.js'
import { summarizeRequest } from './check-request.js'
import { isPacing, sendOutcome, type AcceptedOutcome } from './send-outcome.js'
import { outboundWamid } from './wamid.js'
import { usageOf, type SimulatorState } from '../state.js'

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
    return void request.socket.resetAndDestroy()
  }
  const body = await readBody(request)
  const exchange: HttpExchange = { request, response, context: { version, objectId: phoneNumberId, usage: usageOf(state, phoneNumberId) } }
  const outcome = sendOutcome(state, { phoneNumberId, authorization: request.headers.authorization, body }, drawn)
  const logEntry = () => ({ at, phoneNumberId, outcome: 'refused', ...summarizeRequest(body), statuses: [] }) as const
  switch (outcome._tag) {
    case 'MarkedRead':
      return write(response, graphReply(exchange.context, { success: true }))
    case 'Refused':
      state.requestLog.add({ ...logEntry(), code: outcome.error.code, faults: outcome.faults })
      return write(response, graphErrorReply(exchange.context, outcome.error))
    case 'Broken':
      state.requestLog.add({ ...logEntry(), faults: outcome.faults })
      return sendBrokenResponse(outcome.how, state, request, response, graphReply(exchange.context, {}))
    case 'Accepted':
      return accept(state, exchange, outcome, at)
  }
}

const accept = async (state: SimulatorState, { request, response, context }: HttpExchange, outcome: AcceptedOutcome, at: number): Promise<void> => {
  const { message: { to, callback, content }, waId, broken, faults } = outcome
  const wamid = outboundWamid(waId)
  const template = content.type === 'template' ? content.template : undefined
  state.requestLog.add({
    at, phoneNumberId: context.objectId, outcome: 'accepted', to, type: content.type, wamid, faults, statuses: [],
    text: content.type === 'text' ? content.text : `${content.template.name} (${content.template.language})`,
    ...(callback !== undefined && { callback }),
  })
  await reportStatuses(state, { wamid, waId, phoneNumberId: context.objectId, callback, template }, outcome.report)
  const reply = broken?.error ? graphErrorReply(context, broken.error) : graphReply(context, acceptedBody(outcome, wamid))
  if (broken === undefined) write(response, reply)
  else sendBrokenResponse(broken.how, state, request, response, reply)
}

/** Schedules the statuses; if one must arrive before the reply, waits until its notification was answered or failed. */
const reportStatuses = async (state: SimulatorState, accepted: AcceptedMessage, fault: ReportFault | undefined): Promise<void> => {
  const schedule = statusSchedule(fault, state.settings().delays)
  if (fault?.name !== 'statusBeforeReply') return scheduleStatuses(state, accepted, schedule)
  await new Promise<void>((resolve) => {
    state.timers.after(LONGEST_REPLY_DELAY_MS, resolve)
    scheduleStatuses(state, accepted, schedule, resolve)
  })
}

const acceptedBody = ({ message: { input, content }, waId, report: fault }: AcceptedOutcome, wamid: string) => ({
  messaging_product: 'whatsapp',
  contacts: [{ input, wa_id: waId }],
  messages: [{
    id: wamid,
    ...(content.type === 'template' && { message_status: fault && isPacing(fault) ? 'held_for_quality_assessment' : 'accepted' }),
  }],
})
