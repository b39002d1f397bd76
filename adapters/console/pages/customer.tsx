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
import { Moment, Problem } from '../parts.js'
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
        {known === undefined ? <p>{texts.nothingKnown}</p> : <Facts customer={known} now={section.now()} />}
        <Messages workspace={workspace.id} id={id.right} messages={messages.right.items} />
        {section.eraseCustomer !== undefined && isAllowed(signedIn.principal, 'customer.erase', workspace) && <Erase path={`${customerPath(workspace.id, id.right)}/erase`} />}
      </>
    ),
  })
}

const Facts = ({ customer: { phoneNumber, userId, name, username, optedOut, lastInbound }, now }: { readonly customer: ShownCustomer; readonly now: number }): VNode => (
  <dl class="facts">
    <dt>{texts.number}</dt><dd><code>{phoneNumber ?? texts.unknown}</code></dd>
    <dt>{texts.userId}</dt><dd><code>{userId ?? texts.unknown}</code></dd>
    <dt>{texts.name}</dt><dd>{name ?? texts.unknown}</dd>
    <dt>{texts.username}</dt><dd>{username ?? texts.unknown}</dd>
    <dt>{texts.marketing}</dt><dd>{optedOut ? <span class="state bad">{texts.stopped}</span> : texts.notStopped}</dd>
    <dt>{texts.wrote}</dt><dd>{O.isSome(lastInbound) ? <Moment at={lastInbound.value} /> : texts.never}</dd>
    <dt>{texts.window}</dt>
    <dd>
      {O.isSome(lastInbound) && isOpen(now, lastInbound)
        ? <><TimeLeft lastInbound={lastInbound.value} now={now} />, {texts.closes} <Moment at={closesAt(lastInbound.value)} /></>
        : <span class="state bad">{texts.closed}</span>}
    </dd>
  </dl>
)

const Messages = ({ workspace, id, messages }: { readonly workspace: WorkspaceId; readonly id: CustomerId; readonly messages: ReadonlyArray<MessageRecord> }): VNode => (
  <>
    <h2>{texts.messages}</h2>
    {messages.length === 0 ? <p>{texts.noMessages}</p> : (
      <>
        <MessageTable messages={messages} withoutRecipient />
        <p><a class="button plain" href={`${messagesPath(workspace)}?to=${encodeURIComponent(id)}`}>{texts.allMessages}</a></p>
      </>
    )}
  </>
)

const Erase = ({ path }: { readonly path: string }): VNode => (
  <details>
    <summary>{texts.erase}</summary>
    <p>{texts.eraseHint}</p>
    <form method="post" action={path}><button class="danger">{texts.eraseButton}</button></form>
  </details>
)
