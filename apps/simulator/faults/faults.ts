import { createHash } from 'node:crypto'
import { badToken, graphError, type GraphError, unknownObject } from '../graph/reply.js'

/** How the response to a request is broken on purpose. */
export type BrokenResponse =
  | 'hang' | 'resetEarly' | 'reset' | 'close' | 'html502' | 'html503' | 'garbage' | 'truncated' | 'empty' | 'drip' | 'late'
  | 'error'

/** How the statuses of an accepted message differ from the usual sent, delivered, read. */
export type StatusAnomaly =
  | 'deliveredBeforeSent' | 'readWithoutDelivered' | 'duplicateStatuses' | 'statusBeforeReply' | 'noCallbackData' | 'silent'
  | 'failedWithoutCallback' | 'sentThenFailed' | 'failedAfterDelivered' | 'unknownStatus' | 'unknownKeys' | 'bsuidOnly'
  | 'wrongSignature' | 'missingSignature' | 'otherSecret' | 'truncatedSignature' | 'batched' | 'mixed' | 'delayed' | 'sentOnly'
  | 'otherCategory' | 'paced' | 'pacedDropped' | 'spurious131047'

type NamedFault = {
  /** The last three digits of the recipient that provokes the fault; undefined if only a rate can. */
  readonly digits: string | undefined
  /** Its name in `rates` and in lists. */
  readonly name: string
  /** What happens, in one sentence. */
  readonly about: string
}

/** A fault of the answer to a request. */
export type AnswerFault = NamedFault & (
  | { readonly _tag: 'Refused'; readonly error: GraphError }
  | { readonly _tag: 'Broken'; readonly how: BrokenResponse; readonly accepts: boolean; readonly error?: GraphError }
)

/** A fault of the statuses that are reported later for an accepted message. */
export type ReportFault = NamedFault & (
  | { readonly _tag: 'Failed'; readonly error: GraphError }
  | { readonly _tag: 'Anomaly'; readonly how: StatusAnomaly }
)

export type Fault = AnswerFault | ReportFault

/** The recipients that provoke faults are this prefix and three digits; other numbers with this prefix cause no faults. */
export const MAGIC_PREFIX = '15550100'

const refused = (digits: string, name: string, error: GraphError): AnswerFault =>
  ({ _tag: 'Refused', digits, name, error, about: `refused at once with HTTP ${error.status}, code ${error.code}: ${error.title}` })

const failed = (digits: string | undefined, code: number, details: string): ReportFault =>
  ({
    _tag: 'Failed', digits, name: `failed${code}`, error: graphError(code, details),
    about: `accepted, then the status \`failed\` with code ${code}`,
  })

const broken = (
  digits: string | undefined, name: string, how: BrokenResponse, accepts: boolean, about: string, error?: GraphError,
): AnswerFault =>
  ({
    _tag: 'Broken', digits, name, how, accepts, about: `${accepts ? 'accepted' : 'not accepted'}; ${about}`,
    ...(error && { error }),
  })

const anomaly = (digits: string, how: StatusAnomaly, about: string): ReportFault =>
  ({ _tag: 'Anomaly', digits, name: how, how, about: `accepted; ${about}` })

/** A broken response in both forms: 6xx, if nothing was accepted, and 7xx, if the message was accepted and its statuses follow. */
const notAcceptedAndAccepted = (digits: string, name: string, how: BrokenResponse, about: string): ReadonlyArray<Fault> => [
  broken(`6${digits}`, name, how, false, about),
  broken(`7${digits}`, `${name}After`, how, true, about),
]

/** The fault of a text that the platform accepts and then reports as outside the customer service window. */
export const windowClosed: ReportFault = failed(
  '047', 131047, 'Message failed to send because more than 24 hours have passed since the customer last replied to this number',
)

/** The fault of a marketing template to a customer who has stopped marketing messages. */
export const marketingStopped: ReportFault = failed('050', 131050, 'The recipient has chosen to stop receiving marketing messages')

/** The fault of a message to a user id that is no longer in use. */
export const undeliverable: ReportFault = failed('026', 131026, 'Message undeliverable')

/** The fault of a message whose media the platform cannot fetch, or whose media type it does not accept. */
export const unusableMedia = (details: string): ReportFault => failed(undefined, 131053, details)

/** The fault of a reaction to a message that does not allow reactions. */
export const noReaction: ReportFault = failed(undefined, 131009, 'The message to react to is older than 30 days, was deleted, is a reaction, or was never received')

const errorOf = (code: number, details?: string): GraphError => graphError(code, details)

/** Every fault, in the order in which random faults are drawn. */
export const FAULTS: ReadonlyArray<Fault> = [
  refused('000', 'refused131000', errorOf(131000, 'Message failed to send because of an unknown error')),
  refused('001', 'refused1', errorOf(1)),
  refused('002', 'refused2', errorOf(2)),
  refused('004', 'refused4', errorOf(4)),
  refused('007', 'refused80007', errorOf(80007)),
  refused('008', 'refused131008', errorOf(131008, 'Parameter of type text is missing text value')),
  refused('009', 'refused131009', errorOf(131009, 'Parameter value is not valid')),
  refused('010', 'refused10', errorOf(10)),
  refused('016', 'refused131016', errorOf(131016, 'A service is temporarily unavailable')),
  refused('030', 'refused131030', errorOf(131030, 'Recipient phone number not in allowed list: add it to the list and try again')),
  refused('031', 'refused131031', errorOf(131031, 'The account has been locked')),
  refused('033', 'refused100', unknownObject('…', 'post')),
  refused('056', 'refused131056', errorOf(131056, 'Too many messages sent to the same recipient in a short time')),
  refused('126', 'refused131026', errorOf(131026, 'Message undeliverable')),
  refused('142', 'refused131042', errorOf(131042, 'There was an error related to your payment method')),
  refused('147', 'refused131047', errorOf(131047, 'More than 24 hours have passed since the recipient last replied')),
  refused('190', 'refused190', badToken),
  refused('304', 'refused133004', errorOf(133004, 'Server is temporarily unavailable')),
  refused('368', 'refused368', errorOf(368)),
  refused('429', 'refused130429', errorOf(130429, 'Cloud API message throughput has been reached')),
  refused('613', 'refused613', errorOf(613)),

  broken(undefined, 'resetEarly', 'resetEarly', false, 'the connection is reset before the body is read'),
  ...notAcceptedAndAccepted('00', 'hang', 'hang', 'no answer ever comes'),
  ...notAcceptedAndAccepted('01', 'reset', 'reset', 'the connection is reset'),
  ...notAcceptedAndAccepted('02', 'http502', 'html502', 'HTTP 502 with a page of HTML'),
  ...notAcceptedAndAccepted('03', 'http503', 'html503', 'HTTP 503 with a page of HTML'),
  ...notAcceptedAndAccepted('04', 'closed', 'close', 'the connection is closed without an answer'),
  ...notAcceptedAndAccepted('05', 'garbage', 'garbage', 'HTTP 200 with a body that is not JSON'),
  ...notAcceptedAndAccepted('06', 'truncated', 'truncated', 'the answer breaks off in the middle'),
  ...notAcceptedAndAccepted('07', 'empty', 'empty', 'HTTP 200 with an empty body'),
  broken('708', 'drip', 'drip', true, 'the usual answer, a few bytes at a time'),
  broken('709', 'late', 'late', true, 'the usual answer, later than most clients wait'),
  broken('710', 'error131000After', 'error', true, 'HTTP 500, code 131000', errorOf(131000, 'An unknown error')),
  broken('711', 'error1After', 'error', true, 'HTTP 500, code 1', errorOf(1)),
  broken('712', 'error2After', 'error', true, 'HTTP 503, code 2', errorOf(2)),

  undeliverable,
  failed('042', 131042, 'There was an error related to your payment method'),
  windowClosed,
  failed('049', 131049, 'In order to maintain a healthy ecosystem engagement, the message failed to be delivered'),
  marketingStopped,
  failed('472', 130472, 'Failed to send message because this user\'s phone number is part of an experiment'),
  failed('900', 131000, 'Message failed to send because of an unknown error'),

  anomaly('801', 'deliveredBeforeSent', '`delivered` comes before `sent`'),
  anomaly('802', 'readWithoutDelivered', '`sent`, then `read`; `delivered` never comes'),
  anomaly('803', 'duplicateStatuses', 'every status comes twice'),
  anomaly('804', 'statusBeforeReply', '`sent` is reported before the request is answered'),
  anomaly('805', 'noCallbackData', 'the statuses lack `biz_opaque_callback_data`'),
  anomaly('806', 'silent', 'no status ever comes'),
  anomaly('807', 'failedWithoutCallback', '`failed` 131026 without `biz_opaque_callback_data`'),
  anomaly('808', 'sentThenFailed', '`sent`, then `failed` 131026'),
  anomaly('809', 'failedAfterDelivered', '`sent`, `delivered`, then `failed` 131026'),
  anomaly('810', 'unknownStatus', 'an unknown status comes between `sent` and `delivered`'),
  anomaly('811', 'unknownKeys', 'the statuses carry unknown keys'),
  anomaly('812', 'bsuidOnly', 'the statuses name the customer by user id only, without a phone number'),
  anomaly('813', 'wrongSignature', 'the first notification of each status has a wrong signature; its redelivery is signed correctly'),
  anomaly('814', 'missingSignature', 'the first notification of each status is unsigned; its redelivery is signed correctly'),
  anomaly('815', 'otherSecret', 'the first notification of each status is signed with another app\'s secret'),
  anomaly('816', 'truncatedSignature', 'the first notification of each status has half a signature'),
  anomaly('817', 'batched', 'all statuses come in one notification'),
  anomaly('818', 'mixed', '`delivered` comes in one notification with a text the customer wrote'),
  anomaly('819', 'delayed', 'the statuses take ten times as long'),
  anomaly('820', 'sentOnly', '`sent`, and nothing more'),
  anomaly('821', 'otherCategory', 'the statuses report a pricing category other than the template\'s'),
  anomaly('830', 'paced', 'a template is held for quality assessment, and sent later'),
  anomaly('831', 'pacedDropped', 'a template is held for quality assessment, then `failed` 132015, and the template is paused'),
  anomaly('847', 'spurious131047', '`failed` 131047 the first time, though the window is open; well the next time'),
]

const byNumber: ReadonlyMap<string, Fault> = new Map(
  FAULTS.flatMap((fault) => (fault.digits === undefined ? [] : [[`${MAGIC_PREFIX}${fault.digits}`, fault] as const])),
)

/** The fault a recipient provokes, if it is one of the magic numbers. */
export const magicFault = (digits: string): Fault | undefined => byNumber.get(digits)

/** Whether a fault affects the response, and not the statuses that are reported later. */
export const isAnswerFault = (fault: Fault): fault is AnswerFault => fault._tag === 'Refused' || fault._tag === 'Broken'

/** The probability of each fault, from 0 to 1, by its name. */
export type Rates = Readonly<Record<string, number>>

/** The fault of the rates, in one sentence; undefined if they are right. */
export const ratesError = (rates: Rates): string | undefined => {
  const unknown = Object.keys(rates).find((name) => !FAULTS.some((fault) => fault.name === name))
  if (unknown !== undefined) return `There is no fault named ${JSON.stringify(unknown)}`
  if (!Object.values(rates).every((rate) => rate >= 0 && rate <= 1)) return 'A rate is a number from 0 to 1'
  const sum = (faults: ReadonlyArray<Fault>): number => faults.reduce((total, { name }) => total + (rates[name] ?? 0), 0)
  const isTooHigh = [FAULTS.filter(isAnswerFault), FAULTS.filter((fault) => !isAnswerFault(fault))].some((faults) => sum(faults) > 1 + 1e-9)
  return isTooHigh ? 'The rates of the faults of answers, and those of the faults of statuses, each add up to at most 1' : undefined
}

/** The random faults of one request: one for its response, and one for the statuses of its message if it is accepted. */
export type DrawnFaults = { readonly answer: AnswerFault | undefined; readonly report: ReportFault | undefined }

/** Draws the faults of the next request. The same seed, rates and order of requests give the same faults. */
export type RandomFaults = { readonly draw: () => DrawnFaults }

const answerFaults = FAULTS.filter(isAnswerFault)
const reportFaults = FAULTS.filter((fault): fault is ReportFault => !isAnswerFault(fault))

/** Random faults at these rates; without rates there are none. */
export const makeRandomFaults = (seed: number, rates: Rates): RandomFaults => {
  const isOff = Object.values(rates).every((rate) => rate === 0)
  let draws = 0
  return {
    draw: () => {
      if (isOff) return { answer: undefined, report: undefined }
      const digest = createHash('sha256').update(`${seed}:${draws++}`).digest()
      return {
        answer: pick(answerFaults, rates, digest.readUInt32BE(0) / 2 ** 32),
        report: pick(reportFaults, rates, digest.readUInt32BE(4) / 2 ** 32),
      }
    },
  }
}

const pick = <F extends Fault>(faults: ReadonlyArray<F>, rates: Rates, random: number): F | undefined => {
  let cumulative = 0
  return faults.find(({ name }) => (cumulative += rates[name] ?? 0) > random)
}
