import { assert } from 'chai'
import * as E from 'fp-ts/lib/Either.js'
import * as openIdClient from 'openid-client'
import { makeCheckSender, type TransportResult } from '../../../adapters/cloud-api/index.js'
import { type Language, LANGUAGES } from '../../../core/kernel/language.js'
import { CATALOGUES } from '../../../adapters/console/texts.js'
import { reasonIn, type Reasons } from '../../../adapters/console/texts/reasons.js'
import { failureOf, NOT_BEGUN_HERE, NOT_VALID, USED } from '../../../adapters/oidc/oidc-provider.js'
import { makeWebhookSender } from '../../../adapters/webhooks/webhook-sender.js'
import { checkSpendingLimit, parseExpiry, parseOverlap, parseScopes } from '../../../core/access/keys.js'
import { parsePassword } from '../../../core/access/passwords.js'
import { parseOptOut } from '../../../core/consent/use-cases.js'
import type { OptOutWords } from '../../../core/consent/words.js'
import { filterOf, MAX_EVENT_TYPES, parseEndpointUrl, parseEventFilter } from '../../../core/events/endpoint.js'
import type { Email } from '../../../core/kernel/actor.js'
import { checkCorrection, checkCredit, parseCurrency, parseMicros } from '../../../core/kernel/money.js'
import { parseName } from '../../../core/kernel/text.js'
import { parseWorkspaceName } from '../../../core/kernel/workspace.js'
import { brokenFile, contentTypeOf, emptyFile, STATIC_STICKER_BYTES, wrongSize } from '../../../core/messages/files.js'
import { checkThreshold } from '../../../core/money/wallet.js'
import { senderIdOf } from '../../../core/senders/sender.js'
import { catalogueFault } from '../../../core/templates/catalogue.js'
import { memberWorld } from '../../core/use-cases/member-world.js'
import { done } from '../../support/right-of.js'

const EMAIL = 'annika@example.com' as Email
const NOW = Date.UTC(2026, 10, 2)
const BYTES = new Uint8Array(16)

/** Why something was refused, as the API and the log say it. */
const whyNot = (result: E.Either<object, unknown>): string =>
  E.isLeft(result) && 'reason' in result.left && typeof result.left.reason === 'string'
    ? result.left.reason
    : assert.fail(JSON.stringify(result))

const ofIdentity = (error: string): string => {
  const cause = new URLSearchParams({ error })
  return whyNot(E.left(failureOf(openIdClient, new openIdClient.AuthorizationResponseError('refused', { cause }))))
}

const ofSender = async (result: TransportResult): Promise<string> => {
  const check = makeCheckSender({
    baseUrl: 'https://graph.example', version: 'v25.0', timeoutMs: 1_000, transport: async () => result, now: () => NOW,
  })
  const checked = await check({ phoneNumberId: senderIdOf('42'), accessToken: 'token', businessAccountId: undefined })
  return E.isLeft(checked) ? checked.left : assert.fail('it was not refused')
}

const answered = (status: number, code: number): TransportResult => ({
  _tag: 'Answered', status, headers: {}, body: JSON.stringify({ error: { code } }),
})

const ofUrl = (url: string): string | undefined => {
  const sender = makeWebhookSender({ version: '0' })
  sender.close()
  return sender.faultOfUrl(url)
}

/** Why a member, who signed in with the account `u-1` of an identity provider, is refused with another account. */
const ofOtherAccount = async (email: string | undefined, isEmailVerified = true): Promise<string> => {
  const { use, join } = await memberWorld()
  await join(EMAIL)
  const signIn = (subject: string, said: { readonly email: string | undefined; readonly isEmailVerified: boolean }) =>
    use.signInWithIdentity({ identity: { issuer: 'https://id.example', subject }, ...said })
  await done(signIn('u-1', { email: EMAIL, isEmailVerified: true }))
  return whyNot(await signIn('u-2', { email, isEmailVerified }))
}

const ofOptOut = (words: OptOutWords, reply?: string): string =>
  whyNot(parseOptOut({ words, topic: 'marketing', ...(reply !== undefined && { reply }) }))

/** What is really said for each reason, in English. */
const saidInEnglish = async (): Promise<Readonly<Record<keyof Reasons, string | undefined>>> => ({
  nameLength: whyNot(parseName('')),
  nameLikeId: whyNot(parseWorkspaceName('ws_1')),
  currencyForm: whyNot(parseCurrency('usd')),
  amountForm: whyNot(parseMicros('1,5')),
  amountTooLarge: whyNot(parseMicros('9999999999999')),
  creditIsZero: whyNot(checkCredit(0n)),
  correctionIsZero: whyNot(checkCorrection(0n)),
  limitOutOfRange: whyNot(checkSpendingLimit(0n)),
  thresholdOutOfRange: whyNot(checkThreshold(0n)),
  unknownScope: whyNot(parseScopes(['fly'])),
  noScope: whyNot(parseScopes([])),
  namedTwice: whyNot(parseScopes(['send', 'send'])),
  expiryForm: whyNot(parseExpiry('soon', NOW)),
  expiryInPast: whyNot(parseExpiry('2020-01-01', NOW)),
  expiryTooFar: whyNot(parseExpiry('2099-01-01', NOW)),
  overlapForm: whyNot(parseOverlap('soon')),
  overlapTooLong: whyNot(parseOverlap('31d')),
  urlForm: whyNot(parseEndpointUrl('shop')),
  urlWithoutHost: ofUrl('https://[::1'),
  urlWithoutHttps: ofUrl('http://shop.example/'),
  urlNotPublic: ofUrl('https://10.0.0.1/'),
  noEventType: whyNot(parseEventFilter([])),
  tooManyEventTypes: whyNot(parseEventFilter(Array.from({ length: MAX_EVENT_TYPES + 1 }, String))),
  eventTypeTwice: whyNot(parseEventFilter(['a', 'a'])),
  eventTypesOfPlatform: whyNot(filterOf('platform', ['*'])),
  passwordTooShort: whyNot(parsePassword('a', EMAIL)),
  passwordTooLong: whyNot(parsePassword('ab'.repeat(5_000), EMAIL)),
  passwordIsEmail: whyNot(parsePassword(EMAIL, EMAIL)),
  passwordIsCommon: whyNot(parsePassword('abababababababab', EMAIL)),
  emailNotShared: await ofOtherAccount(undefined),
  emailNotVerified: await ofOtherAccount(EMAIL, false),
  emailOfNoMember: await ofOtherAccount('bob@example.com'),
  emailOfOtherAccount: await ofOtherAccount(EMAIL),
  signInStartedElsewhere: NOT_BEGUN_HERE,
  signInUsed: USED,
  identityNotValid: NOT_VALID,
  identityDenied: ofIdentity('access_denied'),
  identityErrorWithCode: ofIdentity('server_error'),
  identityError: ofIdentity('<b>'),
  noBusinessAccount: catalogueFault({ _tag: 'PlatformRejected', error: {} }),
  templatesForbidden: catalogueFault({ _tag: 'CredentialsRefused', error: {} }),
  templatesThrottled: catalogueFault({ _tag: 'PlatformThrottled', error: {} }),
  templatesUnread: catalogueFault({ _tag: 'PlatformUnreachable', cause: new Error('ECONNRESET') }),
  senderRefused: await ofSender(answered(401, 190)),
  requestRefused: await ofSender(answered(400, 100)),
  platformThrottled: await ofSender(answered(400, 4)),
  platformUnreachable: await ofSender({ _tag: 'NotSent', cause: new Error('refused') }),
  platformNamesNoNumber: await ofSender({ _tag: 'Answered', status: 200, headers: {}, body: '{"id":"other"}' }),
  platformAnswerUnclear: await ofSender({ _tag: 'NoAnswer', cause: new Error('reset') }),
  stillStickerTooLarge: wrongSize('sticker', STATIC_STICKER_BYTES).reason,
  fileTooLarge: wrongSize('image', 5 * 1024 * 1024).reason,
  fileEmpty: emptyFile.reason,
  fileBroken: brokenFile.reason,
  fileTypeNotShown: whyNot(contentTypeOf('audio', { declared: 'audio/ogg', name: undefined }, BYTES, undefined)),
  fileTypeOther: whyNot(contentTypeOf('video', { declared: 'video/mp4', name: undefined }, BYTES, 'application/pdf')),
  declaredTypeNotShown: whyNot(contentTypeOf('document', { declared: 'application/pdf', name: undefined }, BYTES, undefined)),
  declaredTypeOther: whyNot(contentTypeOf('document', { declared: 'application/pdf', name: undefined }, BYTES, 'application/zip')),
  wordsKey: ofOptOut({ English: ['STOP'] }),
  wordLength: ofOptOut({ en: ['x'.repeat(81)] }),
  wordIsEmpty: ofOptOut({ en: ['!'] }),
  tooManyWords: ofOptOut({ en: Array.from({ length: 501 }, (_, at) => `w${at}`) }),
  optOutReply: ofOptOut({}, '\0'),
})

describe('a reason of the core', () => {
  let english: ReadonlyArray<readonly [name: string, sentence: string]>
  before(async () => {
    english = Object.entries(await saidInEnglish()).map(([name, sentence]) => [name, sentence ?? assert.fail(`${name} was not refused`)])
  })

  /** A language that says the same of every reason, or something by its name. */
  const languageThatSays = (text: (name: string) => string) =>
    reasonIn('code', Object.fromEntries(english.map(([name]) => [name, text(name)])) as Reasons)

  /** What a language says before the error code that it adds. */
  const withoutCode = (said: string): string => said.replace(/( \(code \d+\))?\.?$/, '')

  it('is known by its pattern, and hidden by no pattern before it', () => {
    const nameOf = languageThatSays((name) => name)
    assert.deepEqual(english.map(([, sentence]) => withoutCode(nameOf(sentence))), english.map(([name]) => name))
  })

  for (const language of LANGUAGES.filter((one) => one !== 'en')) {
    it(`is said in ${language}, with every value that it has and no other`, () => {
      const { reason } = CATALOGUES[language].parts
      const valuesOf = languageThatSays(() => '$1\n$2')
      const faults = english.flatMap(([name, sentence]) => {
        const said = reason(sentence)
        const lost = withoutCode(valuesOf(sentence)).split('\n').filter((value) => !value.startsWith('$') && !said.includes(value))
        return said === sentence || /\$\d/.test(said) || lost.length > 0 ? [`${name}: ${said}`] : []
      })
      assert.deepEqual(faults, [])
    })
  }

  it('has the error code of the platform where there is one', async () => {
    const codes: Readonly<Record<Language, string>> = {
      en: 'error code', de: 'Fehlercode', es: 'código de error', 'pt-BR': 'código de erro',
    }
    for (const language of LANGUAGES) {
      const { reason } = CATALOGUES[language].parts
      for (const _tag of ['PlatformRejected', 'CredentialsRefused', 'PlatformThrottled'] as const) {
        const [plain, coded] = [{}, { code: 190 }].map((error) => reason(catalogueFault({ _tag, error })))
        assert.equal(coded, plain?.replace(/\.$/, ` (${codes[language]} 190).`))
      }
      assert.include(reason(await ofSender(answered(401, 190))), ` (${codes[language]} 190)`)
    }
  })

  it('stays English where no pattern fits', () => {
    for (const sentence of ['it must be at most 31d', 'The platform cannot be reached, they say', '']) {
      assert.equal(CATALOGUES.de.parts.reason(sentence), sentence)
    }
  })
})
