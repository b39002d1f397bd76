import { sayingBy, type Rule } from './translating.js'

/** A sentence of the core that may end with the platform's error code. */
type Coded = { readonly withCode: string }

/**
 * The core's sentences on why something was refused, by name: a pattern, or a sentence that may end with the platform's error code. Every language translates each of them.
 *
 * The first match is used, so a more general pattern comes after those that it would hide.
 */
const PATTERNS = {
  nameLength: /^a name has 1 to (\d+) characters on one line$/,
  nameLikeId: /^a name that begins with ws_ .*$/,
  currencyForm: /^a currency is three capital letters.*$/,
  amountForm: /^an amount is a decimal number.*$/,
  amountTooLarge: /^an amount is at most ([\d.]+)$/,
  creditIsZero: /^an amount to be added is more than zero$/,
  correctionIsZero: /^a correction is more or less than zero$/,
  limitOutOfRange: /^a limit is more than zero and at most ([\d.]+)$/,
  thresholdOutOfRange: /^a threshold is more than zero and at most ([\d.]+)$/,
  unknownScope: /^there is no scope (.*); a key can have (.*)$/,
  noScope: /^a key needs at least one of (.*)$/,
  namedTwice: /^(\S+) is named twice$/,
  expiryForm: /^it is a duration such as 90d or 12h, or a moment.*$/,
  expiryInPast: /^it must be in the future$/,
  expiryTooFar: /^it is at most ten years away$/,
  overlapForm: /^it is a duration such as 24h or 30m, or 0$/,
  overlapTooLong: /^it is at most 30d$/,
  urlForm: /^url is an absolute https URL .* at most (\d+) characters$/,
  urlWithoutHost: /^url is not the address of a host$/,
  urlWithoutHttps: /^url begins with https, except .*$/,
  urlNotPublic: /^url is at an address that is not public.*$/,
  noEventType: /^types names at least one type of event.*$/,
  tooManyEventTypes: /^types names at most (\d+) types of events$/,
  eventTypeTwice: /^types names each type of event once$/,
  eventTypesOfPlatform: /^types is left out of an endpoint .*$/,
  passwordTooShort: /^A password has at least (\d+) characters$/,
  passwordTooLong: /^A password has at most (\d+) characters$/,
  passwordIsEmail: /^The password must not be the email$/,
  passwordIsCommon: /^This password is one of the most common ones.*$/,
  emailNotSaid: /^Your identity provider did not say your email.*$/,
  emailNotVerified: /^Your identity provider has not verified your email.*$/,
  emailOfNoMember: /^No member has your email.*$/,
  emailOfOtherAccount: /^The member with your email signs in with another account.*$/,
  signInNotBegunHere: /^This sign-in was not begun in this browser.*$/,
  signInUsed: /^This sign-in was used already.*$/,
  identityNotValid: /^The identity provider's answer is not valid.*$/,
  identityDenied: /^The identity provider did not let you in.*$/,
  identityErrorWithCode: /^The identity provider ended the sign-in with the error (\S+)$/,
  identityError: /^The identity provider ended the sign-in with an error$/,
  noBusinessAccount: { withCode: 'The platform knows no business account of this id, or does not show it to this access token' },
  templatesForbidden: { withCode: 'The platform does not let this access token read templates' },
  templatesThrottled: { withCode: 'The platform is asked too often for the templates of this business account' },
  templatesUnread: /^The list of templates could not be read: (.*)$/,
  senderRefused: { withCode: "The platform refuses the sender's access token or phone number id" },
  questionRefused: { withCode: 'The platform refuses the question' },
  platformThrottled: /^The platform is being asked too often; try again later$/,
  platformUnreachable: /^The platform cannot be reached$/,
  platformAnswerUnclear: /^The platform gave no answer that makes sense$/,
  platformNamesNoNumber: /^The platform answered without naming the number that was asked for$/,
  stillStickerTooLarge: /^The file is too large: a sticker that does not move may have at most (.*)$/,
  fileTooLarge: /^The file is too large: an? \w+ may have at most (.*)$/,
  fileEmpty: /^The file is empty$/,
  fileBroken: /^The file did not arrive whole$/,
  fileTypeNotShown: /^An? \w+ must be (.*); the first bytes of this file show none of them$/,
  fileTypeOther: /^An? \w+ must be (.*); the first bytes of this file show (.*)$/,
  saidTypeNotShown: /^The file is said to be (.*); its first bytes show something else$/,
  saidTypeOther: /^The file is said to be (.*); its first bytes show (.*)$/,
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
