import { badToken, graphError, unknownObject, type GraphError } from './graph-error.js'

/** How an answer that is no answer of the platform reaches the client, or does not. */
export type Breakage =
  | 'hang' | 'resetEarly' | 'reset' | 'close' | 'html502' | 'html503' | 'garbage' | 'truncated' | 'empty' | 'drip' | 'late'
  | 'error'

/** How the statuses of an accepted message can differ from sent, delivered, read. */
export type Oddity =
  | 'deliveredBeforeSent' | 'readWithoutDelivered' | 'duplicateStatuses' | 'statusBeforeReply' | 'noCallbackData' | 'silent'
  | 'failedWithoutCallback' | 'sentThenFailed' | 'failedAfterDelivered' | 'unknownStatus' | 'unknownKeys' | 'bsuidOnly'
  | 'wrongSignature' | 'missingSignature' | 'otherSecret' | 'truncatedSignature' | 'batched' | 'mixed' | 'delayed' | 'sentOnly'
  | 'otherCategory' | 'paced' | 'pacedDropped' | 'spurious131047'

type Named = {
  /** The last three digits of the recipient that provokes it; undefined where only a rate can. */
  readonly digits: string | undefined
  /** What rates and lists call it. */
  readonly name: string
  /** What happens, in one sentence. */
  readonly about: string
}

/** A fault of the answer to a request. */
export type AnswerFault = Named & (
  | { readonly _tag: 'Refused'; readonly error: GraphError }
  | { readonly _tag: 'Broken'; readonly how: Breakage; readonly accepts: boolean; readonly error?: GraphError }
)

/** A fault of what is reported later on a message that was accepted. */
export type ReportFault = Named & (
  | { readonly _tag: 'Failed'; readonly error: GraphError }
  | { readonly _tag: 'Odd'; readonly how: Oddity }
)

export type Fault = AnswerFault | ReportFault

/** The recipients that provoke faults are this prefix and three digits; other numbers of the family behave well. */
export const MAGIC_PREFIX = '15550100'

const refused = (digits: string, name: string, error: GraphError): AnswerFault =>
  ({ _tag: 'Refused', digits, name, error, about: `refused at once with HTTP ${error.status}, code ${error.code}: ${error.title}` })

const failed = (digits: string, code: number, details: string): ReportFault =>
  ({
    _tag: 'Failed', digits, name: `failed${code}`, error: graphError(code, details),
    about: `accepted, then the status \`failed\` with code ${code}`,
  })

const broken = (
  digits: string | undefined, name: string, how: Breakage, accepts: boolean, about: string, error?: GraphError,
): AnswerFault =>
  ({
    _tag: 'Broken', digits, name, how, accepts, about: `${accepts ? 'accepted' : 'not accepted'}; ${about}`,
    ...(error && { error }),
  })

const odd = (digits: string, how: Oddity, about: string): ReportFault =>
  ({ _tag: 'Odd', digits, name: how, how, about: `accepted; ${about}` })

/** A breakage in both its forms: 6xx, where nothing was accepted, and 7xx, where the message was and its statuses follow. */
const twice = (digits: string, name: string, how: Breakage, about: string): ReadonlyArray<Fault> => [
  broken(`6${digits}`, name, how, false, about),
  broken(`7${digits}`, `${name}After`, how, true, about),
]

/** What a text meets that the platform takes on and then finds outside the customer service window. */
export const windowClosed: ReportFault = failed(
  '047', 131047, 'Message failed to send because more than 24 hours have passed since the customer last replied to this number',
)

const plain = (code: number, details?: string): GraphError => graphError(code, details)

/** Every fault there is, in the order in which chance considers them. */
export const FAULTS: ReadonlyArray<Fault> = [
  refused('000', 'refused131000', plain(131000, 'Message failed to send because of an unknown error')),
  refused('001', 'refused1', plain(1)),
  refused('002', 'refused2', plain(2)),
  refused('004', 'refused4', plain(4)),
  refused('007', 'refused80007', plain(80007)),
  refused('008', 'refused131008', plain(131008, 'Parameter of type text is missing text value')),
  refused('009', 'refused131009', plain(131009, 'Parameter value is not valid')),
  refused('010', 'refused10', plain(10)),
  refused('016', 'refused131016', plain(131016, 'A service is temporarily unavailable')),
  refused('030', 'refused131030', plain(131030, 'Recipient phone number not in allowed list: add it to the list and try again')),
  refused('031', 'refused131031', plain(131031, 'The account has been locked')),
  refused('033', 'refused100', unknownObject('…', 'post')),
  refused('056', 'refused131056', plain(131056, 'Too many messages sent to the same recipient in a short time')),
  refused('126', 'refused131026', plain(131026, 'Message undeliverable')),
  refused('142', 'refused131042', plain(131042, 'There was an error related to your payment method')),
  refused('147', 'refused131047', plain(131047, 'More than 24 hours have passed since the recipient last replied')),
  refused('190', 'refused190', badToken),
  refused('304', 'refused133004', plain(133004, 'Server is temporarily unavailable')),
  refused('368', 'refused368', plain(368)),
  refused('429', 'refused130429', plain(130429, 'Cloud API message throughput has been reached')),
  refused('613', 'refused613', plain(613)),

  broken(undefined, 'resetEarly', 'resetEarly', false, 'the connection is reset before the body is read'),
  ...twice('00', 'hang', 'hang', 'no answer ever comes'),
  ...twice('01', 'reset', 'reset', 'the connection is reset'),
  ...twice('02', 'http502', 'html502', 'HTTP 502 with a page of HTML'),
  ...twice('03', 'http503', 'html503', 'HTTP 503 with a page of HTML'),
  ...twice('04', 'closed', 'close', 'the connection is closed without an answer'),
  ...twice('05', 'garbage', 'garbage', 'HTTP 200 with a body that is no JSON'),
  ...twice('06', 'truncated', 'truncated', 'the answer breaks off in the middle'),
  ...twice('07', 'empty', 'empty', 'HTTP 200 with an empty body'),
  broken('708', 'drip', 'drip', true, 'the usual answer, a few bytes at a time'),
  broken('709', 'late', 'late', true, 'the usual answer, later than most clients wait'),
  broken('710', 'error131000After', 'error', true, 'HTTP 500, code 131000', plain(131000, 'An unknown error')),
  broken('711', 'error1After', 'error', true, 'HTTP 500, code 1', plain(1)),
  broken('712', 'error2After', 'error', true, 'HTTP 503, code 2', plain(2)),

  failed('026', 131026, 'Message undeliverable'),
  failed('042', 131042, 'There was an error related to your payment method'),
  windowClosed,
  failed('049', 131049, 'In order to maintain a healthy ecosystem engagement, the message failed to be delivered'),
  failed('050', 131050, 'The recipient has chosen to stop receiving marketing messages'),
  failed('472', 130472, 'Failed to send message because this user\'s phone number is part of an experiment'),
  failed('900', 131000, 'Message failed to send because of an unknown error'),

  odd('801', 'deliveredBeforeSent', '`delivered` comes before `sent`'),
  odd('802', 'readWithoutDelivered', '`sent`, then `read`; `delivered` never comes'),
  odd('803', 'duplicateStatuses', 'every status comes twice'),
  odd('804', 'statusBeforeReply', '`sent` is reported before the request is answered'),
  odd('805', 'noCallbackData', 'the statuses lack `biz_opaque_callback_data`'),
  odd('806', 'silent', 'no status ever comes'),
  odd('807', 'failedWithoutCallback', '`failed` 131026 without `biz_opaque_callback_data`'),
  odd('808', 'sentThenFailed', '`sent`, then `failed` 131026'),
  odd('809', 'failedAfterDelivered', '`sent`, `delivered`, then `failed` 131026'),
  odd('810', 'unknownStatus', 'a status nobody knows comes between `sent` and `delivered`'),
  odd('811', 'unknownKeys', 'the statuses carry keys nobody knows'),
  odd('812', 'bsuidOnly', 'the statuses name the customer by user id only, without a phone number'),
  odd('813', 'wrongSignature', 'the first notification of each status is forged; its redelivery is signed rightly'),
  odd('814', 'missingSignature', 'the first notification of each status is unsigned; its redelivery is signed rightly'),
  odd('815', 'otherSecret', 'the first notification of each status is signed with another app\'s secret'),
  odd('816', 'truncatedSignature', 'the first notification of each status has half a signature'),
  odd('817', 'batched', 'all statuses come in one notification'),
  odd('818', 'mixed', '`delivered` comes in one notification with a text the customer wrote'),
  odd('819', 'delayed', 'the statuses take ten times as long'),
  odd('820', 'sentOnly', '`sent`, and nothing more'),
  odd('821', 'otherCategory', 'the statuses report a pricing category other than the template\'s'),
  odd('830', 'paced', 'a template is held for quality assessment, and sent later'),
  odd('831', 'pacedDropped', 'a template is held for quality assessment, then `failed` 132015, and the template is paused'),
  odd('847', 'spurious131047', '`failed` 131047 the first time, though the window is open; well the next time'),
]

const byNumber: ReadonlyMap<string, Fault> = new Map(
  FAULTS.flatMap((fault) => (fault.digits === undefined ? [] : [[`${MAGIC_PREFIX}${fault.digits}`, fault] as const])),
)

/** The fault a recipient provokes, if it is one of the magic numbers. */
export const magicFault = (digits: string): Fault | undefined => byNumber.get(digits)

/** Whether a fault spoils the answer, rather than what is reported later. */
export const isAnswerFault = (fault: Fault): fault is AnswerFault => fault._tag === 'Refused' || fault._tag === 'Broken'
