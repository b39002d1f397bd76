import * as E from 'fp-ts/lib/Either.js'
import * as O from 'fp-ts/lib/Option.js'
import type { VNode } from 'preact'
import type { Authenticated } from '../../../core/access/sign-in.js'
import { type CustomerId, isUserId } from '../../../core/customers/customer.js'
import type { WorkspaceId } from '../../../core/kernel/ids.js'
import type { Workspace } from '../../../core/kernel/workspace.js'
import type { MessageRecord } from '../../../core/messages/message.js'
import { type Found, type FoundCustomer, NOTE_LOOK } from '../../../core/search.js'
import { type Answer, type ConsolePath, type HtmlAnswer, redirect } from '../answer.js'
import { written } from '../chart.js'
import { failurePage } from '../failure-page.js'
import { actorOf, inWorkspace, type Page, type PageDeps, whenSignedIn } from '../page.js'
import { Empty, Id, State, Table, Time } from '../parts.js'
import { writeCustomerId } from '../phone.js'
import type { PageRequest } from '../request.js'
import { SEARCH_IN, SEARCH_OF_ALL } from '../search-field.js'
import { TEXTS } from '../texts.js'
import { RequestTable, requestPath } from './requests/request-parts.js'
import { customerPath, MessageStateChip, messagesPath, MessageTable, type Names, readNames } from './messages/message-table.js'
import type { UsesOf } from '../gateway.js'

const { customers: windows, search: texts } = TEXTS

/** The dependencies of these pages. */
export type SearchSection = UsesOf<'customers'> & UsesOf<'search'>

/** Everything that a text identifies, in a workspace or in all that the person may see. A single result is opened immediately. */
export const searchPages = (deps: PageDeps, section: SearchSection): ReadonlyArray<Page> => [
  { path: SEARCH_OF_ALL, get: whenSignedIn(deps, (request, signedIn) => find(section, request, signedIn, undefined)) },
  {
    path: SEARCH_IN,
    get: inWorkspace(deps, 'workspace.view', ({ request, signedIn, workspace }) => find(section, request, signedIn, workspace)),
  },
]

const find = async (
  { search, nameCustomers }: SearchSection, request: PageRequest, signedIn: Authenticated, workspace: Workspace | undefined,
): Promise<Answer> => {
  const sought = (request.query.get('q') ?? '').trim()
  const found = await search({ by: actorOf(signedIn, request), text: sought, ...(workspace !== undefined && { workspace: workspace.id }) })
  if (E.isLeft(found)) return failurePage(found.left, signedIn)
  const only = onlyOne(found.right)
  if (only !== undefined) return redirect(only)
  const names = await readNames(nameCustomers, found.right.messages)
  if (E.isLeft(names)) return failurePage(names.left, signedIn)
  const page: HtmlAnswer = {
    _tag: 'Html',
    title: texts.title,
    signedIn,
    sought,
    content: <FoundPage found={found.right} names={names.right} sought={sought} isHere={workspace !== undefined} />,
  }
  return workspace === undefined ? page : { ...page, workspace }
}

/** The page of the result, if there is a single one, and nothing was omitted that could be another. */
const onlyOne = ({ messages, customers, workspaces, requests, noted, named, placesLeft }: Found): ConsolePath | undefined => {
  const paths = [
    ...messages.map(({ workspace, id }): ConsolePath => `${messagesPath(workspace)}/${id}`),
    ...customers.map(({ workspace, id }) => customerPath(workspace, id)), ...workspaces.map(({ id }) => homePath(id)),
    ...requests.map(requestPath),
  ]
  const [first] = paths
  const isPartial = (messages.length > 0 && noted?.isPartial === true) || (customers.length > 0 && named?.isPartial === true)
  return paths.length === 1 && placesLeft === 0 && !isPartial ? first : undefined
}

const homePath = (workspace: WorkspaceId): ConsolePath => `/console/workspaces/${workspace}`

const FoundPage = ({ found, names, sought, isHere }: {
  readonly found: Found
  readonly names: Names
  readonly sought: string
  readonly isHere: boolean
}): VNode => {
  const { messages, customers, workspaces, requests, noted, named, placesLeft } = found
  const count = messages.length + (named?.count ?? customers.length) + workspaces.length + requests.length
  return (
    <>
      {sought !== ''
        && (count === 0
          ? <Empty sentence={texts.none(sought)} icon="search" />
          : <p class="soft" role="status">{texts.found(written(count), sought)}</p>)}
      {customers.length > 0 && (
        <>
          <h2>{texts.customers}</h2>
          {named !== undefined && named.count > customers.length && <p>{texts.firstOf(written(customers.length), written(named.count))}</p>}
          <Customers customers={customers} isHere={isHere} />
        </>
      )}
      {messages.length > 0 && (
        <><h2>{noted === undefined ? texts.byId : texts.noted}</h2><MessageTable messages={messages} names={names} /></>
      )}
      {messages.length > 0 && noted !== undefined && (
        <p>
          <a class="button plain" href={`${messagesPath(noted.workspace)}?reference=${encodeURIComponent(sought)}`}>{texts.allNoted}</a>
        </p>
      )}
      {requests.length > 0 && (
        <><h2>{TEXTS.sections.requests}</h2><RequestTable requests={requests} names={new Map()} showsLeftOut={false} /></>
      )}
      {workspaces.length > 0 && <><h2>{texts.workspaces}</h2><Workspaces workspaces={workspaces} /></>}
      {placesLeft > 0 && <p class="soft">{texts.placesLeft(placesLeft)}</p>}
      {named?.isPartial === true && <p class="soft">{texts.namedLook(written(named.look))}</p>}
      {noted?.isPartial === true && <p class="soft">{texts.notedLook(written(NOTE_LOOK))}</p>}
      {count === 0 && (
        <>
          <p>{texts.what}</p><ul>{texts.kinds.map((kind) => <li key={kind}>{kind}</li>)}</ul>
          {!isHere && <p class="soft">{texts.openOne}</p>}
        </>
      )}
    </>
  )
}

const Customers = ({ customers, isHere }: { readonly customers: ReadonlyArray<FoundCustomer>; readonly isHere: boolean }): VNode => (
  <Table
    label={texts.customers} columns={[texts.customer, texts.number, texts.window, texts.lastMessage, ...(isHere ? [] : [texts.workspace])]}
  >
    {customers.map(({ workspace, id, known, lastSent, isOpen }) => (
      <tr key={`${workspace} ${id}`}>
        <td class="first">
          <a href={customerPath(workspace, id)}>{known?.name ?? known?.username ?? writeCustomerId(id)}</a>
          {known === undefined && <span class="soft"> {texts.nothingKnown}</span>}
        </td>
        <td data-label={texts.number} class="whole">{numberOf(known?.phoneNumber ?? id)}</td>
        <td data-label={texts.window}><State text={isOpen ? texts.open : windows.closed} tone={isOpen ? 'good' : 'quiet'} /></td>
        <td data-label={texts.lastMessage}><LastMessage known={known} lastSent={lastSent} /></td>
        {!isHere && <td data-label={texts.workspace}><Id of={workspace} href={homePath(workspace)} /></td>}
      </tr>
    ))}
  </Table>
)

/** The newest message of either direction. */
const LastMessage = ({ known, lastSent }: Pick<FoundCustomer, 'known' | 'lastSent'>): VNode => {
  const wroteAt = O.toUndefined(known?.lastInbound ?? O.none)
  if (wroteAt !== undefined && wroteAt > (lastSent?.createdAt ?? -Infinity)) {
    return <span class="whole"><span class="soft">{texts.fromCustomer}</span> <Time at={wroteAt} as="ago" /></span>
  }
  return lastSent === undefined ? <span class="soft">{texts.noneSent}</span> : <LastSent message={lastSent} />
}

const LastSent = ({ message: { workspace, id, state, createdAt } }: { readonly message: MessageRecord }): VNode =>
  <span class="whole">
    <MessageStateChip state={state} /> <a href={`${messagesPath(workspace)}/${id}`}><Time at={createdAt} as="ago" /></a>
  </span>

const numberOf = (id: CustomerId): string => (isUserId(id) ? '' : writeCustomerId(id))

const Workspaces = ({ workspaces }: { readonly workspaces: ReadonlyArray<Workspace> }): VNode => (
  <Table label={texts.workspaces} columns={[texts.workspace, TEXTS.workspaces.id, TEXTS.workspaces.currency]}>
    {workspaces.map(({ id, name, currency }) => (
      <tr key={id}>
        <td class="first"><a href={homePath(id)}>{name}</a></td><td data-label={TEXTS.workspaces.id}><Id of={id} /></td>
        <td data-label={TEXTS.workspaces.currency}>{currency}</td>
      </tr>
    ))}
  </Table>
)
