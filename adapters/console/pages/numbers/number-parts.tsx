import * as E from 'fp-ts/lib/Either.js'
import type { VNode } from 'preact'
import { isAllowed } from '../../../../core/access/access.js'
import type { Principal } from '../../../../core/kernel/actor.js'
import { beginningOf } from '../../../../core/kernel/text.js'
import type { NumberQuality } from '../../../../core/senders/number-health.js'
import { isPlatformAccountId, type SenderInUse } from '../../../../core/senders/sender.js'
import type { ShownSender } from '../../../../core/senders/show-senders.js'
import type { AssignSenderError, ReplaceSenderError } from '../../../../core/senders/use-cases.js'
import type { PlatformApp } from '../../../../core/workspaces/apps.js'
import { written } from '../../chart.js'
import { ChoiceField, Facts, faultAt, Field, type Refused, State, Tick, Time, type Tone } from '../../parts.js'
import { TEXTS } from '../../texts.js'
import type { PlatformSays } from '../../gateway.js'
import type { NumbersSection } from './numbers-section.js'

const { numbers: texts } = TEXTS

/** Whether the token of a number can be decrypted and the platform accepts it, and since when it does not. */
export const Credentials = ({
  of: { sender: { isUnreadable, failingSince, accountRefusedSince } },
}: { readonly of: ShownSender }): VNode => (
  <>
    {isUnreadable && <State text={texts.tokenUnreadable} tone="bad" />}
    {failingSince !== undefined && <Stated text={texts.failing} tone="bad" since={failingSince} />}
    {accountRefusedSince !== undefined && <Stated text={texts.accountRefused} tone="bad" since={accountRefusedSince} />}
    {!isUnreadable && failingSince === undefined && accountRefusedSince === undefined && <State text={texts.working} tone="good" />}
  </>
)

const Stated = ({ text, tone, since }: { readonly text: string; readonly tone: Tone; readonly since: number }): VNode => (
  <div class="stated"><State text={text} tone={tone} /><span class="hint">{texts.since} <Time at={since} as="day" /></span></div>
)

const QUALITY_TONES: Readonly<Record<NumberQuality, Tone>> = { green: 'good', yellow: 'attention', red: 'bad', unknown: 'quiet' }

/** The platform's rating of a number, and since when it has it. */
export const Quality = ({ of: { number } }: { readonly of: ShownSender }): VNode => {
  if (number?.quality === undefined) return <NotKnown />
  const shown = { text: texts.qualities[number.quality], tone: QUALITY_TONES[number.quality] }
  return number.qualitySince === undefined ? <State {...shown} /> : <Stated {...shown} since={number.qualitySince} />
}

/** How many new customers may get messages in 24 hours. */
export const CustomerLimit = ({ of: { number } }: { readonly of: ShownSender }): VNode => {
  const limit = number?.customersPerDay
  if (limit === undefined) return <NotKnown />
  return <>{limit === 'unlimited' ? texts.unlimited : written(limit)}</>
}

/** How many messages a second a number may send and receive. */
export const Throughput = ({ of: { number } }: { readonly of: ShownSender }): VNode =>
  number?.messagesPerSecond === undefined ? <NotKnown /> : <>{texts.perSecond(written(number.messagesPerSecond))}</>

const NotKnown = (): VNode => <span class="soft">{texts.notKnown}</span>

/** The fields of a form. */
type Typed = Readonly<Record<string, string>>

/** Whether a person may choose the app of a number: only operators may, if the gateway has apps. */
const mayChooseApp = ({ listApps }: NumbersSection, principal: Principal): boolean =>
  listApps !== undefined && isAllowed(principal, 'app.add', undefined)

/** The platform's apps that a person may choose for a number. If they cannot be read, there is no choice, and a number keeps its app. */
export const choosableApps = async (section: NumbersSection, principal: Principal): Promise<ReadonlyArray<PlatformApp>> => {
  const listed = mayChooseApp(section, principal) ? await section.listApps?.() : undefined
  return listed !== undefined && E.isRight(listed) ? listed.right : []
}

/**
 * The app that a form chooses, null for the app of the environment; absent if the form has no choice, so that a number keeps its app. An app that was removed while the form
 * was open is refused when the number is set.
 */
export const appIn = ({ app: chosen }: Typed, section: NumbersSection, principal: Principal): { readonly app?: string | null } => {
  if (chosen === undefined || !mayChooseApp(section, principal)) return {}
  return { app: chosen === '' ? null : chosen }
}

/** The fields of the platform account behind a number, as a person typed them. The access token is never shown again. */
export const NumberFields = ({ typed, apps, outcome, isTokenKept, isNew }: {
  readonly typed: Typed
  readonly apps: ReadonlyArray<PlatformApp>
  readonly outcome: Refused
  /** Whether an empty token keeps the stored one. */
  readonly isTokenKept: boolean
  /** Whether the phone number id can be typed. */
  readonly isNew: boolean
}): VNode => (
  <>
    {isNew && (
      <Field
        id="phone" label={texts.phone} value={typed['phone']} hint={texts.hints.phone} inputmode="numeric" maxLength={32}
        {...(outcome.at === undefined && { isFirst: true })} {...faultAt(outcome, 'phone')}
      />
    )}
    <Field
      id="token" label={texts.token} type="password" hint={isTokenKept ? texts.hints.keptToken : texts.hints.token} maxLength={4_096}
      required={!isTokenKept} {...(!isNew && outcome.at === undefined && { isFirst: true })} {...faultAt(outcome, 'token')}
    />
    <Field
      id="account" label={texts.account} value={typed['account']} hint={texts.hints.account} inputmode="numeric" required={false}
      maxLength={32} {...faultAt(outcome, 'account')}
    />
    <Tick id="marketing" label={texts.marketingApi} hint={texts.hints.marketing} isTicked={typed['marketing'] !== undefined} />
    {apps.length > 0 && (
      <ChoiceField id="app" label={texts.app} hint={texts.appHint}>
        <option value="">{texts.appOfEnvironment}</option>
        {apps.map(({ id, name }) => <option key={id} value={id} selected={typed['app'] === id}>{name}</option>)}
      </ChoiceField>
    )}
  </>
)

/** The typed data of a platform account. */
export const accountIn = ({ phone = '', account = '', token = '', marketing }: Typed) => ({
  phoneNumberId: phone.trim(), accessToken: token, businessAccountId: account.trim() === '' ? undefined : account.trim(),
  marketingApi: marketing !== undefined,
})

/** The typed values that a form shows again: everything but the token. */
export const typedIn = ({ phone = '', account = '', app = '', marketing }: Typed): Typed =>
  ({ phone, account, app, ...(marketing !== undefined && { marketing }) })

/** Every failure but those that have a page of their own. */
type Refusal = Exclude<
  AssignSenderError | ReplaceSenderError, { readonly _tag: 'Forbidden' | 'PortFailure' | 'UnknownSender' | 'UnknownWorkspace' }
>

/** Why a form of a platform account was refused, and the field with the fault. */
export const refusalOf = (failure: Refusal, phone: string): Refused => {
  switch (failure._tag) {
    case 'InvalidAccountId':
      return { problem: texts.wrong.id(beginningOf(failure.id, 40)), at: isPlatformAccountId(phone) ? 'account' : 'phone' }
    case 'InvalidAccessToken': return { problem: texts.wrong.token, at: 'token' }
    case 'SenderNotConfirmed':
      return { problem: texts.wrong.notConfirmed(failure.of, failure.reason), at: failure.of === 'number' ? 'token' : 'account' }
    case 'NoSuchApp': return { problem: texts.wrong.noApp }
    case 'SenderTaken': return { problem: texts.wrong.taken, at: 'phone' }
    case 'TooManySenders': return { problem: texts.wrong.tooMany, at: 'phone' }
    case 'SenderInUse': return { problem: inUse(failure), at: 'phone' }
  }
}

/** What is under way of a number. */
export const inUse = ({ count, batches = 0 }: SenderInUse): string => [
  ...(count > 0 ? [texts.wrong.inUse(count)] : []), ...(batches > 0 ? [texts.wrong.batches(batches)] : []), texts.wrong.unchanged,
].join(' ')

/** The result of asking the platform about a number. */
export const Checked = ({ of }: { readonly of: E.Either<string, PlatformSays> }): VNode => {
  if (E.isLeft(of)) return <div class="note bad" role="alert"><p>{TEXTS.parts.reason(of.left)}. {texts.notAccepted}</p></div>
  const { name, number, quality, limit, throughput } = of.right
  const said = [
    [texts.name, name], [texts.number, number], [texts.quality, quality], [texts.limit, limit], [texts.throughput, throughput],
  ] as const
  return (
    <div class="note" role="status">
      <p>{texts.accepted}</p>
      <Facts facts={said.map(([title, value]) => [title, value ?? texts.notSaid])} />
    </div>
  )
}
