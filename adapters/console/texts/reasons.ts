import { sayingBy, type Rule } from './translating.js'

/** A sentence of the core that may end with the platform's error code. */
type Coded = { readonly withCode: string }

/**
 * The core's sentences on why something was refused, by name: a pattern, or a sentence that may end with the platform's error code. Every language translates each of them.
 *
 * The first match is used, so a more general pattern comes after those that it would hide.
 */
const PATTERNS = {
  nameLength: /^a name must have 1 to (\d+) characters on one line$/,
  nameLikeId: /^a name must not begin with ws_.*$/,
  currencyForm: /^a currency must be three capital letters.*$/,
  amountForm: /^an amount must be a decimal number.*$/,
  amountTooLarge: /^an amount must be at most ([\d.]+)$/,
  creditIsZero: /^an amount to add must be more than zero$/,
  correctionIsZero: /^an adjustment must not be zero$/,
  limitOutOfRange: /^a limit must be more than zero and at most ([\d.]+)$/,
  thresholdOutOfRange: /^a threshold must be more than zero and at most ([\d.]+)$/,
  unknownScope: /^the scope (.*) does not exist; the scopes are (.*)$/,
  noScope: /^a key needs at least one of (.*)$/,
  namedTwice: /^(\S+) is listed twice$/,
  expiryForm: /^it must be a duration such as 90d or 12h, or an ISO 8601.*$/,
  expiryInPast: /^it must be in the future$/,
  expiryTooFar: /^it must be at most ten years from now$/,
  overlapForm: /^it must be a duration such as 24h or 30m, or 0$/,
  overlapTooLong: /^it must be at most 30d$/,
  urlForm: /^url must be an absolute https URL .* at most (\d+) characters$/,
  urlWithoutHost: /^url must contain a valid host$/,
  urlWithoutHttps: /^url must begin with https, except .*$/,
  urlNotPublic: /^url has an address that is not public.*$/,
  noEventType: /^types must list at least one event type.*$/,
  tooManyEventTypes: /^types must list at most (\d+) event types$/,
  eventTypeTwice: /^types must list each event type once$/,
  eventTypesOfPlatform: /^types must be omitted for an endpoint .*$/,
  passwordTooShort: /^A password must have at least (\d+) characters$/,
  passwordTooLong: /^A password must have at most (\d+) characters$/,
  passwordIsEmail: /^The password must not be the email$/,
  passwordIsCommon: /^This password is one of the most common ones.*$/,
  emailNotShared: /^Your identity provider did not share your email.*$/,
  emailNotVerified: /^Your identity provider has not verified your email.*$/,
  emailOfNoMember: /^No member has your email.*$/,
  emailOfOtherAccount: /^The member with your email signs in with another account.*$/,
  signInStartedElsewhere: /^This sign-in was started in another browser.*$/,
  signInUsed: /^This sign-in was already used.*$/,
  identityNotValid: /^The identity provider's response is not valid.*$/,
  identityDenied: /^The identity provider denied the sign-in.*$/,
  identityErrorWithCode: /^The identity provider returned the error (\S+)$/,
  identityError: /^The identity provider returned an error$/,
  noBusinessAccount: { withCode: 'The business account does not exist, or this access token has no access to it' },
  templatesForbidden: { withCode: 'This access token may not read templates' },
  templatesThrottled: { withCode: 'There were too many requests for the templates of this business account' },
  templatesUnread: /^The list of templates could not be read: (.*)$/,
  senderRefused: { withCode: "The platform refuses the sender's access token or phone number id" },
  requestRefused: { withCode: 'The platform refused the request' },
  platformThrottled: /^The platform received too many requests; try again later$/,
  platformUnreachable: /^The platform cannot be reached$/,
  platformAnswerUnclear: /^The platform sent an invalid response$/,
  platformNamesNoNumber: /^The platform did not return the requested number$/,
  stillStickerTooLarge: /^The file is too large: a static sticker may have at most (.*)$/,
  fileTooLarge: /^The file is too large: an? \w+ may have at most (.*)$/,
  fileEmpty: /^The file is empty$/,
  fileBroken: /^The file was not received completely$/,
  fileTypeNotShown: /^An? \w+ must be (.*); the first bytes of this file show none of them$/,
  fileTypeOther: /^An? \w+ must be (.*); the first bytes of this file show (.*)$/,
  declaredTypeNotShown: /^The file is declared as (.*), but its first bytes show something else$/,
  declaredTypeOther: /^The file is declared as (.*), but its first bytes show (.*)$/,
  wordsKey: /^words has the key (.*), which is not a language such as en or pt-BR$/,
  wordLength: /^a word must have 1 to (\d+) characters on one line$/,
  wordIsEmpty: /^a word must contain a letter or a digit$/,
  tooManyWords: /^words may have (\d+) words in all languages together$/,
  optOutReply: /^reply must have 1 to (\d+) characters, not only blanks, or be null$/,
} satisfies Readonly<Record<string, RegExp | Coded>>

/** Every reason in a language. A language that lacks a name, or has an additional one, does not compile. */
export type Reasons = Readonly<Record<keyof typeof PATTERNS, string>>

/** Translates the core's English sentences into a language; `code` is the language's word for an error code. */
export const reasonIn = (code: string, reasons: Reasons): ((sentence: string) => string) =>
  sayingBy((Object.keys(PATTERNS) as ReadonlyArray<keyof Reasons>).flatMap((name) => {
    const english = PATTERNS[name]
    return english instanceof RegExp ? [[english, reasons[name]]] : withCode(code, english.withCode, reasons[name])
  }))

const withCode = (code: string, english: string, said: string): ReadonlyArray<Rule> => [
  [new RegExp(`^${english} \\(error code (\\d+)\\)(\\.?)$`), `${said} (${code} $1)$2`], [new RegExp(`^${english}(\\.?)$`), `${said}$1`],
]
