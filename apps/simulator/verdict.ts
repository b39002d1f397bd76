import * as E from 'fp-ts/lib/Either.js'
import type { Roll } from './dice.js'
import { isAnswerFault, magicFault, windowClosed, type AnswerFault, type Breakage, type ReportFault } from './faults.js'
import { badToken, graphError, unknownObject, type GraphError } from './graph-error.js'
import { checkRequest, type SoundMessage } from './request-check.js'
import { conversationOf, isPhoneNumberId, reportedAs, type World } from './world.js'

/** What becomes of a request: an error, an answer that fails though nothing was taken on, or a message taken on. */
export type Verdict =
  | { readonly _tag: 'Refused'; readonly error: GraphError; readonly faults: ReadonlyArray<string> }
  | { readonly _tag: 'Lost'; readonly how: Breakage; readonly faults: ReadonlyArray<string> }
  | { readonly _tag: 'MarkedRead' }
  | Taken

/** A message taken on, with the faults of its answer and of its statuses. */
export type Taken = {
  readonly _tag: 'Taken'
  readonly message: SoundMessage
  readonly waId: string
  readonly broken: Extract<AnswerFault, { _tag: 'Broken' }> | undefined
  readonly report: ReportFault | undefined
  readonly faults: ReadonlyArray<string>
}

type Asked = { readonly phoneNumberId: string; readonly authorization: string | undefined; readonly body: string }
type Addressed = { readonly phoneNumberId: string; readonly conversation: string; readonly message: SoundMessage }

const WINDOW_MS = 24 * 3_600_000
const PAIR_BURST = 45
const PAIR_REFILL_MS = 6_000

/** Judges a request in the platform's order: token, business number, the request itself; then what faults and limits want. */
export const judge = (world: World, { phoneNumberId, authorization, body }: Asked, rolled: Roll): Verdict => {
  if (!isAuthorised(world, authorization)) return refused(badToken)
  if (!isPhoneNumberId(world, phoneNumberId)) return refused(unknownObject(phoneNumberId, 'post'))
  const checked = checkRequest(body, world.templates)
  if (E.isLeft(checked)) return refused(checked.left)
  const message = checked.right
  if (message._tag === 'MarkRead') return { _tag: 'MarkedRead' }
  const waId = reportedAs(world, message.to)
  return judgeMessage(world, waId, { phoneNumberId, conversation: conversationOf(phoneNumberId, waId), message }, rolled)
}

/** Whether an Authorization header carries a token that will do. */
export const isAuthorised = ({ accessToken }: World, authorization: string | undefined): boolean => {
  const token = /^(?:Bearer|OAuth) +(\S+)$/i.exec(authorization ?? '')?.[1]
  return token !== undefined && (accessToken === undefined || token === accessToken)
}

const refused = (error: GraphError, faults: ReadonlyArray<string> = []): Verdict => ({ _tag: 'Refused', error, faults })

const judgeMessage = (world: World, waId: string, addressed: Addressed, rolled: Roll): Verdict => {
  const { answer, report } = faultsOf(world, addressed, rolled)
  const faults = [answer, report].flatMap((fault) => (fault ? [fault.name] : []))
  if (answer?._tag === 'Refused') return refused(inContext(world, addressed, answer.error), faults)
  const limit = limitOf(world, addressed)
  if (limit !== undefined) return refused(limit)
  if (answer !== undefined && !answer.accepts) return { _tag: 'Lost', how: answer.how, faults }
  return { _tag: 'Taken', message: addressed.message, waId, broken: answer, report, faults }
}

/** A magic recipient decides alone; chance decides for everybody else. */
const faultsOf = (world: World, { conversation, message: { to, content } }: Addressed, rolled: Roll): Roll => {
  const magic = magicFault(to)
  const { answer, report } = magic === undefined ? rolled
    : isAnswerFault(magic) ? { answer: magic, report: undefined } : { answer: undefined, report: magic }
  const fits = report !== undefined && (content.type === 'template' || !isPacing(report))
  const applies = fits && !isSpent(world, conversation, report)
  if (applies) return { answer, report }
  return { answer, report: isOutsideWindow(world, 'failed', conversation, content.type) ? windowClosed : undefined }
}

/** Whether a fault is one of template pacing, which texts do not know. */
export const isPacing = ({ name }: ReportFault): boolean => name === 'paced' || name === 'pacedDropped'

/** A spurious refusal strikes each conversation once. */
const isSpent = ({ refusedOnce }: World, conversation: string, { name }: ReportFault): boolean => {
  if (name !== 'spurious131047') return false
  const spent = refusedOnce.has(conversation)
  refusedOnce.add(conversation)
  return spent
}

const isOutsideWindow = (
  { settings, lastInbound }: World, mode: 'failed' | 'refused', conversation: string, type: string,
): boolean =>
  type === 'text' && settings().windows === mode && Date.now() - (lastInbound.get(conversation) ?? 0) >= WINDOW_MS

const limitOf = (world: World, { phoneNumberId, conversation, message: { to, content } }: Addressed): GraphError | undefined => {
  const { throughput, throttleStatus, pairLimit, allowedRecipients } = world.settings()
  if (to === world.account.displayPhoneNumber) return graphError(131021, 'Recipient and sender are the same')
  if (allowedRecipients !== null && !allowedRecipients.includes(to)) {
    return graphError(131030, 'Recipient phone number not in allowed list: add it to the list and try again')
  }
  if (throughput !== null && !world.limits.take(phoneNumberId, Math.max(1, throughput), 1000 / throughput)) {
    return { ...graphError(130429, 'Cloud API message throughput has been reached'), status: throttleStatus }
  }
  if (pairLimit && !world.limits.take(conversation, PAIR_BURST, PAIR_REFILL_MS)) {
    return graphError(131056, 'Too many messages sent to the same recipient in a short time')
  }
  return isOutsideWindow(world, 'refused', conversation, content.type)
    ? graphError(131047, 'More than 24 hours have passed since the recipient last replied')
    : undefined
}

/** An error of the list of faults as this request meets it. */
const inContext = (world: World, { phoneNumberId }: Addressed, error: GraphError): GraphError => {
  if (error.subcode === 33) return unknownObject(phoneNumberId, 'post')
  return error.code === 130429 ? { ...error, status: world.settings().throttleStatus } : error
}
