import type { IncomingMessage, ServerResponse } from 'node:http'
import { answerBroken } from './break.js'
import type { ReportFault } from './faults.js'
import { graphErrorReply, graphReply, type GraphContext } from './graph-reply.js'
import { readBody, write } from './http.js'
import { planOf } from './plan.js'
import { reportAll, type Accepted } from './report.js'
import { sketchRequest } from './request-check.js'
import { isPacing, judge, type Taken } from './verdict.js'
import { outboundWamid } from './wamid.js'
import type { World } from './world.js'

/** How long a reply waits for a status that is to come before it. */
const REPLY_WAITS_MS = 5_000

type Wire = { readonly request: IncomingMessage; readonly response: ServerResponse; readonly context: GraphContext }

/** Answers one request of the messages endpoint, well or as a fault wants it, and schedules what is reported on it. */
export const exchange = async (
  world: World, { version, phoneNumberId }: { readonly version: string; readonly phoneNumberId: string },
  request: IncomingMessage, response: ServerResponse,
): Promise<void> => {
  const at = Date.now()
  // Chance is asked before anything else, so that the n-th request always gets the n-th answer of the dice.
  const rolled = world.dice().roll()
  if (rolled.answer?.name === 'resetEarly') {
    world.journal.add({ at, phoneNumberId, outcome: 'refused', to: '', type: '', faults: ['resetEarly'], statuses: [] })
    return void request.socket.resetAndDestroy()
  }
  const body = await readBody(request)
  const wire: Wire = { request, response, context: { version, objectId: phoneNumberId, usage: usageOf(world, phoneNumberId) } }
  const verdict = judge(world, { phoneNumberId, authorization: request.headers.authorization, body }, rolled)
  const note = () => ({ at, phoneNumberId, outcome: 'refused', ...sketchRequest(body), statuses: [] }) as const
  switch (verdict._tag) {
    case 'MarkedRead':
      return write(response, graphReply(wire.context, { success: true }))
    case 'Refused':
      world.journal.add({ ...note(), code: verdict.error.code, faults: verdict.faults })
      return write(response, graphErrorReply(wire.context, verdict.error))
    case 'Lost':
      world.journal.add({ ...note(), faults: verdict.faults })
      return answerBroken(verdict.how, world, request, response, graphReply(wire.context, {}))
    case 'Taken':
      return take(world, wire, verdict, at)
  }
}

/** How much of its throughput a business number uses, in percent; 1 where there is no limit. */
export const usageOf = ({ limits, settings }: World, phoneNumberId: string): number => {
  const { throughput } = settings()
  return throughput === null ? 1 : limits.usage(phoneNumberId, Math.max(1, throughput), 1000 / throughput)
}

const take = async (world: World, { request, response, context }: Wire, taken: Taken, at: number): Promise<void> => {
  const { message: { to, callback, content }, waId, broken, faults } = taken
  const wamid = outboundWamid(waId)
  const template = content.type === 'template' ? content.template : undefined
  world.journal.add({
    at, phoneNumberId: context.objectId, outcome: 'accepted', to, type: content.type, wamid, faults, statuses: [],
    text: content.type === 'text' ? content.text : `${content.template.name} (${content.template.language})`,
    ...(callback !== undefined && { callback }),
  })
  await report(world, { wamid, waId, phoneNumberId: context.objectId, callback, template }, taken.report)
  const reply = broken?.error ? graphErrorReply(context, broken.error) : graphReply(context, acceptedBody(taken, wamid))
  if (broken === undefined) write(response, reply)
  else answerBroken(broken.how, world, request, response, reply)
}

/** Schedules the statuses; where one is to overtake the reply, waits until it was delivered or refused. */
const report = async (world: World, accepted: Accepted, fault: ReportFault | undefined): Promise<void> => {
  const plan = planOf(fault, world.settings().delays)
  if (fault?.name !== 'statusBeforeReply') return reportAll(world, accepted, plan)
  await new Promise<void>((resolve) => {
    world.timers.after(REPLY_WAITS_MS, resolve)
    reportAll(world, accepted, plan, resolve)
  })
}

const acceptedBody = ({ message: { input, content }, waId, report: fault }: Taken, wamid: string) => ({
  messaging_product: 'whatsapp',
  contacts: [{ input, wa_id: waId }],
  messages: [{
    id: wamid,
    ...(content.type === 'template' && { message_status: fault && isPacing(fault) ? 'held_for_quality_assessment' : 'accepted' }),
  }],
})
