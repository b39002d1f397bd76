import * as E from 'fp-ts/lib/Either.js'
import type { VNode } from 'preact'
import { isAllowed } from '../../../../core/access/access.js'
import type { PendingEvents } from '../../../../core/events/delivery.js'
import type { EventEndpoint } from '../../../../core/events/endpoint.js'
import { type Answer, redirectWithFlash } from '../../answer.js'
import { failurePage } from '../../failure-page.js'
import { actIn, type ActIn, inWorkspace, type InWorkspace, liveIn, type Page, type PageDeps, workspacePage } from '../../page.js'
import type { Entry } from '../../navigation.js'
import { Empty, Live, Once, OPEN_PANEL, Problem, type Refused, SidePanel, Table, Time } from '../../parts.js'
import { sorted, type Sorting, sortingIn } from '../../sorting.js'
import { TEXTS } from '../../texts.js'
import {
  EndpointSettings, EndpointState, formatIn, PendingCount, settingsIn, typesIn, whatItGets, wrongSettings,
} from './endpoint-parts.js'
import { endpointPages } from './endpoint.js'
import type { EndpointsSection } from './endpoints-section.js'

const { endpoints: texts, sections } = TEXTS
const PATH = '/console/workspaces/:workspace/endpoints'

/** The number of endpoints for which the page shows the number of waiting events. */
const COUNTED = 50

/** The endpoints to which the events of a workspace are delivered. */
export const endpointsPages = (deps: PageDeps, section: EndpointsSection): ReadonlyArray<Page> => [
  {
    path: PATH,
    get: inWorkspace(deps, 'workspace.view', (page) => show(section, page, {})),
    live: liveIn(deps, 'workspace.view', async (page) => {
      const { workspace: { id } } = page
      const sorting = sortingOf(page)
      return {
        _tag: 'Live', key: sorting.here,
        read: async () => E.map((listed: Listed) => <List listed={listed} sorting={sorting} />)(await list(section, id)),
      }
    }),
    hasLargeForm: true,
    post: actIn(deps, 'endpoint.add', (acting) => add(section, acting)),
  },
  ...endpointPages(deps, section),
]

const pathOf = (workspace: string): `/console/${string}` => `/console/workspaces/${workspace}/endpoints`

const ORDERS = {
  address: ({ endpoint }: Listed[number]) => endpoint.url, last: ({ endpoint }: Listed[number]) => endpoint.lastDelivery?.at,
}

const sortingOf = ({ workspace, request: { query } }: InWorkspace): Sorting => sortingIn(pathOf(workspace.id), query, Object.keys(ORDERS))

type Outcome = Refused & { readonly typed?: Readonly<Record<string, string>> }
type Listed = ReadonlyArray<{ readonly endpoint: EventEndpoint; readonly pending: PendingEvents | undefined }>

const add = async (section: EndpointsSection, { request: { form }, by, workspace, signedIn, again }: ActIn): Promise<Answer> => {
  const added = await section.addEndpoint({ by, workspace, format: formatIn(form), ...settingsIn(form) })
  if (E.isRight(added)) {
    const { endpoint: { id }, secret } = added.right
    return redirectWithFlash(
      pathOf(workspace),
      <Once sentence={texts.once} secret={secret}>
        <p>{texts.verify} <a href={`${pathOf(workspace)}/${id}`}>{texts.openEndpoint}</a></p>
      </Once>,
    )
  }
  switch (added.left._tag) {
    case 'TooManyEndpoints': {
      const { most } = added.left
      return again((page) => show(section, page, { problem: texts.wrong.tooMany(most), typed: form }))
    }
    case 'UnknownWorkspace': return failurePage({ _tag: 'NotFound' }, signedIn)
    case 'Forbidden': case 'PortFailure': return failurePage(added.left, signedIn)
    case 'InvalidEndpointUrl': case 'InvalidEventTypes': case 'UnknownEventType': case 'InvalidDescription': {
      const refused = wrongSettings(added.left)
      return again((page) => show(section, page, { ...refused, typed: form }))
    }
  }
}

const list = async ({ listEndpoints, showPending }: EndpointsSection, workspace: EventEndpoint['workspace']) => {
  const endpoints = await listEndpoints(workspace)
  if (E.isLeft(endpoints)) return endpoints
  const counted = await Promise.all(endpoints.right.slice(0, COUNTED).map(({ id }) => showPending(id)))
  const failure = counted.find(E.isLeft)
  if (failure !== undefined) return failure
  return E.right(endpoints.right.map((endpoint, index) => {
    const count = counted[index]
    return { endpoint, pending: count === undefined || E.isLeft(count) ? undefined : count.right }
  }))
}

/** Opens the form of a new endpoint. */
export const ADD_ENDPOINT: Entry = {
  path: `${PATH}?${OPEN_PANEL}`, get text() { return texts.add }, icon: 'plus', act: 'endpoint.add', keys: 'c e',
}

const show = async (section: EndpointsSection, page: InWorkspace, outcome: Outcome): Promise<Answer> => {
  const listed = await list(section, page.workspace.id)
  if (E.isLeft(listed)) return failurePage(listed.left, page.signedIn)
  const path = pathOf(page.workspace.id)
  return workspacePage(page, {
    title: sections.endpoints, path, firstAct: ADD_ENDPOINT, status: outcome.problem === undefined ? 200 : 422,
    content: <Endpoints page={page} path={path} listed={listed.right} outcome={outcome} isSecretSet={section.isSecretSet} />,
  })
}

const Endpoints = ({ page, page: { signedIn: { principal }, workspace, request }, path, listed, outcome, isSecretSet }: {
  readonly page: InWorkspace; readonly path: string; readonly listed: Listed; readonly outcome: Outcome; readonly isSecretSet: boolean
}): VNode => (
  <>
    <p class="soft">{texts.about}</p>
    <Live address={sortingOf(page).here}><List listed={listed} sorting={sortingOf(page)} /></Live>
    {isAllowed(principal, 'endpoint.add', workspace) && (outcome.typed !== undefined || request.query.has(OPEN_PANEL)) && (
      <SidePanel id="add" title={texts.add} close={path}>
        <Problem sentence={outcome.problem} at={outcome.at} />
        {isSecretSet ? <Add path={path} outcome={outcome} /> : <p class="note bad">{texts.noSecret}</p>}
      </SidePanel>
    )}
  </>
)

const Add = ({ path, outcome }: { readonly path: string; readonly outcome: Outcome }): VNode => {
  const { typed = {} } = outcome
  return (
  <form method="post" action={path}>
    <EndpointSettings
      given={{ url: typed['url'], types: typed['types'] === undefined ? ['*'] : typesIn(typed), description: typed['description'] }}
      format={formatIn(typed)} outcome={outcome}
    />
    <div><button>{texts.add}</button></div>
  </form>
  )
}

const List = ({ listed, sorting }: { readonly listed: Listed; readonly sorting: Sorting }): VNode => (
  listed.length === 0 ? <Empty sentence={texts.none} icon="endpoints" /> : (
    <Table
      label={sections.endpoints} isCompact sorting={sorting}
      columns={[
        { text: texts.address, sort: 'address' }, texts.state, texts.types, { number: texts.pending },
        { number: texts.lastDelivery, sort: 'last' },
      ]}
    >
      {sorted(listed, sorting, ORDERS).map(({ endpoint, pending }) => (
        <tr key={endpoint.id} id={endpoint.id}>
          <td class="first">
            <a href={`${pathOf(endpoint.workspace)}/${endpoint.id}`}>
              <span class="cut" title={endpoint.url}>{endpoint.url}</span>
              {endpoint.description !== '' && <span class="soft cut" title={endpoint.description}>{endpoint.description}</span>}
            </a>
          </td>
          <td class="mark"><EndpointState of={endpoint} /></td>
          <td class="what" title={whatItGets(endpoint)}>{whatItGets(endpoint)}</td>
          <td class="number">{pending === undefined ? '' : <PendingCount of={pending} />}</td>
          <td class="number sent">
            {endpoint.lastDelivery === undefined ? texts.never : <Time at={endpoint.lastDelivery.at} as="ago" />}
          </td>
        </tr>
      ))}
    </Table>
  )
)
