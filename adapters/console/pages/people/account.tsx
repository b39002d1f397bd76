import * as E from 'fp-ts/lib/Either.js'
import { isSessionId, type Session } from '../../../../core/access/members.js'
import type { Authenticated, EndSessionsCommand } from '../../../../core/access/sign-in.js'
import { ALERT_KINDS, type AlertKind } from '../../../../core/alerts/alert.js'
import { type HtmlAnswer, redirect } from '../../answer.js'
import { failurePage } from '../../failure-page.js'
import type { GatewayFacts, UsesOf } from '../../gateway.js'
import { type Page, type PageDeps, whenSignedIn } from '../../page.js'
import { ChoiceField, Table, Tick, Time } from '../../parts.js'
import { TEXTS } from '../../texts.js'
import { LanguageChoice } from '../../language-choice.js'
import { parseZone, ZONES } from '../../zone.js'

const { account: texts } = TEXTS

/** The address to which the choice of a time zone is submitted. */
const ZONE_PATH = '/console/account/zone'

const ALERTS_PATH = '/console/account/alerts'

/** The dependencies of this page. */
export type AccountSection = Pick<GatewayFacts, 'sendsMail'> & { readonly alerts: UsesOf<'alerts'> | undefined }

/** The person's own sessions, and the choices that the browser keeps. */
export const accountPages = ({ members }: PageDeps, { alerts, sendsMail = false }: AccountSection): ReadonlyArray<Page> => [
  {
    path: '/console/account',
    get: whenSignedIn({ members }, async ({ chosenZone }, signedIn) => {
      const [sessions, kinds] = await Promise.all([
        members.listSessions({ signedIn }), alerts?.showChoices(signedIn.principal.member) ?? E.right(undefined),
      ])
      if (E.isLeft(sessions)) return failurePage(sessions.left, signedIn)
      if (E.isLeft(kinds)) return failurePage(kinds.left, signedIn)
      return accountPage(signedIn, { sessions: sessions.right, chosenZone, kinds: kinds.right, sendsMail })
    }),
  },
  ...(alerts === undefined ? [] : [{
    path: ALERTS_PATH,
    post: whenSignedIn({ members }, async ({ form }, { principal, ...signedIn }) => {
      const chosen = await alerts.chooseAlerts(principal.member, ALERT_KINDS.filter((kind) => form[kind] !== undefined))
      return E.isRight(chosen) ? redirect('/console/account') : failurePage(chosen.left, { principal, ...signedIn })
    }),
  }]),
  {
    path: ZONE_PATH,
    post: whenSignedIn({ members }, async ({ form: { zone: chosen = '' } }, signedIn) => {
      const zone = chosen === 'browser' ? chosen : parseZone(chosen)
      return zone === undefined ? failurePage({ _tag: 'Malformed' }, signedIn) : { ...redirect('/console/account'), zone }
    }),
  },
  {
    path: '/console/account/sessions',
    post: whenSignedIn({ members }, async ({ form: { end = '' }, place: { address } }, signedIn) => {
      const which = whichOf(end)
      if (which === undefined) return failurePage({ _tag: 'Malformed' }, signedIn)
      const ended = await members.endSessions({ signedIn, which, address })
      if (E.isLeft(ended)) return failurePage(ended.left, signedIn)
      return end === 'all' || end === signedIn.session.id ? redirect('/console/sign-in', 'ended') : redirect('/console/account')
    }),
  },
]

const whichOf = (end: string): EndSessionsCommand['which'] | undefined => {
  if (end === 'others' || end === 'all') return end
  return isSessionId(end) ? { id: end } : undefined
}

type Account = {
  readonly sessions: ReadonlyArray<Session>; readonly chosenZone: string | undefined
  /** The kinds of alerts that the person chose; `undefined` if there are no alerts. */
  readonly kinds: ReadonlyArray<AlertKind> | undefined; readonly sendsMail: boolean
}

const accountPage = (signedIn: Authenticated, { sessions, chosenZone, kinds, sendsMail }: Account): HtmlAnswer => ({
  _tag: 'Html',
  title: texts.title,
  path: '/console/account',
  signedIn,
  content: (
    <>
      <p>{texts.signedInAs} <strong>{signedIn.principal.email}</strong>.{signedIn.principal.isOperator && ` ${texts.operator}`}</p>
      <p><a href="/console/password">{signedIn.hasPassword ? TEXTS.password.change : TEXTS.password.set}</a></p>
      <h2>{TEXTS.language.title}</h2>
      <p class="soft">{TEXTS.language.hint}</p>
      <LanguageChoice />
      <h2>{TEXTS.zone.title}</h2>
      <form method="post" action={ZONE_PATH}>
        <ChoiceField id="zone" label={TEXTS.zone.label} hint={TEXTS.zone.hint}>
          <option value="browser" selected={chosenZone === undefined}>{TEXTS.zone.browser}</option>
          {ZONES.map((zone) => <option key={zone} value={zone} selected={zone === chosenZone}>{zone}</option>)}
        </ChoiceField>
        <div><button class="plain">{TEXTS.zone.save}</button></div>
      </form>
      {kinds !== undefined && (
        <>
          <h2>{texts.alerts}</h2>
          <p class="soft">{sendsMail ? texts.alertsHint : texts.noMail}</p>
          <form method="post" action={ALERTS_PATH}>
            {ALERT_KINDS.map((kind) => <Tick key={kind} id={kind} label={texts.alertKinds[kind]} isTicked={kinds.includes(kind)} />)}
            <div><button class="plain">{TEXTS.zone.save}</button></div>
          </form>
        </>
      )}
      <h2>{texts.sessions}</h2>
      <Table label={texts.sessions} columns={[texts.browser, texts.address, texts.signedIn, texts.lastSeen, texts.end]}>
        {sessions.map((session) => (
          <tr key={session.id}>
            <td data-label={texts.browser} class="long">
              {session.userAgent ?? texts.unknown}{session.id === signedIn.session.id && <strong> {texts.thisOne}</strong>}
            </td>
            <td data-label={texts.address}>{session.address ?? texts.unknown}</td>
            <td data-label={texts.signedIn}><Time at={session.createdAt} /></td>
            <td data-label={texts.lastSeen}><Time at={session.lastSeenAt} as="ago" /></td>
            <td>
              <form method="post" action="/console/account/sessions">
                <button class="danger" name="end" value={session.id} aria-label={texts.endOne(new Date(session.lastSeenAt).toISOString())}>
                  {texts.end}
                </button>
              </form>
            </td>
          </tr>
        ))}
      </Table>
      <form method="post" action="/console/account/sessions">
        <button class="plain" name="end" value="others">{texts.endOthers}</button>
        <button class="danger" name="end" value="all">{texts.endAll}</button>
      </form>
    </>
  ),
})
