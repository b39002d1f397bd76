import * as E from 'fp-ts/lib/Either.js'
import * as O from 'fp-ts/lib/Option.js'
import type { VNode } from 'preact'
import { isAllowed } from '../../../core/access/access.js'
import { type CustomerId, parseCustomerId } from '../../../core/customers/customer.js'
import type { ShownCustomer } from '../../../core/customers/use-cases.js'
import { closesAt, isOpen } from '../../../core/customers/window.js'
import type { WorkspaceId } from '../../../core/kernel/ids.js'
import type { MessageRecord } from '../../../core/messages/message.js'
import { type Answer, type ConsolePath, redirect } from '../answer.js'
import { failurePage } from '../failure-page.js'
import { actIn, inWorkspace, type InWorkspace, type Page, type PageDeps, workspacePage } from '../page.js'
import { Confirm, Empty, Facts, Id, Problem, State, Time } from '../parts.js'
import { TEXTS } from '../texts.js'
import type { CustomersSection } from './customers-section.js'
import { customerPath, messagesPath, MessageTable } from './message-table.js'
import { TimeLeft } from './time-left.js'

const { customers: texts } = TEXTS
const MESSAGES_SHOWN = 20
const PATH = '/console/workspaces/:workspace/customers/:customer'

/** One customer: what is known, the latest messages, and erasing. */
export const customerPages = (deps: PageDeps, section: CustomersSection): ReadonlyArray<Page> => [
  { path: PATH, get: inWorkspace(deps, 'workspace.view', (page) => show(section, page)) },
  {
    path: `${PATH}/erase`,
    post: actIn(deps, 'customer.erase', async ({ request, signedIn, by, workspace, again }) => {
      const customer = parseCustomerId(request.params['customer'] ?? '')
      if (E.isLeft(customer)) return failurePage({ _tag: 'NotFound' }, signedIn)
      if (section.eraseCustomer === undefined) {
        const allowed = await deps.checkAct({ by, act: 'customer.erase', workspace })
        return E.isLeft(allowed) ? failurePage(allowed.left, signedIn) : again((page) => show(section, page, texts.noSecret))
      }
      const erased = await section.eraseCustomer({ by, workspace, customer: customer.right })
      if (E.isRight(erased)) return redirect(`/console/workspaces/${workspace}/customers?erased=yes`)
      const failure = erased.left
      return failure._tag === 'MessagesUnderWay' ? again((page) => show(section, page, texts.underWay(failure.count))) : failurePage(failure, signedIn)
    }),
  },
]

const listPath = (workspace: WorkspaceId): ConsolePath => `/console/workspaces/${workspace}/customers`

const show = async (section: CustomersSection, page: InWorkspace, problem?: string): Promise<Answer> => {
  const { workspace, signedIn, request } = page
  const id = parseCustomerId(request.params['customer'] ?? '')
  if (E.isLeft(id)) return failurePage({ _tag: 'NotFound' }, signedIn)
  const [customer, messages] = await Promise.all([section.showCustomer(workspace.id, id.right), section.listMessages(workspace.id, { to: id.right, limit: MESSAGES_SHOWN })])
  if (E.isLeft(customer)) return failurePage(customer.left, signedIn)
  if (E.isLeft(messages)) return failurePage(messages.left, signedIn)
  const known = O.toUndefined(customer.right)
  return workspacePage(page, {
    status: problem === undefined ? 200 : 422,
    title: known?.name ?? known?.username ?? id.right,
    path: listPath(workspace.id),
    content: (
      <>
        <p><a href={listPath(workspace.id)}>{texts.back}</a></p>
        <Problem sentence={problem} />
        {known === undefined ? <p>{texts.nothingKnown}</p> : <Customer customer={known} now={section.now()} />}
        <Messages workspace={workspace.id} id={id.right} messages={messages.right.items} />
        {section.eraseCustomer !== undefined && isAllowed(signedIn.principal, 'customer.erase', workspace) && <Erase path={`${customerPath(workspace.id, id.right)}/erase`} />}
      </>
    ),
  })
}

const Known = ({ id }: { readonly id: string | undefined }): VNode => (id === undefined ? <>{texts.unknown}</> : <Id of={id} isWhole />)

const Customer = ({ customer: { phoneNumber, userId, name, username, optedOut, lastInbound }, now }: { readonly customer: ShownCustomer; readonly now: number }): VNode => (
  <Facts facts={[
    [texts.number, <Known id={phoneNumber} />], [texts.userId, <Known id={userId} />], [texts.name, name ?? texts.unknown], [texts.username, username ?? texts.unknown],
    [texts.marketing, optedOut ? <State text={texts.stopped} tone="bad" /> : texts.notStopped],
    [texts.wrote, O.isSome(lastInbound) ? <Time at={lastInbound.value} /> : texts.never],
    [texts.window, O.isSome(lastInbound) && isOpen(now, lastInbound)
      ? <><TimeLeft lastInbound={lastInbound.value} now={now} />, {texts.closes} <Time at={closesAt(lastInbound.value)} /></>
      : <State text={texts.closed} tone="quiet" />],
  ]} />
)

const Messages = ({ workspace, id, messages }: { readonly workspace: WorkspaceId; readonly id: CustomerId; readonly messages: ReadonlyArray<MessageRecord> }): VNode => (
  <>
    <h2>{texts.messages}</h2>
    {messages.length === 0 ? <Empty sentence={texts.noMessages} icon="messages" /> : (
      <>
        <MessageTable messages={messages} withoutRecipient />
        <p><a class="button plain" href={`${messagesPath(workspace)}?to=${encodeURIComponent(id)}`}>{texts.allMessages}</a></p>
      </>
    )}
  </>
)

const Erase = ({ path }: { readonly path: string }): VNode => (
  <Confirm title={texts.erase} sentence={texts.eraseHint} action={path} verb={texts.eraseButton} isDangerous />
)
