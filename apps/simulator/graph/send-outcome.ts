import * as E from 'fp-ts/lib/Either.js'
import type { DrawnFaults } from '../faults/random-faults.js'
import {
  isAnswerFault, magicFault, marketingStopped, undeliverable, windowClosed, type AnswerFault, type BrokenResponse, type ReportFault,
} from '../faults/faults.js'
import type { Customer } from '../customers.js'
import { badToken, graphError, unknownObject, type GraphError } from './error.js'
import { checkRequest, type Address, type Content, type ParsedMessage, type ParsedRequest } from './check-request.js'
import { conversationOf, isAuthorised, isPhoneNumberId, portfolioOf, waIdFor, type SimulatorState } from '../state.js'

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

type SendRequest = { readonly phoneNumberId: string; readonly authorization: string | undefined; readonly body: string }
type AddressedMessage = {
  readonly phoneNumberId: string
  readonly customer: Customer
  readonly conversation: string
  /** The digits of the customer's number: those of the request, or those that are known of a user id. */
  readonly number: string | undefined
  readonly message: ParsedMessage
}

const WINDOW_MS = 24 * 3_600_000
const PAIR_BURST = 45
const PAIR_REFILL_MS = 6_000

/** Decides about a request in the platform's order: token, business number, the request itself, then faults and limits. */
export const sendOutcome = (state: SimulatorState, { phoneNumberId, authorization, body }: SendRequest, drawn: DrawnFaults): SendOutcome => {
  if (!isAuthorised(state, authorization)) return refused(badToken)
  if (!isPhoneNumberId(state, phoneNumberId)) return refused(unknownObject(phoneNumberId, 'post'))
  const checked = checkRequest(body, state.templates)
  if (E.isLeft(checked)) return refused(checked.left)
  const message = checked.right
  if (message._tag === 'MarkRead') return markRead(state, phoneNumberId, message)
  if (message.address._tag === 'Dropped') return { _tag: 'Dropped', message }
  const customer = addressee(state, phoneNumberId, message.address)
  const number = message.address._tag === 'Number' ? message.address.number : customer.number
  return messageOutcome(state, { phoneNumberId, customer, conversation: conversationOf(phoneNumberId, customer), number, message }, drawn)
}

/** The code for a message that the business number never received is not confirmed. */
const markRead = (state: SimulatorState, phoneNumberId: string, { id, typing }: Extract<ParsedRequest, { _tag: 'MarkRead' }>): SendOutcome =>
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

/** A magic recipient meets only its own fault; every other recipient meets the random faults. */
const faultsOf = (state: SimulatorState, addressed: AddressedMessage, drawn: DrawnFaults): DrawnFaults => {
  const { conversation, number, message: { content } } = addressed
  const magic = number === undefined ? undefined : magicFault(number)
  const { answer, report } = magic === undefined ? drawn
    : isAnswerFault(magic) ? { answer: magic, report: undefined } : { answer: undefined, report: magic }
  const fits = report !== undefined && (content.type === 'template' || !isPacing(report))
  const applies = fits && !wasRefusedOnce(state, conversation, report)
  return { answer, report: applies ? report : failureOf(state, addressed) }
}

/** Why a message that meets no fault fails after all. */
const failureOf = (state: SimulatorState, { customer, conversation, message: { content } }: AddressedMessage): ReportFault | undefined => {
  if (customer.isGone) return undeliverable
  if (customer.hasStoppedMarketing && isMarketing(content)) return marketingStopped
  return isOutsideWindow(state, 'failed', conversation, content.type) ? windowClosed : undefined
}

const isMarketing = (content: Content): boolean => content.type === 'template' && content.template.category === 'MARKETING'

/** Whether a fault is one of template pacing, which texts do not know. */
export const isPacing = ({ name }: ReportFault): boolean => name === 'paced' || name === 'pacedDropped'

/** Each conversation meets a spurious 131047 once. */
const wasRefusedOnce = ({ refusedOnce }: SimulatorState, conversation: string, { name }: ReportFault): boolean => {
  if (name !== 'spurious131047') return false
  const wasRefused = refusedOnce.has(conversation)
  refusedOnce.add(conversation)
  return wasRefused
}

const isOutsideWindow = (
  { settings, lastInbound }: SimulatorState, mode: 'failed' | 'refused', conversation: string, type: string,
): boolean =>
  type === 'text' && settings().windows === mode && Date.now() - (lastInbound.get(conversation) ?? 0) >= WINDOW_MS

const limitError = (state: SimulatorState, { phoneNumberId, conversation, number, message: { content } }: AddressedMessage): GraphError | undefined => {
  const { throughput, throttleStatus, pairLimit, allowedRecipients } = state.settings()
  if (number === state.account.displayPhoneNumber) return graphError(131021, 'Recipient and sender are the same')
  if (allowedRecipients !== null && !allowedRecipients.includes(number ?? '')) {
    return graphError(131030, 'Recipient phone number not in allowed list: add it to the list and try again')
  }
  if (throughput !== null && !state.rateLimits.take(phoneNumberId, Math.max(1, throughput), 1000 / throughput)) {
    return { ...graphError(130429, 'Cloud API message throughput has been reached'), status: throttleStatus }
  }
  if (pairLimit && !state.rateLimits.take(conversation, PAIR_BURST, PAIR_REFILL_MS)) {
    return graphError(131056, 'Too many messages sent to the same recipient in a short time')
  }
  return isOutsideWindow(state, 'refused', conversation, content.type)
    ? graphError(131047, 'More than 24 hours have passed since the recipient last replied')
    : undefined
}

/** The error of a fault, with what depends on this request. */
const forRequest = (state: SimulatorState, { phoneNumberId }: AddressedMessage, error: GraphError): GraphError => {
  if (error.subcode === 33) return unknownObject(phoneNumberId, 'post')
  return error.code === 130429 ? { ...error, status: state.settings().throttleStatus } : error
}
