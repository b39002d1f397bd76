import * as E from 'fp-ts/lib/Either.js'
import type { VNode } from 'preact'
import { isAllowed } from '../../../../core/access/access.js'
import { beginningOf } from '../../../../core/kernel/text.js'
import { readableAccount, type Sender, senderIdOf } from '../../../../core/senders/sender.js'
import { type Answer, type ConsolePath, redirect } from '../../answer.js'
import { failurePage } from '../../failure-page.js'
import { actIn, type ActIn, inWorkspace, type InWorkspace, type Page, type PageDeps, workspacePage } from '../../page.js'
import { Confirm, Empty, English, Facts, faultAt, Field, Id, Panel, Problem, type Refused, State, Tick, Time } from '../../parts.js'
import { TEXTS } from '../../texts.js'
import type { GatewayFacts, PlatformSays, UsesOf } from '../../gateway.js'

const { sender: texts, sections } = TEXTS
const PATH = '/console/workspaces/:workspace/sender'

/** The dependencies of these pages. */
export type SenderSection = UsesOf<'templates'> & UsesOf<'workspaces'> & Pick<GatewayFacts, 'isSecretSet' | 'readSender' | 'summaryOf'>

/** The platform account that a workspace sends through: its state, checking it, replacing it, and removing it. */
export const senderPages = (deps: PageDeps, section: SenderSection): ReadonlyArray<Page> => [
  {
    path: PATH,
    get: inWorkspace(deps, 'workspace.view', (page) => show(section, page, {})),
    post: actIn(deps, 'sender.assign', (acting) => assign(section, acting)),
  },
  { path: `${PATH}/remove`, post: actIn(deps, 'sender.remove', (acting) => remove(section, acting)) },
  { path: `${PATH}/check`, post: inWorkspace(deps, 'sender.assign', (page) => check(section, page)) },
]

/** The result of a form, if one was submitted. */
type Outcome = Refused & {
  readonly typed?: Readonly<Record<string, string>>
  readonly checked?: E.Either<string, PlatformSays>
}

const assign = async (section: SenderSection, { request: { form }, by, workspace, signedIn, again }: ActIn): Promise<Answer> => {
  const { phone = '', account = '', token = '', marketing } = form
  // The token is never shown again, not even after an error.
  const typed = { phone, account, ...(marketing !== undefined && { marketing }) }
  const wrong = (problem: string, at?: string) => again((page) => show(section, page, { problem, at, typed }))
  if (!section.isSecretSet) return wrong(texts.noSecret)
  const assigned = await section.assignSender({
    by, workspace, phoneNumberId: phone.trim(), accessToken: token, businessAccountId: account.trim() === '' ? undefined : account.trim(),
    marketingApi: marketing !== undefined,
  })
  if (E.isRight(assigned)) return redirect(`/console/workspaces/${workspace}/sender`)
  switch (assigned.left._tag) {
    case 'InvalidAccountId':
      return wrong(texts.wrong.id(beginningOf(assigned.left.id, 40)), assigned.left.id === phone.trim() ? 'phone' : 'account')
    case 'InvalidAccessToken': return wrong(texts.wrong.token, 'token')
    case 'SenderNotConfirmed': return wrong(texts.wrong.notConfirmed(assigned.left.of, assigned.left.reason))
    case 'SenderTaken': return wrong(texts.wrong.taken, 'phone')
    case 'TooManySenders': return wrong(texts.wrong.tooMany)
    case 'UnknownWorkspace': return failurePage({ _tag: 'NotFound' }, signedIn)
    case 'Forbidden': case 'PortFailure': return failurePage(assigned.left, signedIn)
  }
}

const remove = async (section: SenderSection, { request: { form }, by, workspace, signedIn, again }: ActIn): Promise<Answer> => {
  const wrong = (problem: string, at?: string) => again((page) => show(section, page, { problem, at }))
  const isAsked = isAllowed(signedIn.principal, 'sender.remove', { id: workspace })
  if (isAsked && form['sure'] === undefined) return wrong(texts.wrong.sure, 'sure')
  const removed = await section.removeSender({ by, workspace, sender: senderIdOf(form['sender'] ?? '') })
  if (E.isRight(removed)) return redirect(`/console/workspaces/${workspace}/sender`)
  switch (removed.left._tag) {
    case 'UnknownSender': return wrong(texts.none)
    case 'SenderInUse': return wrong(texts.wrong.inUse(removed.left.count))
    case 'Forbidden': case 'PortFailure': return failurePage(removed.left, signedIn)
  }
}

const check = async (section: SenderSection, page: InWorkspace): Promise<Answer> => {
  const stored = await section.findSender({ workspace: page.workspace.id })
  if (E.isLeft(stored)) return show(section, page, {})
  return show(section, page, stored.right === undefined ? { problem: texts.none } : { checked: await section.readSender(stored.right) })
}

/** A sender that cannot be read, for example after a change of `POSTERN_SECRET`, can still be replaced. */
const show = async (section: SenderSection, page: InWorkspace, outcome: Outcome): Promise<Answer> => {
  const { workspace, signedIn } = page
  const stored = await section.findSender({ workspace: workspace.id })
  const sender = E.isRight(stored) ? stored.right : undefined
  const account = readableAccount(sender)
  const report = account === undefined ? E.right(undefined) : E.map(section.summaryOf)(await section.showNotices(account))
  if (E.isLeft(report)) return failurePage(report.left, signedIn)
  const path: ConsolePath = `/console/workspaces/${workspace.id}/sender`
  const mayRemove = sender !== undefined && isAllowed(signedIn.principal, 'sender.remove', workspace)
  const problem = outcome.problem ?? (E.isLeft(stored) ? texts.unreadable : undefined)
  return {
    ...workspacePage(page, {
      title: sections.sender, path,
      ...(mayRemove && {
        rareActs: { content: <Remove path={path} sender={sender} outcome={outcome} />, isOpen: outcome.at === 'sure' },
      }),
      status: E.isLeft(stored) ? 503 : outcome.problem === undefined ? 200 : 422,
      content: (
        <SenderPage
          page={page} sender={sender} report={report.right} outcome={{ ...outcome, ...(problem !== undefined && { problem }) }}
          isSecretSet={section.isSecretSet}
        />
      ),
    }),
    ...(E.isLeft(stored) && stored.left._tag === 'PortFailure' && { failure: stored.left }),
  }
}

const SenderPage = ({ page: { workspace, signedIn: { principal } }, sender, report, outcome, isSecretSet }: {
  readonly page: InWorkspace
  readonly sender: Sender | undefined
  readonly report: string | undefined
  readonly outcome: Outcome
  readonly isSecretSet: boolean
}): VNode => {
  const maySet = isAllowed(principal, 'sender.assign', workspace)
  const path = `/console/workspaces/${workspace.id}/sender`
  const { problem, at, typed, checked } = outcome
  return (
    <>
      <Problem sentence={problem} at={sender === undefined && at === 'sure' ? undefined : at} />
      {checked !== undefined && <Checked of={checked} />}
      <p class="soft">{texts.about}</p>
      {sender === undefined ? <Empty sentence={texts.none} icon="sender" /> : <Stored sender={sender} report={report} />}
      {sender !== undefined && maySet && (
        <form method="post" action={`${path}/check`}>
          <button class="plain">{texts.check}</button><span class="soft">{texts.checkSentence}</span>
        </form>
      )}
      {maySet && (
        <Panel id="set" title={sender === undefined ? texts.set : texts.setAnother}>
          {isSecretSet ? (
            <SetForm
              path={path} phone={typed?.['phone'] ?? sender?.phoneNumberId} account={typed?.['account'] ?? sender?.businessAccountId}
              isMarketingOn={typed === undefined ? sender?.marketingApi === true : typed['marketing'] !== undefined}
              outcome={outcome}
            />
          ) : <p class="note bad">{texts.noSecret}</p>}
        </Panel>
      )}
    </>
  )
}

const Remove = ({ path, sender, outcome }: { readonly path: string; readonly sender: Sender; readonly outcome: Refused }): VNode => (
  <Confirm
    title={texts.removeThis} sentence={texts.removeSentence} action={`${path}/remove`} verb={texts.doRemove} isDangerous
    isOpen={outcome.at === 'sure'}
  >
    <input type="hidden" name="sender" value={sender.phoneNumberId} />
    <Tick id="sure" label={texts.sure(sender.phoneNumberId)} isTicked={false} {...faultAt(outcome, 'sure')} />
  </Confirm>
)

const Stored = ({ sender: { phoneNumberId, businessAccountId, marketingApi = false, failingSince, accountRefusedSince }, report }: {
  readonly sender: Sender
  readonly report: string | undefined
}): VNode => (
  <Facts facts={[
    [texts.phone, <Id of={phoneNumberId} isWhole />],
    [texts.account, businessAccountId === undefined ? texts.noAccount : (
      <>
        <Id of={businessAccountId} isWhole />
        {accountRefusedSince !== undefined && (
          <> <State
            text={texts.accountRefused} tone="bad"
          /> <span class="soft">{texts.since} <Time at={accountRefusedSince} />. {texts.notShared}</span></>
        )}
      </>
    )],
    [texts.health, failingSince === undefined
      ? <State text={texts.working} tone="good" />
      : <><State text={texts.failing} tone="bad" /> <span class="soft">{texts.since} <Time at={failingSince} /></span></>],
    [texts.marketing, marketingApi ? texts.marketingOn : texts.marketingOff],
    [texts.token, texts.hidden],
    ...(report === undefined ? [] : [[texts.reported, <English>{report}</English>] as const]),
  ]} />
)

const Checked = ({ of }: { readonly of: E.Either<string, PlatformSays> }): VNode => {
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

const SetForm = ({ path, phone, account, isMarketingOn, outcome }: {
  readonly path: string; readonly phone: string | undefined; readonly account: string | undefined; readonly isMarketingOn: boolean
  readonly outcome: Refused
}): VNode => (
  <form method="post" action={path} autocomplete="off">
    <Field
      id="phone" label={texts.phone} value={phone} hint={texts.hints.phone} inputmode="numeric" maxLength={32}
      {...faultAt(outcome, 'phone')}
    />
    <Field
      id="account" label={texts.account} value={account} hint={texts.hints.account} inputmode="numeric" required={false} maxLength={32}
      {...faultAt(outcome, 'account')}
    />
    <Tick id="marketing" label={texts.marketingApi} hint={texts.hints.marketing} isTicked={isMarketingOn} />
    <Field id="token" label={texts.token} type="password" hint={texts.hints.token} maxLength={4_096} {...faultAt(outcome, 'token')} />
    <div><button>{texts.save}</button></div>
  </form>
)
