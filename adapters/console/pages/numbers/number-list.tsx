import * as E from 'fp-ts/lib/Either.js'
import type { VNode } from 'preact'
import { isAllowed } from '../../../../core/access/access.js'
import type { LimitUse } from '../../../../core/batches/limit-use.js'
import type { PortFailure } from '../../../../core/kernel/failure.js'
import type { WorkspaceId } from '../../../../core/kernel/ids.js'
import type { ShownSender } from '../../../../core/senders/show-senders.js'
import type { QueueView } from '../../../../core/sending/show-queue.js'
import type { PlatformApp } from '../../../../core/workspaces/apps.js'
import { type Answer, redirect } from '../../answer.js'
import { failurePage } from '../../failure-page.js'
import { written } from '../../chart.js'
import { Icon } from '../../icons.js'
import type { Entry } from '../../navigation.js'
import { actIn, type ActIn, inWorkspace, type InWorkspace, type Page, type PageDeps, workspacePage } from '../../page.js'
import { Empty, OPEN_PANEL, Problem, type Refused, SidePanel, Table, Tick, Time } from '../../parts.js'
import { TEXTS } from '../../texts.js'
import { EmptyAt } from '../queue/queue-parts.js'
import { byAccount, type Numbers, numberPath, numbersPath, titleOf, writtenNumber } from './names.js'
import { LimitDays } from './limit-days.js'
import { accountIn, appIn, choosableApps, Credentials, NumberFields, Quality, refusalOf, Throughput, typedIn } from './number-parts.js'
import { numberPages } from './number.js'
import type { NumbersSection } from './numbers-section.js'
import { Portfolio } from './portfolio.js'

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
  const { id: workspace } = page.workspace
  const [read, apps, queue] = await Promise.all([
    section.showSenders(workspace), choosableApps(section, page.signedIn.principal), section.watchQueue?.(workspace, 0),
  ])
  const failure = E.isLeft(read) ? read.left : undefined
  return {
    ...workspacePage(page, {
      title: sections.sender, path: numbersPath(workspace), firstAct: ADD_NUMBER,
      status: failure !== undefined ? 503 : outcome.problem === undefined ? 200 : 422,
      content: (
        <NumbersPage
          page={page} groups={await usedGroups(section, workspace, E.isRight(read) ? read.right : [])}
          apps={apps} failure={failure} outcome={outcome}
          queue={queue !== undefined && E.isRight(queue) ? queue.right : undefined} isSecretSet={section.isSecretSet}
        />
      ),
    }),
    ...(failure !== undefined && { failure }),
  }
}

/** The numbers of a business account, and what batches use of their limit, if that can be read. */
type UsedGroup = { readonly group: Numbers; readonly use: LimitUse | undefined }

const usedGroups = (
  { showLimitUse }: NumbersSection, workspace: WorkspaceId, numbers: Numbers,
): Promise<ReadonlyArray<UsedGroup>> => Promise.all(byAccount(numbers).map(async (group): Promise<UsedGroup> => {
  const one = group.find(({ customersUsed }) => customersUsed !== undefined)
  const use = one && await showLimitUse?.({ workspace, sender: one.sender.phoneNumberId })
  return { group, use: use !== undefined && E.isRight(use) ? use.right : undefined }
}))

/** The most customers that counted on one of the last days. */
const mostOf = ({ use }: UsedGroup): number => Math.max(0, ...use?.days.map(({ customers }) => customers) ?? [])

const NumbersPage = ({ page: { workspace, request, signedIn: { principal } }, groups, queue, apps, failure, outcome, isSecretSet }: {
  readonly page: InWorkspace
  readonly groups: ReadonlyArray<UsedGroup>
  /** What waits in the queue, if there is one and it can be read. */
  readonly queue: QueueView | undefined
  readonly apps: ReadonlyArray<PlatformApp>
  readonly failure: PortFailure | undefined
  readonly outcome: Outcome
  readonly isSecretSet: boolean
}): VNode => {
  const { typed } = outcome
  const numbers = groups.flatMap(({ group }) => group)
  const readAt = numbers.flatMap(({ number }) => number?.readAt ?? [])
  const busiest = [...groups].sort((a, b) => mostOf(b) - mostOf(a)).find((group) => mostOf(group) > 0)
  const isAdding = isAllowed(principal, 'sender.assign', workspace) && (typed !== undefined || request.query.has(OPEN_PANEL))
  return (
    <>
      <Problem sentence={failure && texts.unreadable} />
      {failure === undefined && numbers.length === 0 && <Empty sentence={texts.none} icon="sender" />}
      {groups.map(({ group, use }, place) => (
        <Portfolio key={place} id={`portfolio-${place}`} numbers={group} use={use}>
          <Table
            label={sections.sender}
            columns={[
              texts.number, texts.state, texts.quality, { number: texts.throughput },
              ...(queue === undefined ? [] : [{ number: texts.waiting }]),
            ]}
          >
            {group.map((one) => (
              <Row key={one.sender.phoneNumberId} of={one} queue={queue} href={numberPath(workspace.id, one.sender.phoneNumberId)} />
            ))}
          </Table>
        </Portfolio>
      ))}
      {busiest?.use !== undefined && (
        <LimitDays numbers={busiest.group} days={busiest.use.days} base={`/console/workspaces/${workspace.id}`} />
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

const Row = ({ of, queue, href }: {
  readonly of: ShownSender; readonly queue: QueueView | undefined; readonly href: string
}): VNode => {
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
      <td data-label={texts.throughput} class="number aside"><Throughput of={of} /></td>
      {queue !== undefined && <td data-label={texts.waiting} class="number"><Waiting of={of} queue={queue} /></td>}
    </tr>
  )
}

/** How many messages wait for a number, and until when. */
const Waiting = ({ of: { sender: { phoneNumberId } }, queue: { holds, senders } }: {
  readonly of: ShownSender; readonly queue: QueueView
}): VNode => {
  const { waiting = 0, emptyAt } = senders.find(({ sender }) => sender === phoneNumberId) ?? {}
  const beneath = waiting === 0 ? texts.nothingWaits
    : holds.length > 0 ? TEXTS.queue.states.held
    : emptyAt !== undefined && <>{texts.until} <EmptyAt at={emptyAt} /></>
  return <span>{written(waiting)}{beneath !== false && <span class="hint beneath">{beneath}</span>}</span>
}
