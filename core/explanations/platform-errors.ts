import type { Explanation } from './explanation.js'

/** Errors of the platform with the same meaning, by their numbers, each with the platform's title. */
type Group = Explanation & { readonly numbers: Readonly<Record<number, string>> }

const LATER = 'Send the same message again later.'
const OPERATOR = 'An operator has to check the sender: open the page of the sender, or the business account at the platform.'
const TEMPLATE = 'Compare the parameters with the template’s placeholders, correct them, and send the message again.'

/** The main source of these texts. It was read in September 2026. */
export const PLATFORM_REFERENCE = 'https://developers.facebook.com/docs/whatsapp/cloud-api/support/error-codes'

/**
 * The platform's errors in plain words, from its error reference and, for errors missing there, the public clients pywa and courier. An error that is not listed here is
 * shown raw.
 */
const GROUPS = {
  tokenExpired: {
    numbers: { 0: 'Authentication failed', 104: 'An access token is missing', 190: 'Access token expired' }, retry: 'changed',
    charged: 'no',
    means: 'The access token of the sender has expired or was revoked.',
    cause: 'A person’s token expires after hours or days, or when that person changes a password; only a token of a system user does not expire.',
    fix: 'Store a new access token for the sender.',
  },
  permissionMissing: {
    numbers: { 3: 'No capability for this method', 10: 'Permission denied', 200: 'Permission missing', 131005: 'Access denied' },
    retry: 'changed', charged: 'no',
    means: 'The access token lacks a permission.',
    cause: 'The permission was never granted or was removed, or the token does not cover this business account. The numbers from 201 to 299 mean the same.',
    fix: 'Grant the token the permission to send messages, or store another one.',
  },
  platformFault: {
    numbers: {
      1: 'Unknown error', 2: 'Service temporarily unavailable', 131000: 'Something went wrong', 131016: 'Service unavailable',
      133004: 'Server unavailable',
    },
    retry: 'same_key', charged: 'held',
    means: 'The platform had an internal error.',
    cause: 'It was overloaded or failed while it processed the message. It may have accepted the message before.',
    fix: 'Check the state of the message: it is no longer unconfirmed once the platform has reported on it. A message that failed may be sent again.',
  },
  tooManyCalls: {
    numbers: {
      4: 'Too many calls', 613: 'Calls have exceeded the rate limit', 80007: 'Rate limit of the business account',
      80008: 'Rate limit of the business account for templates', 130429: 'Throughput reached',
    },
    retry: 'after', charged: 'no',
    means: 'Too many messages were sent in a short time.',
    cause: 'A sender may send 80 messages a second, and some senders 1,000. An app and a business account also have hourly limits of their own.',
    fix: 'Send fewer messages at the same time. Postern spreads its own calls, but other programs may use the same account.',
  },
  numberGone: {
    numbers: { 33: 'The business phone number was deleted' }, retry: 'changed', charged: 'no',
    means: 'The number of the sender no longer exists at the platform.',
    cause: 'It was deleted or moved to another business account, or the access token cannot see it.',
    fix: OPERATOR,
  },
  valueRefused: {
    numbers: { 100: 'Invalid parameter', 131009: 'Parameter value is not valid' }, retry: 'changed', charged: 'given_back',
    means: 'The platform did not accept a value of the message.',
    cause: 'A value is too long, misspelt or not supported, or a reaction names a message that no longer exists or is older than 30 days.',
    fix: 'Read the details from the platform, correct the message, and send it again.',
  },
  refusedWithoutReason: {
    numbers: { 135000: 'Generic user error' }, retry: 'changed', charged: 'no',
    means: 'The platform did not accept the message, and does not say why.',
    cause: 'The platform has no specific error for this fault in the parameters.',
    fix: 'Compare the message with one that was sent successfully, and change what differs.',
  },
  accountLocked: {
    numbers: { 368: 'Temporarily blocked for policy violations', 131031: 'Account has been locked' }, retry: 'changed', charged: 'no',
    means: 'The platform has locked the business account.',
    cause: 'The account broke a policy of the platform, or data about it does not match, such as its PIN.',
    fix: OPERATOR,
  },
  customerBlocked: {
    numbers: { 130403: 'Business has blocked this user' }, retry: 'changed', charged: 'given_back',
    means: 'The business has blocked this customer.',
    cause: 'The customer is on the list of blocked users of the sender.',
    fix: 'Unblock the customer at the platform, if that was a mistake.',
  },
  experiment: {
    numbers: { 130472: 'User’s number is part of an experiment' }, retry: 'never', charged: 'given_back',
    means: 'The platform withholds marketing messages from this customer as part of an experiment.',
    cause: 'The platform selected the customer; the message is not at fault.',
    fix: 'Do not repeat it. Wait until the customer writes to you.',
  },
  countryNotAllowed: {
    numbers: { 130497: 'Business account is restricted from messaging users in this country' }, retry: 'never', charged: 'given_back',
    means: 'The business account may not write to customers in this country.',
    cause: 'The platform restricts what some kinds of business may send to some countries.',
    fix: 'Do not repeat it. The platform decides which countries an account may write to.',
  },
  partMissing: {
    numbers: { 131008: 'Required parameter is missing' }, retry: 'changed', charged: 'no',
    means: 'A part of the message is missing.',
    cause: 'A field that this type of message needs was not sent.',
    fix: 'Complete the message, and send it again.',
  },
  groupRefused: {
    numbers: { 131020: 'An error of groups', 131041: 'An error of groups', 131059: 'An error of groups' }, retry: 'changed', charged: 'no',
    means: 'The platform refused a request about a group.',
    cause: 'The message was meant for a group, which Postern does not send to. The numbers from 131200 to 131299 mean the same.',
    fix: 'Send to one customer.',
  },
  sentToItself: {
    numbers: { 131021: 'Recipient cannot be the sender' }, retry: 'changed', charged: 'no',
    means: 'The message was addressed to the sender itself.',
    cause: '`to` is the number of the sender.',
    fix: 'Send it to another number.',
  },
  notDeliverable: {
    numbers: { 131026: 'Message undeliverable' }, retry: 'never', charged: 'given_back',
    means: 'The message could not be delivered: the number may not use the network, the customer’s app may be too old, or the terms were not accepted.',
    cause: 'The platform does not say which of these it was.',
    fix: 'Check the number. Ask the customer through another channel to update the app or to write to you.',
  },
  notInTestList: {
    numbers: { 131030: 'Recipient is not in the allowed list' }, retry: 'changed', charged: 'no',
    means: 'The sender is a test number, and this customer is not in its list.',
    cause: 'A test number may only write to a few confirmed numbers.',
    fix: 'Add the number to the list of the test number at the platform, or use a real sender.',
  },
  nameNotApproved: {
    numbers: { 131037: 'Display name is not approved' }, retry: 'changed', charged: 'no',
    means: 'The display name of the sender is not approved.',
    cause: 'The name is still being reviewed, or was rejected.',
    fix: OPERATOR,
  },
  paymentMissing: {
    numbers: { 131042: 'Business eligibility payment issue' }, retry: 'changed', charged: 'given_back',
    means: 'The business account cannot pay: its payment method is missing, refused or at its limit.',
    cause: 'This concerns the account at the platform, not the wallet of the workspace. At `/graph`, this number also means that the wallet is empty.',
    fix: 'Fix the payment method in the business account at the platform, then send the message again.',
  },
  notRegistered: {
    numbers: {
      131045: 'Incorrect certificate', 133000: 'Incomplete deregistration', 133005: 'Two-step verification PIN is wrong',
      133006: 'Phone number needs verification', 133008: 'Too many guesses of the PIN', 133009: 'PIN was guessed too fast',
      133010: 'Phone number is not registered',
    },
    retry: 'changed', charged: 'no',
    means: 'The number of the sender is not registered at the platform.',
    cause: 'Its registration was never finished, was undone, or was refused.',
    fix: OPERATOR,
  },
  windowClosed: {
    numbers: { 131047: 'Re-engagement message' }, retry: 'changed', charged: 'given_back',
    means: 'The customer service window was closed: more than 24 hours have passed since the customer last wrote.',
    cause: 'The window closed while the message was on its way, or the platform and Postern know different last messages of the customer.',
    fix: 'Send an approved template instead.',
  },
  limitedAsSpam: {
    numbers: { 131048: 'Spam rate limit' }, retry: 'changed', charged: 'given_back',
    means: 'Customers blocked or reported the sender, so the platform restricts it.',
    cause: 'Too many customers did so in a short time. The quality of the sender at the platform shows it.',
    fix: 'Stop sending what customers do not want. The restriction ends after some time.',
  },
  enoughMarketing: {
    numbers: { 131049: 'Withheld for a healthy ecosystem' }, retry: 'after', charged: 'given_back',
    means: 'The platform withheld the message, because this customer received enough marketing messages.',
    cause: 'The platform limits how much marketing a customer receives from all businesses together, and delivers none to numbers in the United States.',
    fix: 'Do not repeat it within 24 hours.',
  },
  marketingStopped: {
    numbers: { 131050: 'User has stopped marketing messages' }, retry: 'never', charged: 'given_back',
    means: 'The customer has stopped marketing messages of this business.',
    cause: 'The customer chose it in the app.',
    fix: 'Do not send marketing messages to this customer.',
  },
  kindNotSupported: {
    numbers: { 131051: 'Message type is not supported', 131055: 'Method is not allowed' }, retry: 'changed', charged: 'no',
    means: 'The platform does not support this kind of message.',
    cause: 'The type is unknown to the platform, or the API that received it does not accept it.',
    fix: 'Send another kind of message.',
  },
  customerFileUnread: {
    numbers: { 131052: 'Media download error' }, retry: 'never', charged: 'free',
    means: 'A media file could not be read.',
    cause: 'The customer sent it, and the platform could not fetch it.',
    fix: 'Ask the customer to send the file again.',
  },
  fileUnread: {
    numbers: { 131053: 'Media upload error' }, retry: 'changed', charged: 'given_back',
    means: 'A media file could not be read.',
    cause: 'The file is not of its type, or the address in `link` did not answer before the timeout.',
    fix: 'Check the file and its address, and send it again.',
  },
  tooManyToCustomer: {
    numbers: { 131056: 'Pair rate limit' }, retry: 'after', charged: 'no',
    means: 'Too many messages were sent to this customer in a short time.',
    cause: 'A sender may write to the same customer once every 6 seconds. Bursts of 45 messages are allowed if pauses make up for them.',
    fix: LATER,
  },
  maintenance: {
    numbers: { 131057: 'Account is in maintenance mode' }, retry: 'after', charged: 'no',
    means: 'The sender’s account is under maintenance at the platform.',
    cause: 'Often its throughput is being raised, which takes up to a minute.',
    fix: LATER,
  },
  notShown: {
    numbers: { 131060: 'Message is currently unavailable' }, retry: 'never', charged: 'free',
    means: 'The platform cannot show a message of the customer here.',
    cause: 'The number is also used in the app for businesses, and the message exists only there.',
    fix: 'Read the message in the app.',
  },
  needsPhoneNumber: {
    numbers: { 131062: 'A user id is not supported for this message' }, retry: 'changed', charged: 'no',
    means: 'The platform accepts this message only for a phone number, not for a user id.',
    cause: 'Authentication templates need a phone number.',
    fix: 'Send it to the customer’s phone number.',
  },
  marketingOff: {
    numbers: { 131063: 'Marketing messages are disabled' }, retry: 'changed', charged: 'no',
    means: 'Marketing messages are switched off for this account.',
    cause: 'The business account sends its marketing through another API of the platform.',
    fix: OPERATOR,
  },
  wrongCategories: {
    numbers: { 131064: 'Limit of misclassified templates' }, retry: 'changed', charged: 'given_back',
    means: 'Too many templates of this account were in a wrong category, so the platform restricts it.',
    cause: 'Templates with marketing content were submitted as utility.',
    fix: OPERATOR,
  },
  parameterCount: {
    numbers: { 132000: 'Number of parameters does not match' }, retry: 'changed', charged: 'no',
    means: 'The number of parameters does not match the number of placeholders in the template.',
    cause: 'A parameter is missing or surplus, or the template was changed.',
    fix: TEMPLATE,
  },
  noSuchTemplate: {
    numbers: { 132001: 'Template does not exist' }, retry: 'changed', charged: 'no',
    means: 'There is no approved template of this name in this language.',
    cause: 'The name or the language is misspelt, or the template is not approved yet.',
    fix: 'Check the name and the language in the list of templates, or wait until the template is approved.',
  },
  templateTooLong: {
    numbers: { 132005: 'Filled text is too long' }, retry: 'changed', charged: 'no',
    means: 'The text of the template is too long with these parameters.',
    cause: 'The text and the parameters together exceed the limit of that part.',
    fix: 'Send it with shorter parameters.',
  },
  templateBreaksRule: {
    numbers: { 132007: 'Template breaks a policy of characters' }, retry: 'changed', charged: 'no',
    means: 'The template breaks a rule of the platform.',
    cause: 'A text or a parameter has characters or a format that the platform does not accept.',
    fix: 'Change the template at the platform.',
  },
  parameterForm: {
    numbers: {
      132008: 'Parameter value is not valid', 132012: 'Parameter format does not match', 132018: 'Issue with template parameters',
    },
    retry: 'changed', charged: 'no',
    means: 'A parameter does not have the format that the template requires.',
    cause: 'A text was sent instead of a picture or an amount, or the other way round.',
    fix: TEMPLATE,
  },
  templatePaused: {
    numbers: { 132015: 'Template is paused' }, retry: 'changed', charged: 'given_back',
    means: 'The platform has paused the template, because customers reported or blocked it.',
    cause: 'Its quality fell. The platform pauses it for some hours, and longer each time.',
    fix: 'Wait until it is active again, or improve it at the platform.',
  },
  templateDisabled: {
    numbers: { 132016: 'Template is disabled' }, retry: 'never', charged: 'no',
    means: 'The platform has disabled the template permanently.',
    cause: 'It was paused too often.',
    fix: 'Create another template.',
  },
  flowBlocked: {
    numbers: { 132068: 'Flow is blocked' }, retry: 'changed', charged: 'no',
    means: 'The flow of the template is blocked.',
    cause: 'The platform found faults in the flow or in the server behind it.',
    fix: 'Fix the flow at the platform.',
  },
  flowThrottled: {
    numbers: { 132069: 'Flow is throttled' }, retry: 'after', charged: 'no',
    means: 'The flow of the template was sent too often.',
    cause: 'Its server is slow or fails, so the platform sends only 10 an hour.',
    fix: LATER,
  },
  registeredLately: {
    numbers: { 133015: 'Phone number was deleted a short time ago', 133016: 'Too many registrations' }, retry: 'after', charged: 'no',
    means: 'The number of the sender was registered or removed a short time ago.',
    cause: 'The platform waits 5 minutes after a number was deleted, and limits how often a number can be registered.',
    fix: 'Wait some minutes, and send it again.',
  },
  termsNotAccepted: {
    numbers: { 134011: 'Terms of payments are not accepted' }, retry: 'changed', charged: 'no',
    means: 'The business has not accepted the platform’s terms for payments.',
    cause: 'The message asks for a payment.',
    fix: 'Accept the terms at the platform, and send it again.',
  },
  notEligible: {
    numbers: { 134100: 'Only marketing messages are supported', 134102: 'Account is not eligible' }, retry: 'changed', charged: 'no',
    means: 'The account is not ready for this kind of marketing message.',
    cause: 'The API for marketing messages accepts only marketing templates, and only from accounts that were admitted to it.',
    fix: OPERATOR,
  },
  beingSetUp: {
    numbers: { 134101: 'Account is still being set up' }, retry: 'after', charged: 'no',
    means: 'The account is not ready for this kind of marketing message yet.',
    cause: 'The platform is setting it up, which takes up to 10 minutes.',
    fix: LATER,
  },
  identityChanged: {
    numbers: { 137000: 'Identity key does not match' }, retry: 'changed', charged: 'given_back',
    means: 'The customer’s identity is not the one that the message was meant for.',
    cause: 'The customer has changed the phone or registered again since the identity was recorded.',
    fix: 'Make sure that it is still the same person, and send the message without the identity or with the new one.',
  },
} satisfies Readonly<Record<string, Group>>

/** The meaning of an error of the platform, such as `tokenExpired`: several numbers may have the same meaning. */
export type PlatformErrorName = keyof typeof GROUPS

const NAMES = Object.keys(GROUPS) as ReadonlyArray<PlatformErrorName>

/** The meaning of each error of the platform and what to do, in English. */
export const PLATFORM_ERROR_TEXTS = Object.fromEntries(NAMES.map((name) => [name, { means: GROUPS[name].means, fix: GROUPS[name].fix }])) as
  Readonly<Record<PlatformErrorName, Readonly<Record<'means' | 'fix', string>>>>

/** The explanation of an error of the platform, with its number and the platform's title. */
export type PlatformExplanation = Explanation & { readonly number: number; readonly title: string }

/** The meaning of each number. */
const NAME_BY_NUMBER: ReadonlyMap<number, PlatformErrorName> = new Map(
  NAMES.flatMap((name) => Object.keys(GROUPS[name].numbers).map((number) => [Number(number), name] as const)),
)

/** Every known error of the platform, by number. */
export const PLATFORM_ERRORS: ReadonlyArray<PlatformExplanation> = NAMES
  .flatMap((name) => {
    const { numbers, ...explanation }: Group = GROUPS[name]
    return Object.entries(numbers).map(([number, title]) => ({ number: Number(number), title, ...explanation }))
  })
  .sort((a, b) => a.number - b.number)

const BY_NUMBER: ReadonlyMap<number, PlatformExplanation> = new Map(PLATFORM_ERRORS.map((error) => [error.number, error]))

/**
 * The meaning of an error of the platform and what to do; `undefined` if it is unknown. The numbers from 200 to 299 are all about permissions, those from 131200
 * to 131299 about groups.
 */
export const platformErrorOf = (number: number): PlatformExplanation | undefined => BY_NUMBER.get(knownNumber(number))

/** The name under which the texts of an error of the platform are found; `undefined` if it is unknown. */
export const platformErrorNameOf = (number: number): PlatformErrorName | undefined => NAME_BY_NUMBER.get(knownNumber(number))

/** A known number, otherwise the number that stands for its range. */
const knownNumber = (number: number): number => (NAME_BY_NUMBER.has(number) ? number : rangeOf(number) ?? number)

/** The number that stands for a range of numbers. */
const rangeOf = (number: number): number | undefined => {
  if (number >= 200 && number < 300) return 200
  return number >= 131_200 && number < 131_300 ? 131_020 : undefined
}
