import * as E from 'fp-ts/lib/Either.js'
import type { VNode } from 'preact'
import { parseWrittenCustomerId } from '../../../../core/customers/customer.js'
import type { OpenWindow } from '../../../../core/customers/use-cases.js'
import type { FreeForm } from '../../../../core/customers/window.js'
import type { PortFailure } from '../../../../core/kernel/failure.js'
import type { InboxId, WorkspaceId } from '../../../../core/kernel/ids.js'
import type { Page as ListPage } from '../../../../core/kernel/page.js'
import { redirect } from '../../answer.js'
import { failurePage } from '../../failure-page.js'
import { choosing, cursorIn, inWorkspace, type InWorkspace, listed, liveIn, type Page, type PageDeps, workspacePage } from '../../page.js'
import { Empty, Field, Id, Live, Problem, Table, Time } from '../../parts.js'
import { writeCustomerId } from '../../phone.js'
import { TEXTS } from '../../texts.js'
import { customerPages } from './customer.js'
import type { CustomersSection } from './customers-section.js'
import { customerPath } from '../messages/message-table.js'
import { TimeLeft } from './time-left.js'
import { areSeveral, nameIn, type Numbers, ofInbox, readNumbers } from '../numbers/names.js'

const { customers: texts, numbers: numberTexts, sections } = TEXTS
const SHOWN_AT_ONCE = 50
const PATH = '/console/workspaces/:workspace/customers'

/** A name contains a letter; a mistyped phone number does not. */
const LETTER = /\p{L}/u

/** The customers of a workspace with an open window, and one customer. */
export const customersPages = (deps: PageDeps, section: CustomersSection, hasSearch: boolean): ReadonlyArray<Page> => [
  {
    path: PATH,
    get: choosing({ [UNANSWERED]: ['on'] }, listed('windows', inWorkspace(deps, 'workspace.view', async (page) => {
      const typed = page.request.query.get('find')?.trim() ?? ''
      const found = parseWrittenCustomerId(typed)
      if (typed !== '' && E.isRight(found)) return redirect(customerPath(page.workspace.id, found.right))
      if (hasSearch && LETTER.test(typed)) return redirect(`/console/workspaces/${page.workspace.id}/search?q=${encodeURIComponent(typed)}`)
      const shown = await list(section, page, cursorIn(page.request))
      if (E.isLeft(shown)) return failurePage(shown.left, page.signedIn)
      const problem = typed === '' ? undefined
        : E.isLeft(found) && found.left.hasTrunkZero === true ? TEXTS.send.problems.hasTrunkZero
        : texts.badId(typed)
      return workspacePage(page, {
        status: problem === undefined ? 200 : 422, title: sections.customers,
        content: (
          <Customers
            page={page} listed={shown.right} now={section.now()} freeForm={section.freeForm} typed={typed} problem={problem}
            hint={hasSearch ? texts.findByName : texts.findHint}
          />
        ),
      })
    }))),
    live: liveIn(deps, 'workspace.view', async (page) => ({
      _tag: 'Live',
      key: JSON.stringify(['customers', page.workspace.id, isUnanswered(page)]),
      read: async () =>
        E.map((listed: Windows) => (
          <List
            workspace={page.workspace.id} listed={listed} now={section.now()} freeForm={section.freeForm} isUnanswered={isUnanswered(page)}
          />
        ))(await list(section, page)),
    })),
  },
  ...customerPages(deps, section),
]

/** The filter for customers who wait for an answer. */
const UNANSWERED = 'unanswered'

const isUnanswered = ({ request: { query } }: InWorkspace): boolean => query.get(UNANSWERED) === 'on'

/** A page of open windows, and the numbers that have them. */
type Windows = ListPage<OpenWindow> & { readonly numbers: Numbers }

const list = async (section: CustomersSection, page: InWorkspace, cursor?: string): Promise<E.Either<PortFailure, Windows>> => {
  const { workspace: { id } } = page
  const query = { limit: SHOWN_AT_ONCE, ...(cursor !== undefined && { cursor }) }
  const [listed, numbers] = await Promise.all([
    (isUnanswered(page) ? section.listUnanswered : section.listOpenWindows)(id, query), readNumbers(section, id),
  ])
  return E.map((windows: ListPage<OpenWindow>) => ({ ...windows, numbers }))(listed)
}

type Listed = { readonly listed: Windows; readonly now: number; readonly freeForm: FreeForm | undefined }
type Shown = Listed & { readonly page: InWorkspace; readonly typed: string; readonly problem: string | undefined; readonly hint: string }

const Customers = ({ page, listed, now, freeForm, typed, problem, hint }: Shown): VNode => {
  const { request: { path, query }, workspace: { id } } = page
  const isWaiting = isUnanswered(page)
  const here = isWaiting ? `${path}?${UNANSWERED}=on` : path
  const after = (cursor: string) => `${here}${isWaiting ? '&' : '?'}cursor=${encodeURIComponent(cursor)}`
  const shown = <List workspace={id} listed={listed} now={now} freeForm={freeForm} isUnanswered={isWaiting} />
  return (<>
    {query.get('erased') !== null && <p class="note" role="status">{texts.erased}</p>}
    <Problem sentence={problem} />
    <form method="get" action={path} class="line">
      <Field id="find" label={texts.find} hint={hint} value={typed} />
      <button class="plain">{texts.findButton}</button>
    </form>
    <p class="soft">{freeForm === 'always' ? texts.introAlways : texts.intro}</p>
    <nav class="bar" aria-label={texts.which}><div class="chips">
      <a href={path} {...(!isWaiting && { 'class': 'active', 'aria-current': 'true' })}>{texts.everyone}</a>
      <a href={`${path}?${UNANSWERED}=on`} {...(isWaiting && { 'class': 'active', 'aria-current': 'true' })}>{texts.unanswered}</a>
    </div></nav>
    {query.get('cursor') === null ? <Live address={here}>{shown}</Live> : shown}
    {listed.next !== undefined && (
      <p><a class="button plain" href={after(listed.next)}>{texts.more}</a></p>
    )}
  </>)
}

const List = ({ workspace, listed: { items, numbers }, now, freeForm, isUnanswered: isWaiting }: Listed & {
  readonly workspace: WorkspaceId
  readonly isUnanswered: boolean
}): VNode => (
  items.length === 0 ? (
    <Empty sentence={isWaiting ? texts.noneUnanswered : freeForm === 'always' ? texts.noneWrote : texts.none} icon="customers" />
  ) : (
    <Table
      label={sections.customers} isCompact
      columns={[
        texts.customer, ...(areSeveral(numbers) ? [numberTexts.number] : []), texts.userId, ...(freeForm === 'always' ? [] : [texts.left]),
        { number: texts.wrote },
      ]}
    >
      {items.map(({ inbox, phoneNumber, userId, name, username, lastInbound }) => {
        const id = userId ?? phoneNumber ?? ''
        return (
          <tr key={`${inbox} ${id}`}>
            <td class="first">
              <a href={customerPath(workspace, id)}>
                <span class="cut" title={name ?? username}>{name ?? username ?? (id === '' ? '' : writeCustomerId(id))}</span>
                {phoneNumber !== undefined && (name ?? username) !== undefined && (
                  <>{' '}<span class="whole soft">{writeCustomerId(phoneNumber)}</span></>
                )}
              </a>
            </td>
            {areSeveral(numbers) && <td class="what">{numberOf(numbers, workspace, inbox)}</td>}
            <td {...(!areSeveral(numbers) && { class: 'what' })}>{userId === undefined ? '' : <Id of={userId} />}</td>
            {freeForm !== 'always' && <td class="mark"><TimeLeft lastInbound={lastInbound} now={now} /></td>}
            <td class="number sent"><Time at={lastInbound} as="ago" /></td>
          </tr>
        )
      })}
    </Table>
  )
)

/** The name of the number to which a customer wrote; nothing for a number that was removed. */
const numberOf = (numbers: Numbers, workspace: WorkspaceId, inbox: InboxId): string => {
  const id = ofInbox(numbers, workspace, inbox)
  return id === undefined ? '' : nameIn(numbers, id)
}
