import * as E from 'fp-ts/lib/Either.js'
import type { VNode } from 'preact'
import { isAllowed } from '../../../../core/access/access.js'
import type { PortFailure } from '../../../../core/kernel/failure.js'
import type { ShownSender } from '../../../../core/senders/show-senders.js'
import type { PlatformApp } from '../../../../core/workspaces/apps.js'
import { type Answer, redirect } from '../../answer.js'
import { failurePage } from '../../failure-page.js'
import { Icon } from '../../icons.js'
import type { Entry } from '../../navigation.js'
import { actIn, type ActIn, inWorkspace, type InWorkspace, type Page, type PageDeps, workspacePage } from '../../page.js'
import { Empty, OPEN_PANEL, Problem, type Refused, SidePanel, Table, Tick, Time } from '../../parts.js'
import { TEXTS } from '../../texts.js'
import { type Numbers, numberPath, numbersPath, titleOf, writtenNumber } from './names.js'
import {
  accountIn, appIn, choosableApps, Credentials, CustomerLimit, NumberFields, Quality, refusalOf, Throughput, typedIn,
} from './number-parts.js'
import { numberPages } from './number.js'
import type { NumbersSection } from './numbers-section.js'

const { numbers: texts, sections } = TEXTS
const PATH = '/console/workspaces/:workspace/sender'

/** The numbers through which a workspace sends, and one of them. */
export const numbersPages = (deps: PageDeps, section: NumbersSection): ReadonlyArray<Page> => [
  {
    path: PATH,
    get: inWorkspace(deps, 'workspace.view', (page) => show(section, page, {})),
    post: actIn(deps, 'sender.assign', (acting) => add(section, acting)),
  },
  ...numberPages(deps, section),
]

/** The result of a refused form. */
type Outcome = Refused & { readonly typed?: Readonly<Record<string, string>> }

/** Opens the form of a new number. */
export const ADD_NUMBER: Entry = {
  path: `${PATH}?${OPEN_PANEL}`, get text() { return texts.add }, icon: 'plus', act: 'sender.assign', keys: 'c n',
}

const add = async (section: NumbersSection, { request: { form }, by, workspace, signedIn, again }: ActIn): Promise<Answer> => {
  const wrong = (refused: Refused) => again((page) => show(section, page, { ...refused, typed: { ...typedIn(form), ...defaultIn(form) } }))
  const isDefault = form['default'] !== undefined
  if (!section.isSecretSet && isAllowed(signedIn.principal, 'sender.assign', { id: workspace })) return wrong({ problem: texts.noSecret })
  const app = appIn(form, section, signedIn.principal)
  const assigned = await section.assignSender({ by, workspace, ...accountIn(form), ...app, ...(isDefault && { isDefault }) })
  if (E.isRight(assigned)) return redirect(numbersPath(workspace))
  switch (assigned.left._tag) {
    case 'UnknownWorkspace': return failurePage({ _tag: 'NotFound' }, signedIn)
    case 'Forbidden': case 'PortFailure': return failurePage(assigned.left, signedIn)
    case 'InvalidAccountId': case 'InvalidAccessToken': case 'NoSuchApp': case 'SenderNotConfirmed': case 'SenderTaken':
    case 'TooManySenders':
      return wrong(refusalOf(assigned.left, accountIn(form).phoneNumberId))
  }
}

const defaultIn = (form: Readonly<Record<string, string>>) => (form['default'] === undefined ? {} : { default: form['default'] })

/** If the numbers cannot be read, for example after a change of `POSTERN_SECRET`, they can still be added again. */
const show = async (section: NumbersSection, page: InWorkspace, outcome: Outcome): Promise<Answer> => {
  const [read, apps] = await Promise.all([section.showSenders(page.workspace.id), choosableApps(section, page.signedIn.principal)])
  const failure = E.isLeft(read) ? read.left : undefined
  return {
    ...workspacePage(page, {
      title: sections.sender, path: numbersPath(page.workspace.id), firstAct: ADD_NUMBER,
      status: failure !== undefined ? 503 : outcome.problem === undefined ? 200 : 422,
      content: (
        <NumbersPage
          page={page} numbers={E.isRight(read) ? read.right : []} apps={apps} failure={failure} outcome={outcome}
          isSecretSet={section.isSecretSet}
        />
      ),
    }),
    ...(failure !== undefined && { failure }),
  }
}

const NumbersPage = ({ page: { workspace, request, signedIn: { principal } }, numbers, apps, failure, outcome, isSecretSet }: {
  readonly page: InWorkspace
  readonly numbers: Numbers
  readonly apps: ReadonlyArray<PlatformApp>
  readonly failure: PortFailure | undefined
  readonly outcome: Outcome
  readonly isSecretSet: boolean
}): VNode => {
  const { typed } = outcome
  const readAt = numbers.flatMap(({ number }) => number?.readAt ?? [])
  const isAdding = isAllowed(principal, 'sender.assign', workspace) && (typed !== undefined || request.query.has(OPEN_PANEL))
  return (
    <>
      <Problem sentence={failure && texts.unreadable} />
      {failure === undefined && numbers.length === 0 && <Empty sentence={texts.none} icon="sender" />}
      {numbers.length > 0 && (
        <Table
          label={sections.sender}
          columns={[texts.number, texts.state, texts.quality, { number: texts.limit }, { number: texts.throughput }]}
        >
          {numbers.map((one) => <Row key={one.sender.phoneNumberId} of={one} href={numberPath(workspace.id, one.sender.phoneNumberId)} />)}
        </Table>
      )}
      {readAt.length > 0 && <p class="hint">{texts.read} <Time at={Math.min(...readAt)} /></p>}
      {isAdding && (
        <SidePanel id="add" title={texts.add} close={numbersPath(workspace.id)}>
          {isSecretSet ? (
            <form method="post" action={numbersPath(workspace.id)} autocomplete="off">
              <NumberFields typed={typed ?? {}} apps={apps} outcome={outcome} isTokenKept={false} isNew />
              {numbers.length > 0 && (
                <Tick id="default" label={texts.asDefault} hint={texts.defaultHint} isTicked={typed?.['default'] !== undefined} />
              )}
              <div><button>{texts.add}</button></div>
            </form>
          ) : <p class="note bad">{texts.noSecret}</p>}
        </SidePanel>
      )}
    </>
  )
}

const Row = ({ of, href }: { readonly of: ShownSender; readonly href: string }): VNode => {
  const [title, number] = [titleOf(of), writtenNumber(of)]
  return (
    <tr>
      <td class="first">
        <a class="known" href={href}>
          <span class="tile"><Icon name="sender" /></span>
          <span>
            <span class="title">{title}{of.sender.isDefault === true && <> <span class="tag">{texts.isDefault}</span></>}</span>
            {number !== undefined && number !== title && <span class="whole soft">{number}</span>}
          </span>
        </a>
      </td>
      <td class="mark"><Credentials of={of} /></td>
      <td data-label={texts.quality}><Quality of={of} /></td>
      <td data-label={texts.limit} class="number"><CustomerLimit of={of} /></td>
      <td data-label={texts.throughput} class="number aside"><Throughput of={of} /></td>
    </tr>
  )
}
