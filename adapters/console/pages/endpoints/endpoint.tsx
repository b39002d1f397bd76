import * as E from 'fp-ts/lib/Either.js'
import * as O from 'fp-ts/lib/Option.js'
import type { VNode } from 'preact'
import { isAllowed } from '../../../../core/access/access.js'
import type { DeliveryAttempt, PendingEvents } from '../../../../core/events/delivery.js'
import type { ChangeEndpointError } from '../../../../core/events/endpoint-use-cases.js'
import type { EventEndpoint } from '../../../../core/events/endpoint.js'
import type { FailedCount } from '../../../../core/events/use-cases.js'
import type { PortFailure } from '../../../../core/kernel/failure.js'
import { isEventId } from '../../../../core/kernel/ids.js'
import type { Page as ListPage } from '../../../../core/kernel/page.js'
import { eventView } from '../../../../core/kernel/outbox.js'
import { type Answer, type ConsolePath, redirect, redirectWithFlash } from '../../answer.js'
import { failurePage } from '../../failure-page.js'
import {
  actIn, type ActIn, cursorIn, inWorkspace, type InWorkspace, listed, liveIn, type Page, type PageDeps, workspacePage,
} from '../../page.js'
import { Empty, Facts, Id, Live, Menu, Once, OPEN_PANEL, Problem, type Refused, Table, Time, Timeline } from '../../parts.js'
import { TEXTS } from '../../texts.js'
import { parseMoment } from '../../zone.js'
import { ChangeEndpoint, EndpointActs, EndpointCalls, EventExamples, failedIn, RedeliverFailed, RedeliverOne } from './endpoint-acts.js'
import { EndpointState, PendingCount, Result, ResultDetails, settingsIn, whatItGets, wrongSettings } from './endpoint-parts.js'
import type { EndpointsSection } from './endpoints-section.js'

const { endpoints: texts } = TEXTS
const PATH = '/console/workspaces/:workspace/endpoints/:endpoint'
const SHOWN_AT_ONCE = 50

/** One endpoint: its state, its deliveries, and its actions. */
export const endpointPages = (deps: PageDeps, section: EndpointsSection): ReadonlyArray<Page> => [
  {
    path: PATH,
    get: listed('deliveries', inWorkspace(deps, 'workspace.view', (page) => show(section, page, {}))),
    live: listed('deliveries', liveIn(deps, 'workspace.view', async (page) => {
      const looked = await look(section, page)
      if (E.isLeft(looked)) return failurePage(looked.left._tag === 'PortFailure' ? looked.left : { _tag: 'NotFound' }, page.signedIn)
      return {
        _tag: 'Live', key: JSON.stringify(['endpoint', page.workspace.id, looked.right.endpoint.id, cursorIn(page.request)]),
        read: async () => {
          const read = await look(section, page)
          if (E.isRight(read)) return E.right(<State look={read.right} />)
          return read.left._tag === 'PortFailure' ? E.left(read.left) : E.right(<p>{texts.gone}</p>)
        },
      }
    })),
  },
  { path: `${PATH}/change`, hasLargeForm: true, post: actIn(deps, 'endpoint.change', (acting) => change(section, acting)) },
  { path: `${PATH}/status`, post: actIn(deps, 'endpoint.change', (acting) => setStatus(section, acting)) },
  { path: `${PATH}/rotate-secret`, post: actIn(deps, 'endpoint.rotate_secret', (acting) => rotateSecret(section, acting)) },
  { path: `${PATH}/test`, post: actIn(deps, 'endpoint.test', (acting) => test(section, acting)) },
  { path: `${PATH}/redeliver`, post: actIn(deps, 'event.redeliver', (acting) => redeliver(section, acting)) },
  { path: `${PATH}/remove`, post: actIn(deps, 'endpoint.remove', (acting) => remove(section, acting)) },
  { path: `${PATH}/events/:event`, get: inWorkspace(deps, 'workspace.view', (page) => showEvent(section, page, undefined)) },
]

/** The result of a form, if one was submitted. */
type Outcome = Refused & {
  readonly typed?: Readonly<Record<string, string>>
}

type Looked = {
  readonly endpoint: EventEndpoint; readonly attempts: ListPage<DeliveryAttempt>; readonly pending: PendingEvents
}

const idIn = ({ request: { params } }: Pick<InWorkspace, 'request'>): string => params['endpoint'] ?? ''
const pathTo = ({ workspace, id }: Pick<EventEndpoint, 'workspace' | 'id'>): ConsolePath => `/console/workspaces/${workspace}/endpoints/${id}`
const pathIn = ({ workspace, request }: ActIn): ConsolePath => `/console/workspaces/${workspace}/endpoints/${request.params['endpoint'] ?? ''}`
const commandOf = ({ by, workspace, request }: ActIn) => ({ by, workspace, id: request.params['endpoint'] ?? '' })

const look = async ({ findEndpoint, listDeliveries, showPending }: EndpointsSection, page: InWorkspace) => {
  const command = { workspace: page.workspace.id, id: idIn(page) }
  const cursor = cursorIn(page.request)
  const endpoint = await findEndpoint(command)
  if (E.isLeft(endpoint)) return endpoint
  const [attempts, waiting] = await Promise.all([
    listDeliveries(command, { limit: SHOWN_AT_ONCE, ...(cursor !== undefined && { cursor }) }), showPending(endpoint.right.id),
  ])
  if (E.isLeft(attempts)) return attempts
  if (E.isLeft(waiting)) return waiting
  return E.right({ endpoint: endpoint.right, attempts: attempts.right, pending: waiting.right })
}

const show = async (section: EndpointsSection, page: InWorkspace, submitted: Outcome): Promise<Answer> => {
  const looked = await look(section, page)
  if (E.isLeft(looked)) return failurePage(looked.left._tag === 'PortFailure' ? looked.left : { _tag: 'NotFound' }, page.signedIn)
  const { endpoint, attempts } = looked.right
  const path = pathTo(endpoint)
  const failed = await countFailed(section, page)
  if (E.isLeft(failed)) return failurePage(failed.left, page.signedIn)
  const outcome = submitted.problem === undefined ? { ...submitted, ...failed.right.refused } : submitted
  const { signedIn: { principal }, workspace } = page
  const mayChange = isAllowed(principal, 'endpoint.change', workspace)
  const shown = { endpoint, path, principal, workspace, outcome, isSecretSet: section.isSecretSet }
  return workspacePage(page, {
    ...(mayChange && { rareActs: { content: <EndpointActs {...shown} />, isOpen: outcome.at === 'since' } }),
    title: texts.one, path: `/console/workspaces/${endpoint.workspace}/endpoints`, status: outcome.problem === undefined ? 200 : 422,
    content: (
      <>
        <Problem sentence={outcome.problem} at={outcome.at} />
        {isAllowed(principal, 'endpoint.test', workspace) && (
          <form method="post" action={`${path}/test`}><button>{texts.test}</button><span class="soft">{texts.testSentence}</span></form>
        )}
        <Live address={`${path}?${page.request.query.toString()}`}><State look={looked.right} /></Live>
        {attempts.next !== undefined && (
          <p><a class="button plain" href={`${path}?cursor=${encodeURIComponent(attempts.next)}`}>{texts.older}</a></p>
        )}
        {mayChange && (outcome.typed !== undefined || page.request.query.has(OPEN_PANEL)) && (
          <ChangeEndpoint endpoint={endpoint} path={path} typed={outcome.typed} outcome={outcome} />
        )}
        {isAllowed(principal, 'event.redeliver', workspace) && endpoint.status === 'enabled' && (
          <RedeliverFailed
            {...shown} given={(name) => page.request.query.get(name) ?? undefined} count={failed.right.count}
          />
        )}
        <EventExamples types={endpoint.types} />
        <EndpointCalls id={endpoint.id} origin={page.request.origin} />
      </>
    ),
  })
}

/** How many failed events match the filter in the address, or why it is refused; nothing is counted unless a person asked. */
const countFailed = async (
  section: EndpointsSection, page: InWorkspace,
): Promise<E.Either<PortFailure, { readonly count?: FailedCount; readonly refused?: Refused }>> => {
  const { request: { query }, workspace: { id: workspace } } = page
  if (!query.has('failed')) return E.right({})
  const filter = failedIn((name) => query.get(name) ?? undefined)
  if (E.isLeft(filter)) return E.right({ refused: filter.left })
  const counted = await section.countFailed({ workspace, id: idIn(page), filter: filter.right })
  if (E.isRight(counted)) return E.right({ count: counted.right })
  return counted.left._tag === 'PortFailure' ? E.left(counted.left) : E.right({ refused: wrongType() })
}

const wrongType = (): Refused => ({ problem: texts.wrong.filter, at: 'failed_type' })

const State = ({ look: { endpoint, attempts, pending } }: { readonly look: Looked }): VNode => (
  <>
    <Facts facts={[
      [texts.address, <code>{endpoint.url}</code>], [texts.id, <Id of={endpoint.id} isWhole />],
      [texts.state, <EndpointState of={endpoint} />], [texts.types, whatItGets(endpoint)], [texts.pending, <PendingCount of={pending} />],
      [texts.added, <Time at={endpoint.createdAt} />],
      ...(endpoint.description === '' ? [] : [[texts.description, endpoint.description] as const]),
    ]} />
    <h2>{texts.deliveries}</h2>
    {attempts.items.length === 0 ? <Empty sentence={texts.noDeliveries} icon="endpoints" /> : (
      <Table
        label={texts.deliveries} isCompact
        columns={[texts.event, texts.result, texts.next, { number: texts.at }, { fit: texts.answer }]}
      >
        {attempts.items.map((attempt) => <Attempt key={attempt.id} of={attempt} path={pathTo(endpoint)} />)}
      </Table>
    )}
  </>
)

const Attempt = ({ of, path }: { readonly of: DeliveryAttempt; readonly path: string }): VNode => (
  <tr id={of.id}>
    <td class="first">
      {of.type === 'endpoint.test'
        ? <span class="in"><span class="cut">{of.type}</span><Id of={of.event} /></span>
        : <a href={`${path}/events/${of.event}`}><span class="cut">{of.type}</span><Id of={of.event} /></a>}
    </td>
    <td class="mark"><Result of={of} /></td>
    <td class="what">{of.nextAttemptAt === undefined ? '' : <Time at={of.nextAttemptAt} />}</td>
    <td class="number sent"><Time at={of.at} as="ago" /></td>
    <td class="act">
      {of.answer !== undefined && of.answer !== '' && (
        <Menu label={texts.showAnswer}><pre class="secret" tabindex={0} aria-label={texts.answer}>{of.answer}</pre></Menu>
      )}
    </td>
  </tr>
)

const change = async (section: EndpointsSection, acting: ActIn): Promise<Answer> => {
  const { form } = acting.request
  const changed = await section.changeEndpoint({ ...commandOf(acting), change: settingsIn(form) })
  if (E.isRight(changed)) return redirect(pathTo(changed.right))
  switch (changed.left._tag) {
    case 'EndpointNotFound': return failurePage({ _tag: 'NotFound' }, acting.signedIn)
    case 'Forbidden': case 'PortFailure': return failurePage(changed.left, acting.signedIn)
    case 'InvalidEndpointUrl': case 'InvalidEventTypes': case 'UnknownEventType': case 'InvalidDescription': {
      const refused = wrongSettings(changed.left)
      return acting.again((page) => show(section, page, { ...refused, typed: form }))
    }
  }
}

const setStatus = async (section: EndpointsSection, acting: ActIn): Promise<Answer> => {
  const { status } = acting.request.form
  if (status !== 'enabled' && status !== 'disabled') return failurePage({ _tag: 'Malformed' }, acting.signedIn)
  const changed = await section.changeEndpoint({ ...commandOf(acting), change: { status } })
  return E.isRight(changed) ? redirect(pathTo(changed.right)) : refused(changed.left, acting)
}

const rotateSecret = async (section: EndpointsSection, acting: ActIn): Promise<Answer> => {
  const rotated = await section.rotateSecret(commandOf(acting))
  if (E.isLeft(rotated)) return refused(rotated.left, acting)
  const { secret, previousUntil } = rotated.right
  const flash = <Once sentence={texts.once} secret={secret}><p>{texts.bothUntil} <Time at={previousUntil} />.</p></Once>
  return redirectWithFlash(pathIn(acting), flash)
}

const test = async (section: EndpointsSection, acting: ActIn): Promise<Answer> => {
  const tested = await section.testEndpoint(commandOf(acting))
  if (E.isLeft(tested)) return refused(tested.left, acting)
  const flash = (
    <div class={tested.right.delivered ? 'note' : 'note bad'} role="status">
      <p>{tested.right.delivered ? texts.took : texts.tookNot}</p><Result of={tested.right} />
    </div>
  )
  return redirectWithFlash(pathIn(acting), flash)
}

/** Redelivers one event, the failed events of a filter, or all events since a time. */
const redeliver = async (section: EndpointsSection, acting: ActIn): Promise<Answer> => {
  const { event, failed, since = '' } = acting.request.form
  if (event !== undefined) {
    const again = await section.redeliverEvent({ ...commandOf(acting), event })
    if (E.isRight(again)) return answerFlash(acting, texts.redelivered(1))
    return again.left._tag === 'EventNotFound' ? wrong(section, acting, texts.wrong.event) : refusedOrDisabled(section, again.left, acting)
  }
  if (failed !== undefined) {
    const filter = failedIn((name) => acting.request.form[name])
    if (E.isLeft(filter)) return acting.again((page) => show(section, page, filter.left))
    const again = await section.redeliverFailed({ ...commandOf(acting), filter: filter.right })
    if (E.isRight(again)) return answerFlash(acting, texts.redelivered(again.right))
    return again.left._tag === 'UnknownEventType' || again.left._tag === 'InvalidEventTypes'
      ? acting.again((page) => show(section, page, wrongType()))
      : refusedOrDisabled(section, again.left, acting)
  }
  const at = parseMoment(since)
  if (at === undefined) return acting.again((page) => show(section, page, { problem: texts.wrong.since, at: 'since' }))
  const again = await section.redeliverSince({ ...commandOf(acting), since: at })
  return E.isRight(again) ? answerFlash(acting, texts.redelivered(again.right)) : refusedOrDisabled(section, again.left, acting)
}

const remove = async (section: EndpointsSection, acting: ActIn): Promise<Answer> => {
  const removed = await section.removeEndpoint(commandOf(acting))
  return E.isRight(removed) ? redirect(`/console/workspaces/${acting.workspace}/endpoints`) : refused(removed.left, acting)
}

type Refusal = ChangeEndpointError

const refused = (failure: Refusal, { signedIn }: ActIn): Answer => {
  switch (failure._tag) {
    case 'EndpointNotFound': return failurePage({ _tag: 'NotFound' }, signedIn)
    case 'InvalidEndpointUrl': case 'InvalidEventTypes': case 'UnknownEventType': case 'InvalidDescription':
      return failurePage({ _tag: 'Malformed' }, signedIn)
    case 'Forbidden': case 'PortFailure': return failurePage(failure, signedIn)
  }
}

const refusedOrDisabled = (
  section: EndpointsSection, failure: Refusal | { readonly _tag: 'EndpointDisabled' }, acting: ActIn,
): Promise<Answer> | Answer =>
  (failure._tag === 'EndpointDisabled' ? wrong(section, acting, texts.wrong.disabled) : refused(failure, acting))

const wrong = (section: EndpointsSection, { again }: ActIn, problem: string): Promise<Answer> =>
  again((page) => show(section, page, { problem }))

const answerFlash = (acting: ActIn, sentence: string): Answer =>
  redirectWithFlash(pathIn(acting), <p class="note" role="status">{sentence}</p>)

/** The attempts of an event are searched among this number of the newest attempts of its endpoint, because there is no index for them. */
const LOOKED_AT = 200

/** The attempts to deliver one event, oldest first. */
const Attempts = ({ attempts }: { readonly attempts: ReadonlyArray<DeliveryAttempt> }): VNode => (
  attempts.length === 0 ? <p class="soft">{texts.noAttempts(LOOKED_AT)}</p> : (
    <Timeline label={texts.attempts} steps={attempts.toReversed().map((attempt) => ({
      key: attempt.id, tone: attempt.delivered ? 'good' : 'bad', what: attempt.delivered ? texts.delivered : texts.failed, at: attempt.at,
      more: <AttemptDetails attempt={attempt} />,
    }))} />
  )
)

const AttemptDetails = ({ attempt: { answer, nextAttemptAt, ...result } }: { readonly attempt: DeliveryAttempt }): VNode => (
  <>
    <ResultDetails of={result} />
    {answer !== undefined && answer !== '' && (
      <details class="behind">
        <summary>{texts.showAnswer}</summary><pre class="secret" tabindex={0} aria-label={texts.answer}>{answer}</pre>
      </details>
    )}
    {nextAttemptAt !== undefined && <div>{texts.next}: <Time at={nextAttemptAt} as="second" /></div>}
  </>
)

const showEvent = async (section: EndpointsSection, page: InWorkspace, problem: string | undefined): Promise<Answer> => {
  const { signedIn, workspace, request: { params: { event = '' } } } = page
  const endpoint = await section.findEndpoint({ workspace: workspace.id, id: idIn(page) })
  if (E.isLeft(endpoint)) return failurePage(endpoint.left._tag === 'PortFailure' ? endpoint.left : { _tag: 'NotFound' }, signedIn)
  if (!isEventId(event)) return failurePage({ _tag: 'NotFound' }, signedIn)
  const [found, attempts] = await Promise.all([
    section.findEvent(workspace.id, event),
    section.listDeliveries({ workspace: workspace.id, id: endpoint.right.id }, { limit: LOOKED_AT }),
  ])
  if (E.isLeft(found)) return failurePage(found.left, signedIn)
  if (E.isLeft(attempts)) return failurePage(attempts.left._tag === 'PortFailure' ? attempts.left : { _tag: 'NotFound' }, signedIn)
  const path = pathTo(endpoint.right)
  return workspacePage(page, {
    title: texts.oneEvent, path: `/console/workspaces/${workspace.id}/endpoints`,
    content: (
      <>
        <Problem sentence={problem} />
        <p><a href={path}>{endpoint.right.url}</a></p>
        {O.isNone(found.right) ? <p>{texts.eventGone}</p> : (
          <>
            <Facts facts={[
              [texts.event, <Id of={event} isWhole />], [texts.type, found.right.value.type],
              [texts.happened, <Time at={found.right.value.at} />],
            ]} />
            <h2>{texts.body}</h2>
            <p class="soft">{texts.bodyNote}</p>
            <pre class="secret" tabindex={0} aria-label={texts.body}>{JSON.stringify(eventView(found.right.value), undefined, 2)}</pre>
            <h2>{texts.attempts}</h2>
            <Attempts attempts={attempts.right.items.filter((attempt) => attempt.event === event)} />
            <RedeliverOne event={event} path={path} endpoint={endpoint.right} principal={signedIn.principal} workspace={workspace} />
          </>
        )}
      </>
    ),
  })
}
