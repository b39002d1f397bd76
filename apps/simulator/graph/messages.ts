import type { IncomingMessage, ServerResponse } from 'node:http'
import * as E from 'fp-ts/lib/Either.js'
import type { ReceivedMessage } from '../control/logs.js'
import type { Customer } from '../customers.js'
import { sendBrokenResponse } from '../faults/broken-response.js'
import { magicChange } from '../faults/customer-changes.js'
import {
  type AnswerFault, type BrokenResponse, type DrawnFaults, isAnswerFault, magicFault, marketingStopped, noReaction, type ReportFault,
  undeliverable, windowClosed,
} from '../faults/faults.js'
import { abandon, isObject, parseJson, readBody, write } from '../http.js'
import { digitsOf, isUserId, outboundWamid } from '../ids.js'
import { conversationOf, isAuthorised, isPhoneNumberId, portfolioOf, type SimulatorState, usageOf, userIdFor, waIdFor } from '../state.js'
import { checkComponents } from '../templates/check.js'
import type { Template } from '../templates/template.js'
import type { Templates } from '../templates/templates.js'
import { type AcceptedMessage, scheduleStatuses, statusSchedule } from '../webhooks/report.js'
import { checkContext, checkFreeForm, type FreeForm, isFreeFormType } from './free-form.js'
import { mediaError, mediaFault } from './media.js'
import {
  badToken, type GraphContext, graphError, type GraphError, graphErrorReply, graphReply, invalidParameter, unknownObject,
} from './reply.js'

/** A valid request of the messages endpoint: a message to send, or a customer's message to mark as read. */
export type ParsedRequest = ParsedMessage | { readonly _tag: 'MarkRead'; readonly id: string; readonly typing: boolean }

export type ParsedMessage = {
  readonly _tag: 'Message'
  readonly address: Address
  readonly callback: string | undefined
  readonly content: Content
}

/** The recipient, and `input`: the text of the request. If a request has `to` and `recipient`, `to` is used. */
export type Address =
  /** A number in `to`, as digits; perhaps with a user id. */
  | { readonly _tag: 'Number'; readonly input: string; readonly number: string; readonly userId: string | undefined }
  /** A user id in `recipient`. */
  | { readonly _tag: 'UserId'; readonly input: string; readonly userId: string }
  /** A user id in `to`: the platform accepts the request and drops the message. */
  | { readonly _tag: 'Dropped'; readonly input: string; readonly userId: string }

export type Content = FreeForm | { readonly type: 'template'; readonly template: Template }

type Fields = Readonly<Record<string, unknown>>
type Checked<A> = E.Either<GraphError, A>

const LONGEST_CALLBACK = 512

/** Reads a request as the platform does; left: the platform's error. */
export const checkRequest = (body: string, templates: Pick<Templates, 'find'>): Checked<ParsedRequest> => {
  const fields = parseJson(body)
  if (!isObject(fields)) return E.left(graphError(100, 'The request body is not a JSON object'))
  const { messaging_product: product } = fields
  if (product === undefined) return E.left(invalidParameter('The parameter messaging_product is required.'))
  if (product !== 'whatsapp') return E.left(invalidParameter('Param messaging_product must be one of {WHATSAPP}'))
  if (fields['status'] !== undefined) return checkMarkRead(fields)
  return checkMessage(fields, templates)
}

/** The parts of a valid or invalid request that describe its message; only for display. */
export const summarizeRequest = (body: string): Pick<ReceivedMessage, 'to' | 'recipient' | 'type' | 'callback'> => {
  const fields = parseJson(body)
  const text = (key: string): string | undefined => (isObject(fields) && typeof fields[key] === 'string' ? fields[key] : undefined)
  const to = text('to') ?? ''
  const [callback, recipient] = [text('biz_opaque_callback_data'), text('recipient')]
  return {
    to: digitsOf(to) ?? to, type: text('type') ?? '', ...(recipient !== undefined && { recipient }),
    ...(callback !== undefined && { callback }),
  }
}

const checkMarkRead = ({ status, message_id: id, typing_indicator: typing }: Fields): Checked<ParsedRequest> => {
  if (status !== 'read' || typeof id !== 'string' || !id.startsWith('wamid.')) {
    return E.left(graphError(131009, 'A customer\'s message is marked with the status read and its message_id'))
  }
  if (typing !== undefined && (!isObject(typing) || typing['type'] !== 'text')) return E.left(invalidParameter('Param typing_indicator[\'type\'] must be one of {TEXT}'))
  return E.right({ _tag: 'MarkRead', id, typing: typing !== undefined })
}

const checkMessage = (fields: Fields, templates: Pick<Templates, 'find'>): Checked<ParsedMessage> => {
  const { type, recipient_type: kind = 'individual', biz_opaque_callback_data: callback } = fields
  const address = checkAddress(fields)
  if (E.isLeft(address)) return address
  if (kind !== 'individual') return E.left(invalidParameter('Param recipient_type must be one of {INDIVIDUAL}'))
  if (callback !== undefined && (typeof callback !== 'string' || callback.length > LONGEST_CALLBACK)) {
    return E.left(invalidParameter(`Param biz_opaque_callback_data must be a string of at most ${LONGEST_CALLBACK} characters.`))
  }
  const content = checkContent(type, fields, templates)
  if (E.isLeft(content)) return content
  const wrongContext = checkContext(type, fields['context'])
  if (wrongContext !== undefined) return E.left(wrongContext)
  return needsNumber(content.right) && address.right._tag === 'UserId'
    ? E.left(graphError(131062, 'Business-scoped User ID (BSUID) recipients are not supported for this message.'))
    : E.right({ _tag: 'Message', address: address.right, callback, content: content.right })
}

const needsNumber = (content: Content): boolean => content.type === 'template' && content.template.category === 'AUTHENTICATION'

const checkAddress = ({ to, recipient }: Fields): Checked<Address> => {
  if (recipient !== undefined && typeof recipient !== 'string') return E.left(invalidParameter('Param recipient must be a string.'))
  if (to === undefined || to === '') return checkRecipient(recipient)
  if (typeof to !== 'string') return E.left(invalidParameter('Param to must be a string.'))
  if (isUserId(to)) return E.right({ _tag: 'Dropped', input: to, userId: to })
  const number = digitsOf(to)
  return number === undefined
    ? E.left(graphError(131009, 'The recipient phone number is not valid'))
    : E.right({ _tag: 'Number', input: to, number, userId: recipient })
}

const checkRecipient = (recipient: string | undefined): Checked<Address> => {
  if (recipient === undefined || recipient === '') return E.left(invalidParameter('The parameter to is required.'))
  return isUserId(recipient)
    ? E.right({ _tag: 'UserId', input: recipient, userId: recipient })
    : E.left(graphError(131009, 'The recipient user id is not valid'))
}

const checkContent = (type: unknown, fields: Fields, templates: Pick<Templates, 'find'>): Checked<Content> => {
  if (type === undefined) return E.left(graphError(131008, 'The parameter type is missing'))
  if (type === 'template') return checkTemplate(fields['template'], templates)
  return isFreeFormType(type) ? checkFreeForm(type, fields) : E.left(graphError(131051, 'This message type is not supported'))
}

const checkTemplate = (asked: unknown, templates: Pick<Templates, 'find'>): Checked<Content> => {
  if (!isObject(asked) || typeof asked['name'] !== 'string') return E.left(graphError(131008, 'template.name is missing'))
  const { name, language } = asked
  if (!isObject(language) || typeof language['code'] !== 'string') {
    return E.left(graphError(131008, 'template.language.code is missing'))
  }
  if ((language['policy'] ?? 'deterministic') !== 'deterministic') {
    return E.left(graphError(131009, 'template.language.policy is deterministic or left out'))
  }
  const template = templates.find(name, language['code'])
  if (template?.status === 'PAUSED') return E.left(graphError(132015, `template ${name} is paused`))
  if (template?.status === 'DISABLED') return E.left(graphError(132016, `template ${name} is disabled`))
  if (template?.status !== 'APPROVED') {
    return E.left(graphError(132001, `template name (${name}) does not exist in ${language['code']}`))
  }
  const filled = checkComponents(template, asked['components'])
  return E.isLeft(filled) ? filled : E.right({ type: 'template', template })
}

/** The outcome of a request: an error, a broken response without an accepted message, a message that is answered as accepted and then dropped, or an accepted message. */
export type SendOutcome =
  | { readonly _tag: 'Refused'; readonly error: GraphError; readonly faults: ReadonlyArray<string> }
  | { readonly _tag: 'Broken'; readonly how: BrokenResponse; readonly faults: ReadonlyArray<string> }
  | { readonly _tag: 'MarkedRead' }
  | { readonly _tag: 'Dropped'; readonly message: ParsedMessage }
  | AcceptedOutcome

/** An accepted message, with the faults of its answer and of its statuses. */
export type AcceptedOutcome = {
  readonly _tag: 'Accepted'
  readonly message: ParsedMessage
  readonly customer: Customer
  readonly broken: Extract<AnswerFault, { _tag: 'Broken' }> | undefined
  readonly report: ReportFault | undefined
  readonly faults: ReadonlyArray<string>
}

/** A request, perhaps to `marketing_messages`. */
type SendRequest = {
  readonly phoneNumberId: string
  readonly authorization: string | undefined
  readonly body: string
  readonly isMarketingApi?: boolean
}
type AddressedMessage = {
  readonly phoneNumberId: string
  readonly customer: Customer
  readonly conversation: string
  /** The digits of the customer's number: from the request, or known for the user id. */
  readonly number: string | undefined
  readonly message: ParsedMessage
}

const DAY_MS = 24 * 3_600_000
const PAIR_BURST = 45
const PAIR_REFILL_MS = 6_000

/** Decides about a request in the platform's order: token, business number, the request itself, then faults and limits. */
export const sendOutcome = (
  state: SimulatorState, { phoneNumberId, authorization, body, isMarketingApi = false }: SendRequest, drawn: DrawnFaults,
): SendOutcome => {
  if (!isAuthorised(state, authorization)) return refused(badToken)
  if (!isPhoneNumberId(state, phoneNumberId)) return refused(unknownObject(phoneNumberId, 'post'))
  const checked = checkRequest(body, state.templates)
  if (E.isLeft(checked)) return refused(checked.left)
  const message = checked.right
  if (isMarketingApi && (message._tag === 'MarkRead' || !isMarketing(message.content))) return refused(graphError(134100))
  if (message._tag === 'MarkRead') return markRead(state, phoneNumberId, message)
  const wrongMedia = message.content.type === 'template' ? undefined : mediaError(state, phoneNumberId, message.content.media)
  if (wrongMedia !== undefined) return refused(wrongMedia)
  if (message.address._tag === 'Dropped') return { _tag: 'Dropped', message }
  const customer = addressee(state, phoneNumberId, message.address)
  const number = message.address._tag === 'Number' ? message.address.number : customer.number
  return messageOutcome(state, { phoneNumberId, customer, conversation: conversationOf(phoneNumberId, customer), number, message }, drawn)
}

/** The code for a message that the business number never received is not confirmed. */
const markRead = (
  state: SimulatorState, phoneNumberId: string, { id, typing }: Extract<ParsedRequest, { _tag: 'MarkRead' }>,
): SendOutcome =>
  state.inboundLog.markRead({ phoneNumberId, id, typing }, Date.now())
    ? { _tag: 'MarkedRead' }
    : refused(graphError(131009, 'This business number received no message with that message_id'))

const addressee = (state: SimulatorState, phoneNumberId: string, address: Address): Customer =>
  address._tag === 'Number'
    ? state.customers.withNumber(waIdFor(state, address.number))
    : state.customers.withUserId(address.userId, portfolioOf(state, phoneNumberId))

const refused = (error: GraphError, faults: ReadonlyArray<string> = []): SendOutcome => ({ _tag: 'Refused', error, faults })

const messageOutcome = (state: SimulatorState, addressed: AddressedMessage, drawn: DrawnFaults): SendOutcome => {
  const { answer, report } = faultsOf(state, addressed, drawn)
  const faults = [answer, report].flatMap((fault) => (fault ? [fault.name] : []))
  if (answer?._tag === 'Refused') return refused(forRequest(state, addressed, answer.error), faults)
  const limit = limitError(state, addressed)
  if (limit !== undefined) return refused(limit)
  if (answer !== undefined && !answer.accepts) return { _tag: 'Broken', how: answer.how, faults }
  return { _tag: 'Accepted', message: addressed.message, customer: addressed.customer, broken: answer, report, faults }
}

/** A magic recipient gets only its own fault; every other recipient gets the random faults. */
const faultsOf = (state: SimulatorState, addressed: AddressedMessage, drawn: DrawnFaults): DrawnFaults => {
  const { conversation, number, message: { content } } = addressed
  const magic = number === undefined ? undefined : magicFault(number)
  const { answer, report } = magic === undefined ? drawn
    : isAnswerFault(magic) ? { answer: magic, report: undefined } : { answer: undefined, report: magic }
  const fits = report !== undefined && (content.type === 'template' || !isPacing(report))
  const applies = fits && !wasRefusedOnce(state, conversation, report)
  return { answer, report: applies ? report : failureOf(state, addressed) }
}

/** Why a message without a fault fails nevertheless. */
const failureOf = (state: SimulatorState, { customer, conversation, message: { content } }: AddressedMessage): ReportFault | undefined => {
  if (customer.isGone) return undeliverable
  if (customer.hasStoppedMarketing && isMarketing(content)) return marketingStopped
  if (isOutsideWindow(state, 'failed', conversation, content.type)) return windowClosed
  return content.type === 'template' ? undefined : failureOfContent(state, conversation, content)
}

const failureOfContent = (state: SimulatorState, conversation: string, { media, reactionTo }: FreeForm): ReportFault | undefined => {
  if (reactionTo !== undefined && !takesReaction(state, conversation, reactionTo)) return noReaction
  return mediaFault(state, media)
}

const REACTION_MS = 30 * DAY_MS

/** Whether a customer's message accepts a reaction: it was received, is recent enough, is not a reaction itself, and was not deleted. */
const takesReaction = (state: SimulatorState, conversation: string, id: string): boolean => {
  const target = state.inboundLog.find(id)
  const [phoneNumberId] = conversation.split(' ')
  return target !== undefined && target.phone_number_id === phoneNumberId && target.type !== 'reaction'
    && state.ageOf(target.at) < REACTION_MS
    && !state.chats.all().some((entry) => entry._tag === 'Customer' && entry.message.type === 'revoke' && entry.message.reply_to === id)
}

const isMarketing = (content: Content): boolean => content.type === 'template' && content.template.category === 'MARKETING'

/** Whether a fault belongs to template pacing, which does not apply to texts. */
export const isPacing = ({ name }: ReportFault): boolean => name === 'paced' || name === 'pacedDropped'

/** Each conversation gets a spurious 131047 once. */
const wasRefusedOnce = ({ refusedOnce }: SimulatorState, conversation: string, { name }: ReportFault): boolean => {
  if (name !== 'spurious131047') return false
  const wasRefused = refusedOnce.has(conversation)
  refusedOnce.add(conversation)
  return wasRefused
}

const isWindowClosed = ({ lastInbound }: SimulatorState, conversation: string): boolean =>
  Date.now() - (lastInbound.get(conversation) ?? 0) >= DAY_MS

const isOutsideWindow = (
  state: SimulatorState, mode: 'failed' | 'refused', conversation: string, type: string,
): boolean =>
  type !== 'template' && state.settings().windows === mode && isWindowClosed(state, conversation)

const limitError = (
  state: SimulatorState, { phoneNumberId, conversation, number, message: { content } }: AddressedMessage,
): GraphError | undefined => {
  const { throughput, strictSeconds, throttleStatus, pairLimit, messagingLimit, allowedRecipients } = state.settings()
  if (number === state.account.displayPhoneNumber) return graphError(131021, 'Recipient and sender are the same')
  if (allowedRecipients !== null && !allowedRecipients.includes(number ?? '')) {
    return graphError(131030, 'Recipient phone number not in allowed list: add it to the list and try again')
  }
  const isBucketEmpty = throughput !== null && !state.rateLimits.take(phoneNumberId, Math.max(1, throughput), 1000 / throughput)
  const isSecondFull = throughput !== null && strictSeconds && state.strictLimits.countInSecond(phoneNumberId) > Math.max(1, throughput)
  if (isBucketEmpty || isSecondFull) {
    return { ...graphError(130429, 'Cloud API message throughput has been reached'), status: throttleStatus }
  }
  if (pairLimit && !state.rateLimits.take(conversation, PAIR_BURST, PAIR_REFILL_MS)) {
    return graphError(131056, 'Too many messages sent to the same recipient in a short time')
  }
  if (messagingLimit !== null && isWindowClosed(state, conversation)
    && !state.strictLimits.reach(portfolioOf(state, phoneNumberId), conversation.slice(phoneNumberId.length), messagingLimit)) {
    return graphError(131048, 'The messaging limit is reached: the number of customers outside their windows in 24 hours')
  }
  if (isOutsideWindow(state, 'refused', conversation, content.type)) {
    return graphError(131047, 'More than 24 hours have passed since the recipient last replied')
  }
  return content.type === 'template' ? undefined : abilityError(state, conversation, content)
}

const CALL_REQUESTS = [[1, DAY_MS], [2, 7 * DAY_MS]] as const

/** The refusal of a message that needs an ability of the business number. The code for a customer who was asked for calls too often is not confirmed. */
const abilityError = (state: SimulatorState, conversation: string, { interactive }: FreeForm): GraphError | undefined => {
  const { flows, calling } = state.settings()
  if (interactive === 'flow' && flows !== 'sent') return graphError(flows === 'blocked' ? 132068 : 132069)
  if (interactive === 'voice_call' && !calling) return graphError(138000, 'Calling is not enabled for this phone number')
  if (interactive !== 'call_permission_request') return undefined
  if (!calling) return graphError(138018, 'Calling is not enabled for this phone number, so it cannot ask for the permission')
  const asked = state.callRequests.get(conversation) ?? []
  const isTooMany = CALL_REQUESTS.some(([most, ms]) => asked.filter((at) => state.ageOf(at) < ms).length >= most)
  return isTooMany ? graphError(138009, 'A customer can be asked once a day and twice in 7 days') : undefined
}

/** The error of a fault, completed with values of this request. */
const forRequest = (state: SimulatorState, { phoneNumberId }: AddressedMessage, error: GraphError): GraphError => {
  if (error.subcode === 33) return unknownObject(phoneNumberId, 'post')
  return error.code === 130429 ? { ...error, status: state.settings().throttleStatus } : error
}

/** The maximum time that a reply waits for a status that must arrive before it. */
const LONGEST_REPLY_DELAY_MS = 5_000

type HttpExchange = { readonly request: IncomingMessage; readonly response: ServerResponse; readonly context: GraphContext }

/** Answers one request to the messages endpoint, correctly or with a fault, and schedules the statuses of its message. */
export const answerMessages = async (
  state: SimulatorState,
  { version, phoneNumberId, isMarketingApi = false }: {
    readonly version: string
    readonly phoneNumberId: string
    readonly isMarketingApi?: boolean
  },
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
  const outcome = sendOutcome(state, { phoneNumberId, authorization: request.headers.authorization, body, isMarketingApi }, drawn)
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
      return accept(state, exchange, { ...outcome, isMarketingApi }, wamid)
    }
  }
}

const textOf = (content: Content): string =>
  content.type === 'template' ? `${content.template.name} (${content.template.language})` : content.text

const accept = async (
  state: SimulatorState, { request, response, context }: HttpExchange, outcome: AcceptedOutcome & { readonly isMarketingApi: boolean },
  wamid: string,
): Promise<void> => {
  const { message, customer, broken, report, isMarketingApi } = outcome
  // The customer may have another number when the statuses are scheduled.
  const accepted = acceptedBody(message, wamid, { waId: customer.number, isHeld: report !== undefined && isPacing(report) })
  state.customers.converse(customer, context.objectId)
  const conversation = conversationOf(context.objectId, customer)
  state.inboundLog.answered(conversation)
  if (message.content.type === 'interactive' && message.content.interactive === 'call_permission_request') {
    state.callRequests.set(conversation, [...(state.callRequests.get(conversation) ?? []).slice(-1), Date.now()])
  }
  await reportStatuses(state, {
    wamid, customer, isToUserId: message.address._tag === 'UserId', phoneNumberId: context.objectId, callback: message.callback,
    template: message.content.type === 'template' ? message.content.template : undefined, isMarketingApi,
  }, report, message.content.type === 'reaction')
  const reply = broken?.error ? graphErrorReply(context, broken.error) : graphReply(context, accepted)
  if (broken === undefined) write(response, reply)
  else sendBrokenResponse(broken.how, state, request, response, reply)
}

/** Schedules the statuses; if one must arrive before the reply, waits until its notification was answered or failed. */
const reportStatuses = async (
  state: SimulatorState, accepted: AcceptedMessage, fault: ReportFault | undefined, isReaction: boolean,
): Promise<void> => {
  const schedule = statusSchedule(fault, state.settings().delays, isReaction)
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

/** The response for an accepted message. It contains the `wa_id` of a number, and the user id of the request. */
const acceptedBody = (
  { address, content }: ParsedMessage, wamid: string,
  { waId, isHeld = false }: { readonly waId?: string | undefined; readonly isHeld?: boolean } = {},
) => ({
  messaging_product: 'whatsapp',
  contacts: [{
    input: address.input,
    ...(address._tag === 'Number' && { wa_id: waId ?? address.number }), ...(address.userId !== undefined && { user_id: address.userId }),
  }],
  messages: [{ id: wamid, ...(content.type === 'template' && { message_status: isHeld ? 'held_for_quality_assessment' : 'accepted' }) }],
})
