import * as E from 'fp-ts/lib/Either.js'
import * as O from 'fp-ts/lib/Option.js'
import type { ComponentChildren, VNode } from 'preact'
import { isAllowed } from '../../../../core/access/access.js'
import type { PortFailure } from '../../../../core/kernel/failure.js'
import { readableAccount, type Sender, type SenderId, senderIdOf } from '../../../../core/senders/sender.js'
import type { ShownSender } from '../../../../core/senders/show-senders.js'
import type { PlatformApp } from '../../../../core/workspaces/apps.js'
import { type Answer, type ConsolePath, redirect } from '../../answer.js'
import { failurePage } from '../../failure-page.js'
import type { PlatformSays } from '../../gateway.js'
import type { Entry } from '../../navigation.js'
import { actIn, type ActIn, inWorkspace, type InWorkspace, type Page, type PageDeps, workspacePage } from '../../page.js'
import { Confirm, English, Facts, faultAt, Id, OPEN_PANEL, Problem, type Refused, SidePanel, State, Tick, Time } from '../../parts.js'
import { TEXTS } from '../../texts.js'
import { nameIn, type Numbers, numberPath, numbersPath, readNumbers, writtenNumber } from './names.js'
import {
  accountIn, appIn, Checked, choosableApps, Credentials, CustomerLimit, inUse, NumberFields, Quality, refusalOf, Throughput, typedIn,
} from './number-parts.js'
import type { NumbersSection } from './numbers-section.js'

const { numbers: texts } = TEXTS
const PATH = '/console/workspaces/:workspace/sender/:number'

/** The value of the parameter that opens the form for a number that has moved. */
const MOVED = 'moved'

/** One number: its facts, checking it, and its actions. */
export const numberPages = (deps: PageDeps, section: NumbersSection): ReadonlyArray<Page> => [
  {
    path: PATH,
    get: inWorkspace(deps, 'workspace.view', (page) => show(section, page, {})),
    post: actIn(deps, 'sender.assign', (acting) => change(section, acting)),
  },
  { path: `${PATH}/check`, post: inWorkspace(deps, 'sender.assign', (page) => check(section, page)) },
  { path: `${PATH}/default`, post: actIn(deps, 'sender.set_default', (acting) => makeDefault(section, acting)) },
  { path: `${PATH}/replace`, post: actIn(deps, 'sender.replace', (acting) => replace(section, acting)) },
  { path: `${PATH}/remove`, post: actIn(deps, 'sender.remove', (acting) => remove(section, acting)) },
]

/** The result of a form, if one was submitted. */
type Outcome = Refused & {
  readonly typed?: Readonly<Record<string, string>>
  /** The panel of the form. */
  readonly panel?: Panel
  readonly checked?: E.Either<string, PlatformSays>
}

type Panel = 'change' | 'moved'

const idIn = ({ request: { params } }: Pick<InWorkspace, 'request'>): SenderId => senderIdOf(params['number'] ?? '')

/** Finds a number of the workspace even if its token cannot be decrypted. */
const findOwned = async (
  { ownerOf, now }: NumbersSection, page: Pick<InWorkspace, 'request'>, workspace: InWorkspace['workspace']['id'],
): Promise<E.Either<{ readonly _tag: 'NotFound' } | PortFailure, void>> => {
  const owner = await ownerOf(idIn(page), now())
  if (E.isLeft(owner)) return owner
  const found = O.toUndefined(owner.right)
  return found === undefined || found.workspace !== workspace || found.isFormer === true ? E.left({ _tag: 'NotFound' }) : E.right(undefined)
}

/** Sets the number again. An empty token keeps the stored one. */
const change = async (section: NumbersSection, acting: ActIn): Promise<Answer> => {
  const { request: { form }, by, workspace, signedIn, again } = acting
  const wrong = (refused: Refused) => again((page) => show(section, page, { ...refused, typed: typedIn(form), panel: 'change' }))
  const owned = await findOwned(section, acting, workspace)
  if (isAllowed(signedIn.principal, 'sender.assign', { id: workspace })) {
    if (E.isLeft(owned)) return failurePage(owned.left, signedIn)
    if (!section.isSecretSet) return wrong({ problem: texts.noSecret })
  }
  const typed = accountIn(form)
  const stored = typed.accessToken.trim() === '' ? await section.findSender({ workspace, sender: idIn(acting) }) : E.right(undefined)
  const kept = E.isRight(stored) ? stored.right?.accessToken : undefined
  const assigned = await section.assignSender({
    by, workspace, ...typed, phoneNumberId: idIn(acting), accessToken: kept ?? typed.accessToken,
    ...appIn(form, section, signedIn.principal),
  })
  if (E.isRight(assigned)) return redirect(numberPath(workspace, idIn(acting)))
  switch (assigned.left._tag) {
    case 'UnknownWorkspace': return failurePage({ _tag: 'NotFound' }, signedIn)
    case 'Forbidden': case 'PortFailure': return failurePage(assigned.left, signedIn)
    case 'InvalidAccountId': case 'InvalidAccessToken': case 'NoSuchApp': case 'SenderNotConfirmed': case 'SenderTaken':
    case 'TooManySenders':
      return wrong(refusalOf(assigned.left, idIn(acting)))
  }
}

/** Asks the platform, and stores what it reports, so that the page below shows it. */
const check = async (section: NumbersSection, page: InWorkspace): Promise<Answer> => {
  const of = { workspace: page.workspace.id, sender: idIn(page) }
  const stored = await section.findSender(of)
  if (E.isLeft(stored) || stored.right === undefined) return show(section, page, {})
  const [checked] = await Promise.all([section.readSender(stored.right), section.refreshNumber?.(of)])
  return show(section, page, { checked })
}

const makeDefault = async ({ setDefaultSender }: NumbersSection, acting: ActIn): Promise<Answer> => {
  const { by, workspace, signedIn } = acting
  const made = await setDefaultSender({ by, workspace, sender: idIn(acting) })
  return E.isRight(made) ? redirect(numberPath(workspace, idIn(acting))) : failurePage(made.left, signedIn)
}

const replace = async (section: NumbersSection, acting: ActIn): Promise<Answer> => {
  const { request: { form }, by, workspace, signedIn, again } = acting
  const wrong = (refused: Refused) => again((page) => show(section, page, { ...refused, typed: typedIn(form), panel: 'moved' }))
  if (!section.isSecretSet && isAllowed(signedIn.principal, 'sender.replace', { id: workspace })) return wrong({ problem: texts.noSecret })
  const replacement = { ...accountIn(form), ...appIn(form, section, signedIn.principal) }
  const replaced = await section.replaceSender({ by, workspace, sender: idIn(acting), replacement })
  if (E.isRight(replaced)) return redirect(numberPath(workspace, replaced.right.phoneNumberId))
  switch (replaced.left._tag) {
    case 'UnknownSender': case 'Forbidden': case 'PortFailure': return failurePage(replaced.left, signedIn)
    case 'InvalidAccountId': case 'InvalidAccessToken': case 'NoSuchApp': case 'SenderNotConfirmed': case 'SenderTaken':
    case 'SenderInUse':
      return wrong(refusalOf(replaced.left, replacement.phoneNumberId))
  }
}

const remove = async (section: NumbersSection, acting: ActIn): Promise<Answer> => {
  const { request: { form }, by, workspace, signedIn, again } = acting
  const wrong = (problem: string) => again((page) => show(section, page, { problem, at: 'sure' }))
  const isAsked = isAllowed(signedIn.principal, 'sender.remove', { id: workspace })
  if (isAsked && form['sure'] === undefined) return wrong(texts.wrong.sure)
  const removed = await section.removeSender({ by, workspace, sender: idIn(acting) })
  if (E.isRight(removed)) return redirect(numbersPath(workspace))
  return removed.left._tag === 'SenderInUse' ? wrong(inUse(removed.left)) : failurePage(removed.left, signedIn)
}

/** The number as it is stored; without a sender if its token cannot be decrypted, for example after a change of `POSTERN_SECRET`. */
type Looked = {
  readonly id: SenderId
  readonly sender: Sender | undefined
  readonly shown: ShownSender | undefined
  readonly numbers: Numbers
  readonly failure: PortFailure | undefined
}

const look = async (section: NumbersSection, page: InWorkspace): Promise<E.Either<{ readonly _tag: 'NotFound' } | PortFailure, Looked>> => {
  const { workspace: { id: workspace } } = page
  const id = idIn(page)
  const [owned, stored, numbers] = await Promise.all([
    findOwned(section, page, workspace), section.findSender({ workspace, sender: id }), readNumbers(section, workspace),
  ])
  if (E.isLeft(owned)) return owned
  if (E.isLeft(stored) && stored.left._tag === 'UnknownSender') return E.left({ _tag: 'NotFound' })
  const sender = E.isRight(stored) ? stored.right : undefined
  const shown: ShownSender | undefined = numbers.find((one) => one.sender.phoneNumberId === id) ?? (sender && { sender, number: undefined })
  const isKnown = shown?.sender.isUnreadable === true
  return E.right({
    id, numbers, sender, shown, failure: E.isLeft(stored) && stored.left._tag === 'PortFailure' && !isKnown ? stored.left : undefined,
  })
}

const show = async (section: NumbersSection, page: InWorkspace, outcome: Outcome): Promise<Answer> => {
  const { workspace, signedIn: { principal }, request: { query } } = page
  const looked = await look(section, page)
  if (E.isLeft(looked)) return failurePage(looked.left, page.signedIn)
  const { id, sender, numbers, failure, shown: { sender: listed } = {} } = looked.right
  const account = readableAccount(listed)
  const report = account === undefined ? E.right(undefined) : E.map(section.summaryOf)(await section.showNotices(account))
  if (E.isLeft(report)) return failurePage(report.left, page.signedIn)
  const path = numberPath(workspace.id, id)
  const asked = query.get(OPEN_PANEL)
  const panel = outcome.panel ?? (asked === null ? undefined : asked === MOVED ? MOVED : 'change')
  const shown = {
    page, looked: looked.right, apps: await choosableApps(section, page.signedIn.principal), path, outcome,
    isSecretSet: section.isSecretSet,
  }
  const acts = rareActsOf(shown)
  return {
    ...workspacePage(page, {
      title: nameIn(numbers, id), path: numbersPath(workspace.id), firstAct: changeNumber(path),
      ...(acts.length > 0 && { rareActs: { content: <>{acts}</>, isOpen: outcome.at === 'sure' } }),
      status: failure !== undefined ? 503 : outcome.problem === undefined ? 200 : 422,
      content: (
        <>
          <p class="back"><a href={numbersPath(workspace.id)}>{texts.all}</a></p>
          <Problem sentence={failure === undefined && listed?.isUnreadable !== true ? undefined : texts.unreadableOne} />
          <Problem sentence={outcome.problem} at={outcome.at} />
          {outcome.checked !== undefined && <Checked of={outcome.checked} />}
          {looked.right.shown !== undefined && <NumberFacts of={looked.right.shown} apps={shown.apps} report={report.right} />}
          {sender !== undefined && isAllowed(principal, 'sender.assign', workspace) && (
            <form method="post" action={`${path}/check`}>
              <button class="plain">{texts.check}</button><span class="soft">{texts.checkSentence}</span>
            </form>
          )}
          {panel === 'change' && isAllowed(principal, 'sender.assign', workspace) && <Change {...shown} />}
          {panel === MOVED && isAllowed(principal, 'sender.replace', workspace) && <Moved {...shown} />}
        </>
      ),
    }),
    ...(failure !== undefined && { failure }),
  }
}

/** Opens the form that changes the number. */
const changeNumber = (path: ConsolePath): Entry => ({
  path: PATH, href: `${path}?${OPEN_PANEL}`, text: texts.change, icon: 'settings', act: 'sender.assign',
})

type Shown = {
  readonly page: InWorkspace; readonly looked: Looked; readonly apps: ReadonlyArray<PlatformApp>; readonly path: ConsolePath
  readonly outcome: Outcome; readonly isSecretSet: boolean
}

const NumberFacts = ({ of, apps, report }: {
  readonly of: ShownSender; readonly apps: ReadonlyArray<PlatformApp>; readonly report: string | undefined
}): VNode => {
  const { sender: { phoneNumberId, businessAccountId, app, isDefault, marketingApi, accountRefusedSince }, number } = of
  return (
    <Facts facts={[
      ...fact(texts.name, number?.verifiedName), ...fact(texts.number, writtenNumber(of)),
      [texts.state, <>{isDefault === true && <span class="tag">{texts.isDefault}</span>} <Credentials of={of} /></>],
      [texts.quality, <Quality of={of} />], [texts.limit, <CustomerLimit of={of} />], [texts.throughput, <Throughput of={of} />],
      ...fact(texts.read, number && <Time at={number.readAt} />),
      [texts.phone, <Id of={phoneNumberId} isWhole />],
      [texts.account, businessAccountId === undefined ? texts.noAccount : (
        <>
          <Id of={businessAccountId} isWhole />
          {accountRefusedSince !== undefined && (
            <>
              {' '}<State text={texts.notReadable} tone="bad" />{' '}
              <span class="soft">{texts.since} <Time at={accountRefusedSince} />. {texts.notShared}</span>
            </>
          )}
        </>
      )],
      ...fact(texts.app, app && (apps.find(({ id }) => id === app)?.name ?? <Id of={app} isWhole />)),
      [texts.marketing, marketingApi === true ? texts.marketingOn : texts.marketingOff],
      [texts.token, texts.hidden],
      ...fact(texts.reported, report && <English>{report}</English>),
    ]} />
  )
}

const fact = (name: string, value: ComponentChildren): ReadonlyArray<readonly [string, ComponentChildren]> =>
  value === undefined || value === '' ? [] : [[name, value]]

/** The actions that are rare, each with its effect. */
const rareActsOf = (
  { page: { workspace, signedIn: { principal } }, looked: { shown, numbers }, path, outcome }: Shown,
): ReadonlyArray<VNode> => [
  ...(shown !== undefined && shown.sender.isDefault !== true && isAllowed(principal, 'sender.set_default', workspace) ? [
    <Confirm key="default" title={texts.makeDefault} sentence={texts.defaultHint} action={`${path}/default`} verb={texts.doDefault} />,
  ] : []),
  ...(isAllowed(principal, 'sender.replace', workspace) ? [<a key="moved" href={`${path}?${OPEN_PANEL}=${MOVED}`}>{texts.moved}</a>] : []),
  ...(shown !== undefined && isAllowed(principal, 'sender.remove', workspace) ? [
    <Remove key="remove" of={shown} numbers={numbers} path={path} outcome={outcome} />,
  ] : []),
]

/** Removing a number says what happens to the others. */
const Remove = ({ of: { sender: { phoneNumberId, isDefault } }, numbers, path, outcome }: {
  readonly of: ShownSender; readonly numbers: Numbers; readonly path: string; readonly outcome: Refused
}): VNode => {
  const [next] = numbers.filter(({ sender }) => sender.phoneNumberId !== phoneNumberId)
  const sentences = [
    next === undefined ? texts.removeLast : texts.removeOne,
    ...(next !== undefined && isDefault === true ? [texts.nextDefault(nameIn(numbers, next.sender.phoneNumberId))] : []),
  ]
  return (
    <Confirm
      title={texts.removeThis} sentence={sentences.join(' ')} action={`${path}/remove`} verb={texts.doRemove} isDangerous
      isOpen={outcome.at === 'sure'}
    >
      <Tick id="sure" label={texts.sure(nameIn(numbers, phoneNumberId))} isTicked={false} {...faultAt(outcome, 'sure')} />
    </Confirm>
  )
}

const Change = ({ looked: { sender }, apps, path, outcome, isSecretSet }: Shown): VNode => (
  <SidePanel id="change" title={texts.change} close={path}>
    {isSecretSet ? (
      <form method="post" action={path} autocomplete="off">
        <NumberFields
          typed={outcome.typed ?? {
            account: sender?.businessAccountId ?? '', app: sender?.app ?? '', ...(sender?.marketingApi === true && { marketing: 'on' }),
          }}
          apps={apps} outcome={outcome} isTokenKept={sender !== undefined} isNew={false}
        />
        <div><button>{texts.save}</button></div>
      </form>
    ) : <p class="note bad">{texts.noSecret}</p>}
  </SidePanel>
)

const Moved = ({ looked: { sender }, apps, path, outcome, isSecretSet }: Shown): VNode => (
  <SidePanel id="moved" title={texts.movedTitle} close={path}>
    {isSecretSet ? (
      <form method="post" action={`${path}/replace`} autocomplete="off">
        <p class="soft">{texts.movedHint}</p>
        <NumberFields typed={outcome.typed ?? { app: sender?.app ?? '' }} apps={apps} outcome={outcome} isTokenKept={false} isNew />
        <div><button>{texts.doMove}</button></div>
      </form>
    ) : <p class="note bad">{texts.noSecret}</p>}
  </SidePanel>
)
